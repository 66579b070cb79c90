// docs/known-limits.md, made from what the fixtures admit.
//
//   losses.append(loss)  # expect-fn: TLK101 the helper is in another file     (fixtures, rule
//   pages) miss 020_meter.py:28 accumulated-tensor (cases/KNOWN_GAPS.txt)
#pragma once

#include <string>
#include <vector>

namespace torchleak::tests {

struct Limit {
  bool missed = false;  // else a false alarm
  std::string rule;     // code
  std::string reason;   // may be empty
  std::string code;     // the line that it is about
  std::string file;
};

// What `lines` of `file` admit.
std::vector<Limit> MarkedLimits(const std::string& file, const std::vector<std::string>& lines);
// Of the whole checkout.
std::vector<Limit> AllLimits();

std::string LimitsPage(std::vector<Limit> limits);

}  // namespace torchleak::tests
