// The settings of the user, in the three ways in which clients tell them.
#include "lsp/client_settings.h"
#include "lsp/operations/operations.h"

namespace torchleak::lsp {
namespace {

// {"torchleak": {…}} or what is in it.
const Json& Section(const Json& settings) {
  if (!settings.is_object()) return settings;
  const auto section = settings.find("torchleak");
  return section == settings.end() ? settings : *section;
}

void Take(Analysis& analysis, const Json& settings) {
  std::vector<std::string> complaints;
  analysis.SetSettings(ReadClientSettings(Section(settings), &complaints));
  analysis.server().LogAll(complaints);
}

void Pull(Analysis& analysis) {
  const Json params = {{"items", {{{"section", "torchleak"}}}}};
  analysis.server().Ask("workspace/configuration", params,
                        [&analysis](const Json& result, const ResponseError* error) {
                          // Null: the client has no such section, and what it said before counts.
                          if (error != nullptr || !result.is_array() || result.empty()) return;
                          if (result[0].is_object()) Take(analysis, result[0]);
                        });
}

}  // namespace

void AddConfiguration(Analysis& analysis) {
  Server& server = analysis.server();
  server.OnInitialize([&analysis, &server] {
    const Json& params = server.initialize_params();
    const auto options = params.find("initializationOptions");
    if (options == params.end() || !options->is_object()) return;
    const auto hover = options->find("hover");
    analysis.SetBriefHovers(hover != options->end() && *hover == "brief");
    const auto settings = options->find("settings");
    Take(analysis, settings == options->end() ? *options : *settings);
  });
  server.OnInitialized([&analysis, &server] {
    if (server.ClientCan("workspace/configuration")) Pull(analysis);
    if (server.ClientCan("workspace/didChangeConfiguration/dynamicRegistration")) {
      server.Ask("client/registerCapability",
                 {{"registrations",
                   {{{"id", "torchleak-configuration"},
                     {"method", "workspace/didChangeConfiguration"},
                     {"registerOptions", {{"section", "torchleak"}}}}}}});
    }
  });
  server.operations().OnNotification(
      "workspace/didChangeConfiguration",
      [&analysis](Notification& notification) -> std::optional<text::Error> {
        const Json& params = notification.params;
        const auto settings = params.is_object() ? params.find("settings") : params.end();
        const bool has_settings =
            params.is_object() && settings != params.end() && settings->is_object();
        if (has_settings) Take(analysis, *settings);
        // Clients that are to be asked send nothing, or something old.
        if (notification.server.ClientCan("workspace/configuration")) Pull(analysis);
        return std::nullopt;
      });
}

}  // namespace torchleak::lsp
