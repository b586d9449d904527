"""Formulas in infix notation, put into SMT-LIB text: ``∀ xs ys, rev (append xs ys) = append (rev ys) (rev xs)``.

A language model that is asked for SMT-LIB slips into infix. A name takes as many arguments as its function has, written
``f(x, y)``, ``f x y`` or ``(f x y)``; an operator in front of its operands is read as well, so that texts may mix both.
Sorts of variables without one are inferred from their uses (Hindley, "The principal type-scheme of an object in
combinatory logic", 1969, without polymorphism).

The result is text, which the kernel's own reader takes or refuses: nothing here is trusted.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from goedels_poetry.kernel.printer import show_sort, show_symbol
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, Term

MAX_CHARACTERS = 6_000
MAX_NESTING = 60
NEAR = 0.8
"""Likeness (`difflib`) to a name of the problem from which an unknown name is a slip of the pen."""

_SPELLINGS = {
    "forall": "∀ forall \\forall",
    "exists": "∃ exists \\exists",
    "=>": "=> → ⇒ -> ==> implies \\to \\implies \\rightarrow",
    "<=>": "<=> ↔ ⇔ <-> iff \\iff \\leftrightarrow",
    "and": "and ∧ && & /\\ \\land \\wedge",
    "or": "or ∨ || \\/ \\lor \\vee",
    "not": "not ¬ ! ~ \\lnot \\neg",
    "=": "= ==",
    "distinct": "distinct ≠ != /= <> \\ne \\neq",
    "<=": "<= ≤ \\le \\leq",
    ">=": ">= ≥ \\ge \\geq",
    "<": "<",
    ">": ">",
    "+": "+",
    "-": "- −",
    "*": "* · × \\cdot \\times",
    "div": "div // ÷",
    "mod": "mod %",
    "/": "/",
    "::": "::",
    "if": "if",
    "then": "then",
    "else": "else",
}
_SIGNS = {spelling: sign for sign, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_MARKUP = re.compile(r"[$`]|\\[,;! ]")
_FOR_ALL = re.compile(r"\bfor\s+(?:all|every|each|any)\b", re.IGNORECASE)
_TOKEN = (
    r"(?P<space>\s+)|\|(?P<barred>[^|\\]+)\||(?P<number>[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*(?:[?']|!(?!=))*(?:\.[^\W\d][\w?']*)*)"
    rf"|(?P<sign>\\[A-Za-z]+|{'|'.join(sorted((re.escape(s) for s in _SIGNS if not s[0].isalpha()), key=len)[::-1])})"
    r"|(?P<mark>[()\[\]{},.:])"
)
_BINARY = {"<=>": 1, "=>": 2, "or": 3, "and": 4, "::": 7, "+": 8, "-": 8, "*": 9, "div": 9, "mod": 9, "/": 9}
"""How tightly operators bind; comparisons are chains between ``and`` and ``::``."""
_RIGHT = frozenset({"=>", "::"})
_COMPARISONS = frozenset({"=", "distinct", "<=", ">=", "<", ">"})
_NOT, _COMPARED, _TIGHTEST = 5, 6, 10
_CONNECTIVES = frozenset({"and", "or", "not", "=>"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "div", "mod", "abs"})
_BUILT_IN = {"true": 0, "false": 0, "abs": 1, "to_real": 1, "to_int": 1, "select": 2, "store": 3, "ite": 3}
_SORTS = {
    **dict.fromkeys(("int", "ℤ", "integer"), INT),
    **dict.fromkeys(("bool", "prop"), BOOL),
    **dict.fromkeys(("real", "ℝ"), REAL),
    "string": STRING,
}
_NATURAL = frozenset({"nat", "ℕ"})


class NotRead(ValueError):
    """The text is no formula of a known form; the message says what is wrong with it."""


def in_prefix(
    text: str, signature: Signature, variables: tuple[Term, ...], sort: Sort | None = None, *, closed: bool = False
) -> str:
    """A term or formula as SMT-LIB text.

    Args:
        variables: those that may be free in it. With ``closed`` they only give the sorts of such names.
        sort: its sort, when known.
        closed: other free names are bound by a universal quantifier in front.

    Raises:
        NotRead: it has no known form, or the sort of a variable cannot be inferred.
    """
    parser = _Parser(_tokens(text, signature), signature, () if closed else variables, closed)
    root = parser.whole()
    free = tuple(parser.implicit.values())
    root = _guarded("forall", free, root)
    _infer(root, sort, signature, {v.name: v.sort for v in variables})
    if any(variable.sort is BOOL for variable in free):
        raise NotRead(f"there is no {', '.join(v.name for v in free if v.sort is BOOL)}")
    return _text(root, signature)


@dataclass(slots=True, eq=False)
class _Variable:
    name: str
    sort: Sort | None = None
    natural: bool = False
    """Declared as a natural number; the problem has integers only."""


@dataclass(frozen=True, slots=True)
class _Node:
    """``head`` applied to ``args``: a function, an operator, a number, a quantifier, or a variable."""

    head: str
    args: tuple[_Node, ...] = ()
    variable: _Variable | None = None
    bound: tuple[_Variable, ...] = ()


# ------------------------------------------------------------------------------------------------------------- tokens


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """``name``, ``number``, ``sign`` (as in SMT-LIB), ``mark`` or ``end``."""
    text: str
    tight: bool = False
    """No space between it and the token before."""


def _tokens(text: str, signature: Signature) -> list[_Token]:
    if len(text) > MAX_CHARACTERS:
        raise NotRead(f"more than {MAX_CHARACTERS} characters")
    text = _MARKUP.sub(" ", _FOR_ALL.sub(" ∀ ", text)).strip().rstrip(".;")
    odd = sorted((re.escape(n) for n in signature.names if not re.fullmatch(r"\w+", n)), key=len, reverse=True)
    whole = rf"(?P<odd>(?<![\w.-])(?:{'|'.join(odd)})(?![\w-]))|" if odd else ""  # as rev-acc
    pattern = re.compile(whole + _TOKEN)
    found: list[_Token] = []
    place, tight = 0, False
    while place < len(text):
        match = pattern.match(text, place)
        if match is None:
            raise NotRead(f"{text[place]!r} means nothing here")
        place, kind = match.end(), match.lastgroup or ""
        if kind != "space":
            found.append(_token(kind, match[kind], tight, signature))
        tight = kind != "space"
    return [*found, _Token("end", "the end")]


def _token(kind: str, text: str, tight: bool, signature: Signature) -> _Token:
    if kind in ("odd", "barred"):
        return _Token("name", text, tight)
    if kind in ("name", "sign") and text not in signature.names:
        sign = _SIGNS.get(text) or _SIGNS.get(text.lower())
        if sign is not None:
            return _Token("sign", sign, tight)
        if kind == "sign":
            raise NotRead(f"{text} means nothing here")
    return _Token(kind, text, tight)


# ------------------------------------------------------------------------------------------------------------ grammar


class _Parser:
    """One text, and how far it has been read."""

    def __init__(self, tokens: list[_Token], signature: Signature, variables: tuple[Term, ...], closed: bool) -> None:
        self._tokens = tokens
        self._signature = signature
        self._closed = closed
        self._place = 0
        self._nesting = 0
        self._scope = [{v.name: _Variable(v.name, v.sort) for v in variables}]
        named = (*signature.sorts, *(d.sort for d in signature.datatypes))
        self._sorts = _SORTS | {show_sort(s).lower(): s for s in named}
        self.implicit: dict[str, _Variable] = {}
        """Free names that stand for any values."""

    def whole(self) -> _Node:
        """The whole text."""
        found = self._formula()
        if self._token.kind != "end":
            raise NotRead(f"{self._token.text!r} was not expected")
        return found

    @property
    def _token(self) -> _Token:
        return self._tokens[self._place]

    def _ahead(self, by: int = 1) -> _Token:
        return self._tokens[min(self._place + by, len(self._tokens) - 1)]

    def _take(self) -> _Token:
        token = self._token
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token

    def _at(self, *texts: str) -> bool:
        return self._token.kind in ("sign", "mark") and self._token.text in texts

    def _taken(self, *texts: str) -> bool:
        found = self._at(*texts)
        if found:
            self._take()
        return found

    def _expect(self, text: str) -> None:
        if not self._taken(text):
            raise NotRead(f"{text!r} was expected, not {self._token.text!r}")

    def _formula(self, least: int = 0) -> _Node:
        """Precedence climbing: operators that bind at least as tightly as ``least``."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise NotRead(f"nested deeper than {MAX_NESTING}")
        left = self._operand()
        while self._token.kind == "sign":
            sign = self._token.text
            if sign in _COMPARISONS and least <= _COMPARED:
                left = self._comparison(left)
            elif sign in _BINARY and _BINARY[sign] >= least:
                self._take()
                level = _BINARY[sign]
                right = self._formula(level if sign in _RIGHT else level + 1)
                left = self._joined(sign, left, right)
            else:
                break
        self._nesting -= 1
        return left

    def _joined(self, sign: str, left: _Node, right: _Node) -> _Node:
        if sign in ("and", "or") and left.head == sign:
            return _Node(sign, (*left.args, right))
        return _Node({"<=>": "=", "::": self._list_of()[1] if sign == "::" else ""}.get(sign, sign), (left, right))

    def _comparison(self, left: _Node) -> _Node:
        """Also a chain: ``0 <= i < n``."""
        found: list[_Node] = []
        while self._token.kind == "sign" and self._token.text in _COMPARISONS:
            sign = self._take().text
            right = self._formula(_COMPARED + 1)
            found.append(_Node(sign, (left, right)))
            left = right
        return found[0] if len(found) == 1 else _Node("and", tuple(found))

    def _operand(self) -> _Node:
        if self._at("forall", "exists"):
            return self._quantifier()
        if self._taken("not"):
            return _Node("not", (self._formula(_NOT),))
        if self._taken("-"):
            return _Node("-", (self._formula(_TIGHTEST),))
        if self._taken("if"):
            return self._conditional()
        return self._atom(applied=True)

    def _conditional(self) -> _Node:
        condition = self._formula()
        if not self._taken("then"):
            raise NotRead("'then' is missing")
        then = self._formula()
        return (
            _Node("ite", (condition, then, self._formula())) if self._taken("else") else _Node("=>", (condition, then))
        )

    def _atom(self, *, applied: bool = False) -> _Node:
        token = self._take()
        match token.kind, token.text:
            case "number", text:
                return _Node(text)
            case "name", text:
                return self._call(text, applied=applied)
            case "mark", "[":
                return self._list()
            case "mark", "(":
                return self._parenthesis()
        raise NotRead(f"{token.text!r} was not expected")

    def _parenthesis(self) -> _Node:
        sign = self._token
        minus = sign.text == "-" and not self._ahead().tight
        if (sign.kind == "sign" and sign.text not in ("not", "forall", "exists", "if", "-")) or minus:
            self._take()
            args: list[_Node] = []
            while not self._at(")"):
                args.append(self._operand() if self._at("not", "forall", "exists", "-") else self._atom())
            self._take()
            if not args:
                raise NotRead(f"{sign.text} has no operands")
            return _Node("=" if sign.text == "<=>" else sign.text, tuple(args))
        found = self._formula()
        self._expect(")")
        return found

    # ------------------------------------------------------------------------------------------- names and lists

    def _call(self, written: str, *, applied: bool) -> _Node:
        """A name with its arguments, however they are written."""
        variable = next((level[written] for level in reversed(self._scope) if written in level), None)
        if variable is not None:
            return _Node(written, variable=variable)
        name = self._known(written)
        if name is None:
            return self._free(written, applied=self._at("(") and (self._token.tight or applied))
        arity = self._arity(name) or 0
        args: list[_Node] = []
        while len(args) < arity and (self._token.kind in ("name", "number") or self._at("(", "[")):
            args.extend(self._arguments())
        if len(args) != arity:
            raise NotRead(f"{name} takes {arity} arguments, not {len(args)}")
        return _Node(name, tuple(args))

    def _arguments(self) -> list[_Node]:
        """One argument, or all of those in a pair of parentheses with commas."""
        if not self._at("(") or self._ahead().kind == "sign":
            return [self._atom()]
        self._take()
        args = [self._formula()]
        while self._taken(","):
            args.append(self._formula())
        self._expect(")")
        return args

    def _known(self, written: str) -> str | None:
        """The name of the problem that is meant: as written, behind a prefix, or in other case."""
        last = written.rpartition(".")[2]
        for name in (written, last, last.lower()):
            if self._arity(name) is not None:
                return name
        return None

    def _arity(self, name: str) -> int | None:
        typed = _type_of(name, self._signature)
        return len(typed[0]) if typed is not None else _BUILT_IN.get(name)

    def _free(self, written: str, *, applied: bool) -> _Node:
        """An undeclared name: with ``closed`` any value, unless it is a slip of the pen."""
        near = difflib.get_close_matches(written, self._signature.names, 1, NEAR) if len(written) > 2 else []
        if not self._closed or near or "." in written or applied:
            raise NotRead(f"there is no {written}" + (f"; did you mean {near[0]}?" if near else ""))
        return _Node(written, variable=self.implicit.setdefault(written, _Variable(written)))

    def _list(self) -> _Node:
        """``[x, y]``, the first bracket of which is taken."""
        empty, cons = self._list_of()
        items: list[_Node] = []
        while not self._taken("]"):
            items.append(self._formula())
            if not self._taken(",") and not self._at("]"):
                raise NotRead(f"']' was expected, not {self._token.text!r}")
        found = _Node(empty)
        for item in reversed(items):
            found = _Node(cons, (item, found))
        return found

    def _list_of(self) -> tuple[str, str]:
        """The constructors of the one datatype of lists."""
        lists = []
        for datatype in self._signature.datatypes:
            empty = [c.name for c in datatype.constructors if not c.fields]
            cons = [c for c in datatype.constructors if len(c.fields) == 2 and c.fields[1][1] is datatype.sort]
            if len(empty) == len(cons) == 1 and len(datatype.constructors) == 2:
                lists.append((empty[0], cons[0].name))
        if len(lists) != 1:
            raise NotRead("[...] and :: need exactly one datatype of lists: write constructors")
        return lists[0]

    # ----------------------------------------------------------------------------------------------- quantifiers

    def _quantifier(self) -> _Node:
        """``∀ x y, ...``, ``∀ (x y : S) (z : T), ...``, ``forall ((x S) (y T)) ...``, ``∀ n ≥ 0, ...``."""
        kind = self._take().text
        listed = self._at("(") and self._ahead().text == "("
        self._taken("(" if listed else "")
        bound = list(self._binders())
        self._expect(")") if listed else None
        if not bound:
            raise NotRead("a quantifier without variables")
        self._scope.append({v.name: v for v in bound})
        guards: list[_Node] = []
        if self._token.kind == "sign" and self._token.text in _COMPARISONS:
            sign, limit = self._take().text, self._formula(_COMPARED + 1)
            guards = [_Node(sign, (_Node(v.name, variable=v), limit)) for v in bound]
        while self._taken(",", ".", ":"):
            pass
        body = _implied(kind, guards, self._formula())
        self._scope.pop()
        return _guarded(kind, tuple(bound), body)

    def _binders(self) -> Iterator[_Variable]:
        """Variables, in brackets with a sort or bare; a comma is between two of them or ends them."""
        while True:
            if self._at("(", "{", "[") and self._ahead().kind == "name":
                close = {"(": ")", "{": "}", "[": "]"}[self._take().text]
                yield from self._declared(close)
                self._expect(close)
            elif self._token.kind == "name":
                yield from self._declared("")
            else:
                return
            if self._at(",", "and") and self._ahead().kind == "name" and self._ahead(2).text in (",", ".", ":"):
                self._take()

    def _declared(self, close: str) -> list[_Variable]:
        """``x, y : S``, ``x S`` or ``x y``."""
        names: list[str] = []
        sort, natural = None, False
        while self._token.kind == "name":
            is_sort = bool(names) and bool(close) and self._token.text.lower() in self._sorts.keys() | _NATURAL
            if is_sort:
                sort, natural = self._sort()
                break
            first, dot, rest = self._take().text.partition(".")
            names.append(first)
            if dot:  # ∀x.f(x)
                self._place -= 1
                self._tokens[self._place : self._place + 1] = [_Token("mark", "."), _Token("name", rest)]
                break
            if self._at(":") and (close or self._ahead().text.lower() in self._sorts.keys() | _NATURAL):
                self._take()
                sort, natural = self._sort()
                break
            if close:
                self._taken(",")
            elif not self._at("(") and self._token.kind != "name":
                break
        return [_Variable(name, sort, natural) for name in names]

    def _sort(self) -> tuple[Sort | None, bool]:
        """A sort, and whether it has no negative numbers; None for one that is not of the problem."""
        text = self._take().text.lower()
        while self._token.kind == "name" and self._token.text.lower() in self._sorts:
            self._take()  # List Int
        return (INT, True) if text in _NATURAL else (self._sorts.get(text), False)


