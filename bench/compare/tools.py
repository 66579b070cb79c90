"""The tools: how each is installed and run, and which of its rules are about the patterns measured.

A finding is Finding(line, end, code, steps): lines from 1; steps are further lines that the tool gives as
the way to the finding. Every tool is run in the folder to check, and answers {relative path: [Finding]}.
"""
import collections
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
Finding = collections.namedtuple("Finding", "line end code steps")

# What keeps memory. A peer's rule about any of it counts as having found any of it.
MEMORY = frozenset(
    "accumulated-tensor gpu-accumulation tensor-on-module hook-not-removed hook-keeps-output retained-graph "
    "hidden-state-not-detached buffer-update-with-grad list-never-cleared cached-tensor logged-tensor "
    "checkpoint-on-gpu ctx-attribute create-graph-backward target-update-with-grad".split())

# code: (patterns that it counts as finding, patterns for which it is blamed at look-alikes).
PEER_RULES = {
    "torch-preflight": {
        "TG001": (MEMORY, {"accumulated-tensor", "gpu-accumulation", "tensor-on-module", "hook-keeps-output",
                           "hidden-state-not-detached"}),
        "TG002": ({"eval-with-grad"}, {"eval-with-grad"}),
        "TG003": ({"missing-zero-grad"}, {"missing-zero-grad"}),
    },
    "dslinter": {
        "W5517": ({"missing-zero-grad"}, {"missing-zero-grad"}),
        "W5506": (MEMORY, set()),
    },
    "mlpylint": {
        "CSA20": ({"missing-zero-grad"}, {"missing-zero-grad"}),
        "CSA12": (MEMORY, set()),
    },
    "hotpath": {
        "KP012": ({"eval-with-grad"}, {"eval-with-grad"}),
        "KP011": ({"empty-cache-in-loop"}, {"empty-cache-in-loop"}),
    },
    "ruff": {"B019": ({"cached-tensor"}, {"cached-tensor"})},
    "TorchFix": {},
}
WHOLE_FILE = {"KP012"}  # reported for a file, always on its first line

TOOLS = ("torchleak", "torch-preflight", "dslinter", "mlpylint", "hotpath", "ruff", "TorchFix")
PACKAGES = {"torch-preflight": "torch-preflight", "dslinter": "dslinter", "mlpylint": "mlpylint",
            "hotpath": "hotpath-ai", "ruff": "ruff", "TorchFix": "torchfix"}


