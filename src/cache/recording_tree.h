// RecordingTree: a FileTree that remembers what it was asked, and what it answered.
//
// A result that was computed through it is a function of these answers: as long as another tree
// gives the same ones, the result is still right, whatever else has changed. No knowledge of
// imports or callers is needed for that, nor can it be wrong.
//
//   project::DiskTree disk;
//   RecordingTree tree(&disk);
//   …                                       // an analysis that sees files through `tree` alone
//   std::vector<Observation> seen = tree.Observations();
//   for (const Observation& o : seen) still = still && Holds(o, &later, &bytes);
//
// Unlike other trees, this one may be asked by several threads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/codec.h"
#include "cache/hash.h"
#include "project/file_tree.h"
#include "project/string_hash.h"

namespace torchleak::cache {

enum class Query : std::uint8_t { kIsFile, kIsDirectory, kHoldsPython, kContent };

struct Observation {
  Query query = Query::kIsFile;
  std::string path;
  bool yes = false;  // for kContent: it could be read
  Hash128 content;   // only then
  bool operator==(const Observation&) const = default;
};

class RecordingTree : public project::FileTree {
 public:
  explicit RecordingTree(project::FileTree* below) : below_(below) {}  // not owned

  bool IsFile(std::string_view path) override;
  bool IsDirectory(std::string_view path) override;
  bool HoldsPython(std::string_view directory) override;
  bool Read(std::string_view path, std::string* bytes) override;

  // By path. Not while others ask.
  std::vector<Observation> Observations() const;
  // A file was read twice and differed: no answer of another day can stand for both.
  bool contradicts_itself() const { return contradicts_itself_; }

 private:
  struct Known {
    std::uint8_t asked = 0, yes = 0;  // a bit for each Query
    Hash128 content;
  };
  static std::uint8_t Bit(Query query) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(query));
  }
  bool Note(Query query, std::string_view path, bool yes, const Hash128& content = {});

  project::FileTree* below_;
  std::mutex mutex_;
  project::StringMap<Known> known_;
  bool contradicts_itself_ = false;
};

// Asks `tree` again. `bytes` holds the file's content after kContent.
bool Holds(const Observation& observation, project::FileTree* tree, std::string* bytes);

void Write(const std::vector<Observation>& observations, Writer* writer);
std::vector<Observation> ReadObservations(Reader* reader);

}  // namespace torchleak::cache
