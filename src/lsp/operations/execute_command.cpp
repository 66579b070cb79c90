// workspace/executeCommand: what code actions and extensions ask the server to do.
//
//   torchleak.applyFixAll [uri]    fixes all that is safe to fix, by workspace/applyEdit
//   torchleak.showRule [code]      opens the rule's page, by window/showDocument
#include <fmt/format.h>

#include "engine/rule.h"
#include "lsp/diagnostics.h"
#include "lsp/fix_all.h"
#include "lsp/operations/operations.h"
#include "report/report.h"

namespace torchleak::lsp {
namespace {

constexpr const char* kApplyFixAll = "torchleak.applyFixAll";
constexpr const char* kShowRule = "torchleak.showRule";

// What the client did as asked has this member, true.
bool Says(const Json& result, const char* member, const ResponseError* error) {
  return error == nullptr && result.is_object() && result.contains(member) &&
         result[member] == true;
}

void ApplyFixAll(Analysis& analysis, const std::string& uri) {
  Server& server = analysis.server();
  if (analysis.FileOf(uri).workspace == nullptr) {
    return server.Show(MessageType::kWarning,
                       fmt::format("torchleak: {} is not open, or no Python file", uri));
  }
  const WorkspaceEdit fixed = FixAll(analysis, uri);
  if (fixed.files.empty())
    return server.Show(MessageType::kInfo, "torchleak: nothing here is safe to fix");
  const Json params = {{"label", "Fix all torchleak findings"},
                       {"edit", ToJson(fixed, EditFormOf(server))}};
  server.Ask(
      "workspace/applyEdit", params, [&server](const Json& result, const ResponseError* error) {
        if (!Says(result, "applied", error))
          server.Show(MessageType::kWarning, "torchleak: the editor did not apply the fixes");
      });
}

void ShowRule(Server& server, const engine::RuleInfo& rule) {
  const std::string url = report::RuleUrl(rule.name);
  const std::string text = fmt::format("{} {}: {}. {}", rule.code, rule.name, rule.summary, url);
  if (!server.ClientCan("window/showDocument/support"))
    return server.Show(MessageType::kInfo, text);
  server.Ask("window/showDocument", {{"uri", url}, {"external", true}},
             [&server, text](const Json& result, const ResponseError* error) {
               if (!Says(result, "success", error)) server.Show(MessageType::kInfo, text);
             });
}

Answer Execute(Analysis& analysis, const Json& params) {
  const Fields fields(params, "params");
  const std::string command = fields.String("command");
  const Json arguments = fields.Has("arguments") ? fields.Array("arguments") : Json::array();
  if (auto error = fields.error()) return InvalidParams(*error);
  const bool has_text = !arguments.empty() && arguments[0].is_string();
  if (command == kApplyFixAll) {
    if (!has_text)
      return InvalidParams(text::Error{"params.arguments: expected the URI of a document"});
    ApplyFixAll(analysis, arguments[0].get<std::string>());
    return Json(nullptr);
  }
  if (command == kShowRule) {
    const engine::Rule* rule =
        has_text ? engine::FindRule(arguments[0].get<std::string>()) : nullptr;
    if (rule == nullptr)
      return InvalidParams(text::Error{"params.arguments: expected a rule, such as \"TLK101\""});
    ShowRule(analysis.server(), rule->info());
    return Json(nullptr);
  }
  return InvalidParams(
      text::Error{fmt::format("params.command: unknown command '{}'; there are {} and {}", command,
                              kApplyFixAll, kShowRule)});
}

}  // namespace

void AddExecuteCommand(Analysis& analysis) {
  Server& server = analysis.server();
  server.capabilities()["executeCommandProvider"] = {{"commands", {kApplyFixAll, kShowRule}}};
  server.operations().OnRequest("workspace/executeCommand", [&analysis](Request& request) {
    return Execute(analysis, request.params);
  });
}

}  // namespace torchleak::lsp
