"""Arguments by the names of parameters, so that most blocks need no drive of their own."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any, Callable, Optional


def _loops(tree: ast.AST, name: str) -> list[tuple[ast.expr, list[ast.stmt]]]:
    """Targets (and bodies) of the loops over `name`, also within enumerate() and the like."""
    found: list[tuple[ast.expr, list[ast.stmt]]] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            names = [n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)]
            if name not in names:
                continue
            target: ast.expr = node.target
            call = node.iter.func if isinstance(node.iter, ast.Call) else None
            if isinstance(call, ast.Name) and call.id == "enumerate" and isinstance(target, ast.Tuple):
                target = target.elts[1]
            found.append((target, node.body if isinstance(node, ast.For) else []))
    return found


def items_of(function: Callable, name: str) -> int:
    """How many tensors the function takes from each turn of the loader `name`; 0: it does not say."""
    try:
        own = ast.parse(textwrap.dedent(inspect.getsource(function)))
        whole = ast.parse(inspect.getsource(inspect.getmodule(function) or function))
    except (OSError, TypeError, SyntaxError):
        return 0
    for target, body in _loops(own, name) + _loops(whole, name):  # or it hands the loader on
        if isinstance(target, (ast.Tuple, ast.List)):
            return len(target.elts)
        if isinstance(target, ast.Name):
            for node in [n for statement in body for n in ast.walk(statement)]:
                unpacks = isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
                if unpacks and node.value.id == target.id and isinstance(node.targets[0], ast.Tuple):
                    return len(node.targets[0].elts)
                if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == target.id:
                    return 2
            return 1
    return 0


def arguments(function: Callable, provide: Callable[[str, Callable], Any], given: dict[str, Any]) -> dict[str, Any]:
    """All that `function` needs: what is given, else what `provide` has for the name, else its default."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given:
            found[name] = given[name]
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        elif parameter.default is parameter.empty:
            found[name] = provide(name, function)
    unknown = set(given) - set(found)
    if unknown:
        raise TypeError(f"{getattr(function, '__name__', function)} has no parameter {', '.join(sorted(unknown))}")
    return found


def input_width(module: Any) -> Optional[int]:
    """What the first linear layer of a module takes."""
    for part in module.modules():
        if type(part).__name__ == "Linear":
            return int(part.in_features)
    return None
