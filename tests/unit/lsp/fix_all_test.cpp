// All fixes at once give what `torchleak check --fix` writes.
#include <doctest/doctest.h>

#include "driver/fix_run.h"
#include "tests/unit/lsp/editor.h"

namespace torchleak::lsp {
namespace {

// Safe: grad is off around the loop and a comment goes. Not safe: `.item()`.
constexpr const char* kMixed =
    "import torch\nx = 1  # noqa: TLK101\n\n\n"
    "def evaluate(model: torch.nn.Module, loader):\n    model.eval()\n    correct = 0\n"
    "    for x, y in loader:\n        correct += (model(x).argmax(1) == y).sum().item()\n"
    "    model.train()\n    return correct\n\n\n"
    "def main(model, loader):\n    total = 0.0\n    for batch in loader:\n"
    "        loss = model(batch).mean(); loss.backward()\n        total += loss\n    "
    "print(evaluate(model, loader))\n    return total\n";

// What --fix writes to the file.
std::string Fixed(Editor& editor, const std::string& path, const std::string& text) {
  const driver::FixPolicy policy{.unsafe = false, .wanted = [&](const findings::Finding& f) {
                                   return f.location.path == path;
                                 }};
  const auto plan = driver::PlanFixes(editor.Options({{path, text}}), policy, driver::Check);
  REQUIRE(plan);
  const driver::FixedFile* file = plan->FileAt(path);
  return file == nullptr ? text : file->after.raw();
}

const Json kAnyRange = {{"start", {{"line", 0}, {"character", 0}}},
                        {"end", {{"line", 0}, {"character", 0}}}};
const Json kResolves = {
    {"textDocument", {{"codeAction", {{"resolveSupport", {{"properties", {"edit"}}}}}}}}};

TEST_CASE("fix all is what --fix writes") {
  const std::string mark = "\xEF\xBB\xBF";
  std::string crlf;
  for (const char c : std::string(kMixed)) c == '\n' ? crlf += "\r\n" : crlf += c;
  for (const std::string& text : {std::string(kMixed), mark + kMixed, crlf, mark + crlf,
                                  "'😀'; y = 2  # noqa: TLK101\n" + std::string(kMixed)}) {
    for (const char* encoding : {"utf-8", "utf-16"}) {
      Editor editor;
      editor.encoding = encoding;
      editor.tree.Write("a.py", text);
      editor.Start();
      editor.Show("a.py", text);
      const Json actions = editor.Actions(editor.Uri("a.py"), kAnyRange, {"source.fixAll"});
      REQUIRE(actions.size() == 1);
      REQUIRE(editor.At("a.py").size() >= 3);
      const std::string fixed =
          WithEdits(text, actions[0]["edit"]["changes"][editor.Uri("a.py")], encoding);
      CHECK(fixed == Fixed(editor, "a.py", text));
      CHECK(fixed.find("no_grad") != std::string::npos);
      CHECK(fixed.find("noqa") == std::string::npos);
      CHECK(fixed.find("total += loss\n") ==
            (text.find('\r') == std::string::npos ? fixed.find("total +=") : std::string::npos));
      // The trial has left no trace.
      editor.Type("a.py", 2, text);
      editor.tree.Write("a.py", text);
      CHECK(Said(editor.At("a.py")) == editor.Expected("a.py"));
      editor.Type("a.py", 3, fixed);
      editor.tree.Write("a.py", fixed);
      CHECK(Said(editor.At("a.py")) == editor.Expected("a.py"));
      CHECK(editor.Actions(editor.Uri("a.py"), kAnyRange, {"source.fixAll"}).empty());
    }
  }
}

TEST_CASE("it is offered to clients that resolve, and worked out then") {
  Editor editor;
  editor.Start(kResolves);
  editor.Show("a.py", kMixed);
  const Json action = ActionNamed(editor.Actions(editor.Uri("a.py"), kAnyRange), "Fix all");
  CHECK_FALSE(action.contains("edit"));
  const Json resolved = editor.Ask("codeAction/resolve", action)["result"];
  CHECK(resolved["title"] == action["title"]);
  const std::string fixed = WithEdits(kMixed, resolved["edit"]["changes"][editor.Uri("a.py")]);
  CHECK(fixed == Fixed(editor, "a.py", kMixed));
  // Whoever asks for it by its name gets it at once.
  const Json named = editor.Actions(editor.Uri("a.py"), kAnyRange, {"source.fixAll.torchleak"});
  CHECK(named[0]["edit"] == resolved["edit"]);
  // Old clients are not offered what they cannot have.
  Editor old;
  old.Start();
  old.Show("a.py", kMixed);
  CHECK(old.Actions(old.Uri("a.py"), kAnyRange).empty());
}

TEST_CASE("what was closed meanwhile resolves to no edit") {
  Editor editor;
  editor.Start(kResolves);
  editor.Show("a.py", kMixed);
  const Json action = ActionNamed(editor.Actions(editor.Uri("a.py"), kAnyRange), "Fix all");
  editor.Close("a.py");
  const Json resolved = editor.Ask("codeAction/resolve", action)["result"];
  CHECK(resolved["edit"]["changes"].empty());
}

TEST_CASE("only the document is fixed, with what is known of the others") {
  Editor editor;
  editor.tree.Write("b.py", kUnused);
  editor.tree.Write("a.py", kUnused);
  editor.Start();
  editor.Show("a.py", kUnused);
  editor.Show("b.py", kUnused);
  const Json edit = editor.Actions(editor.Uri("a.py"), kAnyRange, {"source"})[0]["edit"];
  CHECK(edit["changes"].size() == 1);
  CHECK(edit["changes"].contains(editor.Uri("a.py")));
  CHECK(editor.At("b.py").size() == 1);
}

TEST_CASE("torchleak.applyFixAll asks the client to do it") {
  Editor editor;
  editor.Start(
      {{"workspace", {{"applyEdit", true}, {"workspaceEdit", {{"documentChanges", true}}}}}});
  editor.Show("a.py", kUnused);
  const auto run = [&](const Json& arguments) {
    return editor.Ask("workspace/executeCommand",
                      {{"command", "torchleak.applyFixAll"}, {"arguments", arguments}});
  };
  CHECK(run({editor.Uri("a.py")})["result"].is_null());
  const std::vector<Json> asked = editor.Take("workspace/applyEdit");
  REQUIRE(asked.size() == 1);
  const Json change = asked[0]["edit"]["documentChanges"][0];
  CHECK(change["textDocument"]["version"] == 1);
  CHECK(WithEdits(kUnused, change["edits"]) == "import torch\nx = 1\n");
  run({editor.Uri("a.py")});
  editor.Complaints();
  editor.Answer("workspace/applyEdit", {{"applied", false}});
  CHECK(editor.Complaints().find("did not apply") != std::string::npos);
  run({editor.Uri("a.py")});
  editor.Answer("workspace/applyEdit", {{"applied", true}});
  CHECK(editor.Complaints().empty());
  for (const Json& wrong : {Json{{"applied", "yes"}}, Json(nullptr), Json(5)}) {
    run({editor.Uri("a.py")});
    editor.Answer("workspace/applyEdit", wrong);
    CHECK(editor.Complaints().find("did not apply") != std::string::npos);
  }
  editor.Type("a.py", 2, kTraining);
  run({editor.Uri("a.py")});
  CHECK(editor.Take("workspace/applyEdit").empty());
  CHECK(editor.Complaints().find("nothing here is safe to fix") != std::string::npos);
  run({"file:///not/open.py"});
  CHECK(editor.Take("workspace/applyEdit").empty());
}

TEST_CASE("torchleak.showRule opens the page, or says where it is") {
  const auto run = [](Editor& editor, const Json& argument) {
    return editor.Ask("workspace/executeCommand",
                      {{"command", "torchleak.showRule"}, {"arguments", {argument}}});
  };
  Editor editor;
  editor.Start({{"window", {{"showDocument", {{"support", true}}}}}});
  CHECK(run(editor, "TLK101")["result"].is_null());
  std::vector<Json> asked = editor.Take("window/showDocument");
  REQUIRE(asked.size() == 1);
  CHECK(asked[0]["external"] == true);
  CHECK(asked[0]["uri"].get<std::string>().find("accumulated-tensor") != std::string::npos);
  run(editor, "accumulated-tensor");
  editor.Answer("window/showDocument", {{"success", false}});
  CHECK(editor.Complaints().find("accumulated-tensor") != std::string::npos);
  Editor old;
  old.Start();
  run(old, "TLK101");
  CHECK(old.Take("window/showDocument").empty());
  CHECK(old.Complaints().find("TLK101 accumulated-tensor") != std::string::npos);
}

TEST_CASE("commands that are none, and arguments that do not fit") {
  Editor editor;
  const Json capabilities = editor.Start();
  CHECK(capabilities["executeCommandProvider"]["commands"] ==
        Json{"torchleak.applyFixAll", "torchleak.showRule"});
  const auto error = [&](const Json& params) {
    const Json response = editor.Ask("workspace/executeCommand", params);
    CHECK(response["error"]["code"] == error_code::kInvalidParams);
    return response["error"]["message"].get<std::string>();
  };
  CHECK(error({{"command", "no.such"}}).find("unknown command 'no.such'") != std::string::npos);
  CHECK(error({{"command", 5}}).find("params.command") != std::string::npos);
  CHECK(error(nullptr).find("params") != std::string::npos);
  for (const char* command : {"torchleak.applyFixAll", "torchleak.showRule"}) {
    for (const Json& arguments : {Json(nullptr), Json::array(), Json{5}, Json(7), Json{nullptr}})
      CHECK(error({{"command", command}, {"arguments", arguments}}).find("params.arguments") !=
            std::string::npos);
  }
  CHECK(error({{"command", "torchleak.showRule"}, {"arguments", {"TLK999"}}}).find("TLK101") !=
        std::string::npos);
}

}  // namespace
}  // namespace torchleak::lsp
