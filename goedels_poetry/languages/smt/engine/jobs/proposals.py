"""What a language model proposes for an SMT goal, read with our parser. Nothing here trusts the proposal.

Its text is parsed over the problem's own symbols; its lemmas become goals of their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show, show_symbol
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import scheme_from_json
from goedels_poetry.kernel.reading.symbols import legible
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme, Witness, instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, forall, integer, is_app, subterms
from goedels_poetry.languages.smt.engine.induction import general_beside, general_variables
from goedels_poetry.languages.smt.engine.plan import key_of
from goedels_poetry.languages.smt.proof_json import query_to_json, scheme_to_json, show_sequent
from goedels_poetry.languages.smt.text import parse_term

Json = dict[str, Any]

MAX_TEXT = 20_000
"""Characters of one proposal; a useful one has a few hundred."""

MAX_LEMMAS = 12
MAX_INSTANCES = 40
MAX_TERM = 400
"""Nodes of one lemma or term."""


class BadProposal(ValueError):
    """A model's proposal that cannot be used; the message goes back to the model."""


@dataclass(frozen=True)
class Idea:
    """A sketch as a model proposes it, read."""

    lemmas: tuple[tuple[Sequent, tuple[int, ...]], ...]
    """Each lemma with the earlier ones that its own proof may cite."""
    rule: Scheme | None
    order: tuple[str, ...]
    """Variables of a nested structural induction, outermost first."""
    leave_open: bool


def is_sketch(reply: Any) -> bool:
    """Whether a reply proposes lemmas or a rule, rather than instances.

    Raises:
        BadProposal: it is not an object.
    """
    return any(_object(reply).get(part) for part in ("lemmas", "generalise", "induction", "cases", "witness"))


def read_idea(problem: Problem, sequent: Sequent, known: set[str], reply: Any) -> Idea:
    """Read a sketch.

    Args:
        known: keys of facts that may be cited anyway.

    Raises:
        BadProposal: it is not an object of the published form, speaks of unknown symbols, or proposes nothing.
    """
    proposal = _object(reply)
    entries = [*_list(proposal, "lemmas"), *([proposal["generalise"]] if proposal.get("generalise") else [])]
    if len(entries) > MAX_LEMMAS:
        raise BadProposal(f"{len(entries)} lemmas: at most {MAX_LEMMAS} are read")
    lemmas: list[tuple[Sequent, tuple[int, ...]]] = []
    place: dict[int, int] = {}
    seen = set(known)
    for number, entry in enumerate(entries):
        text, uses = _lemma_entry(entry, number)
        uses = range(number) if uses is None else uses
        formula = _lemma(text, problem, sequent.vars, f"lemma {number + 1}")
        lemma = sequent_of(formula, problem.signature.names)
        key = key_of(lemma)
        if lemma.key is sequent.key:
            raise BadProposal(f"lemma {number + 1} is the goal itself")
        if key in seen:
            continue
        seen.add(key)
        place[number] = len(lemmas)
        lemmas.append((lemma, tuple(sorted({place[u] for u in uses if u in place}))))
    rule, order = _rule(problem, sequent, proposal)
    if not lemmas and rule is None:
        raise BadProposal("the sketch has neither a new lemma nor an induction, a case split or a witness")
    if rule is not None:
        try:
            instances(sequent, rule, problem.signature)
        except SchemeError as error:
            raise BadProposal(str(error)) from error
    return Idea(tuple(lemmas), rule, order, proposal.get("leave_open") is True)


def idea_to_sketch(idea: Idea) -> Json:
    """The sketch that the machine stores until `complete` has found out how the lemmas give the goal."""
    rule = scheme_to_json(idea.rule) if idea.rule is not None else None
    identity = [rule, list(idea.order), sorted(key_of(lemma) for lemma, _ in idea.lemmas)]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    parts = [*([RULE_NAMES[str(rule["kind"])]] if rule else []), *(["lemmas"] if idea.lemmas else [])]
    return {
        "strategy": "model-" + "-".join(parts),
        "fingerprint": f"model:{digest}",
        "deterministic": False,
        "idea": {"rule": rule, "order": list(idea.order), "leave_open": idea.leave_open},
        "children": [
            {"statement": show_sequent(lemma), "waits_for": list(uses), "words": show(lemma.formula)}
            for lemma, uses in idea.lemmas
        ],
    }


