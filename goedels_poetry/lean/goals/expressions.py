"""Lean's expressions as trees: made from exported data, with the few operations that reading a goal needs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from goedels_poetry.lean.gate.stream import Stream

_FRESH = itertools.count()


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression without universes.

    ``kind`` is "const", "bound" (by ``number``), "free" (by ``name``, which is unique), "app" (the first of ``args`` to
    the others), "lam" and "pi" (``args``: type and body), "let" (type, value, body), "proj" (field ``number`` of the
    structure ``name``), "nat" (``number``), "text", "sort" (``number`` 0: of propositions).
    """

    kind: str
    name: str = ""
    args: tuple[Expr, ...] = ()
    number: int = 0
    info: str = "default"
    """Of a binder: "default", "implicit", "strictImplicit" or "instImplicit"."""

    @property
    def head(self) -> str:
        """The constant that this is or applies; "" for none."""
        first = self.args[0] if self.kind == "app" else self
        return first.name if first.kind == "const" else ""

    @property
    def operands(self) -> tuple[Expr, ...]:
        """What the head is applied to."""
        return self.args[1:] if self.kind == "app" else ()

    @property
    def result(self) -> Expr:
        """What follows the variables of a type, which it may speak of by their numbers."""
        e = self
        while e.kind == "pi":
            e = e.args[1]
        return e

    def parts(self) -> Iterator[Expr]:
        """Every expression in this one."""
        yield self
        for a in self.args:
            yield from a.parts()

    def constants(self) -> dict[str, None]:
        """Constants in it, in order of appearance."""
        return dict.fromkeys(p.name for p in self.parts() if p.kind == "const")

    def free(self) -> dict[str, None]:
        """Names of the free variables in it, in order of appearance."""
        return dict.fromkeys(p.name for p in self.parts() if p.kind == "free")


PROP = Expr("sort")


def const(name: str) -> Expr:
    """A constant."""
    return Expr("const", name)


def fresh(name: str) -> Expr:
    """A free variable that nothing else is called as."""
    return Expr("free", f"{name.partition('.')[0]}\0{next(_FRESH)}")


def plain(name: str) -> str:
    """What a free variable made by `fresh` is called by its author."""
    return name.partition("\0")[0]


def joined(head: Expr, operands: Sequence[Expr]) -> Expr:
    """An application as it stands."""
    if not operands:
        return head
    return Expr("app", "", (*(head.args if head.kind == "app" else (head,)), *operands))


def apply(head: Expr, operands: Sequence[Expr]) -> Expr:
    """An application of closed expressions, with abstractions at its head carried out."""
    rest = list(operands)
    while True:
        if head.kind == "app":
            head, rest = head.args[0], [*head.args[1:], *rest]
        elif rest and head.kind == "lam":
            head = opened(head.args[1], rest.pop(0))
        else:
            return joined(head, rest)


def _below(e: Expr, change: Callable[[Expr, int], Expr], depth: int) -> Expr:
    """An expression with its parts changed, each told how many binders are above it."""
    if not e.args:
        return e
    inner, last = int(e.kind in ("lam", "pi", "let")), len(e.args) - 1
    made = tuple(change(a, depth + (inner if i == last else 0)) for i, a in enumerate(e.args))
    if made == e.args:
        return e
    return joined(made[0], made[1:]) if e.kind == "app" else replace(e, args=made)


def opened(body: Expr, value: Expr, depth: int = 0) -> Expr:
    """The body of a binder with the closed ``value`` in the variable's place."""
    if body.kind == "bound":
        if body.number == depth:
            return value
        return replace(body, number=body.number - 1) if body.number > depth else body
    return _below(body, lambda part, inner: opened(part, value, inner), depth)


def put(body: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with closed values for free variables."""
    if body.kind == "free":
        return values.get(body.name, body)
    return _below(body, lambda part, _: put(part, values), 0)


def telescope(e: Expr) -> tuple[list[tuple[Expr, Expr, str]], Expr]:
    """The variables of a type with their types and binders, made free, and what follows them."""
    found = []
    while e.kind == "pi":
        variable = fresh(e.name)
        found.append((variable, e.args[0], e.info))
        e = opened(e.args[1], variable)
    return found, e


def tree(stream: Stream, at: int, known: dict[int, Expr]) -> Expr:
    """The expression of an id of the stream; ``known``: those made so far."""
    todo = [at]
    while todo:
        here = todo[-1]
        if here in known:
            todo.pop()
            continue
        e = stream.exprs[here]
        below = {"app": (1, 2), "lam": (2, 3), "forallE": (2, 3), "letE": (2, 3, 4), "proj": (3,)}.get(e[0], ())
        missing = [e[i] for i in below if e[i] not in known]
        if missing:
            todo += missing
            continue
        todo.pop()
        known[here] = _node(stream, e, [known[e[i]] for i in below])
    return known[at]


def _node(stream: Stream, e: tuple[object, ...], below: list[Expr]) -> Expr:
    numbers = [x if isinstance(x, int) else 0 for x in e]
    match e[0]:
        case "app":
            return joined(below[0], below[1:])
        case "lam" | "forallE":
            kind = "lam" if e[0] == "lam" else "pi"
            return Expr(kind, stream.names[numbers[1]], tuple(below), info=str(e[4]))
        case "letE":
            return Expr("let", args=tuple(below))
        case "const":
            return Expr("const", stream.names[numbers[1]])
        case "bvar":
            return Expr("bound", number=numbers[1])
        case "proj":
            return Expr("proj", stream.names[numbers[1]], tuple(below), numbers[2])
        case "natVal":
            return Expr("nat", number=int(str(e[1])))
        case "strVal":
            return Expr("text", str(e[1]))
    return Expr("sort", number=0 if stream.levels[numbers[1]] == ("zero",) else 1)
