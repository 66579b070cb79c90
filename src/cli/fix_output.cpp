#include "cli/fix_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "fix/unified_diff.h"
#include "text/notebook.h"

namespace torchleak::cli {
namespace {

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view Done(bool would) { return would ? "Would fix" : "Fixed"; }

// The last line of a cell has no line end, which is nothing to tell.
std::string CellText(const text::Source& source, const text::Notebook::Cell& cell) {
  std::string text(source.Text(cell.span));
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

// Fixes add no cell and take none away.
std::string NotebookDiff(const driver::FixedFile& file, bool color) {
  const fix::DiffStyle style{.color = color, .for_patch = false};
  const text::Source& before = file.before.source();
  const text::Source& after = file.after.source();
  const auto old_cells = before.notebook()->cells(), new_cells = after.notebook()->cells();
  std::string text;
  for (std::size_t i = 0; i < std::min(old_cells.size(), new_cells.size()); ++i) {
    text += fix::UnifiedDiff(fmt::format("{}:cell {}", file.path, old_cells[i].number),
                             CellText(before, old_cells[i]), CellText(after, new_cells[i]), style);
  }
  return text;
}

}  // namespace

std::string DiffText(const driver::FixPlan& plan, bool color) {
  std::string text;
  for (const driver::FixedFile& file : plan.files) {
    text +=
        file.before.source().notebook() != nullptr
            ? NotebookDiff(file, color)
            : fix::UnifiedDiff(file.path, file.before.raw(), file.after.raw(), {.color = color});
  }
  return text;
}

std::string ShownFixes(const driver::FixPlan& plan, bool would) {
  if (plan.fixed == 0) return {};
  std::string text = fmt::format("{} {}:\n", Done(would), Counted(plan.fixed, "finding"));
  for (const driver::FixedFile& file : plan.files) {
    if (file.fixed.empty()) continue;  // only changed along with another
    text += fmt::format("- {}:\n", file.path);
    for (const auto& [code, fixed] : file.fixed) {
      text += fmt::format("    {} × {} ({})\n", fixed.count, code, fixed.name);
    }
  }
  return text;
}

std::string FixSummary(const driver::FixPlan& plan, bool would, std::size_t remaining) {
  if (plan.fixed == 0 && plan.refused.empty()) return {};
  std::string text = fmt::format("{} {} in {}", Done(would), Counted(plan.fixed, "finding"),
                                 Counted(plan.files.size(), "file"));
  if (!would) text += fmt::format(" ({} remaining)", remaining);
  text += ".\n";
  if (!plan.refused.empty()) {
    text += fmt::format(
        "{} not made; `-v` tells why.\n",
        plan.refused.size() == 1 ? "1 fix was" : fmt::format("{} fixes were", plan.refused.size()));
  }
  if (plan.unfinished) text += "There is more to fix: run again.\n";
  return text;
}

std::string RefusedFixes(const driver::FixPlan& plan) {
  std::string text;
  for (const driver::RefusedFix& refused : plan.refused) {
    text += fmt::format("{}:{}: no fix for {}: {}\n", refused.path, refused.row, refused.code,
                        refused.reason);
  }
  return text;
}

}  // namespace torchleak::cli
