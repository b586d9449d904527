"""Operators that are written between or around their operands."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from goedels_poetry.kernel.terms import BOOL
from goedels_poetry.questions.json import arithmetic, syntax
from goedels_poetry.questions.json.contract import Scope, TermBuilder
from goedels_poetry.questions.json.fitting import bits, conjunction, fit, join, negation
from goedels_poetry.questions.json.rules import Rule
from goedels_poetry.questions.json.syntax import Expression, ExpressionError
from goedels_poetry.questions.json.typed import Typed, apply


def _unary(typer: TermBuilder, expression: syntax.Unary, scope: Scope) -> Rule:
    operand = yield typer.term(expression.operand, scope)
    if expression.operator == "not":
        _refuse_misreading(expression, operand)
        return negation(fit(operand, BOOL, "the operand of `not`"), expression.at)
    if expression.operator == "~":
        (operand,) = bits((operand,), expression.at, "~", "write Not(p)")
        return apply("bvnot", (operand,), operand.sort, expression.at)
    if expression.operator == "+":
        return arithmetic.total([(False, operand)], expression.at)
    return arithmetic.negative(operand, expression.at)


def _refuse_misreading(expression: syntax.Unary, operand: Typed) -> None:
    """``not p == q`` with formulas p and q: the eye may take ``not`` for a part of the left side."""
    sign = _equality_of_formulas(expression.operand, operand)
    if sign:
        message = f"`not p {sign} q` with formulas p and q can be read in two ways"
        raise ExpressionError(message, expression.at, f"write Not(p {sign} q), or Not(p) {sign} q")


def _equality_of_formulas(written: Expression, typed: Typed) -> str:
    """``==`` or ``!=`` when an expression is such a comparison of formulas without parentheses, else ""."""
    if not isinstance(written, syntax.Comparison) or written.enclosed or written.operators[0] not in ("==", "!="):
        return ""
    equality = typed.args[0] if typed.head == "not" else typed
    return written.operators[0] if equality.head == "=" and equality.args[0].sort is BOOL else ""


def _sum(typer: TermBuilder, expression: syntax.Sum, scope: Scope) -> Rule:
    operands = yield typer.terms([term for _, term in expression.terms], scope)
    minus = [negative for negative, _ in expression.terms]
    return arithmetic.total(list(zip(minus, operands, strict=True)), expression.at)


def _chain(typer: TermBuilder, expression: syntax.Chain, scope: Scope) -> Rule:
    operands = yield typer.terms(expression.operands, scope)
    operator, at = expression.operator, expression.at
    if operator in ("and", "or"):
        what = f"the operands of `{operator}`"
        return conjunction([fit(operand, BOOL, what) for operand in operands], at, operator)
    if operator == "*":
        return arithmetic.product(operands, at)
    return arithmetic.bitwise(operator, operands, at)


def _binary(typer: TermBuilder, expression: syntax.Binary, scope: Scope) -> Rule:
    left, right = yield typer.terms((expression.left, expression.right), scope)
    operator, at = expression.operator, expression.at
    if operator == "**":
        return arithmetic.power(left, right, at)
    if operator == "/":
        return arithmetic.quotient(left, right, at)
    if operator in ("//", "%"):
        return arithmetic.rounded_quotient(operator, left, right, at)
    return arithmetic.bitwise(operator, (left, right), at)


def _comparison(typer: TermBuilder, expression: syntax.Comparison, scope: Scope) -> Rule:
    operators, at = expression.operators, expression.at
    if "in" in operators or "not in" in operators:
        return (yield _membership(typer, expression, scope))
    given = yield typer.terms(expression.operands, scope)
    if operators.count("!=") > 1:
        hint = "write Distinct(a, b, c), or And(a != b, b != c)"
        raise ExpressionError("`a != b != c` does not say whether a and c differ", at, hint)
    if 0 < sum(operator in ("==", "!=") for operator in operators) < len(operators):
        hint = "write And(a < b, b == c), or put parentheses around the comparisons that are compared"
        raise ExpressionError("a chain of equality and order, such as `a < b == c`, can be read in two ways", at, hint)
    if operators[0] in ("==", "!="):
        operands = join(given, at, f"the sides of `{operators[0]}`")
        if len(operators) > 1 and operands[0].sort is BOOL:
            hint = "write And(p == q, q == r), or (p == q) == r"
            raise ExpressionError("`p == q == r` with formulas can be read in two ways", at, hint)
        equal = [apply("=", pair, BOOL, at) for pair in pairwise(operands)]
        links = [link if o == "==" else negation(link, at) for link, o in zip(equal, operators, strict=True)]
    else:
        links = [arithmetic.ordered(o, *pair, at) for o, pair in zip(operators, pairwise(given), strict=True)]
    return conjunction(links, at)


def _membership(typer: TermBuilder, expression: syntax.Comparison, scope: Scope) -> Rule:
    if len(expression.operators) > 1:
        raise ExpressionError("`in` stands in a chain of comparisons", expression.at, "join comparisons by `and`")
    written, source = expression.operands
    element = yield typer.term(written, scope)
    elements = yield typer.elements(source, scope)
    equalities = []
    for other in elements:
        left, right = join((element, other), expression.at, "what is compared by `in`")
        equalities.append(apply("=", (left, right), BOOL, expression.at))
    found = conjunction(equalities, expression.at, "or")
    return found if expression.operators[0] == "in" else negation(found, expression.at)


def _conditional(typer: TermBuilder, expression: syntax.Conditional, scope: Scope) -> Rule:
    parts = (expression.condition, expression.then, expression.otherwise)
    condition, then, otherwise = yield typer.terms(parts, scope)
    if _equality_of_formulas(expression.then, then) or _equality_of_formulas(expression.otherwise, otherwise):
        message = "`p == q if c else r` with formulas p, q, r can be read in two ways"
        raise ExpressionError(message, expression.at, "put parentheses around the comparison, or write If(c, p, q)")
    return typer.choose(condition, then, otherwise, expression.at)


FORMS: dict[type, Callable[[TermBuilder, Any, Scope], Rule]] = {
    syntax.Unary: _unary,
    syntax.Sum: _sum,
    syntax.Chain: _chain,
    syntax.Binary: _binary,
    syntax.Comparison: _comparison,
    syntax.Conditional: _conditional,
}
