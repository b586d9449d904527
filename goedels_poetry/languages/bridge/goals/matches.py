"""A `match` of Lean in a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goedels_poetry.languages.bridge.goals.context import PROOF, Context
from goedels_poetry.languages.bridge.goals.expressions import Expr, apply, const, fresh, opened, telescope
from goedels_poetry.languages.bridge.goals.matching import Case, Row, Unreadable, compiled
from goedels_poetry.languages.bridge.goals.patterns import constructor_of
from goedels_poetry.languages.bridge.goals.sorts import Sorts


@dataclass(frozen=True, slots=True)
class _Shapes:
    """How values of sorts are taken apart; see `matching.Shapes`."""

    sorts: Sorts

    def cases(self, value: str, type_: Expr) -> tuple[Case, ...]:
        return self.sorts.cases(value, type_)

    def pattern(self, pattern: Expr) -> tuple[str, tuple[Expr, ...]] | None:
        return constructor_of(pattern, self.sorts)

    def equals(self, value: str, key: str) -> str:
        return f"(= {value} {key[1:]})"


def match(context: Context, head: str, operands: tuple[Expr, ...], env: Mapping[str, str]) -> str:
    """Nested tests on the values that are matched, the first fitting row first. Raises :class:`Unreadable`."""
    rest = context.facts.types.get(head)
    if rest is None:
        raise Unreadable(f"the match {head}")
    values: list[tuple[str, Expr]] = []
    rows: list[Row] = []
    motive: Expr | None = None
    used = 0
    for operand in operands:
        if rest.kind != "pi":
            break
        used += 1
        if rest.name == "motive" and motive is None:
            motive = fresh("motive")
            rest = opened(rest.args[1], motive)
            continue
        if motive is not None:
            variables, result = telescope(rest.args[0])
            if result.kind == "app" and result.args[0] == motive:
                rows.append(_row(context, operand, variables, result.operands))
            elif context.kinds.is_proof(rest.args[0]):
                raise Unreadable("a match on a proof")
            else:
                values.append((context.term(operand, env), rest.args[0]))
        rest = opened(rest.args[1], operand)
    extra = operands[used:]
    bound: list[tuple[str, str]] = []
    for i, (value, type_) in enumerate(values):
        if len(value) > 40 and value.count("(") > 2:
            name = context.names.give("m")
            bound.append((name, value))
            values[i] = (name, type_)
    text = compiled(_Shapes(context.sorts), values, rows, lambda row: _leaf(context, row, extra, env))
    for name, value in reversed(bound):
        text = f"(let (({name} {value})) {text})"
    return text


def _row(
    context: Context, operand: Expr, variables: Sequence[tuple[Expr, Expr, str]], patterns: tuple[Expr, ...]
) -> Row:
    given = []
    for variable, type_, _ in variables:
        context.kinds.types[variable.name] = type_
        given.append(PROOF if context.kinds.is_proof(type_) else variable)
    if (
        len(variables) == 1
        and variables[0][1].head in ("Unit", "PUnit")
        and variables[0][0].name not in {n for p in patterns for n in p.free()}
    ):
        given = [const("Unit.unit")]
    return Row(patterns, (), apply(operand, given))


def _leaf(context: Context, row: Row, extra: Sequence[Expr], env: Mapping[str, str]) -> str:
    return context.term(apply(row.result, extra), {**env, **dict(row.found)})
