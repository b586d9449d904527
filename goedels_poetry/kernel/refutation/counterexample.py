"""Counterexamples: values under which the premises are true and the goal is false, evaluated by us.

The evidence is the values of the goal's outer variables and a finite table of the declared functions (constants
included). A function is nowhere else asked for its value, so whatever it is there, the goal is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.checker.archive import Json
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems
from goedels_poetry.kernel.codec import CodecError
from goedels_poetry.kernel.foundations import Foundations
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reach import reached
from goedels_poetry.kernel.refutation.confirmation import Confirmation, Table, TooLarge, confirmation
from goedels_poetry.kernel.refutation.evaluator import Evaluator, Trace, Undecided, Value
from goedels_poetry.kernel.refutation.value_codec import value_from_json, value_to_json
from goedels_poetry.kernel.refutation.value_forms import Element, has_sort, have_sorts
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.replay import Solvers
from goedels_poetry.kernel.replay import Undecided as NotShown
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.structure import BadProof
from goedels_poetry.kernel.terms import Sort, Term, app, subterms
from goedels_poetry.solvers import Answer
from goedels_poetry.tree.state import Verdict

FUEL = 2_000_000
EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
EVALUATED_ALONE = "not refuted: only this program's evaluator says that the counterexample is one"
RULES_SECONDS = 0.4
"""For each way to look for a contradiction between the values and premises that were read as definitions."""
AT_VALUES = "goal at the counterexample"


# ------------------------------------------------------------------------------------------------ evidence


def goal_of(problem: Problem) -> Sequent:
    """The goal with its outer variables named apart from all functions; a counterexample gives them values."""
    return sequent_of(problem.goal, problem.signature.names)


def make_evidence(
    problem: Problem,
    values: Mapping[str, Value],
    interpret: Callable[[str, tuple[Value, ...]], Value] | None,
    theorems: PremiseTheorems | None = None,
) -> Json:
    """The evidence for values of the goal's outer variables.

    ``interpret`` gives declared functions their values; those it was asked for make the table. ``theorems`` are
    premises that are proved.

    Raises:
        BadProof: they are not a counterexample.
    """
    asked: dict[tuple[str, tuple[Value, ...]], Value] = {}

    def recorded(name: str, args: tuple[Value, ...]) -> Value:
        if interpret is None:
            raise Undecided(name)
        asked[name, args] = value = interpret(name, args)
        return value

    _evaluated(problem, values, recorded, theorems)
    table = [
        {"function": name, "args": [value_to_json(a) for a in args], "value": value_to_json(value)}
        for (name, args), value in asked.items()
    ]
    return {
        "table": sorted(table, key=repr),
        "values": {name: value_to_json(value) for name, value in values.items()},
        **({"premises": theorems.to_json()} if theorems else {}),
    }


def _read(context: Context, evidence: Any) -> tuple[dict[str, Value], Table, PremiseTheorems | None]:
    match evidence:
        case {"values": dict(values), "table": list(rows), **rest} if not rest.keys() - {"premises"}:
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
    theorems = PremiseTheorems.from_json(rest["premises"], context.problem) if rest else None
    return found, table, theorems


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
    theorems: PremiseTheorems | None,
) -> _Evaluation:
    """The evaluation of premises and goal. The proof of ``theorems`` is not looked at here.

    Raises:
        BadProof: this is no counterexample.
    """
    goal = goal_of(problem)
    proved = theorems.names if theorems else ()
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


def counterexample_script(context: Context, evidence: Any, foundations: Foundations | None = None) -> str:
    """The script behind a counterexample: each ``(check-sat)`` must answer ``unsat``.

    ``foundations`` are those of proofs of premises; without such proofs they are not looked at.

    Raises:
        CodecError: the evidence is not of the form of a counterexample. BadProof: it is none, or premises are not
            proved.
    """
    values, table, theorems = _read(context, evidence)
    questions = _questions(context, values, table, theorems)
    return _script(context, questions, theorems, foundations)


def _script(
    context: Context, questions: Confirmation, theorems: PremiseTheorems | None, foundations: Foundations | None
) -> str:
    lines = [
        "; A counterexample: by what definitions and premises say at its values the goal is false, so this is unsat.",
        f"; SHA-256 of the theorem: {context.problem.source_sha256}",
        questions.refutation,
        "(check-sat)",
    ]
    if theorems is not None:
        if foundations is None:
            raise BadProof("premises are proved from definitions that terminate only")
        lines += ["(reset)", "; Premises that the definitions imply."]
        lines.append(theorems.audited(context.problem, foundations)[1].script)
    return "\n".join(lines) + "\n"


def _questions(
    context: Context, values: Mapping[str, Value], table: Table, theorems: PremiseTheorems | None
) -> Confirmation:
    """What solvers are asked about a counterexample; BadProof when it is none."""
    asked: set[tuple[str, tuple[Value, ...]]] = set()

    def interpret(name: str, args: tuple[Value, ...]) -> Value:
        if (name, args) not in table:
            raise Undecided(f"{name} has no value there")
        asked.add((name, args))
        return table[name, args]

    found = _evaluated(context.problem, values, interpret, theorems)
    if asked != set(table):  # what the goal does not rest on could contradict the premises, and so confirm anything
        raise BadProof("the table gives values that the evaluation does not ask for")
    goal = goal_of(context.problem)
    try:
        return confirmation(context, goal, values, table, found.trace, found.premises, found.ruled)
    except TooLarge as error:
        raise BadProof(f"this counterexample cannot be confirmed: {error}") from error


def _idle(context: Context, foundations: Foundations) -> list[str]:
    """Functions that are not shown to terminate and that the theorem does not rest on."""
    rests_on = reached(context.signature, [context.problem.goal, *[p.formula for p in context.problem.premises]])
    doubtful = [d.name for d in context.signature.definitions if d.name not in foundations.founded]
    return [name for name in doubtful if name not in rests_on]


def _open_things(context: Context, foundations: Foundations) -> list[str]:
    """Declared functions and sorts that definitions not shown to terminate rest on: these may not leave them open."""
    signature = context.signature
    doubtful = [d for d in signature.definitions if d.name not in foundations.founded]
    names = reached(signature, [app(d.name, d.params, d.sort) for d in doubtful])
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


def check_counterexample(
    context: Context, evidence: Any, obligations: bytes, solvers: Solvers, foundations: Foundations
) -> CheckReport:
    """Evaluate the premises and the goal at the counterexample, then have a solver confirm it, see `confirmation`.

    Definitions need not be shown to terminate for that. The evaluation is by value; each of its steps from a call to
    the body is an instance of a defining equation, and it has come to an end: so it has used finitely many instances,
    and these have a model, the values that were computed. Hence the goal is not false on account of a contradiction
    among the definitions, and in whatever satisfies all of them it is false at these values (a junction that one
    operand decides is decided whatever the others are). That something satisfies all of them is an assumption, which
    the report states; definitions that have nothing to do with the theorem are not given this credit. Nor are those
    that speak of declared functions or sorts: what satisfies them may need other values there than the counterexample.

    Raises:
        CodecError, BadProof: it is not a counterexample. NotShown: no solver confirms it.
    """
    values, table, theorems = _read(context, evidence)
    idle = _idle(context, foundations)
    if idle:
        raise BadProof(f"definitions that the theorem does not rest on may be contradictory: {', '.join(idle)}")
    things = _open_things(context, foundations)
    if things:
        what = ", ".join(things)
        raise BadProof(f"definitions that are not shown to terminate may restrict the counterexample's values: {what}")
    questions = _questions(context, values, table, theorems)
    if _script(context, questions, theorems, foundations).encode() != obligations:
        raise BadProof("obligations.smt2 is not what the counterexample gives")
    posed, left_open = theorems.replay(context.problem, foundations, solvers) if theorems else (0, ())
    first, second = _confirmed(questions, solvers)
    level = TrustLevel.REBUILT if foundations.unfounded else TrustLevel.NOT_VACUOUS
    if not foundations.unfounded and first and second and not left_open:
        level = TrustLevel.CONFIRMED
    agreed = posed - len(left_open) if solvers.second is not None else 0
    return CheckReport(
        Verdict.REFUTED,
        level,
        obligations=Counts(1 + posed, first + posed, second + agreed),
        undecided_by_first=() if first else (AT_VALUES,),
        undecided_by_second=(*(() if second else (AT_VALUES,)), *left_open),
        assumptions=tuple(f"{EVALUATED}: {reason}" for reason in foundations.unfounded),
        statement=show(context.problem.goal),
        counterexample=_shown(context, values, questions),
    )


def _confirmed(questions: Confirmation, solvers: Solvers) -> tuple[int, int]:
    """Which solvers say that the goal is false at the values, as numbers.

    One has to say so, one that the values go together, and none may contradict. An error says nothing.

    Raises:
        BadProof: a solver contradicts. NotShown: none confirms.
    """
    answers = _answers(questions.refutation, solvers)
    _contradicted(answers, "sat")
    first, second = (int(a.status == "unsat") for a in answers)
    if not first + second:
        raise NotShown(f"{EVALUATED_ALONE}: no solver decides it ({_reasons(answers)})")
    answers = _answers(questions.agreement(), solvers, enough="sat")
    _contradicted(answers, "unsat")
    if all(a.status != "sat" for a in answers):
        raise NotShown(f"{EVALUATED_ALONE}: no solver says that its values go together ({_reasons(answers)})")
    if questions.rules is not None:
        briefly = replace(solvers, limits=replace(solvers.limits, seconds=RULES_SECONDS))
        _contradicted(_answers(questions.rules(), briefly, enough="sat"), "unsat")
    return first, second


def _answers(script: str, solvers: Solvers, enough: str = "") -> Sequence[Answer]:
    """What the solvers say; the second one is not asked when the first one says what is ``enough``."""
    first = solvers.refutes(script, short=True)
    return (first,) if first.status == enough else (first, solvers.confirms(script))


def _contradicted(answers: Sequence[Answer], status: str) -> None:
    if any(a.status == status for a in answers):
        shown = ", ".join(a.status for a in answers)
        raise BadProof(f"ALARM: a solver contradicts the evaluation of the counterexample ({shown})")


def _reasons(answers: Sequence[Answer]) -> str:
    return "; ".join(f"{a.status} {a.reason}".strip() for a in answers)


def _shown(context: Context, values: Mapping[str, Value], questions: Confirmation) -> dict[str, str]:
    def written(sort: Sort, value: Value) -> Term | None:
        if isinstance(value, Element):
            return questions.names[value]
        return to_term(context.signature, sort, value, written)

    terms = {v.name: written(v.sort, values[v.name]) for v in goal_of(context.problem).vars}
    return {name: show(term) for name, term in terms.items() if term is not None}
