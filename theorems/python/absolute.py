"""The distance of a number from zero."""

from goedels_poetry.contracts import ensures


@ensures(lambda result: result >= 0)
@ensures(lambda result, x: result == x or result == -x)
def absolute(x: int) -> int:
    return x if x >= 0 else -x
