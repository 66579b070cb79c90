// A project in memory below /repo, checked as one, with its findings as lines.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/project_run.h"
#include "engine/rule.h"
#include "project/file_tree.h"

// So that a difference can be read.
template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};

namespace torchleak::driver {

using Lines = std::vector<std::string>;

// Those of one rule: what the others say of the same code is not the matter of these tests.
inline Lines Only(std::string_view code, Lines lines) {
  std::erase_if(lines, [&](const std::string& l) { return l.find(code) == std::string::npos; });
  return lines;
}

class Repo {
 public:
  Repo() = default;
  Repo(std::initializer_list<std::pair<std::string_view, std::string_view>> files) {
    for (const auto& [path, code] : files) Put(path, std::string(code));
  }
  void Put(std::string_view path, std::string code) {
    paths_.push_back("/repo/" + std::string(path));
    tree_.Put(paths_.back(), std::move(code));
  }

  std::vector<std::string>& paths() { return paths_; }  // those whose findings are wanted
  project::MemoryTree& tree() { return tree_; }

  ProjectRun Run() {
    ImportMaps maps(std::make_shared<project::ModuleIndex>(&locked_, "/repo"));
    return ProjectRun(&texts_, {{"/repo"}, "/repo"}, maps.Of(paths_));
  }

  // "train.py:7 TLK101 <- a.py:3 <- …", sorted: each finding with the steps in other files.
  Lines Findings(unsigned jobs = 1) {
    Lines lines;
    ProjectRun run = Run();
    for (const ProjectRun::Outcome& outcome : run.Run(engine::AllRules(), jobs)) {
      if (outcome.found == nullptr) continue;
      for (const findings::Finding& f : outcome.found->findings) lines.push_back(Line(f));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  std::string At(const findings::Location& location) {
    std::string bytes;
    REQUIRE(tree_.Read("/repo/" + location.path, &bytes));
    const auto before = bytes.begin() + location.span.begin;
    return fmt::format("{}:{}", location.path, 1 + std::count(bytes.begin(), before, '\n'));
  }
  std::string Line(const findings::Finding& f) {
    std::string line = At(f.location) + " " + std::string(f.code);
    for (const findings::Step& step : f.flow) {
      if (step.location.path != f.location.path) line += " <- " + At(step.location);
    }
    return line;
  }

  project::MemoryTree tree_;
  project::LockedTree locked_{&tree_};
  TreeTexts texts_{&locked_};
  std::vector<std::string> paths_;
};

}  // namespace torchleak::driver
