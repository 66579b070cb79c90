// Edits of Python source that leave its layout as it is. Inner to this layer.
//
// Line ends are written as \n; whoever applies the edits uses the file's own. A function that
// returns false has added nothing: the code is laid out in a way that it does not take apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "sema/module.h"

namespace torchleak::repair {

class SourceEdits {
 public:
  explicit SourceEdits(const sema::Module& module) : module_(module), tree_(module.tree()) {}

  void Insert(std::uint32_t at, std::string text);
  void Replace(text::Span span, std::string text);
  // `x` -> `x.item()`; `a * b` -> `(a * b).item()`.
  void Suffix(syntax::NodeId expression, std::string_view suffix);
  // Puts the statements `first` to `last` of one block under `with <context>:`.
  bool Wrap(syntax::NodeId first, syntax::NodeId last, std::string_view context);
  // Moves those statements in by one level, with the line `head` before them.
  bool Indent(syntax::NodeId first, syntax::NodeId last, const std::string& head = "");
  // A line of its own before or after a statement, indented like it.
  bool LineBefore(syntax::NodeId statement, std::string_view code);
  bool LineAfter(syntax::NodeId statement, std::string_view code, unsigned blank_lines = 0);
  bool Decorate(syntax::NodeId function_definition, std::string_view decorator);

  struct Name {
    std::string text;   // empty: the name is taken by something else
    bool sure = false;  // it is bound whenever the file runs, and needs nothing that is not there
  };
  // The name that stands for the module torch at `use`; imports it if need be.
  Name Torch(syntax::NodeId use);

  std::vector<findings::Edit> Take() { return std::move(edits_); }

  // The statement that holds the node: the ancestor whose parent is a block or the module.
  syntax::NodeId StatementOf(syntax::NodeId node) const;
  // From the start of the statement's line to the statement: white space only, else nothing.
  bool Indentation(syntax::NodeId statement, std::string_view* indent) const;

 private:
  std::string_view Source() const { return tree_.Text(tree_.root()); }
  bool ImportsAtTop(std::string_view package, std::uint32_t before) const;
  std::uint32_t LineStart(std::uint32_t at) const;
  std::uint32_t LineEnd(std::uint32_t at) const;  // of the line's text
  bool EndsItsLine(syntax::NodeId statement) const;
  std::string Unit(syntax::NodeId first, std::string_view indent) const;
  std::vector<text::Span> Strings(syntax::NodeId first, syntax::NodeId last) const;

  const sema::Module& module_;
  const syntax::Tree& tree_;
  std::vector<findings::Edit> edits_;
};

}  // namespace torchleak::repair
