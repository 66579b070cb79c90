// The code that is broken: all Python files of fixtures/ and of the rules' folders, or those below
// TORCHLEAK_FUZZ_CORPUS, sorted.
#pragma once

#include <string>
#include <vector>

namespace torchleak::tests {

struct CorpusFile {
  std::string path;  // absolute
  std::string code;
};

std::vector<CorpusFile> Corpus();

}  // namespace torchleak::tests
