#!/usr/bin/env python3
"""Random edits over 20 open files: after every 100th, the server must have published what a fresh
`torchleak check` of the same texts finds. Also watched: memory, and that every request is answered.

    soak.py BINARY [--edits 10000] [--seed 1] [--encoding utf-16]

A difference ends it with status 1 and says the seed, the edit and what differs; the folder that it
names then holds the project as it was checked, and all that was sent.
"""

import argparse
import difflib
import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

import edits
import expected
import project
from client import Client, ResponseError, ServerError, program
from documents import Document, Notebook

NOTEBOOK = "explore.ipynb"
CANCELLED, MODIFIED = -32800, -32801
METHODS = {"textDocument/codeAction": "codeActionProvider", "textDocument/hover": "hoverProvider",
           "textDocument/diagnostic": "diagnosticProvider"}


class Difference(Exception):
    pass


class Soak:
    def __init__(self, args, work):
        self.args, self.work, self.rng = args, work, random.Random(args.seed)
        self.root, self.copy = work / "project", work / "check"
        self.documents, self.notebook = {}, None
        self.compared = self.memory_at_1000 = self.waiting_count = 0
        self.waiting = []

    def run(self):
        opened, self.closed = project.files()
        project.write(self.root, opened | self.closed)
        settings = {"debounce": 0} if self.args.seed % 2 else {}
        with Client([self.args.binary, "server"], self.root, settings, [self.args.encoding],
                    self.work / "sent.jsonl") as self.client:
            self.open_all(opened)
            self.compare(0)
            for number in range(1, self.args.edits + 1):
                self.edit()
                self.ask()
                if number % self.args.every == 0 or number == self.args.edits:
                    self.compare(number)
                if number == 1000:
                    self.memory_at_1000 = self.client.memory_kb()
            return self.report()

    def open_all(self, opened):
        encoding = self.client.encoding
        for name, text in opened.items():
            document = Document((self.root / name).as_uri(), text, encoding)
            self.documents[name] = document
            self.client.open(document.uri, "python", document.version, document.text)
        self.notebook = Notebook((self.root / NOTEBOOK).as_uri(), project.CELLS, encoding)
        project.write(self.root, {NOTEBOOK: json.dumps(self.notebook.json())})
        self.client.notify("notebookDocument/didOpen", self.notebook.opened())

    def all_documents(self):
        return [*self.documents.values(), *self.notebook.code()]

    # Edits and requests.

    def edit(self):
        rng = self.rng
        other = rng.choice(list(self.documents.values())).text
        if rng.random() < 0.12:
            self.edit_notebook(other)
            return
        document = rng.choice(list(self.documents.values()))
        said = edits.next_edit(document, other, rng)
        self.client.change(document.uri, document.version, said)

    def edit_notebook(self, other):
        rng, notebook = self.rng, self.notebook
        kind, count = rng.randrange(10), len(notebook.cells)
        if kind == 0 and count < 12:
            begin, end = edits.lines_of(other, rng, 8)
            cell = notebook.new_cell(1 if rng.random() < 0.2 else 2, other[begin:end])
            params = notebook.spliced(rng.randint(0, count), 0, [cell])
        elif kind == 1 and len(notebook.code()) > 2:
            params = notebook.spliced(rng.randrange(count), 1, [])
        elif kind == 2 and count > 1:
            at = rng.randrange(count - 1)
            params = notebook.spliced(at, 2, notebook.cells[at:at + 2][::-1])
        elif notebook.code():
            document = rng.choice(notebook.code())
            params = notebook.edited(document, edits.next_edit(document, other, rng))
        else:
            params = notebook.spliced(0, 0, [notebook.new_cell(2, "import torch\n")])
        self.client.notify("notebookDocument/didChange", params)

    def ask(self):
        """Some requests, some of which are withdrawn. Their answers are looked at later."""
        rng = self.rng
        if rng.random() >= 0.2:
            return
        method, document = rng.choice(list(METHODS)), rng.choice(self.all_documents())
        begin, cancels = rng.randint(0, len(document.text)), rng.random() < 0.3
        if not self.client.capabilities.get(METHODS[method]):
            return
        span = document.lines().range(begin, min(len(document.text), begin + 20))
        params = {"textDocument": {"uri": document.uri}}
        if method == "textDocument/codeAction":
            params |= {"range": span, "context": {"diagnostics": []}}
        elif method == "textDocument/hover":
            params["position"] = span["start"]
        number = self.client.send_request(method, params)
        self.waiting.append(number)
        self.waiting_count += 1
        if cancels:
            self.client.cancel(number)

    def take_answers(self):
        for number in self.waiting:
            try:
                self.client.wait(number)
            except ResponseError as error:
                if error.code not in (CANCELLED, MODIFIED):
                    raise Difference(f"an error for a request that is in order: {error}") from error
        self.waiting = []

    # Comparison.

    def settle(self):
        """Code actions come when the findings are up to date, after their publication."""
        begin = {"line": 0, "character": 0}
        for document in self.all_documents():
            for attempt in range(20):
                try:
                    self.client.request("textDocument/codeAction", {
                        "textDocument": {"uri": document.uri},
                        "range": {"start": begin, "end": begin}, "context": {"diagnostics": []}})
                    break
                except ResponseError as error:
                    if error.code != MODIFIED or attempt == 19:
                        raise

    def compare(self, number):
        self.take_answers()
        self.settle()
        shutil.rmtree(self.copy, ignore_errors=True)
        texts = {name: document.text for name, document in self.documents.items()}
        project.write(self.copy, texts | self.closed | {NOTEBOOK: json.dumps(self.notebook.json())})
        places = expected.Places(self.copy, self.root, self.client.encoding)
        places.documents, places.notebooks = self.documents, {NOTEBOOK: self.notebook}
        wanted = expected.diagnostics(expected.check(self.args.binary, self.copy), places)
        for document in self.all_documents():
            self.compare_document(document, wanted.get(document.uri, []), number)
        if self.args.progress and number % 1000 == 0:
            print(f"edit {number}: {self.client.memory_kb()} kB", file=sys.stderr)

    def compare_document(self, document, wanted, number):
        said = self.client.published.get(document.uri)
        if said is None:
            raise Difference(f"edit {number}: nothing was published for {document.uri}")
        if said.version is not None and said.version != document.version:
            raise Difference(f"edit {number}: {document.uri} is at version {document.version}, "
                             f"and published is {said.version}")
        self.differ(f"published for {document.uri}", wanted,
                    expected.published(said.diagnostics), number)
        self.compared += len(wanted)
        if self.client.capabilities.get("diagnosticProvider"):
            pulled = self.client.request("textDocument/diagnostic",
                                         {"textDocument": {"uri": document.uri}})
            self.differ(f"pulled for {document.uri}", wanted,
                        expected.published(pulled["items"]), number)

    @staticmethod
    def differ(what, wanted, got, number):
        if wanted == got:
            return
        lines = difflib.unified_diff("\n".join(wanted).split("\n"), "\n".join(got).split("\n"),
                                     "torchleak check", what, lineterm="")
        raise Difference(f"edit {number}:\n" + "\n".join(lines))

    def report(self):
        unanswered = self.client.unanswered()
        result = {"edits": self.args.edits, "seed": self.args.seed,
                  "open_files": len(self.documents) + 1, "requests": self.waiting_count,
                  "refused": self.client.refused, "unanswered": len(unanswered),
                  "published": self.client.publish_count, "findings_compared": self.compared,
                  "memory_kb": self.client.memory_kb()}
        if unanswered or self.client.stray_answers():
            raise Difference(f"unanswered: {unanswered}; answers to nothing: "
                             f"{self.client.stray_answers()}")
        if self.compared == 0:
            raise Difference("nothing was found at any time, so nothing was compared")
        if self.args.edits >= 2000 and self.memory_at_1000:
            result["memory_growth"] = round(result["memory_kb"] / self.memory_at_1000, 3)
            if result["memory_growth"] > self.args.max_growth:
                raise Difference(f"memory after the last edit is {result['memory_growth']} times "
                                 f"that after edit 1000, {self.memory_at_1000} kB")
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("binary", type=program)
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=100, help="edits between comparisons")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--encoding", choices=["utf-8", "utf-16", "utf-32"], default="utf-16")
    parser.add_argument("--max-growth", type=float, default=1.1)
    parser.add_argument("--progress", action="store_true")
    args = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="torchleak-soak-")).resolve()
    try:
        print(json.dumps(Soak(args, work).run()))
    except (Difference, ServerError) as problem:
        print(f"{problem}\n\nagain: {sys.argv[0]} {args.binary} --edits {args.edits} --every "
              f"{args.every} --seed {args.seed} --encoding {args.encoding}\nwhat was checked and "
              f"what was sent: {work}", file=sys.stderr)
        return 1
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
