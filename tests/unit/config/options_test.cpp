#include "config/options.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <set>

#include "config/file.h"
#include "config/reader.h"

namespace torchleak::config {
namespace {

text::Result<std::optional<Layer>> Read(std::string toml) {
  return ReadLayer(File{"/r/torchleak.toml", "torchleak.toml", "/r", std::move(toml)},
                   Section::kWhole);
}

std::string Problem(std::string toml) {
  auto layer = Read(std::move(toml));
  return layer ? std::string() : layer.error().message;
}

TEST_CASE("every option reads its own example and default, and shows them as they are") {
  std::set<std::string_view> keys;
  for (const Option& option : Options()) {
    CAPTURE(option.key);
    CHECK(keys.insert(option.key).second);
    CHECK_FALSE(option.description.empty());
    CHECK_FALSE(option.description.ends_with('.'));
    CHECK((option.flag.empty() || option.flag == fmt::format("--{}", option.key)));
    CHECK((option.choices.empty() ==
           (option.type != Type::kChoice && option.type != Type::kPerRule)));
    auto layer = Read(fmt::format("{} = {}\n", option.key, option.example));
    REQUIRE_MESSAGE(layer, layer.error().message);
    const Value* value = (*layer)->Find(option.key);
    REQUIRE(value != nullptr);
    CHECK(value->origin == "torchleak.toml:1:1");
    CHECK(ToToml(option, *value) == option.example);
    const std::string preset = ToToml(option, DefaultOf(option));
    if (!preset.empty()) CHECK(Problem(fmt::format("{} = {}\n", option.key, preset)) == "");
  }
}

TEST_CASE("every option refuses every other type") {
  const std::array<std::string_view, 5> values = {"1", "1.5", "2020-01-01", "[1]", "[[\"x\"]]"};
  for (const Option& option : Options()) {
    CAPTURE(option.key);
    for (const std::string_view value : values) {
      CAPTURE(value);
      CHECK(Problem(fmt::format("{} = {}\n", option.key, value)).find("takes") !=
            std::string::npos);
    }
  }
}

TEST_CASE("names that are near") {
  CHECK(NearestOption("per_file_ignores") == "per-file-ignores");
  CHECK(NearestOption("Select") == "select");
  CHECK(NearestOption("xyz") == "");
  CHECK(FindOption("Select") == nullptr);
}

TEST_CASE("texts are quoted for TOML") {
  CHECK(QuotedToml("a\"b\\c\n\x7f") == R"("a\"b\\c\u000A\u007F")");
}

TEST_CASE("a message shows the place and stays on one line") {
  const File file{"/r/a.toml", "a.toml", "/r", "x\n\tkey = 'ä' # long\n"};
  CHECK(ErrorAt(file, {2, 2, 5}, "what\nis\x1b wrong").message ==
        "a.toml:2:2: what?is? wrong\n  |\n2 |  key = 'ä' # long\n  |  ^^^");
  // Beyond the end, and in a very long row.
  CHECK(ErrorAt(file, {9, 4, 0}, "m").message == "a.toml:9:4: m\n  |\n9 | \n  | ^");
  const File wide{"/r/a.toml", "a.toml", "/r", std::string(100000, 'a')};
  CHECK(ErrorAt(wide, {1, 50000, 0}, "m").message.size() < 300);
}

TEST_CASE("pyproject.toml: only the section, and only when there is one") {
  auto read = [](std::string toml) {
    return ReadLayer(File{"/r/pyproject.toml", "pyproject.toml", "/r", std::move(toml)},
                     Section::kTool);
  };
  auto none = read("[project]\nname = 'x'\n");
  REQUIRE(none);
  CHECK_FALSE(*none);
  auto mentioned = read("[project]\ndependencies = ['torchleak']\n");
  REQUIRE(mentioned);
  CHECK_FALSE(*mentioned);
  auto section = read("[tool.other]\nx = 1\n[tool.torchleak]\nfix = true\n");
  REQUIRE(section);
  REQUIRE(*section);
  CHECK((*section)->Find("fix")->flag);
  CHECK((*section)->Find("fix")->origin == "pyproject.toml:4:1");
  auto number = read("[tool]\ntorchleak = 1\n");
  REQUIRE_FALSE(number);
  CHECK(number.error().message.find("must be a table") != std::string::npos);
  auto wrong = read("[tool.torchleak]\nselct = 1\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message.find("pyproject.toml:2:1: unknown key 'selct'") == 0);
}

}  // namespace
}  // namespace torchleak::config
