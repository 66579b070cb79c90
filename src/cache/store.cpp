#include "cache/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cache/codec.h"

#include "text/read.h"

namespace torchleak::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# A cache of torchleak; it may be deleted at any time: `torchleak clean` does.\n"
    "# https://bford.info/cachedir/ tells what this file is for.\n";
constexpr std::string_view kTagName = "CACHEDIR.TAG", kIgnoreName = ".gitignore";
constexpr std::string_view kSuffix = ".tlk", kTemporary = ".tmp";
constexpr std::string_view kFirstLine = "torchleak cache 1\n";
constexpr std::size_t kHashSize = 16;
constexpr std::size_t kMaxEntry = std::size_t{256} << 20;

std::string Reason(int code) { return std::generic_category().message(code); }

std::string Packed(const Hash128& hash) {
  Writer writer;
  writer.Hash(hash);
  return writer.bytes();
}

std::optional<std::string> Bytes(const std::string& file) {
  const text::Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  std::string bytes;
  text::ReadError error;
  const bool whole = descriptor.get() >= 0 && fstat(descriptor.get(), &status) == 0 &&
                     S_ISREG(status.st_mode) &&
                     text::ReadDescriptor(descriptor.get(), kMaxEntry, &bytes, &error);
  if (!whole) return std::nullopt;
  return bytes;
}

// Written beside it, and renamed. False with errno set. Not synced: a file that a crash cut short
// has a wrong hash.
bool Put(const std::string& file, std::string_view first, std::string_view second = {}) {
  static std::atomic<unsigned> number{0};
  const std::string temporary = fmt::format("{}.{}.{}{}", file, getpid(), number++, kTemporary);
  std::FILE* stream = std::fopen(temporary.c_str(), "wbxe");
  if (stream == nullptr) return false;
  bool written = true;
  for (const std::string_view part : {first, second}) {
    if (part.empty()) continue;  // of a null pointer not even nothing may be written
    written = written && std::fwrite(part.data(), 1, part.size(), stream) == part.size();
  }
  int code = errno;
  if (std::fclose(stream) != 0 && written) {
    written = false;
    code = errno;
  }
  if (written && std::rename(temporary.c_str(), file.c_str()) == 0) return true;
  if (written) code = errno;
  std::remove(temporary.c_str());
  errno = code;
  return false;
}

bool IsOurs(std::string_view name) {
  return name == kTagName || name == kIgnoreName || name.ends_with(kSuffix) ||
         name.ends_with(kTemporary);
}

struct Stored {
  std::string path;
  std::uint64_t size;
  fs::file_time_type used;
};

}  // namespace

bool IsCache(const std::string& folder) {
  const std::size_t second_line = kTag.find('\n', kTag.find('\n') + 1);
  const auto tag = Bytes(fmt::format("{}/{}", folder, kTagName));
  return tag && tag->starts_with(kTag.substr(0, second_line));
}

Store::Store(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

std::string Store::PathOf(const Hash128& key) const {
  return fmt::format("{}/{}{}", folder_, Hex(key), kSuffix);
}

std::optional<std::string> Store::Load(const Hash128& key) const {
  const std::string path = PathOf(key);
  auto bytes = Bytes(path);
  const std::string head = std::string(kFirstLine) + Packed(key);
  if (!bytes || bytes->size() < head.size() + kHashSize || !bytes->starts_with(head)) {
    return std::nullopt;
  }
  const std::string_view body(bytes->data(), bytes->size() - kHashSize);
  if (std::string_view(*bytes).substr(body.size()) != Packed(HashOf(body))) return std::nullopt;
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // fails in a folder of others, and that is well
  bytes->resize(body.size());
  bytes->erase(0, head.size());
  return bytes;
}

// Makes the folder a cache. Says why it cannot, else empty.
std::string Store::Prepare() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return fmt::format("{} cannot be made: {}", folder_, error.message());
  if (!IsCache(folder_)) {
    fs::directory_iterator it(folder_, error), end;
    for (; !error && it != end; it.increment(error)) {
      if (it->path().native().ends_with(kTemporary)) continue;  // of one that was killed
      return fmt::format("{} is not empty and no cache of torchleak", folder_);
    }
    if (error) return fmt::format("{} cannot be read: {}", folder_, error.message());
    if (!Put(fmt::format("{}/{}", folder_, kTagName), kTag)) {
      return fmt::format("{} cannot be written: {}", folder_, Reason(errno));
    }
  }
  const std::string ignore = fmt::format("{}/{}", folder_, kIgnoreName);
  if (!fs::exists(ignore, error)) Put(ignore, "*\n");
  return {};
}

