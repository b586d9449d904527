"""Solutions found by plain computation: factors of equations, values between bounds, witnesses."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from goedels_poetry.lean.arithmetic.polynomials import linear_ranges, omega_reads
from goedels_poetry.lean.arithmetic.predicates import quantified, weaker
from goedels_poetry.lean.arithmetic.problem import (
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    holds,
    lean,
    numeral,
    put_in,
)
from goedels_poetry.lean.tactics.portfolio import any_of

# -- Bounds of what grows ------------------------------------------------------------------------------------------

MOST_TABLE, MOST_BITS, MOST_ROUNDS, MOST_BOUND, MOST_CHECKED = 20_000, 256, 6, 100_000, 60_000
_OPPOSITE = {"≤": ">", "<": "≥", "≥": "<", ">": "≤", "≠": "=", "=": "≠"}


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that a term is not below (or not above), as the text of the proof's type, and the proof."""

    value: int
    text: str
    proof: str


@dataclass(slots=True)
class Intervals:
    """What is known of each number, with the names of the facts that say so."""

    low: dict[str, int] = field(default_factory=dict)
    high: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def table_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most one tactic: a table of all values between bounds."""
    if any(t != "Nat" for t in problem.types.values()):
        return
    start, every = [], problem
    if problem.target.op in _OPPOSITE:
        start.append("apply Decidable.byContradiction; intro hn")
        every = problem.given(("hn", replace(problem.target, op=_OPPOSITE[problem.target.op])))
    known = intervals(every)
    names = [n for n in problem.names if any(n in f.variables() for f in problem.formulas)]
    if not names or (not known.lines and len(names) < 2) or not known.high.keys() >= set(names):
        return
    names.sort(key=lambda n: known.high[n])
    lines = table(problem, {n: known.high[n] for n in names}, "hn" if start else "")
    if lines is not None and _true(problem, names, known):
        yield "\n  ".join([*start, *known.lines, *lines])


def intervals(problem: Arithmetic) -> Intervals:
    """The bounds of the natural numbers of a problem."""
    known = Intervals(low=dict.fromkeys(problem.types, 0))
    rows = [row for name, h in problem.hypotheses for row in _orders(name, h)]
    for _ in range(MOST_ROUNDS):
        before = len(known.lines)
        for name, small, large in rows:
            for variable in sorted(small.variables()):
                _improve(known, name, small, large, variable, upper=True)
            for variable in sorted(large.variables()):
                _improve(known, name, small, large, variable, upper=False)
        if len(known.lines) == before:
            break
    return known


def _orders(name: str, h: Expr) -> list[tuple[str, Expr, Expr]]:
    """``small ≤ large`` that a hypothesis says, and its name."""
    if h.op == "=":
        return [(name, h.args[0], h.args[1]), (name, h.args[1], h.args[0])]
    if h.op not in ("≤", "<", "≥", ">"):
        return []
    small, large = h.args if h.op in ("≤", "<") else h.args[::-1]
    return [(name, Expr("+", (small, numeral(1))) if h.op in "<>" else small, large)]


def _improve(known: Intervals, name: str, small: Expr, large: Expr, variable: str, *, upper: bool) -> None:
    """A better bound of a variable from ``small ≤ large``: by trying bounds that would make that false."""
    old = (known.high if upper else known.low).get(variable)

    def broken(bound: int) -> tuple[Bound, Bound] | None:
        """The proof that beyond the bound ``small`` is too large, or ``large`` too small."""
        low, high = dict(known.low), dict(known.high)
        if upper:
            low[variable] = bound + 1
        else:
            high[variable] = bound - 1
        try:
            a, b = below(small, low, high), above(large, low, high)
        except NotArithmetic:
            return None
        return (a, b) if a.value > b.value else None

    if upper:
        first, last = known.low.get(variable, 0) - 1, MOST_BOUND if old is None else old - 1
    else:
        first, last = old or 0, known.high.get(variable, MOST_BOUND)
    if first >= last:
        return
    # The closest bound that is proved: what is broken stays broken further out, until numbers become too large.
    further = 1
    while upper and first + further < last and broken(first + further) is None:
        further *= 2
    good, bad = (min(last, first + further), first) if upper else (first + 1, last + 1)
    if broken(good) is None:
        return
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if broken(middle) is not None else (good, middle)
    found = broken(good)
    if found is None or good < 0:
        return
    a, b = found
    label = f"{'u' if upper else 'l'}_{variable}_{len(known.lines)}"
    claim = f"{variable} ≤ {good}" if upper else f"{good} ≤ {variable}"
    side = f"{good + 1} ≤ {variable}" if upper else f"{variable} ≤ {good - 1}"
    given = [f"have b_{n} : {v} ≤ {n} := by omega" for n, v in known.low.items() if v and n != variable]
    given += [f"have t_{n} : {n} ≤ {v} := by omega" for n, v in known.high.items() if n != variable]
    needed = [g for g in given if g.split()[1] in f"{a.proof} {b.proof}".replace("(", " ").replace(")", " ").split()]
    known.lines += [
        f"have {label} : {claim} := by",
        "  apply Decidable.byContradiction; intro gp_hb",
        f"  have {'b' if upper else 't'}_{variable} : {side} := by omega",
        *(f"  {line}" for line in needed),
        f"  have gp_lo : {a.text} ≤ {lean(small)} := {a.proof}",
        f"  have gp_hi : {lean(large)} ≤ {b.text} := {b.proof}",
        f"  clear {' '.join(['gp_hb', *(g.split()[1] for g in needed)])}",
        "  omega",
    ]
    (known.high if upper else known.low)[variable] = good


def below(expr: Expr, low: dict[str, int], high: dict[str, int]) -> Bound:
    """A number that a term is at least; facts ``b_x : c ≤ x`` are at hand where ``low`` is not 0.
    Raises :class:`NotArithmetic` for numbers that are too large."""
    if expr.op == "num":
        return Bound(expr.value, str(expr.value), "(Nat.le_refl _)")
    if expr.op == "var":
        value = low.get(expr.name, 0)
        return Bound(value, str(value), f"b_{expr.name}" if value else "(Nat.zero_le _)")
    if expr.op in "+*":
        return _both(expr, *(below(a, low, high) for a in expr.args))
    if expr.op == "^":
        base, exponent = (below(a, low, high) for a in expr.args)
        return _power(base, exponent, expr)
    if expr.op == "lcm":
        sides = [below(a, low, high) for a in expr.args]
        if all(s.value for s in sides):
            side = max(0, 1, key=lambda i: sides[i].value)
            divides = f"Nat.le_of_dvd (Nat.lcm_pos (by omega) (by omega)) (Nat.dvd_lcm_{('left', 'right')[side]} _ _)"
            return Bound(sides[side].value, sides[side].text, f"(Nat.le_trans {sides[side].proof} ({divides}))")
    return _nothing()


def above(expr: Expr, low: dict[str, int], high: dict[str, int]) -> Bound:
    """A number that a term is at most; facts ``t_x : x ≤ c`` are at hand. Raises :class:`NotArithmetic` for terms
    without a bound."""
    if expr.op == "num":
        return Bound(expr.value, str(expr.value), "(Nat.le_refl _)")
    if expr.op == "var":
        if expr.name not in high or high[expr.name] < 0:
            raise NotArithmetic(expr.name)
        return Bound(high[expr.name], str(high[expr.name]), f"t_{expr.name}")
    if expr.op in "+*":
        return _both(expr, *(above(a, low, high) for a in expr.args))
    if expr.op == "^":
        base, exponent = (above(a, low, high) for a in expr.args)
        if base.value < 1:
            raise NotArithmetic("a power of 0")
        return _power(base, exponent, expr)
    if expr.op == "%" and expr.args[1].op == "num" and expr.args[1].value > 0:
        by = expr.args[1].value
        return Bound(by - 1, str(by - 1), "(Nat.le_of_lt_succ (Nat.mod_lt _ (by decide)))")
    if expr.op in "-/":
        inner = above(expr.args[0], low, high)
        lemma = "Nat.sub_le _ _" if expr.op == "-" else "Nat.div_le_self _ _"
        return Bound(inner.value, inner.text, f"(Nat.le_trans ({lemma}) {inner.proof})")
    raise NotArithmetic(expr.op)


def _both(expr: Expr, a: Bound, b: Bound) -> Bound:
    value = a.value + b.value if expr.op == "+" else a.value * b.value
    if value.bit_length() > MOST_BITS:
        raise NotArithmetic("too large")
    lemma = "Nat.add_le_add" if expr.op == "+" else "Nat.mul_le_mul"
    return Bound(value, f"({a.text} {expr.op} {b.text})", f"({lemma} {a.proof} {b.proof})")


def _power(base: Bound, exponent: Bound, expr: Expr) -> Bound:
    """``c ^ k ≤ x ^ y``, by the base and then by the exponent; the other way round the same."""
    if base.value.bit_length() * exponent.value > MOST_BITS:
        raise NotArithmetic("too large")
    value, text = base.value**exponent.value, f"({base.text} ^ {exponent.text})"
    if not expr.args[1].variables():
        return Bound(value, f"({base.text} ^ {lean(expr.args[1])})", f"(Nat.pow_le_pow_left {base.proof} _)")
    if not expr.args[0].variables():
        right = f"(Nat.pow_le_pow_right (by decide) {exponent.proof})"
        return Bound(value, f"({lean(expr.args[0])} ^ {exponent.text})", right) if base.value else _nothing()
    if not base.value:
        return _nothing()
    return Bound(value, text, f"(Nat.pow_le_pow (by omega) {base.proof} {exponent.proof})")


def _nothing() -> Bound:
    return Bound(0, "0", "(Nat.zero_le _)")


def _true(problem: Arithmetic, names: list[str], known: Intervals) -> bool:
    """Whether no values between the bounds make the target false, as far as a limited number of them says."""
    budget = [MOST_CHECKED]
    due = _due(problem, names)

    def fine(values: dict[str, int], at: int, *, sure: bool) -> bool:
        budget[0] -= 1
        if budget[0] < 0:
            raise NotArithmetic("too many values")
        if at == len(names):
            return not sure or _holds(problem.target, values, problem) is not False
        for v in range(known.low[names[at]], known.high[names[at]] + 1):
            more = {**values, names[at]: v}
            truths = [_holds(h, more, problem) for _, h in due[at]]
            if False not in truths and not fine(more, at + 1, sure=sure and None not in truths):
                return False
        return True

    try:
        return fine({}, 0, sure=True)
    except NotArithmetic:
        return False


def _holds(formula: Expr, values: dict[str, int], problem: Arithmetic) -> bool | None:
    """None where it cannot be computed: Lean knows more functions, and more than a few numbers."""
    try:
        return None if quantified(formula) else holds(formula, values, problem.types)
    except NotArithmetic:
        return None


def _due(problem: Arithmetic, names: list[str]) -> list[list[tuple[str, Expr]]]:
    """The hypotheses that are asked, each with the last of its numbers."""
    due: list[list[tuple[str, Expr]]] = [[] for _ in names]
    for name, h in problem.hypotheses:
        if h.op != "app" and _own(h, problem):
            due[max((names.index(n) for n in h.variables()), default=0)].append((name, h))
    return due


def _own(formula: Expr, problem: Arithmetic) -> bool:
    """Whether it speaks of no function that only hypotheses say something about."""
    return not any(p.op == "app" and p.name in problem.functions for p in formula.parts())


def table(problem: Arithmetic, high: dict[str, int], negated: str = "") -> list[str] | None:
    """A table of the target for all values up to these bounds, hypotheses as early as they can be asked, and what
    applies it; ``negated``: the name of the hypothesis that it contradicts. None where nothing computes the target."""
    if math.prod(v + 1 for v in high.values()) > MOST_TABLE or quantified(problem.target):
        return None
    if not _own(problem.target, problem):
        return None
    text, given, bound = "", [], max(high.values()) + 1
    for n, own in zip(high, _due(problem, list(high)), strict=True):
        text += f"∀ {n}, {n} < {high[n] + 1} → "
        given += [n, "(by omega)"]
        weak = [w for h, formula in own if (w := weaker(formula, h, bound))[0] != "True"]
        if weak:
            text += f"{' ∧ '.join(claim for claim, _ in weak)} → "
            given.append(f"⟨{', '.join(proof for _, proof in weak)}⟩" if len(weak) > 1 else weak[0][1])
    finish = f"table {' '.join(given)}"
    decided = "by set_option synthInstance.maxSize 2000 in decide +kernel"
    closed = f"exact absurd ({finish}) {negated}" if negated else f"exact {finish}"
    return [f"have table : {text}{lean(problem.target)} := {decided}", closed]


# -- Terms for what a goal says to exist, in the variables of the goal ---------------------------------------------


SECONDS = 0.4
MOST_ROWS, MOST_VALUE, MOST_FOUND, MOST_TRIED = 12, 7, 3, 10_000
MOST_NUMERAL = {1: 400, 2: 50}
_LEAF = f"(by {any_of(['omega', 'grind', 'simp', 'decide'])})"


def term_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics that name a term for each number that the target says to exist, wherever in a conjunction it says so."""
    bound, closed = _bound(problem.target), not problem.target.variables()
    if not bound or len(bound) > 2:
        return
    rows = [dict[str, int]()] if closed else _rows(problem)
    if not rows:
        return
    signed = any(p.op == "∃" and NUMBERS.get(p.args[1].name) == "Int" for p in problem.target.parts())
    numbers = [numeral(n) for k in range(MOST_NUMERAL[len(bound)]) for n in ((k, -k) if k and signed else (k,))]
    candidates = numbers if closed else _candidates(problem)
    tried = itertools.islice(itertools.product(candidates, repeat=len(bound)), MOST_TRIED)
    found, until = 0, time.thread_time() + SECONDS
    for terms in sorted(tried, key=lambda ts: sum(len(t.parts()) for t in ts)):
        try:
            body, proof = _named(problem.target, list(terms))
            if all(holds(body, row, problem.types) for row in rows):
                yield f"exact {proof}"
                found += 1
        except NotArithmetic:
            return
        if found == MOST_FOUND or time.thread_time() > until:
            return


