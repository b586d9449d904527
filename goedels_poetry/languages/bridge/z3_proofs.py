"""What z3 has instantiated in a proof: of each quantifier with a name, the terms it was used at.

In a proof stand steps ``((_ quant-inst t1 t2) (or (not (forall ((x S) (y T)) (! body :qid name))) instance))``, with
nearly every term behind a name that a ``let`` gives it. (Bjørner and de Moura, "Proofs and Refutations, and Z3", 2008.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

Expr: TypeAlias = "str | list[Expr]"
"""An atom as it is written, or a list."""

_TOKEN = re.compile(r'[()]|\|[^|]*\||"(?:[^"]|"")*"|[^\s()|"]+')
MOST_NODES = 2_000
"""Of one term, written out."""


def instantiations(proof: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The name of each quantifier that was instantiated, and text of terms for its variables, by their names.

    The same may come several times. What cannot be read, or is too large when it is written out, is left out.
    """
    names: dict[str, Expr] = {}
    steps = list(_read(proof, names))
    for terms, conclusion in steps:
        formula = _resolved(conclusion, names)
        negated = _resolved(formula[1], names) if isinstance(formula, list) and len(formula) > 1 else ""
        quantifier = _resolved(negated[1], names) if isinstance(negated, list) and len(negated) == 2 else ""
        name, variables = _heading(quantifier)
        texts = [_written(t, names) for t in terms]
        if name and len(variables) == len(texts) and all(texts):
            yield name, dict(zip(variables, texts, strict=True))


def _read(proof: str, names: dict[str, Expr]) -> Iterator[tuple[list[Expr], Expr]]:
    """The instantiations as they are written. ``names`` gets what each ``let`` says; z3 gives no name twice."""
    stack: list[list[Expr]] = []
    for found in _TOKEN.finditer(proof):
        token = found.group()
        if token == "(":
            stack.append([])
        elif token != ")":
            if stack:
                stack[-1].append(token)
        elif stack:
            done = stack.pop()
            head = done[0] if done else ""
            if isinstance(head, list) and head[:2] == ["_", "quant-inst"] and len(done) == 2:
                yield head[2:], done[1]
            if stack and head == "let":
                done = []  # its names are known, and its body is said already
            elif len(stack) > 1 and len(done) == 2 and isinstance(head, str) and stack[-2] == ["let"]:
                names[head] = done[1]
            if stack:
                stack[-1].append(done)


def _resolved(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    for _ in range(MOST_NODES):
        if not isinstance(expr, str) or expr not in names:
            break
        expr = names[expr]
    return expr


def _heading(quantifier: Expr) -> tuple[str, list[str]]:
    """The name of a quantifier and its variables; "" where it has no name."""
    if not (isinstance(quantifier, list) and len(quantifier) == 3 and quantifier[0] == "forall"):
        return "", []
    _, binders, body = quantifier
    if not isinstance(body, list) or body[:1] != ["!"] or ":qid" not in body:
        return "", []
    name = body[body.index(":qid") + 1]
    variables = [b[0] for b in binders if isinstance(b, list)]
    return (name, [v for v in variables if isinstance(v, str)]) if isinstance(name, str) else ("", [])


def _written(expr: Expr, names: Mapping[str, Expr]) -> str:
    """The text of a term without names; "" where it is too large."""
    parts: list[str] = []
    waiting: list[Expr | None] = [expr]
    while waiting:
        if len(parts) > MOST_NODES:
            return ""
        top = waiting.pop()
        if top is None:
            parts.append(")")
            continue
        top = _resolved(top, names)
        if isinstance(top, str):
            parts.append(top)
        else:
            parts.append("(")
            waiting += [None, *reversed(top)]
    return " ".join(parts)
