#include "report/marks.h"

#include <algorithm>
#include <utility>

namespace torchleak::report {
namespace {

constexpr std::string_view kConnector = "│";

// A line that is filled from left to right: painted text has no columns of its own to count.
class Line {
 public:
  void Put(std::uint32_t column, const std::string& painted, std::uint32_t columns) {
    if (column > column_) text_.append(column - column_, ' ');
    text_ += painted;
    column_ = std::max(column_, column) + columns;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  std::uint32_t column_ = 0;
};

std::string Repeat(std::string_view text, std::uint32_t times) {
  std::string out;
  for (std::uint32_t i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<Underline> MergeEqual(std::vector<Underline> underlines) {
  std::vector<Underline> merged;
  for (Underline& next : underlines) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&next](const Underline& u) {
      return u.begin == next.begin && u.end == next.end;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(next));
      continue;
    }
    same->primary |= next.primary;
    if (!same->label.empty() && !next.label.empty()) same->label += ", ";
    same->label += next.label;
  }
  return merged;
}

// Each layer holds underlines that neither overlap nor touch, from left to right.
std::vector<std::vector<Underline>> Layers(std::vector<Underline> underlines) {
  std::stable_sort(underlines.begin(), underlines.end(),
                   [](const Underline& a, const Underline& b) {
                     return a.primary != b.primary ? a.primary : a.begin < b.begin;
                   });
  std::vector<std::vector<Underline>> layers;
  for (Underline& next : underlines) {
    const auto fits = [&next](const std::vector<Underline>& layer) {
      return std::none_of(layer.begin(), layer.end(), [&next](const Underline& u) {
        return next.begin <= u.end && u.begin <= next.end;
      });
    };
    auto layer = std::find_if(layers.begin(), layers.end(), fits);
    if (layer == layers.end()) layer = layers.insert(layers.end(), std::vector<Underline>());
    layer->push_back(std::move(next));
  }
  for (auto& layer : layers) {
    std::sort(layer.begin(), layer.end(),
              [](const Underline& a, const Underline& b) { return a.begin < b.begin; });
  }
  return layers;
}

void DrawLayer(const std::vector<Underline>& layer, const Painter& painter, Style primary,
               std::vector<std::string>* out) {
  const auto style_of = [primary](const Underline& u) {
    return u.primary ? primary : Style::kStep;
  };
  Line line;
  for (const Underline& u : layer) {
    const std::uint32_t columns = u.end - u.begin;
    line.Put(u.begin, painter.Paint(style_of(u), Repeat(u.primary ? "^" : "─", columns)), columns);
  }
  std::string first = line.Take();
  if (!layer.back().label.empty()) first += " " + layer.back().label;
  out->push_back(std::move(first));

  std::vector<const Underline*> waiting;  // labels that found no room beside the underlines
  for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
    if (!layer[i].label.empty()) waiting.push_back(&layer[i]);
  }
  const auto connectors = [&](std::size_t count) {
    Line connector;
    for (std::size_t i = 0; i < count; ++i) {
      connector.Put(waiting[i]->begin, painter.Paint(style_of(*waiting[i]), kConnector), 1);
    }
    return connector;
  };
  if (!waiting.empty()) out->push_back(connectors(waiting.size()).Take());
  while (!waiting.empty()) {
    const Underline& last = *waiting.back();
    Line label_line = connectors(waiting.size() - 1);
    label_line.Put(last.begin, last.label, 0);
    out->push_back(label_line.Take());
    waiting.pop_back();
  }
}

}  // namespace

std::vector<std::string> MarkLines(std::vector<Underline> underlines, const Painter& painter,
                                   Style primary) {
  std::vector<std::string> lines;
  for (const auto& layer : Layers(MergeEqual(std::move(underlines)))) {
    DrawLayer(layer, painter, primary, &lines);
  }
  return lines;
}

}  // namespace torchleak::report
