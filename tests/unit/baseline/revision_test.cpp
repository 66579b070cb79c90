#include "baseline/revision.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "baseline/process.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::baseline {
namespace {

namespace fs = std::filesystem;

class Repository : public driver::TempTree {
 public:
  Repository() { Git({"init", "-q"}); }
  void Git(std::vector<std::string> arguments) const {
    std::vector<std::string> argv = {"git",
                                     "-C",
                                     root(),
                                     "-c",
                                     "user.name=t",
                                     "-c",
                                     "user.email=t@t",
                                     "-c",
                                     "commit.gpgsign=false"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const auto finished = RunProcess(argv);
    REQUIRE(finished);
    INFO(finished->err);
    REQUIRE(finished->status == 0);
  }
  void Commit(const std::string& name) const {
    Git({"add", "-A", "."});
    Git({"commit", "-q", "-m", name});
    Git({"tag", name});
  }
};

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the Python files of a commit lie in a folder that goes with the object") {
  const Repository repo;
  repo.Write("a.py", "one");
  repo.Write("sub/odd \n name.py", std::string_view("t\0wo", 4));
  repo.Write("data.bin", "not wanted");
  repo.Write(".gitattributes", "sub export-ignore\n");  // `git archive` would heed it
  repo.Link("a.py", "link.py");
  repo.Link("/etc/passwd", "out.py");
  repo.Link("../../x.py", "sub/out.py");
  repo.Write("pyproject.toml", "[old]");
  repo.Commit("v1");
  repo.Write("a.py", "changed");
  repo.Write("new.py", "new");
  repo.Write("pyproject.toml", "[new]");
  fs::create_directories(repo.Path("moved"));
  repo.Git({"mv", "sub/odd \n name.py", "moved/b.py"});
  std::string folder;
  {
    const auto revision = Revision::Open("v1", repo.Path("moved"));
    REQUIRE(revision);
    const Revision& r = **revision;
    folder = r.folder();
    CHECK(r.top() == repo.root());
    CHECK(Content(folder + "/a.py") == "one");
    CHECK(Content(folder + "/link.py") == "one");
    CHECK(Content(folder + "/sub/odd \n name.py") == std::string("t\0wo", 4));
    CHECK(Content(folder + "/pyproject.toml") == "[new]");
    for (const char* left_out : {"data.bin", "new.py", "out.py", "sub/out.py", "moved/b.py"}) {
      CHECK(!fs::exists(folder + "/" + left_out));
    }
    CHECK(r.NameNow("a.py") == "a.py");
    CHECK(r.NameNow("sub/odd \n name.py") == "moved/b.py");
  }
  CHECK(!fs::exists(folder));
}

TEST_CASE("what cannot be opened is said with the way out") {
  const Repository repo;
  const auto error = [&](const std::string& name) {
    const auto revision = Revision::Open(name, repo.root());
    REQUIRE(!revision);
    return revision.error().message;
  };
  CHECK(error("HEAD").find("git knows no commit 'HEAD'") != std::string::npos);  // no commit yet
  repo.Write("a.py", "one");
  repo.Commit("v1");
  for (const char* name : {"", "-h", "--upload-pack=x", "v2", "v1:a.py", "v1 v1"}) {
    CHECK(error(name).find("git knows no commit") != std::string::npos);
  }
  CHECK(Revision::Open("v1^{tree}", repo.root()).error().message.find("no commit") !=
        std::string::npos);
  const driver::TempTree plain;
  const auto outside = Revision::Open("v1", plain.root());
  REQUIRE(!outside);
  CHECK(outside.error().message.find("is in no git working tree") != std::string::npos);
}

TEST_CASE("an empty commit is an empty folder") {
  const Repository repo;
  repo.Git({"commit", "-q", "--allow-empty", "-m", "nothing"});
  const auto revision = Revision::Open("HEAD", repo.root());
  REQUIRE(revision);
  CHECK(fs::is_directory((*revision)->folder()));
}

TEST_CASE("a program gets its input and gives both outputs, however long") {
  const std::string input(300000, 'x');
  const auto finished = RunProcess({"sh", "-c", "cat; cat /proc/self/environ >&2; exit 3"}, input);
  REQUIRE(finished);
  CHECK(finished->status == 3);
  CHECK(finished->out == input);
  CHECK(finished->err.find("LC_ALL=C") != std::string::npos);
  const auto killed = RunProcess({"sh", "-c", "kill -TERM $$"});
  REQUIRE(killed);
  CHECK(killed->status == 128 + 15);
  CHECK(!RunProcess({"no-such-program-of-torchleak"}));
}

}  // namespace
}  // namespace torchleak::baseline
