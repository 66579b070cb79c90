// Files of the checkout, and the expected text that a test compares or, when asked, writes anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchleak::tests {

// Paths are relative to the checkout, with '/'.
std::string ReadFile(const std::string& path);
bool Exists(const std::string& path);

// All files below `folder` ("." for the checkout) whose name ends in `suffix`, sorted. Build
// folders, fetched packages and hidden folders are left out.
std::vector<std::string> FilesBelow(const std::string& folder, std::string_view suffix);

std::vector<std::string> Lines(std::string_view text);

// True when TORCHLEAK_UPDATE_DOCS is set.
bool Updating();

// The file holds `wanted`; when updating, it does afterwards.
bool HoldsOrUpdated(const std::string& path, const std::string& wanted);

}  // namespace torchleak::tests
