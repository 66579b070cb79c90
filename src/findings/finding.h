// Finding: one thing torchleak reports, with the path that shows why. Plain data, no source needed.
//
// Spans are byte offsets into the file's Source; reports turn them into rows and columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace torchleak::findings {

enum class Severity : std::uint8_t { kNote, kWarning, kError };
enum class Confidence : std::uint8_t { kLow, kMedium, kHigh };

std::string_view Name(Severity severity);      // "note", "warning", "error"
std::string_view Name(Confidence confidence);  // "low", "medium", "high"
std::optional<Severity> ParseSeverity(std::string_view name);
std::optional<Confidence> ParseConfidence(std::string_view name);

// A place in a file. `path` empty means the finding's own file.
struct Location {
  std::string path;
  text::Span span;
  bool operator==(const Location&) const = default;
};

// One step of the path: created here -> stored here -> outlives the loop here.
struct Step {
  Location location;
  std::string message;
};

// What a step says that is another place of the same mistake.
inline constexpr std::string_view kAndHere = "and here";

struct Edit {
  Location location;
  std::string content;
};

enum class Applicability : std::uint8_t { kSafe, kUnsafe };
std::string_view Name(Applicability applicability);  // "safe", "unsafe"

struct Fix {
  Applicability applicability = Applicability::kUnsafe;
  std::string message;
  std::vector<Edit> edits;
};

struct Finding {
  std::string_view code;  // "TLK101", a constant of the rule
  std::string_view name;  // "accumulated-tensor"
  Severity severity = Severity::kWarning;
  Confidence confidence = Confidence::kMedium;
  std::string message;   // one sentence, names the value and where it is kept
  std::string help;      // what to write instead, one sentence; may be empty
  Location location;     // path is always set here
  std::string function;  // "Trainer.fit", "<module>"
  std::vector<Step> flow;
  std::optional<Fix> fix;
  std::string fingerprint;  // 16 hex digits; see Fingerprint()
};

// Stable under edits elsewhere in the file: hash of rule, path relative to the run's root,
// enclosing function, the line with white space and comments dropped, and its occurrence (0, 1, …)
// among equals.
std::string Fingerprint(std::string_view code, std::string_view relative_path,
                        std::string_view function, std::string_view line, unsigned occurrence);

// The line as Fingerprint() sees it: no white space, no trailing comment. `#` inside a string that
// opens on this line is no comment; strings that opened on an earlier line are not known here.
std::string NormalizedLine(std::string_view line);

// Fills in `fingerprint` of one file's findings, which must be in the order of Before() so that the
// occurrences are counted from the top. `relative_path` is the file's path from the run's root.
void SetFingerprints(std::span<Finding> of_one_file, std::string_view relative_path,
                     const text::Source& source);

// By path, position, code: the order of every report.
bool Before(const Finding& a, const Finding& b);

}  // namespace torchleak::findings