RULE_NAMES = {
    "structural": "structural-induction",
    "integer": "integer-induction",
    "measure": "measure-induction",
    "recursion": "recursion-induction",
    "size": "size-induction",
    "cases": "case-split",
    "constructors": "case-split",
    "witness": "witness",
    "contradiction": "contradiction",
}


def _rule(problem: Problem, sequent: Sequent, proposal: Json) -> tuple[Scheme | None, tuple[str, ...]]:
    given = [name for name in ("induction", "cases", "witness") if proposal.get(name)]
    if len(given) > 1:
        raise BadProposal(f"one rule at a time, not {' and '.join(given)}")
    if not given:
        return None, ()
    if given == ["witness"]:
        texts = _list(proposal, "witness")
        at = tuple(_term(t, problem, sequent.vars, "witness") for t in texts)
        return Witness(at), ()
    if given == ["cases"]:
        on = proposal["cases"]
        if isinstance(on, list) and on:
            names = _strings(on, "cases")
            return ConstructorSplit(names[0]), tuple(_data(sequent, name).name for name in names[:MAX_SPLIT])
        kind = "constructors" if any(v.name == on and v.sort is not BOOL for v in sequent.vars) else "cases"
        try:
            return scheme_from_json({"kind": kind, "on": on}, problem.signature, sequent.vars), ()
        except (GoedelsPoetryError, ValueError) as error:
            raise BadProposal(f"cases: {error}") from error
    return _induction(problem, sequent, proposal["induction"])


MAX_SPLIT = 3


def _data(sequent: Sequent, name: str) -> Term:
    """The variable of a datatype that a model means."""
    variable = next((v for v in sequent.vars if v.name == name and v.sort not in (INT, BOOL)), None)
    if variable is None:
        known = ", ".join(v.name for v in sequent.vars) or "none"
        raise BadProposal(f"cases: {name} is no variable of a datatype; the variables of the goal are {known}")
    return variable


def _induction(problem: Problem, sequent: Sequent, given: Any) -> tuple[Scheme, tuple[str, ...]]:
    if isinstance(given, str):
        given = {"on": given}
    if not isinstance(given, dict):
        raise BadProposal('induction: write {"on": "variable"}')
    if given.get("measure"):
        measure = _term(given["measure"], problem, sequent.vars, "measure", INT)
        points = tuple(
            tuple(
                _term(t, problem, sequent.vars, "point of the hypothesis", v.sort)
                for t, v in zip(_strings(point, "at"), sequent.vars, strict=False)
            )
            for point in (given.get("at") or ())
        )
        return MeasureInduction(measure, points), ()
    if given.get("along"):
        return _along(problem, sequent, given), ()
    order = [given["on"]] if isinstance(given.get("on"), str) else _strings(given.get("on"), "on")
    variables = {v.name: v for v in sequent.vars}
    unknown = [name for name in order if name not in variables]
    if unknown or not order or len(order) > 3 or len(set(order)) != len(order):
        known = ", ".join(variables) or "none"
        raise BadProposal(f"induction on {', '.join(order) or 'nothing'}: the variables of the goal are {known}")
    on = variables[order[0]]
    if on.sort is INT:
        base = given.get("from")
        start = _term(str(base), problem, sequent.vars, "from", INT) if base not in (None, "") else integer(0)
        width = given.get("width")
        return IntInduction(on.name, start, (), True, width if type(width) is int and 1 <= width <= 6 else 1), ()
    depth = given.get("depth")
    depth = depth if type(depth) is int and 1 <= depth <= 3 else 1
    return StructuralInduction(on.name, general_variables(sequent, on), depth), tuple(order)


