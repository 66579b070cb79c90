// Names, order and fingerprints of findings.
//
// The fingerprint is FNV-1a over the fields, each closed by a byte that cannot occur in them, and
// mixed once more at the end: FNV alone changes few of the high bits when only the last byte does,
// and the occurrence is that last byte.
#include "findings/finding.h"

#include <array>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

namespace torchleak::findings {
namespace {

constexpr std::array<std::string_view, 3> kSeverities = {"note", "warning", "error"};
constexpr std::array<std::string_view, 3> kConfidences = {"low", "medium", "high"};

template <typename Enum, std::size_t size>
std::optional<Enum> Parse(const std::array<std::string_view, size>& names, std::string_view name) {
  for (std::size_t i = 0; i < size; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

class Fnv1a {
 public:
  void Byte(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  // 0xFF occurs in no UTF-8 text, so ("ab", "c") and ("a", "bc") differ.
  void Field(std::string_view text) {
    for (const char c : text) Byte(static_cast<unsigned char>(c));
    Byte(0xFF);
  }
  // The finalizer of MurmurHash3.
  std::uint64_t Finish() const {
    std::uint64_t h = state_;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string_view Name(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

std::string_view Name(Confidence confidence) {
  return kConfidences[static_cast<std::size_t>(confidence)];
}

std::string_view Name(Applicability applicability) {
  return applicability == Applicability::kSafe ? "safe" : "unsafe";
}

std::optional<Severity> ParseSeverity(std::string_view name) {
  return Parse<Severity>(kSeverities, name);
}

std::optional<Confidence> ParseConfidence(std::string_view name) {
  return Parse<Confidence>(kConfidences, name);
}

std::string NormalizedLine(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  char quote = '\0';  // the quote that is open here; a `#` inside a string starts no comment
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (IsSpace(c)) continue;
    if (quote == '\0' && c == '#') break;
    out.push_back(c);
    if (c == '\\' && quote != '\0' && i + 1 < line.size()) {
      out.push_back(line[++i]);
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    }
  }
  return out;
}

std::string Fingerprint(std::string_view code, std::string_view relative_path,
                        std::string_view function, std::string_view line, unsigned occurrence) {
  Fnv1a hash;
  hash.Field(code);
  hash.Field(relative_path);
  hash.Field(function);
  hash.Field(NormalizedLine(line));
  hash.Field(fmt::to_string(occurrence));
  return fmt::format("{:016x}", hash.Finish());
}

void SetFingerprints(std::span<Finding> of_one_file, std::string_view relative_path,
                     const text::Source& source) {
  // Occurrence 0's fingerprint names the group: rule, function and line are hashed into it.
  std::unordered_map<std::string, unsigned> seen;
  for (Finding& finding : of_one_file) {
    const auto line = source.Line(source.RowOf(finding.location.span.begin));
    auto first = Fingerprint(finding.code, relative_path, finding.function, line, 0);
    const unsigned occurrence = seen[first]++;
    finding.fingerprint = occurrence == 0 ? std::move(first)
                                          : Fingerprint(finding.code, relative_path,
                                                        finding.function, line, occurrence);
  }
}

bool Before(const Finding& a, const Finding& b) {
  // The message last: without it two findings of one rule at one place would have no fixed order.
  const auto key = [](const Finding& f) {
    return std::tie(f.location.path, f.location.span.begin, f.location.span.end, f.code, f.message);
  };
  return key(a) < key(b);
}

}  // namespace torchleak::findings
