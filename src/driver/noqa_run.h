// AddNoqa: `--add-noqa`, from findings to changed files.
//
//   auto set = Check(options);
//   NoqaTotals totals = AddNoqa(options, *set);
//   // "Added {totals.directives} noqa directives in {totals.files} files"
//
// Each file by itself, whole or not at all (replace_file.h), in the encoding and with the line ends
// that it has. What changed since it was checked, or parses worse with the comments, is not written
// and told as an error. Buffers are not files.
#pragma once

#include <string_view>

#include "driver/check.h"
#include "driver/suppression_pass.h"

namespace torchleak::driver {

NoqaTotals AddNoqa(const CheckOptions& options, const FindingSet& set,
                   std::string_view reason = {});

}  // namespace torchleak::driver
