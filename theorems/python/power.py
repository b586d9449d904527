"""Square and multiply is the power by its definition."""

from goedels_poetry.contracts import ensures, requires


@requires(lambda n: n >= 0)
@ensures(lambda result, x, n: n != 0 or result == 1)
@ensures(lambda result, x, n: x <= 0 or result > 0)
def power(x: int, n: int) -> int:
    if n == 0:
        return 1
    half = power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return x * half * half
