"""Expressions to typed terms: what each name stands for, which sorts meet, what every operator means."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NoReturn, TypeAlias

from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Sort, array
from goedels_poetry.questions.json import operators as arithmetic
from goedels_poetry.questions.json.operators import ELSEWHERE, OPERATORS, Call, Operator
from goedels_poetry.questions.json.symbols import RESERVED_NAMES, SortManager, Symbol, Symbols, show, smt_name, smt_sort
from goedels_poetry.questions.json.syntax import ExpressionError, behind, chain, enclosed, function, listed, parse
from goedels_poetry.questions.json.terms import (
    Typed,
    apply,
    bits,
    choose,
    conjunction,
    fit,
    join,
    leaf,
    negation,
    number,
    quantify,
    select,
    string,
    truth,
)

MAX_ELEMENTS = 5_000
MAX_TERMS = 100_000
"""In all expressions of a program, the elements of comprehensions written out."""

Scope: TypeAlias = Mapping[str, Typed]
"""What bound variables, and those of comprehensions, stand for."""

NOTHING: Scope = {}

_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.GeneratorExp
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp)
_SIGNS: dict[type[ast.operator] | type[ast.cmpop] | type[ast.boolop], str] = {
    ast.And: "and",
    ast.Or: "or",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


@dataclass
class Typer:
    """Types expressions over the sorts and symbols of a program; ``loose`` are variables met outside quantifiers."""

    sorts: SortManager
    symbols: Symbols = field(default_factory=lambda: Symbols(frozenset(OPERATORS)))
    loose: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    renamed: int = 0
    terms_read: int = 0
    text: str = ""
    """The expression that is read."""

    def formula(self, text: str, scope: Scope = NOTHING) -> Typed:
        """The formula that an expression is.

        Raises:
            ExpressionError: with the offset in ``text``, what is wrong, and what to write instead.
        """
        return fit(self.value(text, scope), BOOL, "a formula")

    def value(self, text: str, scope: Scope = NOTHING) -> Typed:
        """The term that an expression is. Raises ExpressionError: likewise."""
        self.text = text
        return self.term(parse(text), scope)

    def term(self, node: ast.expr, scope: Scope) -> Typed:
        """The typed term of a tree."""
        self.terms_read += 1
        if self.terms_read > MAX_TERMS:
            raise ExpressionError(f"a program of more than {MAX_TERMS:,} terms", node.col_offset, "say less by lists")
        return _RULES.get(type(node), Typer._listed)(self, node, scope)

    def terms(self, nodes: Sequence[ast.expr], scope: Scope) -> tuple[Typed, ...]:
        """The typed terms of several."""
        return tuple([self.term(node, scope) for node in nodes])

    # ---------------------------------------------------------------------------------------- symbols

    def _name(self, node: ast.Name, scope: Scope) -> Typed:
        name, at = node.id, node.col_offset
        bound = scope.get(name)
        if bound is not None:
            return bound
        symbol = self.symbols.table.get(name)
        if symbol is None:
            self._unknown(name, at, scope)
        if symbol.params:
            _wrong_number(symbol, 0, at)
        if symbol.kind == "variable":
            self.loose[name] = None
        return leaf(symbol.result, symbol.smt, at)

    def _unknown(self, name: str, at: int, scope: Scope) -> NoReturn:
        if name in OPERATORS:
            raise ExpressionError(f"`{name}` is an operator", at, f"write {OPERATORS[name].form}")
        if name in self.symbols.fields:
            raise ExpressionError(f"`{name}` is a field", at, f"write record.{name}")
        if name in ELSEWHERE:
            raise ExpressionError(f"`{name}` declares nothing here", at, ELSEWHERE[name])
        if name in self.sorts.sorts:
            raise ExpressionError(f"`{name}` is a sort, and no term", at, f"write ForAll([x: {name}], ...)")
        if name in ("true", "false"):
            raise ExpressionError(f"`{name}` is not declared", at, f"write {name.capitalize()}")
        known = (*scope, *self.symbols.known(), *OPERATORS)
        hint = nearest(name, known) or "declare it in functions, constants or variables"
        raise ExpressionError(f"`{name}` is not declared", at, hint)

    def _call(self, node: ast.Call, scope: Scope) -> Typed:
        name, at = function(node), node.col_offset
        operator = OPERATORS.get(name)
        if name in scope and operator is None:
            raise ExpressionError(f"`{name}` is a variable here, and no function", at)
        symbol = self.symbols.table.get(name)
        if symbol is not None and (symbol.params or operator is None):
            if len(node.args) != len(symbol.params):
                _wrong_number(symbol, len(node.args), at)
            return _applied(symbol, self.terms(node.args, scope), at)
        if name in self.symbols.fields:
            if len(node.args) != 1:
                raise ExpressionError(f"the field `{name}` takes 1 argument, got {len(node.args)}", at)
            return self._read_field(name, self.term(node.args[0], scope), at)
        if operator is None:
            self._unknown(name, at, scope)
        if name in _SPECIAL:
            return _SPECIAL[name](self, node, scope)
        return self._operator(operator, node, scope)

    def _operator(self, operator: Operator, node: ast.Call, scope: Scope) -> Typed:
        """An operator of the table, over its arguments or over a list of them."""
        call = Call(function(node), node.col_offset)
        if operator.build is None:
            return self._listed(node, scope)
        if operator.counts:
            if len(node.args) not in operator.counts:
                message = f"`{call.name}` got {len(node.args)} arguments"
                raise ExpressionError(message, call.at, f"write {operator.form}")
            return operator.build(self.terms(node.args, scope), call)
        only = node.args[0] if len(node.args) == 1 else None
        only = only.value if isinstance(only, ast.Starred) else only
        if isinstance(only, _COMPREHENSIONS):
            rows = self.expanded(only, scope, conditions=operator.guard is not None)
            terms = tuple([self._guarded(operator, conditions, term, call.at) for conditions, term in rows])
        else:
            given = listed(only) if only is not None else None
            given = node.args if given is None else given
            if not given:
                raise ExpressionError(f"`{call.name}` of nothing", call.at, f"write {operator.form}")
            terms = self.terms(given, scope)
        if len(terms) < operator.least:
            message = f"`{call.name}` takes {operator.least} or more terms, got {len(terms)}"
            raise ExpressionError(message, call.at, f"write {operator.form}")
        return operator.build(terms, call)

    @staticmethod
    def _guarded(operator: Operator, conditions: tuple[Typed, ...], term: Typed, at: int) -> Typed:
        if not conditions or operator.guard is None:
            return term
        return operator.guard(conjunction(conditions, at), term, at)

    def _read_field(self, name: str, record: Typed, at: int) -> Typed:
        symbol = self.symbols.fields.get(name, {}).get(record.sort)
        if symbol is None:
            known = [field for field, by_sort in self.symbols.fields.items() if record.sort in by_sort]
            hint = nearest(name, known) or (f"its fields are {', '.join(known)}" if known else "")
            raise ExpressionError(f"{show(record.sort)} has no field `{name}`", at, hint)
        return _applied(symbol, (record,), at)

    def _field(self, node: ast.Attribute, scope: Scope) -> Typed:
        record, at = node.value, behind(node.value, self.text)
        if isinstance(record, ast.Name) and record.id not in scope and record.id not in self.symbols.table:
            for symbol in self.symbols.values.get(self.sorts.sorts.get(record.id, BOOL), ()):
                if symbol.name == node.attr:
                    return leaf(symbol.result, symbol.smt, at)
        return self._read_field(node.attr, self.term(record, scope), at)

    def _index(self, node: ast.Subscript, scope: Scope) -> Typed:
        at = behind(node.value, self.text)
        if listed(node.slice) is not None:
            raise ExpressionError("one index was expected here", at, "write array[index]")
        return select(self.term(node.value, scope), self.term(node.slice, scope), at)

    # -------------------------------------------------------------------------------------- operators

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Typed:
        operand, at = self.term(node.operand, scope), node.col_offset
        if isinstance(node.op, ast.Not):
            sign = self._equality_of_formulas(node.operand, operand)
            if sign:  # the eye may take `not` for a part of the left side
                message = f"`not p {sign} q` with formulas p and q can be read in two ways"
                raise ExpressionError(message, at, f"write Not(p {sign} q), or Not(p) {sign} q")
            return negation(fit(operand, BOOL, "the operand of `not`"), at)
        if isinstance(node.op, ast.Invert):
            (operand,) = bits((operand,), at, "~", "write Not(p)")
            return apply("bvnot", (operand,), operand.sort, at)
        return (
            arithmetic.negative(operand, at)
            if isinstance(node.op, ast.USub)
            else arithmetic.total([(False, operand)], at)
        )

    def _equality_of_formulas(self, node: ast.expr, typed: Typed) -> str:
        """``==`` or ``!=`` when an expression is such a comparison of formulas without parentheses, else ""."""
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            return ""
        equality = typed.args[0] if typed.head == "not" else typed
        formulas = equality.head == "=" and equality.args[0].sort is BOOL
        return _SIGNS[type(node.ops[0])] if formulas and not enclosed(node, self.text) else ""

    def _junction(self, node: ast.BoolOp, scope: Scope) -> Typed:
        operator = _SIGNS[type(node.op)]
        operands = [fit(term, BOOL, f"the operands of `{operator}`") for term in self.terms(node.values, scope)]
        return conjunction(operands, behind(node.values[0], self.text), operator)

    def _arithmetic(self, node: ast.BinOp, scope: Scope) -> Typed:
        rest, first = chain(node)
        at = behind(first, self.text)
        if isinstance(node.op, ast.MatMult):
            raise ExpressionError(
                "a sort is said here", node.col_offset, "only variables of ForAll and Exists have one"
            )
        terms = self.terms([first, *(operand for _, operand in rest)], scope)
        match node.op:
            case ast.Add() | ast.Sub():
                minus = [False, *(isinstance(operator, ast.Sub) for operator, _ in rest)]
                return arithmetic.total(list(zip(minus, terms, strict=True)), at)
            case ast.Mult():
                return arithmetic.product(terms, at)
            case ast.Pow():
                return arithmetic.power(terms[0], terms[1], at)
            case ast.Div():
                return arithmetic.quotient(terms[0], terms[1], at)
            case ast.FloorDiv() | ast.Mod():
                return arithmetic.rounded_quotient(_SIGNS[type(node.op)], terms[0], terms[1], at)
        return arithmetic.bitwise(_SIGNS[type(node.op)], terms, at)

    def _comparison(self, node: ast.Compare, scope: Scope) -> Typed:
        operators, at = [_SIGNS[type(op)] for op in node.ops], behind(node.left, self.text)
        if "in" in operators or "not in" in operators:
            return self._membership(node, operators, at, scope)
        given = self.terms([node.left, *node.comparators], scope)
        equalities = sum(operator in ("==", "!=") for operator in operators)
        if operators.count("!=") > 1:
            hint = "write Distinct(a, b, c), or And(a != b, b != c)"
            raise ExpressionError("`a != b != c` does not say whether a and c differ", at, hint)
        if 0 < equalities < len(operators):
            hint = "write And(a < b, b == c), or put parentheses around the comparisons that are compared"
            message = "a chain of equality and order, such as `a < b == c`, can be read in two ways"
            raise ExpressionError(message, at, hint)
        if not equalities:
            links = [arithmetic.ordered(o, *pair, at) for o, pair in zip(operators, pairwise(given), strict=True)]
            return conjunction(links, at)
        operands = join(given, at, f"the sides of `{operators[0]}`")
        if len(operators) > 1 and operands[0].sort is BOOL:
            hint = "write And(p == q, q == r), or (p == q) == r"
            raise ExpressionError("`p == q == r` with formulas can be read in two ways", at, hint)
        equal = [apply("=", pair, BOOL, at) for pair in pairwise(operands)]
        return conjunction(
            [link if o == "==" else negation(link, at) for link, o in zip(equal, operators, strict=True)], at
        )

    def _membership(self, node: ast.Compare, operators: list[str], at: int, scope: Scope) -> Typed:
        if len(operators) > 1:
            raise ExpressionError("`in` stands in a chain of comparisons", at, "join comparisons by `and`")
        element = self.term(node.left, scope)
        others = self.elements(node.comparators[0], scope)
        pairs = [join((element, other), at, "what is compared by `in`") for other in others]
        found = conjunction([apply("=", pair, BOOL, at) for pair in pairs], at, "or")
        return found if operators[0] == "in" else negation(found, at)

    def _conditional(self, node: ast.IfExp, scope: Scope) -> Typed:
        condition, then, otherwise = self.terms((node.test, node.body, node.orelse), scope)
        at = behind(node.body, self.text)
        if self._equality_of_formulas(node.body, then) or self._equality_of_formulas(node.orelse, otherwise):
            message = "`p == q if c else r` with formulas p, q, r can be read in two ways"
            raise ExpressionError(message, at, "put parentheses around the comparison, or write If(c, p, q)")
        return choose(condition, then, otherwise, at)

    def _constant(self, node: ast.Constant, scope: Scope) -> Typed:
        value: Any = node.value
        if isinstance(value, bool):
            return truth(value, node.col_offset)
        if isinstance(value, str):
            return string(value, node.col_offset)
        return number(value, INT if isinstance(value, int) else REAL, node.col_offset)

    # ------------------------------------------------------------------------ lists and comprehensions

    def elements(self, source: ast.expr, scope: Scope) -> Sequence[Typed]:
        """The typed elements of a list, of an enumeration or of a range."""
        at = source.col_offset
        given = listed(source)
        elements: Sequence[Typed]
        if given is not None:
            elements = self.terms(given, scope)
        elif isinstance(source, _COMPREHENSIONS):
            elements = [element for _, element in self.expanded(source, scope, conditions=False)]
        elif isinstance(source, ast.Name) and source.id in self.sorts.sorts and source.id not in scope:
            symbols = self.symbols.values.get(self.sorts.sorts[source.id])
            if symbols is None:
                hint = f"write ForAll([x: {source.id}], ...) or Exists([x: {source.id}], ...)"
                raise ExpressionError(f"the values of `{source.id}` are not listed", at, hint)
            elements = [leaf(symbol.result, symbol.smt, at) for symbol in symbols]
        elif isinstance(source, ast.Call) and function(source) == "range":
            elements = self._range(source, scope)
        else:
            hint = "write [a, b, c], an enumeration, or range(1, 4)"
            raise ExpressionError("a list was expected here", at, hint)
        if not elements:
            raise ExpressionError("this list is empty", at, "name at least one element")
        return elements

    def _range(self, source: ast.Call, scope: Scope) -> list[Typed]:
        at = source.col_offset
        values = [limit.number for limit in self.terms(source.args, scope)]
        whole = [value for value in values if isinstance(value, int)]
        if not 1 <= len(values) <= 2 or len(whole) < len(values):
            raise ExpressionError("`range` takes one or two whole numbers", at, "write range(1, 4) for 1, 2, 3")
        first, last = (0, *whole)[-2:]
        if last - first > MAX_ELEMENTS:
            raise ExpressionError(f"more than {MAX_ELEMENTS:,} elements", at, "write ForAll([x: Int], ...)")
        return [number(value, INT, at) for value in range(first, last)]

    def expanded(
        self, node: _Comprehension, scope: Scope, conditions: bool = True
    ) -> list[tuple[tuple[Typed, ...], Typed]]:
        """The elements of a comprehension written out, each with its conditions."""
        at = behind(node.elt, self.text)
        rows: list[tuple[Scope, tuple[Typed, ...]]] = [(scope, ())]
        for clause in node.generators:
            if not isinstance(clause.target, ast.Name):
                raise ExpressionError("a variable was expected here", clause.target.col_offset, "write for x in [a, b]")
            name = clause.target.id
            self.check_variable(name, at)
            if clause.ifs and not conditions:
                hint = "it may stand in all(...), any(...), And, Or and Sum"
                raise ExpressionError("`if` has no meaning in this list", at, hint)
            longer: list[tuple[Scope, tuple[Typed, ...]]] = []
            for inner, known in rows:
                for element in self.elements(clause.iter, inner):
                    bound = {**inner, name: element}
                    what = "the condition of a comprehension"
                    further = [fit(condition, BOOL, what) for condition in self.terms(clause.ifs, bound)]
                    longer.append((bound, (*known, *further)))
                    if len(longer) > MAX_ELEMENTS:
                        raise ExpressionError(f"more than {MAX_ELEMENTS:,} elements", at)
            rows = longer
        return [(known, self.term(node.elt, inner)) for inner, known in rows]

    def _listed(self, node: ast.expr, scope: Scope) -> NoReturn:
        hint = "lists stand behind `in` and in And, Or, Sum, Distinct, ForAll and the like"
        if isinstance(node, ast.Starred):
            hint = "write And(p, q), or And([p, q])"
        raise ExpressionError("a list is no term", node.col_offset, hint)

    # ------------------------------------------------------------------------------------- quantifiers

    def check_variable(self, name: str, at: int) -> None:
        """Refuse names that a variable cannot have, and warn of those that hide something."""
        symbol = self.symbols.table.get(name)
        if name in RESERVED_NAMES:
            raise ExpressionError(f"`{name}` cannot be a variable", at, f"for example `{name}_`")
        if symbol is not None and (symbol.params or symbol.kind not in ("constant", "variable")):
            raise ExpressionError(f"the variable `{name}` has the name of a {symbol.kind}", at, "rename the variable")
        if symbol is not None and symbol.kind == "constant":
            self.warnings[f"the bound variable `{name}` hides the constant of that name"] = None

    def bind(
        self, variables: Sequence[tuple[str, Sort, int]], scope: Scope
    ) -> tuple[tuple[tuple[str, Sort], ...], Scope]:
        """The variables of a quantifier under names of their own, and the scope inside it."""
        bound: dict[str, Typed] = {}
        named: list[tuple[str, Sort]] = []
        for name, sort, at in variables:
            self.check_variable(name, at)
            if name in bound:
                raise ExpressionError(f"the variable `{name}` is bound twice here", at, "rename one of them")
            known = self.symbols.table.get(name)
            unique = name
            if name in scope or name in self.loose or (known is not None and known.kind == "constant"):
                self.renamed += 1  # so that no element of a comprehension is captured
                unique = f"{name}-{self.renamed}"
            named.append((unique, sort))
            bound[name] = leaf(sort, smt_name(unique), at)
        return tuple(named), {**scope, **bound}

    def _quantified(self, node: ast.Call, scope: Scope) -> Typed:
        name, at = function(node), node.col_offset
        if len(node.args) != 2:
            raise ExpressionError(f"`{name}` takes variables and a formula", at, f"write {name}([x, y], formula)")
        written, body = node.args
        items = listed(written)
        items = (written,) if items is None else items
        if not items:
            raise ExpressionError("no variable is bound here", written.col_offset, f"write {name}([x], formula)")
        bound, inner = self.bind([self._variable(item, scope) for item in items], scope)
        return quantify(name.lower(), bound, fit(self.term(body, inner), BOOL, f"the body of `{name}`"), at)

    def _variable(self, item: ast.expr, scope: Scope) -> tuple[str, Sort, int]:
        at = item.col_offset
        if isinstance(item, ast.BinOp) and isinstance(item.op, ast.MatMult) and isinstance(item.left, ast.Name):
            return item.left.id, self.sorts.sort_of(item.right), at
        if not isinstance(item, ast.Name):
            raise ExpressionError("a variable was expected here", at, "write ForAll([x], formula)")
        name = item.id
        if name in scope:
            return name, scope[name].sort, at
        symbol = self.symbols.table.get(name)
        if symbol is None:
            sort = next(iter(self.sorts.declared), INT)
            hint = f"declare it in variables, or write its sort: [{name}: {show(sort)}]"
            raise ExpressionError(f"the variable `{name}` is not declared", at, hint)
        return name, symbol.result, at

    def _constant_array(self, node: ast.Call, scope: Scope) -> Typed:
        if len(node.args) != 2:
            raise ExpressionError(f"`K` got {len(node.args)} arguments", node.col_offset, "write K(Int, value)")
        element = self.term(node.args[1], scope)
        sort = array(self.sorts.sort_of(node.args[0]), element.sort)
        return apply(f"(as const {smt_sort(sort)})", (element,), sort, node.col_offset)


def _wrong_number(symbol: Symbol, given: int, at: int) -> NoReturn:
    takes = f"{len(symbol.params)} argument{'s' if len(symbol.params) != 1 else ''}"
    shown = f" ({', '.join(map(show, symbol.params))})" if symbol.params else ""
    hint = f"write `{symbol.name}`" if not symbol.params else ""
    raise ExpressionError(f"the {symbol.kind} `{symbol.name}` takes {takes}{shown}, got {given}", at, hint)


def _applied(symbol: Symbol, args: Sequence[Typed], at: int) -> Typed:
    """A symbol applied to arguments of the right number."""
    if not args:
        return leaf(symbol.result, symbol.smt, at)
    places = enumerate(zip(args, symbol.params, strict=True), 1)
    fitted = [fit(arg, sort, f"argument {i} of `{symbol.name}`") for i, (arg, sort) in places]
    return apply(symbol.smt, tuple(fitted), symbol.result, at, speaks=True)


_Rule: TypeAlias = Callable[[Typer, Any, Scope], Typed]

_SPECIAL: dict[str, _Rule] = {
    "ForAll": Typer._quantified,
    "Exists": Typer._quantified,
    "K": Typer._constant_array,
}
_RULES: dict[type[ast.expr], _Rule] = {
    ast.Constant: Typer._constant,
    ast.Name: Typer._name,
    ast.Call: Typer._call,
    ast.Attribute: Typer._field,
    ast.Subscript: Typer._index,
    ast.UnaryOp: Typer._unary,
    ast.BoolOp: Typer._junction,
    ast.BinOp: Typer._arithmetic,
    ast.Compare: Typer._comparison,
    ast.IfExp: Typer._conditional,
}
