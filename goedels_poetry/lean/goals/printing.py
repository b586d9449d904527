"""Lean's expressions as text that Lean reads back as the same."""

from __future__ import annotations

from collections.abc import Mapping

from goedels_poetry.lean.goals.expressions import Expr, apply, fresh, opened, plain, telescope
from goedels_poetry.lean.goals.facts import Facts
from goedels_poetry.lean.goals.library import CONSTRUCTORS
from goedels_poetry.lean.goals.matching import Unreadable
from goedels_poetry.lean.goals.sorts import literal
from goedels_poetry.lean.runtime.protocol import PRIVATE

_INFIX = {
    **{"HAdd.hAdd": "+", "HSub.hSub": "-", "HMul.hMul": "*", "HDiv.hDiv": "/", "HMod.hMod": "%", "HPow.hPow": "^"},
    **{"HAppend.hAppend": "++", "LE.le": "≤", "LT.lt": "<", "GE.ge": "≥", "GT.gt": ">", "BEq.beq": "==", "Eq": "="},
    **{"Ne": "≠", "And": "∧", "Or": "∨", "Iff": "↔", "and": "&&", "or": "||", "List.cons": "::", "Dvd.dvd": "∣"},
}
_EXPLICIT = {
    "List.append": 2,
    "Nat.succ": 1,
    "Option.some": 1,
    "Prod.mk": 2,
    "Sum.inl": 1,
    "Sum.inr": 1,
    "Not": 1,
    "not": 1,
}
"""How many arguments are written of what Lean was not asked about."""


def show(e: Expr, facts: Facts, names: Mapping[str, str]) -> str:
    """The text, in parentheses where it is more than a word. ``names``: texts of free variables.

    Raises:
        Unreadable: there is something in it for which no text is known.
    """
    e = apply(e, ())
    if e.kind == "free":
        return names.get(e.name) or plain(e.name)
    if e.kind == "nat":
        return str(e.number)
    if e.kind == "sort":
        return "Prop" if e.number == 0 else "Type _"
    if e.kind == "text" and e.name.isprintable() and not {'"', "\\", "{"} & set(e.name):
        return f'"{e.name}"'
    if e.kind in ("lam", "pi"):
        return _bound(e, facts, names)
    head, operands = e.head, e.operands
    if e.kind == "app" and e.args[0].kind == "free":
        return f"({' '.join(show(a, facts, names) for a in e.args)})"
    if not head:
        raise Unreadable(f"an expression of the kind {e.kind} as text")
    if head == "OfNat.ofNat" and (number := literal(e)) is not None:
        return f"({number} : {show(operands[0], facts, names)})"
    if head in _INFIX and len(operands) >= 2:
        left, right = (show(o, facts, names) for o in operands[-2:])
        return f"({left} {_INFIX[head]} {right})"
    if head == "Membership.mem" and len(operands) == 5:
        return f"({show(operands[4], facts, names)} ∈ {show(operands[3], facts, names)})"
    if head in ("List.nil", "Option.none"):
        return f"({head} : {show(Expr('app', '', (Expr('const', head.partition('.')[0]), *operands)), facts, names)})"
    if head == "ite" and len(operands) == 5:
        test, yes, no = (show(o, facts, names) for o in (operands[1], *operands[3:]))
        return f"(if {test} then {yes} else {no})"
    if head == "Decidable.decide":
        return f"(decide {show(operands[0], facts, names)})"
    return _application(head, operands, facts, names)


def _bound(e: Expr, facts: Facts, names: Mapping[str, str]) -> str:
    variable = fresh(e.name)
    called = e.name if e.name.isidentifier() else "x"
    while called in names.values():
        called += "'"
    inner = {**names, variable.name: called}
    type_, body = show(e.args[0], facts, names), show(opened(e.args[1], variable), facts, inner)
    if e.kind == "lam":
        return f"(fun ({called} : {type_}) => {body})"
    used = variable.name in opened(e.args[1], variable).free()
    return f"(∀ ({called} : {type_}), {body})" if used else f"({type_} → {body})"


def _application(head: str, operands: tuple[Expr, ...], facts: Facts, names: Mapping[str, str]) -> str:
    name = constant(head)
    type_ = facts.types.get(head)
    if type_ is None:
        count = _EXPLICIT.get(head, len(operands) if head in CONSTRUCTORS else 0)
        shown = [show(o, facts, names) for o in operands[len(operands) - count :]]
        if count == 0 and operands:
            return f"(@{name} {' '.join(show(o, facts, names) for o in operands)})"
        return f"({' '.join([name, *shown])})" if shown else name
    infos = [info for _, _, info in telescope(type_)[0]]
    infos += ["default"] * (len(operands) - len(infos))
    shown = [show(o, facts, names) for o, info in zip(operands, infos, strict=False) if info == "default"]
    if not shown and operands:
        given = [("_" if i == "instImplicit" else show(o, facts, names)) for o, i in zip(operands, infos, strict=False)]
        return f"(@{name} {' '.join(given)})"
    return f"({' '.join([name, *shown])})" if shown else name


def constant(name: str) -> str:
    """A constant as it is written after the file's own text."""
    return name.removeprefix(PRIVATE)
