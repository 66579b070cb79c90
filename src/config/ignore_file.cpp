// Each pattern is one Glob; those without a slash are tried on the last segment only, which is the
// common case and needs no path splitting.
#include "config/ignore_file.h"

#include <algorithm>

namespace torchleak::config {

std::string_view WithoutTrailingBlanks(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  while (!line.empty() && line.back() == ' ' &&
         !(line.size() > 1 && line[line.size() - 2] == '\\')) {
    line.remove_suffix(1);
  }
  return line;
}

IgnoreFile::IgnoreFile(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    Add(text.substr(at, end - at));
    at = end + 1;
  }
}

void IgnoreFile::Add(std::string_view line) {
  line = WithoutTrailingBlanks(line);
  if (line.empty() || line.front() == '#') return;
  bool negated = line.front() == '!';
  if (negated) line.remove_prefix(1);
  bool directory_only = !line.empty() && line.back() == '/';
  if (directory_only) line.remove_suffix(1);
  if (line.empty()) return;
  bool anchored = line.find('/') != std::string_view::npos;
  patterns_.push_back({Glob(line), negated, directory_only, anchored});
}

std::optional<bool> IgnoreFile::Matches(std::string_view relative, bool is_directory) const {
  std::size_t slash = relative.rfind('/');
  std::string_view name = slash == std::string_view::npos ? relative : relative.substr(slash + 1);
  for (auto it = patterns_.rbegin(); it != patterns_.rend(); ++it) {
    if (it->directory_only && !is_directory) continue;
    if (it->glob.Matches(it->anchored ? relative : name)) return !it->negated;
  }
  return std::nullopt;
}

}  // namespace torchleak::config
