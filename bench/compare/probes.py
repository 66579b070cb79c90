"""What each tool can do beside finding things, found out by asking it: every answer is a run.

Each probe takes a Bench, a tool and an empty folder, and answers True or False.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import tools

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

LOOP = """import torch


def train(model, loader, optimizer, loss_fn):
    losses = []
    for x, y in loader:
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
"""
# A file in which the tool reports something, what it reports, and how a line is exempted from it.
SAMPLES = {
    "torchleak": (LOOP, "accumulated-tensor", "  # noqa: TLK101"),
    "torch-preflight": (LOOP, "TG001", "  # noqa: TG001"),
    "dslinter": (LOOP, "W5517", "  # pylint: disable=W5517"),
    "mlpylint": (LOOP, "CSA20", "  # noqa: CSA20"),
    "hotpath": (LOOP, "KP009", "  # noqa: KP009"),
    "ruff": ("import os\nimport torch\n\nprint(torch.zeros(1))\n", "F401", "  # noqa: F401"),
    "TorchFix": ("import torch\n\nx = torch.range(0, 3)\nprint(x)\n", "TOR101", "  # noqa: TOR101"),
}
# How each is asked to change files, to write SARIF, to be a language server, to accept what is there.
FIX = {
    "torchleak": lambda b: [b.torchleak, "check", ".", "--no-cache", "--isolated", "--fix", "--unsafe-fixes"],
    "torch-preflight": lambda b: [b.program("torch-preflight"), "check", ".", "--fix"],
    "ruff": lambda b: [b.program("ruff"), "check", ".", "--isolated", "--no-cache", "--fix"],
    "TorchFix": lambda b: [b.program("torchfix"), "--select", "ALL", "--fix", "."],
}
SARIF = {
    "torchleak": lambda b: [b.torchleak, "check", ".", "--no-cache", "--isolated", "--output-format", "sarif"],
    "torch-preflight": lambda b: [b.program("torch-preflight"), "check", ".", "-f", "sarif"],
    "ruff": lambda b: [b.program("ruff"), "check", ".", "--isolated", "--no-cache", "--output-format", "sarif"],
}
SERVER = {
    "torchleak": lambda b: [b.torchleak, "server"],
    "ruff": lambda b: [b.program("ruff"), "server"],
}
ACCEPT = {  # one command, and what must be added to the next check
    "torchleak": lambda b: ([b.torchleak, "baseline", "."], ["--baseline", "torchleak-baseline.json"]),
    "ruff": lambda b: ([b.program("ruff"), "check", ".", "--isolated", "--no-cache", "--add-noqa"], []),
}
HELP = {
    "torch-preflight": [["check", "--help"], ["--help"]], "hotpath": [["analyze", "--help"], ["--help"]],
    "mlpylint": [["--help"]], "dslinter": [["--help"]], "TorchFix": [["--help"]],
}


def program(bench, tool):
    return bench.program({"dslinter": "pylint", "TorchFix": "flake8"}.get(tool, tool))


def unknown(bench, tool, word):
    """For what no command is known: that the tool's own help does not speak of it."""
    for args in HELP[tool]:
        if re.search(word, bench.output(program(bench, tool), *args), re.I):
            raise SystemExit(f"{tool}: its help speaks of /{word}/, and no probe asks for it")
    return False


def write(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def command(bench, tool, *files):
    return bench.command(tool, True, files, dslinter_rules=["W5517"])


def codes(bench, tool, folder):
    return {f.code for found in bench.check(tool, folder).values() for f in found}


def exit_status(bench, tool, folder):
    """Does a finding make the exit status 1 (or any but 0), without asking for it?"""
    text, code, _ = SAMPLES[tool]
    write(folder, "sample.py", text)
    if code not in codes(bench, tool, folder):
        raise SystemExit(f"{tool}: does not report {code} in its sample")
    return bench.run(command(bench, tool, "sample.py"), folder).returncode != 0


def notebooks(bench, tool, folder):
    text, code, _ = SAMPLES[tool]
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [],
            "source": text.splitlines(True), "id": "a"}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
              "language_info": {"name": "python"}}
    write(folder, "sample.ipynb", json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4,
                                              "nbformat_minor": 5}))
    asked = command(bench, tool, "sample.ipynb")
    by_name = ["sample.ipynb" if word == "." else word for word in asked]
    return any(code in bench.run(each, folder).stdout for each in (asked, by_name))


def across_files(bench, tool, folder):
    """The example of README.md: a loss that a meter of another file keeps."""
    for source in (ROOT / "docs/examples/project").glob("*.py"):
        write(folder, source.name, source.read_text())
    rules = tools.PEER_RULES.get(tool, {"accumulated-tensor": ({"accumulated-tensor"}, set())})
    leaks = {code for code, (found, _) in rules.items() if "accumulated-tensor" in found}
    return bool(leaks & codes(bench, tool, folder))


