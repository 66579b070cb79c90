// Files, folders and the resolution of modules. Re-exports are followed in locate.cpp.
#include "project/module_index.h"

#include <algorithm>
#include <utility>

#include "project/definition_scan.h"
#include "project/paths.h"
#include "project/standard_modules.h"
#include "text/notebook.h"

namespace torchleak::project {
namespace {

constexpr std::string_view kPackageFile = "__init__.py";
constexpr std::string_view kSourceFolders[] = {"src", "python", "lib"};
// More than any path can have.
constexpr std::size_t kMaxModule = 1000;

bool IsDotted(std::string_view module) {
  if (module.empty() || module.size() > kMaxModule || module.front() == '.') return false;
  return !module.ends_with('.') && module.find("..") == std::string_view::npos &&
         module.find('/') == std::string_view::npos && module.find('\0') == std::string_view::npos;
}

}  // namespace

ModuleIndex::ModuleIndex(FileTree* tree, std::vector<std::string> roots)
    : tree_(tree), roots_(std::move(roots)) {}

bool ModuleIndex::IsRoot(std::string_view folder) const {
  return std::find(roots_.begin(), roots_.end(), folder) != roots_.end();
}

bool ModuleIndex::IsBelowRoot(std::string_view folder) const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [&](const std::string& root) { return IsWithin(folder, root); });
}

FileId ModuleIndex::Find(std::string_view path) const {
  const auto known = ids_.find(path);
  return known == ids_.end() ? kNoFile : known->second;
}

FileId ModuleIndex::Add(std::string_view path) {
  if (const FileId known = Find(path); known != kNoFile) return known;
  const FileId id{static_cast<std::uint32_t>(files_.size())};
  File& added = files_.emplace_back();
  added.path = path;
  added.folder = FolderAt(FolderOf(path));
  ids_.emplace(path, id);
  return id;
}

// The folders above are made, too, so that `parent` is there.
ModuleIndex::Folder* ModuleIndex::FolderAt(std::string_view path) {
  Folder* below = nullptr;
  Folder* asked = nullptr;
  for (;; path = FolderOf(path)) {
    const auto [entry, is_new] = folders_.try_emplace(std::string(path));
    Folder* folder = &entry->second;
    if (asked == nullptr) asked = folder;
    if (below != nullptr) below->parent = folder;
    if (!is_new) break;
    folder->path = path;
    folder->is_package = !IsRoot(path) && tree_->IsFile(Join(path, kPackageFile));
    if (IsRoot(path) || !IsBelowRoot(path)) break;
    below = folder;
  }
  return asked;
}

std::string ModuleIndex::ModuleName(FileId id) {
  const std::string& path = this->path(id);
  std::string_view folder = FolderOf(path);
  std::string name;
  if (NameOf(path) != kPackageFile) name = NameOf(path).substr(0, NameOf(path).rfind('.'));
  while (!IsRoot(folder) && folder != "/" && tree_->IsFile(Join(folder, kPackageFile))) {
    if (!name.empty()) name.insert(0, 1, '.');
    name.insert(0, NameOf(folder));
    folder = FolderOf(folder);
  }
  return name.empty() ? std::string(NameOf(folder)) : name;
}

void ModuleIndex::Matches::Append(const Matches& farther) {
  for (const FileId id : farther.files) {
    if (files[0] == kNoFile) {
      files[0] = id;
    } else if (files[1] == kNoFile && id != files[0]) {
      files[1] = id;
    }
  }
  is_namespace |= farther.is_namespace;
  starts |= farther.starts;
}

// As Python does, a package is preferred to a file beside it.
ModuleIndex::Matches ModuleIndex::MatchIn(std::string_view folder, std::string_view module) {
  Matches matches;
  std::string_view rest;
  const std::string first = Join(folder, TakeFirst(module, &rest));
  const bool is_folder = tree_->IsDirectory(first);
  const bool is_file = tree_->IsFile(first + ".py");
  matches.starts = is_folder || is_file;
  if (!matches.starts || (!rest.empty() && !is_folder)) return matches;

  std::string path = Join(folder, module);
  std::replace(path.begin() + static_cast<std::ptrdiff_t>(folder.size()), path.end(), '.', '/');
  const std::string package = Join(path, kPackageFile);
  if (is_folder && tree_->IsFile(package)) {
    matches.files[0] = Add(package);
  } else {
    matches.is_namespace = is_folder && tree_->HoldsPython(path);
  }
  path += ".py";
  if (rest.empty() ? is_file : tree_->IsFile(path)) {
    matches.files[matches.files[0] == kNoFile ? 0 : 1] = Add(path);
  }
  return matches;
}

// The folder and its `src`, `python` and `lib`.
ModuleIndex::Matches ModuleIndex::MatchHere(const std::string& folder, std::string_view module) {
  Matches matches = MatchIn(folder, module);
  for (const std::string_view source_folder : kSourceFolders) {
    const std::string path = Join(folder, source_folder);
    if (tree_->IsDirectory(path)) matches.Append(MatchIn(path, module));
  }
  return matches;
}

