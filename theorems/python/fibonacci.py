"""Two variables in a loop against the definition."""

from goedels_poetry.contracts import ensures, requires


def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == fib(n))
def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
