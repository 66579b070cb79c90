// What rules say of old versions of torch, and only when a file must run with one.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/analyze.h"

namespace torchleak::rules {
namespace {

using engine::TorchVersion;

// Codes and rows of what is found.
std::vector<std::string> Found(const std::string& text, std::optional<TorchVersion> target) {
  auto source = text::Source::FromText("a.py", text);
  REQUIRE(source);
  engine::Surrounding surrounding;
  surrounding.target = target;
  std::vector<std::string> found;
  for (const auto& f : engine::Analyze(*source, engine::AllRules(), surrounding).findings)
    found.push_back(std::string(f.code) + ":" +
                    std::to_string(source->RowOf(f.location.span.begin)));
  return found;
}

using Lines = std::vector<std::string>;

TEST_CASE("@torch.no_grad without a call is an error before torch 2.0") {
  const std::string text =
      "import torch\n"
      "\n"
      "\n"
      "@torch.no_grad\n"
      "def predict(model, batch):\n"
      "    return model(batch)\n"
      "\n"
      "\n"
      "@torch.no_grad()\n"
      "def other(model, batch):\n"
      "    return model(batch)\n";
  CHECK(Found(text, std::nullopt) == Lines{});
  CHECK(Found(text, TorchVersion{2, 0}) == Lines{});
  CHECK(Found(text, TorchVersion{1, 13}) == Lines{"TLK204:4"});
}

TEST_CASE("zero_grad() fills with zeros before torch 2.0") {
  const std::string text =
      "import torch\n"
      "\n"
      "\n"
      "def train(model, loader):\n"
      "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
      "    optimizer.zero_grad()\n"
      "    for x, y in loader:\n"
      "        optimizer.zero_grad()\n"
      "        ((model(x) - y) ** 2).mean().backward()\n"
      "        optimizer.step()\n"
      "        optimizer.zero_grad(set_to_none=True)\n";
  CHECK(Found(text, std::nullopt) == Lines{});
  CHECK(Found(text, TorchVersion{2, 4}) == Lines{});
  CHECK(Found(text, TorchVersion{1, 8}) == Lines{"TLK307:8"});
}

}  // namespace
}  // namespace torchleak::rules
