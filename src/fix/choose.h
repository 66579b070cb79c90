// Choose: which fixes go together in one round.
//
// A fix is atomic: all of its edits, in whatever files, or none. Fixes are tried in the order
// given; one that does not go together with those before it waits for the next round, when the text
// has changed and it is made anew. Two fixes go together when their edits neither overlap nor meet
// where the order of two insertions would matter. What both do is done once: fixes that are the
// same, and whole lines that both insert, such as `import torch`.
//
//   Together together;
//   for (const EditSet& fix : fixes) chosen.push_back(together.Add(fix));
//   for (const auto& [path, edits] : together.edits()) …
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fix/edits.h"

namespace torchleak::fix {

// The edits of one fix by path, Normalized().
using EditSet = std::map<std::string, Edits, std::less<>>;

class Together {
 public:
  // False, and nothing added, when it has to wait.
  bool Add(const EditSet& fix);

  // Of all that were added; normalized again.
  const EditSet& edits() const { return edits_; }

 private:
  EditSet edits_;
  std::map<std::string, std::vector<EditSet>, std::less<>> added_;  // by their first path
};

}  // namespace torchleak::fix
