# Notebooks end to end.
. "$(dirname "$0")/lib.sh"

# notebook FILE CELL…: a cell for each further argument, which is the inside of a JSON string
notebook() {
  local file=$1 cells= cell
  shift
  for cell in "$@"; do
    cells+="${cells:+,}"$'\n'"  {\"cell_type\": \"code\", \"outputs\": [{\"text\": \"import torch\"}], \"source\": \"$cell\"}"
  done
  printf '{\n "cells": [%s\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n' "$cells" >"$file"
}
leaky='def evaluate(model, loader):\n    losses = []\n    for x, y in loader:\n        losses.append(torch.nn.functional.cross_entropy(model(x), y))\n    return losses'
notebook nb.ipynb '%matplotlib inline\nimport torch' '!pip install x' "$leaky"
mkdir .ipynb_checkpoints; cp nb.ipynb .ipynb_checkpoints/nb-checkpoint.ipynb
run 0 check --show-files; same "$out" "$PWD/nb.ipynb"
run 1 check --select TLK101 --output-format concise; has "TLK101" "$out"; hasnt "TLK000" "$out"
run 1 check --select TLK101 --single-file; has "losses.append(" "$out"
out=$("$torchleak" check --select TLK101 --stdin-filename sample.ipynb --output-format concise <nb.ipynb); same "$?" 1
has "sample.ipynb:" "$out"

# The outputs hold what the byte scan looks for; the code does not.
notebook quiet.ipynb 'print(1)'
run 0 check quiet.ipynb; hasnt "TLK" "$out"

# One broken cell, and the others as they were.
notebook broken.ipynb 'import torch' 'x = (' "$leaky"
run 1 check broken.ipynb --select TLK000,TLK101 --output-format concise; has "TLK000" "$out"; has "TLK101" "$out"

# No notebook that can be read: told with its place and a way out, the others are checked.
printf '{\n "cells": [' >cut.ipynb
printf '{"nbformat": 3, "worksheets": []}' >old.ipynb
: >empty.ipynb
head -c 100000 /dev/zero | tr '\0' '[' >deep.ipynb
run 1 check --select TLK101 --output-format concise
has "cut.ipynb: is not a Jupyter notebook that can be read: row 2, column 12" "$err"
has "old.ipynb: is a notebook of nbformat 3" "$err"; has "jupyter nbconvert --to notebook --nbformat 4" "$err"
has "empty.ipynb" "$err"; has "deep.ipynb" "$err"; has "nb.ipynb" "$out"

# why: places as reports show them, and lines of the file.
run 0 why 'nb.ipynb:cell 3:4'; has "nb.ipynb:cell 3:4, in evaluate()" "$out"
run 0 why 'nb.ipynb:cell 3:4:9'; has "nb.ipynb:cell 3:4" "$out"
run 0 why nb.ipynb:5; has "nb.ipynb:cell 3:1" "$out"
run 2 why nb.ipynb:1; has "give FILE:cell N:LINE, for example 'nb.ipynb:cell 1:1'" "$err"
run 2 why 'nb.ipynb:cell 3:40'; has "no line 40 of Python in cell 3" "$err"
run 2 why 'nb.ipynb:cell 9:1'; has "in cell 9" "$err"
run 2 why 'nb.ipynb:cell x:1'
run 2 why cut.ipynb:1; has "row 2, column 12" "$err"
finish
