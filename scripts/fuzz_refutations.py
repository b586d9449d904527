"""Random theorems whose truth is known, to see that none that holds is refuted.

    python scripts/fuzz_refutations.py --count 200 --seed 1

Two kinds of theories, both with names that clash wherever the language allows it (sorts, functions, constructors,
selectors and variables share a small pool):

- *builders*: a declared sort whose elements a declared function builds, and another function that reads what they
  were built from; goals that follow, and goals that do not.
- *finite*: functions over small sorts with random premises and a random goal; all interpretations are tried.

Prints one line for each wrong verdict and a summary; the exit code is 1 when there was a wrong verdict.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

POOL = ("S", "f", "x", "|a b|", "mk", "S!0", "?S!0", "value!0", "u.S", "e", "|S 1|", "k!1", "c")
MODELS = 3_000
"""Most interpretations of the functions of a finite theory."""

Formula: TypeAlias = tuple[Any, ...]
"""``("var", name)``, ``("lit", sort, number)``, ``("app", name, *args)`` or an operator with its operands."""


@dataclass(frozen=True)
class Theorem:
    """``holds``: whether the goal follows from the premises, which are consistent."""

    text: str
    holds: bool
    kind: str


# ------------------------------------------------------------------------------------------------- builders


def builder_theorem(source: random.Random) -> Theorem:
    """A sort whose elements are built from values of another one."""
    sort = source.choice(POOL)
    build, read, *others = _different(source, 7)
    if source.random() < 0.6:
        build, others = sort, [name for name in (build, *others) if name != sort]
        read = read if read != sort else others.pop()
    declarations, inner, values = _inner_sort(source, sort, others)
    more, holds = _shape(source)
    x, e, y = _different(source, 3, taken=(build, read, *_symbols(values)))
    rule = f"(assert (forall (({x} {inner})) (= ({read} ({build} {x})) {x})))"
    goal = _builder_goal(source, values, holds, (sort, inner, build, read), (x, e, y))
    text = f"{declarations}(declare-sort {sort} 0)(declare-fun {build} ({inner}) {sort})"
    return Theorem(f"{text}(declare-fun {read} ({sort}) {inner}){rule}{more}(prove {goal})", holds, "builders")


def _inner_sort(source: random.Random, sort: str, names: list[str]) -> tuple[str, str, tuple[str, ...]]:
    """Declarations, a sort, and all of its values (none when they are too many)."""
    name = source.choice([n for n in POOL if n != sort])
    first, second, selector = names[:3]
    choices = [
        ("", "Bool", ("true", "false")),
        ("", "(_ BitVec 1)", ("#b0", "#b1")),
        ("", "(_ BitVec 2)", ("#b00", "#b01", "#b10", "#b11")),
        ("", "Int", ()),
        ("", "String", ()),
        ("", "(Array Int Bool)", ()),
        (f"(declare-sort {name} 0)", name, ()),
        (f"(declare-datatypes (({name} 0)) ((({first}) ({second}))))", name, (first, second)),
        (f"(declare-datatypes (({name} 0)) ((({first} ({selector} Bool)))))", name,
         (f"({first} true)", f"({first} false)")),
    ]  # fmt: skip
    return source.choice(choices)


def _shape(source: random.Random) -> tuple[str, bool]:
    """A command that changes nothing, and whether the goal is to hold."""
    return source.choice(("", "", "(assert true)", "(assert (exists ((b Bool)) b))")), source.random() < 0.6


def _builder_goal(
    source: random.Random, values: Sequence[str], holds: bool, names: Sequence[str], variables: Sequence[str]
) -> str:
    sort, inner, build, read = names
    x, e, y = variables
    if not holds:
        goals = [
            f"(forall (({e} {sort})) (= ({build} ({read} {e})) {e}))",
            f"(forall (({e} {sort}) ({y} {sort})) (= {e} {y}))",
            f"(forall (({e} {sort}) ({y} {sort})) (= ({read} {e}) ({read} {y})))",
            f"(forall (({e} {sort}) ({y} {sort})) (=> (= ({read} {e}) ({read} {y})) (= {e} {y})))",
        ]
        # Nothing says that a declared sort has two elements but that this makes the goal false.
        return source.choice(goals)
    goals = [
        f"(forall (({x} {inner}) ({y} {inner})) (=> (= ({build} {x}) ({build} {y})) (= {x} {y})))",
        f"(forall (({e} {sort})) (= ({read} ({build} ({read} {e}))) ({read} {e})))",
        f"(forall (({e} {sort})) (exists (({x} {inner})) (= ({read} {e}) {x})))",
        f"(forall (({x} {inner})) (exists (({e} {sort})) (= ({read} {e}) {x})))",
    ]
    if values:
        goals += 3 * [f"(forall (({e} {sort})) (or {' '.join(f'(= ({read} {e}) {v})' for v in values)}))"]
    return source.choice(goals)


# --------------------------------------------------------------------------------------------------- finite


@dataclass
class _Finite:
    """Sorts with their values as text, and functions with their sorts; a name is used for one thing at a time."""

    sorts: dict[str, tuple[str, ...]]
    functions: dict[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    declarations: str = ""

    def models(self) -> int:
        """The number of interpretations."""
        count = 1
        for params, result in self.functions.values():
            rows = 1
            for sort in params:
                rows *= len(self.sorts[sort])
            count *= len(self.sorts[result]) ** rows
            if count > MODELS:
                break
        return count


def finite_theorem(source: random.Random) -> Theorem | None:
    """A theorem about functions over small sorts; None when its premises have no model."""
    world = _finite_world(source)
    premises = [_formula(world, source, {}, 3) for _ in range(source.choice((0, 1, 1, 2)))]
    goal = _formula(world, source, {}, 4)
    holds, consistent = True, False
    for model in _models(world):
        if all(_evaluate(world, premise, {}, model) for premise in premises):
            consistent = True
            holds = holds and bool(_evaluate(world, goal, {}, model))
    if not consistent:
        return None
    asserts = "".join(f"(assert {_text(world, premise)})" for premise in premises)
    return Theorem(f"{world.declarations}{asserts}(prove {_text(world, goal)})", holds, "finite")


def _finite_world(source: random.Random) -> _Finite:
    names = list(POOL)
    source.shuffle(names)
    sort, first, second, third = names[0], *_different(source, 3)
    constructors = (first, second, third)[: source.choice((1, 2, 3))]
    world = _Finite({"Bool": ("true", "false"), "(_ BitVec 1)": ("#b0", "#b1"), sort: constructors})
    world.declarations = f"(declare-datatypes (({sort} 0)) (({' '.join(f'({c})' for c in constructors)})))"
    free = [name for name in (sort, *names[1:]) if name not in constructors]
    for name in free[: source.choice((1, 2, 3))]:
        params = tuple(source.choice(list(world.sorts)) for _ in range(source.choice((0, 1, 1, 2))))
        world.functions[name] = params, source.choice(list(world.sorts))
        if world.models() > MODELS:
            del world.functions[name]
        else:
            params, result = world.functions[name]
            world.declarations += f"(declare-fun {name} ({' '.join(params)}) {result})"
    return world


def _formula(world: _Finite, source: random.Random, scope: Mapping[str, str], depth: int) -> Formula:
    choice = source.random()
    if depth > 0 and choice < 0.35:
        taken = {value for values in world.sorts.values() for value in values}
        name = source.choice([n for n in POOL if n not in taken])
        sort = source.choice(list(world.sorts))
        body = _formula(world, source, {**scope, name: sort}, depth - 1)
        return (source.choice(("forall", "exists")), name, sort, body)
    if depth > 0 and choice < 0.7:
        parts = [_formula(world, source, scope, depth - 1) for _ in range(2)]
        return (source.choice(("and", "or", "=>")), *parts) if choice < 0.6 else ("not", parts[0])
    sort = source.choice(list(world.sorts))
    return ("=", _term(world, source, scope, sort, 2), _term(world, source, scope, sort, 2))


def _term(world: _Finite, source: random.Random, scope: Mapping[str, str], sort: str, depth: int) -> Formula:
    options: list[Formula] = [("var", name) for name, s in scope.items() if s == sort] * 3
    options += [("lit", sort, number) for number in range(len(world.sorts[sort]))]
    if depth > 0:
        for name, (params, result) in world.functions.items():
            if result == sort and name not in scope:
                options += [("app", name, *[_term(world, source, scope, p, depth - 1) for p in params])] * 4
    return source.choice(options)


def _models(world: _Finite) -> Iterator[dict[tuple[str, tuple[int, ...]], int]]:
    keys: list[tuple[str, tuple[int, ...]]] = []
    pools: list[range] = []
    for name, (params, result) in world.functions.items():
        for args in itertools.product(*[range(len(world.sorts[p])) for p in params]):
            keys.append((name, args))
            pools.append(range(len(world.sorts[result])))
    for values in itertools.product(*pools):
        yield dict(zip(keys, values, strict=True))


_OPERATORS: dict[str, Callable[..., bool]] = {
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "=>": lambda a, b: bool(not a or b),
    "not": lambda a: not a,
    "=": lambda a, b: a == b,
}


def _evaluate(world: _Finite, formula: Formula, env: Mapping[str, int], model: Mapping[Any, int]) -> int | bool:
    """The number of a value in its sort, or the truth of a formula."""
    match formula:
        case ("var", name):
            return env[name]
        case ("lit", _, number):
            return int(number)
        case ("app", name, *args):
            return model[name, tuple([int(_evaluate(world, a, env, model)) for a in args])]
        case ("forall" | "exists" as quantifier, name, sort, body):
            inner = (_evaluate(world, body, {**env, name: n}, model) for n in range(len(world.sorts[sort])))
            return all(inner) if quantifier == "forall" else any(inner)
        case (operator, *operands):
            return _OPERATORS[operator](*[_evaluate(world, o, env, model) for o in operands])
    raise AssertionError(formula)


def _text(world: _Finite, formula: Formula) -> str:
    match formula:
        case ("var", name):
            return str(name)
        case ("lit", sort, number):
            return world.sorts[sort][number]
        case ("app", name):
            return str(name)
        case ("app", name, *args):
            return f"({name} {' '.join(_text(world, a) for a in args)})"
        case ("forall" | "exists" as quantifier, name, sort, body):
            return f"({quantifier} (({name} {sort})) {_text(world, body)})"
        case (operator, *operands):
            return f"({operator} {' '.join(_text(world, o) for o in operands)})"
    raise AssertionError(formula)


# -------------------------------------------------------------------------------------------------- running


def _different(source: random.Random, count: int, taken: Sequence[str] = ()) -> list[str]:
    return source.sample([name for name in POOL if name not in taken], count)


def _symbols(values: Sequence[str]) -> set[str]:
    return {name for name in POOL for value in values if value == name or value.startswith(f"({name} ")}


def theorems(count: int, seed: int) -> Iterator[Theorem]:
    """So many theorems; the same ones for the same seed."""
    source = random.Random(seed)
    made = 0
    while made < count:
        theorem = finite_theorem(source) if made % 2 else builder_theorem(source)
        if theorem is not None:
            made += 1
            yield theorem


def verdict(theorem: str) -> str:
    """What comes of the theorem without a search: the checker's verdict on a refutation, else ``open`` or so."""
    from goedels_poetry.checker.smt.jobs import certify_judgement
    from goedels_poetry.smt.jobs import symbolic as jobs

    judged = jobs.judge({"theorem": theorem, "statement": ""})["value"]
    if judged["verdict"] not in ("refuted", "inconsistent"):
        return str(judged["verdict"])
    with tempfile.TemporaryDirectory() as folder:
        payload = {"theorem": theorem, "directory": str(Path(folder) / "x.cert"), "seconds": 5.0, **judged}
        found = certify_judgement(payload)
    return str(found["verdict"])


def is_wrong(theorem: Theorem, found: str) -> bool:
    """Whether the verdict contradicts what is known."""
    return found == "inconsistent" or (found == "refuted" and theorem.holds)


def main() -> int:
    """Run; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seen: Counter[str] = Counter()
    wrong = 0
    for theorem in theorems(arguments.count, arguments.seed):
        found = verdict(theorem.text)
        seen[f"{theorem.kind}, {'true' if theorem.holds else 'false'}: {found}"] += 1
        if is_wrong(theorem, found):
            wrong += 1
            print(f"WRONG: {found}: {theorem.text}")
    for what, number in sorted(seen.items()):
        print(f"{what} {number}")
    print(f"wrong: {wrong} of {arguments.count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
