#include "config/settings.h"

#include <doctest/doctest.h>

#include "config/explain.h"
#include "config/reader.h"

namespace torchleak::config {
namespace {

Layer Toml(std::string toml, std::string folder = "/r") {
  auto layer =
      ReadLayer(File{folder + "/t.toml", "t.toml", folder, std::move(toml)}, Section::kWhole);
  REQUIRE_MESSAGE(layer, layer.error().message);
  return **std::move(layer);
}

Settings Of(std::vector<Layer> layers) { return Resolve(layers, "/r"); }

std::string Rules(const Settings& settings, std::string_view path = "/r/a.py") {
  std::string codes;
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string_view code = rule->info().code;
    if (code <= "TLK203" && settings.Selects(code, path)) codes += std::string(code) + " ";
  }
  return codes;
}

const Shown& Option(const Settings& settings, std::string_view key) {
  for (const Shown& shown : settings.shown) {
    if (shown.key == key) return shown;
  }
  FAIL("no such option");
  return settings.shown.front();
}

TEST_CASE("defaults") {
  const Settings s = Of({});
  CHECK(s.Selects("TLK101", "/r/a.py"));
  CHECK(s.MayFix("TLK101"));
  CHECK(s.respect_gitignore);
  CHECK_FALSE(s.fix);
  CHECK_FALSE(s.unsafe_fixes);
  CHECK(s.fail_on == findings::Severity::kWarning);
  CHECK(s.min_confidence == findings::Confidence::kMedium);
  CHECK(s.output_format == "full");
  CHECK(s.Excludes("/r/.venv", true));
  CHECK(s.ExcludesTree("/r/build/a.py", false));
  CHECK(s.baseline.empty());
  CHECK_FALSE(s.target_version);
}

TEST_CASE("rules of layers") {
  CHECK(Rules(Of({Toml("select = ['TLK0']")})) == "TLK000 TLK001 TLK002 ");
  CHECK(Rules(Of({Toml("select = ['TLK0']"), Toml("ignore = ['TLK001']")})) == "TLK000 TLK002 ");
  CHECK(Rules(Of({Toml("select = ['TLK0']"), Toml("extend-select = ['TLK101']")})) ==
        "TLK000 TLK001 TLK002 TLK101 ");
  CHECK(Rules(Of({Toml("ignore = ['TLK001']"), Toml("select = ['TLK0']")})) == "TLK000 TLK002 ");
  const Settings fixes = Of({Toml("unfixable = ['TLK2']"), Toml("fixable = ['TLK201', 'TLK1']")});
  CHECK(fixes.MayFix("TLK201"));
  CHECK_FALSE(fixes.MayFix("TLK203"));
  CHECK_FALSE(fixes.MayFix("TLK000"));
  CHECK(fixes.MayFix("TLK101"));
}

TEST_CASE("per-file ignores are relative to their file, and the last table stands") {
  const Layer base =
      Toml("per-file-ignores = { 'tests/*' = ['TLK1', 'TLK2', 'TLK3', 'TLK4', 'TLK000'] }", "/r/p");
  CHECK(Rules(Of({base}), "/r/p/tests/x/a.py") == "TLK001 TLK002 ");
  CHECK(Of({base}).Selects("TLK101", "/r/tests/a.py"));
  const Layer other = Toml("per-file-ignores = { '!src/' = ['ALL'] }");
  CHECK(Of({base, other}).Selects("TLK101", "/r/src/a.py"));
  CHECK_FALSE(Of({base, other}).Selects("TLK101", "/r/p/a.py"));
  // Also what is no exact name is ignored where it says so.
  CHECK_FALSE(Of({Toml("select = ['TLK101']\nper-file-ignores = { 'a.py' = ['TLK'] }")})
                  .Selects("TLK101", "/r/a.py"));
}

TEST_CASE("confidence and severity") {
  findings::Finding finding;
  finding.code = "TLK101";
  finding.confidence = findings::Confidence::kMedium;
  CHECK(Of({}).Reports(finding, "/r/a.py"));
  CHECK_FALSE(Of({Toml("min-confidence = 'high'")}).Reports(finding, "/r/a.py"));
  CHECK_FALSE(Of({Toml("ignore = ['TLK101']")}).Reports(finding, "/r/a.py"));
  auto severity = [&](std::string toml) {
    finding.severity = findings::Severity::kError;
    Of({Toml(std::move(toml))}).Adjust(&finding);
    return finding.severity;
  };
  CHECK(severity("") == findings::Severity::kError);
  CHECK(severity("severity = { ALL = 'error', TLK1 = 'warning', accumulated-tensor = 'note' }") ==
        findings::Severity::kNote);
  CHECK(severity("severity = { TLK1 = 'warning', ALL = 'note' }") == findings::Severity::kWarning);
  CHECK(severity("severity = { TLK2 = 'note' }") == findings::Severity::kError);
}

TEST_CASE("excludes add up, each relative to its folder") {
  const Settings s =
      Of({Toml("exclude = ['/gen']", "/r/p"), Toml("extend-exclude = ['/out', '!out/keep.py']")});
  CHECK(s.Excludes("/r/p/gen", true));
  CHECK_FALSE(s.Excludes("/r/gen", true));
  CHECK(s.Excludes("/r/out", true));
  CHECK_FALSE(s.Excludes("/r/out/keep.py", false));
  CHECK_FALSE(s.Excludes("/r/p/.venv", true));
}

TEST_CASE("paths, versions, and what implies what") {
  const Settings s =
      Of({Toml("baseline = 'b.json'\ncache-dir = '/c'\nfix-only = true\n"
               "target-version = '2.10'\nunsafe-fixes = false",
               "/r/p")});
  CHECK(s.baseline == "/r/p/b.json");
  CHECK(s.cache_dir == "/c");
  CHECK(s.fix);
  CHECK(s.fix_only);
  CHECK(s.unsafe_fixes == std::optional<bool>(false));
  REQUIRE(s.target_version);
  CHECK(*s.target_version > TorchVersion{2, 9});
}

TEST_CASE("what is shown, with its origin") {
  const Settings s = Of({Toml("select = ['TLK1']\nextend-select = ['TLK201']\nignore = ['TLK101']"),
                         Toml("select = ['TLK2']\nignore = ['TLK203']\nfail-on = 'note'")});
  CHECK(Option(s, "select").toml == R"(["TLK2"])");
  CHECK(Option(s, "extend-select").toml == "[]");  // of a selection that is gone
  CHECK(Option(s, "ignore").toml == R"(["TLK101", "TLK203"])");
  CHECK(Option(s, "ignore").origin == "t.toml:3:1, t.toml:2:1");
  CHECK(Option(s, "fail-on").origin == "t.toml:3:1");
  CHECK(Option(s, "exclude").origin == "default");
  const std::string listing = Listing(s, s, "a.py", "/r");
  CHECK(listing.starts_with("# Settings of a.py, from no configuration file\n"));
  CHECK(listing.find("# Rules: TLK201 TLK202 TLK204") != std::string::npos);
  CHECK(listing.find("# baseline is not set\n") != std::string::npos);
  // Options of the run come from the working directory, also where another file speaks of them.
  const std::string below = Listing(s, Of({}), "p/a.py", "/r");
  CHECK(below.find("fail-on = \"warning\"") != std::string::npos);
  CHECK(below.find("# fail-on of t.toml:3:1 counts only in runs that start there\n") !=
        std::string::npos);
}

TEST_CASE("the key of an analysis changes with what changes findings, and with nothing else") {
  const std::string key = Of({}).AnalysisKey();
  CHECK(
      key ==
      Of({Toml("fail-on = 'note'\noutput-format = 'json'\nextend-exclude = ['x']")}).AnalysisKey());
  CHECK(key != Of({Toml("ignore = ['TLK101']")}).AnalysisKey());
  CHECK(key != Of({Toml("per-file-ignores = { a = ['TLK101'] }")}).AnalysisKey());
  CHECK(key != Of({Toml("single-file = true")}).AnalysisKey());
}

TEST_CASE("layers made of flags are checked like files") {
  auto flags = [](std::string key, Value value) {
    Layer layer{"the command line", "/r", {}};
    value.origin = "--" + key;
    layer.values[key] = std::move(value);
    return layer;
  };
  Value selectors;
  selectors.words = {"TLK1", "TLK9"};
  CHECK(CheckLayer(flags("select", selectors)).find("--select: unknown rule 'TLK9'") == 0);
  Value level;
  level.text = "eror";
  CHECK(CheckLayer(flags("fail-on", level)).find("did you mean 'error'?") != std::string::npos);
  selectors.words = {"TLK1"};
  Layer both = flags("select", selectors);
  both.values["ignore"] = selectors;
  both.values["ignore"].origin = "--ignore";
  CHECK(CheckLayer(both).find("--ignore: 'TLK1' is in 'ignore' and also in 'select'") == 0);
  CHECK(CheckLayer(flags("select", selectors)) == "");
}

}  // namespace
}  // namespace torchleak::config
