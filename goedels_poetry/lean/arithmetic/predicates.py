"""Predicates of the file (``Prime p := 2 ≤ p ∧ ∀ m, m ∣ p → m = 1 ∨ m = p``), written out and decided between bounds.

A quantifier over all numbers is nothing that Lean decides. What it says of the numbers below a bound is: that is weaker
(`weaker`), and at a number it is often all that has to be shown (`shown`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from goedels_poetry.lean.arithmetic.problem import (
    Arithmetic,
    Expr,
    NotArithmetic,
    at_values,
    compute,
    holds,
    lean,
    numeral,
    put_in,
    read,
)
from goedels_poetry.lean.tactics.theory import Theory

MOST_UNFOLDED, MOST_WITNESS, MOST_BOUND = 4, 60, 1_000
_NATURAL = ("Nat", "ℕ", "")
"""How Lean prints the type of a bound variable; "" where it leaves it out, and Lean sees whether it was another one."""
_LARGE = (
    "intros; first | omega | (exfalso; rename_i hd; have := Nat.le_of_dvd (by decide) hd; omega) | "
    "(exfalso; rename_i hd _; have := Nat.le_of_dvd (by decide) hd; omega) | grind"
)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A definition that is a formula about its arguments."""

    name: str
    variables: tuple[str, ...]
    body: Expr


NO_PREDICATES: Mapping[str, Predicate] = {}


def predicates_of(theory: Theory) -> dict[str, Predicate]:
    """The definitions of a file that are formulas of arithmetic, by name."""
    found = (_predicate(name, text) for name, text in theory.printed)
    return {known.name: known for known in found if known is not None}


def _predicate(name: str, printed: str) -> Predicate | None:
    """The definition from what ``#print`` says of it; None for what is no formula of arithmetic."""
    _, found, text = " ".join(printed.split()).partition(" := ")
    if not found or not text.startswith("fun "):
        return None
    binders, _, body = text.removeprefix("fun ").partition(" => ")
    try:
        return Predicate(name, tuple(binders.split()), read(body))
    except NotArithmetic:
        return None


def spelled(expr: Expr, predicates: Mapping[str, Predicate]) -> Expr:
    """The formula with the bodies of predicates in their places, to a limited depth. Raises :class:`NotArithmetic`
    where a quantifier would bind a name."""
    for _ in range(MOST_UNFOLDED):
        if any(p.op == "app" and p.name in predicates for p in expr.parts()):
            expr = _spelled(expr, predicates)
    return expr


def _spelled(expr: Expr, predicates: Mapping[str, Predicate]) -> Expr:
    args = tuple(_spelled(a, predicates) for a in expr.args)
    known = predicates.get(expr.name) if expr.op == "app" else None
    if known is None or len(known.variables) != len(args):
        return replace(expr, args=args)
    taken = {n for a in args for n in a.variables()}
    body = _renamed(known.body, taken | set(known.variables))
    for n, variable in enumerate(known.variables):
        body = put_in(body, variable, Expr("var", (), f"put'{n}"))
    for n, value in enumerate(args):
        body = put_in(body, f"put'{n}", value)
    return body


def _renamed(expr: Expr, taken: set[str]) -> Expr:
    """The formula with other names for bound variables that are taken."""
    args = tuple(_renamed(a, taken) for a in expr.args)
    expr = replace(expr, args=args)
    if expr.op not in ("∃", "∀") or expr.name not in taken:
        return expr
    used = taken | {p.name for p in expr.parts()}
    fresh = next(f"{expr.name}{n}" for n in range(1, len(used) + 2) if f"{expr.name}{n}" not in used)
    return replace(expr, name=fresh, args=(put_in(args[0], expr.name, Expr("var", (), fresh)), args[1]))


def written_out(problem: Arithmetic, predicates: Mapping[str, Predicate]) -> tuple[str, Arithmetic] | None:
    """The problem with predicates written out, and the tactic for it; None where there are none."""
    used = dict.fromkeys(p.name for f in problem.formulas for p in f.parts() if p.op == "app" and p.name in predicates)
    if not used:
        return None
    hypotheses = tuple((n, spelled(h, predicates)) for n, h in problem.hypotheses)
    target = spelled(problem.target, predicates)
    changed = [n.split(".")[0] for (n, h), (_, old) in zip(hypotheses, problem.hypotheses, strict=True) if h != old]
    at = " ".join([*dict.fromkeys(changed), *(["⊢"] if target != problem.target else [])])
    names = ", ".join(predicates)
    return f"simp only [{names}] at {at}", replace(problem, hypotheses=hypotheses, target=target)


