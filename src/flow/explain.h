// What the analyzer believed at one row, in words: the answer to "why this?" and "why not that?".
//
// Nothing is decided here. The sentences put into words what the analysis of the file recorded, for
// the statement that holds the row; the verdict on the events of that statement is the engine's
// part.
//
//   total += loss     known:  grad mode   on: nothing here turns it off …
//                             loss        a tensor, one number; carries a graph, made at line 11 …
//                             total       a running sum; lives on beyond each turn of `for x in
//                             xs:` …
#pragma once

#include <string>
#include <vector>

#include "flow/events.h"
#include "text/source.h"

namespace torchleak::flow {

struct Remark {
  std::string subject;  // source text, or a word such as "grad mode"
  std::string text;     // no capital at the start, no full stop at the end
};

struct RowExplanation {
  // The statement, or the header of a compound one, that holds the row; empty when there is none.
  text::Span span;
  sema::FunctionId function = sema::kNoFunction;
  bool is_definition = false;   // the row is a `def` or one of its decorators
  std::string note;             // a sentence: a comment, unreachable code, a function left out
  std::vector<Remark> known;    // grad mode, the loops around, then the values of the line
  std::vector<Remark> happens;  // what the line does, where that is no event
};

// `events` must come from the same source and have their world.
RowExplanation ExplainRow(const FileEvents& events, const text::Source& source, std::uint32_t row);

}  // namespace torchleak::flow
