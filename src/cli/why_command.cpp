// torchleak why FILE:LINE
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "driver/discovery.h"
#include "driver/explain.h"
#include "text/notebook.h"
#include "text/read.h"
#include "text/source.h"

namespace torchleak::cli {
namespace {

struct Place {
  std::string file;
  std::uint32_t row;
  std::uint32_t cell = 0;  // of a notebook; 0: the row is one of the file
};

std::optional<std::uint32_t> ParseRow(std::string_view text) {
  std::uint32_t row = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  if (error != std::errc() || end != text.data() + text.size() || row == 0) return std::nullopt;
  return row;
}

std::optional<Place> ParsePlace(std::string_view text);

// FILE:cell N:LINE, as reports print places of notebooks.
std::optional<Place> ParseCellPlace(std::string_view text) {
  constexpr std::string_view kCell = ":cell ";
  const std::size_t at = text.rfind(kCell);
  if (at == std::string_view::npos || !text::IsNotebook(text.substr(0, at))) return std::nullopt;
  // "N:LINE" has the form of FILE:LINE.
  const auto place = ParsePlace(text.substr(at + kCell.size()));
  const auto cell = place ? ParseRow(place->file) : std::nullopt;
  if (!cell) return std::nullopt;
  return Place{std::string(text.substr(0, at)), place->row, *cell};
}

// FILE:LINE, or FILE:LINE:COLUMN as reports print it; the column does not matter.
std::optional<Place> ParsePlace(std::string_view text) {
  if (auto in_cell = ParseCellPlace(text)) return in_cell;
  std::size_t last = text.rfind(':');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  auto row = ParseRow(text.substr(last + 1));
  if (!row) return std::nullopt;
  std::string_view file = text.substr(0, last);
  std::size_t before = file.rfind(':');
  if (before != std::string_view::npos && before > 0) {
    if (auto outer = ParseRow(file.substr(before + 1))) {
      return Place{std::string(file.substr(0, before)), *outer};
    }
  }
  return Place{std::string(file), *row};
}

// 0 when there is none. A bare line of a notebook is one of the file, as services show it.
std::uint32_t RowIn(const text::Source& source, const Place& place) {
  const text::Notebook* notebook = source.notebook();
  if (notebook == nullptr) return place.row <= source.line_count() ? place.row : 0;
  return place.cell == 0 ? notebook->RowOfRaw(source, place.row)
                         : notebook->RowOf(source, place.cell, place.row);
}

std::string NoSuchLine(const text::Source& source, const Place& place) {
  if (source.notebook() == nullptr) {
    return fmt::format("{} has {} lines, there is no line {}", source.path(), source.line_count(),
                       place.row);
  }
  const std::string what =
      place.cell == 0
          ? fmt::format("on line {} of the file no line of Python begins", place.row)
          : fmt::format("there is no line {} of Python in cell {}", place.row, place.cell);
  return fmt::format("{}: {}; give FILE:cell N:LINE, for example '{}:cell {}:1'", source.path(),
                     what, source.path(), source.notebook()->CellAt(0).number);
}

int RunWhy(const std::string& argument) {
  auto place = ParsePlace(argument);
  if (argument.empty())
    return UsageError("why", "which line? Give FILE:LINE, for example train.py:42");
  if (!place) {
    return UsageError("why",
                      fmt::format("'{}' is not FILE:LINE, for example train.py:42", argument));
  }
  auto bytes = text::ReadFile(place->file);
  if (!bytes) {
    PrintError(bytes.error().message);
    return kExitError;
  }
  std::string root = WorkingDirectoryFor({&place->file, 1});
  const std::string absolute = driver::AbsolutePath(place->file, root);
  std::string path = driver::DisplayPath(absolute, root);
  auto source = text::Source::FromBytes(path, *std::move(bytes));
  if (!source) {
    PrintError(source.error().message);
    return kExitError;
  }
  const std::uint32_t row = RowIn(*source, *place);
  if (row == 0) {
    PrintError(NoSuchLine(*source, *place));
    return kExitError;
  }
  std::string text = driver::Explain(*source, absolute, row, root);
  if (!text.ends_with('\n')) text += '\n';
  return PrintAndReturn(text, kExitClean);
}

}  // namespace

void AddWhyCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand(
      "why", "Explain what was believed at a line, and why it was or was not reported");
  auto place = std::make_shared<std::string>();
  command
      ->add_option("place", *place,
                   "File and line, for example train.py:42 or 'eda.ipynb:cell 3:2'")
      ->option_text("FILE:LINE");
  command->callback([run, place] { *run = [place] { return RunWhy(*place); }; });
}

}  // namespace torchleak::cli
