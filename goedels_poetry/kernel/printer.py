"""Terms back to SMT-LIB text: what solvers, certificates and people read.

What is printed here and read back by `parser.parse_term` is the same term, to the last node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import groupby

from goedels_poetry.kernel.faults import TextTooLong
from goedels_poetry.kernel.problem import Datatype, Signature
from goedels_poetry.kernel.terms import LARGE, REAL, BitVector, Kind, Sort, Term, app, eq, forall, is_app, subterms

_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
_LIKE_A_NUMBER = re.compile(r"[-+.][0-9].*")
RESERVED = frozenset(
    [
        "!",
        "_",
        "as",
        "BINARY",
        "DECIMAL",
        "exists",
        "HEXADECIMAL",
        "forall",
        "let",
        "match",
        "NUMERAL",
        "par",
        "STRING",
        "lambda",
        "assert",
        "check-sat",
        "check-sat-assuming",
        "declare-const",
        "declare-datatype",
        "declare-datatypes",
        "declare-fun",
        "declare-sort",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
        "define-sort",
        "echo",
        "eval",
        "exit",
        "get-assertions",
        "get-assignment",
        "get-info",
        "get-model",
        "get-option",
        "get-proof",
        "get-unsat-assumptions",
        "get-unsat-core",
        "get-value",
        "include",
        "pop",
        "push",
        "reset",
        "reset-assertions",
        "set-info",
        "set-logic",
        "set-option",
        "simplify",
    ]
)
"""Reserved words of SMT-LIB 2.6 and its command names; between bars they are ordinary symbols."""


_WIDE = 4_000
"""Bits whose digits the reader takes; a small number of more bits is written without its zeros."""


LEAST_SHARED = 8
"""Nodes of a part that it is worth to name."""
MAX_TEXT = 20_000_000


def show_symbol(name: str) -> str:
    """A symbol, between bars where the lexicon (ours or a solver's) would read it as something else."""
    if _SIMPLE.fullmatch(name) and name not in RESERVED and not _LIKE_A_NUMBER.fullmatch(name):
        return name
    return f"|{name}|"


def show_sort(sort: Sort) -> str:
    """A sort."""
    if sort.indices:
        return f"(_ {sort.name} {' '.join(map(str, sort.indices))})"
    if sort.args:
        return f"({show_symbol(sort.name)} {' '.join(map(show_sort, sort.args))})"
    return show_symbol(sort.name)


def show(term: Term) -> str:
    """A term. Depth-safe; in a large one, what occurs more than once is written once, bound by ``let``.

    Raises:
        TextTooLong: even so.
    """
    return _written(term, {}) if term.size <= LARGE else _Sharing(term).text(term, {})


def _written(term: Term, names: Mapping[Term, str], sharing: _Sharing | None = None) -> str:
    """A term in which what has a name stands for itself; ``sharing`` writes the bodies of quantifiers."""
    memo: dict[Term, str] = {}
    stack = [term]
    while stack:
        top = stack[-1]
        if top in memo:
            stack.pop()
            continue
        if sharing is not None and top.binders:
            args = [sharing.text(top.body, names)]
        else:
            waiting = [a for a in top.args if a not in memo and a not in names]
            if waiting:
                stack.extend(waiting)
                continue
            args = [names.get(a) or memo[a] for a in top.args]
        stack.pop()
        memo[top] = _show_node(top, args)
        if len(memo[top]) > MAX_TEXT:
            raise TextTooLong(f"a term that takes more than {MAX_TEXT:,} characters")
    return memo[term]


class _Sharing:
    """Writes a large term; the names that it gives to shared parts occur nowhere in it."""

    def __init__(self, term: Term) -> None:
        used = {name for t in subterms(term) for name in (t.name, *[v.name for v in t.binders])}
        self._prefix = "_"
        while any(name.startswith(self._prefix) for name in used):
            self._prefix += "_"
        self._count = 0

    def text(self, root: Term, names: Mapping[Term, str]) -> str:
        """``root``, which is the whole term or the body of a quantifier in it, where ``names`` are bound."""
        if root in names:
            return names[root]
        named = dict(names)
        lets: list[str] = []
        for group in _shared(root, names):
            texts = [_written(t, named, self) for t in group]
            for t in group:
                self._count += 1
                named[t] = f"{self._prefix}{self._count}"
            lets.append(" ".join(f"({named[t]} {text})" for t, text in zip(group, texts, strict=True)))
        opening = "".join(f"(let ({bindings}) " for bindings in lets)
        return f"{opening}{_written(root, named, self)}{')' * len(lets)}"


def _shared(root: Term, names: Mapping[Term, str]) -> list[list[Term]]:
    """What is to be bound at ``root``: terms that would be written more than once and speak of nothing bound below.

    In groups, so that each term speaks of terms of earlier groups only.
    """
    upwards = _children_first(root, names)
    bound = {v.name for t in upwards for v in t.binders}
    places = dict.fromkeys(upwards, 0)
    shared: set[Term] = set()
    for term in reversed(upwards):
        if places[term] > 1 and term.size >= LEAST_SHARED and bound.isdisjoint(v.name for v in term.free):
            shared.add(term)
        times = 2 if places[term] > 1 and term not in shared else 1  # twice stands for more than once
        for a in term.args:
            if a in places:
                places[a] = min(places[a] + times, 2)
    groups: list[list[Term]] = []
    below: dict[Term, int] = {}
    for term in upwards:
        level = max((below[a] for a in term.args if a in below), default=0)
        if term in shared:
            groups += [[]] if level == len(groups) else []
            groups[level].append(term)
        below[term] = level + (term in shared)
    return groups


def _children_first(root: Term, names: Mapping[Term, str]) -> list[Term]:
    """The distinct subterms of ``root`` that are not below one with a name."""
    order: dict[Term, None] = {}
    stack = [root]
    while stack:
        top = stack[-1]
        waiting = [a for a in top.args if a not in order and a not in names] if top not in order else ()
        if waiting:
            stack.extend(waiting)
            continue
        order.setdefault(stack.pop())
    return list(order)


def _show_node(term: Term, args: list[str]) -> str:
    kind = term.kind
    if kind is Kind.VAR:
        return show_symbol(term.name)
    if kind is Kind.LIT:
        return _show_literal(term)
    if kind is not Kind.APP:
        word = "forall" if kind is Kind.FORALL else "exists"
        return f"({word} {show_binders(term.binders)} {args[0]})"
    if _reads_as_literal(term):
        args[0] = f"(let ((_0 {args[0]})) _0)"
    head = _show_head(term)
    return f"({head} {' '.join(args)})" if args else head


def _show_head(term: Term) -> str:
    if term.name == "const" and term.sort.name == "Array":
        return f"(as const {show_sort(term.sort)})"
    name = show_symbol(term.name)
    if term.indices:
        return f"(_ {name} {' '.join(show_symbol(i) if isinstance(i, str) else str(i) for i in term.indices)})"
    return name


def _reads_as_literal(term: Term) -> bool:
    """Whether plain text of this application would be read as a negative or fractional literal."""
    first = term.args[0] if term.args else None
    if first is None or first.kind is not Kind.LIT or isinstance(first.value, (str, bool, BitVector)):
        return False
    if is_app(term, "-"):
        return len(term.args) == 1 and first.value is not None and first.value > 0
    if is_app(term, "/") and len(term.args) == 2:
        second = term.args[1]
        return second.kind is Kind.LIT and _whole(first) and _whole(second) and second.value != 0
    return False


def _whole(term: Term) -> bool:
    return isinstance(term.value, Fraction) and term.value.denominator == 1 and term.value >= 0


def _show_literal(term: Term) -> str:
    value = term.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, BitVector):
        width = value.width
        if width > _WIDE and value.value.bit_length() <= _WIDE:
            return f"(_ bv{value.value} {width})"
        return f"#x{value.value:0{width // 4}x}" if width % 4 == 0 else f"#b{value.value:0{width}b}"
    if isinstance(value, str):
        return '"' + "".join(map(_show_character, value)) + '"'
    if term.sort is REAL:
        number = Fraction(value or 0)
        text = f"{abs(number.numerator)}.0"
        if number.denominator != 1:
            text = f"(/ {text} {number.denominator}.0)"
        return f"(- {text})" if number < 0 else text
    return str(value) if value is not None and value >= 0 else f"(- {-(value or 0)})"


