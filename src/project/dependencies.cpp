#include "project/dependencies.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "project/attribute_scan.h"
#include "project/names.h"
#include "project/paths.h"

namespace torchleak::project {
namespace {

class Collector {
 public:
  Collector(ModuleIndex* index, FileId file) : index_(index), file_(file) {}

  std::vector<FileId> Run() {
    for (const Import& import : index_->Imports(file_).imports()) {
      if (import.name == "*") {
        AddStar(index_->Resolve(file_, import.module).file);
        continue;
      }
      std::string qualified = import.Qualified();
      if (import.name.empty()) {
        const FileId module = index_->Resolve(file_, import.module).file;
        if (!IsPackage(module)) Add(module);
      } else {
        AddLocated(index_->Locate(file_, qualified));
      }
      if (IsFolder(qualified)) packages_.emplace(import.bound, std::move(qualified));
    }
    AddAttributes();
    SortByPath(*index_, &found_);
    return std::move(found_);
  }

 private:
  void Add(FileId id) {
    if (id != kNoFile && id != file_) found_.push_back(id);
  }

  bool IsPackage(FileId id) const {
    return id != kNoFile && NameOf(index_->path(id)) == "__init__.py";
  }
  bool IsFolder(std::string_view module) {
    const Resolved resolved = index_->Resolve(file_, module);
    return resolved.is_namespace || IsPackage(resolved.file);
  }

  // Packages themselves are added through what is taken from them.
  void AddLocated(const Located& found) {
    std::string_view rest;
    const std::string_view name = TakeFirst(found.name, &rest);
    if (name.starts_with("__")) return;
    if (IsPackage(found.file) && (name.empty() || !index_->Defines(found.file, name))) return;
    Add(found.file);
  }

  void AddAttributes() {
    if (packages_.empty()) return;
    StringSet names;
    for (const auto& [bound, qualified] : packages_) names.emplace(bound);
    for (const std::string_view chain : ScanAttributes(Bytes(), names)) {
      std::string_view rest;
      const std::string_view name = TakeFirst(chain, &rest);
      for (auto it = packages_.lower_bound({name, {}}); it != packages_.end(); ++it) {
        if (it->first != name) break;
        AddLocated(index_->Locate(file_, it->second + '.' + std::string(rest)));
      }
    }
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
          AddLocated(index_->Locate(id, import.Qualified()));
        }
      }
    }
  }

  const StringSet& Words() {
    if (words_.empty()) {
      for (std::string_view rest = Bytes(); !rest.empty();) {
        const std::string_view word = FirstName(rest);
        if (!word.empty() && !words_.contains(word)) words_.emplace(word);
        rest.remove_prefix(std::max<std::size_t>(word.size(), 1));
      }
    }
    return words_;
  }

  const std::string& Bytes() {
    if (bytes_.empty()) index_->Read(file_, &bytes_);
    return bytes_;
  }

  ModuleIndex* index_;
  FileId file_;
  std::string bytes_;
  // Name that the file binds, and what it stands for. A name may have several imports.
  std::set<std::pair<std::string_view, std::string>> packages_;
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
