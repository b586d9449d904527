"""The shapes of operators that are written as calls: how many arguments they take, and which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from goedels_poetry.kernel.terms import BOOL, INT, Sort
from goedels_poetry.questions.json import syntax
from goedels_poetry.questions.json.contract import Build, Scope, TermBuilder
from goedels_poetry.questions.json.fitting import bits, conjunction, fit
from goedels_poetry.questions.json.rules import Rule
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.typed import Typed, apply, number

RuleOf = Callable[[TermBuilder, syntax.Call, Scope], Rule]


@dataclass(frozen=True, slots=True)
class Operator:
    """``form`` is how it is written, for messages and the reference."""

    form: str
    rule: RuleOf


def refuse(call: syntax.Call, form: str) -> NoReturn:
    """Say how the operator is written."""
    raise ExpressionError(f"`{call.function}` got {len(call.arguments)} arguments", call.at, f"write {form}")


def plain(form: str, count: int | Sequence[int], build: Build) -> Operator:
    """A fixed number of arguments (or one of several), all terms."""
    counts = (count,) if isinstance(count, int) else count

    def rule(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
        if len(call.arguments) not in counts:
            refuse(call, form)
        return build((yield typer.terms(call.arguments, scope)), call)

    return Operator(form, rule)


def _operands(typer: TermBuilder, call: syntax.Call, scope: Scope, form: str, conditions: bool = False) -> Rule:
    """The terms of ``F(a, b)``, ``F([a, b])`` or ``F(e for x in ...)``, each with its conditions."""
    only = call.arguments[0] if len(call.arguments) == 1 else None
    if isinstance(only, syntax.Comprehension):
        return (yield typer.expanded(only, scope, conditions))
    arguments = only.items if isinstance(only, syntax.Listing) else call.arguments
    if not arguments:
        raise ExpressionError(f"`{call.function}` of nothing", call.at, f"write {form}")
    terms = yield typer.terms(arguments, scope)
    return [((), term) for term in terms]


def junction(form: str, head: str) -> Operator:
    """``and`` or ``or`` of any number of formulas; conditions of a comprehension guard its elements."""

    def rule(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form, conditions=True)
        parts = []
        for conditions, term in rows:
            part = fit(term, BOOL, f"the operands of `{call.function}`")
            if conditions:
                known = conjunction(conditions, call.at)
                parts.append(apply("=>" if head == "and" else "and", (known, part), BOOL, call.at))
            else:
                parts.append(part)
        return conjunction(parts, call.at, head)

    return Operator(form, rule)


def folded(form: str, unit: int, build: Callable[[Sequence[Typed], int], Typed]) -> Operator:
    """Sum and Product; elements whose condition is false count as ``unit``."""

    def rule(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form, conditions=True)
        terms = [
            typer.choose(conjunction(conditions, call.at), term, number(unit, INT, call.at), call.at)
            if conditions
            else term
            for conditions, term in rows
        ]
        return build(terms, call.at)

    return Operator(form, rule)


def several(form: str, least: int, build: Build) -> Operator:
    """``least`` or more arguments, or a list of them."""

    def rule(typer: TermBuilder, call: syntax.Call, scope: Scope) -> Rule:
        rows = yield _operands(typer, call, scope, form)
        if len(rows) < least:
            raise ExpressionError(f"`{call.function}` takes {least} or more terms, got {len(rows)}", call.at)
        return build(tuple(term for _, term in rows), call)

    return Operator(form, rule)


def quantifier(name: str, head: str) -> Operator:
    """``ForAll`` or ``Exists``."""
    return Operator(f"{name}([x, y], formula)", lambda typer, call, scope: typer.quantified(head, call, scope))


def fixed(form: str, head: str, params: tuple[Sort, ...], result: Sort) -> Operator:
    """A symbol of SMT-LIB with arguments of given sorts."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        fitted = [
            fit(a, s, f"argument {i} of `{call.function}`")
            for i, (a, s) in enumerate(zip(args, params, strict=True), 1)
        ]
        return apply(head, tuple(fitted), result, call.at)

    return plain(form, len(params), build)


def two_bits(name: str, head: str, result: Sort | None = None) -> Operator:
    """A symbol of SMT-LIB on two bit-vectors of one width; ``result`` None is their sort."""

    def build(args: tuple[Typed, ...], call: syntax.Call) -> Typed:
        operands = bits(args, call.at, name)
        return apply(head, operands, operands[0].sort if result is None else result, call.at)

    return plain(f"{name}(a, b)", 2, build)