class Bench:
    """The installed peers, below `folder`, and the torchleak to compare."""

    def __init__(self, folder, torchleak):
        self.folder = pathlib.Path(folder).resolve()
        self.torchleak = str(pathlib.Path(torchleak).resolve())
        self.peers = self.folder / "peers"
        self.dslinter = self.folder / "dslinter"

    def install(self):
        names = ("requirements.txt", "requirements-mlpylint.txt", "requirements-dslinter.txt")
        texts = [(HERE / name).read_bytes() for name in names]
        stamp, key = self.folder / "installed", hashlib.sha256(b"".join(texts)).hexdigest()
        if stamp.exists() and stamp.read_text() == key:
            return
        stamp.unlink(missing_ok=True)
        for venv in (self.peers, self.dslinter):
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True)
        pip = ["-m", "pip", "install", "-q", "--disable-pip-version-check"]
        for venv, name, more in ((self.peers, names[0], []), (self.peers, names[1], ["--no-deps"]),
                                 (self.dslinter, names[2], ["--no-deps"])):
            done = subprocess.run([str(venv / "bin/python"), *pip, *more, "-r", str(HERE / name)],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"cannot install {name}:\n{done.stderr}")
        stamp.write_text(key)

    def program(self, name):
        """The path of a peer's program."""
        return str((self.dslinter if name == "pylint" else self.peers) / "bin" / name)

    @functools.lru_cache(maxsize=None)
    def output(self, *command):
        """What a command prints that gives the same each time, such as its help."""
        return self.run(command, self.folder).stdout

    def run(self, command, cwd, **kwargs):
        """Runs with no settings of this machine's; gives the finished process."""
        env = {**os.environ, "HOME": str(self.folder), "NO_COLOR": "1", "COLUMNS": "400",
               "PYTHONDONTWRITEBYTECODE": "1", "TORCHLEAK_CACHE_DIR": str(self.folder / "cache"),
               **kwargs.pop("env", {})}
        return subprocess.run(command, cwd=cwd, env=env, text=True, capture_output=True, timeout=600, **kwargs)

    def command(self, tool, one_thread=False, files=(), dslinter_rules=None):
        """The check of the current folder, all of the tool's rules on. `files` is for dslinter: its
        pylint does not search folders."""
        one = one_thread
        return {
            "torchleak": [self.torchleak, "check", ".", "--no-cache", "--isolated", "--output-format", "json"]
                         + ["-j1"] * one,
            "torch-preflight": [self.program("torch-preflight"), "check", ".", "-f", "json"] + ["-j1"] * one,
            "dslinter": [self.program("pylint"), "--rcfile=/dev/null", "--load-plugins=dslinter",
                         "--disable=all", "--enable=" + ",".join(dslinter_rules or self.dslinter_rules),
                         "--persistent=n",
                         "-f", "json", "-j1" if one else "-j0", *files],
            "mlpylint": [self.program("mlpylint"), "-a", "."],
            "hotpath": [self.program("hotpath"), "analyze", ".", "--format", "json", "--include-heuristics"],
            # RAYON_NUM_THREADS: ruff has no option for threads.
            "ruff": ["env"] + ["RAYON_NUM_THREADS=1"] * one + [self.program("ruff"), "check", ".", "--isolated", "--no-cache", "--select", "ALL",
                     "--output-format", "json"],
            "TorchFix": [self.program("flake8"), ".", "--isolated", "--select", "TOR"] + ["-j1"] * one,
        }[tool]

    def check(self, tool, folder):
        folder = pathlib.Path(folder).resolve()
        files = sorted(str(f.relative_to(folder)) for f in folder.rglob("*.py"))
        found = collections.defaultdict(list)
        # Of dslinter the rules that count: others ask mypy for the types of each file, for a second.
        command = self.command(tool, True, files, dslinter_rules=PEER_RULES["dslinter"])
        done = self.run(command, folder)
        try:
            for name, finding in PARSERS[tool](done.stdout):
                found[str((folder / name).resolve().relative_to(folder))].append(finding)
        except (ValueError, KeyError) as error:
            tail = done.stdout[-800:] + done.stderr[-800:]
            raise SystemExit(f"{tool}: unexpected output ({error}):\n{tail}") from error
        return found

    def rules(self, tool):
        """The codes of the tool's own list."""
        if tool == "torchleak":
            text, pattern = self.output(self.torchleak, "rule", "--all"), r"TLK\d{3}"
        elif tool == "torch-preflight":
            text, pattern = self.output(self.program(tool), "rules"), r"TG\d{3}"
        elif tool == "dslinter":
            return self.dslinter_rules
        elif tool == "mlpylint":
            text, pattern = self.output(self.program(tool), "-ls"), r"CSA?\d+"
        elif tool == "ruff":
            listed = json.loads(self.output(self.program(tool), "rule", "--all", "--output-format", "json"))
            return sorted({rule["code"] or rule["name"] for rule in listed})
        elif tool == "hotpath":  # has no list: the codes in its source
            source = next(self.peers.glob("lib/python*/site-packages/hotpath/rules.py"))
            text, pattern = source.read_text(), r"KP\d{3}"
        else:
            text, pattern = self.output(self.program("torchfix"), "--help"), r"TOR\d{3}"
        return sorted(set(re.findall(pattern, text)))

    @functools.cached_property
    def dslinter_rules(self):
        listed = self.output(self.program("pylint"), "--rcfile=/dev/null", "--load-plugins=dslinter",
                             "--list-msgs")
        return sorted(set(re.findall(r"\(([CERW]55\d\d)\)", listed)))

    @property
    def dslinter_torch_rules(self):
        listed = self.output(self.program("pylint"), "--rcfile=/dev/null", "--load-plugins=dslinter",
                             "--list-msgs")
        return re.findall(r"^:[\w-]*pytorch \(([CERW]55\d\d)\)", listed, re.M)

    def versions(self):
        got = {}
        for tool, package in PACKAGES.items():
            venv = self.dslinter if tool == "dslinter" else self.peers
            done = self.run([str(venv / "bin/python"), "-c", "import importlib.metadata as m, sys;"
                             "print(m.version(sys.argv[1]))", package], self.folder)
            got[tool] = done.stdout.strip()
        return got


def parse_torchleak(text):
    for item in json.loads(text):
        same = [s["location"]["row"] for s in item.get("flow") or [] if s["filename"] == item["filename"]]
        yield item["filename"], Finding(item["location"]["row"], item["end_location"]["row"], item["name"], same)


def parse_preflight(text):
    for item in json.loads(text)["diagnostics"]:
        yield item["path"], Finding(item["line"], item["end_line"] or item["line"], item["code"], ())


def parse_pylint(text):
    for item in json.loads(text or "[]"):
        yield item["path"], Finding(item["line"], item["line"], item["message-id"], ())


def parse_mlpylint(text):
    for name, line, code in re.findall(r"^(.+?):(\d+):\d+: \[(CSA?\d+)\]", text, re.M):
        yield name, Finding(int(line), int(line), code, ())


def parse_hotpath(text):
    for entry in json.loads(text)["files"]:
        for item in entry["findings"]:
            yield entry["path"], Finding(item["line"], item["line"], item["rule_id"], ())


def parse_ruff(text):
    for item in json.loads(text):
        yield item["filename"], Finding(item["location"]["row"], item["end_location"]["row"], item["code"], ())


def parse_flake8(text):
    for name, line, code in re.findall(r"^(.+?):(\d+):\d+: ([A-Z]+\d+)", text, re.M):
        yield name, Finding(int(line), int(line), code, ())


PARSERS = {"torchleak": parse_torchleak, "torch-preflight": parse_preflight, "dslinter": parse_pylint,
           "mlpylint": parse_mlpylint, "hotpath": parse_hotpath, "ruff": parse_ruff, "TorchFix": parse_flake8}
