"""Functions of the `prelude` as definitions in SMT-LIB, one for each type of elements, made when first used.

A function of the prelude is one expression. `_Reader` reads it for one type of elements; what it has no rule for is a
mistake in the prelude, and raises.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Sort, Term, and_, app, integer, is_app, lit, or_, var
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate import prelude
from goedels_poetry.python.translate.build import compare, cond, equal, minus, plus
from goedels_poetry.python.translate.contracts import OutsideFragment
from goedels_poetry.python.translate.module import BOOL, INT, STR, Type, list_of
from goedels_poetry.python.translate.registry import Defined, Registry


@cache
def _functions() -> dict[str, ast.FunctionDef]:
    """The functions of the prelude by their names in SMT-LIB, without a type: ``put.last``."""
    tree = ast.parse(Path(prelude.__file__).read_text("utf-8"))
    return {_plain(node.name): node for node in tree.body if isinstance(node, ast.FunctionDef)}


def _plain(name: str) -> str:
    return name.rstrip("_").replace("_", ".")


class Library:
    """Functions on lists of one element type."""

    def __init__(self, registry: Registry, element: Type, *, of_lists: bool = True) -> None:
        """``of_lists``: declare them, which functions of numbers and texts do not need."""
        self.registry, self.element = registry, element
        if not of_lists:
            return
        self.word = registry.word(element)
        self.sort = registry.sort(list_of(element))
        self.xs, self.rest = var("xs", self.sort), var("ys", self.sort)
        self.nil = registry.nil(element)

    def cons(self, head: Term, tail: Term) -> Term:
        """A list from its parts."""
        return self.registry.cons(self.element, head, tail)

    def is_nil(self, xs: Term) -> Term:
        """Whether it is empty."""
        return self.registry.is_nil(self.element, xs)

    def head(self, xs: Term) -> Term:
        """The first element."""
        return self.registry.head(self.element, xs)

    def tail(self, xs: Term) -> Term:
        """All but the first element."""
        return self.registry.tail(self.element, xs)

    def call(self, name: str, *args: Term) -> Term:
        """A call of a function of the prelude."""
        node = _functions()[name]
        reader = _Reader(self, node)
        own = name if not reader.is_generic else f"{name}.{self.word}"
        sort = self.registry.sort(reader.result)
        self.registry.once(own, lambda: reader.definition(own, sort))
        return app(own, args, sort)

    def mapped(self, name: str, target: Library, element: Term, xs: Term) -> Term:
        """``element``, a term over `xs`, for each element of a list."""
        rest = app(name, (self.tail(self.xs),), target.sort)
        body = cond(self.is_nil(self.xs), target.nil, target.cons(element, rest))
        self.registry.once(name, lambda: Defined(name, (self.xs,), target.sort, body))
        return app(name, (xs,), target.sort)

    # ------------------------------------------------------------ calls that are decided where they stand

    def display(self, items: list[Term], tail: Term | None = None) -> Term:
        """The list of these elements."""
        result = self.nil if tail is None else tail
        for item in reversed(items):
            result = self.cons(item, result)
        return result

    def length(self, xs: Term) -> Term:
        """``len(xs)``."""
        count = 0
        while xs.kind is Kind.APP and xs.name == f"cons.{self.word}":
            xs, count = xs.args[1], count + 1
        return integer(count) if xs is self.nil else plus(self.call("len", xs), integer(count))

    def append(self, xs: Term, ys: Term) -> Term:
        """``xs + ys``."""
        if xs is self.nil or ys is self.nil:
            return ys if xs is self.nil else xs
        if xs.kind is Kind.APP and xs.name == f"cons.{self.word}":
            return self.cons(xs.args[0], self.append(xs.args[1], ys))
        return self.call("append", xs, ys)

    def nth(self, xs: Term, i: Term) -> Term:
        """``xs[i]`` for an index from 0 on."""
        if i.kind is Kind.LIT and isinstance(i.value, int) and i.value <= 8:
            for _ in range(i.value):
                xs = self.tail(xs)
            return self.head(xs)
        return self.call("nth", xs, i)

    def drop(self, xs: Term, n: Term) -> Term:
        """``xs[n:]``, all for ``n`` below 0."""
        if n.kind is Kind.LIT and isinstance(n.value, int) and n.value <= 3:
            for _ in range(n.value):
                xs = cond(self.is_nil(xs), self.nil, self.tail(xs))
            return xs
        return self.call("drop", xs, n)

    def member(self, v: Term, xs: Term) -> Term:
        """``v in xs``."""
        tests: list[Term] = []
        while xs.kind is Kind.APP and xs.name == f"cons.{self.word}":
            tests.append(equal(v, xs.args[0]))
            xs = xs.args[1]
        return or_(tests if xs is self.nil else [*tests, self.call("member", v, xs)])

    def reverse(self, xs: Term) -> Term:
        """``xs[::-1]``."""
        return xs.args[0] if is_app(xs, f"reverse.{self.word}") else self.call("reverse", xs)

    def repeat(self, xs: Term, n: Term) -> Term:
        """``xs * n``."""
        if is_app(xs, f"cons.{self.word}") and xs.args[1] is self.nil:
            return self.call("repeat", xs.args[0], n)
        return self.call("repeat.all", xs, n)


class _Reader:
    """One function of the prelude, read for the element type of a library."""

    def __init__(self, library: Library, node: ast.FunctionDef) -> None:
        self.library, self.registry, self.node = library, library.registry, node
        assert node.returns is not None
        kinds = {a.arg: a.annotation for a in node.args.args if a.annotation is not None}
        named = {n.id for kind in kinds.values() for n in ast.walk(kind) if isinstance(n, ast.Name)}
        self.is_generic = not named.isdisjoint({"T", "K"})
        self.parameters = {name: self.type_of(kind) for name, kind in kinds.items()}
        self.result = self.type_of(node.returns)

    def type_of(self, annotation: ast.expr) -> Type:
        """The type that an annotation means."""
        element = self.library.element
        match annotation:
            case ast.Name(id="int" | "bool" | "str" as name):
                return {"int": INT, "bool": BOOL, "str": STR}[name]
            case ast.Name(id="T"):
                return element
            case ast.Name(id="K" | "V" as name):
                return element.args["KV".index(name)]
            case ast.Subscript(value=ast.Name(id="tuple")):
                return element
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                return list_of(self.type_of(inner))
        raise AssertionError(ast.unparse(annotation))

    def definition(self, name: str, sort: Sort) -> Defined:
        """The definition that the function is."""
        self.name, self.sort = name, sort
        self.variables = {given: var(given, self.registry.sort(kind)) for given, kind in self.parameters.items()}
        returned = self.node.body[-1]
        assert isinstance(returned, ast.Return) and returned.value is not None
        return Defined(name, tuple(self.variables.values()), sort, self.read(returned.value))

    def read(self, node: ast.expr) -> Term:
        """An expression."""
        match node:
            case ast.Name(id="ANYTHING"):
                return self.registry.default(self.result)
            case ast.Name(id=name):
                return self.variables[name]
            case ast.Constant(value=bool(value)):
                return TRUE if value else FALSE
            case ast.Constant(value=int(value)):
                return integer(value)
            case ast.Constant(value=str(value)):
                return lit(value, STRINGS)
            case ast.IfExp(test=test, body=then, orelse=otherwise):
                return cond(self.read(test), self.read(then), self.read(otherwise))
            case ast.BoolOp(op=op, values=values):
                return (and_ if isinstance(op, ast.And) else or_)([self.read(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as comparison):
                return not_less(self.read(comparison))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.library.is_nil(self.read(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(op, self.read(left), self.read(right))
            case ast.BinOp(left=left, op=op, right=right):
                return self._computed(op, self.read(left), self.read(right))
            case ast.Subscript(value=value, slice=place):
                return self._part(self.read(value), place)
            case ast.List(elts=items):
                return self._listed(items)
            case ast.Tuple(elts=items):
                return self.registry.construct(self.library.element, [self.read(item) for item in items])
            case ast.Call(func=ast.Name(id="len"), args=[text]):
                return app("str.len", (self.read(text),), INTS)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(_plain(name), [self.read(arg) for arg in args])
        raise AssertionError(ast.unparse(node))

    def _compared(self, op: ast.cmpop, left: Term, right: Term) -> Term:
        if isinstance(op, ast.Eq):
            return equal(left, right)
        if isinstance(op, ast.LtE) or (isinstance(op, ast.Lt) and left.sort is INTS):
            return compare("<=" if isinstance(op, ast.LtE) else "<", left, right)
        if isinstance(op, ast.In):
            return app("str.contains", (right, left), BOOLS)
        assert isinstance(op, ast.Lt)
        whole = self.library.element
        kind = whole if left.sort == self.registry.sort(whole) else whole.args[0]  # the elements or the keys of pairs
        return less(self.registry, kind, left, right)

    def _computed(self, op: ast.operator, left: Term, right: Term) -> Term:
        match op:
            case ast.Add() if left.sort is STRINGS:
                return app("str.++", (*(left.args if is_app(left, "str.++") else (left,)), right), STRINGS)
            case ast.Add():
                return plus(left, right)
            case ast.Sub():
                return minus(left, right)
        return app({ast.Mult: "*", ast.Mod: "mod"}[type(op)], (left, right), INTS)

    def _part(self, value: Term, place: ast.expr) -> Term:
        """An element or the rest of a list, a letter, a part of a text within its bounds, a part of a pair."""
        if isinstance(place, ast.Slice) and value.sort is STRINGS:
            assert place.lower is not None
            begin = self.read(place.lower)
            end = app("str.len", (value,), INTS) if place.upper is None else self.read(place.upper)
            return app("str.substr", (value, begin, minus(end, begin)), STRINGS)
        if isinstance(place, ast.Slice):
            return self.library.tail(value)
        if value.sort is STRINGS:
            return app("str.at", (value, self.read(place)), STRINGS)
        if value.sort == self.library.sort:
            return self.library.head(value)
        assert isinstance(place, ast.Constant) and isinstance(place.value, int)
        return self.registry.item(value, self.library.element, place.value)

    def _listed(self, items: list[ast.expr]) -> Term:
        """``[]``, ``[x]`` or ``[x, *xs]``, of the type that the function returns."""
        (element,) = self.result.args
        term = self.registry.nil(element)
        for item in reversed(items):
            if isinstance(item, ast.Starred):
                term = self.read(item.value)
            else:
                term = self.registry.cons(element, self.read(item), term)
        return term

    def _called(self, name: str, args: list[Term]) -> Term:
        if name == _plain(self.node.name):
            return app(self.name, args, self.sort)
        return self.library.call(name, *args)


def not_less(term: Term) -> Term:
    """The negation of a comparison, as one."""
    flipped = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    if term.kind is Kind.APP and term.name in flipped and len(term.args) == 2:
        return app(flipped[term.name], term.args, BOOLS)
    return cond(term, FALSE, TRUE)


def less(registry: Registry, kind: Type, a: Term, b: Term, or_equal: bool = False) -> Term:
    """``a < b`` or ``a <= b``: integers, truth values, texts, and tuples and lists of them lexicographically.

    Raises:
        OutsideFragment: another type.
    """
    if kind == INT:
        return compare("<=" if or_equal else "<", a, b)
    if kind == BOOL:
        return cond(a, b, TRUE) if or_equal else and_([cond(a, FALSE, TRUE), b])
    if kind.kind == "str":  # by the numbers of their letters, in Python as in SMT-LIB
        return app("str.<=" if or_equal else "str.<", (a, b), BOOLS)
    if kind.kind == "tuple":
        result = TRUE if or_equal else FALSE
        for i in reversed(range(len(kind.args))):
            x, y = registry.item(a, kind, i), registry.item(b, kind, i)
            result = cond(equal(x, y), result, less(registry, kind.args[i], x, y))
        return result
    if kind.kind == "list":
        return Library(registry, kind.args[0]).call("at.most" if or_equal else "less", a, b)
    raise OutsideFragment(f"`<` of {kind} is not covered", construct="comparison")


def range_list(registry: Registry, low: Term, high: Term, step: int) -> Term:
    """``list(range(low, high, step))``."""
    library = Library(registry, INT)
    i, n = var("i", INTS), var("n", INTS)
    name = "range" if step == 1 else f"range.{'down' if step < 0 else 'up'}{abs(step)}"
    more = compare("<" if step > 0 else ">", i, n)
    body = cond(more, library.cons(i, app(f"{name}.int", (plus(i, integer(step)), n), library.sort)), library.nil)
    registry.once(f"{name}.int", lambda: Defined(f"{name}.int", (i, n), library.sort, body))
    return app(f"{name}.int", (low, high), library.sort)


def plain(registry: Registry, name: str, *args: Term) -> Term:
    """A call of a function of the prelude that is about numbers and texts alone."""
    return Library(registry, INT, of_lists=False).call(name, *args)
