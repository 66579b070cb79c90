#include "project/definition_scan.h"

#include "project/byte_search.h"
#include "project/definition_outline.h"
#include "project/names.h"

namespace torchleak::project {
namespace {

// The name behind `word` and blanks at the start of `line`; empty when another word stands there.
std::string_view NameAfter(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return {};
  line.remove_prefix(word.size());
  const std::string_view name = SkipBlanks(line);
  return name.size() == line.size() ? std::string_view{} : FirstName(name);
}

std::string_view AssignedName(std::string_view line) {
  const std::string_view name = FirstName(line);
  const std::string_view rest = SkipBlanks(line.substr(name.size()));
  const bool assigned = rest.starts_with('=') && !rest.starts_with("==");
  const bool annotated = rest.starts_with(':') && rest.find('=') != std::string_view::npos;
  return assigned || annotated ? name : std::string_view{};
}

std::string_view DefinedName(std::string_view line) {
  if (line.starts_with("async ")) line = SkipBlanks(line.substr(6));
  const std::string_view function = NameAfter(line, "def");
  return function.empty() ? NameAfter(line, "class") : function;
}

}  // namespace

StringSet ScanDefinitions(std::string_view bytes) {
  StringSet names;
  DefinitionOutline outline(bytes, 0);
  for (std::size_t start = 0; start < bytes.size();) {
    const std::size_t end = FindEither(bytes, start, bytes.size(), '\n', '\r');
    const std::string_view line = bytes.substr(start, end - start);
    const std::string_view code = SkipBlanks(line);
    std::string_view name = DefinedName(code);
    if (!name.empty()) {
      if (outline.IsInside(end - code.size())) name = {};
    } else if (code.size() == line.size()) {
      name = AssignedName(line);
    }
    if (!name.empty()) names.emplace(name);
    start = end + 1;
  }
  return names;
}

}  // namespace torchleak::project
