"""Counterexamples: a statement tried on small values, each instance decided by Lean."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from goedels_poetry.lean.arithmetic.instances import false_instances, fitting_instances, none_below
from goedels_poetry.lean.arithmetic.predicates import NO_PREDICATES, Predicate, at_instance, predicates_of
from goedels_poetry.lean.arithmetic.tactics import too_large_to_compute
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, CheckRequest, LeanRuntime
from goedels_poetry.lean.tactics.attempts import Clock
from goedels_poetry.lean.tactics.portfolio import hints_of, is_proof
from goedels_poetry.lean.tactics.theory import Goal, Theory, opened, theory_of
from goedels_poetry.lean.tactics.types import NAT, NotSimple, Type, read_type
from goedels_poetry.lean.text.task import Task

HEARTBEATS = 10_000
INSTANCES = 120
REWRITTEN = 12
BATCH = 30
TABLES, TABLE_SECONDS = 1, 5.0
"""How many instances of "there is" are tried at once by going through all numbers below a bound, and the time that this
adds."""
MOST_VALUES = 9
MOST_DEPTH = 3
MOST_ALONE = 48
"""How many values the only number of a goal is given."""
_PLAIN: dict[str, tuple[str, ...]] = {
    "Nat": ("0", "1", "2", "3", "4", "5", "7", "10"),
    "Int": ("0", "1", "-1", "2", "-2", "3", "-3", "5"),
    "Bool": ("true", "false"),
    "Unit": ("()",),
    "Prop": ("True", "False"),
    "Char": ("'a'", "'b'", "'A'", "' '", "'0'"),
    "String": ('""', '"a"', '"b"', '"ab"', '"ba"'),
    "Ordering": (".lt", ".eq", ".gt"),
    "UInt8": ("0", "1", "2", "255"),
}


@dataclass(frozen=True, slots=True)
class Refutation:
    """A checked counterexample."""

    text: str
    """For people: the instance, e.g. "n = 3"."""
    proof: str
    """The text after ``:=`` of a theorem that states the negation of the closed statement."""


async def refute(lean: LeanRuntime, task: Task, *, seconds: float) -> Refutation | None:
    """Values for which the statement is false, with a proof of its negation that Lean has accepted; None for none."""
    clock = Clock(seconds)
    goal = await opened(lean, task, clock.left)
    if goal is None or not goal.statement:
        return None
    theory = await theory_of(lean, task.prefix, clock.left)
    reduced = too_large_to_compute(goal)
    if reduced:
        return await _first(lean, task, goal, [{}], [_proof(goal, {}, "decide", f"({reduced}; decide)")], clock)
    predicates = predicates_of(theory)
    likely = false_instances(goal, predicates)
    definitions = hints_of(goal, theory, ()).definitions
    fitting = likely or fitting_instances(goal, predicates)
    rows = [(row, none_below(goal, row, definitions, predicates)) for row in fitting]
    absent = [(tactic, row) for row, tactic in rows if tactic is not None]
    if absent:
        clock = Clock(clock.left + TABLE_SECONDS)
    for at in range(0, len(absent), TABLES):
        tactics, some = zip(*absent[at : at + TABLES], strict=True)
        proofs = [
            _proof(goal, row, "decide +kernel", tactic, predicates) for row, tactic in zip(some, tactics, strict=True)
        ]
        found = None if clock.over else await _first(lean, task, goal, [*some], proofs, clock)
        if found is not None:
            return found
    choices = [*likely, *itertools.islice(instances(goal, theory), INSTANCES)]
    if not choices:
        return None
    decide, most, size = "decide +kernel", INSTANCES, BATCH
    if await _undecided(lean, task, goal, choices[0], clock):
        # Without an instance of `Decidable`, or where the kernel gets stuck, rewriting may still decide.
        definitions = hints_of(goal, theory, ()).definitions
        known = f" [{definitions}]" if definitions else ""
        decide, most, size = f"first | (simp{known}; done) | omega | grind{known}", REWRITTEN, REWRITTEN // 4
    for at in range(0, min(most, len(choices)), size):
        if clock.over:
            return None
        batch = choices[at : min(at + size, most)]
        tries = [_proof(goal, choice, decide, "", predicates) for choice in batch]
        found = await _first(lean, task, goal, batch, tries, clock)
        if found is not None:
            return found
    return None


async def refuted_at(
    lean: LeanRuntime, task: Task, values: Mapping[int, str] | Mapping[str, str], *, seconds: float
) -> Refutation | None:
    """The statement refuted by these values (Lean text, by the variables' places or names), where Lean accepts it."""
    clock = Clock(seconds)
    goal = await opened(lean, task, clock.left)
    if goal is None or not goal.statement:
        return None
    given: dict[int | str, str] = dict(values.items())
    choice = {v.name: given[key] for place, v in enumerate(goal.context) for key in (place, v.name) if key in given}
    definitions = hints_of(goal, await theory_of(lean, task.prefix, clock.left), ()).definitions
    known = f" [{definitions}]" if definitions else ""
    for decide in ("decide +kernel", f"first | (simp{known}; done) | omega | grind{known}"):
        found = await _first(lean, task, goal, [choice], [_proof(goal, choice, decide)], clock)
        if found is not None:
            return found
    return None


async def _undecided(lean: LeanRuntime, task: Task, goal: Goal, choice: dict[str, str], clock: Clock) -> bool:
    """Whether the kernel cannot tell if the statement is true at an instance."""
    code = _negation(goal, f"by\n  intro claim\n  {_proof(goal, choice, 'decide +kernel')}", "_try")
    result = await lean.check(CheckRequest(f"\n{task.stubs}{code}", prefix=task.prefix, seconds=clock.left))
    return bool(result.errors) and not all("is false" in m.text for m in result.errors)


async def _first(
    lean: LeanRuntime,
    task: Task,
    goal: Goal,
    choices: list[dict[str, str]],
    proofs: list[str],
    clock: Clock,
) -> Refutation | None:
    """The first of the instances that Lean proves to be false, each by its own tactic."""
    tries = " | ".join(f'({proof}; trace "instance {n}")' for n, proof in enumerate(proofs))
    code = _negation(goal, f"by\n  intro claim\n  first | {tries} | fail", "_try")
    result = await lean.check(CheckRequest(f"\n{task.stubs}{code}", prefix=task.prefix, seconds=clock.left))
    hit = next((re.search(r"^instance (\d+)", m.text) for m in result.messages if m.severity == "info"), None)
    if not result.ok or hit is None:
        return None
    number = int(hit[1])
    proof = f"by\n  intro claim\n  {proofs[number]}"
    # Facts of the scope are axioms here; the negation may not rest on them, so it is checked without.
    alone = _negation(goal, proof, "")
    checked = await lean.check(
        CheckRequest(f"\n{alone}", prefix=task.prefix, seconds=max(clock.left, 5.0), declarations=True)
    )
    theorem = next((d for d in checked.declarations if d.name.endswith("gp_negation")), None)
    if not checked.ok or theorem is None or not LOGIC_AXIOMS.issuperset(theorem.axioms):
        return None
    values = choices[number]
    shown = ", ".join(f"{v.name} = {values[v.name]}" for v in goal.context if v.name in values)
    return Refutation(f"{shown or 'the statement'}: {goal.target} is false", proof)


def _negation(goal: Goal, proof: str, suffix: str) -> str:
    universes = f".{{{', '.join(goal.levels)}}}" if goal.levels else ""
    name = f"gp_negation{suffix}{universes}"
    return f"set_option maxHeartbeats {HEARTBEATS} in\ntheorem {name} : ¬ ({goal.statement}) := {proof}\n"


def _proof(
    goal: Goal,
    choice: dict[str, str],
    decide: str,
    negate: str = "",
    predicates: Mapping[str, Predicate] = NO_PREDICATES,
) -> str:
    """One tactic that closes `False` from the claim at an instance.

    ``decide`` shows the hypotheses, and ``negate`` (or it too) the negation of the target; ``predicates`` of the file
    are written out first.
    """

    def shown(text: str, *, negated: bool = False) -> str:
        term = at_instance(text, choice, predicates, negated=negated)
        return f"(by first | exact {term} | {decide})" if term else f"(by {decide})"

    arguments = [
        f"({choice[v.name]})" if v.name in choice else "_" if v.info == "inst" else shown(v.type) for v in goal.context
    ]
    false = f"(by {negate})" if negate else shown(goal.target, negated=True)
    return f"exact absurd (@claim {' '.join(arguments)}) {false}"


def instances(goal: Goal, theory: Theory) -> Iterator[dict[str, str]]:
    """Values for the data of a goal, small ones first; none when a type is not understood."""
    types: dict[str, Type] = {}
    sets: list[tuple[str, list[str]]] = []
    for variable in goal.context:
        if variable.type in ("Type", "Sort 1"):
            types[variable.name] = NAT
            sets.append((variable.name, ["Nat"]))
        elif re.fullmatch(r"Type \w+", variable.type):
            types[variable.name] = Type("ULift", (NAT,))
            sets.append((variable.name, [f"ULift.{{{variable.type.split()[1]}}} Nat"]))
        elif variable.info == "inst" or is_proof(variable):
            continue
        else:
            try:
                values = values_of(read_type(variable.type).put(types), theory, MOST_DEPTH)
            except NotSimple:
                return
            if values:
                sets.append((variable.name, values))
            # A type without values that are known is taken for a proposition: its proof is left to the decision.
    if len(sets) == 1 and sets[0][1] == [*_PLAIN["Nat"]]:
        sets = [(sets[0][0], [*map(str, range(MOST_ALONE))])]
    names = [name for name, _ in sets]
    sizes = [range(len(values)) for _, values in sets]
    limited = itertools.islice(itertools.product(*sizes), 20_000) if len(sets) > 4 else itertools.product(*sizes)
    for indices in sorted(limited, key=lambda i: (sum(i), max(i, default=0))):
        yield {name: values[k] for name, (_, values), k in zip(names, sets, indices, strict=True)}


def values_of(type_: Type, theory: Theory, depth: int) -> list[str]:
    """Some closed terms of a type, small ones first; [] for a type that is not known."""
    head, args = type_.head, type_.args
    if head in _PLAIN:
        return list(_PLAIN[head])
    if head == "Fin" and len(args) == 1 and args[0].head.isdigit():
        return [str(n) for n in range(min(int(args[0].head), MOST_VALUES))]
    if head == "BitVec" and len(args) == 1 and args[0].head.isdigit():
        return ["0", "1", "2", "3", "-1"]
    if depth == 0 and head in ("List", "Array", "Option", "ULift", "→"):
        depth = 1
    inner = [values_of(a, theory, depth - 1) for a in args] if depth else []
    if any(not v for v in inner):
        return []
    if head == "List" and len(inner) == 1:
        a, b, *_ = [*inner[0], inner[0][0]]
        c = [*inner[0], b, b][2]
        return ["[]", f"[{a}]", f"[{b}]", f"[{a}, {b}]", f"[{b}, {a}]", f"[{b}, {b}]", f"[{c}, {a}, {b}]"]
    if head == "ULift" and len(inner) == 1:
        return [f"ULift.up {v}" for v in inner[0][:3]]
    if head == "Array" and len(inner) == 1:
        return ["#[]", *(f"#[{v}]" for v in inner[0][:2]), f"#[{', '.join(inner[0][:2])}]"]
    if head == "Option" and len(inner) == 1:
        return ["none", *(f"some ({v})" for v in inner[0][:3])]
    if head == "Prod" and len(inner) == 2:
        return [f"({a}, {b})" for a, b in _diagonal(inner)][:MOST_VALUES]
    if head == "Sum" and len(inner) == 2:
        return [*(f".inl ({v})" for v in inner[0][:3]), *(f".inr ({v})" for v in inner[1][:3])]
    if head == "→" and len(inner) == 2:
        constants = [f"fun _ => {v}" for v in inner[1][:3]]
        same = ["fun x => x"] if args[0] == args[1] else []
        more = ["fun x => x + 1"] if args[0] == args[1] and args[0].head in ("Nat", "Int") else []
        tests = ["fun x => x == 0"] if args[1].head == "Bool" and args[0].head in ("Nat", "Int") else []
        pairs = ["fun x y => x - y", "fun x y => x + y"] if type_.text() in _OPERATIONS else []
        return [*pairs, *same, *more, *tests, *constants]
    found: list[tuple[int, str]] = []
    for constructor in theory.constructors.get(head, ()):
        put = dict(zip(constructor.parameters, args, strict=False))
        if not constructor.arguments:
            found.append((0, f"@{constructor.name}{' _' * len(constructor.parameters)}"))
        elif depth > 0:
            parts = [values_of(a.put(put), theory, depth - 1) for a in constructor.arguments]
            if all(parts):
                for row in itertools.islice(_diagonal(parts), MOST_VALUES):
                    applied = " ".join(f"({part})" for part in row)
                    found.append((sum(map(len, row)), f"{constructor.name} {applied}"))
    shortest = [text for _, text in sorted(found, key=lambda pair: pair[0])]
    return shortest[:MOST_VALUES]


_OPERATIONS = {f"{t} → {t} → {t}" for t in ("Nat", "Int")}


def _diagonal(parts: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """The rows of the product, those with small indices first."""
    rows = sorted(itertools.product(*(range(min(len(p), 6)) for p in parts)), key=lambda i: (sum(i), max(i, default=0)))
    for row in rows:
        yield tuple(part[k] for part, k in zip(parts, row, strict=True))
