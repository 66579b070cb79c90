// The configuration cannot see the report layer, so it has a list of its own.
#include <doctest/doctest.h>

#include "config/options.h"
#include "report/report.h"

namespace torchleak::cli {
namespace {

TEST_CASE("a configuration file may name every output format, and no other") {
  const config::Option* option = config::FindOption("output-format");
  REQUIRE(option != nullptr);
  REQUIRE(option->choices.size() == report::Formats().size());
  for (std::size_t i = 0; i < option->choices.size(); ++i) {
    CHECK(option->choices[i] == report::Formats()[i].name);
  }
}

}  // namespace
}  // namespace torchleak::cli
