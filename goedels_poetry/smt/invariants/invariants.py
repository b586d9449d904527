"""Sorting and its kin: goals about containers of ordered elements, by what each function does to the elements.

A function that sorts keeps every element as often as it was, and its result is sorted. So is shown for each function
that the goal rests on what it does to the folds of `auxiliary.folds`, in the order in which functions rest on each
other; these facts are induction-free steps for whatever rests on them. Counts, permutations, sortedness and equality of
sorted lists are then matters of the folds.

Proofs that look at few facts: those that speak of no more functions than what is to be proved rests on.

With dozens of lemmas at hand a solver spends its resources on instances that lead away. A fact about a function is an
induction whose cases need the facts about the functions that it calls, and nothing else.

A relevance filter of the simplest kind; compare Meng and Paulson, "Lightweight Relevance Filtering for
Machine-Generated Resolution Problems", 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.inductions import RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Scheme
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
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, DIRECT, PATIENT
from goedels_poetry.smt.induction.descent import descent_plans
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import by_cases, general_variables, induction_variables
from goedels_poetry.smt.invariants.laws import Law, Laws, calls, closing_premises
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf

MAX_VARIABLES = 3


class Facts:
    """Proven facts with the defined functions that each speaks of; facts about those in ``always`` always matter."""

    def __init__(self, context: ProverContext, always: Iterable[Term]) -> None:
        self._context = context
        self._names: dict[str, frozenset[str]] = {}
        self._always = frozenset().union(*[self._defined(t) for t in always])

    def add(self, fact: Sequent) -> None:
        """Remember a fact, which is a lemma of the context by now."""
        self._names[key_of(fact)] = self._defined(fact.formula)

    def has(self, fact: Sequent) -> bool:
        """Whether a fact was added."""
        return key_of(fact) in self._names

    def among(self, names: frozenset[str]) -> tuple[str, ...]:
        """The facts that speak of no other functions than these; where measures fall, also the lemmas that say so."""
        measured = not names.isdisjoint(self._context.problem.measures)
        foreign = [key for key in self._context.lemmas if measured and key not in self._names]
        return (*foreign, *[key for key, used in self._names.items() if used <= names | self._always])

    def called(self, term: Term) -> frozenset[str]:
        """The functions in ``term`` and those that they call, through any that are not recursive."""
        names = set(self._defined(term))
        opened: set[str] = set()
        while pending := sorted(names - opened):
            for name in pending:
                opened.add(name)
                definition = self._context.signature.definition(name)
                if definition is not None and (not definition.recursive or name in self._defined(term)):
                    names |= self._defined(definition.body)
        return frozenset(names)

    def _defined(self, term: Term) -> frozenset[str]:
        return frozenset(n for n in symbols(term) if self._context.signature.definition(n) is not None)


def prove(
    context: ProverContext, fact: Sequent, cites: tuple[str, ...], *, along: str, rlimit: int = CANDIDATE
) -> Plan | None:
    """A fact by one induction, first along the recursion of the function ``along``, or by a query."""

    def closed(case: Sequent) -> Plan | None:
        query = closing(context, case, cites, rlimit)
        return leaf(case, query) if query is not None else None

    recursion = context.recursions.get(along)
    functional: list[Scheme] = [*sorted(recursion_schemes(context, fact), key=lambda scheme: len(scheme.general))]
    structural: list[Scheme] = [
        StructuralInduction(v.name, general_variables(fact, v))
        for v in induction_variables(context, fact)[:MAX_VARIABLES]
    ]
    first = recursion is not None and not recursion.structural
    if along in context.problem.measures:
        plan = next(descent_plans(context, fact, close=lambda case: closing(context, case, cites, 2 * rlimit)), None)
        if plan is not None:
            return plan
    for scheme in (*functional, *structural) if first else (*structural, *functional):
        plan = by_cases(context, fact, scheme, closed, *_named(scheme), backwards=True)
        if plan is not None:
            return plan
    return closed(fact)


def closing(context: ProverContext, goal: Sequent, cites: tuple[str, ...], rlimit: int = CANDIDATE) -> Query | None:
    """A query that closes the goal with these facts, by the equations or also by unfolding what it calls."""
    query = Query(cites)
    if context.holds(goal, query, rlimit):
        return query
    for unfoldings in context.unfolder.unfoldings(goal, (1,)) if context.shape.mentions_unfolded(goal) else ():
        query = Query(cites, unfoldings)
        if context.holds(goal, query, 3 * rlimit):
            return query
    for unfoldings in context.unfolder.unfoldings(goal, (1, 2)) if _divides(goal) else ():
        query = Query(cites, unfoldings, equations=False)
        if context.holds(goal, query, rlimit):
            return query
    return None


def _divides(goal: Sequent) -> bool:
    """Whether sizes are compared: what is unfolded for ever, half by half, is better unfolded a little."""
    return any(is_app(h, "<=") and all(a.args for a in h.args) for h in goal.hyps)


def _named(scheme: Scheme) -> tuple[str, str]:
    if isinstance(scheme, RecursionInduction):
        return "recursion-induction", f"{scheme.function} {' '.join(map(show, scheme.at))} / {' '.join(scheme.general)}"
    return "structural-induction", scheme.on if isinstance(scheme, StructuralInduction) else ""


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
        while again:
            proved = [self._prove(law, PATIENT) for law in list(self._failed.values())]
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
