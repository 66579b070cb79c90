#include "findings/nearest.h"

#include <array>
#include <string>

#include <doctest/doctest.h>

namespace torchleak::findings {
namespace {

constexpr std::array<std::string_view, 5> kWords = {"full", "concise", "json", "sarif",
                                                    "accumulated-tensor"};

TEST_CASE("small slips find their word") {
  CHECK(Nearest("jsn", kWords) == "json");
  CHECK(Nearest("JSON", kWords) == "json");
  CHECK(Nearest("sarfi", kWords) == "sarif");
  CHECK(Nearest("consise", kWords) == "concise");
  CHECK(Nearest("acumulated-tensors", kWords) == "accumulated-tensor");
}

TEST_CASE("what is far from all finds none") {
  CHECK(Nearest("xml", kWords).empty());
  CHECK(Nearest("", kWords).empty());
  CHECK(Nearest(std::string(1000, 'j'), kWords).empty());
  CHECK(Nearest("json", {}).empty());
}

TEST_CASE("the first of equals wins") {
  constexpr std::array<std::string_view, 2> words = {"TLK101", "TLK102"};
  CHECK(Nearest("TLK109", words) == "TLK101");
}

}  // namespace
}  // namespace torchleak::findings
