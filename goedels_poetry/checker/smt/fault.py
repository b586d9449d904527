"""What is wrong with a theorem that contradicts itself, for the report: which premises, which definitions, where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from goedels_poetry.checker.smt.vacuity import Consistency, equation_of
from goedels_poetry.kernel.printer import show, show_symbol
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, read
from goedels_poetry.kernel.terms import fresh_name

MAX_SHOWN = 300
"""Characters of an equation."""


@dataclass(frozen=True)
class Fault:
    """``core``: names of premises, and ``definition-of-f`` for definitions; ``reason``: what the report says."""

    core: tuple[str, ...]
    reason: str


def fault_of(found: Consistency, problem: Problem, theorem: bytes) -> Fault:
    """The fault behind what was found to be contradictory."""
    taken = {p.name for p in problem.premises}
    names = {name: fresh_name(f"definition-of-{name}", taken) for name in found.definitions}
    core = (*names.values(), *found.core)
    if not found.definitions:
        return Fault(core, "the premises contradict each other: anything would follow from them")
    what = _equations(found.definitions, problem, theorem)
    if found.core:
        premises = ", ".join(found.core)
        return Fault(core, f"the definitions contradict the premises {premises}, so nothing satisfies them all: {what}")
    several = "these definitions contradict themselves" if len(names) > 1 else "this definition contradicts itself"
    return Fault(core, f"{several}, so the theorem is about nothing: {what}")


def _equations(names: tuple[str, ...], problem: Problem, theorem: bytes) -> str:
    lines = definition_lines(theorem)
    shown = []
    for name in names:
        definition = problem.signature.definition(name)
        equation = show(equation_of(definition)) if definition is not None else ""
        equation = equation if len(equation) <= MAX_SHOWN else f"{equation[: MAX_SHOWN - 3]}..."
        place = f" (line {lines[name]})" if name in lines else ""
        shown.append(f"{show_symbol(name)}{place}: {equation}")
    return "; ".join(shown)


def definition_lines(theorem: bytes) -> Mapping[str, int]:
    """In which line the name of each function stands where it is defined; those made from templates are not told."""
    source = Source(decode(theorem))
    found: dict[str, int] = {}
    for command in read(source):
        match command:
            case Group(items=[Atom(text="define-fun" | "define-fun-rec" | "define-const"), name, *_]):
                _enter(found, name, source)
            case Group(items=[Atom(text="define-funs-rec"), Group(items=heads), *_]):
                for head in heads:
                    if isinstance(head, Group) and head.items:
                        _enter(found, head.items[0], source)
    return found


def _enter(found: dict[str, int], name: SExpr, source: Source) -> None:
    if isinstance(name, Atom):
        found.setdefault(name.text, source.position(name.offset)[0])
