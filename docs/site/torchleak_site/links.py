"""Relative links in Markdown: to the page of the site when there is one, else to the file on the web.

Works on the parsed page, just before mkdocs resolves what is relative. mkdocs then complains about what leads
nowhere.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.structure.files import Files

BEFORE_MKDOCS = 1  # its own processor has priority 0; higher ones run first


class LinkExtension(Extension):
    """One for the whole build; `page` is the source path of what is rendered now."""

    def __init__(self, root: Path, web: str, moved: Mapping[str, str]) -> None:
        super().__init__()
        self.files = Files([])
        self.page = ""
        self._root = root
        self._web = web.rstrip("/")
        self._moved = moved

    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_LinkProcessor(md, self), "torchleak_links", BEFORE_MKDOCS)

    def target(self, link: str) -> str:
        """What to write instead of `link`, which stands in the current page."""
        if not link or link.startswith(("#", "/")) or ":" in link.split("/")[0]:
            return link
        path, _, anchor = link.partition("#")
        folder = posixpath.dirname(self.page)
        path = posixpath.normpath(posixpath.join(folder, path))
        anchor = f"#{anchor}" if anchor else ""
        if moved := self._moved.get(path + anchor):
            return posixpath.relpath(moved, folder or ".")
        if self.files.get_file_from_path(path) or not (self._root / path).exists():
            return link
        kind = "tree" if (self._root / path).is_dir() else "blob"
        return f"{self._web}/{kind}/main/{path}{anchor}"


class _LinkProcessor(Treeprocessor):
    def __init__(self, md: Markdown, links: LinkExtension) -> None:
        super().__init__(md)
        self._links = links

    def run(self, root: Element) -> None:
        for element in root.iter("a"):
            if href := element.get("href"):
                element.set("href", self._links.target(href))
