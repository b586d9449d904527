"""Sequences that hypotheses define by a recurrence: values one after the other, and periods of linear ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from goedels_poetry.lean.arithmetic.polynomials import Polynomial, added, polynomial, scaled
from goedels_poetry.lean.arithmetic.problem import (
    Arithmetic,
    Expr,
    NotArithmetic,
    compute,
    holds,
    lean,
    numeral,
    put_in,
)

MOST_STEPS, MOST_PERIOD, MOST_SHIFT, MOST_DEGREE, MOST_PASSES = 160, 48, 6, 5, 4

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


@dataclass(slots=True)
class Values:
    """The values that have been computed."""

    of: dict[Place, Known] = field(default_factory=dict)

    def lines(self, wanted: list[Place]) -> list[str]:
        """Tactics that state the values at the places, those that they need first."""
        order: dict[Place, None] = {}
        stack = [(place, False) for place in reversed(wanted)]
        while stack:
            place, ready = stack.pop()
            if ready:
                order[place] = None
            elif place not in order:
                stack.append((place, True))
                stack += [(need, False) for need in self.of[place].needs]
        last = {need: place for place in order for need in self.of[place].needs}
        lines = []
        for place in order:
            known = self.of[place]
            lines.append(f"have {name_of(place)} : {_at(place)} = {lean(numeral(known.value))} := {known.proof}")
            done = [name_of(need) for need in known.needs if last[need] == place and need not in wanted]
            lines += [f"clear {' '.join(done)}"] if done else []  # `omega` reads all that it is given
        return lines


def recurrence_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most two tactics: by computing what is needed, and by a period."""
    rules = rules_of(problem)
    apps = [p for p in problem.target.parts() if p.op == "app" and len(p.args) == 1]
    if not rules or not apps:
        return
    values = given_values(problem)
    ground = [(p.name, compute(p.args[0], {}, {})) for p in apps if not p.args[0].variables()]
    if len(ground) == len(apps) and all(abs(i) <= MOST_STEPS for _, i in ground):
        compute_values(rules, values, ground)
        if all(place in values.of for place in ground):
            facts = ", ".join(dict.fromkeys(name_of(p) for p in ground))
            yield "\n  ".join([*values.lines(ground), f"first | (simp [{facts}]; done) | (simp only [{facts}]; omega)"])
    yield from _by_period(problem, rules, values, apps)


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
    values = Values()
    for name, h in problem.hypotheses:
        if h.op == "=" and not h.variables() and h.args[0].op == "app" and len(h.args[0].args) == 1:
            try:
                place = (h.args[0].name, compute(h.args[0].args[0], {}, {}))
                values.of[place] = Known(compute(h.args[1], {}, {}), name)
            except NotArithmetic:
                continue
    return values


def compute_values(rules: list[Rule], values: Values, wanted: list[Place]) -> None:
    """Use the rules up and down, until all that is wanted is known or nothing new is found."""
    indices = [i for _, i in wanted] + [i for _, i in values.of if abs(i) <= 2 * MOST_STEPS]
    span = range(min(indices) - MOST_SHIFT, max(indices) + MOST_SHIFT)
    for _ in range(MOST_PASSES):
        before = len(values.of)
        for run in (span, reversed(span)):
            for k in run:
                for rule in rules:
                    if k >= 0 or rule.type == "Int":
                        _use(rule, k, values)
            if all(place in values.of for place in wanted):
                return
        if len(values.of) == before:
            return


