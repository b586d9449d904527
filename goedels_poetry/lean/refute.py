"""Counterexamples: a statement tried on small values, each instance decided by Lean."""

from __future__ import annotations

import itertools
import re
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.lean.arithmetic.polynomials import omega_reads
from goedels_poetry.lean.arithmetic.predicates import (
    NO_PREDICATES,
    Predicate,
    at_instance,
    predicates_of,
    quantified,
    spelled,
    weaker,
    written_out,
)
from goedels_poetry.lean.arithmetic.problem import (
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    arithmetic_of,
    at_values,
    compute,
    conjuncts,
    holds,
    is_int,
    read,
)
from goedels_poetry.lean.arithmetic.problem import (
    lean as text_of,
)
from goedels_poetry.lean.arithmetic.roots import intervals
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, CheckRequest, LeanRuntime
from goedels_poetry.lean.tactics.portfolio import Clock, hints_of, is_proof
from goedels_poetry.lean.tactics.theory import (
    NAT,
    Goal,
    NotSimple,
    Theory,
    Type,
    Unfolded,
    opened,
    read_type,
    theory_of,
    unfolded,
)
from goedels_poetry.lean.text.scan import scan
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task, lemma_type

# -- What a reply says against a goal, confirmed ---------------------------------------------------------------------

Json = dict[str, Any]

CONFIRM_SECONDS = 20.0
_NAME = "gp_compared"


async def says(lean: LeanPool, task: Task, text: str, name: str, closed: str, *, negated: bool = False) -> bool:
    """Whether a theorem says, to Lean, what a lemma without proof says, or the negation.

    ``text``: up to the end of its statement; ``name``: its full name.
    """
    code = f"{task.stubs}{text} := sorry\n\n{_statement(closed, negated=negated)} := @{name}\n"
    return (await lean.check(CheckRequest(code, prefix=task.prefix, seconds=CONFIRM_SECONDS))).ok


def _statement(closed: str, *, negated: bool) -> str:
    levels = closed.partition(" : ")[0].partition(".{")[2]
    type_ = f"¬ ({lemma_type(closed)})" if negated else lemma_type(closed)
    return f"theorem {_NAME}{'.{' + levels if levels else ''} : {type_}"


async def confirm(lean: LeanPool, closed: Task, refutation: Json) -> Refutation | str:
    """The refutation with its proof, which Lean has accepted; or why it is none, in words for the model.

    ``closed``: the goal as a lemma without facts.
    """
    if "proof" in refutation:
        return await _proved(lean, closed, str(refutation["proof"]))
    at: Mapping[str, str] = refutation["at"]
    shown = ", ".join(f"{name} = {value}" for name, value in at.items())
    refused = next((f for value in at.values() for f in scan(f"example := ({value})", closed.prefix)), None)
    if refused is not None:  # before Lean sees it: a native Lean would run what it says
        return f"not allowed in a value: {refused}"
    found = await refuted_at(lean, closed, at, seconds=CONFIRM_SECONDS)
    return found or (
        f"Lean does not find the goal false at {shown}: name a value for each variable of the goal by its name; each "
        "hypothesis has to hold there, and the conclusion has to be false, by evaluation"
    )


async def _proved(lean: LeanPool, closed: Task, proof: str) -> Refutation | str:
    negated = replace(closed, head=_statement(closed.head, negated=True), name=_NAME)
    seen = await check_proof(lean, negated, proof, seconds=CONFIRM_SECONDS)
    if seen.reason:
        return f"Lean does not accept the proof of the negation: {seen.reason}"
    return Refutation("its negation is proved", proof)


# -- Values that meet the hypotheses of a goal of arithmetic and make it false, found by computing -----------------

SECONDS = 0.8
RADII = {
    0: (0,),
    1: (3_000, 30_000),
    2: (12, 40, 150, 2_000),
    3: (4, 12, 40, 150),
    4: (3, 12, 40),
    5: (2, 6),
    6: (2, 16),
}
"""How far from 0 numbers are looked for, one after the other, by how many there are."""
_STEPWISE = frozenset({"%", "/", "gcd", "lcm", "min", "max", "natAbs", "app", "∃", "∀"})
"""What is no polynomial of its arguments, even where three values say so."""
MOST, MOST_BOUND, MOST_SMALL = 6, 40, 24


