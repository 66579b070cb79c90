// One file of a run once more, with another text. It is alone in that when it tells the others what
// they know, except where its code stands.
#include "driver/project_run.h"

namespace torchleak::driver {

bool ProjectRun::Revise(std::string_view path, std::span<const engine::Rule* const> rules,
                        Outcome* outcome) {
  const std::size_t position = PositionOf(map_.index->Find(path));
  const File& file = files_[position];
  if (file.start == kNoStart) return false;
  rules_ = rules;
  gives_way_ = nullptr;
  *outcome = {};
  ParsedPtr kept;
  Told& told = told_[position];
  FirstLook first;
  if (file.in_circle) {
    first = LookAt(position, {false, Pass::kFirst, told.first}, &kept, &outcome->error);
    if (first.interface != told.first) first.interface = nullptr;
  }
  const Pass pass = file.in_circle ? Pass::kSecond : Pass::kOnly;
  FirstLook look = LookAt(position, {true, pass, told.interface}, &kept, &outcome->error);
  bool agree = true;
  const auto moved = flow::MovedPlaces::Joined(first.moved, look.moved, &agree);
  outcome->found = look.found;
  if (!agree || (file.in_circle && first.interface == nullptr) || !IsAsTold(position, look))
    return false;
  if (file.imported) told.moved = moved;
  if (file.imported && outcome->found != nullptr && !outcome->found->findings.empty())
    outcome->found = Again(position, rules, outcome->found);
  return true;
}

// Does it tell others what they know?
bool ProjectRun::IsAsTold(std::size_t position, const FirstLook& look) const {
  const File& file = files_[position];
  const Told& told = told_[position];
  const bool same_calls =
      look.calls == told.calls ||
      (look.calls != nullptr && told.calls != nullptr && SameButForRows(*look.calls, *told.calls));
  if (!same_calls || look.forwards_do_more != told.forwards_do_more) return false;
  if (file.imported && look.interface != told.interface) return false;
  return !file.imports || look.interface == nullptr || look.interface->uses == told.uses;
}

ProjectRun::Moved ProjectRun::MovedFiles() const {
  Moved moved;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (told_[i].moved != nullptr) moved.emplace(files_[i].display, told_[i].moved);
  }
  return moved;
}

}  // namespace torchleak::driver
