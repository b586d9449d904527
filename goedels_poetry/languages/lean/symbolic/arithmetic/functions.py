"""Functions that hypotheses say everything about, taken out of a goal: what is left is about numbers."""

from __future__ import annotations

from dataclasses import replace

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, conjuncts, holds
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import NUMBERS, Arithmetic, parts_of, put_in
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

MOST_PLACES = 12


def unfolded(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem with ``b`` for ``f x`` where a hypothesis says ``∀ x, f x = b``, and the tactic for it; None where
    there is no such hypothesis."""
    steps: list[str] = []
    for name, h in problem.hypotheses:
        found = _definition(h)
        if found is None:
            continue
        function, variables, body = found
        others = {n: _put(f, function, variables, body) for n, f in problem.hypotheses if n != name}
        target = _put(problem.target, function, variables, body)
        changed = [n for n, f in problem.hypotheses if n in others and others[n] != f]
        at = " ".join([*dict.fromkeys(n.split(".")[0] for n in changed), *(["⊢"] if target != problem.target else [])])
        if not at:
            continue
        steps.append(f"simp only [{name}] at {at}")
        problem = replace(problem, hypotheses=tuple(others.items()), target=target)
    return ("; ".join(steps), problem) if steps else None


def _definition(h: Expr) -> tuple[str, list[str], Expr] | None:
    """``∀ x y, f x y = body``, where nothing unknown is in the body."""
    variables: list[str] = []
    while h.op == "∀" and h.args[1].name in ("", *NUMBERS):
        variables.append(h.name)
        h = h.args[0]
    if not variables or h.op != "=":
        return None
    head, body = h.args
    given = [a.name for a in head.args if a.op == "var"]
    fits = head.op == "app" and given == variables and len(given) == len(head.args)
    if not fits or any(p.op == "app" for p in body.parts()):
        return None
    return head.name, variables, body


def _put(expr: Expr, function: str, variables: list[str], body: Expr) -> Expr:
    """The expression with the body for each application of the function."""
    args = tuple(_put(a, function, variables, body) for a in expr.args)
    if expr.op != "app" or expr.name != function or len(args) != len(variables):
        return replace(expr, args=args)
    fresh = {v: f"{v}'put" for v in variables}  # first names that no argument has
    for v in variables:
        body = put_in(body, v, Expr("var", (), fresh[v]))
    for v, value in zip(variables, args, strict=True):
        body = put_in(body, fresh[v], value)
    return body


def single_values(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem with a number for each value of a function that is asked at a few numerals only, and the tactic that
    makes it so; None where there is none."""
    formulas = [problem.target, *(h for _, h in problem.hypotheses)]
    apps = dict.fromkeys(p for f in formulas for p in f.parts() if p.op == "app" and p.name in problem.functions)
    steps: list[str] = []
    for n, app in enumerate(apps):
        own = [a for a in apps if a.name == app.name]
        _, arrow, type_ = problem.functions[app.name].rpartition(" → ")
        ground = len(own) <= MOST_PLACES and not any(a.variables() or any(x.op == "app" for x in a.args) for a in own)
        if not arrow or type_ not in NUMBERS or not ground:
            continue
        fresh = f"{app.name.replace('.', '_')}_v{n}"
        steps.append(f"generalize {lean(app)} = {fresh} at *")
        variable = Expr("var", (), fresh)
        problem = replace(
            problem,
            types={**problem.types, fresh: NUMBERS[type_]},
            hypotheses=tuple((m, _swapped(h, app, variable)) for m, h in problem.hypotheses),
            target=_swapped(problem.target, app, variable),
        )
    return ("; ".join(steps), problem) if steps else None


def _swapped(expr: Expr, old: Expr, new: Expr) -> Expr:
    return new if expr == old else replace(expr, args=tuple(_swapped(a, old, new) for a in expr.args))


def introduced(problem: Arithmetic) -> tuple[str, Arithmetic] | None:
    """The problem of a target such as ``30 * 39 % 47 = 42 ∧ ∀ x, 30 * x % 47 = 42 → 39 ≤ x`` after what is to be
    computed, with the numbers and hypotheses of its one other part introduced, and the tactic for it."""
    parts = conjuncts(problem.target)
    general = [p for p in parts if p.op == "∀"]
    if len(general) != 1 or any(p.variables() for p in parts if p not in general):
        return None
    holes = []
    for part in parts:
        if part in general:
            holes.append("?_")
            continue
        if not holds(part, {}, {}):
            return None
        holes.append("by decide")
    steps = [f"refine ⟨{', '.join(holes)}⟩"] if len(parts) > 1 else []
    (target,) = general
    names: list[str] = []
    while target.op in ("∀", "→"):
        if target.op == "∀":
            type_ = NUMBERS.get(target.args[1].name or "Nat")
            if type_ is None or target.name in problem.types:
                return None
            names.append(target.name)
            problem = replace(problem, types={**problem.types, target.name: type_})
            target = target.args[0]
        else:
            names.append(f"hi{len(names)}")
            found = conjuncts(target.args[0])
            own = zip(parts_of(names[-1], len(found)), found, strict=True)
            problem = replace(problem, hypotheses=(*problem.hypotheses, *own))
            target = target.args[1]
    return "; ".join([*steps, f"intro {' '.join(names)}"]), replace(problem, target=target)