def false_instances(goal: Goal, predicates: Mapping[str, Predicate]) -> list[dict[str, str]]:
    """Values of the numbers of a goal, as Lean text; [] when it is no arithmetic or none are found in time."""
    problem = _understood(goal, predicates)
    if problem is None:
        return []
    until = time.thread_time() + SECONDS
    given = _given(problem)
    for radius in RADII[len(problem.types) - len(given)]:
        found = list(itertools.islice(_false_within(problem, given, radius, until), MOST))
        if found:
            return [{n: str(v) for n, v in values.items()} for values in found]
    return []


def fitting_instances(goal: Goal, predicates: Mapping[str, Predicate]) -> list[dict[str, str]]:
    """Small values of the one number of a goal that meet its hypotheses, whatever the goal says about it."""
    problem = _understood(goal, predicates)
    if problem is None or len(problem.types) != 1:
        return []
    rows = [{problem.names[0]: v} for v in range(MOST_SMALL)]
    fitting = [row for row in rows if all(_is(True, h, row, problem) for _, h in problem.hypotheses)]
    return [{n: str(v) for n, v in row.items()} for row in fitting]


def _understood(goal: Goal, predicates: Mapping[str, Predicate]) -> Arithmetic | None:
    """The goal, where its variables are a few numbers and its hypotheses are formulas."""
    problem = arithmetic_of(goal)
    if problem is None or not 0 < len(problem.types) <= max(RADII):
        return None
    covered = {*problem.types, *(name.split(".")[0] for name, _ in problem.hypotheses)}
    if any(v.name not in covered for v in goal.context):
        return None
    with suppress(NotArithmetic):
        return (written_out(problem, predicates) or ("", problem))[1]
    return None


def _given(problem: Arithmetic) -> dict[str, int]:
    """The numbers that a hypothesis says the value of, such as ``r = 1342 % 13``."""
    found: dict[str, int] = {}
    for _, h in problem.hypotheses:
        for side, other in (h.args, h.args[::-1]) if h.op == "=" else ():
            if side.op == "var" and side.name in problem.types and not other.variables():
                with suppress(NotArithmetic):
                    found[side.name] = compute(other, {}, problem.types, problem.types[side.name] == "Int")
    return found


def _false_within(problem: Arithmetic, given: dict[str, int], radius: int, until: float) -> Iterator[dict[str, int]]:
    """Values up to a radius, the first variable's smallest first; a hypothesis is asked as soon as it has a value."""
    names = sorted(problem.names, key=lambda n: n not in given)
    due: list[list[Expr]] = [[] for _ in names]
    for _, h in problem.hypotheses:
        due[max((names.index(n) for n in h.variables()), default=0)].append(h)

    def fill(values: dict[str, int]) -> Iterator[dict[str, int]]:
        if len(values) == len(names):
            if _is(False, problem.target, values, problem):
                yield values
            return
        name, asked = names[len(values)], due[len(values)]
        signed = problem.types[name] == "Int"
        known = [given[name]] if name in given else _solved(name, asked, values, problem)
        for size in range(radius + 1) if known is None else known:
            for value in (size, -size) if signed and size and known is None else (size,):
                if time.thread_time() > until:
                    return
                more = {**values, name: value}
                if all(_is(True, h, more, problem) for h in asked):
                    yield from fill(more)

    yield from fill({})


def _solved(name: str, asked: list[Expr], values: dict[str, int], problem: Arithmetic) -> list[int] | None:
    """What an equation that is linear in the number leaves it, and the first few values, since subtraction may be cut
    off; None where there is no such equation."""
    for h in asked:
        stepwise = any(p.op in _STEPWISE and name in p.variables() for p in h.parts())
        if h.op != "=" or name not in h.variables() or stepwise:
            continue
        int_ = any(is_int(a, problem.types) for a in h.args)
        with suppress(NotArithmetic):
            rows = [[compute(a, {**values, name: v}, problem.types, int_) for a in h.args] for v in range(3)]
            zero, one, two = (a - b for a, b in rows)
            if one != zero and two - one == one - zero:
                value, rest = divmod(-zero, one - zero)
                fits = not rest and (value >= 0 or problem.types[name] == "Int")
                return list(dict.fromkeys([*([value] if fits else []), 0, 1, 2]))
    return None


