// Excerpt: the markers of a script that should stay free of them, in a file of their own beside it.
//
// `train.expected` quotes lines of `train.py`, in order, each followed by its marker lines:
//
//       losses.append(loss)
//   #   ^^^^^^^^^^^^^^^^^^^ TLK101 warning
//
// A quoted line stands for the next line of the script that is equal to it, so a line above (a
// `def`, say) tells which of several is meant. Empty lines of the excerpt quote nothing.
#pragma once

#include "markers.h"
#include "text/source.h"

namespace torchleak::tests {

// As if the markers stood in the script. A quoted line that the script lacks is an error.
Markers ReadExcerpt(const text::Source& excerpt, const text::Source& script);

}  // namespace torchleak::tests
