"""Before any search: is the goal false outright, are the premises contradictory, do the definitions mean anything?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from goedels_poetry.languages.smt.derivation import Query
from goedels_poetry.languages.smt.engine.counterexample import show_value
from goedels_poetry.languages.smt.engine.models import suggested_values
from goedels_poetry.languages.smt.engine.refute import Refuter
from goedels_poetry.languages.smt.engine.workbench import DIRECT, INCREMENTAL, Workbench, interpretation
from goedels_poetry.languages.smt.evaluate import Evaluator
from goedels_poetry.languages.smt.obligations import Context
from goedels_poetry.languages.smt.problem import Premise, Problem, Signature
from goedels_poetry.languages.smt.sequent import Names, Sequent, make_sequent, sequent_of
from goedels_poetry.languages.smt.terms import Kind, Sort, Term, not_, rebuild, subterms
from goedels_poetry.languages.smt.values import small_values
from goedels_poetry.solvers import Limits, Z3Process

Json = dict[str, Any]

TESTS = 400


@dataclass(frozen=True)
class Judgement:
    """``verdict`` is ``open`` (go and search), ``refuted``, ``inconsistent`` or ``unknown``, with its evidence."""

    verdict: str
    reason: str = ""
    core: tuple[str, ...] = ()
    counterexample: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    refuted_by: str = ""
    assumptions: tuple[str, ...] = ()


def judge(bench: Workbench, assume_definitions: bool = False) -> Judgement:
    """Look at a problem as a whole."""
    problem = bench.problem
    open_definitions = undefined_recursions(bench)
    assumptions: tuple[str, ...] = ()
    if open_definitions:
        reason = "; ".join(open_definitions)
        if not assume_definitions:
            return Judgement("unknown", f"not shown to be well-founded: {reason}")
        assumptions = tuple(f"the definition is consistent: {d}" for d in open_definitions)
    else:
        found = counterexample(problem, bench.seed)
        if found is not None:
            shown = found.shown(problem.signature)
            return Judgement("refuted", f"false for {shown['text']}", (), shown, "counterexample")
    if problem.premises:
        core = contradictory_premises(bench)
        if core:
            return Judgement("inconsistent", "the premises contradict each other", core, assumptions=assumptions)
    denied = Sequent((), (), not_(problem.goal))
    if bench.holds(denied, Query(), DIRECT // 2):
        return Judgement("refuted", "the premises entail the negated goal", (), {}, "negation", assumptions=assumptions)
    return Judgement("open", assumptions=assumptions)


def undefined_recursions(bench: Workbench) -> list[str]:
    """Recursive definitions that cannot be shown to be well-founded, each with the reason."""
    guarded = bench.problem.measures.keys()
    return [f"{', '.join(t.group)}: {t.reason}" for t in bench.terminations if not t.ok and not guarded >= set(t.group)]


def contradictory_premises(bench: Workbench) -> tuple[str, ...]:
    """Names of premises that cannot hold together, as few as easily found; empty when none were shown."""
    problem = bench.problem

    def contradict(names: set[str]) -> bool:
        some = replace(problem, premises=tuple(p for p in problem.premises if p.name in names))
        lines = Context(some).prelude()
        with Z3Process() as z3:
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


# ------------------------------------------------------------------------------------------ refutation


@dataclass(frozen=True)
class Counterexample:
    """Values of the goal's outer variables by name, and of declared functions."""

    values: Mapping[str, Any]
    constants: Mapping[str, Any]
    sorts: Mapping[str, Sort]
    interpret: Callable[[str, tuple[Any, ...]], Any]

    def of(self, name: str, args: tuple[Any, ...]) -> Any:
        """The value of a declared function."""
        return self.constants[name] if not args and name in self.constants else self.interpret(name, args)

    def shown(self, signature: Signature) -> Json:
        """``{"values": {name: text}, "text": ...}`` in the problem's own terms."""
        everything = {**self.constants, **self.values}
        values = {name: show_value(signature, self.sorts[name], value) for name, value in everything.items()}
        return {"values": values, "text": ", ".join(f"{n} = {v}" for n, v in values.items()) or "no variables"}


def counterexample(problem: Problem, seed: int, tests: int = TESTS) -> Counterexample | None:
    """Values for the goal's variables and the declared constants that make every premise true and the goal false.

    Declared functions are given one fixed interpretation; a premise that it does not make true by construction must
    evaluate to true, so a premise that is not decided means that nothing is claimed.
    """
    signature = problem.signature
    interpret = interpretation(problem, seed)
    evaluator = Evaluator(signature, _rules(problem), interpret=interpret, fuel=6_000)
    hyps = [p.formula for p in problem.premises if p.name not in evaluator.defining]
    goal = sequent_of(problem.goal, signature.names)
    constants = _constants(signature, evaluator, [*hyps, problem.goal])
    if any(_uses(d.body, constants) for d in signature.definitions):
        constants = []
    names = Names(
        *goal.vars,
        *hyps,
        *goal.hyps,
        goal.concl,
        reserved=signature.names - {c.name for c in constants},
    )
    variables = {constant: names.fresh(constant.name, constant.sort) for constant in constants}
    sequent = make_sequent(
        (*variables.values(), *goal.vars),
        [_replaced(h, variables) for h in (*hyps, *goal.hyps)],
        _replaced(goal.concl, variables),
    )
    refuter = Refuter(signature, evaluator, seed)
    found: Mapping[Term, Any] | None = refuter.counterexample(sequent, tests)
    if found is None:
        found = suggested_values(Context(problem), sequent)
        if found is None or not refuter.falsifies(sequent, found):
            return None
    values = {v: found.get(v, _any_value(signature, v.sort)) for v in goal.vars}
    return Counterexample(
        {v.name: value for v, value in values.items()},
        {c.name: found[v] for c, v in variables.items() if v in found},
        {t.name: t.sort for t in (*goal.vars, *constants)},
        interpret,
    )


def _rules(problem: Problem) -> list[Premise]:
    """The premises that may define functions: general ones that speak of no constant whose value is looked for."""
    general = [p for p in problem.premises if p.formula.kind is Kind.FORALL]
    reader = Evaluator(problem.signature, general)
    return [p for p in general if not _constants(problem.signature, reader, [p.formula])]


def _any_value(signature: Signature, sort: Sort) -> Any:
    """A value for a variable that does not matter."""
    return small_values(signature, sort, 1)[0]


def _constants(signature: Signature, evaluator: Evaluator, formulas: list[Term]) -> list[Term]:
    found: dict[Term, None] = {}
    for formula in formulas:
        for t in subterms(formula):
            if t.kind is Kind.APP and not t.args and t.name in signature.functions and t.name not in evaluator.closures:
                found.setdefault(t)
    return list(found)


def _uses(term: Term, constants: list[Term]) -> bool:
    return any(t in constants for t in subterms(term))


def _replaced(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Constants replaced by variables, whose names no binder has."""
    if term in mapping:
        return mapping[term]
    return rebuild(term, tuple([_replaced(a, mapping) for a in term.args])) if term.args else term
