"""pages_test.py TORCHLEAK: what docs/github.md and docs/ci.md tell people to do is done, on small repositories.

`pip install torchleak` takes a package that is made here of the binary under test.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import yaml

import pages
import places
from runner import Runner, SHELLS

TORCHLEAK = str(Path(sys.argv[1]).resolve())
FOUND = {"a.py": places.CLEAN}, {"new.py": places.LEAK}  # before, after
CLEAN = {"a.py": places.CLEAN}, {"new.py": places.CLEAN}
OLD = {"old.py": places.LEAK}, {"new.py": places.CLEAN}
BOTH = {"old.py": places.LEAK}, {"new.py": places.LEAK}
REVIEWDOG = """#!/usr/bin/env python3
import json, sys
from pathlib import Path
found = json.load(sys.stdin)["diagnostics"]
Path("reviewdog.json").write_text(json.dumps([sys.argv[1:], found]))
sys.exit(bool(found))
"""
failures, ran = [], set()


def check(condition, what, log=""):
    if not condition:
        failures.append(what)
        print(f"FAIL: {what}\n{log}")


class Machine:
    """What the services have: Python with pip, git, nothing of torchleak's."""

    def __init__(self, top):
        self.top, self.count = Path(top), 0
        places.wheel(self.top / "links", TORCHLEAK)
        self.installed = places.commands(self.top / "bin", TORCHLEAK)
        venv.create(self.top / "python", with_pip=True)
        bin_folder = self.top / "python/bin"
        (bin_folder / "reviewdog").write_text(REVIEWDOG, encoding="utf-8")
        (bin_folder / "reviewdog").chmod(0o755)
        os.environ.update(HOME=top, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(self.top / "links"),
                          PIP_DISABLE_PIP_VERSION_CHECK="1", PATH=f"{bin_folder}:/usr/local/bin:/usr/bin:/bin")

    def repository(self, files):
        (self.top / "python/bin/torchleak").unlink(missing_ok=True)
        subprocess.run(["pip", "uninstall", "-qy", "torchleak"], check=True, stderr=subprocess.DEVNULL)
        self.count += 1
        return places.pull_request(self.top / f"repository {self.count}", *files)


class Job:
    """The only job of a workflow, run on a repository."""

    def __init__(self, machine, text, files, heading):
        flow = yaml.safe_load(text)
        (job,) = flow["jobs"].values()
        self.permissions = job.get("permissions", flow["permissions"])
        self.folder = machine.repository(files)
        self.uploads, self.artifacts, self.heading = [], [], heading
        # The first job installs it as people do; then one is enough, for each takes seconds.
        installed = machine.installed if machine.count > 1 else None
        self.runner = Runner(
            self.folder, machine.top / f"temp {machine.count}", installed=installed,
            contexts={"github": {"base_ref": "main", "token": "secret"}},
            others={"actions/checkout": self.checkout, "actions/setup-python": lambda given: None,
                    "reviewdog/action-setup": lambda given: None, "actions/upload-artifact": self.artifact,
                    "github/codeql-action/upload-sarif": self.upload})
        _, self.failed = self.runner.run(job["steps"])
        self.log = self.runner.log
        ran.add(heading)

    def checkout(self, given):
        if given.get("fetch-depth") != "0":
            places.git(self.folder, "update-ref", "-d", "refs/remotes/origin/main")

    def artifact(self, given):
        self.artifacts.append((self.folder / given["path"]).read_text(encoding="utf-8"))

    def upload(self, given):
        check(self.permissions.get("security-events") == "write", f"{self.heading}: may not upload")
        self.uploads.append(json.loads(Path(given["sarif_file"]).read_text(encoding="utf-8")))

    def is_as(self, failed, *told, writes=()):
        check(self.failed == failed, f"{self.heading}: fails: {self.failed}", self.log)
        for text in told:
            check(text in self.log, f"{self.heading}: no `{text}`", self.log)
        may = {name for name, access in self.permissions.items() if access == "write"}
        check(may == set(writes), f"{self.heading}: may write {may}")
        return self


