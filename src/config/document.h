// TOML text as plain data with places, in the order of the file. The only user of toml++.
//
//   Document document = ParseToml("select = [\"TLK1\"]");
//   document.root.members[0].key;  // "select"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::config {

// Rows and columns from 1, columns in characters; `end_column` is behind the last one, or 0 when
// the end is unknown or on another row.
struct Place {
  std::uint32_t row = 1, column = 1, end_column = 0;
};

struct Member;

struct Node {
  enum class Kind : std::uint8_t { kFlag, kNumber, kText, kDate, kList, kTable };
  Kind kind = Kind::kTable;
  Place place;
  bool flag = false;
  std::string text;
  std::vector<Node> items;
  std::vector<Member> members;

  const Member* Find(std::string_view key) const;
};

struct Member {
  std::string key;
  Place place;  // of the key
  Node value;
};

struct Problem {
  Place place;
  std::string message;
};

struct Document {
  Node root;                       // levels below kDeepest are left empty: no option is there
  std::optional<Problem> problem;  // the first mistake; then `root` is empty
};

inline constexpr int kDeepest = 6;

Document ParseToml(std::string_view bytes);

std::string_view Name(Node::Kind kind);  // "a number", "a list"

}  // namespace torchleak::config
