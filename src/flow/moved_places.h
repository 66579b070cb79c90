// MovedPlaces: an edit that only moves code says nothing new to other files, but the places that
// they point to are elsewhere now.
//
// Each key press above a function moves it. Were that another interface, all files that use it, and
// all that use those, had to be analysed again: 2.5 s for one line more in a module of diffusers,
// against 10 ms. So the former interface stays, with its places, and whoever shows one of them asks
// where it is now.
//
//   if (auto moved = MovedPlaces::Between(*former, *current)) …   // former goes on to stand for it
//   step.location.span = moved->Now(step.location.span);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "flow/interface.h"
#include "flow/joined_calls.h"
#include "text/source.h"

namespace torchleak::flow {

class MovedPlaces {
 public:
  // Null when the two differ in more than the places in their own file.
  static std::shared_ptr<const MovedPlaces> Between(const Interface& former,
                                                    const Interface& current);

  // Both of them; null when they disagree. Either may be null.
  static std::shared_ptr<const MovedPlaces> Joined(const std::shared_ptr<const MovedPlaces>& a,
                                                   const std::shared_ptr<const MovedPlaces>& b,
                                                   bool* agree);

  // A place of the former interface. One that it does not name is given back.
  text::Span Now(text::Span former) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, text::Span> places_;
};

// The same but for the rows of the calls, which only `why` names.
bool SameButForRows(const FileCalls& a, const FileCalls& b);

}  // namespace torchleak::flow
