#include "lsp/protocol.h"

#include <doctest/doctest.h>

#include <string>

namespace torchleak::lsp {
namespace {

TEST_CASE("members that are missing or of another type are named") {
  const auto error = [](const char* text, auto read) {
    const Json json = Json::parse(text);
    const Fields fields(json, "params");
    read(fields);
    return fields.error() ? fields.error()->message : std::string();
  };
  const auto range = [](const Fields& fields) { ReadRange(fields.At("range")); };
  CHECK(
      error(R"({"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}}})", range)
          .empty());
  CHECK(error("[]", range) == "params: expected an object");
  CHECK(error("{}", range) == "params.range: expected an object");
  CHECK(error(R"({"range":{"start":{"line":"1"}}})", range) ==
        "params.range.start.line: expected a whole number");
  CHECK(error(R"({"range":{"start":{"line":1.5}}})", range) ==
        "params.range.start.line: expected a whole number");
  CHECK(error(R"({"range":{"start":{"line":-1}}})", range) ==
        "params.range.start.line: expected a number from 0");
  const auto changes = [](const Fields& fields) { ReadContentChanges(fields, "changes"); };
  CHECK(error(R"({"changes":[{"text":""},1]})", changes) ==
        "params.changes[1]: expected an object");
  CHECK(error(R"({"changes":[{"text":1}]})", changes) ==
        "params.changes[0].text: expected a string");
  CHECK(error(R"({"changes":{}})", changes) == "params.changes: expected an array");
  CHECK(error(R"({"changes":[{"text":"","range":[]}]})", changes) ==
        "params.changes[0].range: expected an object");
}

TEST_CASE("numbers without measure are the largest") {
  const Json json = Json::parse(R"({"a":99999999999,"b":18446744073709551615,"c":-9})");
  const Fields fields(json, "x");
  CHECK(fields.Unsigned("a") == 2147483647);
  CHECK(fields.Unsigned("b") == 2147483647);
  CHECK(fields.Integer("c") == -9);
  CHECK_FALSE(fields.error());
}

TEST_CASE("a diagnostic has what it has") {
  Diagnostic diagnostic;
  diagnostic.message = "m";
  CHECK(ToJson(diagnostic).size() == 4);
  diagnostic.code = "TLK101";
  diagnostic.code_href = "https://example.org";
  diagnostic.tags = {DiagnosticTag::kUnnecessary};
  diagnostic.related = {{{"file:///a", {}}, "here"}};
  diagnostic.data = {{"k", 1}};
  const Json json = ToJson(diagnostic);
  CHECK(json["codeDescription"]["href"] == "https://example.org");
  CHECK(json["tags"] == Json::array({1}));
  CHECK(json["relatedInformation"][0]["location"]["uri"] == "file:///a");
  CHECK(json["severity"] == 2);
  CHECK_FALSE(ToJson(diagnostic, false).contains("relatedInformation"));
}

TEST_CASE("edits in both forms") {
  CodeAction action;
  action.title = "t";
  action.edit = WorkspaceEdit{{{"file:///a", 3, {{{{0, 1}, {0, 2}}, "x"}}}, {"file:///b", {}, {}}}};
  const Json old = ToJson(action, EditForm::kChanges)["edit"];
  CHECK(old["changes"]["file:///a"][0]["newText"] == "x");
  CHECK(old["changes"]["file:///b"] == Json::array());
  const Json changes = ToJson(action, EditForm::kDocumentChanges)["edit"]["documentChanges"];
  CHECK(changes[0]["textDocument"] == Json{{"uri", "file:///a"}, {"version", 3}});
  CHECK(changes[1]["textDocument"]["version"].is_null());
  CHECK_FALSE(ToJson(action, EditForm::kChanges).contains("isPreferred"));
  CHECK(ToJson(Hover{"x", {}}, false)["contents"]["kind"] == "plaintext");
}

}  // namespace
}  // namespace torchleak::lsp
