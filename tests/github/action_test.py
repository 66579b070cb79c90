"""action_test.py TORCHLEAK: what action.yml does with its inputs, step by step as a runner does it."""

import importlib.util
import json
import os
import re
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
        for name, target in inputs.pop("links", {}).items():
            os.symlink(target, self.folder / name)
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
    check("| 1 | error | [TLK101 accumulated-tensor](" in run.summary, "the summary has a table", run.summary)
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
    stale = {"train.py": places.CLEAN, "old.sarif": '{"runs": []}'}
    run = Try(top, stale, args="--no-such-option", upload="true", sarif_file="old.sarif")
    check(run.status == "2" and run.outputs["sarif-file"] == "" and not run.uploads,
          "the report of an earlier run is not taken for this one's", run.log)
    run = Try(top, stale, upload="true", sarif_file="old.sarif")
    check(run.status == "0" and len(run.uploads) == 1 and not run.new_files(), "it is replaced", run.log)
    utf16 = {"train.py": places.LEAK, "models/a b.py": "x = 1\n".encode("utf-16"), "c.py": "x\n".encode("utf-16")}
    run = Try(top, utf16, upload="true")
    check(run.status == "1" and len(run.uploads) == 1, "a file of a folder that is not read: a warning", run.log)
    for name in ("models/a b.py", "c.py"):
        check(f"- `{name}`: Is UTF-16" in run.summary, f"the summary names {name}", run.summary)


def report_places(top):
    """Where no report may go: nothing is lost there, and it is said."""
    files = {"leak.py": places.LEAK, "package.json": "{}", "folder/a.py": "", "cut.sarif": '{"runs": ['}
    outside = Path(top) / "outside"
    outside.mkdir()
    (outside / "kept.sarif").write_text('{"runs": []}')
    fifo = Path(top) / "fifo"  # not a device: where the action is wrong, a test run by root would remove it
    os.mkfifo(fifo)
    for name, told in [("leak.py", "no SARIF report"), ("package.json", "no SARIF report"),
                       ("cut.sarif", "no SARIF report"), ("folder", "a folder"), (".", "a folder"),
                       ("leak.py/x.sarif", "no file can be written"), ("/proc/x.sarif", "no file can be written"),
                       ("/proc/x/y.sarif", "no file can be written"), (str(fifo), "no SARIF report"),
                       ("link.sarif", "a link"), ("dangling.sarif", "a link"), ("away/x.sarif", "a link"),
                       ("away/deep/x.sarif", "a link"), ("away/kept.sarif", "a link")]:
        run = Try(top, files, sarif_file=name, upload="true", links={
            "link.sarif": outside / "kept.sarif", "dangling.sarif": outside / "new.sarif", "away": outside})
        check(run.failed and run.status == "2" and not run.uploads, f"{name} is taken: {run.outputs}", run.log)
        check(f"`sarif-file` is `{name}`" in run.log and told in run.log, f"{name}: what is said", run.log)
        check(all((run.folder / f).read_text() == text for f, text in files.items()), f"{name}: a file is lost")
        check(not run.new_files() and os.listdir(outside) == ["kept.sarif"] and fifo.is_fifo(), f"{name}: a new file")
    run = Try(top, files, sarif_file="inside/x.sarif", links={"inside": "folder"})
    check(run.status == "1" and (run.folder / "folder/x.sarif").is_file(), "a link that stays inside", run.log)


def broken_reports(top):
    whole = Try(top, {"train.py": places.LEAK})
    text = Path(whole.outputs["sarif-file"]).read_bytes()
    nameless = json.loads(text)
    del nameless["runs"][0]["automationDetails"]
    for number, report in enumerate([b"", text[:len(text) // 2], b"\xff\xfe{", b"[]", b'{"runs": 3}', b"null",
                                     b"[" * 100_000, json.dumps(nameless).encode()]):
        path = places.pretender(Path(top) / f"broken {number}", report, number % 2)
        run = Try(top, {"a.py": places.CLEAN}, upload="true", sarif_file="x.sarif",
                  variables={"PATH": f"{path}:{os.environ['PATH']}"})
        check(run.failed and run.status == "2" and not run.uploads, f"broken: {report[:20]}", run.log)
        check(run.log.startswith("::error title=torchleak::the report of torchleak is broken")
              and run.log.count("\n") == 1 and not run.new_files(), f"one line: {report[:20]}", run.log)
    for args in ("--help", "--show-files", "--diff"):
        run = Try(top, {"a.py": places.CLEAN}, upload="true", args=args)
        check(run.failed and run.status == "2" and not run.uploads, f"{args}: {run.outputs}", run.log)
        check(f"no report was written: args `{args}`" in run.log, f"{args}: what is said", run.log)
    path = places.pretender(Path(top) / "killed", None, 137)
    run = Try(top, {"a.py": places.CLEAN}, upload="true", variables={"PATH": f"{path}:{os.environ['PATH']}"})
    check(run.failed and run.status == "137" and not run.uploads, "its own status is kept", run.log)


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
                         ({"sarif_file": "a\nb"}, "line break"),
                         ({"category": "a\nb"}, "`category` holds a line break"), ({"args": "--output-format full"}, "two reports")]:
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
    # Names of files that torchleak complains of, on its standard error.
    unread = "x = 1\n".encode("utf-16")
    evil = {f"n{number}{start}.py": unread for number, start in enumerate((
        "\n::stop-commands::x", "\r::error file=a.py::x", "\n \t::warning::x", "\n\u00a0\u2003::notice::x",
        "\n##[add-mask]x", " ##[error]x"))}
    for annotations, args in (("true", ""), ("false", ""), ("true", "--show-files"), ("true", "--verbose")):
        run = Try(top, {"a.py": places.LEAK, **evil}, annotations=annotations, args=args)
        told = 0
        for line in re.split(r"[\r\n]+", run.log):
            own = re.match(r"::(error|warning) file=a\.py,line=\d+,|::error title=torchleak::no report", line)
            if annotations == "false":
                own = re.fullmatch("::stop-commands::[0-9a-f]{32}|::[0-9a-f]{32}::", line)
            check(own or not (line.lstrip().startswith("::") or "##[" in line), f"{args}: spoken: {line!r}")
            told += "is UTF-16" in line
        check(args == "--show-files" or told == len(evil), f"{annotations}: the warnings are shown", run.log)


def versions(top):
    links = Path(top) / "links"
    path = places.wheel(links, TORCHLEAK)
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(links), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    trap = {f"{name}.py": "open('pwned', 'w')\n" for name in ("venv", "pip", "ensurepip")}
    for version in ("", str(path)):
        run = Try(top, {"a.py": places.LEAK, **trap}, version=version, variables=index)
        check(run.status == "1" and run.outputs["findings"] == "2", f"version {version!r}", run.log)
        check("pwned" not in run.files(), "the checkout's modules are imported by pip", run.log)
    for name, text in {"PIP_TARGET": str(Path(top) / "elsewhere"), "PIP_PREFIX": str(Path(top) / "elsewhere"),
                       "PIP_USER": "1", "PIP_ROOT": str(Path(top) / "elsewhere")}.items():
        run = Try(top, {"a.py": places.LEAK}, version="", variables={**index, name: text})
        check(run.status == "1" and run.outputs["findings"] == "2", f"with {name}", run.log)
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
        for part in (findings, uploads, report_places, broken_reports, arguments, mistakes, hostile, versions,
                     requirements):
            part(top)
    print(f"action.yml: {Try.count} uses, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
