// Words: what the names and the text of expressions say, for the themes of this layer. The weakest
// evidence: it only decides beside something that is known.
#pragma once

#include <initializer_list>
#include <string_view>

#include "patterns/sight.h"

namespace torchleak::patterns {

// Does the text hold one of these, in any letter case? The words are given in lower case.
bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> words);
// One of these as a whole word: letters, digits and underscores around it make another one.
bool HoldsWord(std::string_view text, std::string_view word);
// The last part of a dotted name: "c" of "a.b.c".
std::string_view LastName(std::string_view dotted);
// What is called, without its arguments: "self.scaler.load_state_dict".
std::string_view CalleeText(const Sight& sight, const flow::Call& call);

}  // namespace torchleak::patterns
