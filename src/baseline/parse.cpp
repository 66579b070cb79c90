// nlohmann's event parser over a counting iterator: its tree has no positions, and a message about
// a file that was merged by hand is useless without.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "baseline/baseline.h"

namespace torchleak::baseline {
namespace {

struct Place {
  std::size_t row = 1, column = 1;
};

Place PlaceOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  Place place;
  place.row += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  place.column += static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
  return place;
}

// Tells how far the parser has read.
class Counting {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  Counting(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Counting& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  Counting operator++(int) {
    Counting old = *this;
    ++*this;
    return old;
  }
  bool operator==(const Counting& other) const { return at_ == other.at_; }
  bool operator!=(const Counting& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

bool IsHash(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Depth 1 is the file's object, 2 the array of findings, 3 an entry.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Events(const std::size_t* read) : read_(read) {}

  Baseline baseline;
  std::vector<std::size_t> places;  // of the entries
  std::string problem;
  std::size_t problem_at = 0;

  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("true or false"); }
  bool number_integer(number_integer_t) override { return Unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { return Unexpected("a fraction"); }
  bool binary(binary_t&) override { return Unexpected("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && key_ == "version") {
      has_version_ = true;
      if (value == kVersion) return true;
      return Fail(fmt::format("a baseline of version {}, and this torchleak reads version {}: use "
                              "the torchleak that wrote it, or delete the file and write it anew "
                              "with `torchleak baseline`",
                              value, kVersion),
                  fmt::formatted_size("{}", value) + 1);  // the parser has looked one byte further
    }
    if (depth_ != 3 || key_ != "occurrence") return Unexpected("a number");
    if (value > UINT32_MAX) return Unexpected("a number of that size");
    entry_.occurrence = static_cast<unsigned>(value);
    has_occurrence_ = true;
    return true;
  }

  bool string(string_t& value) override {
    if (depth_ == 3) return Field(value);
    if (depth_ == 1 && key_ == "comment") {
      baseline.comment = value;
      return true;
    }
    if (depth_ != 1 || key_ != "confidence") return Unexpected("a text");
    const auto confidence = findings::ParseConfidence(value);
    if (!confidence) return Fail(fmt::format("'{}' is not low, medium or high", value));
    baseline.confidence = *confidence;
    return true;
  }

  bool key(string_t& name) override {
    key_ = name;
    static constexpr std::string_view kTop[] = {"version", "comment", "confidence", "findings"};
    static constexpr std::string_view kEntry[] = {"path", "rule",  "function",
                                                  "line", "shape", "occurrence"};
    const auto known = depth_ == 1 ? std::span<const std::string_view>(kTop) : kEntry;
    if (std::find(known.begin(), known.end(), name) != known.end()) return true;
    return Fail(fmt::format("unknown key '{}' (known: {})", name, fmt::join(known, ", ")),
                name.size() + 2);
  }

  bool start_object(std::size_t) override {
    if (depth_ != 0 && depth_ != 2) return Unexpected("an object", 1);
    if (++depth_ == 1) return true;
    if (!has_version_) return Fail(kNoVersion, 1);
    depth_ = 3;
    entry_ = {};
    has_occurrence_ = false;
    places.push_back(*read_ - 1);
    return true;
  }

  bool end_object() override {
    if (depth_ == 1 && !has_version_) return Fail(kNoVersion, 1);
    if (depth_-- != 3) return true;
    const char* missing = entry_.path.empty()       ? "path"
                          : entry_.rule.empty()     ? "rule"
                          : entry_.function.empty() ? "function"
                          : entry_.line.empty()     ? "line"
                          : entry_.shape.empty()    ? "shape"
                          : !has_occurrence_        ? "occurrence"
                                                    : nullptr;
    if (missing != nullptr) {
      return Fail(fmt::format("this entry has no '{}': restore the line, or delete it and run "
                              "`torchleak baseline`",
                              missing),
                  *read_ - places.back());
    }
    baseline.entries.push_back(std::move(entry_));
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 1 || key_ != "findings") return Unexpected("a list", 1);
    depth_ = 2;
    return true;
  }
  bool end_array() override {
    depth_ = 1;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception…] parse error at line 3, column 5: syntax error while …"
    std::string_view what = e.what();
    const std::size_t start = what.find("syntax error");
    if (start != std::string_view::npos) what.remove_prefix(start);
    return Fail(
        fmt::format("not valid JSON: {}; restore the file from version control, or delete it "
                    "and run `torchleak baseline`",
                    what),
        1);
  }

 private:
  static constexpr const char* kNoVersion =
      "no \"version\" before this: not a baseline of torchleak; `torchleak baseline --output FILE` "
      "writes one";

  bool Field(const std::string& value) {
    std::string* field = key_ == "path"       ? &entry_.path
                         : key_ == "rule"     ? &entry_.rule
                         : key_ == "function" ? &entry_.function
                         : key_ == "line"     ? &entry_.line
                         : key_ == "shape"    ? &entry_.shape
                                              : nullptr;
    if (field == nullptr || value.empty()) return Unexpected("a text");
    if ((field == &entry_.line || field == &entry_.shape) && !IsHash(value)) {
      return Fail(fmt::format("'{}' is not a hash of 16 hexadecimal digits", value),
                  value.size() + 2);
    }
    *field = value;
    return true;
  }

  bool Unexpected(std::string_view what, std::size_t back = 1) {
    if (depth_ == 0) return Fail(fmt::format("{}, where a baseline begins with {{", what), back);
    return Fail(fmt::format("{} is nothing that can stand at '{}'", what, key_), back);
  }

  // `back`: where the place is, seen from the end of what has been read.
  bool Fail(std::string message, std::size_t back = 1) {
    problem = std::move(message);
    problem_at = *read_ - std::min(back, *read_);
    return false;
  }

  const std::size_t* read_;
  int depth_ = 0;
  bool has_version_ = false, has_occurrence_ = false;
  std::string key_;
  Entry entry_;
};

text::Error At(std::string_view file, std::string_view json, std::size_t offset,
               std::string_view message) {
  const Place place = PlaceOf(json, offset);
  return {fmt::format("{}:{}:{}: {}", file, place.row, place.column, message)};
}

// Of the first line that a merge has left for people to decide.
std::optional<std::size_t> ConflictMarker(std::string_view json) {
  for (std::size_t at = 0; at < json.size();) {
    const std::string_view line = json.substr(at, json.find('\n', at) - at);
    if (line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>") || line.starts_with("=======")) {
      return at;
    }
    at += line.size() + 1;
  }
  return std::nullopt;
}

// Sorts. The offset of an entry that is there twice goes to `twice`, with that of the first.
std::optional<std::pair<std::size_t, std::size_t>> SortEntries(
    std::vector<Entry>* entries, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> order(entries->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return (*entries)[a] < (*entries)[b]; });
  std::vector<Entry> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && (*entries)[order[i]] == sorted.back()) {
      return std::pair(places[order[i - 1]], places[order[i]]);
    }
    sorted.push_back((*entries)[order[i]]);
  }
  *entries = std::move(sorted);
  return std::nullopt;
}

}  // namespace

text::Result<Baseline> Parse(std::string_view json, std::string_view file) {
  if (const auto marker = ConflictMarker(json)) {
    return At(file, json, *marker,
              "a merge conflict: keep the entries of both sides and delete the three marker lines");
  }
  std::size_t read = 0;
  Events events(&read);
  const bool whole = nlohmann::json::sax_parse(Counting(json.data(), &read),
                                               Counting(json.data() + json.size(), &read), &events);
  if (!whole) return At(file, json, events.problem_at, events.problem);
  if (const auto twice = SortEntries(&events.baseline.entries, events.places)) {
    return At(file, json, twice->second,
              fmt::format("the same entry as in line {}: delete one of the two",
                          PlaceOf(json, twice->first).row));
  }
  return std::move(events.baseline);
}

}  // namespace torchleak::baseline
