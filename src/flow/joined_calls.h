// JoinedCalls: the call graphs of all files of a project as one, so that a function learns of its
// callers in other files.
//
//   for each analysed file:  joined.Add(file, FileCallsOf(world));
//   joined.Run();
//   std::vector<CallerFacts> facts = joined.Of(file);   // by FunctionId
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flow/call_graph.h"

namespace torchleak::flow {

struct FileCalls {
  CallGraph graph;
  std::uint32_t own = 0;             // functions of the file; the nodes after them are foreign
  std::vector<std::uint32_t> order;  // own functions, callers first
  // By foreign node: the path of its file as interfaces carry it, and its number there.
  std::vector<std::pair<std::string, sema::FunctionId>> foreign;
  bool operator==(const FileCalls&) const = default;
};

using FileCallsPtr = std::shared_ptr<const FileCalls>;

FileCallsPtr FileCallsOf(const World& world, const text::Source& source);

class JoinedCalls {
 public:
  // `paths` are those of the interfaces, callees' files before callers' as far as possible.
  explicit JoinedCalls(std::vector<std::string> paths);
  void Add(std::size_t file, FileCallsPtr calls);
  void Run();
  std::vector<CallerFacts> Of(std::size_t file) const;
  void AddLooseOf(std::size_t file, LooseModes* out) const;
  // By FunctionId: where other files call it, "trainer.py:42".
  std::vector<std::vector<std::string>> OutsideCallsOf(std::size_t file) const;

 private:
  std::uint32_t OwnOf(std::size_t file) const { return first_[file + 1] - first_[file]; }

  std::vector<std::string> paths_;
  std::vector<FileCallsPtr> files_;   // until Run
  std::vector<std::uint32_t> first_;  // node of each file's function 0
  std::vector<std::vector<LooseCall>> loose_;
  CallGraph graph_;
};

}  // namespace torchleak::flow
