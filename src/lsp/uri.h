// File URIs and the paths that they stand for.
//
//   PathOf("file:///home/a/caf%C3%A9.py")          "/home/a/café.py"
//   PathOf("file:///c%3A/x.py", Style::kWindows)   "c:\\x.py"
//   PathOf("untitled:Untitled-1")                  nothing
//   UriOf("/a b.py")                               "file:///a%20b.py"
//
// Documents keep the URI as their client wrote it and send that one back, since clients compare
// letter by letter; UriOf() is for files that no client has named.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchleak::lsp {

enum class PathStyle { kPosix, kWindows };

#ifdef _WIN32
inline constexpr PathStyle kNativePaths = PathStyle::kWindows;
#else
inline constexpr PathStyle kNativePaths = PathStyle::kPosix;
#endif

// Absolute, with "." and ".." resolved. Escapes that are none stay as they are; "localhost" is no
// host; another host is a UNC share on Windows, and no file elsewhere. Nothing for other schemes,
// for a path that is not absolute and for one that holds NUL.
std::optional<std::string> PathOf(std::string_view uri, PathStyle style = kNativePaths);

// Of an absolute path.
std::string UriOf(std::string_view path, PathStyle style = kNativePaths);

// What two spellings of one document have in common: the path, or the URI itself when it is no
// file.
std::string DocumentKey(std::string_view uri, PathStyle style = kNativePaths);

}  // namespace torchleak::lsp
