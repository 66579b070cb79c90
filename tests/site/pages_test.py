"""pages_test.py TORCHLEAK SITE: the built site as files. Every link and anchor leads somewhere, every rule and
every page of docs/ is there, nothing is loaded from another host, and no Markdown was left over."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[2]
WEB = "https://github.com/torchleak/torchleak"
HOME = "https://torchleak.readthedocs.io/"
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "image": "href"}
LOADING_RELS = {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch"}
LEFT_OVER = re.compile(r"^(- |\* |\||#{1,6} )|\]\(", re.MULTILINE)

LEAK = """import torch.nn.functional as F


def evaluate(model, loader):
    losses = []
    for x, y in loader:
        losses.append(F.cross_entropy(model(x), y))
    return losses
"""


class Page(HTMLParser):
    """What one page refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.twice: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.navigation: list[str] = []
        self.words: list[str] = []  # of paragraphs
        self.metas: dict[str, str] = {}
        self._paragraph = self._code = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            if given["id"] in self.ids:
                self.twice.append(given["id"])
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
            if "md-nav__link" in given.get("class", ""):
                self.navigation.append(given["href"])
        if tag == "link" and LOADING_RELS & set(given.get("rel", "").split()):
            self.loads.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            self.loads.append(given[LOADED[tag]])
        if tag == "meta" and "content" in given:
            self.metas[given.get("name") or given.get("property") or ""] = given["content"]
        if tag == "p":
            self._paragraph = True
            self.words.append("")
        self._code = self._code or tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._paragraph = self._paragraph and tag != "p"
        self._code = self._code and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._paragraph:
            self.words[-1] += "…" if self._code else data


class Site:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[str] = []
        self.pages = {
            path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
            for path in sorted(folder.rglob("*.html"))
        }

    def expect(self, true: bool, fault: str) -> None:
        if not true:
            self.faults.append(fault)

    def file_of(self, address: str) -> str | None:
        """The file that a server sends for an address of the site."""
        path = unquote(urlsplit(address).path).removeprefix(urlsplit(HOME).path.rstrip("/")).lstrip("/")
        for name in (path, f"{path.rstrip('/')}/index.html".lstrip("/")):
            if name and (self.folder / name).is_file():
                return name
        return None

    def address_of(self, name: str) -> str:
        return HOME + name.removesuffix("index.html")


def check_link(site: Site, name: str, link: str) -> None:
    address, anchor = urldefrag(urljoin(site.address_of(name), link))
    if address.startswith(f"{WEB}/"):
        found = re.match(r"/(?:blob|tree|edit)/main/(.*)$", address.removeprefix(WEB))
        if found:
            site.expect((ROOT / found[1]).exists(), f"{name}: {link}: no such file in the repository")
    elif address.startswith(HOME):
        target = site.file_of(address)
        site.expect(target is not None, f"{name}: {link}: no such page")
        if target in site.pages and anchor:
            ids = site.pages[target].ids
            site.expect(unquote(anchor) in ids, f"{name}: {link}: no such anchor")
    else:
        # The button that shares a search has a script for an address.
        known = urlsplit(address).scheme in ("https", "mailto") or link == "javascript:void(0)"
        site.expect(known, f"{name}: {link}: not https")


def check_pages(site: Site) -> None:
    for name, page in site.pages.items():
        for link in page.links:
            check_link(site, name, link)
        for load in page.loads:
            address = urljoin(site.address_of(name), load)
            site.expect(address.startswith(HOME), f"{name}: loads {load} from another host")
            site.expect(load.startswith("data:") or site.file_of(address) is not None, f"{name}: {load} is missing")
        site.expect(not page.twice, f"{name}: ids that are there twice: {page.twice}")
        for words in page.words:
            site.expect(not LEFT_OVER.search(words), f"{name}: Markdown left over: {words[:80]!r}")
        if name != "404.html":
            told = page.metas.get("description", "")
            site.expect(20 <= len(told) <= 300, f"{name}: description: {told!r}")
            image = page.metas.get("og:image", "")
            there = image.startswith(HOME) and site.file_of(image) is not None
            site.expect(there, f"{name}: og:image: {image!r}")


