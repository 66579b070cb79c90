#include "driver/pipes.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "text/read.h"

namespace torchleak::driver {
namespace {

bool IsPipe(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return !error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace

CheckOptions WithPipesRead(CheckOptions options) {
  std::vector<std::string> others;
  const auto pipes = std::count_if(
      options.paths.begin(), options.paths.end(),
      [&](const std::string& path) { return IsPipe(AbsolutePath(path, options.root)); });
  if (pipes == 0) return options;
  Begin(options.progress, Progress::Phase::kReading, static_cast<std::size_t>(pipes));
  for (std::string& path : options.paths) {
    const std::string absolute = AbsolutePath(path, options.root);
    Buffer buffer{path, {}};
    text::ReadError error;
    if (IsPipe(absolute) &&
        text::ReadInto(absolute, text::Source::MaxBytes(absolute), &buffer.bytes, &error)) {
      options.buffers.push_back(std::move(buffer));
    } else {
      others.push_back(std::move(path));
    }
    Step(options.progress);
  }
  options.paths = std::move(others);
  return options;
}

}  // namespace torchleak::driver
