// HtmlExcerpts: the code that a finding speaks of, with its path drawn through it. Inner to this
// layer.
//
// Every excerpt is a column of rows of one height, code and notes, beside a drawing as high as all
// of them: numbered dots at the notes, joined in the order of the path (html_flow.h). Nothing
// wraps, so that rows and dots meet at any width; what is too wide scrolls inside the excerpt.
#pragma once

#include <string>
#include <vector>

#include "report/file_marks.h"

namespace torchleak::report {

struct HtmlLimits {
  std::size_t excerpts = 6;  // a finding
  std::size_t rows = 60;     // an excerpt
};

// `files` as CollectMarks() gives them.
std::string HtmlExcerpts(const ReportInput& input, const std::vector<FileMarks>& files,
                         const HtmlLimits& limits);

}  // namespace torchleak::report
