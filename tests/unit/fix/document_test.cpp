#include "fix/document.h"

#include <doctest/doctest.h>

namespace torchleak::fix {
namespace {

TEST_CASE("a changed document has the new text, the new bytes and the new errors") {
  auto document = Document::FromBytes("x.py", "# coding: latin-1\ns = '\xe9'\nloss\n");
  REQUIRE(document);
  CHECK(document->syntax_errors() == 0);
  const auto at = static_cast<std::uint32_t>(document->source().bytes().find("loss"));
  auto fixed = document->With(Edits{{{at + 4, at + 4}, ".item()"}});
  REQUIRE(fixed);
  CHECK(fixed->raw() == "# coding: latin-1\ns = '\xe9'\nloss.item()\n");
  CHECK(fixed->source().bytes() == "# coding: latin-1\ns = '\xC3\xA9'\nloss.item()\n");
  auto broken = document->With(Edits{{{at, at}, "def (:"}});
  REQUIRE(broken);
  CHECK(broken->syntax_errors() > 0);
}

TEST_CASE("a coding line may not be pushed out of the first two lines") {
  auto document = Document::FromBytes("x.py", "#!/bin/py\n# coding: latin-1\ns = '\xe9'\n");
  REQUIRE(document);
  CHECK_FALSE(document->With(Edits{{{0, 0}, "import torch\nimport os\n"}}));
  auto fixed = document->With(Edits{{{28, 28}, "import torch\n"}});
  REQUIRE(fixed);
  CHECK(fixed->raw() == "#!/bin/py\n# coding: latin-1\nimport torch\ns = '\xe9'\n");
}

}  // namespace
}  // namespace torchleak::fix
