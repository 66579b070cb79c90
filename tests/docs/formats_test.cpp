// docs/output-formats.md: a heading for each format, in the order of the list of formats.
#include <doctest/doctest.h>

#include "files.h"
#include "report/report.h"

namespace torchleak::tests {
namespace {

TEST_CASE("docs/output-formats.md has every format") {
  std::vector<std::string> named, wanted;
  for (const std::string& line : Lines(ReadFile("docs/output-formats.md"))) {
    if (line.starts_with("### ")) named.push_back(line.substr(4));
  }
  for (const std::string_view name : report::FormatNames()) wanted.emplace_back(name);
  CHECK(named == wanted);
}

}  // namespace
}  // namespace torchleak::tests
