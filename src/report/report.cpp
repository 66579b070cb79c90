#include "report/report.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "findings/nearest.h"
#include "report/formats.h"
#include "report/terminal.h"
#include "report/version.h"

namespace torchleak::report {
namespace {

constexpr FormatInfo kFormats[] = {
    {Format::kFull, "full",
     "the code, the path through it in numbered steps, help and fix (default)", true, "text/plain",
     true, RenderFull},
    {Format::kConcise, "concise", "one line for each finding", true, "text/plain", true,
     RenderConcise},
    {Format::kGrouped, "grouped", "one line for each finding, under the name of its file", true,
     "text/plain", true, RenderGrouped},
    {Format::kJson, "json", "everything that is known of each finding, one array", false,
     "application/json", false, RenderJson},
    {Format::kJsonLines, "json-lines", "the same, one object a line", true, "application/x-ndjson",
     false, RenderJsonLines},
    {Format::kSarif, "sarif", "SARIF 2.1.0 for GitHub code scanning and its kin", false,
     "application/sarif+json", false, RenderSarif},
    {Format::kGithub, "github", "annotations of GitHub Actions", true, "text/plain", false,
     RenderGithub},
    {Format::kGitlab, "gitlab", "GitLab Code Quality", false, "application/json", false,
     RenderGitlab},
    {Format::kJunit, "junit", "JUnit XML", false, "application/xml", false, RenderJunit},
    {Format::kPylint, "pylint", "as pylint writes it, for editors", true, "text/plain", false,
     RenderPylint},
    {Format::kRdjson, "rdjson", "reviewdog's diagnostics, fixes as suggestions", false,
     "application/json", false, RenderRdjson},
    {Format::kAzure, "azure", "log commands of Azure Pipelines", true, "text/plain", false,
     RenderAzure},
    {Format::kHtml, "html", "one page for a browser, with plots, filters and the code", false,
     "text/html", true, RenderHtml},
};

}  // namespace

std::string_view Version() { return TORCHLEAK_VERSION; }

std::span<const FormatInfo> Formats() { return kFormats; }

const FormatInfo& Info(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

std::string_view Name(Format format) { return Info(format).name; }

std::span<const std::string_view> FormatNames() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const FormatInfo& info : kFormats) all.push_back(info.name);
    return all;
  }();
  return names;
}

text::Result<Format> ParseFormat(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const FormatInfo& info : kFormats) {
    if (info.name == lower) return info.format;
  }
  const auto names = FormatNames();
  const std::string_view nearest = findings::Nearest(lower, names);
  return text::Error{
      fmt::format("unknown output format '{}'{} (known: {})", Printable(name),
                  nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest),
                  fmt::join(names, ", "))};
}

std::string Render(Format format, const ReportInput& input) { return Info(format).render(input); }

std::string RuleUrl(std::string_view rule_name) {
  return fmt::format("https://torchleak.readthedocs.io/rules/{}", rule_name);
}

}  // namespace torchleak::report
