"""Names that no solver can mistake: what every script of ours is written in.

Trusted code. Solvers know more symbols than the standard does, and let some of them win over a declaration:
z3 takes a user's ``sin``, ``is-cons`` or ``|!|`` for its own, and a bound variable called ``true`` for the
truth. So no name of the user is ever shown to a solver as it is: symbols and sorts get the prefix ``u.``,
variables ``?``, which begin no symbol of a theory. The rest of a term is unchanged. Solvers read names of printable
ASCII alone, so one with other characters has their numbers instead, behind ``n.`` or ``n?``: ``ö`` is ``n.~f6~``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.faults import EncodingError, TextTooLong
from goedels_poetry.kernel.problem import Constructor, Datatype, Definition, Signature
from goedels_poetry.kernel.terms import Index, Kind, Sort, Term, _make, app, fresh_name, subterms, var
from goedels_poetry.kernel.theory import SORT_NAMES, is_theory_symbol

_READ_BY_SOLVERS = re.compile(r"[\x20-\x5b\x5d-\x7b\x7d\x7e]*")
_NUMBERED = re.compile(r"[^\x20-\x5b\x5d-\x7b\x7d]")
"""What stands as a number between tildes: tildes, too, so that no two names become one."""
_NUMBER = re.compile(r"~([0-9a-f]{1,5}|10[0-9a-f]{4})~")


class Encoding:
    """Translates the terms of one signature; remembers what it has translated and printed."""

    def __init__(self, signature: Signature) -> None:
        self.original = signature
        self._sorts = frozenset((*signature.sorts, *(d.sort for d in signature.datatypes)))
        for sort in self._sorts:
            if sort.name in SORT_NAMES:
                raise EncodingError(f"the sort {sort.name} is declared again")
        names = [d.name for d in signature.definitions]
        names += [name for name in signature.functions if signature.definition(name) is None]
        for datatype in signature.datatypes:
            for constructor in datatype.constructors:
                names.append(constructor.name)
                names.extend(name for name, _ in constructor.fields)
        if len(set(names)) != len(names):
            raise EncodingError("a name is declared twice")
        for name in names:
            if is_theory_symbol(name):
                raise EncodingError(f"the symbol {name} of a theory is declared again")
        self.names = frozenset(names)
        self._constructors = frozenset(c.name for d in signature.datatypes for c in d.constructors)
        self._sort_memo: dict[Sort, Sort] = {}
        self._term_memo: dict[Term, Term] = {}
        self._text_memo: dict[Term, str] = {}

    def sort(self, sort: Sort) -> Sort:
        """The sort with the user's names in it made safe."""
        done = self._sort_memo.get(sort)
        if done is None:
            args = tuple([self.sort(a) for a in sort.args])
            name = safe_symbol(sort.name) if sort in self._sorts else sort.name
            done = self._sort_memo[sort] = Sort(name, sort.indices, args)
        return done

    def name(self, name: str) -> str:
        """The safe name of a symbol of the signature; symbols of a theory stay as they are."""
        return safe_symbol(name) if name in self.names else name

    def term(self, term: Term) -> Term:
        """The term in safe names. Variables that differ in sort only are given different names."""
        return self.untold(_told_apart(term))

    def untold(self, term: Term) -> Term:
        """As `term`, for a term in which no two variables share a name. Depth-safe."""
        memo = self._term_memo
        stack = [term]
        while stack:
            top = stack[-1]
            if top in memo:
                stack.pop()
                continue
            waiting = [a for a in (*top.binders, *top.args) if a not in memo]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            memo[top] = self._node(top)
        return memo[term]

    def _node(self, term: Term) -> Term:
        if term.kind is Kind.LIT:
            return term
        sort = self.sort(term.sort)
        if term.kind is Kind.VAR:
            return var(_safe("?", term.name), sort)
        args = tuple([self._term_memo[a] for a in term.args])
        if term.name in ("and", "or"):  # z3 flattens these, and would double again and again what is shared
            args = tuple(dict.fromkeys(args))
            if len(args) == 1:
                return args[0]
        if term.kind is Kind.APP:
            return app(self._head(term), args, sort, tuple([self._index(term, i) for i in term.indices]))
        binders = tuple([self._term_memo[v] for v in term.binders])
        return _make(term.kind, "", (), args, binders, None, sort)

    def _head(self, term: Term) -> str:
        return term.name if term.indices else self.name(term.name)

    def _index(self, term: Term, index: Index) -> Index:
        if isinstance(index, int):
            return index
        if term.name == "is" and index in self._constructors:
            return safe_symbol(index)
        raise EncodingError(f"the symbol {term.name} has the index {index}")

    def text(self, term: Term) -> str:
        """The term as SMT-LIB text in safe names. Raises EncodingError: it is too large to be written."""
        done = self._text_memo.get(term)
        if done is None:
            done = self._text_memo[term] = self.written(self.term(term))
        return done

    def written(self, safe: Term) -> str:
        """The text of a term that is in safe names already; as `text`."""
        try:
            return printer.show(safe)
        except TextTooLong as error:
            raise EncodingError(str(error)) from error

    def signature(self) -> Signature:
        """The whole signature in safe names."""
        original = self.original
        return Signature(
            tuple(self.sort(s) for s in original.sorts),
            tuple(
                Datatype(
                    self.sort(d.sort),
                    tuple(
                        Constructor(self.name(c.name), tuple((self.name(f), self.sort(s)) for f, s in c.fields))
                        for c in d.constructors
                    ),
                    d.group,
                )
                for d in original.datatypes
            ),
            MappingProxyType(
                {
                    self.name(name): (tuple(self.sort(s) for s in args), self.sort(result))
                    for name, (args, result) in original.functions.items()
                }
            ),
            tuple(self._definition(d) for d in original.definitions),
        )

    def _definition(self, d: Definition) -> Definition:
        if len({p.name for p in d.params}) != len(d.params) or not d.body.free <= frozenset(d.params):
            raise EncodingError(f"the definition of {d.name} is not closed")
        params = tuple(self.untold(p) for p in d.params)
        return Definition(self.name(d.name), params, self.sort(d.sort), self.term(d.body), d.group, d.recursive)


