// FixFiles: the files of a fix run as they are by now, and as they were. Inner to fix_run.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/check.h"
#include "driver/fix_run.h"
#include "fix/document.h"
#include "text/result.h"

namespace torchleak::driver {

class FixFiles {
 public:
  using Documents = std::map<std::string, fix::Document, std::less<>>;

  explicit FixFiles(const CheckOptions& options) : options_(options) {}

  // The file as it is by now; read when asked for the first time. Fails when it is not among those
  // that the caller wants checked, and when it is no longer what `seen` holds of it.
  text::Result<const fix::Document*> Current(const std::string& path, const FindingSet& seen);
  // The same for one that was read.
  const fix::Document& At(const std::string& path) const { return current_.at(path); }

  // The options of a check of everything as it is by now, with `trial` over it.
  CheckOptions Overlay(const Documents& trial) const;

  // From now on, these are the files.
  void Take(Documents accepted);

  // By path.
  std::vector<FixedFile> Changed() const;

 private:
  const Buffer* BufferAt(const std::string& absolute) const;
  bool IsChecked(const std::string& absolute);

  const CheckOptions& options_;
  Documents current_;
  Documents originals_;  // of those that changed
  std::optional<std::set<std::string>> checked_;
};

}  // namespace torchleak::driver
