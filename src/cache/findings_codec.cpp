// Every struct is taken apart by a structured binding that names all of its members: who adds one
// gets a compile error here, not a cache that forgets it.
#include "cache/findings_codec.h"

#include <utility>

namespace torchleak::cache {
namespace {

using findings::Finding;

constexpr std::uint64_t kSeverities = 3, kConfidences = 3, kApplicabilities = 2;

void Put(const findings::Location& location, Writer* w) {
  const auto& [path, span] = location;
  const auto& [begin, end] = span;
  w->Path(path);
  w->Number(begin);
  w->Number(end);
}

findings::Location GetLocation(Reader* r) {
  findings::Location location;
  location.path = r->Path();
  location.span.begin = r->Choice<std::uint32_t>(UINT32_MAX);
  location.span.end = r->Choice<std::uint32_t>(UINT32_MAX);
  return location;
}

void Put(const findings::Fix& fix, Writer* w) {
  const auto& [applicability, message, edits] = fix;
  w->Number(static_cast<std::uint64_t>(applicability));
  w->Text(message);
  w->Number(edits.size());
  for (const auto& [location, content] : edits) {
    Put(location, w);
    w->Text(content);
  }
}

findings::Fix GetFix(Reader* r) {
  findings::Fix fix;
  fix.applicability = r->Choice<findings::Applicability>(kApplicabilities);
  fix.message = r->Text();
  fix.edits.resize(r->Count());
  for (findings::Edit& edit : fix.edits) {
    edit.location = GetLocation(r);
    edit.content = r->Text();
  }
  return fix;
}

void Put(const Finding& finding, Writer* w) {
  const auto& [code, name, severity, confidence, message, help, location, function, flow, fix,
               fingerprint] = finding;
  w->Text(code);  // the name comes with it
  static_cast<void>(name);
  w->Number(static_cast<std::uint64_t>(severity));
  w->Number(static_cast<std::uint64_t>(confidence));
  w->Text(message);
  w->Text(help);
  Put(location, w);
  w->Text(function);
  w->Number(flow.size());
  for (const auto& [at, what] : flow) {
    Put(at, w);
    w->Text(what);
  }
  w->Bool(fix.has_value());
  if (fix) Put(*fix, w);
  w->Text(fingerprint);
}

Finding GetFinding(const FindRule& find_rule, Reader* r) {
  Finding finding;
  const auto rule = find_rule(r->Text());
  if (!rule) {
    r->Fail();
    return finding;
  }
  finding.code = rule->code;
  finding.name = rule->name;
  finding.severity = r->Choice<findings::Severity>(kSeverities);
  finding.confidence = r->Choice<findings::Confidence>(kConfidences);
  finding.message = r->Text();
  finding.help = r->Text();
  finding.location = GetLocation(r);
  finding.function = r->Text();
  finding.flow.resize(r->Count());
  for (findings::Step& step : finding.flow) {
    step.location = GetLocation(r);
    step.message = r->Text();
  }
  if (r->Bool()) finding.fix = GetFix(r);
  finding.fingerprint = r->Text();
  return finding;
}

}  // namespace

void Write(const std::vector<Finding>& findings, Writer* writer) {
  writer->Number(findings.size());
  for (const Finding& finding : findings) Put(finding, writer);
}

void Write(const std::vector<findings::Suppressed>& suppressed, Writer* writer) {
  writer->Number(suppressed.size());
  for (const auto& [finding, comment, reason] : suppressed) {
    Put(finding, writer);
    Put(comment, writer);
    writer->Text(reason);
  }
}

std::vector<findings::Suppressed> ReadSuppressed(const FindRule& find_rule, Reader* reader) {
  std::vector<findings::Suppressed> suppressed;
  const std::size_t count = reader->Count();
  for (std::size_t i = 0; i < count && !reader->failed(); ++i) {
    findings::Suppressed& one = suppressed.emplace_back();
    one.finding = GetFinding(find_rule, reader);
    one.comment = GetLocation(reader);
    one.reason = reader->Text();
  }
  return suppressed;
}

std::vector<Finding> ReadFindings(const FindRule& find_rule, Reader* reader) {
  std::vector<Finding> findings;
  const std::size_t count = reader->Count();
  for (std::size_t i = 0; i < count && !reader->failed(); ++i) {
    findings.push_back(GetFinding(find_rule, reader));
  }
  return findings;
}

}  // namespace torchleak::cache
