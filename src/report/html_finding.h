// HtmlFinding: one finding of the HTML report. Inner to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/report.h"

namespace torchleak::report {

struct HtmlFindingOptions {
  bool open = false;       // unfolded from the start
  bool with_code = true;   // else the message and the help only
  std::string folder;      // for the filter
  std::size_t number = 1;  // its anchor is "f1"
};

std::string HtmlFinding(const ReportInput& input, const findings::Finding& finding,
                        const HtmlFindingOptions& options);

// A path that may break behind its slashes.
std::string HtmlPath(std::string_view path);

}  // namespace torchleak::report
