// `git ls-tree` lists, `git cat-file --batch` gives the bytes. (`git archive` would leave out what
// .gitattributes marks export-ignore, which is often the tests.)
#include "baseline/revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "baseline/process.h"

namespace torchleak::baseline {
namespace {

namespace fs = std::filesystem;

class Git {
 public:
  explicit Git(std::string directory) : directory_(std::move(directory)) {}

  text::Result<Finished> Run(std::vector<std::string> arguments,
                             std::string_view input = {}) const {
    std::vector<std::string> argv = {"git", "--no-optional-locks", "-C", directory_};
    std::move(arguments.begin(), arguments.end(), std::back_inserter(argv));
    auto finished = RunProcess(argv, input);
    if (finished) return finished;
    return text::Error{"--baseline-commit needs git, which cannot be run: " +
                       finished.error().message};
  }

  // What it printed, without the line's end.
  text::Result<std::string> Output(std::vector<std::string> arguments,
                                   std::string_view input = {}) const {
    const std::string command = arguments.front();
    auto finished = Run(std::move(arguments), input);
    if (!finished) return finished.error();
    if (finished->status != 0) {
      return text::Error{fmt::format("`git {}` failed: {}", command, LastLine(finished->err))};
    }
    return std::move(finished->out);
  }

  static std::string LastLine(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    return std::string(text.substr(text.rfind('\n') + 1));
  }

