"""What a language model proposes for an SMT goal, read with our parser. Nothing here trusts the proposal.

Its text is parsed over the problem's own symbols; its lemmas become goals of their own.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Term, and_, forall, implies
from goedels_poetry.smt.jobs.placed_instances import PlacedInstance, read_placed
from goedels_poetry.smt.jobs.reading import BadProposal, Json, lemma_of, list_at, object_of
from goedels_poetry.smt.jobs.rules import PARTS, Rule, read_rule
from goedels_poetry.smt.notation.reply_forms import MAX_LEMMAS, MOST_LISTED, PROOF_SCHEMA
from goedels_poetry.smt.notation.text import show_sequent
from goedels_poetry.smt.rewriting.plan import key_of

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
    """The lemmas with those that others need in front.

    Raises:
        BadProposal: some need each other.
    """
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
