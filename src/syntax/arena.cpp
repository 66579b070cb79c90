// Each block has its size in the eight bytes before it, which realloc needs. The last block of a
// chunk grows in place. Nothing is freed on its own, also because used() is to measure the work.
#include "syntax/arena.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace torchleak::syntax {
namespace {

constexpr std::size_t kHeader = 8;
constexpr std::size_t kFirstChunk = std::size_t{512} << 10;
constexpr std::size_t kLargestChunk = std::size_t{8} << 20;

std::size_t Rounded(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

std::size_t& SizeOf(void* block) {
  return *reinterpret_cast<std::size_t*>(static_cast<char*>(block) - kHeader);
}

thread_local Arena* active = nullptr;  // where tree-sitter's allocations on this thread go
thread_local std::uint64_t plain_bytes = 0;

void* OrAbort(void* memory) {
  if (memory == nullptr) std::abort();  // tree-sitter cannot go on without memory; neither can we
  return memory;
}

}  // namespace

static_assert(sizeof(std::size_t) <= kHeader);

struct ArenaHooks {
  static void* Malloc(std::size_t size) {
    if (active != nullptr) return active->Allocate(size);
    plain_bytes += size;
    return OrAbort(std::malloc(size + 1));
  }
  static void* Calloc(std::size_t count, std::size_t size) {
    if (active != nullptr) return std::memset(active->Allocate(count * size), 0, count * size);
    plain_bytes += count * size;
    return OrAbort(std::calloc(count + 1, size));
  }
  static void* Realloc(void* memory, std::size_t size) {
    if (active != nullptr) return active->Reallocate(memory, size);
    plain_bytes += size;
    return OrAbort(std::realloc(memory, size + 1));
  }
  static void Free(void* memory) {
    if (active == nullptr) std::free(memory);
  }
};

Arena& Arena::OfThisThread() {
  static const bool installed = (ts_set_allocator(&ArenaHooks::Malloc, &ArenaHooks::Calloc,
                                                  &ArenaHooks::Realloc, &ArenaHooks::Free),
                                 true);
  static_cast<void>(installed);
  thread_local Arena arena;
  return arena;
}

std::uint64_t Arena::PlainBytes() { return plain_bytes; }

bool Arena::RunErased(void (*work)(void*), void* argument) {
  std::jmp_buf exit;
  exit_ = &exit;
  active = this;
  const bool done = setjmp(exit) == 0;
  if (done) work(argument);
  active = nullptr;
  exit_ = nullptr;
  return done;
}

void Arena::Reset() {
  std::size_t kept = 0, count = 0;
  while (count < chunks_.size() && kept + chunks_[count].size <= kKept)
    kept += chunks_[count++].size;
  chunks_.resize(count);
  chunk_count_ = 0;
  closed_ = 0;
  next_ = end_ = begin_ = nullptr;
}

void* Arena::Allocate(std::size_t size) {
  const std::size_t whole = kHeader + Rounded(size);
  if (static_cast<std::size_t>(end_ - next_) < whole) NextChunk(whole);
  char* block = next_ + kHeader;
  next_ += whole;
  SizeOf(block) = Rounded(size);
  return block;
}

void* Arena::Reallocate(void* memory, std::size_t size) {
  if (memory == nullptr) return Allocate(size);
  const std::size_t old_size = SizeOf(memory);
  if (size <= old_size) return memory;
  char* block = static_cast<char*>(memory);
  const std::size_t grown = Rounded(size);
  if (block + old_size == next_ && static_cast<std::size_t>(end_ - block) >= grown) {
    next_ = block + grown;
    SizeOf(block) = grown;
    return block;
  }
  return std::memcpy(Allocate(size), memory, old_size);
}

void Arena::NextChunk(std::size_t size) {
  closed_ += static_cast<std::uint64_t>(next_ - begin_);
  next_ = end_ = begin_ = nullptr;
  if (closed_ + size > limit_) std::longjmp(*exit_, 1);
  if (chunk_count_ == chunks_.size() || chunks_[chunk_count_].size < size) {
    const std::size_t usual = chunk_count_ == 0
                                  ? kFirstChunk
                                  : std::min(2 * chunks_[chunk_count_ - 1].size, kLargestChunk);
    Chunk chunk;
    chunk.size = std::max(size, usual);
    chunk.memory.reset(new char[chunk.size]);
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk_count_), std::move(chunk));
  }
  const Chunk& chunk = chunks_[chunk_count_++];
  begin_ = next_ = chunk.memory.get();
  end_ = begin_ + chunk.size;
}

}  // namespace torchleak::syntax
