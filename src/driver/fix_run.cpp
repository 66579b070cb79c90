// Every subset of a round is judged by the same trial: texts, syntax, check, comparison. What of a
// subset that fails is tried next: fix_parts.h.
#include "driver/fix_run.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "driver/fix_compare.h"
#include "driver/fix_files.h"
#include "driver/fix_parts.h"

namespace torchleak::driver {
namespace {

using findings::Finding;

struct Trial {
  FindingSet set;
  fix::EditSet edits;
  FixFiles::Documents documents;
  Suspects suspects;
};

class FixRun {
 public:
  FixRun(const CheckOptions& options, const FixPolicy& policy, const CheckFunction& check)
      : policy_(policy), check_(check), files_(options) {}

  text::Result<FixPlan> Run(const CheckOptions& options) {
    auto set = check_(options);
    if (!set) return set.error();
    set_ = std::move(*set);
    for (std::size_t round = 0; round < kMostFixRounds; ++round) {
      auto changed = Round();
      if (!changed) return changed.error();
      if (!*changed) return Finish();
    }
    plan_.unfinished = true;
    return Finish();
  }

 private:
  struct Refusal {
    std::string path;
    std::string_view code;
    std::uint32_t offset;  // in the current text
    std::string reason;
  };

  static bool IsAbout(const Refusal& refusal, const Finding& finding) {
    return refusal.path == finding.location.path && refusal.code == finding.code &&
           refusal.offset == finding.location.span.begin;
  }

  bool Wanted(const Finding& finding) const {
    if (!finding.fix || finding.fix->edits.empty()) return false;
    if (finding.fix->applicability == findings::Applicability::kUnsafe && !policy_.unsafe) {
      return false;
    }
    if (policy_.wanted && !policy_.wanted(finding)) return false;
    return std::none_of(refusals_.begin(), refusals_.end(),
                        [&](const Refusal& refusal) { return IsAbout(refusal, finding); });
  }

  void Refuse(const Finding& finding, std::string reason) {
    refusals_.push_back(
        {finding.location.path, finding.code, finding.location.span.begin, std::move(reason)});
  }

  text::Result<fix::EditSet> EditsOf(const Finding& finding) {
    fix::EditSet edits;
    for (const findings::Edit& edit : finding.fix->edits) {
      const std::string& path =
          edit.location.path.empty() ? finding.location.path : edit.location.path;
      edits[path].push_back({edit.location.span, edit.content});
    }
    bool changes = false;
    for (auto& [path, of_file] : edits) {
      auto document = files_.Current(path, set_);
      if (!document) return document.error();
      auto normalized = fix::Normalized((*document)->source().bytes(), std::move(of_file));
      if (!normalized) return normalized.error();
      of_file = std::move(*normalized);
      changes |= !of_file.empty();
    }
    if (!changes) return text::Error{"it changes nothing"};
    std::erase_if(edits, [](const auto& entry) { return entry.second.empty(); });
    return edits;
  }

  // In order of position.
  std::vector<FixCandidate> Candidates() {
    std::vector<FixCandidate> candidates;
    for (const Finding& finding : set_.findings) {
      if (!Wanted(finding)) continue;
      auto edits = EditsOf(finding);
      if (edits) {
        candidates.push_back({&finding, std::move(*edits)});
      } else {
        Refuse(finding, edits.error().message);
      }
    }
    const auto place = [](const FixCandidate& c) {
      const auto& [path, edits] = *c.edits.begin();
      return std::pair<std::string_view, std::uint32_t>(path, edits.front().span.begin);
    };
    std::stable_sort(
        candidates.begin(), candidates.end(),
        [&](const FixCandidate& a, const FixCandidate& b) { return place(a) < place(b); });
    return candidates;
  }

  // False: nothing is left to try.
  text::Result<bool> Round() {
    const std::vector<FixCandidate> candidates = Candidates();
    fix::Together together;
    FixPart chosen;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (together.Add(candidates[i].edits)) chosen.push_back(i);
    }
    if (chosen.empty()) return false;
    const bool some_wait = chosen.size() < candidates.size();
    FixPart accepted;
    std::optional<Trial> best;
    std::vector<FixPart> parts = {std::move(chosen)};
    while (!parts.empty()) {
      const FixPart part = std::move(parts.back());
      parts.pop_back();
      FixPart tried;
      std::merge(accepted.begin(), accepted.end(), part.begin(), part.end(),
                 std::back_inserter(tried));
      auto trial = Try(candidates, tried, part);
      if (!trial) return trial.error();
      if (trial->suspects.empty()) {
        accepted = std::move(tried);
        best = std::move(*trial);
      } else {
        NextParts next = SplitPart(candidates, part, trial->suspects);
        for (const std::size_t i : next.refused) {
          Refuse(*candidates[i].finding, ReasonFor(i, trial->suspects));
        }
        std::move(next.parts.begin(), next.parts.end(), std::back_inserter(parts));
      }
    }
    if (!best) return some_wait;  // for what is now refused
    Accept(candidates, accepted, std::move(*best));
    return true;
  }