def _bound(target: Expr) -> list[str]:
    if target.op == "∃" and target.args[1].name in ("", *NUMBERS):
        return [target.name, *_bound(target.args[0])]
    return [n for a in target.args for n in _bound(a)] if target.op == "∧" else []


def _named(target: Expr, terms: list[Expr]) -> tuple[Expr, str]:
    """The target with the terms, taken from the front, for what it says to exist; and the proof that has them."""
    if target.op == "∃":
        term = terms.pop(0)
        body, proof = _named(put_in(target.args[0], target.name, term), terms)
        return body, f"⟨{lean(term)}, {proof}⟩"
    if target.op == "∧" and _bound(target):
        parts = [_named(a, terms) for a in target.args]
        return replace(target, args=tuple(p for p, _ in parts)), f"⟨{', '.join(p for _, p in parts)}⟩"
    return target, _LEAF


def _candidates(problem: Arithmetic) -> list[Expr]:
    """Simple terms in the variables."""
    names = [Expr("var", (), n) for n in problem.names[:3]]
    found = [numeral(0), numeral(1), numeral(2), *names]
    for x in names:
        found += [Expr("+", (x, numeral(c))) for c in (1, 2)]
        found += [Expr(op, (x, y)) for op in "+-*" for y in names if op == "*" or y != x]
        found += [Expr(op, (x, numeral(2))) for op in "*/"]
        found += [Expr("+", (Expr("*", (numeral(2), x)), numeral(1))), Expr("+", (Expr("*", (x, x)), numeral(1)))]
    return list(dict.fromkeys(found))


