"""Runs the steps of action.yml and of workflows on this machine, as a runner of GitHub does.

`run:` steps are run by bash, with the files and variables that a runner gives. `uses:` steps of others
are handed to functions that say what the step would have done; those of this project run action.yml.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import yaml

from expressions import evaluate, filled

CHECKOUT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((CHECKOUT / "action.yml").read_text(encoding="utf-8"))
SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "PIP_NO_INDEX", "PIP_FIND_LINKS")


def parse_outputs(text):
    outputs, lines = {}, iter(text.splitlines())
    for line in lines:
        name, heredoc, end = line.partition("<<")
        if heredoc and "=" not in name:
            taken = []
            for inner in lines:
                if inner == end:
                    break
                taken.append(inner)
            outputs[name] = "\n".join(taken)
        elif "=" in line:
            name, _, outputs[name] = line.partition("=")
        elif line:
            raise ValueError(f"not an output: {line!r}")
    return outputs


class Runner:
    """One job. `workspace` is the checkout, `others` what the steps of others do: name → function(with).

    `installed`: a folder with a torchleak that the action takes instead of installing one.
    """

    def __init__(self, workspace, temp, others=None, variables=None, contexts=None, installed=None):
        self.installed = installed
        self.workspace, self.temp = Path(workspace), Path(temp)
        self.temp.mkdir(parents=True, exist_ok=True)
        self.others = others or {}
        self.environment = {key: os.environ[key] for key in KEPT if key in os.environ}
        self.environment.update(CI="true", GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(self.workspace),
                                RUNNER_TEMP=str(self.temp), RUNNER_OS="Linux", **(variables or {}))
        self.contexts = {"github": {"workspace": str(self.workspace)}, **(contexts or {})}
        self.log, self.summary = "", ""

    def run(self, steps, contexts=None, variables=None):
        """Gives {id: outputs} and whether a step failed."""
        contexts = {**self.contexts, **(contexts or {}), "steps": {}}
        variables, failed = dict(variables or {}), False
        for step in steps:
            functions = {"success": lambda: not failed, "failure": lambda: failed}
            condition = str(step.get("if", "success()")).strip()
            condition = condition.removeprefix("${{").removesuffix("}}")
            if not any(name in condition for name in ("success()", "failure()", "always()", "cancelled()")):
                condition = f"success() && ({condition})"
            if not evaluate(condition, contexts, functions):
                continue
            own = {k: filled(v, contexts) for k, v in step.get("env", {}).items()}
            given = {k: filled(v, contexts) for k, v in step.get("with", {}).items()}
            run = self._script if "run" in step else self._uses
            outputs, status = run(step, given, contexts, {**variables, **own})
            if "id" in step:
                contexts["steps"][step["id"]] = {"outputs": outputs}
            if status != 0 and not step.get("continue-on-error"):
                failed = True
        return {name: step["outputs"] for name, step in contexts["steps"].items()}, failed

    def _script(self, step, _given, contexts, variables):
        with tempfile.TemporaryDirectory(dir=self.temp) as folder:
            files = {name: Path(folder) / name.lower() for name in
                     ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV")}
            for file in files.values():
                file.touch()
            script = Path(folder) / "script.sh"
            script.write_text(filled(step["run"], contexts), encoding="utf-8")
            done = subprocess.run(
                [*SHELLS[step.get("shell")], str(script)], cwd=self.workspace, check=False,
                env={**self.environment, **variables, **{k: str(v) for k, v in files.items()}},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            self.log += done.stdout.decode("utf-8", "replace")
            self.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
            for line in files["GITHUB_PATH"].read_text(encoding="utf-8").splitlines():
                self.environment["PATH"] = line + os.pathsep + self.environment["PATH"]
            return parse_outputs(files["GITHUB_OUTPUT"].read_text(encoding="utf-8")), done.returncode

    def _uses(self, step, given, contexts, variables):
        name = step["uses"].partition("@")[0]
        if name in ("./", "torchleak/torchleak"):
            return self.action(given, variables)
        return self.others[name](given) or {}, 0

    def action(self, given, variables=None):
        """action.yml with these inputs: its outputs, and 0 or 1."""
        unknown = set(given) - set(ACTION["inputs"])
        assert not unknown, f"no such inputs: {unknown}"
        inputs = {name: given.get(name, entry["default"]) for name, entry in ACTION["inputs"].items()}
        variables = {**(variables or {}), "GITHUB_ACTION_PATH": str(CHECKOUT)}
        if self.installed:
            inputs["version"] = "installed"
            variables["PATH"] = f"{self.installed}{os.pathsep}{self.environment['PATH']}"
        steps, failed = self.run(ACTION["runs"]["steps"], {"inputs": inputs}, variables)
        contexts = {"steps": {name: {"outputs": outputs} for name, outputs in steps.items()}}
        outputs = {name: filled(entry["value"], contexts) for name, entry in ACTION["outputs"].items()}
        return outputs, int(failed)
