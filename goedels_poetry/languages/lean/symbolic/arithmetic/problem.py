"""A goal as arithmetic: its numbers with their types, what is assumed, what is to be shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, conjuncts, read
from goedels_poetry.languages.lean.symbolic.theory import Goal

NUMBERS = {"Nat": "Nat", "ℕ": "Nat", "Int": "Int", "ℤ": "Int"}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What of a goal is arithmetic."""

    types: dict[str, str]
    """`Nat` or `Int` of each number."""
    hypotheses: tuple[tuple[str, Expr], ...]
    """Name and formula; a conjunction has a name for each of its parts, such as ``h.1``."""
    target: Expr
    unread: tuple[str, ...] = ()
    """Hypotheses and other things that are none of this."""
    functions: dict[str, str] = field(default_factory=dict)
    """The types of the functions of numbers, such as ``Nat → Int``."""

    def about(self, name: str) -> list[Expr]:
        """The hypotheses about one number alone."""
        return [h for _, h in self.hypotheses if h.variables() == {name}]

    @property
    def names(self) -> list[str]:
        """The numbers."""
        return list(self.types)


def arithmetic_of(goal: Goal) -> Arithmetic | None:
    """None when the target is no arithmetic or no variable is needed for it that is a number."""
    types: dict[str, str] = {}
    hypotheses: list[tuple[str, Expr]] = []
    unread: list[str] = []
    functions = {v.name: v.type for v in goal.context if _function(v.type)}
    for variable in goal.context:
        if variable.type in NUMBERS:
            types[variable.name] = NUMBERS[variable.type]
            continue
        try:
            parts = conjuncts(read(variable.type))
        except NotArithmetic:
            unread.append(variable.name)
            continue
        names = parts_of(variable.name, len(parts))
        hypotheses += zip(names, parts, strict=True)
    try:
        target = read(goal.target)
    except NotArithmetic:
        return None
    known = set(types) | {"False", "True"}
    if not target.variables() <= known:
        return None
    sound = tuple((n, h) for n, h in hypotheses if h.variables() <= known and h.op not in ("var", "num"))
    return Arithmetic(types, sound, target, tuple(unread), functions)


def _function(type_: str) -> bool:
    """Whether a type is that of functions of numbers."""
    first, *rest = type_.split(" → ")
    return bool(rest) and all(t in NUMBERS for t in (first, *rest))


def parts_of(name: str, count: int) -> list[str]:
    """How the parts of a conjunction (nested to the right) are called."""
    return [name] if count == 1 else [name + ".2" * k + (".1" if k < count - 1 else "") for k in range(count)]


def negated_into(problem: Arithmetic) -> Arithmetic | None:
    """The problem of a target ``¬ p`` or ``a ≠ b`` after its introduction as ``hn``; None for others."""
    target = problem.target
    if target.op == "≠":
        claim = replace(target, op="=")
    elif target.op == "¬":
        claim = target.args[0]
    else:
        return None
    false = Expr("var", (), "False")
    return replace(problem, hypotheses=(*problem.hypotheses, ("hn", claim)), target=false)


def reduced(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem without the numbers that a hypothesis says what they are (``c = a + b``), and the tactic that puts
    those in; None where there are none."""
    steps: list[str] = []
    while True:
        found = next(((n, *d) for n, h in problem.hypotheses if (d := _defined(h, problem)) is not None), None)
        if found is None:
            return ("; ".join(steps), problem) if steps else None
        hypothesis, name, value = found
        steps.append(f"subst {hypothesis}")
        problem = replace(
            problem,
            types={n: t for n, t in problem.types.items() if n != name},
            hypotheses=tuple((n, put_in(h, name, value)) for n, h in problem.hypotheses if n != hypothesis),
            target=put_in(problem.target, name, value),
        )


def not_above(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem with ``a ≤ b`` for each hypothesis ``a ∣ b``, and the tactic that states it; None where there are
    none. Lean has to see that ``b`` is not 0."""
    found = [
        (name, h)
        for name, h in problem.hypotheses
        if h.op == "∣" and h.args[1].variables() and all(problem.types.get(n) == "Nat" for n in h.variables())
    ]
    if not found:
        return None
    steps = [f"have d{k} := Nat.le_of_dvd (by first | omega | grind) {name}" for k, (name, _) in enumerate(found)]
    more = tuple((f"d{k}", Expr("≤", h.args)) for k, (_, h) in enumerate(found))
    return "; ".join(steps), replace(problem, hypotheses=(*problem.hypotheses, *more))


def unpacked(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem with a number for each that a hypothesis says to exist (``∃ k, n = 2 * k + 1``), put in where it says
    what that is, and the tactic for it; None where there are none."""
    steps: list[str] = []
    for name, h in problem.hypotheses:
        names, types, body = [], dict(problem.types), h
        while body.op == "∃" and body.args[1].name in ("", *NUMBERS):
            fresh = next(n for n in (body.name, *(f"{body.name}{k}" for k in range(len(types) + 1))) if n not in types)
            if fresh != body.name:
                body = replace(body, args=(put_in(body.args[0], body.name, Expr("var", (), fresh)), body.args[1]))
            names.append(fresh)
            types[fresh] = NUMBERS.get(body.args[1].name, "Int" if "Int" in problem.types.values() else "Nat")
            body = body.args[0]
        if not names or "." in name or body.op == "∃":
            continue
        steps.append(f"obtain ⟨{', '.join([*names, name])}⟩ := {name}")
        parts = conjuncts(body)
        known = zip(parts_of(name, len(parts)), parts, strict=True)
        others = tuple((n, f) for n, f in problem.hypotheses if n != name)
        problem = replace(problem, types=types, hypotheses=(*others, *known))
    if not steps:
        return None
    more, inner = reduced(problem) or ("", problem)
    return "; ".join([*steps, more] if more else steps), inner


def _defined(h: Expr, problem: Arithmetic) -> tuple[str, Expr] | None:
    if h.op == "=":
        for side, other in (h.args, h.args[::-1]):
            if side.op == "var" and side.name in problem.types and side.name not in other.variables():
                return side.name, other
    return None


def put_in(expr: Expr, name: str, value: Expr) -> Expr:
    """The expression with this for a variable. Raises :class:`NotArithmetic` where a quantifier would bind it."""
    if expr.op == "var":
        return value if expr.name == name else expr
    if expr.op in ("∃", "∀") and (expr.name == name or expr.name in value.variables()):
        raise NotArithmetic("a name that is bound")
    return Expr(expr.op, tuple(put_in(a, name, value) for a in expr.args), expr.name, expr.value)
