"""Instances that a model names: alone, as a proof, or beside an induction or case splits, for their cases.

Terms speak of the variables of the goal. In a case of a structural induction or of a split a variable is built of
others, and the terms are read with what it is there: ``(tail xs)`` of ``(cons h t)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.inductions import StructuralInduction, shapes_of
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import Kind, Term, substitute, var
from goedels_poetry.smt.jobs.reading import (
    BadProposal,
    Json,
    list_at,
    named_values,
    object_of,
    point_of,
    respelled,
    term_of,
    unbarred,
)
from goedels_poetry.smt.notation.reply_forms import MAX_INSTANCES
from goedels_poetry.smt.notation.text import parse_term, query_to_json
from goedels_poetry.smt.rewriting.plan import key_of

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
    return [tuple(_moved(signature, here, placed)) for here in built]


def _built(signature: Signature, sequent: Sequent, scheme: Scheme) -> list[Mapping[Term, Term]]:
    """What the variable of an induction or a split is built of in each case, as the scheme names it."""
    if not isinstance(scheme, StructuralInduction | ConstructorSplit):
        return []
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    on = next(v for v in sequent.vars if v.name == scheme.on)
    depth = scheme.depth if isinstance(scheme, StructuralInduction) else 1
    return [{on: term} for term, _, _ in shapes_of(on, on.sort, depth, signature, names)]


def _moved(
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