def _is(wanted: bool, formula: Expr, values: dict[str, int], problem: Arithmetic) -> bool:
    """Whether a formula can be computed and has this truth value."""
    try:
        return holds(formula, values, problem.types, MOST_BOUND) == wanted
    except NotArithmetic:
        return False


def none_below(
    goal: Goal, values: dict[str, str], definitions: str = "", predicates: Mapping[str, Predicate] = NO_PREDICATES
) -> str | None:
    """A tactic for ``¬ target`` at these values, where the target says that numbers exist: `omega` finds bounds for
    them, and all below are tried, with the ``definitions`` unfolded. None when it says nothing of that kind."""
    text = goal.target
    try:
        target = read(text)
    except NotArithmetic:
        return None
    names = []
    while target.op == "∃":
        if target.args[1].name not in ("", *NUMBERS):
            return None
        names.append(target.name)
        target = target.args[0]
    if not names or len(names) > 3:
        return None
    bound = max([abs(int(v)) for v in values.values() if v.lstrip("-").isdecimal()], default=0) + 1
    if bound > MOST_BOUND:
        return None
    plain = "set_option synthInstance.maxSize 2000 in decide +kernel"
    decide = f"first | {plain} | (simp only [{definitions}]; {plain})" if definitions else plain
    parts = [at_values(c, values) for c in conjuncts(target)]
    hyps = [f"e{k}" for k in range(len(parts))]
    unclear = [(h, part) for h, part in zip(hyps, parts, strict=True) if part.op == "=" and not omega_reads(part)]
    known = intervals(Arithmetic(dict.fromkeys(names, "Nat"), tuple(unclear), target))
    limits = {n: min(bound, known.high.get(n, bound)) + 1 for n in names}
    weak = []
    for part, hyp in zip(parts, hyps, strict=True):
        try:
            body = spelled(part, predicates)
        except NotArithmetic:
            return None
        about = body != part or quantified(body)
        weak.append(weaker(body, f"(show {text_of(body)} from {hyp})", bound + 1) if about else (text_of(part), hyp))
    weak.sort(key=lambda pair: "∀" in pair[0])  # what is quick to decide saves the rest
    all_of = " ∧ ".join(text for text, _ in weak)
    table = "".join(f"∀ {n}, {n} < {limits[n]} → " for n in names)
    proofs = [proof for _, proof in weak]
    given = " ".join([*(f"{n} (by omega)" for n in names), f"⟨{', '.join(proofs)}⟩" if len(proofs) > 1 else proofs[0]])
    first = f"rintro ⟨{', '.join([*names, *hyps])}⟩"
    return "\n    ".join(["", first, *known.lines, f"exact (by {decide} : {table}¬ ({all_of})) {given}"])


# -- Counterexamples -----------------------------------------------------------------------------------------------

HEARTBEATS = 10_000
INSTANCES = 120
REWRITTEN = 12
BATCH = 30
TABLE_SECONDS = 5.0
"""What instances of "there is" add, each tried by going through all numbers below a bound."""
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
    smaller = await unfolded(lean, task, clock.left)
    return await _restated(lean, task, smaller, await _refute(lean, smaller.task, clock), clock)


async def _restated(
    lean: LeanRuntime, task: Task, smaller: Unfolded, found: Refutation | None, clock: Clock
) -> Refutation | None:
    """The refutation of a goal from one of what is left of it without the functions that it defines."""
    goal = await opened(lean, task, clock.left) if found is not None and smaller.back else None
    if found is None or goal is None:
        return found if not smaller.back else None
    inner = textwrap.indent(found.proof, "  ").lstrip()
    left = f"have smaller : ¬ ({lemma_type(smaller.task.head)}) := {inner}"
    proof = f"by\n  intro claim\n  {left}\n  exact smaller (by {smaller.back})"
    return await _accepted(lean, task, goal, proof, f"{smaller.shown}, {found.text}", clock)


