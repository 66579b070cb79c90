#include "options.h"

#include <doctest/doctest.h>

#include "config/options.h"
#include "files.h"

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

TEST_CASE("what stands around the options is left alone") {
  const std::string page =
      "# Title\n<!-- Options: written by docs/update. -->\nold\n<!-- End of the options. -->\nend\n";
  CHECK_EQ(WithOptions(page, "new\n"),
           "# Title\n<!-- Options: written by docs/update. -->\nnew\n"
           "<!-- End of the options. -->\nend\n");
  CHECK_EQ(WithOptions("no marks\n", "new\n"), "no marks\n");
}

}  // namespace
}  // namespace torchleak::tests
