#include "tests/golden/hostile.h"

#include <utility>

#include <doctest/doctest.h>

namespace torchleak::golden {
namespace {

constexpr std::string_view kPath = "a,b:c;d]e%f/<img src=x onerror=alert(1)>'\"&.py";

constexpr std::string_view kCode =
    "x = '</script><script>alert(1)</script><!-- ]]> -->'\n"
    "\ty = \"\x1b[31m\x07\" + '\xE2\x80\xAE' + 'a\x01' + `z` + '\xF0\x9F\x94\xA5'  # \xFF\n"
    "keep(x, y)\n";

}  // namespace

Hostile::Hostile() {
  auto source = text::Source::FromBytes(std::string(kPath), std::string(kCode));
  REQUIRE(static_cast<bool>(source));
  const std::string_view bytes =
      sources_.emplace(std::string(kPath), std::move(*source)).first->second.bytes();
  const auto find = [bytes](std::string_view text) {
    const auto at = static_cast<std::uint32_t>(bytes.find(text));
    return text::Span{at, at + static_cast<std::uint32_t>(text.size())};
  };
  findings::Finding f;
  f.code = "TLK101";
  f.name = "accumulated-tensor";
  f.severity = findings::Severity::kError;
  f.message = "100%: `</script>` & \"x\"\r\n::error::no\x1b[0m ]]> \xE2\x80\xAE ##vso[task.x]\x01";
  f.help = "see <b>`a`</b> [x](javascript:alert(1))\n##vso[task.setvariable]";
  f.location = {std::string(kPath), find("keep(x, y)")};
  f.function = "f<T>&\"g\"";
  f.flow = {{{"", find("'</script><script>alert(1)</script><!-- ]]> -->'")}, "made <i>here</i>"},
            {{"", find("y = ")}, "and `here\x1b]8;;\xEF\xBF\xBF"},
            {{"missing<br>.py", {3, 4}}, "nowhere"}};
  f.fix = findings::Fix{findings::Applicability::kSafe,
                        "drop </style>",
                        {{{"", find("keep(x, y)")}, "drop('</script>')\n\x1b[2J"}}};
  findings_.push_back(f);
  f.fix.reset();
  f.fingerprint = "0123456789abcdef";
  findings_.push_back(f);
  findings_.push_back(std::move(f));
  notifications_ = {{report::Notification::Kind::kNotRead, "no</title>\x1b.py", "gone & \x02 <b>"}};
  input_.findings = findings_;
  input_.source_of = [this](std::string_view path) {
    const auto found = sources_.find(path);
    return found == sources_.end() ? nullptr : &found->second;
  };
  input_.root = "/repo/</title>";
  input_.notifications = notifications_;
  input_.files_checked = 1;
  input_.version = "0.1.0";
}

}  // namespace torchleak::golden
