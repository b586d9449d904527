"""Sorting and its kin: goals about containers of ordered elements, by what each function does to the elements.

A function that sorts keeps every element as often as it was, and its result is sorted. So is shown for each function
that the goal rests on what it does to the folds of `auxiliary.folds`, in the order in which functions rest on each
other; these facts are induction-free steps for whatever rests on them. Counts, permutations, sortedness and equality of
sorted lists are then matters of the folds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, app, is_app, subterms, symbols
from goedels_poetry.smt.auxiliary.folds import (
    APART,
    BELOW,
    HIGH,
    INVERSIONS,
    KINDS,
    LOW,
    OCCURRENCES,
    SEARCH,
    SORTED,
    Containers,
    containers_of,
)
from goedels_poetry.smt.auxiliary.standard import SIZE
from goedels_poetry.smt.context.limits import CANDIDATE, DIRECT, PATIENT
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.focus import Facts, prove
from goedels_poetry.smt.invariants.callees import calls, closing_premises
from goedels_poetry.smt.invariants.laws import Law, Laws
from goedels_poetry.smt.invariants.lengths import Lengths
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

Establish = Callable[[Sequent, Callable[[ProverContext, Sequent], Plan | None]], bool]


class Invariants:
    """The strategy for one problem; facts are looked for once, whatever the number of goals."""

    def __init__(self, context: ProverContext, establish: Establish) -> None:
        self._context = context
        self._establish = establish
        self._containers: Containers | None = containers_of(context.problem)
        self._seen: set[Sequent] = set()
        self._tried: set[Sequent] = set()
        self._failed: dict[Sequent, Law] = {}
        self._sized = False
        self._facts = Facts(context, [*closing_premises(context), *self._comparisons()])

    def plans(self, sequent: Sequent) -> Iterator[Plan]:
        """The goal by what its functions do to the elements of containers, if it is about that."""
        if self._containers is None or sequent in self._seen:
            return
        self._seen.add(sequent)
        wanted = _Wanted(self._context, self._containers, sequent)
        if not (wanted.occurrences or wanted.order):
            return
        laws = Laws(self._context, self._containers)
        names = self._facts.called(sequent.formula)
        for stage in (self._first, self._second):
            news = False
            for law in stage(laws, sequent, wanted):
                if self._learn((law,)):
                    news = True
                    plan = self._closed(laws, sequent, wanted, CANDIDATE) if law.call.name in names else None
                    if plan is not None:
                        yield replace(plan, strategy="invariants")
                        return
            plan = self._closed(laws, sequent, wanted) if news else None
            if plan is None and self._relearn():
                plan = self._closed(laws, sequent, wanted)
            if plan is not None:
                yield replace(plan, strategy="invariants")
                return

    def prepare(self) -> None:
        """Facts about measures that count pairs in the wrong order: they fall by what functions do to elements."""
        context = self._context
        if self._containers is None:
            return
        laws = Laws(context, self._containers)
        for name, terms in context.problem.measures.items():
            definition = context.signature.definition(name)
            if definition is None or not any(n.startswith(INVERSIONS) for t in terms for n in symbols(t)):
                continue
            inner = [
                c
                for c in calls(context, laws.element, definition.body)
                if c.name != name and laws.containers.contains(c.sort)
            ]
            basic = (*laws.of_the_order(definition.body), *laws.no_fewer_than_none())
            for call in inner:
                list(laws.of_occurrences(call))
            self._learn((*basic, *[law for call in inner for law in laws.of_inversions(call)]))

    def _comparisons(self) -> list[Term]:
        """The relations between elements that the problem defines, at some variables."""
        sort = self._containers.order.sort if self._containers is not None else BOOL
        definitions = [d for d in self._context.signature.definitions if d.sort is BOOL]
        return [app(d.name, d.params, BOOL) for d in definitions if [p.sort for p in d.params] == [sort, sort]]

    # ----------------------------------------------------------------------------------------- stages

    def _first(self, laws: Laws, sequent: Sequent, wanted: _Wanted) -> Iterator[Law]:
        """Occurrences, lower bounds, sortedness under that of the arguments, elements chosen among others."""
        goal = sequent.formula
        yield from laws.of_the_order(goal)
        yield from laws.of_containers(wanted.occurrences, wanted.order)
        every = calls(self._context, laws.element, goal)
        held = [c for c in every if laws.containers.contains(c.sort)]
        if wanted.occurrences:
            yield from laws.numbers(every)
        divided: list[Term] = []
        lengths = Lengths(self._context, laws.containers, laws.first)
        for call in every:
            yield from laws.of_observations(call)
            yield from laws.of_elements(call, occurrences=wanted.occurrences, order=wanted.order)
            if call not in held:
                continue
            candidates = list(laws.of_occurrences(call))
            if wanted.occurrences:
                if not candidates:
                    yield from laws.of_pairs(call, divided)
                    divided.append(call)
                    candidates = list(lengths.balanced(call))
                    if candidates and not self._sized:
                        self._sized = True
                        yield from lengths.none_negative()
                        for earlier in held[: held.index(call)]:
                            yield from lengths.of(earlier)
                if self._sized:
                    yield from lengths.of(call)
                yield from candidates
            if wanted.order:
                yield from laws.of_bounds(call, upper=False)
                yield from laws.of_sortedness(call, deep=False)
                yield from laws.of_flags(call)

    def _second(self, laws: Laws, sequent: Sequent, wanted: _Wanted) -> Iterator[Law]:
        """Upper bounds as well, sortedness of what is put together."""
        if not wanted.order:
            return
        yield from laws.upper_bounds()
        for call in calls(self._context, laws.element, sequent.formula):
            if laws.containers.contains(call.sort):
                yield from laws.of_bounds(call, upper=True)
                yield from laws.of_sortedness(call, deep=True)

    # ------------------------------------------------------------------------------------------ proofs

    def _learn(self, laws: Iterable[Law]) -> bool:
        """Prove what can be proved; whether anything new was."""
        news = False
        for law in laws:
            if law.sequent not in self._tried:
                self._tried.add(law.sequent)
                self._failed[law.sequent] = law
                news |= self._prove(law)
        return news

    def _relearn(self) -> bool:
        """What failed once more, with what is known by now and more resources, as long as anything is proved."""
        news, again = False, True
        patience = 2 * PATIENT if self._sized else PATIENT  # halves are slow to reason about
        while again:
            proved = [self._prove(law, patience) for law in list(self._failed.values())]
            again = any(proved)
            news |= again
        return news

    def _prove(self, law: Law, rlimit: int = CANDIDATE) -> bool:
        for fact in (law.sequent, law.weaker):
            if fact is None:
                continue
            if self._facts.has(fact):
                return True
            plan = prove(self._context, fact, self._relevant(fact, law.call), along=law.call.name, rlimit=rlimit)
            if plan is not None and self._establish(fact, _given(plan)):
                self._facts.add(fact)
                self._failed.pop(law.sequent, None)
                return True
        return False

    def _relevant(self, fact: Sequent, *calls: Term) -> tuple[str, ...]:
        """The facts that a proof may rest on: about what is called, in terms of the folds that it is about."""
        names = frozenset().union(*[self._facts.called(t) for t in (fact.formula, *calls)])
        kinds = {kind for kind in KINDS if any(n.startswith(kind) for n in names)}
        kinds |= {LOW, HIGH} if kinds & {SORTED, SEARCH} else set()
        kinds |= {BELOW} if INVERSIONS in kinds else set()
        kinds |= {SIZE} if self._sized else set()
        folds = (
            {d.name for d in self._context.signature.definitions if d.name.startswith(tuple(kinds))} if kinds else set()
        )
        return self._facts.among(names | folds)

    def _closed(self, laws: Laws, sequent: Sequent, wanted: _Wanted, rlimit: int = 4 * DIRECT) -> Plan | None:
        context = self._context
        apart: list[Law] = []
        if is_app(sequent.concl, "=") and len(sequent.concl.args) == 2:
            apart = laws.apart(sequent.concl.args[0].sort)
            if not all(self._prove(law) for law in apart):
                return None
        names = self._facts.called(sequent.formula)
        folds = {d.name for d in context.signature.definitions if d.name.startswith(wanted.kinds)}
        cites = self._facts.among(names | folds)
        at = tuple(Instance("step", key_of(law.sequent), sequent.concl.args) for law in apart[-1:])
        query = Query(cites, at)
        return leaf(sequent, query) if context.holds(sequent, query, rlimit) else None


def _given(plan: Plan) -> Callable[[ProverContext, Sequent], Plan | None]:
    return lambda _context, _fact: plan


class _Wanted:
    """Which folds a goal is about."""

    def __init__(self, context: ProverContext, containers: Containers, sequent: Sequent) -> None:
        self.occurrences = self.order = False
        concl = sequent.concl
        total = containers.order.total
        if is_app(concl, "=") and len(concl.args) == 2 and containers.contains(concl.args[0].sort):
            if not total:
                return
            laws = Laws(context, containers)
            sides = [make_sequent(sequent.vars, sequent.hyps, laws.sorted(t)) for t in concl.args]
            self.order = self.occurrences = all(context.refutes(s, 60) is None for s in sides)
            return
        for t in subterms(concl):
            definition = context.signature.definition(t.name) if t.kind is Kind.APP else None
            if definition is None or containers.contains(definition.sort):
                continue
            held = [p for p in definition.params if containers.contains(p.sort)]
            if len(held) == len(definition.params) == 1 and definition.sort is BOOL:
                self.order |= total
            elif held and len(definition.params) == 2:
                self.occurrences = True

    @property
    def kinds(self) -> tuple[str, ...]:
        """The folds that the goal is about."""
        orders = (LOW, HIGH, SORTED, SEARCH) if self.order else ()
        return (*((OCCURRENCES, APART, SIZE) if self.occurrences else ()), *orders)
