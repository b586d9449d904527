"""Theorems that each occur in three or more ways: ``NAME__1``, ``NAME__2``, ... What is named ``wrong_`` is false."""

from goedels_poetry.contracts import ensures, requires


# The sum of the first numbers: a range, a loop that counts up, one that counts down, a recursion.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def gauss__1(n: int) -> int:
    total = 0
    for i in range(n + 1):
        total += i
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result + result == n * n + n)
def gauss__2(n: int) -> int:
    i = 0
    total = 0
    while i <= n:
        total = total + i
        i = i + 1
    return total


@requires(lambda n: not n < 0)
@ensures(lambda result, n: result == n * (n + 1) // 2)
def gauss__3(n: int) -> int:
    total = 0
    while n > 0:
        total = n + total
        n -= 1
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def gauss__4(n: int) -> int:
    if n == 0:
        return 0
    return gauss__4(n - 1) + n


# Squares.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == n * n)
def odds__1(n: int) -> int:
    total = 0
    for i in range(n):
        total += 2 * i + 1
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == n**2)
def odds__2(n: int) -> int:
    i, total, odd = 0, 0, 1
    while not i >= n:
        total, odd = total + odd, odd + 2
        i = 1 + i
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == n * n)
def odds__3(n: int) -> int:
    return sum([2 * i + 1 for i in range(n)])


# Products by repeated addition.
@requires(lambda a, b: b >= 0)
@ensures(lambda result, a, b: result == a * b)
def times__1(a: int, b: int) -> int:
    result = 0
    for _ in range(b):
        result += a
    return result


@requires(lambda a, b: b >= 0)
@ensures(lambda result, a, b: result - a * b == 0)
def times__2(a: int, b: int) -> int:
    result = 0
    while b != 0:
        result = result + a
        b = b - 1
    return result


@requires(lambda a, b: b >= 0)
@ensures(lambda result, a, b: result == b * a)
def times__3(a: int, b: int) -> int:
    result, i = 0, 0
    while True:
        if i == b:
            return result
        result += a
        i += 1


# Division with remainder.
@requires(lambda a, b: a >= 0 and b > 0)
@ensures(lambda result, a, b: result == a // b)
def quotient__1(a: int, b: int) -> int:
    q = 0
    while a >= b:
        a -= b
        q += 1
    return q


@requires(lambda a, b: a >= 0 and b > 0)
@ensures(lambda result, a, b: result * b <= a and a < (result + 1) * b)
def quotient__2(a: int, b: int) -> int:
    q, r = 0, a
    while not (r < b):
        q, r = q + 1, r - b
    return q


@requires(lambda a, b: not (a < 0 or b <= 0))
@ensures(lambda result, a, b: 0 <= a - b * result < b)
def quotient__3(a: int, b: int) -> int:
    if a < b:
        return 0
    return 1 + quotient__3(a - b, b)


# The greatest of a list.
@requires(lambda xs: len(xs) > 0)
@ensures(lambda result, xs: all(x <= result for x in xs))
def largest__1(xs: list[int]) -> int:
    best = xs[0]
    for x in xs:
        if x > best:
            best = x
    return best


@requires(lambda xs: xs != [])
@ensures(lambda result, xs: all(xs[i] <= result for i in range(len(xs))))
def largest__2(xs: list[int]) -> int:
    best = xs[0]
    i = 1
    while i < len(xs):
        best = max(best, xs[i])
        i = i + 1
    return best


@requires(lambda xs: len(xs) >= 1)
@ensures(lambda result, xs: not any(x > result for x in xs))
def largest__3(xs: list[int]) -> int:
    best = xs[0]
    for i in range(1, len(xs)):
        if not (xs[i] <= best):
            best = xs[i]
    return best


# Membership.
@ensures(lambda result, xs, x: result == (x in xs))
def contains__1(xs: list[int], x: int) -> bool:
    for y in xs:
        if y == x:
            return True
    return False


@ensures(lambda result, xs, x: result == any(y == x for y in xs))
def contains__2(xs: list[int], x: int) -> bool:
    found = False
    for y in xs:
        if x == y:
            found = True
    return found


@ensures(lambda result, xs, x: result == (x in xs))
def contains__3(xs: list[int], x: int) -> bool:
    i = 0
    while i < len(xs):
        if xs[i] == x:
            return True
        i = i + 1
    return False


# Counting.
@ensures(lambda result, xs, x: result == xs.count(x))
def count__1(xs: list[int], x: int) -> int:
    n = 0
    for y in xs:
        if y == x:
            n += 1
    return n


@ensures(lambda result, xs, x: result == xs.count(x))
def count__2(xs: list[int], x: int) -> int:
    return len([y for y in xs if y == x])


@ensures(lambda result, xs, x: xs.count(x) == result)
def count__3(xs: list[int], x: int) -> int:
    n = 0
    for i in range(len(xs)):
        if xs[i] != x:
            continue
        n = n + 1
    return n


# Each doubled.
@ensures(lambda result, xs: len(result) == len(xs) and sum(result) == 2 * sum(xs))
def doubled__1(xs: list[int]) -> list[int]:
    return [2 * x for x in xs]


@ensures(lambda result, xs: len(result) == len(xs))
@ensures(lambda result, xs: sum(result) == 2 * sum(xs))
def doubled__2(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        out.append(x + x)
    return out


@ensures(lambda result, xs: len(result) == len(xs) and sum(result) == sum(xs) * 2)
def doubled__3(xs: list[int]) -> list[int]:
    out: list[int] = []
    i = 0
    while i < len(xs):
        out = out + [xs[i] * 2]
        i = i + 1
    return out


# Filter.
@ensures(lambda result: all(x > 0 for x in result))
def positive__1(xs: list[int]) -> list[int]:
    return [x for x in xs if x > 0]


@ensures(lambda result: not any(x <= 0 for x in result))
def positive__2(xs: list[int]) -> list[int]:
    out = []
    for x in xs:
        if not x <= 0:
            out.append(x)
    return out


@ensures(lambda result: all(result[i] > 0 for i in range(len(result))))
def positive__3(xs: list[int]) -> list[int]:
    out = []
    for i in range(len(xs)):
        if xs[i] > 0:
            out = out + [xs[i]]
    return out


# Reverse.
@ensures(lambda result, xs: len(result) == len(xs) and sum(result) == sum(xs))
def turned__1(xs: list[int]) -> list[int]:
    out: list[int] = []
    for x in xs:
        out = [x] + out
    return out


@ensures(lambda result, xs: len(result) == len(xs) and sum(result) == sum(xs))
def turned__2(xs: list[int]) -> list[int]:
    return xs[::-1]


@ensures(lambda result, xs: len(result) == len(xs) and sum(result) == sum(xs))
def turned__3(xs: list[int]) -> list[int]:
    if not xs:
        return []
    return turned__3(xs[1:]) + [xs[0]]


# Parity.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == (n % 2 == 0))
def even__1(n: int) -> bool:
    e = True
    for _ in range(n):
        e = not e
    return e


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == (n % 2 == 0))
def even__2(n: int) -> bool:
    while n > 1:
        n = n - 2
    return n == 0


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == (not n % 2 == 1))
def even__3(n: int) -> bool:
    if n == 0:
        return True
    return not even__3(n - 1)


