#include "report/report.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings/nearest.h"
#include "report/formats.h"
#include "report/terminal.h"
#include "report/version.h"

namespace torchleak::report {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"full", "concise", "json", "sarif"};

}  // namespace

std::string_view Version() { return TORCHLEAK_VERSION; }

std::string_view Name(Format format) { return kNames[static_cast<std::size_t>(format)]; }

std::span<const std::string_view> FormatNames() { return kNames; }

text::Result<Format> ParseFormat(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == lower) return static_cast<Format>(i);
  }
  const std::string_view nearest = findings::Nearest(lower, kNames);
  return text::Error{
      fmt::format("unknown output format '{}'{} (known: {})", Printable(name),
                  nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest),
                  fmt::join(kNames, ", "))};
}

std::string Render(Format format, const ReportInput& input) {
  switch (format) {
    case Format::kFull:
      return RenderFull(input);
    case Format::kConcise:
      return RenderConcise(input);
    case Format::kJson:
      return RenderJson(input);
    case Format::kSarif:
      return RenderSarif(input);
  }
  return {};
}

std::string RuleUrl(std::string_view rule_name) {
  return fmt::format("https://torchleak.readthedocs.io/rules/{}", rule_name);
}

}  // namespace torchleak::report
