"""The part of GitHub's expression language that action.yml and the workflows use."""

import re

TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<op>&&|\|\||==|!=|<=|>=|[()!<>,])|(?P<number>\d+)"
                   r"|(?P<name>[A-Za-z_][\w.*-]*))")
OPERATORS = {"&&": " and ", "||": " or ", "!": " not ", "true": "True", "false": "False", "null": "None"}
FUNCTIONS = ("success", "failure", "always", "cancelled", "startsWith", "endsWith", "contains", "format",
             "fromJSON", "toJSON")


def _python(expression):
    out, at = [], 0
    expression = expression.strip()
    while at < len(expression):
        token = TOKEN.match(expression, at)
        if not token:
            raise ValueError(f"expression not understood: {expression!r} at {expression[at:]!r}")
        at = token.end()
        text, name = token["text"], token["name"]
        if text:
            out.append(repr(text[1:-1].replace("''", "'")))
        elif token["op"]:
            out.append(OPERATORS.get(token["op"], token["op"]))
        elif token["number"]:
            out.append(token["number"])
        elif name in OPERATORS:
            out.append(OPERATORS[name])
        elif name in FUNCTIONS:
            out.append(f"functions[{name!r}]")
        else:
            out.append(f"look({name!r})")
    return "".join(out)


def evaluate(expression, contexts, functions=None):
    def look(name):
        value = contexts
        for part in name.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value

    own = {"startsWith": lambda a, b: str(a).startswith(b), "contains": lambda a, b: b in a,
           "always": lambda: True, "cancelled": lambda: False, **(functions or {})}
    return eval(_python(expression), {"__builtins__": {}}, {"look": look, "functions": own})


def filled(text, contexts, functions=None):
    """`text` with its ${{ … }} pasted in, as the runner does."""
    def paste(match):
        value = evaluate(match[1], contexts, functions)
        return {True: "true", False: "false", None: ""}.get(value, str(value))

    if isinstance(text, bool):
        return "true" if text else "false"
    return re.sub(r"\$\{\{(.*?)\}\}", paste, str(text), flags=re.DOTALL)
