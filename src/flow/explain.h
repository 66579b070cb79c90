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

#include <cstdint>
#include <string>
#include <vector>

#include "flow/events.h"
#include "text/source.h"

namespace torchleak::flow {

struct Remark {
  std::string subject;  // source text, or a word such as "grad mode"
  std::string text;     // no capital at the start, no full stop at the end
  text::Span of = {};   // the expression that has the value, the loop; may be empty
  // For those who have room for a few only: what it is about.
  enum class About : std::uint8_t {
    kPlace,    // grad mode, the loops around, the function
    kUnknown,  // a value of which little is known, or that holds no memory
    kPlain,    // a tensor without a graph
    kOwner,    // a container, a module, an optimizer, a handle
    kGraph,    // a tensor with a graph, or what holds some
  };
  About about = About::kPlace;
  std::string aside = {};  // goes on behind `text`: "; set at line 3"
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
