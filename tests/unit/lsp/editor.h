// An editor in the same process: a folder on disk, the client of client.h, all operations.
//
//   Editor editor;
//   editor.tree.Write("a.py", kTraining);
//   editor.Start();                                // initialize with that folder, initialized
//   editor.Show("a.py", kTraining);                // didOpen
//   CHECK(Said(editor.At("a.py")) == editor.Expected("a.py"));
//
// What is expected is worked out apart from the server: findings by driver::Check, positions by
// counting in the text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/check.h"
#include "lsp/analysis.h"
#include "lsp/uri.h"
#include "tests/unit/driver/temp_tree.h"
#include "tests/unit/lsp/client.h"

namespace doctest {

template <>
struct StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += "\n    " + line;
    return text.c_str();
  }
};

}  // namespace doctest

namespace torchleak::lsp {

using Strings = std::vector<std::string>;

// Findings in the rows 5 and 6 (from 0), with flow and with fixes that are not safe.
inline constexpr const char* kTraining =
    "import torch\ndef train(model, loader):\n    total, kept = 0.0, []\n"
    "    for batch in loader:\n        loss = model(batch).mean(); loss.backward()\n"
    "        total += loss\n        kept.append(loss)\n    return total, kept\n";
inline constexpr const char* kHarmless = "import torch\nx = torch.ones(2)\n";
// A safe fix: "x = 1".
inline constexpr const char* kUnused = "import torch\nx = 1  # noqa: TLK101\n";

// A file whose `record` keeps what it is given, or its number.
inline std::string Recorder(bool keeps) {
  return std::string("import torch\nkept = []\ndef record(value):\n    kept.append(value") +
         (keeps ? ")\n" : ".item())\n");
}

// Units of a text in an encoding of positions.
inline std::size_t Units(std::string_view text, std::string_view encoding) {
  if (encoding == "utf-8") return text.size();
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 && encoding == "utf-16" ? 2 : 1;
  }
  return units;
}

inline Json PositionIn(std::string_view text, std::size_t offset, std::string_view encoding) {
  std::size_t line = 0, begin = 0;
  // No position is between \r and \n.
  if (offset > 0 && text.substr(offset - 1, 2) == "\r\n") --offset;
  for (std::size_t i = 0; i < offset; ++i) {
    const bool ends = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    if (ends) ++line, begin = i + 1;
  }
  return {{"line", line}, {"character", Units(text.substr(begin, offset - begin), encoding)}};
}

// The first place of `part`.
inline Json RangeOf(std::string_view text, std::string_view part,
                    std::string_view encoding = "utf-16") {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string_view::npos);
  return {{"start", PositionIn(text, at, encoding)},
          {"end", PositionIn(text, at + part.size(), encoding)}};
}

inline std::size_t OffsetIn(std::string_view text, const Json& position,
                            std::string_view encoding) {
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (PositionIn(text, i, encoding) == position) return i;
  }
  FAIL("no such position: " << position.dump());
  return 0;
}

// What a client makes of TextEdits: all of them count in the text before.
inline std::string WithEdits(std::string text, Json edits, std::string_view encoding = "utf-16") {
  std::vector<std::pair<std::size_t, const Json*>> from_the_end;
  for (const Json& edit : edits)
    from_the_end.emplace_back(OffsetIn(text, edit["range"]["start"], encoding), &edit);
  std::sort(from_the_end.rbegin(), from_the_end.rend());
  for (const auto& [begin, edit] : from_the_end) {
    const std::size_t end = OffsetIn(text, (*edit)["range"]["end"], encoding);
    text.replace(begin, end - begin, (*edit)["newText"].get<std::string>());
  }
  return text;
}

inline std::string ShownRange(const Json& range) {
  const Json &start = range["start"], &end = range["end"];
  return fmt::format("{}:{}-{}:{}", start["line"].dump(), start["character"].dump(),
                     end["line"].dump(), end["character"].dump());
}

// One text for each diagnostic, with all that a reader sees.
inline Strings Said(const Json& diagnostics) {
  Strings lines;
  for (const Json& d : diagnostics) {
    std::string line =
        fmt::format("{} {} {} {}", ShownRange(d["range"]), d["code"].get<std::string>(),
                    d["severity"].dump(), d["message"].get<std::string>());
    if (d.contains("relatedInformation")) {
      for (const Json& r : d["relatedInformation"]) {
        line += fmt::format(" | {} {} {}", r["location"]["uri"].get<std::string>(),
                            ShownRange(r["location"]["range"]), r["message"].get<std::string>());
      }
    }
    lines.push_back(line);
  }
  return lines;
}

struct Editor : Client {
  driver::TempTree tree;
  Analysis analysis{server};
  std::map<std::string, Json> shown;  // by URI: params of the last publishDiagnostics
  std::string encoding = "utf-16";
  bool related = true;  // the client shows it

  Editor() { AddAll(analysis); }

  Json Start(Json capabilities = Json::object(), const Json& options = nullptr,
             const Strings& folders = {""}) {
    if (related) capabilities["textDocument"]["publishDiagnostics"]["relatedInformation"] = true;
    capabilities["general"]["positionEncodings"] = {encoding};
    Json params = {{"capabilities", std::move(capabilities)}, {"workspaceFolders", Json::array()}};
    for (const std::string& folder : folders)
      params["workspaceFolders"].push_back({{"uri", Uri(folder)}, {"name", "w"}});
    if (!options.is_null()) params["initializationOptions"] = options;
    const Json response = Ask("initialize", params);
    Tell("initialized", Json::object());
    return response["result"]["capabilities"];
  }
  std::string Uri(std::string_view relative) const {
    std::string path = tree.Path(relative);
    if (path.ends_with('/')) path.pop_back();
    return UriOf(path);
  }

