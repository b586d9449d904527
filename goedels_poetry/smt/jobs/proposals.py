"""What a language model proposes for an SMT goal, read with our parser. Nothing here trusts the proposal.

Its text is parsed over the problem's own symbols; its lemmas become goals of their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    StructuralInduction,
    shapes_of,
)
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme
from goedels_poetry.kernel.sequent import Names, Sequent, sequent_of
from goedels_poetry.kernel.terms import Kind, Term, and_, forall, implies, substitute, var
from goedels_poetry.smt.jobs.reading import (
    BadProposal,
    Json,
    lemma_of,
    list_at,
    named_values,
    object_of,
    point_of,
    respelled,
    term_of,
    unbarred,
)
from goedels_poetry.smt.jobs.rules import PARTS, Rule, read_rule
from goedels_poetry.smt.notation.reply_forms import MAX_INSTANCES, MAX_LEMMAS, MOST_LISTED, PROOF_SCHEMA
from goedels_poetry.smt.notation.text import parse_term, query_to_json, show_sequent
from goedels_poetry.smt.rewriting.plan import key_of

# Instances that a model names

HYPOTHESIS = "induction hypothesis"


@dataclass(frozen=True, slots=True)
class PlacedInstance:
    """``instance`` with terms over the goal's variables; of the induction hypothesis: a term for each variable named.

    ``point``: variables of the goal and the terms for them, of the induction hypothesis; else ().
    """

    instance: Instance
    point: tuple[tuple[str, Term], ...] = ()

    def to_json(self) -> Json:
        """As a sketch has it."""
        of, name, args = self.instance.of, self.instance.name, self.instance.args
        return {
            "of": of,
            "name": name,
            "args": [show(t) for t in args],
            "point": [[variable, show(t)] for variable, t in self.point],
        }

    @classmethod
    def from_json(cls, json: Json, problem: Problem, variables: tuple[Term, ...]) -> PlacedInstance:
        """The instance of a sketch."""

        def term(text: str) -> Term:
            return parse_term(text, problem.signature, variables)

        args = tuple(term(text) for text in json["args"])
        point = tuple((name, term(text)) for name, text in json["point"])
        return cls(Instance(json["of"], json["name"], args), point)


# -------------------------------------------------------------------------------------------------------------- alone


def read_instances(problem: Problem, sequent: Sequent, facts: list[Sequent], reply: Any) -> Query:
    """Read a proof attempt: instances of definitions, premises, facts and hypotheses that close the goal.

    Raises:
        BadProposal: see `read_idea`.
    """
    proposal = object_of(reply)
    placed = read_placed(problem, sequent, facts, [], [], proposal, alone=True)
    at_calls = tuple(p.instance for p in placed)
    ground = proposal.get("ground_only") is True
    if not at_calls and not facts:
        raise BadProposal("no instances: that proof was tried already")
    cites = tuple(dict.fromkeys([i.name for i in at_calls if i.of == "step"])) if ground else tuple(map(key_of, facts))
    return Query(cites, at_calls, not ground, not ground)


def query_candidate(query: Query) -> Json:
    """A proof attempt as the verifier takes it."""
    return {"query": query_to_json(query)}


def read_placed(
    problem: Problem,
    sequent: Sequent,
    facts: list[Sequent],
    lemmas: list[Sequent],
    names: list[str],
    proposal: Json,
    *,
    alone: bool = False,
) -> tuple[PlacedInstance, ...]:
    """Read the instances beside a rule, or those of a reply that has nothing but them.

    Args:
        names: of the lemmas, "" where they have none.
        alone: there is no rule, so no induction hypothesis to place.

    Raises:
        BadProposal: see `read_idea`.
    """
    given = list_at(proposal, "instances")
    if len(given) > MAX_INSTANCES:
        raise BadProposal(f"instances: {len(given)} of them, at most {MAX_INSTANCES} are read")
    found: list[PlacedInstance] = []
    for number, entry in enumerate(given):
        where = f"instances[{number}]"
        if not isinstance(entry, dict):
            raise BadProposal(f"{where}: an object was expected")
        of, name = str(entry.get("of")), unbarred(str(entry.get("name") if entry.get("name") is not None else ""))
        if of == "hypothesis" and not alone and not _is_numbered(name, "H", len(sequent.hyps)):
            point = point_of(entry.get("at"), problem, sequent.vars, sequent.vars, f"{where}.at")
            found.append(PlacedInstance(Instance(HYPOTHESIS, "", ()), tuple((v.name, t) for v, t in point.items())))
            continue
        variables, make = _what(problem, sequent, facts, lemmas, names, of, name, where)
        args = _arguments(problem, sequent, variables, entry.get("at"), name, where)
        found.append(PlacedInstance(Instance(*make, args)))
    return tuple(found)


def _what(
    problem: Problem,
    sequent: Sequent,
    facts: list[Sequent],
    lemmas: list[Sequent],
    names: list[str],
    of: str,
    name: str,
    where: str,
) -> tuple[tuple[Term, ...], tuple[str, str]]:
    """What an instance is of: its outer variables, and its name for the kernel."""
    match of:
        case "definition":
            definition = problem.signature.definition(unbarred(respelled(name, problem)))
            if definition is None:
                raise BadProposal(f"{where}: {name} has no definition")
            return definition.params, ("def", definition.name)
        case "premise":
            premise = next((p for p in problem.premises if p.name == name), None)
            if premise is None:
                known = ", ".join(p.name for p in problem.premises) or "none"
                raise BadProposal(f"{where}: there is no premise {name}; the premises are {known}")
            return _outer(premise.formula), ("premise", name)
        case "fact":
            position = _numbered(name, "F", len(facts), where)
            return facts[position].vars, ("step", key_of(facts[position]))
        case "lemma" if lemmas:
            position = names.index(name) if name and name in names else _counted(name, len(lemmas), where)
            return lemmas[position].vars, ("step", key_of(lemmas[position]))
        case "hypothesis":
            position = _numbered(name, "H", len(sequent.hyps), where)
            return _outer(sequent.hyps[position]), ("hyp", str(position))
    raise BadProposal(f"{where}: `of` is definition, premise, fact or hypothesis, or lemma beside lemmas")


def _arguments(
    problem: Problem, sequent: Sequent, variables: tuple[Term, ...], at: Any, name: str, where: str
) -> tuple[Term, ...]:
    given = named_values(at, [v.name for v in variables], f"{where}.at") if isinstance(at, dict) else at
    items = [given.get(v.name) for v in variables] if isinstance(given, dict) else given
    items = items if isinstance(items, list) else [] if items is None else [items]
    terms = tuple(term_of(item, problem, sequent.vars, f"{where}.at") for item in items)
    if [t.sort for t in terms] != [v.sort for v in variables]:
        wanted = " ".join(show_sort(v.sort) for v in variables) or "(none)"
        raise BadProposal(f"{where}: {name} takes terms of sorts {wanted}")
    return terms


def _outer(formula: Term) -> tuple[Term, ...]:
    return tuple(formula.binders) if formula.kind is Kind.FORALL else ()


def _is_numbered(name: str, letter: str, count: int) -> bool:
    digits = name.removeprefix(letter)
    return name[:1] == letter and digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= count


def _numbered(name: str, letter: str, count: int, where: str) -> int:
    if not _is_numbered(name, letter, count):
        known = f"{letter}1 to {letter}{count}" if count else "none"
        raise BadProposal(f"{where}: there is no {name}; there are {known}")
    return int(name.removeprefix(letter)) - 1


def _counted(name: str, count: int, where: str) -> int:
    """A lemma by its 0-based position."""
    if name.isascii() and name.isdigit() and int(name[:9]) < count:
        return int(name)
    raise BadProposal(f"{where}: there is no lemma {name or 'without a name'}; name it, or give its 0-based position")


# ----------------------------------------------------------------------------------------------------------- in cases


def in_cases(
    signature: Signature,
    sequent: Sequent,
    scheme: Scheme,
    cases: tuple[Sequent, ...],
    placed: tuple[PlacedInstance, ...],
) -> list[tuple[PlacedInstance, ...]]:
    """The instances for each case of a rule, over the variables of that case."""
    built = _built(signature, sequent, scheme) or [{} for _ in cases]
    if len(built) != len(cases):
        built = [{} for _ in cases]
    return [tuple(_moved_terms(signature, here, placed)) for here in built]


def _built(signature: Signature, sequent: Sequent, scheme: Scheme) -> list[Mapping[Term, Term]]:
    """What the variable of an induction or a split is built of in each case, as the scheme names it."""
    if not isinstance(scheme, StructuralInduction | ConstructorSplit):
        return []
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    on = next(v for v in sequent.vars if v.name == scheme.on)
    depth = scheme.depth if isinstance(scheme, StructuralInduction) else 1
    return [{on: term} for term, _, _ in shapes_of(on, on.sort, depth, signature, names)]


def _moved_terms(
    signature: Signature, here: Mapping[Term, Term], placed: tuple[PlacedInstance, ...]
) -> Iterator[PlacedInstance]:
    """The instances where a variable is built so: a part of what it is built of is that part itself."""

    def moved(term: Term) -> Term:
        return simplify(substitute(term, here), signature)

    for given in placed:
        args = tuple(map(moved, given.instance.args))
        point = tuple((name, moved(t)) for name, t in given.point)
        yield PlacedInstance(Instance(given.instance.of, given.instance.name, args), point)


def instances_for(case: Sequent, placed: tuple[PlacedInstance, ...]) -> tuple[Instance, ...]:
    """What the kernel takes of them in a case: the induction hypothesis is every quantified hypothesis that fits."""
    scope = frozenset(case.vars)
    found: dict[Instance, None] = {}
    for given in placed:
        instance = given.instance
        if instance.of == HYPOTHESIS:
            for position, hypothesis in enumerate(case.hyps):
                args = _fitting(hypothesis, dict(given.point), case.vars)
                if args and all(t.free <= scope for t in args):
                    found[Instance("hyp", str(position), args)] = None
        elif instance.of != "hyp" and all(t.free <= scope for t in instance.args):
            found[instance] = None
    return tuple(found)


def _fitting(hypothesis: Term, point: Mapping[str, Term], own: tuple[Term, ...]) -> tuple[Term, ...]:
    """Terms for what a quantified hypothesis binds, by the names of the goal's variables; () when one has none.

    What the point does not name stays as it is: where it says what the induction variable becomes, that is all it says.
    """
    bound = _outer(hypothesis)
    there = {v.name: v for v in own}
    terms = [point.get(v.name, there.get(v.name)) for v in bound]
    fit = all(t is not None and t.sort is v.sort for t, v in zip(terms, bound, strict=True))
    return tuple(t for t in terms if t is not None) if fit else ()


def at_points(sequent: Sequent, placed: tuple[PlacedInstance, ...]) -> tuple[tuple[Term, ...], ...]:
    """The points of the induction hypothesis, a term for each variable of the goal: what is not named stays."""
    points = [dict(p.point) for p in placed if p.instance.of == HYPOTHESIS]
    return tuple(tuple(point.get(v.name, var(v.name, v.sort)) for v in sequent.vars) for point in points)


MAX_ODD = 200
"""Characters of names that are told to be unknown."""


@dataclass(frozen=True, slots=True)
class Lemma:
    """A lemma with the earlier ones that its own proof may cite, and how that proof begins, if it says so."""

    sequent: Sequent
    uses: tuple[int, ...]
    name: str = ""
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Idea:
    """A sketch as a model proposes it, read. ``notes`` say what of it is left aside."""

    lemmas: tuple[Lemma, ...]
    rule: Rule | None
    leave_open: bool
    instances: tuple[PlacedInstance, ...] = ()
    notes: tuple[str, ...] = ()


def is_sketch(reply: Any) -> bool:
    """Whether a reply proposes lemmas or a rule, rather than instances alone.

    Raises:
        BadProposal: it is not an object.
    """
    return any(object_of(reply).get(part) for part in ("lemmas", "generalise", *PARTS))


def read_idea(problem: Problem, sequent: Sequent, known: list[Sequent], reply: Any) -> Idea:
    """Read a sketch.

    Args:
        known: facts that may be cited anyway, in the order in which they are listed.

    Raises:
        BadProposal: it is not an object of the published form, speaks of unknown symbols, or proposes nothing.
    """
    proposal = object_of(reply)
    odd = [name for name in proposal if name not in PROOF_SCHEMA["properties"]]
    notes = [f"{', '.join(odd)[:MAX_ODD]}: no part of a reply, left aside"] if odd else []
    proposal = _generalising(problem, sequent, proposal)
    lemmas = _lemmas(problem, sequent, {key_of(fact) for fact in known}, proposal, notes)
    if proposal.get("together") is True and lemmas:
        lemmas, rule = [_conjoined(problem, sequent, proposal, lemmas, notes)], None
    else:
        rule = read_rule(problem, sequent, proposal, notes)
    if not lemmas and rule is None and not proposal.get("instances"):
        besides = f" ({'; '.join(notes)})" if notes else ""
        raise BadProposal(f"the sketch has neither a new lemma nor an induction, a case split or a witness{besides}")
    names = [lemma.name for lemma in lemmas]
    placed = read_placed(problem, sequent, known, [lemma.sequent for lemma in lemmas], names, proposal)
    return Idea(tuple(lemmas), rule, proposal.get("leave_open") is True, placed, tuple(notes))


def _generalising(problem: Problem, sequent: Sequent, proposal: Json) -> Json:
    """The reply with its induction as that of its generalisation, as far as it is one over the variables of that.

    It stays that of the goal, too, where it is one over the goal's.
    """
    given = proposal.get("generalise")
    entry = given if isinstance(given, dict) else {"statement": given}
    said = {part: proposal[part] for part in PARTS if proposal.get(part)}
    if not given or not said or any(entry.get(part) for part in PARTS):
        return proposal
    lemma = sequent_of(
        lemma_of(entry.get("statement"), problem, sequent.vars, "generalise.statement"), problem.signature.names
    )
    try:
        read_rule(problem, lemma, said, [])
    except BadProposal:
        return proposal
    try:
        read_rule(problem, sequent, said, [])
    except BadProposal:
        proposal = {name: part for name, part in proposal.items() if name not in said}
    return {**proposal, "generalise": {**entry, **said}}


# ------------------------------------------------------------------------------------------------------------ lemmas


def _lemmas(problem: Problem, sequent: Sequent, known: set[str], proposal: Json, notes: list[str]) -> list[Lemma]:
    """The lemmas that are new, each after those that it uses; what would be too many is left aside."""
    entries = list_at(proposal, "lemmas")
    if len(entries) > MOST_LISTED:
        raise BadProposal(
            f"lemmas: {len(entries)} of them; at most {MAX_LEMMAS} are read, and at most {MOST_LISTED} may stand there"
        )
    read: dict[int, Lemma] = {}
    names: dict[str, int] = {}
    place: dict[str, int] = {}
    wanted: dict[int, Any] = {}
    aside: list[str] = []
    for number, entry in enumerate([*entries, *([proposal["generalise"]] if proposal.get("generalise") else [])]):
        where = f"lemmas[{number}]" if number < len(entries) else "generalise"
        if number < len(entries) and len(read) >= MAX_LEMMAS:
            aside.append(where)
            continue
        found = entry if isinstance(entry, dict) else {"statement": entry}
        formula = lemma_of(found.get("statement"), problem, sequent.vars, f"{where}.statement")
        lemma = sequent_of(formula, problem.signature.names)
        key, name = key_of(lemma), str(found.get("name") or "")
        if lemma.key is sequent.key:
            if proposal.get("together"):
                continue
            notes.append(f"{where} is the goal itself: it is left aside")
            continue
        if name:
            names.setdefault(name, place.get(key, number))
        if key in known or key in place:
            continue
        place[key] = number
        wanted[number] = found.get("uses")
        read[number] = Lemma(lemma, (), name, read_rule(problem, lemma, found, notes, f"{where}."))
    if aside:
        notes.append(f"at most {MAX_LEMMAS} lemmas are read: {', '.join(aside)} are left aside")
    uses = _with_earlier({number: _uses(wanted[number], number, names, list(read)) for number in read})
    order = _ordered(uses)
    position = {number: at for at, number in enumerate(order)}
    return [
        Lemma(
            read[number].sequent,
            tuple(sorted(position[u] for u in uses[number])),
            read[number].name,
            read[number].rule,
        )
        for number in order
    ]


def _uses(given: Any, number: int, names: dict[str, int], read: list[int]) -> list[int] | None:
    """The lemmas that one's proof may cite, by name or by 0-based position; None where it does not say so clearly."""
    found = [_named(item, names) for item in (given if isinstance(given, list) else [given])]
    if given is None or None in found:
        return None
    return [other for other in dict.fromkeys(found) if other in read and other != number and other is not None]


