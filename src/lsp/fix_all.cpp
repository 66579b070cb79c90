#include "lsp/fix_all.h"

#include <algorithm>
#include <utility>

#include "driver/fix_run.h"
#include "fix/line_changes.h"
#include "lsp/diagnostics.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

// Of a notebook cell by cell: an edit must not reach from one into the next.
fix::Edits EditsOf(const text::Source& before, const text::Source& after) {
  const text::Notebook *old_book = before.notebook(), *new_book = after.notebook();
  if (old_book == nullptr || new_book == nullptr)
    return fix::EditsBetween(before.bytes(), after.bytes());
  fix::Edits edits;
  const std::size_t count = std::min(old_book->cells().size(), new_book->cells().size());
  for (std::size_t i = 0; i < count; ++i) {
    const text::Span cell = old_book->cells()[i].span;
    const std::string_view text = after.Text(new_book->cells()[i].span);
    for (fix::Replacement& edit : fix::EditsBetween(before.Text(cell), text)) {
      edit.span.begin += cell.begin;
      edit.span.end += cell.begin;
      edits.push_back(std::move(edit));
    }
  }
  return edits;
}

}  // namespace

WorkspaceEdit FixAll(Analysis& analysis, std::string_view uri) {
  WorkspaceEdit out;
  const OpenFile file = analysis.Current(uri);
  if (!file) return out;
  driver::LiveProject& project = file.workspace->project();
  const text::Source& source = file.parsed->source;
  const std::string display = source.path();
  const text::Notebook* notebook = source.notebook();
  driver::CheckOptions options = project.options();
  options.paths.clear();
  options.buffers = {
      {file.path, std::string(notebook != nullptr ? notebook->raw() : source.bytes())}};
  const driver::FixPolicy policy{.unsafe = false, .wanted = [&](const findings::Finding& finding) {
                                   return finding.location.path == display &&
                                          OffersFix(analysis, file, finding);
                                 }};
  const driver::CheckFunction check = [&](const driver::CheckOptions& trial) {
    return text::Result<driver::FindingSet>(project.AllWith(trial.buffers));
  };
  // What the trials put into the project is gone when they end.
  const driver::ParsedPtr kept = file.parsed;
  auto plan = driver::PlanFixes(options, policy, check);
  if (!plan) {
    analysis.server().Log(MessageType::kWarning, plan.error().message);
    return out;
  }
  for (const driver::FixedFile& fixed : plan->files) {
    if (fixed.path != display) continue;
    const fix::Edits edits = EditsOf(fixed.before.source(), fixed.after.source());
    if (!AddEdits(analysis, *file.workspace, display, edits, &out)) return {};
  }
  return out;
}

}  // namespace torchleak::lsp