def quantified(expr: Expr) -> bool:
    """Whether a formula says something of all numbers, or that one exists."""
    return any(p.op in ("∃", "∀") for p in expr.parts())


def weaker(expr: Expr, proof: str, bound: int) -> tuple[str, str]:
    """A formula that Lean decides and that follows from this one, with its proof from ``proof``."""
    if not quantified(expr) and expr.op != "app":
        return lean(expr), proof
    if expr.op == "∧":
        (a, p), (b, q) = (weaker(x, f"{proof}.{n}", bound) for n, x in enumerate(expr.args, 1))
        return f"({a} ∧ {b})", f"⟨{p}, {q}⟩"
    if expr.op == "∀" and expr.args[1].name in _NATURAL:
        text, inner = weaker(expr.args[0], f"({proof} {expr.name})", bound)
        return f"(∀ {expr.name}, {expr.name} < {bound} → {text})", f"(fun {expr.name} _ => {inner})"
    if expr.op == "→" and not quantified(expr.args[0]):
        text, inner = weaker(expr.args[1], f"({proof} hw)", bound)
        return f"({lean(expr.args[0])} → {text})", f"(fun hw => {inner})"
    if expr.op == "¬" and expr.args[0].op == "∃" and expr.args[0].args[1].name in _NATURAL:
        there = expr.args[0]
        without = Expr("¬", (there.args[0],))
        text, inner = weaker(without, f"(fun hx => {proof} ⟨{there.name}, hx⟩)", bound)
        return f"(∀ {there.name}, {there.name} < {bound} → {text})", f"(fun {there.name} _ => {inner})"
    return "True", "trivial"


def shown(expr: Expr, bound: int) -> str:
    """A term that proves a formula without free variables: quantifiers below the bound by computing. Raises
    :class:`NotArithmetic` for what has to be found and is not."""
    if not quantified(expr):
        return "(by decide +kernel)"
    if expr.op == "∧":
        return f"⟨{', '.join(shown(a, bound) for a in expr.args)}⟩"
    if expr.op == "¬":
        return f"(fun t => {refuted(expr.args[0], 't', bound)})"
    if expr.op == "∃":
        for value in range(MOST_WITNESS):
            body = put_in(expr.args[0], expr.name, numeral(value))
            if holds(body, {}, {}, MOST_WITNESS):
                return f"⟨{value}, {shown(body, bound)}⟩"
        raise NotArithmetic("no witness")
    if expr.op == "∀" and expr.args[1].name in _NATURAL and not quantified(expr.args[0]):
        table = f"(by decide +kernel : ∀ {expr.name}, {expr.name} < {bound} → {lean(expr.args[0])})"
        return (
            f"(fun {expr.name} => (Nat.lt_or_ge {expr.name} {bound}).elim "
            f"(fun h => {table} {expr.name} h) (fun h => by {_LARGE}))"
        )
    return "(by first | decide +kernel | omega | grind)"


def refuted(expr: Expr, proof: str, bound: int) -> str:
    """A term of type `False`, or of any other, from the proof of a formula that is false below the bound."""
    text, weak = weaker(expr, f"(show {lean(expr)} from {proof})", bound)
    return f"absurd (show {text} from {weak}) (by decide +kernel)"


def bound_of(expr: Expr) -> int:
    """One more than every number that a formula without free variables speaks of outside its quantifiers. Raises
    :class:`NotArithmetic` when that is too large."""
    found = 1
    for part in expr.parts():
        with suppress(NotArithmetic):
            found = max(found, abs(compute(part, {}, {})) + 1)
    if found > MOST_BOUND:
        raise NotArithmetic("too large")
    return found


def at_instance(
    text: str, values: Mapping[str, str], predicates: Mapping[str, Predicate], *, negated: bool = False
) -> str:
    """A term that proves a formula with quantifiers or predicates at these values, or its negation; "" for others, and
    where nothing is seen that could be one."""
    try:
        formula = at_values(read(text), values)
        body = spelled(formula, predicates)
        if body.variables() or not quantified(body):
            return ""
        bound = bound_of(body)
        if negated:
            return "" if weaker(body, "t", bound)[0] == "True" else f"fun t => {refuted(body, 't', bound)}"
        return f"(show {lean(body)} from {shown(body, bound)})"
    except NotArithmetic:
        return ""
