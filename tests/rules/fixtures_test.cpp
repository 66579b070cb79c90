// The fixtures of each rule, and of fixtures/ those that are marked exactly: every finding with its
// range and, where labelled, flow.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "analysis.h"
#include "compare.h"
#include "engine/rule.h"
#include "excerpt.h"
#include "markers.h"

namespace torchleak::tests {
namespace {

std::vector<std::string> MarkedFixtures() {
  std::vector<std::string> files = RuleFixtures();
  for (const char* folder :
       {"fixtures/scripts", "fixtures/mixed", "fixtures/frameworks", "fixtures/probes"}) {
    for (std::string& file : FilesBelow(folder, ".py")) files.push_back(std::move(file));
  }
  return files;
}

// Of the file itself, or of the `.expected` beside it.
Markers MarkersOf(const std::string& path, const text::Source& source) {
  const std::string excerpt = path.substr(0, path.size() - 3) + ".expected";
  if (!std::filesystem::exists(std::filesystem::path(Checkout()) / excerpt))
    return ReadMarkers(source);
  return ReadExcerpt(SourceOf(excerpt, ReadFile(excerpt)), source);
}

TEST_CASE("the fixtures' findings are those that they mark") {
  for (const std::string& path : MarkedFixtures()) {
    const text::Source source = SourceOf(path, ReadFile(path));
    for (const std::string& problem : Compare(source, MarkersOf(path, source), Findings(source)))
      FAIL_CHECK(problem);
  }
}

TEST_CASE("the scripts of the README's first command show most that leaks memory") {
  std::set<std::string_view> shown;
  for (const std::string& path : FilesBelow("fixtures/scripts", ".py")) {
    for (const findings::Finding& finding : Findings(SourceOf(path, ReadFile(path))))
      shown.insert(finding.code);
  }
  CHECK(shown.size() >= 8);
  CHECK(*shown.begin() >= "TLK1");  // TLK0…: about the file as it is written, and its comments
}

TEST_CASE("the byte scan lets through every file in which its rule fires") {
  for (const std::string& path : FixtureFiles()) {
    for (const std::string& lost : LostByByteScan(SourceOf(path, ReadFile(path)))) FAIL_CHECK(lost);
  }
}

}  // namespace
}  // namespace torchleak::tests
