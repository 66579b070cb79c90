// Several symbols of the parser share a name (`lambda` has two, `tuple_pattern` too), so the table
// goes by name. It is filled from node_kinds.def: 274 symbols, once.
#include "syntax/symbols.h"

#include <string_view>
#include <unordered_map>

namespace torchleak::syntax {
namespace {

std::unordered_map<std::string_view, Kind> KindsByName() {
  return {
#define TORCHLEAK_KIND(name, enumerator) {#name, Kind::enumerator},
#include "syntax/node_kinds.def"
  };
}

std::unordered_map<std::string_view, Field> FieldsByName() {
  return {
#define TORCHLEAK_FIELD(name, enumerator) {#name, Field::enumerator},
#include "syntax/node_kinds.def"
  };
}

SymbolInfo InfoOf(const TSLanguage* language, TSSymbol symbol,
                  const std::unordered_map<std::string_view, Kind>& kinds) {
  const std::string_view name = ts_language_symbol_name(language, symbol);
  if (ts_language_symbol_type(language, symbol) != TSSymbolTypeRegular)
    return {Kind::kToken, name == "async" ? Role::kAsync : Role::kToken};
  const auto found = kinds.find(name);
  const Kind kind = found == kinds.end() ? Kind::kUnknown : found->second;
  if (kind == Kind::kComment) return {kind, Role::kComment};
  if (kind == Kind::kLineContinuation) return {kind, Role::kDropped};
  return {kind, Role::kNode};
}

}  // namespace

const SymbolTable& SymbolTable::Instance() {
  static const SymbolTable table;
  return table;
}

SymbolTable::SymbolTable() {
  const TSLanguage* language = tree_sitter_python();
  const auto kinds = KindsByName();
  const std::uint32_t symbol_count = ts_language_symbol_count(language);
  symbols_.reserve(symbol_count);
  for (std::uint32_t symbol = 0; symbol < symbol_count; ++symbol)
    symbols_.push_back(InfoOf(language, static_cast<TSSymbol>(symbol), kinds));

  const auto fields = FieldsByName();
  const std::uint32_t field_count = ts_language_field_count(language);
  fields_.assign(field_count + 1, Field::kNone);
  for (std::uint32_t id = 1; id <= field_count; ++id) {
    const auto field =
        fields.find(ts_language_field_name_for_id(language, static_cast<TSFieldId>(id)));
    if (field != fields.end()) fields_[id] = field->second;
  }
}

bool SymbolTable::KeepsTokens(Kind kind) {
  switch (kind) {
    case Kind::kAugmentedAssignment:
    case Kind::kBinaryOperator:
    case Kind::kBooleanOperator:
    case Kind::kComparisonOperator:
    case Kind::kUnaryOperator:
    case Kind::kDictPattern:
      return true;
    default:
      return false;  // also for_in_clause, whose commas carry the field `right`
  }
}

}  // namespace torchleak::syntax