// Could someone run this file of a package as a script, with its folder on Python's path? Then it
// has no relative imports.
bool ModuleIndex::MayBeScript(FileId id) {
  if (NameOf(path(id)) == kPackageFile) return false;
  const std::span<const Import> imports = Imports(id).imports();
  return std::none_of(imports.begin(), imports.end(),
                      [](const Import& import) { return import.module.starts_with('.'); });
}

// Each folder keeps what is found from it upwards, so its files and the folders below share it.
const ModuleIndex::Matches& ModuleIndex::MatchUpwards(Folder* folder, std::string_view module) {
  std::vector<Folder*> open;
  const Matches* above = nullptr;
  for (Folder* at = folder; at != nullptr && above == nullptr; at = at->parent) {
    const auto known = at->matches.find(module);
    if (known != at->matches.end()) {
      above = &known->second;
    } else {
      open.push_back(at);
    }
  }
  while (!open.empty()) {
    Folder* at = open.back();
    open.pop_back();
    Matches here;
    if (!at->is_package) here = MatchHere(at->path, module);
    if (above != nullptr) here.Append(*above);
    above = &at->matches.emplace(module, here).first->second;
  }
  return *above;
}

ModuleIndex::Matches ModuleIndex::MatchAbsolute(FileId from, std::string_view module) {
  Folder* folder = file(from).folder;
  Matches matches = MatchUpwards(folder, module);
  std::string_view rest;
  if (matches.files[0] == kNoFile && folder->is_package &&
      !IsStandardModule(TakeFirst(module, &rest)) && MayBeScript(from)) {
    matches.Append(MatchAny(from, '.' + std::string(module)));
  }
  return matches;
}

// Of relative modules, those above the root are nobody's.
ModuleIndex::Matches ModuleIndex::MatchAny(FileId from, std::string_view module) {
  Folder* folder = file(from).folder;
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  if (dots == 0) return IsDotted(module) ? MatchAbsolute(from, module) : Matches{};
  for (std::size_t i = 1; i < dots; ++i) {
    folder = folder->parent;
    if (folder == nullptr) return {};
  }
  const std::string_view below = module.substr(dots);
  if (!below.empty() && !IsDotted(below)) return {};
  const std::string_view key = module.substr(dots - 1);  // ".a.b"
  if (const auto known = folder->matches.find(key); known != folder->matches.end()) {
    return known->second;
  }
  Matches matches;
  if (!below.empty()) {
    matches = MatchIn(folder->path, below);
  } else if (const std::string package = Join(folder->path, kPackageFile); tree_->IsFile(package)) {
    matches.files[0] = Add(package);
  } else {
    matches.is_namespace = tree_->HoldsPython(folder->path);
  }
  return folder->matches.emplace(key, matches).first->second;
}

Resolved ModuleIndex::Resolve(FileId from, std::string_view module) {
  const Matches matches = MatchAny(from, module);
  const FileId nearest = matches.files[matches.files[0] == from ? 1 : 0];
  return {nearest, nearest == kNoFile && matches.is_namespace};
}

bool ModuleIndex::Read(FileId id, std::string* bytes) {
  if (!tree_->Read(path(id), bytes)) return false;
  if (!text::IsNotebook(path(id))) return true;
  auto python = text::PythonBytes(path(id), std::move(*bytes));
  bytes->clear();
  if (python) *bytes = *std::move(python);
  return static_cast<bool>(python);
}

const ImportTable& ModuleIndex::Imports(FileId id) {
  File& asked = file(id);
  if (!asked.imports) {
    std::string bytes;
    Read(id, &bytes);
    asked.imports = ScanImports(bytes);
    for (const Import& import : asked.imports->imports()) {
      if (import.top_level && !import.bound.empty()) asked.by_bound_name.push_back(&import);
    }
    const auto before = [](const Import* a, const Import* b) { return a->bound < b->bound; };
    std::stable_sort(asked.by_bound_name.begin(), asked.by_bound_name.end(), before);
  }
  return *asked.imports;
}

std::span<const Import* const> ModuleIndex::Binding(FileId id, std::string_view name) {
  Imports(id);
  struct Before {
    bool operator()(const Import* a, std::string_view b) const { return a->bound < b; }
    bool operator()(std::string_view a, const Import* b) const { return a < b->bound; }
  };
  const std::vector<const Import*>& all = file(id).by_bound_name;
  const auto [first, last] = std::equal_range(all.begin(), all.end(), name, Before{});
  return {first, last};
}

bool ModuleIndex::Reread(FileId id) {
  File& changed = file(id);
  const std::optional<ImportTable> imports = std::exchange(changed.imports, std::nullopt);
  changed.by_bound_name.clear();
  const auto definitions = std::exchange(changed.definitions, nullptr);
  if (definitions != nullptr) {
    Defines(id, {});
    if (*changed.definitions != *definitions) return false;
  }
  if (!imports) return true;
  const auto before = imports->imports(), now = Imports(id).imports();
  return std::equal(before.begin(), before.end(), now.begin(), now.end());
}

bool ModuleIndex::Defines(FileId id, std::string_view name) {
  File& asked = file(id);
  if (asked.definitions == nullptr) {
    std::string bytes;
    Read(id, &bytes);
    asked.definitions = std::make_unique<StringSet>(ScanDefinitions(bytes));
  }
  return asked.definitions->contains(name);
}

}  // namespace torchleak::project
