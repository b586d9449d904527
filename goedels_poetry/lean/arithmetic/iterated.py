"""Sequences far along: what a recurrence says of a few values becomes a step that is computed by the kernel.

``u (n + 2) = u (n + 1) + u n`` with two values is the first of a pair ``s`` that starts with them and goes on by
``(s.2, s.2 + s.1)``. An induction shows that once, so that 1,500 steps cost no more than two; steps that depend on a
condition (a parity, say) become ``if``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from goedels_poetry.lean.arithmetic.polynomials import added, polynomial, scaled, term_of
from goedels_poetry.lean.arithmetic.problem import (
    MOST_BITS,
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    compute,
    holds,
    lean,
    numeral,
    put_in,
)
from goedels_poetry.lean.arithmetic.recurrences import (
    MOST_STEPS,
    Place,
    Rule,
    Values,
    compute_values,
    given_values,
    name_of,
    rules_of,
)

MOST_ITERATED, MOST_WIDTH, SAMPLES = 3_000, 6, 24
_INDEX, _TOP = "k", "top"


@dataclass(frozen=True, slots=True)
class Step:
    """``u (k + base + width)`` by the values from ``u (k + base)`` on, in the variables ``k`` and ``s0``, ``s1``, …"""

    rule: Rule
    conditions: tuple[Expr, ...]
    """On ``k``; () when they hold for every natural number."""
    value: Expr
    argument: Expr
    """What the rule is applied to."""


@dataclass(frozen=True, slots=True)
class _Sequence:
    """A sequence with the types of its indices and values, and where its window starts."""

    name: str
    index: str
    value: str
    base: int
    width: int

    @property
    def types(self) -> dict[str, str]:
        return {_INDEX: "Nat", **{f"s{i}": self.value for i in range(self.width + 1)}}

    def at(self, offset: int) -> str:
        """The sequence ``offset`` places after the start of the window that begins at ``k + base``."""
        return f"{self.name} ({lean(_shifted(self, self.base + offset))})"


def iterated_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most one tactic: the values that the target speaks of."""
    rules = rules_of(problem)
    apps = [p for p in problem.target.parts() if p.op == "app" and len(p.args) == 1]
    names = {p.name for p in apps}
    if len(names) != 1 or not rules or any(p.args[0].variables() for p in apps):
        return
    (name,) = names
    index, arrow, value = problem.functions.get(name, "").partition(" → ")
    wanted = list(dict.fromkeys(compute(p.args[0], {}, {}) for p in apps))
    if not arrow or index not in NUMBERS or value not in NUMBERS:
        return
    for base, width in _windows(problem, rules, name, wanted):
        sequence = _Sequence(name, NUMBERS[index], NUMBERS[value], base, width)
        if max(wanted) - base > MOST_ITERATED:
            continue
        values = given_values(problem)
        window: list[Place] = [(name, base + i) for i in range(width)]
        compute_values(rules, values, window)
        steps = [s for r in rules if (s := _step(r, sequence)) is not None]
        if steps and all(place in values.of for place in window):
            text = _proof(sequence, steps, values, window, wanted)
            if text:
                yield text
                return


def _windows(problem: Arithmetic, rules: list[Rule], name: str, wanted: list[int]) -> Iterator[tuple[int, int]]:
    """Where a window may begin, before all that is wanted, and how wide it is; the first that is known first."""
    spans = [s for r in rules if (s := _offsets(r, name)) is not None]
    known = [i for u, i in given_values(problem).of if u == name]
    if not spans or not known:
        return
    width = max(max(s) - min(s) for s in spans)
    last = min(max(known) + MOST_WIDTH, *wanted)
    if 1 <= width <= MOST_WIDTH:
        yield from ((b, width) for b in range(max(min(known), last - MOST_STEPS), last + 1))


