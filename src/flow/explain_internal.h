// What the parts of `why` share. Private to the flow layer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/events_internal.h"
#include "flow/explain.h"

namespace torchleak::flow {

class Explainer {
 public:
  Explainer(const FileEvents& events, const text::Source& source)
      : world_(*events.world), source_(source), builder_(world_, nullptr) {}
  RowExplanation Row(std::uint32_t row) const;

 private:
  using NodeId = syntax::NodeId;

  // What it is and, for what may carry a graph, words on that.
  struct Description {
    std::string what, graph;
    std::string Whole() const { return graph.empty() ? what : what + "; " + graph; }
  };
  Remark::About AboutOf(const FunctionResult& r, ValueId id) const;

  // explain_row.cpp: which statement holds the row.
  NodeId StatementAt(std::uint32_t offset) const;
  text::Span HeaderOf(NodeId statement) const;
  std::string Nowhere(std::uint32_t row) const;  // why the row has none; empty when it has one

  // explain.cpp
  void Function(sema::FunctionId id, RowExplanation* out) const;
  void Statement(const FunctionResult& r, RowExplanation* out) const;
  void Around(const FunctionResult& r, ValueId at, RowExplanation* out) const;
  // Remarks of one wording share an entry.
  static void Add(Remark remark, std::vector<Remark>* out);
  void Values(const FunctionResult& r, const std::vector<ValueId>& here, RowExplanation* out) const;
  bool NamesMethod(const FunctionResult& r, ValueId id) const;  // the `xs.append` of `xs.append(x)`
  std::string Outlives(const FunctionResult& r, ValueId store) const;
  std::string SetAt(const FunctionResult& r, ValueId id) const;
  std::vector<ValueId> Within(const FunctionResult& r, text::Span span) const;

  // explain_mode.cpp
  std::string GradModeAt(const FunctionResult& r, ValueId at) const;
  std::string GradModeOf(const FunctionResult& r) const;  // at entry, as the callers leave it
  std::string WithAround(NodeId node, bool off) const;

  // explain_value.cpp
  Description Describe(const FunctionResult& r, ValueId id) const;
  std::string OfThisFile(const Value& v) const;  // a function, class or instance
  std::string Unknown(const FunctionResult& r, ValueId id) const;
  std::string Container(const FunctionResult& r, const Value& v) const;
  std::string ModuleWords(const FunctionResult& r, ValueId id, const Value& v) const;
  // The place where a use of the same variable tells what it is: "`model.parameters()` (line 3)".
  std::string TellingUse(const FunctionResult& r, ValueId id, std::uint16_t evidence) const;

  // explain_graph.cpp
  std::string Origin(const FunctionResult& r, const flow::Origin& origin) const;
  std::string Certainty(const flow::Origin& maker) const;
  std::string NoGraph(const FunctionResult& r, ValueId id) const;
  std::string GraphWords(const FunctionResult& r, ValueId id, const Value& v) const;
  std::string HoldsWords(const FunctionResult& r, const Value& v) const;

  // explain_effect.cpp
  std::string Effect(const FunctionResult& r, ValueId id) const;  // empty: nothing worth a word
  std::string CallEffect(const FunctionResult& r, ValueId id, const Call& call) const;
  std::string UnknownCall(const FunctionResult& r, ValueId id, const Call& call) const;
  std::string ModeEffect(const FunctionResult& r, const Call& call, std::uint32_t effects) const;
  std::string BackwardEffect(const FunctionResult& r, const Backward& b) const;
  std::string StepEffect(const FunctionResult& r, ValueId id) const;
  std::string StoreEffect(const FunctionResult& r, ValueId id) const;

  // What an instruction keeps, and where, when it keeps anything.
  struct Keeping {
    ValueId stored = kNoValue, place = kNoValue;
    bool elements = false;  // those of `stored`, as extend() does
    bool sum = false;       // x += v
  };
  Keeping KeptBy(const FunctionResult& r, ValueId id) const;

  // explain_words.cpp
  // The instruction that made the value: past variables that are set once.
  ValueId Definition(const FunctionResult& r, ValueId id) const;
  std::vector<ValueId> StoresTo(const FunctionResult& r, SlotId slot) const;
  const facts::Fact* FactOf(const FunctionResult& r, const Call& call) const;
  const flow::Store* StoreAt(const FunctionResult& r, ValueId id) const;
  std::string ParamNames(sema::FunctionId f, std::uint64_t mask) const;  // "`x` and `y`"
  std::string SinkText(sema::FunctionId f, const Sink& sink) const;      // "self.losses"
  std::string SummaryText(sema::FunctionId f) const;
  // "line 12" or, of another file, "models.py:12".
  std::string Place(sema::FunctionId id) const;
  std::string Place(sema::ClassId id) const;
  std::string Line(text::Span span) const;  // "line 12"
  std::string Line(NodeId node) const { return Line(tree().Span(node)); }
  std::string CallPlaces(sema::FunctionId id) const;  // "line 3 and trainer.py:42"; may be empty
  std::string Lines(const std::vector<NodeId>& nodes) const;  // "line 3" or "lines 3, 5 and 8"
  std::string Code(NodeId node) const;                        // "`crit(out, y)`", shortened
  std::string Header(NodeId statement) const;                 // "`for x in xs:` (line 3)"
  std::string Name(sema::FunctionId id) const;                // "`train()`"
  std::vector<NodeId> CallersOf(sema::FunctionId id) const;

  const sema::Module& module() const { return world_.module(); }
  const syntax::Tree& tree() const { return module().tree(); }
  std::string_view Text(sema::NameId name) const { return module().Text(name); }

  const World& world_;
  const text::Source& source_;
  EventBuilder builder_;
};

}  // namespace torchleak::flow
