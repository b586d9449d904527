"""Before any search: is the goal false outright, are the premises contradictory, do the definitions mean anything?

Theorems that premises about declared functions and sorts do not make true: what these are, and values of the goal.

Each candidate makes another theorem, in which the premises are about definitions: they are evaluated or proved there
like any, and the goal's values are looked for as always.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Problem, reached
from goedels_poetry.kernel.refutation.interpretation import (
    Interpretation,
    condition,
    interpreted_theorem,
    shown_interpretation,
)
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import REAL, Kind, Term, not_, subterms
from goedels_poetry.smt.context.attempts import query_by_models
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import DIRECT, INCREMENTAL
from goedels_poetry.smt.notation.text import parse_problem, query_to_json
from goedels_poetry.smt.refutation.interpretations import open_things, suggested_functions, templates
from goedels_poetry.smt.refutation.refute import show_values
from goedels_poetry.smt.search.falsify import MODEL, QUICK, Counterexample, closed_context, counterexample
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
"""What is left to assume when values are computed by definitions that are not shown to be well-founded."""

PATIENCE = 3
"""How much more work goes into a counterexample where functions perhaps loop: proofs are few there."""


@dataclass(frozen=True)
class Report:
    """``verdict`` is ``open`` (go and search), ``refuted``, ``inconsistent`` or ``unknown``, with its evidence."""

    verdict: str
    reason: str = ""
    core: tuple[str, ...] = ()
    counterexample: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    refuted_by: str = ""
    assumptions: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def check_problem(context: ProverContext, assume_definitions: bool = False, text: str = "") -> Report:
    """Look at a problem as a whole. ``assume_definitions``: go on although some recursions are not known to end.

    ``text``: what it was read from; without it nothing is looked for that premises could be about.
    """
    problem = context.problem
    doubtful = [f"{', '.join(t.group)}: {t.reason}" for t in context.terminations if not t.ok]
    open_definitions = undefined_recursions(context)
    if not open_definitions:
        core = contradictory_premises(context) if problem.premises else ()
        if core:
            return Report("inconsistent", "the premises contradict each other", core)
        if context.closes_alone(sequent_of(problem.goal, problem.signature.names)):
            return Report("open")  # what is proved at once needs no attempt at a refutation
    work = PATIENCE * QUICK if open_definitions else QUICK
    rlimit = PATIENCE * MODEL if open_definitions else MODEL
    refutation = None if idle_recursions(context) else counterexample(problem, context.seed, work, rlimit)
    if refutation is not None:
        shown = refutation.shown(problem)
        assumed = tuple(f"{EVALUATED}: {d}" for d in doubtful)
        reason = f"false for {shown['text']}"
        return Report("refuted", reason, (), shown, "counterexample", assumed, refutation.evidence())
    assumptions: tuple[str, ...] = ()
    if open_definitions:
        reason = "; ".join(open_definitions)
        if not assume_definitions:
            return Report("unknown", f"not shown to be well-founded: {reason}")
        assumptions = tuple(f"the definition is consistent: {d}" for d in open_definitions)
        core = contradictory_premises(context) if problem.premises else ()
        if core:
            return Report("inconsistent", "the premises contradict each other", core, assumptions=assumptions)
    model = interpreted_counterexample(text, context.seed) if text and problem.premises and not doubtful else None
    if model is not None:
        shown = model.shown()
        return Report("refuted", f"false for {shown['text']}", (), shown, "counterexample", (), model.evidence())
    denied = Sequent((), (), not_(problem.goal))
    parts = [t for part in _parts(problem) for t in subterms(part)]
    unnamed = any(t.sort is REAL and t.kind is Kind.VAR for t in parts)
    quantified = unnamed or any(t.binders for t in parts)
    if context.holds(denied, Query(), DIRECT // 2) or (quantified and query_by_models(context, denied) is not None):
        return Report("refuted", "the premises entail the negated goal", (), {}, "negation", assumptions=assumptions)
    existing = _existing(context, text) if text and not doubtful else None
    return existing or Report("open", assumptions=assumptions)


def _existing(context: ProverContext, text: str) -> Report | None:
    """A refutation by values of real constants that exist and need not be rational, which values that are tried are."""
    problem = context.problem
    formulas = [problem.goal, *[p.formula for p in problem.premises]]
    used = {t.name: t.sort for formula in formulas for t in subterms(formula) if t.kind is Kind.APP and not t.args}
    constants = sorted(
        used.keys() & problem.signature.functions.keys() - {d.name for d in problem.signature.definitions}
    )
    if REAL not in map(used.get, constants):
        return None
    given = Interpretation({}, {}, tuple(constants))
    try:
        stated = condition(text.encode(), parse_problem(text), given)
    except BadProof:  # one is a function, or is spoken of by a definition
        return None
    with closing(closed_context(stated, context.seed)) as alone:
        query = query_by_models(alone, sequent_of(not_(stated.goal), stated.signature.names))
    if query is None:
        return None
    shown = show_values(problem.signature, {}, shown_interpretation(given, stated))
    step = {"id": "goal", "statement": "", "proof": {"query": query_to_json(query)}, "scheme": None}
    evidence = {"steps": [step], "interpretation": given.to_json()}
    return Report("refuted", f"false for {shown['text']}", (), shown, "negation", (), evidence)


def _parts(problem: Problem) -> tuple[Term, ...]:
    """What is left of the goal without its outer variables."""
    goal = sequent_of(problem.goal, problem.signature.names)
    return (*goal.hyps, goal.concl)


def undefined_recursions(context: ProverContext) -> list[str]:
    """Recursive definitions that cannot be shown to be well-founded, each with the reason."""
    guarded = context.problem.measures.keys()
    return [
        f"{', '.join(t.group)}: {t.reason}" for t in context.terminations if not t.ok and not guarded >= set(t.group)
    ]


def idle_recursions(context: ProverContext) -> bool:
    """Whether there is a recursive definition that has perhaps no solution, and that the theorem does not rest on."""
    rests_on = reached(context.signature, [context.problem.goal, *[p.formula for p in context.problem.premises]])
    return any(not t.ok and rests_on.isdisjoint(t.group) for t in context.terminations)


def contradictory_premises(context: ProverContext) -> tuple[str, ...]:
    """Names of premises that cannot hold together, as few as easily found; empty when none were shown."""
    problem = context.problem

    def contradict(names: set[str]) -> bool:
        some = replace(problem, premises=tuple(p for p in problem.premises if p.name in names))
        lines = Context(some).prelude()
        with borrowed() as z3:
            answer = z3.ask("\n".join(lines), Limits(rlimit=2 * DIRECT, seconds=3.0), options=INCREMENTAL)
        return answer.status == "unsat"

    names = [p.name for p in problem.premises]
    if not contradict(set(names)):
        return ()
    for name in list(names):
        fewer = [n for n in names if n != name]
        if fewer and contradict(set(fewer)):
            names = fewer
    return tuple(names)


Json = dict[str, Any]

CANDIDATES = 6
"""Interpretations under which the goal is looked at; all but the first get less work."""
SIMPLE_FIRST = 2
SIZES = (1, 2, 3)
"""Elements of declared sorts."""


@dataclass(frozen=True)
class Interpreted:
    """A counterexample under an interpretation: of the ``problem`` that this makes of the theorem."""

    interpretation: Interpretation
    problem: Problem
    found: Counterexample

    def shown(self) -> Json:
        """As `Counterexample.shown`, with what is given a meaning."""
        return self.found.shown(self.problem, shown_interpretation(self.interpretation, self.problem))

    def evidence(self) -> Json:
        """As `Counterexample.evidence`, with the interpretation."""
        return {**self.found.evidence(), "interpretation": self.interpretation.to_json()}


def interpreted_counterexample(text: str, seed: int) -> Interpreted | None:
    """An interpretation of all that premises leave open under which they hold, and values that make the goal false."""
    theorem = text.encode()
    problem = parse_problem(theorem)
    goal = reached(problem.signature, [problem.goal])
    things = open_things(problem)
    matters = bool(things.sorts) or not goal.isdisjoint(things.functions)
    tried: set[str] = set()
    for given in _candidates(theorem, problem):
        key = repr(given.to_json())
        if key in tried:
            continue
        tried.add(key)
        try:
            _, other = interpreted_theorem(theorem, problem, given)
        except (BadProof, CodecError):
            continue  # a name that the text has already, a sort that is written otherwise
        first = len(tried) == 1
        found = counterexample(other, seed, QUICK // (2 if first else 12), MODEL // 2 if first else 0)
        if found is not None:
            return Interpreted(given, other, found)
        if len(tried) >= CANDIDATES or not matters:
            return None
    return None


def _candidates(theorem: bytes, problem: Problem) -> Iterator[Interpretation]:
    """Interpretations, those that are easily understood first."""
    things = open_things(problem)
    if not things.functions and not things.sorts:
        return
    if not things.sorts:
        yield from _functions(problem)
        return
    for size in SIZES:
        elements = {s.name: _elements(theorem, s.name, size) for s in things.sorts}
        try:
            _, other = interpreted_theorem(theorem, problem, Interpretation({}, elements))
        except (BadProof, CodecError):
            return
        if not things.functions:
            yield Interpretation({}, elements)
        for inner in _functions(other):
            yield replace(inner, sorts=elements)


def _functions(problem: Problem) -> Iterator[Interpretation]:
    """Two simple ones, what z3 says of premises and goal, of the premises alone, then other simple ones."""
    things = open_things(problem)
    simple = templates(problem, things)
    for _ in range(SIMPLE_FIRST):
        first = next(simple, None)
        if first is not None:
            yield first
    for goal in (True, False):
        suggested = suggested_functions(problem, things, goal=goal)
        if suggested is not None:
            yield suggested
    yield from simple


def _elements(theorem: bytes, sort: str, size: int) -> tuple[str, ...]:
    """Names of elements that stand nowhere in the theorem."""
    base = f"{sort}!"
    while base.encode() in theorem:
        base += "!"
    return tuple(f"{base}{n}" for n in range(size))