  // `group` holds `part` and what is accepted already.
  text::Result<Trial> Try(const std::vector<FixCandidate>& candidates, const FixPart& group,
                          const FixPart& part) {
    Trial trial;
    fix::Together together;
    std::vector<const Finding*> fixed;
    for (const std::size_t i : group) {
      together.Add(candidates[i].edits);
      fixed.push_back(candidates[i].finding);
    }
    trial.edits = together.edits();
    std::vector<FixFailure> failures;
    for (const auto& [path, edits] : trial.edits) {
      const fix::Document& before = files_.At(path);
      auto document = before.With(edits);
      if (!document) {
        failures.push_back({path, document.error().message});
      } else if (document->syntax_errors() > before.syntax_errors()) {
        failures.push_back({path, path + " would no longer parse"});
      } else {
        trial.documents.emplace(path, std::move(*document));
      }
    }
    if (failures.empty()) {
      auto set = check_(files_.Overlay(trial.documents));
      if (!set) return set.error();
      trial.set = std::move(*set);
      failures = CompareFindings(set_, fixed, trial.edits, trial.set,
                                 [this](const Finding& f) { return Wanted(f); });
    }
    for (const FixFailure& failure : failures) {
      const bool known = failure.blamed != FixFailure::kUnknown;
      Suspect(candidates, known ? FixPart{group[failure.blamed]} : part, failure, &trial.suspects);
    }
    return trial;
  }

  void Accept(const std::vector<FixCandidate>& candidates, const FixPart& accepted, Trial trial) {
    for (const std::size_t i : accepted) {
      const FixCandidate& candidate = candidates[i];
      const fix::EditSet& edits = candidate.edits;
      const std::string& own = candidate.finding->location.path;
      FixCount& count =
          counts_[edits.contains(own) ? own : edits.begin()->first][candidate.finding->code];
      count.name = candidate.finding->name;
      ++count.count;
      ++plan_.fixed;
      for (const auto& [path, of_file] : edits) links_.emplace_back(edits.begin()->first, path);
    }
    for (Refusal& refusal : refusals_) {
      const auto edits = trial.edits.find(refusal.path);
      if (edits != trial.edits.end()) {
        refusal.offset = fix::MovedOffset(refusal.offset, edits->second);
      }
    }
    files_.Take(std::move(trial.documents));
    set_ = std::move(trial.set);
    ++plan_.rounds;
  }

  FixPlan Finish() {
    plan_.files = files_.Changed();
    for (FixedFile& file : plan_.files) file.fixed = std::move(counts_[file.path]);
    JoinGroups();
    for (const Finding& finding : set_.findings) {
      for (Refusal& refusal : refusals_) {
        if (!IsAbout(refusal, finding)) continue;
        const text::Source* source = set_.SourceOf(refusal.path);
        const std::uint32_t row = source == nullptr ? 0 : source->RowOf(refusal.offset);
        plan_.refused.push_back({refusal.path, row, refusal.code, std::move(refusal.reason)});
        break;
      }
    }
    plan_.remaining = std::move(set_);
    return std::move(plan_);
  }

  // Files that one fix changes are written together.
  void JoinGroups() {
    for (const auto& [first, second] : links_) {
      const FixedFile* one = plan_.FileAt(first);
      const FixedFile* other = plan_.FileAt(second);
      if (one == nullptr || other == nullptr) continue;  // as it was, after all
      const std::size_t into = one->group, from = other->group;
      for (FixedFile& file : plan_.files) {
        if (file.group == from) file.group = into;
      }
    }
  }

  const FixPolicy& policy_;
  const CheckFunction& check_;
  FixFiles files_;
  FindingSet set_;  // of the current texts
  std::map<std::string, std::map<std::string_view, FixCount>, std::less<>> counts_;
  std::vector<std::pair<std::string, std::string>> links_;
  std::vector<Refusal> refusals_;
  FixPlan plan_;
};

}  // namespace

const FixedFile* FixPlan::FileAt(std::string_view path) const {
  const auto it = std::find_if(files.begin(), files.end(),
                               [&](const FixedFile& file) { return file.path == path; });
  return it == files.end() ? nullptr : &*it;
}

text::Result<FixPlan> PlanFixes(const CheckOptions& options, const FixPolicy& policy,
                                const CheckFunction& check) {
  return FixRun(options, policy, check).Run(options);
}

}  // namespace torchleak::driver
