"""How often something occurs in two lists together."""

from goedels_poetry.contracts import ensures


def count(x: int, xs: list[int]) -> int:
    times = 0
    for y in xs:
        if y == x:
            times += 1
    return times


@ensures(lambda result, x, xs, ys: result == count(x, xs + ys))
def count_both(x: int, xs: list[int], ys: list[int]) -> int:
    return count(x, xs) + count(x, ys)
