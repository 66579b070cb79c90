#include "project/attribute_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace torchleak::project {
namespace {

std::string Scan(std::string_view bytes) {
  std::string text;
  for (const std::string_view chain : ScanAttributes(bytes, {"a", "np"})) {
    text += (text.empty() ? "" : " ") + std::string(chain);
  }
  return text;
}

TEST_CASE("chains of the names, each once, in code only") {
  CHECK_EQ(Scan("a.b.c(a.d, np.x)[a.b.c]"), "a.b.c a.d np.x");
  CHECK_EQ(Scan("a; x.a.b; aa.b; f().a.b; a_.b; a .b"), "");
  CHECK_EQ(Scan("'a.b' # a.c\n\"\"\"a.d\n\"\"\" + a.e"), "a.e");
  CHECK_EQ(Scan("a.b.\na.\n-a.b2"), "a.b a.b2");
  CHECK_EQ(Scan(""), "");
}

TEST_CASE("no more than the limit, and linear time") {
  std::string many;
  for (int i = 0; i < 3'000; ++i) many += "a.b" + std::to_string(i) + "\n";
  CHECK_EQ(ScanAttributes(many, {"a"}).size(), kMaxChains);
  std::string long_chain = "a";
  for (int i = 0; i < 500'000; ++i) long_chain += ".b";
  CHECK_EQ(Scan(long_chain), long_chain);
  CHECK_EQ(Scan(std::string(1'000'000, '.')), "");
}

}  // namespace
}  // namespace torchleak::project
