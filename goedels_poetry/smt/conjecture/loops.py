"""Loops: a recursive function that carries a state, called at the state where it begins, and what each state keeps.

``loop 1 (n + 1) 0`` adds up to ``n``: the goal says something about the first state alone, and no induction follows.
So the first state is made any state that satisfies an invariant. Candidates are what holds in all states that runs from
the first one have: equations (``2 * t = (i - 1) * i``) and bounds (``i <= n + 1``) among its numbers, and what the goal
says, with the result replaced by a part of the state, and a bound by what counts up to it. Those that are not kept by a
step given the others are dropped until all that are left are kept. The rest is an induction along the loop.

Properties of states that were seen: Ernst et al., "Dynamically Discovering Likely Program Invariants to Support Program
Evolution", 2001; dropping candidates until the rest is inductive: Flanagan and Leino, "Houdini, an Annotation Assistant
for ESC/Java", 2001.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations_with_replacement, islice, permutations
from typing import Any

from goedels_poetry.kernel.calls import Call, TooLarge, calls_of
from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    STRING,
    Kind,
    Term,
    and_,
    app,
    integer,
    is_app,
    not_,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.smt.conjecture.continuations import ContinuationStatement, continuation_statements
from goedels_poetry.smt.conjecture.data import equations, sample
from goedels_poetry.smt.conjecture.indices import every_index
from goedels_poetry.smt.conjecture.loop_calls import MAX_LOOPS, ends, loop_calls, moving, outside, starts
from goedels_poetry.smt.conjecture.observers import measures
from goedels_poetry.smt.context.attempts import close_goal
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, MODEL_SECONDS, PATIENT
from goedels_poetry.smt.induction.descent import descents
from goedels_poetry.smt.induction.recursion import closed_along, recursion_schemes
from goedels_poetry.smt.induction.structural import by_cases
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.polynomials import normal, polynomial
from goedels_poetry.smt.rewriting.statements import implies_all, replace_subterm
from goedels_poetry.smt.rewriting.unfold import lemma_instances

SHIFTS = (1, 0, -1, -2, -3, -4)
"""How far a state may be ahead of or behind what the goal compares it with."""
MAX_CANDIDATES = 40
DEGREE, MAX_COLUMNS = 3, 20
"""Of products of numbers in an equation for a result, and how many of them."""
MAX_ROUNDS = 6
MAX_RUNS, MAX_STEPS, MAX_NUMBERS = 4_000, 12, 6
"""Runs from the first state on that are tried, steps of each, and numbers that are compared in its states."""
RANGES = range(-1, 7), range(-1, 13)
"""Numbers that runs begin with: small ones, and such that a loop takes many steps."""
FEWEST, ENOUGH = 10, 200
"""States that are seen: of fewer nothing is concluded, more are not looked at."""
TESTS = 40


@dataclass(frozen=True)
class LoopStatement:
    """A goal for every state that keeps the invariant, and how to get back to the goal about the first one."""

    general: Sequent
    functions: frozenset[str]
    """The loop, and others that run through the same states."""
    start: Mapping[Term, Term]
    """The first state, by the variables that stand for states."""

    def proof(self, context: ProverContext, rlimit: int | None = None) -> Plan | None:
        """The general statement by induction along the loop, or on its measure where it may go on for ever."""

        def close(case: Sequent) -> Plan | None:
            return _closed(context, case, rlimit)

        along = (s for s in recursion_schemes(context, self.general) if s.function in self.functions)
        plans = chain(
            (closed_along(context, self.general, scheme, close) for scheme in along),
            (by_cases(context, self.general, s, close, "measure-induction") for s in descents(context, self.general)),
        )
        return next((plan for plan in plans if plan is not None), None)

    def queries(self, context: ProverContext, sequent: Sequent) -> Iterator[Query]:
        """The goal from the general statement at the first state, also with what the invariant comes to there."""
        key = key_of(self.general)
        values = tuple(self.start.get(v, v) for v in self.general.vars)
        first = Instance("step", key, values)
        yield Query((key,), (first,))
        at = dict(zip(self.general.vars, values, strict=True))
        invariant = make_sequent(sequent.vars, sequent.hyps, and_([substitute(h, at) for h in self.general.hyps]))
        calls = [t for part in (invariant.concl, sequent.concl, *sequent.hyps) for t in context.unfolder.calls(part)]
        for unfolded in ((), *context.unfolder.unfoldings(invariant, (1, 2))):
            known = lemma_instances(context.lemmas, [*calls, *context.unfolder.brought_by(unfolded)])
            cites = tuple(dict.fromkeys([key, *(i.name for i in known)]))
            yield Query(cites, (first, *unfolded, *known), equations=False, quantified=False)
        yield Query((key, *context.lemmas), (first,))


def loop_statements(
    context: ProverContext, sequent: Sequent, inner: Callable[[Sequent], bool] | None = None
) -> Iterator[LoopStatement | ContinuationStatement]:
    """The goal from any state of a loop on, without an invariant where values allow it, then with one.

    First with a rest of what another function has produced for the loop, where there is such a one.

    Args:
        sequent: without plain functions, see `without_plain_functions`.
        inner: tries to prove what a step keeps where the step runs a loop of its own.
    """
    if any(t.binders for part in (sequent.concl, *sequent.hyps) for t in subterms(part)):
        return
    yield from continuation_statements(context, sequent)
    for call in islice(loop_calls(context, sequent), MAX_LOOPS):
        together = _Loop(context, sequent, call)
        alone = _Loop(context, sequent, call, alone=True)
        for loop in (together, alone) if together.replaced != alone.replaced else (alone,):
            yield from _statements(context, loop, inner)
        if any(call.args[i] in outside(sequent.concl, call) for i in moving(context, call)):
            yield from _statements(context, _Loop(context, sequent, call, alone=True, apart=True), inner)


def _statements(
    context: ProverContext, loop: _Loop, inner: Callable[[Sequent], bool] | None
) -> Iterator[LoopStatement]:
    plain = loop.statement(())
    if context.refutes(plain.general, TESTS) is None and loop.suffices(()):
        yield plain
    for result in loop.results():
        if context.refutes(result.general, TESTS) is None:
            yield result
    for products, every in ((False, False), (True, False), (False, True)):
        invariant = loop.invariant(inner, products=products, every=every)
        if invariant and loop.suffices(invariant):
            found = loop.statement(invariant)
            if context.refutes(found.general, TESTS) is None:
                yield found


def _closed(context: ProverContext, case: Sequent, rlimit: int | None) -> Plan | None:
    """A case by a quick query, or by whatever closes a goal."""
    return _quickly_closed(context, case) or close_goal(context, case, rlimit)


def _quickly_closed(context: ProverContext, case: Sequent, rlimit: int = PATIENT) -> Plan | None:
    """A case by a query; also in a context of its own, where bounds and divisions are simplified before the search."""
    cites = tuple(context.lemmas)
    if context.holds(case, Query(cites), CANDIDATE, known=True):
        return leaf(case, Query(cites))
    for unfolded in context.unfolder.unfoldings(case, (1,)):
        query = Query(cites, unfolded)
        if context.holds_alone(case, query, rlimit, MODEL_SECONDS):
            return leaf(case, query)
    return None


class _Loop:
    """One call of a goal, with variables in the place of what its state begins with.

    ``apart``: also in the place of a variable that the goal compares with the result: it is the first value then.
    """

    def __init__(
        self, context: ProverContext, sequent: Sequent, call: Term, *, alone: bool = False, apart: bool = False
    ) -> None:
        names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=context.reserved)
        definition = context.signature.definition(call.name)
        assert definition is not None
        self._context = context
        self._sequent = sequent
        self._definition = definition
        positions = moving(context, call) if apart else starts(context, call)
        state = {i: names.fresh(definition.params[i].name, call.args[i].sort) for i in positions}
        self._start = {v: call.args[i] for i, v in state.items()}
        self._args = tuple(state.get(i, a) for i, a in enumerate(call.args))
        self._at = dict(zip(definition.params, self._args, strict=True))
        self._calls = [
            t
            for part in (sequent.concl, *sequent.hyps)
            for t in subterms(part)
            if t.kind is Kind.APP and t.args == call.args and context.signature.definition(t.name) is not None
        ]
        self._body = simplify(definition.body, context.signature)
        self._alone = alone
        self._enough: dict[bool, list[Term]] = {}
        """What the goal says of states and would do at the end, with equations of products or without."""

    def statement(self, invariant: tuple[Term, ...]) -> LoopStatement:
        """The goal for all states that satisfy ``invariant``."""
        variables = (*self._sequent.vars, *self._start)
        hyps = (*[self._opened(h) for h in self._sequent.hyps], *invariant)
        general = make_sequent(variables, hyps, self._opened(self._sequent.concl))
        return LoopStatement(general, frozenset(c.name for c in self._calls), self._start)

    def results(self) -> Iterator[LoopStatement]:
        """What a number in the goal comes to from any state on, where that is a polynomial of numbers of the state."""
        try:
            states = self._states
        except TooLarge:
            return
        sides = [t for t in _summands(self._sequent.concl) if any(call in subterms(t) for call in self._calls)]
        for opened in dict.fromkeys(self._opened(side) for side in sides):
            columns = [integer(1)]
            for degree in range(1, DEGREE + 1):
                powers = list(combinations_with_replacement(self._numbers, degree))
                if degree == 1 or len(columns) + len(powers) <= MAX_COLUMNS:
                    columns += [power[0] if degree == 1 else app("*", power, INT) for power in powers]
            columns += [*self._reached, opened]
            some = states[:: max(1, len(states) // (2 * (len(columns) + FEWEST)))]
            found = equations(self._context, columns, self._variables, some).get(opened)
            if found is not None:
                hyps = [*self._given, *self._kept_bounds]
                general = make_sequent(self._variables, hyps, found)
                yield LoopStatement(general, frozenset(c.name for c in self._calls), self._start)

    def _opened(self, term: Term) -> Term:
        for call, opened in self.replaced.items():
            term = replace_subterm(term, call, opened)
        return term

    @cached_property
    def replaced(self) -> dict[Term, Term]:
        """The call at any state; with it others that begin with one of its numbers: they run side by side."""
        found = {call: rebuild(call, self._args) for call in self._calls}
        variables = {} if self._alone else {first: v for v, first in self._start.items() if v.sort is INT}
        for part in (self._sequent.concl, *self._sequent.hyps):
            for call in subterms(part):
                places = [i for i in starts(self._context, call) if call.args[i] in variables]
                if places and call not in found:
                    args = (variables[a] if i in places else a for i, a in enumerate(call.args))
                    found[call] = rebuild(call, tuple(args))
        return found

    # ------------------------------------------------------------------------------------- invariants

    def invariant(
        self, inner: Callable[[Sequent], bool] | None, *, products: bool = False, every: bool = False
    ) -> tuple[Term, ...]:
        """The candidates that hold at first and that a step keeps, given all of them.

        Args:
            inner: see `loop_statements`.
            products: whether equations of products of numbers are among them; none where there is no such one.
            every: whether all that the goal says of states are among them, where some alone would do at the end.
        """
        try:
            steps = self._steps
        except TooLarge:
            return ()
        possible = [c for c in self._candidates(products, every) if self._holds_at_first(c)]
        kept = self._thinned(possible, steps, CANDIDATE)  # most that a step keeps it is quickly seen to keep
        if not self.suffices(kept, CANDIDATE):
            kept = self._thinned(possible, steps)
        if inner is not None and len(kept) < len(possible):
            for candidate in [c for c in possible if c not in kept]:
                goals = [self._after(candidate, [*kept, candidate], step) for step in steps]
                left = [goal for goal in goals if not self._follows(goal)]
                if all(self._runs_another(goal) and inner(goal) for goal in left):
                    return tuple(self._thinned([*kept, candidate], steps))
        return tuple(kept)

    def _thinned(self, candidates: Sequence[Term], steps: list[Call], rlimit: int = PATIENT) -> list[Term]:
        """Those that a step keeps, given those that are left."""
        kept = list(candidates)
        for _ in range(MAX_ROUNDS):
            again = [c for c in kept if all(self._follows(self._after(c, kept, step), rlimit) for step in steps)]
            if len(again) == len(kept):
                return kept
            kept = again
        return []

    def _runs_another(self, goal: Sequent) -> bool:
        """Whether a goal about a step speaks of a loop that begins at a constant, of which the own goal does not."""
        known = {t for part in (self._sequent.concl, *self._sequent.hyps) for t in subterms(part)}
        return any(
            any(not call.args[i].free for i in starts(self._context, call)) and call not in known
            for call in loop_calls(self._context, goal)
        )

    @cached_property
    def _steps(self) -> list[Call]:
        """The recursive calls with the conditions on the way to them, over the goal's variables and the state."""
        name = self._definition.name
        found = calls_of(self._definition, frozenset((name,)), self._body, self._context.reserved)
        return [call for call in found if call.variables == self._definition.params]

    @cached_property
    def _given(self) -> list[Term]:
        """The hypotheses that do not speak of the loop."""
        return [h for h in self._sequent.hyps if not any(c in subterms(h) for c in self._calls)]

    @cached_property
    def _inputs(self) -> frozenset[Term]:
        """The variables that the loop is called with."""
        return frozenset[Term]().union(*(call.free for call in self._calls))

    def _holds_at_first(self, candidate: Term) -> bool:
        return self._follows(_opened(self._sequent.vars, self._given, substitute(candidate, self._start)), CANDIDATE)

    def _after(self, candidate: Term, known: Iterable[Term], step: Call) -> Sequent:
        """That a step keeps a candidate."""
        after = dict(zip(self._args, (substitute(a, self._at) for a in step.args), strict=True))
        moved = {v: after[v] for v in after if v.kind is Kind.VAR}
        path = [substitute(c, self._at) for c in step.path]
        variables = (*self._sequent.vars, *self._start)
        return _opened(variables, [*self._given, *known, *path], substitute(candidate, moved))

    def _follows(self, goal: Sequent, rlimit: int = PATIENT) -> bool:
        return self._context.refutes(goal, TESTS) is None and _quickly_closed(self._context, goal, rlimit) is not None

    def _candidates(self, products: bool, every: bool) -> list[Term]:
        """What holds in all states that were seen: equations and bounds, and what the goal says of its result."""
        if len(self._states) < FEWEST:
            return []
        linear, quadratic = self._equations
        if products and not quadratic:
            return []
        equal = [*linear, *quadratic] if products else linear
        first = {first: v for v, first in self._start.items() if first.kind is Kind.VAR}
        said = (substitute(h, first) for h in self._given)
        before = [h for h in said if not h.free.isdisjoint(self._start) and self._holds(h)]
        numbers = [*self._bounded, *equal, *before]
        if products not in self._enough:
            self._enough[products] = [g for g in self._of_the_goal if self.suffices([*numbers, g], CANDIDATE)]
        enough = self._enough[products]
        if every and (not enough or len(enough) == len(self._of_the_goal)):
            return []
        guesses = self._of_the_goal if every or not enough else enough
        simple = (simplify(term, self._context.signature) for term in (*numbers, *guesses))
        found = dict.fromkeys(t for t in simple if not t.free.isdisjoint(self._start) and t.sort is BOOL)
        return list(found)[:MAX_CANDIDATES]

    @cached_property
    def _variables(self) -> tuple[Term, ...]:
        return (*self._sequent.vars, *self._start)

    @cached_property
    def _numbers(self) -> list[Term]:
        """The numbers of a state: variables, and what functions of the goal give of containers alone."""
        numbers = [v for v in reversed(self._variables) if v.sort is INT]
        containers = [v for v in self._variables if self._context.signature.datatype(v.sort) is not None]
        numbers += [m for v in containers for m in measures(self._context, self._sequent, v)]
        numbers += [app("str.len", (v,), INT) for v in self._variables if v.sort is STRING]
        return numbers[:MAX_NUMBERS]

    @property
    def _states(self) -> list[list[Any]]:
        return self._runs[0]

    @cached_property
    def _runs(self) -> tuple[list[list[Any]], list[list[Any]]]:
        """The values of goal and state in runs from the first state on, and those in which a run ended."""
        evaluator, source = self._context.evaluator, random.Random(self._context.seed + 7)
        steps, own = self._steps, self._sequent.vars
        hyps = [evaluator.compile(hyp, own) for hyp in self._given if hyp.free <= self._inputs]
        path = [and_([substitute(c, self._at) for c in step.path]) for step in steps]
        moved = [dict(zip(self._args, (substitute(a, self._at) for a in step.args), strict=True)) for step in steps]
        states: list[list[Any]] = []
        last: list[list[Any]] = []
        for number in range(MAX_RUNS):
            if len(states) >= ENOUGH:
                break
            values = sample(self._context, own, RANGES[number % 2], number % 6, source)
            with suppress(Undecided):
                if not all(evaluator.run(hyp, list(values)) for hyp in hyps):
                    continue
                assignment = dict(zip(own, values, strict=True))
                assignment |= {v: evaluator.value(first, assignment) for v, first in self._start.items()}
                for _ in range(MAX_STEPS):
                    states.append(list(assignment.values()))
                    taken = next((m for c, m in zip(path, moved, strict=True) if evaluator.value(c, assignment)), None)
                    if taken is None:
                        last.append(states[-1])
                        break
                    assignment |= {v: evaluator.value(taken[v], assignment) for v in self._start}
        return states, last

    def _varies(self, number: Term) -> bool:
        """Whether a number is defined in all states, and not the same in all."""
        code = self._context.evaluator.compile(number, self._variables)
        try:
            return len({self._context.evaluator.run(code, list(state)) for state in self._states}) > 1
        except Undecided:
            return False

    def _holds(self, claim: Term) -> bool:
        """Whether a claim is true in all states."""
        code = self._context.evaluator.compile(claim, self._variables)
        try:
            return all(self._context.evaluator.run(code, list(state)) for state in self._states)
        except Undecided:
            return False

    @cached_property
    def _bounded(self) -> list[Term]:
        """The closest of ``a < b``, ``a <= b``, ``a <= b + 1`` for two numbers or 0; bounds by the first values."""
        found: list[Term] = []
        for low, high in permutations((integer(0), *self._numbers), 2):
            bounds = (app("<=", (low, _plus(high, offset)), BOOL) for offset in (-1, 0, 1))
            found += islice((b for b in bounds if b.free and self._holds(b)), 1)
        for bound, counted in self._met:
            found += islice(filter(self._holds, (app(r, (counted, bound), BOOL) for r in ("<=", ">="))), 1)
        for v, first in self._start.items():
            sides = [v, not_(v)] if v.sort is BOOL else []
            if v.sort is INT and first is not integer(0):
                sides = [app("<=", (first, v), BOOL), app("<=", (v, first), BOOL)]
            found += filter(self._holds, sides)
        return found

    @cached_property
    def _kept_bounds(self) -> list[Term]:
        return self._thinned([bound for bound in self._bounded if self._holds_at_first(bound)], self._steps)

    @cached_property
    def _equations(self) -> tuple[list[Term], list[Term]]:
        """Linear equations, and those of products of numbers that the linear ones do not determine."""
        columns = [integer(1), *self._numbers, *self._reached]
        linear = equations(self._context, columns, self._variables, self._states)
        free = [n for n in self._numbers if n not in linear]
        products = [app("*", pair, INT) for pair in combinations_with_replacement(free, 2)]
        quadratic = equations(self._context, [integer(1), *free, *products], self._variables, self._states)
        return list(linear.values()), list(quadratic.values())

    @cached_property
    def _reached(self) -> list[Term]:
        """What the goal compares with the result, where a bound in it is what counts up to it: ``fib (i - 1)``."""
        calls = {
            t
            for t in subterms(self._sequent.concl)
            if t.sort is INT
            and t not in (*self._calls, *self._numbers)
            and self._context.signature.definition(t.name) is not None
        }
        bounds = list(self._bounds(SHIFTS))
        found: list[Term] = []
        for call in sorted(calls, key=lambda t: t.size):
            constants = [a for a in call.args if a.sort is INT and a.kind is Kind.LIT]
            for pair in (*bounds, *self._counted(constants, SHIFTS)):
                reached = normal(replace_subterm(call, *pair), self._context.signature)
                if reached is not call and self._varies(reached):
                    found.append(reached)
        return list(dict.fromkeys([*found, *filter(self._varies, self._said_of_counters())]))

    def _said_of_counters(self) -> Iterator[Term]:
        """Numbers in what the goal says of every index, at what counts: ``sum (take i xs)`` where it is to be > 0."""
        for call in dict.fromkeys(t for part in (self._sequent.concl, *self._sequent.hyps) for t in subterms(part)):
            ranged = every_index(self._context, call.name, positive=True) if call.kind is Kind.APP else None
            if ranged is not None and call not in self._calls:
                for term in (t for counter in self._counters for t in subterms(ranged.said(call, counter))):
                    if (
                        term.sort is INT
                        and term.kind is Kind.APP
                        and term.name in self._context.recursions
                        and term.free
                    ):
                        yield normal(term, self._context.signature)

    @cached_property
    def _of_the_goal(self) -> list[Term]:
        """What the goal says of the result, said of a part of the state; a bound may become what counts up to it."""
        bounds = list(self._bounds())
        given = [h for h in self._sequent.hyps if h not in self._given or not h.free <= self._inputs]
        found: dict[Term, None] = {}
        for call in self._calls:
            last = [*(end for _, end in self._exits(call)), *(v for v in self._start if v.sort is call.sort)]
            for end in dict.fromkeys(last):
                hyps = [replace_subterm(hyp, call, end) for hyp in given]
                concl = replace_subterm(self._sequent.concl, call, end)
                whole = implies_all(hyps, concl)
                parts = [whole] if given else [*_parts(concl), *([concl] if is_app(concl, "or") else [])]
                found |= dict.fromkeys(part for part in parts if not part.free.isdisjoint(self._start))
                found |= dict.fromkeys(replace_subterm(part, *pair) for part in parts for pair in bounds)
                for at, hyp in enumerate(hyps):  # two indices may go up to the same bound
                    moved = (replace_subterm(hyp, replace_subterm(bound, call, end), met) for bound, met in bounds)
                    found |= dict.fromkeys(implies_all([*hyps[:at], h, *hyps[at + 1 :]], concl) for h in moved)
        found |= dict.fromkeys(substitute(guess, swap) for guess in list(found) for swap in self._mirrored())
        return [simplify(guess, self._context.signature) for guess in found if self._holds(guess)]

    def _mirrored(self) -> Iterator[dict[Term, Term]]:
        """An index of the goal and another one of the same list: a loop sees half of what is its own mirror image."""
        calls = dict.fromkeys(t for t in subterms(self._sequent.concl) if t.kind is Kind.APP)
        for one, other in permutations(calls, 2):
            if one.name == other.name and len(one.args) == len(other.args):
                differ = {a: b for a, b in zip(one.args, other.args, strict=True) if a is not b}
                if len(differ) == 1 and all(
                    a in self._sequent.vars and a.sort is INT and a in b.free for a, b in differ.items()
                ):
                    yield differ

    def suffices(self, invariant: Sequence[Term], rlimit: int = PATIENT) -> bool:
        """Whether the goal follows from an invariant wherever the loop ends."""
        variables = (*self._sequent.vars, *self._start)
        for call in self._calls:
            opened = rebuild(call, self._args)
            for path, end in self._exits(call):
                hyps = [replace_subterm(self._opened(hyp), opened, end) for hyp in self._sequent.hyps]
                concl = replace_subterm(self._opened(self._sequent.concl), opened, end)
                if not self._follows(_opened(variables, [*hyps, *invariant, *path], concl), rlimit):
                    return False
        return True

    def _exits(self, call: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
        """What a call would give if it ended in this state, under which conditions."""
        definition = self._context.signature.definition(call.name)
        assert definition is not None
        body = definition.at(self._args)
        yield from ends(body, call.name)

    def _bounds(self, shifts: Iterable[int] = (0, 1, -1)) -> Iterator[tuple[Term, Term]]:
        """Numbers that stay as they are, such as ``n`` or ``len xs``, with what counts up to them."""
        yield from self._counted([n for n in self._numbers if n.free.isdisjoint(self._start)], shifts)
        yield from self._met

    def _counted(self, bounds: Iterable[Term], shifts: Iterable[int]) -> Iterator[tuple[Term, Term]]:
        for bound in bounds:
            for counter in self._counters:
                yield from ((bound, _plus(counter, shift)) for shift in shifts)

    @cached_property
    def _counters(self) -> list[Term]:
        steps = [dict(zip(self._args, step.args, strict=True)) for step in self._steps]
        return [
            n
            for n in self._numbers
            if n in self._start
            and all(not any(polynomial(app("-", (substitute(step[n], self._at), n), INT))) for step in steps)
        ]

    @cached_property
    def _met(self) -> list[tuple[Term, Term]]:
        """Numbers that the goal computes, such as ``len xs div 2``, with what counts up to them in most runs."""
        inputs, ended = frozenset(self._sequent.vars), self._runs[1]
        computed = [
            t
            for part in (*self._sequent.hyps, self._sequent.concl)
            for t in subterms(part)
            if t.sort is INT and t.kind is Kind.APP and t.free and t.free <= inputs and t not in self._numbers
        ]
        pairs = []
        for bound in islice((t for t in dict.fromkeys(computed) if t not in self._calls), MAX_NUMBERS):
            for counter in self._counters:
                code = self._context.evaluator.compile(app("-", (bound, counter), INT), self._variables)
                with suppress(Undecided):
                    left = Counter(self._context.evaluator.run(code, list(end)) for end in ended)
                    difference, often = left.most_common(1)[0] if left else (0, 0)
                    if 2 * often > len(ended):
                        pairs.append((bound, _plus(counter, difference)))
        return pairs


def _opened(variables: Iterable[Term], hyps: Sequence[Term], claim: Term) -> Sequent:
    """The sequent with the premises of its conclusion among the hypotheses."""
    while is_app(claim, "=>"):
        hyps, claim = [*hyps, *claim.args[:-1]], claim.args[-1]
    return make_sequent(variables, hyps, claim)


def _plus(term: Term, number: int) -> Term:
    if not number:
        return term
    return app("+" if number > 0 else "-", (term, integer(abs(number))), INT)


def _summands(term: Term) -> Iterator[Term]:
    """What a polynomial in a formula is made of."""
    if term.sort is INT:
        yield from (t for monomial in polynomial(term) for t in monomial)
    else:
        for part in term.args:
            yield from _summands(part)


def _parts(term: Term) -> Iterator[Term]:
    """Conjuncts, consequents and disjuncts, each on its own."""
    if is_app(term, "and") or is_app(term, "or"):
        for argument in term.args:
            yield from _parts(argument)
    elif is_app(term, "=>"):
        yield from (not_(a) for a in term.args[:-1])
        yield from _parts(term.args[-1])
    else:
        yield term
