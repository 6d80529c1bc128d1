"""Small changes of the source that a good test notices, drawn at random by ``mutants.py``.

A change is made at the offsets of a node of the syntax tree, so the rest of the file stays as it
is. Docstrings, messages, annotations, decorators, logging and ``__all__`` are left alone.
"""

from __future__ import annotations

import ast
import math
import random
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SWAPS: Final = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"), ast.Is: ("is", "is not"), ast.IsNot: (r"is\s+not", "is"),
    ast.Add: (r"\+", "-"), ast.Sub: ("-", "+"), ast.Mult: (r"\*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: (r"\*\*", "*"),
    ast.BitAnd: ("&", "|"), ast.BitOr: (r"\|", "&"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip
_UNTOUCHED_CALL: Final = re.compile(r"(?i)\b(log|logger|logging|TypeVar|NewType)\b")
_KERNEL: Final = re.compile(r"\b(kernel|n?jit)\b")
_FEWEST: Final = 3

Change = tuple[str, int, int, str]
"""An operator, the offsets of what it replaces, and the new text."""


@dataclass(frozen=True)
class Mutant:
    """One change of the source, and the lines whose execution shows it to a test."""

    file: str
    line: int
    operator: str
    start: int
    stop: int
    new: str
    span: range
    function: str | None
    once: bool

    @property
    def package(self) -> str:
        """The package of petaudit; petaudit itself for the modules directly in it."""
        _, top, *folders, _ = Path(self.file).parts
        return folders[0] if folders else top

    @property
    def key(self) -> str:
        """What identifies it among the mutants of one source."""
        return f"{self.file}:{self.line}:{self.start}-{self.stop}:{self.operator}"

    def apply(self, source: bytes) -> bytes:
        """Return the source with the change in it."""
        return source[: self.start] + self.new.encode() + source[self.stop :]


class Module:
    """A file of the source: all its mutants, its compiled kernels, and which lines call what."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.mutants: list[Mutant] = []
        self.kernels: set[str] = set()
        self.calls: dict[str, set[int]] = defaultdict(set)
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._visit(ast.parse(source), range(0), None, True)

    @property
    def code_lines(self) -> int:
        """How many lines are neither blank nor comments."""
        return sum(line.strip()[:1] not in (b"", b"#") for line in self.source.splitlines())

    def _visit(self, node: ast.AST, span: range, function: str | None, once: bool) -> None:
        """Collect the mutants of a node and of those below it."""
        if _is_untouched(node):
            return
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            span = range(node.lineno, max(node.lineno, last or 0) + 1)
        for operator, start, stop, new in self._changes(node):
            line = self.source.count(b"\n", 0, start) + 1
            self.mutants.append(
                Mutant(self.file, line, operator, start, stop, new, span, function, once)
            )
        children: list[ast.AST] = list(ast.iter_child_nodes(node))
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                decorators = " ".join(map(ast.unparse, node.decorator_list))
                if _KERNEL.search(decorators):
                    self.kernels.add(node.name)
                for statement in node.body:
                    self._visit(statement, span, node.name, "cache" in decorators)
                children = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            case ast.ClassDef():
                children = list(node.body)
            case ast.AnnAssign():
                children = [node.value] if node.value else []
            case ast.Call(ast.Name("cast")):
                children = [node.args[1]]
            case ast.Call(ast.Name(name)):
                self.calls[name].add(node.lineno)
        for child in children:
            self._visit(child, span, function, once)

    def _changes(self, node: ast.AST) -> Iterator[Change]:
        """Yield the changes of a node itself."""
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                for index, operator in enumerate(node.ops):
                    yield from self._swap("comparison", operator, *operands[index : index + 2])
            case ast.BinOp(left, operator, right) if not _is_text(left) and not _is_text(right):
                yield from self._swap("arithmetic", operator, left, right)
            case ast.BoolOp(operator, values):
                yield from self._swap("boolean", operator, values[0], values[1])
            case ast.UnaryOp(ast.Not(), operand):
                yield "not dropped", *self._range(node), f"({self._text(operand)})"
            case ast.Constant(bool(value)):
                yield "truth", *self._range(node), str(not value)
            case ast.Constant(int(value)):
                yield "constant", *self._range(node), str(value + 1)
            case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
                yield "return", *self._range(value), "None"
            case ast.Slice(lower, upper):
                for bound in filter(None, (lower, upper)):
                    if not isinstance(bound, ast.Constant):
                        yield "slice", *self._range(bound), f"({self._text(bound)}) + 1"
            case ast.Expr(ast.Call()):
                yield "statement deleted", *self._range(node), "pass"
            case ast.AugAssign():
                yield "statement deleted", *self._range(node), "pass"
                yield from self._swap("arithmetic", node.op, node.target, node.value)
            case ast.Call(ast.Name("min" | "max") | ast.Attribute(attr="min" | "max")):
                stop = self._range(node.func)[1]
                is_min = self.source[stop - 3 : stop] == b"min"
                yield "extreme", stop - 3, stop, "max" if is_min else "min"
        conditions: list[ast.expr] = getattr(node, "ifs", [])
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            conditions = [node.test]
        for condition in conditions:
            yield "condition", *self._range(condition), f"(not ({self._text(condition)}))"

    def _swap(
        self, kind: str, operator: ast.AST, left: ast.expr, right: ast.expr
    ) -> Iterator[Change]:
        """Yield the change of the operator that stands between two operands."""
        old, new = _SWAPS.get(type(operator), ("", ""))
        start, stop = self._range(left)[1], self._range(right)[0]
        match = re.search(rf"[)\s]*({old})", self.source[start:stop].decode())
        if old and match:
            yield kind, start + match.start(1), start + match.end(1), new

    def _range(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the offsets of a node in bytes, in which ``ast`` counts columns as well."""
        last = node.end_lineno or node.lineno
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[last - 1] + (node.end_col_offset or 0)

    def _text(self, node: ast.expr) -> str:
        start, stop = self._range(node)
        return self.source[start:stop].decode()


def _is_text(node: ast.expr) -> bool:
    is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_string or isinstance(node, ast.JoinedStr)


def _is_untouched(node: ast.AST) -> bool:
    """Whether it is no behaviour, or a string whose parts have no offsets before Python 3.12."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.If(test):
            return bool(re.search("TYPE_CHECKING|__name__", ast.unparse(test)))
        case ast.Assign([ast.Name(name)], value):
            is_union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
            return name == "__all__" or (is_union and name[0].isupper()) or _is_untouched(value)
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case ast.Expr(value):
            return _is_untouched(value)
        case ast.Call(function):
            return bool(_UNTOUCHED_CALL.search(ast.unparse(function)))
        case ast.FunctionDef():
            return any("overload" in ast.unparse(one) for one in node.decorator_list)
    return False


def read_modules(tree: Path) -> list[Module]:
    """Read the source of a tree."""
    files = sorted(path for path in (tree / "src").rglob("*.py") if path.name != "_version.py")
    return [Module(path.relative_to(tree).as_posix(), path.read_bytes()) for path in files]


def draw_mutants(modules: Sequence[Module], count: int, seed: int) -> list[Mutant]:
    """Draw mutants that compile: of each package its share by lines, of a line at most one."""
    sources = {module.file: module.source for module in modules}
    lines: Counter[str] = Counter()
    places: dict[str, dict[tuple[str, int], list[Mutant]]] = defaultdict(dict)
    for module in modules:
        for mutant in module.mutants:
            places[mutant.package].setdefault((mutant.file, mutant.line), []).append(mutant)
        if module.mutants:
            lines[module.mutants[0].package] += module.code_lines
    drawn: list[Mutant] = []
    for package, by_line in sorted(places.items()):
        chance = random.Random(f"{seed} {package}")  # noqa: S311 (nothing is kept secret)
        wanted = max(_FEWEST, math.ceil(count * lines[package] / lines.total()))
        for place in chance.sample(sorted(by_line), len(by_line)):
            mutant = chance.choice(by_line[place])
            if mutant.operator == "return" and chance.random() < 2 / 3:
                continue  # by far the most frequent, and the easiest to notice
            if wanted and _compiles(mutant.apply(sources[mutant.file])):
                drawn.append(mutant)
                wanted -= 1
    return sorted(drawn, key=lambda mutant: (mutant.file, mutant.line))


def _compiles(source: bytes) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True
