"""release_notes.py TAG: prints what the changelog says of a release.

Fails unless the tag is the project's version with a v before it, and the changelog has that version.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(tag, root=ROOT):
    found = re.search(r"project\(torchleak VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())
    version = found.group(1) if found else "unknown"
    if tag != "v" + version:
        sys.exit(f"the tag is {tag}, but CMakeLists.txt says that this is version {version}: the tag has to be v{version}")
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    parts = re.split(r"^## \[([^\]]+)\].*\n", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2]))
    if not sections.get(version, "").strip():
        sys.exit(f"CHANGELOG.md has nothing under `## [{version}]`: move what is under Unreleased there")
    return re.sub(r"^\[[^\]]+\]: .*\n?", "", sections[version], flags=re.MULTILINE).strip()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(notes(sys.argv[1]))
