// A small run with hand-made findings over tests/golden/sample: what the golden outputs are
// rendered from. Spans are found by the text they cover, so the sample's sources read as they are.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "report/report.h"
#include "text/source.h"

namespace torchleak::golden {

class Sample {
 public:
  Sample();
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  // Borrows from this object. Plain text, root "/repo", version "0.1.0".
  const report::ReportInput& input() const { return input_; }
  // Not part of input(): one finding suppressed by a comment, one known to the baseline.
  const std::vector<report::SuppressedFinding>& suppressed() const { return suppressed_; }

 private:
  text::Span Find(std::string_view path, std::string_view text, std::size_t occurrence = 0) const;
  void AddAccumulated();
  void AddEval();
  void AddWide();
  void AddSyntaxError();
  void AddSuppressed();

  std::map<std::string, text::Source, std::less<>> sources_;
  std::vector<std::unique_ptr<engine::Rule>> owned_rules_;
  std::vector<const engine::Rule*> rules_;
  std::vector<findings::Finding> findings_;
  std::vector<report::SuppressedFinding> suppressed_;
  std::vector<report::Notification> notifications_;
  report::ReportInput input_;
};

}  // namespace torchleak::golden
