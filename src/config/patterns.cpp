// Patterns in a row with the same folder share an IgnoreFile, so that a path is cut only once for
// them.
#include "config/patterns.h"

#include <algorithm>

namespace torchleak::config {
namespace {

// Without its last folder: "/a/b/" becomes "/a/". The top stays.
std::string Above(std::string prefix) {
  const std::size_t slash = prefix.size() > 1 ? prefix.rfind('/', prefix.size() - 2) : 0;
  prefix.resize(slash + 1);
  return prefix;
}

}  // namespace

void PathPatterns::Add(std::string_view pattern, std::string_view folder) {
  std::string prefix(folder);
  if (!prefix.ends_with('/')) prefix += '/';
  const bool negated = pattern.starts_with('!');
  if (negated) pattern.remove_prefix(1);
  while (pattern.starts_with("./")) pattern.remove_prefix(2);
  const bool climbs = pattern.starts_with("../");
  while (pattern.starts_with("../")) {
    pattern.remove_prefix(3);
    prefix = Above(std::move(prefix));
  }
  // Below its own folder an absolute pattern keeps its slash, which anchors it.
  if (pattern.starts_with(prefix)) pattern.remove_prefix(prefix.size() - 1);
  if (groups_.empty() || groups_.back().prefix != prefix) {
    groups_.push_back({std::move(prefix), {}});
  }
  // A slash in front keeps what climbs at its place.
  groups_.back().patterns.Add((negated ? "!" : "") + std::string(climbs ? "/" : "") +
                              std::string(pattern));
}

std::optional<bool> PathPatterns::Verdict(std::string_view part, std::string_view whole,
                                          bool is_directory) const {
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    const std::string& prefix = group->prefix;
    std::size_t from = part.starts_with('/');
    if (whole.size() > prefix.size() && whole.starts_with(prefix)) {
      if (part.size() <= prefix.size()) continue;  // above the folder: no matter of its patterns
      from = prefix.size();
    }
    if (auto verdict = group->patterns.Matches(part.substr(from), is_directory)) return verdict;
  }
  return std::nullopt;
}

bool PathPatterns::Matches(std::string_view path, bool is_directory) const {
  return Verdict(path, path, is_directory).value_or(false);
}

bool PathPatterns::MatchesTree(std::string_view path, bool is_directory) const {
  for (std::size_t at = 1; at <= path.size(); ++at) {
    at = std::min(path.find('/', at), path.size());
    const bool is_last = at == path.size();
    if (Verdict(path.substr(0, at), path, !is_last || is_directory).value_or(false)) return true;
  }
  return false;
}

}  // namespace torchleak::config