def _rows(problem: Arithmetic) -> list[dict[str, int]]:
    """Small values that meet the hypotheses."""
    sets = [range(-MOST_VALUE if t == "Int" else 0, MOST_VALUE + 1) for t in problem.types.values()]
    rows = (dict(zip(problem.names, row, strict=True)) for row in itertools.islice(itertools.product(*sets), 4_000))
    try:
        fitting = (r for r in rows if all(holds(h, r, problem.types) for _, h in problem.hypotheses))
        return list(itertools.islice(fitting, MOST_ROWS))
    except NotArithmetic:
        return []


# -- Solutions found by plain computation --------------------------------------------------------------------------


MOST_CASES = 40


def within_ranges(problem: Arithmetic) -> Iterator[str]:
    """Numbers that linear hypotheses leave few values: all of them, or one that makes the rest linear."""
    names, known = _assumed(problem), linear_ranges(problem)
    ranges = {n: range(r[0], r[1] + 1) for n in names if (r := known.of(n)) is not None}
    if names and len(ranges) == len(names):
        yield from _finished(problem, ranges, known.facts)
    for name, values in ranges.items():
        if 0 < len(values) <= MOST_CASES and all(map(omega_reads, problem.at(name, numeral(values[0])).formulas)):
            yield from _finished(problem, {name: values}, known.facts)


