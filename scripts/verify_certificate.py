#!/usr/bin/env python3
"""Does a certificate show its theorem? A second checker, for sceptics: one file, no library, nothing of the program.

    python scripts/verify_certificate.py CERT [--theorem FILE.smt2] [--solver z3] [--timeout 20] [--overall 300]
CERT is a certificate or a folder of them. Exit code: 0 it holds, 1 refused, 2 undecided (of several the worst). The
theorem is read by a parser of its own, what each step has to follow from is worked out anew, and what is left is posed
to any SMT-LIB solver, each question to a fresh process. The only evidence is the word ``unsat`` with nothing beside it.
What must be believed, besides Python, this file and the solver (which sees ill-sorted terms and empty datatypes):

* Names. Symbols of the theorem, of theories, and variables are different kinds of terms, and each bound variable is an
  object of its own, so none is captured. Solvers see numbered names only. What is not known here is undecided.
* Definitions. Equations may be assumed when they have a solution in every model of what is declared: when the claimed
  components (sizes, integers that were not negative, unsigned bit-vectors) fall lexicographically at each call, on the
  way to it and whatever these functions are. Bounds of sizes are shown by induction along the calls.
* Measures. A function with ``measures`` has its equation only where they fall at each call that is made (the guard).
  Such equations have a solution: compute along the measures, and give a fixed value where one does not fall.
* Steps. A step by a query follows from definitions, premises, earlier steps and instances of these: the solver says
  so. A step by a scheme follows from the cases that are worked out here, which the cited steps have to be. Inductions:
  constructors, integers from a base, a measure that falls and was not negative, sizes, calls of a total function.
* Counterexamples. Any values of declared functions and any different elements are in some model; what follows from
  them and the definitions is so there. A solver has to show that each premise follows, and that the goal is false.
  An interpretation makes a definition of a ``declare-fun``, an enumeration of a ``declare-sort``: some model, too.
* Premises that contradict each other are refused when a solver sees it; nobody promises that it does.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import itertools
import json
import operator
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

HOLDS, REFUSED, UNDECIDED = CODES = ("holds", "refused", "undecided")  # the exit code is the place


class Refused(Exception): ...


class Undecided(Exception): ...


def need(good: object, message: str, otherwise: type[Exception] = Refused) -> None:
    if not good:
        raise otherwise(message)


class Clock:
    ends = float("inf")  # when the time for one certificate is over; every walk asks for it

    @classmethod
    def tick(cls) -> None:
        need(time.monotonic() < cls.ends, "the time for this certificate is over", Undecided)


# ================================================================================================ terms
Sort: TypeAlias = tuple[Any, ...]
BOOL, INT, REAL = SORTS = [("Bool",), ("Int",), ("Real",)]


@dataclass(slots=True, eq=False)
class Term:  # an expression. Equal ones are the same object, because only `make` makes them
    op: str  # var, lit, fun (of the theorem), th (of a theory), is (tester), size, all, any
    name: Any
    args: tuple[Term, ...]
    sort: Sort
    bound: tuple[Term, ...]
    free: frozenset[Term]
    funs: frozenset[str]  # the theorem's symbols in it


_KNOWN: dict[tuple[Any, ...], Term] = {}
_COUNT, _NONE = itertools.count(1), frozenset[Any]()


def make(op: str, name: Any, args: Iterable[Term] = (), sort: Sort = BOOL, bound: tuple[Term, ...] = ()) -> Term:
    args = tuple(args)
    key = (op, name, args, sort, bound)
    Clock.tick()
    if key not in _KNOWN:
        free = _NONE.union(*[a.free for a in args]) - frozenset(bound)
        funs = _NONE.union({name} if op == "fun" else (), *[a.funs for a in args])
        _KNOWN[key] = term = Term(op, name, args, sort, bound, free, funs)
        term.free = frozenset([term]) if op == "var" else free
    return _KNOWN[key]


def variable(name: str, sort: Sort) -> Term:  # like no other
    return make("var", (next(_COUNT), name), (), sort)


def renewed(variables: Iterable[Term]) -> dict[Term, Term]:
    return {v: variable(v.name[1], v.sort) for v in variables}


def literal(value: Any, sort: Sort) -> Term:
    return make("lit", value, (), sort)


def theory(name: str, *args: Term, sort: Sort = BOOL) -> Term:
    return make("th", name, args, sort)


def is_th(term: Term, *names: str) -> bool:
    return term.op == "th" and term.name in names


def _junction(name: str, unit: Term, zero: Term, parts: Iterable[Term]) -> Term:
    flat = dict.fromkeys(p for part in parts for p in (part.args if is_th(part, name) else (part,)) if p is not unit)
    return zero if zero in flat else theory(name, *flat) if len(flat) > 1 else next(iter(flat), unit)


TRUE, FALSE, ZERO = literal(True, BOOL), literal(False, BOOL), literal(0, INT)
conj = functools.partial(_junction, "and", TRUE, FALSE)
disj = functools.partial(_junction, "or", FALSE, TRUE)


def neg(term: Term) -> Term:
    opposite = {TRUE: FALSE, FALSE: TRUE}.get(term)
    return opposite or (term.args[0] if is_th(term, "not") else theory("not", term))


def imp(left: Term, right: Term) -> Term:
    """Implication; quantifiers stand in front of it, and one that leads to another is joined with it."""
    if right.op == "all" and left.free.isdisjoint(right.bound):
        return every(right.bound, imp(left, right.args[0]))
    if is_th(right, "=>"):
        left, right = conj([left, right.args[0]]), right.args[1]
    if left is TRUE or right is TRUE:
        return right
    return TRUE if left is FALSE else neg(left) if right is FALSE else theory("=>", left, right)


def quantified(op: str, variables: Iterable[Term], body: Term) -> Term:  # over those that occur (no sort is empty)
    used = tuple(v for v in dict.fromkeys(variables) if v in body.free)
    if body.op == op and used:
        used, body = used + body.bound, body.args[0]
    return make(op, "", (body,), BOOL, used) if used else body


every = functools.partial(quantified, "all")


def subst(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Replace free variables. Bound ones get new objects, so none is captured."""
    done = dict(mapping)

    def go(t: Term) -> Term:
        if t in done or t.free.isdisjoint(mapping):
            return done.get(t, t)
        fresh = renewed(t.bound)
        inner = {v: s for v, s in mapping.items() if fresh and v in t.free} | fresh
        args = [subst(a, inner) if fresh else go(a) for a in t.args]
        done[t] = make(t.op, t.name, args, t.sort, tuple(fresh.values()))
        return done[t]

    return go(term)


def parts_of(term: Term) -> Iterator[Term]:  # all subterms, each once
    seen, waiting = {term}, [term]
    while waiting:
        yield (top := waiting.pop())
        waiting += dict.fromkeys(a for a in top.args if a not in seen)
        seen.update(top.args)


# ============================================================================================== reading
SExpr: TypeAlias = "str | list[Any]"
Env: TypeAlias = Mapping[str, Term]
_CHAR = "[0-9A-Za-z~!@$%^&*_+=<>.?/-]"
_SYMBOL = f"(?![0-9]){_CHAR}+"
_WRITTEN = rf"(?![0-9])(?:{_CHAR}|[^\x00-\x7f])+"  # also between bars, where solvers are told other names anyway
_TOKEN = re.compile(
    r"""[ \t\r\n]+|;[^\r\n]*|(?P<open>\()|(?P<close>\))|(?P<quoted>\|[^|\\]*\|)|(?P<atom>"(?:[^"]|"")*"(?!")"""
    rf"""|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\#b[01]+|\#x[0-9a-fA-F]+|:{_CHAR}+|{_SYMBOL})(?![:\#]|{_CHAR}))"""
)
_RESERVED = {"let", "forall", "exists", "match", "!", "_", "as", "par", "true", "false", "is", "const"}


def read(text: str) -> list[SExpr]:
    stack, place = [list[Any]()], 0
    for found in _TOKEN.finditer(text):
        need(found.start() == place, f"unreadable text at character {place}: {text[place : place + 20]!r}")
        place, kind, atom = found.end(), found.lastgroup, found[0]
        if kind == "open":
            stack.append([])
        elif kind == "close":
            need(len(stack) > 1, "a parenthesis too many")
            stack[-2].append(stack.pop())
        elif kind:
            simple = kind == "quoted" and re.fullmatch(_WRITTEN, atom[1:-1]) and atom[1:-1] not in _RESERVED
            plain = simple and atom.isprintable() and unicodedata.is_normalized("NFC", atom)  # others are renamed there
            stack[-1].append(atom[1:-1] if plain else atom)
    need(place == len(text) and len(stack) == 1, "unreadable at the end, or a parenthesis is never closed")
    return stack[0]


def one_of(text: Any) -> Any:
    found = read(text) if isinstance(text, str) else []
    need(len(found) == 1, f"one expression was expected: {text!r}"[:200])
    return found[0]


def named(expr: Any) -> str:
    good = isinstance(expr, str) and re.fullmatch(_WRITTEN, expr) and expr not in _RESERVED
    need(good, f"a name was expected, not {shown(expr)}", Undecided if str(expr)[:1] in ("|", '"') else Refused)
    return str(expr)


def shown(expr: Any) -> str:
    text = expr if isinstance(expr, str) else "(" + " ".join(map(shown, expr[:20])) + ")"
    return text if len(text) < 100 else text[:97] + "..."


def pairs(expr: Any) -> list[list[Any]]:
    need(isinstance(expr, list) and all(isinstance(p, list) and len(p) == 2 for p in expr), f"no pairs: {shown(expr)}")
    return list(expr)


class Function(NamedTuple):  # a constructor, selector, declared or (with parameters and body) defined function
    name: str
    params: tuple[Sort, ...]
    sort: Sort
    selectors: tuple[str, ...] = ()
    vars: tuple[Term, ...] = ()
    body: Term = TRUE

    def call(self, args: Iterable[Term]) -> Term:
        return make("fun", self.name, args, self.sort)

    def at(self, args: Sequence[Term], term: Term) -> Term:  # a term over the parameters, at arguments
        return subst(term, dict(zip(self.vars, args, strict=True)))