def fixes(bench, tool, folder):
    text = SAMPLES[tool][0]
    write(folder, "sample.py", text)
    if tool not in FIX:
        return unknown(bench, tool, r"--fix|autofix")
    bench.run(FIX[tool](bench), folder)
    return (folder / "sample.py").read_text() != text


def sarif(bench, tool, folder):
    write(folder, "sample.py", SAMPLES[tool][0])
    if tool not in SARIF:
        return unknown(bench, tool, "sarif")
    log = json.loads(bench.run(SARIF[tool](bench), folder).stdout)
    return log["version"] == "2.1.0" and bool(log["runs"][0]["results"])


def sarif_flows(bench, tool, folder):
    write(folder, "sample.py", SAMPLES[tool][0])
    if tool not in SARIF:
        return unknown(bench, tool, "sarif")
    log = json.loads(bench.run(SARIF[tool](bench), folder).stdout)
    return any(result.get("codeFlows") for result in log["runs"][0]["results"])


def language_server(bench, tool, folder):
    if tool not in SERVER:
        return unknown(bench, tool, r"language server|\blsp\b|\bserver\b")
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "processId": None, "rootUri": None, "capabilities": {}}})
    folder.mkdir(parents=True, exist_ok=True)
    # By `timeout`, so that a server that says nothing ends the probe.
    with subprocess.Popen(["timeout", "60", *SERVER[tool](bench)], cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        server.stdin.write(f"Content-Length: {len(message)}\r\n\r\n{message}".encode())
        server.stdin.flush()
        length = re.match(rb"Content-Length: (\d+)", server.stdout.readline())
        while server.stdout.readline().strip():
            pass  # other headers
        body = server.stdout.read(int(length.group(1))) if length else b""
        server.terminate()
    return b'"capabilities"' in body


def suppression(bench, tool, folder):
    """Does a comment at the reported line silence it?"""
    text, code, comment = SAMPLES[tool]
    write(folder, "sample.py", text)
    (line,) = {f.line for f in bench.check(tool, folder)["sample.py"] if f.code == code}
    lines = text.split("\n")
    lines[line - 1] += comment
    write(folder, "sample.py", "\n".join(lines))
    return code not in codes(bench, tool, folder)


def unused_suppression(bench, tool, folder):
    """Is a suppression reported that suppresses nothing?"""
    comment = SAMPLES[tool][2]
    write(folder, "sample.py", f"import torch\n\nprint(torch.zeros(1)){comment}\n")
    asked = command(bench, tool, "sample.py")
    if tool == "dslinter":
        asked.insert(4, "--enable=useless-suppression")
    return bool(re.search(r"unused-suppression|RUF100|useless-suppression",
                          bench.run(asked, folder).stdout))


def accept(bench, tool, folder):
    """Is there a command after which what was found is not reported again?"""
    write(folder, "sample.py", SAMPLES[tool][0])
    if tool not in ACCEPT:
        return unknown(bench, tool, r"baseline|add-noqa")
    first, more = ACCEPT[tool](bench)
    if tool == "ruff":  # everything that ruff knows would take many rounds: its default rules
        bench.run(first, folder)
        check = [bench.program("ruff"), "check", ".", "--isolated", "--no-cache"]
        return bench.run(check, folder).returncode == 0
    bench.run(first, folder)
    return bench.run(bench.command(tool) + more, folder).returncode == 0


PROBES = [
    ("across files", "a leak whose cause is in another file", across_files),
    ("notebooks", "checks a notebook", notebooks),
    ("exit status", "ends with another status than 0 when it finds something, unasked", exit_status),
    ("fixes", "changes the file when asked to fix", fixes),
    ("suppression", "a comment silences one line", suppression),
    ("unused suppression", "reports a comment that silences nothing", unused_suppression),
    ("accept", "accepts what is found today in one command", accept),
    ("sarif", "writes SARIF 2.1.0", sarif),
    ("sarif flows", "SARIF with the path (code flows)", sarif_flows),
    ("language server", "answers as a language server", language_server),
]


def torchfix_alone(bench, folder):
    """What docs/migrating-from-torchfix.md says of the command `torchfix`, which is not flake8."""
    write(folder, "sample.py", SAMPLES["TorchFix"][0].replace("3)", "3)" + SAMPLES["TorchFix"][2]))
    done = bench.run([bench.program("torchfix"), "sample.py"], folder)
    return {"exit status": done.returncode, "reads noqa": "TOR101" not in done.stdout}


def run_all(bench, folder):
    """{probe: [tools that can]}, in the order of tools.TOOLS."""
    def ask(pair):
        (key, _, probe), tool = pair
        return probe(bench, tool, folder / key.replace(" ", "_") / tool)

    pairs = [(probe, tool) for probe in PROBES for tool in tools.TOOLS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(ask, pairs))
    can = {}
    for (probe, tool), answer in zip(pairs, answers):
        can.setdefault(probe[0], []).extend([tool] if answer else [])
    return can
