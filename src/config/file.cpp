// Opened without blocking, so that a pipe of that name stops nobody, and looked at by descriptor,
// so that what was examined is what is read.
#include "config/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "text/read.h"

namespace torchleak::config {
namespace {

// Names, keys and values are repeated in messages, and may hold escape sequences.
std::string Harmless(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

// What keeps the bytes from being read, or empty.
std::string ReadAll(int fd, std::string* bytes) {
  text::ReadError error;
  if (text::ReadDescriptor(fd, kMaxConfigBytes, bytes, &error)) return {};
  return error.too_large ? "is larger than 1 MiB: that is no configuration file"
                         : "cannot be read: " + error.message;
}

// Offset of the first byte that is not UTF-8, or npos.
std::size_t FirstBroken(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    if (length == 0 || i + length > bytes.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xc0) != 0x80) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

std::string FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == 0 ? 1 : slash));
}

std::string_view RowText(std::string_view bytes, std::uint32_t row) {
  for (std::uint32_t r = 1; r < row; ++r) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
  }
  bytes = bytes.substr(0, bytes.find('\n'));
  if (bytes.ends_with('\r')) bytes.remove_suffix(1);
  return bytes;
}

// A part of a long row around the place, and blanks up to the place; control characters (an escape
// sequence would reach the terminal) are shown as `?`.
struct Frame {
  std::string shown, blanks;
  std::size_t room = 0;  // characters shown from the place on
};

Frame Cut(std::string_view row, std::uint32_t column) {
  constexpr std::uint32_t kBefore = 60, kAfter = 60;
  Frame frame;
  std::uint32_t at = 0;  // characters seen
  const std::uint32_t from = column > kBefore ? column - kBefore : 1;
  if (from > 1) frame.shown = "…", frame.blanks = " ";
  for (const char c : row) {
    const bool starts = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    at += starts ? 1 : 0;
    if (at < from) continue;
    if (at >= column + kAfter) {
      frame.shown += "…";
      return frame;
    }
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    frame.shown += c == '\t' ? ' ' : control ? '?' : c;
    if (!starts) continue;
    if (at < column) {
      frame.blanks += ' ';
    } else {
      ++frame.room;
    }
  }
  return frame;
}

}  // namespace

std::string DisplayName(std::string_view absolute, std::string_view root) {
  if (root != "/" && absolute.size() > root.size() + 1 && absolute.starts_with(root) &&
      absolute[root.size()] == '/') {
    absolute.remove_prefix(root.size() + 1);
  }
  return Harmless(absolute);
}

text::Result<std::optional<File>> ReadConfigFile(const std::string& path, std::string_view root,
                                                 bool given_by_hand) {
  File file{path, DisplayName(path, root), FolderOf(path), {}};
  auto fail = [&](std::string_view what) {
    return text::Error{fmt::format("{} {}", file.display, what)};
  };
  const int flags = O_RDONLY | O_CLOEXEC | (given_by_hand ? 0 : O_NONBLOCK);
  const text::Descriptor descriptor(open(path.c_str(), flags));
  if (descriptor.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<File>();
    // Nor is there any in a folder that may not be entered: the home of another user.
    if (!given_by_hand && errno == EACCES && access(FolderOf(path).c_str(), X_OK) != 0)
      return std::optional<File>();
    return fail("cannot be read: " + std::generic_category().message(errno));
  }
  struct stat status {};
  if (fstat(descriptor.get(), &status) != 0) return fail("cannot be read");
  if (S_ISDIR(status.st_mode)) return fail("is a directory, not a configuration file");
  if (!given_by_hand && !S_ISREG(status.st_mode)) return fail("is no regular file");
  if (auto problem = ReadAll(descriptor.get(), &file.bytes); !problem.empty()) return fail(problem);
  if (file.bytes.starts_with("\xEF\xBB\xBF")) file.bytes.erase(0, 3);
  return std::optional<File>(std::move(file));
}

std::string EncodingProblem(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return "is UTF-16; save it as UTF-8";
  }
  const std::size_t broken = FirstBroken(bytes);
  if (broken == std::string_view::npos) return {};
  const auto row =
      1 + std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(broken), '\n');
  return fmt::format("is not UTF-8: byte 0x{:02x} in line {}; save it as UTF-8",
                     static_cast<unsigned char>(bytes[broken]), row);
}

text::Error ErrorAt(const File& file, const Place& place, std::string_view message) {
  const std::string row = std::to_string(place.row);
  const std::string margin(row.size(), ' ');
  const Frame frame = Cut(RowText(file.bytes, place.row), place.column);
  const std::size_t length =
      place.end_column > place.column ? place.end_column - place.column : std::size_t{1};
  const std::string carets(std::max<std::size_t>(1, std::min(length, frame.room)), '^');
  return text::Error{fmt::format("{}:{}:{}: {}\n{} |\n{} | {}\n{} | {}{}", file.display, place.row,
                                 place.column, Harmless(message), margin, row, frame.shown, margin,
                                 frame.blanks, carets)};
}

}  // namespace torchleak::config
