// NotebookReader: the JSON of a notebook to its Python, with the way back. One use for each file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_tokens.h"
#include "text/notebook.h"
#include "text/result.h"

namespace torchleak::text {

class NotebookReader {
 public:
  struct Text {
    Notebook notebook;
    std::string bytes;
    std::string code;  // empty when it is the same
  };
  static Result<Text> Read(std::string_view path, std::string raw);

 private:
  using Token = JsonTokens::Token;
  using Kind = JsonTokens::Kind;

  // A cell as the JSON has it; the last of equal keys counts, as in Python.
  struct RawCell {
    std::uint32_t number = 1;
    std::string type, id, language;
    bool has_source = false;
    Notebook::Origin origin;
    std::vector<Notebook::Piece> pieces;
  };

  NotebookReader(std::string_view path, const std::string& raw);

  bool ReadTop();
  bool ReadCells(Token first);
  bool ReadCell(Token first, RawCell* cell);
  bool ReadSource(Token first, RawCell* cell);
  bool ReadMetadata(Token first);
  // The string under `outer` and `inner` of the object that begins with `first`, all of which is
  // read; unchanged when there is none.
  bool ReadInner(Token first, std::string_view outer, std::string_view inner, std::string* value);
  bool CheckShape();
  void AddCell(const RawCell& cell);
  void AddPiece(const Notebook::Piece& piece);
  void SetRawPositions();

  std::string Key(Token key) const;
  bool ReadText(Token value, std::string* out);
  bool Fail();  // what the tokens stumbled over
  bool FailAt(std::size_t raw_offset, std::string_view expected);
  bool FailShape(std::string_view what);

  std::string_view path_;
  std::string_view raw_;
  JsonTokens tokens_;
  std::string error_;
  Text out_;
  std::vector<RawCell> cells_;  // of code
  bool has_cells_ = false, has_worksheets_ = false;
  std::string_view nbformat_;
  std::string kernel_language_, info_language_;
};

}  // namespace torchleak::text
