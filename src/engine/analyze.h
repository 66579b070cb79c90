// The pure function at the heart of torchleak: one source and a set of rules in, findings out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/rule.h"
#include "text/source.h"

namespace torchleak::engine {

// Byte scan: could any of the rules fire in this file? Runs before parsing, costs a few percent of
// it.
bool MayMatter(std::string_view bytes, std::span<const Rule* const> rules);

// Findings in source order, without fingerprints (they depend on the run's root).
std::vector<findings::Finding> Analyze(const text::Source& source,
                                       std::span<const Rule* const> rules);

// `torchleak why FILE:LINE`: what was believed at a row, and why each rule did or did not report,
// as plain text for people.
std::string Explain(const text::Source& source, std::uint32_t row,
                    std::span<const Rule* const> rules);

}  // namespace torchleak::engine