  // Files by their path in the folder.
  void Show(std::string_view path, const std::string& text) { Open(Uri(path), text); }
  void Type(std::string_view path, int version, const std::string& text) {
    TypeAt(Uri(path), version, text);
  }
  void TypeAt(const std::string& uri, int version, const std::string& text) {
    Tell("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", version}}},
                                    {"contentChanges", {{{"text", text}}}}});
  }
  void Close(std::string_view path) {
    Tell("textDocument/didClose", {{"textDocument", {{"uri", Uri(path)}}}});
  }
  void Save(std::string_view path) {
    Tell("textDocument/didSave", {{"textDocument", {{"uri", Uri(path)}}}});
  }
  // workspace/didChangeWatchedFiles; 1 created, 2 changed, 3 deleted.
  void Watched(std::string_view path, int type) {
    Tell("workspace/didChangeWatchedFiles", {{"changes", {{{"uri", Uri(path)}, {"type", type}}}}});
  }

  // Parameters of what the server has sent under this name, once.
  std::vector<Json> Take(std::string_view method) {
    std::vector<Json> taken;
    std::erase_if(received, [&](const Json& message) {
      if (message["method"] != method) return false;
      taken.push_back(message.value("params", Json()));
      return true;
    });
    return taken;
  }
  // Its text is empty when nothing was published since.
  Strings Published() {
    Strings uris;
    for (const Json& params : Take("textDocument/publishDiagnostics")) {
      const std::string uri = params["uri"];
      uris.push_back(uri);
      shown[uri] = params;
    }
    return uris;
  }
  Json AtUri(const std::string& uri) {
    Published();
    return shown.contains(uri) ? shown[uri]["diagnostics"] : Json::array();
  }
  Json At(std::string_view path) { return AtUri(Uri(path)); }
  std::string Complaints() {
    std::string text;
    for (const char* method : {"window/logMessage", "window/showMessage"}) {
      for (const Json& params : Take(method)) text += params["message"].get<std::string>() + '\n';
    }
    return text;
  }
  // The answer to the last request of the server with this method.
  void Answer(std::string_view method, const Json& result) {
    const auto at = std::find_if(received.rbegin(), received.rend(),
                                 [&](const Json& m) { return m["method"] == method; });
    REQUIRE(at != received.rend());
    Post({{"jsonrpc", "2.0"}, {"id", (*at)["id"]}, {"result", result}});
    Take(method);
    CHECK(Settle().empty());
  }

  // Of the command line, for the folder with these texts instead of those on disk.
  driver::CheckOptions Options(const std::vector<std::pair<std::string, std::string>>& texts = {}) {
    driver::CheckOptions options;
    options.paths = {tree.root()};
    options.root = tree.root();
    config::IndexOptions files;
    files.root = tree.root();
    auto index = config::SettingsIndex::Create(files);
    REQUIRE(index);
    options.settings = *index;
    options.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
    for (const auto& [path, text] : texts) options.buffers.push_back({tree.Path(path), text});
    return options;
  }
  driver::FindingSet Check(const std::vector<std::pair<std::string, std::string>>& texts = {}) {
    auto found = driver::Check(Options(texts));
    REQUIRE(found);
    return *std::move(found);
  }
  // The same as Said().
  Strings Expected(std::string_view path,
                   const std::vector<std::pair<std::string, std::string>>& texts = {}) {
    const driver::FindingSet set = Check(texts);
    const auto place = [&](const findings::Location& at) {
      const text::Source* source = set.SourceOf(at.path);
      REQUIRE(source != nullptr);
      const std::size_t mark = source->dropped_mark();
      const std::string text =
          std::string(mark == 0 ? "" : "\xEF\xBB\xBF") + std::string(source->bytes());
      return ShownRange({{"start", PositionIn(text, at.span.begin + mark, encoding)},
                         {"end", PositionIn(text, at.span.end + mark, encoding)}});
    };
    Strings lines;
    for (const findings::Finding& f : set.findings) {
      if (f.location.path != path) continue;
      const int severity = f.severity == findings::Severity::kError     ? 1
                           : f.severity == findings::Severity::kWarning ? 2
                                                                        : 3;
      std::string line = fmt::format("{} {} {} {}", place(f.location), f.code, severity, f.message);
      for (const findings::Step& step : f.flow) {
        if (!related) break;
        line +=
            fmt::format(" | {} {} {}", Uri(step.location.path), place(step.location), step.message);
      }
      lines.push_back(line);
    }
    return lines;
  }

  Json Actions(const std::string& uri, const Json& range, const Json& only = nullptr) {
    Json context = {{"diagnostics", Json::array()}};
    if (!only.is_null()) context["only"] = only;
    return Ask(
        "textDocument/codeAction",
        {{"textDocument", {{"uri", uri}}}, {"range", range}, {"context", context}})["result"];
  }
};

inline Strings Titles(const Json& actions) {
  Strings titles;
  for (const Json& action : actions) titles.push_back(action["title"]);
  return titles;
}

// Of the action whose title begins so.
inline Json ActionNamed(const Json& actions, std::string_view begin) {
  for (const Json& action : actions) {
    if (action["title"].get<std::string>().starts_with(begin)) return action;
  }
  FAIL("no action " << begin << " in " << actions.dump());
  return {};
}

}  // namespace torchleak::lsp
