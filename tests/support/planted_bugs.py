"""Functions with contracts, each right, and with a bug planted by one replacement of text."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "from goedels_poetry.contracts import ensures, raises, requires\n"


@dataclass(frozen=True)
class Planted:
    function: str
    text: str
    old: str
    new: str

    @property
    def right(self) -> str:
        return HEAD + self.text

    @property
    def wrong(self) -> str:
        assert self.text.count(self.old) == 1, (self.function, self.text.count(self.old))
        return HEAD + self.text.replace(self.old, self.new)


def _p(function: str, text: str, old: str, new: str) -> Planted:
    return Planted(function, text, old, new)


PLANTED = (
    _p("last_index", '''
@requires(lambda xs: len(xs) > 0)
@ensures(lambda xs, result: xs[result] == max(xs) and all(x < xs[result] for x in xs[result + 1:]))
def last_index(xs: list[int]) -> int:
    best = 0
    for i in range(len(xs)):
        if xs[i] >= xs[best]:
            best = i
    return best
''', ">= xs[best]", "> xs[best]"),  # a comparison of equals
    _p("absolute", '''
@ensures(lambda x, result: result >= 0 and (result == x or result == -x))
def absolute(x: int) -> int:
    return -x if x < 0 else x
''', "-x if x < 0", "-x if x < -1"),  # off by one
    _p("triangle", '''
@requires(lambda n: n >= 0)
@ensures(lambda n, result: result * 2 == n * (n + 1))
def triangle(n: int) -> int:
    total = 0
    for i in range(n + 1):
        total += i
    return total
''', "range(n + 1)", "range(n)"),
    _p("mean_floor", '''
@requires(lambda xs: len(xs) > 0)
@ensures(lambda xs, result: result * len(xs) <= sum(xs) < (result + 1) * len(xs))
def mean_floor(xs: list[int]) -> int:
    return sum(xs) // len(xs)
''', "sum(xs) // len(xs)", "int(sum(xs) / len(xs))"),  # truncates where it should floor
    _p("smallest", '''
@raises(ValueError, when=lambda xs: not xs)
@ensures(lambda xs, result: result in xs and all(result <= x for x in xs))
def smallest(xs: list[int]) -> int:
    if not xs:
        raise ValueError("empty")
    least = xs[0]
    for x in xs[1:]:
        if x < least:
            least = x
    return least
''', "    if not xs:\n        raise ValueError(\"empty\")\n", ""),  # the empty list
    _p("appended", '''
@ensures(lambda xs, x, result: len(result) == len(xs) + 1 and result[-1] == x)
def appended(xs: list[int], x: int) -> list[int]:
    out = list(xs)
    out.append(x)
    return out
''', "list(xs)", "xs"),  # aliasing: the caller's list is changed
    _p("grade", '''
@requires(lambda p: 0 <= p <= 100)
@ensures(lambda p, result: (result == "A") == (p >= 90) and (result == "F") == (p < 50))
def grade(p: int) -> str:
    if p >= 90:
        return "A"
    if p >= 70:
        return "B"
    if p >= 50:
        return "C"
    return "F"
''', "p >= 90:\n", "p > 90:\n"),
    _p("days", '''
@requires(lambda month, leap: 1 <= month <= 12)
@ensures(lambda month, leap, result: 28 <= result <= 31 and (month != 2 or result == (29 if leap else 28))
         and (month not in (4, 6, 9, 11) or result == 30))
def days(month: int, leap: bool) -> int:
    if month == 2:
        return 29 if leap else 28
    if month in (4, 6, 9, 11):
        return 30
    return 31
''', "(4, 6, 9, 11):\n", "(4, 6, 9):\n"),  # a missing case
    _p("depth", '''
@ensures(lambda n, result: result >= 0 and 10 ** result <= max(abs(n), 1) < 10 ** (result + 1))
def depth(n: int) -> int:
    if abs(n) < 10:
        return 0
    return 1 + depth(abs(n) // 10)
''', "depth(abs(n) // 10)", "depth(n // 10)"),  # never ends... no: -1 // 10 is -1, and abs is small
    _p("countdown", '''
@ensures(lambda n, result: result == max(n, 0))
def countdown(n: int) -> int:
    if n <= 0:
        return 0
    return 1 + countdown(n - 1)
''', "n <= 0", "n == 0"),  # endless recursion below zero
    _p("clock", '''
@ensures(lambda hour, shift, result: 0 <= result < 12 and (hour + shift - result) % 12 == 0)
def clock(hour: int, shift: int) -> int:
    return (hour + shift) % 12
''', "return (hour + shift) % 12", "import math\n    return int(math.fmod(hour + shift, 12))"),
    _p("cheap", '''
@requires(lambda n: n >= 0)
@ensures(lambda n, result: result == (n * 5 if n < 97 else n * 4))
def cheap(n: int) -> int:
    return n * 5 if n < 97 else n * 4
''', "return n * 5 if n < 97", "return n * 5 if n <= 97"),  # only at 97
    _p("capped", '''
@ensures(lambda n, result: result == min(n, 1000))
def capped(n: int) -> int:
    return 1000 if n > 1000 else n
''', "1000 if n > 1000 else n", "1000 if n > 1001 else n"),  # only at 1001
    _p("sorted_insert", '''
@requires(lambda xs, x: all(a <= b for a, b in zip(xs, xs[1:])))
@ensures(lambda xs, x, result: sorted(xs + [x]) == result)
def sorted_insert(xs: list[int], x: int) -> list[int]:
    for i, y in enumerate(xs):
        if x <= y:
            return xs[:i] + [x] + xs[i:]
    return xs + [x]
''', "    return xs + [x]\n", "    return [x] + xs\n"),
    _p("search", '''
@requires(lambda xs, x: xs == sorted(xs))
@ensures(lambda xs, x, result: (result == -1 and x not in xs) or (0 <= result < len(xs) and xs[result] == x))
def search(xs: list[int], x: int) -> int:
    low, high = 0, len(xs) - 1
    while low <= high:
        mid = (low + high) // 2
        if xs[mid] == x:
            return mid
        if xs[mid] < x:
            low = mid + 1
        else:
            high = mid - 1
    return -1
''', "while low <= high", "while low < high"),
    _p("search_loop", '''
@requires(lambda xs, x: xs == sorted(xs))
@ensures(lambda xs, x, result: (result == -1 and x not in xs) or (0 <= result < len(xs) and xs[result] == x))
def search_loop(xs: list[int], x: int) -> int:
    low, high = 0, len(xs)
    while low < high:
        mid = (low + high) // 2
        if xs[mid] < x:
            low = mid + 1
        else:
            high = mid
    return low if low < len(xs) and xs[low] == x else -1
''', "low = mid + 1", "low = mid"),  # a loop without end
    _p("unique", '''
@ensures(lambda xs, result: set(result) == set(xs) and len(result) == len(set(xs)))
def unique(xs: list[int]) -> list[int]:
    out: list[int] = []
    for x in xs:
        if x not in out:
            out.append(x)
    return out
''', "if x not in out", "if not out or x != out[-1]"),
    _p("is_palindrome", '''
@ensures(lambda s, result: result == (s == s[::-1]))
def is_palindrome(s: str) -> bool:
    for i in range(len(s) // 2):
        if s[i] != s[len(s) - 1 - i]:
            return False
    return True
''', "range(len(s) // 2)", "range(len(s) // 2 - 1)"),
    _p("is_prime", '''
@ensures(lambda n, result: n > 10000 or result == (n > 1 and all(n % d for d in range(2, n))))
def is_prime(n: int) -> bool:
    if n < 2:
        return False
    d = 2
    while d * d <= n:
        if n % d == 0:
            return False
        d += 1
    return True
''', "d * d <= n", "d * d < n"),  # squares of primes
    _p("power", '''
@requires(lambda n: n > 0 and n & (n - 1) == 0)
@ensures(lambda n, result: 2 ** result == n)
def power(n: int) -> int:
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count
''', "while n > 1", "while n > 2"),
    _p("at", '''
@requires(lambda xs, i: 0 <= i < len(xs))
@ensures(lambda xs, i, result: result == xs[len(xs) - 1 - i])
def at(xs: list[int], i: int) -> int:
    return xs[-1 - i]
''', "xs[-1 - i]", "xs[-i]"),
    _p("merge", '''
@requires(lambda a, b: a == sorted(a) and b == sorted(b))
@ensures(lambda a, b, result: result == sorted(a + b))
def merge(a: list[int], b: list[int]) -> list[int]:
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]
''', "a[i:] + b[j:]", "a[i:]"),
    _p("anagrams", '''
@ensures(lambda a, b, result: result == (sorted(a) == sorted(b)))
def anagrams(a: str, b: str) -> bool:
    if len(a) != len(b):
        return False
    return all(a.count(c) == b.count(c) for c in a)
''', "all(a.count(c) == b.count(c) for c in a)", "set(a) == set(b)"),
    _p("gcd", '''
@requires(lambda a, b: a >= 0 and b >= 0)
@ensures(lambda a, b, result: result >= 0 and (a == 0 and b == 0 or result > 0 and a % result == 0 and b % result == 0)
         and all(a % d or b % d for d in range(result + 1, min(a, b, 200) + 1)))
def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
''', "while b:", "while b > 1:"),
    _p("rotate", '''
@ensures(lambda xs, k, result: len(result) == len(xs) and all(result[(i + k) % len(xs)] == x for i, x in enumerate(xs)))
def rotate(xs: list[int], k: int) -> list[int]:
    if not xs:
        return []
    k %= len(xs)
    return xs[len(xs) - k:] + xs[:len(xs) - k]
''', "    k %= len(xs)\n", ""),
    _p("encode", '''
@ensures(lambda s, result: "".join(c * n for c, n in result) == s and all(n > 0 for _, n in result)
         and all(a[0] != b[0] for a, b in zip(result, result[1:])))
def encode(s: str) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for c in s:
        if out and out[-1][0] == c:
            out[-1] = (c, out[-1][1] + 1)
        else:
            out.append((c, 1))
    return out
''', "out[-1][1] + 1)", "2)"),  # only from three in a row on
    _p("collect", '''
@ensures(lambda x, result: result == [x])
def collect(x: int) -> list[int]:
    found: list[int] = []
    found.append(x)
    return found
''', "def collect(x: int) -> list[int]:\n    found: list[int] = []\n", "def collect(x: int, found=[]):\n"),
    _p("area", '''
from dataclasses import dataclass

@dataclass(frozen=True)
class Box:
    width: int
    height: int

@requires(lambda a, b: a.width >= 0 and a.height >= 0 and b.width >= 0 and b.height >= 0)
@ensures(lambda a, b, result: result == (a.width <= b.width and a.height <= b.height
                                         or a.width <= b.height and a.height <= b.width))
def area(a: Box, b: Box) -> bool:
    return (a.width <= b.width and a.height <= b.height) or (a.width <= b.height and a.height <= b.width)
''', "return (a.width <= b.width and a.height <= b.height) or (a.width <= b.height and a.height <= b.width)",
     "return a.width * a.height <= b.width * b.height and a.width <= max(b.width, b.height)"),
    _p("light", '''
from enum import Enum

class Light(Enum):
    RED = 1
    GREEN = 2
    AMBER = 3

AFTER = {Light.RED: Light.GREEN, Light.GREEN: Light.AMBER, Light.AMBER: Light.RED}

@ensures(lambda light, result: result is AFTER[light])
def light(light: Light) -> Light:
    match light:
        case Light.RED:
            return Light.GREEN
        case Light.GREEN:
            return Light.AMBER
        case _:
            return Light.RED
''', "        case Light.GREEN:\n            return Light.AMBER\n", ""),
    _p("first_or", '''
@ensures(lambda xs, default, result: result == (xs[0] if xs else default))
def first_or(xs: list[int] | None, default: int) -> int:
    if xs is None:
        return default
    return xs[0] if len(xs) > 0 else default
''', "xs is None", "xs is None or xs[0] == 0"),
    _p("count_pairs", '''
@ensures(lambda xs, target, result: result == sum(xs[i] + xs[j] == target for i in range(len(xs)) for j in range(i)))
def count_pairs(xs: list[int], target: int) -> int:
    seen: dict[int, int] = {}
    found = 0
    for x in xs:
        found += seen.get(target - x, 0)
        seen[x] = seen.get(x, 0) + 1
    return found
''', "seen.get(x, 0) + 1", "1"),  # only with equal elements
    _p("median", '''
@ensures(lambda a, b, c, result: result == sorted([a, b, c])[1])
def median(a: int, b: int, c: int) -> int:
    if a <= b <= c or c <= b <= a:
        return b
    if b <= a <= c or c <= a <= b:
        return a
    return c
''', "c <= a <= b", "c <= a < b and b < 0"),
    _p("digits", '''
@requires(lambda n: n >= 0)
@ensures(lambda n, result: result == sum(int(c) for c in str(n)))
def digits(n: int) -> int:
    total = 0
    while n:
        total += n % 10
        n //= 10
    return total
''', "n //= 10", "n = int(n / 10)"),  # only where floats end
    _p("leap", '''
@ensures(lambda year, result: result == (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)))
def leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
''', "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)", "return year % 4 == 0 and year % 100 != 0"),
)  # fmt: skip
