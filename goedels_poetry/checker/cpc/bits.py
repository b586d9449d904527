"""Rules about bit-vectors: as formulas over their bits, least significant first, and as polynomials."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from goedels_poetry.checker.cpc.reader import Value, a_term
from goedels_poetry.checker.cpc.rewrites import equation, joined
from goedels_poetry.checker.cpc.terms import INT, Rejected, Term, Terms, sides
from goedels_poetry.checker.cpc.theories import polynomial

Bits = list[Term]


class _Circuits:
    """Makes formulas over bits."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.app, self.true, self.false = terms, terms.app, terms.true, terms.false

    def literal(self, value: int, width: int) -> Bits:
        return [self.true if value >> i & 1 else self.false for i in range(width)]

    def each(self, op: str, *operands: Bits) -> Bits:
        """A function at the bits of each place."""
        return [self.app(op, *bits) for bits in zip(*operands, strict=True)]

    def chosen(self, condition: Term, left: Bits, right: Bits) -> Bits:
        return self.each("ite", [condition] * len(left), left, right)

    def same(self, left: Bits, right: Bits) -> Term:
        return joined(self.terms, "and", self.each("=", left, right))

    def below(self, left: Bits, right: Bits) -> Term:
        """Of whole numbers without signs."""
        first, *others = zip(self.each("=", left, right), self.each("and", self.each("not", left), right), strict=True)
        return functools.reduce(
            lambda so_far, at: self.app("or", self.app("and", at[0], so_far), at[1]), others, first[1]
        )

    def signed_below(self, left: Bits, right: Bits) -> Term:
        less = self.app("and", left[-1], self.app("not", right[-1]))
        if len(left) == 1:
            return less
        return self.app(
            "or", self.app("and", self.app("=", left[-1], right[-1]), self.below(left[:-1], right[:-1])), less
        )

    def sum(self, left: Bits, right: Bits, carry: Term) -> tuple[Bits, Term]:
        """The bits of a sum, and what is carried out of it."""
        found = []
        for a, b in zip(left, right, strict=True):
            odd = self.app("xor", a, b)
            found.append(self.app("xor", odd, carry))
            carry = self.app("or", self.app("and", a, b), self.app("and", odd, carry))
        return found, carry

    def product(self, left: Bits, right: Bits) -> Bits:
        found = self.each("and", right[:1] * len(left), left)
        for k, bit in enumerate(right[1:], 1):
            shifted = self.each("and", [bit] * (len(left) - k), left[: len(left) - k])
            found[k:] = self.sum(found[k:], shifted, self.false)[0]
        return found

    def division(self, left: Bits, right: Bits, steps: int) -> tuple[Bits, Bits]:
        """Quotient and remainder, bit by bit from the left; of a division by zero anything."""
        zero = self.literal(0, len(left))
        if not steps or left == zero:
            return zero, zero
        quotient, rest = self.division([*left[1:], self.false], right, steps - 1)
        odd = self.app("ite", self.app("=", left[0], self.true), self.true, self.false)
        doubled, denied = self.sum([self.false, *rest[:-1]], zero, odd)[0], self.each("not", right)
        less, fits = self.sum(doubled, denied, self.true)
        quotient = [self.app("ite", self.app("not", fits), self.false, self.true), *quotient[:-1]]
        small = self.app("not", self.sum(left, denied, self.true)[1])
        rest = self.chosen(self.app("not", fits), doubled, less)
        return self.chosen(small, zero, quotient), self.chosen(small, left, rest)

    def divided(self, left: Bits, right: Bits, by_zero: Bits, which: int) -> Bits:
        found = self.division(left, right, len(left))[which]
        return self.chosen(self.same(right, self.literal(0, len(left))), by_zero, found)

    def shifted(self, op: str, value: Bits, by: Bits) -> Bits:
        """Of bits, by the number that other bits are."""
        width, filling, found = len(value), value[-1] if op == "bvashr" else self.false, value
        for s in range((width - 1).bit_length()):
            if op == "bvshl":
                found = self.chosen(by[s], [filling] * 2**s + found[: width - 2**s], found)
            else:
                low = self.chosen(self.app("not", by[s]), found[: width - 2**s], found[2**s :])
                found = low + self.chosen(by[s], [filling] * 2**s, found[width - 2**s :])
        return self.chosen(self.below(by, self.literal(width, width)), found, [filling] * width)


