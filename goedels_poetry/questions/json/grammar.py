"""Words to a tree: the grammar of expressions, with the precedence of Python.

Precedence climbing, driven by a loop instead of Python's stack: a rule that needs another rule yields it, so
that brackets may be nested as deep as the limit says, whoever calls. Nothing of an expression is ever evaluated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from goedels_poetry.questions.json import syntax
from goedels_poetry.questions.json.rules import Rule, run
from goedels_poetry.questions.json.syntax import Expression, ExpressionError
from goedels_poetry.questions.json.tokens import Token, tokens

_CONDITIONAL, _OR, _AND, _NOT, _COMPARISON, _BIT_OR, _BIT_XOR, _BIT_AND, _SHIFT, _SUM, _PRODUCT, _SIGN, _POWER = range(
    13
)
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_LEVELS = {
    "if": _CONDITIONAL,
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("in", "not", *_COMPARISONS), _COMPARISON),
    "|": _BIT_OR,
    "^": _BIT_XOR,
    "&": _BIT_AND,
    "<<": _SHIFT,
    ">>": _SHIFT,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
    "**": _POWER,
}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def parse(text: str) -> Expression:
    """The tree of an expression.

    Raises:
        ExpressionError: not an expression of the language, with the offset and what to write instead.
    """
    grammar = _Grammar(tokens(text))
    tree: Expression = run(grammar.expression(_CONDITIONAL))
    if grammar.next.kind != "end":
        grammar.unexpected("the end of the expression")
    return tree


class _Grammar:
    def __init__(self, words: list[Token]) -> None:
        self.words = words
        self.place = 0
        self.next = words[0]

    # ----------------------------------------------------------------------------------------- words

    def take(self) -> Token:
        taken = self.next
        self.place += 1
        self.next = self.words[min(self.place, len(self.words) - 1)]
        return taken

    def at(self, *texts: str) -> bool:
        """Whether an operator or reserved word among ``texts`` comes next."""
        return self.next.text in texts and self.next.kind in ("operator", "word")

    def expect(self, text: str) -> Token:
        if not self.at(text):
            self.unexpected(f"`{text}`")
        return self.take()

    def fail(self, message: str, hint: str = "") -> NoReturn:
        raise ExpressionError(message, self.next.at, hint)

    def unexpected(self, wanted: str) -> NoReturn:
        found = "the expression ends" if self.next.kind == "end" else f"found `{self.next.text[:40]}`"
        self.fail(f"{wanted} was expected here, but {found}")

    # ----------------------------------------------------------------------------------------- rules

    def expression(self, least: int) -> Rule:
        """An expression whose operators bind at least as tightly as ``least``."""
        if self.at("not"):
            if least > _NOT:
                self.fail("`not` stands between operators", "put it into parentheses, or write Not(...)")
            at = self.take().at
            operand = yield self.expression(_NOT)
            left: Expression = syntax.Unary(at, "not", operand)
        elif self.at("-", "+", "~"):
            sign = self.take()
            operand = yield self.expression(_SIGN)
            left = syntax.Unary(sign.at, sign.text, operand)
        else:
            left = yield self.postfix()
        while self.next.kind in ("operator", "word"):
            level = _LEVELS.get(self.next.text, -1)
            if level < least or (self.next.text == "not" and self.words[self.place + 1].text != "in"):
                break
            left = yield self.infix(left, level)
        return left

    def infix(self, left: Expression, level: int) -> Rule:
        """What follows ``left``: all operators of one level, as far as they make one node."""
        if level == _CONDITIONAL:
            return (yield self.conditional(left))
        if level == _COMPARISON:
            return (yield self.comparison(left))
        if level == _SUM:
            return (yield self.sum(left))
        operator = self.take()
        if level == _POWER:
            exponent = yield self.expression(_SIGN)
            return syntax.Binary(operator.at, "**", left, exponent)
        right = yield self.expression(level + 1)
        if operator.text in ("/", "//", "%", "<<", ">>"):
            return syntax.Binary(operator.at, operator.text, left, right)
        operands = [left, right]
        while self.at(operator.text):
            self.take()
            operands.append((yield self.expression(level + 1)))
        return syntax.Chain(operator.at, operator.text, tuple(operands))

    def conditional(self, then: Expression) -> Rule:
        at = self.take().at
        condition = yield self.expression(_OR)
        if not self.at("else"):
            self.unexpected("`else`")
        self.take()
        otherwise = yield self.expression(_CONDITIONAL)
        return syntax.Conditional(at, condition, then, otherwise)

    def comparison(self, left: Expression) -> Rule:
        at = self.next.at
        operands, operators = [left], []
        while self.at("in", "not", *_COMPARISONS):
            operator = self.take().text
            if operator == "not":
                self.expect("in")
                operator = "not in"
            operators.append(operator)
            operands.append((yield self.expression(_BIT_OR)))
        return syntax.Comparison(at, tuple(operands), tuple(operators))

    def sum(self, left: Expression) -> Rule:
        at = self.next.at
        terms = [(False, left)]
        while self.at("+", "-"):
            minus = self.take().text == "-"
            terms.append((minus, (yield self.expression(_PRODUCT))))
        return syntax.Sum(at, tuple(terms))

    def postfix(self) -> Rule:
        """An atom with the calls, indices and fields behind it."""
        tree = yield self.atom()
        while self.at("(", "[", "."):
            at = self.next.at
            if self.at("("):
                if not isinstance(tree, syntax.Name):
                    self.fail("only a name can be called", "write function(arguments)")
                arguments = yield self.items("(")
                tree = syntax.Call(tree.at, tree.name, tuple(arguments))
            elif self.at("["):
                index = yield self.items("[")
                if len(index) != 1 or isinstance(index[0], syntax.Comprehension):
                    raise ExpressionError("one index was expected here", at, "write array[index]")
                tree = syntax.Index(at, tree, index[0])
            else:
                self.take()
                if self.next.kind != "name":
                    self.unexpected("the name of a field")
                tree = syntax.Field(at, tree, self.take().text)
                if self.at("("):
                    raise ExpressionError(f"`.{tree.name}(...)`: nothing has methods", at, "write function(arguments)")
        return tree

    def atom(self) -> Rule:
        token = self.next
        if token.kind == "name":
            return syntax.Name(self.take().at, token.text)
        if token.kind == "number" and not isinstance(token.value, str) and token.value is not None:
            return syntax.Number(self.take().at, token.value)
        if token.kind == "string":
            return syntax.String(self.take().at, str(token.value))
        if self.at("True", "False"):
            return syntax.Truth(self.take().at, token.text == "True")
        if self.at("("):
            return (yield self.parentheses())
        if self.at("[", "{"):
            items = yield self.items(token.text)
            if len(items) == 1 and isinstance(items[0], syntax.Comprehension):
                return items[0]
            return syntax.Listing(token.at, tuple(items))
        return self.unexpected("a term")

    def parentheses(self) -> Rule:
        """``(a)``, ``(a, b)``."""
        at = self.next.at
        before = self.place
        items = yield self.items("(")
        if len(items) == 1 and self.words[self.place - 2].text != ",":
            only = items[0]
            return replace(only, enclosed=True) if isinstance(only, syntax.Comparison) else only
        if not items:
            raise ExpressionError("nothing stands between these parentheses", self.words[before].at)
        return syntax.Listing(at, tuple(items))

    def items(self, opening: str) -> Rule:
        """Expressions between brackets, separated by commas; one comprehension counts as one expression."""
        closing = _CLOSING[opening]
        start = self.take().at
        items: list[Expression] = []
        while not self.at(closing):
            if items:
                if self.next.kind == "end":
                    raise ExpressionError(f"this `{opening}` is never closed", start, f"add the missing `{closing}`")
                if not self.at(","):
                    self.unexpected(f"`,` or `{closing}`")
                self.take()
                if self.at(closing):
                    break
            items.append((yield self.item()))
            if isinstance(items[-1], syntax.Comprehension) and self.at(",") and opening != "[":
                self.fail("a comprehension stands alone", "put it into brackets")
        self.take()
        return items

    def item(self) -> Rule:
        """An expression, ``x: Sort``, the body of a comprehension, or ``*[...]``: the list itself."""
        first = self.next
        if self.at("*"):
            self.take()
            listed = yield self.postfix()
            if not isinstance(listed, syntax.Listing | syntax.Comprehension):
                raise ExpressionError("a list was expected behind `*`", first.at, "write And(p, q), or And([p, q])")
            return listed
        tree = yield self.expression(_CONDITIONAL)
        if self.at(":"):
            if first.kind != "name" or not isinstance(tree, syntax.Name):
                self.unexpected("`,`")
            self.take()
            return syntax.Typing(first.at, tree.name, (yield self.expression(_SUM)))
        if self.at("for"):
            return (yield self.comprehension(tree))
        return tree

    def comprehension(self, element: Expression) -> Rule:
        at = self.next.at
        clauses: list[syntax.Clause] = []
        while self.at("for"):
            self.take()
            if self.next.kind != "name":
                self.unexpected("a variable")
            name = self.take().text
            if not self.at("in"):
                self.unexpected("`in`")
            self.take()
            source = yield self.expression(_OR)
            conditions = []
            while self.at("if"):
                self.take()
                conditions.append((yield self.expression(_OR)))
            clauses.append(syntax.Clause(name, source, tuple(conditions)))
        return syntax.Comprehension(at, element, tuple(clauses))
