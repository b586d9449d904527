"""What a model says when it holds a goal for false: values, and the meaning of what the theorem leaves open. Read only.

Whether the goal is false there is found out in `confirming`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Sort, Term, rebuild, substitute, subterms, var
from goedels_poetry.smt.jobs.reading import BadProposal, Json, named_values, object_of, respelled, term_of, unbarred

AT = ("at", "values", "counterexample", "countermodel")
"""Names under which models give values; the first is the one that they are told."""
MAX_WORDS = 2_000


def says_refuted(reply: Any) -> bool:
    """Whether a reply says that its goal is false.

    Raises:
        BadProposal: it is not an object.
    """
    return bool(object_of(reply).get("refuted"))


def read_refutation(problem: Problem, sequent: Sequent, reply: Any) -> Json:
    """``{"values", "elements", "functions", "because"}``: terms as text, elements of declared sorts by number.

    Raises:
        BadProposal: a name that the goal does not have, a term of another sort or with variables.
    """
    whole = object_of(reply)
    said = whole["refuted"]
    said = said[0] if isinstance(said, list) and len(said) == 1 and isinstance(said[0], dict) else said
    beside = next((key for key in AT if whole.get(key)), None)
    if beside is not None and isinstance(said, str | bool):  # values beside the word that the goal is false
        said = {AT[0]: whole[beside], "because": str(whole.get("because") or said)}
    given, because = _parts(said, {v.name for v in sequent.vars} | set(problem.signature.functions))
    found: Json = {"values": {}, "elements": {}, "functions": {}, "because": because[:MAX_WORDS]}
    elements: dict[tuple[Sort, str], int] = {}
    variables = {v.name: v for v in sequent.vars}
    for name, text in named_values(given, list(variables), "refuted.at").items():
        where = f"refuted.at.{name}"
        variable = variables.get(name)
        text = json.dumps(text) if isinstance(text, list) else text  # a list as JSON writes it
        if variable is None:
            function, meaning = _meaning(problem, name, text, where)
            found["functions"][function] = meaning
        elif (number := _element(problem, variable.sort, text, elements)) is not None:
            found["elements"][name] = number
        else:
            found["values"][name] = show(term_of(text, problem, (), where, variable.sort))
    return found


def _parts(said: Any, names: set[str]) -> tuple[Any, str]:
    """Values and reason of what stands at ``refuted``: an object with both, the values themselves, or words."""
    if isinstance(said, str | bool):
        return None, str(said)
    if isinstance(said, dict):
        key = next((key for key in AT if said.get(key) is not None), None)
        if key is None:
            values = {name: value for name, value in said.items() if unbarred(str(name)) in names}
            return values or None, str(said.get("because") or "")
        return said[key], str(said.get("because") or "")
    return said, ""


_SYMBOL = re.compile(r"@?[A-Za-z_][A-Za-z0-9_!@.']*")


def _element(problem: Problem, sort: Sort, text: Any, elements: dict[tuple[Sort, str], int]) -> int | None:
    """The number of an element of a declared sort, which has no terms but names that a model makes up."""
    if sort not in problem.signature.sorts or not isinstance(text, str) or not _SYMBOL.fullmatch(text.strip()):
        return None
    if unbarred(respelled(text.strip(), problem)) in problem.signature.names:
        return None  # a constant of the theorem
    return elements.setdefault((sort, text.strip()), sum(s is sort for s, _ in elements))


# ---------------------------------------------------------------------------------------------------------- functions


def _meaning(problem: Problem, name: str, text: Any, where: str) -> tuple[str, Json]:
    """What a model takes a declared or defined function for: its name, and ``{"params", "body"}``."""
    function = unbarred(respelled(name, problem))
    typed = problem.signature.type_of(function)
    if typed is None:
        raise BadProposal(f"{where}: there is no such variable and no such function of the problem")
    sorts, result = typed
    params, body = _lambda(text, len(sorts), where)
    bound = tuple(var(p, s) for p, s in zip(params, sorts, strict=True))
    term = term_of(body, problem, bound, where, result)
    definition = problem.signature.definition(function)
    if definition is not None:
        term = _unfolded(term, definition.name, bound, definition.body, definition.params)
    return function, {"params": list(params), "body": show(term)}


def _lambda(text: Any, arity: int, where: str) -> tuple[tuple[str, ...], str]:
    """Parameters and body of ``(lambda ((x S)) body)``, of a ``define-fun``, of an object with both, or of a term."""
    if isinstance(text, dict) and isinstance(text.get("body"), str):
        params = text.get("params")
        names = tuple(unbarred(str(p)) for p in params) if isinstance(params, list) else ()
        return _named(names, arity, where), text["body"]
    if not isinstance(text, str):
        return _named((), arity, where), text
    source = Source(text)
    try:
        exprs = read(source)
    except (InvalidText, RecursionError) as error:
        raise BadProposal(f"{where}: {error}") from error
    match exprs:
        case [Group(items=[Atom(text="lambda"), Group(items=binders), body])]:
            pass
        case [Group(items=[Atom(text="define-fun" | "define-fun-rec"), Atom(), Group(items=binders), _, body])]:
            pass
        case _:
            return _named((), arity, where), text
    bound: list[str] = []
    for binder in binders:
        match binder:
            case Group(items=[Atom() as name, _]):
                bound.append(name.text)
            case _:
                raise BadProposal(f"{where}: parameters are written ((x Int) (y Int))")
    written = text[body.offset : body.end] if isinstance(body, Group) else body.text
    return _named(tuple(bound), arity, where), written


def _named(names: tuple[str, ...], arity: int, where: str) -> tuple[str, ...]:
    if len(names) != arity or len(set(names)) != arity or not all(names):
        raise BadProposal(f'{where}: it takes {arity} arguments; write "(lambda ((x Int)) 0)" with that many')
    return names


def _unfolded(term: Term, name: str, bound: tuple[Term, ...], body: Term, params: tuple[Term, ...]) -> Term:
    """A call of the function itself at its own parameters is what its definition says there."""
    own = substitute(body, dict(zip(params, bound, strict=True)))
    done: dict[Term, Term] = {}
    for part in sorted(set(subterms(term)), key=lambda t: t.size):
        if part.binders:
            done[part] = part
        elif part.name == name and part.args == bound:
            done[part] = own
        else:
            done[part] = rebuild(part, tuple(done[a] for a in part.args)) if part.args else part
    return done[term]
