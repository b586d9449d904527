"""The rule that a model proposes for a goal or a lemma: an induction, case splits, a witness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import scheme_from_json
from goedels_poetry.kernel.schemas import CaseSplit, ConstructorSplit, Scheme, Witness, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, integer, is_app, subterms
from goedels_poetry.smt.induction.structural import general_beside, general_variables
from goedels_poetry.smt.jobs.reading import (
    BadProposal,
    Json,
    point_of,
    respelled,
    shown_variables,
    term_of,
    texts,
    unbarred,
    whole_number,
)
from goedels_poetry.smt.notation.reply_forms import MAX_DEPTH, MAX_ORDER, MAX_SPLIT, MAX_WIDTH
from goedels_poetry.smt.notation.text import scheme_to_json

PARTS = ("induction", "cases", "witness")


@dataclass(frozen=True, slots=True)
class Rule:
    """A scheme; the variables of a nested structural induction or split, outermost first; splits inside of it."""

    scheme: Scheme
    order: tuple[str, ...] = ()
    inside: tuple[Scheme, ...] = ()

    def to_json(self) -> Json:
        """As a sketch has it."""
        return {
            "rule": scheme_to_json(self.scheme),
            "order": list(self.order),
            **({"inside": [scheme_to_json(s) for s in self.inside]} if self.inside else {}),
        }

    @classmethod
    def from_json(cls, json: Json, problem: Problem, variables: tuple[Term, ...]) -> Rule | None:
        """The rule of a sketch, or None when it has none."""
        if not json.get("rule"):
            return None
        inside = [scheme_from_json(s, problem.signature, variables) for s in json.get("inside", ())]
        scheme = scheme_from_json(json["rule"], problem.signature, variables)
        return cls(scheme, tuple(json.get("order", ())), tuple(inside))


def read_rule(problem: Problem, sequent: Sequent, proposal: Json, notes: list[str], where: str = "") -> Rule | None:
    """The rule among the parts of a proposal, or None; what is left aside of it goes into ``notes``.

    Raises:
        BadProposal: several rules, or one that cannot be used on this goal.
    """
    given = [name for name in PARTS if proposal.get(name)]
    if not given:
        return None
    if len(given) > 1:
        notes.append(f"{where}one rule at a time: {given[0]} was read, {' and '.join(given[1:])} left aside")
    value, place = proposal[given[0]], where + given[0]
    match given[0]:
        case "witness":
            rule = _witness(problem, sequent, value, place)
        case "cases":
            rule = _cases(problem, sequent, value, place, notes)
        case _:
            rule = _induction(problem, sequent, value, place, notes)
    try:
        instances(sequent, rule.scheme, problem.signature)
    except SchemeError as error:
        raise BadProposal(f"{place}: {error}") from error
    return rule


def _witness(problem: Problem, sequent: Sequent, value: Any, where: str) -> Rule:
    if sequent.concl.kind is not Kind.EXISTS:
        raise BadProposal(f"{where}: the conclusion is not existential")
    bound = tuple(sequent.concl.binders)
    found = point_of(value, problem, bound, sequent.vars, where)
    missing = [v.name for v in bound if v not in found]
    if missing:
        raise BadProposal(f"{where}: a term is missing for {', '.join(missing)}")
    return Rule(Witness(tuple(found[v] for v in bound)))


# ------------------------------------------------------------------------------------------------------------- cases


def _cases(problem: Problem, sequent: Sequent, value: Any, where: str, notes: list[str]) -> Rule:
    """Splits inside of each other: a variable of a datatype, or a formula that holds or does not."""
    given = list(dict.fromkeys(texts(value, where)))
    if len(given) > MAX_SPLIT:
        notes.append(f"{where}: the first {MAX_SPLIT} were read, these are left aside: {', '.join(given[MAX_SPLIT:])}")
    splits = [_split(problem, sequent, text, where) for text in given[:MAX_SPLIT]]
    if all(isinstance(split, ConstructorSplit) for split in splits):
        return Rule(splits[0], tuple(split.on for split in splits if isinstance(split, ConstructorSplit)))
    return Rule(splits[0], (), tuple(splits[1:]))


def _split(problem: Problem, sequent: Sequent, text: str, where: str) -> Scheme:
    variable = next((v for v in sequent.vars if v.name == unbarred(text)), None)
    if variable is not None and problem.signature.datatype(variable.sort) is not None:
        return ConstructorSplit(variable.name)
    if variable is not None and variable.sort is not BOOL:
        example = f'a formula such as "(>= {variable.name} 0)"' if variable.sort is INT else "a formula"
        raise BadProposal(f"{where}: {variable.name} is no variable of a datatype; write {example}")
    if variable is None and "(" not in text and unbarred(text) not in problem.signature.names:
        known = shown_variables(sequent.vars)
        raise BadProposal(f"{where}: {text} is no variable of a datatype; the variables of the goal are {known}")
    return CaseSplit(term_of(text, problem, sequent.vars, where, BOOL))


# --------------------------------------------------------------------------------------------------------- inductions


def _induction(problem: Problem, sequent: Sequent, given: Any, where: str, notes: list[str]) -> Rule:
    if isinstance(given, str | list):
        given = {"on": given}
    if not isinstance(given, dict):
        raise BadProposal(f'{where}: write {{"on": "variable"}}')
    if given.get("measure"):
        measure = term_of(given["measure"], problem, sequent.vars, f"{where}.measure", INT)
        return Rule(MeasureInduction(measure, _points(problem, sequent, given.get("at"), f"{where}.at")))
    if given.get("along"):
        return Rule(_along(problem, sequent, given, where))
    variables = {v.name: v for v in sequent.vars}
    order = tuple(map(unbarred, texts(given.get("on") or [], f"{where}.on")))
    if not order or any(name not in variables for name in order) or len(set(order)) != len(order):
        known = ", ".join(variables) or "none"
        raise BadProposal(f"{where} on {', '.join(order) or 'nothing'}: the variables of the goal are {known}")
    if len(order) > MAX_ORDER:
        notes.append(f"{where}.on: at most {MAX_ORDER} variables, {', '.join(order[MAX_ORDER:])} is left aside")
    on = variables[order[0]]
    if on.sort is INT:
        base = given.get("from")
        start = term_of(base, problem, sequent.vars, f"{where}.from", INT) if base not in (None, "") else integer(0)
        width = whole_number(given.get("width"), MAX_WIDTH, f"{where}.width")
        return Rule(IntInduction(on.name, start, general_beside(sequent, (on, start)), True, width))
    depth = whole_number(given.get("depth"), MAX_DEPTH, f"{where}.depth")
    return Rule(StructuralInduction(on.name, general_variables(sequent, on), depth), order[:MAX_ORDER])


def _points(problem: Problem, sequent: Sequent, value: Any, where: str) -> tuple[tuple[Term, ...], ...]:
    """Points of a hypothesis: lists of terms, or objects; what an object leaves out stays as it is."""
    if not value:
        return ()
    single = isinstance(value, dict | str) or all(isinstance(item, str | int) for item in value)
    points = []
    for number, point in enumerate([value] if single else value):
        place = where if single else f"{where}[{number}]"
        found = point_of(point, problem, sequent.vars, sequent.vars, place)
        points.append(tuple(found.get(v, v) for v in sequent.vars))
    return tuple(points)


def _along(problem: Problem, sequent: Sequent, given: Json, where: str) -> Scheme:
    """Induction along a function, at the arguments given or at those of its first call, rather one of variables."""
    function = unbarred(respelled(str(given["along"]), problem))
    definition = problem.signature.definition(function)
    if definition is None or not definition.recursive:
        raise BadProposal(f"{where} along {function}: that is no recursive function of the problem")
    if given.get("at"):
        parameters = [p.sort for p in definition.params]
        value = given["at"]
        written = [value[p.name] for p in definition.params if p.name in value] if isinstance(value, dict) else value
        arguments = texts(written, f"{where}.at")
        if len(arguments) != len(parameters):
            raise BadProposal(f"{where} along {function}: `at` gives one term for each of its arguments")
        at = tuple(
            term_of(t, problem, sequent.vars, f"{where}.at", s) for t, s in zip(arguments, parameters, strict=True)
        )
    else:
        calls = [t for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if is_app(t, function)]
        calls = sorted(calls, key=lambda c: any(a.kind is not Kind.VAR for a in c.args))
        at = next((c.args for c in calls if c.free <= frozenset(sequent.vars)), ())
    return RecursionInduction(function, at, general_beside(sequent, at))
