"""Which files of the repository are pages of the site, and under which address.

The source path of a page is its path in the repository (mkdocs would take one below docs/). So relative links
between Markdown files mean the same on GitHub and here, mkdocs itself checks them with their anchors, and the
button for editing leads to the right file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

SCHEMA = "schema.json"
OVERVIEW = "rules/index.md"
ICON = "editors/vscode/icon/icon.svg"  # mkdocs.yml names images/icon.svg


@dataclass(frozen=True)
class Place:
    """Files outside of docs/ that are pages, and their address."""

    pattern: str
    address: Callable[[Path], str]


PLACES = (
    Place("rules/*/rule.md", lambda path: f"rules/{path.parent.name}"),
    Place("rules/README.md", lambda _: "contributing/rules"),
    Place("rules/facts/README.md", lambda _: "contributing/facts"),
    Place("fixtures/README.md", lambda _: "contributing/fixtures"),
    Place("CONTRIBUTING.md", lambda _: "contributing"),
    Place("CHANGELOG.md", lambda _: "changelog"),
    Place("src/*/README.md", lambda path: f"layers/{path.parent.name}"),
)


def _file(config: MkDocsConfig, root: Path, source: str, destination: str) -> File:
    return File(source, str(root), config.site_dir, config.use_directory_urls, dest_uri=destination)


def _outside(config: MkDocsConfig, root: Path) -> Iterator[File]:
    for place in PLACES:
        for path in sorted(root.glob(place.pattern)):
            relative = path.relative_to(root)
            yield _file(config, root, relative.as_posix(), f"{place.address(relative)}/index.html")
    yield _file(config, root, ICON, "images/icon.svg")


def collect(config: MkDocsConfig, root: Path, found: Files) -> Files:
    """`found`, with the files of docs/ under their paths in the repository, and the pages outside of it."""
    docs = Path(config.docs_dir)
    files = Files([])
    for file in found:
        if file.inclusion is InclusionLevel.EXCLUDED:
            continue
        if file.src_dir == config.docs_dir:
            source = (docs / file.src_uri).relative_to(root).as_posix()
            files.append(_file(config, root, source, file.dest_uri))
        else:  # of the theme
            files.append(file)
    for file in _outside(config, root):
        files.append(file)
    return files


def generated(config: MkDocsConfig, source: str, content: str) -> File:
    """A file that stands nowhere as it is, so that nobody can edit it."""
    file = File.generated(config, source, content=content)
    file.edit_uri = None
    return file