def github(machine):
    flows = dict(pages.blocks("docs/github.md", "yaml"))

    def job(heading, files):
        return Job(machine, flows[heading], files, heading)

    marked = "::error file=new.py,line=8,"
    job("On GitHub", FOUND).is_as(True, marked)
    job("On GitHub", CLEAN).is_as(False)
    alerts = job("Alerts in code scanning", FOUND).is_as(False, "losses.append", writes={"security-events"})
    check([len(log["runs"][0]["results"]) for log in alerts.uploads] == [2], "alerts", alerts.log)
    added = job("Only what a pull request adds", BOTH).is_as(True, marked)
    check("old.py" not in added.log, "known findings are shown", added.log)
    job("Only what a pull request adds", OLD).is_as(False)
    every = job("Every week, all of it", FOUND).is_as(True)
    check(len(every.artifacts) == 1 and "<html" in every.artifacts[0], "the report is kept")
    job("Without the action", FOUND).is_as(True, marked)
    review = job("Review comments by reviewdog", FOUND).is_as(True, writes={"pull-requests"})
    options, found = json.loads((review.folder / "reviewdog.json").read_text())
    check(len(found) == 2 and "-f=rdjson" in options, f"reviewdog: {options} {found}")
    job("Review comments by reviewdog", CLEAN).is_as(False, writes={"pull-requests"})
    check(ran == set(flows), f"workflows that no test runs: {set(flows) - ran}")


def run(folder, commands, heading, **variables):
    """Gives the exit status of the commands of a job."""
    done = subprocess.run([*SHELLS["bash"], "-c", "\n".join(commands)], cwd=folder, check=False,
                          env={**os.environ, "CI": "true", **variables}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    check(done.returncode in (0, 1), f"{heading}: exit status {done.returncode}", done.stdout)
    return done.returncode, done.stdout


def others(machine):
    shown = dict(pages.blocks("docs/ci.md", "yaml"))
    seen = {"GitLab", "GitLab 2", "Azure Pipelines", "Any other"}
    check(set(shown) == seen, f"blocks that no test runs: {set(shown) ^ seen}")

    job, folder = yaml.safe_load(shown["GitLab"])["torchleak"], machine.repository(FOUND)
    status, log = run(folder, job["script"], "GitLab")
    report = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text())
    check(status == 1 and len(report) == 2 and "losses.append" in log, f"GitLab: {report}", log)

    job = yaml.safe_load(shown["GitLab 2"])["torchleak"]
    for files, wanted in ((OLD, 0), (BOTH, 1)):
        folder = machine.repository(files)
        base = subprocess.run(["git", "rev-parse", "origin/main"], cwd=folder, check=True, encoding="ascii",
                              stdout=subprocess.PIPE).stdout.strip()
        status, log = run(folder, job["script"], "GitLab 2", CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        check(status == wanted, "GitLab, merge request", log)

    folder = machine.repository(FOUND)
    steps = [step["script"] for step in yaml.safe_load(shown["Azure Pipelines"])["steps"] if "script" in step]
    steps = [step.replace("$(Build.ArtifactStagingDirectory)", "staging") for step in steps]
    (folder / "staging").mkdir()
    status, log = run(folder, steps, "Azure")
    check(status == 1 and "##vso[task.logissue type=error;sourcepath=new.py" in log, "Azure", log)
    check((folder / "staging/torchleak.sarif").is_file(), "Azure: SARIF", log)

    folder = machine.repository(FOUND)
    ((_, text),) = pages.blocks("docs/ci.md", "groovy")
    status, log = run(folder, re.findall(r"sh '(.*)'", text), "Jenkins")
    check(status == 1 and '<testsuites name="torchleak" tests="2" failures="2"' in
          (folder / "torchleak.xml").read_text(), "Jenkins", log)

    folder = machine.repository(FOUND)
    status, log = run(folder, yaml.safe_load(shown["Any other"]), "Any other")
    check(status == 1 and (folder / "report.html").is_file(), "any other", log)


def main():
    with tempfile.TemporaryDirectory(prefix="torchleak-github-") as top:
        machine = Machine(top)
        github(machine)
        others(machine)
        count = machine.count
    print(f"docs/github.md, docs/ci.md: {count} jobs, {len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
