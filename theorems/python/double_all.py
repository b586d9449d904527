"""A comprehension keeps the length, and doubles the sum."""

from goedels_poetry.contracts import ensures


@ensures(lambda result, xs: len(result) == len(xs))
@ensures(lambda result, xs: sum(result) == 2 * sum(xs))
def double_all(xs: list[int]) -> list[int]:
    return [2 * x for x in xs]
