#include "analysis.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "driver/check.h"
#include "driver/suppression_pass.h"
#include "engine/analyze.h"
#include "engine/rule.h"
#include "syntax/tree.h"

namespace torchleak::tests {
namespace {

namespace fs = std::filesystem;

fs::path InCheckout(const std::string& path) { return fs::path(Checkout()) / path; }

}  // namespace

std::string Checkout() {
  const char* other = std::getenv("TORCHLEAK_CHECKOUT");
  return other == nullptr ? TORCHLEAK_SOURCE_DIR : other;
}

std::string ReadFile(const std::string& path_in_checkout) {
  std::ifstream file(InCheckout(path_in_checkout), std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path_in_checkout << " cannot be read");
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path_in_checkout, std::string_view bytes) {
  std::ofstream file(InCheckout(path_in_checkout), std::ios::binary);
  file << bytes;
  REQUIRE_MESSAGE(file.good(), path_in_checkout << " cannot be written");
}

std::vector<std::string> FilesBelow(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(InCheckout(folder))) {
    if (entry.path().filename().string().ends_with(suffix))
      files.push_back(fs::relative(entry.path(), Checkout()).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> RuleFixtures() {
  std::vector<std::string> files = FilesBelow("rules", ".py");
  std::erase_if(files, [](const std::string& file) {
    return file.find("/fixtures/") == std::string::npos;  // truth.py
  });
  return files;
}

std::vector<std::string> FixtureFiles() {
  std::vector<std::string> files = FilesBelow("fixtures", ".py");
  for (std::string& file : RuleFixtures()) files.push_back(std::move(file));
  return files;
}

text::Source SourceOf(std::string path, std::string text) {
  auto source = text::Source::FromBytes(std::move(path), std::move(text));
  REQUIRE_MESSAGE(source, source.error().message);
  return *source;
}

std::vector<const engine::Rule*> RulesFor(std::string_view path) {
  std::vector<const engine::Rule*> rules;
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string own = fmt::format("rules/{}/", rule->info().name);
    if (rule->info().on_by_default || path.starts_with(own)) rules.push_back(rule);
  }
  return rules;
}

std::vector<findings::Finding> Findings(const text::Source& source) {
  const syntax::Tree tree = syntax::Parse(source);
  const std::vector<const engine::Rule*> rules = RulesFor(source.path());
  engine::Analyzed analyzed = engine::Analyze(source, tree, rules);
  std::vector<findings::Finding> found = std::move(analyzed.findings);
  driver::ApplySuppressions(source, tree, {rules, false, analyzed.complete}, &found);
  std::erase_if(found, [](const findings::Finding& finding) {
    return finding.confidence < findings::Confidence::kMedium;
  });
  findings::SetFingerprints(found, source.path(), source);
  return found;
}

std::vector<findings::Finding> ProjectFindings(const std::string& folder,
                                               const ProjectOptions& options) {
  driver::CheckOptions check;
  check.paths = {folder};
  if (options.one_by_one) {
    check.paths = FilesBelow(folder, ".py");
    std::reverse(check.paths.begin(), check.paths.end());
  }
  check.root = fs::path(Checkout()).lexically_normal().string();
  check.rules = options.rules;
  check.jobs = options.jobs;
  if (check.rules.empty()) check.rules = RulesFor(folder);
  auto set = driver::Check(check);
  REQUIRE_MESSAGE(set, folder);
  CHECK_MESSAGE(set->notifications.empty(), folder);
  return std::move(set->findings);
}

std::vector<std::string> LostByByteScan(const text::Source& source) {
  std::vector<std::string> lost;
  for (const findings::Finding& finding : Findings(source)) {
    const std::array<const engine::Rule*, 1> rule{engine::FindRule(finding.code)};
    if (!engine::MayMatter(source.bytes(), rule))
      lost.push_back(fmt::format("{}:{} {}", source.path(),
                                 source.RowOf(finding.location.span.begin), finding.code));
  }
  return lost;
}

}  // namespace torchleak::tests
