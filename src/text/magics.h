// What IPython adds to Python, and how a cell becomes Python again without moving a character.
//
//   %matplotlib inline          0#atplotlib inline        a statement, so that a block may consist
//   of it files = !ls *.pt            files = __#s *.pt         a name that nothing is known of
//   %time loss = model(x)       0    ;loss = model(x)     code is looked at
//   loss = %time model(x)       loss =       model(x)
//   torch.save?                 0#rch.save?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchleak::text {

enum class CellMagic : std::uint8_t {
  kNone,
  kRunsCode,       // `%%time`: what follows its line is Python of the notebook
  kOtherLanguage,  // `%%bash`, `%%writefile`, and those nobody here knows; `%md` of Databricks
};

CellMagic CellMagicOf(std::string_view cell);
// Behind the lines of its cell magics, which must stay the first ones.
std::size_t EndOfCellMagics(std::string_view cell);

// Magics, shell escapes and help of a cell that is no kOtherLanguage are overwritten. Its size and
// line ends stay, and so does all that is Python; inside strings and brackets nothing is a magic.
// Gives the place of a string that the cell leaves open, or npos.
std::size_t MaskMagics(std::string* cell);

}  // namespace torchleak::text
