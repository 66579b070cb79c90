// Our list of kinds and fields against the compiled grammar, in both directions.
#include "syntax/kinds.h"

#include <doctest/doctest.h>
#include <tree_sitter/api.h>

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/symbols.h"

namespace torchleak::syntax {
namespace {

struct Entry {
  std::string_view name;
  std::string_view enumerator;
};

const std::vector<Entry> kKinds = {
#define TORCHLEAK_KIND(name, enumerator) {#name, #enumerator},
#include "syntax/node_kinds.def"
};

const std::vector<Entry> kFields = {
#define TORCHLEAK_FIELD(name, enumerator) {#name, #enumerator},
#include "syntax/node_kinds.def"
};

std::set<std::string> Names(const std::vector<Entry>& entries) {
  std::set<std::string> names;
  for (const Entry& entry : entries) names.emplace(entry.name);
  return names;
}

std::string Enumerator(std::string_view name) {
  std::string out = "k";
  bool upper = true;
  for (char c : name) {
    if (c != '_') out += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_';
  }
  return out;
}

TEST_CASE("the kinds are the visible named symbols of the grammar") {
  const TSLanguage* language = tree_sitter_python();
  std::set<std::string> grammar;
  for (std::uint32_t i = 0; i < ts_language_symbol_count(language); ++i) {
    const auto symbol = static_cast<TSSymbol>(i);
    if (ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular)
      grammar.insert(ts_language_symbol_name(language, symbol));
  }
  CHECK(Names(kKinds) == grammar);
  CHECK(kKinds.size() == grammar.size());
  CHECK(kKindCount == grammar.size() + 3);
}

TEST_CASE("the fields are those of the grammar") {
  const TSLanguage* language = tree_sitter_python();
  std::set<std::string> grammar;
  for (std::uint32_t id = 1; id <= ts_language_field_count(language); ++id)
    grammar.insert(ts_language_field_name_for_id(language, static_cast<TSFieldId>(id)));
  CHECK(Names(kFields) == grammar);
  CHECK(kFieldCount == grammar.size() + 1);
}

TEST_CASE("every symbol of the grammar is mapped to the kind of its name") {
  const TSLanguage* language = tree_sitter_python();
  const SymbolTable& table = SymbolTable::Instance();
  for (std::uint32_t i = 0; i < ts_language_symbol_count(language); ++i) {
    const auto symbol = static_cast<TSSymbol>(i);
    const std::string_view name = ts_language_symbol_name(language, symbol);
    CAPTURE(name);
    const SymbolInfo info = table.Info(symbol);
    if (ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular) {
      CHECK(info.kind != Kind::kUnknown);
      CHECK(Name(info.kind) == name);
    } else {
      CHECK(info.kind == Kind::kToken);
    }
  }
  CHECK(table.Info(static_cast<TSSymbol>(-1)).kind == Kind::kError);
  for (std::uint32_t id = 1; id <= ts_language_field_count(language); ++id) {
    const auto field = static_cast<TSFieldId>(id);
    CHECK(Name(table.FieldOf(field)) == ts_language_field_name_for_id(language, field));
  }
  CHECK(table.FieldOf(0) == Field::kNone);
}

TEST_CASE("enumerators are the names in UpperCamel") {
  for (const auto& entries : {kKinds, kFields})
    for (const Entry& entry : entries) CHECK(Enumerator(entry.name) == entry.enumerator);
}

TEST_CASE("names of our own") {
  CHECK(Name(Kind::kUnknown) == "UNKNOWN");
  CHECK(Name(Kind::kError) == "ERROR");
  CHECK(Name(Kind::kToken) == "TOKEN");
  CHECK(Name(Kind::kForInClause) == "for_in_clause");
  CHECK(Name(Field::kNone).empty());
  CHECK(Name(Field::kLeft) == "left");
}

}  // namespace
}  // namespace torchleak::syntax
