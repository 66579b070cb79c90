// SARIF 2.1.0 as GitHub code scanning takes it. Checked by tests/golden with the validator of the
// format's own SDK, rule kinds Sarif and Ghas.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/formats.h"
#include "report/gzip_size.h"
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

// What becomes a result: a finding, or with `sarif_full` a suppressed one.
struct Entry {
  const findings::Finding* finding;
  const SuppressedFinding* suppressed;  // nullptr: shown
};

// In the order of findings::Before.
std::vector<Entry> Entries(const ReportInput& input) {
  std::vector<Entry> entries;
  for (const findings::Finding& finding : input.findings) entries.push_back({&finding, nullptr});
  if (!input.sarif_full) return entries;
  for (const SuppressedFinding& s : input.suppressed) entries.push_back({&s.finding, &s});
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return findings::Before(*a.finding, *b.finding);
  });
  return entries;
}

// The first to go comes last: suppressed ones, then the least severe, then the least certain.
bool MoreImportant(const Entry& a, const Entry& b) {
  const bool a_shown = a.suppressed == nullptr;
  const bool b_shown = b.suppressed == nullptr;
  if (a_shown != b_shown) return a_shown;
  if (a.finding->severity != b.finding->severity) return a.finding->severity > b.finding->severity;
  return a.finding->confidence > b.finding->confidence;
}

// The `limit` most important ones, in their order.
std::vector<Entry> MostImportant(const std::vector<Entry>& entries, std::size_t limit) {
  if (entries.size() <= limit) return entries;
  std::vector<std::size_t> kept(entries.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::stable_sort(kept.begin(), kept.end(), [&entries](std::size_t a, std::size_t b) {
    return MoreImportant(entries[a], entries[b]);
  });
  kept.resize(limit);
  std::sort(kept.begin(), kept.end());
  std::vector<Entry> out;
  for (const std::size_t i : kept) out.push_back(entries[i]);
  return out;
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

// Findings that were left out, and why.
struct Cut {
  std::size_t findings = 0;
  std::size_t all = 0;
  std::string limit;  // "a run holds at most 25000"
};

void AddCutNotices(const Cut& cut, std::size_t steps_cut, const SarifLimits& limits,
                   Json* notices) {
  if (cut.findings != 0) {
    notices->push_back(
        NoticeJson(Notice::kReportCut,
                   fmt::format("{} of {} findings were left out, the least severe first: {}",
                               cut.findings, cut.all, cut.limit)));
  }
  if (steps_cut != 0) {
    notices->push_back(
        NoticeJson(Notice::kReportCut,
                   fmt::format("{} steps of code flows were left out: a result holds at most {}",
                               steps_cut, limits.locations)));
  }
}

std::string Log(const ReportInput& input, const std::vector<Entry>& entries, const Cut& cut,
                const SarifLimits& limits) {
  SarifRules rules(input);
  SarifArtifacts artifacts(input);
  SarifResults results(input, rules, &artifacts, limits.locations);
  JsonList result_list(kResultsDepth);
  for (const Entry& entry : entries) {
    result_list.Add(results.ResultOf(*entry.finding, entry.suppressed));
  }
  Json notices = FileNotices(input, &artifacts);
  AddCutNotices(cut, results.locations_cut(), limits, &notices);

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

}  // namespace

std::string RenderSarif(const ReportInput& input, const SarifLimits& limits) {
  const std::vector<Entry> all = Entries(input);
  std::vector<Entry> kept = MostImportant(all, limits.results);
  Cut cut{all.size() - kept.size(), all.size(),
          fmt::format("a run holds at most {}", limits.results)};
  std::string text = Log(input, kept, cut, limits);
  // Fewer findings until the file fits; nearly always none has to go.
  while (!kept.empty() && text.size() > limits.gzip_bytes) {
    const std::size_t size = GzipSize(text);
    if (size <= limits.gzip_bytes) break;
    const double share = static_cast<double>(limits.gzip_bytes) / static_cast<double>(size);
    const auto fewer = static_cast<std::size_t>(static_cast<double>(kept.size()) * share * 0.98);
    kept = MostImportant(all, std::min(fewer, kept.size() - 1));
    cut.findings = all.size() - kept.size();
    cut.limit = fmt::format("the file holds at most {} bytes compressed", limits.gzip_bytes);
    text = Log(input, kept, cut, limits);
  }
  return text;
}

std::string RenderSarif(const ReportInput& input) { return RenderSarif(input, SarifLimits{}); }

}  // namespace torchleak::report
