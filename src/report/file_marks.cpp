#include "report/file_marks.h"

#include <algorithm>

#include "report/terminal.h"

namespace torchleak::report {
namespace {

FileMarks& MarksOf(const Place& place, std::vector<FileMarks>* files) {
  const auto found = std::find_if(files->begin(), files->end(), [&](const FileMarks& f) {
    return f.first.path == place.path && f.first.cell == place.cell;
  });
  if (found != files->end()) return *found;
  files->push_back({place, {}, 1});
  return files->back();
}

}  // namespace

std::vector<FileMarks> CollectMarks(const ReportInput& input, const findings::Finding& finding) {
  std::vector<FileMarks> files;
  const Place own = PlaceOf(input, finding, finding.location);
  const auto add = [&files](const Place& place, bool primary, std::uint32_t number,
                            std::string label) {
    FileMarks& file = MarksOf(place, &files);
    file.marks.push_back({place.span, primary, number, std::move(label)});
    // The row below may be drawn as context.
    file.last_row = std::max(file.last_row, place.end.row + 1);
  };
  add(own, true, 0, "");
  for (std::size_t i = 0; i < finding.flow.size(); ++i) {
    const findings::Step& step = finding.flow[i];
    const Place place = PlaceOf(input, finding, step.location);
    const auto number = static_cast<std::uint32_t>(i + 1);
    Mark& primary = files.front().marks.front();
    // The step that is the finding itself labels its carets, once; a second one gets its own mark.
    if (place.path == own.path && place.span == own.span && primary.number == 0) {
      primary.number = number;
      primary.label = Printable(step.message);
    } else {
      add(place, false, number, Printable(step.message));
    }
  }
  return files;
}

}  // namespace torchleak::report
