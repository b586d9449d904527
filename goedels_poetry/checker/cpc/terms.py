"""Terms with sorts: equal terms are one object, and what is ill-sorted cannot be built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

Sort: TypeAlias = "str | tuple[Sort, ...]"
"""A name, or ``("Array", index, element)``."""
Op: TypeAlias = "str | tuple[object, ...]"
"""The name of a function; of literals, variables, testers and witnesses a tuple that begins with the kind."""

BOOL, INT, REAL = "Bool", "Int", "Real"
QUANTIFIERS = frozenset({"forall", "exists"})
RELATIONS = frozenset({"<", "<=", ">", ">="})
_WORDS = """
true false not and or => xor = distinct ite + - * / div mod abs to_real to_int is_int < <= > >= select store is as let !
_ forall exists par match div_total mod_total /_total Bool Int Real Array String RegLan BitVec
"""
RESERVED = frozenset(_WORDS.split())
"""Names that mean something by themselves, and that no obligation may declare; nor may it any that begin with ``@``."""


class Rejected(Exception):
    """The proof, or the obligation, is not what it has to be. ``args``: the reason."""


class Term:
    """Made by `Terms` alone. ``args`` of a quantifier: its variables, then the body; ``number``: in order of making."""

    __slots__ = ("args", "free", "number", "op", "sort")

    def __init__(self, op: Op, args: tuple[Term, ...], sort: Sort, free: frozenset[Term], number: int) -> None:
        self.op, self.args, self.sort, self.free, self.number = op, args, sort, free, number

    @property
    def is_variable(self) -> bool:
        """Whether a quantifier may bind it."""
        return self.op[0] == "variable"

    @property
    def value(self) -> int | Fraction | None:
        """The number that it denotes, if it is a literal."""
        found = self.op[1] if self.op[0] == "literal" else None
        return found if isinstance(found, int | Fraction) else None

    @property
    def body(self) -> Term:
        """Of a quantifier."""
        return self.args[-1]

    @property
    def binders(self) -> tuple[Term, ...]:
        """Of a quantifier; else none."""
        return self.args[:-1] if self.op in QUANTIFIERS else ()


@dataclass(frozen=True)
class Signature:
    """What an obligation declares."""

    sorts: set[str] = field(default_factory=set)
    functions: dict[str, tuple[tuple[Sort, ...], Sort]] = field(default_factory=dict)
    datatypes: dict[Sort, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """By sort: its constructors in order, with the selectors of each."""

    def is_constructor(self, op: Op) -> bool:
        """Of a datatype."""
        return any(op in constructors for constructors in self.datatypes.values())


class Terms:
    """Makes the terms over one signature."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self._made: dict[object, Term] = {}
        self.true, self.false = self.app("true"), self.app("false")

    def _make(self, op: Op, args: tuple[Term, ...], sort: Sort) -> Term:
        key = (op, args, sort)
        found = self._made.get(key)
        if found is None:
            free: frozenset[Term] = frozenset().union(*[a.free for a in args]) if args else frozenset()
            if op in QUANTIFIERS:
                free = args[-1].free - frozenset(args[:-1])
            found = Term(op, args, sort, free, len(self._made))
            if found.is_variable:
                found.free = frozenset((found,))
            self._made[key] = found
        return found

    def variable(self, name: str, sort: Sort) -> Term:
        """One that a quantifier may bind; another one for each sort."""
        return self._make(("variable", name), (), self.known(sort))

    def number(self, value: int | Fraction, sort: Sort) -> Term:
        """A literal; of a whole number ``sort`` says which it is."""
        if sort == INT and int(value) == value:
            return self._make(("literal", int(value)), (), INT)
        if sort != REAL:
            raise Rejected(f"{value} is no literal of the sort {sort}")
        return self._make(("literal", Fraction(value)), (), REAL)

    def quantified(self, quantifier: str, variables: Sequence[Term], body: Term) -> Term:
        """Raises `Rejected` unless these are variables and a formula."""
        if quantifier not in QUANTIFIERS or body.sort != BOOL or not all(v.is_variable for v in variables):
            raise Rejected("a quantifier needs variables and a formula")
        return self._make(quantifier, (*variables, body), BOOL)

    def witness(self, formula: Term, index: int) -> Term:
        """The value that makes a closed universal formula false, if there is one, for one of its variables."""
        if formula.op != "forall" or formula.free or not 0 <= index < len(formula.binders):
            raise Rejected("a witness is of a variable of a closed universal formula")
        return self._make(("witness", formula, index), (), formula.binders[index].sort)

    def app(self, op: Op, *args: Term) -> Term:
        """Raises `Rejected` unless ``op`` takes such arguments."""
        return self._make(op, args, self._sort(op, args))

    def rebuilt(self, term: Term, args: Sequence[Term]) -> Term:
        """The same function or quantifier at other arguments."""
        if term.op in QUANTIFIERS:
            return self.quantified(str(term.op), args[:-1], args[-1])
        return self.app(term.op, *args) if term.args else term

    def known(self, sort: Sort) -> Sort:
        """``sort``; raises `Rejected` when there is none like it."""
        if isinstance(sort, str):
            if sort in (BOOL, INT, REAL) or sort in self.signature.sorts:
                return sort
        elif len(sort) == 3 and sort[0] == "Array":
            return ("Array", self.known(sort[1]), self.known(sort[2]))
        raise Rejected(f"the sort {sort} is unknown")

    def _sort(self, op: Op, args: tuple[Term, ...]) -> Sort:
        sorts = tuple([a.sort for a in args])
        if isinstance(op, tuple):
            domains, result = self._indexed(op)
        elif op in self.signature.functions:
            domains, result = self.signature.functions[op]
        else:
            domains, result = _built_in(op, sorts)
        if sorts != domains:
            raise Rejected(f"{op} does not take arguments of the sorts {sorts}")
        return result

    def _indexed(self, op: tuple[object, ...]) -> tuple[tuple[Sort, ...], Sort]:
        if op[0] == "is":
            for sort, constructors in self.signature.datatypes.items():
                if op[1] in constructors:
                    return (sort,), BOOL
        if op[0] == "const":
            sort = self.known(op[1])  # type: ignore[arg-type]  # what is no sort is not known
            if isinstance(sort, tuple):
                return (sort[2],), sort
        raise Rejected(f"the symbol {op} is unknown")


