"""What of the declared a theorem needs, in an order in which it can be declared again; what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.lean.stream import BadData, Declaration, Stream

BY_COMPILED_CODE = frozenset({"Lean.reduceBool", "Lean.reduceNat"})
"""Opaque constants that Lean's kernel evaluates by running compiled code: they count as axioms."""
COMPUTED = frozenset(
    [
        *(f"Nat.{f}" for f in ("zero", "succ", "add", "sub", "mul", "div", "mod", "gcd", "beq", "ble", "log2", "pow")),
        *(f"Nat.{f}" for f in ("land", "lor", "xor", "shiftLeft", "shiftRight")),
        *("Nat", "Bool", "Bool.true", "Bool.false", "Char", "Char.ofNat", "String", "String.ofList", "String.mk"),
        *("List", "List.nil", "List.cons", "Eq", "Eq.refl", "eagerReduce"),
        *("Quot", "Quot.mk", "Quot.lift", "Quot.ind"),
    ]
)
"""Constants that kernels know by name and compute with: only the library may declare them."""
_MAY_BE_DECLARED = frozenset({"def", "thm", "inductive"})


class NotAllowed(Exception):
    """A declaration that a proof may not need; ``rule`` names it in the gate's words, ``name`` is the constant's."""

    def __init__(self, rule: str, name: str, reason: str) -> None:
        super().__init__(reason)
        self.rule = rule
        self.name = name


def needed(stream: Stream, roots: Iterable[str], premises: Collection[str]) -> list[Declaration]:
    """The declarations below these constants, each after all that it mentions.

    ``premises``: constants of the user's original; only these may be axioms or opaque.

    Raises:
        NotAllowed: an axiom or opaque constant that is not the user's, something unsafe or partial.
        BadData: a constant that is declared after its use, or in a circle.
    """
    chosen: set[int] = set()
    todo = [stream.constants[root][1] for root in roots]
    while todo:
        declaration = todo.pop()
        if declaration.place in chosen:
            continue
        chosen.add(declaration.place)
        _may_be_needed(declaration, premises)
        for name in stream.needs(declaration):
            if name not in stream.constants:
                continue
            below = stream.constants[name][1]
            if below.place >= declaration.place:
                raise BadData(f"{declaration.name} mentions {name}, which is declared after it")
            todo.append(below)
    return [stream.declarations[place] for place in sorted(chosen)]


def _may_be_needed(declaration: Declaration, premises: Collection[str]) -> None:
    name = declaration.name
    if known := sorted(COMPUTED & {constant.name for constant in declaration.constants}):
        raise NotAllowed("data", known[0], f"{known[0]} is the library's: kernels compute with it")
    if not all(constant.safe for constant in declaration.constants):
        raise NotAllowed("unsafe", name, f"{name} is unsafe or partial")
    if declaration.kind not in _MAY_BE_DECLARED and name not in premises:
        raise NotAllowed("axiom", name, f"the proof needs the {declaration.kind} {name}")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What theorems rest on."""

    axioms: tuple[str, ...]
    """Axioms, and constants that stand for compiled code."""
    by_type: tuple[str, ...]
    """Theorems and other constants of the library that are believed by their types: nobody has their values here."""


def grounds(roots: Iterable[str], stream: Stream, selected: Iterable[Declaration], library: Stream) -> Grounds:
    """A walk over everything below the roots, through types and values.

    ``selected``: the declarations of the stream that the kernels are given; every other constant is the library's,
    whatever else the stream declares.

    Raises:
        BadData: a constant that neither declares.
    """
    own = {constant.name for declaration in selected for constant in declaration.constants}
    seen: set[str] = set()
    axioms: set[str] = set()
    by_type: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in BY_COMPILED_CODE:
            axioms.add(name)
        where = stream if name in own else library
        if name not in where.constants:
            raise BadData(f"{name} is declared nowhere")
        _, declaration = where.constants[name]
        if declaration.kind == "axiom":
            axioms.add(name)
        elif declaration.kind == "assumed":
            by_type.add(name)
        todo.extend(where.needs(declaration))
        todo.extend(constant.name for constant in declaration.constants)
    return Grounds(tuple(sorted(axioms)), tuple(sorted(by_type)))
