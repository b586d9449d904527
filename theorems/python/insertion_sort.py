"""Insertion sort: the result is sorted, and as long as the list."""

from goedels_poetry.contracts import ensures, requires


def is_sorted(xs: list[int]) -> bool:
    if len(xs) < 2:
        return True
    return xs[0] <= xs[1] and is_sorted(xs[1:])


@requires(lambda xs: is_sorted(xs))
@ensures(lambda result: is_sorted(result))
@ensures(lambda result, xs: len(result) == len(xs) + 1)
def insert(x: int, xs: list[int]) -> list[int]:
    if len(xs) == 0:
        return [x]
    if x <= xs[0]:
        return [x] + xs
    return [xs[0]] + insert(x, xs[1:])


@ensures(lambda result: is_sorted(result))
@ensures(lambda result, xs: len(result) == len(xs))
def insertion_sort(xs: list[int]) -> list[int]:
    if len(xs) == 0:
        return []
    return insert(xs[0], insertion_sort(xs[1:]))