def safe_symbol(name: str) -> str:
    """What a symbol or a sort of a signature is called before solvers."""
    return _safe("u.", name)


def symbol_of(safe: str) -> str:
    """The user's name of what solvers call ``safe``; a name that is none of ours stays as it is."""
    if safe.startswith("n."):
        return _NUMBER.sub(lambda found: chr(int(found[1], 16)), safe[2:])
    return safe.removeprefix("u.")


def _safe(prefix: str, name: str) -> str:
    """``name`` behind a prefix that says whether its characters are numbered; different names stay different."""
    if _READ_BY_SOLVERS.fullmatch(name):
        return prefix + name
    return f"n{prefix[-1]}" + _NUMBERED.sub(lambda character: f"~{ord(character[0]):x}~", name)


def _told_apart(term: Term) -> Term:
    """``term``, with bound variables renamed if two different variables share a name."""
    variables = {t for t in subterms(term) if t.kind is Kind.VAR}
    names = {v.name for v in variables}
    return term if len(names) == len(variables) else _renamed(term, {}, names, {})


_Done: TypeAlias = "dict[tuple[Term, frozenset[tuple[Term, Term]]], Term]"
"""Renamed terms by what the bound variables among those in the term are called."""


def _renamed(term: Term, renaming: dict[Term, Term], taken: set[str], done: _Done) -> Term:
    if term.kind is Kind.VAR:
        return renaming.get(term, term)
    if not term.args:
        return term
    key = term, frozenset((v, renaming[v]) for v in term.free if v in renaming)
    if key not in done:
        done[key] = _renamed_anew(term, renaming, taken, done)
    return done[key]


def _renamed_anew(term: Term, renaming: dict[Term, Term], taken: set[str], done: _Done) -> Term:
    binders = []
    for bound in term.binders:
        new = var(fresh_name(bound.name, taken), bound.sort)
        taken.add(new.name)
        binders.append(new)
    if binders:
        renaming = {**renaming, **dict(zip(term.binders, binders, strict=True))}
    args = tuple([_renamed(a, renaming, taken, done) for a in term.args])
    return _make(term.kind, term.name, term.indices, args, tuple(binders), term.value, term.sort)


def check_closed(term: Term, variables: Iterable[Term] = ()) -> None:
    """Raise `EncodingError` when ``term`` has a free variable that is not listed."""
    stray = term.free - frozenset(variables)
    if stray:
        raise EncodingError(f"{min(v.name for v in stray)} is not bound")
