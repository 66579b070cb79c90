"""What the command line finds, as the diagnostics that a server should have published."""

import json
import subprocess

from documents import Lines

SEVERITIES = {"error": 1, "warning": 2, "note": 3}


class Places:
    """Files of the project by their path: where they are for the client."""

    def __init__(self, folder, root, encoding):
        self.folder, self.root, self.encoding = folder, root, encoding
        self.documents, self.notebooks, self._lines = {}, {}, {}

    def location(self, place, begin, end):
        name = str(place["filename"])
        path = name.removeprefix(f"{self.folder}/")
        if path in self.notebooks:
            document = self.notebooks[path].cells[place["cell"] - 1][1]
            uri, text = document.uri, document.text
        elif path in self.documents:
            uri, text = self.documents[path].uri, self.documents[path].text
        else:
            uri = (self.root / path).as_uri()
            text = (self.folder / path).read_bytes().decode()
        if uri not in self._lines:
            self._lines[uri] = Lines(text, self.encoding)
        at = lambda where: self._lines[uri].position_at(where["row"], where["column"])
        return uri, {"start": at(begin), "end": at(end)}


def check(binary, folder):
    """The findings of a process that knows nothing of earlier ones."""
    command = [binary, "check", "--no-cache", "--output-format", "json", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: exit status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def diagnostics(findings, places):
    """By URI: sorted texts, each of them one diagnostic with all that is compared."""
    found = {}
    for finding in findings:
        place = lambda of: places.location(of, of["location"], of["end_location"])
        uri, span = place(finding)
        steps = [(*place(step), step["message"]) for step in finding.get("flow") or []]
        found.setdefault(uri, []).append(line(finding["code"], span, SEVERITIES[finding["severity"]],
                                              finding["message"], steps))
    return {uri: sorted(lines) for uri, lines in found.items()}


def published(said):
    """The same of what a server said."""
    return sorted(line(d.get("code"), d["range"], d.get("severity"), d["message"],
                       [(r["location"]["uri"], r["location"]["range"], r["message"])
                        for r in d.get("relatedInformation") or []])
                  for d in said)


def line(code, span, severity, message, steps):
    text = f"{shown(span)} {code} severity {severity}: {message}"
    return text + "".join(f"\n    {uri.rsplit('/', 1)[-1]} {shown(where)} {what}"
                          for uri, where, what in steps)


def shown(span):
    start, end = span["start"], span["end"]
    return f"{start['line']}:{start['character']}-{end['line']}:{end['character']}"
