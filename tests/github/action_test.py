"""action_test.py TORCHLEAK: what action.yml does with its inputs, step by step as a runner does it."""

import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote

import places
from runner import CHECKOUT, Runner

TORCHLEAK = str(Path(sys.argv[1]).resolve())
failures = []


def check(condition, what, log=""):
    if not condition:
        failures.append(what)
        print(f"FAIL: {what}\n{log}")


class Try:
    """One use of the action in a folder of its own."""

    count = 0

    def __init__(self, top, files, **inputs):
        Try.count += 1
        self.folder = Path(top) / f"work {Try.count}"  # with a space: so are folders of runners at times
        places.write(self.folder, files)
        self.before = set(self.files())
        self.uploads = []
        self.runner = Runner(self.folder, Path(top) / f"temp {Try.count}",
                             others={"github/codeql-action/upload-sarif": self.upload},
                             variables=inputs.pop("variables", None))
        inputs = {name.replace("_", "-"): text for name, text in inputs.items()}
        inputs.setdefault("version", "installed")
        self.outputs, self.failed = self.runner.action(inputs)
        self.log, self.summary = self.runner.log, self.runner.summary
        self.status = self.outputs["exit-code"]

    def upload(self, given):
        self.uploads.append((given["category"], json.loads(Path(given["sarif_file"]).read_text())))

    def files(self):
        return [str(path.relative_to(self.folder)) for path in self.folder.rglob("*")]

    def new_files(self):
        return set(self.files()) - self.before

    def report(self):
        return json.loads(Path(self.outputs["sarif-file"]).read_text())

    def paths(self):
        return {unquote(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
                for r in self.report()["runs"][0]["results"]}


def findings(top):
    run = Try(top, {"train.py": places.LEAK})
    check(run.failed and run.status == "1", "findings fail the step", run.log)
    check("::error file=train.py,line=8," in run.log, "findings are annotations", run.log)
    check(int(run.outputs["findings"]) == len(run.report()["runs"][0]["results"]) > 0, "the count", run.log)
    check("| 1 | error | [TLK101](" in run.summary, "the summary has a table", run.summary)
    check(not run.new_files(), f"nothing is left in the checkout: {run.new_files()}")
    check(not run.uploads, "nothing is uploaded unless asked")

    run = Try(top, {"train.py": places.CLEAN}, upload="true")
    check(not run.failed and run.status == "0" and run.outputs["findings"] == "0", "clean", run.log)
    check("Nothing to report." in run.summary, "the summary says so", run.summary)
    check(len(run.uploads) == 1, "an empty report is uploaded: it closes alerts", run.log)


def uploads(top):
    run = Try(top, {"train.py": places.LEAK}, upload="true", category="lib", sarif_file="out/a b.sarif")
    check(run.failed and len(run.uploads) == 1, "findings are uploaded, and fail", run.log)
    category, log = run.uploads[0]
    check(category == "lib" and log["runs"][0]["automationDetails"]["id"] == "lib/", "the category", run.log)
    check(run.outputs["sarif-file"] == str(run.folder / "out/a b.sarif"), "the file", run.log)
    check(run.new_files() == {"out", "out/a b.sarif"}, f"the report only: {run.new_files()}")

    run = Try(top, {"train.py": places.LEAK, "bad.py": "\xff"}, src="train.py no-such-folder", upload="true")
    check(run.failed and run.status == "2" and not run.uploads, "a run that misses files is not uploaded",
          run.log)
    stale = {"train.py": places.CLEAN, "old.sarif": "{}"}
    run = Try(top, stale, args="--no-such-option", upload="true", sarif_file="old.sarif")
    check(run.status == "2" and run.outputs["sarif-file"] == "" and not run.uploads,
          "the report of an earlier run is not taken for this one's", run.log)


def arguments(top):
    files = {"src/a.py": places.LEAK, "my models/b.py": places.LEAK, "it's/c.py": places.LEAK,
             "other/d.py": places.LEAK, "@list/e.py": places.LEAK, "-x/f.py": places.LEAK}
    for src, want in [("src 'my models'", {"src/a.py", "my models/b.py"}),
                      ("\"it's\"\n\n  other\n", {"it's/c.py", "other/d.py"}),
                      ("@list -x", {"@list/e.py", "-x/f.py"}), ("src/a.py", {"src/a.py"})]:
        run = Try(top, files, src=src)
        check(run.status == "1" and run.paths() == want, f"src {src!r}: {run.outputs}", run.log)
    run = Try(top, files, src="")
    check(len(run.paths()) == 6, "no src: everything", run.log)

    run = Try(top, files, args="--extend-exclude 'my models,other' --select \"TLK201\"")
    check(run.status == "0", "args with spaces and quotes", run.log)
    run = Try(top, files, args="--exit-zero\n--no-cache")
    check(not run.failed and run.outputs["findings"] == "12", "--exit-zero, over two lines", run.log)
    run = Try(top, files, args="--output-format json-lines:found.jsonl", src="src")
    check("found.jsonl" in run.new_files(), "one more format", run.log)
    run = Try(top, {"a.py": places.LEAK}, annotations="false")
    check("::error" not in run.log and "losses.append" in run.log and "::stop-commands::" in run.log,
          "without annotations: the code and the path", run.log)


def mistakes(top):
    for inputs, told in [({"args": "'open"}, "`args` cannot be split"), ({"src": '"'}, "`src` cannot be"),
                         ({"upload": "yes"}, "`upload` is `yes`"), ({"annotations": "1"}, "`annotations`"),
                         ({"version": "--index-url x"}, "`version` is"), ({"version": "no/such/path"}, "`version`"),
                         ({"sarif_file": "a\nb"}, "line break"), ({"args": "--output-format full"}, "two reports")]:
        run = Try(top, {"a.py": places.CLEAN}, **inputs)
        check(run.failed and run.status == "2" and told in run.log, f"{inputs}: {run.outputs}", run.log)
        check(not run.uploads, f"{inputs}: nothing is uploaded")
    run = Try(top, {"a.py": places.CLEAN}, variables={"PATH": "/usr/bin:/bin"})
    check(run.status == "2" and "no torchleak on PATH" in run.log, "installed, but it is not", run.log)
    nowhere = Path(top) / "no programs"
    nowhere.mkdir()
    os.symlink("/bin/bash", nowhere / "bash")
    run = Try(top, {"a.py": places.CLEAN}, variables={"PATH": str(nowhere)})
    check(run.failed and "actions/setup-python" in run.log, "no Python", run.log)


def hostile(top):
    """What could come from a pull request: none of it may run, nor speak to the runner."""
    for evil in ['"; touch pwned; "', "'; touch pwned; '", "$(touch pwned)`touch pwned`\ntouch pwned",
                 "${{ github.token }}::error::y"]:
        for name in ("args", "src", "version", "sarif_file", "category", "annotations", "upload"):
            run = Try(top, {"a.py": places.CLEAN}, **{name: evil})
            check(not any("pwned" in Path(f).name and "touch" not in f for f in run.files()),
                  f"{name} = {evil!r} is run", run.log)
            if name not in ("category", "sarif_file"):
                check(run.failed, f"{name} = {evil!r} is taken", run.log)
    # Modules of the checkout that are called like Python's own.
    trap = "open('pwned', 'w')\n"
    run = Try(top, {f"{name}.py": trap for name in ("json", "shlex", "venv", "pip", "sitecustomize")})
    check("pwned" not in run.files(), "the checkout's modules are imported", run.log)
    code = places.LEAK.replace("losses = []", "losses = []  # ##[add-mask]x\n# ::error::y")
    run = Try(top, {"a\n::error::z.py": places.LEAK, "b.py": code}, args="--ignore TLK999 --exit-zero")
    for line in run.log.splitlines():
        check(not line.startswith(("::error::", "::add-mask")) or "TLK999" in line, f"spoken: {line}")


def versions(top):
    links = Path(top) / "links"
    path = places.wheel(links, TORCHLEAK)
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    trap = {f"{name}.py": "open('pwned', 'w')\n" for name in ("venv", "pip", "ensurepip")}
    for version in ("", str(path)):
        run = Try(top, {"a.py": places.LEAK, **trap}, version=version, variables=index)
        check(run.status == "1" and run.outputs["findings"] == "2", f"version {version!r}", run.log)
        check("pwned" not in run.files(), "the checkout's modules are imported by pip", run.log)
    run = Try(top, {"a.py": places.LEAK}, version="v99.0", upload="true", variables=index)
    check(run.status == "2" and "torchleak==99.0 could not be installed" in run.log and not run.uploads,
          "a version that is not there", run.log)


def requirements(_top):
    """What pip is asked for."""
    module = importlib.util.spec_from_file_location("run", CHECKOUT / ".github/action/run.py")
    action = importlib.util.module_from_spec(module)
    module.loader.exec_module(action)
    for version, want in {"": f"torchleak=={places.VERSION}", "latest": "torchleak", "1.2": "torchleak==1.2",
                          "v1.2.3rc1": "torchleak==1.2.3rc1", ">=1.2, <2": "torchleak>=1.2,<2",
                          "~=1.2": "torchleak~=1.2", "==1.*": "torchleak==1.*", ".": os.getcwd()}.items():
        check(action.requirement(version) == want, f"{version!r}: {action.requirement(version)}")
    for version in ("-r x", "--pre", ">=1 --pre", "1.2 other", "1; x", "@ file:x", "==1,", "torchleak==1", "[x]"):
        try:
            check(False, f"{version!r} is taken: {action.requirement(version)}")
        except action.Wrong:
            pass


def main():
    with tempfile.TemporaryDirectory(prefix="torchleak-github-") as top:
        os.environ["PATH"] = f"{places.commands(Path(top) / 'bin', TORCHLEAK)}:{os.environ['PATH']}"
        os.environ["HOME"] = top
        for part in (findings, uploads, arguments, mistakes, hostile, versions, requirements):
            part(top)
    print(f"action.yml: {Try.count} uses, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
