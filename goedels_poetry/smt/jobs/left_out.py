"""What functions may be of which a refutation does not speak: the goal may not need them, but some premise does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem, Signature
from goedels_poetry.kernel.refutation.values import small_values, to_term
from goedels_poetry.kernel.terms import BOOL, INT, Sort, symbols

Json = dict[str, Any]

MOST_TRIED = 16
"""Choices of meanings for all of them together."""


def with_meanings(problem: Problem, said: Json) -> Iterator[Json]:
    """The refutation with simple meanings for the functions of the premises that it leaves out; none where it does not.

    Args:
        said: as of `read_refutation`.
    """
    signature = problem.signature
    spoken_of = set().union(*(symbols(premise.formula) for premise in problem.premises))
    left = [
        name
        for name, (sorts, _) in signature.functions.items()
        if sorts and name in spoken_of and name not in said["functions"]
    ]
    choices = itertools.product(*(_meanings(signature, *signature.functions[name]) for name in left))
    for choice in itertools.islice(choices, MOST_TRIED if left else 0):
        yield {**said, "functions": {**said["functions"], **dict(zip(left, choice, strict=True))}}


def _meanings(signature: Signature, sorts: tuple[Sort, ...], sort: Sort) -> list[Json]:
    """Simple functions of these sorts: an argument as it is or nearly so, and constants."""
    params = [f"argument{place}" for place in range(len(sorts))]
    bodies = [name for name, own in zip(params, sorts, strict=True) if own is sort]
    if sort is INT:
        bodies += [text for name in bodies for text in (f"(+ {name} 1)", f"(- {name} 1)", f"(- {name})")]
        bodies += ["0", "1"]
    elif sort is BOOL:
        bodies += ["true", "false"]
    else:
        terms = [to_term(signature, sort, value) for value in small_values(signature, sort, 2)]
        bodies += [show(term) for term in terms if term is not None]
    return [{"params": params, "body": body} for body in bodies]
