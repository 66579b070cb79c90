#include "driver/file_texts.h"

#include <utility>

namespace torchleak::driver {

text::Result<ParsedPtr> TreeTexts::Open(const std::string& path, const std::string& display) {
  std::string bytes;
  if (!tree_->Read(path, &bytes)) return text::Error{"cannot be read"};
  auto source = text::Source::FromBytes(display, std::move(bytes));
  if (!source) return source.error();
  return std::make_shared<const Parsed>(*std::move(source));
}

cache::Hash128 TreeTexts::ContentOf(const std::string& path) {
  std::string bytes;
  return cache::HashOf(tree_->Read(path, &bytes) ? bytes : std::string());
}

}  // namespace torchleak::driver
