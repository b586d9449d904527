"""Terms with sorts: equal terms are one object, and what is ill-sorted cannot be built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

Sort: TypeAlias = "str | tuple[Sort, ...]"
"""A name, ``("Array", index, element)`` or ``("_", "BitVec", width)``."""
Op: TypeAlias = "str | tuple[object, ...]"
"""The name of a function; of literals, variables, testers and witnesses a tuple that begins with the kind, and of
functions with numbers in their names one of name and numbers."""

BOOL, INT, REAL, STRING, REGLAN = "Bool", "Int", "Real", "String", "RegLan"
QUANTIFIERS = frozenset({"forall", "exists"})
RELATIONS = frozenset({"<", "<=", ">", ">="})
INDEXED = dict.fromkeys(
    ["zero_extend", "sign_extend", "rotate_left", "rotate_right", "repeat", "int_to_bv", "@bit", "re.^"], 1
)
INDEXED |= {"extract": 2, "re.loop": 2}
"""How many numbers are part of the name of a function."""
MAX_WIDTH = 65_536
"""Of a bit-vector; sorts of wider ones are rejected."""
MAX_CODE = 0x2FFFF
"""The last character."""


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
    def is_literal(self) -> bool:
        """Of numbers, bit-vectors or strings; two such of one sort denote different things."""
        return self.op[0] in ("literal", "bits", "string")

    @property
    def width(self) -> int:
        """Of a bit-vector; raises `Rejected` for other terms."""
        if self.sort[:2] != ("_", "BitVec"):
            raise Rejected("a bit-vector was expected")
        return int(str(self.sort[2]))

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

    def bits(self, value: int, width: int) -> Term:
        """A literal of bit-vectors; one of width 0 stands for no operands, and is no argument of a function."""
        return self._make(("bits", value % 2**width), (), bit_vectors(width, 0))

    def string(self, characters: str) -> Term:
        """A literal of strings."""
        if any(ord(c) > MAX_CODE for c in characters):
            raise Rejected("a character that strings do not have")
        return self._make(("string", characters), (), STRING)

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
        """Raises `Rejected` unless ``op`` takes such arguments, with literals before them for numbers of its name."""
        if isinstance(op, str) and (count := INDEXED.get(op)):
            numbers = [a.value if a.sort == INT else None for a in args[:count]]
            if len(numbers) < count or any(n is None or n < 0 for n in numbers):
                raise Rejected(f"{op} needs {count} literals")
            op, args = (op, *numbers), args[count:]
        return self._make(op, args, self._sort(op, args))

    def rebuilt(self, term: Term, args: Sequence[Term]) -> Term:
        """The same function or quantifier at other arguments."""
        if term.op in QUANTIFIERS:
            return self.quantified(str(term.op), args[:-1], args[-1])
        return self.app(term.op, *args) if term.args else term

    def known(self, sort: Sort) -> Sort:
        """``sort``; raises `Rejected` when there is none like it."""
        if isinstance(sort, str):
            if sort in (BOOL, INT, REAL, STRING, REGLAN) or sort in self.signature.sorts:
                return sort
        elif sort[:2] == ("_", "BitVec") and len(sort) == 3:
            width = str(sort[2])
            if width.isascii() and width.isdigit() and len(width) < 6 and bit_vectors(int(width)) == sort:
                return sort
        elif len(sort) == 3 and sort[0] == "Array":
            return ("Array", self.known(sort[1]), self.known(sort[2]))
        raise Rejected(f"the sort {sort} is unknown")

    def _sort(self, op: Op, args: tuple[Term, ...]) -> Sort:
        sorts = tuple([a.sort for a in args])
        if isinstance(op, tuple):
            domains, result = self._indexed(op, args)
        elif op in self.signature.functions:
            domains, result = self.signature.functions[op]
        else:
            domains, result = _built_in(op, sorts)
        if sorts != domains:
            raise Rejected(f"{op} does not take arguments of the sorts {sorts}")
        return result

    def _indexed(self, op: tuple[object, ...], args: tuple[Term, ...]) -> tuple[tuple[Sort, ...], Sort]:
        if op[0] == "is":
            for sort, constructors in self.signature.datatypes.items():
                if op[1] in constructors:
                    return (sort,), BOOL
        if op[0] == "const":
            sort = self.known(op[1])  # type: ignore[arg-type]  # what is no sort is not known
            if sort[0] == "Array":
                return (sort[2],), sort
        if op[0] in INDEXED and len(args) == 1 and (found := _INDEXED_SORTS[str(op[0])](args[0], *op[1:])):
            return (args[0].sort,), found
        raise Rejected(f"the symbol {op} is unknown, or does not take such an argument")


def bit_vectors(width: int, least: int = 1) -> Sort:
    """The sort; raises `Rejected` for a width that is too small or too large."""
    if not least <= width <= MAX_WIDTH:
        raise Rejected(f"there are no bit-vectors of width {width}")
    return ("_", "BitVec", str(width))


_INDEXED_SORTS: dict[str, Callable[..., Sort | None]] = {
    "extract": lambda t, i, j: bit_vectors(i - j + 1) if j <= i < t.width else None,
    "@bit": lambda t, i: BOOL if i < t.width else None,
    **dict.fromkeys(("zero_extend", "sign_extend"), lambda t, i: bit_vectors(t.width + i)),
    **dict.fromkeys(("rotate_left", "rotate_right"), lambda t, _: bit_vectors(t.width)),
    "repeat": lambda t, i: bit_vectors(t.width * i),
    "int_to_bv": lambda t, i: bit_vectors(i) if t.sort == INT else None,
    **dict.fromkeys(("re.loop", "re.^"), lambda t, *_: REGLAN if t.sort == REGLAN else None),
}
"""Of functions with numbers in their names at a term."""
_TABLE = """
true false | | Bool ; not | Bool | Bool ; => xor | Bool Bool | Bool ; and or | Bool * | Bool ; = | A A | Bool
distinct | A * | Bool ; ite | Bool B B | B ; @purify | A | A ; + * | N * | N ; abs | N | N ; < <= > >= | N N | Bool
div mod div_total mod_total | Int Int | Int ; @int_div_by_zero @mod_by_zero int.pow2 int.log2 | Int | Int
int.ispow2 | Int | Bool ; / /_total | Real Real | Real ; @div_by_zero | Real | Real ; to_real | Int | Real
to_int | Real | Int ; is_int | Real | Bool ; bvadd bvmul bvand bvor bvxor | V * | V
bvudiv bvurem bvsub bvsdiv bvsrem bvsmod bvshl bvlshr bvashr bvnand bvnor bvxnor | V V | V ; bvnot bvneg | V | V
bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge | V V | Bool ; bvcomp | V V | 1 ; ubv_to_int @bvsize | V | Int
String | | sort ; str.++ | String * | String ; str.len str.to_code str.to_int | String | Int
str.is_digit | String | Bool ; str.from_code str.from_int | Int | String ; str.at | String Int | String
str.substr | String Int Int | String ; str.prefixof str.suffixof str.contains str.< str.<= | String String | Bool
str.indexof | String String Int | Int ; str.replace str.replace_all | String String String | String
@strings_deq_diff | String String | Int ; str.in_re | String RegLan | Bool ; str.to_re | String | RegLan
re.range | String String | RegLan ; re.none re.all re.allchar | | RegLan ; re.* re.+ re.opt re.comp | RegLan | RegLan
re.diff | RegLan RegLan | RegLan ; re.++ re.union re.inter | RegLan * | RegLan
@re_unfold_pos_component | String RegLan Int | String
"""
_KNOWN = {
    name: (tuple(domains.split()), result.strip())
    for names, domains, result in [part.split("|") for part in _TABLE.replace("\n", ";").strip(";").split(";")]
    for name in names.split()
}
"""The sorts of functions: of arguments (``*``: any number of them, one at least) and result. ``A`` is that of the first
argument, ``B`` of the second, ``N``, ``V`` as ``A`` if that is of numbers, bit-vectors; ``1`` bit-vectors of width 1.
``String`` is an argument of rules about strings and sequences."""
_OTHERS = """
- select store concat bv2nat int2bv nat2bv is as let ! _ forall exists par match Bool Int Real Array RegLan BitVec
"""
RESERVED = frozenset((*_OTHERS.split(), *_KNOWN, *INDEXED))
"""Names that mean something by themselves, and that no obligation may declare; nor may it any that begin with ``@``."""


def _built_in(op: str, sorts: tuple[Sort, ...]) -> tuple[tuple[Sort, ...], Sort]:
    """Which sorts a symbol of the theories takes in the place of ``sorts``, and the sort of the result."""
    count, first = len(sorts), sorts[0] if sorts else ""
    if op in _KNOWN:
        domains, result = _KNOWN[op]
        if domains[1:] == ("*",):
            domains = domains[:1] * max(count, 1)
        named = {"A": first, "B": sorts[1] if count > 1 else "", "N": first if first == REAL else INT}
        named |= {"V": bit_vectors(_width(first)) if "V" in domains else "", "1": bit_vectors(1)}
        return tuple([named.get(d, d) for d in domains]), named.get(result, result)
    match op:
        case "-":
            number = first if first == REAL else INT
            return (number,) * (1 if count == 1 else 2), number
        case "select" if first[:1] == ("Array",):
            return (first, first[1]), first[2]
        case "store" if first[:1] == ("Array",):
            return (first, first[1], first[2]), first
        case "@array_deq_diff" if first[:1] == ("Array",):
            return (first, first), first[1]
        case "@from_bools":
            return (BOOL,) * count, bit_vectors(count)
        case "concat" if all(map(_width, sorts)):
            return sorts, bit_vectors(sum(map(_width, sorts)))
    raise Rejected(f"the symbol {op} is unknown, or does not take such arguments")


def _width(sort: Sort) -> int:
    """Of a sort of bit-vectors whose width is not 0; else 0."""
    return int(str(sort[2])) if sort[:2] == ("_", "BitVec") else 0


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
