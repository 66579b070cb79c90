// Long sessions of random edits, each text through a Reparser and from nothing: the same tables.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.h"
#include "mutate.h"
#include "syntax/reparser.h"
#include "syntax/tree.h"
#include "tests/unit/syntax/same_tree.h"

namespace torchleak::tests {
namespace {

std::string Setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// What is typed: mostly harmless, some of it opens what is closed only later.
constexpr std::array<std::string_view, 40> kTyped{
    "x",       " ",       "\n",         "    ",   "\t",     "\r\n",     "#",     "# é",
    "'",       "\"",      "'''",        "\"\"\"", "f'{x}'", "f\"\"\"{", "\\\n",  "\\",
    "(",       ")",       "[",          "]",      "{",      "}",        ":",     ",",
    "=",       ".item()", "\U0001F600", "await ", "async ", "lambda ",  "if x:", "else:\n",
    "print x", "match ",  "case _:",    "type ",  "exec ",  "\f",       "not ",  "@a\n"};

struct Edit {
  std::size_t at, removed;
  std::string added;
};

// A byte near the place of the last edit, as somebody types, or anywhere.
std::size_t Place(const std::string& code, std::size_t last, Random& random) {
  if (random.Below(3) == 0) return random.Below(code.size() + 1);
  return std::min(code.size(), last + random.Below(12) - std::min<std::size_t>(last, 4));
}

// Whole lines, from the beginning of one on.
Edit OfLines(const std::string& code, const std::string& other, std::size_t at, Random& random) {
  const auto line_begin = [](const std::string& text, std::size_t offset) {
    const std::size_t feed = offset == 0 ? text.npos : text.rfind('\n', offset - 1);
    return feed == text.npos ? 0 : feed + 1;
  };
  const std::size_t begin = line_begin(code, at);
  const std::size_t lent = line_begin(other, random.Below(other.size() + 1));
  const std::size_t lent_end = line_begin(other, std::min(other.size(), lent + random.Below(300)));
  const std::size_t end = line_begin(code, std::min(code.size(), at + random.Below(200)));
  const std::string added = lent_end > lent ? other.substr(lent, lent_end - lent) : "";
  switch (random.Below(5)) {
    case 0:
      return {begin, 0, added};
    case 1:
      return {begin, end > begin ? end - begin : 0, ""};
    case 2:
      return {begin, end > begin ? end - begin : 0, added};
    case 3:
      return {begin, 0, std::string(1 + random.Below(8), ' ')};
    default:
      return {begin, std::min(code.size() - begin, random.Below(5)), ""};
  }
}

Edit NextEdit(const std::string& code, const std::string& other, std::size_t last, Random& random) {
  const std::size_t at = Place(code, last, random);
  const std::size_t few = std::min(code.size() - at, 1 + random.Below(6));
  switch (random.Below(4)) {
    case 0:
      return OfLines(code, other, at, random);
    case 1:
      return {at, few, ""};
    case 2:
      return {at, few, std::string(kTyped[random.Below(kTyped.size())])};
    default:
      return {at, 0, std::string(kTyped[random.Below(kTyped.size())])};
  }
}

// A session: an edit may be undone, and breaks more often than not, so that the sound text comes
// back after a while.
class Session {
 public:
  Session(std::string code, const std::string& other, Random* random)
      : sound_(code), code_(std::move(code)), other_(other), random_(random) {}

  const std::string& code() const { return code_; }

  void Next() {
    if (random_->Below(6) == 0) {
      code_.swap(before_.empty() ? sound_ : before_);
      return;
    }
    if (random_->Below(50) == 0) {
      code_ = Mutate(code_, other_, *random_);
      return;
    }
    const Edit edit = NextEdit(code_, other_, last_, *random_);
    before_ = code_;
    code_.replace(edit.at, edit.removed, edit.added);
    last_ = edit.at + edit.added.size();
  }

  // What was broken for long is given up for the text that parsed last.
  void Settle(bool is_sound) {
    broken_for_ = is_sound ? 0 : broken_for_ + 1;
    if (is_sound) sound_ = code_;
    if (broken_for_ > random_->Below(8) + 1) code_ = sound_;
  }

 private:
  std::string sound_, code_, before_;
  const std::string& other_;
  Random* random_;
  std::size_t last_ = 0;
  std::size_t broken_for_ = 0;
};

struct Count {
  std::size_t edits = 0, sound = 0;
};

void RunSession(const std::string& code, const std::string& other, std::size_t edits,
                Random& random, Count* count) {
  Session session(code, other, &random);
  syntax::Reparser reparser;
  std::string before;
  for (std::size_t i = 0; i < edits; ++i) {
    const auto source = text::Source::FromText("edited.py", session.code());
    if (source) {
      const syntax::Tree fresh = syntax::Parse(*source);
      const std::string difference = syntax::DifferenceOf(reparser.Parse(*source), fresh);
      INFO("edit ", i, "; before:\n", before, "\nnow:\n", session.code());
      REQUIRE(difference == "");
      before = session.code();
      count->edits += 1;
      count->sound += fresh.errors().empty() ? 1 : 0;
      session.Settle(fresh.errors().empty());
    } else {
      session.Settle(false);  // NUL bytes
    }
    session.Next();
  }
}

TEST_CASE("a tree made of the last one is the tree made of nothing") {
  const std::vector<CorpusFile> files = Corpus();
  REQUIRE(files.size() > 1);
  const std::size_t edits = std::stoul(Setting("TORCHLEAK_FUZZ_EDITS", "40"));
  const std::size_t seed = std::stoul(Setting("TORCHLEAK_FUZZ_SEED", "1"));
  Count count;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Random random(i * 1'000'003 + seed);
    const std::string& other = files[random.Below(files.size())].code;
    if (files[i].code.size() > 40'000) continue;
    CAPTURE(files[i].path);
    RunSession(files[i].code, other, edits, random, &count);
  }
  MESSAGE(count.edits, " edits, ", count.sound, " of them without errors");
  CHECK(count.sound > count.edits / 4);
}

}  // namespace
}  // namespace torchleak::tests
