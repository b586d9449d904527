"""Proofs by lemmas that nobody has stated: conjectures are assumed, those that a proof of the goal uses are proved."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.languages.lean.symbolic.attempts import Clock, Proposal, accepted
from goedels_poetry.languages.lean.symbolic.conjectures import Conjecture
from goedels_poetry.languages.lean.symbolic.lemmas import Named, lemmas_of
from goedels_poetry.languages.lean.symbolic.schemes import generalized
from goedels_poetry.languages.lean.symbolic.terms import Term, show
from goedels_poetry.languages.lean.symbolic.theory import Goal, Theory, opened, renamed, theory_of
from goedels_poetry.languages.lean.symbolic.world import world_of
from goedels_poetry.languages.lean.task import Task
from goedels_poetry.languages.trials import Status, trial_log

MOST_ASSUMED, MOST_ATTEMPTS = 24, 4
ROUNDS = (1, 0, 0, 2, 3)
"""How many assumed lemmas may rest on each other; 0: only what is proved by then, after all have been tried."""
ATTEMPT_SECONDS = 6.0
UNPROVED = "true on all samples, not proved"
PLENTY = "set_option maxHeartbeats 4000000 in\n"
"""Before a lemma: the clock limits the search, and what was found must not fail for heartbeats."""
_ARITHMETIC = "Nat.add_comm, Nat.add_left_comm, Nat.add_assoc"
_PRODUCTS = "Nat.mul_comm, Nat.mul_left_comm, Nat.mul_assoc, Nat.add_mul, Nat.mul_add, Nat.pow_succ, Nat.pow_add"


@dataclass(frozen=True, slots=True)
class Lemma:
    """A statement that holds on all samples."""

    statement: str
    """Closed."""
    simp: bool
    """From left to right it simplifies."""


@dataclass(slots=True)
class Search:
    """One search for the lemmas of a goal."""

    lean: LeanRuntime
    task: Task
    theory: Theory
    clock: Clock
    goal: Term
    definitions: str
    products: bool
    recursive: Mapping[str, frozenset[int]]
    """Of each function, the arguments on which its equations make a distinction."""
    nested: frozenset[str]
    """Functions whose equations look below the outermost constructor."""
    lemmas: tuple[Named, ...] = ()
    proved: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Proof of each lemma that has one, and the lemmas that it uses."""
    failed: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    """Lemmas without a proof in this round, and what could not be assumed for it."""
    deepest: int = 1
    """See `ROUNDS`."""
    tried: dict[tuple[str, ...], tuple[str, frozenset[str]] | None] = field(default_factory=dict)
    """What came of an attempt."""

    def text(self, name: str) -> str:
        """A proved lemma as a declaration."""
        named = next(n for n in self.lemmas if n.name == name)
        return f"{PLENTY}theorem {named.stated} := {self.proved[name][0]}\n\n"

    def needed(self, names: Sequence[str]) -> list[str]:
        """Proved lemmas and what they rest on, in the order in which they must stand."""
        found: list[str] = []

        def visit(name: str) -> None:
            if name not in found:
                for below in self.proved[name][1]:
                    visit(below)
                if name not in found:
                    found.append(name)

        for name in names:
            visit(name)
        return found


async def discover(lean: LeanRuntime, task: Task, *, seconds: float) -> tuple[Lemma, ...]:
    """Statements about the task's functions that hold on all samples, the most useful first."""
    clock = Clock(seconds)
    world = await world_of(lean, task, clock)
    found = await lemmas_of(lean, task, world, clock) if world else ()
    return tuple(Lemma(n.conjecture.statement, n.simp) for n in found)


async def prove_by_lemmas(lean: LeanRuntime, task: Task, *, seconds: float) -> Proposal | None:
    """A proof of the task with lemmas, all of them proved, accepted by Lean; None when there is none in time."""
    clock, log = Clock(seconds), trial_log()
    log.begin("lemmas found by exploration")
    found = await _prove_by_lemmas(lean, task, clock)
    if found is None:
        log.end(*((Status.TIMEOUT, "the time was used up") if clock.over else (Status.FAILED, "none of them helps")))
    else:
        log.end(Status.PROVED, "accepted", what=found.proof)
    return found