def _implied(kind: str, conditions: list[_Node], body: _Node) -> _Node:
    if not conditions:
        return body
    condition = conditions[0] if len(conditions) == 1 else _Node("and", tuple(conditions))
    return _Node("=>" if kind == "forall" else "and", (condition, body))


def _guarded(kind: str, bound: tuple[_Variable, ...], body: _Node) -> _Node:
    """The quantified formula; natural numbers are not negative."""
    natural = [_Node(">=", (_Node(v.name, variable=v), _Node("0"))) for v in bound if v.natural]
    return _Node(kind, (_implied(kind, natural, body),), bound=bound) if bound else body


# -------------------------------------------------------------------------------------------------------------- sorts


def _type_of(name: str, signature: Signature) -> tuple[tuple[Sort, ...], Sort] | None:
    """Sorts of arguments and result of a function, constructor, selector or tester."""
    typed = signature.type_of(name)
    if typed is not None:
        return tuple(typed[0]), typed[1]
    if (made := signature.constructor(name)) is not None:
        return tuple(sort for _, sort in made[1].fields), made[0].sort
    if (read := signature.selector(name)) is not None:
        datatype, constructor, place = read
        return (datatype.sort,), constructor.fields[place][1]
    tested = signature.constructor(name[3:]) if name.startswith("is-") else None
    return ((tested[0].sort,), BOOL) if tested is not None else None


