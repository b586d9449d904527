"""What an open goal lacks: the smallest sets of facts that, with the premises, imply it or its negation.

Candidates are the ground atoms of the program, variables replaced by the named things, and their negations; first those
that no rule derives. A set that implies the goal has a fact that is false in each world of the premises in which the
goal is false; so the sets are the hitting sets of such worlds, found smallest first in a tree (R. Reiter, "A theory of
diagnosis from first principles", 1987); where none is small, one is grown and thinned. A set counts that is consistent
with the premises, does not imply the goal by itself, and is no stronger than another one. No verdict rests on it.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.terms import BOOL, Kind, Term, and_, is_app, not_, substitute, subterms, symbols
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.closed_world import Ask, things_of, truth_values
from goedels_poetry.questions.entailment.findings import Condition, Entailment, Solvers
from goedels_poetry.questions.entailment.models import Encoder
from goedels_poetry.questions.entailment.program import LogicProgram

CHECKS, SECONDS = 120, 3.0
"""Solver checks for one side of a goal, time for both."""
MAX_ATOMS, MAX_FACTS, MAX_SETS = 100, 3, 5
"""Candidates, facts in one set, sets of one side of a goal."""
MAX_WAITING = 10_000
"""Sets that are still to be looked at."""
_CONNECTIVES = frozenset({"and", "or", "not", "=>", "xor", "ite"})


def with_conditions(program: LogicProgram, found: Entailment, solvers: Solvers) -> Entailment:
    """The finding with the conditions of an only goal that the open world leaves open."""
    goals = [(g.verdict, g.checks.with_goal, g.checks.with_negation) for g in found.goals]
    if goals != [(Verdict.UNKNOWN, "sat", "sat")] or found.closure or program.objectives:
        return found
    goal, encoder, bare = program.goals[0].formula, Encoder(program), Encoder(program, ())
    ask = solvers.queries(encoder, SECONDS).ask_for_values
    atoms = list(itertools.islice(dict.fromkeys(_atoms(program)), MAX_ATOMS))
    things = {thing.name for each in things_of(program.signature).values() for thing in each}
    derived = {name for premise in program.premises for name in _heads(premise.formula)} - things
    given = [atom for atom in atoms if derived.isdisjoint(symbols(atom) & program.signature.names)]
    conditions = list[Condition]()
    for side in (goal, not_(goal)):
        some = [*_Side(side, given, ask, encoder, bare).found()] or [*_Side(side, atoms, ask, encoder, bare).found()]
        conditions += [Condition(side is goal, facts, _sentences(program, facts, things)) for facts in some]
    return replace(found, conditions=tuple(conditions))


def _sentences(program: LogicProgram, facts: Sequence[Term], things: set[str]) -> tuple[int, ...]:
    """Numbers of the sentences about the predicates, or quantities, of the facts."""
    names = set().union(*map(symbols, facts)) & program.signature.names - things
    about = [premise for premise in program.premises if not names.isdisjoint(symbols(premise.formula))]
    return tuple(sorted({number for premise in about for number in premise.sentences}))


def _atoms(program: LogicProgram) -> Iterator[Term]:
    """Ground atoms, those of the goal and of premises that share symbols with it first."""
    things = things_of(program.signature)
    waiting, linked = [goal.formula for goal in program.goals], list[Term]()
    rest = [premise.formula for premise in program.premises]
    while waiting:
        linked += waiting
        known = set().union(*map(symbols, waiting)) & program.signature.names
        waiting = [formula for formula in rest if not known.isdisjoint(symbols(formula))]
        rest = [formula for formula in rest if formula not in waiting]
    for atom in itertools.chain.from_iterable(map(_atomic, linked)):
        free = sorted(atom.free, key=lambda v: v.name)
        for choice in itertools.islice(itertools.product(*[things.get(v.sort, []) for v in free]), MAX_ATOMS):
            yield substitute(atom, dict(zip(free, choice, strict=True)))


def _heads(formula: Term) -> set[str]:
    """What a rule derives: the symbols of its conclusion, or the one that it says to be equal to what it says."""
    is_rule = False
    while formula.kind is Kind.FORALL or is_app(formula, "=>"):
        is_rule, formula = is_rule or is_app(formula, "=>"), formula.args[-1]
    if is_app(formula, "=") and formula.args[1].args:
        return {formula.args[0].name}
    return {name for atom in _atomic(formula) for name in (atom.name, *symbols(atom))} if is_rule else set()


def _atomic(formula: Term) -> list[Term]:
    """The atoms in a formula, with their free variables."""

    def inside(term: Term) -> bool:
        return (
            term.kind is not Kind.APP or term.name in _CONNECTIVES or (is_app(term, "=") and term.args[0].sort is BOOL)
        )

    return [t for t in subterms(formula) if t.sort is BOOL and t.kind is Kind.APP and not inside(t)]


@dataclass
class _Side:
    """The search for what implies ``target``. Sets of facts are sets of their numbers."""

    target: Term
    atoms: Sequence[Term]
    ask: Ask
    encoder: Encoder
    bare: Encoder
    """Without premises."""
    checks: int = 0
    sets: list[frozenset[int]] = field(default_factory=list)
    useless: list[frozenset[int]] = field(default_factory=list)
    """Inconsistent with the premises, or enough without them: so is each set with one of these in it."""
    worlds: list[frozenset[int]] = field(default_factory=list)
    """The facts that are false in worlds of the premises in which the target is false."""

    def found(self) -> Iterator[tuple[Term, ...]]:
        self.facts = [*self.atoms, *map(not_, self.atoms)]
        self.texts = tuple(self.encoder.encoding.text(atom) for atom in self.atoms)
        waiting, seen = deque([frozenset[int]()]), set[frozenset[int]]()
        while waiting and self.checks < CHECKS and len(self.sets) < MAX_SETS:
            some = waiting.popleft()
            if some in seen or any(each <= some for each in (*self.sets, *self.useless)):
                continue
            world = next((world for world in self.worlds if world.isdisjoint(some)), None)
            seen.add(some)
            world = world or self._world(some)
            if world is not None and len(some) < MAX_FACTS and len(waiting) < MAX_WAITING:
                waiting += [some | {fact} for fact in sorted(world) if self._other(fact) not in some]
        if not self.sets:
            self._grow()
        for place, some in enumerate(self.sets):
            others = [(n, other) for n, other in enumerate(self.sets) if n != place and self._weaker(other, some)]
            if not any(n < place or not self._weaker(some, other) for n, other in others):
                yield tuple(self._of(some))

    def _grow(self) -> None:
        """Where no small set was found: facts that are false in most worlds, one by one, less those not needed."""
        own, some = _atomic(self.target), frozenset[int]()
        useless = {fact for each in self.useless if len(each) == 1 for fact in each}
        useless |= {n for n in range(len(self.facts)) if self.atoms[n % len(self.atoms)] in own}
        while world := self._world(some):
            useful = world - useless - {*map(self._other, some)}
            if not useful:
                return
            some |= {max(useful, key=lambda n: (sum(n in each for each in self.worlds), -n))}
        if self.sets:
            for fact in sorted(some):
                if self._status(self.encoder, [*self._of(some - {fact}), not_(self.target)])[0] == "unsat":
                    some -= {fact}
            self.sets = [some]

    def _of(self, some: frozenset[int]) -> list[Term]:
        return [self.facts[fact] for fact in sorted(some)]

    def _other(self, fact: int) -> int:
        return (fact + len(self.atoms)) % len(self.facts)

    def _status(self, encoder: Encoder, formulas: Sequence[Term], values: bool = False) -> tuple[str, str]:
        self.checks += 1
        extra = encoder.assertion(and_(formulas))
        answer = self.ask(encoder, extra, self.texts if values else ())
        return answer.status, answer.output

    def _world(self, some: frozenset[int]) -> frozenset[int] | None:
        """The facts that are false in a world where these do not make the target true; None: there is none known."""
        facts = self._of(some)
        status, output = self._status(self.encoder, [*facts, not_(self.target)], values=True)
        values = truth_values(output) if status == "sat" else []
        if len(values) == len(self.atoms) and values:
            false = frozenset(n + len(values) * value for n, value in enumerate(values))
            self.worlds.append(false)
            return false
        if status == "unsat" and some:
            alone = self._status(self.bare, [*facts, not_(self.target)])[0]
            consistent = alone == "sat" and self._status(self.encoder, facts)[0] == "sat"
            (self.sets if consistent else self.useless).append(some)
        return None

    def _weaker(self, other: frozenset[int], some: frozenset[int]) -> bool:
        """Whether ``other`` follows from ``some`` without the premises: facts about numbers do."""
        return self._status(self.bare, [*self._of(some), not_(and_(self._of(other)))])[0] == "unsat"
