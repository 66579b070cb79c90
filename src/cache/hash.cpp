#include "cache/hash.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include <cstdio>
#include <memory>
#include <vector>

namespace torchleak::cache {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

std::string ProgramFile() {
#ifdef __APPLE__
  std::string path(4096, '\0');
  auto size = static_cast<std::uint32_t>(path.size());
  return _NSGetExecutablePath(path.data(), &size) == 0 ? std::string(path.c_str()) : std::string();
#else
  return "/proc/self/exe";  // the file that was started, also when another lies in its place now
#endif
}

Hash128 HashOfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (file == nullptr || state == nullptr) return {};
  XXH3_128bits_reset(state.get());
  std::vector<char> chunk(std::size_t{1} << 18);
  std::size_t got = 0;
  while ((got = std::fread(chunk.data(), 1, chunk.size(), file.get())) > 0) {
    XXH3_128bits_update(state.get(), chunk.data(), got);
  }
  if (std::ferror(file.get()) != 0) return {};
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.low64, hash.high64};
}

}  // namespace

Hash128 HashOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string Hex(const Hash128& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

Hash128 HashOfThisProgram() {
  static const Hash128 hash = HashOfFile(ProgramFile());
  return hash;
}

}  // namespace torchleak::cache
