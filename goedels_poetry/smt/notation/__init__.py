"""Formulas as mathematicians and proof assistants write them, put into SMT-LIB text over the symbols of a problem.

``∀ xs ys, rev (append xs ys) = append (rev ys) (rev xs)``, ``0 ≤ i < n → ...``, ``x :: rest``, ``f(x, y)``: a language
model that is told to write SMT-LIB knows what it means and slips into these. `tokens` cuts the text up, `grammar` reads
it (`binders`: names and quantifiers), `sorts` finds the sorts of variables that nobody declared from where they stand
(as in Hindley, The principal type-scheme of an object in combinatory logic, 1969, without polymorphism).

What comes out is text, which the kernel's own reader takes or refuses: nothing here is trusted.
"""

from __future__ import annotations

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Sort, Term
from goedels_poetry.smt.notation.grammar import Grammar
from goedels_poetry.smt.notation.sorts import written
from goedels_poetry.smt.notation.tokens import NotRead, tokens


def in_prefix(
    text: str, signature: Signature, variables: tuple[Term, ...], sort: Sort | None = None, *, closed: bool = False
) -> str:
    """A term or formula as SMT-LIB text.

    Args:
        variables: what may stand free in it. With ``closed`` they only say what sorts such names have elsewhere.
        sort: what it has to be of.
        closed: other names that stand free are any values: they are bound by one universal quantifier.

    Raises:
        NotRead: it is of no form that is known here, or the sort of a variable cannot be told; says which.
    """
    grammar = Grammar(tokens(text, signature), signature, variables, closed=closed)
    return written(grammar.whole(), grammar.implicit, signature, variables, sort)


__all__ = ["NotRead", "in_prefix"]
