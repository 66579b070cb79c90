// fixtures/projects: each folder there is a project of several files, whose findings and steps are
// marked in all of them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis.h"
#include "compare.h"
#include "engine/rule.h"
#include "markers.h"

namespace torchleak::tests {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Projects() {
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(fs::path(Checkout()) / "fixtures/projects")) {
    if (entry.is_directory())
      folders.push_back("fixtures/projects/" + entry.path().filename().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

TEST_CASE("the projects' findings are those that they mark, in whatever file") {
  REQUIRE(Projects().size() > 20);
  for (const std::string& project : Projects()) {
    std::vector<text::Source> sources;
    for (const std::string& path : FilesBelow(project, ".py"))
      sources.push_back(SourceOf(path, ReadFile(path)));
    for (const std::string& problem :
         Compare(sources, ReadMarkers(sources), ProjectFindings(project)))
      FAIL_CHECK(problem);
  }
}

// All that a report could show.
std::vector<std::string> Lines(const std::vector<findings::Finding>& found) {
  std::vector<std::string> lines;
  for (const findings::Finding& f : found) {
    std::string line = fmt::format("{}:{}-{} {} {} {} {}", f.location.path, f.location.span.begin,
                                   f.location.span.end, f.code, findings::Name(f.severity),
                                   f.message, f.fingerprint);
    for (const findings::Step& step : f.flow)
      line +=
          fmt::format(" <- {}:{} {}", step.location.path, step.location.span.begin, step.message);
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST_CASE("the order of the arguments and the number of threads change no finding") {
  for (const std::string& project : Projects()) {
    CAPTURE(project);
    const std::vector<std::string> lines = Lines(ProjectFindings(project));
    CHECK(lines == Lines(ProjectFindings(project, {.one_by_one = true})));
    CHECK(lines == Lines(ProjectFindings(project, {.jobs = 4})));
  }
}

TEST_CASE("a rule that is selected alone finds in a project what it finds among the others") {
  for (const std::string& project : Projects()) {
    const std::vector<findings::Finding> all = ProjectFindings(project);
    for (const engine::Rule* rule : RulesFor("")) {
      std::vector<findings::Finding> of_rule = all;
      std::erase_if(of_rule, [&](const findings::Finding& finding) {
        return finding.code != rule->info().code;
      });
      CAPTURE(project);
      CHECK(Lines(of_rule) == Lines(ProjectFindings(project, {.rules = {rule}})));
    }
  }
}

TEST_CASE("all projects at once: each has the findings that it has alone") {
  std::vector<std::string> alone;
  for (const std::string& project : Projects()) {
    for (std::string& line : Lines(ProjectFindings(project))) alone.push_back(std::move(line));
  }
  CHECK(alone == Lines(ProjectFindings("fixtures/projects")));
}

}  // namespace
}  // namespace torchleak::tests