async def _refute(lean: LeanRuntime, task: Task, clock: Clock) -> Refutation | None:
    goal = await opened(lean, task, clock.left)
    if goal is None or not goal.statement:
        return None
    theory = await theory_of(lean, task.prefix, clock.left)
    predicates = predicates_of(theory)
    likely = false_instances(goal, predicates)
    definitions = hints_of(goal, theory, ()).definitions
    rows = likely or fitting_instances(goal, predicates)
    absent = [(row, t) for row in rows if (t := none_below(goal, row, definitions, predicates)) is not None]
    clock = Clock(clock.left + TABLE_SECONDS) if absent else clock
    for row, tactic in absent:
        proof = _proof(goal, row, "decide +kernel", tactic, predicates)
        found = None if clock.over else await _first(lean, task, goal, [row], [proof], clock)
        if found is not None:
            return found
    choices = [*likely, *itertools.islice(instances(goal, theory), INSTANCES)]
    if not choices:
        return None
    decide, most, size = "decide +kernel", INSTANCES, BATCH
    if await _undecided(lean, task, goal, choices[0], clock):
        # Without an instance of `Decidable`, or where the kernel gets stuck, rewriting may still decide.
        decide, most, size = _rewriting(definitions), REWRITTEN, REWRITTEN // 4
    for at in range(0, min(most, len(choices)), size):
        batch = choices[at : min(at + size, most)]
        proofs = [_proof(goal, choice, decide, "", predicates) for choice in batch]
        found = None if clock.over else await _first(lean, task, goal, batch, proofs, clock)
        if found is not None:
            return found
    return None


def _rewriting(definitions: str) -> str:
    known = f" [{definitions}]" if definitions else ""
    return f"first | (simp{known}; done) | omega | grind{known}"


async def refuted_at(
    lean: LeanRuntime, task: Task, values: Mapping[int, str] | Mapping[str, str], *, seconds: float
) -> Refutation | None:
    """The statement refuted by these values (Lean text, by the variables' places or names), where Lean accepts it."""
    clock = Clock(seconds)
    smaller = await unfolded(lean, task, clock.left)
    return await _restated(lean, task, smaller, await _refuted_at(lean, smaller.task, values, clock), clock)


async def _refuted_at(
    lean: LeanRuntime, task: Task, values: Mapping[int, str] | Mapping[str, str], clock: Clock
) -> Refutation | None:
    goal = await opened(lean, task, clock.left)
    if goal is None or not goal.statement:
        return None
    given: dict[int | str, str] = dict(values.items())
    choice = {v.name: given[key] for place, v in enumerate(goal.context) for key in (place, v.name) if key in given}
    definitions = hints_of(goal, await theory_of(lean, task.prefix, clock.left), ()).definitions
    for decide in ("decide +kernel", _rewriting(definitions)):
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
    values = choices[number]
    shown = ", ".join(f"{v.name} = {values[v.name]}" for v in goal.context if v.name in values)
    text = f"{shown or 'the statement'}: {goal.target} is false"
    return await _accepted(lean, task, goal, proof, text, clock)


async def _accepted(
    lean: LeanRuntime, task: Task, goal: Goal, proof: str, text: str, clock: Clock
) -> Refutation | None:
    """The refutation, where Lean accepts the proof of the negation."""
    # Facts of the scope are axioms here; the negation may not rest on them, so it is checked without.
    alone = _negation(goal, proof, "")
    checked = await lean.check(
        CheckRequest(f"\n{alone}", prefix=task.prefix, seconds=max(clock.left, 5.0), declarations=True)
    )
    theorem = next((d for d in checked.declarations if d.name.endswith("gp_negation")), None)
    if not checked.ok or theorem is None or not LOGIC_AXIOMS.issuperset(theorem.axioms):
        return None
    return Refutation(text, proof)


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
    sets: dict[str, list[str]] = {}
    for variable in goal.context:
        universe = re.fullmatch(r"Type (\w+)", variable.type)
        if variable.type in ("Type", "Sort 1"):
            types[variable.name], sets[variable.name] = NAT, ["Nat"]
        elif universe:
            types[variable.name] = Type("ULift", (NAT,))
            sets[variable.name] = [f"ULift.{{{universe[1]}}} Nat"]
        elif variable.info != "inst" and not is_proof(variable):
            try:
                values = values_of(read_type(variable.type).put(types), theory, MOST_DEPTH)
            except NotSimple:
                return
            # A type without values that are known is taken for a proposition: its proof is left to the decision.
            sets |= {variable.name: values} if values else {}
    if list(sets.values()) == [[*_PLAIN["Nat"]]]:
        sets = {name: [*map(str, range(MOST_ALONE))] for name in sets}
    every = itertools.product(*(range(len(values)) for values in sets.values()))
    limited = itertools.islice(every, 20_000) if len(sets) > 4 else every
    for indices in sorted(limited, key=lambda i: (sum(i), max(i, default=0))):
        yield {name: values[k] for (name, values), k in zip(sets.items(), indices, strict=True)}


