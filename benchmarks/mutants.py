"""Small random changes of a source file, which a test suite should notice.

A mutant replaces one comparison, constant, negation, ``and`` or ``or``, sum, minimum or condition,
or drops one call whose value is not used. Assertions, annotations, docstrings, cache sizes, checks
of equal lengths and constants named after patience are left alone, because no behaviour depends on
them, or not to the second.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
_WITHOUT_MEANING = {"lru_cache", "LRUCache", "TTLCache", "dataclass"}
_PATIENCE = re.compile("PATIENCE|TIMEOUT|GRACE")

EQUAL = Path(__file__).with_name("mutants_equal.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of a file: the bytes from ``start`` to ``end`` become ``after``.

    ``function`` is the qualified name of the enclosing function, empty for code that runs at
    import. ``text`` is the line without its comment, and ``name`` describes the change.
    """

    path: str
    line: int
    text: str
    function: str
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """The change in words."""
        before, after = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{before} -> {after}"

    def applied(self, source: bytes) -> bytes:
        """The changed file."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of a file, in order."""
    yield from _Walk(path, source).all()


def equal(path: str) -> frozenset[tuple[str, str]]:
    """Lines and names of mutants that are equivalent to the file, or without a visible effect."""
    listed = tomllib.loads(EQUAL.read_text(encoding="utf-8"))["mutant"]
    return frozenset((_code(one["line"]), one["change"]) for one in listed if one["path"] == path)


def _code(line: str) -> str:
    """A line without the comment behind it, which may be reworded."""
    return line.partition("  # ")[0].strip()


class _Walk:
    def __init__(self, path: str, source: bytes) -> None:
        self._path, self._source = path, source
        self._lines = [0]
        self._rows = source.splitlines(keepends=True)
        for line in self._rows:
            self._lines.append(self._lines[-1] + len(line))

    def all(self) -> Iterator[Mutant]:
        yield from self._inside(ast.parse(self._source), "", "")

    def _inside(self, node: ast.AST, function: str, scope: str) -> Iterator[Mutant]:
        for child in ast.iter_child_nodes(node):
            if _is_without_meaning(child, node):
                continue
            inner, inside = function, scope
            if isinstance(child, ast.stmt) and isinstance(node, _FUNCTIONS):
                inner = scope.removesuffix(".<locals>.")
            if isinstance(child, _FUNCTIONS):
                inside = f"{scope}{child.name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                inside = f"{scope}{child.name}."
            for part, after in _changes(child, node):
                yield self._mutant(part, after, inner)
            yield from self._inside(child, inner, inside)

    def _mutant(self, node: ast.expr | ast.stmt, after: str, function: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        end = self._lines[node.end_lineno - 1] + node.end_col_offset
        return Mutant(
            path=self._path,
            line=node.lineno,
            text=_code(self._rows[node.lineno - 1].decode()),
            function=function,
            start=start,
            end=end,
            before=self._source[start:end].decode(),
            after=after,
        )


def _is_without_meaning(child: ast.AST, parent: ast.AST) -> bool:
    match child, parent:
        case (ast.Call(func=ast.Name(id=name)), _) if name in _WITHOUT_MEANING:
            return True
        case (ast.expr(), ast.Assign(targets=[ast.Name(id=name)])) if _PATIENCE.search(name):
            return True
        case (ast.Constant(), ast.keyword(arg="strict")):
            return True
        case (ast.Assert() | ast.arguments(), _):
            return isinstance(child, ast.Assert)
        case (ast.expr(), ast.AnnAssign(annotation=annotation)) if child is annotation:
            return True
        case (ast.expr(), ast.arg()):
            return True
        case (ast.expr(), ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns)):
            return child is returns
        case (ast.If(test=ast.Name(id="TYPE_CHECKING")), _):
            return True
    return False


def _changes(node: ast.AST, parent: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.Compare(left=left, ops=[first, *rest], comparators=comparators):
            changed = ast.Compare(left, [_COMPARED[type(first)](), *rest], comparators)
            yield node, f"({ast.unparse(changed)})"
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, f"bool({ast.unparse(operand)})"
        case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right) if not (
            isinstance(left, ast.Constant | ast.JoinedStr) and not _is_number(left)
        ):
            other_op = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield node, f"({ast.unparse(ast.BinOp(left, other_op, right))})"
        case ast.Constant() if not isinstance(parent, ast.Expr | ast.JoinedStr):
            yield from _constant(node)
        case ast.Call(func=ast.Name(id=name)) if name in _NAMES:
            yield node.func, _NAMES[name]
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            yield node, "pass"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if not isinstance(
            test, ast.Compare | ast.UnaryOp | ast.Constant
        ):
            yield test, f"(not ({ast.unparse(test)}))"


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _constant(node: ast.Constant) -> Iterator[tuple[ast.expr, str]]:
    match node.value:
        case bool():
            yield node, str(not node.value)
        case int() | float():
            yield node, str(node.value + 1)
