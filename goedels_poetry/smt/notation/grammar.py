"""Reading a formula: operators by how tightly they bind, quantifiers with all kinds of binders, application.

A name takes as many arguments as its function has, written as ``f(x, y)``, ``f x y`` or ``(f x y)``; an operator in
front of its operands, as in SMT-LIB, is read as well, so that texts may mix both.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from goedels_poetry.smt.notation.binders import TWO_OF_THEM, Binders, Variable
from goedels_poetry.smt.notation.tokens import NotRead, Piece

MAX_NESTING = 60
NEAR = 0.8
"""How alike a free name has to be to one of the problem to be taken for a slip of the pen (`difflib`)."""
MAX_POWER = 8


@dataclass(frozen=True, slots=True)
class Node:
    """``head`` applied to ``args``: a function, an operator of SMT-LIB, a number, a quantifier, or a variable."""

    head: str
    args: tuple[Node, ...] = ()
    variable: Variable | None = None
    bound: tuple[Variable, ...] = ()


_COMPARISONS = frozenset({"=", "distinct", "<=", ">=", "<", ">"})
_PREFIXED = frozenset({*_COMPARISONS, "=>", "<=>", "and", "or", "+", "*", "div", "mod", "/"})
"""Operators that stand in front of their operands in a pair of parentheses only."""
_BEHIND = frozenset({"when", "if", "forall"})
_HEADERS = frozenset({"lemma", "theorem", "claim", "fact", "corollary", "proposition", "example"})


@dataclass
class Grammar(Binders):
    """The reading of one text."""

    # ------------------------------------------------------------------------------------------------ formulas

    def whole(self) -> Node:
        """The text: perhaps a label or a header as of a theorem, a formula, perhaps the beginning of its proof."""
        found = self._headed() if self.closed else self.formula()
        while self.closed and (self.at("when", "if", "forall") or (self.at(",") and self.ahead().text in _BEHIND)):
            self.taken(",")
            found = self._condition_behind(found)
        if not self.at(":=") and self.token.kind is not Piece.END:
            raise NotRead(f"{self.token.text!r} was not expected")
        return found

    def _headed(self) -> Node:
        if (
            self.token.kind is Piece.NAME
            and self.token.text.lower() in _HEADERS
            and self.ahead().kind is not Piece.SIGN
        ):
            self.take()
            while self.ahead(0).kind in (Piece.NAME, Piece.NUMBER):
                self.take()
            bound = self._groups()
            self.taken(":", ".", ",")
            return self._quantified("forall", bound, self.formula) if bound else self.formula()
        labelled = self.ahead().kind in (Piece.MARK, Piece.SIGN) and self.ahead().text in (":", ":=")
        if self.token.kind is Piece.NAME and labelled and self._arity(self.token.text) is None:
            self.take()
            self.take()
        return self.formula()

    def _condition_behind(self, found: Node) -> Node:
        """``sum n >= 0 for all n >= 0``: the formula comes before what is presumed, or before its variables."""
        self.take()
        place = self.place
        if self.token.kind is Piece.NAME and self._known(self.token.text) is None:
            for variable in self._groups() or self._bare():
                free = self.implicit.setdefault(variable.name, variable)
                free.sort, free.natural = free.sort or variable.sort, free.natural or variable.natural
            if self.ahead(0).kind is Piece.END:
                return found
            self.place = place
        return Node("=>", (self.formula(), found))

    def formula(self) -> Node:
        """Anything; what binds least."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise NotRead(f"nested deeper than {MAX_NESTING}")
        left = self._implication()
        while self.taken("<=>"):
            left = Node("=", (left, self._implication()))
        self.nesting -= 1
        return left

    def _implication(self) -> Node:
        left = self._joined("or", self._exclusive)
        return Node("=>", (left, self._implication())) if self.taken("=>") else left

    def _exclusive(self) -> Node:
        """``p xor q``: truth values that differ."""
        left = self._joined("and", self._negation)
        while self.taken("xor"):
            left = Node("distinct", (left, self._joined("and", self._negation)))
        return left

    def _joined(self, sign: str, part: Callable[[], Node]) -> Node:
        parts = [part()]
        while self.taken(sign):
            parts.append(part())
        return Node(sign, tuple(parts)) if len(parts) > 1 else parts[0]

    def _negation(self) -> Node:
        if self.taken("not"):
            return Node("not", (self._negation(),))
        if self.at("forall", "exists"):
            return self._quantifier()
        return self._comparison()

    def _comparison(self) -> Node:
        """Also a chain: ``0 <= i < n``."""
        left = self._listed()
        if self.taken("divides"):
            return self._divisible(left, self._listed())
        found: list[Node] = []
        while self.token.kind is Piece.SIGN and self.token.text in _COMPARISONS:
            sign = self.take().text
            right = self._listed()
            found.append(Node(sign, (left, right)))
            left = right
        if not found:
            return left
        return found[0] if len(found) == 1 else Node("and", tuple(found))

    def _divisible(self, by: Node, number: Node) -> Node:
        """``2 ∣ n``: a remainder, which SMT-LIB has for divisors other than 0 only."""
        if by.variable is not None or by.args or not by.head.isdecimal() or not by.head.strip("0"):
            raise NotRead("only a number other than 0 divides here; write (= (mod n k) 0)")
        return Node("=", (Node("mod", (number, by)), Node("0")))

    def _listed(self) -> Node:
        head = self._sum()
        if self.taken("::"):
            return Node(self._list_of()[1], (head, self._listed()))
        return Node(self._append(), (head, self._listed())) if self.taken("++") else head

    def _sum(self) -> Node:
        left = self._product()
        while self.at("+", "-"):
            left = Node(self.take().text, (left, self._product()))
        return left

    def _product(self) -> Node:
        left = self._signed()
        while self.at("*", "div", "mod", "/"):
            left = Node(self.take().text, (left, self._signed()))
        return left

    def _signed(self) -> Node:
        if self.taken("-"):
            return Node("-", (self._signed(),))
        factor = self.token
        base = self._application()
        if factor.kind is Piece.NUMBER and self._is_multiplied():
            return Node("*", (base, self._signed()))
        if not self.taken("^"):
            return base
        if self.token.kind is not Piece.NUMBER or not 1 <= float(self.token.text) <= MAX_POWER:
            raise NotRead(f"a power has an exponent from 1 to {MAX_POWER} here; write a function of the problem")
        times = int(float(self.take().text))
        return Node("*", (base,) * times) if times > 1 else base

    def _is_multiplied(self) -> bool:
        """Whether a number has its factor right behind it: ``2n``, ``2(n + 1)``; ``1e5`` and ``0x10`` are none."""
        named = self.token.kind is Piece.NAME and not any(map(str.isdigit, self.token.text))
        return self.token.tight and (named or self.at("("))

    # --------------------------------------------------------------------------------------------- application

    def _application(self) -> Node:
        if self.token.kind is not Piece.NAME:
            return self._atom()
        return self._call(self.take().text, head=True)

    def _call(self, written: str, *, head: bool = False) -> Node:
        """A name with its arguments, however they are written."""
        variable = self._bound(written)
        if variable is not None:
            return Node(written, variable=variable)
        name = self._known(written)
        if name is None:
            return self._free(written, applied=self._applied() or (head and self._begins_operand()))
        arity = self._arity(name) or 0
        args: list[Node] = []
        while len(args) < arity and self._begins_atom():
            args.extend(self._arguments(arity - len(args)))
        if len(args) != arity:
            raise NotRead(f"{name} takes {arity} arguments, not {len(args)}")
        if arity == 0 and self.at("(") and self.ahead().text == ")":
            self.take()
            self.take()
        if name in TWO_OF_THEM:
            return Node("ite", (Node(TWO_OF_THEM[name], tuple(args)), *args))
        return Node(name, tuple(args))

    def _arguments(self, most: int) -> list[Node]:
        """One argument, or all of those in a pair of parentheses with commas."""
        if not self.at("("):
            return [self._signed_atom()]
        place = self.place
        self.take()
        if self.token.kind is Piece.SIGN:  # an operator in front of its operands, or a sign
            self.place = place
            return [self._atom()]
        args = [self.formula()]
        while self.taken(","):
            args.append(self.formula())
        self.expect(")")
        if len(args) > most:
            raise NotRead(f"too many arguments: {len(args)} where {most} are taken")
        return args

    def _begins_atom(self) -> bool:
        """Also a negative number, ``cons -1 nil``."""
        if self.at("-") and not self.token.tight and self.ahead().tight:
            return self.ahead().kind is Piece.NUMBER
        return self._begins_operand()

    def _begins_operand(self) -> bool:
        """Without a sign: ``n -1`` of a name that is no function is a difference."""
        return self.token.kind in (Piece.NAME, Piece.NUMBER) or self.at("(", "[")

    def _atom(self) -> Node:
        token = self.take()
        if token.kind is Piece.NUMBER:
            return Node(token.text)
        if token.kind is Piece.NAME:
            return self._call(token.text)
        if token.kind is Piece.SIGN and token.text == "if":
            return self._conditional()
        if token.text == "[":
            return self._list()
        if token.text == "(":
            return self._parenthesis()
        raise NotRead(f"{token.text!r} was not expected")

    def _conditional(self) -> Node:
        condition = self.formula()
        if not self.taken("then", ","):
            raise NotRead("'then' is missing")
        then = self.formula()
        return Node("ite", (condition, then, self.formula())) if self.taken("else") else Node("=>", (condition, then))

    def _parenthesis(self) -> Node:
        """What stands in a pair of parentheses, the first of which is taken."""
        if self.token.kind is Piece.SIGN and self.token.text in _PREFIXED:
            return self._prefixed(self.take().text)
        if self.at("-") and self._is_prefixed_minus():
            return self._prefixed(self.take().text)
        if self.token.text == "(" and self.ahead().text == "_" and self.ahead(2).text == "is":
            return self._tester()
        found = self.formula()
        self.expect(")")
        return found

    def _prefixed(self, sign: str) -> Node:
        args: list[Node] = []
        while not self.at(")"):
            args.append(self._negation() if self.at("not", "forall", "exists") else self._signed_atom())
        self.take()
        if not args or (len(args) == 1 and sign not in ("-", "and", "or", "+", "*")):
            raise NotRead(f"{sign} has {len(args)} operands")
        return args[0] if len(args) == 1 and sign != "-" else Node("=" if sign == "<=>" else sign, tuple(args))

    def _signed_atom(self) -> Node:
        return Node("-", (self._atom(),)) if self.taken("-") else self._atom()

    def _is_prefixed_minus(self) -> bool:
        """Whether what follows ``(-`` are two operands side by side."""
        place, depth = self.place + 1, 0
        while place < len(self.tokens) - 1:
            depth += {"(": 1, ")": -1}.get(self.tokens[place].text, 0)
            place += 1
            if depth <= 0:
                break
        behind = self.tokens[place]
        return depth == 0 and (behind.kind in (Piece.NAME, Piece.NUMBER) or behind.text == "(")

    def _tester(self) -> Node:
        self.place += 3
        constructor = self._known(self.take().text)
        if constructor is None:
            raise NotRead("(_ is ...) names a constructor")
        self.expect(")")
        subject = self._atom()
        self.expect(")")
        return Node(f"is {constructor}", (subject,))

    def _list(self) -> Node:
        """``[x, y]``, the first bracket of which is taken."""
        empty, cons = self._list_of()
        items: list[Node] = []
        while not self.at("]"):
            items.append(self.formula())
            if not self.taken(",", ";") and not self.at("]"):
                raise NotRead(f"']' was expected, not {self.token.text!r}")
        self.take()
        found = Node(empty)
        for item in reversed(items):
            found = Node(cons, (item, found))
        return found

    def _append(self) -> str:
        """The one function that makes a list of two lists."""
        sorts = [d.sort for d in self.signature.datatypes]
        joins = [
            d.name for d in self.signature.definitions if [p.sort for p in d.params] == [d.sort] * 2 and d.sort in sorts
        ]
        if len(joins) != 1:
            raise NotRead("++ is not a function of the problem: write the one that is meant")
        return joins[0]

    def _list_of(self) -> tuple[str, str]:
        """The constructors of the one datatype that is a type of lists."""
        lists = []
        for datatype in self.signature.datatypes:
            empty = [c.name for c in datatype.constructors if not c.fields]
            cons = [c for c in datatype.constructors if len(c.fields) == 2 and c.fields[1][1] is datatype.sort]
            if len(empty) == len(cons) == 1 and len(datatype.constructors) == 2:
                lists.append((empty[0], cons[0].name))
        if len(lists) != 1:
            raise NotRead("[...] and :: are lists, of which the problem has no one type: write constructors")
        return lists[0]

    def _free(self, written: str, *, applied: bool) -> Node:
        """A name that nobody declared: with ``closed`` any value, unless it is a slip of the pen."""
        near = difflib.get_close_matches(written, self.signature.names, 1, NEAR) if len(written) > 2 else []
        if not self.closed or near or "." in written or applied:
            raise NotRead(f"there is no {written}" + (f"; did you mean {near[0]}?" if near else ""))
        return Node(written, variable=self.implicit.setdefault(written, Variable(written)))

    def _applied(self) -> bool:
        """Whether an argument follows as in ``f(x)``."""
        return self.at("(") and self.token.tight

    # --------------------------------------------------------------------------------------------- quantifiers

    def _quantifier(self) -> Node:
        kind = self.take().text
        bound = self._smt_binders() if self.at("(") and self.ahead().text == "(" else self._groups() or self._bare()
        conditions: list[tuple[str, int]] = []
        if self.token.kind is Piece.SIGN and self.token.text in _COMPARISONS and bound:
            conditions.append((self.take().text, self.place))
        return self._quantified(kind, bound, lambda: self._body(kind, bound, conditions))

    def _body(self, kind: str, bound: list[Variable], conditions: list[tuple[str, int]]) -> Node:
        guards: list[Node] = []
        for sign, _ in conditions:  # as in: for all n >= 0, ...
            limit = self._listed()
            guards.extend(Node(sign, (Node(v.name, variable=v), limit)) for v in bound)
        while self.taken(",", ".", ":"):
            pass
        if not guards:
            return self.formula()
        condition = guards[0] if len(guards) == 1 else Node("and", tuple(guards))
        return Node("=>" if kind == "forall" else "and", (condition, self.formula()))

    def _quantified(self, kind: str, bound: list[Variable], body: Callable[[], Node]) -> Node:
        self.scope.append({v.name: v for v in bound})
        inner = body()
        self.scope.pop()
        natural = tuple(Node(">=", (Node(v.name, variable=v), Node("0"))) for v in bound if v.natural)
        if natural:
            condition = natural[0] if len(natural) == 1 else Node("and", natural)
            inner = Node("=>" if kind == "forall" else "and", (condition, inner))
        return Node(kind, (inner,), bound=tuple(bound))
