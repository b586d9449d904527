"""Orders: what a problem compares elements by."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.refutation.values import small_values
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Sort, Term, app, not_, subterms

SAMPLES = 5


@dataclass(frozen=True)
class Order:
    """A total order on ``sort`` in terms of a symbol of the problem, which may be turned round or the negated one.

    Elements that are only told apart have the order ``=``, which is not total.
    """

    sort: Sort
    name: str
    turned: bool = False
    negated: bool = False

    @property
    def total(self) -> bool:
        """Whether any two elements can be compared."""
        return self.name != "="

    def holds(self, a: Term, b: Term) -> Term:
        """``a`` is at most ``b``."""
        atom = app(self.name, (b, a) if self.turned else (a, b), BOOL)
        return not_(atom) if self.negated else atom


def orders(problem: Problem) -> list[Order]:
    """Total orders among what the problem defines and compares numbers by, those closest to its own words first.

    Then sorts of which the problem says whether, or how often, a container holds an element.
    """
    signature = problem.signature
    evaluator = Evaluator(signature, problem.premises, fuel=2_000)
    known: list[Order] = []
    for definition in signature.definitions:
        sorts = [p.sort for p in definition.params]
        if definition.sort is not BOOL or len(sorts) != 2 or sorts[0] is not sorts[1] or sorts[0] is BOOL:
            continue
        values = small_values(signature, sorts[0], SAMPLES)
        try:
            table = {(a, b): evaluator.call(definition.name, (a, b)) for a, b in itertools.product(values, repeat=2)}
        except Undecided:
            continue
        for turned, negated in ((False, False), (True, True), (True, False), (False, True)):
            below = {pair for pair in table if table[pair[::-1] if turned else pair] != negated}
            if _is_total_order(below, values):
                known.append(Order(sorts[0], definition.name, turned, negated))
                break
    texts = [d.body for d in signature.definitions] + [p.formula for p in problem.premises]
    if any(_compares(t) for text in texts for t in subterms(text)):
        known.append(Order(INT, "<="))
    return [*sorted(known, key=lambda order: (order.negated, order.turned)), *_told_apart(signature)]


def _told_apart(signature: Signature) -> list[Order]:
    """Sorts of which the problem says whether, or how often, a container holds an element."""
    compared: dict[Sort, None] = {}
    for definition in signature.definitions:
        sorts = [p.sort for p in definition.params]
        if (
            len(sorts) == 2
            and sorts[0] is not sorts[1]
            and (definition.sort in (BOOL, INT) or definition.sort in sorts)
        ):
            compared.update({s: None for s in sorts if any(s is f for f in _fields(signature, sorts))})
    return [Order(sort, "=") for sort in compared]


def _fields(signature: Signature, sorts: Iterable[Sort]) -> list[Sort]:
    datatypes = [d for s in sorts if (d := signature.datatype(s)) is not None]
    return [f for d in datatypes for c in d.constructors for _, f in c.fields if f is not d.sort]


def _compares(term: Term) -> bool:
    return (
        term.kind is Kind.APP
        and term.name in ("<=", "<", ">", ">=")
        and all(a.sort is INT and a.kind is not Kind.LIT for a in term.args)
    )


def _is_total_order(below: set[tuple[Value, Value]], values: list[Value]) -> bool:
    pairs = list(itertools.product(values, repeat=2))
    return (
        len(values) > 2
        and all(((a, b) in below) != ((b, a) in below) or a == b for a, b in pairs)
        and all((a, a) in below for a in values)
        and all((a, c) in below for a, b in pairs if (a, b) in below for c in values if (b, c) in below)
    )
