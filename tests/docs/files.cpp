#include "files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace torchleak::tests {

namespace fs = std::filesystem;

namespace {

fs::path InCheckout(const std::string& path) { return fs::path(TORCHLEAK_SOURCE_DIR) / path; }

bool LeftOut(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "build" || name == "node_modules" || name.starts_with(".");
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream in(InCheckout(path), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool Exists(const std::string& path) { return fs::exists(InCheckout(path)); }

std::vector<std::string> FilesBelow(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> found;
  const fs::path root = InCheckout(".").lexically_normal();
  fs::recursive_directory_iterator it(InCheckout(folder).lexically_normal());
  for (; it != fs::recursive_directory_iterator(); ++it) {
    if (it->is_directory()) {
      if (LeftOut(it->path())) it.disable_recursion_pending();
    } else if (it->path().string().ends_with(suffix)) {
      found.push_back(it->path().lexically_relative(root).generic_string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool Updating() { return std::getenv("TORCHLEAK_UPDATE_DOCS") != nullptr; }

bool HoldsOrUpdated(const std::string& path, const std::string& wanted) {
  if (ReadFile(path) == wanted) return true;
  if (!Updating()) return false;
  std::ofstream(InCheckout(path), std::ios::binary) << wanted;
  return true;
}

}  // namespace torchleak::tests
