// Levels are looked at from the nearest to the farthest, once for each kind of file.
#include "driver/ignore.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "text/read.h"

namespace torchleak::driver {
namespace {

IgnoreFile Load(const std::string& path) {
  if (!text::IsRegularFile(path)) return {};
  auto bytes = text::ReadFile(path);
  return bytes ? IgnoreFile(*bytes) : IgnoreFile();
}

// The value of `excludesfile` in ~/.gitconfig, or the default place; empty without a home.
std::string GlobalIgnorePath() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  const std::string path = std::string(home) + "/.gitconfig";
  text::Result<std::string> config = std::string();
  if (text::IsRegularFile(path)) config = text::ReadFile(path);
  const std::string_view text = config ? std::string_view(*config) : std::string_view();
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string key;
    for (char c : line.substr(0, equals)) {
      if (c != ' ' && c != '\t') key += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    if (key != "excludesfile") continue;
    std::string_view value = config::WithoutTrailingBlanks(line.substr(equals + 1));
    value.remove_prefix(std::min(value.find_first_not_of(" \t\""), value.size()));
    if (!value.empty() && value.back() == '"') value.remove_suffix(1);
    if (value.substr(0, 2) == "~/") return std::string(home) + std::string(value.substr(1));
    return std::string(value);
  }
  const char* xdg = std::getenv("XDG_CONFIG_HOME");
  std::string base = xdg != nullptr && *xdg != '\0' ? xdg : std::string(home) + "/.config";
  return base + "/git/ignore";
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

IgnoreLevel::Ptr IgnoreLevel::Enter(Ptr parent, const std::string& directory) {
  std::string prefix = directory.ends_with('/') ? directory : directory + "/";
  auto level = std::make_shared<IgnoreLevel>();
  level->ignore_ = Load(prefix + ".ignore");
  level->gitignore_ = Load(prefix + ".gitignore");
  level->repository_root_ = Exists(prefix + ".git");
  if (level->repository_root_) level->exclude_ = Load(prefix + ".git/info/exclude");
  if (level->ignore_.empty() && level->gitignore_.empty() && !level->repository_root_) {
    return parent;
  }
  level->prefix_ = std::move(prefix);
  level->parent_ = std::move(parent);
  return level;
}

IgnoreLevel::Ptr IgnoreLevel::Above(const std::string& directory) {
  namespace fs = std::filesystem;
  Ptr result;
  if (std::string global = GlobalIgnorePath(); !global.empty()) {
    auto level = std::make_shared<IgnoreLevel>();
    level->exclude_ = Load(global);
    if (!level->exclude_.empty()) result = std::move(level);
  }
  std::vector<std::string> chain;  // from `directory`'s parent up to the repository root
  fs::path current = directory;
  bool inside = Exists((current / ".git").string());
  while (!inside && current.has_parent_path() && current != current.parent_path()) {
    current = current.parent_path();
    chain.push_back(current.string());
    inside = Exists((current / ".git").string());
  }
  if (!inside) chain.clear();
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) result = Enter(std::move(result), *it);
  return result;
}

bool IgnoreLevel::Ignores(std::string_view path, bool is_directory) const {
  // `in_repository`: levels above the repository's root are passed over, except the global file.
  auto ask = [&](IgnoreFile IgnoreLevel::*file, bool in_repository) -> std::optional<bool> {
    bool outside = false;
    for (const IgnoreLevel* level = this; level != nullptr; level = level->parent_.get()) {
      bool global = level->prefix_.empty();
      const IgnoreFile& patterns = level->*file;
      if (!patterns.empty() && (global || !outside)) {
        std::string_view relative = path.substr(global ? 1 : level->prefix_.size());
        if (auto verdict = patterns.Matches(relative, is_directory)) return verdict;
      }
      outside |= in_repository && level->repository_root_;
    }
    return std::nullopt;
  };
  if (auto verdict = ask(&IgnoreLevel::ignore_, false)) return *verdict;
  if (auto verdict = ask(&IgnoreLevel::gitignore_, true)) return *verdict;
  return ask(&IgnoreLevel::exclude_, true).value_or(false);
}

}  // namespace torchleak::driver
