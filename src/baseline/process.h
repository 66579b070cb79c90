// RunProcess: a program without a shell, with what it printed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/result.h"

namespace torchleak::baseline {

struct Finished {
  int status = 0;  // exit status; 128 + number when a signal ended it
  std::string out, err;
};

// `argv[0]` is looked for in PATH; `input` becomes its standard input. Messages come in English
// (LC_ALL=C). Fails when the program cannot be started.
text::Result<Finished> RunProcess(const std::vector<std::string>& argv,
                                  std::string_view input = {});

}  // namespace torchleak::baseline