def _with_earlier(said: dict[int, list[int] | None]) -> dict[int, list[int]]:
    """Those that do not say so may use all earlier ones that do not need them."""
    uses = {number: list(found) for number, found in said.items() if found is not None}

    def needed_by(one: int, met: set[int]) -> set[int]:
        for other in set(uses.get(one, ())) - met:
            met |= {other} | needed_by(other, met | {other})
        return met

    for number in said:
        if number not in uses:
            uses[number] = [other for other in said if other < number and number not in needed_by(other, set())]
    return {number: uses[number] for number in said}


def _named(item: Any, names: dict[str, int]) -> int | None:
    """The position that a reference means: a name, or a number; -1 for facts and hypotheses, which are there anyway."""
    text = str(item).strip()
    if text in names:
        return names[text]
    if re.fullmatch(r"[FH][0-9]+", text):
        return -1
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else None


def _ordered(uses: dict[int, list[int]]) -> list[int]:
    """The lemmas with those that others need in front. Raises BadProposal: some need each other."""
    try:
        return list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        those = " and ".join(f"lemmas[{n}]" for n in error.args[1][1:])
        raise BadProposal(f'{those} need each other: state them in one conjunction, or set "together": true') from error


# ---------------------------------------------------------------------------------------------------------- together


def _conjoined(problem: Problem, sequent: Sequent, proposal: Json, lemmas: list[Lemma], notes: list[str]) -> Lemma:
    """The lemmas and the goal as one conjunction, with the induction that was meant for the goal."""
    rule = read_rule(problem, sequent, proposal, notes)
    if rule is None or not isinstance(rule.scheme, _INDUCTIONS):
        raise BadProposal('together: say by which induction, as in {"induction": {"on": ["xs"]}, "together": true}')
    shared = _moved(sequent, rule)
    parts = []
    stated = [(f"lemmas[{n}]", lemma.sequent) for n, lemma in enumerate(lemmas)]
    for what, part in [*stated, ("the goal", sequent)]:
        missing = [v.name for v in shared if v not in part.vars]
        if missing:
            raise BadProposal(
                f"together: {what} has no variable {', '.join(missing)} of the same sort, over which the induction goes"
            )
        others = tuple(v for v in part.vars if v not in shared)
        parts.append(forall(others, implies(and_(part.hyps), part.concl)))
    whole = sequent_of(forall(shared, and_(parts)), problem.signature.names)
    return Lemma(whole, (), "together", read_rule(problem, whole, {"induction": proposal["induction"]}, []))


