// AnalysisMemo: what the analyses of single files gave, kept for as long as they would give it
// again.
//
// An analysis is a function of the file's content, of what it asks of the other files, and of what
// the project knows of its callers. All of that is kept with its result: the same content, whose
// questions still have the same answers, needs no second analysis. So an edit costs the edited file
// and those that its summaries reach; where an interface says what it said before, the former one
// stands for it, and nobody who uses it has other answers.
//
//   AnalysisMemo memo;
//   memo.Begin();
//   … one ProjectRun …
//   memo.End();          // what no longer fits is dropped
//
// Between Begin() and End() any number of threads may ask, as long as one path is one thread's.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cache/hash.h"
#include "driver/parsed.h"
#include "engine/analyze.h"
#include "flow/events.h"
#include "flow/link.h"
#include "flow/moved_places.h"

namespace torchleak::driver {

// What is found in a file: constant once made, so that whoever keeps the pointer sees whether it is
// still the same.
struct Found {
  std::vector<findings::Finding> findings;  // without fingerprints
  bool complete = false;                    // see engine::Analyzed
  ParsedPtr parsed;                         // when there are findings, or suppressions to judge
};
using FoundPtr = std::shared_ptr<const Found>;

// One question to the other files, and the answer.
struct Answer {
  std::string qualified;
  flow::Surroundings::Found found;
};

// The analysis of one file, its callers aside.
struct FirstLook {
  FoundPtr found;
  flow::InterfacePtr interface;
  // Where the places of `interface` are in this text; null: where it says.
  std::shared_ptr<const flow::MovedPlaces> moved;
  flow::FileCallsPtr calls;
  bool forwards_do_more = false;
};

class AnalysisMemo {
 public:
  // All that decides what comes of an analysis, besides the answers.
  struct Key {
    cache::Hash128 content;
    bool is_start = false;  // its findings are wanted
    bool has_others = false, wants_interface = false, imported_by_none = false;
    std::optional<engine::TorchVersion> target = {};
    bool operator==(const Key&) const = default;
  };

  void Begin() { ++run_; }
  void End();

  // `moved_too`: one whose interface stands for a text that has moved since will do.
  std::optional<FirstLook> Find(std::string_view path, const Key& key, bool moved_too,
                                const flow::Surroundings& now);
  // The interface of the result may be exchanged for one that says the same, or for `former` (null:
  // none) when only places have moved.
  FirstLook Keep(std::string_view path, const Key& key, std::vector<Answer> answers, FirstLook look,
                 const flow::InterfacePtr& former);
  // Of the last run; null when it had none.
  flow::InterfacePtr LastInterface(std::string_view path);

  // The same file looked at again, as its callers make it.
  FoundPtr FindAgain(std::string_view path, const FoundPtr& first, const flow::ProjectFacts& facts);
  void KeepAgain(std::string_view path, const FoundPtr& first, flow::ProjectFacts facts,
                 FoundPtr found);

  ~AnalysisMemo();
  AnalysisMemo() = default;
  // Shares what it holds: a project that is read anew, while the old one is still in use, need not
  // begin with nothing.
  AnalysisMemo(const AnalysisMemo& other);
  AnalysisMemo& operator=(const AnalysisMemo&) = delete;

 private:
  struct Entry {
    Key key;
    std::vector<Answer> answers;
    FirstLook look;
    std::optional<flow::ProjectFacts> facts;  // of `again`
    FoundPtr again;
    std::uint64_t used = 0;   // in which run
    std::uint64_t order = 0;  // what it refers to has a smaller one
  };
  using Entries = std::vector<Entry>;

  Entries& At(std::string_view path);
  static void TakeFormer(const Entries& entries, const flow::InterfacePtr& former, FirstLook* look);
  static void Drop(std::vector<Entry> entries);

  std::mutex mutex_;  // of the table; each path is one thread's
  std::unordered_map<std::string, Entries> entries_;
  std::uint64_t run_ = 0;
  std::uint64_t order_ = 0;
};

// The other files, with the questions noted down.
class NotedQuestions final : public flow::Surroundings {
 public:
  explicit NotedQuestions(const flow::Surroundings& others) : others_(others) {}
  Found Find(std::string_view qualified) const override;
  const std::vector<Answer>& answers() const { return answers_; }

 private:
  const flow::Surroundings& others_;
  mutable std::vector<Answer> answers_;
  mutable std::unordered_map<std::string, std::size_t> asked_;
};

}  // namespace torchleak::driver
