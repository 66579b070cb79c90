// Belief: what the engine holds of one value after one line, in the words of `# flow:` comments.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "flow/events.h"
#include "flow/world.h"
#include "sema/module.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::tests {

class Beliefs {
 public:
  explicit Beliefs(std::string code);

  // "kind" -> "tensor", … of `subject` after the row; nothing when the row has no such value.
  std::optional<std::map<std::string, std::string>> After(std::size_t row,
                                                          std::string_view subject) const;
  bool HasSyntaxErrors() const { return !events_.syntax_errors.empty(); }

 private:
  struct Found {
    const flow::FunctionResult* result;
    flow::ValueId at;     // instruction that stores or gives it
    flow::ValueId value;  // instruction of the value
  };
  std::optional<Found> Find(std::size_t row, std::string_view subject) const;
  std::string SlotText(const flow::Body& body, flow::SlotId slot) const;
  std::string GradOf(const flow::FunctionResult& r, flow::ValueId id,
                     const flow::Value& deep) const;

  text::Source source_;
  syntax::Tree tree_;
  sema::Module module_;
  flow::FileEvents events_;
};

}  // namespace torchleak::tests
