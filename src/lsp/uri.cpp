#include "lsp/uri.h"

#include <vector>

#include "text/percent.h"

namespace torchleak::lsp {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexValue(text[i + 1]) : -1;
    const int low = high >= 0 ? HexValue(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool EqualsNoCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool HasDrive(std::string_view path) {
  return path.size() >= 2 && IsLetter(path[0]) && path[1] == ':';
}

// Of what stands behind the root: "a/./b/../c" is "a/c". Nothing is above the root.
std::string Resolved(std::string_view path, char separator) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(separator), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::optional<std::string> WindowsPath(std::string host, std::string path) {
  for (std::string* text : {&host, &path}) {
    for (char& c : *text) c = c == '/' ? '\\' : c;
  }
  if (!host.empty()) return "\\\\" + host + '\\' + Resolved(path, '\\');
  if (path.starts_with("\\\\")) return "\\\\" + Resolved(path.substr(2), '\\');
  std::string_view rest = path;
  if (rest.starts_with('\\')) rest.remove_prefix(1);
  if (!HasDrive(rest)) return std::nullopt;
  // Clients write the drive in either case: one document must have one key.
  const char drive = static_cast<char>(rest[0] | 0x20);
  return std::string(1, drive) + ":\\" + Resolved(rest.substr(2), '\\');
}

}  // namespace

std::optional<std::string> PathOf(std::string_view uri, PathStyle style) {
  constexpr std::string_view kScheme = "file:";
  if (!EqualsNoCase(uri.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  std::string_view rest = uri.substr(kScheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  std::string host;
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    host = Decoded(rest.substr(0, end));
    rest.remove_prefix(end);
    if (EqualsNoCase(host, "localhost")) host.clear();
  }
  std::string path = Decoded(rest);
  if (path.find('\0') != std::string::npos || host.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  if (style == PathStyle::kWindows) return WindowsPath(std::move(host), std::move(path));
  if (!host.empty() || !path.starts_with('/')) return std::nullopt;
  return '/' + Resolved(path, '/');
}

std::string UriOf(std::string_view path, PathStyle style) {
  if (style == PathStyle::kPosix) return "file://" + text::PercentEncoded(path);
  std::string slashes(path);
  for (char& c : slashes) c = c == '\\' ? '/' : c;
  const bool is_share = slashes.starts_with("//");
  return (is_share ? "file:" : "file:///") + text::PercentEncoded(slashes);
}

std::string DocumentKey(std::string_view uri, PathStyle style) {
  std::optional<std::string> path = PathOf(uri, style);
  return path ? *std::move(path) : std::string(uri);
}

}  // namespace torchleak::lsp
