// Layout of the compiled stubs, shared by the program that writes them (compiler/) and by find.cpp.
//
// All of it is constant data: names point into string literals, every cross reference is an index.
// A name (canonical or alias) is found by open addressing: slot = Slot(Hash(name), mask), then the
// next ones until an empty slot. At most half of the slots are filled: 1.5 probes on average.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "facts/facts.h"

namespace torchleak::facts::table {

inline constexpr std::uint16_t kNoIndex = 0xFFFF;

// FNV-1a, resumable: Hash("b", Hash("a.")) == Hash("a.b"), so that a method is found without
// building "class.method" in memory.
inline constexpr std::uint64_t kHashSeed = 0xCBF29CE484222325u;
constexpr std::uint64_t Hash(std::string_view text, std::uint64_t state = kHashSeed) {
  for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return state;
}
constexpr std::size_t Slot(std::uint64_t hash, std::size_t mask) {
  return static_cast<std::size_t>(hash ^ (hash >> 32)) & mask;
}

// What a qualified name stands for; a class has both a fact (its constructor) and a class.
struct Name {
  std::string_view text;
  std::uint16_t fact = kNoIndex;
  std::uint16_t class_index = kNoIndex;
  std::uint16_t attribute = kNoIndex;
};

struct Class {
  std::string_view name;
  std::uint16_t receiver;  // class index of the nearest @receiver ancestor, or kNoIndex
  std::uint16_t
      ancestors_begin;  // into Tables::ancestors: the class itself, then the nearest first
  std::uint16_t ancestors_end;
  std::string_view suffix;  // @by_name: names of classes that end so mean this one; empty: none do
};

struct EvidenceEntry {
  std::string_view method;
  std::uint16_t bits;
};

struct Tables {
  std::span<const Fact> facts;                // sorted by name
  std::span<const AttributeFact> attributes;  // sorted by name
  std::span<const Class> classes;             // sorted by name
  std::span<const std::uint16_t> ancestors;
  std::span<const Name> names;              // sorted by text, aliases included
  std::span<const std::uint16_t> slots;     // power of two; index into names or kNoIndex
  std::span<const EvidenceEntry> evidence;  // sorted by method
};

// Defined in the generated file.
extern const Tables kTables;

}  // namespace torchleak::facts::table