def _offsets(rule: Rule, name: str) -> tuple[int, ...] | None:
    """Where the sequence is asked by a rule, seen from the rule's variable; None for rules about other things."""
    rows = []
    for k in _holding(rule)[:2]:
        try:
            places = [compute(p.args[0], {rule.variable: k}, {rule.variable: rule.type}) for p in _apps(rule, name)]
        except NotArithmetic:
            return None
        rows.append(tuple(sorted(i - k for i in places)))
    others = [p for p in rule.equation.parts() if p.op == "app" and (p.name != name or len(p.args) != 1)]
    return rows[0] if len(rows) == 2 and rows[0] == rows[1] and rows[0] and not others else None


def _apps(rule: Rule, name: str) -> list[Expr]:
    return [p for p in rule.equation.parts() if p.op == "app" and p.name == name]


def _holding(rule: Rule) -> list[int]:
    """Small values at which the conditions of a rule hold."""
    types = {rule.variable: rule.type}
    try:
        return [k for k in range(SAMPLES) if all(holds(c, {rule.variable: k}, types) for c in rule.conditions)]
    except NotArithmetic:
        return []


def _shifted(sequence: _Sequence, by: int) -> Expr:
    """``k + by`` as an index."""
    k = Expr("var", (), _INDEX)
    one = Expr("cast", (k,), "Int") if sequence.index == "Int" else k
    return one if not by else Expr("+" if by > 0 else "-", (one, numeral(abs(by))))


def _step(rule: Rule, sequence: _Sequence) -> Step | None:
    """The rule, solved for the value after the window."""
    offsets = _offsets(rule, sequence.name)
    if offsets is None:
        return None
    shift = sequence.base + sequence.width - offsets[-1]
    if rule.type == "Nat" and shift < 0:
        return None
    argument = _shifted(sequence, shift)
    try:
        conditions = tuple(put_in(c, rule.variable, argument) for c in rule.conditions)
        always = all(holds(c, {_INDEX: k}, {_INDEX: "Nat"}) for c in conditions for k in range(SAMPLES))
        value = _solved(rule, sequence, shift)
        if value is None:
            return None
        return Step(rule, () if always else conditions, put_in(value, rule.variable, argument), argument)
    except NotArithmetic:
        return None


def _solved(rule: Rule, sequence: _Sequence, shift: int) -> Expr | None:
    """What the equation says that its last value is."""
    sides = [_in_window(side, rule, sequence, shift) for side in rule.equation.args]
    top = Expr("var", (), f"s{sequence.width}")
    for side, other in (sides, sides[::-1]):
        if side == top and top.name not in other.variables():
            return other
    a, b = (polynomial(side, False) for side in sides)
    difference = added(a, scaled(b, -1))
    one = ((top.name, 1),)
    c = difference.pop(one, 0)
    if abs(c) != 1 or any(n == top.name for m in difference for n, _ in m):
        return None
    rest = scaled(difference, -c)
    more, less = ({m: abs(x) for m, x in rest.items() if (x > 0) == sign} for sign in (True, False))
    return Expr("-", (term_of(more), term_of(less))) if less else term_of(more)


def _in_window(expr: Expr, rule: Rule, sequence: _Sequence, shift: int) -> Expr:
    """The expression with a variable for each value of the sequence."""
    if expr.op == "app":
        k = max(_holding(rule)[0], 0)
        offset = compute(expr.args[0], {rule.variable: k}, {rule.variable: rule.type}) - k + shift - sequence.base
        if not 0 <= offset <= sequence.width:
            raise NotArithmetic(expr.name)
        return Expr("var", (), f"s{offset}")
    return replace(expr, args=tuple(_in_window(a, rule, sequence, shift) for a in expr.args))


def _iterate(sequence: _Sequence, steps: list[Step], start: list[int], wanted: list[int]) -> dict[int, int] | None:
    """The values at the indices that are wanted."""
    state, found, bits = [*start], {}, 0
    signed = sequence.value == "Int"
    for k in range(max(wanted) - sequence.base + 1):
        if sequence.base + k in wanted:
            found[sequence.base + k] = state[0]
        values = {_INDEX: k, **{f"s{i}": v for i, v in enumerate(state)}}
        step = next((s for s in steps if all(holds(c, values, sequence.types) for c in s.conditions)), None)
        if step is None:
            return None
        state = [*state[1:], compute(step.value, values, sequence.types, signed)]
        bits = max(bits, state[-1].bit_length())
        if bits > MOST_BITS:
            return None
    return found


