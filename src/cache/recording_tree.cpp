#include "cache/recording_tree.h"

#include <algorithm>

namespace torchleak::cache {
namespace {

constexpr std::uint64_t kQueries = 4;

}  // namespace

bool RecordingTree::Note(Query query, std::string_view path, bool yes, const Hash128& content) {
  auto found = known_.find(path);
  if (found == known_.end()) found = known_.emplace(std::string(path), Known{}).first;
  Known& known = found->second;
  const bool again = (known.asked & Bit(query)) != 0;
  if (again && (((known.yes & Bit(query)) != 0) != yes ||
                (query == Query::kContent && known.content != content))) {
    contradicts_itself_ = true;
  }
  known.asked |= Bit(query);
  if (yes) known.yes |= Bit(query);
  if (query == Query::kContent) known.content = content;
  return yes;
}

bool RecordingTree::IsFile(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return Note(Query::kIsFile, path, below_->IsFile(path));
}

bool RecordingTree::IsDirectory(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return Note(Query::kIsDirectory, path, below_->IsDirectory(path));
}

bool RecordingTree::HoldsPython(std::string_view directory) {
  const std::lock_guard lock(mutex_);
  return Note(Query::kHoldsPython, directory, below_->HoldsPython(directory));
}

bool RecordingTree::Read(std::string_view path, std::string* bytes) {
  const std::lock_guard lock(mutex_);
  const bool read = below_->Read(path, bytes);
  return Note(Query::kContent, path, read, read ? HashOf(*bytes) : Hash128{});
}

std::vector<Observation> RecordingTree::Observations() const {
  std::vector<Observation> observations;
  for (const auto& [path, known] : known_) {
    for (std::uint64_t i = 0; i < kQueries; ++i) {
      const auto query = static_cast<Query>(i);
      if ((known.asked & Bit(query)) == 0) continue;
      const bool yes = (known.yes & Bit(query)) != 0;
      observations.push_back(
          {query, path, yes, query == Query::kContent ? known.content : Hash128{}});
    }
  }
  std::sort(observations.begin(), observations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.path, a.query) < std::tie(b.path, b.query);
  });
  return observations;
}

bool Holds(const Observation& observation, project::FileTree* tree, std::string* bytes) {
  switch (observation.query) {
    case Query::kIsFile:
      return tree->IsFile(observation.path) == observation.yes;
    case Query::kIsDirectory:
      return tree->IsDirectory(observation.path) == observation.yes;
    case Query::kHoldsPython:
      return tree->HoldsPython(observation.path) == observation.yes;
    case Query::kContent:
      break;
  }
  if (tree->Read(observation.path, bytes) != observation.yes) return false;
  return !observation.yes || HashOf(*bytes) == observation.content;
}

void Write(const std::vector<Observation>& observations, Writer* writer) {
  writer->Number(observations.size());
  for (const auto& [query, path, yes, content] : observations) {
    writer->Path(path);
    writer->Number(static_cast<std::uint64_t>(query) * 2 + (yes ? 1 : 0));
    if (query == Query::kContent && yes) writer->Hash(content);
  }
}

std::vector<Observation> ReadObservations(Reader* reader) {
  std::vector<Observation> observations;
  const std::size_t count = reader->Count();
  for (std::size_t i = 0; i < count && !reader->failed(); ++i) {
    Observation& o = observations.emplace_back();
    o.path = reader->Path();
    const auto both = reader->Choice<std::uint64_t>(kQueries * 2);
    o.query = static_cast<Query>(both / 2);
    o.yes = both % 2 != 0;
    if (o.query == Query::kContent && o.yes) o.content = reader->Hash();
  }
  return observations;
}

}  // namespace torchleak::cache