_FIXED: dict[str, tuple[tuple[Sort, ...], Sort]] = {
    **dict.fromkeys(("true", "false"), ((), BOOL)),
    **dict.fromkeys(("=>", "xor"), ((BOOL, BOOL), BOOL)),
    **dict.fromkeys(("div", "mod", "div_total", "mod_total"), ((INT, INT), INT)),
    **dict.fromkeys(("/", "/_total"), ((REAL, REAL), REAL)),
    **dict.fromkeys(("@int_div_by_zero", "@mod_by_zero"), ((INT,), INT)),
    "not": ((BOOL,), BOOL),
    "@div_by_zero": ((REAL,), REAL),
    "to_real": ((INT,), REAL),
    "to_int": ((REAL,), INT),
    "is_int": ((REAL,), BOOL),
}


def _built_in(op: str, sorts: tuple[Sort, ...]) -> tuple[tuple[Sort, ...], Sort]:
    """Which sorts a symbol of the theories takes in the place of ``sorts``, and the sort of the result."""
    count, first = len(sorts), sorts[0] if sorts else ""
    number = first if first in (INT, REAL) else INT
    if op in _FIXED:
        return _FIXED[op]
    match op:
        case "and" | "or" if count:
            return (BOOL,) * count, BOOL
        case "=":
            return (first, first), BOOL
        case "distinct" if count > 1:
            return (first,) * count, BOOL
        case "ite" if count == 3:
            return (BOOL, sorts[1], sorts[1]), sorts[1]
        case "+" | "*" if count:
            return (number,) * count, number
        case "-":
            return (number,) * (1 if count == 1 else 2), number
        case "<" | "<=" | ">" | ">=":
            return (number, number), BOOL
        case "abs":
            return (number,), number
        case "@purify" if count:
            return (first,), first
        case "select" if isinstance(first, tuple):
            return (first, first[1]), first[2]
        case "store" if isinstance(first, tuple):
            return (first, first[1], first[2]), first
        case "@array_deq_diff" if isinstance(first, tuple):
            return (first, first), first[1]
    raise Rejected(f"the symbol {op} is unknown, or does not take such arguments")


def sides(term: Term, op: str = "=") -> tuple[Term, Term]:
    """The two arguments of ``op``; raises `Rejected` for any other term."""
    if term.op != op or len(term.args) != 2:
        raise Rejected(f"{op} with two sides was expected")
    return term.args[0], term.args[1]


def substitute(terms: Terms, term: Term, mapping: Mapping[Term, Term]) -> Term:
    """``term`` with other terms in the place of its free variables, all at once.

    Raises:
        Rejected: a variable of what is put in would be captured by a quantifier, or a sort differs.
    """
    if any(v.sort != t.sort for v, t in mapping.items()):
        raise Rejected("a variable is replaced by a term of another sort")
    done: dict[tuple[Term, frozenset[Term]], Term] = {}

    def go(t: Term, hidden: frozenset[Term]) -> Term:
        """``hidden``: variables that a quantifier around has bound anew."""
        wanted = frozenset(v for v in t.free if v in mapping and v not in hidden)
        if not wanted:
            return t
        if t.is_variable:
            return mapping[t]
        key = (t, wanted)
        found = done.get(key)
        if found is None:
            binders = frozenset(t.binders)
            if binders and any(mapping[v].free & binders for v in wanted):
                raise Rejected("a variable would be captured")
            inner = hidden | binders
            args = [a if a in binders else go(a, inner) for a in t.args] if binders else [go(a, hidden) for a in t.args]
            found = done[key] = terms.rebuilt(t, args)
        return found

    return go(term, frozenset())


def same_but_for_names(left: Term, right: Term) -> bool:
    """Whether two terms differ in the names of bound variables at most."""

    def go(a: Term, b: Term, mine: dict[Term, int], yours: dict[Term, int], depth: int) -> bool:
        bound = any(v in mine for v in a.free) or any(v in yours for v in b.free)
        if a is b and not bound:
            return True
        if a.is_variable or b.is_variable:
            same = mine.get(a) == yours.get(b)
            return same and a.sort == b.sort and (a in mine or a is b)
        if a.op != b.op or len(a.args) != len(b.args) or a.sort != b.sort:
            return False
        if a.binders:
            if [v.sort for v in a.binders] != [v.sort for v in b.binders]:
                return False
            mine = mine | {v: depth + i for i, v in enumerate(a.binders)}
            yours = yours | {v: depth + i for i, v in enumerate(b.binders)}
            return go(a.body, b.body, mine, yours, depth + len(a.binders))
        return all(go(x, y, mine, yours, depth) for x, y in zip(a.args, b.args, strict=True))

    return go(left, right, {}, {}, 0)
