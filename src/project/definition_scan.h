// DefinitionScan: the names that a file defines at its top level, read off the starts of its lines.
//
// Only asked of files that are imported with `*`, and where a package defines a name that a file in
// it has, too. `def f`, `class C`, `NAME =` and `NAME: int = ` count, the first two also below a
// top-level `if` or `try`. Text at the start of a line inside a string may add a name that is not
// there.
#pragma once

#include <string_view>

#include "project/string_hash.h"

namespace torchleak::project {

StringSet ScanDefinitions(std::string_view bytes);

}  // namespace torchleak::project
