// The two hash tables of sema: open addressing, linear probing, one array each.
//
// Every identifier of a file passes through NameTable once, every read that needs a walk up the
// scopes probes ScopedNames; std::unordered_map was most of sema's time there (a node allocation
// for each entry, a bucket list for each probe).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace torchleak::sema {

// Text of identifiers to small integers, dense from 0. Views point into the source.
class NameTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  NameTable();
  std::uint32_t Intern(std::string_view text);
  std::uint32_t Find(std::string_view text) const;  // kNone when never interned
  std::string_view Text(std::uint32_t id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t id;
  };
  std::size_t Probe(std::string_view text, std::uint32_t hash) const;
  void Grow();

  std::vector<Slot> slots_;  // size is a power of two, at most half full
  std::vector<std::string_view> texts_;
};

// (scope, name) to a small integer.
class ScopedNames {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  ScopedNames();
  // The value's place, kNone in it when the pair is new. Valid until the next At.
  std::uint32_t& At(std::uint32_t scope, std::uint32_t name);
  std::uint32_t Find(std::uint32_t scope, std::uint32_t name) const;  // kNone when absent

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t value;
  };
  std::size_t Probe(std::uint64_t key) const;
  void Grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace torchleak::sema
