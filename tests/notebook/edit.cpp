// notebook_edit IN OUT: writes the notebook IN with edits to OUT. The test program's half that
// speaks C++; round_trip.py does the judging. Reads edits from standard input as JSON and writes
// to standard output what was read:
//
//   <- [{"begin": 3, "end": 5, "content": "x"}, …]
//   -> {"bytes": "…", "code": "…", "cells": [{"number": 2, "begin": 0, "end": 12, "row": 1, "id":
//   "a1"}, …]}
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text/notebook.h"
#include "text/source.h"

namespace {

using torchleak::text::Notebook;
using torchleak::text::Source;

std::string ReadAll(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int Fail(const std::string& message) {
  std::cerr << message << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return Fail("notebook_edit IN OUT");
  std::ifstream in(argv[1], std::ios::binary);
  const auto source = Source::FromBytes(argv[1], ReadAll(in));
  if (!source) return Fail(source.error().message);
  nlohmann::json out = {
      {"bytes", source->bytes()}, {"code", source->code()}, {"cells", nlohmann::json::array()}};
  for (const Notebook::Cell& cell : source->notebook()->cells()) {
    out["cells"].push_back({{"number", cell.number},
                            {"begin", cell.span.begin},
                            {"end", cell.span.end},
                            {"row", cell.first_row},
                            {"id", cell.id}});
  }
  std::vector<Notebook::Edit> edits;
  for (const auto& edit : nlohmann::json::parse(ReadAll(std::cin)))
    edits.push_back({{edit["begin"], edit["end"]}, edit["content"]});
  const auto rewritten = source->notebook()->Rewrite(edits);
  if (!rewritten) return Fail(rewritten.error().message);
  std::ofstream(argv[2], std::ios::binary) << *rewritten;
  std::cout << out << '\n';
  return 0;
}
