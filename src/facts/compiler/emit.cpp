// Every array is sorted because the maps are; cross references become indices into them.
#include "facts/compiler/emit.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <span>
#include <vector>

#include "facts/compiler/vocabulary.h"
#include "facts/table.h"

namespace torchleak::facts::stubs {
namespace {

template <typename Map>
std::size_t IndexIn(const Map& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? table::kNoIndex
                         : static_cast<std::size_t>(std::distance(map.begin(), it));
}

class Emitter {
 public:
  explicit Emitter(const Linked& linked) : linked_(linked) {}

  std::string Run() {
    Line("// Made from rules/facts/*.pyi by facts_compiler; not to be edited.");
    Line("#include \"facts/table.h\"\n");
    Line("namespace torchleak::facts::table {{\nnamespace {{\n");
    Facts();
    Attributes();
    Classes();
    Names();
    Evidence();
    Line("}}  // namespace\n");
    Line(
        "const Tables kTables{{kFacts, kAttributes, kClasses, kAncestors, kNames, kSlots, "
        "kEvidence}};\n");
    Line("}}  // namespace torchleak::facts::table");
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void Facts() {
    Line("constexpr Fact kFacts[] = {{");
    for (const auto& [name, f] : linked_.facts)
      Line(
          "  {{\"{}\", Result::{}, Graph::{}, Residency::{}, Size::{}, {}u, {}, {}, {}, {}, {}, "
          "{}, {}, "
          "{}, {}}},",
          name, NameOf(f.result), NameOf(f.graph), NameOf(f.residency), NameOf(f.size), f.effects,
          f.subject, f.loss, f.target, f.bounded, f.is_class, f.reduces, f.part_count,
          Few(f.parts, f.part_count), Few(f.takes, Said(f.takes)));
    Line("}};");
  }

  // The first `count` of `results`, in braces.
  static std::string Few(std::span<const Result> results, std::size_t count) {
    std::string out = "{";
    for (Result result : results.first(count)) out += fmt::format("Result::{}, ", NameOf(result));
    return out + "}";
  }
  static std::size_t Said(std::span<const Result> results) {
    std::size_t count = results.size();
    while (count > 0 && results[count - 1] == Result::kUnknown) --count;
    return count;
  }

  void Attributes() {
    Line("constexpr AttributeFact kAttributes[] = {{");
    for (const auto& [name, f] : linked_.attributes)
      Line("  {{\"{}\", Result::{}, Graph::{}}},", name, NameOf(f.result), NameOf(f.graph));
    Line("}};");
  }

  void Classes() {
    std::string ancestors;
    std::size_t count = 0;
    Line("constexpr Class kClasses[] = {{");
    for (const auto& [name, cls] : linked_.classes) {
      Line("  {{\"{}\", {}, {}, {}, \"{}\"}},", name, IndexIn(linked_.classes, cls.receiver), count,
           count + cls.ancestors.size(), cls.suffix);
      count += cls.ancestors.size();
      for (const std::string& ancestor : cls.ancestors)
        ancestors += fmt::format("{}, ", IndexIn(linked_.classes, ancestor));
    }
    Line("}};\nconstexpr std::uint16_t kAncestors[] = {{{}}};", ancestors);
  }

  void Names() {
    const std::size_t slot_count = std::bit_ceil(linked_.names.size() * 2);
    std::vector<std::size_t> slots(slot_count, table::kNoIndex);
    std::size_t index = 0;
    Line("constexpr Name kNames[] = {{");
    for (const auto& [name, canonical] : linked_.names) {
      Line("  {{\"{}\", {}, {}, {}}},", name, IndexIn(linked_.facts, canonical),
           IndexIn(linked_.classes, canonical), IndexIn(linked_.attributes, canonical));
      std::size_t slot = table::Slot(table::Hash(name), slot_count - 1);
      while (slots[slot] != table::kNoIndex) slot = (slot + 1) & (slot_count - 1);
      slots[slot] = index++;
    }
    Line("}};\nconstexpr std::uint16_t kSlots[] = {{{}}};", fmt::join(slots, ","));
  }

  void Evidence() {
    Line("constexpr EvidenceEntry kEvidence[] = {{");
    for (const auto& [method, bits] : linked_.evidence) Line("  {{\"{}\", {}}},", method, bits);
    Line("}};\n");
  }

  const Linked& linked_;
  std::string out_;
};

}  // namespace

std::string Emit(const Linked& linked) { return Emitter(linked).Run(); }

}  // namespace torchleak::facts::stubs
