// Examples and defaults are TOML in the table; through the reader's own document they become JSON,
// so that they cannot be of another kind than what is read.
#include "config/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "config/document.h"
#include "config/options.h"
#include "engine/rule.h"

namespace torchleak::config {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Node& node) {  // at most kDeepest calls deep
  if (node.kind == Node::Kind::kFlag) return node.flag;
  if (node.kind == Node::Kind::kText) return node.text;
  if (node.kind == Node::Kind::kList) {
    Json list = Json::array();
    for (const Node& item : node.items) list.push_back(ToJson(item));
    return list;
  }
  Json table = Json::object();
  for (const Member& member : node.members) table[member.key] = ToJson(member.value);
  return table;
}

Json FromToml(std::string_view toml) {
  const Document document = ParseToml(fmt::format("v = {}", toml));
  const Member* value = document.root.Find("v");
  return value == nullptr ? Json() : ToJson(value->value);
}

// Every spelling that is offered: ALL, beginnings of codes, codes, names.
Json Selectors() {
  std::set<std::string> beginnings;
  Json codes = Json::array(), names = Json::array();
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string code(rule->info().code);
    for (std::size_t length = 3; length < code.size(); ++length) {
      beginnings.insert(code.substr(0, length));
    }
    codes.push_back(code);
    names.push_back(rule->info().name);
  }
  Json all = Json::array({"ALL"});
  for (const std::string& beginning : beginnings) all.push_back(beginning);
  all.insert(all.end(), codes.begin(), codes.end());
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

Json Choices(const Option& option) {
  Json values = Json::array();
  for (const std::string_view choice : option.choices) values.push_back(choice);
  return {{"type", "string"}, {"enum", values}};
}

Json TypeSchema(const Option& option) {
  const Json selector = {{"$ref", "#/definitions/selector"}};
  switch (option.type) {
    case Type::kFlag:
      return {{"type", "boolean"}};
    case Type::kChoice:
      return Choices(option);
    case Type::kPath:
      return {{"type", "string"}, {"minLength", 1}};
    case Type::kVersion:
      return {{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]+$"}, {"maxLength", 9}};
    case Type::kPatterns:
      return {{"type", "array"}, {"items", {{"$ref", "#/definitions/pattern"}}}};
    case Type::kSelectors:
      return {{"type", "array"}, {"items", selector}};
    case Type::kPerFile:
      return {{"type", "object"},
              {"propertyNames", {{"$ref", "#/definitions/pattern"}}},
              {"additionalProperties", {{"type", "array"}, {"items", selector}}}};
    case Type::kPerRule:
      return {{"type", "object"},
              {"propertyNames", selector},
              {"additionalProperties", Choices(option)}};
  }
  return {};
}

Json Property(const Option& option) {
  Json property = {{"description", option.description}};
  property.update(TypeSchema(option));
  const std::string preset = ToToml(option, DefaultOf(option));
  if (!preset.empty() && option.key != "select") property["default"] = FromToml(preset);
  property["examples"] = Json::array({FromToml(option.example)});
  return property;
}

}  // namespace

std::string JsonSchema() {
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "torchleak"},
      {"description", "torchleak.toml, .torchleak.toml, and [tool.torchleak] of pyproject.toml"},
      {"type", "object"}};
  Json properties = Json::object();
  for (const Option& option : Options()) properties[std::string(option.key)] = Property(option);
  schema["properties"] = std::move(properties);
  schema["additionalProperties"] = false;
  schema["definitions"] = {
      {"selector",
       {{"description", "A code, the beginning of one, a name, or ALL"},
        {"type", "string"},
        {"enum", Selectors()}}},
      {"pattern",
       {{"description", "As in .gitignore, relative to the folder of the file"},
        {"type", "string"},
        {"pattern", "[^!/ ]"}}}};
  return schema.dump(2) + '\n';
}

}  // namespace torchleak::config
