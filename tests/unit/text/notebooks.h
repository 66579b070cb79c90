// Notebooks as literal JSON.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "text/notebook.h"
#include "text/source.h"

namespace torchleak::text {

inline Source OpenNotebook(std::string raw) {
  Result<Source> source = Source::FromBytes("nb.ipynb", std::move(raw));
  if (!source) FAIL(source.error().message);
  REQUIRE(source->notebook() != nullptr);
  return *source;
}

inline std::string Refused(std::string raw) {
  const Result<Source> source = Source::FromBytes("nb.ipynb", std::move(raw));
  if (source) return "(read)";
  CHECK(source.error().message.starts_with("nb.ipynb: "));
  return source.error().message;
}

// `source` is JSON.
inline std::string CodeCell(std::string_view source) {
  return fmt::format(R"({{"cell_type":"code","metadata":{{}},"source":{}}})", source);
}

inline std::string Nb(std::string_view cells, std::string_view metadata = "{}") {
  return fmt::format(R"({{"cells":[{}],"metadata":{},"nbformat":4,"nbformat_minor":5}})", cells,
                     metadata);
}

// As Jupyter lays it out.
inline constexpr std::string_view kSmall = R"({
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# import torch"]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "a1",
   "metadata": {},
   "outputs": [{"text": ["torch\n"]}],
   "source": [
    "import torch\n",
    "x = \"\u00e9\"; y = 1"
   ]
  },
  {
   "cell_type": "code",
   "id": "b2",
   "metadata": {},
   "outputs": [],
   "source": "if y:\n\tz = 2\n"
  }
 ],
 "metadata": {"kernelspec": {"language": "python"}},
 "nbformat": 4,
 "nbformat_minor": 5
}
)";

}  // namespace torchleak::text
