"""A world in which a goal is false, cut down to what the goal speaks of: for a model that wrote the program.

Of the things that the goal names (of all there are where it has a quantifier) it has what the goal says of them, and
what the premises say that speak of the same: what is true, what is false, what has which value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from goedels_poetry.kernel.terms import BOOL, Kind, Sort, subterms
from goedels_poetry.questions.confidence.case import spoken
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicGoal, LogicProgram
from goedels_poetry.questions.render import render_model

MAX_LITERALS = 16
"""Of each of the three lists; the rest is only counted."""
MAX_STEPS = 5_000
"""Rows of a table that are looked at."""
MAX_THINGS = 12

World = Mapping[str, Any]


def world_against(program: LogicProgram, entailment: Entailment) -> list[str]:
    """``["true: cat(sam)", "false: soft(tom)", "age = 7"]`` of the first goal that a world makes false; [] for none."""
    goals = {goal.name: goal for goal in program.goals}
    for answer in entailment.goals:
        if answer.countermodel and answer.name in goals:
            return _told(program, goals[answer.name], answer.countermodel)
    return []


def _told(program: LogicProgram, goal: LogicGoal, world: World) -> list[str]:
    signature = program.signature
    own = spoken(goal.formula, signature)
    predicates = {name for name in own if name in world}
    linking = {name for name in own if not _is_thing(program, name)}
    others = set[str]()
    for premise in program.premises:
        said = spoken(premise.formula, signature)
        if not said.isdisjoint(linking):
            others |= {name for name in said - own if name in world}
    things = _things(program, goal, world)
    true, false, values = list[str](), list[str](), list[str]()
    for name in [*sorted(predicates), *sorted(others)]:
        for literal, value in _rows(program, world, name, things, whole=name in predicates):
            if isinstance(value, bool):
                (true if value else false).append(literal)
            else:
                values.append(f"{literal} = {value}")
    lists = (("true: ", true), ("false: ", false), ("", values))
    told = [head + _some(items) for head, items in lists if items]
    return told or render_model({name: world[name] for name in world if name in own})


def _rows(
    program: LogicProgram, world: World, name: str, things: list[str], *, whole: bool
) -> Iterator[tuple[str, Any]]:
    """What the world says of one name; ``whole``: the goal speaks of it, so it counts also between the things alone."""
    args, _ = program.signature.functions.get(name, ((), BOOL))
    table = world[name]
    if not args:
        if table != name and (not _is_thing(program, name) or name in things):
            yield name, table
        return
    if not isinstance(table, Mapping) or not all(sort in program.signature.sorts for sort in args):
        for line in render_model({name: table}):
            yield line.partition(" = ")[0], line.partition(" = ")[2] or "so"
        return
    elements = [str(world.get(thing, thing)) for thing in things]
    for key in dict.fromkeys(islice(product(elements, repeat=len(args)), MAX_STEPS)):
        if len(args) == 1 or whole or table.get(", ".join(key)) is True:
            value = table.get(", ".join(key), table.get("else"))
            if value is not None:
                yield f"{name}({', '.join(key)})", value


def _is_thing(program: LogicProgram, name: str) -> bool:
    """Whether it is a constant that denotes something of a declared sort."""
    kind = program.signature.functions.get(name)
    return kind is not None and not kind[0] and kind[1] in program.signature.sorts


def _things(program: LogicProgram, goal: LogicGoal, world: World) -> list[str]:
    """Names of things that the goal speaks of, and elements of the sorts that it quantifies over."""
    found = dict[str, None]()
    for part in subterms(goal.formula):
        if part.kind is Kind.APP and _is_thing(program, part.name):
            found[part.name] = None
        elif part.kind in (Kind.FORALL, Kind.EXISTS):
            for binder in part.binders:
                found |= dict.fromkeys(_elements(program, world, binder.sort))
    return sorted(found)[:MAX_THINGS]


def _elements(program: LogicProgram, world: World, sort: Sort) -> Iterator[str]:
    """Elements of a declared sort that the world names."""
    for name, (args, result) in program.signature.functions.items():
        value = world.get(name)
        if sort in program.signature.sorts and not args and result == sort and value is not None:
            yield str(value)
        elif sort in program.signature.sorts and isinstance(value, Mapping) and args == (sort,):
            yield from (key for key in value if key not in ("else", "any"))


def _some(items: list[str]) -> str:
    more = len(items) - MAX_LITERALS
    return ", ".join(items[:MAX_LITERALS]) + (f" and {more} more" if more > 0 else "")