def _proof(sequence: _Sequence, steps: list[Step], values: Values, window: list[Place], wanted: list[int]) -> str:
    """Tactics; "" where the values cannot be computed."""
    try:
        results = _iterate(sequence, steps, [values.of[place].value for place in window], wanted)
    except NotArithmetic:
        return ""
    if results is None:
        return ""
    width = sequence.width
    state, first, step_text = _recursion(sequence, steps, [values.of[place].value for place in window])
    claims = " ∧ ".join(f"{sequence.at(i)} = {_part(f'(g {_INDEX})', i, width)}" for i in range(width))
    lines = [
        *values.lines(window),
        f"have st : ∀ g : Nat → {state}, g 0 = {first} →",
        f"    (∀ {_INDEX} : Nat, g ({_INDEX} + 1) = ({step_text}) {_INDEX} (g {_INDEX})) →",
        f"    ∀ {_INDEX} : Nat, {claims} := by",
        f"  intro g g0 gs {_INDEX}",
        f"  induction {_INDEX} with",
        f"  | zero => rw [g0]; exact {_anonymous([name_of(place) for place in window])}",
        f"  | succ {_INDEX} ih =>",
        "    rw [gs]; dsimp only",
    ]
    if width > 1:
        lines.append(f"    obtain {_anonymous([f'e{i}' for i in range(width)])} := ih")
    lines += [f"    {line}" for n, step in enumerate(steps) for line in _facts(step, n, sequence)]
    for i in range(width):
        shown = f"have i{i} : {_next(sequence, i)} = {sequence.at(i + 1)} := congrArg {sequence.name} (by omega)"
        lines.append(f"    {shown}")
    close = "first | omega | grind"
    close = f"first | omega | (split <;> {close}) | grind" if any(s.conditions for s in steps) else close
    lines.append(f"    refine {_anonymous(['?_'] * width)} <;> {close}")
    recursor = f"Nat.rec (motive := fun _ => {state}) {first} ({step_text})"
    for index, result in results.items():
        text, at = lean(numeral(result)), index - sequence.base
        own = f"(st (fun {_INDEX} => {recursor} {_INDEX}) rfl (fun _ => rfl) {at}){'.1' if width > 1 else ''}"
        lines += [
            f"have {f'f{index}'.replace('-', 'n')} : {sequence.name} {lean(numeral(index))} = {text} := by",
            f"  have e : {sequence.name} {lean(numeral(index))} = _ := {own}",
            f"  rw [e]; exact (by decide +kernel : {_part(f'(({recursor} {at} : {state}))', 0, width)} = {text})",
        ]
    facts = ", ".join(f"f{index}".replace("-", "n") for index in results)
    lines.append(f"first | (simp [{facts}]; done) | (simp only [{facts}]; omega)")
    return "\n  ".join(lines)


def _anonymous(parts: list[str]) -> str:
    """A term or pattern for all the parts of a conjunction."""
    return f"⟨{', '.join(parts)}⟩" if len(parts) > 1 else parts[0]


def _recursion(sequence: _Sequence, steps: list[Step], start: list[int]) -> tuple[str, str, str]:
    """The type of the window, the window at the start, and the function that moves it by one."""
    width = sequence.width
    state = " × ".join([sequence.value] * width)
    parts = {f"s{i}": _part("s", i, width) for i in range(width)}
    last = "0"
    for step in reversed(steps):
        own = _named(step.value, parts)
        last = f"if {' ∧ '.join(lean(c) for c in step.conditions)} then {own} else {last}" if step.conditions else own
    row = ", ".join([*(parts[f"s{i}"] for i in range(1, width)), last])
    first = f"(({', '.join(lean(numeral(v)) for v in start)}) : {state})"
    return state, first, f"fun ({_INDEX} : Nat) (s : {state}) => (({row}) : {state})"


