"""The tables of docs/comparison.md and README.md, made from results.json. They stand between
`<!-- compare:NAME -->` and `<!-- /compare -->`; the rest of the page is written by hand.
"""
import pathlib
import re

import probes
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = (ROOT / "docs/comparison.md", ROOT / "README.md")
MIGRATION = ROOT / "docs/migrating-from-torchfix.md"
SETS = ("probes", "cases")
PEERS = tools.TOOLS[1:]

MADE_FOR = {
    "torch-preflight": "PyTorch training: graphs kept, gradients, loaders, losses, seeds; estimates GPU memory",
    "TorchFix": "PyTorch API: removed and deprecated functions, unsafe or unclear calls; rewrites them",
    "dslinter": "smells of data science code: pandas, NumPy, scikit-learn, TensorFlow, PyTorch (pylint plugin)",
    "mlpylint": "smells of machine learning code, from the same catalogue as dslinter's",
    "hotpath": "GPU throughput of PyTorch code: loaders, transfers, compilation, precision",
    "ruff": "Python in general: errors, style, imports, modernization",
}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def summed(scores, patterns):
    """[marked, found, look-alikes, reported] over the patterns."""
    rows = [row for pattern, row in scores.items() if pattern in patterns]
    return [sum(column) for column in zip(*rows)] if rows else [0, 0, 0, 0]


def peers(results):
    def named(tool):
        package = tools.PACKAGES[tool]
        other = f" (package `{package}`)" if package != tool else ""
        return f"{tool} {results['versions'][tool]}{other}"

    rows = [(named(tool), results["rules"][tool], MADE_FOR[tool]) for tool in MADE_FOR]
    return table(("tool", "rules", "made for"), rows)


def counts(results):
    patterns = {*results["patterns"], "any"}
    header, rows = ["tool"], []
    for name in SETS:
        marked, _, alike, _ = summed(results["sets"][name]["torchleak"], patterns)
        header.append(f"{name}: {marked}, {alike}")
    for tool in tools.TOOLS:
        row = [tool]
        for name in SETS:
            _, found, _, false = summed(results["sets"][name][tool], patterns)
            row.append(f"{found}, {false}")
        rows.append(row)
    return table(header, rows)


def by_pattern(results):
    rows = []
    for pattern in results["patterns"]:
        got = {tool: sum(results["sets"][name][tool].get(pattern, [0, 0])[1] for name in SETS)
               for tool in tools.TOOLS}
        marked = sum(results["sets"][name]["torchleak"].get(pattern, [0])[0] for name in SETS)
        if not marked:
            continue  # no file of these sets is about it
        others = ", ".join(f"{tool} {got[tool]}" for tool in PEERS if got[tool])
        rows.append((pattern, marked, got["torchleak"], others or "none"))
    return table(("pattern", "marked", "torchleak", "others"), rows)


def features(results):
    rows = []
    for key, text, _ in probes.PROBES:
        yes = results["features"][key]
        no = [tool for tool in tools.TOOLS if tool not in yes]
        rows.append((text, ", ".join(yes) or "none", ", ".join(no) or "none"))
    return table(("asked", "yes", "no"), rows)


def times(ratio):
    """Two digits: no more are certain."""
    return f"{ratio:.1f} ×" if ratio < 10 else f"{int(round(ratio, 2 - len(str(int(ratio)))))} ×"


def speed(results):
    got = results.get("speed")
    if not got:
        return "Not measured yet."
    base = got["seconds"]["torchleak"]
    rows = []
    for tool in sorted(tools.TOOLS, key=lambda t: got["seconds"][t]["cpu, one thread"]):
        one, wall = got["seconds"][tool]["cpu, one thread"], got["seconds"][tool]["wall, default"]
        rows.append((tool, f"{got['lines'] / one / 1000:,.1f}",
                     f"{one} s, {times(one / base['cpu, one thread'])}",
                     f"{wall} s, {times(wall / base['wall, default'])}"))
    text = (f"{got['lines']:,} lines in {got['files']} files of {got['name']}, medians of {got['runs']} runs. × is the "
            "ratio to torchleak, in two digits. No cache was used.\n\n")
    return text + table(("tool", "1,000 lines/s, one thread", "CPU time, one thread", "wall time, default"), rows)


def summary(results):
    """Both sets together, for the README."""
    patterns = {*results["patterns"], "any"}
    rows = []
    for tool in tools.TOOLS:
        marked, found, alike, false = (sum(column) for column in zip(
            *(summed(results["sets"][name][tool], patterns) for name in SETS)))
        rows.append((tool, found, false))
    return table(("tool", f"found, of {marked} marked lines", f"reported, of {alike} look-alikes"), rows)


TABLES = {"summary": summary, "peers": peers, "counts": counts, "patterns": by_pattern,
          "features": features, "speed": speed,
          "date": lambda results: f"Measured {results['date']}."}


def rendered(page, results):
    def fill(match):
        return f"<!-- compare:{match.group(1)} -->\n{TABLES[match.group(1)](results)}\n<!-- /compare -->"

    return re.sub(r"<!-- compare:([\w-]+) -->\n.*?<!-- /compare -->", fill, page.read_text(), flags=re.S)


def write(results):
    for page in PAGES:
        page.write_text(rendered(page, results))


def wrong(results):
    """What the pages say that the results do not."""
    faults = [f"{page.name}: a table is not what results.json says (compare.py render)"
              for page in PAGES if rendered(page, results) != page.read_text()]
    listed = re.findall(r"^\| (TOR\d{3}) \|", MIGRATION.read_text(), re.M)
    if listed != results["torchfix codes"]:
        odd = set(listed) ^ set(results["torchfix codes"])
        faults.append(f"docs/migrating-from-torchfix.md: not TorchFix's own list: {sorted(odd) or 'order'}")
    return faults
