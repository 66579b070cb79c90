#include "cli/declared.h"

#include <doctest/doctest.h>
#include <CLI/CLI.hpp>

#include "cli/choices.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"

namespace torchleak::cli {
namespace {

// A command line with one of everything.
struct Sample {
  CLI::App app{"About", "torchleak"};
  std::vector<std::string> list, formats, paths;
  std::string file, color;
  bool quiet = false, cache = true;

  Sample() {
    CLI::App* check = app.add_subcommand("check", "It's \"checked\" [here]: `x` \\ $HOME");
    check->add_option("paths", paths, "Files")->option_text("[PATH]...");
    check->add_option("--select", list, "Rules")->delimiter(',')->option_text("RULES");
    Choices(check->add_option("--format", formats, "Formats"), kSeverityNames)
        ->delimiter(',')
        ->option_text("F[:FILE]")
        ->group("Output");
    Choices(check->add_option("--color", color, "When"), kColorNames)->option_text("WHEN");
    check->add_option("-o,--output-file", file, "Where")->option_text("FILE")->group("Output");
    check->add_flag("-q,--quiet", quiet, "Less");
    check->add_flag("--cache,!--no-cache", cache, "Keep what was found")->group("Run");
    check->add_flag("--secret", quiet, "Nobody knows")->group("");
    app.add_subcommand("config", "Settings")->add_subcommand("schema", "Their schema");
    app.add_subcommand("hidden", "Nobody knows")->group("");
  }
};

const Option& Named(const Command& command, std::string_view name) {
  for (const Option& option : command.options) {
    if (option.names.back() == name) return option;
  }
  REQUIRE_MESSAGE(false, name);
  return command.options.front();
}

TEST_CASE("commands and what is below them, hidden ones aside") {
  Sample sample;
  std::vector<Command> commands = Declared(sample.app);
  std::vector<std::string> paths;
  for (const Command& command : commands) paths.push_back(PathOf(command));
  CHECK(paths == std::vector<std::string>{"", "check", "config", "config schema"});
  CHECK(commands[0].commands.size() == 2);
  CHECK(commands[2].commands.front().word == "schema");
}

TEST_CASE("what an option takes is read from its placeholder and its words") {
  Sample sample;
  const Command check = Declared(sample.app)[1];
  CHECK(Named(check, "--select").takes == Takes::kRules);
  CHECK(Named(check, "--select").is_list);
  CHECK(Named(check, "--format").takes == Takes::kReport);
  CHECK(Named(check, "--color").takes == Takes::kWords);
  CHECK(Named(check, "--color").words.size() == 3);
  CHECK_FALSE(Named(check, "--color").is_list);
  CHECK(Named(check, "--output-file").takes == Takes::kFile);
  CHECK(Named(check, "--quiet").takes == Takes::kNothing);
  REQUIRE(check.arguments.size() == 1);
  CHECK(check.arguments[0].takes == Takes::kFile);
  for (const Option& option : check.options) CHECK(option.names.back() != "--secret");
}

TEST_CASE("options stand together by group, help last") {
  Sample sample;
  const Command check = Declared(sample.app)[1];
  std::vector<std::string> groups;
  for (const Option& option : check.options) {
    if (groups.empty() || groups.back() != option.group) groups.push_back(option.group);
  }
  CHECK(groups == std::vector<std::string>{"Output", "Run", "Options"});
}

std::string Shown(std::vector<std::string> names) {
  Option option;
  option.names = std::move(names);
  return JoinedNames(option);
}

TEST_CASE("both names of a flag that can be turned off are shown as one") {
  CHECK(Shown({"--cache", "--no-cache"}) == "--[no-]cache");
  CHECK(Shown({"-q", "--quiet"}) == "-q, --quiet");
  CHECK(Shown({"--no-cache"}) == "--no-cache");
}

TEST_CASE("descriptions are quoted as each shell and groff want it") {
  Sample sample;
  std::vector<Command> commands = Declared(sample.app);
  CHECK(ZshCompletion(commands).find("'check:It'\\''s \"checked\" [here]: `x` \\\\ $HOME'") !=
        std::string::npos);
  CHECK(FishCompletion(commands).find("'It\\'s \"checked\" [here]: `x` \\\\ $HOME'") !=
        std::string::npos);
  CHECK(PowershellCompletion(commands).find("'It''s \"checked\" [here]: `x` \\ $HOME'") !=
        std::string::npos);
  CHECK(ManualPage(commands).find("It\\(aqs \"checked\" [here]: \\fBx\\fR \\e $HOME") !=
        std::string::npos);
  CHECK(BashCompletion(commands).find("'config') commands='schema'") != std::string::npos);
}

TEST_CASE("help breaks long descriptions at blanks") {
  CLI::App app{"About", "torchleak"};
  std::string value;
  std::string words;
  for (int i = 0; i < 40; ++i) words += (i == 0 ? "word" : " word");
  app.add_option("--option", value, words)->option_text("X");
  std::string help = HelpText(app);
  for (std::size_t at = 0; at < help.size();) {
    std::size_t end = help.find('\n', at);
    CHECK(end - at <= 100);
    at = end + 1;
  }
}

}  // namespace
}  // namespace torchleak::cli
