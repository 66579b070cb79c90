#include "cli/app.h"

int main(int argc, char** argv) { return torchleak::cli::Main(argc, argv); }
