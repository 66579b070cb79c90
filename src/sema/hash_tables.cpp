// Names are short (half below 8 bytes), so the hash reads a name as two words that may overlap
// instead of byte by byte; longer names add their middle in steps of 8.
#include "sema/hash_tables.h"

#include <cstring>
#include <utility>

namespace torchleak::sema {
namespace {

constexpr std::uint64_t kMix1 = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kMix2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t kEmptyKey = 0xFFFFFFFFFFFFFFFFULL;

template <typename Word>
std::uint64_t Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint32_t Hash(std::string_view text) {
  const std::size_t size = text.size();
  const char* data = text.data();
  std::uint64_t first = 0, last = 0;
  if (size >= 8) {
    first = Load<std::uint64_t>(data);
    last = Load<std::uint64_t>(data + size - 8);
    for (std::size_t i = 8; i + 8 < size; i += 8) {
      first = (first ^ Load<std::uint64_t>(data + i)) * kMix2;
      first ^= first >> 32;
    }
  } else if (size >= 4) {
    first = Load<std::uint32_t>(data);
    last = Load<std::uint32_t>(data + size - 4);
  } else if (size > 0) {
    first = Load<std::uint8_t>(data) | Load<std::uint8_t>(data + size / 2) << 8;
    last = Load<std::uint8_t>(data + size - 1);
  }
  std::uint64_t h = (first ^ size) * kMix1;
  h ^= h >> 32;
  h = (h ^ last) * kMix2;
  return static_cast<std::uint32_t>(h ^ h >> 29);
}

}  // namespace

NameTable::NameTable() : slots_(512, Slot{0, kNone}) { texts_.reserve(256); }

std::size_t NameTable::Probe(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].id != kNone && (slots_[at].hash != hash || texts_[slots_[at].id] != text)) {
    at = (at + 1) & mask;
  }
  return at;
}

std::uint32_t NameTable::Intern(std::string_view text) {
  const std::uint32_t hash = Hash(text);
  const std::size_t at = Probe(text, hash);
  if (slots_[at].id != kNone) return slots_[at].id;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  slots_[at] = {hash, id};
  texts_.push_back(text);
  if (texts_.size() * 2 > slots_.size()) Grow();
  return id;
}

std::uint32_t NameTable::Find(std::string_view text) const {
  return slots_[Probe(text, Hash(text))].id;
}

void NameTable::Grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, kNone});
  std::swap(old, slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

ScopedNames::ScopedNames() : slots_(512, Slot{kEmptyKey, kNone}) {}

std::size_t ScopedNames::Probe(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::uint64_t h = key * kMix1;
  h = (h ^ h >> 32) * kMix2;
  auto at = static_cast<std::size_t>(h >> 20) & mask;
  while (slots_[at].key != key && slots_[at].key != kEmptyKey) at = (at + 1) & mask;
  return at;
}

std::uint32_t& ScopedNames::At(std::uint32_t scope, std::uint32_t name) {
  const std::uint64_t key = std::uint64_t{scope} << 32 | name;
  std::size_t at = Probe(key);
  if (slots_[at].key == key) return slots_[at].value;
  if ((used_ + 1) * 2 > slots_.size()) {
    Grow();
    at = Probe(key);
  }
  ++used_;
  slots_[at].key = key;
  return slots_[at].value;
}

std::uint32_t ScopedNames::Find(std::uint32_t scope, std::uint32_t name) const {
  return slots_[Probe(std::uint64_t{scope} << 32 | name)].value;
}

void ScopedNames::Grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{kEmptyKey, kNone});
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.key != kEmptyKey) slots_[Probe(slot.key)] = slot;
  }
}

}  // namespace torchleak::sema