async def _prove_by_lemmas(lean: LeanRuntime, task: Task, clock: Clock) -> Proposal | None:
    search = await _search(lean, task, clock)
    if search is None:
        return None
    goal = await opened(lean, task, clock.left)
    if goal is None:
        return None
    attempts = _goal_attempts(search, goal)
    for search.deepest in ROUNDS:
        search.failed.clear()
        forward = sorted(search.lemmas[:MOST_ASSUMED], key=lambda n: n.conjecture.size)
        for lemma in forward if not search.deepest else ():
            news = lemma.name not in search.proved and await _prove(search, lemma, frozenset(), 0)
            if news and (search.proved[lemma.name][1] or lemma.conjecture.right is None):  # no everyday fact
                found = await _by(search, task, attempts)
                if found is not None:
                    return found
        found = await _by(search, task, attempts)
        if found is not None:
            return found
    return None


async def _by(search: Search, task: Task, attempts: Sequence[Attempt]) -> Proposal | None:
    """The first attempt at the goal whose lemmas are proved, or can be in this round."""
    for attempt in attempts:
        found = await _settle(search, task.head, task.name, attempt, frozenset(), 0)
        for proposal in _proposals(search, task, *found) if found else ():
            if await accepted(search.lean, task, proposal, search.clock):
                return proposal
    return None


def _proposals(search: Search, task: Task, proof: str, used: Sequence[str]) -> list[Proposal]:
    """The proof with its lemmas; and once more as a lemma of its own, which may take more of Lean's heartbeats."""
    helpers = "".join(search.text(name) for name in search.needed(used))
    again = f"{task.name.split('.')[-1]}_aux_goal"
    whole = f"{helpers}{PLENTY}{renamed(task, '_aux_goal')} := {proof}\n"
    apart = f"by\n  intros\n  apply {again} <;> assumption"
    return [
        Proposal(text, before, strategy="lemmas found by exploration", fingerprint="explore")
        for text, before in ((proof, helpers), (apart, whole))
    ]


