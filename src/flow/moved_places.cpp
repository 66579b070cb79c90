// Both interfaces are copied without their own places, which are put into lists on the way; if the
// copies are equal, the lists say pair by pair what became of each place.
#include "flow/moved_places.h"

#include <algorithm>
#include <vector>

namespace torchleak::flow {
namespace {

class WithoutPlaces {
 public:
  explicit WithoutPlaces(const Interface& from) : copy_(from), path_(from.path) {
    for (FunctionInterface& function : copy_.functions) {
      function.row = 0;
      Strip(&function.summary);
    }
    for (ClassInterface& cls : copy_.classes) cls.row = 0;
  }

  const Interface& copy() const { return copy_; }
  const std::vector<text::Span>& places() const { return places_; }

 private:
  void Strip(Summary* summary) {
    for (StoreSummary& store : summary->stores) Strip(&store.trail);
    for (ForwardSummary& forward : summary->forwards) Strip(&forward.site);
    for (GradEffect& effect : summary->grad_effects) Strip(&effect.trail);
    for (GradVariant& variant : summary->grad_variants) {
      for (GradEffect& effect : variant.effects) Strip(&effect.trail);
    }
  }
  void Strip(std::vector<Site>* trail) {
    for (Site& site : *trail) Strip(&site);
  }
  void Strip(Site* site) {
    if (site->path != nullptr && *site->path != *path_) return;
    places_.push_back(site->span);
    site->span = {};
  }

  Interface copy_;
  PathPtr path_;
  std::vector<text::Span> places_;
};

}  // namespace

std::shared_ptr<const MovedPlaces> MovedPlaces::Between(const Interface& former,
                                                        const Interface& current) {
  if (former.functions.size() != current.functions.size()) return nullptr;
  const WithoutPlaces before(former), now(current);
  if (before.places().size() != now.places().size() || !(before.copy() == now.copy()))
    return nullptr;
  auto moved = std::make_shared<MovedPlaces>();
  for (std::size_t i = 0; i < before.places().size(); ++i) {
    const text::Span from = before.places()[i], to = now.places()[i];
    const auto [known, is_new] = moved->places_.try_emplace({from.begin, from.end}, to);
    // One place that has become two: more than moved.
    if (!is_new && !(known->second == to)) return nullptr;
  }
  return moved;
}

std::shared_ptr<const MovedPlaces> MovedPlaces::Joined(const std::shared_ptr<const MovedPlaces>& a,
                                                       const std::shared_ptr<const MovedPlaces>& b,
                                                       bool* agree) {
  *agree = true;
  if (a == nullptr || b == nullptr || a == b) return a == nullptr ? b : a;
  auto joined = std::make_shared<MovedPlaces>(*a);
  for (const auto& [from, to] : b->places_) {
    const auto [known, is_new] = joined->places_.try_emplace(from, to);
    if (!is_new && !(known->second == to)) *agree = false;
  }
  return joined;
}

text::Span MovedPlaces::Now(text::Span former) const {
  const auto known = places_.find({former.begin, former.end});
  return known == places_.end() ? former : known->second;
}

bool SameButForRows(const FileCalls& a, const FileCalls& b) {
  const auto same_arc = [](CallArc x, const CallArc& y) {
    x.row = y.row;
    return x == y;
  };
  return a.own == b.own && a.order == b.order && a.foreign == b.foreign &&
         a.graph.nodes == b.graph.nodes && a.graph.loose == b.graph.loose &&
         std::equal(a.graph.arcs.begin(), a.graph.arcs.end(), b.graph.arcs.begin(),
                    b.graph.arcs.end(), same_arc);
}

}  // namespace torchleak::flow