def check_style_sheets(site: Site) -> None:
    for path in site.folder.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        site.expect(not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", text), f"{path}: loads from another host")


def run(torchleak: str, *arguments: str) -> str:
    return subprocess.run([torchleak, *arguments], capture_output=True, check=True, text=True).stdout


def check_rules(site: Site, torchleak: str) -> None:
    rules = json.loads(run(torchleak, "rule", "--all", "--output-format", "json"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "leak.py")
        file.write_text(LEAK, encoding="utf-8")
        options = ["--isolated", "--no-cache", "--exit-zero", "--output-format", "json"]
        finding = json.loads(run(torchleak, "check", str(file), *options))[0]
    start = finding["url"].removesuffix(finding["name"])
    site.expect(start != finding["url"] and start.startswith(HOME), f"address of a rule: {finding['url']}")
    overview = site.pages["rules/index.html"].links
    for rule in rules:
        name = site.file_of(start + rule["name"])
        site.expect(name in site.pages, f"{start}{rule['name']}: no page")
        site.expect(f"{rule['name']}/" in overview, f"rules/: no {rule['name']}")
        text = (site.folder / name).read_text(encoding="utf-8") if name else ""
        for part in ('class="tl-card"', 'class="tl-path"', f"<code>{rule['code']}</code>", "<desc "):
            site.expect(part in text, f"{name}: no {part}")
    index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))
    titles = {entry["title"] for entry in index["docs"]}
    for rule in rules:
        site.expect(any(rule["code"] in title for title in titles), f"search: no {rule['code']}")


def check_options(site: Site, torchleak: str) -> None:
    schema = json.loads(run(torchleak, "config", "schema"))
    page = site.pages["configuration/index.html"]
    for key in schema["properties"]:
        site.expect(key in page.ids, f"configuration/: no anchor for {key}")
    text = (site.folder / "configuration/index.html").read_text(encoding="utf-8")
    facts = text.count('class="tl-option"')
    site.expect(facts == len(schema["properties"]), f"configuration/: facts of {facts} options")
    shown = json.loads((site.folder / "schema.json").read_text(encoding="utf-8"))
    site.expect(shown == schema, "schema.json is another one")


def check_navigation(site: Site) -> None:
    linked = {site.file_of(urljoin(HOME, link)) for link in site.pages["index.html"].navigation}
    docs = [path.stem for path in (ROOT / "docs").glob("*.md")]
    for name in docs:
        page = "index.html" if name == "index" else f"{name}/index.html"
        site.expect(page in linked, f"docs/{name}.md is not in the navigation")
    site.expect(len(docs) > 10, "docs/ has few pages")


def check_this_test(site: Site) -> None:
    """What is broken is seen."""
    probe = Site(site.folder)
    for link in ("nowhere/", "#no-such-anchor", f"{WEB}/blob/main/no-such-file", "http://torchleak.example/"):
        check_link(probe, "index.html", link)
    probe.pages = {"p/index.html": Page('<p>a\n- b</p><img src="https://other.example/x.png">')}
    check_pages(probe)
    site.expect(len(probe.faults) == 9, f"of 9 faults these are seen: {probe.faults}")


def main() -> None:
    torchleak, folder = sys.argv[1:]
    site = Site(Path(folder).resolve())
    check_pages(site)
    check_style_sheets(site)
    check_rules(site, torchleak)
    check_options(site, torchleak)
    check_navigation(site)
    check_this_test(site)
    for fault in site.faults:
        print(f"FAIL: {fault}")
    print(f"{len(site.pages)} pages, {sum(len(page.links) for page in site.pages.values())} links")
    sys.exit(1 if site.faults else 0)


if __name__ == "__main__":
    main()