std::string Store::Save(const Hash128& key, std::string_view bytes) const {
  if (std::string why = Prepare(); !why.empty()) return why;
  std::string body = std::string(kFirstLine) + Packed(key);
  body += bytes;
  const std::string path = PathOf(key);
  if (!Put(path, body, Packed(HashOf(body)))) {
    return fmt::format("{} cannot be written: {}", folder_, Reason(errno));
  }
  Evict(path);
  return {};
}

void Store::Evict(const std::string& keep) const {
  constexpr auto kAbandoned = std::chrono::hours(1);  // no write takes that long
  std::vector<Stored> stored;
  std::uint64_t bytes = 0;
  std::error_code error;
  fs::directory_iterator it(folder_, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code gone;
    Stored entry{it->path().string(), it->file_size(gone), it->last_write_time(gone)};
    if (gone) continue;
    if (entry.path.ends_with(kTemporary)) {
      if (fs::file_time_type::clock::now() - entry.used > kAbandoned) fs::remove(entry.path, gone);
    } else if (entry.path.ends_with(kSuffix)) {
      bytes += entry.size;
      stored.push_back(std::move(entry));
    }
  }
  std::sort(stored.begin(), stored.end(),
            [](const Stored& a, const Stored& b) { return a.used < b.used; });
  std::size_t left = stored.size();
  for (const Stored& oldest : stored) {
    if (bytes <= limits_.bytes && left <= limits_.entries) break;
    if (oldest.path == keep) continue;
    fs::remove(oldest.path, error);
    bytes -= oldest.size;
    --left;
  }
}

namespace {

void CleanOne(const std::string& folder, Cleaned* cleaned) {
  std::error_code error;
  std::vector<fs::path> ours;
  bool others = false;
  fs::directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    const bool ours_too = IsOurs(it->path().filename().native()) && !it->is_directory();
    ours_too ? ours.push_back(it->path()) : static_cast<void>(others = true);
  }
  // The tag last: what is interrupted is still a cache.
  std::stable_partition(ours.begin(), ours.end(),
                        [](const fs::path& p) { return p.filename() != kTagName; });
  for (const fs::path& path : ours) {
    if (!error) fs::remove(path, error);
  }
  if (!error && !others) fs::remove(folder, error);
  if (error) {
    cleaned->problems.push_back(fmt::format("{}: {}", folder, error.message()));
  } else if (others) {
    cleaned->problems.push_back(fmt::format("{}: emptied, but it holds files of others", folder));
  } else {
    cleaned->removed.push_back(folder);
  }
}

}  // namespace

Cleaned Clean(const std::string& folder) {
  Cleaned cleaned;
  std::vector<std::string> open = {folder};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    if (IsCache(at)) {
      CleanOne(at, &cleaned);
      continue;
    }
    std::error_code error;
    fs::directory_iterator it(at, error), end;
    if (error && at == folder) {
      cleaned.problems.push_back(fmt::format("{}: {}", at, error.message()));
    }
    for (; !error && it != end; it.increment(error)) {
      std::error_code unknown;
      if (it->is_symlink(unknown) || !it->is_directory(unknown)) continue;
      if (it->path().filename() != ".git") open.push_back(it->path().string());
    }
  }
  std::sort(cleaned.removed.begin(), cleaned.removed.end());
  std::sort(cleaned.problems.begin(), cleaned.problems.end());
  return cleaned;
}

}  // namespace torchleak::cache
