#include "driver/analysis_memo.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace torchleak::driver {
namespace {

bool SameAnswer(const flow::Surroundings::Found& a, const flow::Surroundings::Found& b) {
  return a.in_project == b.in_project && a.file == b.file && a.name == b.name;
}

}  // namespace

flow::Surroundings::Found NotedQuestions::Find(std::string_view qualified) const {
  const auto [known, is_new] = asked_.try_emplace(std::string(qualified), answers_.size());
  if (is_new) answers_.push_back({known->first, others_.Find(qualified)});
  return answers_[known->second].found;
}

AnalysisMemo::AnalysisMemo(const AnalysisMemo& other)
    : entries_(other.entries_), run_(other.run_), order_(other.order_) {}

AnalysisMemo::~AnalysisMemo() {
  std::vector<Entry> all;
  for (auto& [path, entries] : entries_)
    std::move(entries.begin(), entries.end(), std::back_inserter(all));
  Drop(std::move(all));
}

// Users before what they use: an interface that is dropped last drops no chain of others with it.
void AnalysisMemo::Drop(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.order < b.order; });
  while (!entries.empty()) entries.pop_back();
}

AnalysisMemo::Entries& AnalysisMemo::At(std::string_view path) {
  const std::lock_guard lock(mutex_);
  return entries_[std::string(path)];
}

void AnalysisMemo::End() {
  std::vector<Entry> dropped;
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entries& entries = it->second;
    const auto old = std::stable_partition(entries.begin(), entries.end(),
                                           [&](const Entry& entry) { return entry.used == run_; });
    std::move(old, entries.end(), std::back_inserter(dropped));
    entries.erase(old, entries.end());
    it = entries.empty() ? entries_.erase(it) : std::next(it);
  }
  Drop(std::move(dropped));
}

std::optional<FirstLook> AnalysisMemo::Find(std::string_view path, const Key& key, bool moved_too,
                                            const flow::Surroundings& now) {
  for (Entry& entry : At(path)) {
    if (!(entry.key == key) || (entry.look.moved != nullptr && !moved_too)) continue;
    const bool stands =
        std::all_of(entry.answers.begin(), entry.answers.end(),
                    [&](const Answer& a) { return SameAnswer(now.Find(a.qualified), a.found); });
    if (!stands) continue;
    entry.used = run_;
    return entry.look;
  }
  return std::nullopt;
}

flow::InterfacePtr AnalysisMemo::LastInterface(std::string_view path) {
  const Entry* last = nullptr;
  for (const Entry& entry : At(path)) {
    if (last == nullptr || entry.used > last->used) last = &entry;
  }
  return last == nullptr ? nullptr : last->look.interface;
}

void AnalysisMemo::TakeFormer(const Entries& entries, const flow::InterfacePtr& former,
                              FirstLook* look) {
  if (look->interface == nullptr) return;
  for (const Entry& entry : entries) {
    if (entry.look.interface == nullptr || !(*look->interface == *entry.look.interface)) continue;
    look->interface = entry.look.interface;
    return;
  }
  if (former == nullptr) return;
  look->moved = flow::MovedPlaces::Between(*former, *look->interface);
  if (look->moved != nullptr) look->interface = former;
}

FirstLook AnalysisMemo::Keep(std::string_view path, const Key& key, std::vector<Answer> answers,
                             FirstLook look, const flow::InterfacePtr& former) {
  Entries& entries = At(path);
  TakeFormer(entries, former, &look);
  // One that nobody used in the last run would only be compared with again and again.
  const auto stale = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.used + 1 < run_; });
  std::uint64_t order = 0;
  {
    const std::lock_guard lock(mutex_);
    order = ++order_;
  }
  Entry entry{key, std::move(answers), std::move(look), std::nullopt, nullptr, run_, order};
  const FirstLook kept = entry.look;
  if (stale == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    *stale = std::move(entry);
  }
  return kept;
}

FoundPtr AnalysisMemo::FindAgain(std::string_view path, const FoundPtr& first,
                                 const flow::ProjectFacts& facts) {
  for (Entry& entry : At(path)) {
    if (entry.look.found == first && entry.facts && *entry.facts == facts) return entry.again;
  }
  return nullptr;
}

void AnalysisMemo::KeepAgain(std::string_view path, const FoundPtr& first, flow::ProjectFacts facts,
                             FoundPtr found) {
  for (Entry& entry : At(path)) {
    if (entry.look.found != first) continue;
    entry.facts = std::move(facts);
    entry.again = std::move(found);
    return;
  }
}

}  // namespace torchleak::driver
