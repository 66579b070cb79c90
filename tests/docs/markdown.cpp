#include "markdown.h"

#include <algorithm>
#include <cctype>

namespace torchleak::tests {

namespace {

bool InFence(const std::vector<Fence>& fences, std::size_t line) {
  return std::any_of(fences.begin(), fences.end(), [line](const Fence& fence) {
    return line + 1 >= fence.first && line <= fence.last;
  });
}

// `code` becomes blanks, so that columns stay.
std::string WithoutCode(std::string line) {
  for (std::size_t open = line.find('`'); open != std::string::npos; open = line.find('`', open)) {
    const std::size_t close = line.find('`', open + 1);
    if (close == std::string::npos) break;
    std::fill(line.begin() + static_cast<std::ptrdiff_t>(open),
              line.begin() + static_cast<std::ptrdiff_t>(close) + 1, ' ');
  }
  return line;
}

void AddLinks(const std::string& line, std::size_t row, std::string_view before, char after,
              std::vector<Link>* links) {
  for (std::size_t at = line.find(before); at != std::string::npos; at = line.find(before, at)) {
    at += before.size();
    const std::size_t end = line.find(after, at);
    if (end == std::string::npos) return;
    links->push_back({row, line.substr(at, end - at)});
  }
}

}  // namespace

std::vector<Fence> Fences(const std::vector<std::string>& lines) {
  std::vector<Fence> fences;
  bool open = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("```")) continue;
    if (open) {
      fences.back().last = i;
    } else {
      fences.push_back({lines[i].substr(3), i + 1, lines.size()});
    }
    open = !open;
  }
  return fences;
}

std::vector<Link> Links(const std::vector<std::string>& lines) {
  const std::vector<Fence> fences = Fences(lines);
  std::vector<Link> links;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (InFence(fences, i)) continue;
    const std::string line = WithoutCode(lines[i]);
    AddLinks(line, i + 1, "](", ')', &links);
    AddLinks(line, i + 1, "src=\"", '"', &links);
  }
  return links;
}

std::vector<std::string> Anchors(const std::vector<std::string>& lines) {
  const std::vector<Fence> fences = Fences(lines);
  std::vector<std::string> anchors;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t text = lines[i].find_first_not_of('#');
    if (text == 0 || text == std::string::npos || lines[i][text] != ' ' || InFence(fences, i)) {
      continue;
    }
    std::string anchor;
    for (const char c : std::string_view(lines[i]).substr(text + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == ' ') anchor += '-';
      if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(byte));
      }
    }
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

}  // namespace torchleak::tests
