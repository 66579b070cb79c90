#include "report/line_hash.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace torchleak::report {
namespace {

using Hashes = std::vector<std::string>;

// The vectors of github/codeql-action, src/fingerprints.test.ts.
TEST_CASE("hashes are those of GitHub") {
  CHECK(LineHashes("") == Hashes{"c129715d7a2bc9a3:1"});
  CHECK(LineHashes(" a\nb\n  \t\tc\n d") == Hashes{"271789c17abda88f:1", "54703d4cd895b18:1",
                                                   "180aee12dab6264:1", "a23a3dc5e078b07b:1"});
  CHECK(LineHashes(" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n") ==
        Hashes{"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1",
               "e20e36e16fcb0cc8:1", "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1",
               "c129715d7a2bc9a3:1"});
  CHECK(LineHashes("x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n") ==
        Hashes{"e54938cc54b302f1:1", "bb609acbe9138d60:1", "1131fd5871777f34:1",
               "5c482a0f8b35ea28:1", "54517377da7028d2:1", "2c644846cb18d53e:1",
               "f1b89f20de0d133:1", "c129715d7a2bc9a3:1"});
}

TEST_CASE("equal hashes are numbered") {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "Lorem ipsum dolor sit amet.\n";
  CHECK(LineHashes(text) == Hashes{"a7f2ff13bc495cf2:1", "a7f2ff13bc495cf2:2", "a7f2ff13bc495cf2:3",
                                   "a7f2ff13bc495cf2:4", "a7f2ff13bc495cf2:5", "a7f2ff13bc495cf2:6",
                                   "a7f2ff1481e87703:1", "a9cf91f7bbf1862b:1", "55ec222b86bcae53:1",
                                   "cc97dc7b1d7d8f7b:1", "c129715d7a2bc9a3:1"});
}

TEST_CASE("blanks, tabs and the kind of line end do not matter") {
  const Hashes plain = LineHashes("if x:\n    y = 1\nz\n");
  CHECK(LineHashes("if x:\r\n\ty=1\r\nz\r\n") == plain);
  CHECK(LineHashes("if  x :\r    y = 1\rz\r") == plain);
  CHECK(LineHashes("if x:\n    y = 2\nz\n") != plain);
}

TEST_CASE("a character outside the first plane is two units") {
  // Reference values made with an independent implementation over UTF-16.
  CHECK(LineHashes("a = '🎉é文'\nb\n") ==
        Hashes{"fc392a3ea01cbd86:1", "ade70578248be16f:1", "c129715d7a2bc9a3:1"});
}

}  // namespace
}  // namespace torchleak::report