# Symbols of theories by the sort of the result. Solvers look whether the arguments are of the right sorts.
_RESULTS: dict[str, Any] = {
    name: result
    for result, names in (
        (BOOL, "not and or => xor = distinct < <= > >= is_int divisible"),
        (BOOL, " ".join(f"bv{s}{r}" for s in "us" for r in ("lt", "le", "gt", "ge"))),
        (INT, "div mod abs to_int bv2nat ubv_to_int"),
        (REAL, "/ to_real"),
        (lambda a, *_: a, "+ - * store bvnot bvneg bvadd bvmul bvand bvor bvxor bvsub bvudiv bvurem bvsdiv bvsrem"),
        (lambda a, *_: a, "bvsmod bvshl bvlshr bvashr bvnand bvnor bvxnor"),
        (lambda _, a, *__: a, "ite"),
        (lambda a, _: a[2] if a[0] == "Array" else None, "select"),
        (lambda *_: ("BitVec", 1), "bvcomp"),
        (lambda *sorts: ("BitVec", sum(s[1] for s in sorts)), "concat"),
        (lambda i, j, _: ("BitVec", i - j + 1), "extract"),
        (lambda n, a: ("BitVec", a[1] + n), "zero_extend sign_extend"),
        (lambda n, _: ("BitVec", n), "int2bv int_to_bv"),
    )
    for name in names.split()
}
_INDICES = {"divisible": 1, "extract": 2, "zero_extend": 1, "sign_extend": 1, "int2bv": 1, "int_to_bv": 1}
_SORTS = {sort[0]: sort for sort in SORTS}


def as_real(term: Term) -> Term:
    return literal(Fraction(term.name), REAL) if term.op == "lit" and term.sort == INT else term


def theory_term(name: str, index: tuple[int, ...], args: list[Term]) -> Term:
    """A symbol of a theory, chains taken apart. Nothing is simplified: the form tells the goal."""
    need(args and len(index) == _INDICES.get(name, 0), f"{name} does not take such arguments")
    if name == "/" or any(a.sort == REAL for a in args):
        args = [as_real(a) for a in args] if name != "ite" else [args[0], *map(as_real, args[1:])]
    result = _RESULTS[name](*index, *[a.sort for a in args]) if callable(_RESULTS[name]) else _RESULTS[name]
    need(result, f"{name} does not take such arguments")
    if name == "divisible":
        need(index[0], "divisible by zero")
        return theory("=", theory("mod", args[0], literal(index[0], INT), sort=INT), ZERO)
    if len(args) > 2 and name in ("=", "<", "<=", ">", ">="):
        return theory("and", *[theory(name, a, b) for a, b in itertools.pairwise(args)])
    if len(args) > 2 and name == "=>":
        return theory(name, args[0], theory_term(name, (), args[1:]))
    if len(args) > 2 and name in ("+", "*", "-"):
        return theory_term(name, (), [theory(name, *args[:2], sort=result), *args[2:]])
    if name == "-" and len(args) == 1 and args[0].op == "lit":
        return literal(-args[0].name, result)
    if name == "/" and [a.op for a in args] == ["lit", "lit"] and args[1].name:
        return literal(args[0].name / args[1].name, REAL)
    return theory(f"(_ {name} {' '.join(map(str, index))})" if index else name, *args, sort=result)


class Signature:
    """What a theorem declares and defines, and the terms over it. Copies of a parametric datatype get own names."""

    def __init__(self) -> None:
        self.sorts: dict[str, Any] = {}  # a sort, or (type parameters, constructors)
        self.opaque: list[Sort] = []
        self.data: dict[Sort, dict[str, Function]] = {}  # by the names in the text
        self.symbols: dict[str, list[Function]] = {}  # several of one name are copies
        self.declared: dict[str, Function] = {}
        self.definitions: dict[str, Function] = {}
        self.constructors: dict[str, Function] = {}
        self.selectors: dict[str, tuple[Function, int]] = {}
        self._copies: dict[tuple[str, tuple[Sort, ...]], Sort] = {}

    def command(self, expr: Any) -> None:  # carry out a declaration or definition
        match expr:
            case ["declare-sort", name] | ["declare-sort", name, "0"]:
                self.opaque.append(self._new_sort(name, ("user", name)))
            case ["declare-datatype", name, list(body)]:
                self._datatypes([name], [body])
            case ["declare-datatypes", list(heads), list(bodies)]:
                self._datatypes([name for name, _ in pairs(heads)], bodies)
            case ["declare-fun", name, list(params), sort]:
                self.declared[name] = Function(self._new(name), tuple(map(self.sort, params)), self.sort(sort))
                self.symbols[name] = [self.declared[name]]
            case ["define-fun" | "define-fun-rec" as word, name, params, sort, body]:
                self._define([[name, params, sort]], [body], recursive=word == "define-fun-rec")
            case ["define-funs-rec", list(heads), list(bodies)]:
                self._define(heads, bodies, recursive=True)
            case _:
                raise Undecided(f"this script does not know {shown(expr)}")

    def _new(self, name: str) -> str:
        need(named(name) not in self.symbols and name not in _RESULTS, f"{name} has a meaning already")
        return name

    def _new_sort(self, name: str, sort: Any) -> Any:
        good = named(name) not in {*self.sorts, *_SORTS, "Array", "BitVec", "RegLan"}
        need(good, f"the sort {name} has a meaning already")
        self.sorts[name] = sort
        return sort

    def _datatypes(self, names: list[str], bodies: list[Any]) -> None:
        plain = []
        for name, body in zip(names, bodies, strict=True):
            parameters, body = body[1:] if body[0] == "par" else ([], body)
            need(isinstance(body, list) and isinstance(parameters, list), f"not a datatype: {name}")
            types = tuple(map(named, parameters))
            constructors = [[named(c[0]), *pairs(c[1:])] for c in ([c] if isinstance(c, str) else c for c in body)]
            self._new_sort(name, (types, constructors) if types else ("user", name))
            for word in [w for c in constructors for w in (c[0], *[s for s, _ in c[1:]])]:
                self.symbols[self._new(word)] = []
            plain += [] if types else [(("user", name), constructors)]
        for sort, constructors in plain:
            self._build(sort, constructors, {}, "")

    def _build(self, sort: Sort, constructors: list[list[Any]], types: Mapping[str, Sort], suffix: str) -> None:
        self.data[sort] = {}
        for c, *fields in constructors:
            written = [c, *[s for s, _ in fields]]
            name, *selectors = [fresh_name(w + suffix, self.symbols) if suffix else w for w in written]
            sorts = tuple(self.sort(s, types) for _, s in fields)
            built = Function(name, sorts, sort, tuple(selectors))
            self.data[sort][c] = self.constructors[name] = built
            made = [built, *[Function(n, (sort,), s) for n, s in zip(selectors, sorts, strict=True)]]
            for word, f in zip(written, made, strict=True):
                self.symbols[word].append(f)
                self.symbols.setdefault(f.name, [f])
            self.selectors.update({n: (built, i) for i, n in enumerate(selectors)})

    def fields(self, t: Term, c: Function) -> list[Term]:
        return [make("fun", n, (t,), s) for n, s in zip(c.selectors, c.params, strict=True)]

    def _define(self, heads: list[Any], bodies: list[Any], *, recursive: bool) -> None:
        made = []
        for (name, params, sort), body in zip(heads, bodies, strict=True):
            bound = self.variables(params)
            f = Function(self._new(name), tuple(p.sort for p in bound.values()), self.sort(sort))
            made.append((f, bound, body))
            self.symbols |= {name: [f]} if recursive else {}
        for f, bound, body in made:
            variables = tuple(bound.values())
            self.definitions[f.name] = f._replace(vars=variables, body=self.term(body, bound, f.sort))
            self.symbols[f.name] = [f]

    def sort(self, expr: Any, types: Mapping[str, Sort] | None = None) -> Sort:
        match expr:
            case ["_", "BitVec", str(width)] if width.isdecimal():
                return ("BitVec", int(width))
            case ["Array", index, value]:
                return ("Array", self.sort(index, types), self.sort(value, types))
        name, *rest = expr if isinstance(expr, list) and expr else [expr]
        args, known = tuple(self.sort(a, types) for a in rest), {**self.sorts, **_SORTS, **(types or {})}
        found: Any = known.get(named(name))
        need(found, f"this script does not know the sort {shown(expr)}", Undecided)
        if not isinstance(found[0], tuple):
            need(not args, f"not a parametric sort: {shown(expr)}")
            return tuple(found)
        if (name, args) not in self._copies:
            suffix = "_" + "_".join(map(sort_word, args)) if any(n == name for n, _ in self._copies) else ""
            sort = ("user", fresh_name("_".join((name, *map(sort_word, args))), self.sorts))
            self._copies[name, args] = self.sorts[sort[1]] = sort
            self._build(sort, found[1], dict(zip(found[0], args, strict=True)), suffix)
        return self._copies[name, args]

    def term(self, expr: Any, env: Env | None = None, sort: Sort | None = BOOL) -> Term:
        found = self._term(expr, env or {}, sort)
        found = as_real(found) if sort == REAL else found
        need(sort in (None, found.sort), f"of another sort than it should be: {shown(expr)}")
        return found

    def variables(self, expr: Any) -> dict[str, Term]:  # new variables for a list of names with sorts
        found = {named(name): variable(name, self.sort(sort)) for name, sort in pairs(expr)}
        need(len(found) == len(expr), f"bad variables: {shown(expr)}")
        return found

    def _term(self, expr: Any, env: Env, want: Sort | None) -> Term:
        match [expr] if isinstance(expr, list) and expr[:1] in (["_"], ["as"]) else expr:
            case str():
                return self._atom(expr, env, want)
            case ["let", bindings, body]:
                values = {named(n): self._term(v, env, None) for n, v in pairs(bindings)}
                need(len(values) == len(bindings), "bad names in a let")
                return self._term(body, {**env, **values}, want)
            case ["forall" | "exists" as word, [_, *_] as binders, body]:
                bound = self.variables(binders)
                inner = self.term(body, {**env, **bound})
                return make("all" if word == "forall" else "any", "", (inner,), BOOL, tuple(bound.values()))
            case ["match", subject, [_, *_] as cases]:
                return self._match(self._term(subject, env, None), pairs(cases), env, want)
            case ["!", body, *notes] if ":named" not in notes[::2]:
                return self._term(body, env, want)
            case [["as", name, written], *args] if name != "const":
                term = self._apply(named(name), (), args, env, self.sort(written))
                need(term.sort == self.sort(written), f"not well-sorted: {shown(expr)}")
                return term
            case [["_", "is", str(name)], inner]:
                subject = self._term(inner, env, None)
                table = self.data.get(subject.sort, {})
                (c, *_) = [c for w, c in table.items() if name in (w, c.name)]
                return make("is", c.name, (subject,))
            case [["_", str(name), str(width)]] if re.fullmatch(r"bv(0|[1-9][0-9]*)", name) and width.isdecimal():
                need(not int(name[2:]) >> int(width), f"not well-sorted: {shown(expr)}")
                return literal(int(name[2:]), ("BitVec", int(width)))
            case [["_", str(name), *index], *args] if all(isinstance(i, str) and i.isdecimal() for i in index):
                return self._apply(name, tuple(map(int, index)), args, env, want)
            case [str(name), _, *_] if name not in env:
                return self._apply(named(name), (), expr[1:], env, want)
        raise Undecided(f"this script does not know {shown(expr)}")

    def _atom(self, text: str, env: Env, want: Sort | None) -> Term:
        if text[0].isdecimal():
            whole = text.isdecimal() and want != REAL
            return literal(int(text), INT) if whole else literal(Fraction(text), REAL)
        if text[0] == "#":
            base, bits = (16, 4) if text[1] == "x" else (2, 1)
            return literal(int(text[2:], base), ("BitVec", bits * len(text[2:])))
        return {"true": TRUE, "false": FALSE, **env}.get(text) or self._apply(named(text), (), [], env, want)

    def _apply(self, name: str, index: tuple[int, ...], args: list[Any], env: Env, want: Sort | None) -> Term:
        found = self.symbols.get(name)
        if found is not None and not index:
            found = [f for f in found if f.sort == want] or found  # copies: by the sort wanted or the first argument
            sorts = [self._term(a, env, None).sort for a in args[:1] if len(found) > 1]
            found = [f for f in found if list(f.params[:1]) == sorts] if sorts else found
            need(len(found) == 1, f"a sort is not clear: {name}", Undecided)
            need(len(args) == len(found[0].params), f"{name} takes {len(found[0].params)} arguments")
            return found[0].call([self.term(a, env, s) for a, s in zip(args, found[0].params, strict=True)])
        need(name in _RESULTS, f"this script does not know the symbol {name}", Undecided)
        terms: list[Term] = []
        if name in ("=", "distinct", "ite"):
            terms = [self.term(a, env) for a in args[: name == "ite"]]
            terms += self._alike([(a, env) for a in args[len(terms) :]], want if terms else None)
        for a in args[len(terms) :]:
            same = terms[0].sort[len(terms)] if name in ("select", "store") and terms else None
            terms.append(self._term(a, env, same or (want if name in ("+", "-", "*", "/") else None)))
        return theory_term(name, index, terms)

    def _alike(self, parts: Sequence[tuple[Any, Env]], want: Sort | None) -> list[Term]:
        """Terms of one sort; the first of which it is clear tells it to the others."""
        done: dict[int, Term] = {}
        for i, (expr, env) in enumerate(parts if want is None else ()):
            with contextlib.suppress(Undecided):
                done[i] = self._term(expr, env, None)
                want = done[i].sort
                break
        terms = [done.get(i) or self._term(expr, env, want) for i, (expr, env) in enumerate(parts)]
        terms = [as_real(t) for t in terms] if any(t.sort == REAL for t in terms) else terms
        need(len({t.sort for t in terms}) == 1, f"of different sorts: {shown([expr for expr, _ in parts])}")
        return terms

    def _match(self, subject: Term, cases: list[list[Any]], env: Env, want: Sort | None) -> Term:
        """As testers. Patterns inside patterns are not known here."""
        table = self.data.get(subject.sort, {})
        left = [c.name for c in table.values()]
        asked, parts = list[list[str]](), list[tuple[Any, Env]]()
        for pattern, body in cases:
            word, *names = pattern if isinstance(pattern, list) and pattern[0] != "as" else [pattern]
            c = table.get(word[1] if isinstance(word, list) and word[0] == "as" else word)
            names, values = (names, self.fields(subject, c)) if c else ([pattern], [subject])
            inner = [n for n in names if not isinstance(n, str) or any(n in cs for cs in self.data.values())]
            need(not inner, f"this script does not know the pattern {shown(pattern)}", Undecided)
            bound = {named(n): v for n, v in zip(names, values, strict=True) if n != "_"}
            need(len(bound) == len(names) - names.count("_"), f"a name twice in {shown(pattern)}")
            asked.append([n for n in ([c.name] if c else left) if n in left])
            left = [n for n in left if n not in asked[-1]]
            parts.append((body, {**env, **bound}))
        need(not left, "a match that does not cover all constructors")
        rows = [row for row in zip(asked, self._alike(parts, want), strict=True) if row[0]]
        result = rows.pop()[1]
        for (name, *_), branch in reversed(rows):
            result = theory("ite", make("is", name, (subject,)), branch, result, sort=result.sort)
        return result


