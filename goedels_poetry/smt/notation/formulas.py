"""Formulas in infix notation, put into SMT-LIB text: ``∀ xs ys, rev (append xs ys) = append (rev ys) (rev xs)``.

A language model that is asked for SMT-LIB slips into infix. A name takes as many arguments as its function has, written
``f(x, y)``, ``f x y`` or ``(f x y)``; an operator in front of its operands is read as well, so that texts may mix both.
A variable without a sort has the one of the problem's sorts with which the kernel's own reader takes the text; where
several will do, the text is refused.

The result is text, which the kernel's own reader takes or refuses: nothing here is trusted.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import TypeAlias

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.printer import show_sort, show_symbol
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, Term
from goedels_poetry.smt.notation.text import parse_term

MAX_CHARACTERS = 6_000
MAX_NESTING = 60
MAX_TRIED = 500
"""Combinations of sorts of variables."""
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
    **{sign: sign for sign in ("<", ">", "+", "/", "::", "if", "then", "else")},
    "-": "- −",
    "*": "* · × \\cdot \\times",
    "div": "div // ÷",
    "mod": "mod %",
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
_BUILT_IN = {"true": 0, "false": 0, "abs": 1, "to_real": 1, "to_int": 1, "select": 2, "store": 3, "ite": 3}
_SORTS = {
    **dict.fromkeys(("int", "ℤ", "integer", "nat", "ℕ"), INT),
    **dict.fromkeys(("bool", "prop"), BOOL),
    **dict.fromkeys(("real", "ℝ"), REAL),
    "string": STRING,
}
_NATURAL = frozenset({"nat", "ℕ"})


class NotRead(ValueError):
    """The text is no formula of a known form; the message says what is wrong with it."""


@dataclass(slots=True, eq=False)
class _Variable:
    name: str
    sort: Sort | None = None
    natural: bool = False
    """Declared as a natural number; the problem has integers only."""


@dataclass(frozen=True, slots=True)
class _Quantified:
    kind: str
    bound: tuple[_Variable, ...]
    body: _Tree


_Tree: TypeAlias = "str | list[_Tree] | _Quantified"


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
    root = _quantified("forall", free, root)
    given = {v.name: v.sort for v in variables}
    unknown = [v for v in (*free, *parser.bound) if v.sort is None]
    choices = [[given[v.name]] if v.name in given else parser.sorts for v in unknown]
    fitting: list[str] = []
    for sorts in islice(product(*choices), MAX_TRIED):
        for variable, each in zip(unknown, sorts, strict=True):
            variable.sort = each
        written = _text(root)
        try:
            parse_term(written, signature, () if closed else variables, sort)
        except (GoedelsPoetryError, ValueError, RecursionError):
            continue
        fitting.append(written)
    if len(fitting) > 1 or (unknown and not fitting):
        names = ", ".join(sorted({v.name for v in unknown}))
        raise NotRead(f"the sort of {names} cannot be told: bind each variable with its sort")
    return fitting[0] if fitting else _text(root)


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
        place, kind, word = match.end(), match.lastgroup or "", match[match.lastgroup or 0]
        sign = _SIGNS.get(word) or _SIGNS.get(word.lower()) if word not in signature.names else None
        if kind == "sign" and sign is None:
            raise NotRead(f"{word} means nothing here")
        if kind in ("name", "sign") and sign is not None:
            found.append(_Token("sign", sign, tight))
        elif kind != "space":
            found.append(_Token("name" if kind in ("odd", "barred") else kind, word, tight))
        tight = kind != "space"
    return [*found, _Token("end", "the end")]


# ------------------------------------------------------------------------------------------------------------ grammar


class _Parser:
    """One text, and how far it has been read."""

    def __init__(self, tokens: list[_Token], signature: Signature, variables: tuple[Term, ...], closed: bool) -> None:
        self._tokens = tokens
        self._signature = signature
        self._closed = closed
        self._place = 0
        self._nesting = 0
        self._scope = [{v.name for v in variables}]
        named = [*signature.sorts, *(d.sort for d in signature.datatypes)]
        self._named = _SORTS | {show_sort(s).lower(): s for s in named}
        self.sorts = [INT, *named]
        """Sorts that a variable without one may have."""
        self.bound: list[_Variable] = []
        self.implicit: dict[str, _Variable] = {}
        """Free names that stand for any values."""

    def whole(self) -> _Tree:
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
        return self._at(*texts) and bool(self._take())

    def _expect(self, text: str) -> None:
        if not self._taken(text):
            raise NotRead(f"{text!r} was expected, not {self._token.text!r}")

    def _formula(self, least: int = 0) -> _Tree:
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
                right = self._formula(_BINARY[sign] + (sign not in _RIGHT))
                chained = sign in ("and", "or") and isinstance(left, list) and left[0] == sign
                left = [*left, right] if chained and isinstance(left, list) else [self._head(sign), left, right]
            else:
                break
        self._nesting -= 1
        return left

    def _head(self, sign: str) -> str:
        return self._list_of()[1] if sign == "::" else {"<=>": "=", "/": "div"}.get(sign, sign)

    def _comparison(self, left: _Tree) -> _Tree:
        """Also a chain: ``0 <= i < n``."""
        found: list[_Tree] = []
        while self._token.kind == "sign" and self._token.text in _COMPARISONS:
            sign, right = self._take().text, self._formula(_COMPARED + 1)
            found.append([sign, left, right])
            left = right
        return found[0] if len(found) == 1 else ["and", *found]

    def _operand(self) -> _Tree:
        if self._at("forall", "exists"):
            return self._quantifier()
        if self._at("not", "-"):
            sign = self._take().text
            return [sign, self._formula(_NOT if sign == "not" else _TIGHTEST)]
        if self._taken("if"):
            condition = self._formula()
            if not self._taken("then"):
                raise NotRead("'then' is missing")
            then = self._formula()
            return ["ite", condition, then, self._formula()] if self._taken("else") else ["=>", condition, then]
        return self._atom(applied=True)

    def _atom(self, *, applied: bool = False) -> _Tree:
        token = self._take()
        match token.kind, token.text:
            case "number", text:
                return text
            case "name", text:
                return self._call(text, applied=applied)
            case "mark", "[":
                return self._list()
            case "mark", "(":
                return self._parenthesis()
        raise NotRead(f"{token.text!r} was not expected")

    def _parenthesis(self) -> _Tree:
        sign = self._token
        minus = sign.text == "-" and not self._ahead().tight
        if (sign.kind == "sign" and sign.text not in ("not", "forall", "exists", "if", "-")) or minus:
            self._take()
            args: list[_Tree] = []
            while not self._at(")"):
                args.append(self._operand() if self._at("not", "forall", "exists", "-") else self._atom())
            self._take()
            if not args:
                raise NotRead(f"{sign.text} has no operands")
            return [self._head(sign.text), *args]
        found = self._formula()
        self._expect(")")
        return found

    # ------------------------------------------------------------------------------------------- names and lists

    def _call(self, written: str, *, applied: bool) -> _Tree:
        """A name with its arguments, however they are written."""
        if any(written in level for level in self._scope):
            return show_symbol(written)
        last = written.rpartition(".")[2]
        name = next((n for n in (written, last, last.lower()) if self._arity(n) is not None), None)
        if name is None:
            return self._free(written, applied=self._at("(") and (self._token.tight or applied))
        arity = self._arity(name) or 0
        args: list[_Tree] = []
        while len(args) < arity and (self._token.kind in ("name", "number") or self._at("(", "[")):
            args.extend(self._arguments())
        if len(args) != arity:
            raise NotRead(f"{name} takes {arity} arguments, not {len(args)}")
        head = name if name in _BUILT_IN else show_symbol(name)
        return [head, *args] if args else head

    def _arguments(self) -> list[_Tree]:
        """One argument, or all of those in a pair of parentheses with commas."""
        if not self._at("(") or self._ahead().kind == "sign":
            return [self._atom()]
        self._take()
        args = [self._formula()]
        while self._taken(","):
            args.append(self._formula())
        self._expect(")")
        return args

    def _arity(self, name: str) -> int | None:
        """The number of arguments of a function, constructor, selector or tester; None for other names."""
        signature = self._signature
        if (typed := signature.type_of(name)) is not None:
            return len(typed[0])
        if (made := signature.constructor(name)) is not None:
            return len(made[1].fields)
        if signature.selector(name) is not None or (name.startswith("is-") and signature.constructor(name[3:])):
            return 1
        return _BUILT_IN.get(name)

    def _free(self, written: str, *, applied: bool) -> _Tree:
        """An undeclared name: with ``closed`` any value, unless it is a slip of the pen."""
        near = difflib.get_close_matches(written, self._signature.names, 1, NEAR) if len(written) > 2 else []
        if not self._closed or near or "." in written or applied:
            raise NotRead(f"there is no {written}" + (f"; did you mean {near[0]}?" if near else ""))
        self.implicit.setdefault(written, _Variable(written))
        return show_symbol(written)

    def _list(self) -> _Tree:
        """``[x, y]``, the first bracket of which is taken."""
        empty, cons = self._list_of()
        items: list[_Tree] = []
        while not self._taken("]"):
            items.append(self._formula())
            if not self._taken(",") and not self._at("]"):
                raise NotRead(f"']' was expected, not {self._token.text!r}")
        found: _Tree = empty
        for item in reversed(items):
            found = [cons, item, found]
        return found

    def _list_of(self) -> tuple[str, str]:
        """The constructors of the one datatype of lists."""
        lists = []
        for datatype in self._signature.datatypes:
            empty = [c.name for c in datatype.constructors if not c.fields]
            cons = [c.name for c in datatype.constructors if [s for _, s in c.fields][1:] == [datatype.sort]]
            if len(empty) == len(cons) == 1 and len(datatype.constructors) == 2:
                lists.append((show_symbol(empty[0]), show_symbol(cons[0])))
        if len(lists) != 1:
            raise NotRead("[...] and :: need exactly one datatype of lists: write constructors")
        return lists[0]

    # ----------------------------------------------------------------------------------------------- quantifiers

    def _quantifier(self) -> _Tree:
        """``∀ x y, ...``, ``∀ (x y : S) (z : T), ...``, ``forall ((x S) (y T)) ...``, ``∀ n ≥ 0, ...``."""
        kind = self._take().text
        listed = self._at("(") and self._ahead().text == "("
        self._taken("(" if listed else "")
        bound = list(self._binders())
        self._expect(")") if listed else None
        if not bound:
            raise NotRead("a quantifier without variables")
        self.bound += bound
        self._scope.append({v.name for v in bound})
        guards: list[_Tree] = []
        if self._token.kind == "sign" and self._token.text in _COMPARISONS:
            sign, limit = self._take().text, self._formula(_COMPARED + 1)
            guards = [[sign, show_symbol(v.name), limit] for v in bound]
        while self._taken(",", ".", ":"):
            pass
        body = _implied(kind, guards, self._formula())
        self._scope.pop()
        return _quantified(kind, tuple(bound), body)

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
        """``x y : S``, ``x S`` or ``x y``."""
        names: list[str] = []
        while self._token.kind == "name":
            if names and close and self._token.text.lower() in self._named:
                return self._sorted(names)
            first, dot, rest = self._take().text.partition(".")
            names.append(first)
            if dot:  # ∀x.f(x)
                self._place -= 1
                self._tokens[self._place : self._place + 1] = [_Token("mark", "."), _Token("name", rest)]
                break
            if self._at(":") and (close or self._ahead().text.lower() in self._named):
                self._take()
                return self._sorted(names)
            if close:
                self._taken(",")
        return [_Variable(name) for name in names]

    def _sorted(self, names: list[str]) -> list[_Variable]:
        """Variables of the sort that follows; without one where it is none of the problem."""
        text = self._take().text.lower()
        while self._token.kind == "name" and self._token.text.lower() in self._named:
            self._take()  # List Int
        return [_Variable(name, self._named.get(text), text in _NATURAL) for name in names]


def _implied(kind: str, conditions: list[_Tree], body: _Tree) -> _Tree:
    if not conditions:
        return body
    condition: _Tree = conditions[0] if len(conditions) == 1 else ["and", *conditions]
    return ["=>" if kind == "forall" else "and", condition, body]


def _quantified(kind: str, bound: tuple[_Variable, ...], body: _Tree) -> _Tree:
    """The quantified formula; natural numbers are not negative."""
    natural: list[_Tree] = [[">=", show_symbol(v.name), "0"] for v in bound if v.natural]
    return _Quantified(kind, bound, _implied(kind, natural, body)) if bound else body


def _text(tree: _Tree) -> str:
    if isinstance(tree, str):
        return tree
    if isinstance(tree, _Quantified):
        known = " ".join(f"({show_symbol(v.name)} {show_sort(v.sort)})" for v in tree.bound if v.sort is not None)
        return f"({tree.kind} ({known}) {_text(tree.body)})"
    return f"({' '.join(map(_text, tree))})"
