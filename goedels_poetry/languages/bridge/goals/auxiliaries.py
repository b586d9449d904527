"""Functions that a proof of the engine's brings along (sizes, occurrences, orders), as definitions of Lean.

They stand before the lemmas that speak of them. Like all that stands there they are helpers: Lean has to accept them,
and the user's theorem says nothing about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Protocol

from goedels_poetry.kernel.bridge.names import legal
from goedels_poetry.kernel.equations import constructor_cases, simplify
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import INT, Kind, Sort, Term, app, integer, rebuild, substitute, subterms

STEM = "gp_aux_"
COUNTED = ""
"""The name of the size of Lean's natural numbers: it is the number itself, as an integer."""
_SIZE = "size!"
MOST_CASES = 100


class _Words(Protocol):
    """What is asked of the words of the user's file."""

    def sort(self, sort: Sort) -> str: ...

    def binders(self, variables: Sequence[Term]) -> str: ...

    def value(self, term: Term) -> str: ...


def names_of(definitions: Sequence[Definition], text: str, numbers: Collection[str] = ()) -> dict[str, str]:
    """Lean's names of these functions, none of which stands in the user's ``text``; ``numbers``: sorts that are Nat."""
    stem = STEM
    while stem in text:
        stem = stem.replace("aux", "auxi", 1)
    found: dict[str, str] = {}
    for definition in definitions:
        if definition.name in {f"{_SIZE}{sort}" for sort in numbers}:
            found[definition.name] = COUNTED
            continue
        name = stem + legal(re.sub(r"\W", "_", definition.name))
        while name in found.values():
            name += "'"
        found[definition.name] = name
    return found


def written(
    definitions: Sequence[Definition], heads: dict[str, str], outer: Sequence[str], signature: Signature, words: _Words
) -> str:
    """The text of definitions, in order, for ``words`` that take their names from ``heads``.

    ``outer`` are binders for what the file leaves open. A definition has those that it speaks of; where these have to
    be given, ``heads`` has them behind its name from then on.

    Raises:
        NotTranslatable: there is something in them that the file has no words for.
    """
    texts = []
    for _, members in groupby((d for d in definitions if heads[d.name] != COUNTED), lambda d: d.group):
        group = list(members)
        parts = [_parts(d, signature, words) for d in group]
        kept = _spoken_of(" ".join(f"{binders} {body}" for binders, body in parts), outer)
        given = "".join(f" {_name(binder)}" for binder in kept if binder.startswith("("))
        names = [heads[d.name] for d in group]
        if given:
            heads.update({d.name: f"{heads[d.name]}{given}" for d in group})
            parts = [_parts(d, signature, words) for d in group]
        lines = [
            f"noncomputable def {' '.join(filter(None, [name, *kept, binders]))} : {words.sort(d.sort)} :=\n  {body}"
            for d, name, (binders, body) in zip(group, names, parts, strict=True)
        ]
        texts += lines if len(lines) == 1 else ["\n\n".join(["mutual", *lines, "end"])]
    return "".join(f"{text}\n\n" for text in texts)


def _parts(definition: Definition, signature: Signature, words: _Words) -> tuple[str, str]:
    """Binders, and what is defined, by its cases, so that Lean sees what recursion goes down."""
    fresh = Names(definition.body, *definition.params, reserved=signature.names)
    whole = app(definition.name, definition.params, definition.sort)
    cases = [
        case
        for lhs, rhs in constructor_cases(whole, definition.body, definition.params, signature, fresh)
        for case in _taken_apart(lhs, rhs, signature, fresh)
    ]
    split = [i for i, p in enumerate(definition.params) if any(lhs.args[i] is not p for lhs, _ in cases)]
    binders = words.binders(definition.params)
    if not split:
        return binders, words.value(cases[0][1])
    lines = [f"match {', '.join(words.value(definition.params[i]) for i in split)} with"]
    lines += [f"  | {', '.join(words.value(lhs.args[i]) for i in split)} => {words.value(rhs)}" for lhs, rhs in cases]
    return binders, "\n".join(lines)


def _taken_apart(lhs: Term, rhs: Term, signature: Signature, fresh: Names) -> list[tuple[Term, Term]]:
    """The same by the constructors of all variables of which fields are selected: a file has no words for selectors."""
    waiting, done = [(lhs, rhs)], list[tuple[Term, Term]]()
    while waiting:
        lhs, rhs = waiting.pop()
        variable = next((t.args[0] for t in subterms(rhs) if t.args and signature.selector(t.name)), None)
        datatype = signature.datatype(variable.sort) if variable is not None and variable in lhs.free else None
        if variable is None or datatype is None or len(waiting) + len(done) > MOST_CASES:
            done.append((lhs, _without_selectors(rhs, signature)))
            continue
        for constructor in reversed(datatype.constructors):
            fields = [fresh.fresh(variable.name, s) for _, s in constructor.fields]
            case = {variable: app(constructor.name, fields, variable.sort)}
            waiting.append((substitute(lhs, case), simplify(substitute(rhs, case), signature)))
    return done


def _without_selectors(term: Term, signature: Signature) -> Term:
    """What SMT-LIB leaves open, a field of what has no such field, is any value: no proof rests on which it is."""
    memo: dict[Term, Term] = {}
    for part in subterms(term):
        if part.kind is Kind.APP and signature.selector(part.name) is not None:
            datatype = signature.datatype(part.sort)
            constructor = next((c for c in datatype.constructors if not c.fields), None) if datatype else None
            if part.sort is INT or constructor is not None:
                memo[part] = integer(0) if constructor is None else app(constructor.name, (), part.sort)

    def go(t: Term) -> Term:
        if t in memo or not t.args:
            return memo.get(t, t)
        return rebuild(t, tuple(map(go, t.args)))

    return go(term)


def _spoken_of(text: str, outer: Sequence[str]) -> list[str]:
    """The binders of what a text speaks of, of what their types speak of, and of all instances for that alone."""
    kept: set[str] = set()
    names = {_name(binder) for binder in outer}
    for binder in reversed(outer):  # a type speaks of what is bound before it
        if not binder.startswith("[") and _name(binder) in _words(text):
            kept.add(binder)
            text += f" {binder}"
    known = {_name(binder) for binder in kept}
    return [b for b in outer if b in kept or (b.startswith("[") and (_words(b) & names) - {_name(b)} <= known)]


def _name(binder: str) -> str:
    """``x`` of ``(x : T)``."""
    return binder[1:].partition(" : ")[0]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\s()\[\]{},:]+", text))