def _assumed(problem: Arithmetic) -> list[str]:
    """The numbers that a hypothesis is about."""
    return [n for n in problem.names if any(n in h.variables() for _, h in problem.hypotheses)]


def _finished(problem: Arithmetic, ranges: dict[str, range], lines: list[str]) -> Iterator[str]:
    """Cases, or a table that the kernel computes, for numbers between bounds that `omega` proves after these lines."""
    total = math.prod(map(len, ranges.values()))
    if not total:
        return  # then `omega` alone shows that the hypotheses contradict each other
    if total <= MOST_CASES:
        cases = [" ∨ ".join(f"{name} = {lean(numeral(v))}" for v in values) for name, values in ranges.items()]
        stated = [f"have c{k} : {case} := by omega" for k, case in enumerate(cases)]
        splits = [f"rcases c{k} with {'|'.join(['rfl'] * len(values))}" for k, values in enumerate(ranges.values())]
        closed = f"{' <;> '.join(splits)} <;> {any_of(['omega', 'simp_all', 'grind'])}"
        yield "\n  ".join([*lines, *stated, closed])
    if ranges.keys() >= set(_assumed(problem)) and all(problem.types[n] == "Nat" for n in ranges):
        decided = table(problem, {n: values[-1] for n, values in ranges.items()})
        if decided is not None:
            yield "\n  ".join([*lines, *decided])
