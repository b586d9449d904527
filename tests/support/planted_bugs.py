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


SAMPLE = (
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
    _p("mean_floor", '''
@requires(lambda xs: len(xs) > 0)
@ensures(lambda xs, result: result * len(xs) <= sum(xs) < (result + 1) * len(xs))
def mean_floor(xs: list[int]) -> int:
    return sum(xs) // len(xs)
''', "sum(xs) // len(xs)", "int(sum(xs) / len(xs))"),  # truncates where it should floor
    _p("appended", '''
@ensures(lambda xs, x, result: len(result) == len(xs) + 1 and result[-1] == x)
def appended(xs: list[int], x: int) -> list[int]:
    out = list(xs)
    out.append(x)
    return out
''', "list(xs)", "xs"),  # aliasing: the caller's list is changed
    _p("countdown", '''
@ensures(lambda n, result: result == max(n, 0))
def countdown(n: int) -> int:
    if n <= 0:
        return 0
    return 1 + countdown(n - 1)
''', "n <= 0", "n == 0"),  # endless recursion below zero
    _p("cheap", '''
@requires(lambda n: n >= 0)
@ensures(lambda n, result: result == (n * 5 if n < 97 else n * 4))
def cheap(n: int) -> int:
    return n * 5 if n < 97 else n * 4
''', "return n * 5 if n < 97", "return n * 5 if n <= 97"),  # only at 97
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
    _p("collect", '''
@ensures(lambda x, result: result == [x])
def collect(x: int) -> list[int]:
    found: list[int] = []
    found.append(x)
    return found
''', "def collect(x: int) -> list[int]:\n    found: list[int] = []\n", "def collect(x: int, found=[]):\n"),
)  # fmt: skip
"""One of a kind: equals, floor, alias, no end, a large constant, bound, default."""
RIGHT = (
    _p("sorted_insert", '''
@requires(lambda xs, x: all(a <= b for a, b in zip(xs, xs[1:])))
@ensures(lambda xs, x, result: sorted(xs + [x]) == result)
def sorted_insert(xs: list[int], x: int) -> list[int]:
    for i, y in enumerate(xs):
        if x <= y:
            return xs[:i] + [x] + xs[i:]
    return xs + [x]
''', "    return xs + [x]\n", "    return [x] + xs\n"),
    _p("at", '''
@requires(lambda xs, i: 0 <= i < len(xs))
@ensures(lambda xs, i, result: result == xs[len(xs) - 1 - i])
def at(xs: list[int], i: int) -> int:
    return xs[-1 - i]
''', "xs[-1 - i]", "xs[-i]"),
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
)  # fmt: skip
"""With preconditions that few inputs satisfy, and with a class."""
