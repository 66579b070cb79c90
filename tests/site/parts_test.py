"""The parts of docs/site/torchleak_site that decide something, each by itself."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))

from mkdocs.structure.files import File, Files  # noqa: E402
from torchleak_site import (  # noqa: E402
    charts,
    drawing,
    headings,
    links,
    markdown_text,
    options,
    rules,
)
from torchleak_site.analyzer import Finding, Step  # noqa: E402

PAGE = """# name (TLK900)

- **Severity**: error; warning once `x`
- **Cost**: **5 MB** a step

## Bad
Text:

````python
x = "```"
# not a heading
````

```text
no Python
```

## Good
```python
y = 1
```
"""


class MarkdownText(unittest.TestCase):
    def test_sections_and_blocks(self) -> None:
        titles = [section.title for section in markdown_text.sections(PAGE)]
        self.assertEqual(titles, ["", "name (TLK900)", "Bad", "Good"])
        self.assertEqual(rules.bad_blocks(PAGE), ['x = "```"\n# not a heading\n'])

    def test_facts(self) -> None:
        facts = {"Severity": "error; warning once `x`", "Cost": "**5 MB** a step"}
        self.assertEqual(rules.facts_of(PAGE), facts)
        self.assertEqual(rules.facts_of("# name\n\n## Bad\n- **Cost**: not here\n"), {})
        self.assertEqual(rules.without_facts("- **Cost**: x\nwords"), "words")

    def test_slugs_are_those_of_github(self) -> None:
        self.assertEqual(markdown_text.slug("What `--fix` promises"), "what---fix-promises")
        self.assertEqual(markdown_text.slug("8. Other files"), "8-other-files")
        text = headings.with_anchors("## a b\n### a b\n```\n# a b\n```\n# a b")
        self.assertEqual(text, "## a b\n### a b { #a-b-1 }\n```\n# a b\n```\n# a b { #a-b-2 }")

    def test_html_is_escaped(self) -> None:
        self.assertEqual(markdown_text.inline_html("`a<b` & **c**"), "<code>a&lt;b</code> &amp; <strong>c</strong>")


class Links(unittest.TestCase):
    def setUp(self) -> None:
        self.links = links.LinkExtension(ROOT, "https://web.example/", {"README.md#x": "rules/index.md"})
        self.links.page = "docs/fixes.md"
        self.links.files = Files([File("docs/baseline.md", str(ROOT), "out", True)])

    def test_targets(self) -> None:
        for link, target in {
            "baseline.md#it-shrinks": "baseline.md#it-shrinks",
            "../src/flow/events.h": "https://web.example/blob/main/src/flow/events.h",
            "../src": "https://web.example/tree/main/src",
            "../README.md#x": "../rules/index.md",
            "../README.md#y": "https://web.example/blob/main/README.md#y",
            "nowhere.md": "nowhere.md",  # for mkdocs to complain about
            "#here": "#here",
            "https://other.example/a.md": "https://other.example/a.md",
        }.items():
            self.assertEqual(self.links.target(link), target)


class Charts(unittest.TestCase):
    def test_tables_of_sizes_get_one(self) -> None:
        rows = "| `a` | none | peak 1,000 MB: x |\n| b | none | **2 GB** |"
        text = charts.with_charts(f"| what | growth | peak |\n|---|---|---|\n{rows}\n\nend")
        self.assertIn("<figcaption>peak</figcaption>", text)
        self.assertIn("width:50.00%", text)
        self.assertIn("width:100.00%", text)
        self.assertTrue(text.rstrip().endswith("end"))

    def test_others_do_not(self) -> None:
        for rows in ("| x | 3 files |\n| y | 4 MB |", "| x | none |\n| y | none |"):
            table = f"| a | b |\n|---|---|\n{rows}"
            self.assertEqual(charts.with_charts(table).rstrip(), table)
        fenced = "```\n| a | 1 MB |\n|---|---|\n| a | 1 MB |\n| b | 2 MB |\n```"
        self.assertEqual(charts.with_charts(fenced).rstrip(), fenced)


class Drawing(unittest.TestCase):
    def draw(self, code: str, flow: tuple[Step, ...], place: Step) -> str:
        finding = Finding("TLK900", "warning", place.message, place, flow, None)
        example = rules.Example(code, finding)
        rule = rules.Rule("TLK900", "name", "warning", "s", "warning", "c", True, frozenset(), example)
        return drawing.draw(rule)

    def test_steps_in_order_with_the_finding_last(self) -> None:
        svg = self.draw("a = 1\nb = a  # TLK900\n", (Step(1, 1, 1, 2, "made <here>"),), Step(2, 1, 2, 6, "kept"))
        self.assertIn("1. Line 1: made &lt;here&gt;. 2. Line 2: reported here.", svg)
        self.assertEqual(svg.count("tl-dot"), 2)
        self.assertNotIn("# TLK900", svg)

    def test_a_path_that_goes_up_has_an_arc(self) -> None:
        place = Step(3, 1, 4, 2, "kept")
        flow = (Step(2, 1, 2, 2, "one"), place, Step(1, 1, 1, 2, "outlives"))
        svg = self.draw("for x in y:\n  b\n  c(\n  )\n", flow, place)
        self.assertEqual(svg.count("tl-dot"), 3)
        self.assertIn("Q", svg)

    def test_a_place_behind_the_end_of_its_line(self) -> None:
        self.assertIn("tl-underline", self.draw("x\n", (), Step(1, 2, 1, 2, "here")))


class Options(unittest.TestCase):
    def test_facts(self) -> None:
        schema = {
            "properties": {"k": {"type": "string", "enum": ["a", "b"], "default": "a"}},
            "definitions": {"pattern": {"description": "As in X"}},
        }
        text = options.with_facts(f"### k\n{options.MARK} -->\n### k\nWords.", schema, "../schema.json")
        self.assertEqual(text.count("tl-option"), 1)
        self.assertIn('<code>"a"</code> <code>"b"</code>', text)
        self.assertIn("a *pattern* is as in X", text)


if __name__ == "__main__":
    unittest.main()
