#include "report/html_flow.h"

#include <algorithm>

#include <fmt/format.h>

namespace torchleak::report {
namespace {

constexpr int kRadius = 8;
constexpr int kLane = 8;       // between two arcs side by side
constexpr int kFirstLane = 9;  // from the edge of a dot to the nearest arc
constexpr int kCrossing = 7;   // between two paths that leave or enter
constexpr int kMostCrossings = 3;
constexpr int kMostLanes = 5;  // further arcs share the outermost

int CenterOf(std::uint32_t row) {
  return static_cast<int>(row * kHtmlRowHeight + kHtmlRowHeight / 2);
}

struct Link {
  const FlowDot* from;
  const FlowDot* to;
  int lane = 0;  // 0: straight
};

bool Crosses(const Link& link) { return link.from->excerpt != link.to->excerpt; }

std::pair<std::uint32_t, std::uint32_t> RowsOf(const Link& link) {
  return std::minmax(link.from->row, link.to->row);
}

// Straight when nothing stands between; else the innermost lane that no other arc of these rows
// has.
void ChooseLanes(const std::vector<FlowDot>& dots, std::vector<Link>* links) {
  // Short arcs first, so that they lie inside the long ones.
  std::vector<Link*> arcs;
  for (Link& link : *links) {
    if (Crosses(link)) continue;
    const auto [low, high] = RowsOf(link);
    const bool down = link.from->row < link.to->row;
    const bool between =
        std::any_of(dots.begin(), dots.end(), [&, l = low, h = high](const auto& d) {
          return d.excerpt == link.from->excerpt && d.row > l && d.row < h;
        });
    if (!down || between) arcs.push_back(&link);
  }
  std::stable_sort(arcs.begin(), arcs.end(), [](const Link* a, const Link* b) {
    const auto [a_low, a_high] = RowsOf(*a);
    const auto [b_low, b_high] = RowsOf(*b);
    return a_high - a_low < b_high - b_low;
  });
  std::vector<const Link*> placed;
  for (Link* arc : arcs) {
    const auto [low, high] = RowsOf(*arc);
    for (arc->lane = 1; arc->lane < kMostLanes; ++arc->lane) {
      const bool taken =
          std::any_of(placed.begin(), placed.end(), [&, l = low, h = high](const Link* other) {
            const auto [other_low, other_high] = RowsOf(*other);
            return other->lane == arc->lane && other->from->excerpt == arc->from->excerpt &&
                   other_low <= h && l <= other_high;
          });
      if (!taken) break;
    }
    placed.push_back(arc);
  }
}

class Drawing {
 public:
  Drawing(const std::vector<FlowDot>& dots, std::uint32_t excerpt, std::uint32_t row_count)
      : dots_(dots), excerpt_(excerpt), height_(static_cast<int>(row_count * kHtmlRowHeight)) {
    for (std::size_t i = 1; i < dots.size(); ++i) {
      if (dots[i - 1].number != 0) links_.push_back({&dots[i - 1], &dots[i]});
    }
    ChooseLanes(dots, &links_);
    int lanes = 0;
    int crossings = 0;
    for (Link& link : links_) {
      if (Crosses(link)) {
        // Outside all others, side by side as far as there is room.
        link.lane = crossings++ % kMostCrossings;
      } else {
        lanes = std::max(lanes, link.lane);
      }
    }
    crossings = std::min(crossings, kMostCrossings);
    const int arcs = lanes > 0 ? kFirstLane + (lanes - 1) * kLane : crossings > 0 ? kFirstLane : 3;
    center_ = crossings * kCrossing + arcs + kRadius + 1;
  }

  std::string Draw() {
    const int width = center_ + kRadius + 2;
    std::string out = fmt::format(
        "<svg class=\"flow\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
        "aria-hidden=\"true\">",
        width, height_, width, height_);
    for (const Link& link : links_) {
      if (Crosses(link)) {
        DrawCrossing(link, &out);
      } else if (link.from->excerpt == excerpt_) {
        link.lane == 0 ? DrawStraight(link, &out) : DrawArc(link, &out);
      }
    }
    for (const FlowDot& dot : dots_) {
      if (dot.excerpt == excerpt_) DrawDot(dot, &out);
    }
    return out + "</svg>";
  }

