"""Interpretation: what functions on datatypes come to in integer arithmetic, and goals proved there.

Each datatype has a function to the integers (see `auxiliary`). For a function ``f`` a law ``size (f x y) = e (size x)
(size y)`` with ``e`` an arithmetic expression is found by values, proved by induction and kept as a lemma. An equation
of a datatype whose values the function tells apart is then proved as an equation of integers.

The guard of a measured function says that its measure falls at its calls (see `kernel.termination`); it is proved with
what its functions come to in integers, and then its equations hold as lemmas. Guards are what domain predicates are in
Krauss, "Partial Recursive Functions in Higher-Order Logic", 2006: an equation is used where the guard was proved.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.inductions import MeasureInduction, StructuralInduction
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import random_value, small_values
from goedels_poetry.kernel.schemas import ConstructorSplit, Scheme
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    TRUE,
    Kind,
    Sort,
    Term,
    app,
    eq,
    integer,
    is_app,
    not_,
    substitute,
    subterms,
    symbols,
    var,
)
from goedels_poetry.smt.auxiliary.standard import SIZE, VALUE
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE, DIRECT, GROUND
from goedels_poetry.smt.induction.descent import descents
from goedels_poetry.smt.induction.integers import integer_plans
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.saturate import ground_proof
from goedels_poetry.smt.induction.structural import by_cases, general_variables, induction_variables
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.statements import ordered_variables

Row: TypeAlias = tuple[int, ...]
"""The integers of the arguments."""

_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {"<=": operator.le, "<": operator.lt, "=": operator.eq}


def comparison(table: list[tuple[Row, Any]], arguments: list[Term]) -> Term | None:
    """A comparison of the arguments (or a test of one) that decides as the table does."""
    if len({result for _, result in table}) == 1:
        return None
    zero = integer(0)
    for (i, a), (j, b) in itertools.permutations(enumerate(arguments), 2):
        for symbol, holds in _COMPARISONS.items():
            if all(holds(row[i], row[j]) == result for row, result in table):
                return app(symbol, (a, b), BOOL)
    for i, a in enumerate(arguments):
        for rest in (0, 1):
            if all((row[i] % 2 == rest) == result for row, result in table):
                return eq(app("mod", (a, integer(2)), INT), integer(rest))
        if all((row[i] == 0) == result for row, result in table):
            return eq(a, zero)
        if all((row[i] > 0) == result for row, result in table):
            return app(">", (a, zero), BOOL)
    return None


def expression(table: list[tuple[Row, Any]], arguments: list[Term]) -> Term | None:
    """An arithmetic expression in the arguments that gives what the table gives: simple ones first."""
    polynomial = _polynomial(table, len(arguments))
    if polynomial is not None:
        return _sum_of(polynomial, arguments)
    zero = integer(0)
    for (i, a), (j, b) in itertools.permutations(enumerate(arguments), 2):
        if all(max(row[i] - row[j], 0) == result for row, result in table):
            return app("ite", (app("<=", (a, b), BOOL), zero, app("-", (a, b), INT)), INT)
        if i < j:
            for pick, symbol in ((min, "<="), (max, ">=")):
                if all(pick(row[i], row[j]) == result for row, result in table):
                    return app("ite", (app(symbol, (a, b), BOOL), a, b), INT)
    for i, a in enumerate(arguments):
        if all(max(row[i] - 1, 0) == result for row, result in table):
            return app("ite", (app("<=", (a, zero), BOOL), zero, app("-", (a, integer(1)), INT)), INT)
        for divisor, factor, more in itertools.product((2, 3), (1, 2), (0, 1, 2)):
            if all(row[i] >= 0 and (factor * row[i] + more) // divisor == result for row, result in table):
                return app("div", (_sum_of({(0,): factor, (): more}, [a]), integer(divisor)), INT)
    return None


def _polynomial(table: list[tuple[Row, Any]], width: int) -> dict[tuple[int, ...], int] | None:
    """Integer coefficients of a polynomial, of degree 1 in each argument, through all rows; None when there is none.

    Solved exactly by elimination; where rows leave a coefficient open it is 0, and more rows than coefficients are
    asked for.
    """
    for degree in range(min(width, 3) + 1):
        monomials = [m for d in range(degree + 1) for m in itertools.combinations(range(width), d)]
        if len(table) < len(monomials) + 2:
            return None
        coefficients = _solve(
            [[_product(row, m) for m in monomials] for row, _ in table], [result for _, result in table]
        )
        if coefficients is not None and all(c.denominator == 1 for c in coefficients):
            return {m: int(c) for m, c in zip(monomials, coefficients, strict=True) if c}
    return None


def _product(row: Row, monomial: tuple[int, ...]) -> int:
    value = 1
    for i in monomial:
        value *= row[i]
    return value


def _solve(matrix: list[list[int]], right: list[Any]) -> list[Fraction] | None:
    """One solution of a linear system, by Gaussian elimination over the rationals, or None."""
    rows = [[Fraction(x) for x in (*row, r)] for row, r in zip(matrix, right, strict=True)]
    width = len(matrix[0])
    pivots: list[int] = []
    for column in range(width):
        pivot = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        place = len(pivots)
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [x / rows[place][column] for x in rows[place]]
        for i, row in enumerate(rows):
            if i != place and row[column]:
                rows[i] = [x - row[column] * y for x, y in zip(row, rows[place], strict=True)]
        pivots.append(column)
    if any(row[width] for row in rows[len(pivots) :]):
        return None
    solution = [Fraction(0)] * width
    for place, column in enumerate(pivots):
        solution[column] = rows[place][width]
    return solution


def _sum_of(polynomial: dict[tuple[int, ...], int], arguments: list[Term]) -> Term:
    summands = []
    for monomial, coefficient in polynomial.items():
        if not coefficient:
            continue
        factors = [arguments[i] for i in monomial]
        if coefficient != 1 or not factors:
            factors.insert(0, integer(coefficient))
        summands.append(factors[0] if len(factors) == 1 else app("*", factors, INT))
    return integer(0) if not summands else summands[0] if len(summands) == 1 else app("+", summands, INT)


FRAMES = 60
MAX_ARGUMENTS = 4
SIZES = (0, 1, 2, 3, 4, 6, 8)

Establish = Callable[[Sequent, Callable[[ProverContext, Sequent], Plan | None]], bool]


@dataclass(frozen=True)
class Law:
    """A fact about ``function``; ``about`` says what it is: ``value``, ``bound``, ``apart``."""

    function: str
    about: str
    sequent: Sequent


class Interpretation:
    """The datatypes of one problem as integers."""

    def __init__(self, context: ProverContext) -> None:
        self._context = context
        self._functions: dict[Sort, str] = {}
        for datatype in context.signature.datatypes:
            for kind in (VALUE, SIZE):
                definition = context.signature.definition(kind + datatype.sort.name)
                if definition is not None and definition.sort is INT and len(definition.params) == 1:
                    self._functions.setdefault(datatype.sort, definition.name)

    def integer_of(self, term: Term) -> Term | None:
        """What ``term`` comes to, or None when its sort has no interpretation."""
        if term.sort is INT:
            return term
        name = self._functions.get(term.sort)
        return app(name, (term,), INT) if name is not None else None

    def sorts(self) -> list[Sort]:
        """The datatypes with an interpretation."""
        return list(self._functions)

    def separates(self, sort: Sort) -> bool:
        """Whether small values of ``sort`` come to different integers."""
        name = self._functions.get(sort)
        if name is None:
            return False
        values = small_values(self._context.signature, sort, 30)
        try:
            numbers = {self._context.evaluator.call(name, (v,)) for v in values}
        except Undecided:
            return False
        return len(numbers) == len(values)

    def bounds(self) -> Iterator[Law]:
        """The least integer that each datatype comes to, where there is one."""
        for sort, name in self._functions.items():
            values = small_values(self._context.signature, sort, 30)
            try:
                least = min(self._context.evaluator.call(name, (v,)) for v in values)
            except Undecided:
                continue
            x = var("x", sort)
            if least in (0, 1):
                bound = app(">=", (app(name, (x,), INT), integer(least)), BOOL)
                yield Law(name, "bound", make_sequent((x,), (), bound))

    def apart(self, sort: Sort) -> Law:
        """That different values of ``sort`` come to different integers."""
        x, y = var("x", sort), var("y", sort)
        name = self._functions[sort]
        same = eq(app(name, (x,), INT), app(name, (y,), INT))
        return Law(name, "apart", make_sequent((x, y), (same,), eq(x, y)))

    # ------------------------------------------------------------------------------------------- laws

    def laws(self, formula: Term) -> list[Law]:
        """What the functions that ``formula`` reaches come to, those that the others rest on first.

        A function that is called with a constant is looked at with this constant, if it has no law for all arguments.
        """
        laws: list[Law] = []
        names = list(reversed(self._context.shape.reachable_functions(formula)))
        for name in sorted(names, key=self._late):
            definition = self._context.signature.definition(name)
            if definition is None or definition.name in self._functions.values():
                continue
            calls = [app(name, definition.params, definition.sort), *self._at_constants(definition, formula)]
            law = next(filter(None, map(self._law, calls)), None)
            laws += [law] if law is not None else []
        return laws

    def _late(self, name: str) -> tuple[int, bool]:
        """Functions that need a guard come after the others, those that need it least first."""
        definition = self._context.signature.definition(name)
        measured = definition is not None and name in self._context.problem.measures
        return (definition.group + 1 if definition is not None and measured else 0), self._context.domain(
            name
        ) is not None

    def _at_constants(self, definition: Definition, formula: Term) -> list[Term]:
        """Calls of a function with constants for some arguments, as they occur, and its parameters for the others."""
        bodies = [d.body for n in symbols(formula) if (d := self._context.signature.definition(n)) is not None]
        calls: dict[Term, None] = {}
        for part in (formula, *bodies):
            for call in subterms(part):
                if call.kind is Kind.APP and call.name == definition.name and any(not a.free for a in call.args):
                    args = [p if a.free else a for a, p in zip(call.args, definition.params, strict=True)]
                    calls[app(call.name, args, call.sort)] = None
        return [call for call in calls if call.free]

    def _law(self, call: Term) -> Law | None:
        """What ``call`` comes to for all values of its variables, or for integers from 0 on."""
        variables = tuple(dict.fromkeys(a for a in call.args if a.kind is Kind.VAR))
        if not 1 <= len(variables) <= MAX_ARGUMENTS or not (call.sort is BOOL or self.integer_of(call) is not None):
            return None
        arguments = {v: a for v in variables if (a := self.integer_of(v)) is not None}
        for floor in (None, 0):
            limited = [v for v in variables if v.sort is INT and floor is not None]
            if floor is not None and not limited:
                break
            table = self._table(call, variables, tuple(arguments), limited)
            find = comparison if call.sort is BOOL else expression
            right = find(table, list(arguments.values())) if table else None
            if right is not None:
                left = call if call.sort is BOOL else self.integer_of(call)
                assert left is not None
                hyps = [app(">=", (v, integer(0)), BOOL) for v in limited]
                return Law(call.name, "value", make_sequent(variables, hyps, eq(left, right)))
        return None

    def _table(
        self, call: Term, variables: tuple[Term, ...], counted: tuple[Term, ...], limited: list[Term]
    ) -> list[tuple[Row, Any]]:
        """Integers of the ``counted`` variables and of the result, for values drawn from the seed; none when the result
        is no function of them."""
        context = self._context
        source = random.Random(context.seed + 23)
        code = context.evaluator.compile(call, variables)
        rows: dict[Row, Any] = {}
        for number in range(FRAMES):
            size = SIZES[number % len(SIZES)]
            drawn = {v: random_value(context.signature, v.sort, source.choice((size, 2, 1)), source) for v in variables}
            if any(drawn[v] < 0 for v in limited):
                drawn |= {v: -drawn[v] for v in limited if drawn[v] < 0}
            try:
                result = self._number(call.sort, context.evaluator.run(code, list(drawn.values())))
                row = tuple(self._number(v.sort, drawn[v]) for v in counted)
            except Undecided:
                if any(v.sort is INT and drawn[v] < 0 for v in variables):
                    return []  # without end, perhaps
                continue  # too large, most likely
            if rows.setdefault(row, result) != result:
                return []
        return list(rows.items())

    def _number(self, sort: Sort, value: Any) -> Any:
        return value if sort in (INT, BOOL) else self._context.evaluator.call(self._functions[sort], (value,))


# ------------------------------------------------------------------------------------------------ goals


def integer_goal(interpretation: Interpretation, sequent: Sequent) -> Sequent | None:
    """The goal with an equation of a datatype as one of integers; None for other goals."""
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or concl.args[0].sort is INT:
        return None
    left, right = map(interpretation.integer_of, concl.args)
    return make_sequent(sequent.vars, sequent.hyps, eq(left, right)) if left and right else None


def interpreted(
    context: ProverContext, establish: Establish, sequent: Sequent, known: Iterable[Sequent] = ()
) -> Iterator[Plan]:
    """The goal by arithmetic: the laws of its functions, and different values come to different integers.

    ``establish`` keeps a fact as a lemma if it can be proved in the way given, and says whether it was.
    """
    interpretation = Interpretation(context)
    sort = sequent.concl.args[0].sort if is_app(sequent.concl, "=") else BOOL
    apart = interpretation.separates(sort)
    supposed = any(is_app(h, "=") and interpretation.integer_of(h.args[0]) is not None for h in sequent.hyps)
    if sort in interpretation.sorts() and not apart and not supposed:
        return
    if symbols(sequent.formula).isdisjoint(law.function for law in interpretation.laws(sequent.formula)):
        return
    facts = established_laws(context, interpretation, establish, sequent.formula, known)
    wanted = integer_goal(interpretation, sequent) if apart else sequent
    query = ground_proof(context, wanted, facts) if wanted is not None else None
    if not apart:
        plan = (
            leaf(sequent, query) if query is not None else by_induction(context, sequent, facts) if supposed else None
        )
        if plan is not None:
            yield replace(plan, strategy="interpretation", detail=plan.detail)
        return
    if wanted is None or query is None:
        return
    separating = [interpretation.apart(s) for s in interpretation.sorts() if interpretation.separates(s)]
    if all(establish(law.sequent, lambda context, fact: by_induction(context, fact, facts)) for law in separating):
        plan = _by_values(context, sequent, leaf(wanted, query), interpretation.apart(sort))
        if plan is not None:
            yield plan


def established_laws(
    context: ProverContext,
    interpretation: Interpretation,
    establish: Establish,
    formula: Term,
    known: Iterable[Sequent] = (),
) -> list[Sequent]:
    """Bounds, the laws of the functions that ``formula`` reaches, and the facts that are ``known`` already."""
    facts = list(known)

    def prove(context: ProverContext, fact: Sequent) -> Plan | None:
        return by_induction(context, fact, facts)

    for law in (*interpretation.bounds(), *interpretation.laws(formula)):
        if establish(law.sequent, prove):
            facts.append(law.sequent)
        elif (domain := context.domain(law.function)) is not None:
            params = dict(zip(_parameters(context, law.function), law.sequent.vars, strict=False))
            limits = [substitute(limit, params) for limit in domain]
            limited = make_sequent(law.sequent.vars, (*law.sequent.hyps, *limits), law.sequent.concl)
            if establish(limited, prove):
                facts.append(limited)
    return facts


def _parameters(context: ProverContext, function: str) -> tuple[Term, ...]:
    definition = context.signature.definition(function)
    return definition.params if definition is not None else ()


def by_induction(context: ProverContext, fact: Sequent, facts: list[Sequent]) -> Plan | None:
    """A fact by one query or one induction, each case by quantifiers or without them, split further where needed."""
    query = _closing(context, fact, facts)
    if query is not None:
        return leaf(fact, query)
    variables = induction_variables(context, fact)
    schemes: list[Scheme] = [StructuralInduction(v.name, general_variables(fact, v)) for v in variables]
    for scheme in (*descents(context, fact), *schemes, *recursion_schemes(context, fact)):
        splits = SPLITS + isinstance(scheme, MeasureInduction)
        plan = _cases(context, fact, scheme, facts, splits, "induction")
        if plan is not None:
            return plan
    if any(v.sort is INT for v in fact.vars):
        return next((plan for plan in integer_plans(context, fact, CANDIDATE) if plan.complete), None)
    return None


SPLITS = 2


def _cases(
    context: ProverContext, fact: Sequent, scheme: Scheme, facts: list[Sequent], splits: int, name: str, on: str = ""
) -> Plan | None:
    def closed(case: Sequent) -> Plan | None:
        query = _closing(context, case, facts)
        if query is not None:
            return leaf(case, query)
        variables = induction_variables(context, case) if splits else ()
        inner = ((v.name, _split(case, v, scheme)) for v in variables)
        tries = (_cases(context, case, s, facts, splits - 1, "case-split", v) for v, s in inner)
        return next((plan for plan in tries if plan is not None), None)

    return by_cases(context, fact, scheme, closed, name, on)


def _split(case: Sequent, on: Term, outer: Scheme) -> Scheme:
    """Cases by constructors; with hypotheses of their own unless there is one for all smaller values."""
    if isinstance(outer, MeasureInduction | ConstructorSplit):
        return ConstructorSplit(on.name)
    return StructuralInduction(on.name, general_variables(case, on))


def _closing(context: ProverContext, goal: Sequent, facts: list[Sequent]) -> Query | None:
    query = Query(cites=tuple(context.lemmas))
    if context.holds(goal, query, CANDIDATE, known=True):
        return query
    return ground_proof(context, goal, facts)


def _by_values(context: ProverContext, sequent: Sequent, integers: Plan, apart: Law) -> Plan | None:
    """The goal from the integers of its sides, which tell its values apart."""
    left, right = sequent.concl.args
    key, same = key_of(apart.sequent), key_of(integers.sequent)
    query = Query(
        (key, same),
        (Instance("step", key, (left, right)), Instance("step", same, integers.sequent.vars)),
        equations=False,
        quantified=False,
    )
    known = {key: apart.sequent, same: integers.sequent}
    if not context.holds(sequent, query, GROUND, extra=known):
        return None
    return Plan(sequent, query, (integers,), "interpretation")


def open_guards(context: ProverContext, establish: Establish) -> list[Sequent]:
    """Prove the guards of the measured functions, and their equations as lemmas; what was proved of them."""
    proved: list[Sequent] = []
    patterned_first = {e.function for e in context.equations if _is_patterned(e)}
    for name in sorted(context.problem.measures, key=lambda name: (_group(context, name), name in patterned_first)):
        definition = context.signature.definition(name)
        patterned = [e for e in context.equations if e.function == name and _is_patterned(e)]
        for equation in patterned:
            proved += _opened(context, establish, equation, proved)
        if definition is not None and not patterned:
            proved += _everywhere(context, establish, definition, proved)
    return proved


def _group(context: ProverContext, name: str) -> int:
    definition = context.signature.definition(name)
    return definition.group if definition is not None else -1


def _is_patterned(equation: Equation) -> bool:
    return any(a.kind is not Kind.VAR for a in equation.lhs.args)


def _opened(context: ProverContext, establish: Establish, equation: Equation, known: list[Sequent]) -> list[Sequent]:
    """The guard of one equation, and the equation without it."""
    definition = context.signature.definition(equation.function)
    assert definition is not None
    here = dict(zip(definition.params, equation.lhs.args, strict=True))
    guard = simplify(substitute(context.guards[definition.name], here), context.signature)
    variables = ordered_variables(app("=", (equation.lhs, equation.rhs), BOOL))
    proved = []
    if guard is not TRUE:
        fact = make_sequent(variables, (), guard)
        if not _prove(context, establish, fact, known):
            return []
        context.want_at(fact, equation.lhs)
        proved.append(fact)
    whole = make_sequent(variables, (), app("=", (equation.lhs, equation.rhs), BOOL))
    return [*proved, whole] if establish(whole, _at_once) else proved


def _everywhere(
    context: ProverContext, establish: Establish, definition: Definition, known: list[Sequent]
) -> list[Sequent]:
    """The guard of a function: for all arguments, or where integers are not negative, or divisors not zero."""
    guard = simplify(context.guards[definition.name], context.signature)
    for conditions in _domains(context, definition, guard):
        fact = make_sequent(definition.params, conditions, guard)
        if context.refutes(fact) is None and _prove(context, establish, fact, known):
            context.restrict(definition.name, conditions)
            context.want_at(fact, app(definition.name, definition.params, definition.sort))
            return [fact]
    return []


def _domains(context: ProverContext, definition: Definition, guard: Term) -> Iterator[tuple[Term, ...]]:
    yield ()
    for parameter in definition.params:
        if parameter.sort is INT:
            yield (app(">=", (parameter, integer(0)), BOOL),)
        datatype = context.signature.datatype(parameter.sort)
        for constructor in datatype.constructors if datatype is not None else ():
            if not constructor.fields and parameter in guard.free:
                yield (not_(eq(parameter, app(constructor.name, (), parameter.sort))),)
        size = Interpretation(context).integer_of(parameter)
        if datatype is not None and size is not None:
            yield from ((app(">=", (size, integer(least)), BOOL),) for least in (2, 3))


def _prove(context: ProverContext, establish: Establish, guard: Sequent, known: list[Sequent]) -> bool:
    facts = established_laws(context, Interpretation(context), establish, guard.formula, known)
    return establish(guard, lambda context, fact: by_induction(context, fact, facts))


def _at_once(context: ProverContext, fact: Sequent) -> Plan | None:
    query = Query(cites=tuple(context.lemmas))
    return leaf(fact, query) if context.holds(fact, query, DIRECT, known=True) else None
