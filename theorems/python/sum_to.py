"""Gauss: the numbers up to n, added one by one."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def sum_to(n: int) -> int:
    total = 0
    for i in range(1, n + 1):
        total += i
    return total
