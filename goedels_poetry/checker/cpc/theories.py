"""Rules about integers and reals (linear combinations, polynomials) and datatypes; what terms of any theory denote."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import floor, prod
from typing import TypeAlias

from goedels_poetry.checker.cpc.reader import Value, a_term
from goedels_poetry.checker.cpc.rewrites import by_pattern, equation, only
from goedels_poetry.checker.cpc.terms import (
    BOOL,
    INT,
    MAX_CODE,
    MAX_WIDTH,
    REAL,
    RELATIONS,
    STRING,
    Rejected,
    Term,
    Terms,
    sides,
)

NUMBERS = (INT, REAL)
MAX_MONOMIALS = 5_000
"""Of a polynomial; what has more is rejected."""

Polynomial = dict[tuple[int, ...], Fraction]
"""Coefficients that are not zero, by the sorted numbers of the terms that a monomial is the product of."""


def polynomial(terms: Terms, term: Term, done: dict[Term, Polynomial] | None = None) -> Polynomial:
    """A number, or bit-vector, as a polynomial over those of its parts that are no sums, products or literals."""
    done = {} if done is None else done
    if term in done:
        return done[term]
    op = {"bvadd": "+", "bvsub": "-", "bvneg": "-", "bvmul": "*"}.get(str(term.op), term.op)
    parts = [polynomial(terms, a, done) for a in term.args] if op in ("+", "-", "*", "to_real") else []
    found: Polynomial
    if term.op[0] in ("literal", "bits"):
        found = {(): Fraction(value)} if (value := str(term.op[1])) != "0" else {}
    elif op in ("+", "-"):
        signs = [1] * len(parts) if op == "+" else [-1] if len(parts) == 1 else [1, -1]
        found = _collected((m, sign * c) for sign, part in zip(signs, parts, strict=True) for m, c in part.items())
    elif op == "*":
        found = {(): Fraction(1)}
        for part in parts:
            found = _product(found, part)
    elif op == "to_real":
        found = parts[0]
    elif term.op in ("/", "/_total") and term.args[1].value:
        found = _product(polynomial(terms, term.args[0], done), {(): 1 / Fraction(term.args[1].value)})
    else:
        found = {(term.number,): Fraction(1)}
    done[term] = found
    return found


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) * len(right) > 100 * MAX_MONOMIALS:
        raise Rejected("a polynomial with too many monomials")
    return _collected((tuple(sorted(m + n)), c * d) for m, c in left.items() for n, d in right.items())


def _collected(monomials: Iterable[tuple[tuple[int, ...], Fraction]]) -> Polynomial:
    found: Polynomial = {}
    for monomial, coefficient in monomials:
        found[monomial] = found.get(monomial, Fraction(0)) + coefficient
    if len(found) > MAX_MONOMIALS:
        raise Rejected("a polynomial with too many monomials")
    return {m: c for m, c in found.items() if c}


def _zero(terms: Terms, term: Term) -> Term:
    return terms.number(0, term.sort if term.sort == REAL else INT)


def arith_poly_norm(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= a b)``. Needs: ``a`` and ``b`` are numbers with the same polynomial."""
    wanted, left, right = equation(arguments, premises)
    if left.sort not in NUMBERS:
        raise Rejected("an equation of numbers was expected")
    if polynomial(terms, left) != polynomial(terms, right):
        raise Rejected("the two sides are different polynomials")
    return wanted


