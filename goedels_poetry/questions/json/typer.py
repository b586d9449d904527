"""Trees as written to typed trees: what each name stands for, which sorts meet, what every operator means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort
from goedels_poetry.questions.json import syntax
from goedels_poetry.questions.json.contract import Scope
from goedels_poetry.questions.json.fitting import fit, join
from goedels_poetry.questions.json.forms import FORMS
from goedels_poetry.questions.json.names import smt_name
from goedels_poetry.questions.json.operators import ELSEWHERE, OPERATORS
from goedels_poetry.questions.json.rules import Rule, run
from goedels_poetry.questions.json.sorts import SortManager, show
from goedels_poetry.questions.json.symbols import RESERVED_NAMES, Symbol, Symbols
from goedels_poetry.questions.json.syntax import Expression, ExpressionError
from goedels_poetry.questions.json.typed import Typed, apply, leaf, number, quantify, string, truth

MAX_ELEMENTS = 5_000
MAX_TERMS = 100_000
"""In all expressions of a program, the elements of comprehensions written out."""

NOTHING: Scope = {}


@dataclass
class Typer:
    """Types expressions over the sorts and symbols of a program; ``loose`` are variables met outside quantifiers."""

    symbols: Symbols
    sorts: SortManager
    loose: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)
    renamed: int = 0
    terms_read: int = 0

    def formula(self, expression: Expression, scope: Scope = NOTHING) -> Typed:
        """The formula that an expression is.

        Raises:
            ExpressionError: it has no meaning, or it is no formula.
        """
        return fit(run(self.term(expression, scope)), BOOL, "a formula")

    def value(self, expression: Expression, scope: Scope = NOTHING) -> Typed:
        """The term that an expression is.

        Raises:
            ExpressionError: it has no meaning.
        """
        typed: Typed = run(self.term(expression, scope))
        return typed

    def term(self, expression: Expression, scope: Scope) -> Any:
        """A typed tree, or the rule that gives it."""
        self.terms_read += 1
        if self.terms_read > MAX_TERMS:
            raise ExpressionError(f"a program of more than {MAX_TERMS:,} terms", expression.at, "say less by lists")
        return _RULES[type(expression)](self, expression, scope)

    def terms(self, expressions: Sequence[Expression], scope: Scope) -> Rule:
        """The typed trees of several."""
        typed = []
        for expression in expressions:
            typed.append((yield self.term(expression, scope)))
        return tuple(typed)

    # ---------------------------------------------------------------------------------------- symbols

    def _name(self, expression: syntax.Name, scope: Scope) -> Typed:
        name, at = expression.name, expression.at
        bound = scope.get(name)
        if bound is not None:
            return bound
        symbol = self.symbols.table.get(name)
        if symbol is None:
            self._unknown(name, at, scope)
        if symbol.params:
            self._wrong_number(symbol, 0, at)
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

    def _call(self, expression: syntax.Call, scope: Scope) -> Rule:
        name, at = expression.function, expression.at
        operator = OPERATORS.get(name)
        if name in scope and operator is None:
            raise ExpressionError(f"`{name}` is a variable here, and no function", at)
        symbol = self.symbols.table.get(name)
        if symbol is not None and (symbol.params or operator is None):
            if len(expression.arguments) != len(symbol.params):
                self._wrong_number(symbol, len(expression.arguments), at)
            args = yield self.terms(expression.arguments, scope)
            return self.applied(symbol, args, at)
        if name in self.symbols.fields:
            args = yield self.terms(expression.arguments, scope)
            if len(args) != 1:
                raise ExpressionError(f"the field `{name}` takes 1 argument, got {len(args)}", at)
            return self.read_field(name, args[0], at)
        if operator is None:
            self._unknown(name, at, scope)
        return (yield operator.rule(self, expression, scope))

    def _wrong_number(self, symbol: Symbol, given: int, at: int) -> NoReturn:
        takes = f"{len(symbol.params)} argument{'s' if len(symbol.params) != 1 else ''}"
        shown = f" ({', '.join(map(show, symbol.params))})" if symbol.params else ""
        hint = f"write `{symbol.name}`" if not symbol.params else ""
        raise ExpressionError(f"the {symbol.kind} `{symbol.name}` takes {takes}{shown}, got {given}", at, hint)

    def applied(self, symbol: Symbol, args: Sequence[Typed], at: int) -> Typed:
        """A symbol applied to arguments of the right number."""
        if not args:
            return leaf(symbol.result, symbol.smt, at)
        fitted = [
            arg if arg.sort is sort else fit(arg, sort, f"argument {i} of `{symbol.name}`")
            for i, (arg, sort) in enumerate(zip(args, symbol.params, strict=True), 1)
        ]
        return apply(symbol.smt, tuple(fitted), symbol.result, at, speaks=True)

    def read_field(self, name: str, record: Typed, at: int) -> Typed:
        """The field ``name`` of a record."""
        symbol = self.symbols.fields.get(name, {}).get(record.sort)
        if symbol is None:
            known = [field for field, by_sort in self.symbols.fields.items() if record.sort in by_sort]
            hint = nearest(name, known) or (f"its fields are {', '.join(known)}" if known else "")
            raise ExpressionError(f"{show(record.sort)} has no field `{name}`", at, hint)
        return self.applied(symbol, (record,), at)

    def _field(self, expression: syntax.Field, scope: Scope) -> Rule:
        record = expression.record
        if isinstance(record, syntax.Name) and record.name not in scope and record.name not in self.symbols.table:
            values = self.symbols.values.get(self.sorts.sorts.get(record.name, BOOL), ())
            for symbol in values:
                if symbol.name == expression.name:
                    return leaf(symbol.result, symbol.smt, expression.at)
        typed = yield self.term(record, scope)
        return self.read_field(expression.name, typed, expression.at)

    def _index(self, expression: syntax.Index, scope: Scope) -> Rule:
        array, index = yield self.terms((expression.array, expression.index), scope)
        return self.select(array, index, expression.at)

    def select(self, array: Typed, index: Typed, at: int) -> Typed:
        """``array[index]``."""
        if array.sort.name != "Array" or len(array.sort.args) != 2:
            hint = "write SubString(s, i, 1)" if array.sort is STRING else "write function(argument)"
            raise ExpressionError(f"only arrays have an index, not {show(array.sort)}", at, hint)
        return apply("select", (array, fit(index, array.sort.args[0], "the index")), array.sort.args[1], at)

    def choose(self, condition: Typed, then: Typed, otherwise: Typed, at: int) -> Typed:
        """``then if condition else otherwise``."""
        condition = fit(condition, BOOL, "the condition")
        branches = join((then, otherwise), at, "the two branches")
        return apply("ite", (condition, *branches), branches[0].sort, at)

    # ------------------------------------------------------------------------ lists and comprehensions

    def elements(self, source: Expression, scope: Scope) -> Rule:
        """The typed elements of a list, of an enumeration or of a range."""
        if isinstance(source, syntax.Listing):
            elements = yield self.terms(source.items, scope)
        elif isinstance(source, syntax.Comprehension):
            elements = [element for _, element in (yield self.expanded(source, scope, conditions=False))]
        elif isinstance(source, syntax.Name) and source.name in self.sorts.sorts and source.name not in scope:
            symbols = self.symbols.values.get(self.sorts.sorts[source.name])
            if symbols is None:
                hint = f"write ForAll([x: {source.name}], ...) or Exists([x: {source.name}], ...)"
                raise ExpressionError(f"the values of `{source.name}` are not listed", source.at, hint)
            elements = [leaf(symbol.result, symbol.smt, source.at) for symbol in symbols]
        elif isinstance(source, syntax.Call) and source.function == "range":
            elements = yield self._range(source, scope)
        else:
            hint = "write [a, b, c], an enumeration, or range(1, 4)"
            raise ExpressionError("a list was expected here", source.at, hint)
        if not elements:
            raise ExpressionError("this list is empty", source.at, "name at least one element")
        return elements

    def _range(self, source: syntax.Call, scope: Scope) -> Rule:
        limits = yield self.terms(source.arguments, scope)
        values = [limit.number for limit in limits]
        if not 1 <= len(values) <= 2 or not all(isinstance(value, int) for value in values):
            raise ExpressionError("`range` takes one or two whole numbers", source.at, "write range(1, 4) for 1, 2, 3")
        first, last = (0, *values)[-2:]
        if last - first > MAX_ELEMENTS:
            raise ExpressionError(f"more than {MAX_ELEMENTS:,} elements", source.at, "write ForAll([x: Int], ...)")
        return [number(value, INT, source.at) for value in range(first, last)]

    def expanded(self, expression: syntax.Comprehension, scope: Scope, conditions: bool = True) -> Rule:
        """The elements of a comprehension written out, each with its conditions."""
        rows: list[tuple[Scope, tuple[Typed, ...]]] = [(scope, ())]
        for clause in expression.clauses:
            self.check_variable(clause.name, expression.at)
            if clause.conditions and not conditions:
                hint = "it may stand in all(...), any(...), And, Or and Sum"
                raise ExpressionError("`if` has no meaning in this list", expression.at, hint)
            longer: list[tuple[Scope, tuple[Typed, ...]]] = []
            for inner, known in rows:
                for element in (yield self.elements(clause.source, inner)):
                    bound = {**inner, clause.name: element}
                    further = yield self.terms(clause.conditions, bound)
                    what = "the condition of a comprehension"
                    longer.append((bound, known + tuple(fit(c, BOOL, what) for c in further)))
                    if len(longer) > MAX_ELEMENTS:
                        raise ExpressionError(f"more than {MAX_ELEMENTS:,} elements", expression.at)
            rows = longer
        result = []
        for inner, known in rows:
            result.append((known, (yield self.term(expression.element, inner))))
        return result

    def listed(self, expression: Expression, scope: Scope) -> NoReturn:
        """Refuse a list in the place of a term."""
        hint = "lists stand behind `in` and in And, Or, Sum, Distinct, ForAll and the like"
        raise ExpressionError("a list is no term", expression.at, hint)

    def _typing(self, expression: syntax.Typing, scope: Scope) -> NoReturn:
        raise ExpressionError("a sort is said here", expression.at, "only variables of ForAll and Exists have one")

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

    def quantified(self, head: str, call: syntax.Call, scope: Scope) -> Rule:
        """``ForAll([x, y: Int], body)``."""
        if len(call.arguments) != 2:
            hint = f"write {call.function}([x, y], formula)"
            raise ExpressionError(f"`{call.function}` takes variables and a formula", call.at, hint)
        written, body = call.arguments
        items = written.items if isinstance(written, syntax.Listing) else (written,)
        if not items:
            raise ExpressionError("no variable is bound here", written.at, f"write {call.function}([x], formula)")
        bound, inner = self.bind([self._variable(item, scope) for item in items], scope)
        typed = yield self.term(body, inner)
        return quantify(head, bound, fit(typed, BOOL, f"the body of `{call.function}`"), call.at)

    def _variable(self, item: Expression, scope: Scope) -> tuple[str, Sort, int]:
        if isinstance(item, syntax.Typing):
            return item.name, self.sorts.sort_of(item.sort), item.at
        if not isinstance(item, syntax.Name):
            raise ExpressionError("a variable was expected here", item.at, "write ForAll([x], formula)")
        name = item.name
        if name in scope:
            return name, scope[name].sort, item.at
        symbol = self.symbols.table.get(name)
        if symbol is None:
            sort = next(iter(self.sorts.declared), INT)
            hint = f"declare it in variables, or write its sort: [{name}: {show(sort)}]"
            raise ExpressionError(f"the variable `{name}` is not declared", item.at, hint)
        return name, symbol.result, item.at


def _literal(typer: Typer, expression: syntax.Number, scope: Scope) -> Typed:
    return number(expression.value, INT if isinstance(expression.value, int) else REAL, expression.at)


_RULES: dict[type, Callable[[Typer, Any, Scope], Any]] = {
    syntax.Number: _literal,
    syntax.String: lambda typer, expression, scope: string(expression.value, expression.at),
    syntax.Truth: lambda typer, expression, scope: truth(expression.value, expression.at),
    syntax.Name: Typer._name,
    syntax.Call: Typer._call,
    syntax.Field: Typer._field,
    syntax.Index: Typer._index,
    syntax.Listing: Typer.listed,
    syntax.Comprehension: Typer.listed,
    syntax.Typing: Typer._typing,
    **FORMS,
}
