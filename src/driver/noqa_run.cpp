#include "driver/noqa_run.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "driver/discovery.h"
#include "driver/replace_file.h"
#include "fix/document.h"
#include "text/read.h"

namespace torchleak::driver {
namespace {

text::Result<bool> Write(const std::string& absolute, const text::Source& checked,
                         std::span<const findings::Edit> edits) {
  auto raw = text::ReadFile(absolute);
  if (!raw) return raw.error();
  auto before = fix::Document::FromBytes(checked.path(), *std::move(raw));
  if (!before) return before.error();
  if (before->source().bytes() != checked.bytes())
    return text::Error{"was changed by someone else since it was read; run again"};
  fix::Edits replacements;
  for (const findings::Edit& edit : edits)
    replacements.push_back({edit.location.span, edit.content});
  auto normalized = fix::Normalized(checked.bytes(), std::move(replacements));
  if (!normalized) return normalized.error();
  const auto after = before->With(*normalized);
  if (!after) return after.error();
  if (after->syntax_errors() > before->syntax_errors())
    return text::Error{"would not parse with the comments; nothing was changed"};
  const std::vector<FileChange> changes = {{absolute, before->raw(), after->raw()}};
  if (auto error = ReplaceFiles(changes)) return text::Error{std::move(error->message)};
  return true;
}

}  // namespace

NoqaTotals AddNoqa(const CheckOptions& options, const FindingSet& set, std::string_view reason) {
  return WriteNoqa(set, reason, [&](const text::Source& source, auto edits) -> text::Result<bool> {
    const std::string absolute = AbsolutePath(source.path(), options.root);
    const bool is_buffer = std::any_of(
        options.buffers.begin(), options.buffers.end(),
        [&](const Buffer& buffer) { return AbsolutePath(buffer.path, options.root) == absolute; });
    if (is_buffer) return text::Error{"is no file, and was not changed"};
    return Write(absolute, source, edits);
  });
}

}  // namespace torchleak::driver
