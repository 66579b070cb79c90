// One rendered output for each format over the same small run, compared byte for byte.
//
// After a change that is meant: TORCHLEAK_UPDATE_GOLDEN=1 <build>/…/golden, then read the diff.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "report/report.h"
#include "tests/golden/hostile.h"
#include "tests/golden/notebook.h"
#include "tests/golden/sample.h"

namespace torchleak::golden {
namespace {

// "" when equal, else the first line that differs: whole outputs would bury it.
std::string FirstDifference(const std::string& expected, const std::string& actual) {
  std::istringstream expected_lines(expected);
  std::istringstream actual_lines(actual);
  for (int row = 1; expected != actual; ++row) {
    std::string wanted;
    std::string got;
    const bool more = static_cast<bool>(std::getline(expected_lines, wanted));
    if (!std::getline(actual_lines, got) && !more) return "one has no line feed at its end";
    if (wanted == got) continue;
    return "row " + std::to_string(row) + "\n  expected: " + wanted + "\n  actual:   " + got;
  }
  return "";
}

void CheckGolden(const std::string& name, const std::string& actual) {
  const std::string path = TORCHLEAK_SOURCE_DIR "/tests/golden/expected/" + name;
  if (std::getenv("TORCHLEAK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  INFO(path);
  CHECK(FirstDifference(expected, actual) == "");
}

// The ending under which an output is kept, so that editors show it as what it is.
std::string FileName(const std::string& run, report::Format format) {
  static const std::map<report::Format, std::string> endings = {
      {report::Format::kJson, ".json"},       {report::Format::kSarif, ".sarif"},
      {report::Format::kJsonLines, ".jsonl"}, {report::Format::kGitlab, ".gitlab.json"},
      {report::Format::kRdjson, ".rd.json"},  {report::Format::kJunit, ".junit.xml"},
      {report::Format::kHtml, ".html"},
  };
  const auto found = endings.find(format);
  if (found != endings.end()) return run + found->second;
  return run + "." + std::string(report::Name(format)) + ".txt";
}

TEST_CASE("every format renders the sample as before, twice the same") {
  const Sample sample;
  report::ReportInput input = sample.input();
  for (const report::FormatInfo& info : report::Formats()) {
    const std::string rendered = Render(info.format, input);
    CheckGolden(FileName("sample", info.format), rendered);
    CHECK(Render(info.format, input) == rendered);
  }
  input.color = true;
  input.hyperlinks = true;
  for (const auto format :
       {report::Format::kFull, report::Format::kConcise, report::Format::kGrouped}) {
    CheckGolden("sample." + std::string(report::Name(format)) + ".ansi", Render(format, input));
  }
}

TEST_CASE("a clean run is rendered as before") {
  const Sample sample;
  report::ReportInput input = sample.input();
  input.findings = {};
  input.notifications = {};
  for (const report::FormatInfo& info : report::Formats()) {
    CheckGolden(FileName("clean", info.format), Render(info.format, input));
  }
}

TEST_CASE("what was suppressed is in the full SARIF and, when asked, in the summary") {
  const Sample sample;
  report::ReportInput input = sample.input();
  input.suppressed = sample.suppressed();
  input.has_baseline = true;
  CHECK(Render(report::Format::kSarif, input) == Render(report::Format::kSarif, sample.input()));
  CHECK(Render(report::Format::kFull, input) == Render(report::Format::kFull, sample.input()));
  input.sarif_full = true;
  CheckGolden("full.sarif", Render(report::Format::kSarif, input));
  input.verbose = true;
  CheckGolden("verbose.grouped.txt", Render(report::Format::kGrouped, input));
}

TEST_CASE("a notebook is shown by cell, and by row of its JSON where files are opened") {
  const Notebook notebook;
  for (const report::FormatInfo& info : report::Formats()) {
    CheckGolden(FileName("notebook", info.format), Render(info.format, notebook.input()));
  }
}

TEST_CASE("hostile names, messages and sources are harmless in every format") {
  const Hostile hostile;
  for (const report::FormatInfo& info : report::Formats()) {
    CheckGolden(FileName("hostile", info.format), Render(info.format, hostile.input()));
  }
}

}  // namespace
}  // namespace torchleak::golden
