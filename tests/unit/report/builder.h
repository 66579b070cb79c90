// Findings over sources given as strings, for the tests of this folder. Spans are found by their
// text.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "report/report.h"

namespace torchleak::report {

class Builder {
 public:
  Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  const text::Source& AddFile(const std::string& path, std::string bytes) {
    auto source = text::Source::FromBytes(path, std::move(bytes));
    REQUIRE(static_cast<bool>(source));
    return sources_.emplace(path, std::move(*source)).first->second;
  }

  text::Span Find(std::string_view path, std::string_view text) const {
    const std::size_t at = sources_.find(path)->second.bytes().find(text);
    REQUIRE(at != std::string_view::npos);
    return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + text.size())};
  }

  findings::Finding& Add(std::string path, text::Span span) {
    findings::Finding finding;
    finding.code = "TLK101";
    finding.name = "accumulated-tensor";
    finding.message = "`loss` is kept";
    finding.function = "<module>";
    finding.location = {std::move(path), span};
    findings.push_back(std::move(finding));
    return findings.back();
  }

  ReportInput Input() {
    input_.findings = findings;
    input_.root = "/repo";
    input_.version = "0.1.0";
    input_.source_of = [this](std::string_view path) {
      const auto found = sources_.find(path);
      return found == sources_.end() ? nullptr : &found->second;
    };
    return input_;
  }

  std::vector<findings::Finding> findings;

 private:
  std::map<std::string, text::Source, std::less<>> sources_;
  ReportInput input_;
};

}  // namespace torchleak::report
