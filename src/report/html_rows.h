// HtmlRows: the rows of one excerpt, laid out. Inner to this layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/file_marks.h"

namespace torchleak::report {

struct HtmlRow {
  std::string html;          // a whole <div>
  std::uint32_t number = 0;  // of the step whose note this is; 0: code, or a gap
  bool primary = false;      // the note of the finding itself; without a number, its code
};

// At most `limit` rows; when marked rows had to go, the last one says so.
std::vector<HtmlRow> HtmlRows(const FileMarks& file, std::size_t limit);

}  // namespace torchleak::report
