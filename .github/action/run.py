"""The step of action.yml: installs torchleak, checks, and tells GitHub what was found.

Reads the action's inputs from INPUT_… and the runner's GITHUB_… and RUNNER_TEMP; runs in the checkout.
Standard library only, Python 3.8 and later, the same on every system. Ends with torchleak's exit status,
and with 2 for an input that makes no sense.
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
from pathlib import Path

ACTION = Path(__file__).resolve().parents[2]
SPECIFIER = re.compile(r"\s*(===?|~=|!=|<=?|>=?)\s*[0-9][0-9A-Za-z.*+!-]*\s*")
VERSION = re.compile(r"v?([0-9][0-9A-Za-z.+!-]*)")
LEVELS = ("error", "warning", "note")


class Wrong(Exception):
    """What the user should be told."""


def tell(level, message):
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.replace(character, escape)
    print(f"::{level} title=torchleak::{message}", flush=True)


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
    print(f"::group::Install {wanted}", flush=True)
    place = folder / "environment"
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    # -I: modules in the checkout that are called like one of Python's are not taken for it.
    python = [str(scripts / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    made = subprocess.run([sys.executable, "-I", "-m", "venv", str(place)], check=False)
    if made.returncode == 0:
        made = subprocess.run([*python, "install", wanted], check=False)
    print("::endgroup::", flush=True)
    found = shutil.which("torchleak", path=str(scripts))
    if made.returncode != 0 or not found:
        raise Wrong(f"{wanted} could not be installed; the log above says why")
    return found


def report_file(folder):
    name = value("sarif-file")
    if not name:
        return folder / "torchleak.sarif"
    if not name.isprintable():
        raise Wrong("input `sarif-file` holds a line break or another control character")
    path = Path(name).resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


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
        status = subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
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
    for run in log["runs"]:
        for invocation in run.get("invocations", []):
            yield from (notice["message"]["text"] for notice in invocation["toolExecutionNotifications"])


def set_category(log):
    """Code scanning keeps alerts by the name in the report. True when it was another."""
    name = value("category") or "torchleak"
    changed = False
    for run in log["runs"]:
        wanted = name.rstrip("/") + "/"
        changed = changed or run["automationDetails"]["id"] != wanted
        run["automationDetails"]["id"] = wanted
    return changed


def cell(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def summary(log):
    """The table on the page of the run."""
    counts = {}
    for rule, result in new_results(log):
        key = (LEVELS.index(result["level"]), rule["id"], rule["name"], rule["helpUri"])
        counts[key] = counts.get(key, 0) + 1
    lines = ["### torchleak", ""]
    if counts:
        lines += ["| findings | severity | rule |", "|---:|---|---|"]
        lines += [f"| {count} | {LEVELS[level]} | [{code}]({page}) {cell(name)} |"
                  for (level, code, name, page), count in sorted(counts.items())]
    else:
        lines.append("Nothing to report.")
    told = list(notices(log))
    lines += ["", *(f"- {cell(text)}" for text in told[:10])]
    if len(told) > 10:
        lines.append(f"- and {len(told) - 10} more notices")
    return "\n".join(lines) + "\n"


def append(variable, text):
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8", newline="\n") as file:
            file.write(text)


def main():
    folder = Path(tempfile.mkdtemp(prefix="torchleak-", dir=os.environ.get("RUNNER_TEMP") or None))
    flag("upload")  # the next step asks for it; a slip of the pen is better told than taken for false
    report = report_file(folder)
    if report.exists():
        report.unlink()  # what an earlier run left is not the report of this one
    status = check(install(value("version"), folder), report, folder)
    outputs = f"exit-code={status}\n"
    if report.exists():
        log = json.loads(report.read_text(encoding="utf-8"))
        if set_category(log):
            report.write_text(json.dumps(log, ensure_ascii=False), encoding="utf-8")
        found = sum(1 for _ in new_results(log))
        outputs += f"findings={found}\nsarif-file={report}\n"
        append("GITHUB_STEP_SUMMARY", summary(log))
    append("GITHUB_OUTPUT", outputs)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, OSError) as problem:
        tell("error", str(problem))
        append("GITHUB_OUTPUT", "exit-code=2\n")
        sys.exit(2)
