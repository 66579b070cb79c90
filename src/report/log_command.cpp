#include "report/log_command.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/terminal.h"
#include "report/utf8.h"

namespace torchleak::report {

std::string Escaped(std::string_view text, std::span<const Escape> escapes) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = NextCodePoint(text, &at);
    const auto escape = std::find_if(escapes.begin(), escapes.end(), [code](const Escape& e) {
      return code == static_cast<unsigned char>(e.from);
    });
    if (escape != escapes.end()) {
      out += escape->to;
    } else {
      AppendUtf8(&out, Harmless(code));
    }
  }
  return out;
}

std::string LogMessage(const ReportInput& input, const findings::Finding& finding,
                       const Place& place) {
  std::string message = fmt::format("{}:{}: {} {}", Printable(DisplayPath(place.path, input.root)),
                                    PositionText(place), finding.code, Printable(finding.message));
  if (!finding.help.empty()) message += fmt::format("\nhelp: {}", Printable(finding.help));
  return message;
}

}  // namespace torchleak::report
