#include "report/disk_edit.h"

#include <algorithm>
#include <span>

#include "text/notebook.h"

#include "report/common_ends.h"

namespace torchleak::report {
namespace {

// Bytes of Source::bytes(), or of Notebook::raw().
struct Replacement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string content;
};

struct PlacedEdit {
  Place place;
  std::string_view content;
};

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// What has to be replaced in `before` to get `after`, without splitting a character or an escape: a
// replacement that starts behind a backslash would be hard to read.
Replacement Difference(std::string_view before, std::string_view after) {
  auto [head, tail] = CommonEndsOf(before, after);
  while (head > 0 &&
         (IsContinuation(before[std::min(head, before.size() - 1)]) || before[head - 1] == '\\'))
    --head;
  while (tail > 0 && IsContinuation(before[before.size() - tail])) --tail;
  return {head, before.size() - tail, std::string(after.substr(head, after.size() - tail - head))};
}

DiskPosition RawPosition(std::string_view raw, std::size_t offset) {
  DiskPosition position;
  const std::string_view before = raw.substr(0, offset);
  position.row += static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
  for (std::size_t i = line; i < offset; ++i) {
    ++position.byte_column;
    if (IsContinuation(raw[i])) continue;
    ++position.column;
    position.utf16_column += static_cast<unsigned char>(raw[i]) >= 0xF0 ? 2 : 1;
  }
  return position;
}

// The edits of one notebook as one replacement of its JSON; false when it cannot be made.
bool InNotebook(const text::Notebook& notebook, std::span<const PlacedEdit> edits,
                Replacement* replacement) {
  std::vector<text::Notebook::Edit> python;
  for (const PlacedEdit& edit : edits) {
    python.push_back({edit.place.span, std::string(edit.content)});
  }
  const text::Result<std::string> after = notebook.Rewrite(python);
  if (!after) return false;
  *replacement = Difference(notebook.raw(), *after);
  return true;
}

// By file, then by position; empty when something is missing or overlaps.
std::vector<PlacedEdit> Placed(const ReportInput& input, const findings::Finding& finding) {
  std::vector<PlacedEdit> edits;
  for (const findings::Edit& edit : finding.fix->edits) {
    edits.push_back({PlaceOf(input, finding, edit.location), edit.content});
    if (edits.back().place.source == nullptr) return {};
  }
  std::vector<std::string_view> paths;  // in the order of first mention
  const auto index_of = [&paths](std::string_view path) {
    const auto found = std::find(paths.begin(), paths.end(), path);
    if (found != paths.end()) return found - paths.begin();
    paths.push_back(path);
    return static_cast<std::ptrdiff_t>(paths.size()) - 1;
  };
  for (const PlacedEdit& edit : edits) index_of(edit.place.path);
  std::stable_sort(edits.begin(), edits.end(), [&](const PlacedEdit& a, const PlacedEdit& b) {
    if (a.place.path != b.place.path) return index_of(a.place.path) < index_of(b.place.path);
    return a.place.span.begin < b.place.span.begin;
  });
  for (std::size_t i = 1; i < edits.size(); ++i) {
    const Place& above = edits[i - 1].place;
    const Place& here = edits[i].place;
    if (above.path == here.path && here.span.begin < above.span.end) return {};
  }
  return edits;
}

// Of one notebook: one replacement for each edit, or one for all when these would touch.
bool NotebookEdits(std::span<const PlacedEdit> edits, std::vector<DiskEdit>* out) {
  const text::Notebook& notebook = *edits.front().place.source->notebook();
  std::vector<Replacement> replacements(edits.size());
  bool apart = true;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!InNotebook(notebook, edits.subspan(i, 1), &replacements[i])) return false;
    apart &= i == 0 || replacements[i - 1].end < replacements[i].begin;
  }
  if (!apart) {
    replacements.resize(1);
    if (!InNotebook(notebook, edits, replacements.data())) return false;
  }
  for (Replacement& r : replacements) {
    out->push_back({edits.front().place.path,
                    {RawPosition(notebook.raw(), r.begin), RawPosition(notebook.raw(), r.end)},
                    std::move(r.content)});
  }
  return true;
}

}  // namespace

std::vector<DiskEdit> DiskEdits(const ReportInput& input, const findings::Finding& finding) {
  const std::vector<PlacedEdit> edits = Placed(input, finding);
  std::vector<DiskEdit> out;
  for (std::size_t i = 0; i < edits.size();) {
    std::size_t end = i + 1;
    while (end < edits.size() && edits[end].place.path == edits[i].place.path) ++end;
    const std::span<const PlacedEdit> here = std::span(edits).subspan(i, end - i);
    if (here.front().place.source->notebook() != nullptr) {
      if (!NotebookEdits(here, &out)) return {};
    } else {
      for (const PlacedEdit& edit : here) {
        out.push_back({edit.place.path, OnDisk(edit.place), std::string(edit.content)});
      }
    }
    i = end;
  }
  return out;
}

std::vector<DiskEdit> JoinedDiskEdit(const ReportInput& input, const findings::Finding& finding) {
  const std::vector<PlacedEdit> edits = Placed(input, finding);
  if (edits.empty() || edits.front().place.path != edits.back().place.path) return {};
  Place whole = edits.front().place;
  if (const text::Notebook* notebook = whole.source->notebook(); notebook != nullptr) {
    Replacement r;
    if (!InNotebook(*notebook, edits, &r)) return {};
    return {{whole.path,
             {RawPosition(notebook->raw(), r.begin), RawPosition(notebook->raw(), r.end)},
             std::move(r.content)}};
  }
  std::string text;
  std::uint32_t at = whole.span.begin;
  for (const PlacedEdit& edit : edits) {
    text += whole.source->Text({at, edit.place.span.begin});
    text += edit.content;
    at = edit.place.span.end;
  }
  whole.span.end = at;
  return {{whole.path, OnDisk(whole), std::move(text)}};
}

}  // namespace torchleak::report
