"""The step of action.yml: installs torchleak, checks, and tells GitHub what was found.

Reads the action's inputs from INPUT_… and the runner's GITHUB_… and RUNNER_TEMP; runs in the checkout.
Standard library only, Python 3.8 and later, the same on every system. Ends with torchleak's exit status,
and with 2 for an input that makes no sense and where there is no report to tell from.
"""

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from urllib.parse import unquote

ACTION = Path(__file__).resolve().parents[2]
SPECIFIER = re.compile(r"\s*(===?|~=|!=|<=?|>=?)\s*[0-9][0-9A-Za-z.*+!-]*\s*")
VERSION = re.compile(r"v?([0-9][0-9A-Za-z.+!-]*)")
LEVELS = ("error", "warning", "note")
# What would have pip install elsewhere than into the environment that is made for it, or not at all.
PIP_ELSEWHERE = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_PYTHON", "PIP_DRY_RUN")
ANYTHING = re.compile(b"")
ANNOTATION = re.compile(rb"::(error|warning|notice) file=.*,line=[0-9]+,.*title=TLK[0-9]+ ")
COMMAND = re.compile(rb"\W*::")  # a runner skips blanks of all scripts before it; these are \W


class Wrong(Exception):
    """What the user should be told."""


def escaped(message):
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.replace(character, escape)
    return message


def tell(level, message):
    print(f"::{level} title=torchleak::{escaped(message)}", flush=True)


def value(name):
    return os.environ.get("INPUT_" + name.upper().replace("-", "_"), "").strip()


def flag(name):
    text = value(name).lower() or "false"
    if text not in ("true", "false"):
        raise Wrong(f"input `{name}` is `{value(name)}`; it takes true or false")
    return text == "true"


def words(name):
    try:
        return shlex.split(value(name))
    except ValueError as error:
        raise Wrong(f"input `{name}` cannot be split into words: {error} in `{value(name)}`") from None


def own_version():
    found = re.search(r"project\(torchleak VERSION ([0-9.]+)", (ACTION / "CMakeLists.txt").read_text())
    if not found:
        raise Wrong("the version of this action cannot be read; name one with input `version`")
    return found.group(1)


def requirement(version):
    """What pip is asked for."""
    if version == "latest":
        return "torchleak"
    if not version:
        return "torchleak==" + own_version()
    exact = VERSION.fullmatch(version)
    if exact:
        return "torchleak==" + exact.group(1)
    if all(SPECIFIER.fullmatch(part) for part in version.split(",")):
        return "torchleak" + version.replace(" ", "")
    if Path(version).exists():
        return str(Path(version).resolve())
    raise Wrong(f"input `version` is `{version}`; it takes a version (0.1.0), a specifier (>=0.1,<0.2), "
                "`latest`, `installed`, or a path that is there")


