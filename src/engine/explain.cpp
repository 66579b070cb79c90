#include "engine/analyze.h"
#include "flow/explain.h"
#include "sema/module.h"
#include "syntax/tree.h"

namespace torchleak::engine {

std::string Explain(const text::Source& source, std::uint32_t row, std::span<const Rule* const> rules) {
  const syntax::Tree tree = syntax::Parse(source);
  const sema::Module module = sema::Analyze(tree);
  const flow::FileEvents events = flow::Analyze(module);
  std::string out = flow::ExplainRow(events, source, row);
  std::vector<findings::Finding> here;
  for (findings::Finding& f : Analyze(source, rules)) {
    const bool at = source.RowOf(f.location.span.begin) <= row && row <= source.RowOf(f.location.span.end);
    bool step = false;
    for (const findings::Step& s : f.flow) step |= source.RowOf(s.location.span.begin) == row;
    if (at || step) here.push_back(std::move(f));
  }
  out += "\nFindings that touch this line\n";
  if (here.empty()) out += "  none\n";
  for (const findings::Finding& f : here) {
    out += "  " + std::string(findings::Name(f.severity)) + "[" + std::string(f.code) + "] " + f.message + " (" +
           std::string(findings::Name(f.confidence)) + " confidence, line " +
           std::to_string(source.RowOf(f.location.span.begin)) + ")\n";
  }
  return out;
}

}  // namespace torchleak::engine