def _infer(root: _Node, sort: Sort | None, signature: Signature, elsewhere: dict[str, Sort]) -> None:
    """Give every used variable its sort.

    Raises:
        NotRead: that of some variable cannot be inferred.
    """
    used = {node.variable for node in _nodes(root) if node.variable is not None}
    for numbers in (False, True):
        for _ in range(len(used) + 1):
            _sort_of(root, sort, signature, numbers)
        for variable in used if not numbers else ():
            variable.sort = variable.sort or elsewhere.get(variable.name)
    unknown = sorted({v.name for v in used if v.sort is None})
    if unknown:
        raise NotRead(f"the sort of {', '.join(unknown)} cannot be told: bind each variable with its sort")


def _nodes(root: _Node) -> Iterator[_Node]:
    yield root
    for part in root.args:
        yield from _nodes(part)


def _sort_of(node: _Node, expected: Sort | None, signature: Signature, numbers: bool) -> Sort | None:
    """The sort of a term as far as it is known; variables take the sort that is expected of them.

    ``numbers``: whether what is added up or compared with a number, and not known otherwise, is an integer.
    """

    def shared(parts: tuple[_Node, ...], wanted: Sort | None, default: Sort | None) -> Sort | None:
        known = [s for s in (_sort_of(p, None, signature, numbers) for p in parts) if s is not None]
        found = known[0] if known else wanted or (default if numbers else None)
        for part in parts:
            _sort_of(part, found, signature, numbers)
        return found

    head = node.head
    if node.variable is not None:
        node.variable.sort = node.variable.sort or expected
        return node.variable.sort
    if node.bound or head in _CONNECTIVES:
        shared(node.args, BOOL, BOOL)
        return BOOL
    if (typed := _type_of(head, signature)) is not None:
        for part, own in zip(node.args, typed[0], strict=False):
            _sort_of(part, own, signature, numbers)
        return typed[1]
    if head[0].isdigit():
        return expected if expected is REAL else INT if numbers else expected
    if head in _COMPARISONS:
        is_number = head not in ("=", "distinct") or any(part.head[0].isdigit() for part in node.args)
        shared(node.args, None, INT if is_number else None)
        return BOOL
    if head in _ARITHMETIC:
        return shared(node.args, expected, INT)
    if head == "ite":
        _sort_of(node.args[0], BOOL, signature, numbers)
        return shared(node.args[1:], expected, None)
    for part in node.args:
        _sort_of(part, None, signature, numbers)
    return BOOL if head in ("true", "false") else None


def _text(node: _Node, signature: Signature) -> str:
    """SMT-LIB text; bound variables without a sort are unused and left out."""
    parts = [_text(part, signature) for part in node.args]
    if node.bound:
        known = " ".join(f"({show_symbol(v.name)} {show_sort(v.sort)})" for v in node.bound if v.sort is not None)
        return f"({node.head} ({known}) {parts[0]})" if known else parts[0]
    head = node.head
    if head == "/" and all(_sort_of(part, None, signature, True) is not REAL for part in node.args):
        head = "div"
    if node.variable is not None or _type_of(head, signature) is not None:
        head = show_symbol(head)
    return f"({head} {' '.join(parts)})" if parts else head
