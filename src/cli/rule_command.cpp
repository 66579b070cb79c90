// torchleak rule ID|NAME|--all
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/markdown.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "engine/rule.h"
#include "findings/finding.h"

namespace torchleak::cli {
namespace {

constexpr std::array<std::string_view, 3> kFormats = {"text", "markdown", "json"};

struct RuleArguments {
  std::string rule, format = "text", color = "auto";
  bool all = false;
};

nlohmann::json ToJson(const engine::RuleInfo& info) {
  nlohmann::json tags = nlohmann::json::array();
  for (std::string_view tag : info.tags) tags.push_back(tag);
  return {{"code", info.code},
          {"name", info.name},
          {"summary", info.summary},
          {"severity", findings::Name(info.severity)},
          {"tags", std::move(tags)},
          {"page", info.page},
          {"on_by_default", info.on_by_default}};
}

std::string ListOf(std::span<const engine::Rule* const> rules) {
  std::size_t width = 0;
  for (const engine::Rule* rule : rules) width = std::max(width, rule->info().name.size());
  std::string text;
  for (const engine::Rule* rule : rules) {
    const engine::RuleInfo& info = rule->info();
    text += fmt::format("{}  {:<{}}  {:<7}  {}{}\n", info.code, info.name, width,
                        findings::Name(info.severity), info.summary,
                        info.on_by_default ? "" : " (off)");
  }
  text +=
      "\n`torchleak rule NAME` shows the page of a rule; `check --extend-select NAME` switches on "
      "what is "
      "off.\n";
  return text;
}

std::string PageOf(const engine::RuleInfo& info) {
  if (!info.page.empty()) return std::string(info.page);
  return fmt::format("# {} ({})\n\n{}.\n", info.name, info.code, info.summary);
}

int RunRule(const RuleArguments& arguments) {
  if (std::find(kFormats.begin(), kFormats.end(), arguments.format) == kFormats.end()) {
    return UsageError("rule", UnknownValue("output format", arguments.format, kFormats));
  }
  auto color = ParseColorChoice(arguments.color);
  if (!color)
    return UsageError("rule", UnknownValue("--color value", arguments.color, kColorNames));
  if (arguments.all == !arguments.rule.empty()) {
    return UsageError("rule", arguments.all ? "give a rule or --all, not both"
                                            : "which rule? Give a code, a name, or --all");
  }
  if (arguments.all) {
    if (arguments.format == "text") return PrintAndReturn(ListOf(engine::AllRules()), kExitClean);
    nlohmann::json array = nlohmann::json::array();
    std::string pages;
    for (const engine::Rule* rule : engine::AllRules()) {
      array.push_back(ToJson(rule->info()));
      if (!pages.empty()) pages += '\n';
      pages += PageOf(rule->info());
    }
    return PrintAndReturn(arguments.format == "json" ? array.dump(2) + '\n' : pages, kExitClean);
  }
  const engine::Rule* rule = engine::FindRule(arguments.rule);
  if (rule == nullptr) {
    std::string_view nearest = engine::NearestRule(arguments.rule);
    return UsageError("rule",
                      fmt::format("unknown rule '{}'{}", arguments.rule,
                                  nearest.empty() ? "; `torchleak rule --all` lists them"
                                                  : fmt::format("; did you mean '{}'?", nearest)));
  }
  if (arguments.format == "json") {
    return PrintAndReturn(ToJson(rule->info()).dump(2) + '\n', kExitClean);
  }
  std::string page = PageOf(rule->info());
  if (arguments.format == "text") {
    page = RenderMarkdown(page, TerminalWidth(STDOUT_FILENO), UseColor(*color, STDOUT_FILENO));
  }
  return PrintAndReturn(page, kExitClean);
}

}  // namespace

void AddRuleCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand("rule", "Show the page of a rule, or list all rules");
  auto arguments = std::make_shared<RuleArguments>();
  command->add_option("rule", arguments->rule, "Code or name, for example accumulated-tensor")
      ->option_text("[RULE]");
  command->add_flag("--all", arguments->all, "List every rule");
  Choices(
      command->add_option("--output-format", arguments->format, "text (default), markdown or json"),
      kFormats)
      ->option_text("F");
  Choices(command->add_option("--color", arguments->color, "auto (default), always or never"),
          kColorNames)
      ->option_text("WHEN");
  command->callback([run, arguments] { *run = [arguments] { return RunRule(*arguments); }; });
}

}  // namespace torchleak::cli
