// DefinitionOutline: is this statement inside a def or class? Read off the indentation of the lines
// above it. Asked for ascending positions; each line is looked at once, and only when asked.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace torchleak::project {

class DefinitionOutline {
 public:
  DefinitionOutline(std::string_view bytes, std::size_t begin);

  // A string over several lines, whose lines have no indentation to speak of. In ascending order.
  void AddString(std::size_t begin, std::size_t end) { strings_.push_back({begin, end}); }

  // All strings before `statement`, the offset of its first byte, have been added.
  bool IsInside(std::size_t statement);

 private:
  struct Range {
    std::size_t begin, end;
  };
  struct Line {
    std::size_t indentation;
    std::size_t first;  // offset of what is not white space
    bool opens;         // starts a def or class
  };

  Line LineAt(std::size_t start) const;
  void Advance();
  std::size_t NextLine(std::size_t from) const;

  std::string_view bytes_;
  std::vector<Range> strings_;
  std::size_t string_ = 0;         // the first that ends after line_
  std::vector<std::size_t> open_;  // ascending indentations of the defs and classes around line_
  std::size_t line_;               // start of the current line; those before are done
  std::size_t next_line_;
  Line current_;
};

}  // namespace torchleak::project
