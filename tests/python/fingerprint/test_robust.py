"""Texts of hostile users: disguises change nothing, and nothing that is read is run."""

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.fingerprint.classify import fingerprint

RECURSION = "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\n"


# ruff: noqa: E501  one text a line
@pytest.mark.parametrize(
    "disguise",
    [
        "from functools import lru_cache  # memoised\n" + RECURSION,
        'def f(n):\n    """Iterative dynamic programming."""\n    return 1 if n < 2 else n * f(n - 1)\n',
        "def f(n):\n    for _ in range(1):\n        return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    while True:\n        return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    memo = {}\n    memo[n] = 1\n    return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    g = f\n    return 1 if n < 2 else n * g(n - 1)\n",
        "def f(n):\n    def go(k):\n        return 1 if k < 2 else k * go(k - 1)\n    return go(n)\n",
        "def f(n):\n    return A().b(n)\nclass A:\n    def b(self, n):\n        return 1 if n < 2 else n * self.b(n - 1)\n",
        "def f(n):\n    return h(n)\ndef h(n):\n    return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    if n != n:\n        for i in range(n):\n            n *= i\n    return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return 1 if n < 2 else n * f(n - 1)\n",
        "def f(n):\n    return 1 if n < 2 else n * globals()['f'](n - 1)\n",
        "def f(n):\n    return (lambda s, k: s(s, k))(lambda s, k: 1 if k < 2 else k * s(s, k - 1), n)\n",
        "def f(n):\n    try:\n        return 1 if n < 2 else n * f(n - 1)\n    except RecursionError:\n        raise\n",
    ],
)
def test_a_recursion_stays_one_whatever_is_put_around_it(disguise):
    assert fingerprint(disguise, "f").text == "recursion"


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("def g(n):\n    return g(n - 1)\ndef f(n):\n    return n * (n + 1) // 2\n", "closed form"),
        ("def f(n):\n    def unused(k):\n        return unused(k - 1)\n    return n + 1\n", "closed form"),
        ("def f(n):\n    return n + 1\n    while n:\n        n -= 1\n", "closed form"),
        ("def f(n):\n    assert all(isinstance(x, int) for x in [n])\n    return n * 2\n", "closed form"),
        ("def f(xs):\n    for x in xs:\n        print(x)\n    return sum(xs)\n", "library call"),
        (
            "def f(xs):\n    for x in xs:\n        if x < 0:\n            raise ValueError\n    return sum(xs)\n",
            "library call",
        ),
        (
            "def f(n: int, memo: dict = {}) -> int:\n    r = 1\n    while n:\n        r, n = r * n, n - 1\n    return r\n",
            "iteration",
        ),
        ("async def f(xs):\n    async for x in xs:\n        yield x\n", "iteration"),
    ],
)
def test_what_does_not_take_part_in_the_result_does_not_count(text, strategy):
    assert fingerprint(text, "f").strategy == strategy


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("def f(:\n", "f", "not Python"),
        ("def fact(n): return 1\n", "fct", "there is no function 'fct'"),
        ("", "f", "there is no function"),
        ("def f():\n    return " + "(" * 5000 + ")" * 5000, "f", ""),
        ("def f(): return " + "+".join(["1"] * 30000), "f", ""),
        ("\0", "f", "not Python"),
        ("x = 1\n" * 20_000, "f", "characters"),
        ("".join(f"def g{k}(n):\n    return g{k + 1}(n)\n" for k in range(999)), "g0", "entangled"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text, name, words):
    with pytest.raises(InvalidInput) as caught:
        fingerprint(text, name)
    assert words in str(caught.value)


def test_reading_runs_nothing(tmp_path):
    mark = tmp_path / "mark"
    text = f"open({str(mark)!r}, 'w').close()\ndef f(n=open({str(mark)!r}, 'w')):\n    return n\n"
    assert fingerprint(text, "f").strategy == "closed form"
    assert not mark.exists()
