"""Terms of integers as polynomials over terms that are none: a normal form, with division by numbers where it is exact.

``((2 * k + 1) * (2 * k + 1)) div 4`` is ``k * k + k``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import INT, Kind, Term, app, integer, is_app, lit, rebuild, subterms

Monomial = tuple[Term, ...]
Polynomial = Mapping[Monomial, int]
MOST_MONOMIALS, MOST_FACTORS = 60, 12
"""Of a product that is multiplied out."""
_ORDERS = {"<=": int.__le__, "<": int.__lt__, ">=": int.__ge__, ">": int.__gt__, "=": int.__eq__}


def normal(term: Term, signature: Signature) -> Term:
    """An equal term: sums of products in one order, with as little division as there can be."""
    done: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if not t.args or t.binders:
            return t
        if t not in done:
            done[t] = simplify(_node(rebuild(t, tuple(go(a) for a in t.args))), signature)
        return done[t]

    return go(term)


def _node(term: Term) -> Term:
    if term.sort is INT and term.name in ("+", "-", "*", "div", "mod"):
        return term_of(polynomial(term))
    if term.kind is Kind.APP and term.name in _ORDERS and term.args[0].sort is INT and len(term.args) == 2:
        difference = _sum(polynomial(term.args[0]), polynomial(term.args[1]), -1)
        if set(difference) <= {()}:
            return lit(_ORDERS[term.name](difference.get((), 0), 0), term.sort)
    return term


def polynomial(term: Term) -> Polynomial:
    """The polynomial that a term is, over its largest parts that are none."""
    match term.name if term.kind is Kind.APP and term.sort is INT else "":
        case "+":
            total: Polynomial = {}
            for argument in term.args:
                total = _sum(total, polynomial(argument))
            return total
        case "*":
            product: Polynomial = {(): 1}
            for argument in term.args:
                product = _product(product, polynomial(argument))
                if len(product) > MOST_MONOMIALS or any(len(monomial) > MOST_FACTORS for monomial in product):
                    return {(term,): 1}
            return product
        case "-":
            first, *rest = (polynomial(a) for a in term.args)
            if not rest:
                return _sum({}, first, -1)
            for other in rest:
                first = _sum(first, other, -1)
            return first
        case "div" | "mod" as name if len(term.args) == 2 and _is_positive(term.args[1]):
            by = int(term.args[1].value)  # type: ignore[arg-type]
            return _divided(polynomial(term.args[0]), by, name == "mod")
    if term.kind is Kind.LIT and isinstance(term.value, int):
        return {(): term.value} if term.value else {}
    return {(term,): 1}


def term_of(value: Polynomial) -> Term:
    """The term of a polynomial, with its monomials in order."""
    parts = []
    for monomial in sorted(value, key=_order):
        factors = [*([integer(value[monomial])] if value[monomial] != 1 or not monomial else []), *monomial]
        parts.append(factors[0] if len(factors) == 1 else app("*", factors, INT))
    return integer(0) if not parts else parts[0] if len(parts) == 1 else app("+", parts, INT)


def divisors(term: Term) -> Iterator[int]:
    """The numbers by which something is divided in a term."""
    for part in subterms(term):
        if (is_app(part, "div") or is_app(part, "mod")) and _is_positive(part.args[1]) and part.args[0].free:
            yield int(part.args[1].value)  # type: ignore[arg-type]


def _divided(value: Polynomial, by: int, is_rest: bool) -> Polynomial:
    rest = {m: c % by for m, c in value.items() if c % by}
    whole = {m: c // by for m, c in value.items() if c // by}
    if set(rest) <= {()}:
        return rest if is_rest else whole
    atom = app("mod" if is_rest else "div", (term_of(rest), integer(by)), INT)
    return {(atom,): 1} if is_rest else _sum(whole, {(atom,): 1})


def _is_positive(term: Term) -> bool:
    return term.kind is Kind.LIT and isinstance(term.value, int) and term.value > 0


def _sum(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    total = dict(left)
    for monomial, c in right.items():
        total[monomial] = total.get(monomial, 0) + factor * c
    return {m: c for m, c in total.items() if c}


def _product(left: Polynomial, right: Polynomial) -> Polynomial:
    total: dict[Monomial, int] = {}
    for m, c in left.items():
        for n, d in right.items():
            both = tuple(sorted((*m, *n), key=_place))
            total[both] = total.get(both, 0) + c * d
    return {m: c for m, c in total.items() if c}


def _order(monomial: Monomial) -> tuple[int, list[tuple[int, str]]]:
    return len(monomial), [_place(t) for t in monomial]


def _place(term: Term) -> tuple[int, str]:
    return term.size, show(term)
