"""Counting out small terms: what the searches for lemmas of all languages share."""

from __future__ import annotations

from collections.abc import Iterator


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write ``total`` as a sum of ``parts`` positive numbers, order counting."""
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)