def install(version, folder):
    """The torchleak to run, in an environment of its own: the project's packages stay as they are."""
    if version == "installed":
        found = shutil.which("torchleak")
        if not found:
            raise Wrong("input `version` is `installed`, but there is no torchleak on PATH")
        return found
    wanted = requirement(version)
    print(f"::group::Install {escaped(wanted)}", flush=True)
    place = folder / "environment"
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    # -I: modules in the checkout that are called like one of Python's are not taken for it.
    python = [str(scripts / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    kept = {key: text for key, text in os.environ.items() if key.upper() not in PIP_ELSEWHERE}
    made = subprocess.run([sys.executable, "-I", "-m", "venv", str(place)], env=kept, check=False)
    if made.returncode == 0:
        made = subprocess.run([*python, "install", wanted], env=kept, check=False)
    print("::endgroup::", flush=True)
    found = shutil.which("torchleak", path=str(scripts))
    if made.returncode != 0 or not found:
        raise Wrong(f"{wanted} could not be installed; the log above says why")
    return found


def is_report(path):
    try:
        log = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(log, dict) and isinstance(log.get("runs"), list)


def leaves_checkout(path):
    """Whether a link in the checkout, which a pull request can add, leads a path in it out of it."""
    for top in {os.getcwd(), os.environ.get("GITHUB_WORKSPACE") or os.getcwd()}:
        real = Path(os.path.realpath(path.parent))
        inside = Path(os.path.realpath(top))
        if Path(top) in path.parents and real != inside and inside not in real.parents:
            return True
    return False


def report_file():
    """Where the user wants the report, or nothing. What is there stays until there is a new one."""
    name = value("sarif-file")
    if not name:
        return None
    if not name.isprintable():
        raise Wrong("input `sarif-file` holds a line break or another control character")
    path = Path(os.path.abspath(name))
    said = f"input `sarif-file` is `{name}`, "
    try:
        if path.is_symlink() or leaves_checkout(path):
            raise Wrong(said + "a link or under one; name a file that is none")
        if path.is_dir():
            raise Wrong(said + "a folder; name a file in it")
        if path.exists() and not (path.is_file() and is_report(path)):
            raise Wrong(said + "a file that is no SARIF report; it is not overwritten: name another, or remove it")
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path.with_name(f".torchleak-{secrets.token_hex(8)}"), "").unlink()
    except OSError as error:
        raise Wrong(f"{said}where no file can be written: {error.strerror}") from None
    return path


def write(path, text):
    """A new file: none that is there is opened, and no link followed."""
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        file.write(text)
    return path


def deliver(text, path):
    """The report to where the user wants it; all of it or nothing."""
    part = path.with_name(f".torchleak-{secrets.token_hex(8)}")
    try:
        os.replace(write(part, text), path)
    except OSError as error:
        if part.exists():
            part.unlink()
        raise Wrong(f"the report cannot be written to `{path}` (input `sarif-file`): {error.strerror}") from None


def category():
    name = value("category") or "torchleak"
    if not name.isprintable():
        raise Wrong("input `category` holds a line break or another control character")
    return name


def harmless(line):
    """A line that no runner takes for a command: `::x` at its beginning, or the older `##[x]` anywhere."""
    line = line.replace(b"##[", b"## [")
    return b"| " + line if COMMAND.match(line) else line


def hand_on(pipe, file, spoken):
    """What torchleak prints, to the log. `spoken`: the lines that are left as they are."""
    for text in pipe:
        for line in text.splitlines():  # of bytes: at \n and \r, where a runner splits
            file.write((line if spoken and spoken.match(line) else harmless(line)) + b"\n")
        file.flush()


def run(command, environment, spoken):
    """Gives the exit status. What is printed gives no commands but `spoken`, whatever files and code hold."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment) as process:
        threads = [threading.Thread(target=hand_on, args=given) for given in
                   ((process.stdout, sys.stdout.buffer, spoken), (process.stderr, sys.stderr.buffer, None))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return process.returncode


def check(program, report, folder):
    """Runs it, and gives its exit status. What is found goes to the log and to the report."""
    shown = "github" if flag("annotations") else "full"
    # A path that begins with @ would stand for the lines of a file, and - for standard input.
    paths = ["./" + path if path[:1] in ("@", "-") else path for path in words("src")]
    command = [program, "check", "--output-format", shown, "--output-format", f"sarif:{report}",
               *words("args"), "--", *paths]
    environment = dict(os.environ)
    environment.setdefault("TORCHLEAK_CACHE_DIR", str(folder / "cache"))  # not into the checkout
    # Code is no command to the runner, whatever stands in it.
    stop = None if shown == "github" else secrets.token_hex(16)
    if stop:
        print(f"::stop-commands::{stop}", flush=True)
    try:
        status = run(command, environment, ANYTHING if stop else ANNOTATION)
    finally:
        if stop:
            print(f"::{stop}::", flush=True)
    return status if status >= 0 else 128 - status  # ended by a signal: as a shell has it


def new_results(log):
    """The results that are open: --sarif-full has others as well."""
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            if not result.get("suppressions") and result.get("baselineState") not in ("unchanged", "absent"):
                yield rules[result["ruleIndex"]], result


def notices(log):
    """What torchleak has to say of the run, and the file that it is about, where there is one."""
    for run_ in log["runs"]:
        for invocation in run_.get("invocations", []):
            for notice in invocation["toolExecutionNotifications"]:
                text = plain(notice["message"]["text"])
                for place in notice.get("locations", [])[:1]:
                    text = f"{code(place['physicalLocation']['artifactLocation']['uri'])}: {text}"
                yield text


def set_category(log, name):
    """Code scanning keeps alerts by the name in the report."""
    for run_ in log["runs"]:
        run_["automationDetails"]["id"] = name.rstrip("/") + "/"


def plain(text):
    """Text that Markdown leaves as it is, and in one line."""
    return re.sub(r"[\\|<\[]", r"\\\g<0>", " ".join(text.split()))


def code(uri):
    """The path of a file; as the report has it, with % escapes, where it could do harm to the page."""
    path = unquote(uri)
    return f"`{path if path.isprintable() and '`' not in path else uri}`"


def summary(log):
    """The table on the page of the run."""
    counts = {}
    for rule, result in new_results(log):
        key = (LEVELS.index(result["level"]), rule["id"], rule["helpUri"])
        counts[key] = counts.get(key, 0) + 1
    lines = ["### torchleak", ""]
    if counts:
        lines += ["| findings | severity | rule |", "|---:|---|---|"]
        # A rule's page has its name; that in the report is the one of SARIF, AccumulatedTensor.
        lines += [f"| {count} | {LEVELS[level]} | [{id_} {plain(page.rsplit('/', 1)[-1])}]({page}) |"
                  for (level, id_, page), count in sorted(counts.items())]
    else:
        lines.append("Nothing to report.")
    told = list(notices(log))
    lines += ["", *(f"- {text}" for text in told[:10])]
    if len(told) > 10:
        lines.append(f"- and {len(told) - 10} more notices")
    return "\n".join(lines) + "\n"


def read(report, name, status):
    """The report with its category, the number of findings, and the summary."""
    try:
        log = json.loads(report.read_text(encoding="utf-8"))
        set_category(log, name)
        return json.dumps(log, ensure_ascii=False), sum(1 for _ in new_results(log)), summary(log)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Wrong(f"the report of torchleak is broken ({type(error).__name__}: {error}); torchleak ended with "
                    f"{status}") from None


def append(variable, text):
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8", newline="\n") as file:
            file.write(text)


def main():
    folder = Path(tempfile.mkdtemp(prefix="torchleak-", dir=os.environ.get("RUNNER_TEMP") or None))
    flag("upload")  # the next step asks for it; a slip of the pen is better told than taken for false
    wanted, name = report_file(), category()
    report = folder / "torchleak.sarif"
    status = check(install(value("version"), folder), report, folder)
    outputs = ""
    if report.exists():
        text, found, page = read(report, name, status)
        deliver(text, wanted or report)
        outputs = f"findings={found}\nsarif-file={wanted or report}\n"
        append("GITHUB_STEP_SUMMARY", page)
    elif status < 2:
        raise Wrong(f"no report was written: args `{value('args')}` have torchleak do something else than check")
    append("GITHUB_OUTPUT", f"exit-code={status}\n{outputs}")
    return status


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(main())
    except (Wrong, OSError) as problem:
        tell("error", str(problem))
        append("GITHUB_OUTPUT", "exit-code=2\n")
        sys.exit(2)
