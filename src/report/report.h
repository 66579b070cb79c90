// Report: findings in, one string out, in the format that was asked for. Nothing is printed here.
//
//   text::Result<Format> format = ParseFormat("sarif");
//   if (!format) return Usage(format.error().message);  // "… did you mean 'sarif'?"
//   ReportInput input;
//   input.findings = findings;                          // sorted by findings::Before
//   input.source_of = [&](std::string_view path) { return sources.Find(path); };
//   input.root = "/home/me/project";
//   output << Render(*format, input);
//
// The result depends on the input alone (no clock, no environment, no locale), so equal findings
// give equal bytes. It is always valid UTF-8 and, in the text formats, carries no control
// characters but line feeds and the colours and links that were asked for, whatever the sources
// contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rule.h"
#include "findings/finding.h"
#include "text/result.h"
#include "text/source.h"

namespace torchleak::report {

enum class Format : std::uint8_t {
  kFull,
  kConcise,
  kGrouped,
  kJson,
  kJsonLines,
  kSarif,
  kGithub,
  kGitlab,
  kJunit,
  kPylint,
  kRdjson,
  kAzure,
  kHtml,
};

struct ReportInput;

// What the rest of the program needs to know of a format. Formats() is the one list of them.
struct FormatInfo {
  Format format;
  std::string_view name;         // as typed: "json-lines"
  std::string_view description;  // one line, for --help
  bool is_text;                  // lines that may stand among others; false: one whole document
  std::string_view mime;
  bool writes_summary;  // ends with how much was found and checked
  std::string (*render)(const ReportInput& input);
};

std::span<const FormatInfo> Formats();  // in the order of Format
const FormatInfo& Info(Format format);
std::string_view Name(Format format);
// All of them, in the order of Format.
std::span<const std::string_view> FormatNames();
// In any letter case; the error lists the known names and says which one is nearest.
text::Result<Format> ParseFormat(std::string_view name);

// A file that was not checked, or only in part.
struct Notification {
  enum class Kind : std::uint8_t {
    kNotRead,    // missing, no permission, binary, too large
    kNotParsed,  // a syntax error: what did parse was checked
  };
  Kind kind = Kind::kNotRead;
  std::string path;     // may be empty: about the run
  std::string message;  // one sentence
};

// A finding that was made and is not shown, for SARIF's `suppressions`.
struct SuppressedFinding {
  enum class Kind : std::uint8_t {
    kInSource,  // by a comment
    kExternal,  // by the baseline file
  };
  findings::Finding finding;
  Kind kind = Kind::kInSource;
  std::string justification;  // what the comment gives as its reason; may be empty
  // The comment or its line; none for the baseline.
  std::optional<findings::Location> where;
};

// Borrows everything it points to.
struct ReportInput {
  std::span<const findings::Finding> findings;  // in the order of findings::Before
  // Source of a path as findings spell it; nullptr when it cannot be had: the finding is then shown
  // without its code. May be empty.
  std::function<const text::Source*(std::string_view path)> source_of;
  // Absolute folder, without a slash at its end. Relative paths of findings start here, and paths
  // below it are shown relative to it.
  std::string root;
  std::span<const engine::Rule* const> rules;  // selected, sorted by code
  std::span<const Notification> notifications;
  std::span<const SuppressedFinding> suppressed;  // in the order of findings::Before
  bool has_baseline = false;                      // `findings` are those that it does not know
  bool sarif_full = false;                        // SARIF with `suppressed` and `baselineState`
  bool summary = true;                            // the last lines of the formats for people
  bool verbose = false;                           // the summary counts `suppressed`
  // Whether --fix may touch a finding (--fixable, --unfixable). May be empty: all.
  std::function<bool(const findings::Finding&)> may_fix;
  bool mention_unsafe = true;  // the summary counts unsafe fixes
  std::size_t files_checked = 0;
  std::size_t files_parsed = 0;
  bool color = false;
  bool hyperlinks = false;    // OSC 8 links on rule codes
  std::uint32_t width = 100;  // longest line of code shown before it is cropped; at least 40
  std::string version;        // of torchleak, usually Version()
};

std::string Render(Format format, const ReportInput& input);

inline constexpr std::string_view kHomeUrl = "https://torchleak.readthedocs.io/";
// The page of a rule on the web: https://torchleak.readthedocs.io/rules/accumulated-tensor
std::string RuleUrl(std::string_view rule_name);

}  // namespace torchleak::report
