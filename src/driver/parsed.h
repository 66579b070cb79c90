// Parsed: a file's text and tree, which refers to the text.
#pragma once

#include <memory>
#include <utility>

#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::driver {

struct Parsed {
  explicit Parsed(text::Source s) : source(std::move(s)), tree(syntax::Parse(source)) {}
  // With a parser that knows the text of before: Tree(const text::Source&).
  template <typename Parse>
  Parsed(text::Source s, Parse&& parse) : source(std::move(s)), tree(parse(source)) {}
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  text::Source source;
  syntax::Tree tree;
};

using ParsedPtr = std::shared_ptr<const Parsed>;

}  // namespace torchleak::driver
