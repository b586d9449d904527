"""Guesses how large the results of functions are: no larger than some arguments together. The kernel checks them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import comb, prod

from goedels_poetry.kernel.calls import Work
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sizes import Bound, Sizes

MAX_BOUNDS_TRIED = 200


def likely_bounds(sizes: Sizes, group: Sequence[Definition], work: Work) -> Sizes:
    """With the functions of a group that comes to an end, and with the first bounds on their results that hold.

    At most ``MAX_BOUNDS_TRIED`` choices are looked at, none where there are more.
    """
    signature = sizes.signature
    total = sizes.total.union(d.name for d in group)
    sized = [d for d in group if signature.datatype(d.sort) is not None]
    data = [[i for i, p in enumerate(d.params) if signature.datatype(p.sort) is not None] for d in sized]
    if sized and prod(sum(comb(len(at), n) * min(n, 2) for n in range(1, 5)) for at in data) <= MAX_BOUNDS_TRIED:
        options = [
            [
                Bound(positions, spare)
                for number in range(1, min(len(at), 4) + 1)
                for positions in combinations(at, number)
                for spare in ((number - 1, 0) if number > 1 else (0,))
            ]
            for at in data
        ]
        bodies = {d.name: simplify(d.body, signature) for d in sized}
        for choice in product(*options):
            bounds = dict(zip((d.name for d in sized), choice, strict=True))
            trial = Sizes(signature, {**sizes.bounds, **bounds}, total)
            if all(trial.keeps(d, bodies[d.name], bounds[d.name], work) for d in sized):
                return trial
    return Sizes(signature, sizes.bounds, total)
