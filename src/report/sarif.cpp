// SARIF 2.1.0 as GitHub code scanning takes it. Checked by tests/golden with the validator of the
// format's own SDK, rule kinds Sarif and Ghas.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/formats.h"
#include "report/json_list.h"
#include "report/page_text.h"
#include "report/sarif_results.h"
#include "report/sarif_rules.h"

namespace torchleak::report {
namespace {

enum class Notice : std::uint8_t { kFileNotRead, kFileNotParsed, kReportCut };

struct NoticeInfo {
  std::string_view id;
  std::string_view name;
  std::string_view text;
};

constexpr NoticeInfo kNotices[] = {
    {"file-not-read", "FileNotRead", "A file could not be read and was not checked."},
    {"file-not-parsed", "FileNotParsed", "A file has a syntax error; what does parse was checked."},
    {"report-cut", "ReportCut", "The report was cut to what the receiving service takes."},
};

constexpr std::size_t kResultsDepth = 6;  // indent of the key "results"

Json NoticeDescriptors() {
  Json descriptors = Json::array();
  for (const NoticeInfo& notice : kNotices) {
    descriptors.push_back({{"id", notice.id},
                           {"name", notice.name},
                           {"shortDescription", {{"text", notice.text}}},
                           {"fullDescription", {{"text", notice.text}}},
                           {"help", {{"text", notice.text}}},
                           {"helpUri", "https://torchleak.readthedocs.io/notices"}});
  }
  return descriptors;
}

Json NoticeJson(Notice notice, std::string_view message) {
  const auto index = static_cast<std::size_t>(notice);
  return {{"descriptor", {{"id", kNotices[index].id}, {"index", index}}},
          {"level", "warning"},
          {"message", {{"text", Requoted(Sentence(message))}}}};
}

Json FileNotices(const ReportInput& input, SarifArtifacts* artifacts) {
  Json notices = Json::array();
  for (const Notification& notification : input.notifications) {
    const bool not_read = notification.kind == Notification::Kind::kNotRead;
    Json notice =
        NoticeJson(not_read ? Notice::kFileNotRead : Notice::kFileNotParsed, notification.message);
    if (!notification.path.empty()) {
      notice["locations"] = Json::array(
          {{{"physicalLocation", {{"artifactLocation", artifacts->Location(notification.path)}}}}});
    }
    notices.push_back(std::move(notice));
  }
  return notices;
}

// Indices of the findings to report, in their order: the most severe, then the most certain.
std::vector<std::size_t> MostSevere(std::span<const findings::Finding> findings,
                                    std::size_t limit) {
  std::vector<std::size_t> kept(findings.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  if (kept.size() <= limit) return kept;
  std::stable_sort(kept.begin(), kept.end(), [findings](std::size_t a, std::size_t b) {
    if (findings[a].severity != findings[b].severity)
      return findings[a].severity > findings[b].severity;
    return findings[a].confidence > findings[b].confidence;
  });
  kept.resize(limit);
  std::sort(kept.begin(), kept.end());
  return kept;
}

Json DriverJson(const ReportInput& input, SarifRules* rules) {
  return {{"name", "torchleak"},
          {"fullName", fmt::format("torchleak {}", input.version)},
          {"organization", "torchleak"},
          {"version", input.version},
          {"semanticVersion", input.version},
          {"informationUri", "https://torchleak.readthedocs.io/"},
          {"rules", rules->TakeRules()},
          {"notifications", NoticeDescriptors()},
          {"supportedTaxonomies", SarifSupportedTaxonomies()}};
}

Json RootJson(const ReportInput& input) {
  return {{"%SRCROOT%",
           {{"uri", DirectoryUri(input.root)},
            {"description", {{"text", "The folder that relative paths start from."}}}}}};
}

}  // namespace

std::string RenderSarif(const ReportInput& input, const SarifLimits& limits) {
  SarifRules rules(input);
  SarifArtifacts artifacts(input.root);
  SarifResults results(input, rules, &artifacts, limits.locations);
  JsonList result_list(kResultsDepth);
  const auto kept = MostSevere(input.findings, limits.results);
  for (const std::size_t i : kept) result_list.Add(results.ResultOf(input.findings[i]));

  Json notices = FileNotices(input, &artifacts);
  if (const std::size_t cut = input.findings.size() - kept.size(); cut != 0) {
    notices.push_back(NoticeJson(
        Notice::kReportCut,
        fmt::format(
            "{} of {} findings were left out, the least severe first: a run holds at most {}", cut,
            input.findings.size(), limits.results)));
  }
  if (const std::size_t cut = results.locations_cut(); cut != 0) {
    notices.push_back(
        NoticeJson(Notice::kReportCut,
                   fmt::format("{} steps of code flows were left out: a result holds at most {}",
                               cut, limits.locations)));
  }

  Json run;
  run["tool"] = {{"driver", DriverJson(input, &rules)}};
  run["taxonomies"] = SarifTaxonomies();
  run["automationDetails"] = {{"id", "torchleak/"}};
  run["columnKind"] = "utf16CodeUnits";
  run["language"] = "en-US";
  run["defaultEncoding"] = "utf-8";
  run["newlineSequences"] = Json::array({"\r\n", "\n", "\r"});
  run["originalUriBaseIds"] = RootJson(input);
  run["artifacts"] = artifacts.Take();
  run["invocations"] = Json::array({{{"executionSuccessful", true},
                                     {"toolExecutionNotifications", std::move(notices)},
                                     {"workingDirectory", {{"uri", DirectoryUri(input.root)}}}}});
  run["results"] = Json::array();

  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({std::move(run)})}};
  // `results` is the last key, so its empty array is the last one of the text.
  std::string text = Dump(log);
  text.replace(text.rfind("[]"), 2, result_list.Take());
  return text + "\n";
}

std::string RenderSarif(const ReportInput& input) { return RenderSarif(input, SarifLimits{}); }

}  // namespace torchleak::report
