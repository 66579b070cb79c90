// One page with everything in it: style and script are embedded and named by their hashes in a
// content security policy, so that nothing else runs or loads, whatever a source holds. Without the
// script all is readable; it adds filters.
#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "report/fixable.h"
#include "report/formats.h"
#include "report/html_assets.h"
#include "report/html_finding.h"
#include "report/html_plots.h"
#include "report/markup.h"
#include "report/place.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

constexpr std::size_t kListed = 25'000;  // findings; a browser takes seconds for more
constexpr std::size_t kDrawn = 1'500;    // of them with code, the most severe ones
constexpr std::size_t kOpenUpTo = 25;    // findings that a page shows unfolded
constexpr std::size_t kNotices = 200;

std::string Base64OfHex(std::string_view hex) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string out;
  for (std::size_t at = 0; at < hex.size(); at += 6) {  // three bytes become four digits
    unsigned bits = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      bits = bits << 4 | (at + i < hex.size() ? value(hex[at + i]) : 0);
    }
    const std::size_t digits = std::min<std::size_t>((hex.size() - at) * 2 / 3 + 1, 4);
    for (std::size_t i = 0; i < 4; ++i) {
      out.push_back(i < digits ? kDigits[bits >> (18 - 6 * i) & 63] : '=');
    }
  }
  return out;
}

std::string Count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", HtmlNumber(count), noun, count == 1 ? "" : "s");
}

std::string ProjectName(const ReportInput& input) {
  const std::string_view root = input.root;
  const std::string_view name = root.substr(root.rfind('/') + 1);
  return EscapeMarkup(Printable(name.empty() ? "project" : name));
}

std::string Head(const ReportInput& input) {
  const EmbeddedFile style = HtmlAsset("report.css");
  const EmbeddedFile script = HtmlAsset("report.js");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{} – torchleak</title>\n<style>{}</style>\n</head>\n",
      Base64OfHex(style.sha256), Base64OfHex(script.sha256), ProjectName(input), style.text);
}

std::string Headline(const ReportInput& input) {
  std::unordered_set<std::string_view> files;
  std::size_t safe = 0;
  std::size_t unsafe = 0;
  for (const findings::Finding& finding : input.findings) {
    files.insert(finding.location.path);
    if (MayFix(input, finding)) ++(MayFixSafely(input, finding) ? safe : unsafe);
  }
  const std::string title = input.findings.empty()
                                ? input.files_checked == 0 ? "Nothing was checked" : "All clear"
                                : fmt::format("{} in {}", Count(input.findings.size(), "finding"),
                                              Count(files.size(), "file"));
  std::vector<std::string> facts = {Count(input.files_checked, "file") + " checked"};
  if (safe > 0)
    facts.push_back(fmt::format("{} fixable with <code>--fix</code>", HtmlNumber(safe)));
  if (unsafe > 0 && input.mention_unsafe) {
    facts.push_back(fmt::format("{} {} with <code>{}--unsafe-fixes</code>", HtmlNumber(unsafe),
                                safe > 0 ? "more" : "fixable", safe > 0 ? "" : "--fix "));
  }
  if (input.verbose && !input.suppressed.empty()) {
    facts.push_back(fmt::format("{} suppressed", HtmlNumber(input.suppressed.size())));
  }
  std::string list;
  for (const std::string& fact : facts) list += fmt::format("<li>{}</li>", fact);
  return fmt::format(
      "<header class=\"top\"><div class=\"wrap\">\n<p class=\"brand\"><a href=\"{}\" "
      "rel=\"noreferrer\">torchleak</a> <span>{}</span></p>\n<h1>{}</h1>\n"
      "<p class=\"project\">{}</p>\n<ul class=\"facts\">{}</ul>\n</div></header>\n",
      kHomeUrl, EscapeMarkup(input.version), title, ProjectName(input), list);
}

std::string Filters(const ReportInput& input, const Folders& folders) {
  std::string severities;
  for (const auto severity :
       {findings::Severity::kError, findings::Severity::kWarning, findings::Severity::kNote}) {
    severities += fmt::format(
        "<label class=\"chip {0}\"><input type=\"checkbox\" name=\"severity\" value=\"{0}\" "
        "checked><span>{0}</span></label>",
        Name(severity));
  }
  return fmt::format(
      "<form class=\"filters\" role=\"search\" aria-label=\"Filter the findings\" hidden>\n"
      "<input type=\"search\" name=\"text\" placeholder=\"Search path, message, function…\" "
      "aria-label=\"Search\" autocomplete=\"off\" spellcheck=\"false\">\n"
      "<div class=\"chips\" role=\"group\" aria-label=\"Severity\">{}</div>\n"
      "<select name=\"rule\" aria-label=\"Rule\"><option value=\"\">All rules</option>{}</select>\n"
      "<select name=\"folder\" aria-label=\"Folder\"><option value=\"\">All folders</option>{}"
      "</select>\n"
      "<div class=\"does\"><button type=\"button\" name=\"unfold\">Unfold all</button>"
      "<button type=\"reset\">Reset</button></div>\n"
      "<output aria-live=\"polite\"></output>\n</form>\n",
      severities, HtmlRuleOptions(input), HtmlFolderOptions(input, folders));
}

