#!/usr/bin/env python3
"""Does a certificate show its theorem? A second checker, for sceptics: one file, no library, nothing of the program.

    python scripts/verify_certificate.py CERT [--theorem FILE.smt2] [--solver z3] [--timeout 20] [--json]

CERT is the folder of one certificate, or a folder of certificates. Exit code: 0 it holds, 1 refused, 2 undecided (of
several certificates the worst). No line is shared with the checker of the package. The theorem is read by a parser of
its own, what each step has to follow from is worked out anew, and what is left is posed to any SMT-LIB solver, each
question to a fresh process. The only evidence that counts is the word ``unsat`` with nothing beside it. Of
``obligations.smt2`` only the hash is compared, because the obligations are made anew.

What must be believed
---------------------
* Python, this file, and the ``unsat`` of the solver (for a counterexample: the evaluator below).
* Reading. Symbols of the theorem, of theories, and variables are different kinds of terms, and each bound variable is
  an object of its own, so no name can be captured. Solvers see numbered names only (``f3.append``): it does not matter
  what one thinks of ``|is-nil|`` or ``sin``. ``|x|`` and ``x`` are one symbol, as the standard says. What this script
  does not know (polymorphic functions, most of strings, floating point, Lean, logic programs) leaves the verdict
  undecided.
* Definitions. Equations may be assumed when they have a solution in every model of what is declared. Functions that
  call each other are accepted when each call (under the conditions on the way to it, the values of these functions
  being arbitrary) makes a lexicographic tuple smaller: sizes of datatype arguments (numbers of constructors; a field
  may count twice), integers that fall and were not negative, bit-vectors that fall unsigned. Then they can be computed
  by recursion along that order. Sizes of results are bounded by induction along the calls of total functions.
* Measures. A function with ``measures`` is assumed to satisfy its equation only where the measures fall at each call
  that is made (the guard). Such equations always have a solution: compute along the measures, and give a fixed value
  where one does not fall. Measures may not rest on the functions that they measure.
* Auxiliary definitions have new names and are accepted on the same terms, so each model of the theorem extends to
  them, and what is proved of the theorem's own symbols holds without them.
* Steps. A step by a query follows from definitions, premises, earlier steps and instances of these: the solver says
  so. A step by a scheme follows from the sequents that are worked out here, each an instance of a cited step with at
  most its hypotheses (`covers`). Inductions: constructors (hypotheses at proper parts), integers from a base, a measure
  that falls and was not negative, sizes that fall, and calls of a function that was shown to terminate.
* Premises that contradict each other are refused when a solver sees it; nobody promises that it does.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import itertools
import json
import operator
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

HOLDS, REFUSED, UNDECIDED = "holds", "refused", "undecided"
CODES = {HOLDS: 0, REFUSED: 1, UNDECIDED: 2}


class Refused(Exception):
    """The certificate is wrong; the message says where."""


class Undecided(Exception):
    """Something was not shown, or is not known to this script."""


# ================================================================================================ terms

Sort: TypeAlias = tuple[Any, ...]
BOOL: Sort = ("Bool",)
INT: Sort = ("Int",)
REAL: Sort = ("Real",)
STRING: Sort = ("String",)


@dataclass(slots=True, eq=False)
class Term:
    """An expression. Equal ones are the same object, because only `make` makes them.

    ``op`` is ``var``, ``lit``, ``fun`` (a symbol of the theorem), ``th`` (of a theory), ``is`` (tester of constructor
    ``name``), ``const`` (array), ``size`` (number of constructors), ``all`` or ``any``. ``funs`` are the names of the
    theorem's symbols in it.
    """

    op: str
    name: Any
    args: tuple[Term, ...]
    sort: Sort
    bound: tuple[Term, ...]
    free: frozenset[Term]
    funs: frozenset[str]
    quantified: bool


_KNOWN: dict[tuple[Any, ...], Term] = {}
_COUNT = itertools.count(1)
_NONE: frozenset[Any] = frozenset()


def make(op: str, name: Any, args: Iterable[Term] = (), sort: Sort = BOOL, bound: tuple[Term, ...] = ()) -> Term:
    args = tuple(args)
    key = (op, name, args, sort, bound)
    if key not in _KNOWN:
        free = _NONE.union(*[a.free for a in args]) - frozenset(bound)
        funs = _NONE.union({name} if op == "fun" else (), *[a.funs for a in args])
        quantified = bool(bound) or any(a.quantified for a in args)
        _KNOWN[key] = term = Term(op, name, args, sort, bound, free, funs, quantified)
        if op == "var":
            term.free = frozenset([term])
    return _KNOWN[key]


def variable(name: str, sort: Sort) -> Term:
    """A variable like no other."""
    return make("var", (next(_COUNT), name), (), sort)


def renewed(variables: Iterable[Term]) -> dict[Term, Term]:
    """New variables for these."""
    return {v: variable(v.name[1], v.sort) for v in variables}


def literal(value: Any, sort: Sort) -> Term:
    return make("lit", value, (), sort)


TRUE, FALSE, ZERO, ONE = literal(True, BOOL), literal(False, BOOL), literal(0, INT), literal(1, INT)


def theory(name: str, *args: Term, sort: Sort = BOOL) -> Term:
    return make("th", name, args, sort)


def is_th(term: Term, *names: str) -> bool:
    return term.op == "th" and term.name in names


def _junction(name: str, unit: Term, zero: Term, parts: Iterable[Term]) -> Term:
    flat = dict.fromkeys(p for part in parts for p in (part.args if is_th(part, name) else (part,)) if p is not unit)
    return zero if zero in flat else theory(name, *flat) if len(flat) > 1 else next(iter(flat), unit)


def conj(parts: Iterable[Term]) -> Term:
    return _junction("and", TRUE, FALSE, parts)


def disj(parts: Iterable[Term]) -> Term:
    return _junction("or", FALSE, TRUE, parts)


def neg(term: Term) -> Term:
    if term in (TRUE, FALSE):
        return FALSE if term is TRUE else TRUE
    return term.args[0] if is_th(term, "not") else theory("not", term)


def imp(left: Term, right: Term) -> Term:
    """Implication; quantifiers stand in front of it, and one that leads to another is joined with it."""
    if right.op == "all" and left.free.isdisjoint(right.bound):
        return every(right.bound, imp(left, right.args[0]))
    if is_th(right, "=>"):
        left, right = conj([left, right.args[0]]), right.args[1]
    if left is TRUE or right is TRUE:
        return right
    return TRUE if left is FALSE else neg(left) if right is FALSE else theory("=>", left, right)


def quantified(op: str, variables: Iterable[Term], body: Term) -> Term:
    """Quantified over those of the variables that occur (no sort is empty)."""
    used = tuple(v for v in dict.fromkeys(variables) if v in body.free)
    if body.op == op and used:
        used, body = used + body.bound, body.args[0]
    return make(op, "", (body,), BOOL, used) if used else body


def every(variables: Iterable[Term], body: Term) -> Term:
    return quantified("all", variables, body)


def subst(term: Term, mapping: Mapping[Term, Term]) -> Term:
    """Replace free variables. Bound ones get new objects, so none is captured."""
    done: dict[Term, Term] = dict(mapping)

    def go(t: Term) -> Term:
        if t not in done and t.free.isdisjoint(mapping):
            return t
        if t not in done and t.bound:
            fresh = renewed(t.bound)
            inner = {v: s for v, s in mapping.items() if v in t.free} | fresh
            done[t] = make(t.op, "", (subst(t.args[0], inner),), BOOL, tuple(fresh.values()))
        elif t not in done:
            done[t] = make(t.op, t.name, [go(a) for a in t.args], t.sort)
        return done[t]

    return go(term)


def parts_of(term: Term) -> Iterator[Term]:
    """All subterms, each once."""
    seen, waiting = {term}, [term]
    while waiting:
        yield (top := waiting.pop())
        waiting += dict.fromkeys(a for a in top.args if a not in seen)
        seen.update(top.args)


# ============================================================================================== reading

SExpr: TypeAlias = "tuple[str, str] | list[Any]"  # (kind, text), or a list of expressions
_TOKEN = re.compile(
    r"""[ \t\r\n]+|;[^\r\n]*|(?P<open>\()|(?P<close>\))|\|(?P<bars>[^|\\]*)\||"(?P<string>(?:[^"]|"")*)"(?!")"""
    r"""|(?P<word>[0-9A-Za-z~!@$%^&*_+=<>.?/:#-]+)"""
)
_KINDS = (
    ("num", re.compile(r"0|[1-9][0-9]*")),
    ("dec", re.compile(r"(?:0|[1-9][0-9]*)\.[0-9]+")),
    ("bits", re.compile(r"#b[01]+|#x[0-9a-fA-F]+")),
    ("key", re.compile(r":[^:#]+")),
    ("sym", re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][^:#]*")),
)


def read(text: str) -> list[SExpr]:
    """The expressions of a text."""
    stack: list[list[Any]] = [[]]
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or found.end() == place:
            raise Refused(f"unreadable text at character {place}: {text[place : place + 20]!r}")
        place = found.end()
        kind = found.lastgroup
        if kind == "open":
            stack.append([])
        elif kind == "close":
            if len(stack) == 1:
                raise Refused("a parenthesis too many")
            done = stack.pop()
            stack[-1].append(done)
        elif kind == "bars":
            stack[-1].append(("quoted", found["bars"]))
        elif kind == "string":
            stack[-1].append(("str", found["string"]))
        elif kind == "word":
            word = found["word"]
            label = next((label for label, form in _KINDS if form.fullmatch(word)), None)
            if label is None:
                raise Refused(f"{word} is no word of SMT-LIB")
            stack[-1].append((label, word))
    if len(stack) > 1:
        raise Refused("a parenthesis is never closed")
    return stack[0]


def name_in(expr: Any) -> str:
    """The text of a symbol."""
    if isinstance(expr, tuple) and expr[0] in ("sym", "quoted"):
        return str(expr[1])
    raise Refused(f"a name was expected, not {shown(expr)}")


def word_in(expr: Any) -> str:
    """The text of a symbol without bars (reserved words are none with them); empty for all else."""
    return str(expr[1]) if isinstance(expr, tuple) and expr[0] == "sym" else ""


def shown(expr: Any) -> str:
    """An expression in messages."""
    text = expr[1] if isinstance(expr, tuple) else "(" + " ".join(map(shown, expr)) + ")"
    return text if len(text) < 100 else text[:97] + "..."


def group_in(expr: Any, least: int = 0, most: int = 10**9) -> list[Any]:
    """The parts of a list."""
    if isinstance(expr, list) and least <= len(expr) <= most:
        return expr
    raise Refused(f"not of the form that was expected: {shown(expr)}")


def is_par(expr: Any) -> bool:
    """``(par (a ...) ...)``."""
    return isinstance(expr, list) and len(expr) == 3 and word_in(expr[0]) == "par"


# -------------------------------------------------------------------------------------------- the theorem


@dataclass(frozen=True)
class Function:
    name: str
    params: tuple[Sort, ...]
    result: Sort


@dataclass(frozen=True)
class Constructor:
    name: str
    sort: Sort
    fields: tuple[tuple[str, Sort], ...]  # selectors


@dataclass(frozen=True)
class Definition:
    """``name(params) = body``."""

    name: str
    params: tuple[Term, ...]
    sort: Sort
    body: Term

    def call(self, args: Iterable[Term]) -> Term:
        return make("fun", self.name, args, self.sort)

    def at(self, args: Sequence[Term], term: Term) -> Term:
        """A term over the parameters, at arguments."""
        return subst(term, dict(zip(self.params, args, strict=True)))


class NeedsSort(Exception):
    """A constructor of which several sorts have one of this name."""


_LEFT = {"+", "*", "-", "xor", "bvadd", "bvmul", "bvand", "bvor", "bvxor", "concat", "/", "div"}
_ORDERS = {"<", "<=", ">", ">="}
_BITS_2 = {f"bv{n}" for n in ("add", "mul", "and", "or", "xor", "sub", "udiv", "urem", "sdiv", "srem", "smod")}
_BITS_2 |= {"bvshl", "bvlshr", "bvashr", "bvnand", "bvnor", "bvxnor"}
_BITS_ORDERS = {f"bv{s}{r}" for s in "us" for r in ("lt", "le", "gt", "ge")}
_FIXED: dict[str, tuple[list[Sort], Sort]] = {
    "mod": ([INT, INT], INT), "abs": ([INT], INT), "to_real": ([INT], REAL), "to_int": ([REAL], INT),
    "is_int": ([REAL], BOOL), "str.len": ([STRING], INT), "str.++": ([STRING, STRING], STRING),
}  # fmt: skip
_RESERVED = {"let", "forall", "exists", "match", "!", "_", "as", "par", "true", "false", "is", "const"}
_WORDS = """not and or => = distinct ite bvnot bvneg bvcomp extract zero_extend sign_extend bv2nat ubv_to_int int2bv
int_to_bv select store divisible"""
_THEORY = {*_LEFT, *_ORDERS, *_BITS_2, *_BITS_ORDERS, *_FIXED, *_RESERVED, *_WORDS.split()}
_SORTS = {"Bool": BOOL, "Int": INT, "Real": REAL, "String": STRING}

Env: TypeAlias = Mapping[str, Term]
Row: TypeAlias = "tuple[dict[Term, str], Term]"  # what a case of a match asks of parts, and its body


def as_real(term: Term) -> Term:
    """Integer literals stand for reals where these are needed."""
    return literal(Fraction(term.name), REAL) if term.op == "lit" and term.sort == INT else term


class Signature:
    """What a theorem declares and defines, and the terms over it. Copies of a parametric datatype get own names."""

    def __init__(self) -> None:
        self.sorts: dict[str, Any] = {}  # a sort, or (type parameters, constructors or an abbreviated sort)
        self.opaque: list[Sort] = []
        self.data: dict[Sort, dict[str, Constructor]] = {}  # by the names in the text
        self.symbols: dict[str, list[Function]] = {}  # several of one name are copies
        self.declared: dict[str, Function] = {}
        self.definitions: dict[str, Definition] = {}
        self.constructors: dict[str, Constructor] = {}
        self.selectors: dict[str, tuple[Constructor, int]] = {}
        self._copies: dict[tuple[str, tuple[Sort, ...]], Sort] = {}

    def command(self, expr: list[Any]) -> bool:
        """Carry out a declaration or definition; False when it is another command."""
        head, rest = word_in(expr[0]), expr[1:]
        if head == "declare-sort" and rest[1:] in ([], [("num", "0")]):
            self.new_sort(name_in(rest[0]))
        elif head == "define-sort":
            types = tuple(name_in(t) for t in group_in(group_in(rest, 3, 3)[1]))
            self.sorts[self._new(name_in(rest[0]), sort=True)] = (types, rest[2]) if types else self.sort(rest[2])
        elif head == "declare-datatype":
            self._datatypes([name_in(rest[0])], group_in(rest, 2, 2)[1:])
        elif head == "declare-datatypes" and all(isinstance(h, list) for h in rest[0]):
            self._datatypes([name_in(group_in(h, 2, 2)[0]) for h in rest[0]], group_in(group_in(rest, 2, 2)[1]))
        elif head == "declare-const" or (head == "declare-fun" and len(rest) == 3 and not is_par(rest[1])):
            params = tuple(self.sort(s) for s in group_in(rest[1])) if head == "declare-fun" else ()
            found = Function(self._new(name_in(rest[0])), params, self.sort(rest[-1]))
            self.declared[found.name] = found
            self.symbols[found.name] = [found]
        elif head in ("define-fun", "define-fun-rec") and len(rest) == 4:
            self._define([rest[:3]], [rest[3]], recursive=head == "define-fun-rec")
        elif head == "define-const":
            self._define([[rest[0], [], rest[1]]], [group_in(rest, 3, 3)[2]], recursive=False)
        elif head == "define-funs-rec" and not any(is_par(h) for h in rest[0]):
            self._define([group_in(h, 3, 3) for h in rest[0]], group_in(group_in(rest, 2, 2)[1]), recursive=True)
        else:
            return False
        return True

    def _new(self, name: str, *, sort: bool = False) -> str:
        if not name or name in (self.sorts if sort else self.symbols):
            raise Refused(f"{name} is declared twice")
        if name in ({*_SORTS, "Array", "BitVec", "RegLan"} if sort else _THEORY):
            raise Refused(f"{name} has a meaning already")
        return name

    def new_sort(self, name: str) -> None:
        """A sort of which nothing is known."""
        self.sorts[self._new(name, sort=True)] = ("user", name)
        self.opaque.append(("user", name))

    def _datatypes(self, names: list[str], bodies: list[Any]) -> None:
        plain = []
        for name, body in zip(names, bodies, strict=True):
            types = tuple(map(name_in, body[1])) if is_par(body) else ()
            constructors: list[list[Any]] = []
            for c in group_in(body[2] if is_par(body) else body, 1):
                items = c if isinstance(c, list) else [c]
                constructors.append([name_in(items[0]), *[(name_in(group_in(f, 2, 2)[0]), f[1]) for f in items[1:]]])
            self.sorts[self._new(name, sort=True)] = (types, constructors) if types else ("user", name)
            for word in [w for c in constructors for w in (c[0], *[s for s, _ in c[1:]])]:
                self.symbols[self._new(word)] = []
            plain += [] if types else [(("user", name), constructors)]
        for sort, constructors in plain:
            self._build(sort, constructors, {}, "")

    def _build(self, sort: Sort, constructors: list[list[Any]], types: Mapping[str, Sort], suffix: str) -> None:
        self.data[sort] = table = {}
        for c, *fields in constructors:
            name, *selectors = [
                fresh_name(w + suffix, self.symbols) if suffix else w for w in (c, *[s for s, _ in fields])
            ]
            typed = tuple((n, self.sort(s, types)) for n, (_, s) in zip(selectors, fields, strict=True))
            table[c] = self.constructors[name] = built = Constructor(name, sort, typed)
            made = [Function(name, tuple(s for _, s in typed), sort), *[Function(n, (sort,), s) for n, s in typed]]
            for written, f in zip((c, *[s for s, _ in fields]), made, strict=True):
                self.symbols[written].append(f)
                self.symbols.setdefault(f.name, [f])
            self.selectors.update({n: (built, i) for i, n in enumerate(selectors)})

    def check_values(self) -> None:
        """Each datatype must have a finite value, or there is no model at all."""
        good: set[Sort] = set()

        def has(sort: Sort) -> bool:
            return has(sort[2]) if sort[0] == "Array" else sort not in self.data or sort in good

        for _ in self.data:
            good |= {s for s, cs in self.data.items() if any(all(has(f) for _, f in c.fields) for c in cs.values())}
        if len(good) < len(self.data):
            raise Refused("a datatype without values")

    def _define(self, heads: list[list[Any]], bodies: list[Any], *, recursive: bool) -> None:
        made = []
        for (name, params, result), _ in zip(heads, bodies, strict=True):
            sorts = tuple(self.sort(group_in(p, 2, 2)[1]) for p in group_in(params))
            made.append(Function(self._new(name_in(name)), sorts, self.sort(result)))
            if recursive:
                self.symbols[made[-1].name] = [made[-1]]
        for f, (_, params, _), body in zip(made, heads, bodies, strict=True):
            named = self.variables(params)
            self.definitions[f.name] = Definition(
                f.name, tuple(named.values()), f.result, self.term(body, named, f.result)
            )
            self.symbols[f.name] = [f]

    def sort(self, expr: Any, types: Mapping[str, Sort] | None = None) -> Sort:
        """The sort that is written."""
        items = expr if isinstance(expr, list) and expr else [expr]
        if word_in(items[0]) == "_" and len(items) == 3 and items[1:2] == [("sym", "BitVec")] and items[2][0] == "num":
            if not 1 <= int(items[2][1]) <= 65_536:
                raise Refused("a bit-vector of such a width")
            return ("BitVec", int(items[2][1]))
        name, args = name_in(items[0]), tuple(self.sort(a, types) for a in items[1:])
        if name == "Array" and len(args) == 2:
            return ("Array", *args)
        known = {**self.sorts, **_SORTS, **(types or {})}
        found = known.get(name) or known.get(_unprefixed(name))
        if found is not None and isinstance(found[0], tuple) and len(found[0]) == len(args):
            inner = dict(zip(found[0], args, strict=True))
            if isinstance(found[1], tuple) or not isinstance(found[1][0], list):
                return self.sort(found[1], inner)
            if (name, args) not in self._copies:
                if len(self._copies) > 200:
                    raise Undecided("too many copies of parametric datatypes")
                suffix = "_" + "_".join(map(sort_word, args)) if any(n == name for n, _ in self._copies) else ""
                sort = ("user", fresh_name("_".join((name, *map(sort_word, args))), self.sorts))
                self._copies[name, args] = self.sorts[sort[1]] = sort
                self._build(sort, found[1], inner, suffix)
            return self._copies[name, args]
        if found is None or args or isinstance(found[0], tuple):
            raise Undecided(f"this script does not know the sort {shown(expr)}")
        return tuple(found)

    # ------------------------------------------------------------------------------------------------- terms

    def term(self, expr: Any, env: Env | None = None, sort: Sort | None = BOOL) -> Term:
        """A term (of this sort)."""
        try:
            found = self._term(expr, env or {}, sort)
        except NeedsSort:
            raise Refused(f"a sort is not clear: {shown(expr)}") from None
        found = as_real(found) if sort == REAL else found
        if sort is not None and found.sort != sort:
            raise Refused(f"of another sort than it should be: {shown(expr)}")
        return found

    def variables(self, expr: Any) -> dict[str, Term]:
        """New variables for a list of names with sorts."""
        found = {name_in(group_in(b, 2, 2)[0]): variable(name_in(b[0]), self.sort(b[1])) for b in group_in(expr)}
        if len(found) != len(expr) or {"true", "false"} & found.keys():
            raise Refused(f"bad variables: {shown(expr)}")
        return found

    def _term(self, expr: Any, env: Env, want: Sort | None) -> Term:
        if isinstance(expr, tuple):
            return self._atom(expr, env, want)
        items = group_in(expr, 1)
        head, word = items[0], word_in(items[0])
        if word == "let":
            named = {name_in(group_in(b, 2, 2)[0]): self._term(b[1], env, None) for b in group_in(items, 3, 3)[1]}
            if len(named) != len(items[1]) or {"true", "false"} & named.keys():
                raise Refused("bad names in a let")
            return self._term(items[2], {**env, **named}, want)
        if word in ("forall", "exists"):
            bound = self.variables(group_in(group_in(items, 3, 3)[1], 1))
            body = self.term(items[2], {**env, **bound})
            return make("all" if word == "forall" else "any", "", (body,), BOOL, tuple(bound.values()))
        if word == "match":
            return self._match(group_in(items, 3, 3), env, want)
        if word == "!" and ("key", ":named") not in items[2::2]:
            return self._term(items[1], env, want)
        if word in ("_", "as") or isinstance(head, list):
            return self._indexed(items if word else head, [] if word else items[1:], env, want)
        if name_in(head) in env or len(items) == 1:
            raise Refused(f"not a function: {shown(expr)}")
        return self._apply(name_in(head), (), items[1:], env, want)

    def _atom(self, expr: tuple[str, str], env: Env, want: Sort | None) -> Term:
        kind, text = expr
        if kind == "num":
            return as_real(literal(int(text), INT)) if want == REAL else literal(int(text), INT)
        if kind == "dec":
            return literal(Fraction(text), REAL)
        if kind == "bits":
            base, bits = (16, 4) if text[1] == "x" else (2, 1)
            return literal(int(text[2:], base), ("BitVec", bits * len(text[2:])))
        if kind == "str":
            return literal(text, STRING)
        if text in env:
            return env[text]
        if text in ("true", "false"):
            return TRUE if text == "true" else FALSE
        return self._apply(name_in(expr), (), [], env, want)

    def _indexed(self, head: list[Any], args: list[Any], env: Env, want: Sort | None) -> Term:
        """``(_ f i ...)`` and ``(as f S)``, with or without arguments."""
        word, name = word_in(group_in(head, 3)[0]), name_in(head[1])
        if word == "as" and len(head) == 3:
            sort = self.sort(head[2])
            if name == "const" and sort[0] == "Array" and len(args) == 1:
                return make("const", "", (self.term(args[0], env, sort[2]),), sort)
            term = self._apply(name, (), args, env, sort)
            return term if term.sort == sort else self._wrong(head)
        if word == "_" and name == "is" and len(head) == 3 and len(args) == 1:
            return self._tester(name_in(head[2]), self._term(args[0], env, None))
        if word != "_" or any(not isinstance(i, tuple) or i[0] != "num" for i in head[2:]):
            raise Undecided(f"this script does not know {shown(head)}")
        index = tuple(int(i[1]) for i in head[2:])
        if re.fullmatch(r"bv(0|[1-9][0-9]*)", name) and not args and len(index) == 1:
            good = 0 < index[0] <= 65_536 and not int(name[2:]) >> index[0]
            return literal(int(name[2:]), ("BitVec", index[0])) if good else self._wrong(head)
        return self._apply(name, index, args, env, want)

    def _wrong(self, expr: Any) -> NoReturn:
        raise Refused(f"not well-sorted: {shown(expr)}")

    def _tester(self, name: str, subject: Term) -> Term:
        table = self.data.get(subject.sort, {})
        for spelled in (name, _unprefixed(name)):
            for written, c in table.items():
                if spelled in (written, c.name):
                    return make("is", c.name, (subject,))
        raise Refused(f"{name} is no constructor of {subject.sort[-1]}")

    def _apply(self, name: str, index: tuple[int, ...], args: list[Any], env: Env, want: Sort | None) -> Term:
        found = (
            self.symbols.get(name) if name in self.symbols or name in _THEORY else self.symbols.get(_unprefixed(name))
        )
        if found is not None and not index:
            return self._call(found, args, env, want)
        if name.startswith("is-") and len(args) == 1 and not index:
            return self._tester(name[3:], self._term(args[0], env, None))
        name = {"implies": "=>", "iff": "="}.get(name, name)
        if name not in _THEORY or name in _RESERVED:
            raise Undecided(f"this script does not know the symbol {name}")
        if name == "ite" and len(args) == 3:
            terms = [self.term(args[0], env), *self._alike([(a, env) for a in args[1:]], want)]
        elif name in ("=", "distinct"):
            terms = self._alike([(a, env) for a in args], None)
        elif name in ("select", "store") and args:
            array = self.term(args[0], env, None)
            if array.sort[0] != "Array" or len(args) != (2 if name == "select" else 3):
                self._wrong(args)
            terms = [array, *[self.term(a, env, s) for a, s in zip(args[1:], array.sort[1:], strict=False)]]
        else:
            terms = [self._term(a, env, want if name in ("+", "-", "*", "/") else None) for a in args]
        return theory_term(name, index, terms)

    def _call(self, found: list[Function], args: list[Any], env: Env, want: Sort | None) -> Term:
        if len(found) > 1:
            found = [f for f in found if f.result == want] or found
        if len(found) > 1:
            sorts = [self._term(a, env, None).sort for a in args[:1]]
            found = [f for f in found if list(f.params[:1]) == sorts] if args else found
        if len(found) != 1:
            raise NeedsSort
        if len(args) != len(found[0].params):
            raise Refused(f"{found[0].name} takes {len(found[0].params)} arguments")
        terms = [self.term(a, env, s) for a, s in zip(args, found[0].params, strict=True)]
        return make("fun", found[0].name, terms, found[0].result)

    def _alike(self, parts: Sequence[tuple[Any, Env]], want: Sort | None) -> list[Term]:
        """Terms of one sort; what one tells helps the others."""
        done: dict[int, Term] = {}
        for last in (False, True):
            for i, (expr, env) in enumerate(parts):
                try:
                    done[i] = done.get(i) or self._term(expr, env, want)
                except NeedsSort:
                    if last:
                        raise
            want = want or next((t.sort for t in done.values()), None)
        terms = [done[i] for i in range(len(parts))]
        terms = [as_real(t) for t in terms] if any(t.sort == REAL for t in terms) else terms
        if any(t.sort != terms[0].sort for t in terms):
            self._wrong([expr for expr, _ in parts])
        return terms

    def _match(self, items: list[Any], env: Env, want: Sort | None) -> Term:
        subject = self._term(items[1], env, None)
        tests: list[dict[Term, str]] = []
        parts = []
        for case in group_in(items[2], 1):
            asked: dict[Term, str] = {}
            named: dict[str, Term] = {}
            self._pattern(group_in(case, 2, 2)[0], subject, asked, named)
            tests.append(asked)
            parts.append((case[1], {**env, **named}))
        return self._decide(list(zip(tests, self._alike(parts, want), strict=True)))

    def _pattern(self, expr: Any, subject: Term, asked: dict[Term, str], named: dict[str, Term]) -> None:
        """What a pattern asks of ``subject``, outermost first, and the names that it gives to parts."""
        items = expr if isinstance(expr, list) else [expr]
        if isinstance(items[0], list) or word_in(items[0]) in ("as", "_"):  # (as nil (List Int))
            items = (
                [items[0][1], *items[1:]] if isinstance(items[0], list) else [items[1]] if len(items) == 3 else items
            )
        name = name_in(items[0])
        c = self.data.get(subject.sort, {}).get(name)
        if c is not None and len(items) - 1 == len(c.fields):
            asked[subject] = c.name
            for part, (selector, sort) in zip(items[1:], c.fields, strict=True):
                self._pattern(part, make("fun", selector, (subject,), sort), asked, named)
        elif c is not None or isinstance(expr, list) or any(name in cs for cs in self.data.values()):
            raise Refused(f"{shown(expr)} is no pattern here")
        elif name != "_":
            if name in named or name in ("true", "false"):
                raise Refused(f"{name} stands twice in a pattern")
            named[name] = subject

    def _decide(self, rows: list[Row]) -> Term:
        """Nested ``ite``: the body of the first row that matches; the last constructor needs no test."""
        asked, body = rows[0]
        if not asked:
            return body
        place = next(iter(asked))
        branches = []
        for c in dict.fromkeys(a[place] for a, _ in rows if place in a):
            left = [({p: n for p, n in a.items() if p is not place}, b) for a, b in rows if a.get(place, c) == c]
            branches.append((c, self._decide(left)))
        if len(branches) < len(self.data[place.sort]):
            others = [(a, b) for a, b in rows if place not in a]
            if not others:
                raise Refused("a match that does not cover all constructors")
            result = self._decide(others)
        else:
            result = branches.pop()[1]
        for name, branch in reversed(branches):
            result = theory("ite", make("is", name, (place,)), branch, result, sort=result.sort)
        return result


def _unprefixed(name: str) -> str:
    """Certificates write ``u_sin`` for a symbol ``sin`` that solvers know."""
    return name[2:] if name.startswith("u_") else name


def sort_word(sort: Sort) -> str:
    """A sort as a part of a name."""
    return "_".join([sort_word(s) if isinstance(s, tuple) else str(s) for s in sort[sort[0] == "user" :]])


def fresh_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the first numbered one that is not taken."""
    stem, taken = name.rstrip("0123456789") or name, set(taken)
    return name if name not in taken else next(n for i in itertools.count(1) if (n := f"{stem}{i}") not in taken)


def theory_term(name: str, index: tuple[int, ...], args: list[Term]) -> Term:
    """A symbol of a theory, chains and n-ary operations taken apart. Nothing is simplified: the form tells the goal."""
    count, number = len(args), index[0] if len(index) == 1 else 0
    if name in ("+", "-", "*", "/", *_ORDERS) and (name == "/" or any(a.sort == REAL for a in args)):
        args = [as_real(a) for a in args]
    sorts = [a.sort for a in args]
    first = sorts[0] if sorts else ("",)
    same, numbers, bits = len(set(sorts)) == 1, first in (INT, REAL), first[0] == "BitVec"
    if name in ("and", "or", "=>", "xor", "not") and same and first == BOOL and not index:
        if count == 1 and name in ("and", "or", "not"):
            return theory("not", *args) if name == "not" else args[0]
        if name == "=>" and count > 1:
            return theory("=>", args[0], args[1] if count == 2 else theory_term("=>", (), args[1:]))
        if name in ("and", "or"):
            return theory(name, *args)
    if name == "ite" and count == 3 and first == BOOL and sorts[1] == sorts[2]:
        return theory("ite", *args, sort=sorts[1])
    if name == "distinct" and count > 1 and same:
        return theory(name, *args)
    if (name == "=" or (name in _ORDERS and numbers)) and count > 1 and same:
        links = [theory(name, a, b) for a, b in itertools.pairwise(args)]
        return links[0] if count == 2 else theory("and", *links)
    if name == "-" and count == 1 and numbers:
        return literal(-args[0].name, first) if args[0].op == "lit" else theory("-", *args, sort=first)
    if name == "concat" and count > 1 and all(s[0] == "BitVec" for s in sorts):
        rest = args[1] if count == 2 else theory_term(name, (), args[1:])
        return theory(name, args[0], rest, sort=("BitVec", first[1] + rest.sort[1]))
    if name == "/" and [a.op for a in args] == ["lit", "lit"] and args[1].name:
        return literal(args[0].name / args[1].name, REAL)
    kinds = {"xor": first == BOOL, "div": first == INT, "/": first == REAL, "+": numbers, "-": numbers, "*": numbers}
    if count > 1 and same and not index and kinds.get(name, bits and name in _BITS_2) and (count == 2 or name in _LEFT):
        result = args[0]
        for a in args[1:]:
            result = theory(name, result, a, sort=first)
        return result
    if name in _FIXED and sorts == _FIXED[name][0] and not index:
        return theory(name, *args, sort=_FIXED[name][1])
    if name in ("select", "store"):
        return theory(name, *args, sort=first[2] if name == "select" else first)
    if name == "divisible" and number > 0 and sorts == [INT]:
        return theory(f"(_ divisible {number})", *args)
    if name in ("int2bv", "int_to_bv") and sorts == [INT] and 0 < number <= 65_536:
        return theory(f"(_ {name} {number})", *args, sort=("BitVec", number))
    if bits and count == 2 and same and not index and name in (*_BITS_ORDERS, "bvcomp"):
        return theory(name, *args, sort=BOOL if name != "bvcomp" else ("BitVec", 1))
    if bits and count == 1 and not index and name in ("bvnot", "bvneg", "bv2nat", "ubv_to_int"):
        return theory(name, *args, sort=first if name in ("bvnot", "bvneg") else INT)
    if bits and count == 1 and name == "extract" and len(index) == 2 and first[1] > index[0] >= index[1]:
        return theory(f"(_ extract {index[0]} {index[1]})", *args, sort=("BitVec", index[0] - index[1] + 1))
    if bits and count == 1 and name in ("zero_extend", "sign_extend") and len(index) == 1 and number < 65_536:
        return theory(f"(_ {name} {number})", *args, sort=("BitVec", first[1] + number))
    raise Refused(f"{name} does not take such arguments")


@dataclass
class Theorem:
    signature: Signature
    premises: dict[str, Term]
    goal: Term
    measures: dict[str, tuple[Term, ...]] = field(default_factory=dict)


def read_theorem(data: bytes) -> Theorem:
    """The theorem of a text. What it says about itself (``:status``) is not used."""
    signature = Signature()
    facts: list[tuple[str | None, Term]] = []
    goals: list[Term] = []
    checked = False
    for command in [group_in(c, 1) for c in read(data.decode("utf-8").removeprefix("\ufeff"))]:
        head = word_in(command[0])
        if head in ("set-logic", "set-info", "set-option", "exit", "check-sat") or head.startswith("get-"):
            checked = checked or head in ("check-sat", "exit")
            continue
        if checked:
            raise Refused(f"{head} after check-sat")
        if head in ("assert", "prove", "assert-not"):
            body, name = group_in(command, 2, 2)[1], None
            if isinstance(body, list) and body and word_in(body[0]) == "!":
                name = next(
                    (name_in(v) for k, v in zip(body[2::2], body[3::2], strict=True) if k == ("key", ":named")), None
                )
                body = body[1]
            if head != "assert" and is_par(body):  # a goal for all sorts: for sorts of which nothing is known
                for t in body[1]:
                    signature.new_sort(name_in(t))
                body = body[2]
            if head == "assert":
                facts.append((name, signature.term(body)))
            else:
                goals.append(signature.term(body))
        elif not signature.command(command):
            raise Undecided(f"this script does not know {shown(command)}")
    if not goals:  # the last negated assertion is the goal
        last = max((i for i, (_, f) in enumerate(facts) if is_th(f, "not")), default=-1)
        goals = [facts.pop(last)[1].args[0]] if last >= 0 else []
    if len(goals) != 1:
        raise Refused("not one goal")
    signature.check_values()
    premises: dict[str, Term] = {}
    given = [name for name, _ in facts if name]
    for number, (name, formula) in enumerate(facts, 1):
        if name in signature.symbols:
            raise Refused(f"{name} names an assertion and a symbol")
        label = name or fresh_name(f"premise-{number}", [*given, *premises])
        if label in premises:
            raise Refused(f"two premises are called {label}")
        premises[label] = formula
    return Theorem(signature, premises, goals[0])


# ====================================================================================== equivalent forms


class Simplifier:
    """Equivalent terms: Boolean laws, constructors against selectors and testers, numbers."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.done: dict[Term, Term] = {}

    def __call__(self, t: Term) -> Term:
        if t not in self.done:
            self.done[t] = self.simpler(t) if t.args else t
        return self.done[t]

    def simpler(self, t: Term) -> Term:
        if is_th(t, "ite"):
            return self._ite(self(t.args[0]), *t.args[1:])
        args = [self(a) for a in t.args]
        if t.bound:
            return quantified(t.op, t.bound, args[0])
        if t.op == "is" and (self.built(args[0]) or len(self.signature.data[args[0].sort]) == 1):
            return literal(not self.built(args[0]) or args[0].name == t.name, BOOL)
        if t.op == "fun" and t.name in self.signature.selectors and self.built(args[0]):
            constructor, i = self.signature.selectors[t.name]
            if args[0].name == constructor.name:
                return args[0].args[i]
        if is_th(t, "and", "or"):
            return conj(args) if t.name == "and" else disj(args)
        if is_th(t, "not", "=>"):
            return neg(args[0]) if t.name == "not" else imp(args[0], args[1])
        if is_th(t, "=", "distinct"):
            return (
                self.equal(*args)
                if t.name == "="
                else conj([neg(self.equal(*p)) for p in itertools.combinations(args, 2)])
            )
        if is_th(t, *_NUMBERS) and len(args) == 2 and all(a.op == "lit" and a.sort == INT for a in args):
            value = _NUMBERS[t.name](args[0].name, args[1].name)
            return literal(value, BOOL if isinstance(value, bool) else INT)
        return make(t.op, t.name, args, t.sort)

    def _ite(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if condition in (TRUE, FALSE):
            return self(then if condition is TRUE else otherwise)
        then, otherwise = self(then), self(otherwise)
        if is_th(condition, "not"):
            condition, then, otherwise = condition.args[0], otherwise, then
        if then is otherwise:
            return then
        if {then, otherwise} == {TRUE, FALSE}:
            return condition if then is TRUE else neg(condition)
        return theory("ite", condition, then, otherwise, sort=then.sort)

    def built(self, t: Term) -> bool:
        """Whether a constructor is in front."""
        return t.op == "fun" and t.name in self.signature.constructors

    def equal(self, a: Term, b: Term) -> Term:
        """An equation of simplified terms."""
        if a is b or (a.op == b.op == "lit" and a.sort != STRING):
            return literal(a is b, BOOL)
        for one, other in ((a, b), (b, a)):
            if one in (TRUE, FALSE):
                return other if one is TRUE else neg(other)
        if self.built(a) and self.built(b):
            return conj([self.equal(x, y) for x, y in zip(a.args, b.args, strict=True)]) if a.name == b.name else FALSE
        return theory("=", a, b)


_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Sequent:
    """For all values of ``vars``: if ``hyps`` hold, so does ``concl``."""

    vars: tuple[Term, ...]
    hyps: tuple[Term, ...]
    concl: Term

    @property
    def formula(self) -> Term:
        return every(self.vars, imp(conj(self.hyps), self.concl))

    def opened(self, simple: Simplifier) -> Sequent:
        """An equivalent sequent: conclusion and hypotheses taken apart as far as sequents can say the same."""
        variables, hyps, concl = list(self.vars), [], simple(self.concl)
        waiting = [simple(h) for h in reversed(self.hyps)]

        def opens(binder: Term) -> Term:
            fresh = renewed(binder.bound)
            variables.extend(fresh.values())
            return simple(subst(binder.args[0], fresh))

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


def covers(cited: Sequent, wanted: Sequent, simple: Simplifier) -> bool:
    """Whether ``wanted`` is an instance of ``cited`` with at most its hypotheses, so that it follows."""
    a, b = cited.opened(simple), wanted.opened(simple)
    free = frozenset(a.vars)

    def rest(hyps: list[Term], bound: dict[Term, Term]) -> bool:
        if not hyps:
            return True
        hyp = min(hyps, key=lambda h: len(h.free - bound.keys()))
        for other in b.hyps:
            trial = dict(bound)
            if _match(hyp, other, free, trial, {}) and rest([h for h in hyps if h is not hyp], trial):
                return True
        return False

    bound: dict[Term, Term] = {}
    trivial = b.concl is TRUE or b.concl in b.hyps
    return trivial or ((a.concl is FALSE or _match(a.concl, b.concl, free, bound, {})) and rest(list(a.hyps), bound))


def _match(
    p: Term, t: Term, free: frozenset[Term], bound: dict[Term, Term], inner: dict[Term, tuple[Term, ...]]
) -> bool:
    """Whether ``p`` becomes ``t``: ``free`` may stand for terms, bound variables for those bound there (``inner``)."""
    if p.op == "var":
        if p in bound or p.sort != t.sort:
            return bound.get(p) is t
        if p in inner:  # the order of the variables of one quantifier does not matter, but no two become one
            good = t in inner[p] and all(bound.get(v) is not t for v in inner if inner[v] is inner[p])
        else:
            good = p in free and t.free.isdisjoint(v for there in inner.values() for v in there)
        if good:
            bound[p] = t
        return good
    if (p.op, p.name, p.sort, len(p.args), len(p.bound)) != (t.op, t.name, t.sort, len(t.args), len(t.bound)):
        return False
    outer = {v: bound.pop(v) for v in p.bound if v in bound}
    inner = {**inner, **dict.fromkeys(p.bound, t.bound)} if p.bound else inner
    good = all(_match(x, y, free, bound, inner) for x, y in zip(p.args, t.args, strict=True))
    for v in p.bound:
        bound.pop(v, None)
    bound.update(outer)
    return good


# ============================================================================== what solvers are asked


@dataclass(frozen=True)
class Solver:
    """A command that takes the name of an SMT-LIB file; options for questions with quantifiers, with bits, others."""

    name: str
    command: tuple[str, ...]
    general: tuple[tuple[str, ...], ...] = ((),)
    bits: tuple[tuple[str, ...], ...] = ((),)
    ground: tuple[tuple[str, ...], ...] = ((),)

    def ways(self, script: str) -> tuple[tuple[str, ...], ...]:
        """Options to try, one after the other."""
        if "(forall " in script or "(exists " in script:
            return self.general
        return self.bits if "BitVec" in script else self.ground

    def ask(self, script: str, way: tuple[str, ...], seconds: float) -> str:
        """``unsat``, ``sat`` or why there is no answer. Only the bare word counts, from a process that ends well."""
        with tempfile.NamedTemporaryFile("w", suffix=".smt2", encoding="utf-8") as file:
            file.write(script)
            file.flush()
            command = [*self.command, *way, file.name]
            try:
                done = subprocess.run(
                    command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
                )
            except (subprocess.TimeoutExpired, OSError) as error:
                return "timeout" if isinstance(error, subprocess.TimeoutExpired) else f"error: {error}"
        said, beside = (text.decode("utf-8", "replace").strip() for text in (done.stdout, done.stderr))
        if done.returncode == 0 and not beside and said in ("unsat", "sat", "unknown"):
            return said
        return f"error: {said} {beside}"[:200]


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


def find_solver(text: str) -> Solver | None:
    """The solver of a command. Of z3 and cvc5 the name is enough: on the path, beside Python, or (cvc5) its library."""
    words = shlex.split(text) or [""]
    beside = Path(sys.executable).parent / words[0]
    found = shutil.which(words[0]) or (str(beside) if beside.is_file() else None)
    command = (found, *words[1:]) if found else None
    name = Path(words[0]).name
    if name == "cvc5":
        if command is None and importlib.util.find_spec("cvc5") is not None:
            command = (sys.executable, "-c", _CVC5_LIBRARY)
        arrays = ("--arrays-exp=true",)
        general = (arrays, ("--enum-inst=true",), ("--full-saturate-quant=true",))
        return Solver(name, command, general, (("--solve-bv-as-int=sum",), ()), (arrays,)) if command else None
    matching = ("auto_config=false", "smt.mbqi=false", "smt.random_seed=0")
    ways = (matching, (*matching, "smt.case_split=3"), ()) if name == "z3" else ((),)
    return Solver(name, command, ways) if command else None


class Asker:
    """Poses questions, each to a fresh process."""

    def __init__(self, solvers: Sequence[Solver], seconds: float) -> None:
        self.solvers, self.seconds = solvers, seconds
        self.posed = self.processes = 0
        self._known: dict[str, bool] = {}
        self._patience = 3 * seconds

    def _answers(self, script: str, seconds: float) -> Iterator[tuple[str, str]]:
        for solver in self.solvers:
            for way in solver.ways(script):
                self.processes += 1
                yield solver.name, solver.ask(script, way, seconds)

    def shows(self, name: str, scripts: Iterable[str]) -> None:
        """Have a solver say ``unsat`` to one of the scripts, which give it less and more; each a short time first.

        Raises:
            Refused: the last script has a model. Undecided: no solver can tell.
        """
        self.posed += 1
        scripts, said = list(dict.fromkeys(scripts)), {}
        for seconds in dict.fromkeys((min(2.0, self.seconds), self.seconds)):
            for script in scripts:
                for solver, answer in self._answers(script, seconds):
                    if answer == "unsat":
                        return
                    said[f"{solver}: {answer}"] = script
            if any(scripts[-1] is script for answer, script in said.items() if answer.endswith(": sat")):
                raise Refused(f"{name} does not follow ({', '.join(said)})")
        raise Undecided(f"{name} is not decided ({', '.join(said)})")

    def guess(self, script: str, seconds: float = 5.0) -> bool:
        """Whether a solver says ``unsat`` soon. What it cannot tell costs patience."""
        if script not in self._known and self._patience > 0:
            began = time.monotonic()
            answers = (answer for _, answer in self._answers(script, min(seconds, self.seconds)))
            answer = next((a for a in answers if a in ("unsat", "sat")), "")
            self._known[script] = answer == "unsat"
            self.posed += answer == "unsat"
            self._patience -= 0 if answer else time.monotonic() - began
        return self._known.get(script, False)


class Writer:
    """Terms as text in names that mean nothing to a solver."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self._names: dict[tuple[str, str], str] = {}
        self._texts: dict[Term, str] = {}

    def _name(self, kind: str, name: str) -> str:
        return self._names.setdefault((kind, name), f"{kind}{len(self._names)}.{re.sub('[^A-Za-z0-9_]', '_', name)}")

    def sort(self, sort: Sort) -> str:
        if sort[0] == "user":
            return self._name("s", sort[1])
        if sort[0] == "BitVec":
            return f"(_ BitVec {sort[1]})"
        return f"(Array {self.sort(sort[1])} {self.sort(sort[2])})" if sort[0] == "Array" else str(sort[0])

    def text(self, t: Term) -> str:
        if t not in self._texts:
            self._texts[t] = self._text(t)
        return self._texts[t]

    def _text(self, t: Term) -> str:
        if t.op == "var":
            return f"v{t.name[0]}.{re.sub('[^A-Za-z0-9_]', '_', t.name[1])}"
        if t.op == "lit":
            return self._literal(t)
        args = " ".join(map(self.text, t.args))
        if t.bound:
            return f"({'forall' if t.op == 'all' else 'exists'} ({self.binders(t.bound)}) {args})"
        if t.op == "fun":
            head = self._name("f", t.name)
        elif t.op == "is":
            head = f"(_ is {self._name('f', t.name)})"
        elif t.op == "const":
            head = f"(as const {self.sort(t.sort)})"
        else:
            head = f"size.{self.sort(t.args[0].sort)}" if t.op == "size" else str(t.name)
        return f"({head} {args})" if args else head

    def binders(self, variables: Iterable[Term]) -> str:
        return " ".join(f"({self.text(v)} {self.sort(v.sort)})" for v in variables)

    def _literal(self, t: Term) -> str:
        if t.sort in (BOOL, STRING):
            return f'"{t.name}"' if t.sort == STRING else "true" if t.name else "false"
        if t.sort[0] == "BitVec":
            return f"(_ bv{t.name} {t.sort[1]})"
        top, bottom, dot = abs(Fraction(t.name)).numerator, Fraction(t.name).denominator, "" if t.sort == INT else ".0"
        text = f"{top}{dot}" if bottom == 1 else f"(/ {top}.0 {bottom}.0)"
        return f"(- {text})" if t.name < 0 else text

    def declarations(self) -> Iterator[str]:
        """The signature and symbols for the sizes of values; defined functions without their definitions."""
        s = self.signature
        yield "(set-logic ALL)"
        yield from (f"(declare-sort {self.sort(sort)} 0)" for sort in s.opaque)
        if s.data:
            bodies = []
            for table in s.data.values():
                fields = {
                    c: "".join(f" ({self._name('f', n)} {self.sort(r)})" for n, r in c.fields) for c in table.values()
                }
                bodies.append(" ".join(f"({self._name('f', c.name)}{f})" for c, f in fields.items()))
            heads = " ".join(f"({self.sort(sort)} 0)" for sort in s.data)
            yield f"(declare-datatypes ({heads}) ({' '.join(f'({b})' for b in bodies)}))"
        defined = [Function(d.name, tuple(p.sort for p in d.params), d.sort) for d in s.definitions.values()]
        for f in (*s.declared.values(), *defined):
            params = " ".join(map(self.sort, f.params))
            yield f"(declare-fun {self._name('f', f.name)} ({params}) {self.sort(f.result)})"
        yield from (f"(declare-fun size.{self.sort(sort)} ({self.sort(sort)}) Int)" for sort in s.data)

    def fact(self, term: Term, triggers: Iterable[Term] = ()) -> str:
        """An assertion; a universal one with the triggers that a solver can match."""
        good = [t for t in dict.fromkeys(triggers) if frozenset(term.bound) <= t.free and _matchable(t)]
        if term.op != "all" or not good:
            return f"(assert {self.text(term)})"
        patterns = " ".join(f":pattern ({self.text(t)})" for t in good)
        return f"(assert (forall ({self.binders(term.bound)}) (! {self.text(term.args[0])} {patterns})))"

    def script(self, facts: Sequence[Term], goal: Term, lines: Iterable[str] = (), more: Iterable[Term] = ()) -> str:
        """A question: lines and facts, and the goal denied; free variables (and ``more``) are constants."""
        constants = sorted(_NONE.union(goal.free, more, *[f.free for f in facts]), key=lambda v: v.name[0])
        declared = [f"(declare-const {self.text(v)} {self.sort(v.sort)})" for v in constants]
        asserted = [self.fact(f) for f in facts]
        return "\n".join(
            [*self.declarations(), *declared, *lines, *asserted, self.fact(theory("not", goal)), "(check-sat)", ""]
        )


def _matchable(pattern: Term) -> bool:
    plain = all(
        t.op in ("fun", "var", "lit") or (t.op == "th" and t.sort != BOOL and t.name != "ite")
        for t in parts_of(pattern)
    )
    return plain and pattern.op == "fun" and bool(pattern.args)


# ================================================================================ recursion and its end

Weights: TypeAlias = Mapping[tuple[str, int], int]
Bound: TypeAlias = tuple[tuple[int, ...], int]  # a result is at most as large as these arguments together, less so much
Choice: TypeAlias = dict[str, Any]  # for each function the arguments whose sizes count, or a number over its parameters


@dataclass(frozen=True)
class Call:
    """A call of ``name`` at ``args`` in a body, made where ``path`` holds, for any values of ``bound``."""

    caller: str
    name: str
    args: tuple[Term, ...]
    path: tuple[Term, ...]
    bound: tuple[Term, ...]


class Recursion:
    """Which definitions may be assumed, and what falls where functions call themselves."""

    def __init__(self, theorem: Theorem, writer: Writer, asker: Asker, simple: Simplifier) -> None:
        self.theorem, self.writer, self.asker, self.simple = theorem, writer, asker, simple
        self.data, self.definitions = theorem.signature.data, theorem.signature.definitions
        self.groups = components({n: d.body.funs & self.definitions.keys() for n, d in self.definitions.items()})
        self.total: set[str] = set()
        self._bounds: dict[str, list[Bound]] = {}
        self._calls: dict[str, list[Call]] = {}
        doubtful: list[str] = []
        for group in self.groups:  # those that are called come first
            if not any(map(self.recursive, group)) or self._ends(group):
                self.total |= group
            elif not group <= theorem.measures.keys():
                doubtful += sorted(group)
        if doubtful:
            raise Undecided(f"not shown to terminate: {', '.join(doubtful)}")

    def group_of(self, name: str) -> frozenset[str]:
        """The functions that ``name`` calls and that call it back."""
        return next(g for g in self.groups if name in g)

    def recursive(self, name: str) -> bool:
        return not self.group_of(name).isdisjoint(self.definitions[name].body.funs)

    # --------------------------------------------------------------------------------------------- calls

    def calls(self, name: str) -> list[Call]:
        """The calls from the body of ``name`` to its own group, in the order in which the body can be evaluated."""
        if name in self._calls:
            return self._calls[name]
        found: dict[Call, None] = {}
        group = self.group_of(name)

        def walk(t: Term, path: tuple[Term, ...], bound: tuple[Term, ...]) -> None:
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
            if len(found) > 2_000:
                raise Undecided(f"the body of {name} is too large")

        walk(self.simple(self.definitions[name].body), (), ())
        self._calls[name] = list(found)
        return self._calls[name]

    # ------------------------------------------------------------------------------------------- measures

    def _ends(self, group: frozenset[str]) -> bool:
        """Whether a lexicographic tuple falls at every call: each entry takes away the calls at which it falls."""
        calls = [c for n in sorted(group) for c in self.calls(n)]
        while calls := on_cycles(calls):
            falling = next(filter(None, (self._falling(calls, m, w) for m, w in self._choices(calls))), None)
            if falling is None:
                return False
            calls = [c for c in calls if c not in falling]
        return True

    def _choices(self, calls: list[Call]) -> Iterator[tuple[Choice, Weights]]:
        """A measure for each function involved, the likely ones first, with the weights of fields."""
        names = sorted({n for c in calls for n in (c.caller, c.name)})
        data = {n: [i for i, p in enumerate(self.definitions[n].params) if p.sort in self.data] for n in names}
        single = [[(i,) for i in data[n]] for n in names]
        several = [[c for k in range(1, 5) for c in itertools.combinations(data[n], k)] for n in names]
        numbers = [self._numbers(n, [c for c in calls if c.caller == n]) for n in names]
        twice = [(c.name, i) for c in self.theorem.signature.constructors.values() if len(c.fields) > 1
                 for i, (_, s) in enumerate(c.fields) if s in self.data]  # fmt: skip
        tried: list[tuple[list[list[Any]], Weights, int]] = [(single, {}, 300), (numbers, {}, 300), (several, {}, 300)]
        for options, weights, most in (*tried, *[(single, {place: 2}, 20) for place in twice[:12]]):
            for choice in itertools.islice(itertools.product(*options), most):
                yield dict(zip(names, choice, strict=True)), weights

    def _numbers(self, name: str, calls: list[Call]) -> list[Term]:
        """Numbers that might fall: parameters, and gaps between the sides of comparisons on the way to a call."""
        params = self.definitions[name].params
        found = [p for p in params if p.sort == INT or p.sort[0] == "BitVec"]
        for t in [t for c in calls for fact in c.path for t in parts_of(fact)]:
            if is_th(t, *_ORDERS, "=") and t.args[0].sort == INT:
                gaps = [a if b is ZERO else self.simple(theory("-", a, b, sort=INT)) for a, b in (t.args, t.args[::-1])]
                found += [g for g in gaps if g.free and g.free <= frozenset(params) and not g.quantified]
        whole = [p for p in params if p.sort == INT]
        found += [theory("abs", p, sort=INT) for p in whole]
        found += [theory("-", a, b, sort=INT) for a, b in itertools.permutations(whole, 2)]
        found += [theory("+", a, b, sort=INT) for a, b in itertools.combinations(whole, 2)]
        return list(dict.fromkeys(found))[:16]

    def _falling(self, calls: list[Call], choice: Choice, weights: Weights) -> set[Call] | None:
        """The calls at which the measures fall; None when they rise somewhere or fall nowhere."""
        falling = set()
        for call in calls:
            here, there = choice[call.caller], choice[call.name]
            if isinstance(here, tuple):
                before = [self.definitions[call.caller].params[i] for i in here]
                after = [call.args[i] for i in there]
                lost = self._parts_lost(before, after, call.path)
                falls = self.smaller(before, after, call.path, weights) if lost is None else lost > 0
                stays = falls or lost == 0 or self.smaller(before, after, call.path, weights, strict=False)
            else:
                then = self.simple(self.definitions[call.name].at(call.args, there))
                if then.sort != here.sort:
                    return None
                falls = here is not then and self._holds(call.path, falls_below(then, here))
                no_more = theory("<=" if here.sort == INT else "bvule", then, here)
                stays = falls or here is then or self._holds(call.path, no_more)
            if not stays:
                return None
            if falls:
                falling.add(call)
        return falling or None

    def _parts_lost(self, before: list[Term], after: list[Term], path: tuple[Term, ...]) -> int | None:
        """How many selectors lead from a parameter to an argument, where the path says that they are the right ones."""
        if len(before) != 1 or len(after) != 1:
            return None
        term, count = after[0], 0
        while term is not before[0]:
            if term.op != "fun" or term.name not in self.theorem.signature.selectors:
                return None
            right, _ = self.theorem.signature.selectors[term.name]
            term, count = term.args[0], count + 1
            tests = {c.name: make("is", c.name, (term,)) for c in self.data[term.sort].values()}
            if tests.pop(right.name) not in path and not all(neg(t) in path for t in tests.values()):
                return None
        return count

    def _holds(self, path: Iterable[Term], goal: Term) -> bool:
        """Whether the goal follows from the path, whatever the functions are."""
        return self.asker.guess(self.writer.script([*path], goal))

    # ---------------------------------------------------------------------------------------------- sizes

    def smaller(
        self,
        before: Sequence[Term],
        after: Sequence[Term],
        path: Iterable[Term],
        weights: Weights,
        *,
        strict: bool = True,
    ) -> bool:
        """Whether the values of ``after`` have together fewer constructors than those of ``before`` on the path."""
        before, after = ([t for t in terms if t.sort in self.data] for terms in (before, after))
        goal = theory("<" if strict else "<=", _sizes(after), _sizes(before))
        return bool(before) and self._holds([*path, *self.size_facts([*before, *after, *path], weights)], goal)

    def size_facts(self, terms: list[Term], weights: Weights, learning: str = "") -> list[Term]:
        """What is true of the sizes of the terms, of their parts, and of what total functions make of them."""
        facts: list[Term] = []
        free = _NONE.union(*[t.free for t in terms])
        waiting = [(p, 2) for t in terms for p in parts_of(t) if p.free <= free]
        seen: set[Term] = set()
        while waiting:
            t, depth = waiting.pop()
            if t in seen or t.sort not in self.data:
                continue
            seen.add(t)
            built = self.simple.built(t)
            facts.append(theory("<=", ONE, size_of(t)))
            for c in self.data[t.sort].values():
                if built and t.name != c.name:
                    continue
                fields = list(t.args) if built else [make("fun", s, (t,), r) for s, r in c.fields]
                counted = [(f, weights.get((c.name, i), 1)) for i, f in enumerate(fields) if f.sort in self.data]
                total = theory("=", size_of(t), _sizes([f for f, weight in counted for _ in range(weight)], 1))
                facts.append(total if built else imp(make("is", c.name, (t,)), total))
                waiting += [(f, depth if built else depth - 1) for f, _ in counted if built or depth]
            if t.op == "fun" and t.name in self.total and t.name != learning:
                known = self.bounds(t.name) if not weights else []
                facts += [
                    theory("<=", size_of(t), _sizes([t.args[i] for i in places], -spare)) for places, spare in known
                ]
                d = self.definitions[t.name]
                body = self.simple(d.at(t.args, d.body))
                if depth and not body.quantified:
                    facts.append(theory("=", t, body))
                    waiting += [(p, depth - 1) for p in parts_of(body)]
        return facts

    def bounds(self, name: str) -> list[Bound]:
        """A bound of the sizes of results, by induction along the calls: those that are made keep it."""
        if name in self._bounds:
            return self._bounds[name]
        self._bounds[name] = []
        d = self.definitions[name]
        data = [i for i, p in enumerate(d.params) if p.sort in self.data]
        if d.sort not in self.data or len(self.group_of(name)) > 1:
            return []
        body, calls = self.simple(d.body), [c for c in self.calls(name) if not c.bound]
        facts = self.size_facts([body, *d.params, *[t for c in calls for t in (d.call(c.args), *c.path)]], {}, name)
        options = [
            (p, s) for k in range(1, 4) for p in itertools.combinations(data, k) for s in dict.fromkeys((k - 1, 0))
        ]
        for places, spare in options:

            def kept(args: Sequence[Term], result: Term, places: tuple[int, ...] = places, spare: int = spare) -> Term:
                return theory("<=", size_of(result), _sizes([args[i] for i in places], -spare))

            given = [imp(conj(c.path), kept(c.args, d.call(c.args))) for c in calls]
            if self._holds([*given, *facts], kept(d.params, body)):
                self._bounds[name] = [(places, spare)]
                break
        return self._bounds[name]

    # ---------------------------------------------------------------------------------------------- guards

    def guards(self) -> dict[str, Term]:
        """Where the equations of measured functions may be used: where the measures fall at each call that is made."""
        found, measures = {}, self.theorem.measures
        for name, terms in measures.items():
            d, group = self.definitions[name], self.group_of(name)
            if not self.recursive(name) or not group <= measures.keys() or len({len(measures[n]) for n in group}) != 1:
                raise Refused(f"measures are for whole groups of recursive functions: {name}")
            if not terms or any(t.sort != INT or not t.free <= frozenset(d.params) for t in terms):
                raise Refused(f"the measures of {name} are not integers over its parameters")
            if not group.isdisjoint(self._reached(terms)):
                raise Refused(f"a measure of {name} rests on what it measures")
            falls = []
            for call in self.calls(name):
                after = [self.definitions[call.name].at(call.args, t) for t in measures[call.name]]
                falls.append(every(call.bound, imp(conj(call.path), _lexicographic(after, list(terms)))))
            found[name] = conj(falls)
        return found

    def _reached(self, terms: Iterable[Term]) -> set[str]:
        """The functions that the values rest on, by bodies and measures."""
        found: set[str] = set()
        waiting = list(terms)
        while waiting:
            new = waiting.pop().funs - found
            found |= new
            waiting += [
                t
                for n in new & self.definitions.keys()
                for t in (self.definitions[n].body, *self.theorem.measures.get(n, ()))
            ]
        return found

    # ------------------------------------------------------------------------------------ points and cases

    def points(self, name: str) -> list[Call]:
        """Where ``name`` comes back to itself, as calls from ``name``; each other function is passed at most once."""
        found: list[Call] = []

        def follow(at: Call, passed: tuple[str, ...]) -> None:
            for call in self.calls(at.name):
                if call.name not in passed and len(found) < 100:
                    fresh = renewed(call.bound)
                    given = {**dict(zip(self.definitions[at.name].params, at.args, strict=True)), **fresh}
                    args, path = (tuple(subst(t, given) for t in terms) for terms in (call.args, call.path))
                    there = Call(name, call.name, args, (*at.path, *path), (*at.bound, *fresh.values()))
                    if call.name == name:
                        found.append(there)
                    else:
                        follow(there, (*passed, call.name))

        follow(Call(name, name, self.definitions[name].params, (), ()), ())
        return found

    def cases(
        self, name: str, args: tuple[Term, ...], splitting: Iterable[Term]
    ) -> list[tuple[tuple[Term, ...], Term]]:
        """Arguments and bodies, variables replaced by constructors as far as these decide which way the body goes.

        For all values exactly one of the cases applies.
        """
        d = self.definitions[name]
        waiting = [(args, self.simple(d.at(args, d.body)), frozenset(splitting))]
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
                fields = tuple(variable(tested.name[1], s) for _, s in c.fields)
                at = {tested: make("fun", c.name, fields, tested.sort)}
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


def size_of(term: Term) -> Term:
    return make("size", "", (term,), INT)


def _sizes(terms: Iterable[Term], start: int = 0) -> Term:
    """The sizes added up."""
    total = literal(start, INT)
    for term in terms:
        total = theory("+", total, size_of(term), sort=INT)
    return total


def longer(path: tuple[Term, ...], condition: Term) -> tuple[Term, ...]:
    """The path with one more condition."""
    parts = condition.args if is_th(condition, "and") else (condition,)
    if is_th(condition, "not") and is_th(condition.args[0], "or"):
        parts = tuple(neg(a) for a in condition.args[0].args)
    return (*path, *[p for p in parts if p not in path])


def falls_below(then: Term, now: Term) -> Term:
    """``then`` is below ``now`` in an order without infinite descent."""
    return conj([theory("<=", ZERO, now), theory("<", then, now)]) if now.sort == INT else theory("bvult", then, now)


def _lexicographic(after: list[Term], before: list[Term]) -> Term:
    falls = falls_below(after[0], before[0])
    same = theory("=", after[0], before[0])
    return disj([falls, conj([same, _lexicographic(after[1:], before[1:])])]) if len(before) > 1 else falls


def components(edges: Mapping[str, Iterable[str]]) -> list[frozenset[str]]:
    """Names that reach each other, together; those that are reached come first."""
    reached: dict[str, set[str]] = {}
    for name in edges:
        waiting, reached[name] = [name], {name}
        while waiting:
            new = set(edges.get(waiting.pop(), ())) - reached[name]
            reached[name] |= new
            waiting += new
    groups = dict.fromkeys(frozenset(n for n in reached[m] if m in reached.get(n, ())) for m in edges)
    return sorted(groups, key=lambda g: len(_NONE.union(*[reached[n] for n in g])))


def on_cycles(calls: list[Call]) -> list[Call]:
    """The calls that can be repeated without end."""
    edges: dict[str, set[str]] = {c.name: set() for c in calls}
    for c in calls:
        edges.setdefault(c.caller, set()).add(c.name)
    group = {n: g for g in components(edges) for n in g}
    return [c for c in calls if group[c.caller] is group[c.name]]


# ============================================================================================ the steps


def split_hyps(s: Sequent, moving: Iterable[Term]) -> tuple[list[Term], list[Term]]:
    """The hypotheses that speak of none of the variables, and the others: only these move with an induction."""
    moving = frozenset(moving)
    return [h for h in s.hyps if h.free.isdisjoint(moving)], [h for h in s.hyps if not h.free.isdisjoint(moving)]


def object_of(value: Any, what: str, *keys: str) -> list[Any]:
    """The entries of an object that has exactly these keys."""
    if not isinstance(value, dict) or set(value) != set(keys):
        raise Refused(f"{what} is to have {', '.join(keys)}")
    return [value[k] for k in keys]


def listed(value: Any, what: str, kind: type = str) -> list[Any]:
    """A list of things of one kind."""
    if not isinstance(value, list) or any(type(v) is not kind for v in value):
        raise Refused(f"not a list as expected: {what}")
    return value


class Proof:
    """The steps of a derivation: their schemes worked out again, their queries as obligations."""

    def __init__(self, theorem: Theorem, asker: Asker) -> None:
        self.theorem, self.asker = theorem, asker
        self.signature = theorem.signature
        self.simple = Simplifier(self.signature)
        self.writer = Writer(self.signature)
        self.recursion = Recursion(theorem, self.writer, asker, self.simple)
        self.proved: dict[str, Sequent] = {}
        self.obligations: list[tuple[str, list[str]]] = []

    def check(self, steps: Any, wanted: Term) -> None:
        """Check all steps; the last one has to give ``wanted``. Raises Refused or Undecided."""
        self.guards = self.recursion.guards()
        self.equations = self._equations()
        name = ""
        for step in listed(steps, "steps", dict):
            name = step.get("id")
            if not isinstance(name, str) or name in self.proved:
                raise Refused(f"a step needs an id of its own: {name!r}")
            try:
                self.proved[name] = self._step(name, step)
            except (Refused, Undecided) as error:
                raise type(error)(f"step {name}: {error}") from None
        if not name or not covers(self.proved[name], Sequent((), (), wanted), self.simple):
            raise Refused(f"the last step, {name or 'of none'}, is not what is claimed")
        self.signature.check_values()  # steps may have made further copies of datatypes
        for name, scripts in self.obligations:
            self.asker.shows(name, scripts)

    def _step(self, name: str, step: dict[str, Any]) -> Sequent:
        by_query = "query" in step
        keys = ("id", "sequent", "query") if by_query else ("id", "sequent", "scheme", "cites")
        _, text, by, *rest = object_of(step, "a step", *keys)
        s = self._sequent(text)
        if by_query:
            self._query(name, s, by)
            return s
        cited = [self._cited(c) for c in listed(rest[0], "cites")]
        for number, case in enumerate(self._instances(s, by), 1):
            if not any(covers(c, case, self.simple) for c in cited):
                raise Refused(f"no cited step gives case {number} of its scheme ({by.get('kind')})")
        return s

    def _cited(self, name: str) -> Sequent:
        if name not in self.proved:
            raise Refused(f"it cites {name}, which is no earlier step")
        return self.proved[name]

    def _sequent(self, text: Any) -> Sequent:
        _, binders, hyps, concl = group_in(one_of(text), 4, 4)
        named = self.signature.variables(binders)
        formula = self.signature.term
        return Sequent(tuple(named.values()), tuple(formula(h, named) for h in group_in(hyps)), formula(concl, named))

    def _term(self, text: Any, s: Sequent, sort: Sort | None = None) -> Term:
        return self.signature.term(one_of(text), {v.name[1]: v for v in s.vars}, sort)

    def _point(self, texts: Any, s: Sequent, sorts: Iterable[Sort]) -> list[Term]:
        sorts = list(sorts)
        if len(listed(texts, "terms")) != len(sorts):
            raise Refused("as many terms as variables are needed")
        return [self._term(t, s, sort) for t, sort in zip(texts, sorts, strict=True)]

    def _variables(self, names: Any, s: Sequent) -> list[Term]:
        by_name = {v.name[1]: v for v in s.vars}
        if len(set(listed(names, "variables"))) != len(names) or not set(names) <= by_name.keys():
            raise Refused(f"not distinct variables of the goal: {names}")
        return [by_name[n] for n in names]

    # ------------------------------------------------------------------------------------------- schemes

    def _instances(self, s: Sequent, scheme: Any) -> list[Sequent]:
        """Sequents that together give ``s``."""
        kind = scheme.get("kind") if isinstance(scheme, dict) else None
        makers: dict[Any, tuple[Callable[..., list[Sequent]], tuple[str, ...]]] = {
            "structural": (self._structural, ("on", "general", "depth")),
            "integer": (self._integer, ("on", "base", "general", "upward", "width")),
            "measure": (self._measure, ("measure", "at")),
            "recursion": (self._along, ("function", "at", "general")),
            "size": (self._size, ("on", "at", "general", "twice")),
            "cases": (self._cases, ("on",)),
            "constructors": (lambda s, on: self._structural(s, on, [], 1, hypotheses=False), ("on",)),
            "conjuncts": (self._conjuncts, ()),
            "contradiction": (lambda s: [Sequent(s.vars, (*s.hyps, neg(s.concl)), FALSE)], ()),
            "witness": (self._witness, ("at",)),
            "intro": (lambda s: [s], ()),  # `covers` opens sequents on both sides
            "skolem": (lambda s: [s], ()),
        }
        if kind not in makers:
            raise Undecided(f"this script does not know the scheme {kind!r}")
        maker, keys = makers[kind]
        return maker(s, *object_of(scheme, "the scheme", "kind", *keys)[1:])

    def _hypothesis(self, s: Sequent, inside: list[Term], there: Mapping[Term, Term], general: list[Term]) -> Term:
        """What is left of the goal, at one point, for all values of the general variables."""
        fresh = renewed(general)
        return every(fresh.values(), subst(imp(conj(inside), s.concl), {**there, **fresh}))

    def _at(
        self, s: Sequent, here: Mapping[Term, Term], outside: list[Term], hyps: list[Term], inside: list[Term]
    ) -> Sequent:
        """The goal at a point; the variables in it are new ones or those of the goal."""
        terms = (*outside, *hyps, *[subst(h, here) for h in inside])
        concl = subst(s.concl, here)
        free = _NONE.union(concl.free, *[t.free for t in terms])
        return Sequent(tuple(sorted(free, key=lambda v: v.name[0])), terms, concl)

    def _shapes(self, sort: Sort, depth: int) -> list[Term]:
        """The ways to build a value: each value has exactly one of these forms."""
        found: list[Term] = []
        if sort not in self.signature.data:
            raise Refused(f"{sort[-1]} is not a datatype")
        for c in self.signature.data[sort].values():
            fields = [
                self._shapes(s, depth - 1) if s == sort and depth > 1 else [variable("x", s)] for _, s in c.fields
            ]
            for parts in itertools.product(*fields):  # each shape gets variables of its own
                term = make("fun", c.name, parts, sort)
                found.append(subst(term, renewed(term.free)))
            if len(found) > 500:
                raise Refused("too many cases")
        return found

    def _structural(self, s: Sequent, on: Any, general: Any, depth: Any, *, hypotheses: bool = True) -> list[Sequent]:
        """Induction over proper parts of the same sort; or just the cases."""
        (x,), moving = self._variables([on], s), self._variables(general, s)
        if x in moving or type(depth) is not int or not 1 <= depth <= 3:
            raise Refused("not an induction on constructors")
        outside, inside = split_hyps(s, [x, *moving])
        cases = []
        for term in self._shapes(x.sort, depth):
            below = [p for p in parts_of(term) if p is not term and p.sort == x.sort] if hypotheses else []
            hyps = [self._hypothesis(s, inside, {x: p}, moving) for p in below]
            cases.append(self._at(s, {x: term}, outside, hyps, inside))
        return cases

    def _integer(self, s: Sequent, on: Any, base: Any, general: Any, upward: Any, width: Any) -> list[Sequent]:
        """Below the base; from the base on as many cases as the step goes back; the step."""
        (x,), moving = self._variables([on], s), self._variables(general, s)
        start = self._term(base, s, INT)
        if x.sort != INT or x in moving or not start.free.isdisjoint((x, *moving)) or type(upward) is not bool:
            raise Refused("not an induction on integers")
        if type(width) is not int or not 1 <= width <= 6:
            raise Refused("not a width")
        outside, inside = split_hyps(s, [x, *moving])
        one = 1 if upward else -1

        def shifted(t: Term, by: int) -> Term:
            sign = "+" if by > 0 else "-"
            return self.simple(theory(sign, t, literal(abs(by), INT), sort=INT)) if by else t

        hyps = [self._hypothesis(s, inside, {x: shifted(x, -one * k)}, moving) for k in range(1, width + 1)]
        beyond = theory(">=" if upward else "<=", x, shifted(start, one * width))
        return [
            Sequent(s.vars, (*s.hyps, theory("<" if upward else ">", x, start)), s.concl),
            *[self._at(s, {x: shifted(start, one * k)}, outside, [], inside) for k in range(width)],
            self._at(s, {}, [*outside, beyond], hyps, inside),
        ]

    def _measure(self, s: Sequent, measure: Any, at: Any) -> list[Sequent]:
        """The goal wherever the measure is smaller, and not negative."""
        here = self._term(measure, s, INT)
        points = [self._point(p, s, [v.sort for v in s.vars]) for p in listed(at, "points", list)]
        fresh = list(renewed(s.vars).values()) if not points else []
        hyps = []
        for point in points or [fresh]:
            there = dict(zip(s.vars, point, strict=True))
            then = subst(here, there)
            given = conj([theory("<=", ZERO, then), theory("<", then, here), *[subst(h, there) for h in s.hyps]])
            hyps.append(every(fresh, imp(given, subst(s.concl, there))))
        return [Sequent(s.vars, (*s.hyps, *hyps), s.concl)]

    def _along(self, s: Sequent, function: Any, at: Any, general: Any) -> list[Sequent]:
        """The goal where a total function calls itself, in the cases of its body. What does not move stays the same."""
        if function not in self.recursion.total or not self.recursion.recursive(function):
            raise Refused(f"{function} is not a recursive function that was shown to terminate")
        d = self.signature.definitions[function]
        args = tuple(map(self.simple, self._point(at, s, [p.sort for p in d.params])))
        points = self.recursion.points(function)
        moved = {
            a: i for i, a in enumerate(args) if a.op == "var" and any(p.args[i] is not d.params[i] for p in points)
        }
        general = self._variables(general, s)
        if any(not a.free.isdisjoint((*moved, *general)) for i, a in enumerate(args) if moved.get(a) != i):
            raise Refused("what stays speaks of what moves")
        if not moved.keys().isdisjoint(general):
            raise Refused("a variable that moves is no general one")
        outside, inside = split_hyps(s, [*moved, *general])
        cases = []
        for here, _ in self.recursion.cases(function, args, moved):
            hyps = []
            for point in points:
                fresh = renewed(point.bound)
                given = {**dict(zip(d.params, here, strict=True)), **fresh}
                there = [self.simple(subst(a, given)) for a in point.args]
                path = conj([self.simple(subst(c, given)) for c in point.path])
                if all(there[i] is here[i] for i, a in enumerate(args) if a not in moved):
                    body = self._hypothesis(s, inside, {v: there[i] for v, i in moved.items()}, general)
                    hyps.append(every(fresh.values(), imp(path, body)))
            cases.append(self._at(s, {v: here[i] for v, i in moved.items()}, outside, hyps, inside))
        return cases

    def _size(self, s: Sequent, on: Any, at: Any, general: Any, twice: Any) -> list[Sequent]:
        """The goal at points with fewer constructors, each under its condition."""
        xs, moving = self._variables(on, s), self._variables(general, s)
        weights = {(f[0], f[1]): 2 for f in listed(twice, "fields", list)}
        if not frozenset(xs).isdisjoint(moving):
            raise Refused("a variable that moves is no general one")
        outside, inside = split_hyps(s, [*xs, *moving])
        hyps = []
        for point in listed(at, "points", list):
            condition, *there = self._point(point, s, [BOOL, *[x.sort for x in xs]])
            if any(not t.free.isdisjoint(moving) for t in (condition, *there)):
                raise Refused("a point speaks of a general variable")
            there = list(map(self.simple, there))
            if not self.recursion.smaller(xs, there, longer((), self.simple(condition)), weights):
                raise Undecided(f"not shown to be smaller: {shown(one_of(point[1]))} ...")
            hyps.append(imp(condition, self._hypothesis(s, inside, dict(zip(xs, there, strict=True)), moving)))
        return [self._at(s, {}, outside, hyps, inside)]

    def _cases(self, s: Sequent, on: Any) -> list[Sequent]:
        on = self._term(on, s, BOOL)
        return [Sequent(s.vars, (*s.hyps, h), s.concl) for h in (on, neg(on))]

    def _conjuncts(self, s: Sequent) -> list[Sequent]:
        parts = s.concl.args
        if is_th(s.concl, "=") and parts[0].sort == BOOL:
            parts = (imp(parts[0], parts[1]), imp(parts[1], parts[0]))
        elif not is_th(s.concl, "and"):
            raise Refused("the conclusion is not a conjunction")
        return [Sequent(s.vars, s.hyps, p) for p in parts]

    def _witness(self, s: Sequent, at: Any) -> list[Sequent]:
        if s.concl.op != "any":
            raise Refused("the conclusion is not existential")
        terms = self._point(at, s, [v.sort for v in s.concl.bound])
        return [Sequent(s.vars, s.hyps, subst(s.concl.args[0], dict(zip(s.concl.bound, terms, strict=True))))]

    # ------------------------------------------------------------------------------------------- queries

    def _guarded(self, name: str, args: Sequence[Term], equation: Term) -> Term:
        guard = self.guards.get(name, TRUE)
        return imp(self.signature.definitions[name].at(args, guard), equation)

    def _equations(self) -> list[str]:
        """The definitions case by case, the left side as a trigger; not those that would unfold for ever."""
        lines = []
        for name, d in self.signature.definitions.items():
            cases = self.recursion.cases(name, d.params, d.params)
            if len(cases) > 1 and not self.recursion.recursive(name):
                cases.append((d.params, self.simple(d.body)))
            for args, body in cases:
                if any(a.op != "var" for a in args) or not self.recursion.recursive(name):
                    left = d.call(args)
                    fact = self._guarded(name, args, theory("=", left, body))
                    lines.append(self.writer.fact(every(left.free, fact), [left]))
        return lines

    def _query(self, name: str, s: Sequent, query: Any) -> None:
        cites, instances, equations, quantified = object_of(
            query, "a query", "cites", "instances", "equations", "quantified"
        )
        cited = {c: self._cited(c) for c in listed(cites, "cites")}
        facts = [self._instance(s, i, cited) for i in listed(instances, "instances", dict)]
        for x in s.vars:  # each value is built by a constructor: some solvers have to be told
            constructors = self.signature.data.get(x.sort, {}).values()
            parts = [make("fun", f, (x,), r) for c in constructors for f, r in c.fields if r == x.sort]
            facts += [
                disj([theory("=", part, rebuilt(part, c)) for c in constructors])
                for part in (x, *parts)
                if constructors
            ]
        asserted: dict[Term, Sequence[Term]] = dict.fromkeys([*s.hyps, *self.theorem.premises.values()], ())
        asserted |= {
            c.formula: [t for t in _sides(c.formula) if t.name in self.signature.definitions] for c in cited.values()
        }
        scripts = []
        for all_of_it in (False, True):
            chosen = [f for f in asserted if quantified or all_of_it or not f.quantified]
            lines = self.equations if equations or all_of_it else []
            lines = [*lines, *[self.writer.fact(f, asserted[f]) for f in chosen]]
            scripts.append(self.writer.script(facts, s.concl, lines, s.vars))
        self.obligations.append((f"step {name}", scripts))

    def _instance(self, s: Sequent, instance: Any, cited: Mapping[str, Sequent]) -> Term:
        """A ground fact that is true by its form."""
        of, name, texts = object_of(instance, "an instance", "of", "name", "args")
        if of == "def" and name in self.signature.definitions:
            d = self.signature.definitions[name]
            args = self._point(texts, s, [p.sort for p in d.params])
            return self._guarded(name, args, theory("=", d.call(args), d.at(args, d.body)))
        if of == "step" and name in cited:
            step = cited[name]
            args = self._point(texts, s, [v.sort for v in step.vars])
            return subst(imp(conj(step.hyps), step.concl), dict(zip(step.vars, args, strict=True)))
        formula = None
        if of == "premise":
            formula = self.theorem.premises.get(name)
        elif of == "hyp" and isinstance(name, str) and name.isdigit() and int(name) < len(s.hyps):
            formula = s.hyps[int(name)]
        if formula is None:
            raise Refused(f"there is nothing to make this instance of: {of} {name}")
        if formula.op != "all":
            return formula
        args = self._point(texts, s, [v.sort for v in formula.bound])
        return subst(formula.args[0], dict(zip(formula.bound, args, strict=True)))

    def contradictory(self, seconds: float) -> bool:
        """Whether a solver sees that premises, definitions and what was proved of them contradict each other."""
        facts = [*self.theorem.premises.values(), *[s.formula for s in self.proved.values()]]
        lines = [*self.equations, *map(self.writer.fact, facts)]
        return bool(self.theorem.premises) and self.asker.guess(self.writer.script([], FALSE, lines), seconds)


def rebuilt(x: Term, c: Constructor) -> Term:
    return make("fun", c.name, [make("fun", f, (x,), r) for f, r in c.fields], c.sort)


def _sides(fact: Term) -> tuple[Term, ...]:
    body = fact.args[0] if fact.op == "all" else fact
    return body.args if is_th(body, "=") else (body.args[0] if is_th(body, "not") else body,)


def one_of(text: Any) -> Any:
    """The one expression of a text."""
    found = read(text) if isinstance(text, str) else []
    if len(found) != 1:
        raise Refused(f"one expression was expected: {text!r}"[:200])
    return found[0]


# ================================================================================= counterexamples


MAX_UNFOLDINGS = 20_000


class Values(Simplifier):
    """Terms without variables, worked out: constructors, numbers, definitions, and a table of declared functions."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(signature)
        self.table: dict[Term, Term] = {}
        self.left = MAX_UNFOLDINGS

    def simpler(self, t: Term) -> Term:
        """The value; of a junction or an ``ite`` only as much is worked out as decides it."""
        if is_th(t, "ite"):
            return self(t.args[1 if self(t.args[0]) is TRUE else 2])
        if is_th(t, "=>"):
            t = theory("or", neg(t.args[0]), t.args[1])
        if is_th(t, "and", "or"):
            decides = literal(t.name == "or", BOOL)
            return decides if any(self(a) is decides for a in t.args) else neg(decides)
        if t.bound:
            raise Undecided("the evaluator of this script does not know quantifiers")
        args = [self(a) for a in t.args]
        plain = make(t.op, t.name, args, t.sort)
        if t.op == "fun" and t.name in self.signature.definitions:
            self.left -= 1
            if self.left < 0:
                raise Undecided("the evaluation takes too long")
            d = self.signature.definitions[t.name]
            return self(d.at(args, d.body))
        if plain in self.table:
            return self.table[plain]
        if is_th(t, "div", "mod") and args[1] is not ZERO:
            a, b = args[0].name, args[1].name
            quotient = a // b if b > 0 else -(a // -b)
            return literal(quotient if t.name == "div" else a - b * quotient, INT)
        if is_th(t, "abs") or (is_th(t, "-") and len(args) == 1):
            return literal(abs(args[0].name) if t.name == "abs" else -args[0].name, t.sort)
        result = super().simpler(plain)
        if result.op != "lit" and not self.built(result):
            raise Undecided(f"the evaluator of this script does not know {t.name} there")
        return result

    def __call__(self, t: Term) -> Term:
        if t not in self.done:
            self.done[t] = t if t.op == "lit" else self.simpler(t)
        return self.done[t]

    def read(self, value: Any, sort: Sort) -> Term:
        """A value in JSON."""
        if sort == BOOL and isinstance(value, bool):
            return literal(value, BOOL)
        if isinstance(value, dict) and set(value) == {"integer"} and re.fullmatch("-?[0-9]+", str(value["integer"])):
            value = int(value["integer"])
        if sort == INT and type(value) is int:
            return literal(value, INT)
        parts = value.get("tuple") if isinstance(value, dict) and set(value) == {"tuple"} else None
        c = (
            self.signature.constructors.get(parts[0])
            if isinstance(parts, list) and parts and isinstance(parts[0], str)
            else None
        )
        if isinstance(parts, list) and c is not None and c.sort == sort and len(parts) == len(c.fields) + 1:
            return make("fun", c.name, [self.read(p, s) for p, (_, s) in zip(parts[1:], c.fields, strict=True)], sort)
        element = value.get("element") if isinstance(value, dict) and set(value) == {"element"} else {}
        known = isinstance(element, dict) and set(element) == {"sort", "number"} and type(element["number"]) is int
        if known and sort in self.signature.opaque and element["sort"] == sort_word(sort):
            return literal(f"element {element['number']}", sort)  # different numbers, different elements
        raise Undecided(
            f"the evaluator of this script does not know the value {json.dumps(value)[:80]} of sort {sort_word(sort)}"
        )


def check_counterexample(proof: Proof, evidence: dict[str, Any]) -> None:
    """The premises are true and the goal is false at the values; definitions terminate, so they have a model."""
    theorem = proof.theorem
    values = Values(theorem.signature)
    given, rows = object_of(
        {k: v for k, v in evidence.items() if k != "premises"}, "a counterexample", "values", "table"
    )
    for row in listed(rows, "table", dict):
        name, args, value = object_of(row, "a row", "function", "args", "value")
        f = theorem.signature.declared.get(name)
        if f is None or len(args) != len(f.params):
            raise Refused(f"the table speaks of {name!r}")
        call = make("fun", name, [values.read(a, s) for a, s in zip(args, f.params, strict=True)], f.result)
        if values.table.setdefault(call, found := values.read(value, f.result)) is not found:
            raise Refused(f"the table gives two values to {name}")
    proved = evidence["premises"]["names"] if "premises" in evidence else []
    for name, formula in theorem.premises.items():
        if name not in proved and values(formula) is not TRUE:
            raise Refused(f"the premise {name} is not true at the values")
    goal, taken = theorem.goal, set(theorem.signature.symbols) | set(theorem.signature.constructors)
    names: set[str] = set()
    while goal.op == "all" or is_th(goal, "=>"):
        if goal.op != "all":
            if values(goal.args[0]) is not TRUE:
                raise Refused("a hypothesis of the goal is not true at the values")
            goal = goal.args[1]
            continue
        at = {}
        for v in goal.bound:
            name = fresh_name(v.name[1], taken)
            if name not in given:
                raise Refused(f"no value for {name}")
            taken.add(name)
            names.add(name)
            at[v] = values.read(given[name], v.sort)
        goal = subst(goal.args[0], at)
    if names != set(given) or values(goal) is not FALSE:
        raise Refused("the goal is not false at the values")


# ==================================================================================== certificates


FILES = ("theorem.smt2", "derivation.json", "obligations.smt2", "manifest.json")


@dataclass
class Report:
    """What is known about a certificate."""

    certificate: str
    verdict: str
    claim: str = ""
    reason: str = ""
    statement: str = ""
    obligations: int = 0
    processes: int = 0
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


def load(data: bytes, what: str) -> dict[str, Any]:
    """An object of JSON in which no key stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({k for k, _ in pairs}) != len(pairs):
            raise Refused(f"a key stands twice in {what}")
        return dict(pairs)

    try:
        found = json.loads(data, object_pairs_hook=once)
    except ValueError as error:
        raise Refused(f"{what} is not JSON: {error}") from error
    return found if isinstance(found, dict) else object_of(found, what)  # type: ignore[return-value]


def verify(folder: Path, theorem: bytes | None, asker: Asker, report: Report) -> None:
    """Check a certificate. Raises Refused or Undecided; holds otherwise."""
    manifest = load((folder / "manifest.json").read_bytes(), "manifest.json")
    if manifest.get("language") != "smt" or manifest.get("schema") != 1:
        raise Undecided(
            f"this script does not know certificates of {manifest.get('language')!r}, {manifest.get('schema')!r}"
        )
    if sorted(p.name for p in folder.iterdir()) != sorted(FILES):
        raise Refused(f"the folder is to have {', '.join(FILES)} and nothing else")
    data = {name: (folder / name).read_bytes() for name in FILES}
    sums = {name: hashlib.sha256(data[name]).hexdigest() for name in FILES[:3]}
    rest = {k: v for k, v in manifest.items() if k != "manifest_sha256"}
    text = json.dumps(rest, sort_keys=True, indent=2, ensure_ascii=True) + "\n"
    if manifest.get("files") != sums or manifest.get("manifest_sha256") != hashlib.sha256(text.encode()).hexdigest():
        raise Refused("a hash does not fit: a file was edited")
    if theorem is None:
        report.notes.append("compared with its own theorem.smt2 only: give --theorem")
    elif theorem != data["theorem.smt2"]:
        raise Refused("the certificate is about another text than the theorem given")
    problem = read_theorem(data["theorem.smt2"])
    report.statement, report.claim = str(manifest.get("statement")), str(manifest.get("claim"))
    stated = problem.signature.term(one_of(report.statement))
    if not all(covers(Sequent((), (), a), Sequent((), (), b), Simplifier(problem.signature))
               for a, b in ((stated, problem.goal), (problem.goal, stated))):  # fmt: skip
        raise Refused("the statement in the manifest is not the theorem's goal")
    evidence = load(data["derivation.json"], "derivation.json")
    for text in listed(evidence.get("auxiliary", []), "auxiliary"):
        command = group_in(one_of(text), 3)
        if word_in(command[0]) not in ("define-fun", "define-fun-rec", "define-funs-rec"):
            raise Refused("an auxiliary definition is no definition")
        problem.signature.command(command)
    for name, terms in evidence.get("measures", {}).items():
        d = problem.signature.definitions.get(name)
        if d is None:
            raise Refused(f"measures of {name}, which has no definition")
        env = {p.name[1]: p for p in d.params}
        problem.measures[name] = tuple(problem.signature.term(one_of(t), env, INT) for t in listed(terms, "measures"))
    if "premises" in evidence:  # the proof that the definitions alone imply some premises
        names, steps = object_of(evidence["premises"], "premises", "names", "proof")
        if not set(listed(names, "premises")) <= problem.premises.keys():
            raise Refused("the theorem has no such premises")
        goal = conj([problem.premises[n] for n in names])
        Proof(Theorem(problem.signature, {}, goal, problem.measures), asker).check(
            object_of(steps, "proof", "steps")[0], goal
        )
    if report.claim == "counterexample":
        check_counterexample(Proof(problem, asker), evidence)
        return
    if report.claim not in ("proved", "negation proved", "inconsistent"):
        raise Undecided(f"this script does not know the claim {report.claim!r}")
    steps = object_of(
        {k: v for k, v in evidence.items() if k not in ("premises", "auxiliary", "measures")}, "a derivation", "steps"
    )
    wanted = {"proved": problem.goal, "negation proved": neg(problem.goal), "inconsistent": FALSE}[report.claim]
    proof = Proof(problem, asker)
    proof.check(steps[0], wanted)
    if report.claim != "inconsistent" and proof.contradictory(min(2.0, asker.seconds)):
        raise Refused("the premises contradict each other, so anything would follow")
    if problem.premises and report.claim == "negation proved":
        raise Undecided("the negation of the goal follows, but that the premises are consistent is not shown")
    if problem.premises and report.claim == "proved":
        report.notes.append("no contradiction among the premises was seen; that there is none is not shown")


def judged(folder: Path, theorem: Path | None, solvers: Sequence[Solver], seconds: float) -> Report:
    """The report on a certificate."""
    report = Report(str(folder), HOLDS)
    asker = Asker(solvers, seconds)
    began = time.monotonic()
    try:
        verify(folder, theorem.read_bytes() if theorem else None, asker, report)
    except Refused as error:
        report.verdict, report.reason = REFUSED, str(error)
    except (Undecided, OSError) as error:
        report.verdict, report.reason = UNDECIDED, str(error)
    except (RecursionError, MemoryError) as error:
        report.verdict, report.reason = UNDECIDED, f"too large for this script ({type(error).__name__})"
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        report.verdict, report.reason = REFUSED, f"malformed: {error!r}"
    report.obligations, report.processes = asker.posed, asker.processes
    report.seconds = round(time.monotonic() - began, 2)
    return report


def certificates_in(path: Path) -> list[Path]:
    """The certificate, or those in a folder."""
    found = sorted(p.parent for p in path.glob("*/manifest.json")) if not (path / "manifest.json").exists() else []
    return found or [path]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("certificate", type=Path, nargs="+", help="folder of a certificate, or of certificates")
    parser.add_argument("--theorem", type=Path, help="the theorem that the certificate has to be about")
    parser.add_argument("--solver", action="append", help="SMT-LIB solver as a command (default: z3, then cvc5)")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each question")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    options = parser.parse_args(arguments)
    folders = [c for path in options.certificate for c in certificates_in(path)]
    if options.theorem and len(folders) > 1:
        parser.error("--theorem is for one certificate")
    named = [find_solver(s) for s in options.solver or ("z3", "cvc5")]
    solvers = [s for s in named if s is not None]
    if not solvers or (options.solver and len(solvers) < len(named)):
        parser.error("no such solver")
    reports = []
    for folder in folders:
        report = judged(folder, options.theorem, solvers, options.timeout)
        reports.append(report)
        if options.json:
            print(json.dumps(report.__dict__), flush=True)
            continue
        print(
            f"{report.verdict}  {report.claim}  {folder}  ({report.obligations} obligations, {report.seconds} s)",
            flush=True,
        )
        for line in [report.statement, report.reason, *report.notes]:
            print(f"  {line}" * bool(line), end="\n" * bool(line), flush=True)
    if len(reports) > 1 and not options.json:
        print(", ".join(f"{v}: {sum(r.verdict == v for r in reports)}" for v in CODES))
    return max((CODES[r.verdict] for r in reports), key=[0, 2, 1].index)


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)
    threading.stack_size(512 << 20)  # terms are nested
    code: list[int] = []
    thread = threading.Thread(target=lambda: code.append(main()))
    thread.start()
    thread.join()
    sys.exit(code[0] if code else 2)
