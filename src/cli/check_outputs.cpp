// --output-format F[:FILE] and -o: which reports go where.
#include <fmt/format.h>

#include <algorithm>

#include "cli/check_plan.h"

namespace torchleak::cli {

text::Result<std::vector<Output>> TakeOutputs(const CheckArguments& arguments,
                                              const std::string& preset) {
  std::vector<Output> outputs;
  std::vector<std::string> formats = arguments.formats;
  if (formats.empty()) formats.push_back(preset);
  for (const std::string& given : formats) {
    std::size_t colon = given.find(':');
    auto format = report::ParseFormat(std::string_view(given).substr(0, colon));
    if (!format) return format.error();
    std::string file = colon == std::string::npos ? arguments.output_file : given.substr(colon + 1);
    if (colon != std::string::npos && file.empty()) {
      return text::Error{fmt::format("no file name after the colon of '{}'", given)};
    }
    const bool taken = std::any_of(outputs.begin(), outputs.end(),
                                   [&](const Output& output) { return output.file == file; });
    if (taken && !file.empty()) {
      return text::Error{fmt::format("two reports for the same file '{}'", file)};
    }
    if (taken) {
      return text::Error{fmt::format(
          "two reports for standard output; name a file, as in `--output-format {}:report.{}`",
          given, given)};
    }
    outputs.push_back({*format, std::move(file)});
  }
  bool uses_output_file = std::any_of(formats.begin(), formats.end(), [](const std::string& f) {
    return f.find(':') == std::string::npos;
  });
  if (!arguments.output_file.empty() && !uses_output_file) {
    return text::Error{"--output-file is used by no --output-format: each names a file of its own"};
  }
  return outputs;
}

}  // namespace torchleak::cli
