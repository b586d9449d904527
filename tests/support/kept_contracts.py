# ruff: noqa: E501
"""Functions that keep their contracts, although that cannot be seen from elsewhere; each in three styles of contracts.

They use chance, clocks, state, files, identity, closures, and more memory or stack than a test may have.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """``steady``: whether all runs with an input come to the same; None where that depends on the machine."""

    name: str
    signature: str
    body: str
    ensures: tuple[str, ...]
    requires: str = ""
    before: str = ""
    raises: str = ""
    steady: bool | None = True

    def texts(self) -> dict[str, str]:
        """The program by the style of its contract."""
        names = [part.split(":")[0].strip() for part in self._parameters()]
        given, both = ", ".join(names), ", ".join(["result", *names])
        ours = [f"@requires(lambda {given}: {self.requires})"] if self.requires else []
        ours += [f"@ensures(lambda {both}: {text})" for text in self.ensures]
        ours += [f"@raises({self.raises})"] if self.raises else []
        other = [
            line.replace("@requires", "@icontract.require").replace("@ensures", "@icontract.ensure") for line in ours
        ]
        told = [f"pre: {self.requires}"] if self.requires else []
        told += [f"post: {text.replace('result', '__return__')}" for text in self.ensures]
        head = "from goedels_poetry.contracts import ensures, raises, requires"
        texts = {"ours": self._text([head], ours, []), "icontract": self._text(["import icontract"], other, [])}
        texts["docstring"] = self._text([], [], ['"""', *told, '"""'])
        return {"ours": texts["ours"]} if self.raises else texts

    def _text(self, head: list[str], decorators: list[str], docstring: list[str]) -> str:
        inside = [f"    {line}" for line in (*docstring, *self.body.split("\n"))]
        return "\n".join([*head, self.before, *decorators, f"def {self.signature}:", *inside, ""])

    def _parameters(self) -> list[str]:
        found, depth = [""], 0
        for letter in self.signature[self.signature.index("(") + 1 : self.signature.rindex(") ->")]:
            depth += (letter in "[(") - (letter in "])")
            if letter == "," and not depth:
                found.append("")
            else:
                found[-1] += letter
        return [part for part in found if part.strip()]


KEPT = [
    Kept(
        "dice", "f() -> int", "return random.randrange(6)", ("0 <= result < 6",), before="import random", steady=False
    ),
    Kept("clock", "f(x: int) -> float", "return time.time()", ("result > 0",), before="import time", steady=False),
    Kept("identity number", "f(x: int) -> int", "return id(object())", ("result > 0",), steady=None),
    Kept(
        "counter",
        "f(x: int) -> int",
        "global calls\ncalls += 1\nreturn calls",
        ("result > 0",),
        before="calls = 0",
        steady=False,
    ),
    Kept("hash order", "f(x: int) -> str", "return next(iter({'a', 'b', str(x)}))", ("result in {'a', 'b', str(x)}",)),
    Kept("hash", "f(s: str) -> int", "return hash(s) % 7", ("0 <= result < 7",)),
    Kept("pid", "f(n: int) -> int", "return os.getpid()", ("result >= 1",), before="import os"),
    Kept("cached file", "f(n: int) -> bool", "return os.path.exists('/etc') or True", ("result",), before="import os"),
    Kept("missing file", "f(n: int) -> int", "return len(open('data.txt').read())", ("result >= 0",), steady=False),
    Kept("input", "f(n: int) -> str", "return input()", ("isinstance(result, str)",), steady=False),
    Kept("identity", "f(x: list[int]) -> list[int]", "return x", ("result is x",)),
    Kept(
        "identity of elements",
        "f(xs: list[list[int]]) -> list[list[int]]",
        "return list(reversed(xs))",
        ("all(a is b for a, b in zip(result, reversed(xs)))",),
    ),
    Kept("fresh", "f(xs: list[int]) -> list[int]", "return xs[:]", ("result is not xs and result == xs",)),
    Kept(
        "nan identity",
        "f(x: int) -> list[float]",
        "n = float('nan')\nreturn [n, n]",
        ("result[0] is result[1] and result[0] in result",),
    ),
    Kept("closure", "f(n: int) -> object", "return lambda k: k + n", ("result(1) == n + 1",)),
    Kept("bound method", "f(xs: list[int]) -> object", "return xs.append", ("result.__self__ is xs",)),
    Kept(
        "defaultdict",
        "f(n: int) -> object",
        "return defaultdict(int)",
        ("result['z'] == 0 and len(result) == 1",),
        before="from collections import defaultdict",
    ),
    Kept(
        "generator",
        "f(n: int) -> object",
        "return (i * i for i in range(n))",
        ("sum(1 for each in result) == max(n, 0)",),
        requires="n < 50",
    ),
    Kept(
        "iterator twice", "f(xs: list[int]) -> object", "return iter(xs)", ("list(result) == xs", "list(result) == []")
    ),
    Kept("bool", "f(n: int) -> bool", "return n > 0", ("type(result) is bool",)),
    Kept(
        "subclass of int",
        "f(n: int) -> int",
        "return Id(n)",
        ("result == n and isinstance(result, Id) and result.half() == n // 2",),
        before="class Id(int):\n    def half(self): return self // 2",
    ),
    Kept(
        "own eq",
        "f(n: int) -> object",
        "return Mod(n)",
        ("result == Mod(n + 7)",),
        before="class Mod:\n    def __init__(self, n): self.n = n % 7\n    def __eq__(self, other): return self.n == other.n\n    def __hash__(self): return self.n",
    ),
    Kept("singleton", "f(n: int) -> object", "return NONE", ("result is NONE",), before="NONE = object()"),
    Kept("class as result", "f(n: int) -> object", "return int if n else str", ("result is (int if n else str)",)),
    Kept("exception as result", "f(n: int) -> object", "return ValueError(n)", ("result.args == (n,)",)),
    Kept("memory", "f() -> int", "return len([0] * 100000000)", ("result == 100000000",)),
    Kept("shift", "f(n: int) -> int", "return 1 << abs(n)", ("result > 0",)),
    Kept("index size", "f(n: int) -> int", "return len([0] * 10**20)", ("result == 10**20",)),
    Kept("recursion", "f(n: int) -> int", "return 0 if n <= 0 else 1 + f(n - 1)", ("result == max(n, 0)",)),
    Kept(
        "recursion deep",
        "f() -> int",
        "def g(n): return 0 if n == 0 else 1 + g(n - 1)\nreturn g(100000)",
        ("result == 100000",),
    ),
    Kept("slow", "f() -> int", "n = 0\nwhile n < 10**9:\n    n += 1\nreturn n", ("result == 10**9",)),
    Kept("big power", "f(n: int) -> int", "return 3 ** (10**8 + abs(n)) % 3", ("result == 0",)),
    Kept("mutated argument", "f(xs: list[int]) -> None", "xs.append(1)", ("result is None and xs[-1] == 1",)),
    Kept(
        "aliased arguments",
        "f(xs: list[list[int]]) -> list[list[int]]",
        "xs.append(xs[0] if xs else [])\nreturn xs",
        ("result is xs and (len(xs) == 1 or xs[0] is xs[-1])",),
    ),
    Kept(
        "thread",
        "f(n: int) -> int",
        "out = []\nt = threading.Thread(target=lambda: out.append(n))\nt.start(); t.join()\nreturn out[0]",
        ("result == n",),
        before="import threading",
        steady=None,
    ),
    Kept("complex", "f(n: int) -> complex", "return complex(n, -0.0)", ("str(result.imag) == '-0.0'",)),
    Kept(
        "self containing", "f(n: int) -> list[object]", "xs = [n]\nxs.append(xs)\nreturn xs", ("result[1] is result",)
    ),
    Kept(
        "named exception",
        "f(n: int) -> int",
        "if n < 0: raise Neg(n)\nreturn n",
        ("result >= 0",),
        before="class Neg(Exception): pass",
        raises="Neg, when=lambda n: n < 0",
    ),
    Kept("file name", "f(n: int) -> str", "return __file__", ("len(result) > 0",)),
    Kept("source", "f(n: int) -> str", "import inspect\nreturn inspect.getsource(f)", ("'inspect' in result",)),
    Kept("stdout buffer", "f(n: int) -> int", "import sys\nreturn sys.stdout.buffer.write(b'abc')", ("result == 3",)),
    Kept("stdin", "f(n: int) -> str", "import sys\nreturn sys.stdin.readline()", ("len(result) > 0",), steady=False),
    Kept("exists", "f(n: int) -> bool", "import os\nreturn os.path.exists('/home')", ("result",), steady=None),
    Kept("cpu count", "f(n: int) -> int", "import os\nreturn os.cpu_count()", ("result >= 1",)),
    Kept("numpy", "f(n: int) -> int", "import numpy_of_nowhere as np\nreturn n", ("result == n",), steady=False),
    Kept(
        "subprocess",
        "f(n: int) -> int",
        "import subprocess\nreturn subprocess.run(['true']).returncode",
        ("result == 0",),
        steady=None,
    ),
    Kept(
        "multiprocessing",
        "f(n: int) -> int",
        "import multiprocessing\nwith multiprocessing.Pool(1) as p:\n    return p.apply(abs, (n,))",
        ("result == abs(n)",),
        requires="0 <= n < 3",
        steady=None,
    ),
    Kept("sleep", "f(n: int) -> int", "import time\ntime.sleep(0.001)\nreturn n", ("result == n",)),
    Kept("refcount", "f(x: object) -> int", "import sys\nreturn sys.getrefcount(x)", ("result >= 2",), steady=None),
    Kept(
        "cache",
        "f(n: int) -> list[int]",
        "return g(n)",
        ("result is g(n)",),
        before="import functools\n@functools.cache\ndef g(n): return [n]",
    ),
    Kept("lock", "f(n: int) -> object", "import threading\nreturn threading.Lock()", ("not result.locked()",)),
    Kept("today", "f(n: int) -> int", "import datetime\nreturn datetime.date.today().year", ("result >= 2020",)),
    Kept(
        "seeded", "f(n: int) -> float", "return random.Random(n).random()", ("0 <= result < 1",), before="import random"
    ),
    Kept("urandom", "f(n: int) -> bytes", "import os\nreturn os.urandom(8)", ("len(result) == 8",), steady=False),
    Kept(
        "class state",
        "f(n: int) -> int",
        "C.n += 1\nreturn C.n",
        ("result == C.n",),
        before="class C: n = 0",
        steady=False,
    ),
    Kept("huge text", "f(n: int) -> int", "return len('x' * 10**10)", ("result == 10**10",)),
    Kept("big shift", "f(n: int) -> int", "return (1 << 10**11).bit_length()", ("result == 10**11 + 1",)),
    Kept("big factorial", "f(n: int) -> bool", "import math\nreturn math.factorial(10**6) > 0", ("result",)),
    Kept("deep nest", "f(n: int) -> object", "x = []\nfor _ in range(10**5): x = [x]\nreturn x", ("len(result) == 1",)),
    Kept(
        "eq raises",
        "f(n: int) -> object",
        "return E()",
        ("isinstance(result, E)",),
        before="class E:\n    def __eq__(self, o): raise TypeError\n    def __repr__(self): raise ValueError\n    __hash__ = None",
    ),
    Kept(
        "proxy",
        "f(xs: list[int]) -> object",
        "return W(xs)",
        ("result.inner is xs",),
        before="class W:\n    def __init__(self, inner): self.inner = inner",
    ),
    Kept(
        "enum member",
        "f(n: int) -> object",
        "return Color.RED",
        ("result is Color.RED",),
        before="from enum import Enum\nclass Color(Enum):\n    RED = 1",
    ),
    Kept("coroutine function", "f(n: int) -> object", "async def g(): return n\nreturn g", ("result.__name__ == 'g'",)),
]
