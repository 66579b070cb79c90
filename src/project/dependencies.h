// Dependencies: which files have to be understood before this one.
//
// Those that define what the file imports, with re-exports followed: `from pkg import Trainer`
// depends on pkg/trainer.py and not on pkg/__init__.py, which may import all of the package. So for
// every name that the file imports, the file that ModuleIndex::Locate gives is among them. Of a
// package as such (`import pkg`, `from . import sub`) it is what the code takes from it, pkg.x.y,
// that is looked up in the same way.
//
// A package's __init__.py that does not define the name, and names like `__version__`, are none:
// what is in them is nothing that could be analysed, and they would tie the package into one knot.
#pragma once

#include <vector>

#include "project/module_index.h"

namespace torchleak::project {

// Sorted by path, each once, never the file itself.
//   from m import f     the file that defines f
//   import pkg.mod      pkg/mod.py
//   import pkg          the files that define pkg.f, pkg.mod.g, … of the file's code
//   from m import *     m, and of what m imports the names that the file contains as words
std::vector<FileId> Dependencies(ModuleIndex* index, FileId file);

void SortByPath(const ModuleIndex& index, std::vector<FileId>* files);  // and drops duplicates

}  // namespace torchleak::project
