// The formats behind Render(), one function and one .cpp each. Inner to this layer.
#pragma once

#include <string>

#include "report/report.h"

namespace torchleak::report {

std::string RenderFull(const ReportInput& input);
std::string RenderConcise(const ReportInput& input);
std::string RenderGrouped(const ReportInput& input);
std::string RenderJson(const ReportInput& input);
std::string RenderJsonLines(const ReportInput& input);
std::string RenderSarif(const ReportInput& input);
std::string RenderGithub(const ReportInput& input);
std::string RenderGitlab(const ReportInput& input);
std::string RenderJunit(const ReportInput& input);
std::string RenderPylint(const ReportInput& input);
std::string RenderRdjson(const ReportInput& input);
std::string RenderAzure(const ReportInput& input);
std::string RenderHtml(const ReportInput& input);

// SARIF with the limits of the receiving service as arguments, so that tests can set low ones.
struct SarifLimits {
  std::size_t results = 25'000;         // a run
  std::size_t locations = 1'000;        // a result: steps of its flow, related locations
  std::size_t gzip_bytes = 10'000'000;  // the file, compressed
};
std::string RenderSarif(const ReportInput& input, const SarifLimits& limits);

}  // namespace torchleak::report
