"""What an editor holds: texts that are changed in steps, with positions as the protocol has them."""

import re

LINE_END = re.compile(r"\r\n|\r|\n")
UNITS = {"utf-8": lambda text: len(text.encode()),
         "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
         "utf-32": len}


class Lines:
    """Places in one text: offsets in characters, positions of LSP, rows and columns from 1."""

    def __init__(self, text, encoding):
        self.text, self.units = text, UNITS[encoding]
        self.begins, self.ends = [0], []
        for end in LINE_END.finditer(text):
            self.ends.append(end.start())
            self.begins.append(end.end())
        self.ends.append(len(text))

    def position(self, offset):
        low, high = 0, len(self.begins)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.begins[middle] <= offset else (low, middle)
        begin = self.begins[low]
        return {"line": low, "character": self.units(self.text[begin:min(offset, self.ends[low])])}

    def position_at(self, row, column):
        if row > len(self.begins):
            return self.position(len(self.text))
        return self.position(min(self.begins[row - 1] + column - 1, self.ends[row - 1]))

    def range(self, begin, end):
        return {"start": self.position(begin), "end": self.position(end)}


class Document:
    """A text file, or a cell of a notebook."""

    def __init__(self, uri, text, encoding="utf-16", language="python"):
        self.uri, self.text, self.version = uri, text, 1
        self.encoding, self.language = encoding, language
        self.original, self.sound, self.past = text, text, []
        self.broken_for = 0

    def item(self):
        return {"uri": self.uri, "languageId": self.language, "version": self.version,
                "text": self.text}

    def lines(self):
        return Lines(self.text, self.encoding)

    def edit(self, changes, whole=False):
        """Makes changes (begin, end, text), one after the other; gives them as contentChanges."""
        self.past = self.past[-20:] + [self.text]
        said = []
        for begin, end, new in changes:
            begin, end = self._between_lines(begin), self._between_lines(end)
            said.append({"range": self.lines().range(begin, end), "text": new})
            self.text = self.text[:begin] + new + self.text[end:]
        self.version += 1
        return [{"text": self.text}] if whole else said

    def edit_to(self, text):
        """The same for the one change that makes this text."""
        shorter, begin, same = min(len(text), len(self.text)), 0, 0
        while begin < shorter and text[begin] == self.text[begin]:
            begin += 1
        begin = self._between_lines(begin)
        while same < shorter - begin and text[-1 - same] == self.text[-1 - same]:
            same += 1
        if same and self._between_lines(len(self.text) - same) != len(self.text) - same:
            same -= 1
        return self.edit([(begin, len(self.text) - same, text[begin:len(text) - same])])

    def _between_lines(self, offset):
        """No position lies between \\r and \\n."""
        return offset - 1 if self.text[offset - 1:offset + 1] == "\r\n" else offset


class Notebook:
    """Cells, each with a document; `kinds` are those of LSP: 1 of text, 2 of code."""

    def __init__(self, uri, cells, encoding="utf-16"):
        self.uri, self.encoding, self.version, self._made = uri, encoding, 1, 0
        self.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3",
                                        "language": "python"},
                         "language_info": {"name": "python"}}
        self.cells = [self.new_cell(kind, text) for kind, text in cells]

    def new_cell(self, kind, text):
        self._made += 1
        uri = self.uri.replace("file:", "vscode-notebook-cell:") + f"#C{self._made}"
        return kind, Document(uri, text, self.encoding, "python" if kind == 2 else "markdown")

    def code(self):
        return [document for kind, document in self.cells if kind == 2]

    def opened(self):
        return {"notebookDocument": {"uri": self.uri, "notebookType": "jupyter-notebook",
                                     "version": self.version, "metadata": self.metadata,
                                     "cells": [self._said(cell) for cell in self.cells]},
                "cellTextDocuments": [document.item() for _, document in self.cells]}

    def changed(self, cells):
        self.version += 1
        return {"notebookDocument": {"uri": self.uri, "version": self.version},
                "change": {"cells": cells}}

    def edited(self, document, changes):
        return self.changed({"textContent": [
            {"document": {"uri": document.uri, "version": document.version}, "changes": changes}]})

    def spliced(self, start, count, new):
        """Cells removed and put in; one that is in both has moved."""
        closed = [document for _, document in self.cells[start:start + count]]
        self.cells[start:start + count] = new
        return self.changed({"structure": {
            "array": {"start": start, "deleteCount": count,
                      "cells": [self._said(cell) for cell in new]},
            "didOpen": [document.item() for _, document in new],
            "didClose": [{"uri": document.uri} for document in closed]}})

    def json(self):
        """The file that the editor would save."""
        cells = []
        for number, (kind, document) in enumerate(self.cells):
            cell = {"cell_type": "code" if kind == 2 else "markdown", "id": f"cell-{number}",
                    "metadata": {}, "source": document.text}
            cells.append({**cell, "execution_count": None, "outputs": []} if kind == 2 else cell)
        return {"nbformat": 4, "nbformat_minor": 5, "metadata": self.metadata, "cells": cells}

    @staticmethod
    def _said(cell):
        return {"kind": cell[0], "document": cell[1].uri}
