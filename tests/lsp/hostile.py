#!/usr/bin/env python3
"""Clients that do everything wrong: the server answers every request once, or logs, and goes on.

    hostile.py BINARY [CASE…]
"""

import argparse
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from client import program

PARSE, INVALID, UNKNOWN, PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800
LONG = 60  # seconds after which something hangs

TRAINING = '''\
import torch
def train(model, loader):
    kept = []
    for batch in loader:
        loss = model(batch).mean(); loss.backward()
        kept.append(loss)
    return kept
'''


class Wrong(Exception):
    pass


def expect(what, *told):
    if not what:
        raise Wrong(*told)


def frame(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


def call(number, method, params=None):
    message = {"jsonrpc": "2.0", "method": method}
    if number is not None:
        message["id"] = number
    if params is not None:
        message["params"] = params
    return message


class Raw:
    """A server that is sent bytes."""

    def __init__(self, binary, root, wrapper=()):
        self.root, self.buffer = root, b""
        self.process = subprocess.Popen([*wrapper, binary, "server"], cwd=root,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)
        self.seen = []  # every message that came

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()

    def send(self, *messages):
        data = b"".join(m if isinstance(m, bytes) else frame(m) for m in messages)
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def _more(self):
        ready, _, _ = select.select([self.process.stdout], [], [], LONG)
        expect(ready, f"nothing came within {LONG} s; so far: {self.seen[-5:]}")
        data = os.read(self.process.stdout.fileno(), 1 << 20)
        self.buffer += data
        return bool(data)

    def receive(self):
        """The next message; None at the end."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._more():
                expect(not self.buffer, f"it ended within a header: {self.buffer[:200]}")
                return None
        header, _, rest = self.buffer.partition(b"\r\n\r\n")
        length = int(header.removeprefix(b"Content-Length: "))
        while len(rest) < length:
            expect(self._more(), "it ended within a message")
            rest = self.buffer.partition(b"\r\n\r\n")[2]
        self.buffer = rest[length:]
        self.seen.append(json.loads(rest[:length]))
        return self.seen[-1]

    def until(self, number):
        """The answer to a request, and all messages before it."""
        before = []
        while (message := self.receive()) is not None:
            if "method" not in message and message.get("id") == number:
                return message, before
            before.append(message)
        raise Wrong(f"it ended without an answer to {number}: {self.seen[-5:]}")

    def error(self, number, method, params=None):
        self.send(call(number, method, params))
        return self.until(number)[0].get("error", {}).get("code")

    def begin(self, **params):
        self.send(call(0, "initialize", {"processId": None, "capabilities": {},
                                         "rootUri": self.root.as_uri(), **params}),
                  call(None, "initialized", {}))
        return self.until(0)[0]["result"]

    def open(self, name="a.py", text=TRAINING, version=1):
        self.send(call(None, "textDocument/didOpen", {"textDocument": {
            "uri": (self.root / name).as_uri(), "languageId": "python", "version": version,
            "text": text}}))

    def shown(self, name="a.py", version=1):
        """Diagnostics of this version."""
        uri = (self.root / name).as_uri()
        for message in itertools.chain(self.seen[:], iter(self.receive, None)):
            params = message.get("params") or {}
            if (message.get("method") == "textDocument/publishDiagnostics"
                    and params["uri"] == uri and params.get("version") == version):
                return params["diagnostics"]
        raise Wrong(f"no diagnostics for version {version} of {name}")

    def finish(self, status=0):
        """It still lives: it shuts down as asked."""
        if status == 0:
            self.send(call("end", "shutdown"))
            expect("error" not in self.until("end")[0], "shutdown was refused")
            self.send(call(None, "exit"))
        self.wait(status)

    def wait(self, *statuses):
        self.process.stdin.close()
        rest = b""
        while data := self.process.stdout.read(1 << 16):
            rest += data
        status = self.process.wait(LONG)
        complaint = self.process.stderr.read().decode(errors="replace")
        expect(status in statuses, f"exit status {status}, not {statuses}: {complaint}")
        expect("Sanitizer" not in complaint and "runtime error" not in complaint, complaint)
        return rest


def answers(data):
    """Of bytes that a server wrote: the answers by id, each of them once; all messages are whole."""
    found = {}
    while data:
        header, _, rest = data.partition(b"\r\n\r\n")
        expect(header.startswith(b"Content-Length: "), f"no header: {data[:100]}")
        length = int(header.removeprefix(b"Content-Length: "))
        expect(len(rest) >= length, "the last message is cut off")
        message, data = json.loads(rest[:length]), rest[length:]
        if "method" not in message:
            number = json.dumps(message["id"])
            expect(number == "null" or number not in found, f"{number} was answered twice")
            found[number] = message
    return found


# Cases.

def malformed_headers(binary, root):
    """Bytes that are no header are answered once with a parse error, and skipped."""
    for junk in (b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: x\r\n\r\n", b"\r\n\r\n",
                 b"Content-Length: -5\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n",
                 b"Content-Length\r\n\r\n", b"\0" * 1000 + b"\n", b"\xff\xfe\r\n",
                 b"Content-Type: text\r\n\r\n", b"a" * 100_000 + b"\r\n\r\n"):
        with Raw(binary, root) as server:
            server.begin()
            server.send(junk)
            server.send(call(1, "no/such"))
            answer, before = server.until(1)
            expect(answer["error"]["code"] == UNKNOWN, answer)
            codes = [m["error"]["code"] for m in before if "method" not in m]
            expect(codes in ([PARSE], []), junk[:60], before)
            expect(codes or junk == b"\r\n\r\n", "nobody was told of", junk[:60])
            server.finish()


def strange_headers(binary, root):
    """Headers that are unusual and right."""
    with Raw(binary, root) as server:
        server.begin()
        body = json.dumps(call(1, "no/such")).encode()
        server.send(b"content-length:%d\r\nContent-Type: application/vscode-jsonrpc; "
                    b"charset=utf-8\r\n\r\n" % len(body) + body)
        expect(server.until(1)[0]["error"]["code"] == UNKNOWN)
        for byte in frame(call(2, "no/such")):
            server.send(bytes([byte]))
        expect(server.until(2)[0]["error"]["code"] == UNKNOWN)
        server.finish()


def wrong_lengths(binary, root):
    """A length that is too small or too large costs one message, not those that follow."""
    body = json.dumps(call(1, "no/such")).encode()
    for length in (0, 1, len(body) - 1, len(body) + 1, len(body) + 7):
        with Raw(binary, root) as server:
            server.begin()
            server.send(b"Content-Length: %d\r\n\r\n" % length + body, call(2, "no/such"),
                        call(3, "no/such"))
            answer, before = server.until(3)
            expect(answer["error"]["code"] == UNKNOWN, answer)
            ids = [m["id"] for m in before if "method" not in m]
            expect(len(ids) == len(set(map(str, ids))) or ids.count(None) > 1, length, ids)
            server.finish()


def huge_messages(binary, root):
    """A text above what is analysed, and a message above what is read."""
    with Raw(binary, root) as server:
        server.begin()
        server.open("big.py", TRAINING + "# x\n" * (3 << 20))
        server.open("a.py")
        expect(len(server.shown()) == 1)
        size = 300 << 20
        server.send(b"Content-Length: %d\r\n\r\n" % size)
        for _ in range(size >> 20):
            server.send(b" " * (1 << 20))
        server.send(call(1, "no/such"))
        answer, before = server.until(1)
        expect(answer["error"]["code"] == UNKNOWN, answer)
        expect([m["error"]["code"] for m in before if "method" not in m] == [PARSE], before)
        server.finish()


def invalid_json(binary, root):
    for body, code in ((b"", PARSE), (b"{", PARSE), (b"nul", PARSE), (b"[" * 100_000, PARSE),
                       (b'{"a":' * 100_000, PARSE), (b"[]", INVALID), (b"5", INVALID),
                       (b'"x"', INVALID), (b"{}", INVALID), (b'{"jsonrpc":"1.0"}', INVALID),
                       (b'{"jsonrpc":"2.0","id":{},"method":"x"}', INVALID),
                       (b'{"jsonrpc":"2.0","id":null,"method":"x"}', INVALID),
                       (b'{"jsonrpc":"2.0","method":5}', INVALID),
                       (b'{"jsonrpc":"2.0","method":"x","params":5}', INVALID),
                       (b'\xef\xbb\xbf{"jsonrpc":"2.0"', PARSE), (b"\0\0", PARSE)):
        with Raw(binary, root) as server:
            server.begin()
            server.send(frame(body), call(1, "no/such"))
            _, before = server.until(1)
            told = [m["error"]["code"] for m in before if "method" not in m]
            expect(told == [code], body[:60], before)
            server.finish()
    with Raw(binary, root) as server:
        server.begin()
        server.send(frame(b'{"jsonrpc":"2.0","id":5,"method":"x","params":5}'))
        expect(server.until(5)[0]["error"]["code"] == PARAMS)
        server.finish()


def life_cycle(binary, root):
    with Raw(binary, root) as server:
        for number, method in enumerate(("textDocument/codeAction", "shutdown", "no/such"), 1):
            expect(server.error(number, method, {}) == NOT_INITIALIZED, method)
        server.open()
        server.begin()
        expect(server.error(4, "initialize", {"capabilities": {}}) == INVALID)
        expect(server.error(5, "no/such") == UNKNOWN)
        expect(server.error(6, "$/no/such") == UNKNOWN)
        server.send(call(None, "$/no/such", {}), call(None, "no/such", {}))
        server.send(call(7, "shutdown"))
        expect(server.until(7)[0]["result"] is None)
        for number, method in enumerate(("shutdown", "initialize", "textDocument/codeAction"), 8):
            expect(server.error(number, method, {}) == INVALID, method)
        server.open()
        server.send(call(None, "exit"))
        server.wait(0)
    with Raw(binary, root) as server:
        server.begin()
        server.send(call(None, "exit"))
        server.wait(1)
    with Raw(binary, root) as server:
        server.send(call(None, "exit"))
        server.wait(1)


WRONG_VALUES = (None, 5, -1, 1e300, "x", "", [], [5], {}, {"uri": 5}, True, "file:///%zz%00")


def wrong_parameters(binary, root):
    """Every method with every member of its parameters replaced: one answer each, and it lives."""
    uri = (root / "a.py").as_uri()
    document, place = {"uri": uri}, {"line": 4, "character": 9}
    span = {"start": place, "end": place}
    cell = {"uri": "cell:1", "languageId": "python", "version": 1, "text": TRAINING}
    requests = {
        "textDocument/codeAction": {"textDocument": document, "range": span,
                                    "context": {"diagnostics": [], "only": ["quickfix"]}},
        "codeAction/resolve": {"title": "x", "data": {"uri": uri}},
        "textDocument/diagnostic": {"textDocument": document, "previousResultId": "x"},
        "workspace/diagnostic": {"previousResultIds": [{"uri": uri, "value": "x"}]},
        "workspace/executeCommand": {"command": "torchleak.applyFixAll", "arguments": [uri]},
        "textDocument/hover": {"textDocument": document, "position": place},
    }
    notifications = {
        "textDocument/didChange": {"textDocument": {"uri": uri, "version": 2},
                                   "contentChanges": [{"range": span, "text": ""}]},
        "textDocument/didSave": {"textDocument": document},
        "notebookDocument/didOpen": {
            "notebookDocument": {"uri": uri + ".ipynb", "notebookType": "jupyter-notebook",
                                 "version": 1, "metadata": {},
                                 "cells": [{"kind": 2, "document": "cell:1"}]},
            "cellTextDocuments": [cell]},
        "notebookDocument/didChange": {
            "notebookDocument": {"uri": uri + ".ipynb", "version": 2},
            "change": {"metadata": {}, "cells": {
                "structure": {"array": {"start": 0, "deleteCount": 1, "cells": [
                    {"kind": 2, "document": "cell:1"}]}, "didOpen": [cell],
                    "didClose": [{"uri": "cell:1"}]},
                "data": [{"kind": 2, "document": "cell:1"}],
                "textContent": [{"document": {"uri": "cell:1", "version": 2},
                                 "changes": [{"range": span, "text": "x"}]}]}}},
        "notebookDocument/didSave": {"notebookDocument": {"uri": uri + ".ipynb"}},
        "workspace/didChangeWatchedFiles": {"changes": [{"uri": uri, "type": 1}]},
        "workspace/didChangeConfiguration": {"settings": {"torchleak": {
            "select": ["TLK1"], "debounce": 0, "configuration": "x.toml"}}},
        "workspace/didChangeWorkspaceFolders": {"event": {
            "added": [{"uri": uri, "name": "x"}], "removed": [{"uri": uri, "name": "x"}]}},
        "$/cancelRequest": {"id": 5}, "$/setTrace": {"value": "off"},
        "textDocument/didClose": {"textDocument": document},
        "notebookDocument/didClose": {"notebookDocument": {"uri": uri + ".ipynb"},
                                      "cellTextDocuments": []},
    }
    numbers = itertools.count(1)
    with Raw(binary, root) as server:
        server.begin(initializationOptions={"debounce": 0})
        sent = set()
        for method, params in {**notifications, **requests}.items():
            server.open()
            for wrong in variants(params):
                number = next(numbers) if method in requests else None
                sent.add(number)
                server.send(call(number, method, wrong))
            number = next(numbers)
            server.send(call(number, "no/such"))
            server.until(number)
        ids = [m["id"] for m in server.seen if "method" not in m]
        expect(len(ids) == len(set(map(str, ids))), "answered twice")
        missing = sent - set(ids) - {None}
        expect(not missing, "not answered", missing)
        server.finish()


def variants(value):
    """The value with one part of it replaced or left out, and as it is."""
    yield value
    for wrong in WRONG_VALUES:
        yield wrong if isinstance(wrong, (dict, list)) else {"x": wrong}
    yield from inner_variants(value)


def inner_variants(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(items):
        for wrong in WRONG_VALUES:
            changed = value.copy()
            changed[key] = wrong
            yield changed
        if isinstance(value, dict):
            yield {k: v for k, v in value.items() if k != key}
        if isinstance(part, (dict, list)):
            for inner in inner_variants(part):
                changed = value.copy()
                changed[key] = inner
                yield changed


def edits_out_of_range(binary, root):
    """Ranges and versions that make no sense: the text is still one, and its findings are right."""
    spans = [((0, 0), (0, 0)), ((9, 9), (0, 0)), ((0, 999), (1, 999)), ((99, 0), (99, 5)),
             ((2**31 - 1,) * 2, (2**32,) * 2), ((0, 2**63), (5, 1))]
    with Raw(binary, root) as server:
        server.begin(initializationOptions={"debounce": 0})
        server.open()
        for version, (start, end) in enumerate(spans, 2):
            place = lambda at: {"line": at[0], "character": at[1]}
            server.send(call(None, "textDocument/didChange", {
                "textDocument": {"uri": (root / "a.py").as_uri(), "version": version},
                "contentChanges": [{"range": {"start": place(start), "end": place(end)},
                                    "text": "😀\r"}]}))
        for version in (99, 50, 50, -3, 100):
            server.send(call(None, "textDocument/didChange", {
                "textDocument": {"uri": (root / "a.py").as_uri(), "version": version},
                "contentChanges": [{"text": TRAINING}]}))
        expect([d["range"]["start"] for d in server.shown(version=100)]
               == [{"line": 5, "character": 8}], server.seen[-1])
        server.finish()


def session(root):
    """Bytes of a session with requests in it, and the ids of these."""
    uri = (root / "a.py").as_uri()
    span = {"start": {"line": 5, "character": 9}, "end": {"line": 5, "character": 9}}
    messages = [
        call(1, "initialize", {"capabilities": {}, "rootUri": root.as_uri()}),
        call(None, "initialized", {}),
        call(None, "textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "python", "version": 1, "text": TRAINING}}),
        call("two", "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": span,
                                                "context": {"diagnostics": []}}),
        call(3, "workspace/diagnostic", {"previousResultIds": []}),
        call(4, "shutdown"), call(None, "exit")]
    return [frame(m) for m in messages], [m.get("id") for m in messages]


def ends_anywhere(binary, root):
    """Input that ends at any byte: requests that came in full are answered or the server is gone."""
    frames, ids = session(root)
    data = b"".join(frames)
    begins = list(itertools.accumulate(map(len, frames)))
    for size in range(0, len(data) + 1, 7):
        with Raw(binary, root) as server:
            server.send(data[:size])
            answered = answers(server.wait(0, 1))
            whole = {json.dumps(i) for i, end in zip(ids, begins) if i is not None and end <= size}
            expect(set(answered) - {"null"} <= whole, size, answered)
            # What needs no waiting is answered, even when nobody may read it any more.
            expect(whole - set(answered) <= {"3"}, size, whole, answered)
            expect(server.process.returncode == (0 if size == len(data) else 1), size)


def cancelled(binary, root):
    """A request that is cancelled is answered once; so are those around it."""
    for index in range(300):
        (root / f"m{index}.py").write_text(TRAINING)
    with Raw(binary, root) as server:
        server.send(call(0, "initialize", {"capabilities": {}, "rootUri": root.as_uri()}),
                    call(None, "initialized", {}))
        for number in range(1, 40):
            server.send(call(number, "workspace/diagnostic", {"previousResultIds": []}))
        for number in range(1, 40, 2):
            server.send(call(None, "$/cancelRequest", {"id": number}))
            server.send(call(None, "$/cancelRequest", {"id": number}))
        server.send(call(None, "$/cancelRequest", {"id": "no such"}), call(None, "$/cancelRequest"))
        for number in range(2, 40, 2):
            if number not in [m.get("id") for m in server.seen if "method" not in m]:
                server.until(number)
        server.send(call(90, "no/such"))
        server.until(90)
        found = {}
        for message in server.seen:
            if "method" not in message:
                expect(message["id"] not in found, message["id"], "was answered twice")
                found[message["id"]] = message
        expect(set(found) == {0, 90, *range(1, 40)}, sorted(found))
        for number in range(1, 40, 2):
            expect(found[number]["error"]["code"] == CANCELLED, found[number])
        for number in range(2, 40, 2):
            expect(len(found[number]["result"]["items"]) == 300)
        server.finish()


def reader_is_gone(binary, root):
    """Nobody reads any more: the server ends, and not by a signal."""
    with Raw(binary, root) as server:
        server.begin()
        server.process.stdout.close()
        try:
            for version in range(1, 1000):
                server.open(version=version)
                time.sleep(0.001)
        except BrokenPipeError:
            pass
        expect(server.process.wait(LONG) == 1, server.process.returncode)
        server.process.stdout = open(os.devnull, "rb")


def client_is_killed(binary, root):
    """The server ends after its client, also when somebody else holds the pipe open."""
    for keeps_pipe in (False, True):
        client = subprocess.Popen(["sleep", "600"])
        with Raw(binary, root) as server:
            server.begin(processId=client.pid)
            server.open()
            server.shown()
            client.send_signal(signal.SIGKILL)
            client.wait()
            if not keeps_pipe:
                server.process.stdin.close()
            expect(server.process.wait(LONG) == 1, server.process.returncode)


CASES = [malformed_headers, strange_headers, wrong_lengths, huge_messages, invalid_json, life_cycle,
         wrong_parameters, edits_out_of_range, ends_anywhere, cancelled, reader_is_gone,
         client_is_killed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("binary", type=program)
    parser.add_argument("case", nargs="*", help="only these")
    args = parser.parse_args()
    unknown = set(args.case) - {case.__name__ for case in CASES}
    if unknown:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    failed = 0
    for case in CASES:
        if args.case and case.__name__ not in args.case:
            continue
        with tempfile.TemporaryDirectory(prefix="torchleak-hostile-") as folder:
            try:
                case(args.binary, Path(folder).resolve())
                print(f"ok      {case.__name__}", flush=True)
            except (Wrong, OSError, ValueError, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f"FAILED  {case.__name__}: {problem!r}"[:3000], flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