def sort_word(sort: Sort) -> str:
    return "_".join([sort_word(s) if isinstance(s, tuple) else str(s) for s in sort[sort[0] == "user" :]])


def fresh_name(name: str, taken: Iterable[str]) -> str:  # the name, or the first numbered one that is not taken
    stem, taken = name.rstrip("0123456789") or name, set(taken)
    return name if name not in taken else next(n for i in itertools.count(1) if (n := f"{stem}{i}") not in taken)


@dataclass
class Theorem:
    signature: Signature
    premises: dict[str, Term]
    goal: Term
    measures: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    termination: list[Any] = field(default_factory=list)  # as claimed
    bounds: dict[str, Any] = field(default_factory=dict)


def meant(command: Any, text: str, functions: dict[str, Any], sorts: dict[str, Any]) -> Any:
    """A command, or what gives a meaning in place of a declaration: the definition, the enumeration (of new names)."""
    command = ["declare-fun", command[1], [], *command[2:]] if command[:1] == ["declare-const"] else command
    match command:
        case ["declare-fun", str(name), list(params), sort] if name in functions:
            names, body = object_of(functions.pop(name), "params", "body")
            binders = [list(p) for p in zip(listed(names, "params"), params, strict=True)]
            return ["define-fun", name, binders, sort, one_of(body)]
        case ["declare-sort", str(name), *_] if name in sorts:
            need(elements := listed(sorts.pop(name), "elements"), f"no elements of {name}")
            need(not any(e in text for e in elements), f"elements of {name} that are not new")
            return ["declare-datatype", name, [[named(e)] for e in elements]]
    return command


def denied(formula: Term) -> Term:  # for all, what stands last in "there is" implies its opposite
    if formula.op == "any":
        return every(formula.bound, denied(formula.args[0]))
    if is_th(formula, "distinct") and len(formula.args) == 2:
        return theory("=", *formula.args)
    return imp(conj(formula.args[:-1]), denied(formula.args[-1])) if is_th(formula, "and") else neg(formula)


def read_theorem(data: bytes, given: Any = None) -> Theorem:
    """The theorem of a text, with an interpretation. What it says about itself (``:status``) is not used."""
    signature, text = Signature(), data.decode("utf-8").removeprefix("\ufeff")
    functions, sorts = object_of(given, "functions", "sorts") if given is not None else ({}, {})
    facts: list[tuple[str | None, Term]] = []
    goals, checked = list[Term](), False
    for command in [meant(c, text, functions, sorts) for c in read(text)]:
        match command:
            case ["check-sat" | "exit"]:
                checked = True
            case [str(word), *_] if word in ("set-logic", "set-info", "set-option", "echo") or word.startswith("get-"):
                pass
            case _ if checked:
                raise Refused(f"{shown(command)} after check-sat")
            case ["assert" | "prove" | "assert-not" as word, body]:
                name = None
                if body[0] == "!":
                    notes = dict(zip(body[2::2], body[3::2], strict=True))
                    name, body = named(notes[":named"]) if ":named" in notes else None, body[1]
                if word != "assert" and body[0] == "par":  # a goal for all sorts: for sorts of which nothing is known
                    for t in body[1]:
                        signature.command(["declare-sort", t])
                    body = body[2]
                formula = signature.term(body)
                facts += [(name, formula)] if word == "assert" else []
                goals += [formula] if word != "assert" else []
            case _:
                signature.command(command)
    need(not functions and not sorts, f"a meaning for what is not declared: {', '.join([*functions, *sorts])}")
    if not goals and checked and facts and facts[-1][1].op == "any":
        goals = [denied(facts.pop()[1])]
    if not goals:  # the last negated assertion is the goal
        last = max((i for i, (_, f) in enumerate(facts) if is_th(f, "not")), default=-1)
        goals = [facts.pop(last)[1].args[0]] if last >= 0 else []
    need(goals, "no goal")  # of several the last: nothing follows from those before it
    premises: dict[str, Term] = {}
    for number, (name, formula) in enumerate(facts, 1):
        label = name or fresh_name(f"premise-{number}", [*premises, *[n for n, _ in facts if n]])
        need(label not in signature.symbols and label not in premises, f"{label} names a premise and something else")
        premises[label] = formula
    return Theorem(signature, premises, goals[-1])