def _along(problem: Problem, sequent: Sequent, given: Json) -> Scheme:
    """Induction along a function, at the arguments given or at those of its first call in the goal."""
    function = _respelled(str(given["along"]), problem)
    definition = problem.signature.definition(function)
    if definition is None or not definition.recursive:
        raise BadProposal(f"induction along {function}: that is no recursive function of the problem")
    if given.get("at"):
        texts, sorts = _strings(given["at"], "at"), [p.sort for p in definition.params]
        if len(texts) != len(sorts):
            raise BadProposal(f"induction along {function}: `at` gives one term for each of its arguments")
        at = tuple(_term(t, problem, sequent.vars, "at", s) for t, s in zip(texts, sorts, strict=True))
    else:
        calls = (t for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if is_app(t, function))
        at = next((c.args for c in calls if c.free <= frozenset(sequent.vars)), ())
    return RecursionInduction(function, at, general_beside(sequent, at))


def _lemma(text: Any, problem: Problem, variables: tuple[Term, ...], what: str) -> Term:
    """A closed formula. Variables of the goal that it leaves free are read as any values: a lemma is for all."""
    try:
        return _term(text, problem, (), what, BOOL)
    except BadProposal as error:
        if not isinstance(text, str):
            raise
        try:
            formula = _term(_unwrapped(text), problem, variables, what, BOOL)
        except BadProposal:
            raise error from None  # what is wrong with the text as it stands
        return forall(tuple(v for v in variables if v in formula.free), formula)


_COMMAND = re.compile(r"\s*\(\s*(?:assert|prove|define-fun\s+\S+\s+\(\s*\)\s+Bool)\s+(.*)\)\s*", re.DOTALL)


def _unwrapped(text: str) -> str:
    """The formula of a command that somebody wrote around it: it is proved like any other."""
    command = _COMMAND.fullmatch(text)
    return command[1] if command else text


def _term(text: Any, problem: Problem, variables: tuple[Term, ...], what: str, sort: Any = None) -> Term:
    if not isinstance(text, str) or not text.strip():
        raise BadProposal(f"{what}: a text was expected")
    try:
        term = _parsed(text, problem, variables, sort)
    except (GoedelsPoetryError, ValueError, RecursionError) as error:
        raise BadProposal(f"{what}: {error}") from error
    if term.size > MAX_TERM:
        raise BadProposal(f"{what}: more than {MAX_TERM} symbols")
    return term


def _parsed(text: str, problem: Problem, variables: tuple[Term, ...], sort: Any) -> Term:
    try:
        return parse_term(text, problem.signature, variables, sort)
    except (GoedelsPoetryError, ValueError):
        respelled = _respelled(text, problem)
        if respelled == text:
            raise
        return parse_term(respelled, problem.signature, variables, sort)


def _respelled(text: str, problem: Problem) -> str:
    """Names of the problem as they are written here: between bars, with numbers for what nobody would see."""
    signature = problem.signature
    sorts = [sort.name for sort in (*signature.sorts, *(d.sort for d in signature.datatypes))]
    known = {*signature.names, *sorts}

    def spelled(word: re.Match[str]) -> str:
        name = legible(word[1] or word[0])
        return show_symbol(name) if name in known else word[0]

    return _WORD.sub(spelled, text)


_WORD = re.compile(r"\|([^|]+)\||[^\s()|;\"]+")


def _object(reply: Any) -> Json:
    if isinstance(reply, str):
        if len(reply) > MAX_TEXT:
            raise BadProposal(f"more than {MAX_TEXT} characters")
        try:
            reply = json.loads(reply)
        except (ValueError, RecursionError) as error:
            raise BadProposal(f"not JSON: {error}") from error
    if not isinstance(reply, dict):
        raise BadProposal("a JSON object was expected")
    if len(json.dumps(reply)) > MAX_TEXT:
        raise BadProposal(f"more than {MAX_TEXT} characters")
    return reply


def _list(proposal: Json, name: str) -> list[Any]:
    value = proposal.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadProposal(f"{name}: a list was expected")
    return value


