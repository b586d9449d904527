"""Counterexamples: values that make the premises true and the goal false, evaluated, confirmed by solvers, as JSON.

The evidence is the values of the goal's outer variables and a finite table of the declared functions (constants
included). A function is nowhere else asked for its value, so whatever it is there, the goal is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any, TypeAlias

from goedels_poetry.kernel.faults import BadProof, CodecError, EncodingError
from goedels_poetry.kernel.obligations import Context, is_quantified
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature, reached
from goedels_poetry.kernel.refutation.evaluator import Binding, Evaluator, Trace
from goedels_poetry.kernel.refutation.operations import (
    AT_ZERO,
    ArrayValue,
    Built,
    Element,
    Undecided,
    Value,
    has_sort,
    have_sorts,
    open_function,
)
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import (
    BOOL,
    REGLAN,
    Kind,
    Sort,
    Term,
    and_,
    app,
    fresh_name,
    implies,
    not_,
    rebuild,
    substitute,
    subterms,
    var,
)

# A counterexample as questions to solvers, so that no refutation rests on one evaluator alone

_COMPOSITE = (Built, ArrayValue, tuple)
MAX_NODES = 1_000_000
"""Of all facts together, as trees: some 10 MB of text."""
Table = Mapping[tuple[str, tuple[Value, ...]], Value]


class TooLarge(Exception):
    """The evaluation went through more than solvers can be told."""


@dataclass(frozen=True)
class Confirmation:
    """Scripts without ``check-sat``; those that are functions are written when they are wanted.

    refutation: ``unsat`` when the premises and hypotheses that were evaluated hold and the conclusion does not.
    agreement: ``sat`` when all that was chosen and computed goes together.
    rules: ``unsat`` when what was chosen contradicts premises that were read as definitions; None without such.
    names: how elements of declared sorts are called there.
    """

    refutation: str
    agreement: Callable[[], str]
    rules: Callable[[], str] | None
    names: Mapping[Element, Term]


def confirmation(
    context: Context,
    goal: Sequent,
    values: Mapping[str, Value],
    table: Table,
    trace: Trace,
    premises: Sequence[Term],
    ruled: bool,
) -> Confirmation:
    """The questions about a counterexample to ``goal``: names for long values keep them short.

    Args:
        values: of the goal's variables.
        table: what was chosen for declared functions.
        trace: of the evaluation of ``premises`` and the goal.
        ruled: whether other premises were read as definitions.

    Raises:
        TooLarge: the facts are too many, or too large.
    """
    questions = _Questions(context, _mentioned(context.signature, goal, values, table, trace))
    binding = tuple([(v, values[v.name]) for v in goal.vars])
    chosen = [*questions.distinct(), *questions.rows(table)]
    facts = questions.facts(trace)
    claim = questions.at(implies(and_((*premises, *goal.hyps)), goal.concl), binding)
    seen: set[Term] = set()  # what is shared is written once
    written = (part for t in (*chosen, *facts, claim) for part in subterms(t, seen))
    if next(islice(written, MAX_NODES, None), None) is not None:
        raise TooLarge("the evaluation of the counterexample is too long to be told")
    try:
        refutation = questions.script(context.declarations, (*chosen, *facts, claim))
    except EncodingError as error:
        raise TooLarge(str(error)) from error

    def agreement() -> str:
        holds = [questions.at(part, binding) for part in (*premises, *goal.hyps, not_(goal.concl))]
        ground = [t for t in (*facts, *holds) if not is_quantified(t)]
        return questions.script(context.declarations, (*chosen, *questions.results(trace), *ground))

    def rules() -> str:
        return questions.script((*with_definitions(context), *named_premises(context)), chosen)

    return Confirmation(refutation, agreement, rules if ruled else None, questions.names)


class _Questions:
    """Writes values as terms, in which elements of declared sorts are constants, and so are values that have parts."""

    def __init__(self, context: Context, mentioned: Sequence[tuple[Sort, Element | Built]]) -> None:
        self._context = context
        self._mentioned = mentioned
        self._taken = {t.name for term in _all_terms(context) for part in subterms(term) for t in (part, *part.binders)}
        self._written: dict[tuple[Sort, Value], Term] = {}
        self.names: dict[Element, Term] = {}
        for sort, value in mentioned:
            if isinstance(value, Element):
                self.names[value] = self._constant(f"{sort.name}!{value.number}", sort)
        self._declarations = [f"(declare-const {self._typed(v, '')})" for v in self.names.values()]

    def _constant(self, base: str, sort: Sort) -> Term:
        name = fresh_name(base, self._taken)
        self._taken.add(name)
        return var(name, sort)

    def _typed(self, constant: Term, params: str) -> str:
        encoding = self._context.encoding
        return f"{encoding.text(constant)} {params}{show_sort(encoding.sort(constant.sort))}"

    def script(self, prelude: Iterable[str], formulas: Iterable[Term]) -> str:
        """The prelude and the formulas, asserted, with what stands for values in them."""
        text = self._context.encoding.text
        asserted = [f"(assert {text(formula)})" for formula in dict.fromkeys(formulas)]
        return "\n".join((*prelude, *self._declarations, *asserted))

    def at(self, term: Term, binding: Binding) -> Term:
        """The term at these values."""
        return substitute(term, {v: self._term(v.sort, value) for v, value in binding})

    def distinct(self) -> Iterator[Term]:
        """That elements of one sort differ, and what functions build differs from them and from each other."""
        for wanted in dict.fromkeys(sort for sort, _ in self._mentioned):
            same = [self._term(sort, value) for sort, value in self._mentioned if sort is wanted]
            if len(same) > 1:
                yield app("distinct", same, BOOL)

    def rows(self, table: Table) -> Iterator[Term]:
        """What was chosen for declared functions."""
        for (name, args), value in table.items():
            params, result = open_function(self._context.signature, name)
            terms = [self._term(s, a) for s, a in zip(params, args, strict=True)]
            yield app("=", (app(name, terms, result), self._term(result, value)), BOOL)

    def facts(self, trace: Trace) -> list[Term]:
        """Instances of equations and of quantified formulas."""
        found = [self.at(equation, binding) for equation, binding in trace.equations]
        for formula, binding, choice in trace.witnesses:
            whole = self.at(formula, binding)
            inner = [(v, value) for v, value in binding if v not in formula.binders]
            instance = self.at(formula.body, (*inner, *zip(formula.binders, choice, strict=True)))
            found.append(implies(whole, instance) if formula.kind is Kind.FORALL else implies(instance, whole))
        return found

    def results(self, trace: Trace) -> Iterator[Term]:
        """What the left sides of the equations came to."""
        for (equation, binding), value in trace.equations.items():
            left = equation.args[0]
            if left.sort is not REGLAN:  # solvers do not compare these
                yield app("=", (self.at(left, binding), self._term(left.sort, value)), BOOL)

    def _term(self, sort: Sort, value: Value) -> Term:
        if isinstance(value, Element):
            return self.names[value]
        if isinstance(value, _COMPOSITE) and (sort, value) in self._written:
            return self._written[sort, value]
        term = to_term(self._context.signature, sort, value, self._term)
        assert term is not None, "all parts have names"
        if not term.args:
            return term
        constant = self._constant(f"value!{len(self._written)}", sort)
        self._written[sort, value] = constant
        self._declarations.append(f"(define-fun {self._typed(constant, '() ')} {self._context.encoding.text(term)})")
        return constant


def _all_terms(context: Context) -> Iterator[Term]:
    problem = context.problem
    yield problem.goal
    yield from (p.formula for p in problem.premises)
    for definition in problem.signature.definitions:
        yield from (*definition.params, definition.body)


def _mentioned(
    signature: Signature, goal: Sequent, values: Mapping[str, Value], table: Table, trace: Trace
) -> list[tuple[Sort, Element | Built]]:
    """The values of declared sorts that occur anywhere, each once, with their sorts."""
    everything: list[Value] = [values[v.name] for v in goal.vars]
    for (_, args), value in table.items():
        everything += [*args, value]
    for (_, binding), value in trace.equations.items():
        everything += [*[part for _, part in binding], value]
    for _, binding, choice in trace.witnesses:
        everything += [*[part for _, part in binding], *choice]
    found: dict[Element | Built, Sort] = {}
    seen: set[Value] = set()
    pending = [*reversed(everything), *trace.built]
    while pending:
        value = pending.pop()
        if isinstance(value, Element):
            found[value] = value.sort
        elif isinstance(value, Built):
            found[value] = signature.functions[value.function][1]
        if isinstance(value, _COMPOSITE) and value not in seen:
            seen.add(value)
            pending += reversed(_parts(value))
    return [(sort, value) for value, sort in found.items()]


def _parts(value: Built | ArrayValue | tuple[Value, ...]) -> tuple[Value, ...]:
    if isinstance(value, Built):
        return value.args
    if isinstance(value, ArrayValue):
        return (value.default, *[part for item in sorted(value.items, key=repr) for part in item])
    return value[1:]


# Values of the evaluator as JSON, and back

_FRACTION = re.compile(r"-?[0-9]{1,2000}(/[0-9]{1,2000})?")


def value_to_json(value: Value) -> Any:
    """A value as JSON; what JSON has no form for is an object with one key."""
    if isinstance(value, bool | str) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    if isinstance(value, int):
        return {"integer": str(value)}
    if isinstance(value, Fraction):
        return {"real": str(value)}
    if isinstance(value, ArrayValue):
        items = [[value_to_json(k), value_to_json(v)] for k, v in sorted(value.items, key=repr)]
        return {"array": {"default": value_to_json(value.default), "items": items}}
    if isinstance(value, Element):
        return {"element": {"sort": value.sort.name, "number": value.number}}
    if isinstance(value, Built):
        return {"built": {"function": value.function, "args": [value_to_json(a) for a in value.args]}}
    if isinstance(value, tuple):
        return {"tuple": [value_to_json(part) for part in value]}
    raise CodecError(f"not a value: {value!r}")


def value_from_json(json: Any) -> Value:
    """The value that ``json`` describes. Raises CodecError: it describes none."""
    if isinstance(json, bool | str | int):
        return json
    try:
        match json:
            case {"integer": str(digits), **rest} if not rest:
                return int(digits)
            case {"real": str(text), **rest} if not rest and _FRACTION.fullmatch(text):
                return Fraction(text)
            case {"tuple": list(parts), **rest} if not rest:
                return tuple([value_from_json(part) for part in parts])
            case {"element": {"sort": str(name), "number": int(number), **more}, **rest} if not rest and not more:
                return Element(Sort(name), number)
            case {"built": {"function": str(name), "args": list(args), **more}, **rest} if not rest and not more:
                return Built(name, tuple([value_from_json(a) for a in args]))
            case {"array": {"default": default, "items": list(items), **more}, **rest} if not rest and not more:
                result = ArrayValue(value_from_json(default), frozenset())
                for key, element in items:
                    result = result.store(value_from_json(key), value_from_json(element))
                return result
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise CodecError(f"not a value: {json!r}") from error
    raise CodecError(f"not a value: {json!r}")


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
        at_zero = name in AT_ZERO and len(key[1]) == 2 and key[1][1] == 0
        if not (name in signature.functions or at_zero) or signature.definition(name) is not None or key in table:
            raise CodecError(f"the table gives a value to {name}, which is not open or has one")
        params, result = open_function(signature, name)
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


def _without_languages(problem: Problem) -> Problem:
    """The same theorem without calls of functions on regular languages: solvers know these only where they are used."""
    found = problem.signature.definitions
    unfolding = {d.name: d for d in found if not d.recursive and REGLAN in {d.sort, *[p.sort for p in d.params]}}
    if not unfolding:
        return problem

    @cache
    def unfolded(term: Term) -> Term:
        args = tuple([unfolded(a) for a in term.args])
        definition = unfolding.get(term.name) if term.kind is Kind.APP else None
        if definition is None:
            return rebuild(term, args)
        return unfolded(definition.at(args))

    definitions = tuple([replace(d, body=unfolded(d.body)) for d in found if d.name not in unfolding])
    return replace(
        problem,
        signature=replace(problem.signature, definitions=definitions),
        premises=tuple([replace(p, formula=unfolded(p.formula)) for p in problem.premises]),
        goal=unfolded(problem.goal),
    )


def confirmation_of(context: Context, claimed: Counterexample) -> Confirmation:
    """What solvers are asked about a counterexample, once our evaluator agrees to it. Raises BadProof: it is none."""
    context, table = Context(_without_languages(context.problem)), claimed.table
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
        params, result = open_function(context.signature, name)
        row = [written(s, v) for s, v in (*zip(params, args, strict=True), (result, value))]
        *inputs, output = [show(term) for term in row if term is not None]
        shown[f"{name}({', '.join(inputs)})" if args else name] = output
    return shown
