// The files of src/report/html, embedded at build time. Inner to this layer.
#pragma once

#include <string_view>

namespace torchleak::report {

struct EmbeddedFile {
  std::string_view text;
  std::string_view sha256;  // 64 hex digits
};

EmbeddedFile HtmlAsset(std::string_view name);  // "report.css"; empty when there is none

}  // namespace torchleak::report
