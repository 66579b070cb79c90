// Revision: the Python files of a git commit, as a folder, for as long as the object lives.
//
// Only what a check may ask for is written: *.py, *.pyi, *.ipynb and the ignore files of the
// commit, and the configuration files of the working tree, since both sides are checked with the
// same settings. Nothing in the repository is touched: neither the index nor the working tree.
//
//   auto then = Revision::Open("main", "/repo/src");
//   if (!then) return Fail(then.error().message);
//   (*then)->top();                  // "/repo"
//   (*then)->folder();               // stands for it: "/tmp/torchleak-a1b2c3"
//   (*then)->NameNow("old.py");      // "new.py": git saw a rename
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "baseline/temporary_folder.h"
#include "text/result.h"

namespace torchleak::baseline {

class Revision {
 public:
  // `name` is anything that git takes for a commit; `directory` is in the working tree. Fails with
  // what to do when git is missing, there is no repository or no such commit.
  static text::Result<std::unique_ptr<Revision>> Open(const std::string& name,
                                                      const std::string& directory);

  const std::string& top() const { return top_; }
  const std::string& folder() const { return files_->path(); }
  // Paths from the top. As they are called in the working tree, by git's detection of renames;
  // files that git does not know yet are not looked at.
  std::string NameNow(std::string_view path_then) const;

 private:
  Revision() = default;

  std::string top_;
  std::unique_ptr<TemporaryFolder> files_;
  std::map<std::string, std::string, std::less<>> renamed_;
};

}  // namespace torchleak::baseline
