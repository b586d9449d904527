"""A world in which a goal is false, cut down to what the goal's truth depends on: for a model that wrote the program.

Told are things that the goal speaks of, or that falsify it where it speaks of all, and of these what the goal says of
them and what the premises say that speak of the same. All in one notation: what is true, what is false, what has which
value. The whole world stands in the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice, product
from typing import Any

from goedels_poetry.kernel.terms import BOOL, Kind, Sort, Term, is_app, subterms
from goedels_poetry.questions.confidence.shape import spoken
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicGoal, LogicProgram
from goedels_poetry.questions.render import render_model

MAX_LITERALS = 16
"""Of each of the three lists; the rest is only counted."""
MAX_SIZE = 400
"""Nodes of a goal that is evaluated, so that no nesting goes deeper."""
MAX_STEPS = 5_000
"""Evaluations on the way to what falsifies a goal."""

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
    """Names of things that the goal speaks of, and of elements that falsify it."""
    named = [part.name for part in subterms(goal.formula) if part.kind is Kind.APP and _is_thing(program, part.name)]
    found = dict.fromkeys(sorted(named))
    if goal.formula.size <= MAX_SIZE:
        found |= dict.fromkeys(_Finite(program, world).against(goal.formula))
    return list(found)


class _Finite:
    """A world of finitely many things, asked about formulas."""

    def __init__(self, program: LogicProgram, world: World) -> None:
        self._program = program
        self._world = world
        self._left = MAX_STEPS

    def against(self, goal: Term) -> list[str]:
        """Elements by which the goal is false; all there are when it is false for want of any."""
        found = dict[str, None]()
        term, wanted, env = goal, False, dict[str, str]()
        while True:
            if is_app(term, "not"):
                term, wanted = term.args[0], not wanted
            elif term.kind in (Kind.FORALL, Kind.EXISTS):
                chosen = self._chosen(term, env, wanted)
                universal = (term.kind is Kind.FORALL) is not wanted
                if chosen is None:
                    return list(found) if universal else [*found, *self._all(term)]
                found |= dict.fromkeys(chosen[binder.name] for binder in term.binders)
                term, env = term.body, {**env, **chosen}
            else:
                return list(found)

    def _all(self, term: Term) -> list[str]:
        return [element for binder in term.binders for element in self._domain(binder.sort)]

    def _chosen(self, term: Term, env: dict[str, str], wanted: bool) -> dict[str, str] | None:
        domains = [self._domain(binder.sort) for binder in term.binders]
        for choice in product(*domains):
            if self._left < 0:
                return None
            chosen = {binder.name: element for binder, element in zip(term.binders, choice, strict=True)}
            if self._value(term.body, {**env, **chosen}) is wanted:
                return chosen
        return None

    def _domain(self, sort: Sort) -> list[str]:
        """Elements of a declared sort that the world names."""
        found = dict[str, None]()
        for name, (args, result) in self._program.signature.functions.items():
            value = self._world.get(name)
            if not args and result == sort and value is not None:
                found[str(value)] = None
            elif isinstance(value, Mapping) and args and len(args) == 1 and args[0] == sort:
                found |= dict.fromkeys(key for key in value if key not in ("else", "any"))
        return list(found) if sort in self._program.signature.sorts else []

    def _value(self, term: Term, env: Mapping[str, str]) -> Any:
        """The value of a term; None when it cannot be told."""
        self._left -= 1
        if self._left < 0:
            return None
        if term.kind is Kind.VAR:
            return env.get(term.name)
        if term.kind in (Kind.FORALL, Kind.EXISTS):
            universal = term.kind is Kind.FORALL
            return universal if self._chosen(term, dict(env), not universal) is None else not universal
        if term.kind is not Kind.APP:
            return term.value
        values = [self._value(arg, env) for arg in term.args]
        if term.name in self._world:
            table = self._world[term.name]
            return table.get(", ".join(map(str, values)), table.get("else")) if isinstance(table, Mapping) else table
        return _connected(term.name, values)


def _connected(name: str, values: list[Any]) -> Any:
    if any(value is None for value in values):
        return None
    match name:
        case "not":
            return not values[0]
        case "and":
            return all(values)
        case "or":
            return any(values)
        case "=>":
            return values[-1] or not all(values[:-1])
        case "=":
            return all(value == values[0] for value in values)
        case "distinct":
            return all(one != other for one, other in combinations(values, 2))
        case "xor":
            return sum(map(bool, values)) % 2 == 1
    return None


def _some(items: list[str]) -> str:
    more = len(items) - MAX_LITERALS
    return ", ".join(items[:MAX_LITERALS]) + (f" and {more} more" if more > 0 else "")
