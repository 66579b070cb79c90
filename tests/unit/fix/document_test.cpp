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

TEST_CASE("a notebook changes in one string; cells do not run into each other") {
  const std::string raw =
      R"({"cells": [{"cell_type": "code", "source": ["loss"], "outputs": ["loss"]},)"
      R"( {"cell_type": "code", "source": ["a\n", "b"]}], "nbformat": 4, "nbformat_minor": 4,)"
      R"( "metadata": {}})";
  auto document = Document::FromBytes("x.ipynb", raw);
  REQUIRE(document);
  const auto text = document->source().bytes();
  const auto at = static_cast<std::uint32_t>(text.find("loss"));
  auto fixed = document->With(Edits{{{at + 4, at + 4}, ".item()"}});
  REQUIRE(fixed);
  std::string want = raw;
  want.replace(want.find("\"loss\""), 6, "\"loss.item()\"");
  CHECK(fixed->raw() == want);
  const auto b = static_cast<std::uint32_t>(text.find("b"));
  CHECK_FALSE(document->With(Edits{{{at, b}, "x"}}));
}

}  // namespace
}  // namespace torchleak::fix
