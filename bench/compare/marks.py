"""What is to be found, and what only looks like it: marks of the fixtures, and the score of findings.

A Mark wants one of `patterns` at a statement, or (`wanted` False) forbids them there. An Area forbids
its patterns from line to line. The syntax of the marks: fixtures/README.md.
"""
import ast
import collections
import re

from tools import PEER_RULES, WHOLE_FILE

Mark = collections.namedtuple("Mark", "file line patterns wanted")
Area = collections.namedtuple("Area", "file first last patterns")
CODE = re.compile(r"TLK[1-9]\d\d")
CARETS = re.compile(r"^\s*#\s*(\^+|@[\d+:-]+)\s")


def rule_names(root):
    """{code: name} of the rules about training code (TLK1xx on), from the titles of their pages."""
    names = {}
    for page in sorted((root / "rules").glob("*/rule.md")):
        name, code = re.match(r"# ([\w-]+) \((TLK\d{3})\)", page.read_text()).groups()
        if CODE.match(code):
            names[code] = name
    return names


def write_probes(root, names, folder):
    """One idea a file. A file without a mark is a look-alike of every pattern."""
    marks, areas = [], []
    for source in sorted((root / "fixtures/probes").glob("*.py")):
        text = source.read_text()
        (folder / source.name).write_text(text)
        found = exact_marks(source.name, text, names)
        marks += found
        if not found:
            areas.append(Area(source.name, 1, text.count("\n") + 1, set(names.values())))
    return marks, areas


def write_cases(source, folder):
    """Marks `# expect: P` and `# ok: P`; in good_* and Good* a case's own patterns are forbidden."""
    marks, areas = [], []
    for path in sorted(source.rglob("*.py")):
        target = folder / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text()
        target.write_text(text)
        if path.parent != source or not path.name[0].isdigit():
            continue
        for number, line in enumerate(text.split("\n"), 1):
            for kind, patterns in re.findall(r"# (expect|ok): ([\w:|-]+)", line):
                marks.append(Mark(path.name, number, patterns.replace("other:", "").split("|"),
                                  kind == "expect"))
        header = re.search(r"^pattern:\s*(.+)$", text, re.M)
        own = {p.strip().replace("other:", "") for p in re.split(r"[,;]", header.group(1))} if header else set()
        for node in ast.parse(text).body if own else ():
            if getattr(node, "name", "").lower().startswith("good"):
                areas.append(Area(path.name, node.lineno, node.end_lineno, own))
    return marks, areas


def exact_marks(file, text, names):
    marks, code_line = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        below = CARETS.match(line)
        if not below:
            code_line = number
        comment = line[line.find("#"):] if "#" in line else ""
        codes = set(CODE.findall(comment.split(": ")[0] if below else comment))
        for code in sorted(codes & names.keys()):
            marks.append(Mark(file, code_line, [names[code]], "expect-fp" not in comment))
    return marks


class Places:
    """Where in a file a finding counts as being about a line."""

    def __init__(self, text):
        self.tree = ast.parse(text)
        self.statements = [n for n in ast.walk(self.tree) if isinstance(n, ast.stmt)]

    def around(self, line):
        return sorted((n for n in self.statements if first_line(n) <= line <= n.end_lineno),
                      key=lambda n: n.end_lineno - n.lineno)

    def statement(self, line):
        """First and last line of the statement; of a compound one, of its head."""
        around = self.around(line)
        return head(around[0]) if around else (line, line)

    def generous(self, line, patterns):
        """All lines that will do: the statement, the heads of what encloses it, and for a missing
        zero_grad() the whole function."""
        around = self.around(line)
        lines = set()
        for node in around:
            first, last = head(node)
            lines |= set(range(first, last + 1))
        functions = [n for n in around if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        if "missing-zero-grad" in patterns and functions:
            lines |= set(range(functions[0].lineno, functions[0].end_lineno + 1))
        return lines or {line}


def first_line(node):
    return min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])


def head(node):
    body = getattr(node, "body", None)
    return first_line(node), max(node.lineno, body[0].lineno - 1) if body else node.end_lineno


def score(tool, findings, marks, areas, folder):
    """{pattern: [marked, found, look-alikes, reported]} of one tool on one set. A mark with several
    names counts under the first; an area with several under "any"."""
    rules = PEER_RULES.get(tool)
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    places, blamed = {}, set()

    def counts_as(code, index):
        return {code} if rules is None else rules.get(code, (set(), set()))[index]

    wanted_files = {m.file for m in marks if m.wanted}
    for mark in marks:
        if mark.file not in places:
            places[mark.file] = Places((folder / mark.file).read_text())
        place, pattern = places[mark.file], mark.patterns[0]
        if mark.wanted:
            lines = place.generous(mark.line, mark.patterns)
            counts[pattern][0] += 1
            counts[pattern][1] += any(
                counts_as(f.code, 0) & set(mark.patterns)
                and (f.code in WHOLE_FILE or any(x in lines for x in (f.line, *f.steps)))
                for f in findings.get(mark.file, ()))
            continue
        first, last = place.statement(mark.line)
        hits = [f for f in findings.get(mark.file, ()) if counts_as(f.code, 1) & set(mark.patterns)
                and first <= f.line <= last and f.code not in WHOLE_FILE]
        counts[pattern][2] += 1
        counts[pattern][3] += bool(hits)
        blamed |= {(mark.file, f.line) for f in hits}
    for area in areas:
        hits = [f for f in findings.get(area.file, ())
                if counts_as(f.code, 1) & area.patterns and area.first <= f.line <= area.last
                and (area.file, f.line) not in blamed
                and not (f.code in WHOLE_FILE and area.file in wanted_files)]
        pattern = next(iter(area.patterns)) if len(area.patterns) == 1 else "any"
        counts[pattern][2] += 1
        counts[pattern][3] += bool(hits)
    return {k: v for k, v in sorted(counts.items())}
