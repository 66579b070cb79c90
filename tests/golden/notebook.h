// A run over one notebook, tests/golden/sample/eda.ipynb: paths within and between cells, fixes
// with one edit and with several.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "report/report.h"
#include "text/source.h"

namespace torchleak::golden {

class Notebook {
 public:
  Notebook();
  Notebook(const Notebook&) = delete;
  Notebook& operator=(const Notebook&) = delete;

  const report::ReportInput& input() const { return input_; }

 private:
  text::Span Find(std::string_view text) const;

  std::optional<text::Source> source_;
  std::vector<findings::Finding> findings_;
  report::ReportInput input_;
};

}  // namespace torchleak::golden
