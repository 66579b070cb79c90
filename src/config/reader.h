// A configuration file as a Layer: every key known, every value of its type, every rule there is.
//
//   auto layer = ReadLayer(file, Section::kWhole);
//   if (!layer) Print(layer.error().message);  // torchleak.toml:3:1: unknown key 'selct'; did you
//   …
#pragma once

#include <optional>

#include "config/file.h"
#include "config/value.h"
#include "text/result.h"

namespace torchleak::config {

enum class Section : std::uint8_t {
  kWhole,   // torchleak.toml
  kTool,    // [tool.torchleak] of pyproject.toml
  kInline,  // the text of --config 'key=value'
};

// Nothing when the section is not there.
text::Result<std::optional<Layer>> ReadLayer(const File& file, Section section);

// The place of `extend`, to point at when what it names cannot be read.
Place PlaceOfExtend(const File& file, Section section);

}  // namespace torchleak::config