def values_of(type_: Type, theory: Theory, depth: int) -> list[str]:
    """Some closed terms of a type, small ones first; [] for a type that is not known."""
    head, args = type_.head, type_.args
    if head in _PLAIN:
        return list(_PLAIN[head])
    if head in ("Fin", "BitVec") and len(args) == 1 and args[0].head.isdigit():
        small = [str(n) for n in range(min(int(args[0].head), MOST_VALUES))]
        return small if head == "Fin" else ["0", "1", "2", "3", "-1"]
    if depth == 0 and head in ("List", "Array", "Option", "ULift", "→"):
        depth = 1
    inner = [values_of(a, theory, depth - 1) for a in args] if depth else []
    if any(not v for v in inner):
        return []
    if head == "→" and len(inner) == 2:
        return _functions(type_, inner[1])
    if head in _MADE_OF and len(inner) == (2 if head in ("Prod", "Sum") else 1):
        return _MADE_OF[head](*inner)
    found: list[tuple[int, str]] = []
    for constructor in theory.constructors.get(head, ()):
        put = dict(zip(constructor.parameters, args, strict=False))
        if not constructor.arguments:
            found.append((0, f"@{constructor.name}{' _' * len(constructor.parameters)}"))
        elif depth > 0:
            parts = [values_of(a.put(put), theory, depth - 1) for a in constructor.arguments]
            for row in itertools.islice(_diagonal(parts), MOST_VALUES if all(parts) else 0):
                applied = " ".join(f"({part})" for part in row)
                found.append((sum(map(len, row)), f"{constructor.name} {applied}"))
    shortest = [text for _, text in sorted(found, key=lambda pair: pair[0])]
    return shortest[:MOST_VALUES]


def _functions(type_: Type, values: list[str]) -> list[str]:
    """Functions that are simple, and constant ones."""
    domain, result = type_.args
    number = domain.head in ("Nat", "Int")
    found = ["fun x y => x - y", "fun x y => x + y"] if type_.text() in _OPERATIONS else []
    if domain == result:
        found += ["fun x => x", *(["fun x => x + 1"] if number else [])]
    return [
        *found,
        *(["fun x => x == 0"] if result.head == "Bool" and number else []),
        *(f"fun _ => {v}" for v in values[:3]),
    ]


def _lists(values: list[str]) -> list[str]:
    a, b, *_ = [*values, values[0]]
    c = [*values, b, b][2]
    return ["[]", f"[{a}]", f"[{b}]", f"[{a}, {b}]", f"[{b}, {a}]", f"[{b}, {b}]", f"[{c}, {a}, {b}]"]


_MADE_OF: dict[str, Callable[..., list[str]]] = {
    "List": _lists,
    "ULift": lambda values: [f"ULift.up {v}" for v in values[:3]],
    "Array": lambda values: ["#[]", *(f"#[{v}]" for v in values[:2]), f"#[{', '.join(values[:2])}]"],
    "Option": lambda values: ["none", *(f"some ({v})" for v in values[:3])],
    "Prod": lambda *parts: [f"({a}, {b})" for a, b in _diagonal(parts)][:MOST_VALUES],
    "Sum": lambda left, right: [*(f".inl ({v})" for v in left[:3]), *(f".inr ({v})" for v in right[:3])],
}
"""Values of the library's types, from those of what they are made of."""
_OPERATIONS = {f"{t} → {t} → {t}" for t in ("Nat", "Int")}


def _diagonal(parts: Sequence[list[str]]) -> Iterator[tuple[str, ...]]:
    """The rows of the product, those with small indices first."""
    rows = sorted(itertools.product(*(range(min(len(p), 6)) for p in parts)), key=lambda i: (sum(i), max(i, default=0)))
    for row in rows:
        yield tuple(part[k] for part, k in zip(parts, row, strict=True))
