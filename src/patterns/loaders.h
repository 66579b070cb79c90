// Loaders: where a file makes data loaders, and which of these a value is.
//
//   const Loaders loaders(sight, trace);
//   for (const LoaderSite& site : loaders.all()) if (site.workers == Workers::kSome) …
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "patterns/trace.h"

namespace torchleak::patterns {

enum class Workers : std::uint8_t { kNone, kMaybe, kSome };  // 0 or unsaid; some number; a number

struct LoaderSite {
  CallSite site;
  Workers workers = Workers::kNone;
  flow::ValueId dataset = flow::kNoValue;
};

class Loaders {
 public:
  Loaders(const Sight& sight, const Trace& trace);
  std::span<const LoaderSite> all() const { return all_; }
  // The one behind a value, through variables of this or an enclosing function, through attributes
  // that nothing else is assigned to, and through functions that return it; nullptr when unknown.
  const LoaderSite* Behind(const flow::FunctionResult& r, flow::ValueId value) const;
  // Does this function return the loader?
  bool Returns(const LoaderSite& loader) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);  // several, or something else
  Workers WorkersOf(const CallSite& site) const;
  flow::ValueId InOptions(const CallSite& site) const;
  void FindAttributes();
  std::size_t At(const flow::FunctionResult& r, flow::ValueId value) const;

  const Sight& sight_;
  const Trace& trace_;
  std::vector<LoaderSite> all_;
  std::unordered_map<std::uint32_t, std::size_t> by_node_;       // of the call
  std::unordered_map<std::uint32_t, std::size_t> by_attribute_;  // by name
  std::unordered_map<std::uint32_t, std::size_t> by_function_;   // that returns it
};

}  // namespace torchleak::patterns
