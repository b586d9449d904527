"""Small functions with contracts, for `scripts/regression.py`: those named ``wrong_`` break theirs."""

from goedels_poetry.contracts import ensures, raises, requires


@ensures(lambda result, x: result == 2 * x)
def doubled(x: int) -> int:
    return x + x


@ensures(lambda result, x: result >= 0 and result in (x, -x))
def magnitude(x: int) -> int:
    return x if x >= 0 else -x


@ensures(lambda result, a, b: result >= a and result >= b and result in (a, b))
def larger(a: int, b: int) -> int:
    return a if a > b else b


@ensures(lambda result, a, b, c: result in (a, b, c) and (result >= a or result >= b))
def middle(a: int, b: int, c: int) -> int:
    return max(min(a, b), min(max(a, b), c))


@ensures(lambda result, n: result == (n % 2 == 0))
def even(n: int) -> bool:
    return not n % 2


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == n)
def counted(n: int) -> int:
    i = 0
    while i < n:
        i += 1
    return i


@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n - 1))
def sum_below(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == n * n)
def square_of_odds(n: int) -> int:
    total = 0
    for i in range(n):
        total += 2 * i + 1
    return total


@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda result, a, b: result == a * b)
def product(a: int, b: int) -> int:
    return 0 if a == 0 else b + product(a - 1, b)


@requires(lambda a, b: a >= 0 and b > 0)
@ensures(lambda result, a, b: 0 <= result < b)
def remainder(a: int, b: int) -> int:
    while a >= b:
        a -= b
    return a


@requires(lambda b: b != 0)
@ensures(lambda result, a, b: a == b * (a // b) + result)
def modulo(a: int, b: int) -> int:
    return a % b


@raises(ZeroDivisionError, when=lambda a, b: b == 0)
@ensures(lambda result, a, b: result * b <= a or b < 0)
def quotient(a: int, b: int) -> int:
    return a // b


@raises(ValueError, when=lambda n: n < 0)
@ensures(lambda result, n: result == n + 1)
def after(n: int) -> int:
    if n < 0:
        raise ValueError(n)
    return n + 1


@ensures(lambda result, xs: result == len(xs))
def length(xs: list[int]) -> int:
    return 0 if not xs else 1 + length(xs[1:])


@ensures(lambda result, xs, ys: len(result) == len(xs) + len(ys))
def joined(xs: list[int], ys: list[int]) -> list[int]:
    return xs + ys


@ensures(lambda result, xs, y: len(result) == len(xs) + 1 and result[-1] == y)
def extended(xs: list[int], y: int) -> list[int]:
    return [*xs, y]


@ensures(lambda result, xs: len(result) == len(xs))
def successors(xs: list[int]) -> list[int]:
    return [x + 1 for x in xs]


@ensures(lambda result, xs: all(x >= 0 for x in result))
def not_negative(xs: list[int]) -> list[int]:
    return [x for x in xs if x >= 0]


@ensures(lambda result, xs: all(x <= result for x in xs))
@requires(lambda xs: len(xs) > 0)
def greatest(xs: list[int]) -> int:
    best = xs[0]
    for x in xs:
        if x > best:
            best = x
    return best


@ensures(lambda result, xs, y: result == (y in xs))
def member(xs: list[int], y: int) -> bool:
    return any(x == y for x in xs)


@ensures(lambda result, xs, y: result >= 0)
def occurrences(xs: list[int], y: int) -> int:
    n = 0
    for x in xs:
        if x == y:
            n += 1
    return n


@ensures(lambda result, xs, k: len(result) <= len(xs))
@requires(lambda k: k >= 0)
def prefix(xs: list[int], k: int) -> list[int]:
    return xs[:k]


@ensures(lambda result, pair: result == (pair[1], pair[0]))
def swapped(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[1], pair[0]


@ensures(lambda result, x: result == x or result == 0)
def or_zero(x: int | None) -> int:
    return 0 if x is None else x


@ensures(lambda result, a, b: result == (a != b))
def exclusive(a: bool, b: bool) -> bool:
    return (a or b) and not (a and b)


@ensures(lambda result, s: len(result) == len(s) + 2)
def quoted(s: str) -> str:
    return '"' + s + '"'


@ensures(lambda result, s, p: s.startswith(p) or result == s)
def without_prefix(s: str, p: str) -> str:
    return s.removeprefix(p)


@ensures(lambda result, a, b: result.find(":") == len(a))
@requires(lambda a: ":" not in a)
def keyed(a: str, b: str) -> str:
    return a + ":" + b


@ensures(lambda result, n: result.startswith("<"))
def in_brackets(n: int) -> str:
    return f"<{n:b}>"


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == 2**n)
def power_of_two(n: int) -> int:
    return 1 if n == 0 else 2 * power_of_two(n - 1)


@ensures(lambda result, a, b: result == (a <= b))
def ordered(a: int, b: int) -> bool:
    return not a > b


@ensures(lambda result, x, y: result <= x and result <= y)
def wrong_smaller(x: int, y: int) -> int:
    return x if x < y + 2 else y


@ensures(lambda result, n: result > n)
def wrong_next(n: int) -> int:
    return n + 1 if n != 41 else 41


@ensures(lambda result, xs: len(result) == len(xs))
def wrong_without_zeros(xs: list[int]) -> list[int]:
    return [x for x in xs if x]


@ensures(lambda result, n: result >= 0)
def wrong_difference(n: int) -> int:
    return n * n - 3


@ensures(lambda result, s: result == s)
def wrong_stripped(s: str) -> str:
    return s.strip()


@ensures(lambda result, a, b: result * b == a)
@requires(lambda b: b != 0)
def wrong_divided(a: int, b: int) -> int:
    return a // b