def arith_poly_norm_rel(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(= (* c (- a b)) (* d (- e f)))`` that ``(= (r a b) (r e f))``.

    Needs: ``c``, ``d`` are literals that are not zero; of the same sign unless ``r`` is ``=``. Differences of integers
    may stand in ``to_real``.
    """
    (premise,), (equation,) = premises, arguments
    wanted = a_term(equation)
    left, right = sides(wanted, "=")
    if left.op != right.op or left.op not in RELATIONS | {"="} or left.args[0].sort not in NUMBERS:
        raise Rejected("two comparisons of numbers by the same relation were expected")
    factors = []
    for product, relation in zip(sides(premise, "="), (left, right), strict=True):
        factor, difference = sides(product, "*")
        if difference.op == "to_real":
            difference = difference.args[0]
        if difference is not terms.app("-", *relation.args):
            raise Rejected("the premise is about other differences")
        if not factor.value:
            raise Rejected("a factor that is no literal, or zero")
        factors.append(factor.value)
    if left.op != "=" and (factors[0] > 0) != (factors[1] > 0):
        raise Rejected("factors of different signs")
    return wanted


def arith_sum_ub(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The sum of ``(r a b)``: strict if one of them is. Needs: each ``r`` is ``<``, ``<=`` or ``=``."""
    known = all(p.op in ("<", "<=", "=") and p.args[0].sort in NUMBERS for p in premises)
    if not premises or arguments or not known:
        raise Rejected("premises by <, <= or = were expected")
    relation = "<" if any(p.op == "<" for p in premises) else "<="
    return terms.app(relation, *[terms.app("+", *[p.args[side] for p in premises]) for side in (0, 1)])


def int_tight_ub(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(< s c)`` that ``(<= s c - 1)``. Needs: integers, ``c`` a literal."""
    return _tightened(terms, premises, "<", -1)


def int_tight_lb(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(> s c)`` that ``(>= s c + 1)``. Needs: integers, ``c`` a literal."""
    return _tightened(terms, premises, ">", 1)


def _tightened(terms: Terms, premises: Sequence[Term], relation: str, step: int) -> Term:
    (premise,) = premises
    term, bound = sides(premise, relation)
    if term.sort != INT or bound.value is None:
        raise Rejected("an integer beside a literal was expected")
    return terms.app(f"{relation}=", term, terms.number(bound.value + step, INT))


def arith_reduction(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """What defines ``div``, ``mod``, ``abs``, ``to_int``, ... at their arguments; a division by zero is any function.

    Needs: nothing; ``(@purify t)`` is ``t``, and ``@int_div_by_zero``, ... are what the function is at zero.
    """
    term, app = only(arguments), terms.app
    if term.op not in ("div_total", "mod_total"):
        return by_pattern("arith_reduction", terms, premises, arguments)
    a, b = term.args
    quotient = app("@purify", app("div_total", a, b))
    value = quotient if term.op == "div_total" else app("-", a, app("*", b, quotient))
    return app("and", app("=", term, value), _division(terms, a, b, quotient))


def _division(terms: Terms, a: Term, b: Term, quotient: Term) -> Term:
    app = terms.app
    low = app("<=", app("*", b, quotient), a)

    def below(step: int) -> Term:
        return app("and", low, app("<", a, app("*", b, app("+", quotient, terms.number(step, INT)))))

    if b.value is not None:
        if not b.value:
            raise Rejected("a division by the literal zero")
        return below(1 if b.value > 0 else -1)
    zero = terms.number(0, INT)
    return app("and", app("=>", app(">", b, zero), below(1)), app("=>", app("<", b, zero), below(-1)))


def arith_mult_sign(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From the signs of factors that of their product: ``(=> (and (> x 0) (not (= y 0)) ...) (r m 0))``.

    Needs: ``m`` is a product in which each factor stands as often as it stands in a run of its own, in order; of a
    factor that is merely not zero an even number of times.
    """
    signs, product = map(a_term, arguments)
    literals = signs.args if signs.op == "and" else (signs,)
    factors = list(product.args) if product.op == "*" else [product]
    positive = True
    for literal in literals:
        inner = literal.args[0] if literal.op == "not" else literal
        if len(inner.args) != 2 or inner.args[1] is not _zero(terms, inner.args[0]) or premises:
            raise Rejected("comparisons with zero were expected")
        count = 0
        while factors and factors[0] is inner.args[0]:
            factors.pop(0)
            count += 1
        kind = (literal.op, inner.op)
        if not count or (kind == ("not", "=") and count % 2) or kind not in (("not", "="), ("<", "<"), (">", ">")):
            raise Rejected("the sign of a factor is not known")
        positive ^= kind == ("<", "<") and count % 2 == 1
    if factors and not (len(factors) == 1 and factors[0].value == 1):
        raise Rejected("a factor whose sign is not given")
    return terms.app("=>", signs, terms.app(">" if positive else "<", product, _zero(terms, product)))


def arith_mult_abs_comparison(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(r (abs t) (abs s))``, ... that ``(r (abs (* t ...)) (abs (* s ...)))``, ``r`` one of ``>`` and ``=``.

    Needs: the first relation everywhere; where that is ``>`` an equation will do, if ``t`` is shown not to be zero.
    """
    relation, factors = "", []
    for premise in premises:
        known, nonzero = premise.args if premise.op == "and" and len(premise.args) == 2 else (premise, None)
        if known.op not in (">", "=") or any(side.op != "abs" for side in known.args) or arguments:
            raise Rejected("a comparison of absolute values was expected")
        left, right = (side.args[0] for side in known.args)
        relation = relation or str(known.op)
        if nonzero is not None and nonzero is not terms.app("not", terms.app("=", left, _zero(terms, left))):
            raise Rejected("that the left side is not zero was expected")
        if known.op != relation and not (relation == ">" and nonzero is not None):
            raise Rejected("relations that give none of their products")
        factors.append((left, right))
    if not factors or (relation == ">" and premises[0].op == "and"):
        raise Rejected("a comparison of absolute values was expected first")
    products = [terms.app("*", *side) if len(side) > 1 else side[0] for side in zip(*factors, strict=True)]
    return terms.app(relation, *[terms.app("abs", product) for product in products])


def _constructors(terms: Terms, term: Term) -> dict[str, tuple[str, ...]]:
    found = terms.signature.datatypes.get(term.sort)
    if found is None:
        raise Rejected("a term of a datatype was expected")
    return found


def dt_split(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """That a value is built by one of the constructors of its sort."""
    term = only(arguments, premises)
    cases = [terms.app(("is", name), term) for name in _constructors(terms, term)]
    return cases[0] if len(cases) == 1 else terms.app("or", *cases)


def dt_inst(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (is c x) (= x (c (s x) ...)))``. Needs: all selectors of ``c``, in order."""
    wanted, left, right = equation(arguments, premises)
    if left.op[0] != "is":
        raise Rejected("a tester was expected")
    (term,), name = left.args, str(left.op[1])
    built = terms.app(name, *[terms.app(s, term) for s in _constructors(terms, term)[name]])
    if right is not terms.app("=", term, built):
        raise Rejected("these are not the two forms")
    return wanted


def dt_collapse_selector(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (s (c a b)) a)``. Needs: ``s`` selects that field of the same constructor."""
    wanted, left, right = equation(arguments, premises)
    (term,) = left.args
    selectors = _constructors(terms, term).get(str(term.op), ())
    if left.op not in selectors or right is not term.args[selectors.index(str(left.op))]:
        raise Rejected("not the field of a constructor")
    return wanted


def dt_collapse_tester(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (is c (d a)) ...)``: true if ``c`` is ``d``, else false. Needs: ``d`` is a constructor."""
    wanted, left, right = equation(arguments, premises)
    if left.op[0] != "is" or not terms.signature.is_constructor(left.args[0].op):
        raise Rejected("a tester of a constructor was expected")
    if right is not (terms.true if left.op[1] == left.args[0].op else terms.false):
        raise Rejected("the tester says the opposite")
    return wanted


def dt_collapse_tester_singleton(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (is c x) true)``. Needs: the sort has no other constructor."""
    wanted, left, right = equation(arguments, premises)
    if left.op[0] != "is" or len(_constructors(terms, left.args[0])) != 1 or right is not terms.true:
        raise Rejected("a tester of an only constructor was expected")
    return wanted


def dt_cons_eq(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (= (c a b) (c d e)) (and (= a d) (= b e)))``."""
    wanted, left, right = equation(arguments, premises)
    one, other = sides(left)
    if one.op != other.op or not terms.signature.is_constructor(one.op):
        raise Rejected("an equation of terms with the same constructor was expected")
    parts = [terms.app("=", a, b) for a, b in zip(one.args, other.args, strict=True)]
    together = terms.app("and", *parts) if len(parts) > 1 else parts[0] if parts else terms.true
    if right is not together:
        raise Rejected("these are not the equations of the fields")
    return wanted


def dt_cons_eq_clash(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (= t s) false)``. Needs: constructors, or literals, of the two differ at the same place."""
    wanted, left, right = equation(arguments, premises)
    if right is not terms.false or not _differ(terms, *sides(left)):
        raise Rejected("the two may be equal")
    return wanted


def distinct_values(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(not (= t s))``. Needs: as `dt_cons_eq_clash`."""
    one, other = map(a_term, arguments)
    if premises or not _differ(terms, one, other):
        raise Rejected("the two may be equal")
    return terms.app("not", terms.app("=", one, other))


def _differ(terms: Terms, one: Term, other: Term) -> bool:
    if (one.is_literal and other.is_literal) or {one, other} == {terms.true, terms.false}:
        return one is not other
    if not (terms.signature.is_constructor(one.op) and terms.signature.is_constructor(other.op)):
        return False
    return one.op != other.op or any(_differ(terms, a, b) for a, b in zip(one.args, other.args, strict=True))


def dt_cycle(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (= x (c (d x))) false)``. Needs: one side is in the other under constructors, one at least."""
    wanted, left, right = equation(arguments, premises)

    def inside(part: Term, whole: Term) -> bool:
        return terms.signature.is_constructor(whole.op) and any(a is part or inside(part, a) for a in whole.args)

    one, other = sides(left)
    if right is not terms.false or not (inside(one, other) or inside(other, one)):
        raise Rejected("no term is inside of the other")
    return wanted


RULES = {
    rule.__name__: rule
    for rule in (
        arith_poly_norm, arith_poly_norm_rel, arith_sum_ub, int_tight_ub, int_tight_lb, arith_reduction,
        arith_mult_sign, arith_mult_abs_comparison, dt_split, distinct_values,
    )
} | {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        dt_inst, dt_collapse_selector, dt_collapse_tester, dt_collapse_tester_singleton, dt_cons_eq, dt_cons_eq_clash,
        dt_cycle,
    )
}  # fmt: skip


# What literals and functions of all theories denote: the evaluation of terms that have one value in every model

Denoted: TypeAlias = "Fraction | bool | int | str"
"""Of a number a fraction, of a bit-vector the whole number that it is without a sign, of a string its characters."""


def evaluate(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= t c)``, ``c`` the literal that ``t`` denotes. Needs: literals and functions that are given there."""
    term = only(arguments, premises)
    found = _value(term, {})
    if term.sort == BOOL:
        return terms.app("=", term, terms.true if found else terms.false)
    if isinstance(found, str):
        return terms.app("=", term, terms.string(found))
    numeral = terms.number(found, term.sort) if term.sort in (INT, REAL) else terms.bits(int(found), term.width)
    return terms.app("=", term, numeral)


def _value(term: Term, done: dict[Term, Denoted]) -> Denoted:
    """The value of a term without variables and declared functions; a division by zero has none."""
    if term in done:
        return done[term]
    if term.value is not None:
        return Fraction(term.value)
    if term.is_literal:
        return term.op[1]  # type: ignore[return-value]  # of a bit-vector or a string
    if term.op == "@bvsize":
        return Fraction(term.args[0].width)
    name = term.op if isinstance(term.op, str) else term.op[0]
    sorts = [a.sort for a in term.args if a.sort not in (BOOL, INT, REAL, STRING)]
    if term.binders or any(sort[:2] != ("_", "BitVec") for sort in sorts):
        raise Rejected("a term that cannot be evaluated")
    values = [_value(a, done) for a in term.args]
    found: Denoted
    if name in _OF_BITS:
        found = _OF_BITS[str(name)](term, *values)
        if term.sort != BOOL:
            found = int(found) % 2**term.width
    elif name not in _FUNCTIONS or (name in _DIVISIONS and not values[1]):
        raise Rejected("a term that cannot be evaluated")
    else:
        found = _FUNCTIONS[str(name)](*values)
    done[term] = found
    return found


def _quotient(a: Fraction, b: Fraction) -> Fraction:
    """Of integers, so that the remainder is not negative."""
    return Fraction(floor(a / abs(b)) if b > 0 else -floor(a / abs(b)))


def _power(exponent: Fraction) -> Fraction:
    if exponent > MAX_WIDTH:
        raise Rejected("a power that is too large")
    return Fraction(2 ** int(exponent) if exponent >= 0 else 0)


def _logarithm(a: Fraction) -> Fraction:
    if a <= 0:
        raise Rejected("a logarithm of no positive number")
    return Fraction(int(a).bit_length() - 1)


def _part(s: str, start: Fraction, length: Fraction) -> str:
    return s[int(start) : int(start + length)] if 0 <= start < len(s) and length > 0 else ""


_DIVISIONS = frozenset({"div", "mod", "/", "div_total", "mod_total", "/_total"})
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_FUNCTIONS: dict[str, Callable[..., Denoted]] = {
    **_ORDERS,
    "true": lambda: True,
    "false": lambda: False,
    "not": operator.not_,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "=>": lambda a, b: not a or b,
    "xor": operator.ne,
    "ite": lambda a, b, c: b if a else c,
    "=": operator.eq,
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": lambda a, *b: a - b[0] if b else -a,
    "*": lambda *parts: prod(parts, start=Fraction(1)),
    "abs": abs,
    "to_real": lambda a: a,
    "to_int": lambda a: Fraction(floor(a)),
    "is_int": lambda a: a.denominator == 1,
    **dict.fromkeys(("div", "div_total"), _quotient),
    **dict.fromkeys(("mod", "mod_total"), lambda a, b: a - b * _quotient(a, b)),
    **dict.fromkeys(("/", "/_total"), operator.truediv),
    "int.pow2": _power,
    "int.log2": _logarithm,
    "int.ispow2": lambda a: a > 0 and int(a).bit_count() == 1,
    "ubv_to_int": Fraction,
    "str.++": lambda *parts: "".join(parts),
    "str.len": lambda s: Fraction(len(s)),
    "str.at": lambda s, i: _part(s, i, Fraction(1)),
    "str.substr": _part,
    "str.contains": lambda s, t: t in s,
    "str.prefixof": lambda s, t: t.startswith(s),
    "str.suffixof": lambda s, t: t.endswith(s),
    "str.indexof": lambda s, t, i: Fraction(s.find(t, int(i)) if 0 <= i <= len(s) else -1),
    "str.replace": lambda s, t, u: s.replace(t, u, 1),
    "str.replace_all": lambda s, t, u: s.replace(t, u) if t else s,
    "str.to_code": lambda s: Fraction(ord(s) if len(s) == 1 else -1),
    "str.from_code": lambda i: chr(int(i)) if 0 <= i <= MAX_CODE else "",
    "str.to_int": lambda s: Fraction(int(s) if s and set(s) <= set("0123456789") else -1),
    "str.from_int": lambda i: str(int(i)) if i >= 0 else "",
    "str.<=": operator.le,
}
"""At values; each takes as many as its terms have, see `terms`."""


def _signed(value: int, width: int) -> int:
    return value - 2**width if value >> (width - 1) else value


def _joined(term: Term, *values: int) -> int:
    return functools.reduce(
        lambda found, part: found << part[0].width | part[1], zip(term.args, values, strict=True), 0
    )


_OF_BITS: dict[str, Callable[..., int | bool]] = {
    "bvnot": lambda _, a: ~a,
    "bvneg": lambda _, a: -a,
    "bvadd": lambda _, *parts: sum(parts),
    "bvsub": lambda _, a, b: a - b,
    "bvmul": lambda _, *parts: prod(parts),
    "bvand": lambda _, *parts: functools.reduce(operator.and_, parts),
    "bvor": lambda _, *parts: functools.reduce(operator.or_, parts),
    "bvxor": lambda _, *parts: functools.reduce(operator.xor, parts),
    "bvudiv": lambda _, a, b: a // b if b else -1,
    "bvurem": lambda _, a, b: a % b if b else a,
    "bvshl": lambda term, a, b: a << b if b < term.width else 0,
    "bvlshr": lambda term, a, b: a >> min(b, term.width),
    "bvashr": lambda term, a, b: _signed(a, term.width) >> min(b, term.width),
    **{
        f"bvu{n}": lambda _, a, b, f=f: f(a, b) for n, f in zip(("lt", "le", "gt", "ge"), _ORDERS.values(), strict=True)
    },
    **{
        f"bvs{n}": lambda term, a, b, f=f: f(_signed(a, term.args[0].width), _signed(b, term.args[0].width))
        for n, f in zip(("lt", "le", "gt", "ge"), _ORDERS.values(), strict=True)
    },
    "concat": _joined,
    "repeat": lambda term, a: a * (2**term.width - 1) // (2 ** term.args[0].width - 1),
    "extract": lambda term, a: a >> term.op[2],
    "zero_extend": lambda _, a: a,
    "sign_extend": lambda term, a: _signed(a, term.args[0].width),
    "int_to_bv": lambda _, a: int(a),
}
"""Of a term and the values of its arguments; what is no truth value counts modulo the power of its width."""
