#include "project/dependencies.h"

#include <algorithm>
#include <unordered_set>

#include "project/names.h"

namespace torchleak::project {
namespace {

class Collector {
 public:
  Collector(ModuleIndex* index, FileId file) : index_(index), file_(file) {}

  std::vector<FileId> Run() {
    for (const Import& import : index_->Imports(file_).imports()) {
      if (import.name.empty()) {
        Add(index_->Resolve(file_, import.module).file);
      } else if (import.name == "*") {
        AddStar(index_->Resolve(file_, import.module).file);
      } else {
        Add(index_->Locate(file_, import.Qualified()).file);
      }
    }
    SortByPath(*index_, &found_);
    return std::move(found_);
  }

 private:
  void Add(FileId id) {
    if (id != kNoFile && id != file_) found_.push_back(id);
  }

  // Also the sources of the source's own stars, each once.
  void AddStar(FileId source) {
    std::vector<FileId> open = {source};
    while (!open.empty()) {
      const FileId id = open.back();
      open.pop_back();
      if (id == kNoFile || !stars_.insert(id).second) continue;
      Add(id);
      for (const Import& import : index_->Imports(id).imports()) {
        if (!import.top_level) continue;
        if (import.name == "*") {
          open.push_back(index_->Resolve(id, import.module).file);
        } else if (Words().contains(import.bound)) {
          Add(index_->Locate(id, import.Qualified()).file);
        }
      }
    }
  }

  const StringSet& Words() {
    if (words_.empty()) {
      std::string bytes;
      index_->Read(file_, &bytes);
      for (std::string_view rest = bytes; !rest.empty();) {
        const std::string_view word = FirstName(rest);
        if (!word.empty() && !words_.contains(word)) words_.emplace(word);
        rest.remove_prefix(std::max<std::size_t>(word.size(), 1));
      }
    }
    return words_;
  }

  ModuleIndex* index_;
  FileId file_;
  std::vector<FileId> found_;
  std::unordered_set<FileId> stars_;
  StringSet words_;
};

}  // namespace

std::vector<FileId> Dependencies(ModuleIndex* index, FileId file) {
  return Collector(index, file).Run();
}

void SortByPath(const ModuleIndex& index, std::vector<FileId>* files) {
  const auto before = [&](FileId a, FileId b) { return index.path(a) < index.path(b); };
  std::sort(files->begin(), files->end(), before);
  files->erase(std::unique(files->begin(), files->end()), files->end());
}

}  // namespace torchleak::project
