#include "tests/golden/notebook.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace torchleak::golden {

Notebook::Notebook() {
  std::ifstream file(TORCHLEAK_SOURCE_DIR "/tests/golden/sample/eda.ipynb", std::ios::binary);
  REQUIRE(file.is_open());
  auto source =
      text::Source::FromBytes("eda.ipynb", std::string(std::istreambuf_iterator<char>(file), {}));
  REQUIRE(static_cast<bool>(source));
  source_ = std::move(*source);

  findings::Finding f;
  f.code = "TLK101";
  f.name = "accumulated-tensor";
  f.severity = findings::Severity::kError;
  f.confidence = findings::Confidence::kHigh;
  f.message = "`losses` keeps every `loss` together with its graph";
  f.help = "keep a number, `loss.item()`";
  f.location = {"eda.ipynb", Find("losses.append(loss)")};
  f.function = "<module>";
  f.flow = {{{"", Find("criterion(model(x), \"é\\t\")")}, "created here, with its graph"},
            {{"", f.location.span}, "kept here"},
            {{"", Find("for x, y in loader:")}, "outlives each turn of this loop"}};
  const std::uint32_t end = f.location.span.end - 1;
  f.fix = findings::Fix{
      findings::Applicability::kSafe, "append `loss.item()`", {{{"", {end, end}}, ".item()"}}};
  findings_.push_back(f);

  f.message = "`total` gathers tensors that still carry their graph";
  f.location.span = Find("total += criterion(model(x), y)");
  f.flow = {{{"", Find("losses = []")}, "from another cell"},
            {{"", f.location.span}, "added to what came before it, here"}};
  const std::uint32_t behind = f.location.span.end;
  const std::uint32_t row = source_->LineSpan(source_->RowOf(f.location.span.begin)).begin;
  f.fix =
      findings::Fix{findings::Applicability::kUnsafe,
                    "add a number",
                    {{{"", {row, row}}, "    # \"sum\"\n"}, {{"", {behind, behind}}, ".item()"}}};
  findings_.push_back(std::move(f));
  findings::SetFingerprints(findings_, "eda.ipynb", *source_);

  input_.findings = findings_;
  input_.source_of = [this](std::string_view path) {
    return path == "eda.ipynb" ? &*source_ : nullptr;
  };
  input_.root = "/repo";
  input_.files_checked = 1;
  input_.version = "0.1.0";
}

text::Span Notebook::Find(std::string_view text) const {
  const std::size_t at = source_->bytes().find(text);
  REQUIRE(at != std::string_view::npos);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + text.size())};
}

}  // namespace torchleak::golden