 private:
  void DrawStraight(const Link& link, std::string* out) const {
    const int from = CenterOf(link.from->row) + kRadius;
    const int to = CenterOf(link.to->row) - kRadius;
    *out += fmt::format("<path d=\"M{0} {1}V{2}\"/>", center_, from, to);
    if (to - from < 10) return;
    *out += fmt::format("<path class=\"h\" d=\"M{} {}l-3.5 -6h7z\"/>", center_, to);
  }

  void DrawArc(const Link& link, std::string* out) const {
    const int edge = center_ - kRadius;
    const int x = edge - kFirstLane - (link.lane - 1) * kLane + 2;
    // A little above or below the middle of the dots, where neighbours arrive and leave.
    const bool down = link.from->row < link.to->row;
    const int from = CenterOf(link.from->row) + (down ? 2 : -2);
    const int to = CenterOf(link.to->row) + (down ? -2 : 2);
    const int bend = down ? 7 : -7;
    *out += fmt::format("<path d=\"M{} {}Q{} {} {} {}V{}Q{} {} {} {}\"/>", edge, from, x, from, x,
                        from + bend, to - bend, x, to, edge - 3, to);
    *out += fmt::format("<path class=\"h\" d=\"M{} {}l-6 -3.5v7z\"/>", edge + 1, to);
  }

  // Leaves by the edge that is nearer to the other excerpt; comes in there likewise.
  void DrawCrossing(const Link& link, std::string* out) const {
    const bool down = link.from->excerpt < link.to->excerpt;
    const int x = 3 + link.lane * kCrossing;
    const int edge = center_ - kRadius;
    if (link.from->excerpt == excerpt_) {
      const int y = CenterOf(link.from->row) + (down ? 3 : -3);
      *out += fmt::format("<path class=\"x\" d=\"M{} {}Q{} {} {} {}V{}\"/>", edge, y, x, y, x,
                          y + (down ? 7 : -7), down ? height_ : 0);
    } else if (link.to->excerpt == excerpt_) {
      const int y = CenterOf(link.to->row) + (down ? -3 : 3);
      *out += fmt::format("<path class=\"x\" d=\"M{} {}V{}Q{} {} {} {}\"/>", x, down ? 0 : height_,
                          y + (down ? -7 : 7), x, y, edge - 3, y);
      *out += fmt::format("<path class=\"h\" d=\"M{} {}l-6 -3.5v7z\"/>", edge + 1, y);
    } else if (std::min(link.from->excerpt, link.to->excerpt) < excerpt_ &&
               excerpt_ < std::max(link.from->excerpt, link.to->excerpt)) {
      *out += fmt::format("<path class=\"x\" d=\"M{} 0V{}\"/>", x, height_);
    }
  }

  void DrawDot(const FlowDot& dot, std::string* out) const {
    if (dot.number == 0) {
      *out += fmt::format("<g class=\"p\"><circle cx=\"{}\" cy=\"{}\" r=\"4\"/></g>", center_,
                          CenterOf(dot.row));
      return;
    }
    *out += fmt::format(
        "<g{}><circle cx=\"{}\" cy=\"{}\" r=\"{}\"/><text x=\"{}\" y=\"{}\">{}"
        "</text></g>",
        dot.primary ? " class=\"p\"" : "", center_, CenterOf(dot.row), kRadius, center_,
        CenterOf(dot.row) + 4, dot.number);
  }

  const std::vector<FlowDot>& dots_;
  std::uint32_t excerpt_;
  int height_;
  std::vector<Link> links_;
  int center_ = 0;
};

}  // namespace

std::string HtmlFlow(const std::vector<FlowDot>& dots, std::uint32_t excerpt,
                     std::uint32_t row_count) {
  return Drawing(dots, excerpt, row_count).Draw();
}

}  // namespace torchleak::report