# Powers.
@requires(lambda n: n >= 0)
@ensures(lambda result: result >= 1)
def power_of_two__1(n: int) -> int:
    p = 1
    for _ in range(n):
        p *= 2
    return p


@requires(lambda n: n >= 0)
@ensures(lambda result: result > 0)
def power_of_two__2(n: int) -> int:
    p = 1
    i = 0
    while i != n:
        p = p + p
        i = i + 1
    return p


@requires(lambda n: n >= 0)
@ensures(lambda result: not result <= 0)
def power_of_two__3(n: int) -> int:
    if n == 0:
        return 1
    return 2 * power_of_two__3(n - 1)


# Fibonacci against its recursion.
def fib(n: int) -> int:
    if n <= 0:
        return 0
    if n == 1:
        return 1
    return fib(n - 1) + fib(n - 2)


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == fib(n))
def fast_fib__1(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@requires(lambda n: n >= 0)
@ensures(lambda result, n: fib(n) == result)
def fast_fib__2(n: int) -> int:
    a = 0
    b = 1
    i = 0
    while i < n:
        c = a + b
        a = b
        b = c
        i = i + 1
    return a


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result == fib(n))
def fast_fib__3(n: int) -> int:
    a, b = 0, 1
    while n > 0:
        n -= 1
        a, b = b, b + a
    return a


# Clamp: branches only.
@requires(lambda low, high: low <= high)
@ensures(lambda result, low, high: low <= result <= high)
def clamp__1(x: int, low: int, high: int) -> int:
    if x < low:
        return low
    if x > high:
        return high
    return x


@requires(lambda low, high: not low > high)
@ensures(lambda result, low, high: low <= result and result <= high)
def clamp__2(x: int, low: int, high: int) -> int:
    return max(low, min(x, high))


@requires(lambda low, high: low <= high)
@ensures(lambda result, low, high: not (result < low or result > high))
def clamp__3(x: int, low: int, high: int) -> int:
    match (x < low, x > high):
        case (True, _):
            y = low
        case (_, True):
            y = high
        case _:
            y = x
    return y


# Sum of a list.
@ensures(lambda result, xs: result == sum(xs))
def total__1(xs: list[int]) -> int:
    t = 0
    for x in xs:
        t += x
    return t


@ensures(lambda result, xs: result == sum(xs))
def total__2(xs: list[int]) -> int:
    t = 0
    for i in range(len(xs)):
        t = t + xs[i]
    return t


@ensures(lambda result, xs: result == sum(xs))
def total__3(xs: list[int]) -> int:
    t, i = 0, len(xs)
    while i > 0:
        i -= 1
        t += xs[i]
    return t


