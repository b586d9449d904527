"""What a formula rests on: the symbols in it and in the definitions that it leads to."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Term, symbols


def reached(signature: Signature, terms: Iterable[Term]) -> set[str]:
    """Names of functions, constructors and selectors that an evaluation of ``terms`` could meet."""
    found: set[str] = set()
    pending = list(terms)
    while pending:
        for name in (symbols(pending.pop()) & signature.names) - found:
            found.add(name)
            definition = signature.definition(name)
            pending += [] if definition is None else [definition.body]
    return found


def recursion_is_open(signature: Signature) -> bool:
    """Whether a recursive definition leads to a declared function."""
    declared = {n for n, (params, _) in signature.functions.items() if params and signature.definition(n) is None}
    return not declared.isdisjoint(reached(signature, [d.body for d in signature.definitions if d.recursive]))
