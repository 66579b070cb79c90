// One rendered output for each format over the same small run, compared byte for byte.
//
// After a change that is meant: TORCHLEAK_UPDATE_GOLDEN=1 <build>/…/golden, then read the diff.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "report/report.h"
#include "tests/golden/sample.h"

namespace torchleak::golden {
namespace {

void CheckGolden(const std::string& name, const std::string& actual) {
  const std::string path = TORCHLEAK_SOURCE_DIR "/tests/golden/expected/" + name;
  if (std::getenv("TORCHLEAK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path);
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  CHECK_MESSAGE(actual == expected, "differs from " << path << "; it is now:\n" << actual);
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
