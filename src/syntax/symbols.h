// SymbolTable: from the grammar's numbers to our kinds and fields, built once for the process.
#pragma once

#include <tree_sitter/api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "syntax/kinds.h"

extern "C" const TSLanguage* tree_sitter_python(void);

namespace torchleak::syntax {

// What the flat table does with a node of the parser.
enum class Role : std::uint8_t {
  kNode,     // becomes a node
  kToken,    // anonymous: becomes Kind::kToken where it fills a field, else nothing
  kAsync,    // the word `async`: a flag of its parent
  kComment,  // listed apart
  kDropped,  // line_continuation
};

struct SymbolInfo {
  Kind kind = Kind::kUnknown;
  Role role = Role::kNode;
};

class SymbolTable {
 public:
  // Thread-safe; the table never changes afterwards.
  static const SymbolTable& Instance();

  SymbolInfo Info(TSSymbol symbol) const {
    // The ERROR symbol is the largest number there is, beyond every table.
    return symbol < symbols_.size() ? symbols_[symbol] : SymbolInfo{Kind::kError, Role::kNode};
  }
  Field FieldOf(TSFieldId id) const { return fields_[id]; }

  // Whether children of this kind that are mere tokens can fill a field.
  static bool KeepsTokens(Kind kind);

 private:
  SymbolTable();

  std::vector<SymbolInfo> symbols_;  // by TSSymbol
  std::vector<Field> fields_;        // by TSFieldId; id 0 means no field
};

}  // namespace torchleak::syntax
