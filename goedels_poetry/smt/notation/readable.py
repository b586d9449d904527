"""Terms as SMT-LIB text that people and models read with ease: ``match`` instead of chains of testers and selectors.

What is written here is read back as the same term, by which it is tested; where it is not, the plain text stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.printer import show, show_binders, show_sort, show_symbol
from goedels_poetry.kernel.problem import Constructor, Definition, Signature
from goedels_poetry.kernel.terms import LARGE, Kind, Term, is_app, rebuild, subterms, var
from goedels_poetry.smt.notation.text import parse_term

_PLACE = "place!of!match!"
_PLACES = re.compile(r"place!of!match!([0-9]+)!")


def show_readable(term: Term, signature: Signature, variables: Sequence[Term] = ()) -> str:
    """A term over ``variables`` (its free ones by default); what is read back from the text is the same term."""
    if term.size > LARGE or not any(is_app(t, "ite") and is_app(t.args[0], "is") for t in subterms(term)):
        return show(term)
    try:
        text = _Writer(term, signature).text(term)
        same = parse_term(text, signature, tuple(variables) or tuple(term.free), term.sort) is term
        return text if same else show(term)
    except (GoedelsPoetryError, ValueError, RecursionError):
        return show(term)


def show_definitions(signature: Signature, definitions: Sequence[Definition]) -> list[str]:
    """Definitions as commands, one for each group."""
    return [_define(signature, list(group)) for _, group in groupby(definitions, lambda d: d.group)]


def _define(signature: Signature, group: list[Definition]) -> str:
    bodies = [show_readable(d.body, signature, d.params) for d in group]
    heads = [f"{show_symbol(d.name)} {show_binders(d.params)} {show_sort(d.sort)}" for d in group]
    if len(group) == 1:
        return f"(define-fun{'-rec' if group[0].recursive else ''} {heads[0]} {bodies[0]})"
    return f"(define-funs-rec ({' '.join(f'({head})' for head in heads)}) ({' '.join(bodies)}))"


class _Writer:
    """Writes one term: each ``match`` is a variable with a name of its own until the text around it stands."""

    def __init__(self, term: Term, signature: Signature) -> None:
        self._signature = signature
        self._taken = set(signature.names)
        for part in subterms(term):
            self._taken |= {part.name, *[v.name for v in part.binders]}
        self._texts: list[str] = []
        self._done: dict[Term, Term] = {}

    def text(self, term: Term) -> str:
        """The text of a term."""
        return self._filled(show(self._folded(term)))

    def _filled(self, text: str) -> str:
        while _PLACES.search(text):
            text = _PLACES.sub(lambda place: self._texts[int(place[1])], text)
        return text

    def _folded(self, term: Term) -> Term:
        """The term with each chain of testers in it replaced by the variable that stands for a ``match``."""
        if term not in self._done:
            self._done[term] = self._match(term) or (
                rebuild(term, tuple([self._folded(a) for a in term.args])) if term.args else term
            )
        return self._done[term]

    def _match(self, term: Term) -> Term | None:
        chain = _chain(term, self._signature)
        if chain is None:
            return None
        subject, branches = chain
        cases = []
        for constructor, branch in branches:
            names = {
                selector: var(self._name(selector, index), sort)
                for index, (selector, sort) in enumerate(constructor.fields)
            }
            body = _opened(branch, subject, names)
            used = [v.name if v in body.free else "_" for v in names.values()]
            head = show_symbol(constructor.name)
            fields = [name if name == "_" else show_symbol(name) for name in used]
            pattern = f"({' '.join([head, *fields])})" if fields else head
            cases.append(f"({pattern} {show(self._folded(body))})")
        self._texts.append(f"(match {show(self._folded(subject))} ({' '.join(cases)}))")
        return var(f"{_PLACE}{len(self._texts) - 1}!", term.sort)

    def _name(self, selector: str, index: int) -> str:
        """A short name for what a field holds that stands for nothing else in the term."""
        stem = next((c for c in selector.lower() if c.isascii() and c.isalpha()), "v")
        name, number = stem, index
        while name in self._taken:
            number += 1
            name = f"{stem}{number}"
        self._taken.add(name)
        return name


def _chain(term: Term, signature: Signature) -> tuple[Term, list[tuple[Constructor, Term]]] | None:
    """What a chain of testers asks about, and the branch of each constructor; None for what is no whole chain."""
    if not (is_app(term, "ite") and is_app(term.args[0], "is")):
        return None
    subject = term.args[0].args[0]
    datatype = signature.datatype(subject.sort)
    left = {c.name: c for c in datatype.constructors} if datatype is not None else {}
    branches: list[tuple[Constructor, Term]] = []
    while len(left) > 1:
        if not (is_app(term, "ite") and is_app(term.args[0], "is") and term.args[0].args[0] is subject):
            return None
        constructor = left.pop(str(term.args[0].indices[0]), None)
        if constructor is None:
            return None
        branches.append((constructor, term.args[1]))
        term = term.args[2]
    return (subject, [*branches, (left.popitem()[1], term)]) if left else None


def _opened(term: Term, subject: Term, names: Mapping[str, Term]) -> Term:
    """The term with the fields of ``subject`` under their names, but where a variable of it means another thing."""
    done: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if t not in done:
            if t.kind is Kind.APP and t.name in names and t.args == (subject,):
                done[t] = names[t.name]
            elif t.binders and not subject.free.isdisjoint(t.binders):
                done[t] = t
            else:
                done[t] = rebuild(t, tuple([go(a) for a in t.args])) if t.args else t
        return done[t]

    return go(term)
