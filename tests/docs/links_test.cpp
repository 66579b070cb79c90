// Every relative link of every page leads to a file, and every #anchor to a heading of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "files.h"
#include "markdown.h"

namespace torchleak::tests {
namespace {

namespace fs = std::filesystem;

// Empty when the link leads somewhere.
std::string Fault(const std::string& page, const std::string& target) {
  if (target.find("://") != std::string::npos || target.starts_with("mailto:")) return {};
  const std::size_t hash = target.find('#');
  const std::string file = target.substr(0, hash);
  const fs::path base = fs::path(page).parent_path();
  const std::string path = file.empty() ? page : (base / file).lexically_normal().generic_string();
  if (path.starts_with("..")) return "leads out of the checkout";
  if (!Exists(path)) return "no such file";
  if (hash == std::string::npos || !path.ends_with(".md")) return {};
  const std::vector<std::string> anchors = Anchors(Lines(ReadFile(path)));
  const bool found =
      std::find(anchors.begin(), anchors.end(), target.substr(hash + 1)) != anchors.end();
  return found ? std::string{} : "no such heading";
}

TEST_CASE("relative links resolve") {
  std::size_t checked = 0;
  for (const std::string& page : FilesBelow(".", ".md")) {
    for (const Link& link : Links(Lines(ReadFile(page)))) {
      const std::string fault = Fault(page, link.target);
      CHECK_MESSAGE(fault.empty(), page, ":", link.row, ": ", link.target, ": ", fault);
      ++checked;
    }
  }
  CHECK_GT(checked, 20);  // the pages do refer to each other
}

TEST_CASE("a link that leads nowhere is seen") {
  CHECK_EQ(Fault("README.md", "nowhere.md"), "no such file");
  CHECK_EQ(Fault("README.md", "CONTRIBUTING.md#no-such-part"), "no such heading");
  CHECK_EQ(Fault("docs/glossary.md", "../../x"), "leads out of the checkout");
  CHECK_EQ(Fault("docs/glossary.md", "../CONTRIBUTING.md#tests"), "");
}

}  // namespace
}  // namespace torchleak::tests
