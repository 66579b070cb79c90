// The pure function at the heart of torchleak: one source and a set of rules in, findings out.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/rule.h"
#include "flow/events.h"
#include "flow/explain.h"
#include "flow/joined_calls.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::engine {

// Byte scan: could any of the rules fire in this file? Runs before parsing, costs a few percent of
// it.
bool MayMatter(std::string_view bytes, std::span<const Rule* const> rules);

// What a file is analysed with and what is wanted of it.
struct Surrounding {
  const flow::Surroundings* files = nullptr;    // null: the file stands alone
  const flow::ProjectFacts* project = nullptr;  // null: its callers elsewhere are not known
  bool wants_interface = false;                 // others import it
  bool imported_by_none = false;                // as far as the project is known, which it must be
  std::optional<TorchVersion> target = {};      // the oldest torch it must run with, if said
};

struct Analyzed {
  std::vector<findings::Finding> findings;  // in source order, without fingerprints
  bool complete = true;  // all of it parses, and no function was too large to be analysed
  flow::InterfacePtr interface;
  flow::FileCallsPtr calls;       // with the interface
  bool forwards_do_more = false;  // see flow/known_code.h
};

// The tree must be that of the source.
Analyzed Analyze(const text::Source& source, const syntax::Tree& tree,
                 std::span<const Rule* const> rules, const Surrounding& surrounding = {});
Analyzed Analyze(const text::Source& source, std::span<const Rule* const> rules,
                 const Surrounding& surrounding = {});

// `torchleak why FILE:LINE`: what was believed at a row, and why each rule did or did not report,
// as plain text for people.
std::string Explain(const text::Source& source, std::uint32_t row,
                    std::span<const Rule* const> rules, const Surrounding& surrounding = {});

// What was believed at a row, for those who say it in their own form. The tree must be that of the
// source.
flow::RowExplanation KnownAt(const text::Source& source, const syntax::Tree& tree,
                             std::uint32_t row, const Surrounding& surrounding = {});

}  // namespace torchleak::engine
