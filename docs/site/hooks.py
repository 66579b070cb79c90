"""Events of mkdocs (mkdocs.yml: `hooks`). What happens in them is in torchleak_site/; README.md has the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from torchleak_site import cards, charts, headings, navigation, options, pages, rules
from torchleak_site.analyzer import Analyzer, AnalyzerError
from torchleak_site.links import LinkExtension
from torchleak_site.markdown_text import first_paragraph

ROOT = Path(__file__).resolve().parents[2]

CONFIGURATION = "docs/configuration.md"
FIXES = "docs/fixes.md"
RULES_HERE = "<!-- Rules: the site has their table here. -->"

# What README.md has for readers of GitHub, and the site has as pages.
MOVED = {
    "README.md": "docs/index.md",
    "README.md#one-finding": "docs/findings.md",
    "README.md#what-it-finds": pages.OVERVIEW,
}


class Site:
    """What one build knows."""

    def __init__(self, config: MkDocsConfig) -> None:
        analyzer = Analyzer(ROOT)
        self.rules = rules.load(analyzer, ROOT)
        self.by_source = {rule.source: rule for rule in self.rules}
        self.schema = analyzer.schema()
        self.links = LinkExtension(ROOT, config.repo_url or "", MOVED)
        self.titles: dict[str, str] = config.extra["rule_groups"]


class State:
    """mkdocs calls functions, and what they share has to be somewhere."""

    site: Site


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    try:
        State.site = Site(config)
    except (AnalyzerError, rules.PageError) as error:
        raise PluginError(str(error)) from error
    site = State.site
    extensions: list[Any] = config.markdown_extensions
    extensions.append(site.links)
    config.nav = navigation.fill(config.nav or [], ROOT, site.rules, site.titles)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    site = State.site
    files = pages.collect(config, ROOT, files)
    intro = config.extra["rules_intro"]
    made = [
        pages.generated(config, pages.OVERVIEW, cards.overview(site.rules, site.titles, intro)),
        pages.generated(config, pages.SCHEMA, json.dumps(site.schema, indent=2) + "\n"),
    ]
    for file in made:
        files.append(file)
    site.links.files = files
    return files


def _address(page: Page, files: Files, source: str) -> str:
    """The address of the page made from `source`, relative to `page`."""
    file = files.get_file_from_path(source)
    if file is None:
        raise PluginError(f"{source} is no page of the site")
    return file.url_relative_to(page.file)


def _rule_page(rule: rules.Rule, text: str, fixes: str) -> str:
    """The title, the card instead of the line that it shows, the drawing, and the rest."""
    title, _, rest = text.partition("\n")
    head, mark, body = rest.partition("\n## ")
    head = rules.without_facts(head).strip()  # the card has them
    top = [title, "", cards.rule_card(rule, fixes), "", head, "", cards.rule_drawing(rule), ""]
    return "\n".join(top) + mark + charts.with_charts(body)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    site = State.site
    source = page.file.src_uri
    site.links.page = source
    description = first_paragraph(markdown)
    if rule := site.by_source.get(source):
        description = rules.description(rule)
        page.meta.setdefault("search", {"boost": 20})  # who searches for a code wants its page
        markdown = _rule_page(rule, markdown, _address(page, files, FIXES))
    elif source == CONFIGURATION:
        markdown = options.with_facts(markdown, site.schema, _address(page, files, pages.SCHEMA))
    elif RULES_HERE in markdown:
        listed = cards.rule_list(rules.in_groups(site.rules), lambda rule: _address(page, files, rule.source))
        markdown = markdown.replace(RULES_HERE, listed)
    page.meta.setdefault("description", description[:300])
    return headings.with_anchors(markdown)
