// One rendered output for each format over the same small run, compared byte for byte.
//
// After a change that is meant: TORCHLEAK_UPDATE_GOLDEN=1 <build>/…/golden, then read the diff.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "report/report.h"
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

TEST_CASE("every format renders the sample as before") {
  const Sample sample;
  report::ReportInput input = sample.input();
  CheckGolden("sample.full.txt", Render(report::Format::kFull, input));
  CheckGolden("sample.concise.txt", Render(report::Format::kConcise, input));
  CheckGolden("sample.json", Render(report::Format::kJson, input));
  CheckGolden("sample.sarif", Render(report::Format::kSarif, input));
  input.color = true;
  input.hyperlinks = true;
  CheckGolden("sample.full.ansi", Render(report::Format::kFull, input));
  CheckGolden("sample.concise.ansi", Render(report::Format::kConcise, input));
}

TEST_CASE("a clean run is rendered as before") {
  const Sample sample;
  report::ReportInput input = sample.input();
  input.findings = {};
  input.notifications = {};
  CheckGolden("clean.full.txt", Render(report::Format::kFull, input));
  CheckGolden("clean.concise.txt", Render(report::Format::kConcise, input));
  CheckGolden("clean.json", Render(report::Format::kJson, input));
  CheckGolden("clean.sarif", Render(report::Format::kSarif, input));
}

}  // namespace
}  // namespace torchleak::golden