# Nothing negative in a list.
@ensures(lambda result, xs: result == all(x >= 0 for x in xs))
def non_negative__1(xs: list[int]) -> bool:
    for x in xs:
        if x < 0:
            return False
    return True


@ensures(lambda result, xs: result == all(x >= 0 for x in xs))
def non_negative__2(xs: list[int]) -> bool:
    ok = True
    for x in xs:
        ok = ok and x >= 0
    return ok


@ensures(lambda result, xs: result == (not any(x < 0 for x in xs)))
def non_negative__3(xs: list[int]) -> bool:
    i = 0
    while i < len(xs) and xs[i] >= 0:
        i += 1
    return i == len(xs)


# The smaller of two, as often as one likes.
@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda result, a, b: result == min(a, b))
def lesser__1(a: int, b: int) -> int:
    n = 0
    while a > 0 and b > 0:
        a, b, n = a - 1, b - 1, n + 1
    return n


@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda result, a, b: result <= a and result <= b and (result == a or result == b))
def lesser__2(a: int, b: int) -> int:
    n = 0
    while n < a and n < b:
        n = n + 1
    return n


@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda result, a, b: result == (a if a < b else b))
def lesser__3(a: int, b: int) -> int:
    if a == 0 or b == 0:
        return 0
    return 1 + lesser__3(a - 1, b - 1)


# Insertion keeps a sum.
@ensures(lambda result, x, xs: sum(result) == x + sum(xs))
def inserted__1(x: int, xs: list[int]) -> list[int]:
    if not xs:
        return [x]
    if x <= xs[0]:
        return [x] + xs
    return [xs[0]] + inserted__1(x, xs[1:])


@ensures(lambda result, x, xs: sum(result) - sum(xs) == x)
def inserted__2(x: int, xs: list[int]) -> list[int]:
    match xs:
        case []:
            return [x]
        case [y, *rest]:
            return [y] + inserted__2(x, rest) if y < x else [x, y] + rest


@ensures(lambda result, x, xs: sum(result) == sum([x] + xs))
def inserted__3(x: int, xs: list[int]) -> list[int]:
    out: list[int] = []
    placed = False
    for y in xs:
        if not placed and x <= y:
            out.append(x)
            placed = True
        out.append(y)
    if not placed:
        out.append(x)
    return out


# Factorial is positive and does not fall.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: result >= 1 and result >= n)
def factorial__1(n: int) -> int:
    f = 1
    for i in range(1, n + 1):
        f *= i
    return f


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result >= max(1, n))
def factorial__2(n: int) -> int:
    f, i = 1, 1
    while i <= n:
        f = f * i
        i = i + 1
    return f


@requires(lambda n: n >= 0)
@ensures(lambda result, n: not (result < 1 or result < n))
def factorial__3(n: int) -> int:
    return 1 if n == 0 else n * factorial__3(n - 1)


# A range as a list.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: len(result) == n)
def first_numbers__1(n: int) -> list[int]:
    return list(range(n))


@requires(lambda n: n >= 0)
@ensures(lambda result, n: len(result) == n)
def first_numbers__2(n: int) -> list[int]:
    out = []
    for i in range(n):
        out.append(i)
    return out


@requires(lambda n: n >= 0)
@ensures(lambda result, n: n == len(result))
def first_numbers__3(n: int) -> list[int]:
    out: list[int] = []
    while len(out) < n:
        out = out + [len(out)]
    return out


# A number and the sum of its digits are congruent modulo 9.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: (n - result) % 9 == 0)
def digits__1(n: int) -> int:
    s = 0
    while n > 0:
        s += n % 10
        n //= 10
    return s


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result % 9 == n % 9)
def digits__2(n: int) -> int:
    s = 0
    while n != 0:
        n, s = n // 10, s + n % 10
    return s


@requires(lambda n: n >= 0)
@ensures(lambda result, n: (result - n) % 9 == 0)
def digits__3(n: int) -> int:
    if n < 10:
        return n
    return digits__3(n // 10) + n % 10


# False ones.
@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def wrong_gauss__1(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def wrong_gauss__2(n: int) -> int:
    i, total = 0, 0
    while i < n:
        total = total + i
        i = i + 1
    return total


@requires(lambda n: n >= 0)
@ensures(lambda result, n: result + result == n * n + n)
def wrong_gauss__3(n: int) -> int:
    return 0 if n <= 1 else n - 1 + wrong_gauss__3(n - 1)


@ensures(lambda result, xs: all(x <= result for x in xs))
def wrong_largest__1(xs: list[int]) -> int:
    best = 0
    for x in xs:
        if x > best + 1:
            best = x
    return best


@ensures(lambda result, xs: not any(x > result for x in xs))
def wrong_largest__2(xs: list[int]) -> int:
    best = 0
    for i in range(1, len(xs)):
        best = max(best, xs[i])
    return best


@ensures(lambda result, xs: all(x <= result for x in xs))
def wrong_largest__3(xs: list[int]) -> int:
    return xs[-1] if xs else 0