def _use(rule: Rule, k: int, values: Values) -> None:
    """What an instance of a rule says of the one value in it that is not known."""
    types = {rule.variable: rule.type}
    try:
        if not all(holds(c, {rule.variable: k}, types) for c in rule.conditions):
            return
        instance, places = _instance(rule.equation, {rule.variable: k}, types)
        unknown = {place for place in places if place not in values.of}
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
    applied = _applied(rule, lean(numeral(k)), "decide")
    proof = f"by have s : {lean(instance)} := {applied}; {put}first | exact s | omega"
    values.of[place] = Known(-difference.get((), 0) // difference[one], proof, needs)


def _applied(rule: Rule, value: str, tactic: str) -> str:
    return " ".join([rule.hypothesis, value, *(f"(by {tactic})" for _ in rule.conditions)])


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
        known = values.of.get(place)
        return Expr("var", (), name_of(place)) if known is None else numeral(known.value)
    return replace(expr, args=tuple(_valued(a, values) for a in expr.args))


def name_of(place: Place) -> str:
    """What a proof calls the fact that says the value at a place."""
    return f"e_{place[0].replace('.', '_')}_{place[1]}".replace("-", "n")


def _at(place: Place) -> str:
    return f"{place[0]} {lean(numeral(place[1]))}"


def _by_period(problem: Arithmetic, rules: list[Rule], values: Values, apps: list[Expr]) -> Iterator[str]:
    """A linear recurrence that comes back to its first values, modulo the number of the target or as it is."""
    modulus = next((p.args[1].value for p in problem.target.parts() if p.op == "%" and p.args[1].op == "num"), 0)
    names = {p.name for p in apps}
    for rule in rules:
        found = _linear(rule)
        if len(names) != 1 or found is None or found[0] not in names:
            continue
        name, shift, base, coefficients = found
        for m in dict.fromkeys((0, modulus)):
            period = _period(coefficients, m)
            if not period:
                continue
            of = f" % {m}" if m else ""
            lines = _period_lines(rule, name, shift, base, coefficients, period, of)
            places = []
            for k, app in enumerate(apps):
                step = _brought_down(problem, app, name, base, period, of, k)
                if step is None:
                    return
                lines.append(step[0])
                places.append((name, step[1]))
            compute_values(rules, values, places)
            if all(place in values.of for place in places):
                yield "\n  ".join([*lines, *values.lines(places), "omega"])
                return


def _linear(rule: Rule) -> tuple[str, int, int, list[int]] | None:
    """``u (n + base + d) = Σ cᵢ · u (n + base + i)`` from the first ``n`` on at which the conditions hold.

    The sequence, that ``n``, base, the coefficients; None for other rules.
    """
    types = {rule.variable: rule.type}
    if rule.type != "Nat":
        return None
    try:
        tried = range(2 * MOST_SHIFT)
        holding = (k for k in tried if all(holds(c, {rule.variable: k}, types) for c in rule.conditions))
        shift = next(holding, None)
        while shift is not None:
            one, places = _instance(rule.equation, {rule.variable: shift}, types)
            _, later = _instance(rule.equation, {rule.variable: shift + 1}, types)
            if all((u, i + 1) == place for (u, i), place in zip(places, later, strict=True)):
                break
            shift = next(holding, None)
        if shift is None or len({u for u, _ in places}) != 1:
            return None
        a, b = (polynomial(_valued(side, Values()), False) for side in one.args)
    except NotArithmetic:
        return None
    difference: Polynomial = added(a, scaled(b, -1))
    indices = sorted({i for _, i in places})
    name, base, degree = places[0][0], indices[0], indices[-1] - indices[0]
    found = [difference.pop(((name_of((name, base + i)), 1),), 0) for i in range(degree + 1)]
    if difference or abs(found[-1]) != 1 or not 1 <= degree <= MOST_DEGREE:
        return None
    return name, shift, base, [-c * found[-1] for c in found[:-1]]


def _period(coefficients: list[int], modulus: int) -> int:
    """After how many steps all values are what they were, whatever the first ones are; 0 for none within the limit."""
    degree = len(coefficients)
    rows = [[int(i == j) for j in range(degree)] for i in range(degree)]
    for n in range(MOST_PERIOD):
        row = [sum(c * rows[n + i][j] for i, c in enumerate(coefficients)) for j in range(degree)]
        rows.append([x % modulus for x in row] if modulus else row)
        if len(rows) >= 2 * degree and rows[-degree:] == rows[:degree]:
            return len(rows) - degree
    return 0


def _period_lines(
    rule: Rule, name: str, shift: int, base: int, coefficients: list[int], period: int, of: str
) -> list[str]:
    """Tactics that prove the period, and what follows for all multiples of it."""
    degree = len(coefficients)
    lines = [f"have per : ∀ n, {name} (n + {base + period}){of} = {name} (n + {base}){of} := by", "  intro n"]
    for k in range(period - degree + 1):
        shown = put_in(rule.equation, rule.variable, Expr("var", (), "_n"))
        text = lean(_indexed(shown, k + shift))
        lines.append(f"  have r{k} : {text} := {_applied(rule, f'(n + {k + shift})', 'omega')}")
    lines.append("  omega")
    lines += [
        f"have pers : ∀ q n, {name} (n + {base} + {period} * q){of} = {name} (n + {base}){of} := by",
        "  intro q n",
        "  induction q with",
        "  | zero => rfl",
        "  | succ q ih =>",
        f"    rw [show n + {base} + {period} * (q + 1) = n + {period} * q + {base + period} by omega, per,",
        f"      show n + {period} * q + {base} = n + {base} + {period} * q by omega, ih]",
    ]
    return lines


def _indexed(expr: Expr, at: int) -> Expr:
    """The equation at ``n + at``, each index a sum."""
    if expr.op == "app":
        index = compute(expr.args[0], {"_n": at}, {"_n": "Nat"})
        return replace(expr, args=(Expr("+", (Expr("var", (), "n"), numeral(index))),))
    return replace(expr, args=tuple(_indexed(a, at) for a in expr.args))


def _brought_down(
    problem: Arithmetic, app: Expr, name: str, base: int, period: int, of: str, label: int
) -> tuple[str, int] | None:
    """A tactic that states what the value is equal to, and the small index at which that is."""
    index = app.args[0]
    if not index.variables():
        q, rest = divmod(compute(index, {}, {}) - base, period)
        if q < 0:
            return None
        return f"have f{label} : {lean(app)}{of} = {name} {base + rest}{of} := pers {q} {rest}", base + rest
    for _, h in problem.hypotheses:
        if h.op == "=" and h.args[0].op == "%" and h.args[0].args[0] == index and h.args[1].op == "num":
            by = h.args[0].args[1]
            if by.op != "num" or by.value % period:
                continue
            small = base + (h.args[1].value - base) % period
            text = lean(index)
            again = f"{small - base} + {base} + {period} * (({text} - {small}) / {period}) = {text}"
            proof = f"pers (({text} - {small}) / {period}) {small - base}"
            return (
                f"have f{label} : {lean(app)}{of} = {name} {small}{of} := by\n"
                f"    have f := {proof}; rwa [show {again} by omega] at f",
                small,
            )
    return None
