"""The nearest number between two bounds."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda low, high: low <= high)
@ensures(lambda result, low, high: low <= result <= high)
@ensures(lambda result, x, low, high: result == x or x < low or x > high)
def clamp(x: int, low: int, high: int) -> int:
    if x < low:
        return low
    if x > high:
        return high
    return x