 private:
  std::string directory_;
};

// The next piece before `end`, which is dropped.
std::string_view Take(std::string_view* text, char end) {
  const std::size_t at = std::min(text->find(end), text->size());
  const std::string_view piece = text->substr(0, at);
  text->remove_prefix(std::min(at + 1, text->size()));
  return piece;
}

bool IsWanted(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return path.ends_with(".py") || path.ends_with(".pyi") || path.ends_with(".ipynb") ||
         name == ".gitignore" || name == ".ignore";
}

struct Blob {
  std::string id, path;
  bool is_link = false;
};

// Of `ls-tree -r -z`: "<mode> <type> <id>\t<path>\0".
std::vector<Blob> Blobs(std::string_view listing) {
  std::vector<Blob> blobs;
  while (!listing.empty()) {
    std::string_view line = Take(&listing, '\0');
    std::string_view head = Take(&line, '\t');
    const std::string_view mode = Take(&head, ' '), type = Take(&head, ' ');
    const bool is_link = mode == "120000";
    // Links to folders have any name.
    if (type != "blob" || !(is_link || IsWanted(line))) continue;
    blobs.push_back({std::string(head), std::string(line), is_link});
  }
  // Links last: nothing is ever written through one.
  std::stable_partition(blobs.begin(), blobs.end(), [](const Blob& b) { return !b.is_link; });
  return blobs;
}

// A link of the repository that leads out of it is left out.
bool StaysInside(const std::string& path, const std::string& target) {
  if (target.empty() || target.starts_with('/')) return false;
  const fs::path at = (fs::path("/") / path).parent_path().lexically_relative("/") / target;
  const std::string normal = at.lexically_normal().string();
  return normal != ".." && !normal.starts_with("../");
}

// Of `cat-file --batch`: "<id> <type> <size>\n<bytes>\n", in the order that was asked for.
std::optional<text::Error> WriteBlobs(const std::vector<Blob>& blobs, std::string_view contents,
                                      TemporaryFolder* folder) {
  for (const Blob& blob : blobs) {
    std::string_view head = Take(&contents, '\n');
    const std::string_view digits = head.substr(head.rfind(' ') + 1);
    std::size_t size = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (parsed.ec != std::errc() || size >= contents.size()) {
      return text::Error{fmt::format(
          "git does not give {} ({}); in a partial clone, fetch it first", blob.path, head)};
    }
    const std::string_view bytes = contents.substr(0, size);
    contents.remove_prefix(size + 1);
    if (blob.is_link && !StaysInside(blob.path, std::string(bytes))) continue;
    const bool written = blob.is_link ? folder->Link(blob.path, std::string(bytes))
                                      : folder->Write(blob.path, bytes);
    if (!written) {
      return text::Error{fmt::format("{}/{} cannot be written: {}; TMPDIR names another folder",
                                     folder->path(), blob.path,
                                     std::generic_category().message(errno))};
    }
  }
  return std::nullopt;
}

// Of `diff --name-status -z`: "R100\0<old>\0<new>\0".
std::map<std::string, std::string, std::less<>> Renames(std::string_view listing) {
  std::map<std::string, std::string, std::less<>> renamed;
  while (!listing.empty()) {
    if (!Take(&listing, '\0').starts_with('R')) {
      Take(&listing, '\0');
      continue;
    }
    std::string before(Take(&listing, '\0'));
    renamed.emplace(std::move(before), Take(&listing, '\0'));
  }
  return renamed;
}

// The configuration of today, at its places: what has been selected since is not new because of it.
std::optional<text::Error> CopyConfiguration(const Git& git, const std::string& top,
                                             TemporaryFolder* folder) {
  const auto listing =
      git.Output({"ls-files", "-z", "--cached", "--others", "--", ":(glob)**/pyproject.toml",
                  ":(glob)**/torchleak.toml", ":(glob)**/.torchleak.toml"});
  if (!listing) return listing.error();
  for (std::string_view rest = *listing; !rest.empty();) {
    const std::string path(Take(&rest, '\0'));
    std::ifstream file(fs::path(top) / path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // What is gone, or lies where the commit has something else, holds for nothing there.
    if (file) folder->Write(path, bytes);
  }
  return std::nullopt;
}

text::Error NoCommit(const Git& git, const std::string& name) {
  const auto shallow = git.Output({"rev-parse", "--is-shallow-repository"});
  if (shallow && shallow->starts_with("true")) {
    return {
        fmt::format("--baseline-commit: '{}' is not in this shallow clone; `git fetch --unshallow` "
                    "gets the rest (on GitHub: actions/checkout with `fetch-depth: 0`)",
                    name)};
  }
  return {
      fmt::format("--baseline-commit: git knows no commit '{}'; `git log` and `git branch -a` "
                  "show those there are",
                  name)};
}

}  // namespace

text::Result<std::unique_ptr<Revision>> Revision::Open(const std::string& name,
                                                       const std::string& directory) {
  Git git(directory);
  auto top = git.Run({"rev-parse", "--show-toplevel"});
  if (!top) return top.error();
  if (top->status != 0 || top->out.size() < 2) {
    return text::Error{fmt::format("--baseline-commit: {} is in no git working tree: {}", directory,
                                   Git::LastLine(top->err))};
  }
  top->out.pop_back();
  if (name.empty() || name.starts_with('-')) return NoCommit(git, name);
  auto commit = git.Output({"rev-parse", "--verify", "--quiet", name + "^{commit}"});
  if (!commit) return NoCommit(git, name);
  commit->pop_back();

  std::unique_ptr<Revision> revision(new Revision());
  revision->top_ = top->out;
  git = Git(revision->top_);
  const auto listing = git.Output({"ls-tree", "-r", "-z", "--full-tree", *commit});
  if (!listing) return listing.error();
  const std::vector<Blob> blobs = Blobs(*listing);
  std::string wanted;
  for (const Blob& blob : blobs) wanted += blob.id + '\n';
  const auto contents = git.Output({"cat-file", "--batch"}, wanted);
  if (!contents) return contents.error();
  auto folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  revision->files_ = std::move(*folder);
  if (auto error = WriteBlobs(blobs, *contents, revision->files_.get())) return *std::move(error);
  if (auto error = CopyConfiguration(git, revision->top_, revision->files_.get()))
    return *std::move(error);
  // The top of a repository, for discovery and for imports.
  revision->files_->Write(".git/HEAD", "");
  const auto renames = git.Output({"diff", "-M", "--name-status", "-z", "--diff-filter=R",
                                   "--no-ext-diff", "--ignore-submodules", *commit, "--"});
  if (!renames) return renames.error();
  revision->renamed_ = Renames(*renames);
  return revision;
}

std::string Revision::NameNow(std::string_view path_then) const {
  const auto found = renamed_.find(path_then);
  return found == renamed_.end() ? std::string(path_then) : found->second;
}

}  // namespace torchleak::baseline
