"""Sequences that hypotheses define by a recurrence: values one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from goedels_poetry.lean.arithmetic.polynomials import added, polynomial, scaled
from goedels_poetry.lean.arithmetic.problem import (
    Arithmetic,
    Expr,
    NotArithmetic,
    compute,
    holds,
    lean,
    numeral,
)

MOST_STEPS, MOST_SHIFT, MOST_PASSES = 160, 6, 4

Place = tuple[str, int]
"""A sequence and an index."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``∀ n, condition → equation``."""

    hypothesis: str
    variable: str
    type: str
    conditions: tuple[Expr, ...]
    equation: Expr


@dataclass(frozen=True, slots=True)
class Known:
    """A value of a sequence, with where it comes from."""

    value: int
    proof: str
    needs: tuple[Place, ...] = ()


Values = dict[Place, Known]
"""The values that have been computed."""


def _lines(values: Values, wanted: list[Place]) -> list[str]:
    """Tactics that state the values at the places, those that they need first."""
    order: dict[Place, None] = {}
    stack = [(place, False) for place in reversed(wanted)]
    while stack:
        place, ready = stack.pop()
        if ready:
            order[place] = None
        elif place not in order:
            stack.append((place, True))
            stack += [(need, False) for need in values[place].needs]
    last = {need: place for place in order for need in values[place].needs}
    lines = []
    for place in order:
        known = values[place]
        at = f"{place[0]} {lean(numeral(place[1]))}"
        lines.append(f"have {name_of(place)} : {at} = {lean(numeral(known.value))} := {known.proof}")
        done = [name_of(need) for need in known.needs if last[need] == place and need not in wanted]
        lines += [f"clear {' '.join(done)}"] if done else []  # `omega` reads all that it is given
    return lines


def recurrence_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most one tactic: by computing what is needed."""
    rules = rules_of(problem)
    apps = [p for p in problem.target.parts() if p.op == "app" and len(p.args) == 1]
    if not rules or not apps:
        return
    values = given_values(problem)
    ground = [(p.name, compute(p.args[0], {}, {})) for p in apps if not p.args[0].variables()]
    if len(ground) == len(apps) and all(abs(i) <= MOST_STEPS for _, i in ground):
        compute_values(rules, values, ground)
        if all(place in values for place in ground):
            facts = ", ".join(dict.fromkeys(name_of(p) for p in ground))
            yield "\n  ".join(
                [*_lines(values, ground), f"first | (simp [{facts}]; done) | (simp only [{facts}]; omega)"]
            )


def rules_of(problem: Arithmetic) -> list[Rule]:
    """The hypotheses that say how the values of a sequence go on."""
    return [r for name, h in problem.hypotheses if (r := _rule(name, h)) is not None]


def _rule(name: str, h: Expr) -> Rule | None:
    if h.op != "∀" or h.args[0].op == "∀":
        return None
    conditions, body = [], h.args[0]
    while body.op == "→":
        conditions.append(body.args[0])
        body = body.args[1]
    if body.op != "=" or not any(p.op == "app" and len(p.args) == 1 for p in body.parts()):
        return None
    type_ = "Int" if h.args[1].name in ("Int", "ℤ") else "Nat"
    return Rule(name, h.name, type_, tuple(conditions), body)


def given_values(problem: Arithmetic) -> Values:
    """What hypotheses say of single values."""
    values: Values = {}
    for name, h in problem.hypotheses:
        if h.op == "=" and not h.variables() and h.args[0].op == "app" and len(h.args[0].args) == 1:
            try:
                place = (h.args[0].name, compute(h.args[0].args[0], {}, {}))
                values[place] = Known(compute(h.args[1], {}, {}), name)
            except NotArithmetic:
                continue
    return values


def compute_values(rules: list[Rule], values: Values, wanted: list[Place]) -> None:
    """Use the rules up and down, until all that is wanted is known or nothing new is found."""
    indices = [i for _, i in wanted] + [i for _, i in values if abs(i) <= 2 * MOST_STEPS]
    span = range(min(indices) - MOST_SHIFT, max(indices) + MOST_SHIFT)
    for _ in range(MOST_PASSES):
        before = len(values)
        for run in (span, reversed(span)):
            for k in run:
                for rule in rules:
                    if k >= 0 or rule.type == "Int":
                        _use(rule, k, values)
            if all(place in values for place in wanted):
                return
        if len(values) == before:
            return


def _use(rule: Rule, k: int, values: Values) -> None:
    """What an instance of a rule says of the one value in it that is not known."""
    types = {rule.variable: rule.type}
    try:
        if not all(holds(c, {rule.variable: k}, types) for c in rule.conditions):
            return
        instance, places = _instance(rule.equation, {rule.variable: k}, types)
        unknown = {place for place in places if place not in values}
        if len(unknown) != 1:
            return
        (place,) = unknown
        sides = [polynomial(_valued(side, values), False) for side in instance.args]
    except NotArithmetic:
        return
    difference = added(sides[0], scaled(sides[1], -1))
    one = ((name_of(place), 1),)
    if set(difference) - {one, ()} or abs(difference.get(one, 0)) != 1:
        return
    needs = tuple(dict.fromkeys(p for p in places if p != place))
    put = f"simp only [{', '.join(map(name_of, needs))}] at s; " if needs else ""
    applied = " ".join([rule.hypothesis, lean(numeral(k)), *["(by decide)"] * len(rule.conditions)])
    proof = f"by have s : {lean(instance)} := {applied}; {put}first | exact s | omega"
    values[place] = Known(-difference.get((), 0) // difference[one], proof, needs)


def _instance(expr: Expr, values: dict[str, int], types: dict[str, str]) -> tuple[Expr, list[Place]]:
    """The expression at a value of its variable, each index a numeral; and the places that it speaks of."""
    if expr.op == "app":
        if len(expr.args) != 1:
            raise NotArithmetic(expr.name)
        index = compute(expr.args[0], values, types)
        return replace(expr, args=(numeral(index),)), [(expr.name, index)]
    if expr.op == "var" and expr.name in values:
        return numeral(values[expr.name]), []
    parts = [_instance(a, values, types) for a in expr.args]
    return replace(expr, args=tuple(a for a, _ in parts)), [p for _, places in parts for p in places]


def _valued(expr: Expr, values: Values) -> Expr:
    if expr.op == "app":
        place = (expr.name, compute(expr.args[0], {}, {}))
        known = values.get(place)
        return Expr("var", (), name_of(place)) if known is None else numeral(known.value)
    return replace(expr, args=tuple(_valued(a, values) for a in expr.args))


def name_of(place: Place) -> str:
    """What a proof calls the fact that says the value at a place."""
    return f"e_{place[0].replace('.', '_')}_{place[1]}".replace("-", "n")
