"""A fault: the last number is left out, and an input shows it."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def sum_to(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total
