#include "baseline/baseline.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "text/read.h"

namespace torchleak::baseline {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

std::string Reason(int code) { return std::generic_category().message(code); }

// Bytes that are no UTF-8, in names of files, come back as U+FFFD: nlohmann would throw.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool WriteBytes(const std::string& file, std::string_view bytes, mode_t mode) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return false;
  bool written = true;
  while (written && !bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    written = n > 0;
    if (written) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  // What a full disk or a network share only tells late; and a rename must not overtake the bytes.
  written = written && fsync(fd) == 0;
  const int code = errno;
  if (close(fd) != 0 && written) return false;
  errno = code;
  return written;
}

}  // namespace

text::Result<Baseline> Read(const std::string& file) {
  std::string bytes;
  text::ReadError error;
  if (text::ReadInto(file, kMaxBytes, &bytes, &error)) return Parse(bytes, file);
  if (error.code == ENOENT) {
    return text::Error{fmt::format(
        "{}: no such baseline; `torchleak baseline --output {}` writes it", file, file)};
  }
  return text::Error{fmt::format("{}: the baseline cannot be read: {}", file, error.message)};
}

std::string Render(const Baseline& baseline) {
  std::vector<Entry> entries = baseline.entries;
  std::sort(entries.begin(), entries.end());
  std::string out = fmt::format(
      "{{\n  \"version\": {},\n  \"comment\": {},\n  \"confidence\": \"{}\",\n  \"findings\": [",
      kVersion, Quoted(baseline.comment), findings::Name(baseline.confidence));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    out += fmt::format(
        "{}\n    {{\"path\": {}, \"rule\": {}, \"function\": {}, \"line\": \"{}\", \"shape\": "
        "\"{}\", \"occurrence\": {}}}",
        i == 0 ? "" : ",", Quoted(e.path), Quoted(e.rule), Quoted(e.function), e.line, e.shape,
        e.occurrence);
  }
  return out + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

std::optional<text::Error> Write(const std::string& file, const Baseline& baseline) {
  const std::string bytes = Render(baseline);
  std::string before;
  text::ReadError none;
  if (text::ReadInto(file, kMaxBytes, &before, &none) && before == bytes) return std::nullopt;
  std::error_code ignored;
  // Through a link, so that the link stays.
  std::filesystem::path target = std::filesystem::weakly_canonical(file, ignored);
  if (target.empty()) target = file;
  struct stat status {};
  const mode_t mode = stat(target.c_str(), &status) == 0 ? status.st_mode & 07777 : 0666;
  const std::string temporary = fmt::format("{}.{}.tmp", target.string(), getpid());
  const bool read_only = (mode & 0222) == 0;
  if (read_only) errno = EACCES;
  if (!read_only && WriteBytes(temporary, bytes, mode) &&
      std::rename(temporary.c_str(), target.c_str()) == 0) {
    return std::nullopt;
  }
  const int code = errno;
  if (!read_only) std::remove(temporary.c_str());
  return text::Error{fmt::format("{}: the baseline cannot be written: {}", file, Reason(code))};
}

}  // namespace torchleak::baseline
