#include "report/sarif_rules.h"

#include <array>

#include <fmt/format.h>

#include "report/page_text.h"

namespace torchleak::report {
namespace {

struct Weakness {
  std::string_view number;
  std::string_view name;
  std::string_view text;
};

constexpr std::array<Weakness, 5> kWeaknesses = {{
    {"401", "MissingReleaseOfMemoryAfterEffectiveLifetime",
     "Missing Release of Memory after Effective Lifetime."},
    {"459", "IncompleteCleanup", "Incomplete Cleanup."},
    {"770", "AllocationOfResourcesWithoutLimitsOrThrottling",
     "Allocation of Resources Without Limits or Throttling."},
    {"771", "MissingReferenceToActiveAllocatedResource",
     "Missing Reference to Active Allocated Resource."},
    {"772", "MissingReleaseOfResourceAfterEffectiveLifetime",
     "Missing Release of Resource after Effective Lifetime."},
}};

// Our own, fixed: it ties `supportedTaxonomies` to `taxonomies`.
constexpr std::string_view kCweGuid = "6f2a1c54-0d5e-4c6b-9a53-1f3c4d2b7e10";
constexpr std::string_view kCweTag = "external/cwe/cwe-";
constexpr std::size_t kFullDescription = 1024;  // characters that GitHub takes

// "accumulated-tensor" -> "AccumulatedTensor", as SARIF wants a rule's name.
std::string PascalCase(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c == '-') {
      upper = true;
      continue;
    }
    out.push_back(upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
    upper = false;
  }
  return out;
}

std::string_view ProblemSeverity(findings::Severity severity) {
  return severity == findings::Severity::kNote ? "recommendation" : Name(severity);
}

Json Relationships(const engine::RuleInfo& info) {
  Json relationships = Json::array();
  for (const std::string_view tag : info.tags) {
    if (!tag.starts_with(kCweTag)) continue;
    for (std::size_t i = 0; i < kWeaknesses.size(); ++i) {
      if (kWeaknesses[i].number != tag.substr(kCweTag.size())) continue;
      relationships.push_back(
          {{"target",
            {{"id", fmt::format("CWE-{}", kWeaknesses[i].number)},
             {"index", i},
             {"toolComponent", {{"name", "CWE"}, {"index", 0}, {"guid", kCweGuid}}}}},
           {"kinds", Json::array({"superset"})}});
    }
  }
  return relationships;
}

Json RuleJson(const engine::RuleInfo& info) {
  const std::string summary = Requoted(Sentence(info.summary));
  const std::string_view what = Section(info.page, "What it finds");
  const std::string description =
      what.empty() ? summary : Shorten(PlainText(what), kFullDescription);
  const std::string help = info.page.empty() ? summary : PlainText(info.page);
  const std::string markdown = info.page.empty() ? summary : std::string(info.page);
  Json tags = Json::array();
  for (const std::string_view tag : info.tags) tags.push_back(tag);
  Json rule = {{"id", info.code},
               {"name", PascalCase(info.name)},
               {"shortDescription", {{"text", summary}}},
               {"fullDescription", {{"text", description}}},
               {"help", {{"text", help}, {"markdown", markdown}}},
               {"helpUri", RuleUrl(info.name)},
               {"defaultConfiguration", {{"level", Name(info.severity)}}},
               {"properties",
                {{"tags", std::move(tags)},
                 {"precision", info.severity == findings::Severity::kNote ? "medium" : "high"},
                 {"problem.severity", ProblemSeverity(info.severity)}}}};
  Json relationships = Relationships(info);
  if (!relationships.empty()) rule["relationships"] = std::move(relationships);
  return rule;
}

}  // namespace

SarifRules::SarifRules(const ReportInput& input) {
  for (const engine::Rule* rule : input.rules) Add(rule->info().code, RuleJson(rule->info()));
  for (const findings::Finding& finding : input.findings) AddUnknown(finding);
  if (!input.sarif_full) return;
  for (const SuppressedFinding& suppressed : input.suppressed) AddUnknown(suppressed.finding);
}

void SarifRules::AddUnknown(const findings::Finding& finding) {
  if (index_of_.contains(finding.code)) return;
  engine::RuleInfo info{};
  info.code = finding.code;
  info.name = finding.name;
  info.summary = finding.name;
  info.severity = finding.severity;
  Add(finding.code, RuleJson(info));
}

void SarifRules::Add(std::string_view code, Json rule) {
  if (!index_of_.emplace(code, rules_.size()).second) return;
  rules_.push_back(std::move(rule));
}

Json SarifTaxonomies() {
  Json taxa = Json::array();
  for (const Weakness& weakness : kWeaknesses) {
    taxa.push_back({{"id", fmt::format("CWE-{}", weakness.number)},
                    {"name", weakness.name},
                    {"shortDescription", {{"text", weakness.text}}},
                    {"helpUri", fmt::format("https://cwe.mitre.org/data/definitions/{}.html",
                                            weakness.number)}});
  }
  return Json::array({{{"name", "CWE"},
                       {"version", "4.15"},
                       {"guid", kCweGuid},
                       {"organization", "MITRE"},
                       {"shortDescription", {{"text", "The MITRE Common Weakness Enumeration."}}},
                       {"informationUri", "https://cwe.mitre.org/data/published/cwe_v4.15.pdf"},
                       {"downloadUri", "https://cwe.mitre.org/data/xml/cwec_v4.15.xml.zip"},
                       {"isComprehensive", false},
                       {"taxa", std::move(taxa)}}});
}

Json SarifSupportedTaxonomies() {
  return Json::array({{{"name", "CWE"}, {"index", 0}, {"guid", kCweGuid}}});
}

}  // namespace torchleak::report
