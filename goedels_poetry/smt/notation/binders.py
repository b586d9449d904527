"""Where a text is being read, which names are known there, and the variables that a quantifier binds."""

from __future__ import annotations

from dataclasses import dataclass, field

from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, Term
from goedels_poetry.smt.notation.tokens import NotRead, Piece, Token


@dataclass(slots=True, eq=False)
class Variable:
    """A variable; ``sort`` is None until it is known."""

    name: str
    sort: Sort | None = None
    natural: bool = False
    """Declared as a natural number where the problem has only integers."""


_BUILT_IN = {"true": 0, "false": 0, "abs": 1, "to_real": 1, "to_int": 1, "select": 2, "store": 3, "ite": 3}
_TRUTH_VALUES = frozenset({"true", "false"})
TWO_OF_THEM = {"min": "<=", "max": ">="}
_SORTS = {
    **dict.fromkeys(("int", "ℤ", "integer", "integers", "z"), INT),
    **dict.fromkeys(("bool", "prop", "boolean"), BOOL),
    **dict.fromkeys(("real", "ℝ", "reals"), REAL),
    "string": STRING,
}
_NATURAL = frozenset({"nat", "ℕ", "natural", "naturals"})


@dataclass
class Binders:
    """A text, how far it has been read, and its binders; formulas are of `grammar`."""

    tokens: list[Token]
    signature: Signature
    variables: tuple[Term, ...]
    closed: bool
    implicit: dict[str, Variable] = field(default_factory=dict)
    """Names that stand free and are any values."""

    def __post_init__(self) -> None:
        self.place = 0
        self.nesting = 0
        free = [] if self.closed else self.variables
        self.scope: list[dict[str, Variable]] = [{v.name: Variable(v.name, v.sort) for v in free}]
        datatypes = [d.sort for d in self.signature.datatypes]
        self.sorts = {show_sort(s).lower(): s for s in (*self.signature.sorts, *datatypes)}

    # ------------------------------------------------------------------------------------------------- tokens

    @property
    def token(self) -> Token:
        """The next one."""
        return self.tokens[self.place]

    def ahead(self, by: int = 1) -> Token:
        """One further on; the end where there is none."""
        return self.tokens[min(self.place + by, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The next one, and go on."""
        token = self.token
        self.place = min(self.place + 1, len(self.tokens) - 1)
        return token

    def at(self, *texts: str) -> bool:
        """Whether a sign or mark is next."""
        return self.token.kind in (Piece.SIGN, Piece.MARK) and self.token.text in texts

    def taken(self, *texts: str) -> bool:
        """Whether it was next; if so, go on."""
        found = self.at(*texts)
        if found:
            self.take()
        return found

    def expect(self, text: str) -> None:
        """Go on over a mark.

        Raises:
            NotRead: something else is next.
        """
        if not self.taken(text):
            raise NotRead(f"{text!r} was expected, not {self.token.text!r}")

    # --------------------------------------------------------------------------------------------------- names

    def _bound(self, name: str) -> Variable | None:
        return next((level[name] for level in reversed(self.scope) if name in level), None)

    def _known(self, written: str) -> str | None:
        """The name of the problem that is meant: as it stands, behind a prefix, or in other case."""
        last = written.rsplit(".", 1)[-1]
        for name in (written, last):
            if self._arity(name) is not None:
                return name
        alike = [name for name in self.signature.names if name.lower() == last.lower()]
        if len(alike) == 1 and len(last) > 1:
            return alike[0]
        return last.lower() if last.lower() in _TRUTH_VALUES else None

    def _arity(self, name: str) -> int | None:
        typed = self.signature.type_of(name)
        if typed is not None:
            return len(typed[0])
        made = self.signature.constructor(name)
        if made is not None:
            return len(made[1].fields)
        if self.signature.selector(name) is not None or (
            name.startswith("is-") and self.signature.constructor(name[3:]) is not None
        ):
            return 1
        return 2 if name in TWO_OF_THEM else _BUILT_IN.get(name)

    # ------------------------------------------------------------------------------------------------- binders

    def _smt_binders(self) -> list[Variable]:
        """``((x Int) (y Int))``."""
        self.take()
        bound: list[Variable] = []
        while self.taken("("):
            bound.append(self._declared([self._name()])[0])
            self.expect(")")
        self.expect(")")
        return bound

    def _groups(self) -> list[Variable]:
        """``(x y : Int) (z : List)``, with any brackets."""
        bound: list[Variable] = []
        while self.at("(", "{", "[") and self.ahead().kind is Piece.NAME and self._is_group():
            close = {"(": ")", "{": "}", "[": "]"}[self.take().text]
            names: list[str] = []
            while not self.at(close):
                self.taken(",")
                if self.taken(":", "in") or (names and self._is_sort(self.token)):  # (x : Int), (x Int)
                    bound.extend(self._declared(names))
                    names = []
                else:
                    names.append(self._name())
            bound.extend(Variable(name) for name in names)
            self.expect(close)
        return bound

    def _is_group(self) -> bool:
        """Names, then a colon or the bracket's end."""
        place = self.place + 1
        while self.tokens[place].kind is Piece.NAME or self.tokens[place].text == ",":
            place += 1
        return self.tokens[place].text in (":", "in", ")", "}", "]")

    def _bare(self) -> list[Variable]:
        """``x y``, ``x, y : Int``; a comma may end them, too."""
        names: list[str] = []
        bound: list[Variable] = []
        while self.token.kind is Piece.NAME:
            whole = self.take().text
            first, dot, rest = whole.partition(".")
            names.append(first)
            if dot:  # ∀x.f(x)
                self.place -= 1
                self.tokens[self.place] = Token(Piece.NAME, rest)
                break
            if (self.at(":") and (self._is_sort(self.ahead()) or self._is_type())) or self.at("in"):
                self.take()
                bound.extend(self._declared(names))
                names = []
            if self.at(",", "and") and self._another(names + [v.name for v in bound]):
                self.take()
        if not names and not bound:
            raise NotRead("a quantifier without variables")
        return [*bound, *(Variable(name) for name in names)]

    def _is_type(self) -> bool:
        """Whether names and brackets alone stand between this colon and a comma or full stop: ``: List Int,``."""
        place, depth = self.place + 1, 0
        while self.tokens[place].kind is Piece.NAME or self.tokens[place].text in ("(", ")", "[", "]"):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.tokens[place].text, 0)
            place += 1
        return depth == 0 and place > self.place + 1 and self.tokens[place].text in (",", ".")

    def _another(self, before: list[str]) -> bool:
        """Whether a variable comes behind the comma (or "and"), not the body."""
        name, then = self.ahead(), self.ahead(2)
        fresh = name.kind is Piece.NAME and name.text not in before and self._known(name.text) is None
        return fresh and then.text in (",", ".", ":", "in") and then.kind is not Piece.NAME

    def _name(self) -> str:
        if self.token.kind is not Piece.NAME:
            raise NotRead(f"a variable was expected, not {self.token.text!r}")
        return self.take().text

    def _declared(self, names: list[str]) -> list[Variable]:
        """Variables of the sort that is next."""
        sort, natural = self._sort()
        return [Variable(name, sort, natural) for name in names]

    def _is_sort(self, token: Token) -> bool:
        text = token.text.lower()
        return text in self.sorts or text in _SORTS or text in _NATURAL or (token.text == "(" and bool(self.sorts))

    def _is_type_part(self) -> bool:
        return self._is_sort(self.token) or self.at("[", "(") or self.ahead().text in (",", ".", ")", "}")

    def _sort(self) -> tuple[Sort | None, bool]:
        """A sort and whether it is meant without negative numbers; None where only its use can tell."""
        if self.at("("):
            self._skip_brackets()
            return None, False
        text = self._name()
        known = self.sorts.get(text.lower()) or self.sorts.get(text.rsplit(".", 1)[-1].lower())
        while known is None and (self.token.kind is Piece.NAME or self.at("[", "(")) and self._is_type_part():
            self._skip_brackets() if self.at("[", "(") else self.take()  # List Int, List[Int]
        if known is not None:
            return known, False
        if not self.at(",", ".", ":", ")", "}", "]") and self.token.kind in (Piece.NAME, Piece.NUMBER):
            raise NotRead(f"{self.token.text!r} was not expected after the sort {text}")
        return _SORTS.get(text.lower(), INT if text.lower() in _NATURAL else None), text.lower() in _NATURAL

    def _skip_brackets(self) -> None:
        depth = 0
        while self.token.kind is not Piece.END:
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(self.take().text, 0)
            if depth == 0:
                return