# ====================================================================================== equivalent forms
_NUMBERS: dict[str, Callable[..., Any]] = {
    **{"+": operator.add, "-": lambda a, b=None: -a if b is None else a - b},
    **{"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
}


class Simplifier:  # equivalent terms: Boolean laws, constructors against selectors and testers, numbers
    def __init__(self, signature: Signature) -> None:
        self.signature, self.done = signature, dict[Term, Term]()

    def __call__(self, t: Term) -> Term:
        if t not in self.done:
            self.done[t] = self.simpler(t)
        return self.done[t]

    def simpler(self, t: Term) -> Term:
        if is_th(t, "ite"):
            condition, then, otherwise = self(t.args[0]), *t.args[1:]
            if condition in (TRUE, FALSE):
                return self(then if condition is TRUE else otherwise)
            then, otherwise = self(then), self(otherwise)
            if is_th(condition, "not"):
                condition, then, otherwise = condition.args[0], otherwise, then
            if {then, otherwise} == {TRUE, FALSE}:
                return condition if then is TRUE else neg(condition)
            return then if then is otherwise else theory("ite", condition, then, otherwise, sort=then.sort)
        if is_th(t, "and", "or"):  # no further than what decides it
            zero = FALSE if t.name == "and" else TRUE
            parts = list(itertools.takewhile(lambda p: p is not zero, map(self, t.args)))
            return zero if len(parts) < len(t.args) else (conj if t.name == "and" else disj)(parts)
        if is_th(t, "=>"):
            left = self(t.args[0])
            return TRUE if left is FALSE else imp(left, self(t.args[1]))
        args = [self(a) for a in t.args]
        if t.bound:
            return quantified(t.op, t.bound, args[0])
        if t.op == "is" and (self.built(args[0]) or len(self.signature.data[args[0].sort]) == 1):
            return literal(not self.built(args[0]) or args[0].name == t.name, BOOL)
        if t.op == "fun" and t.name in self.signature.selectors and self.built(args[0]):
            constructor, i = self.signature.selectors[t.name]
            if args[0].name == constructor.name:
                return args[0].args[i]
        if is_th(t, "not"):
            return neg(args[0])
        if is_th(t, "=", "distinct"):
            same = [self.equal(*p) for p in itertools.combinations(args, 2)]
            return same[0] if t.name == "=" else conj(map(neg, same))
        if is_th(t, *_NUMBERS) and all(a.op == "lit" and a.sort in (INT, REAL) for a in args):
            return literal(_NUMBERS[t.name](*[a.name for a in args]), t.sort)
        return make(t.op, t.name, args, t.sort)

    def built(self, t: Term) -> bool:
        return t.op == "fun" and t.name in self.signature.constructors

    def equal(self, a: Term, b: Term) -> Term:  # an equation of simplified terms
        if a is b or (a.op == b.op == "lit" and a.sort == b.sort):
            return literal(a is b, BOOL)
        for one, other in ((a, b), (b, a)):
            if one in (TRUE, FALSE):
                return other if one is TRUE else neg(other)
        if self.built(a) and self.built(b):
            return conj(map(self.equal, a.args, b.args)) if a.name == b.name else FALSE
        return theory("=", a, b)

    def opened(self, formula: Term) -> Sequent:
        """An equivalent sequent: conclusion and hypotheses taken apart as far as sequents can say the same."""
        variables, hyps, waiting, concl = list[Term](), list[Term](), list[Term](), self(formula)

        def opens(binder: Term) -> Term:
            fresh = renewed(binder.bound)
            variables.extend(fresh.values())
            return self(subst(binder.args[0], fresh))

        while concl.op == "all" or is_th(concl, "=>", "not"):
            if concl.op == "all":
                concl = opens(concl)
            else:
                waiting.insert(0, concl.args[0])
                concl = concl.args[1] if concl.name == "=>" else FALSE
        while waiting:
            hyp = waiting.pop()
            if is_th(hyp, "and"):
                waiting.extend(reversed(hyp.args))
            elif hyp.op == "any":
                waiting.append(opens(hyp))
            elif hyp is FALSE:
                return Sequent((), (), TRUE)
            elif hyp is not TRUE and hyp not in hyps:
                hyps.append(hyp)
        return Sequent(tuple(variables), tuple(hyps), concl)


class Sequent(NamedTuple):  # for all values of ``vars``: if ``hyps`` hold, so does ``concl``
    vars: tuple[Term, ...]
    hyps: tuple[Term, ...]
    concl: Term

    @property
    def formula(self) -> Term:
        return every(self.vars, imp(conj(self.hyps), self.concl))


def covers(cited: Term, wanted: Term, simple: Simplifier) -> bool:
    """Whether ``wanted`` says, up to names and simplifications, what ``cited`` says, so that it follows."""
    forms = []
    for s in (simple.opened(cited), simple.opened(wanted)):
        names: dict[Term, int] = {}
        concl = _form(s.concl, names)
        hyps = sorted(s.hyps, key=lambda h, names=names: repr(_form(h, dict(names))))  # type: ignore[misc]
        forms.append((concl, *[_form(h, names) for h in hyps]))
    return s.concl is TRUE or forms[0] == forms[1]


def _form(t: Term, names: dict[Term, int]) -> tuple[Any, ...]:
    Clock.tick()
    if t.op == "var":
        return names.setdefault(t, len(names)), t.sort
    return t.op, t.name, t.sort, *[_form(x, names) for x in (*t.bound, *t.args)]


# ============================================================================== what solvers are asked
# A solver: its name, a command that takes the name of an SMT-LIB file, and options to try one after the other.
Solver: TypeAlias = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
_CVC5_LIBRARY = """
import sys, cvc5
terms = cvc5.TermManager(); solver = cvc5.Solver(terms); symbols = cvc5.SymbolManager(terms)
for option in sys.argv[1:-1]:
    solver.setOption(*option.removeprefix("--").split("=", 1))
parser = cvc5.InputParser(solver, symbols)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, open(sys.argv[-1], encoding="utf-8").read(), "query")
while not (command := parser.nextCommand()).isNull():
    sys.stdout.write(command.invoke(solver, symbols))
"""
_MATCHING = ("auto_config=false", "smt.mbqi=false", "smt.random_seed=0")
_CVC5 = ("arrays-exp=true", "enum-inst=true", "full-saturate-quant=true", "solve-bv-as-int=sum")
_WAYS = {"z3": (_MATCHING, (*_MATCHING, "smt.case_split=3"), ()), "cvc5": tuple((f"--{o}",) for o in _CVC5)}


def find_solver(text: str) -> Solver | None:
    """The solver of a command. Of z3 and cvc5 the name is enough: on the path, beside Python, or (cvc5) its library."""
    words = shlex.split(text) or [""]
    found = shutil.which(words[0]) or shutil.which(words[0], path=str(Path(sys.executable).parent))
    name = Path(words[0]).name
    if not found and name == "cvc5" and importlib.util.find_spec("cvc5") is not None:
        return name, (sys.executable, "-c", _CVC5_LIBRARY), _WAYS[name]
    return (name, (found, *words[1:]), _WAYS.get(name, ((),))) if found else None


class Asker:  # poses questions, each to a fresh process
    def __init__(self, solvers: Sequence[Solver], seconds: float) -> None:
        self.solvers, self.seconds, self.posed = solvers, seconds, 0

    def answers(self, script: str, seconds: float) -> Iterator[str]:
        """``unsat``, ``sat`` or why there is no answer, behind the name of the solver. Only the bare word counts."""
        quantifiers = "(forall " in script or "(exists " in script
        for name, command, ways in self.solvers:
            for way in ways if quantifiers else dict.fromkeys((*ways[-1:], ())):
                Clock.tick()
                yield f"{name}: {self._run([*command, *way], script, min(seconds, Clock.ends - time.monotonic()))}"

    def _run(self, command: list[str], script: str, seconds: float) -> str:
        with tempfile.TemporaryDirectory() as folder, Path(folder, "answer").open("w+b") as out:
            Path(folder, "question.smt2").write_text(script, encoding="utf-8")
            command = [*command, f"{folder}/question.smt2"]
            try:
                done = subprocess.run(command, stdin=-3, stdout=out, stderr=out, timeout=seconds, check=False)
            except subprocess.TimeoutExpired:
                return "timeout"
            out.seek(0)
            said = out.read(200).decode("utf-8", "replace").strip()
        return said if done.returncode == 0 and said in ("unsat", "sat", "unknown") else f"error ({said})"

    def shows(self, name: str, scripts: list[str], otherwise: type[Exception] = Refused) -> None:
        """Have a solver say ``unsat`` to one of the scripts, which give it less and more; each a short time first."""
        self.posed += 1
        said: dict[str, str] = {}
        for seconds in dict.fromkeys((min(2.0, self.seconds), self.seconds)):
            for script, answer in ((s, a) for s in dict.fromkeys(scripts) for a in self.answers(s, seconds)):
                if answer.endswith(": unsat"):
                    return
                said[answer] = script
            wrong = [a for a, script in said.items() if a.endswith(": sat") and script == scripts[-1]]
            need(not wrong, f"{name} does not follow ({', '.join(said)})", otherwise)
        raise Undecided(f"{name} is not decided ({', '.join(said)})")

    def guess(self, script: str, seconds: float = 5.0) -> str:  # the first definite answer, if there is one soon
        said = (a.rpartition(": ")[2] for a in self.answers(script, min(seconds, self.seconds)))
        return next((a for a in said if a in ("unsat", "sat")), "")


class Writer:  # terms as text in names that mean nothing to a solver
    def __init__(self, signature: Signature) -> None:
        self.signature, self._texts = signature, dict[Term, str]()
        self._names: dict[tuple[str, Any], str] = {}

    def _name(self, kind: str, name: Any) -> str:
        plain = re.sub("[^A-Za-z0-9_]", "_", name[1] if kind == "v" else name)
        return self._names.setdefault((kind, name), f"{kind}{len(self._names)}.{plain}")

    def sort(self, sort: Sort) -> str:
        if sort[0] == "Array":
            return f"(Array {self.sort(sort[1])} {self.sort(sort[2])})"
        return self._name("s", sort[1]) if sort[0] == "user" else f"(_ BitVec {sort[1]})" if sort[1:] else sort[0]

    def text(self, t: Term) -> str:
        if t not in self._texts:
            args = "".join(f" {self.text(a)}" for a in t.args)
            self._texts[t] = f"({self._head(t)}{args})" if args else self._head(t)
            need(len(args) < 4_000_000, "too large a formula", Undecided)
        return self._texts[t]

    def _head(self, t: Term) -> str:
        if t.op == "lit" and t.sort[0] in ("Bool", "BitVec"):
            return str(t.name).lower() if t.sort == BOOL else f"(_ bv{t.name} {t.sort[1]})"
        if t.op == "lit":
            top, bottom = (abs(n) for n in Fraction(t.name).as_integer_ratio())
            text = str(top) if t.sort == INT else f"(/ {top}.0 {bottom}.0)"
            return f"(- {text})" if t.name < 0 else text
        if t.bound:
            return f"{'forall' if t.op == 'all' else 'exists'} ({self.binders(t.bound)})"
        if t.op == "is":
            return f"(_ is {self._name('f', t.name)})"
        if t.op == "size":
            return f"size.{self.sort(t.args[0].sort)}"
        return self._name(t.op[0], t.name) if t.op in ("fun", "var") else str(t.name)

    def binders(self, variables: Iterable[Term]) -> str:
        return " ".join(f"({self.text(v)} {self.sort(v.sort)})" for v in variables)

    def declarations(self) -> Iterator[str]:
        """The signature and symbols for the sizes of values; defined functions without their definitions."""
        s = self.signature
        yield "(set-logic ALL)"
        yield from (f"(declare-sort {self.sort(sort)} 0)" for sort in s.opaque)
        heads, bodies = "", ""
        for sort, table in s.data.items():
            heads, bodies = f"{heads} ({self.sort(sort)} 0)", bodies + " ("
            for c in table.values():
                fields = [f"({self._name('f', n)} {self.sort(r)})" for n, r in zip(c.selectors, c.params, strict=True)]
                bodies += f" ({self._name('f', c.name)} {' '.join(fields)})"
            bodies += ")"
        yield f"(declare-datatypes ({heads}) ({bodies}))" if heads else ""
        for f in (*s.declared.values(), *s.definitions.values()):
            yield f"(declare-fun {self._name('f', f.name)} ({' '.join(map(self.sort, f.params))}) {self.sort(f.sort)})"
        yield from (f"(declare-fun size.{self.sort(sort)} ({self.sort(sort)}) Int)" for sort in s.data)

    def fact(self, term: Term, trigger: Term | None = None) -> str:
        """An assertion; a universal one with a trigger that a solver can match."""
        if term.op != "all" or trigger is None or not trigger.args:
            return f"(assert {self.text(term)})"
        body = f"(! {self.text(term.args[0])} :pattern ({self.text(trigger)}))"
        return f"(assert (forall ({self.binders(term.bound)}) {body}))"

    def script(self, facts: Iterable[Term], goal: Term, lines: Iterable[str] = ()) -> str:
        """A question: lines and facts, and the goal denied; free variables are constants."""
        facts = [*facts, theory("not", goal)]
        constants = sorted(_NONE.union(*[f.free for f in facts]), key=lambda v: v.name[0])
        declared = [f"(declare-const {self.text(v)} {self.sort(v.sort)})" for v in constants]
        return "\n".join([*self.declarations(), *declared, *lines, *map(self.fact, facts), "(check-sat)", ""])


# ================================================================================ recursion and its end
class Call(NamedTuple):  # of ``name`` at ``args`` in a body, made where ``path`` holds, for any values of ``bound``
    caller: str
    name: str
    args: tuple[Term, ...]
    path: tuple[Term, ...]
    bound: tuple[Term, ...]


class Recursion:  # which definitions may be assumed, and what falls where functions call themselves
    def __init__(self, theorem: Theorem, writer: Writer, asker: Asker, simple: Simplifier) -> None:
        self.theorem, self.writer, self.asker, self.simple = theorem, writer, asker, simple
        self.signature, self.data = theorem.signature, theorem.signature.data
        self.definitions = theorem.signature.definitions
        self.edges = {n: d.body.funs for n, d in self.definitions.items()}
        reached = {n: reach(called, self.edges) for n, called in self.edges.items()}
        self.recursive = {n for n in reached if n in reached[n]}
        self.groups = {n: frozenset(m for m in r if n in reached.get(m, ())) | {n} for n, r in reached.items()}
        self.total: set[str] = set()
        self.calls = {n: self._calls(n) for n in self.groups}
        self.doubtful: list[str] = []
        claims = {frozenset(listed(e["functions"], "functions")): e for e in theorem.termination}
        good = len(claims) == len(theorem.termination) and claims.keys() <= set(self.groups.values())
        need(good, "claims for other groups")
        for group in sorted(set(self.groups.values()), key=lambda g: len(reached[min(g)])):  # those called come first
            if group in claims and group <= self.recursive:
                self._ends(group, claims[group])
            elif not group.isdisjoint(self.recursive):
                self.doubtful += [n for n in sorted(group) if n not in theorem.measures]
                continue
            self.total |= group
            self._learn(group)

    def _calls(self, name: str) -> list[Call]:
        """The calls from the body of ``name`` to its own group, in the order in which the body can be evaluated."""
        found, group = dict[Call, None](), self.groups[name]

        def walk(t: Term, path: tuple[Term, ...], bound: tuple[Term, ...]) -> None:
            Clock.tick()
            if group.isdisjoint(t.funs):
                return
            if t.bound:
                fresh = renewed(t.bound)
                walk(subst(t.args[0], fresh), path, (*bound, *fresh.values()))
            elif is_th(t, "ite"):
                walk(t.args[0], path, bound)
                walk(t.args[1], longer(path, t.args[0]), bound)
                walk(t.args[2], longer(path, neg(t.args[0])), bound)
            elif is_th(t, "and", "or", "=>"):  # each part with what holds when the evaluation goes on after it
                parts = [(a, neg(a) if t.name == "or" or (t.name == "=>" and i) else a) for i, a in enumerate(t.args)]
                for part, after in sorted(parts, key=lambda p: not group.isdisjoint(p[0].funs)):
                    walk(part, path, bound)
                    path = longer(path, after)
            else:
                if t.op == "fun" and t.name in group:
                    found[Call(name, t.name, t.args, path, bound)] = None
                for a in t.args:
                    walk(a, path, bound)

        walk(self.simple(self.definitions[name].body), (), ())
        return list(found)

    def holds(self, path: Iterable[Term], goal: Term) -> bool:
        return goal is TRUE or self.asker.guess(self.writer.script(path, goal)) == "unsat"

    def _number(self, name: str, text: Any) -> Term:
        found = self.theorem.signature.term(one_of(text), {p.name[1]: p for p in self.definitions[name].vars}, None)
        exists = not found.funs & self.definitions.keys() - self.total
        need(exists and (found.sort == INT or found.sort[0] == "BitVec"), f"{text} is no measure for {name}")
        return found

    def _ends(self, group: frozenset[str], claim: dict[str, Any]) -> None:
        calls = [c for n in sorted(group) for c in self.calls[n]]
        need("bound" not in claim, f"this script knows no calls in calls: {', '.join(sorted(group))}", Undecided)
        for component in listed(object_of(claim, "functions", "components")[1], "components", dict):
            said = [(c, *self._compared(c, component)) for c in on_cycles(calls)]
            calls = [c for c, known, falls, _ in said if not self.holds(known, falls)]
            stays = all(self.holds(known, no_more) for c, known, _, no_more in said if c in calls)
            need(stays, f"not shown to terminate: {', '.join(sorted(group))} (something may rise)", Undecided)
        need(not on_cycles(calls), f"not shown to terminate: {', '.join(sorted(group))} (nothing falls)", Undecided)

    def _compared(self, c: Call, component: dict[str, Any]) -> tuple[list[Term], Term, Term]:
        if "size" in component:
            places, twice = object_of({"twice": [], **component}, "size", "twice")
            need(not twice, "this script does not count twice", Undecided)
            before = [self.definitions[c.caller].vars[i] for i in places[c.caller]]
            return self.by_size(before, [c.args[i] for i in places[c.name]], c.path)
        texts, _ = object_of(component, "measure", "falls")  # at which calls it falls is seen, not believed
        now, then = (self._number(n, texts[n]) for n in (c.caller, c.name))
        then = self.definitions[c.name].at(c.args, then)
        return [*c.path], falls_below(then, now), theory("<=" if now.sort == INT else "bvule", then, now)

    def sizes(self, terms: Iterable[Term], start: int = 0) -> Term:
        total = literal(start, INT)
        for term in terms:
            total = theory("+", total, make("size", "", (term,), INT), sort=INT) if term.sort in self.data else total
        return total

    def by_size(self, before: list[Term], after: list[Term], path: Sequence[Term]) -> tuple[list[Term], Term, Term]:
        """What is known on the path, that there are together fewer constructors in ``after``, and that not more."""
        sizes = self.sizes(after), self.sizes(before)
        return [*path, *self.size_facts([*before, *after, *path])], theory("<", *sizes), theory("<=", *sizes)

    def size_facts(self, terms: list[Term], learning: Iterable[str] = ()) -> list[Term]:
        """What is true of the sizes of the terms, of their parts, and of what total functions make of them."""
        facts, seen = list[Term](), set[Term]()
        free = _NONE.union(*[t.free for t in terms])
        waiting = [(p, 2) for t in terms for p in parts_of(t) if p.free <= free]
        while waiting:
            t, depth = waiting.pop()
            if t in seen or t.sort not in self.data:
                continue
            seen.add(t)
            built = self.simple.built(t)
            facts.append(theory("<=", literal(1, INT), self.sizes([t])))
            for c in self.data[t.sort].values():
                if built and t.name != c.name:
                    continue
                fields = [f for f in (t.args if built else self.signature.fields(t, c)) if f.sort in self.data]
                total = theory("=", self.sizes([t]), self.sizes(fields, 1))
                facts.append(total if built else imp(make("is", c.name, (t,)), total))
                waiting += [(f, depth if built else depth - 1) for f in fields if built or depth]
            if t.op == "fun" and t.name in self.total and t.name not in learning:
                facts += [self._kept(t)] if t.name in self.theorem.bounds else []
                d = self.definitions[t.name]
                body = self.simple(d.at(t.args, d.body))
                if depth:
                    facts.append(theory("=", t, body))
                    waiting += [(p, depth - 1) for p in parts_of(body) if p.free <= free]
        return facts

    def _kept(self, call: Term) -> Term:
        places, spare = object_of(self.theorem.bounds[call.name], "arguments", "spare")
        return theory("<=", self.sizes([call]), self.sizes([call.args[i] for i in places], -int(spare)))

    def _learn(self, group: frozenset[str]) -> None:
        for name in sorted(claimed := group & self.theorem.bounds.keys()):
            d, calls = self.definitions[name], [c for c in self.calls[name] if not c.bound]
            made = [self.definitions[c.name].call(c.args) for c in calls]
            given = [imp(conj(c.path), self._kept(m)) for c, m in zip(calls, made, strict=True) if c.name in claimed]
            given.append(theory("=", d.call(d.vars), body := self.simple(d.body)))
            terms = [body, *d.vars, *made, *[t for c in calls for t in c.path]]
            good = self.holds([*given, *self.size_facts(terms, group)], self._kept(d.call(d.vars)))
            need(good, f"bound of {name}: not shown", Undecided)

    def guards(self) -> dict[str, Term]:
        """Where the equations of measured functions may be used: where the measures fall at each call that is made."""
        found, measures = {}, self.theorem.measures
        edges = {n: {*called, *[f for m in measures.get(n, ()) for f in m.funs]} for n, called in self.edges.items()}
        for name, terms in measures.items():
            group = self.groups[name]
            whole = group <= measures.keys() and len({len(measures[n]) for n in group}) == 1
            good = name in self.recursive and whole and terms and all(t.sort == INT for t in terms)
            need(good, f"measures are integers, for whole groups of recursive functions: {name}")
            need(group.isdisjoint(reach(_NONE.union(*[t.funs for t in terms]), edges)), f"{name}: a circular measure")
            falls = []
            for call in self.calls[name]:
                less = FALSE  # lexicographically, from the last measure on
                for t, before in reversed(list(zip(measures[call.name], terms, strict=True))):
                    after = self.definitions[call.name].at(call.args, t)
                    less = disj([falls_below(after, before), conj([theory("=", after, before), less])])
                falls.append(every(call.bound, imp(conj(call.path), less)))
            found[name] = conj(falls)
        return found

    def points(self, name: str) -> list[Call]:
        """Where ``name`` comes back to itself, as calls from ``name``; each other function is passed at most once."""
        found, left = list[Call](), 5_000  # to leave some out means fewer hypotheses
        waiting = [(Call(name, name, self.definitions[name].vars, (), ()), frozenset([name]))]
        while waiting and len(found) < 100 and (left := left - 1):
            at, passed = waiting.pop()
            for call in self.calls[at.name]:
                if call.name == name or call.name not in passed:
                    fresh = renewed(call.bound)
                    given = {**dict(zip(self.definitions[at.name].vars, at.args, strict=True)), **fresh}
                    args, path = (tuple(subst(t, given) for t in terms) for terms in (call.args, call.path))
                    there = Call(name, call.name, args, (*at.path, *path), (*at.bound, *fresh.values()))
                    if call.name == name:
                        found.append(there)
                    else:
                        waiting.append((there, passed | {call.name}))
        return found

    def cases(self, name: str, args: tuple[Term, ...], split: Iterable[Term]) -> list[tuple[tuple[Term, ...], Term]]:
        """Arguments, by constructors as far as these decide which way the body goes, and bodies: one always applies."""
        d = self.definitions[name]
        waiting = [(args, self.simple(d.at(args, d.body)), frozenset(split))]
        done: list[tuple[tuple[Term, ...], Term]] = []
        while waiting:
            here, body, free = waiting.pop()
            condition = body.args[0] if is_th(body, "ite") else body
            tested = self._tested(condition, free) if condition.sort == BOOL else None
            if tested is None or len(done) + len(waiting) > 198:
                done.append((here, body))
                continue
            cases = []
            for c in self.data[tested.sort].values():
                fields = tuple(variable(tested.name[1], s) for s in c.params)
                at = {tested: c.call(fields)}
                new = free - {tested} | frozenset(fields)
                cases.append((tuple(subst(a, at) for a in here), self.simple(subst(body, at)), new))
            waiting += reversed(cases)
        return done

    def _tested(self, condition: Term, free: frozenset[Term]) -> Term | None:
        if condition.op == "is":
            return condition.args[0] if condition.args[0] in free else None
        if is_th(condition, "="):
            sides = (condition.args, condition.args[::-1])
            return next((a for a, b in sides if a in free and self.simple.built(b) and not b.args), None)
        parts = condition.args if is_th(condition, "and", "or", "not", "=>") else ()
        return next(filter(None, (self._tested(a, free) for a in parts)), None)


def longer(path: tuple[Term, ...], condition: Term) -> tuple[Term, ...]:
    parts = condition.args if is_th(condition, "and") else (condition,)
    if is_th(condition, "not") and is_th(condition.args[0], "or"):
        parts = tuple(neg(a) for a in condition.args[0].args)
    return (*path, *[p for p in parts if p not in path])


def falls_below(then: Term, now: Term) -> Term:  # ``then`` is below ``now`` in an order without infinite descent
    return conj([theory("<=", ZERO, now), theory("<", then, now)]) if now.sort == INT else theory("bvult", then, now)


def reach(start: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    found, waiting = set[str](), list(start)
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += edges.get(name, ())
    return found


def on_cycles(calls: list[Call]) -> list[Call]:  # the calls that can be repeated without end
    edges = {c.caller: {d.name for d in calls if d.caller == c.caller} for c in calls}
    return [c for c in calls if c.caller in reach([c.name], edges)]


def object_of(value: Any, *keys: str) -> list[Any]:  # the entries of an object that has exactly these keys
    need(isinstance(value, dict) and set(value) == set(keys), f"an object is to have {', '.join(keys)}")
    return [value[k] for k in keys]


def listed(value: Any, what: str, kind: type = str) -> list[Any]:
    need(isinstance(value, list) and all(type(v) is kind for v in value), f"not a list as expected: {what}")
    return list(value)


# ============================================================================================ the steps
class Proof:  # the steps of a derivation: their schemes worked out again, their queries as obligations
    def __init__(self, theorem: Theorem, asker: Asker) -> None:
        self.theorem, self.asker, self.signature = theorem, asker, theorem.signature
        self.simple, self.writer = Simplifier(self.signature), Writer(self.signature)
        self.recursion = Recursion(theorem, self.writer, asker, self.simple)
        self.guards = self.recursion.guards()
        self.equations = self._equations()
        self.proved: dict[str, Sequent] = {}
        self.obligations: list[tuple[str, list[str]]] = []

    def check(self, steps: Any, wanted: Term) -> None:
        """Check all steps; the last one has to give ``wanted``. Raises Refused or Undecided."""
        need(not self.recursion.doubtful, f"not shown to terminate: {', '.join(self.recursion.doubtful)}", Undecided)
        name = ""
        for step in listed(steps, "steps", dict):
            name = step.get("id")
            good = isinstance(name, str) and re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]*", name)
            need(good and name not in self.proved, f"a step needs an id of its own: {name!r}")
            try:
                self.proved[name] = self._step(name, step)
            except (Refused, Undecided) as error:
                raise type(error)(f"step {name}: {error}") from None
        need(name and covers(end := self.proved[name].formula, wanted, self.simple), "the last step is another claim")
        need(covers(wanted, end, self.simple), "the last step is not what is claimed, which is trivial")
        for name, scripts in self.obligations:
            self.asker.shows(name, scripts)

    def _step(self, name: str, step: dict[str, Any]) -> Sequent:
        keys = ["query"] if "query" in step else ["scheme", "cites"]
        _, text, by, *cites = object_of(step, "id", "sequent", *keys)
        word, binders, hyps, concl = one_of(text)
        need(word == "sequent" and isinstance(hyps, list), "not a sequent")
        bound, formula = self.signature.variables(binders), self.signature.term
        s = Sequent(tuple(bound.values()), tuple(formula(h, bound) for h in hyps), formula(concl, bound))
        if not cites:
            self._query(name, s, by)
            return s
        cited, cases = [self.proved[c].formula for c in listed(cites[0], "cites")], self.instances(s, by)
        need(len(cited) == len(cases), f"{len(cases)} cases are needed ({by['kind']})")
        for number, (c, case) in enumerate(zip(cited, cases, strict=True), 1):
            need(covers(c, case, self.simple), f"the step cited is not case {number} of its scheme ({by['kind']})")
        return s

    def _term(self, text: Any, s: Sequent, sort: Sort | None = None) -> Term:
        return self.signature.term(one_of(text), {v.name[1]: v for v in s.vars}, sort)

    def _point(self, texts: Any, s: Sequent, sorts: Iterable[Sort]) -> list[Term]:
        return [self._term(t, s, sort) for t, sort in zip(listed(texts, "terms"), sorts, strict=True)]

    def instances(self, s: Sequent, scheme: Any) -> list[Term]:
        """Formulas that together give ``s``, for all values of what is free in them."""
        makers: dict[Any, tuple[Callable[..., list[Term]], tuple[str, ...]]] = {
            "structural": (self._structural, ("on", "general", "depth")),
            "integer": (self._integer, ("on", "base", "general", "upward", "width")),
            "measure": (self._measure, ("measure", "at")),
            "recursion": (self._along, ("function", "at", "general")),
            "size": (self._size, ("on", "at", "general", "twice")),
            "constructors": (lambda s, on: self._structural(s, on, [], 1, hypotheses=False), ("on",)),
            "conjuncts": (self._conjuncts, ()),
            **dict.fromkeys(("intro", "skolem"), (lambda s: [s.formula], ())),  # `covers` opens sequents on both sides
        }
        kind = scheme.get("kind") if isinstance(scheme, dict) else None
        need(kind in makers, f"this script does not know the scheme {kind!r}", Undecided)
        maker, keys = makers[kind]
        return maker(s, *object_of(scheme, "kind", *keys)[1:])

    def _moving(self, s: Sequent, on: Any, general: Any) -> tuple[list[Term], list[Term], list[Term], list[Term]]:
        by_name = {v.name[1]: v for v in s.vars}
        xs, general = ([by_name[n] for n in listed(names, "variables")] for names in (on, general))
        moving = frozenset([*xs, *general])
        need(len(moving) == len(xs) + len(general), "a variable that moves is no general one")
        inside = [h for h in s.hyps if not h.free.isdisjoint(moving)]
        return xs, general, [h for h in s.hyps if h not in inside], inside

    def _hypothesis(self, s: Sequent, inside: list[Term], there: Mapping[Term, Term], general: list[Term]) -> Term:
        fresh = renewed(general)
        return every(fresh.values(), subst(imp(conj(inside), s.concl), {**there, **fresh}))

    def _at(self, s: Sequent, here: Mapping[Term, Term], hyps: list[Term], inside: list[Term]) -> Term:
        return imp(conj([*hyps, *[subst(h, here) for h in inside]]), subst(s.concl, here))

    def _shapes(self, sort: Sort, depth: int) -> list[Term]:
        found: list[Term] = []
        for c in self.signature.data[sort].values():
            fields = [self._shapes(s, depth - 1) if s == sort and depth > 1 else [variable("x", s)] for s in c.params]
            found += map(c.call, itertools.product(*fields))
        return [subst(term, renewed(term.free)) for term in found]  # each shape gets variables of its own

    def _structural(self, s: Sequent, on: Any, general: Any, depth: Any, *, hypotheses: bool = True) -> list[Term]:
        (x,), moving, outside, inside = self._moving(s, [on], general)
        cases = []
        for term in self._shapes(x.sort, depth):
            below = [p for p in parts_of(term) if p is not term and p.sort == x.sort] if hypotheses else []
            hyps = [self._hypothesis(s, inside, {x: p}, moving) for p in below]
            cases.append(self._at(s, {x: term}, outside + hyps, inside))
        return cases

    def _integer(self, s: Sequent, on: Any, base: Any, general: Any, upward: Any, width: Any) -> list[Term]:
        (x,), moving, outside, inside = self._moving(s, [on], general)
        start = self._term(base, s, INT)
        good = x.sort == INT and start.free.isdisjoint((x, *moving)) and type(upward) is bool
        need(good and width == 1, "this script does not know such an induction on integers", Undecided)
        back, on, below, beyond = ("-", "+", "<", ">=") if upward else ("+", "-", ">", "<=")
        before, after = (theory(sign, t, literal(1, INT), sort=INT) for sign, t in ((back, x), (on, start)))
        hyp = self._hypothesis(s, inside, {x: before}, moving)
        return [
            imp(conj([*s.hyps, theory(below, x, start)]), s.concl),
            self._at(s, {x: start}, outside, inside),
            self._at(s, {}, [*outside, theory(beyond, x, after), hyp], inside),
        ]

    def _measure(self, s: Sequent, measure: Any, at: Any) -> list[Term]:
        here = self._term(measure, s, INT)
        fresh = list(renewed(s.vars).values())
        hyps = []
        for point in [self._point(p, s, [v.sort for v in s.vars]) for p in listed(at, "points", list)] or [fresh]:
            there = dict(zip(s.vars, point, strict=True))
            then = subst(here, there)
            given = conj([theory("<=", ZERO, then), theory("<", then, here), *[subst(h, there) for h in s.hyps]])
            hyps.append(every(fresh, imp(given, subst(s.concl, there))))
        return [imp(conj([*s.hyps, *hyps]), s.concl)]

    def _along(self, s: Sequent, function: Any, at: Any, general: Any) -> list[Term]:
        need(function in self.recursion.total & self.recursion.recursive, f"no total recursive function: {function}")
        d, points = self.signature.definitions[function], self.recursion.points(function)
        args = tuple(map(self.simple, self._point(at, s, d.params)))
        moves = {i for i, p in enumerate(d.vars) if any(c.args[i] is not p for c in points)}
        moved = {a: i for i, a in enumerate(args) if a.op == "var" and i in moves}
        _, general, outside, inside = self._moving(s, [v.name[1] for v in moved], general)
        mixed = any(not a.free.isdisjoint((*moved, *general)) for i, a in enumerate(args) if moved.get(a) != i)
        need(not mixed, "what stays speaks of what moves")
        cases = []
        for here, _ in self.recursion.cases(function, args, moved):
            hyps = []
            for point in points:
                fresh = renewed(point.bound)
                given = {**dict(zip(d.vars, here, strict=True)), **fresh}
                there = [self.simple(subst(a, given)) for a in point.args]
                path = conj([self.simple(subst(c, given)) for c in point.path])
                if all(there[i] is here[i] for i, a in enumerate(args) if a not in moved):
                    body = self._hypothesis(s, inside, {v: there[i] for v, i in moved.items()}, general)
                    hyps.append(every(fresh.values(), imp(path, body)))
            cases.append(self._at(s, {v: here[i] for v, i in moved.items()}, outside + hyps, inside))
        return cases

    def _size(self, s: Sequent, on: Any, at: Any, general: Any, twice: Any) -> list[Term]:
        xs, moving, outside, inside = self._moving(s, on, general)
        need(not twice, "this script does not count twice", Undecided)
        for point in listed(at, "points", list):
            condition, *there = map(self.simple, self._point(point, s, [BOOL, *[x.sort for x in xs]]))
            need(all(t.free.isdisjoint(moving) for t in (condition, *there)), "a point speaks of a general variable")
            known, falls, _ = self.recursion.by_size(xs, there, longer((), condition))
            need(self.recursion.holds(known, falls), f"not smaller: {point[1]}", Undecided)
            hyp = self._hypothesis(s, inside, dict(zip(xs, there, strict=True)), moving)
            outside = [*outside, imp(condition, hyp)]
        return [self._at(s, {}, outside, inside)]

    def _conjuncts(self, s: Sequent) -> list[Term]:
        both = is_th(s.concl, "=") and s.concl.args[0].sort == BOOL
        need(both or is_th(s.concl, "and"), "the conclusion is not a conjunction")
        parts = (imp(*s.concl.args), imp(*s.concl.args[::-1])) if both else s.concl.args
        return [imp(conj(s.hyps), p) for p in parts]

    def _guarded(self, name: str, args: Sequence[Term], equation: Term) -> Term:
        return imp(self.signature.definitions[name].at(args, self.guards.get(name, TRUE)), equation)

    def _equations(self) -> list[str]:
        lines = []
        for name, d in self.signature.definitions.items():
            recursive = name in self.recursion.recursive
            cases = self.recursion.cases(name, d.vars, d.vars)
            cases += [(d.vars, self.simple(d.body))] if len(cases) > 1 and not recursive else []
            for args, body in cases:
                if any(a.op != "var" for a in args) or not recursive:
                    fact = self._guarded(name, args, theory("=", left := d.call(args), body))
                    lines.append(self.writer.fact(every(left.free, fact), left))
        return lines

    def laws(self) -> list[str]:  # the definitions as they are written, for values that their recursion comes to
        calls = [(d.call(d.vars), d) for d in self.signature.definitions.values()]
        return self.equations + [self.writer.fact(every(d.vars, theory("=", c, d.body)), c) for c, d in calls]

    def _query(self, name: str, s: Sequent, query: Any) -> None:
        cites, instances, equations, quantified = object_of(query, "cites", "instances", "equations", "quantified")
        cited = {c: self.proved[c] for c in listed(cites, "cites")}
        facts = [self._instance(s, i, cited) for i in listed(instances, "instances", dict)]
        for x in s.vars:  # each value is built by a constructor: some solvers have to be told
            constructors = self.signature.data.get(x.sort, {}).values()
            parts = [f for c in constructors for f in self.signature.fields(x, c) if f.sort == x.sort]
            for part in (x, *parts) if constructors else ():
                made = [c.call(self.signature.fields(part, c)) for c in constructors]
                facts.append(disj([theory("=", part, m) for m in made]))
        asserted = list(dict.fromkeys([*s.hyps, *self.theorem.premises.values(), *[c.formula for c in cited.values()]]))
        need({type(equations), type(quantified)} == {bool}, "equations and quantified are true or false")
        scripts = []
        for all_of_it in (False, True):
            chosen = [f for f in asserted if quantified or all_of_it or not any(p.bound for p in parts_of(f))]
            lines = self.equations if equations or all_of_it else []
            scripts.append(self.writer.script([*facts, *chosen], s.concl, lines))
        self.obligations.append((f"step {name}", scripts))

    def _instance(self, s: Sequent, instance: Any, cited: Mapping[str, Sequent]) -> Term:
        of, name, texts = object_of(instance, "of", "name", "args")
        if of == "def":
            d = self.signature.definitions[name]
            args = self._point(texts, s, d.params)
            return self._guarded(name, args, theory("=", d.call(args), d.at(args, d.body)))
        if of == "step":
            args = self._point(texts, s, [v.sort for v in cited[name].vars])
            return subst(imp(conj(cited[name].hyps), cited[name].concl), dict(zip(cited[name].vars, args, strict=True)))
        need(of in ("premise", "hyp"), f"there is nothing to make this instance of: {of} {name}")
        formula = self.theorem.premises[name] if of == "premise" else s.hyps[int(name)]
        args = self._point(texts, s, [v.sort for v in formula.bound]) if formula.op == "all" else []
        return subst(formula.args[0], dict(zip(formula.bound, args, strict=True))) if args else formula


# ================================================================================= counterexamples
def check_counterexample(proof: Proof, evidence: dict[str, Any], proved: Iterable[str]) -> None:
    """From definitions, a table of declared functions and values, premises follow, and that the goal is false."""
    theorem, signature = proof.theorem, proof.signature
    doubtful = [*proof.recursion.doubtful, *theorem.measures]
    need(not doubtful, f"not shown to terminate: {', '.join(doubtful)}", Undecided)
    elements, table = dict[tuple[Sort, int], Term](), dict[Term, Term]()  # elements of declared sorts are different

    def read_value(value: Any, sort: Sort) -> Term:  # different ones are different in some model
        kind, inner = next(iter(value.items())) if isinstance(value, dict) and len(value) == 1 else ("", value)
        if type(value) is bool and sort == BOOL:
            return literal(value, BOOL)
        if type(value) is int and (sort == INT or (sort[0] == "BitVec" and 0 <= value < 1 << sort[1])):
            return literal(value, sort)
        if (kind, sort) in (("integer", INT), ("real", REAL)) and re.fullmatch("-?[0-9]+(/[1-9][0-9]*)?", str(inner)):
            return literal(Fraction(inner) if sort == REAL else int(inner), sort)
        if kind == "element" and sort in signature.opaque:
            name, number = object_of(inner, "sort", "number")
            need(name == sort_word(sort) and type(number) is int, "an element of another sort")
            return elements.setdefault((sort, number), variable(f"e{number}", sort))
        c = signature.constructors.get(inner[0]) if kind == "tuple" else None
        if c is None or c.sort != sort:
            raise Undecided(f"this script does not know the value {json.dumps(value)[:80]} of sort {sort_word(sort)}")
        return c.call([read_value(p, s) for p, s in zip(inner[1:], c.params, strict=True)])

    given, rows = object_of(evidence, "values", "table")
    for row in listed(rows, "table", dict):
        name, args, value = object_of(row, "function", "args", "value")
        need(name not in ("div", "mod", "/"), "this script does not choose values of divisions by zero", Undecided)
        f = signature.declared[name]
        value = read_value(value, f.sort)
        call = f.call([read_value(a, s) for a, s in zip(args, f.params, strict=True)])
        need(table.setdefault(call, value) is value, f"the table gives two values to {name}")
    goal, taken = theorem.goal, set(signature.symbols) | set(signature.constructors)
    needed, names = [(what, f) for what, f in theorem.premises.items() if what not in proved], set[str]()
    while goal.op == "all" or is_th(goal, "=>"):
        if goal.op == "all":
            at = {}
            for v in goal.bound:
                names.add(word := fresh_name(v.name[1], taken | names))
                at[v] = read_value(given[word], v.sort)
            goal = subst(goal.args[0], at)
        else:
            needed.append(("a hypothesis of the goal", goal.args[0]))
            goal = goal.args[1]
    need(names == set(given), "values for other variables than those of the goal")
    facts = [theory("=", call, value) for call, value in table.items()]
    different = itertools.combinations(elements.values(), 2)
    facts += [theory("not", theory("=", a, b)) for a, b in different if a.sort == b.sort]
    laws = proof.laws()
    for what, formula in [*needed, ("that the goal is false", neg(goal))]:
        questions = [proof.writer.script(facts, formula, lines) for lines in (proof.equations, laws)]
        try:
            proof.asker.shows(f"{what}, at the values,", questions, Undecided)
        except Undecided:
            contrary = proof.asker.guess(proof.writer.script(facts, neg(formula), laws))
            need(contrary != "unsat", f"at the values this does not hold: {what}")
            raise


# ==================================================================================== certificates
FILES, LEAN = ("theorem.smt2", "derivation.json", "obligations.smt2", "manifest.json"), "proof.lean"


def archive(folder: Path, theorem: bytes | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    kind = (manifest.get("language"), manifest.get("schema"))
    need(kind == ("smt", 1), f"this script does not know certificates of {kind}", Undecided)
    data = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if not p.is_dir()}
    more = {LEAN, *(name for name in data if re.fullmatch(r"proofs/[0-9]{3,5}\.cpc\.gz", name))}
    need(data.keys() - more == set(FILES), f"the folder is to have just {', '.join(FILES)}")
    sums = {name: hashlib.sha256(data[name]).hexdigest() for name in data if name != "manifest.json"}
    seal = json.dumps({k: v for k, v in manifest.items() if k != "manifest_sha256"}, sort_keys=True, indent=2) + "\n"
    good = manifest.get("manifest_sha256") == hashlib.sha256(seal.encode()).hexdigest()
    need(good and manifest.get("files") == sums, "a hash does not fit: a file was edited")
    need(theorem in (None, data["theorem.smt2"]), "the certificate is about another text than the theorem given")
    return manifest, data


def take_definitions(problem: Theorem, evidence: dict[str, Any]) -> None:
    """Move what a derivation says of definitions to the theorem."""
    signature = problem.signature
    for text in listed(evidence.pop("auxiliary", []), "auxiliary"):
        command = one_of(text)
        need(command[0] in ("define-fun", "define-fun-rec", "define-funs-rec"), "auxiliary, but no definition")
        signature.command(command)
    for name, terms in evidence.pop("measures", {}).items():
        env = {p.name[1]: p for p in signature.definitions[name].vars}
        problem.measures[name] = tuple(signature.term(one_of(t), env, INT) for t in listed(terms, "measures"))
    problem.termination, problem.bounds = evidence.pop("termination", []), evidence.pop("bounds", {})
    need(problem.bounds.keys() <= signature.definitions.keys(), "bounds of what has no definition")


def define(problem: Theorem, name: str) -> None:
    """Make a definition of the first premise that says of a declared function what it is, for all arguments."""
    f = problem.signature.declared.pop(name, None)
    for label, formula in problem.premises.items() if f else ():
        body = formula.args[0] if formula.op == "all" else formula
        for left, right in itertools.permutations(body.args if is_th(body, "=") and len(body.args) == 2 else ()):
            plain = (left.op, left.name) == ("fun", name) and len({*left.args} & {*formula.bound}) == len(left.args)
            if f and plain and right.free <= left.free:
                problem.signature.definitions[name] = f._replace(vars=left.args, body=right)
                del problem.premises[label]
                return
    raise Undecided(f"this script sees no premise that defines {name}")


def verify(folder: Path, theorem: bytes | None, asker: Asker, report: Namespace) -> None:
    """Check a certificate. Raises Refused or Undecided; holds otherwise."""
    manifest, data = archive(folder, theorem)
    report.notes += ["compared with its own theorem.smt2 only: give --theorem"] if theorem is None else []
    report.notes += [f"{LEAN} is left aside"] if LEAN in data else []
    report.statement, report.claim = str(manifest.get("statement")), str(manifest.get("claim"))
    evidence = json.loads(data["derivation.json"])
    given = evidence.pop("interpretation", None) if report.claim in ("counterexample", "negation proved") else None
    need("exist" not in (given or {}), "this script does not know values that are only said to exist", Undecided)
    problem = read_theorem(data["theorem.smt2"], given)
    stated, simple = problem.signature.term(one_of(report.statement)), Simplifier(problem.signature)
    need(covers(stated, problem.goal, simple) and covers(problem.goal, stated, simple), "the manifest has another goal")
    if given is not None and report.claim == "negation proved":  # of this: what has a meaning satisfies the premises
        problem = replace(problem, goal=imp(conj(problem.premises.values()), problem.goal), premises={})
    for name in listed(evidence.pop("defined", []), "defined"):
        define(problem, name)
    take_definitions(problem, evidence)
    need(given is None or not problem.measures, "a meaning beside measures")
    proved: list[str] = []
    if "premises" in evidence:  # the proof that the definitions alone imply some premises
        proved, inner = object_of(evidence.pop("premises"), "names", "proof")
        goal = conj([problem.premises[n] for n in listed(proved, "premises")])
        Proof(replace(problem, premises={}), asker).check(object_of(inner, "steps")[0], goal)
    proof = Proof(problem, asker)
    if report.claim == "counterexample":
        check_counterexample(proof, evidence, proved)
    else:
        wanted = {"proved": problem.goal, "negation proved": neg(problem.goal), "inconsistent": FALSE}
        need(report.claim in wanted, f"this script does not know the claim {report.claim!r}", Undecided)
        proof.check(object_of(evidence, "steps")[0], wanted[report.claim])
    if problem.premises and report.claim in ("proved", "negation proved"):
        given = [*problem.premises.values(), *[s.formula for s in proof.proved.values()]]
        said = asker.guess(proof.writer.script(given, FALSE, proof.equations), 2.0)
        need(said != "unsat", "the premises contradict each other")
        need(report.claim == "proved", "that the premises are consistent is not shown", Undecided)
        report.notes.append("no contradiction among the premises was seen; that there is none is not shown")
    laws = [every(d.vars, theory("=", d.call(d.vars), d.body)) for d in problem.signature.definitions.values()]
    whole = proof.writer.script([*laws, *problem.premises.values()], problem.goal, ["(check-sat)"])
    need(asker.guess(whole.removesuffix("(check-sat)\n")), "no solver can read the theorem", Undecided)  # only read


def judged(folder: Path, theorem: Path | None, solvers: Sequence[Solver], seconds: float, overall: float) -> Namespace:
    report = Namespace(certificate=str(folder), verdict=HOLDS, claim="", reason="", statement="", notes=[])
    asker, began = Asker(solvers, seconds), time.monotonic()
    Clock.ends = began + overall
    try:
        verify(folder, theorem.read_bytes() if theorem else None, asker, report)
    except (Refused, LookupError, TypeError, ValueError, AttributeError) as error:
        report.verdict = REFUSED
        report.reason = str(error) if isinstance(error, Refused) else f"malformed: {error!r}"[:300]
    except Exception as error:  # noqa: BLE001  whatever it is, nothing was shown
        report.verdict, report.reason = UNDECIDED, str(error) or type(error).__name__
    finally:
        Clock.ends = float("inf")
    report.obligations, report.seconds = asker.posed, round(time.monotonic() - began, 2)
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("certificate", type=Path, nargs="+", help="folder of a certificate, or of certificates")
    parser.add_argument("--theorem", type=Path, help="the theorem that each certificate has to be about")
    parser.add_argument("--solver", action="append", help="SMT-LIB solver as a command (default: z3, then cvc5)")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each question (default 20)")
    parser.add_argument("--overall", type=float, default=300.0, help="seconds for each certificate (default 300)")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    options = parser.parse_args(arguments)
    folders = []
    for path in options.certificate:
        inside = [] if (path / "manifest.json").exists() else sorted(p.parent for p in path.glob("*/manifest.json"))
        folders += inside or [path]
    solvers = [find_solver(s) for s in options.solver or ("z3", "cvc5")]
    if not any(solvers) or (options.solver and None in solvers):
        parser.error("no such solver")
    reports = []
    for folder in folders:
        report = judged(folder, options.theorem, [s for s in solvers if s], options.timeout, options.overall)
        reports.append(report)
        lines = [f"{report.verdict}  {report.claim}  {folder}  ({report.obligations} obligations, {report.seconds} s)"]
        lines += [f"  {line}" for line in [report.statement, report.reason, *report.notes] if line]
        print(json.dumps(report.__dict__) if options.json else "\n".join(lines), flush=True)
    return max((CODES.index(r.verdict) for r in reports), key=[0, 2, 1].index)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end in silence when nobody reads any more
    sys.setrecursionlimit(100_000)
    threading.stack_size(512 << 20)  # terms are nested
    code: list[int] = []
    thread = threading.Thread(target=lambda: code.append(main()))
    thread.start()
    thread.join()
    sys.exit(code[0] if code else 2)
