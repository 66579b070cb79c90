// Every `#` of a comment may begin a directive. One scanner goes over it from left to right; what
// it does not understand is text for people, except behind `torchleak:`, where it is a mistake.
#include "suppress/comment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "findings/nearest.h"
#include "suppress/words.h"

namespace torchleak::suppress {
namespace {

constexpr std::array<std::string_view, 5> kForms = {"noqa", "ignore", "ignore-file", "disable",
                                                    "enable"};

class Scanner {
 public:
  Scanner(CommentReader* reader, text::Span comment)
      : reader_(*reader), comment_(comment), text_(reader->source.Text(comment)) {}

  void Run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t hash = text_.find('#', at);
      if (hash == std::string_view::npos) return;
      begin_ = hash;
      pos_ = hash + 1;
      SkipBlanks();
      if (StartsWith(Rest(), "noqa")) {
        pos_ += 4;
        Noqa();
      } else if (StartsWith(Rest(), "torchleak") && Stands(hash)) {
        pos_ += 9;
        Torchleak();
      }
      at = std::max(pos_, hash + 1);
    }
  }

 private:
  std::string_view Rest() const { return text_.substr(std::min(pos_, text_.size())); }
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void SkipBlanks() {
    while (IsBlank(Peek())) ++pos_;
  }
  std::string_view TakeWord() {
    const std::size_t begin = pos_;
    while (IsWordPart(Peek())) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }
  text::Span SpanOf(std::size_t begin, std::size_t end) const {
    return {comment_.begin + static_cast<std::uint32_t>(begin),
            comment_.begin + static_cast<std::uint32_t>(end)};
  }
  bool Stands(std::size_t hash) const {
    return hash == 0 || IsBlank(text_[hash - 1]) || text_[hash - 1] == '#';
  }

  void Noqa() {
    if (IsWordPart(Peek())) return;  // `# noqarest`
    const std::size_t end = pos_;
    SkipBlanks();
    Directive directive;
    directive.form = Form::kNoqa;
    if (Peek() != ':') {
      pos_ = end;
      directive.words.push_back({SpanOf(begin_, end), Word::Kind::kAll, ""});
      return Finish(std::move(directive), end);
    }
    ++pos_;
    directive.has_list = true;
    const std::size_t list_end = NoqaList(&directive);
    // Without a code it is no blanket: ruff ignores it, and a wrong name must not hide everything.
    if (!directive.words.empty()) Finish(std::move(directive), list_end);
  }

  // Words up to the first that is no code: the reason. Returns the end of the last.
  std::size_t NoqaList(Directive* directive) {
    std::size_t end = pos_;
    while (pos_ < text_.size()) {
      while (IsBlank(Peek()) || Peek() == ',') ++pos_;
      const std::size_t begin = pos_;
      const std::string_view word = TakeWord();
      std::optional<Word> read = Rule(word);
      if (!read && IsCode(word)) {
        read = Word{{}, StartsWith(word, "tlk") ? Word::Kind::kUnknown : Word::Kind::kForeign, ""};
      }
      if (!read) break;
      read->span = SpanOf(begin, pos_);
      if (read->kind == Word::Kind::kUnknown) Unknown(word, read->span);
      directive->words.push_back(*std::move(read));
      end = pos_;
    }
    pos_ = end;
    return end;
  }

  void Torchleak() {
    SkipBlanks();
    if (Peek() != ':') return;
    ++pos_;
    SkipBlanks();
    const std::size_t begin = pos_;
    const std::string_view action = TakeWord();
    const text::Span action_span = SpanOf(action.empty() ? begin_ : begin, pos_);
    const auto form = std::find_if(kForms.begin() + 1, kForms.end(),
                                   [&](std::string_view f) { return SameWord(f, action); });
    if (form == kForms.end()) return UnknownForm(action, action_span);
    Directive directive;
    directive.form = static_cast<Form>(form - kForms.begin());
    const std::size_t end = pos_;
    SkipBlanks();
    if (Peek() == '[') {
      if (!BracketList(*form, &directive)) return;
      return Finish(std::move(directive), pos_);
    }
    pos_ = end;
    if (MissesBrackets(*form, end)) return;
    directive.words.push_back({action_span, Word::Kind::kAll, ""});
    Finish(std::move(directive), end);
  }

  // False when it is malformed: then nothing is silenced.
  bool BracketList(std::string_view form, Directive* directive) {
    const std::size_t open = pos_++;
    const std::size_t close = text_.find_first_of("]#", open);
    const std::string help = fmt::format("write `# torchleak: {}[TLK101] reason`", form);
    if (close == std::string_view::npos || text_[close] == '#') {
      pos_ = std::min(close, text_.size());
      Report(SpanOf(begin_, pos_), "the bracket of this suppression is not closed", help);
      return false;
    }
    directive->has_list = true;
    while (pos_ < close) {
      const std::size_t begin = pos_;
      while (pos_ < close && !IsBlank(text_[pos_]) && text_[pos_] != ',') ++pos_;
      if (pos_ > begin) directive->words.push_back(ListWord(begin, pos_));
      if (pos_ < close) ++pos_;
    }
    pos_ = close + 1;
    if (!directive->words.empty()) return true;
    Report(SpanOf(begin_, pos_), "this suppression names no rule", help);
    return false;
  }

  Word ListWord(std::size_t begin, std::size_t end) {
    const std::string_view word = text_.substr(begin, end - begin);
    Word read;
    if (SameWord(word, "all")) {
      read.kind = Word::Kind::kAll;
    } else if (std::optional<Word> rule = Rule(word)) {
      read = *std::move(rule);
    } else {
      read.kind = Word::Kind::kUnknown;
      Unknown(word, SpanOf(begin, end));
    }
    read.span = SpanOf(begin, end);
    return read;
  }

