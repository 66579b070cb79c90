// Types are checked by the table of options alone. What contradicts itself within one layer is an
// error as well: nobody can say what was meant.
#include "config/reader.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "config/contradiction.h"
#include "config/options.h"

namespace torchleak::config {
namespace {

// Keys of other tools, and of older versions of them, that people try.
std::string_view Advice(std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kAdvice = {{
      {"lint", "its keys stand at the top, without a section"},
      {"extend-ignore", "`ignore` adds to what is ignored elsewhere"},
      {"extend-per-file-ignores", "write all into `per-file-ignores`"},
      {"include", "*.py, *.pyi and *.ipynb are looked at"},
      {"line-length", "lines may be as long as they like"},
      {"jobs", "the number of threads is given by --jobs"},
      {"tool", "[tool.torchleak] is for pyproject.toml; here its keys stand at the top"},
  }};
  for (const auto& [known, advice] : kAdvice) {
    if (known == key) return advice;
  }
  return {};
}

class Reader {
 public:
  Reader(const File& file, bool is_inline) : file_(file), is_inline_(is_inline) {
    layer_.name = file.display;
    layer_.folder = file.folder;
  }

  text::Result<std::optional<Layer>> Read(const Node& table) {
    for (const Member& member : table.members) {
      TakeMember(member);
      if (error_) return *error_;
    }
    if (auto contradiction = FindContradiction(layer_)) {
      const Member* at = table.Find(contradiction->key);
      return ErrorAt(file_, at->place, contradiction->message);
    }
    return std::optional<Layer>(std::move(layer_));
  }

 private:
  void Fail(const Place& place, std::string_view message) {
    if (!error_) error_ = ErrorAt(file_, place, message);
  }

  void TakeMember(const Member& member) {
    const Option* option = FindOption(member.key);
    if (option == nullptr) return Fail(member.place, UnknownKey(member.key));
    if (is_inline_ && option->key == "extend") {
      return Fail(member.place, "'extend' belongs into a file; give the file to --config");
    }
    Value value;
    value.origin =
        is_inline_ ? "--config"
                   : fmt::format("{}:{}:{}", file_.display, member.place.row, member.place.column);
    Take(*option, member.value, &value);
    layer_.values[member.key] = std::move(value);
  }

  static std::string UnknownKey(std::string_view key) {
    if (auto advice = Advice(key); !advice.empty()) {
      return fmt::format("unknown key '{}': {}", key, advice);
    }
    std::string_view nearest = NearestOption(key);
    if (nearest.empty()) {
      return fmt::format("unknown key '{}'; `torchleak config` lists those there are", key);
    }
    return fmt::format("unknown key '{}'; did you mean '{}'?", key, nearest);
  }

  void WrongType(const Option& option, const Node& node) {
    std::string message =
        fmt::format("'{}' takes {}, not {}", option.key, Expected(option), Name(node.kind));
    if (option.type == Type::kVersion && node.kind == Node::Kind::kNumber) {
      message += " (2.10 would be 2.1)";
    }
    Fail(node.place, message);
  }

  void Take(const Option& option, const Node& node, Value* value) {
    switch (option.type) {
      case Type::kFlag:
        if (node.kind != Node::Kind::kFlag) return WrongType(option, node);
        value->flag = node.flag;
        return;
      case Type::kChoice:
      case Type::kPath:
      case Type::kVersion:
        if (node.kind != Node::Kind::kText) return WrongType(option, node);
        value->text = TakeWord(option, node);
        return;
      case Type::kPatterns:
      case Type::kSelectors:
        return TakeList(option, node, &value->words);
      case Type::kPerFile:
      case Type::kPerRule:
        return TakeTable(option, node, value);
    }
  }

  std::string TakeWord(const Option& option, const Node& node) {
    if (node.kind != Node::Kind::kText) {
      WrongType(option, node);
    } else if (auto problem = WordProblem(option, node.text); !problem.empty()) {
      Fail(node.place, problem);
    }
    return node.text;
  }

  void TakeList(const Option& option, const Node& node, std::vector<std::string>* words) {
    if (node.kind != Node::Kind::kList) return WrongType(option, node);
    for (const Node& item : node.items) {
      if (item.kind != Node::Kind::kText) {
        return Fail(item.place, fmt::format("'{}' takes {}; {} is in the list", option.key,
                                            Expected(option), Name(item.kind)));
      }
      words->push_back(TakeWord(option, item));
    }
  }

  void TakeTable(const Option& option, const Node& node, Value* value) {
    if (node.kind != Node::Kind::kTable) return WrongType(option, node);
    for (const Member& member : node.members) {
      if (auto problem = KeyProblem(option, member.key); !problem.empty()) {
        return Fail(member.place, problem);
      }
      Entry entry{member.key, {}};
      if (option.type == Type::kPerFile) {
        TakeList(option, member.value, &entry.words);
      } else {
        entry.words.push_back(TakeWord(option, member.value));
      }
      if (error_) return;
      value->entries.push_back(std::move(entry));
    }
  }

  const File& file_;
  bool is_inline_;
  Layer layer_;
  std::optional<text::Error> error_;
};

// The table that holds the options, or null.
const Node* SectionOf(const Document& document, Section section) {
  if (section != Section::kTool) return &document.root;
  const Member* tool = document.root.Find("tool");
  const Member* ours = tool == nullptr ? nullptr : tool->value.Find("torchleak");
  return ours == nullptr ? nullptr : &ours->value;
}

}  // namespace

text::Result<std::optional<Layer>> ReadLayer(const File& file, Section section) {
  // Most pyproject.toml are not about us. They are not parsed, and their mistakes are no matter.
  if (section == Section::kTool && file.bytes.find("torchleak") == std::string::npos) {
    return std::optional<Layer>();
  }
  if (auto problem = EncodingProblem(file.bytes); !problem.empty()) {
    return text::Error{fmt::format("{} {}", file.display, problem)};
  }
  const Document document = ParseToml(file.bytes);
  if (document.problem) {
    return ErrorAt(file, document.problem->place, "invalid TOML: " + document.problem->message);
  }
  const Node* table = SectionOf(document, section);
  if (table == nullptr) return std::optional<Layer>();
  if (table->kind != Node::Kind::kTable) {
    return ErrorAt(file, table->place, "tool.torchleak must be a table: [tool.torchleak]");
  }
  return Reader(file, section == Section::kInline).Read(*table);
}

Place PlaceOfExtend(const File& file, Section section) {
  const Document document = ParseToml(file.bytes);
  const Node* table = document.problem ? nullptr : SectionOf(document, section);
  const Member* extend = table == nullptr ? nullptr : table->Find("extend");
  return extend == nullptr ? Place{} : extend->value.place;
}

}  // namespace torchleak::config
