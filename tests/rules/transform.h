// Variations of a Python file that mean the same, so that its findings must stay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/source.h"

namespace torchleak::tests {

struct Variation {
  std::string text;
  // By old row, from 1: where the row went. Columns stay, except where names are renamed.
  std::vector<std::uint32_t> new_row;
  std::size_t changes = 0;  // lines put in, names renamed, functions moved
};

// An empty line and a comment before every statement that begins its line.
Variation WithLinesBetween(const text::Source& source);

// Every local variable of a function gets another name. Parameters keep theirs (calls may name
// them), as do names that the engine takes for weak evidence: those get a suffix ("loss" ->
// "loss_q").
Variation WithLocalsRenamed(const text::Source& source);

// Each run of functions that follow one another at the top level is turned around. Files that
// define a function twice stay as they are.
Variation WithFunctionsReversed(const text::Source& source);

}  // namespace torchleak::tests