  // `ignore TLK101`, `ignore: TLK101`, `ignore(TLK101)`: taken as they stand, they would silence
  // every rule.
  bool MissesBrackets(std::string_view form, std::size_t end) {
    std::size_t at = end;
    while (at < text_.size() && (IsBlank(text_[at]) || text_[at] == ':' || text_[at] == '=' ||
                                 text_[at] == '(' || text_[at] == '{'))
      ++at;
    std::size_t word_end = at;
    while (word_end < text_.size() && IsWordPart(text_[word_end])) ++word_end;
    const std::string_view word = text_.substr(at, word_end - at);
    const bool named = !word.empty() && (Rule(word) || (IsCode(word) && StartsWith(word, "tlk")));
    const bool glued = end < text_.size() && !IsBlank(text_[end]) && text_[end] != '#';
    if (!named && !glued) return false;
    pos_ = named ? word_end : std::min(text_.find('#', end), text_.size());
    const bool closed = named && pos_ < text_.size() && (text_[pos_] == ')' || text_[pos_] == '}');
    if (closed) ++pos_;
    // With more than one the list might end anywhere: then it is not for us to write.
    const bool single = named && (closed || pos_ == text_.size() || IsBlank(text_[pos_]));
    Report(SpanOf(begin_, pos_),
           named ? "the rules of a suppression stand in brackets"
                 : "this suppression is not understood",
           fmt::format("write `# torchleak: {}[{}] reason`", form, named ? word : "TLK101"),
           SpanOf(end, pos_), single ? fmt::format("[{}]", word) : "");
    return true;
  }

  std::optional<Word> Rule(std::string_view word) const {
    const std::string upper = UpperOf(word);
    const bool is_prefix = upper.starts_with("TLK");
    for (const KnownRule& rule : reader_.rules) {
      if (is_prefix && rule.code.starts_with(upper)) return Word{{}, Word::Kind::kRule, upper};
      if (SameWord(rule.name, word)) return Word{{}, Word::Kind::kRule, std::string(rule.code)};
    }
    return std::nullopt;
  }

  // The directive ends where text for another reader begins: at a `#` that stands for itself.
  std::size_t EndOfReason(std::size_t from) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] != '#' || (i > from && !IsBlank(text_[i - 1]))) continue;
      std::size_t next = i + 1;
      while (next < text_.size() && (IsBlank(text_[next]) || text_[next] == '#')) ++next;
      if (next < text_.size() && (i == from || IsLetter(text_[next]))) return i;
    }
    return text_.size();
  }

  void Finish(Directive directive, std::size_t list_end) {
    std::size_t end = EndOfReason(list_end);
    while (end > list_end && IsBlank(text_[end - 1])) --end;
    directive.comment = comment_;
    directive.head = SpanOf(begin_, list_end);
    directive.span = SpanOf(begin_, end);
    std::size_t reason = list_end;
    while (reason < end && (IsBlank(text_[reason]) || text_[reason] == ':' ||
                            text_[reason] == '-' || text_[reason] == ','))
      ++reason;
    directive.reason = std::string(text_.substr(reason, end - reason));
    reader_.directives.push_back(std::move(directive));
  }

  void Report(text::Span span, std::string message, std::string help, text::Span replace = {},
              std::string_view replacement = {}) {
    reader_.problems.push_back(
        {span, std::move(message), std::move(help), replace, std::string(replacement)});
  }

  void Unknown(std::string_view word, text::Span span) {
    std::vector<std::string_view> known;
    for (const KnownRule& rule : reader_.rules) {
      known.push_back(rule.code);
      known.push_back(rule.name);
    }
    const std::string_view nearest = findings::Nearest(word, known);
    Report(span, fmt::format("there is no rule `{}`: nothing is suppressed", word),
           nearest.empty() ? "`torchleak rule --all` lists the rules"
                           : fmt::format("did you mean `{}`?", nearest),
           span, nearest);
  }

  void UnknownForm(std::string_view action, text::Span span) {
    const std::string_view nearest =
        findings::Nearest(action, std::span(kForms).subspan(1));  // `noqa` is not one of them
    Report(span,
           action.empty() ? "this suppression says nothing"
                          : fmt::format("there is no suppression `{}`", action),
           nearest.empty() ? "write `ignore[…]`, `ignore-file[…]`, `disable[…]` or `enable[…]`"
                           : fmt::format("did you mean `{}`?", nearest),
           span, nearest);
  }

  CommentReader& reader_;
  text::Span comment_;
  std::string_view text_;
  std::size_t begin_ = 0, pos_ = 0;  // the directive's `#`, and how far it has been read
};

}  // namespace

std::string_view Name(Form form) { return kForms[static_cast<std::size_t>(form)]; }

void CommentReader::Read(text::Span comment) {
  // In a notebook the parser sees a comment where a line of shell is overwritten with one.
  if (!source.Text(comment).starts_with('#')) return;
  // The parser takes a carriage return for a part of the comment.
  const std::size_t end = source.Text(comment).find_first_of("\r\n");
  if (end != std::string_view::npos) comment.end = comment.begin + static_cast<std::uint32_t>(end);
  Scanner(this, comment).Run();
}

bool MayNameRules(std::string_view comment) {
  if (Contains(comment, "torchleak")) return true;
  // All names of rules have a hyphen.
  return Contains(comment, "noqa") &&
         (Contains(comment, "tlk") || comment.find('-') != std::string_view::npos);
}

}  // namespace torchleak::suppress
