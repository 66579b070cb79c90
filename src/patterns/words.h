// Words: what the names and the text of expressions say, for the themes of this layer. The weakest
// evidence: it only decides beside something that is known.
#pragma once

#include <initializer_list>
#include <string_view>

#include "patterns/sight.h"

namespace torchleak::patterns {

inline bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
// Does the text hold one of these, in any letter case? The words are given in lower case.
bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> words);
// One of these as a whole word: letters, digits and underscores around it make another one.
bool HoldsWord(std::string_view text, std::string_view word);
// Names of keys that have few values by nature: places, types, parts of one model.
bool IsFewValued(std::string_view name);
// States of a few numbers each, whatever they are loaded from: of schedulers, scalers, generators.
bool IsSmallState(std::string_view name);
// The last part of a dotted name: "c" of "a.b.c".
std::string_view LastName(std::string_view dotted);
// The name of a variable, or of the last attribute of a path: the same place in all functions of a
// file, as far as names tell. Empty for kNoSlot.
std::string_view NameOf(const Sight& sight, const flow::Body& body, flow::SlotId slot);
// Can objects of the one class be objects of the other? One is the other's base, or both are one.
bool IsKin(const sema::Module& module, sema::ClassId a, sema::ClassId b);
// What is called, without its arguments: "self.scaler.load_state_dict".
std::string_view CalledText(const Sight& sight, const flow::Call& call);

}  // namespace torchleak::patterns
