"""Recursive functions of numbers in one form: what is not recursive is put in, what numbers decide is computed.

``core!f`` is ``f`` in this form; functions that come to the same share one. So a goal has fewer functions than it was
written with, and no two that are the same: the first step of partial evaluation (Jones, Gomard and Sestoft, "Partial
Evaluation and Automatic Program Generation", 1993) before anything is guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.derivation import Instance
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Signature, components
from goedels_poetry.kernel.terms import FALSE, INT, TRUE, Kind, Term, app, is_app, rebuild, substitute, subterms, var
from goedels_poetry.smt.rewriting.polynomials import normal

CORE = "core!"
MOST_PUT_IN = 120
"""Calls that a term has bodies in the place of."""


@dataclass
class Former:
    """Brings terms into the form, and keeps on which definitions and on which equal functions that rests."""

    signature: Signature
    standing: Mapping[str, str]
    """For functions, those that have their values, and the form."""
    own: Collection[str] = ()
    """Functions that are not computed, as it is about them."""
    put_in: dict[Instance, None] = field(default_factory=dict)
    replaced: dict[Term, None] = field(default_factory=dict)
    _done: dict[Term, Term] = field(default_factory=dict)

    def form(self, term: Term) -> Term:
        """An equal term: given the definitions ``put_in``, and that calls ``replaced`` are those of what stands there.

        Raises:
            RecursionError: calls of numbers go on for very long.
        """
        if term.binders or term.kind is not Kind.APP:
            return term
        done = self._done.get(term)
        if done is None:
            if is_app(term, "ite"):
                test = self.form(term.args[0])
                if test is TRUE or test is FALSE:
                    return self._done.setdefault(term, self.form(term.args[1 if test is TRUE else 2]))
            args = tuple([self.form(a) for a in term.args])
            done = self._done[term] = self._call(normal(rebuild(term, args), self.signature))
        return done

    def _call(self, term: Term) -> Term:
        definition = self.signature.definition(term.name) if term.kind is Kind.APP else None
        if definition is None:
            return term
        if term.name not in self.own and len(self.put_in) < MOST_PUT_IN:
            body = simplify(definition.at(term.args), self.signature)
            decided = any(a.kind is Kind.LIT for a in term.args) and not is_app(body, "ite")
            if not definition.recursive or (is_app(definition.body, "ite") and decided):
                self.put_in[Instance("def", term.name, term.args)] = None
                return self.form(body)
        other = self.standing.get(term.name)
        if other is None:
            return term
        self.replaced[term] = None
        return app(other, term.args, term.sort)


def cores(signature: Signature) -> tuple[dict[str, str], list[Definition]]:
    """For functions of numbers that are not in the form those that are, and the definitions that this takes."""
    plain = [d for d in signature.definitions if not d.name.startswith(CORE)]
    numeric = {d.name: d for d in plain if d.recursive and {d.sort, *(p.sort for p in d.params)} == {INT}}
    within = {d.name: [t.name for t in subterms(d.body) if t.kind is Kind.APP] for d in plain}
    standing: dict[str, str] = {}
    known: dict[tuple[str, ...], list[str]] = {}
    found: list[Definition] = []
    order = {d.name: number for number, d in enumerate(plain)}
    for group in components(within, lambda name: [n for n in within[name] if n in within]):
        names = sorted((n for n in group if n in numeric), key=order.__getitem__)
        if len(names) < len(group):
            continue
        itself = {n: CORE + n for n in names}
        former = Former(signature, {**standing, **itself}, names)
        bodies = [former.form(numeric[n].body) for n in names]
        places = {CORE + n: f"{CORE}{place}" for place, n in enumerate(names)}
        key = tuple(_standard(numeric[n], body, places) for n, body in zip(names, bodies, strict=True))
        if not all(any(t.name in places for t in subterms(body)) for body in bodies):
            continue
        if key in known:
            standing.update(zip(names, known[key], strict=True))
        elif former.put_in or any(call.name not in itself for call in former.replaced):
            standing |= itself
            known[key] = list(itself.values())
            found += [replace(numeric[n], name=CORE + n, body=body) for n, body in zip(names, bodies, strict=True)]
        else:
            known[key] = names
    return standing, found


def _standard(definition: Definition, body: Term, places: Mapping[str, str]) -> str:
    """A body as text, whatever the names of the parameters and of the group."""
    params = {p: var(f"x{i}", p.sort) for i, p in enumerate(definition.params)}

    def named(term: Term) -> Term:
        args = tuple([named(a) for a in term.args])
        if term.name in places:
            return app(places[term.name], args, term.sort)
        return rebuild(term, args) if args and not term.binders else term

    return f"{len(params)} {show(named(substitute(body, params)))}"
