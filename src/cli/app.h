// The command line as a function: arguments in, exit status out. main.cpp only calls it, and tests
// can.
#pragma once

namespace torchleak::cli {

// Never throws: exceptions of the argument parser end here.
int Main(int argc, const char* const* argv);

}  // namespace torchleak::cli
