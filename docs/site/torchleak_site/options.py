"""What the schema says of each option, put below its heading in docs/configuration.md.

The page has the words, the examples and the table; the schema has the types, defaults and allowed values in
full. Both are made from one table of options in src/config, and a test of each holds them to it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from typing import Any

from .markdown_text import heading_of, lines_of

MARK = "<!-- Options:"  # docs/configuration.md has one heading for each option behind it
_LONG = 60  # of a default: the page shows it in a block of its own


def _reference(part: Mapping[str, Any]) -> str:
    return str(part.get("$ref", "")).rpartition("/")[2]


def _type(part: Mapping[str, Any]) -> str:
    if "$ref" in part:
        return _reference(part)
    if part["type"] == "array":
        return f"list of {_type(part['items'])}s"
    if part["type"] == "object":
        return f"table: {_type(part['propertyNames'])} = {_type(part['additionalProperties'])}"
    return str(part["type"])


def _values(part: Mapping[str, Any]) -> list[str]:
    """Those that the option, or the values of its table, may have."""
    if part.get("type") == "boolean":
        return ["true", "false"]
    inner = part.get("additionalProperties")
    found = part.get("enum") or (inner.get("enum") if isinstance(inner, dict) else None)
    return [json.dumps(value) for value in found or []]


def _code(text: str) -> str:
    return f"<code>{html.escape(text, quote=False)}</code>"


def _facts(part: Mapping[str, Any]) -> str:
    rows = [("Type", html.escape(_type(part), quote=False))]
    default = json.dumps(part["default"]) if "default" in part else None
    if default is None:
        rows.append(("Default", "not set"))
    elif len(default) <= _LONG:
        rows.append(("Default", _code(default)))
    if values := _values(part):
        rows.append(("Allowed", " ".join(_code(value) for value in values)))
    if "pattern" in part:
        rows.append(("Form", _code(part["pattern"])))
    cells = "".join(f"<div><dt>{term}</dt><dd>{value}</dd></div>" for term, value in rows)
    return f'<dl class="tl-option">{cells}</dl>'


def _definitions(schema: Mapping[str, Any]) -> str:
    told = []
    for name, part in schema["definitions"].items():
        words = part["description"]
        told.append(f"a *{name}* is {words[0].lower()}{words[1:]}")
    return f"In the types below, {'; '.join(told)}."


def with_facts(text: str, schema: Mapping[str, Any], schema_address: str) -> str:
    properties = schema["properties"]
    out: list[str] = []
    here = False
    for line, fenced in lines_of(text):
        out.append(line)
        here = here or line.startswith(MARK)
        if line.startswith(MARK):
            out += ["", f"{_definitions(schema)} As JSON: [the schema]({schema_address}).", ""]
        heading = None if fenced or not here else heading_of(line)
        if heading and heading[1] in properties:
            out += ["", _facts(properties[heading[1]]), ""]
    return "\n".join(out)


