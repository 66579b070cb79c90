"""check_formats.py FOLDER EXPECTED SAMPLE: reads the golden outputs as the services do that they are for.

Each check holds an output against what the service documents, written down here: fields, types,
values, escapes. FOLDER takes junitparser, installed there from PyPI on the first run. EXPECTED holds
the outputs, SAMPLE the files that they speak of.
"""

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

FOLDER, EXPECTED, SAMPLE = (pathlib.Path(p) for p in sys.argv[1:4])
RUNS = ("sample", "clean", "hostile", "notebook")
ROOT = {"hostile": "/repo/</title>"}
failures = []


def check(condition, where, what):
    if not condition:
        failures.append(f"{where}: {what}")


def text(run, ending):
    data = (EXPECTED / f"{run}{ending}").read_bytes()
    return data.decode("utf-8")  # strict: every output is UTF-8


def relative(run, filename):
    return filename.removeprefix(ROOT.get(run, "/repo") + "/")


def expected_findings(run):
    return json.loads(text(run, ".json"))


def check_json_lines(run):
    lines = text(run, ".jsonl").splitlines()
    check([json.loads(line) for line in lines] == expected_findings(run), run, "json-lines is not json")


def check_gitlab(run):
    # https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    issues = json.loads(text(run, ".gitlab.json"))
    check(len(issues) == len(expected_findings(run)), run, "gitlab: number of issues")
    fingerprints = set()
    for issue in issues:
        where = f"{run} gitlab {issue.get('check_name')}"
        for key in ("description", "check_name", "fingerprint", "severity"):
            check(isinstance(issue.get(key), str) and issue[key], where, key)
        check(issue["severity"] in ("info", "minor", "major", "critical", "blocker"), where, "severity")
        location = issue["location"]
        check(not location["path"].startswith(("/", "./")), where, "path is not relative")
        check(location["lines"]["begin"] >= 1, where, "lines.begin")
        for end in ("begin", "end"):
            position = location["positions"][end]
            check(position["line"] >= 1 and position["column"] >= 1, where, "positions")
        check(location["positions"]["begin"]["line"] == location["lines"]["begin"], where, "two lines")
        fingerprints.add(issue["fingerprint"])
    check(len(fingerprints) == len(issues), run, "gitlab: a fingerprint stands twice")


def check_range(where, span):
    start, end = span["start"], span["end"]
    check(min(start["line"], start["column"], end["line"], end["column"]) >= 1, where, "range below 1")
    check((start["line"], start["column"]) <= (end["line"], end["column"]), where, "range is reversed")


def check_rdjson(run):
    # https://github.com/reviewdog/reviewdog/blob/master/proto/rdf/jsonschema/DiagnosticResult.json
    result = json.loads(text(run, ".rd.json"))
    check(set(result) <= {"diagnostics", "source", "severity"}, run, "rdjson: unknown key")
    severities = ("UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO")
    check(result["severity"] in severities, run, "rdjson: severity")
    check(set(result["source"]) <= {"name", "url"}, run, "rdjson: source")
    keys = {"message", "location", "severity", "source", "code", "suggestions", "original_output",
            "related_locations"}
    for diagnostic in result["diagnostics"]:
        where = f"{run} rdjson {diagnostic['code']['value']}"
        check(set(diagnostic) <= keys, where, "unknown key")
        check(isinstance(diagnostic["message"], str), where, "message")
        check(diagnostic["severity"] in severities, where, "severity")
        check(set(diagnostic["code"]) <= {"value", "url"}, where, "code")
        related = diagnostic.get("related_locations", [])
        for location in [diagnostic["location"], *(r["location"] for r in related)]:
            check(set(location) <= {"path", "range"}, where, "location")
            check_range(where, location["range"])
        for suggestion in diagnostic.get("suggestions", []):
            check(set(suggestion) == {"range", "text"}, where, "suggestion")
            check_range(where, suggestion["range"])
            check_suggestion(where, diagnostic["location"]["path"], suggestion)


def check_suggestion(where, path, suggestion):
    """Applied to the file, what is Python or JSON stays so. Columns count bytes."""
    file = SAMPLE / path
    if not file.is_file():
        return
    lines = file.read_bytes().split(b"\n")
    offset = lambda p: sum(len(line) + 1 for line in lines[: p["line"] - 1]) + p["column"] - 1
    data = file.read_bytes()
    begin, end = offset(suggestion["range"]["start"]), offset(suggestion["range"]["end"])
    changed = (data[:begin] + suggestion["text"].encode() + data[end:]).decode("utf-8")
    try:
        json.loads(changed) if path.endswith(".ipynb") else compile(changed, path, "exec")
    except (ValueError, SyntaxError) as error:
        check(False, where, f"the suggestion breaks {path}: {error}")


