#include "cli/fix_output.h"

#include <fmt/format.h>

#include <string_view>

#include "fix/unified_diff.h"

namespace torchleak::cli {
namespace {

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view Done(bool would) { return would ? "Would fix" : "Fixed"; }

}  // namespace

std::string DiffText(const driver::FixPlan& plan, bool color) {
  std::string text;
  for (const driver::FixedFile& file : plan.files) {
    text += fix::UnifiedDiff(file.path, file.before.raw(), file.after.raw(), {.color = color});
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
    const bool one = plan.refused.size() == 1;
    text += fmt::format("{} {} not made, since {} would not hold; `-v` tells why.\n",
                        plan.refused.size(), one ? "fix was" : "fixes were", one ? "it" : "they");
  }
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
