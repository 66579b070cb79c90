"""Folders that the tests check, and a torchleak that pip finds without an index."""

import os
import re
import subprocess
import zipfile
from pathlib import Path

from runner import CHECKOUT

LEAK = '''import torch
import torch.nn.functional as F


def evaluate(model, loader):
    losses = []
    for inputs, labels in loader:
        losses.append(F.cross_entropy(model(inputs), labels))
    return losses
'''
CLEAN = '''import torch


def double(x):
    return x * 2
'''
VERSION = re.search(r"project\(torchleak VERSION ([0-9.]+)", (CHECKOUT / "CMakeLists.txt").read_text())[1]


def write(folder, files):
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false",
                    *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def pull_request(folder, before, after):
    """A checkout of a branch: `before` is what origin/main has, `after` what the branch adds."""
    folder = Path(folder)
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    write(folder, before)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "before")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(folder, "checkout", "-q", "-b", "topic")
    write(folder, after)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "after")
    return folder


def wheel(folder, torchleak):
    """A package `torchleak` whose command is the binary under test."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"torchleak-{VERSION}-py3-none-any.whl"
    info = f"torchleak-{VERSION}.dist-info"
    script = f"#!/bin/sh\nexec '{torchleak}' \"$@\"\n"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: torchleak\nVersion: {VERSION}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
                                       "Tag: py3-none-any\n")
        command = zipfile.ZipInfo(f"torchleak-{VERSION}.data/scripts/torchleak")
        command.external_attr = 0o100755 << 16
        file.writestr(command, script)
        file.writestr(f"{info}/RECORD", "")
    return path


def pretender(folder, report, status=0):
    """A folder for PATH with a torchleak that writes these bytes for a report, or none."""
    folder = Path(folder)
    write(folder, {"torchleak": "#!/bin/sh\n", "report": report or b""})
    with open(folder / "torchleak", "a", encoding="utf-8") as file:
        if report is not None:
            file.write(f"for a; do case $a in sarif:*) cp '{folder}/report' \"${{a#sarif:}}\";; esac; done\n")
        file.write(f"exit {status}\n")
    (folder / "torchleak").chmod(0o755)
    return folder


def commands(folder, torchleak):
    """A folder for PATH with torchleak in it."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    os.symlink(torchleak, folder / "torchleak")
    return folder
