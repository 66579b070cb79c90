#include "options.h"

#include <doctest/doctest.h>

#include "config/options.h"
#include "config/reader.h"
#include "files.h"
#include "markdown.h"

namespace torchleak::tests {
namespace {

TEST_CASE("docs/configuration.md tells of every option what the table of options says") {
  const std::string page = WithOptions(ReadFile("docs/configuration.md"), OptionsPart());
  CHECK_MESSAGE(HoldsOrUpdated("docs/configuration.md", page),
                "out of date; docs/update writes it anew");
  for (const config::Option& option : config::Options()) {
    CHECK(page.find("\n### " + std::string(option.key) + "\n") != std::string::npos);
  }
}

// As a torchleak.toml, or as the pyproject.toml that it says it is.
std::string Mistake(const std::string& page, const std::string& toml) {
  const bool is_tool = toml.find("[tool.torchleak") != std::string::npos;
  const config::File file{.path = "/" + page, .display = page, .folder = "/", .bytes = toml};
  const auto layer = ReadLayer(file, is_tool ? config::Section::kTool : config::Section::kWhole);
  return layer ? std::string() : layer.error().message;
}

TEST_CASE("configuration that pages show is understood") {
  std::size_t blocks = 0;
  for (const std::string& page : FilesBelow(".", ".md")) {
    const std::vector<std::string> lines = Lines(ReadFile(page));
    for (const Fence& fence : Fences(lines)) {
      if (fence.language != "toml") continue;
      std::string toml;
      for (std::size_t i = fence.first; i < fence.last; ++i) toml += lines[i] + "\n";
      // Those of other tools.
      if (toml.starts_with("[tool.ruff") || toml.starts_with("[language-server.")) continue;
      const std::string mistake = Mistake(page, toml);
      CHECK_MESSAGE(mistake.empty(), page, ":", fence.first, ": ", mistake);
      ++blocks;
    }
  }
  CHECK_GT(blocks, 20);
  CHECK_FALSE(Mistake("a.md", "selct = []").empty());
  CHECK_FALSE(Mistake("a.md", "[tool.torchleak]\nselct = []").empty());
}

TEST_CASE("what stands around the options is left alone") {
  const std::string page =
      "# Title\n<!-- Options: written by docs/update. -->\nold\n<!-- End of the options. "
      "-->\nend\n";
  CHECK_EQ(WithOptions(page, "new\n"),
           "# Title\n<!-- Options: written by docs/update. -->\nnew\n"
           "<!-- End of the options. -->\nend\n");
  CHECK_EQ(WithOptions("no marks\n", "new\n"), "no marks\n");
}

}  // namespace
}  // namespace torchleak::tests
