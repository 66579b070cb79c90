// Files are told apart by their real paths, so that links make no circle longer; and their number
// is bounded.
#include "config/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "config/file.h"
#include "config/merge.h"
#include "config/reader.h"

namespace torchleak::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestChain = 32;

Section SectionFor(std::string_view path) {
  return path.ends_with("/pyproject.toml") ? Section::kTool : Section::kWhole;
}

std::string RealPath(const std::string& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

class Builder {
 public:
  explicit Builder(std::string_view root) : root_(root) {}

  // Adds the file, and the files that it extends.
  text::Result<Chain> Build(File file, Layer layer) {
    Add(file, std::move(layer));
    while (const Value* extend = chain_.layers.back().Find("extend")) {
      const std::string path = AbsoluteIn(file.folder, extend->text);
      auto fail = [&](std::string_view message) {
        return text::Error{
            ErrorAt(file, PlaceOfExtend(file, SectionFor(file.path)), message).message + Trail(1)};
      };
      if (std::find(real_.begin(), real_.end(), RealPath(path)) != real_.end()) {
        return fail(fmt::format("'extend' goes in a circle: {} -> {}", fmt::join(names_, " -> "),
                                DisplayName(path, root_)));
      }
      if (names_.size() == kLongestChain) {
        return fail(fmt::format("'extend' leads through more than {} files", kLongestChain));
      }
      auto next = ReadConfigFile(path, root_, true);
      if (!next) return fail(fmt::format("'extend': {}", next.error().message));
      if (!*next) return fail(fmt::format("'extend': there is no {}", DisplayName(path, root_)));
      file = **std::move(next);
      auto read = ReadLayer(file, SectionFor(path));
      if (!read) return text::Error{read.error().message + Trail(0)};
      if (!*read) return text::Error{NoSection(file) + Trail(0)};
      Add(file, **std::move(read));
    }
    std::reverse(chain_.layers.begin(), chain_.layers.end());
    return std::move(chain_);
  }

  static std::string NoSection(const File& file) {
    return fmt::format("{} has no section [tool.torchleak]", file.display);
  }

 private:
  void Add(const File& file, Layer layer) {
    names_.push_back(file.display);
    real_.push_back(RealPath(file.path));
    chain_.files.push_back(file.path);
    chain_.layers.push_back(std::move(layer));
  }

  // Who extends the file that a message is about, which is the last one or not yet among them.
  std::string Trail(std::ptrdiff_t known) const {
    std::string trail;
    for (auto name = names_.rbegin() + known; name != names_.rend(); ++name) {
      trail += fmt::format("\n  extended by {}", *name);
    }
    return trail;
  }

  std::string_view root_;
  Chain chain_;
  std::vector<std::string> names_, real_;
};

text::Result<std::optional<Chain>> Read(const std::string& path, std::string_view root,
                                        bool given_by_hand) {
  auto file = ReadConfigFile(path, root, given_by_hand);
  if (!file) {
    std::error_code error;
    // A folder may be called pyproject.toml; it is not about us.
    if (!given_by_hand && SectionFor(path) == Section::kTool && fs::is_directory(path, error)) {
      return std::optional<Chain>();
    }
    return file.error();
  }
  if (!*file) return std::optional<Chain>();
  auto layer = ReadLayer(**file, SectionFor(path));
  if (!layer) return layer.error();
  if (!*layer) {
    if (given_by_hand) return text::Error{Builder::NoSection(**file)};
    return std::optional<Chain>();
  }
  auto chain = Builder(root).Build(**std::move(file), **std::move(layer));
  if (!chain) return chain.error();
  return std::optional<Chain>(*std::move(chain));
}

// Whether somebody may believe that the file counts. Its mistakes are no matter.
bool HoldsSettings(const std::string& path, std::string_view root) {
  auto file = ReadConfigFile(path, root, false);
  if (!file || !*file) return false;
  return SectionFor(path) == Section::kWhole ||
         (*file)->bytes.find("[tool.torchleak") != std::string::npos;
}

}  // namespace

text::Result<std::optional<Chain>> ChainOfFolder(const std::string& folder, std::string_view root) {
  static constexpr std::array<std::string_view, 3> kNames = {".torchleak.toml", "torchleak.toml",
                                                             "pyproject.toml"};
  std::optional<Chain> chosen;
  for (const std::string_view name : kNames) {
    const std::string path = (fs::path(folder) / name).string();
    if (chosen) {
      if (HoldsSettings(path, root)) chosen->shadowed.push_back(path);
      continue;
    }
    auto chain = Read(path, root, false);
    if (!chain) return chain;
    chosen = *std::move(chain);
  }
  return chosen;
}

text::Result<Chain> ChainOfFile(const std::string& path, std::string_view root) {
  auto chain = Read(path, root, true);
  if (!chain) return chain.error();
  if (!*chain) {
    return text::Error{fmt::format("{}: no such configuration file", DisplayName(path, root))};
  }
  return **std::move(chain);
}

}  // namespace torchleak::config
