// ReadComment: one comment to the directives in it.
//
// A comment may hold several directives, of several tools, and text for people:
//
//   x = f()  # type: ignore  # noqa: E501, TLK101  # kept on purpose
//                            ^^^^^^^^^^^^^^^^^^^^^ one directive, of two words
//
// Only what torchleak is meant by is understood; other tools' words are kept as such, so that edits
// can leave them alone. Spans are byte offsets into the Source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace torchleak::suppress {

struct KnownRule {
  std::string_view code;  // "TLK101"
  std::string_view name;  // "accumulated-tensor"
  bool on_by_default = true;
};

enum class Form : std::uint8_t { kNoqa, kIgnore, kIgnoreFile, kDisable, kEnable };

std::string_view Name(Form form);  // "noqa", "ignore", "ignore-file", …

// One entry of a directive's list.
struct Word {
  enum class Kind : std::uint8_t {
    kRule,     // `prefix` says which
    kForeign,  // a code of another tool
    kUnknown,  // meant for torchleak, and no rule
    kAll,      // the directive has no list, or this entry is ALL
  };
  text::Span span;
  Kind kind = Kind::kRule;
  std::string prefix;  // the beginning of the codes that are meant, a whole code for one rule

  bool IsOurs() const { return kind == Kind::kRule || kind == Kind::kAll; }
  // Is the rule with this code meant?
  bool Names(std::string_view code) const { return IsOurs() && code.starts_with(prefix); }
};

struct Directive {
  Form form = Form::kNoqa;
  text::Span comment;  // the whole comment, without its line end
  text::Span span;     // from the directive's `#` to the end of its reason
  text::Span head;     // the same without the reason
  bool has_list = false;
  std::vector<Word> words;  // never empty; one of kAll when there is no list
  std::string reason;
};

// What is wrong with a directive, and what to write.
struct Problem {
  text::Span span;
  std::string message, help;
  text::Span replace;  // with `replacement`, unless that is empty
  std::string replacement;
};

struct CommentReader {
  const text::Source& source;
  std::span<const KnownRule> rules;
  std::vector<Directive> directives;  // of all comments read, in order
  std::vector<Problem> problems;

  void Read(text::Span comment);
};

// Could this comment hold a directive that names torchleak's rules? A quick look, which may say yes
// where there is none.
bool MayNameRules(std::string_view comment);

}  // namespace torchleak::suppress