def sequence_model(problem: Arithmetic) -> tuple[str, str, dict[str, str]] | None:
    """A sequence that the hypotheses define, as Lean text, with a tactic for each hypothesis about it; None when they
    do not define one of natural indices, step by step."""
    about = {n: h for n, h in problem.hypotheses if any(p.op == "app" for p in h.parts())}
    names = {p.name for h in about.values() for p in h.parts() if p.op == "app"}
    rules = rules_of(problem)
    if len(names) != 1 or not rules or len(problem.functions) != 1:
        return None
    (name,) = names
    index, _, value = problem.functions.get(name, "").partition(" → ")
    spans = [_offsets(r, name) for r in rules]
    if NUMBERS.get(index) != "Nat" or value not in NUMBERS or not all(spans):
        return None
    some = [(r, s) for r, s in zip(rules, spans, strict=True) if s]
    base, width = min(_holding(r)[0] + s[0] for r, s in some), max(s[-1] - s[0] for _, s in some)
    if base < 0 or not 1 <= width <= MOST_WIDTH:
        return None
    sequence = _Sequence(name, "Nat", NUMBERS[value], base, width)
    values, window = given_values(problem), [(name, base + i) for i in range(width)]
    compute_values(rules, values, window)
    steps = [_step(r, sequence) for r in rules]
    made = [s for s in steps if s is not None]
    if len(made) < len(steps) or not all(place in values.of for place in window):
        return None
    state, first, step_text = _recursion(sequence, made, [values.of[place].value for place in window])
    recursor = (
        f"(Nat.rec (motive := fun _ => {state}) {first} ({step_text}) {f'(i - {base})' if base else 'i'} : {state})"
    )
    tactics = dict.fromkeys(about, "decide +kernel")
    for rule in rules:
        shift, asked = _holding(rule)[0], " ".join(f"h{i}" for i in range(len(rule.conditions)))
        obtained = f"obtain ⟨m, rfl⟩ : ∃ m, v = m + {shift} := ⟨v - {shift}, by omega⟩"
        close = "first | rfl | (simp_all; done) | (simp_all; omega)"
        tactics[rule.hypothesis] = f"intro v {asked}; {obtained}; {close}"
    return name, f"fun i => {_part(recursor, 0, width)}", tactics


def _part(state: str, place: int, width: int) -> str:
    """A component of a tuple (nested to the right)."""
    if width == 1:
        return state
    return state + ".2" * place + (".1" if place < width - 1 else "")


def _named(expr: Expr, parts: Mapping[str, str]) -> str:
    for name, text in parts.items():
        if name in expr.variables():
            expr = put_in(expr, name, Expr("var", (), text))
    return lean(expr)


def _next(sequence: _Sequence, offset: int) -> str:
    """`_Sequence.at` after ``k + 1`` has taken the place of ``k``, as the induction shows it."""
    text = lean(put_in(_shifted(sequence, sequence.base + offset), _INDEX, Expr("var", (), f"({_INDEX} + 1 : Nat)")))
    return f"{sequence.name} ({text})"


def _facts(step: Step, number: int, sequence: _Sequence) -> list[str]:
    """What the rule says at this place, each index in the form of the window."""
    equation = put_in(step.rule.equation, step.rule.variable, step.argument)
    said = " → ".join([*(lean(c) for c in step.conditions), lean(equation)])
    asked = [f"h{i}" for i in range(len(step.conditions))]
    given = asked or ["(by omega)"] * len(step.rule.conditions)
    bound = f"fun {' '.join(asked)} => " if asked else ""
    proof = f"{bound}{' '.join([step.rule.hypothesis, lean(step.argument), *given])}"
    lines = [f"have r{number} : {said} := {proof}"]
    seen = dict.fromkeys(p for p in equation.parts() if p.op == "app")
    for n, app in enumerate(seen):
        at = compute(app.args[0], {_INDEX: 50}, {_INDEX: "Nat"}) - 50 - sequence.base
        index = lean(_shifted(sequence, sequence.base + at))
        lines.append(
            f"have j{number}{n} : {lean(app)} = {sequence.name} ({index}) := congrArg {sequence.name} (by omega)"
        )
    return lines