_INDUCTIONS = (StructuralInduction, IntInduction, MeasureInduction, RecursionInduction)


def _moved(sequent: Sequent, rule: Rule) -> tuple[Term, ...]:
    """The variables over which an induction goes."""
    match rule.scheme:
        case MeasureInduction(measure, points):
            if points:
                return sequent.vars
            free = measure.free
        case RecursionInduction(_, at, _):
            free = frozenset[Term]().union(*[t.free for t in at])
        case IntInduction(on, base):
            free = base.free | {v for v in sequent.vars if v.name == on}
        case _:
            free = frozenset(v for v in sequent.vars if v.name in rule.order)
    return tuple(v for v in sequent.vars if v in free)


# ------------------------------------------------------------------------------------------------------------ sketch


def idea_to_sketch(idea: Idea) -> Json:
    """The sketch that the machine stores until `complete` has found out how the lemmas give the goal."""
    said = idea.rule.to_json() if idea.rule is not None else {"rule": None, "order": []}
    instances = [instance.to_json() for instance in idea.instances]
    own = [lemma.rule.to_json() for lemma in idea.lemmas if lemma.rule is not None]
    more = [part for part in (said.get("inside"), instances, own) if part]
    identity = [said["rule"], said["order"], sorted(key_of(lemma.sequent) for lemma in idea.lemmas), *more]
    digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    kind = str(said["rule"]["kind"]) if said["rule"] else ""
    parts = [*([RULE_NAMES[kind]] if kind else []), *(["lemmas"] if idea.lemmas else [])]
    return {
        "strategy": "model-" + "-".join(parts or ["instances"]),
        "fingerprint": f"model:{digest}",
        "deterministic": False,
        "idea": {**said, "leave_open": idea.leave_open, "instances": instances, "notes": list(idea.notes)},
        "children": [
            {
                "statement": show_sequent(lemma.sequent),
                "waits_for": list(lemma.uses),
                "words": show(lemma.sequent.formula),
                **({"name": lemma.name} if lemma.name else {}),
                **({"by": lemma.rule.to_json()} if lemma.rule is not None else {}),
            }
            for lemma in idea.lemmas
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
