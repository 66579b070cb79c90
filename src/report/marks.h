// MarkLines: the underlines of one row of code and their labels. Inner to this layer.
//
//   total = total + criterion(model(x), y)
//   ─────           ────────────────────── 1 created here
//   │
//   2 kept here
//
// The last label stands beside its underline, the others below, right to left.
// Marks that overlap get lines of their own, one below the other, the primary first; equal ones
// share an underline and write their labels side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/terminal.h"

namespace torchleak::report {

struct Underline {
  std::uint32_t begin = 0;  // columns from 0
  std::uint32_t end = 0;    // exclusive, at least begin + 1
  bool primary = false;
  std::string label;  // painted; may be empty
};

std::vector<std::string> MarkLines(std::vector<Underline> underlines, const Painter& painter,
                                   Style primary);

}  // namespace torchleak::report
