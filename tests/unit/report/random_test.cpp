// Findings at random places of awkward sources, through every format: nothing crashes, and what
// comes out is what the format promises, whatever went in.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "report/report.h"
#include "report/utf8.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

constexpr std::string_view kPieces[] = {
    "x",      "\n",   "\r\n", "\r",        "\t", " ",   "    ", "def ", "'",
    "\"\"\"", "# c",  "é",    "文",        "🎉",  "<",   "&",    "`",    "\x1b",
    "\x01",   "\xFF", "\\",   "e\xCC\x81", "\f", "]]>", "%",    "::",   "\xE2\x80\xAE"};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  std::uint32_t Below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(engine_);
  }

  std::string Text(std::uint32_t longest) {
    std::string text;
    for (std::uint32_t i = Below(longest + 1); i > 0; --i) {
      text += kPieces[Below(static_cast<std::uint32_t>(std::size(kPieces)))];
    }
    return text;
  }

  // Now and then outside the source, reversed, or in a file that is not there.
  findings::Location Place(std::uint32_t size) {
    static constexpr std::string_view kPaths[] = {"", "a.py", "n.ipynb", "gone.py"};
    const std::uint32_t begin = Below(size + 3);
    const std::uint32_t end = Below(8) == 0 ? Below(size + 3) : begin + Below(20);
    return {std::string(kPaths[Below(16) == 0 ? 3 : Below(3)]), {begin, end}};
  }

 private:
  std::mt19937 engine_;
};

std::string NotebookOf(Random* random) {
  nlohmann::json cells = nlohmann::json::array();
  for (std::uint32_t i = random->Below(4); i > 0; --i) {
    std::string source = random->Text(20);
    for (char& c : source) {
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';  // the library takes valid UTF-8 only
    }
    cells.push_back({{"cell_type", random->Below(3) == 0 ? "markdown" : "code"},
                     {"metadata", nlohmann::json::object()},
                     {"source", source}});
  }
  return nlohmann::json{{"cells", cells},
                        {"metadata", nlohmann::json::object()},
                        {"nbformat", 4},
                        {"nbformat_minor", 4}}
      .dump(static_cast<int>(random->Below(3)) - 1);
}

void AddFinding(Random* random, Builder* builder) {
  constexpr std::uint32_t kSize = 90;
  const findings::Location at = random->Place(kSize);
  auto& finding = builder->Add(at.path.empty() ? "a.py" : at.path, at.span);
  finding.severity = static_cast<findings::Severity>(random->Below(3));
  finding.message = random->Text(8);
  finding.help = random->Text(8);
  finding.function = random->Text(4);
  for (std::uint32_t i = random->Below(7); i > 0; --i) {
    finding.flow.push_back({random->Place(kSize), random->Text(5)});
  }
  if (random->Below(2) == 0) return;
  finding.fix =
      findings::Fix{static_cast<findings::Applicability>(random->Below(2)), random->Text(5), {}};
  for (std::uint32_t i = random->Below(3); i > 0; --i) {
    finding.fix->edits.push_back({random->Place(kSize), random->Text(6)});
  }
}

bool IsUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    if (NextCodePoint(text, &at) == kReplacement && at == start + 1) return false;
  }
  return true;
}

void CheckFormat(const FormatInfo& info, const std::string& text, std::size_t findings) {
  CAPTURE(info.name);
  CHECK(IsUtf8(text));
  if (info.mime != "application/x-ndjson" && info.mime.find("json") != info.mime.npos) {
    CHECK(nlohmann::json::accept(text));
  }
  // JSON escapes them; the others make them visible.
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    if (control) FAIL("a control character");
  }
  const bool is_line = info.is_text && !info.writes_summary;
  if (is_line) {
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == findings);
  }
}

TEST_CASE("every format takes every finding") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    Builder builder;
    builder.AddFile("a.py", random.Text(60));
    builder.AddFile("n.ipynb", NotebookOf(&random));
    for (std::uint32_t i = random.Below(4); i > 0; --i) AddFinding(&random, &builder);
    ReportInput input = builder.Input();
    input.width = 40 + random.Below(60);
    for (const FormatInfo& info : Formats()) {
      CheckFormat(info, Render(info.format, input), input.findings.size());
    }
  }
}

}  // namespace
}  // namespace torchleak::report