def check_sarif_fixes(run):
    """A notebook's fix is text of its JSON: applied, it is the notebook that the edits make."""
    def offset(data, row, column):  # columns count UTF-16 units
        lines = data.split("\n")
        start = sum(len(line) + 1 for line in lines[: row - 1])
        units = lines[row - 1].encode("utf-16-le")[: 2 * (column - 1)]
        return start + len(units.decode("utf-16-le"))

    count = 0
    for result in json.loads(text(run, ".sarif"))["runs"][0]["results"]:
        for change in (c for fix in result.get("fixes", []) for c in fix["artifactChanges"]):
            file = SAMPLE / change["artifactLocation"]["uri"]
            if file.suffix != ".ipynb":
                continue
            data = file.read_text(encoding="utf-8")
            for replacement in reversed(change["replacements"]):
                region = replacement["deletedRegion"]
                begin = offset(data, region["startLine"], region["startColumn"])
                end = offset(data, region["endLine"], region["endColumn"])
                data = data[:begin] + replacement["insertedContent"]["text"] + data[end:]
            before = json.loads(file.read_text(encoding="utf-8"))
            after = json.loads(data)
            cell = result["properties"]["cell"] - 1
            source = "".join(after["cells"][cell]["source"])
            check(".item()" in source, run, f"sarif: the fix is not in cell {cell + 1}: {source}")
            check("".join(before["cells"][cell]["source"]) != source, run, "sarif: nothing changed")
            after["cells"][cell]["source"] = before["cells"][cell]["source"]
            check(after == before, run, "sarif: the fix changes more than its cell")
            count += 1
    check(run != "notebook" or count == 2, run, "sarif: fixes of notebooks")


def check_junit(run):
    data = text(run, ".junit.xml")
    suites = ElementTree.fromstring(data)
    cases = suites.findall("./testsuite/testcase")
    check(int(suites.get("tests")) == len(cases) > 0, run, "junit: tests")
    check(int(suites.get("failures")) == len(suites.findall(".//failure")), run, "junit: failures")
    check(int(suites.get("errors")) == len(suites.findall(".//error")), run, "junit: errors")
    for suite in suites:
        check(int(suite.get("tests")) == len(suite.findall("testcase")), run, "junit: suite's tests")
    names = [suite.get("name") for suite in suites]
    check(len(set(names)) == len(names), run, "junit: a suite stands twice")
    import junitparser

    xml = junitparser.JUnitXml.fromstring(data.encode())
    read = [case for suite in xml for case in suite]
    check(len(read) == len(cases), run, "junitparser reads other cases")
    check(all(case.is_passed for case in read) == (run == "clean"), run, "junitparser: passed")
    failed = sum(isinstance(r, junitparser.Failure) for case in read for r in case.result)
    check(failed == len(expected_findings(run)), run, "junitparser: failures")


def check_lines(run, ending, pattern, unescape):
    """One line for each finding, which the pattern takes apart into path and severity."""
    lines = text(run, ending).splitlines()
    findings = expected_findings(run)
    check(len(lines) == len(findings), run + ending, "number of lines")
    for line, finding in zip(lines, findings):
        match = re.fullmatch(pattern, line)
        check(match, run + ending, f"cannot be read: {line}")
        if not match:
            continue
        path = unescape(match["path"])
        check(path == relative(run, finding["filename"]), run + ending, f"path {path}")
        check(int(match["line"]) >= 1 and int(match["column"]) >= 1, run + ending, "position")
        message = unescape(match["message"])
        check(not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", message), run + ending, "control character")


def unescaped(pairs):
    def undo(value):
        for code, char in pairs:
            value = value.replace(code, char)
        return value
    return undo


def main():
    target = FOLDER / "python"
    sys.path.insert(0, str(target))
    if not (target / "junitparser").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(target), "junitparser==3.2.0"]
        subprocess.run(pip, check=True)
    github = [("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")]
    azure = [("%3B", ";"), ("%5D", "]"), ("%0A", "\n"), ("%0D", "\r"), ("%AZP25", "%")]
    for run in RUNS:
        check_json_lines(run)
        check_gitlab(run)
        check_rdjson(run)
        check_sarif_fixes(run)
        check_junit(run)
        check_lines(run, ".github.txt",
                    r"::(error|warning|notice) file=(?P<path>[^,:]*),line=(?P<line>\d+),col=(?P<column>\d+),"
                    r"endLine=\d+,endColumn=\d+,title=[^,:]*::(?P<message>.*)", unescaped(github))
        check_lines(run, ".azure.txt",
                    r"##vso\[task\.logissue type=(error|warning);sourcepath=(?P<path>[^;\]]*);"
                    r"linenumber=(?P<line>\d+);columnnumber=(?P<column>\d+);code=TLK\d+;\](?P<message>.*)",
                    unescaped(azure))
        check_lines(run, ".pylint.txt",
                    r"(?P<path>.*?):(?P<line>\d+):(?P<column>\d+): \[TLK\d+\([a-z-]+\), [^\]]*\] (?P<message>.*)",
                    lambda value: value)
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
