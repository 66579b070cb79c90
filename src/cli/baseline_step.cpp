#include "cli/baseline_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "driver/baseline_check.h"

namespace torchleak::cli {
namespace {

bool IsContinuousIntegration() {
  const char* value = std::getenv("CI");
  const std::string_view text = value == nullptr ? "" : value;
  return !text.empty() && text != "0" && text != "false";
}

// The same configuration for the same files in another folder.
config::IndexOptions MovedConfig(config::IndexOptions options, const std::string& root,
                                 const driver::MovePath& move) {
  if (options.config_file) {
    const std::string file = driver::AbsolutePath(*options.config_file, options.root);
    const auto moved = move(file);
    std::error_code error;
    options.config_file = moved && std::filesystem::exists(*moved, error) ? *moved : file;
  }
  for (config::Layer& layer : options.overrides) {
    layer.folder = move(layer.folder).value_or(layer.folder);
  }
  options.root = root;
  return options;
}

}  // namespace

bool BaselineStep::Load(const CheckPlan& plan) {
  if (plan.baseline.empty()) return true;
  auto baseline = baseline::Read(plan.baseline);
  if (!baseline) {
    PrintError(baseline.error().message, plan.color);
    return false;
  }
  baseline_ = *std::move(baseline);
  return true;
}

bool BaselineStep::Apply(const CheckPlan& plan, driver::FindingSet* set) const {
  if (baseline_ && !Drop(plan, set)) return false;
  if (plan.baseline_commit.empty()) return true;
  const auto settings_for = [&plan](const std::string& root, const driver::MovePath& move) {
    return config::SettingsIndex::Create(MovedConfig(plan.config, root, move));
  };
  const auto error = driver::ApplyRevision(plan.options, plan.baseline_commit, settings_for, set);
  if (error) PrintError(error->message, plan.color);
  return !error;
}

void BaselineStep::SetKnownApart(const CheckPlan& plan, driver::FindingSet* set) const {
  if (baseline_) driver::ApplyBaseline(plan.options, *baseline_, plan.baseline, set);
}

void BaselineStep::PutBack(driver::FindingSet* set) {
  set->findings.insert(set->findings.end(), std::make_move_iterator(set->known.begin()),
                       std::make_move_iterator(set->known.end()));
  set->known.clear();
  std::stable_sort(set->findings.begin(), set->findings.end(), findings::Before);
}

bool BaselineStep::Drop(const CheckPlan& plan, driver::FindingSet* set) const {
  const driver::Against result =
      driver::ApplyBaseline(plan.options, *baseline_, plan.baseline, set);
  // --diff shows what would be left, and changes nothing.
  if (result.gone.empty() || plan.fixes.diff) return true;
  const std::string entries =
      result.gone.size() == 1 ? "1 entry" : fmt::format("{} entries", result.gone.size());
  // An editor's buffer is not what is on disk.
  if (IsContinuousIntegration() || !plan.options.buffers.empty()) {
    if (loud_) {
      PrintWarning(fmt::format("{}: {} found no more; `torchleak baseline --output {}` drops them",
                               plan.baseline, entries, plan.baseline),
                   plan.color);
    }
    return true;
  }
  if (const auto error = baseline::Write(plan.baseline, result.left)) {
    if (loud_) PrintWarning(error->message, plan.color);
  } else if (loud_) {
    PrintNote(fmt::format("{}: dropped {} found no more", plan.baseline, entries), plan.color);
  }
  return true;
}

}  // namespace torchleak::cli