def _show_character(character: str) -> str:
    if character == '"':
        return '""'
    return character if " " <= character <= "~" and character != "\\" else f"\\u{{{ord(character):x}}}"


def show_binders(binders: Iterable[Term]) -> str:
    """``((x Nat) ...)``."""
    return "(" + " ".join(f"({show_symbol(v.name)} {show_sort(v.sort)})" for v in binders) + ")"


# -------------------------------------------------------------------------------------- declarations


def declarations(signature: Signature) -> list[str]:
    """Commands that declare every sort, datatype and function; defined functions without their bodies."""
    lines = [f"(declare-sort {show_symbol(sort.name)} 0)" for sort in signature.sorts]
    lines.extend(_declare_datatypes(list(group)) for _, group in groupby(signature.datatypes, lambda d: d.group))
    lines.extend(_declare_fun(name, *entry) for name, entry in signature.functions.items())
    lines.extend(_declare_fun(d.name, tuple(v.sort for v in d.params), d.sort) for d in signature.definitions)
    return lines


def equations(signature: Signature) -> list[str]:
    """What the definitions say, as assertions."""
    stated = [forall(d.params, eq(app(d.name, d.params, d.sort), d.body)) for d in signature.definitions]
    return [f"(assert {show(equation)})" for equation in stated]


def _declare_fun(name: str, params: tuple[Sort, ...], result: Sort) -> str:
    return f"(declare-fun {show_symbol(name)} ({' '.join(map(show_sort, params))}) {show_sort(result)})"


def _declare_datatypes(group: list[Datatype]) -> str:
    heads = " ".join(f"({show_symbol(d.sort.name)} 0)" for d in group)
    bodies = []
    for datatype in group:
        constructors = [
            " ".join([f"({show_symbol(c.name)}", *[f"({show_symbol(s)} {show_sort(t)})" for s, t in c.fields]]) + ")"
            for c in datatype.constructors
        ]
        bodies.append(f"({' '.join(constructors)})")
    return f"(declare-datatypes ({heads}) ({' '.join(bodies)}))"
