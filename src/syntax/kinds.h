// Kind and Field: what a node is and which place of its parent it fills, as small integers.
//
// One enumerator for each named node type and field of the Python grammar, `k` + UpperCamel:
// `for_in_clause` is Kind::kForInClause, `left` is Field::kLeft. The list is node_kinds.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace torchleak::syntax {

enum class Kind : std::uint16_t {
  kUnknown,  // a symbol the list does not have; no node of the pinned grammar gets it
  kError,    // text the parser could not fit in
  kToken,    // anonymous token that fills a field, such as an operator: read its text
#define TORCHLEAK_KIND(name, enumerator) enumerator,
#include "syntax/node_kinds.def"
};

enum class Field : std::uint8_t {
  kNone,
#define TORCHLEAK_FIELD(name, enumerator) enumerator,
#include "syntax/node_kinds.def"
};

inline constexpr std::size_t kKindCount = 3
#define TORCHLEAK_KIND(name, enumerator) +1
#include "syntax/node_kinds.def"
    ;
inline constexpr std::size_t kFieldCount = 1
#define TORCHLEAK_FIELD(name, enumerator) +1
#include "syntax/node_kinds.def"
    ;

// The grammar's name ("for_in_clause"); "UNKNOWN", "ERROR" and "TOKEN" for the three of our own.
std::string_view Name(Kind kind);
// The grammar's name ("left"); empty for Field::kNone.
std::string_view Name(Field field);

}  // namespace torchleak::syntax