async def _search(lean: LeanRuntime, task: Task, clock: Clock) -> Search | None:
    theory = await theory_of(lean, task.prefix, clock.left)
    world = await world_of(lean, task, clock)
    lemmas = await lemmas_of(lean, task, world, clock) if world else ()
    if world is None or not lemmas:
        return None
    definitions = ", ".join([*map(theory.written, theory.names), *theory.lemmas, *(f.name for f in task.facts)])
    products = any(h in ("HMul.hMul", "HPow.hPow") for n in lemmas for h in n.conjecture.left.heads())
    recursive = {
        name: frozenset(i for e in every for i, p in enumerate(e.patterns) if p.args or p.head not in e.free)
        for name, every in world.equations.items()
    }
    nested = frozenset(
        name
        for name, every in world.equations.items()
        if any(b.args or b.head not in e.free for e in every for p in e.patterns for b in p.args if b.head != "1")
    )
    return Search(lean, task, theory, clock, world.goal, definitions, products, recursive, nested, lemmas)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A proof text with a place for the lemmas that it may use."""

    before: str
    lemma: Named | None = None
    """Its instance for the goal is stated first."""


def _closers(search: Search, simp: Sequence[str], every: Sequence[str]) -> list[str]:
    """One tactic each: a cascade of tactics spends the heartbeats of all of them at the first failure."""

    def known(*names: str) -> str:
        given = ", ".join(filter(None, [search.definitions, *names]))
        return f" [{given}]" if given else ""

    plain = f"simp_all{known(*simp)}"
    moved = f"simp_all{known(*simp, _PRODUCTS if search.products else _ARITHMETIC)}"
    grind = f"grind{known(*every)}"
    return [f"{plain} <;> omega", grind, f"{plain} <;> {grind}", f"{moved} <;> omega"]


def _goal_attempts(search: Search, goal: Goal) -> list[Attempt]:
    attempts = [Attempt(goal.start, n) for n in search.lemmas if _closed_form(n.conjecture)]
    attempts.append(Attempt(goal.start))
    recursed = {n for _, names in _calls(search, [search.goal], {v.name for v in goal.context}) for n in names}
    for v in goal.context:
        if _inductive(v.type, search.theory) and (v.name in recursed or not recursed):
            attempts.append(Attempt(f"{goal.start}  induction {v.name}{generalized(goal, v)[0]} <;>\n  "))
    return attempts


def _closed_form(c: Conjecture) -> bool:
    """A generalisation of a side of the goal that says what it is without its own function."""
    if not c.instance or c.right is None:
        return False
    return c.left.head not in c.right.heads()


def _inductive(type_: str, theory: Theory) -> bool:
    head = type_.split()[0].lstrip("(") if type_ else ""
    return head in theory.constructors or head in ("Nat", "List")


def _lemma_attempts(search: Search, named: Named) -> list[Attempt]:
    c = named.conjecture
    names = [v.name for v in c.variables]
    sides = [side for side in (c.left, c.right, *c.premises) if side is not None]
    calls = _calls(search, sides, set(names))
    weight = {n: sum(n in recursed for _, recursed in calls) for n in names}
    attempts = []
    for v in sorted(c.variables, key=lambda v: -weight[v.name]):
        if not _inductive(v.type.text(), search.theory) or (calls and not weight[v.name]):
            continue
        others = [n for n in names if n != v.name]
        general = f" generalizing {' '.join(others)}" if others else ""
        attempts.append(Attempt(f"by\n  induction {v.name}{general} <;>\n  "))
    whole = [
        call
        for call, recursed in calls
        if (len(recursed) > 1 or call.head in search.nested) and all(a.head in names for a in call.args)
    ]
    for call in dict.fromkeys(whole):
        written = Term(search.theory.written(call.head), call.args)
        attempts.insert(0, Attempt(f"by\n  fun_induction {show(written)} <;>\n  "))
    attempts.append(Attempt("by\n"))
    return attempts[:MOST_ATTEMPTS]


def _calls(search: Search, sides: Sequence[Term], names: set[str]) -> list[tuple[Term, set[str]]]:
    """Applications of the functions with the variables on which their equations make a distinction."""
    found = []
    for part in (p for side in sides for p in side.parts()):
        places = search.recursive.get(part.head, frozenset())
        recursed = {a.head for i, a in enumerate(part.args) if i in places and a.head in names}
        if recursed:
            found.append((part, recursed))
    return found


async def _settle(
    search: Search, head: str, name: str, attempt: Attempt, above: frozenset[str], depth: int
) -> tuple[str, tuple[str, ...]] | None:
    """A proof by this attempt whose lemmas are all proved: its text and the lemmas that it uses."""
    if attempt.lemma is not None:
        if await _try(search, head, name, attempt, [attempt.lemma], []) is None:
            return None
        if not await _prove(search, attempt.lemma, above, depth):  # it is the goal itself, made more general
            return None
        return await _smaller(search, head, name, attempt, frozenset({attempt.lemma.name}))
    ready = [n for n in search.lemmas if n.name in search.proved and n.name not in above]
    assumed = [n for n in search.lemmas if n.name not in search.proved and n.name not in above]
    assumed = [n for n in assumed if not any(f == n.name and a <= above for f, a in search.failed)]
    allowed = [] if depth >= search.deepest else assumed[:MOST_ASSUMED]
    while not search.clock.over:
        quick = depth >= search.deepest and above != frozenset()
        result = await _try(search, head, name, attempt, ready, allowed, 2 if quick else 4)
        if result is None:
            return None
        used = result[1]
        missing = [n for n in allowed if n.name in used]
        bad = None
        for lemma in missing:
            if not await _prove(search, lemma, above, depth + 1):
                bad = lemma
                break
        if bad is None:
            return await _smaller(search, head, name, attempt, used, 2 if quick else 4)
        allowed = [n for n in allowed if n is not bad and n.name not in search.proved]
        ready = [n for n in search.lemmas if n.name in search.proved and n.name not in above]
    return None


async def _smaller(
    search: Search, head: str, name: str, attempt: Attempt, used: frozenset[str], most: int = 4
) -> tuple[str, tuple[str, ...]] | None:
    """The same proof with only the lemmas that it uses."""
    ready = [n for n in search.lemmas if n.name in used]
    result = await _try(search, head, name, attempt, ready, [], most)
    return None if result is None else (result[0], tuple(n.name for n in ready if n.name in result[1]))


async def _prove(search: Search, lemma: Named, above: frozenset[str], depth: int) -> bool:
    if lemma.name in search.proved:
        return True
    inside = above | {lemma.name}
    head = f"theorem {lemma.stated}"
    log, began = trial_log(), time.monotonic()
    log.at(lemma.conjecture.statement)
    attempts = _lemma_attempts(search, lemma)
    for level in dict.fromkeys((search.deepest, depth)):  # first without assumptions
        for attempt in attempts:
            if search.clock.over:
                return False
            found = await _settle(search, head, lemma.name, attempt, inside, level)
            if found is not None:
                search.proved[lemma.name] = found
                log.tried(lemma.conjecture.statement, Status.PROVED, "proved", time.monotonic() - began, lemma=True)
                return True
    log.tried(lemma.conjecture.statement, Status.FAILED, UNPROVED, time.monotonic() - began, lemma=True)
    search.failed.add((lemma.name, inside - {lemma.name}))
    return False


async def _try(
    search: Search,
    head: str,
    name: str,
    attempt: Attempt,
    ready: Sequence[Named],
    assumed: Sequence[Named],
    most: int = 4,
) -> tuple[str, frozenset[str]] | None:
    """The proof and the lemmas that it uses, when Lean accepts it with ``assumed`` as axioms; asked once."""
    key = (name, attempt.before, str(attempt.lemma), str(most), *(n.name for n in (*ready, *assumed)))
    if key not in search.tried:
        found = await _ask(search, head, name, attempt, [*ready, *assumed], most)
        if found is None and search.clock.over:
            return None
        search.tried[key] = found
    return search.tried[key]


async def _ask(
    search: Search, head: str, name: str, attempt: Attempt, every: Sequence[Named], most: int
) -> tuple[str, frozenset[str]] | None:
    simp = [n.name for n in every if n.simp]
    before = attempt.before + ("" if attempt.before.endswith("  ") else "  ")
    if attempt.lemma is not None:
        given = " ".join(show(t, True) for t in attempt.lemma.conjecture.instance)
        before += f"have known := {attempt.lemma.name} {given}\n  "
    stubs = "".join(f"axiom {n.stated}\n" for n in every)
    for closer in _closers(search, simp, [n.name for n in every])[:most]:
        proof = before + (f"({closer})" if "<;>" in closer else closer)
        code = f"\n{search.task.stubs}{stubs}set_option maxHeartbeats 0 in\n{head} := {proof}\n"
        used = await _used(search, code, name)
        if used is not None:
            return proof, frozenset(n.name for n in every if n.name in used)
        if search.clock.over:
            return None
    return None


async def _used(search: Search, code: str, name: str) -> frozenset[str] | None:
    """The axioms that the theorem rests on; None when Lean refuses it."""
    seconds = min(search.clock.left, ATTEMPT_SECONDS)
    result = await search.lean.check(CheckRequest(code, prefix=search.task.prefix, seconds=seconds, declarations=True))
    if not result.ok:
        return None
    short = name.split(".")[-1]
    ours = [d for d in result.declarations if d.kind == "theorem" and d.name.split(".")[-1] == short]
    used = frozenset(a.split(".")[-1] for d in ours for a in d.axioms)
    return None if not ours or "sorryAx" in used else used
