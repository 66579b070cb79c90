// Following a name to its definition. Each step turns (file, qualified name) into another such
// pair: the file that the longest module prefix names, and there the import that binds the next
// component. Steps may branch (alternatives of try / except, several `*`), so depth and number are
// both bounded; a cycle runs into the bound and gives nothing.
#include <algorithm>
#include <utility>
#include <vector>

#include "project/module_index.h"
#include "project/paths.h"

namespace torchleak::project {
namespace {

// Deeper packages than that are not looked for.
constexpr int kMaxComponents = 32;

std::string Dotted(std::string qualified, std::string_view rest) {
  if (rest.empty()) return qualified;
  if (!qualified.ends_with('.')) qualified += '.';
  return qualified += rest;
}

bool IsPackage(std::string_view path) { return NameOf(path) == "__init__.py"; }

}  // namespace

struct ModuleIndex::Search {
  int steps_left = 200;  // real names need one to five
  std::vector<std::pair<FileId, std::string_view>> open;
};

// The longest prefix that is a module. Of a relative name, the dots alone are its shortest prefix.
ModuleIndex::Split ModuleIndex::SplitModule(FileId from, std::string_view qualified) {
  const std::size_t dots = std::min(qualified.find_first_not_of('.'), qualified.size());
  // Most names lead out of the project, which the first component tells.
  std::string_view rest;
  if (dots == 0 && !MatchAny(from, TakeFirst(qualified, &rest)).starts) return {};

  std::size_t end = dots;
  for (int i = 0; i < kMaxComponents && end < qualified.size(); ++i) {
    end = std::min(qualified.find('.', end + (i == 0 ? 0 : 1)), qualified.size());
  }
  while (end > 0) {
    const std::string_view module = qualified.substr(0, end);
    if (const FileId id = Resolve(from, module).file; id != kNoFile) {
      rest = qualified.substr(end);
      if (rest.starts_with('.')) rest.remove_prefix(1);
      return {id, module, rest};
    }
    if (end <= dots) break;
    const std::size_t dot = module.rfind('.');
    end = dot == std::string_view::npos ? 0 : std::max(dot, dots);
  }
  return {};
}

Located ModuleIndex::Locate(FileId from, std::string_view qualified) {
  Search search;
  return LocateFrom(from, qualified, 0, &search);
}

Located ModuleIndex::LocateFrom(FileId from, std::string_view qualified, int hops, Search* search) {
  if (hops > kMaxHops || search->steps_left-- <= 0) return {};
  const Split split = SplitModule(from, qualified);
  if (split.file == kNoFile) return {};
  if (!split.rest.empty()) return InFile(split.file, split.rest, false, hops, search);
  return OfPackage(from, split, hops, search);
}

// `from pkg import train` with a pkg/train.py means the function `train` when pkg/__init__.py binds
// that: a package's own names come before the files in it.
Located ModuleIndex::OfPackage(FileId from, const Split& split, int hops, Search* search) {
  Located module{split.file, {}};
  const std::size_t dot = split.module.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == split.module.size()) return module;
  const std::size_t dots = split.module.find_first_not_of('.');
  const FileId package = Resolve(from, split.module.substr(0, std::max(dot, dots))).file;
  if (package == kNoFile || package == split.file || !IsPackage(path(package))) return module;
  const std::string_view name = split.module.substr(dot + 1);
  if (Located own = InFile(package, name, true, hops, search)) return own;
  return module;
}

Located ModuleIndex::ThroughImports(FileId id, std::string_view name, std::string_view rest,
                                    int hops, Search* search) {
  for (const Import* import : Binding(id, name)) {
    Located found = LocateFrom(id, Dotted(import->Qualified(), rest), hops + 1, search);
    if (found) return found;
  }
  return {};
}

// The last `*` that has the name wins. Names with an underscore are not taken along.
Located ModuleIndex::ThroughStars(FileId id, std::string_view dotted, int hops, Search* search) {
  if (dotted.starts_with('_') || hops >= kMaxHops) return {};
  const std::span<const Import> imports = Imports(id).imports();
  for (auto import = imports.rbegin(); import != imports.rend(); ++import) {
    if (import->name != "*" || !import->top_level || search->steps_left-- <= 0) continue;
    const FileId source = Resolve(id, import->module).file;
    if (source == kNoFile) continue;
    if (Located found = InFile(source, dotted, true, hops + 1, search)) return found;
  }
  return {};
}

Located ModuleIndex::InFile(FileId id, std::string_view dotted, bool must_define, int hops,
                            Search* search) {
  const std::pair<FileId, std::string_view> asked{id, dotted};
  auto& open = search->open;
  if (std::find(open.begin(), open.end(), asked) != open.end()) return {};
  open.push_back(asked);
  Located found = Attribute(id, dotted, must_define, hops, search);
  open.pop_back();
  return found;
}

Located ModuleIndex::Attribute(FileId id, std::string_view dotted, bool must_define, int hops,
                               Search* search) {
  std::string_view rest;
  const std::string_view name = TakeFirst(dotted, &rest);
  if (!Binding(id, name).empty()) {
    if (Located found = ThroughImports(id, name, rest, hops, search)) return found;
    // The import may be one of several alternatives: except ImportError: def f(): ...
    return Defines(id, name) ? Located{id, std::string(dotted)} : Located{};
  }
  bool has_star = false;
  for (const Import& import : Imports(id).imports()) has_star |= import.name == "*";
  if ((has_star || must_define) && Defines(id, name)) return {id, std::string(dotted)};
  if (has_star) {
    if (Located found = ThroughStars(id, dotted, hops, search)) return found;
  }
  return must_define ? Located{} : Located{id, std::string(dotted)};
}

}  // namespace torchleak::project
