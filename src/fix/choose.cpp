#include "fix/choose.h"

#include <algorithm>
#include <tuple>

namespace torchleak::fix {
namespace {

bool Same(const Replacement& a, const Replacement& b) {
  return a.span == b.span && a.content == b.content;
}

bool SameEdits(const Edits& a, const Edits& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), Same);
}

bool SameFix(const EditSet& a, const EditSet& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && SameEdits(x.second, y.second);
  });
}

bool IsInsertion(const Replacement& edit) { return edit.span.begin == edit.span.end; }

// Only such an insertion means the same for two fixes that differ elsewhere. Four blanks in front
// of a line do not: each of two blocks around that line needs its own.
bool InsertsLines(const Replacement& edit) {
  return IsInsertion(edit) && !edit.content.empty() &&
         (edit.content.back() == '\n' || edit.content.back() == '\r');
}

// Neighbours that replace are fine; an insertion that meets another edit is not: who is first?
bool Collide(const Replacement& a, const Replacement& b) {
  if (IsInsertion(a) || IsInsertion(b)) {
    return a.span.begin <= b.span.end && b.span.begin <= a.span.end;
  }
  return a.span.begin < b.span.end && b.span.begin < a.span.end;
}

bool Less(const Replacement& a, const Replacement& b) {
  return std::tie(a.span.begin, a.span.end) < std::tie(b.span.begin, b.span.end);
}

// Those of `edits` that are not yet in `into`; false when one collides.
bool NewEdits(const Edits& edits, const Edits& into, Edits* fresh) {
  for (const Replacement& edit : edits) {
    // Sorted and free of overlaps: what could collide lies just before or after.
    auto at = std::lower_bound(into.begin(), into.end(), edit, Less);
    while (at != into.begin() && Collide(*(at - 1), edit)) --at;
    bool shared = false;
    for (; at != into.end() && at->span.begin <= edit.span.end; ++at) {
      if (Same(*at, edit) && InsertsLines(edit)) {
        shared = true;
      } else if (Collide(*at, edit)) {
        return false;
      }
    }
    if (!shared) fresh->push_back(edit);
  }
  return true;
}

}  // namespace

bool Together::Add(const EditSet& fix) {
  if (fix.empty()) return true;
  std::vector<EditSet>& neighbours = added_[fix.begin()->first];
  if (std::any_of(neighbours.begin(), neighbours.end(),
                  [&](const EditSet& other) { return SameFix(other, fix); })) {
    return true;
  }
  EditSet fresh;
  for (const auto& [path, edits] : fix) {
    const auto into = edits_.find(path);
    if (into == edits_.end()) {
      fresh[path] = edits;
    } else if (!NewEdits(edits, into->second, &fresh[path])) {
      return false;
    }
  }
  for (const auto& [path, edits] : fresh) {
    Edits& into = edits_[path];
    into.insert(into.end(), edits.begin(), edits.end());
    std::stable_sort(into.begin(), into.end(), Less);
  }
  neighbours.push_back(fix);
  return true;
}

}  // namespace torchleak::fix
