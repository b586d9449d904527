"""From text to terms: obligations as SMT-LIB has them, and the terms of a proof as cvc5 prints them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from goedels_poetry.checker.cpc.terms import (
    BOOL,
    INDEXED,
    INT,
    QUANTIFIERS,
    REAL,
    RELATIONS,
    RESERVED,
    Rejected,
    Signature,
    Sort,
    Term,
    Terms,
)

SExpr: TypeAlias = "str | Group"
Value: TypeAlias = "Term | tuple[Value, ...]"
"""What a name of a proof stands for, or an argument of a step is: a term, or a list."""

_TOKEN = re.compile(r'[ \t\r]*(?:(\n)|;[^\n]*|([()]|"(?:[^"]|"")*"|\|[^|\\]*\||[^\s()";|]+)|$)')
_INTEGER = re.compile(r"-?[0-9]+")
_FRACTION = re.compile(r"(-?[0-9]+)/([0-9]+)")
_DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
_BITS = re.compile(r"#b([01]+)|#x([0-9a-fA-F]+)|bv([0-9]+)")
_CHARACTER = re.compile(r"\\u(?:\{([0-9a-fA-F]{1,5})\}|([0-9a-fA-F]{4}))|([ -\[\]-~])")
_SYNONYMS = {"bv2nat": "ubv_to_int", "int2bv": "int_to_bv", "nat2bv": "int_to_bv"}
"""Older names of functions that have one of their own."""


class Group(tuple[SExpr, ...]):
    """A list of S-expressions; ``line`` in which it begins, from 1."""

    line = 0


def expressions(text: str) -> Iterator[SExpr]:
    """The S-expressions of a text; names lose their bars.

    Raises:
        Rejected: parentheses that do not match, or characters that begin nothing.
    """
    open_: list[tuple[list[SExpr], int]] = []
    place, line = 0, 1
    for match in _TOKEN.finditer(text):
        newline, token = match.groups()
        if match.start() != place:
            break
        place = match.end()
        if newline:
            line += 1
        elif token == "(":
            open_.append(([], line))
        elif token is not None:
            done: SExpr = token[1:-1] if token[0] == "|" else token
            if token == ")":
                if not open_:
                    raise Rejected(f"line {line}: a parenthesis too many")
                items, began = open_.pop()
                done = Group(items)
                done.line = began
            elif token[0] in '"|':
                line += token.count("\n")
            if done == "":
                raise Rejected(f"line {line}: an empty name")
            if open_:
                open_[-1][0].append(done)
            else:
                yield done
    if place < len(text):
        raise Rejected(f"line {line}: nothing begins with {text[place:].lstrip()[:1]!r}")
    if open_:
        raise Rejected(f"line {open_[-1][1]}: a parenthesis that is not closed")


def _group(found: SExpr, least: int = 0) -> Group:
    if isinstance(found, Group) and len(found) >= least:
        return found
    raise Rejected(f"a list of {least} or more was expected, not {_short(found)}")


def _name(found: SExpr) -> str:
    if isinstance(found, str) and found[0] not in '"#:0123456789' and _number(found) is None:
        return found  # what is a literal without bars would be taken for one
    raise Rejected(f"a name was expected, not {_short(found)}")


def _short(found: SExpr) -> str:
    text = f"({' '.join(map(_short, found[:4]))} ...)" if isinstance(found, Group) else found
    return text[:60]


def read_sort(found: SExpr) -> Sort:
    """A sort as it is written, whether or not there is one."""
    return found if isinstance(found, str) else tuple([read_sort(part) for part in found])


@dataclass(frozen=True)
class ObligationText:
    """What an obligation declares and asserts."""

    terms: Terms
    assertions: frozenset[Term]


def queries(script: str) -> Iterator[tuple[int, list[SExpr]]]:
    """Of each ``check-sat`` of a script its line, and the commands that are in force there."""
    levels: list[list[SExpr]] = [[]]
    for command in map(_group, expressions(script)):
        match command:
            case ("push", "1"):
                levels.append([])
            case ("pop", "1") if len(levels) > 1:
                levels.pop()
            case ("reset",):
                levels = [[]]
            case Group() if command[:1] == ("check-sat",):
                yield command.line, [c for level in levels for c in level]
            case _:
                levels[-1].append(command)


def read_obligation(commands: Iterable[SExpr]) -> ObligationText:
    """The assertions of a script of ``set-logic``, ``declare-...`` and ``assert``, up to its first ``check-sat``.

    Raises:
        Rejected: another command, a name that is declared twice or has a meaning of its own, a term that is ill-sorted.
    """
    signature = Signature()
    terms = Terms(signature)
    assertions = []
    for found in commands:
        command = _group(found, 1)
        try:
            match command:
                case ("set-logic", _):
                    pass
                case ("check-sat",):
                    break
                case ("declare-sort", name, "0"):
                    _new_sort(signature, _name(name))
                case ("declare-const", name, sort):
                    _new_function(terms, _name(name), (), read_sort(sort))
                case ("declare-fun", name, domains, sort):
                    _new_function(terms, _name(name), [read_sort(d) for d in _group(domains)], read_sort(sort))
                case ("declare-datatypes", heads, bodies):
                    _new_datatypes(terms, _group(heads), _group(bodies))
                case ("assert", formula):
                    term = _Formulas(terms).read(formula, {})
                    if term.sort != BOOL or term.free:
                        raise Rejected("what is asserted is no closed formula")
                    assertions.append(term)
                case _:
                    raise Rejected(f"an obligation has no command {_short(command)}")
        except (Rejected, RecursionError) as error:
            reason = error if isinstance(error, Rejected) else "too deeply nested"
            raise Rejected(f"obligation, line {command.line}: {reason}") from error
    return ObligationText(terms, frozenset(assertions))


def _fresh(signature: Signature, name: str) -> str:
    if name in RESERVED or name[0] == "@" or name in signature.functions:
        raise Rejected(f"{name} cannot be declared")
    return name


def _new_sort(signature: Signature, name: str) -> None:
    if name in RESERVED or name in signature.sorts:
        raise Rejected(f"the sort {name} cannot be declared")
    signature.sorts.add(name)


def _new_function(terms: Terms, name: str, domains: Sequence[Sort], sort: Sort) -> None:
    declared = tuple([terms.known(d) for d in domains]), terms.known(sort)
    terms.signature.functions[_fresh(terms.signature, name)] = declared


def _new_datatypes(terms: Terms, heads: Group, bodies: Group) -> None:
    signature = terms.signature
    names = [_name(_group(head, 2)[0]) for head in heads if _group(head)[1:] == ("0",)]
    if len(names) != len(heads) or len(bodies) != len(heads):
        raise Rejected("datatypes have no parameters here, and a list of constructors each")
    for name in names:
        _new_sort(signature, name)
    for name, body in zip(names, bodies, strict=True):
        constructors: dict[str, tuple[str, ...]] = {}
        for constructor in _group(body, 1):
            head, *fields = _group(constructor, 1)
            read = [(_name(_group(f, 2)[0]), read_sort(_group(f)[1])) for f in fields]
            _new_function(terms, _name(head), [sort for _, sort in read], name)
            for selector, sort in read:
                _new_function(terms, selector, [name], sort)
            constructors[_name(head)] = tuple(selector for selector, _ in read)
        signature.datatypes[name] = constructors
    built: set[str] = set()  # a sort that has no values would make everything true of them
    while more := [n for n in names if n not in built and _has_values(signature, n, set(names) - built)]:
        built.update(more)
    if len(built) < len(names):
        raise Rejected(f"the datatypes {sorted(set(names) - built)} have no values")


def _has_values(signature: Signature, name: str, open_: set[str]) -> bool:
    return any(
        not any(_rests_on(domain, open_) for domain in signature.functions[constructor][0])
        for constructor in signature.datatypes[name]
    )


def _rests_on(sort: Sort, names: set[str]) -> bool:
    return sort in names if isinstance(sort, str) else any(_rests_on(part, names) for part in sort)


def _number(text: str) -> int | Fraction | None:
    """The number that a token is in either language."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if (parts := _FRACTION.fullmatch(text)) and int(parts[2]):
        return Fraction(int(parts[1]), int(parts[2]))
    return Fraction(text) if _DECIMAL.fullmatch(text) else None


