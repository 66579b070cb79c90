#include "syntax/kinds.h"

#include <array>

namespace torchleak::syntax {
namespace {

constexpr std::array<std::string_view, kKindCount> kKindNames = {
    "UNKNOWN",
    "ERROR",
    "TOKEN",
#define TORCHLEAK_KIND(name, enumerator) #name,
#include "syntax/node_kinds.def"
};

constexpr std::array<std::string_view, kFieldCount> kFieldNames = {
    "",
#define TORCHLEAK_FIELD(name, enumerator) #name,
#include "syntax/node_kinds.def"
};

}  // namespace

std::string_view Name(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string_view Name(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

}  // namespace torchleak::syntax
