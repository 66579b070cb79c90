// A run in which everything tries to be something else: paths, names, messages and sources hold
// markup, log commands, terminal sequences, broken UTF-8 and characters that turn the reading
// order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "report/report.h"
#include "text/source.h"

namespace torchleak::golden {

class Hostile {
 public:
  Hostile();
  Hostile(const Hostile&) = delete;
  Hostile& operator=(const Hostile&) = delete;

  const report::ReportInput& input() const { return input_; }

 private:
  std::map<std::string, text::Source, std::less<>> sources_;
  std::vector<findings::Finding> findings_;
  std::vector<report::Notification> notifications_;
  report::ReportInput input_;
};

}  // namespace torchleak::golden