def _literal(terms: Terms, text: str) -> Term | None:
    """The literal that a token is: of numbers, bit-vectors in binary digits, or strings."""
    number = _number(text)
    if number is not None:
        return terms.number(number, INT if isinstance(number, int) else REAL)
    if (bits := _BITS.fullmatch(text)) and bits[1]:
        return terms.bits(int(bits[1], 2), len(bits[1]))
    return terms.string(_characters(text[1:-1].replace('""', '"'))) if text[0] == '"' else None


def _characters(text: str) -> str:
    """What a string stands for; raises `Rejected` where readers differ: at other characters, and odd backslashes."""
    if not re.fullmatch(rf"({_CHARACTER.pattern})*", text):
        raise Rejected("a string with a character that has to be written as an escape, or a backslash that begins none")
    return "".join(found[3] or chr(int(found[1] or found[2], 16)) for found in _CHARACTER.finditer(text))


class _Formulas:
    """Reads terms of SMT-LIB: with ``let``, annotations, chains and numbers as that defines them."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def read(self, found: SExpr, scope: Mapping[str, Term]) -> Term:
        if isinstance(found, str):
            if found in scope:
                return scope[found]
            if (bits := _BITS.fullmatch(found)) and bits[2]:
                return self.terms.bits(int(bits[2], 16), 4 * len(bits[2]))
            return _literal(self.terms, found) or self.terms.app(_name(found))
        match found:
            case ("let", Group() as bindings, body):
                values = {_name(_group(b, 2)[0]): self.read(_group(b)[1], scope) for b in bindings}
                return self.read(body, {**scope, **values})
            case ("forall" | "exists" as quantifier, Group() as bindings, body):
                pairs = [(_name(_group(b, 2)[0]), read_sort(_group(b)[1])) for b in bindings]
                variables = [self.terms.variable(name, sort) for name, sort in pairs]
                inner = {**scope, **{name: v for (name, _), v in zip(pairs, variables, strict=True)}}
                if len({name for name, _ in pairs}) < len(pairs):
                    raise Rejected("a variable that is bound twice")
                return self.terms.quantified(str(quantifier), variables, self._under(body, scope, inner, variables))
            case ("!", body, *_):
                return self.read(body, scope)
            case (("_", "is", name), body):
                return self.terms.app(("is", name), self.read(body, scope))
            case (("as", "const", sort), body):
                return self.terms.app(("const", read_sort(sort)), self.read(body, scope))
            case ("_", str() as name, str() as width) if (bits := _BITS.fullmatch(name)) and bits[3]:
                self.terms.known(("_", "BitVec", width))
                return self.terms.bits(int(bits[3]), int(width))
            case (("_", str() as name, *numbers), *rest) if rest and _SYNONYMS.get(name, name) in INDEXED:
                parts = [*[self.read(n, {}) for n in numbers], *[self.read(part, scope) for part in rest]]
                return self.terms.app(_SYNONYMS.get(name, name), *parts)
            case (str() as name, *rest) if rest:
                if name in scope:
                    raise Rejected(f"{name} is a variable")
                return self._applied(name, [self.read(part, scope) for part in rest])
        raise Rejected(f"no term: {_short(found)}")

    def _under(self, body: SExpr, scope: Mapping[str, Term], inner: Mapping[str, Term], bound: Sequence[Term]) -> Term:
        """The body of a quantifier; raises `Rejected` where what a ``let`` around it stands for would be captured."""
        kept = [t for name, t in scope.items() if inner[name] is t and not (t.is_variable and t.op[1] == name)]
        if any(not t.free.isdisjoint(bound) for t in kept):
            raise Rejected("a variable would be captured")
        return self.read(body, inner)

    def _applied(self, name: str, args: list[Term]) -> Term:
        terms = self.terms
        if name in terms.signature.functions:
            return terms.app(name, *args)
        if name in RELATIONS or name == "=":
            if len(args) > 2:
                return terms.app("and", *[terms.app(name, a, b) for a, b in pairwise(args)])
        elif name == "=>" and len(args) > 2:
            return terms.app(name, args[0], self._applied(name, args[1:]))
        elif name in ("-", "/", "div", "xor") and len(args) > 2:
            return terms.app(name, self._applied(name, args[:-1]), args[-1])
        if name[0] == "@" or name.endswith("_total") or name in INDEXED:
            raise Rejected(f"{name} is no function of SMT-LIB")
        return terms.app(_SYNONYMS.get(name, name), *args)


# ------------------------------------------------------------------------------------------------------ proofs


def read_value(terms: Terms, found: SExpr, names: Mapping[str, Value]) -> Value:
    """A term or a list of a proof; ``names``: what is defined before it."""
    if isinstance(found, str):
        if found in names:
            return names[found]
        if found == "@list.nil":
            return ()
        if found == "@bv_empty":
            return terms.bits(0, 0)
        return _literal(terms, found) or terms.app(_name(found))
    match found:
        case ("@list", *parts):
            return tuple([read_value(terms, part, names) for part in parts])
        case ("@var", str() as name, sort) if name[0] == '"':
            return terms.variable(name[1:-1].replace('""', '"'), read_sort(sort))
        case ("forall" | "exists" as quantifier, variables, body):
            bound = read_value(terms, variables, names)
            return terms.quantified(str(quantifier), a_list(bound), a_term(read_value(terms, body, names)))
        case ("is", str() as name, body):
            return terms.app(("is", name), a_term(read_value(terms, body, names)))
        case ("@quantifiers_skolemize", formula, index):
            number = _number(str(index))
            if not isinstance(number, int):
                raise Rejected("the number of a variable was expected")
            return terms.witness(a_term(read_value(terms, formula, names)), number)
        case (("as", "const", sort), body):
            return terms.app(("const", read_sort(sort)), a_term(read_value(terms, body, names)))
        case ("_", str() as name, *parts) if parts and name in terms.signature.functions and name not in names:
            return read_value(terms, Group((name, *parts)), names)  # what a term is part of may have it written so
        case (str() as name, *parts) if parts and name not in names and name not in QUANTIFIERS:
            args = [a_term(read_value(terms, part, names)) for part in parts]
            if name == "@bv":
                name, args = "int_to_bv", args[::-1]
            return terms.app(_SYNONYMS.get(name, name), *args)
    raise Rejected(f"no term: {_short(found)}")


def a_term(value: Value) -> Term:
    """Raises `Rejected` for a list."""
    if isinstance(value, Term):
        return value
    raise Rejected("a term was expected, not a list")


def a_list(value: Value) -> tuple[Term, ...]:
    """Raises `Rejected` for a term."""
    if isinstance(value, tuple):
        return tuple([a_term(part) for part in value])
    raise Rejected("a list was expected, not a term")
