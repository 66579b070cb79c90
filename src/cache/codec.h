// Writer and Reader: the bytes of a cache entry.
//
// Numbers are varints, texts carry their length; no field has a name or a type, the version of the
// format and the program's own hash stand for that. A Reader takes any bytes: what does not fit
// leaves it failed, and every later answer is empty.
//
//   Writer writer;
//   writer.Text("train.py");
//   Reader reader(writer.bytes());
//   std::string path = reader.Text();
//   if (!reader.AtEnd()) …               // failed, or something is left
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cache/hash.h"

namespace torchleak::cache {

class Writer {
 public:
  void Number(std::uint64_t value);
  void Bool(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  void Hash(const Hash128& hash);
  void Text(std::string_view text);
  // As the difference to the path before it: sorted lists of paths take a quarter of their size.
  void Path(std::string_view path);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::string last_path_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number();
  bool Bool();
  Hash128 Hash();
  std::string Text();
  std::string Path();
  // How many elements follow, of at least one byte each: a wrong count reserves no memory.
  std::size_t Count();
  // A number that must be below `count`, as enums are written.
  template <typename Enum>
  Enum Choice(std::uint64_t count) {
    const std::uint64_t value = Number();
    if (value >= count) Fail();
    return static_cast<Enum>(failed_ ? 0 : value);
  }

  void Fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  bool AtEnd() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view Take(std::size_t size);

  std::string_view rest_;
  bool failed_ = false;
  std::string last_path_;
};

}  // namespace torchleak::cache
