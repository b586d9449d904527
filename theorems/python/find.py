"""The first place of an element, or None."""

from goedels_poetry.contracts import ensures


@ensures(lambda result, xs, x: (result is None) == (x not in xs))
def find(xs: list[int], x: int) -> int | None:
    for i, y in enumerate(xs):
        if y == x:
            return i
    return None
