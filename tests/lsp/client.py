"""A client of a language server on stdio, made of the standard library.

    with Client([binary, "server"], root) as client:
        client.open(uri, "python", 1, text)
        client.request("textDocument/codeAction", {...})
        client.published[uri]      # the last publishDiagnostics for it

One thread reads. Requests of the server are answered at once, so that it never waits for us.
"""

import argparse
import itertools
import json
import subprocess
import threading
import time
from pathlib import Path


def program(path):
    """An argument that names the server's binary."""
    found = Path(path).resolve()
    if not found.is_file():
        raise argparse.ArgumentTypeError(f"{path}: there is no such program; build it first")
    return str(found)


class ServerError(Exception):
    """What the server did wrong, or that it is gone."""


class ResponseError(ServerError):
    def __init__(self, method, error):
        super().__init__(f"{method}: {error.get('code')}: {error.get('message')}")
        self.code = error.get("code")


class Published:
    """One publishDiagnostics: what it said, and when it had come in."""

    def __init__(self, params, at):
        self.version = params.get("version")
        self.diagnostics = params["diagnostics"]
        self.at = at


class Client:
    def __init__(self, command, root, settings=None, encodings=("utf-16",), transcript=None):
        self.root, self.settings = Path(root), settings or {}
        self.published, self.publish_count = {}, 0
        self.messages = []  # texts of window/logMessage and window/showMessage
        self.stderr = []
        self.refused = 0  # answers with an error
        self.encodings = list(encodings)
        self.capabilities, self.encoding = {}, "utf-16"
        self._ids = itertools.count(1)
        self._methods, self._answers, self._stray = {}, {}, []
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._ended = False
        self._transcript = open(transcript, "w", encoding="utf-8") if transcript else None
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=root)
        for target in (self._read_all, self._read_stderr):
            threading.Thread(target=target, daemon=True).start()

    # Life cycle.

    def __enter__(self):
        self.initialize()
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.shutdown()
        finally:
            self.process.kill()
            self.process.wait()
            if self._transcript:
                self._transcript.close()

    def initialize(self):
        text = {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True,
                                       "codeDescriptionSupport": True, "dataSupport": True},
                "codeAction": {"codeActionLiteralSupport": {
                    "codeActionKind": {"valueSet": ["quickfix", "source", "source.fixAll"]}}},
                "hover": {"contentFormat": ["markdown", "plaintext"]}}
        result = self.request("initialize", {
            "processId": None,
            "rootUri": self.root.as_uri(),
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
            "capabilities": {"general": {"positionEncodings": self.encodings},
                             "workspace": {"configuration": True, "workspaceFolders": True},
                             "textDocument": text,
                             "notebookDocument": {"synchronization": {}}},
            "initializationOptions": {"settings": self.settings},
        })
        self.capabilities = result["capabilities"]
        self.encoding = self.capabilities.get("positionEncoding", "utf-16")
        self.notify("initialized", {})

    def shutdown(self, timeout=60):
        """Asks it to end, and makes sure that it has, with status 0."""
        self.request("shutdown", None, timeout)
        self.notify("exit", None)
        self.process.stdin.close()
        if self.process.wait(timeout) != 0:
            raise ServerError(f"exit status {self.process.returncode}\n{self.complaints()}")

    def complaints(self):
        return "\n".join((self.stderr + self.messages)[-20:])

    def memory_kb(self):
        """What the server has in memory (Linux), or 0."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return 0
        return next((int(line.split()[1]) for line in status.splitlines()
                     if line.startswith("VmRSS:")), 0)

    # Messages.

    def notify(self, method, params):
        """Sends; gives the time just before."""
        message = {"jsonrpc": "2.0", "method": method}
        return self._write(message if params is None else {**message, "params": params})

    def send_request(self, method, params):
        """Sends; wait(id) gives the answer."""
        number = next(self._ids)
        with self._changed:
            self._methods[number] = method
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self._write(message if params is None else {**message, "params": params})
        return number

    def wait(self, number, timeout=120):
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._answers or self._ended, timeout):
                raise ServerError(f"no answer to {self._methods[number]} within {timeout} s\n"
                                  + self.complaints())
            if number not in self._answers:
                raise ServerError(f"ended instead of answering {self._methods[number]}\n"
                                  + self.complaints())
            answer = self._answers.pop(number)
            method = self._methods.pop(number)
        if "error" in answer:
            raise ResponseError(method, answer["error"])
        return answer.get("result")

    def request(self, method, params, timeout=120):
        return self.wait(self.send_request(method, params), timeout)

    def cancel(self, number):
        self.notify("$/cancelRequest", {"id": number})

    def unanswered(self, timeout=60):
        """The requests that are not answered after this time; those sent without wait() count."""
        with self._changed:
            done = lambda: all(n in self._answers for n in self._methods) or self._ended
            self._changed.wait_for(done, timeout)
            return {n: m for n, m in self._methods.items() if n not in self._answers}

    def stray_answers(self):
        """Answers to no request, or second ones."""
        with self._changed:
            return list(self._stray)

    def wait_published(self, uri, version, timeout=120):
        """The publication for this version of the document."""
        def there():
            last = self.published.get(uri)
            return (last is not None and last.version == version) or self._ended
        with self._changed:
            if not self._changed.wait_for(there, timeout) or self._ended:
                raise ServerError(f"no diagnostics for version {version} of {uri}\n"
                                  + self.complaints())
            return self.published[uri]

    # Documents.

    def open(self, uri, language, version, text):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": language, "version": version, "text": text}})

    def change(self, uri, version, changes):
        return self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": changes})

    # Inside.

    def _write(self, message):
        body = json.dumps(message).encode()
        frame = b"Content-Length: %d\r\n\r\n" % len(body) + body
        with self._writing:
            if self._transcript:
                self._transcript.write(body.decode() + "\n")
                self._transcript.flush()
            at = time.perf_counter()
            try:
                self.process.stdin.write(frame)
                self.process.stdin.flush()
            except OSError as error:
                raise ServerError(f"gone: {error}\n{self.complaints()}") from error
        return at

    def _read_stderr(self):
        for line in self.process.stderr:
            self.stderr.append(line.decode(errors="replace").rstrip())

    def _read_all(self):
        stream = self.process.stdout
        try:
            while True:
                length = 0
                while (line := stream.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                if not line:
                    break
                body = stream.read(length)
                self._take(json.loads(body), time.perf_counter())
        except ValueError as error:
            self.stderr.append(f"what the server wrote cannot be read: {error}")
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, message, at):
        method, number = message.get("method"), message.get("id")
        if method and number is not None:
            self._answer(number, method, message.get("params") or {})
            return
        with self._changed:
            if method == "textDocument/publishDiagnostics":
                self.published[message["params"]["uri"]] = Published(message["params"], at)
                self.publish_count += 1
            elif method in ("window/logMessage", "window/showMessage"):
                self.messages.append(message["params"]["message"])
            elif method is None:
                if number in self._methods and number not in self._answers:
                    self._answers[number] = message
                    self.refused += "error" in message
                else:
                    self._stray.append(message)
            self._changed.notify_all()

    def _answer(self, number, method, params):
        result = None
        if method == "workspace/configuration":
            result = [self.settings] * len(params.get("items", []))
        elif method == "workspace/applyEdit":
            result = {"applied": False}
        try:
            self._write({"jsonrpc": "2.0", "id": number, "result": result})
        except ServerError:
            pass
