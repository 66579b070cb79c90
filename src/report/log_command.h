// What the log commands of build services share: escapes, and a message that stands by itself.
// Inner to this layer.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/place.h"
#include "report/report.h"

namespace torchleak::report {

struct Escape {
  char from;
  std::string_view to;
};

// Control characters that no escape names become Harmless(): a log is a terminal.
std::string Escaped(std::string_view text, std::span<const Escape> escapes);

// "train.py:19:17: TLK101 `losses` keeps …", and the help on a line of its own. A log shows nothing
// else of a command, so the place is in the message as well.
std::string LogMessage(const ReportInput& input, const findings::Finding& finding,
                       const Place& place);

}  // namespace torchleak::report