def _strings(value: Any, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadProposal(f"{what}: a list of texts was expected")
    return value


def _lemma_entry(entry: Any, number: int) -> tuple[Any, Sequence[int] | None]:
    """The lemma's text, and which earlier ones its proof may cite; None when it does not say so clearly."""
    uses = entry.get("uses") if isinstance(entry, dict) else None
    if uses is None or not isinstance(uses, list) or any(type(u) is not int or not 0 <= u < number for u in uses):
        return entry.get("statement") if isinstance(entry, dict) else entry, None
    return entry.get("statement"), uses


def read_instances(problem: Problem, sequent: Sequent, facts: list[Sequent], reply: Any) -> Query:
    """Read a proof attempt: instances of definitions, premises, facts and hypotheses that close the goal.

    Raises:
        BadProposal: see `read_idea`.
    """
    proposal = _object(reply)
    given = _list(proposal, "instances")
    if len(given) > MAX_INSTANCES:
        raise BadProposal(f"{len(given)} instances: at most {MAX_INSTANCES} are read")
    at_calls: list[Instance] = []
    for number, entry in enumerate(given):
        if not isinstance(entry, dict):
            raise BadProposal(f"instance {number + 1}: an object was expected")
        at = tuple(_term(t, problem, sequent.vars, f"instance {number + 1}") for t in _strings(entry.get("at"), "at"))
        at_calls.append(_instance(problem, sequent, facts, entry, at, number))
    ground = proposal.get("ground_only") is True
    if not at_calls and not facts:
        raise BadProposal("no instances: that proof was tried already")
    cites = tuple(dict.fromkeys([i.name for i in at_calls if i.of == "step"])) if ground else tuple(map(key_of, facts))
    return Query(cites, tuple(at_calls), not ground, not ground)


def _instance(
    problem: Problem, sequent: Sequent, facts: list[Sequent], entry: Json, at: tuple[Term, ...], number: int
) -> Instance:
    of, name = str(entry.get("of")), str(entry.get("name"))
    what = f"instance {number + 1}"
    sorts: list[Any]
    match of:
        case "definition":
            definition = problem.signature.definition(name)
            if definition is None:
                raise BadProposal(f"{what}: {name} has no definition")
            sorts, instance = [p.sort for p in definition.params], Instance("def", name, at)
        case "premise":
            premise = next((p for p in problem.premises if p.name == name), None)
            if premise is None:
                raise BadProposal(f"{what}: there is no premise {name}")
            sorts, instance = _outer_sorts(premise.formula), Instance("premise", name, at)
        case "fact":
            position = _numbered(name, "F", len(facts), what)
            sorts = [v.sort for v in facts[position].vars]
            instance = Instance("step", key_of(facts[position]), at)
        case "hypothesis":
            position = _numbered(name, "H", len(sequent.hyps), what)
            sorts, instance = _outer_sorts(sequent.hyps[position]), Instance("hyp", str(position), at)
        case _:
            raise BadProposal(f"{what}: `of` is definition, premise, fact or hypothesis")
    if [t.sort for t in at] != sorts:
        raise BadProposal(f"{what}: {name} takes terms of sorts {' '.join(map(repr, sorts)) or '(none)'}")
    return instance


def _outer_sorts(formula: Term) -> list[Any]:
    return [v.sort for v in formula.binders] if formula.kind is Kind.FORALL else []


def _numbered(name: str, letter: str, count: int, what: str) -> int:
    digits = name.removeprefix(letter)
    if digits.isascii() and digits.isdigit() and 1 <= int(digits) <= count:
        return int(digits) - 1
    raise BadProposal(f"{what}: there is no {name}")


def query_candidate(query: Query) -> Json:
    """A proof attempt as the verifier takes it."""
    return {"query": query_to_json(query)}


__all__ = [
    "RULE_NAMES",
    "BadProposal",
    "Idea",
    "idea_to_sketch",
    "is_sketch",
    "query_candidate",
    "read_idea",
    "read_instances",
]