// By finding: 2 drawn with its code, 1 listed, 0 left out.
std::vector<char> Shares(std::span<const findings::Finding> findings) {
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [findings](std::size_t a, std::size_t b) {
    if (findings[a].severity != findings[b].severity)
      return findings[a].severity > findings[b].severity;
    return findings[a].confidence > findings[b].confidence;
  });
  std::vector<char> shares(findings.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    shares[order[i]] = i < kDrawn ? 2 : i < kListed ? 1 : 0;
  }
  return shares;
}

std::string CutNotice(std::size_t count) {
  if (count <= kDrawn) return "";
  std::string text =
      fmt::format("The code of the {} most severe findings is shown", HtmlNumber(kDrawn));
  if (count > kListed) {
    text += fmt::format(", and {} of the least severe are left out", HtmlNumber(count - kListed));
  }
  return fmt::format("<p class=\"cut\">{}. The format json has everything.</p>\n", text);
}

std::string Findings(const ReportInput& input, const Folders& folders) {
  const std::vector<char> shares = Shares(input.findings);
  HtmlFindingOptions options;
  options.open = input.findings.size() <= kOpenUpTo;
  std::string out = CutNotice(input.findings.size());
  for (std::size_t i = 0; i < input.findings.size();) {
    const std::string& path = input.findings[i].location.path;
    std::string items;
    std::size_t count = 0;
    for (; i < input.findings.size() && input.findings[i].location.path == path; ++i) {
      if (shares[i] == 0) continue;
      options.with_code = shares[i] == 2;
      options.folder = folders.Of(path);
      options.number = i + 1;
      items += HtmlFinding(input, input.findings[i], options);
      ++count;
    }
    if (count == 0) continue;
    out += fmt::format(
        "<section class=\"file\"><h2><span class=\"path\">{}</span> <span class=\"count\">{}</span>"
        "</h2>\n{}</section>\n",
        HtmlPath(DisplayPath(path, input.root)), HtmlNumber(count), items);
  }
  return out;
}

std::string Notices(const ReportInput& input) {
  if (input.notifications.empty()) return "";
  std::string out = "<section class=\"notices\"><h2>Not checked, or only in part</h2>\n<ul>";
  const std::size_t count = std::min(input.notifications.size(), kNotices);
  for (const Notification& notification : input.notifications.first(count)) {
    out += fmt::format("<li><span class=\"path\">{}</span> {}</li>\n",
                       HtmlPath(DisplayPath(notification.path, input.root)),
                       HtmlProse(notification.message));
  }
  out += "</ul>";
  if (count < input.notifications.size()) {
    out += fmt::format("<p class=\"more\">and {} more</p>", input.notifications.size() - count);
  }
  return out + "</section>\n";
}

// The rules that found something, with their summaries.
std::string Rules(const ReportInput& input) {
  std::unordered_set<std::string_view> codes;
  for (const findings::Finding& finding : input.findings) codes.insert(finding.code);
  std::string items;
  for (const engine::Rule* rule : input.rules) {
    const engine::RuleInfo& info = rule->info();
    if (!codes.contains(info.code)) continue;
    items += fmt::format("<dt><a href=\"{}\" rel=\"noreferrer\">{} {}</a></dt><dd>{}.</dd>\n",
                         RuleUrl(info.name), info.code, info.name, HtmlProse(info.summary));
  }
  if (items.empty()) return "";
  return fmt::format("<section class=\"rules\"><h2>The rules</h2>\n<dl>{}</dl></section>\n", items);
}

}  // namespace

std::string RenderHtml(const ReportInput& input) {
  const Folders folders(input);
  std::string out = Head(input) + "<body>\n" + Headline(input) + "<main class=\"wrap\">\n";
  if (!input.findings.empty()) {
    out += "<div class=\"panels\">" + HtmlPlots(input, folders) + "</div>\n" +
           Filters(input, folders) + Findings(input, folders) +
           "<p class=\"none\" hidden>No finding matches this filter.</p>\n";
  } else if (input.files_checked != 0) {
    out +=
        "<p class=\"clear\">No tensor is kept longer than it should be, as far as these rules "
        "can tell.</p>\n";
  }
  out += Notices(input) + Rules(input);
  out += "</main>\n<script>" + std::string(HtmlAsset("report.js").text) + "</script>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace torchleak::report
