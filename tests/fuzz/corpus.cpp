#include "corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/rules/analysis.h"

namespace torchleak::tests {

std::vector<CorpusFile> Corpus() {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  if (const char* folder = std::getenv("TORCHLEAK_FUZZ_CORPUS"); folder != nullptr) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() == ".py")
        paths.push_back(entry.path().string());
    }
  } else {
    for (const std::string& path : FixtureFiles()) paths.push_back(Checkout() + "/" + path);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<CorpusFile> files;
  for (std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::string code{std::istreambuf_iterator<char>(file), {}};
    files.push_back({std::move(path), std::move(code)});
  }
  return files;
}

}  // namespace torchleak::tests
