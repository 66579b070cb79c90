// ImportScan: the imports of a file, found in its bytes without parsing it.
//
// Every file of a project is scanned before any is parsed, so this has to cost next to nothing: the
// word `import` is searched for, and only what stands before its last occurrence is read for
// strings and comments (docstrings are full of examples). All spellings are known: aliases,
// parentheses with comments in them, backslashes, several statements on a line, any depth of
// indentation. Raw bytes will do: a byte-order mark, NULs, any line ends and any encoding that
// keeps ASCII. Linear time on every input; what is not Python gives few imports or odd ones,
// nothing worse.
//
//   ImportTable table = ScanImports("from .x import (a as b,  # why\n  c)\nimport m.n");
//   // {".x", "a", "b"}, {".x", "c", "c"}, {"m.n", "", "m"}
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::project {

struct Import {
  std::string_view module;  // as written, without spaces: "torch.nn", ".util", ".."
  std::string_view name;    // what is taken from it: "b", "*"; empty for `import a.b`
  std::string_view bound;   // the name that it binds; empty for "*"
  // Binds a name of the module, not of a function or class in it. `if`, `try` and the like around
  // it change nothing. Read off the indentation, so a guess.
  bool top_level = true;

  bool operator==(const Import&) const = default;

  // "m.name", ".name": what stands for `bound` elsewhere, as sema::Binding::qualified writes it.
  // Just the first component for `import a.b`, which binds no more.
  std::string Qualified() const;
};

// The views of its imports point into it; moving it keeps them valid.
class ImportTable {
 public:
  ImportTable() = default;
  ImportTable(ImportTable&&) = default;
  ImportTable& operator=(ImportTable&&) = default;

  std::span<const Import> imports() const& { return imports_; }  // in the order of the file
  std::span<const Import> imports() && = delete;

  // A file with more is generated or hostile; the rest is not looked at.
  static constexpr std::size_t kMaxImports = 100'000;

 private:
  friend class ImportScanner;
  std::string_view Keep(std::string_view text);

  std::vector<Import> imports_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t left_ = 0;  // bytes left in the last block
  char* free_ = nullptr;  // where they start
};

ImportTable ScanImports(std::string_view bytes);

}  // namespace torchleak::project
