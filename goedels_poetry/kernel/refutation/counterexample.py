"""Counterexamples: values under which the premises are true and the goal is false, evaluated by us.

The evidence is the values of the goal's outer variables and a finite table of the declared functions (constants
included). A function is nowhere else asked for its value, so whatever it is there, the goal is false.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.refutation.confirmation import Confirmation, Table, TooLarge, confirmation
from goedels_poetry.kernel.refutation.evaluator import Evaluator, Trace
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.refutation.value_codec import value_from_json, value_to_json
from goedels_poetry.kernel.refutation.value_forms import Element, has_sort, have_sorts
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Sort, Term, app, subterms

Json: TypeAlias = dict[str, Any]

FUEL = 2_000_000


@dataclass(frozen=True)
class Counterexample:
    """What is claimed: ``values`` of the goal's outer variables, a ``table`` of declared functions.

    ``proved`` are names of premises that need not be evaluated: they are shown to follow from the definitions.
    """

    values: Mapping[str, Value]
    table: Table
    proved: Collection[str] = ()


# ------------------------------------------------------------------------------------------------ evidence


def goal_of(problem: Problem) -> Sequent:
    """The goal with its outer variables named apart from all functions; a counterexample gives them values."""
    return sequent_of(problem.goal, problem.signature.names)


def make_evidence(
    problem: Problem,
    values: Mapping[str, Value],
    interpret: Callable[[str, tuple[Value, ...]], Value] | None,
    proved: Collection[str] = (),
) -> Json:
    """The evidence for values of the goal's outer variables.

    ``interpret`` gives declared functions their values; those it was asked for make the table. ``proved`` are names
    of premises that are proved.

    Raises:
        BadProof: they are not a counterexample.
    """
    asked: dict[tuple[str, tuple[Value, ...]], Value] = {}

    def recorded(name: str, args: tuple[Value, ...]) -> Value:
        if interpret is None:
            raise Undecided(name)
        asked[name, args] = value = interpret(name, args)
        return value

    _evaluated(problem, values, recorded, proved)
    table = [
        {"function": name, "args": [value_to_json(a) for a in args], "value": value_to_json(value)}
        for (name, args), value in asked.items()
    ]
    return {"table": sorted(table, key=repr), "values": {n: value_to_json(v) for n, v in values.items()}}


def read_counterexample(context: Context, evidence: Any, proved: Collection[str] = ()) -> Counterexample:
    """What the ``values`` and the ``table`` of a certificate say.

    Raises:
        CodecError: the evidence is not of the form of a counterexample.
    """
    match evidence:
        case {"values": dict(values), "table": list(rows), **rest} if not rest:
            pass
        case _:
            raise CodecError("a counterexample has values and a table")
    signature = context.signature
    goal = goal_of(context.problem)
    if set(values) != {v.name for v in goal.vars}:
        raise CodecError("a counterexample gives a value to each outer variable of the goal, and to no other")
    found = {name: value_from_json(value) for name, value in values.items()}
    for variable in goal.vars:
        if not has_sort(signature, found[variable.name], variable.sort):
            raise CodecError(f"the value of {variable.name} is not of its sort")
    table: dict[tuple[str, tuple[Value, ...]], Value] = {}
    for row in rows:
        match row:
            case {"function": str(name), "args": list(args), "value": value, **rest} if not rest:
                key = (name, tuple([value_from_json(a) for a in args]))
            case _:
                raise CodecError("a row of the table has function, args and value")
        if name not in signature.functions or signature.definition(name) is not None or key in table:
            raise CodecError(f"the table gives a value to {name}, which is not open or has one")
        params, result = signature.functions[name]
        table[key] = value_from_json(value)
        if not have_sorts(signature, (*key[1], table[key]), (*params, result)):
            raise CodecError(f"a row of the table for {name} has values of other sorts")
    return Counterexample(found, table, tuple(proved))


@dataclass(frozen=True)
class _Evaluation:
    """What an evaluation rested on; ``premises`` are those that were evaluated.

    ``ruled``: whether others were read as definitions.
    """

    trace: Trace
    premises: tuple[Term, ...]
    ruled: bool


def _evaluated(
    problem: Problem,
    values: Mapping[str, Value],
    interpret: Callable[[str, tuple[Value, ...]], Value],
    proved: Collection[str],
) -> _Evaluation:
    """The evaluation of premises and goal. Those that are ``proved`` are left out.

    Raises:
        BadProof: this is no counterexample.
    """
    goal = goal_of(problem)
    trace = Trace()
    evaluator = Evaluator(problem.signature, problem.premises, interpret=interpret, fuel=FUEL, trace=trace)
    settled = {*evaluator.defining, *proved}
    assignment = {v: values[v.name] for v in goal.vars}

    def fault() -> str:
        for premise in problem.premises:
            if premise.name not in settled and evaluator.value(premise.formula, {}) is not True:
                return f"the premise {premise.name} is not true"
        for hyp in goal.hyps:
            if evaluator.value(hyp, assignment) is not True:
                return "a hypothesis of the goal is not true"
        return "" if evaluator.value(goal.concl, assignment) is False else "the conclusion of the goal is not false"

    try:
        reason = fault()
    except Undecided as error:
        reason = f"the evaluator cannot tell: {error}"
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        reason = f"the values do not fit: {error!r}"
    if reason:
        raise BadProof(f"this is no counterexample: {reason}")
    premises = tuple([p.formula for p in problem.premises if p.name not in settled])
    return _Evaluation(trace, premises, bool(evaluator.defining))


# --------------------------------------------------------------------------------------------------- check


def confirmation_of(context: Context, claimed: Counterexample) -> Confirmation:
    """What solvers are asked about a counterexample, once our evaluator agrees to it.

    Raises:
        BadProof: it is none.
    """
    table = claimed.table
    asked: set[tuple[str, tuple[Value, ...]]] = set()

    def interpret(name: str, args: tuple[Value, ...]) -> Value:
        if (name, args) not in table:
            raise Undecided(f"{name} has no value there")
        asked.add((name, args))
        return table[name, args]

    found = _evaluated(context.problem, claimed.values, interpret, claimed.proved)
    if asked != set(table):  # what the goal does not rest on could contradict the premises, and so confirm anything
        raise BadProof("the table gives values that the evaluation does not ask for")
    goal = goal_of(context.problem)
    try:
        return confirmation(context, goal, claimed.values, table, found.trace, found.premises, found.ruled)
    except TooLarge as error:
        raise BadProof(f"this counterexample cannot be confirmed: {error}") from error


def counterexample_script(context: Context, questions: Confirmation) -> str:
    """The script behind a counterexample: its ``(check-sat)`` must answer ``unsat``."""
    lines = [
        "; A counterexample: by what definitions and premises say at its values the goal is false, so this is unsat.",
        f"; SHA-256 of the theorem: {context.problem.source_sha256}",
        questions.refutation,
        "(check-sat)",
    ]
    return "\n".join(lines) + "\n"


def check_definitions(context: Context, terminating: Collection[str]) -> None:
    """That definitions which are not shown to terminate take nothing from a counterexample.

    They need not be shown to. The evaluation is by value; each of its steps from a call to the body is an instance of a
    defining equation, and it has come to an end: so it has used finitely many instances, and these have a model, the
    values that were computed. Hence the goal is not false on account of a contradiction among the definitions, and in
    whatever satisfies all of them it is false at these values (a junction that one operand decides is decided whatever
    the others are). That something satisfies all of them is an assumption, which reports state; definitions that have
    nothing to do with the theorem are not given this credit. Nor are those that speak of declared functions or sorts:
    what satisfies them may need other values there than the counterexample.

    Raises:
        BadProof: some of them do.
    """
    doubtful = [d.name for d in context.signature.definitions if d.name not in terminating]
    idle = _idle(context, doubtful)
    if idle:
        raise BadProof(f"definitions that the theorem does not rest on may be contradictory: {', '.join(idle)}")
    things = _open_things(context, doubtful)
    if things:
        what = ", ".join(things)
        raise BadProof(f"definitions that are not shown to terminate may restrict the counterexample's values: {what}")


def _idle(context: Context, doubtful: Collection[str]) -> list[str]:
    """Those of the functions that the theorem does not rest on."""
    rests_on = reached(context.signature, [context.problem.goal, *[p.formula for p in context.problem.premises]])
    return [name for name in doubtful if name not in rests_on]


def _open_things(context: Context, doubtful: Collection[str]) -> list[str]:
    """Declared functions and sorts that ``doubtful`` definitions rest on: these may not leave them open."""
    signature = context.signature
    names = reached(signature, [app(d.name, d.params, d.sort) for d in signature.definitions if d.name in doubtful])
    definitions = [d for d in signature.definitions if d.name in names]
    pending = [t.sort for d in definitions for term in (*d.params, d.body) for t in _with_binders(term)]
    sorts: set[Sort] = set()
    while pending:
        sort = pending.pop()
        if sort not in sorts:
            sorts.add(sort)
            datatype = signature.datatype(sort)
            pending += sort.args
            pending += [s for c in datatype.constructors for _, s in c.fields] if datatype else []
    declared = [n for n in signature.functions if n in names and signature.definition(n) is None]
    return [*declared, *[s.name for s in signature.sorts if s in sorts]]


def _with_binders(term: Term) -> list[Term]:
    """The subterms and the variables that are bound in them."""
    return [t for part in subterms(term) for t in (part, *part.binders)]


def shown_values(context: Context, claimed: Counterexample, questions: Confirmation) -> dict[str, str]:
    """The values as people read them: by variable, and those of declared functions by their calls, ``f(1)``."""

    def written(sort: Sort, value: Value) -> Term | None:
        if isinstance(value, Element):
            return questions.names[value]
        return to_term(context.signature, sort, value, written)

    terms = {v.name: written(v.sort, claimed.values[v.name]) for v in goal_of(context.problem).vars}
    shown = {name: show(term) for name, term in terms.items() if term is not None}
    for (name, args), value in claimed.table.items():
        params, result = context.signature.functions[name]
        row = [written(s, v) for s, v in (*zip(params, args, strict=True), (result, value))]
        *inputs, output = [show(term) for term in row if term is not None]
        shown[f"{name}({', '.join(inputs)})" if args else name] = output
    return shown
