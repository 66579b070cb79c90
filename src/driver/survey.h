// Survey: the files of a workspace, read and scanned, before any of them is analysed.
//
// An editor has it made on another thread: it touches the disk and nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver/file_check.h"

namespace torchleak::driver {

struct Survey {
  std::shared_ptr<const config::SettingsIndex> settings;  // those that were in force
  std::vector<Item> items;                                // by path; those with settings
  std::vector<FileResult> results;                        // of the items
  std::vector<Notification> notifications;
  bool too_large = false;  // more than `most` files: nothing else is set
};

// Of options.paths, with options.settings. `stops` is asked now and then; when it says so, the
// survey is not complete and of no use.
Survey SurveyOf(const CheckOptions& options, std::size_t most, const std::function<bool()>& stops);

}  // namespace torchleak::driver
