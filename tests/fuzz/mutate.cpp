#include "mutate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace torchleak::tests {
namespace {

std::vector<std::string> Lines(std::string_view code) {
  std::vector<std::string> lines;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size() - 1);
    lines.emplace_back(code.substr(0, end + 1));
    code.remove_prefix(end + 1);
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string code;
  for (const std::string& line : lines) code += line;
  return code;
}

bool InName(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::vector<std::pair<std::size_t, std::size_t>> Names(std::string_view code) {
  std::vector<std::pair<std::size_t, std::size_t>> names;
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i;
    while (end < code.size() && InName(code[end])) ++end;
    if (end > i) names.emplace_back(i, end - i);
    i = std::max(end, i + 1);
  }
  return names;
}

void FlipBytes(std::string& code, Random& random) {
  for (std::size_t n = 1 + random.Below(8); n > 0 && !code.empty(); --n)
    code[random.Below(code.size())] = static_cast<char>(random.Next());
}

void InsertToken(std::string& code, Random& random) {
  static constexpr std::array<std::string_view, 24> kTokens{"(",
                                                            ")",
                                                            "[",
                                                            "]",
                                                            ":",
                                                            "\n",
                                                            "    ",
                                                            "if x: ",
                                                            "for i in y:\n",
                                                            "else:\n",
                                                            "*",
                                                            "**",
                                                            "lambda ",
                                                            "yield ",
                                                            "await ",
                                                            "return ",
                                                            "\\\n",
                                                            "'''",
                                                            "f\"{",
                                                            ":=",
                                                            "del ",
                                                            "with a as b:\n",
                                                            "try:\n",
                                                            "@torch.no_grad()\n"};
  code.insert(random.Below(code.size() + 1), kTokens[random.Below(kTokens.size())]);
}

void CutOut(std::string& code, Random& random) {
  const std::size_t begin = random.Below(code.size());
  code.erase(begin, 1 + random.Below(random.Below(4) == 0 ? code.size() : 40));
}

void SwapNames(std::string& code, Random& random) {
  const auto names = Names(code);
  if (names.empty()) return;
  const auto [to, length] = names[random.Below(names.size())];
  const auto [from, count] = names[random.Below(names.size())];
  const std::string name = code.substr(from, count);
  code.replace(to, length, name);
}

// Lines copied, moved, dropped, indented anew or taken from the other file.
void ShuffleLines(std::string& code, std::string_view other, Random& random) {
  std::vector<std::string> lines = Lines(code);
  if (lines.empty()) return;
  const std::size_t at = random.Below(lines.size()), to = random.Below(lines.size());
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(to);
  const std::string line = lines[at];
  switch (random.Below(6)) {
    case 0:
      lines.insert(place, line);
      break;
    case 1:
      std::swap(lines[at], lines[to]);
      break;
    case 2:
      lines.erase(place);
      break;
    case 3:
      lines[at].insert(0, std::string(1 + random.Below(8), ' '));
      break;
    case 4:
      lines[at].erase(0, std::min(lines[at].size(), random.Below(5)));
      break;
    default: {
      std::vector<std::string> lent = Lines(other);
      const std::size_t begin = random.Below(lent.size());
      const std::size_t n = std::min(lent.size() - begin, random.Below(12));
      const auto first = lent.begin() + static_cast<std::ptrdiff_t>(begin);
      lines.insert(place, first, first + static_cast<std::ptrdiff_t>(n));
    }
  }
  code = Joined(lines);
}

}  // namespace

std::uint64_t Random::Next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

std::string Mutate(std::string_view code, std::string_view other, Random& random) {
  std::string out(code);
  for (std::size_t n = 1 + random.Below(4); n > 0 && !out.empty(); --n) {
    switch (random.Below(8)) {
      case 0:
        FlipBytes(out, random);
        break;
      case 1:
        InsertToken(out, random);
        break;
      case 2:
        CutOut(out, random);
        break;
      case 3:
        out.resize(random.Below(out.size() + 1));
        break;
      case 4:
      case 5:
        SwapNames(out, random);
        break;
      default:
        ShuffleLines(out, other, random);
    }
  }
  return out;
}

}  // namespace torchleak::tests
