"""schema_test.py TORCHLEAK VENV: `torchleak config schema` and what the program itself accepts agree.

Validates with jsonschema's Draft7Validator, which is installed into VENV when it is not there.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The section of a file as TOML. Each must be good, or bad, for the schema and for the program.
GOOD = [
    "",
    'select = ["ALL"]',
    'select = ["TLK1", "TLK203", "accumulated-tensor"]\nignore = ["TLK102"]',
    "select = []",
    'per-file-ignores = { "tests/*" = ["TLK1"], "!src/**" = ["ALL"], "*.pyi" = [] }',
    '[per-file-ignores]\n"tests/**" = ["TLK"]',
    'severity = { TLK1 = "note", TLK101 = "error" }',
    'target-version = "2.10"',
    'exclude = []\nextend-exclude = ["*_pb2.py", "/gen/", "../other"]',
    'fix = true\nunsafe-fixes = false\nfixable = ["ALL"]\nunfixable = ["TLK107"]',
    'output-format = "sarif"\nfail-on = "note"\nmin-confidence = "low"',
    'baseline = "known.json"\ncache-dir = "~/.cache/torchleak"',
]
BAD = [
    "selct = []",
    'select = "ALL"',
    "select = [1]",
    'select = ["TLK9"]',
    'select = [""]',
    'ignore = { TLK1 = true }',
    'per-file-ignores = ["tests/*"]',
    'per-file-ignores = { "tests/*" = "TLK1" }',
    'per-file-ignores = { "tests/*" = ["TLK9"] }',
    'per-file-ignores = { "" = ["TLK1"] }',
    'severity = { TLK9 = "note" }',
    'severity = { TLK1 = "off" }',
    'severity = "note"',
    "target-version = 2.4",
    'target-version = "2"',
    'target-version = "2.4.1"',
    "exclude = [\"\"]",
    'exclude = "build"',
    'fix = "true"',
    "fix = 1",
    'output-format = "xml"',
    'fail-on = "never"',
    'min-confidence = "none"',
    'baseline = ""',
    "cache-dir = false",
    "extend = []",
    "lint = {}",
]


def make_environment(folder):
    """Debian has the part of venv that brings pip in a package of its own."""
    try:
        venv.create(folder, with_pip=True, clear=True)
    except subprocess.CalledProcessError:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            sys.exit("python3 cannot make a virtual environment; on Debian: apt-get install python3-venv")
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "python3-venv"], check=True)
        venv.create(folder, with_pip=True, clear=True)


def validator_class(folder):
    """jsonschema's Draft7Validator; runs this script again inside of the environment if need be."""
    python = folder / "bin" / "python"
    if Path(sys.prefix).resolve() != folder.resolve():
        done = folder / "installed"
        wanted = (HERE / "requirements.txt").read_text()
        if not done.exists() or done.read_text() != wanted:
            make_environment(folder)
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run(install + ["-r", str(HERE / "requirements.txt")], check=True)
            done.write_text(wanted)
        os.execv(str(python), [str(python), *sys.argv])
    from jsonschema import Draft7Validator

    return Draft7Validator


def accepts(torchleak, toml):
    """Whether the program reads it, alone in a folder; also within pyproject.toml."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder}
        path = Path(folder, "torchleak.toml")
        path.write_text(toml)
        run = subprocess.run([torchleak, "config"], cwd=folder, env=environment,
                             capture_output=True, text=True, timeout=60)
        assert run.returncode in (0, 2), (toml, run)
        assert run.returncode == 0 or "torchleak.toml:" in run.stderr, (toml, run.stderr)
        return run.returncode == 0


def main():
    torchleak = str(Path(sys.argv[1]).resolve())
    validator_of = validator_class(Path(sys.argv[2]))
    import tomllib

    text = subprocess.run([torchleak, "config", "schema"], check=True, capture_output=True).stdout
    schema = json.loads(text)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    validator_of.check_schema(schema)
    validator = validator_of(schema)
    wrong = []

    def expect(good, toml):
        by_schema = validator.is_valid(tomllib.loads(toml))
        by_program = accepts(torchleak, toml)
        if by_schema != good or by_program != good:
            wrong.append(f"{'good' if good else 'bad'}: schema {by_schema}, program {by_program}: {toml}")

    for toml in GOOD:
        expect(True, toml)
    for toml in BAD:
        expect(False, toml)
    for key, option in schema["properties"].items():
        assert option["description"] and option["examples"], key
        for value in option["examples"] + ([option["default"]] if "default" in option else []):
            if not validator.is_valid({key: value}):
                wrong.append(f"the schema refuses its own example or default of {key}: {value}")
        for choice in option.get("enum", []):
            if key != "extend":
                expect(True, f'{key} = "{choice}"')
    # What is shown as the settings of a folder is a configuration itself.
    shown = subprocess.run([torchleak, "config", "--isolated"], check=True, capture_output=True)
    expect(True, shown.stdout.decode())
    print("\n".join(wrong) or f"ok: {len(GOOD)} good, {len(BAD)} bad, {len(schema['properties'])} options")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
