"""Counterexamples: values under which the premises are true and the goal is false, evaluated by us.

The evidence is the values of the goal's outer variables and a finite table of the declared functions (constants
included). A function is nowhere else asked for its value, so whatever it is there, the goal is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from goedels_poetry.checker.archive import Json
from goedels_poetry.checker.foundations import Foundations
from goedels_poetry.checker.premise_theorems import PremiseTheorems
from goedels_poetry.checker.replay import Solvers
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.checker.structure import BadProof
from goedels_poetry.languages.smt.codec import CodecError
from goedels_poetry.languages.smt.encoding import EncodingError
from goedels_poetry.languages.smt.evaluate import ArrayValue, Evaluator, Undecided, Value
from goedels_poetry.languages.smt.obligations import Context
from goedels_poetry.languages.smt.printer import show
from goedels_poetry.languages.smt.problem import Problem, Signature
from goedels_poetry.languages.smt.reach import reached
from goedels_poetry.languages.smt.sequent import Sequent, sequent_of
from goedels_poetry.languages.smt.terms import (
    BOOL,
    INT,
    REAL,
    STRING,
    Sort,
    Term,
    and_,
    app,
    implies,
    substitute,
    subterms,
)
from goedels_poetry.languages.smt.value_codec import value_from_json, value_to_json
from goedels_poetry.languages.smt.values import to_term
from goedels_poetry.state import Verdict

FUEL = 2_000_000
EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
LAST_CHARACTER = 0x2FFFF  # of the alphabet of SMT-LIB strings
Table = Mapping[tuple[str, tuple[Value, ...]], Value]


# ---------------------------------------------------------------------------------------- values and sorts


def has_sort(signature: Signature, value: Value, sort: Sort) -> bool:
    """Whether ``value`` is a value of ``sort``."""
    if sort is BOOL:
        return isinstance(value, bool)
    if sort is INT:
        return isinstance(value, int) and not isinstance(value, bool)
    if sort is REAL:
        return isinstance(value, Fraction)
    if sort is STRING:
        return isinstance(value, str) and all(ord(c) <= LAST_CHARACTER for c in value)
    if sort.name == "BitVec":
        return type(value) is int and 0 <= value < 1 << sort.indices[0]
    if sort.name == "Array":
        return isinstance(value, ArrayValue) and all(
            has_sort(signature, part, s)
            for part, s in (
                (value.default, sort.args[1]),
                *((k, sort.args[0]) for k, _ in value.items),
                *((v, sort.args[1]) for _, v in value.items),
            )
        )
    if not isinstance(value, tuple) or not value:
        return False
    datatype = signature.datatype(sort)
    if datatype is None:
        return sort in signature.sorts and value[0] == "!" and _is_element(signature, value[1:], sort)
    fields = {c.name: [s for _, s in c.fields] for c in datatype.constructors}.get(value[0])
    return (
        fields is not None
        and len(fields) == len(value) - 1
        and all(has_sort(signature, part, s) for part, s in zip(value[1:], fields, strict=True))
    )


def _is_element(signature: Signature, parts: tuple[Value, ...], sort: Sort) -> bool:
    """Whether these are a numbered element of a declared sort, or what a declared function built from its arguments.

    The premises may read such arguments back, so they have to be of their sorts.
    """
    if not parts or not isinstance(parts[0], str):
        return False
    name, *args = parts
    if name == sort.name and len(args) == 1 and type(args[0]) is int:
        return True
    params, result = signature.functions.get(name, ((), None))
    return (
        result is sort
        and len(args) == len(params)
        and all(has_sort(signature, a, s) for a, s in zip(args, params, strict=True))
    )


# ------------------------------------------------------------------------------------------------ evidence


def goal_of(problem: Problem) -> Sequent:
    """The goal with its outer variables named apart from all functions; a counterexample gives them values."""
    return sequent_of(problem.goal, problem.signature.names)


def make_evidence(
    problem: Problem,
    values: Mapping[str, Value],
    interpret: Callable[[str, tuple[Value, ...]], Value] | None,
    theorems: PremiseTheorems | None = None,
) -> Json | None:
    """The evidence for values of the goal's outer variables, or None when they are not a counterexample.

    ``interpret`` gives declared functions their values; those it was asked for make the table. ``theorems`` are
    premises that are proved.
    """
    asked: dict[tuple[str, tuple[Value, ...]], Value] = {}

    def recorded(name: str, args: tuple[Value, ...]) -> Value:
        if interpret is None:
            raise Undecided(name)
        asked[name, args] = value = interpret(name, args)
        return value

    if _fault(problem, values, recorded, theorems):
        return None
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
        if len(params) != len(key[1]) or not all(
            has_sort(signature, v, s) for v, s in zip((*key[1], table[key]), (*params, result), strict=True)
        ):
            raise CodecError(f"a row of the table for {name} has values of other sorts")
    theorems = PremiseTheorems.from_json(rest["premises"], context.problem) if rest else None
    return found, table, theorems


def _fault(
    problem: Problem,
    values: Mapping[str, Value],
    interpret: Callable[[str, tuple[Value, ...]], Value],
    theorems: PremiseTheorems | None,
) -> str:
    """Why this is no counterexample, or nothing. The proof of ``theorems`` is not looked at here."""
    goal = goal_of(problem)
    proved = theorems.names if theorems else ()
    evaluator = Evaluator(problem.signature, problem.premises, interpret=interpret, fuel=FUEL)
    assignment = {v: values[v.name] for v in goal.vars}
    try:
        for premise in problem.premises:
            settled = premise.name in evaluator.defining or premise.name in proved
            if not settled and evaluator.value(premise.formula, {}) is not True:
                return f"the premise {premise.name} is not true"
        for hyp in goal.hyps:
            if evaluator.value(hyp, assignment) is not True:
                return "a hypothesis of the goal is not true"
        if evaluator.value(goal.concl, assignment) is not False:
            return "the conclusion of the goal is not false"
    except Undecided as error:
        return f"the evaluator cannot tell: {error}"
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        return f"the values do not fit: {error!r}"
    return ""


# --------------------------------------------------------------------------------------------------- check


def counterexample_script(context: Context, evidence: Any, foundations: Foundations | None = None) -> str:
    """The script behind a counterexample: each ``(check-sat)`` must answer ``unsat``.

    ``foundations`` are those of proofs of premises; without such proofs they are not looked at.

    Raises:
        CodecError: the evidence is not of the form of a counterexample. BadProof: premises are not proved.
    """
    values, table, theorems = _read(context, evidence)
    script = _confirmation(context, values, table)
    lines = [
        "; A counterexample: premises, definitions and values say that the goal is false, so this is unsat.",
        f"; SHA-256 of the theorem: {context.problem.source_sha256}",
    ]
    if script is None:
        lines.append("; The goal was evaluated there; the values have no text in SMT-LIB.")
    else:
        lines += [*script, "(check-sat)"]
    if theorems is not None:
        if foundations is None:
            raise BadProof("premises are proved from definitions that terminate only")
        lines += ["(reset)", "; Premises that the definitions imply."]
        lines.append(theorems.audited(context.problem, foundations)[1].script)
    return "\n".join(lines) + "\n"


def _confirmation(context: Context, values: dict[str, Value], table: Table) -> tuple[str, ...] | None:
    """A script that is unsatisfiable because the goal is false at the values; None when they have no text."""
    signature = context.signature
    goal = goal_of(context.problem)
    try:
        mapping = {v: _term(signature, v.sort, values[v.name]) for v in goal.vars}
        facts = []
        for (name, args), value in table.items():
            params, result = signature.functions[name]
            terms = [_term(signature, s, a) for a, s in zip(args, params, strict=True)]
            facts.append(app("=", (app(name, terms, result), _term(signature, result, value)), BOOL))
        instance = substitute(implies(and_(goal.hyps), goal.concl), mapping)
        texts = [context.encoding.text(t) for t in (*facts, instance)]
    except (CodecError, EncodingError):
        return None
    return (*context.definitions, *context.named_premises(), *[f"(assert {text})" for text in texts])


def _term(signature: Signature, sort: Sort, value: Value) -> Term:
    term = to_term(signature, sort, value)
    if term is None:
        raise CodecError("an element without a name")
    return term


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
    """Evaluate the premises and the goal at the counterexample, then ask the solvers the same.

    Definitions need not be shown to terminate for that. The evaluation is by value; each of its steps from a call to
    the body is an instance of a defining equation, and it has come to an end: so it has used finitely many instances,
    and these have a model, the values that were computed. Hence the goal is not false on account of a contradiction
    among the definitions, and in whatever satisfies all of them it is false at these values (a junction that one
    operand decides is decided whatever the others are). That something satisfies all of them is an assumption, which
    the report states; definitions that have nothing to do with the theorem are not given this credit. Nor are those
    that speak of declared functions or sorts: what satisfies them may need other values there than the counterexample.

    Raises:
        CodecError, BadProof: it is not a counterexample.
    """
    values, table, theorems = _read(context, evidence)
    if counterexample_script(context, evidence, foundations).encode() != obligations:
        raise BadProof("obligations.smt2 is not what the counterexample gives")
    idle = _idle(context, foundations)
    if idle:
        raise BadProof(f"definitions that the theorem does not rest on may be contradictory: {', '.join(idle)}")
    things = _open_things(context, foundations)
    if things:
        what = ", ".join(things)
        raise BadProof(f"definitions that are not shown to terminate may restrict the counterexample's values: {what}")

    asked: set[tuple[str, tuple[Value, ...]]] = set()

    def interpret(name: str, args: tuple[Value, ...]) -> Value:
        if (name, args) not in table:
            raise Undecided(f"{name} has no value there")
        asked.add((name, args))
        return table[name, args]

    fault = _fault(context.problem, values, interpret, theorems)
    if fault:
        raise BadProof(f"this is no counterexample: {fault}")
    if asked != set(table):  # what the goal does not rest on could contradict the premises, and so confirm anything
        raise BadProof("the table gives values that the evaluation does not ask for")
    posed, left_open = theorems.replay(context.problem, foundations, solvers) if theorems else (0, ())
    script = _confirmation(context, values, table)
    notes, first, second, total = [], 0, 0, 0
    if script is None:
        notes.append("evaluated by this program alone: the values have no text in SMT-LIB")
    else:
        total = 1
        answers = [solvers.refutes("\n".join(script), short=True), solvers.confirms("\n".join(script))]
        if any(a.status == "sat" for a in answers):
            raise BadProof(f"ALARM: a solver contradicts the evaluation ({answers[0].status}, {answers[1].status})")
        first, second = (int(a.status == "unsat") for a in answers)
        if not first:
            notes.append(f"evaluated by this program alone: the first solver does not decide it ({answers[0].reason})")
    level = TrustLevel.NOT_VACUOUS if first and not foundations.unfounded else TrustLevel.REBUILT
    if level is TrustLevel.NOT_VACUOUS and second and not left_open:
        level = TrustLevel.CONFIRMED
    agreed = posed - len(left_open) if solvers.second is not None else 0
    shown = {
        v.name: show(t) if (t := to_term(context.signature, v.sort, values[v.name])) else repr(values[v.name])
        for v in goal_of(context.problem).vars
    }
    return CheckReport(
        Verdict.REFUTED,
        level,
        obligations=Counts(total + posed, first + posed, second + agreed),
        undecided_by_second=(*(() if second else ("goal at the counterexample",)), *left_open),
        notes=tuple(notes),
        assumptions=tuple(f"{EVALUATED}: {reason}" for reason in foundations.unfounded),
        statement=show(context.problem.goal),
        counterexample=shown,
    )
