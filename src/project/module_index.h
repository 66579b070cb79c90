// ModuleIndex: which file an import means, and which file defines an imported name.
//
// Nothing is configured and nothing run. As in Python, `import a.b` is looked for in folders that
// are no packages themselves: from the importing file's folder up to a root, nearest first, and in
// the `src`, `python` and `lib` of each. (Inside torch_geometric/, `import typing` is not the
// typing.py there.) Only a file that could be a script, and finds nothing else, looks beside itself
// although that is in a package: many repositories put an __init__.py into a folder of scripts. So
// an unrelated file elsewhere changes nothing, neither does the order in which files are added, and
// virtual environments below the root are never looked into. A folder without __init__.py counts
// only as part of a path that ends at a file: a folder `torch` with data in it hides nothing.
//
//   DiskTree disk;
//   ModuleIndex index(&disk, "/repo");
//   FileId train = index.Add("/repo/train.py");   // from pkg import Trainer
//   index.Resolve(train, "pkg").file;             // /repo/pkg/__init__.py
//   index.Locate(train, "pkg.Trainer.fit");       // /repo/pkg/trainer.py, "Trainer.fit"
//
// Files are read at most once for their imports, when first asked for. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "project/file_tree.h"
#include "project/import_scan.h"
#include "project/string_hash.h"

namespace torchleak::project {

enum class FileId : std::uint32_t {};
inline constexpr FileId kNoFile{0xFFFFFFFF};
constexpr std::uint32_t Index(FileId id) { return static_cast<std::uint32_t>(id); }

struct Resolved {
  FileId file = kNoFile;
  // No file, but a folder with Python files and without __init__.py.
  bool is_namespace = false;
};

struct Located {
  FileId file = kNoFile;
  std::string name;  // in that file: "f", "Class.method"; empty for the module itself
  explicit operator bool() const { return file != kNoFile; }
  bool operator==(const Located&) const = default;
};

class ModuleIndex {
 public:
  // The roots are absolute and normal; `tree` outlives the index. The search from a file ends at
  // the nearest root above it; a file outside of all roots only knows its own folder.
  ModuleIndex(FileTree* tree, std::vector<std::string> roots);
  ModuleIndex(FileTree* tree, std::string root)
      : ModuleIndex(tree, std::vector<std::string>{std::move(root)}) {}

  // `path` is absolute and normal; the file need not exist. Ids depend on the order of calls,
  // nothing else does.
  FileId Add(std::string_view path);
  FileId Find(std::string_view path) const;  // kNoFile when not met so far
  std::size_t file_count() const { return files_.size(); }
  const std::string& path(FileId id) const { return files_[project::Index(id)].path; }

  // "pkg.mod" as far up as there are __init__.py files; "pkg" for pkg/__init__.py; "train" for a
  // script. The root's own folder is never a package.
  std::string ModuleName(FileId id);

  // A module as an import in `from` writes it: "a.b", ".util", "..". Never `from` itself: a script
  // torch.py that imports torch means another one.
  Resolved Resolve(FileId from, std::string_view module);

  // Where a qualified name, as sema gives it in `from` ("pkg.mod.f", ".mod.C.method"), is defined:
  // the longest part that is a module, then through re-exports, kMaxHops of them at most. None
  // when it leaves the project. A module without visible definition of the name is the answer
  // nevertheless: names can be made in many ways.
  Located Locate(FileId from, std::string_view qualified);
  static constexpr int kMaxHops = 16;

  // The file's content is another. True when it imports and defines, as far as anybody has asked,
  // what it did before: then all answers still hold, but those of its own code.
  bool Reread(FileId id);

  // Empty when the file cannot be read.
  const ImportTable& Imports(FileId id);
  // Does the file define the name at its top level? See definition_scan.h.
  bool Defines(FileId id, std::string_view name);
  // The file's Python: of a notebook, what its cells hold. False when it cannot be read.
  bool Read(FileId id, std::string* bytes);

 private:
  // The two nearest files: the second is for the first one's own imports.
  struct Matches {
    std::array<FileId, 2> files = {kNoFile, kNoFile};
    bool is_namespace = false;
    bool starts = false;  // there is a file or folder for the first component
    void Append(const Matches& farther);
  };
  struct Folder {
    std::string path;
    Folder* parent = nullptr;  // where the search goes on; null at its end
    bool is_package = false;   // and no root
    StringMap<Matches> matches;
  };
  struct File {
    std::string path;
    Folder* folder = nullptr;
    std::optional<ImportTable> imports;
    std::vector<const Import*> by_bound_name;  // top-level ones, in the order of the file
    std::unique_ptr<StringSet> definitions;
  };
  struct Split {
    FileId file = kNoFile;
    std::string_view module, rest;
  };
  struct Search;  // one call of Locate

  bool IsRoot(std::string_view folder) const;
  bool IsBelowRoot(std::string_view folder) const;
  File& file(FileId id) { return files_[project::Index(id)]; }
  Folder* FolderAt(std::string_view path);
  Matches MatchIn(std::string_view folder, std::string_view module);
  Matches MatchHere(const std::string& folder, std::string_view module);
  const Matches& MatchUpwards(Folder* folder, std::string_view module);
  bool MayBeScript(FileId id);
  Matches MatchAbsolute(FileId from, std::string_view module);
  Matches MatchAny(FileId from, std::string_view module);
  std::span<const Import* const> Binding(FileId id, std::string_view name);

  Split SplitModule(FileId from, std::string_view qualified);
  Located LocateFrom(FileId from, std::string_view qualified, int hops, Search* search);
  Located OfPackage(FileId from, const Split& split, int hops, Search* search);
  Located ThroughImports(FileId id, std::string_view name, std::string_view rest, int hops,
                         Search* search);
  Located ThroughStars(FileId id, std::string_view dotted, int hops, Search* search);
  // `dotted` as an attribute of the module `id`. Unless it `must_define` the name, the module is
  // the answer when nothing better is found.
  Located InFile(FileId id, std::string_view dotted, bool must_define, int hops, Search* search);
  Located Attribute(FileId id, std::string_view dotted, bool must_define, int hops, Search* search);
  FileTree* tree_;
  std::vector<std::string> roots_;
  std::deque<File> files_;
  StringMap<FileId> ids_;
  StringMap<Folder> folders_;
};

}  // namespace torchleak::project