_CIRCUITS: dict[str, Callable[..., Bits | Term]] = {
    "=": _Circuits.same,
    "bvult": _Circuits.below,
    "bvslt": _Circuits.signed_below,
    "bvcomp": lambda c, a, b: [c.same(a, b)],
    "bvnot": lambda c, a: c.each("not", a),
    "bvneg": lambda c, a: c.sum(c.each("not", a), c.literal(0, len(a)), c.true)[0],
    "bvadd": lambda c, a, b: c.sum(a, b, c.false)[0],
    "bvmul": _Circuits.product,
    "bvudiv": lambda c, a, b: c.divided(a, b, c.literal(-1, len(a)), 0),
    "bvurem": lambda c, a, b: c.divided(a, b, a, 1),
    **{op: lambda c, a, b, op=op: c.shifted(op, a, b) for op in ("bvshl", "bvlshr", "bvashr")},
    **{f"bv{op}": lambda c, a, b, op=op: c.each(op, a, b) for op in ("and", "or", "xor")},
    "concat": lambda _, a, b: b + a,
    "extract": lambda _, i, j, a: a[j : i + 1],
    "sign_extend": lambda _, i, a: a + a[-1:] * i,
}
"""Of functions: what they make of the numbers in their name and of bits; those of many arguments, of two at a time."""


def circuit(terms: Terms, term: Term) -> Bits | Term:
    """The bits of a function at bits, or its formula; of literals, and what is no such function, their bits."""
    op, *numbers = term.op if isinstance(term.op, tuple) else (term.op,)
    if op == "bits":
        return _Circuits(terms).literal(int(str(numbers[0])), term.width)
    if op not in _CIRCUITS and op not in ("bvsub", "bvule", "bvsle", "bvxnor"):
        return [terms.app("@bit", terms.number(i, INT), term) for i in range(term.width)]
    if any(a.op != "@from_bools" for a in term.args):
        raise Rejected("bit-vectors that are given by their bits were expected")
    first, *others = [list(a.args) for a in term.args]
    made = functools.partial(_CIRCUITS[str(op)], _Circuits(terms), *numbers)
    return functools.reduce(made, others, first) if others else made(first)  # type: ignore[arg-type]


def bv_bitblast_step(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= t s)``. Needs: exactly the bits, or the formula, of the circuit of ``t``."""
    wanted, left, right = equation(arguments, premises)
    found = circuit(terms, left)
    if right is not (found if isinstance(found, Term) else terms.app("@from_bools", *found)):
        raise Rejected("these are not the bits")
    return wanted


def bv_poly_norm(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= t s)``. Needs: the same polynomial, modulo the power of their width."""
    wanted, left, right = equation(arguments, premises)
    modulus, one, other = 2**left.width, polynomial(terms, left), polynomial(terms, right)
    if any((one.get(m, 0) - other.get(m, 0)) % modulus for m in one.keys() | other.keys()):
        raise Rejected("the two sides are different polynomials")
    return wanted


def bv_poly_norm_eq(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(= (bvmul c (bvsub a b)) (bvmul d (bvsub e f)))`` that ``(= (= a b) (= e f))``. Needs: odd literals."""
    (premise,), (given,) = premises, arguments
    for product, relation in zip(sides(premise), sides(a_term(given)), strict=True):
        factor, difference = sides(product, "bvmul")
        if factor.op[0] != "bits" or not int(str(factor.op[1])) % 2:
            raise Rejected("a factor that is no odd literal")
        if difference is not terms.app("bvsub", *sides(relation)):
            raise Rejected("the premise is about other differences")
    return a_term(given)


def bv_bitwise_slicing(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (f c t) (concat (f ((_ extract i j) c) ((_ extract i j) t)) ...))``, ``f`` bit by bit.

    Needs: ``c`` is the first literal among the operands, and each of the parts a longest one in which its bits agree.
    """
    wanted, left, right = equation(arguments, premises)
    at = next((i for i, a in enumerate(left.args) if a.op[0] == "bits"), -1)
    if left.op not in ("bvand", "bvor", "bvxor") or at < 0 or len(left.args) < 2:
        raise Rejected("a literal beside other operands was expected")
    constant, rest = left.args[at], joined(terms, str(left.op), [*left.args[:at], *left.args[at + 1 :]])
    value, high, parts = int(str(constant.op[1])), left.width - 1, list[Term]()
    for low in range(left.width - 1, -1, -1):
        if not low or (value >> low & 1) != (value >> (low - 1) & 1):
            ends = terms.number(high, INT), terms.number(low, INT)
            parts.append(terms.app(left.op, terms.app("extract", *ends, constant), terms.app("extract", *ends, rest)))
            high = low - 1
    if right is not joined(terms, "concat", parts):
        raise Rejected("these are not the parts")
    return wanted


def bv_repeat_elim(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= ((_ repeat i) t) (concat t ...))``, with ``t`` ``i`` times."""
    wanted, left, right = equation(arguments, premises)
    if left.op[0] != "repeat" or right is not joined(terms, "concat", [*left.args] * int(str(left.op[1]))):
        raise Rejected("these are not the two forms")
    return wanted


RULES = {rule.__name__: rule for rule in (bv_bitblast_step, bv_poly_norm, bv_poly_norm_eq)} | {
    rule.__name__.replace("_", "-"): rule for rule in (bv_bitwise_slicing, bv_repeat_elim)
}
