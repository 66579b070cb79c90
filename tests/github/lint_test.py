"""lint_test.py TOOLS: action.yml, the workflows, and those that docs/ shows, as checkers see them.

TOOLS is the virtual environment that setup.py made: actionlint with shellcheck, zizmor, check-jsonschema.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

import pages
import places
from runner import CHECKOUT

TOOLS = Path(sys.argv[1]).resolve() / "bin"
GITHUB = CHECKOUT / ".github"
failures = []


def check(condition, what, log=""):
    if not condition:
        failures.append(what)
        print(f"FAIL: {what}\n{log}")


def tool(folder, *command):
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"}
    done = subprocess.run([str(TOOLS / command[0]), *map(str, command[1:])], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", check=False)
    return done.returncode, done.stdout


def clean(folder, *command):
    status, log = tool(folder, *command)
    check(status == 0, " ".join(map(str, command)), log)


def own_files(top):
    """The checkout's files alone: what else lies in the folder is not looked at."""
    shutil.copytree(GITHUB, top / ".github")
    shutil.copy(CHECKOUT / "action.yml", top)
    places.git(top, "init", "-q")
    clean(top, "actionlint")
    clean(top, "zizmor", "--offline", "--no-progress", "--strict-collection", ".")
    clean(top, "shellcheck", ".github/extensions.sh")
    schema(top, "github-workflows", *sorted((top / ".github/workflows").glob("*.yml")))
    schema(top, "github-actions", "action.yml")
    schema(top, "dependabot", ".github/dependabot.yml")


def schema(folder, name, *files):
    clean(folder, "check-jsonschema", "--builtin-schema", f"vendor.{name}", *files)


def workflows_of_pages(top):
    folder = top / ".github/workflows"
    folder.mkdir(parents=True)
    shutil.copy(CHECKOUT / "action.yml", top)
    places.git(top, "init", "-q")
    count = 0
    for heading, text in pages.blocks("docs/github.md", "yaml"):
        # As the action of the checkout, so that its inputs are checked.
        text = text.replace(f"torchleak/torchleak@v{places.VERSION}", "./")
        check("torchleak/torchleak@" not in text, f"docs/github.md, {heading}: another version")
        (folder / (re.sub(r"\W+", "-", heading) + ".yml")).write_text(text, encoding="utf-8")
        count += 1
    check(count >= 6, f"workflows in docs/github.md: {count}")
    clean(top, "actionlint")
    schema(top, "github-workflows", *sorted(folder.glob("*.yml")))
    for heading, text in pages.blocks("docs/ci.md", "yaml"):
        for mark, name in (("# .gitlab-ci.yml", "gitlab-ci"), ("# azure-pipelines.yml", "azure-pipelines")):
            if text.startswith(mark):
                (top / f"{name}.yml").write_text(text, encoding="utf-8")
                schema(top, name, f"{name}.yml")


def mistakes_are_seen(top):
    """The checkers themselves: what must not pass."""
    (top / ".github/workflows").mkdir(parents=True)
    shutil.copy(CHECKOUT / "action.yml", top)
    places.git(top, "init", "-q")
    good = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
    for step, told in [("- uses: ./\n        with: { argz: x }", "argz"), ("- run: echo $(ls $X)", "SC2086"),
                       ("- run: echo ${{ github.event.pull_request.title }}", "untrusted"),
                       ("- uses: actions/checkout@v7\n        with: { fetch-deph: 0 }", "fetch-deph")]:
        (top / ".github/workflows/x.yml").write_text(f"{good}      {step}\n", encoding="utf-8")
        status, log = tool(top, "actionlint")
        check(status == 1 and told in log, f"actionlint sees {told}", log)
    (top / "action.yml").write_text("name: x\ndescription: y\nruns:\n  using: composite\n  steps:\n    - run: ls\n")
    status, log = tool(top, "check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    check(status == 1 and "$.runs" in log, "check-jsonschema sees a step without a shell", log)


def pins():
    for path in sorted(GITHUB.glob("workflows/*.yml")) + [CHECKOUT / "action.yml"]:
        text = path.read_text(encoding="utf-8")
        for line in re.findall(r"uses: (.*)", text):
            check(line.startswith("./") or re.match(r"[\w./-]+@[0-9a-f]{40} # v\d", line), f"{path.name}: {line}")
        if path.name != "action.yml":
            flow = yaml.safe_load(text)
            check(flow["permissions"] == {"contents": "read"}, f"{path.name}: permissions {flow['permissions']}")
            check("concurrency" in flow, f"{path.name}: concurrency")
            for name, job in flow["jobs"].items():
                check("uses" in job or "timeout-minutes" in job, f"{path.name}: no time limit of {name}")
    for page in ("docs/github.md", "docs/ci.md"):
        text = (CHECKOUT / page).read_text(encoding="utf-8")
        for version in re.findall(r"torchleak(?:@v|==)([0-9.]+\d)", text):
            check(version == places.VERSION, f"{page} speaks of version {version}")


def release_notes(top):
    """.github/release_notes.py: the tag, the project and the changelog agree."""
    (top / ".github").mkdir()
    shutil.copy(GITHUB / "release_notes.py", top / ".github")
    (top / "CMakeLists.txt").write_text("project(torchleak VERSION 1.2.3 LANGUAGES CXX)\n")
    changes = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2030-01-01\n\n### Added\n- this\n\n## [1.2.2]\n- that\n"
    for text, tag, status, told in [(changes, "v1.2.3", 0, "### Added\n- this\n"), (changes, "v1.2.2", 1, "v1.2.3"),
                                    (changes, "1.2.3", 1, "v1.2.3"), ("## [Unreleased]\n- x\n", "v1.2.3", 1, "Unreleased")]:
        (top / "CHANGELOG.md").write_text(text)
        done = subprocess.run([sys.executable, top / ".github/release_notes.py", tag], encoding="utf-8",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        good = done.stdout == told if status == 0 else told in done.stdout
        check(done.returncode == status and good, f"release notes of {tag}", done.stdout)


def main():
    with tempfile.TemporaryDirectory(prefix="torchleak-github-") as top:
        for part in (own_files, workflows_of_pages, mistakes_are_seen, release_notes):
            folder = Path(top) / part.__name__
            folder.mkdir()
            part(folder)
    pins()
    print(f"workflows: {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
