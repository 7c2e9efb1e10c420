"""Change one place of a Python source: find the nodes that a rule fits, and write the source for each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

Rule = Callable[[ast.AST], str | None]
"""What stands instead of a node, as source; None if the rule does not fit the node."""


def rewritten(source: str, rule: Rule) -> Iterator[str]:
    """The source with one fitting node replaced, for each fitting node, in the order of the source."""
    places = [
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.expr | ast.stmt) and rule(node) is not None
    ]
    for place in sorted(set(places)):
        tree = ast.parse(source)
        _AtPlace(rule, place).visit(tree)
        yield ast.unparse(ast.fix_missing_locations(tree)) + "\n"


class _AtPlace(ast.NodeTransformer):
    """Replaces the outermost fitting node at one place, once."""

    def __init__(self, rule: Rule, place: tuple[int, int]) -> None:
        self.rule, self.place, self.done = rule, place, False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:
        here = (getattr(node, "lineno", None), getattr(node, "col_offset", None)) == self.place
        if here and not self.done and (new := self.rule(node)) is not None:
            self.done = True
            if isinstance(node, ast.stmt):
                return ast.parse(new).body
            return ast.parse(new, mode="eval").body
        found: ast.AST = self.generic_visit(node)
        return found


def written(node: ast.AST) -> str:
    """A node as source."""
    return ast.unparse(node)


def called(node: ast.AST) -> str:
    """The name of what is called: `abs`, or `loads` of `json.loads`; empty for anything but a call."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""
