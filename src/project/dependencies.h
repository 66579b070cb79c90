// Dependencies: which files have to be understood before this one.
//
// Those that define what the file imports, with re-exports followed: `from pkg import Trainer`
// depends on pkg/trainer.py and not on pkg/__init__.py, which may import all of the package. So
// every file that ModuleIndex::Locate gives for an imported name is among them.
#pragma once

#include <vector>

#include "project/module_index.h"

namespace torchleak::project {

// Sorted by path, each once, never the file itself.
//   from m import f     the file that defines f
//   import pkg.mod      pkg/mod.py; the file of a package is its __init__.py
//   from m import *     m, and of what m imports the names that the file contains as words
std::vector<FileId> Dependencies(ModuleIndex* index, FileId file);

void SortByPath(const ModuleIndex& index, std::vector<FileId>* files);  // and drops duplicates

}  // namespace torchleak::project
