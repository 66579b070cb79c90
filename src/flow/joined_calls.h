// JoinedCalls: the call graphs of all files of a project as one, so that a function learns of its
// callers in other files.
//
//   for each analysed file:  joined.Add(file, FileCallsOf(world));
//   joined.Run();
//   std::vector<CallerFacts> facts = joined.Of(file);   // by FunctionId
#pragma once

#include <cstdint>
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
};

FileCalls FileCallsOf(const World& world);

class JoinedCalls {
 public:
  // `paths` are those of the interfaces, callees' files before callers' as far as possible.
  explicit JoinedCalls(std::vector<std::string> paths);
  void Add(std::size_t file, FileCalls calls);
  void Run();
  std::vector<CallerFacts> Of(std::size_t file) const;
  bool CalledFromOutside(std::size_t file) const { return called_[file]; }

 private:
  std::vector<std::string> paths_;
  std::vector<FileCalls> files_;
  std::vector<std::uint32_t> first_;  // node of each file's function 0
  std::vector<bool> called_;
  CallGraph graph_;
};

}  // namespace torchleak::flow
