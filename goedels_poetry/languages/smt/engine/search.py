"""The symbolic sketcher: named strategies in order of cost, each giving plans for one goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.engine.accumulators import general_statements
from goedels_poetry.languages.smt.engine.explore import Explorer
from goedels_poetry.languages.smt.engine.induct import (
    constructor_split,
    induction_variables,
    nested_induction,
    structural_plans,
)
from goedels_poetry.languages.smt.engine.integers import integer_plans
from goedels_poetry.languages.smt.engine.interpret import interpreted
from goedels_poetry.languages.smt.engine.lemmas import (
    from_failed_step,
    generalisations,
    reachable_functions,
    templates,
)
from goedels_poetry.languages.smt.engine.numeric import numeric_lemmas
from goedels_poetry.languages.smt.engine.plan import Plan, key_of, leaf
from goedels_poetry.languages.smt.engine.recursion import recursion_plans
from goedels_poetry.languages.smt.engine.residue import residues
from goedels_poetry.languages.smt.engine.workbench import CANDIDATE, DIRECT, PATIENT, QUICK, Workbench
from goedels_poetry.languages.smt.engine.witness import witness_plans
from goedels_poetry.languages.smt.schemas import (
    Conjuncts,
    Intro,
    Scheme,
    SchemeError,
    SkolemHypothesis,
    instances,
)
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import INT, Kind, is_app

Strategy = Callable[[Workbench, Sequent], Iterator[Plan]]


class Library:
    """Lemmas proved on the way, smallest first; what has been tried is not tried again."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.plans: dict[str, Plan] = {}
        self._tried: set[str] = set()
        self._failed: dict[str, Sequent] = {}
        self._refused: set[str] = set()

    def attempt(self, candidate: Sequent, deep: int = 0, *, patient: bool = False) -> bool | None:
        """Test and prove a candidate: True when it is new and proved, False when useless, None when it failed."""
        bench, key = self._bench, key_of(candidate)
        if key in self.plans:
            return False
        if key in self._tried and not deep:
            return None
        self._tried.add(key)
        if len(candidate.vars) > 4 or bench.refutes(candidate, 80) is not None:
            return False
        query = Query(cites=tuple(bench.lemmas))
        if bench.holds(candidate, query, CANDIDATE // 2, known=True):
            return False
        plan = self._prove(candidate, deep, PATIENT if patient else CANDIDATE)
        if plan is None:
            self._failed[key] = candidate
            return None
        self.plans[key] = plan
        self._failed.pop(key, None)
        bench.add_lemma(candidate)
        return True

    def _prove(self, candidate: Sequent, deep: int, rlimit: int) -> Plan | None:
        bench = self._bench
        plan = _induction(bench, candidate, full=False, rlimit=rlimit)
        if plan is None and deep:
            for step in from_failed_step(bench, candidate)[:6]:
                if self.attempt(step, deep - 1):
                    plan = _induction(bench, candidate, full=False, rlimit=CANDIDATE)
                    if plan is not None:
                        break
        return plan

    def establish(self, fact: Sequent, prove: Callable[[Workbench, Sequent], Plan | None]) -> bool:
        """Keep a fact that others are going to cite; whether ``prove`` has proved it, now or before."""
        key = key_of(fact)
        if key not in self.plans and key not in self._refused:
            plan = prove(self._bench, fact)
            if plan is None:
                self._refused.add(key)
                return False
            self.plans[key] = plan
            self._bench.add_lemma(fact)
        return key in self.plans

    def retry(self) -> bool:
        """Try failed candidates again after new lemmas; True when any was proved."""
        any_new, again = False, True
        while again:
            again = False
            for key, candidate in list(self._failed.items()):
                self._tried.discard(key)
                if self.attempt(candidate):
                    again = any_new = True
        return any_new


def _induction(bench: Workbench, sequent: Sequent, *, full: bool = True, rlimit: int | None = None) -> Plan | None:
    plan = structural_plans(bench, sequent, full=full, rlimit=rlimit)
    if plan is None:
        plan = next(recursion_plans(bench, sequent, rlimit), None)
    if plan is None and any(v.sort is INT for v in sequent.vars):
        plan = next((p for p in integer_plans(bench, sequent, rlimit) if p.complete), None)
    return plan


class Sketcher:
    """Proposes plans for one goal, cheapest idea first."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.library = Library(bench)

    def plans(self, sequent: Sequent) -> Iterator[Plan]:
        """All plans, in order. Complete ones have every case closed; others leave cases to the machine."""
        yield from self.closed_plans(sequent)
        yield from self.open_plans(sequent)

    def closed_plans(self, sequent: Sequent, *, halves: bool = True) -> Iterator[Plan]:
        """The goal taken apart by its form; then plans with every case closed.

        ``halves``: whether an equation of Booleans is taken apart into two implications, of which one or both are
        open. An induction often needs it as it is, so whoever has another idea should have the whole goal.
        """
        for plan in self._logical(sequent):
            if halves or plan.complete or not is_app(sequent.concl, "=") or plan.strategy != "conjunction":
                yield plan
        yield from witness_plans(self._bench, sequent, self._simply)
        closed = _induction(self._bench, sequent, rlimit=self._quick(sequent))
        if closed is not None:
            yield closed
        yield from self._generalised(sequent)
        yield from interpreted(self._bench, self.library.establish, sequent)
        yield from self._with_lemmas(sequent)
        yield from self._patient(sequent)

    # ------------------------------------------------------------------------------------ strategies

    def _logical(self, sequent: Sequent) -> Iterator[Plan]:
        """Take the goal apart where its form says how."""
        schemes: list[tuple[str, Scheme]] = [
            ("introduction", Intro()),
            ("skolem", SkolemHypothesis()),
            ("conjunction", Conjuncts()),
        ]
        for name, scheme in schemes:
            if isinstance(scheme, Conjuncts) and not _is_conjunction(sequent):
                continue
            try:
                cases = instances(sequent, scheme, self._bench.signature)
            except SchemeError:
                continue
            children = []
            for case in cases:
                query = self._bench.direct(case)
                children.append(leaf(case, query) if query is not None else Plan(case))
            yield Plan(sequent, scheme, tuple(children), name)

    def _generalised(self, sequent: Sequent) -> Iterator[Plan]:
        bench = self._bench
        for general in generalisations(bench, sequent):
            if bench.refutes(general) is not None:
                continue
            plan = _induction(bench, general)
            if plan is not None:
                query = Query(cites=(general_key := key_of(general),))
                if bench.holds(sequent, query, DIRECT, extra={general_key: general}):
                    yield Plan(sequent, query, (plan,), "generalisation", repr(general.concl))

    def _with_lemmas(self, sequent: Sequent) -> Iterator[Plan]:
        """Lemmas from the failed step, then common properties, then exploration; each followed by induction."""
        bench, library = self._bench, self.library
        for candidate in general_statements(bench, sequent):
            if library.attempt(candidate, patient=True):
                yield from self._again(sequent, "strengthening")
        if bench.mentions_unfolded(sequent):
            yield from self._numeric(sequent)
        for candidate in from_failed_step(bench, sequent)[:8]:
            if library.attempt(candidate, 2):
                yield from self._again(sequent, "lemma-from-failed-step")
        functions = reachable_functions(bench, sequent.formula)
        new = [library.attempt(candidate) for candidate in templates(bench, functions)]
        if any(new):
            library.retry()
            yield from self._again(sequent, "lemma-template")
            for candidate in from_failed_step(bench, sequent)[:8]:
                if library.attempt(candidate, 2):
                    yield from self._again(sequent, "lemma-from-failed-step")
        yield from self._explored(sequent, functions)

    def _numeric(self, sequent: Sequent) -> Iterator[Plan]:
        """What the step leaves over, then what the values of functions of numbers show; each followed by induction."""
        bench, library = self._bench, self.library
        for candidate in residues(bench, sequent):
            if library.attempt(candidate, patient=True):
                yield from self._again(sequent, "lemma-from-failed-step")
        for batch in numeric_lemmas(bench, sequent):
            if [c for c in batch if library.attempt(c)]:
                yield from self._again(sequent, "numeric-lemma")
        plan = _induction(bench, sequent)
        if plan is not None:
            yield plan

    def _simply(self, sequent: Sequent) -> Plan | None:
        """A proof by one query or one induction, or None."""
        quick = self._quick(sequent)
        query = self._bench.direct(sequent, quick)
        return leaf(sequent, query) if query is not None else _induction(self._bench, sequent, rlimit=quick)

    def _quick(self, sequent: Sequent) -> int | None:
        """The resources of a first attempt: ground arithmetic is slow to give up, and may just need a lemma."""
        return QUICK if self._bench.mentions_unfolded(sequent) else None

    def _explored(self, sequent: Sequent, functions: list[str]) -> Iterator[Plan]:
        bench, library = self._bench, self.library
        explorer = Explorer(bench, functions, bench.seed)
        fresh = 0
        for batch in explorer.conjectures():
            for candidate in batch:
                if library.attempt(candidate):
                    fresh += 1
                    if fresh % 4 == 0:
                        yield from self._again(sequent, "theory-exploration", full=False)
            for candidate in explorer.implications():
                if library.attempt(candidate):
                    fresh += 1
            if fresh:
                library.retry()
                fresh = 0
                yield from self._again(sequent, "theory-exploration")

    def _patient(self, sequent: Sequent) -> Iterator[Plan]:
        """Induction once more, with all that was proved on the way and more resources for each case."""
        plan = _induction(self._bench, sequent, rlimit=PATIENT)
        if plan is not None:
            yield replace(plan, strategy="patient-induction", detail=f"{plan.strategy} {plan.detail}".strip())

    def _again(self, sequent: Sequent, strategy: str, full: bool = False) -> Iterator[Plan]:
        """The goal once more, now that there are new lemmas."""
        bench = self._bench
        query = bench.direct(sequent)
        if query is None:
            plan = _induction(bench, sequent, full=full, rlimit=self._quick(sequent))
        else:
            plan = leaf(sequent, query)
        if plan is not None:
            yield replace(plan, strategy=strategy, detail=f"{plan.strategy} {plan.detail}".strip())

    def open_plans(self, sequent: Sequent) -> Iterator[Plan]:
        """Sketches with open cases: the machine goes on with them."""
        bench = self._bench
        variables = induction_variables(bench, sequent)
        for on in variables:
            plan = nested_induction(bench, sequent, (on,), 1, keep=True)
            if plan is not None:
                yield plan
        for plan in integer_plans(bench, sequent) if any(v.sort is INT for v in sequent.vars) else ():
            if not plan.complete:
                yield plan
        for on in variables:
            yield constructor_split(bench, sequent, on)


def _is_conjunction(sequent: Sequent) -> bool:
    concl = sequent.concl
    return concl.kind is Kind.APP and (
        concl.name == "and" or (concl.name == "=" and concl.args[0].sort.name == "Bool" and len(concl.args) == 2)
    )
