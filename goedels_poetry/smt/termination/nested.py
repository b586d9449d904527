"""Looks for what ends recursion on the result of a recursive call, as in McCarthy's 91 function: a bound on results.

The method, a measure that falls given an invariant of the results, is that of Giesl, Termination of nested and mutually
recursive algorithms (Journal of Automated Reasoning 19, 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from goedels_poetry.kernel.calls import Call
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.termination import Nested, falls_within_bound, keeps_bound
from goedels_poetry.kernel.terms import INT, Kind, Term, integer, subterms

MAX_BOUNDS = 60


def bounded_recursion(
    definition: Definition,
    calls: Sequence[Call],
    measures: Iterable[Term],
    signature: Signature,
    prove: Callable[[Sequent], bool],
) -> Nested | None:
    """Evidence that a function with nested ``calls`` of itself terminates, or None.

    ``measures`` are Int terms over the parameters; ``prove`` as in `search`.
    """
    inner = {t.name for call in calls for a in call.args for t in subterms(a) if t.kind is Kind.APP}
    if definition.sort is not INT or definition.name not in inner:
        return None
    measures = tuple(measures)
    for bound in islice(_bounds(definition), MAX_BOUNDS):
        if not prove(keeps_bound(definition, bound, calls, signature)):
            continue
        for measure in measures:
            found = Nested(bound.functions, measure, bound.relation, bound.argument, bound.constant)
            if all(prove(falls_within_bound(definition, found, call, calls)) for call in calls):
                return found
    return None


def _bounds(definition: Definition) -> Iterator[Nested]:
    """Bounds by the parameters and the numbers of the body, small numbers first; the measure is still to be found."""
    literals = [t.value for t in subterms(definition.body) if t.kind is Kind.LIT and t.sort is INT]
    numbers = {n for n in literals if isinstance(n, int)}
    for constant in sorted({0, *numbers, *(-n for n in numbers)}, key=abs):
        for position, parameter in enumerate(definition.params):
            if parameter.sort is INT:
                for relation in (">=", "<="):
                    yield Nested((definition.name,), integer(0), relation, position, constant)
