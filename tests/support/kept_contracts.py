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
    Kept(
        "choice",
        "f(xs: list[int]) -> int",
        "return random.choice(xs)",
        ("result in xs",),
        requires="len(xs) > 0",
        before="import random",
        steady=False,
    ),
    Kept(
        "shuffle",
        "f(xs: list[int]) -> list[int]",
        "ys = xs[:]\nrandom.shuffle(ys)\nreturn ys",
        ("sorted(result) == sorted(xs)",),
        before="import random",
        steady=False,
    ),
    Kept(
        "float chance",
        "f(x: int) -> float",
        "return x + random.random()",
        ("x <= result < x + 1.0000001",),
        requires="abs(x) < 100",
        before="import random",
        steady=False,
    ),
    Kept("clock", "f(x: int) -> float", "return time.time()", ("result > 0",), before="import time", steady=False),
    Kept(
        "perf",
        "f(x: int) -> float",
        "a = time.perf_counter()\nreturn time.perf_counter() - a",
        ("result >= 0",),
        before="import time",
        steady=False,
    ),
    Kept("identity number", "f(x: int) -> int", "return id(object())", ("result > 0",), steady=None),
    Kept(
        "uuid",
        "f(x: int) -> str",
        "return str(uuid.uuid4())",
        ("len(result) == 36",),
        before="import uuid",
        steady=False,
    ),
    Kept(
        "counter",
        "f(x: int) -> int",
        "global calls\ncalls += 1\nreturn calls",
        ("result > 0",),
        before="calls = 0",
        steady=False,
    ),
    Kept(
        "itertools counter",
        "f(x: int) -> int",
        "return next(ids)",
        ("result >= 0",),
        before="import itertools\nids = itertools.count()",
        steady=False,
    ),
    Kept("hash order", "f(x: int) -> str", "return next(iter({'a', 'b', str(x)}))", ("result in {'a', 'b', str(x)}",)),
    Kept("hash", "f(s: str) -> int", "return hash(s) % 7", ("0 <= result < 7",)),
    Kept(
        "secrets",
        "f(n: int) -> str",
        "return secrets.token_hex(4)",
        ("len(result) == 8",),
        before="import secrets",
        steady=False,
    ),
    Kept("pid", "f(n: int) -> int", "return os.getpid()", ("result >= 1",), before="import os"),
    Kept(
        "home",
        "f(n: int) -> str",
        "return os.environ['GOEDEL_USER']",
        ("len(result) > 0",),
        before="import os",
        steady=False,
    ),
    Kept("cached file", "f(n: int) -> bool", "return os.path.exists('/etc') or True", ("result",), before="import os"),
    Kept("missing file", "f(n: int) -> int", "return len(open('data.txt').read())", ("result >= 0",), steady=False),
    Kept("input", "f(n: int) -> str", "return input()", ("isinstance(result, str)",), steady=False),
    Kept("identity", "f(x: list[int]) -> list[int]", "return x", ("result is x",)),
    Kept("identity of any", "f(x: object) -> object", "return x", ("result is x",)),
    Kept("identity of tuple", "f(x: tuple[int, ...]) -> tuple[int, ...]", "return x", ("result is x",)),
    Kept("identity of float", "f(x: float) -> float", "return x", ("result is x",)),
    Kept("identity of big", "f(x: int) -> list[int]", "return [x + 10**30, x]", ("result[1] is x",)),
    Kept(
        "identity of elements",
        "f(xs: list[list[int]]) -> list[list[int]]",
        "return list(reversed(xs))",
        ("all(a is b for a, b in zip(result, reversed(xs)))",),
    ),
    Kept("fresh", "f(xs: list[int]) -> list[int]", "return xs[:]", ("result is not xs and result == xs",)),
    Kept("nan", "f(x: int) -> float", "return float('nan')", ("result != result",)),
    Kept(
        "nan identity",
        "f(x: int) -> list[float]",
        "n = float('nan')\nreturn [n, n]",
        ("result[0] is result[1] and result[0] in result",),
    ),
    Kept("closure", "f(n: int) -> object", "return lambda k: k + n", ("result(1) == n + 1",)),
    Kept(
        "closure pair",
        "f(n: int) -> object",
        "def g():\n    return n\ndef h():\n    return g\nreturn g, h",
        ("result[1]() is result[0] and result[0]() == n",),
    ),
    Kept(
        "partial",
        "f(n: int) -> object",
        "return functools.partial(pow, n)",
        ("result(2) == n * n",),
        before="import functools",
    ),
    Kept("bound method", "f(xs: list[int]) -> object", "return xs.append", ("result.__self__ is xs",)),
    Kept(
        "defaultdict",
        "f(n: int) -> object",
        "return defaultdict(int)",
        ("result['z'] == 0 and len(result) == 1",),
        before="from collections import defaultdict",
    ),
    Kept(
        "defaultdict of lists",
        "f(xs: list[int]) -> object",
        "d = defaultdict(list)\nfor x in xs:\n    d[x % 2].append(x)\nreturn d",
        ("result[7] == [] and sum(map(len, result.values())) == len(xs)",),
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
        "infinite generator",
        "f(n: int) -> object",
        "return itertools.count(n)",
        ("next(result) == n and next(result) == n + 1",),
        before="import itertools",
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
        "subclass of str",
        "f(s: str) -> str",
        "return Tag(s)",
        ("result == s and type(result).__name__ == 'Tag'",),
        before="class Tag(str): pass",
    ),
    Kept(
        "own eq",
        "f(n: int) -> object",
        "return Mod(n)",
        ("result == Mod(n + 7)",),
        before="class Mod:\n    def __init__(self, n): self.n = n % 7\n    def __eq__(self, other): return self.n == other.n\n    def __hash__(self): return self.n",
    ),
    Kept(
        "own pickle",
        "f(n: int) -> object",
        "return P(n)",
        ("result.n == n",),
        before="class P:\n    def __init__(self, n): self.n = n\n    def __reduce__(self): raise TypeError\n    def __getstate__(self): return {}",
    ),
    Kept(
        "property",
        "f(n: int) -> object",
        "return B(n)",
        ("result.twice == 2 * n",),
        before="class B:\n    __slots__ = ('_n',)\n    def __init__(self, n): self._n = n\n    @property\n    def twice(self): return 2 * self._n",
    ),
    Kept("singleton", "f(n: int) -> object", "return NONE", ("result is NONE",), before="NONE = object()"),
    Kept("class as result", "f(n: int) -> object", "return int if n else str", ("result is (int if n else str)",)),
    Kept("module", "f(n: int) -> object", "return math", ("result.pi > 3",), before="import math"),
    Kept("exception as result", "f(n: int) -> object", "return ValueError(n)", ("result.args == (n,)",)),
    Kept(
        "regex",
        "f(s: str) -> object",
        "return re.match('a*', s)",
        ("result.group() == s[:len(result.group())]",),
        before="import re",
    ),
    Kept("memory", "f() -> int", "return len([0] * 100000000)", ("result == 100000000",)),
    Kept(
        "memory caught",
        "f() -> int",
        "try:\n    return len([0] * 200000000)\nexcept MemoryError:\n    return -1",
        ("result > 0",),
        steady=False,
    ),
    Kept("shift", "f(n: int) -> int", "return 1 << abs(n)", ("result > 0",)),
    Kept(
        "shift far",
        "f(n: int) -> int",
        "return (1 << (n * n * 10**16)).bit_length()",
        ("result > 0",),
        requires="n == 0 or n > 100",
    ),
    Kept("long text", "f(n: int) -> int", "return len('ab' * (2**61 + abs(n)))", ("result > 0",)),
    Kept("index size", "f(n: int) -> int", "return len([0] * 10**20)", ("result == 10**20",)),
    Kept("recursion", "f(n: int) -> int", "return 0 if n <= 0 else 1 + f(n - 1)", ("result == max(n, 0)",)),
    Kept(
        "recursion deep",
        "f() -> int",
        "def g(n): return 0 if n == 0 else 1 + g(n - 1)\nreturn g(100000)",
        ("result == 100000",),
    ),
    Kept(
        "recursion caught",
        "f() -> int",
        "def g(n): return 0 if n == 0 else 1 + g(n - 1)\ntry:\n    return g(100000)\nexcept RecursionError:\n    return -1",
        ("result == 100000",),
        steady=False,
    ),
    Kept("slow", "f() -> int", "n = 0\nwhile n < 10**9:\n    n += 1\nreturn n", ("result == 10**9",)),
    Kept("big power", "f(n: int) -> int", "return 3 ** (10**8 + abs(n)) % 3", ("result == 0",)),
    Kept("mutated argument", "f(xs: list[int]) -> None", "xs.append(1)", ("result is None and xs[-1] == 1",)),
    Kept("cleared", "f(xs: list[int]) -> int", "n = len(xs)\nxs.clear()\nreturn n", ("xs == [] and result >= 0",)),
    Kept(
        "aliased arguments",
        "f(xs: list[list[int]]) -> list[list[int]]",
        "xs.append(xs[0] if xs else [])\nreturn xs",
        ("result is xs and (len(xs) == 1 or xs[0] is xs[-1])",),
    ),
    Kept(
        "sentinel default",
        "f(n: int, d: object = MISSING) -> bool",
        "return d is MISSING",
        ("result == (d is MISSING)",),
        before="MISSING = object()",
    ),
    Kept(
        "weak",
        "f(n: int) -> object",
        "return weakref.ref(KEEP)",
        ("result() is KEEP",),
        before="import weakref\nclass K: pass\nKEEP = K()",
    ),
    Kept(
        "thread",
        "f(n: int) -> int",
        "out = []\nt = threading.Thread(target=lambda: out.append(n))\nt.start(); t.join()\nreturn out[0]",
        ("result == n",),
        before="import threading",
        steady=None,
    ),
    Kept(
        "decimal context",
        "f(n: int) -> object",
        "return Decimal(n) / 3",
        ("abs(result * 3 - n) < 1",),
        requires="abs(n) < 10**6",
        before="from decimal import Decimal",
    ),
    Kept("complex", "f(n: int) -> complex", "return complex(n, -0.0)", ("str(result.imag) == '-0.0'",)),
    Kept(
        "dict views",
        "f(d: dict[str, int]) -> object",
        "return d.keys()",
        ("result == d.keys() and len(result) == len(d)",),
    ),
    Kept("memoryview", "f(n: int) -> object", "return memoryview(b'abc')", ("result[0] == 97",)),
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
    Kept("exception subclass", "f(n: int) -> int", "return [1, 2][n]", ("result in (1, 2)",), raises="LookupError"),
    Kept(
        "frozen",
        "f(n: int) -> object",
        "return types.MappingProxyType({n: n})",
        ("result[n] == n",),
        before="import types",
    ),
    Kept("file name", "f(n: int) -> str", "return __file__", ("len(result) > 0",)),
    Kept(
        "file name below",
        "f(n: int) -> str",
        "import os\nreturn os.path.basename(__file__)",
        ("isinstance(result, str)",),
    ),
    Kept("source", "f(n: int) -> str", "import inspect\nreturn inspect.getsource(f)", ("'inspect' in result",)),
    Kept("frame", "f(n: int) -> str", "import sys\nreturn sys._getframe().f_code.co_name", ("result == 'f'",)),
    Kept("stdout buffer", "f(n: int) -> int", "import sys\nreturn sys.stdout.buffer.write(b'abc')", ("result == 3",)),
    Kept("stdout number", "f(n: int) -> int", "import sys\nreturn sys.stdout.fileno()", ("result >= 0",)),
    Kept("stdin", "f(n: int) -> str", "import sys\nreturn sys.stdin.readline()", ("len(result) > 0",), steady=False),
    Kept("stdin encoding", "f(n: int) -> str", "import sys\nreturn sys.stdin.encoding", ("len(result) > 0",)),
    Kept("exists", "f(n: int) -> bool", "import os\nreturn os.path.exists('/home')", ("result",), steady=None),
    Kept(
        "path exists",
        "f(n: int) -> bool",
        "from pathlib import Path\nreturn Path('pyproject.toml').exists()",
        ("result",),
        steady=False,
    ),
    Kept(
        "which",
        "f(n: int) -> object",
        "import shutil\nreturn shutil.which('bash')",
        ("result is not None",),
        steady=None,
    ),
    Kept("cpu count", "f(n: int) -> int", "import os\nreturn os.cpu_count()", ("result >= 1",)),
    Kept("user", "f(n: int) -> str", "import getpass\nreturn getpass.getuser()", ("len(result) > 0",), steady=None),
    Kept("numpy", "f(n: int) -> int", "import numpy_of_nowhere as np\nreturn n", ("result == n",), steady=False),
    Kept(
        "numpy or not",
        "f(n: int) -> str",
        "try:\n    import numpy_of_nowhere\nexcept ImportError:\n    return 'slow'\nreturn 'fast'",
        ("result == 'fast'",),
        steady=False,
    ),
    Kept(
        "subprocess",
        "f(n: int) -> int",
        "import subprocess\nreturn subprocess.run(['true']).returncode",
        ("result == 0",),
        steady=None,
    ),
    Kept(
        "asyncio",
        "f(n: int) -> int",
        "import asyncio\nasync def g(): return n\nreturn asyncio.run(g())",
        ("result == n",),
        steady=None,
    ),
    Kept(
        "temp file",
        "f(s: str) -> str",
        "import tempfile\nwith tempfile.TemporaryFile('w+') as t:\n    t.write('a')\n    t.seek(0)\n    return t.read()",
        ("result == 'a'",),
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
    Kept(
        "sqlite",
        "f(n: int) -> int",
        "import sqlite3\nreturn sqlite3.connect(':memory:').execute('select 1').fetchone()[0]",
        ("result == 1",),
    ),
    Kept("sleep", "f(n: int) -> int", "import time\ntime.sleep(0.001)\nreturn n", ("result == n",)),
    Kept("refcount", "f(x: object) -> int", "import sys\nreturn sys.getrefcount(x)", ("result >= 2",), steady=None),
    Kept("getsizeof", "f(n: int) -> int", "import sys\nreturn sys.getsizeof(n)", ("result > 0",)),
    Kept(
        "deepcopy",
        "f(xs: list[list[int]]) -> list[list[int]]",
        "import copy\nreturn copy.deepcopy(xs)",
        ("result == xs and all(a is not b for a, b in zip(result, xs))",),
    ),
    Kept(
        "pickle",
        "f(n: int) -> object",
        "import pickle\nreturn pickle.loads(pickle.dumps(Q(n)))",
        ("result.n == n",),
        before="class Q:\n    def __init__(self, n): self.n = n",
    ),
    Kept(
        "cache",
        "f(n: int) -> list[int]",
        "return g(n)",
        ("result is g(n)",),
        before="import functools\n@functools.cache\ndef g(n): return [n]",
    ),
    Kept("lock", "f(n: int) -> object", "import threading\nreturn threading.Lock()", ("not result.locked()",)),
    Kept(
        "context variable",
        "f(n: int) -> int",
        "V.set(n)\nreturn V.get()",
        ("result == n == V.get()",),
        before="import contextvars\nV = contextvars.ContextVar('v')",
    ),
    Kept(
        "decorated",
        "f(n: int) -> int",
        "return n",
        ("result == n",),
        before="def quiet(g):\n    def inner(*a, **k): return g(*a, **k)\n    return inner",
    ),
    Kept("today", "f(n: int) -> int", "import datetime\nreturn datetime.date.today().year", ("result >= 2020",)),
    Kept(
        "now",
        "f(n: int) -> object",
        "import datetime\nreturn datetime.datetime.now()",
        ("result <= datetime.datetime.now()",),
        before="import datetime",
        steady=False,
    ),
    Kept(
        "sample",
        "f(n: int) -> list[int]",
        "return random.sample(range(100), 5)",
        ("len(set(result)) == 5",),
        before="import random",
        steady=False,
    ),
    Kept(
        "seeded", "f(n: int) -> float", "return random.Random(n).random()", ("0 <= result < 1",), before="import random"
    ),
    Kept(
        "gauss",
        "f(n: int) -> float",
        "return random.gauss(0, 1)",
        ("isinstance(result, float)",),
        before="import random",
        steady=False,
    ),
    Kept(
        "system random",
        "f(n: int) -> int",
        "return random.SystemRandom().randint(1, 3)",
        ("result in (1, 2, 3)",),
        before="import random",
        steady=False,
    ),
    Kept("urandom", "f(n: int) -> bytes", "import os\nreturn os.urandom(8)", ("len(result) == 8",), steady=False),
    Kept("set of objects", "f(n: int) -> object", "return list({object(), object()})[0]", ("result is not None",)),
    Kept("repr of object", "f(n: int) -> str", "return repr(object())", ("result.startswith('<object')",), steady=None),
    Kept(
        "class state",
        "f(n: int) -> int",
        "C.n += 1\nreturn C.n",
        ("result == C.n",),
        before="class C: n = 0",
        steady=False,
    ),
    Kept(
        "memo",
        "f(n: int) -> int",
        "memo.setdefault(n, len(memo))\nreturn memo[n]",
        ("result == memo[n]",),
        before="memo = {}",
    ),
    Kept(
        "round robin",
        "f(n: int) -> str",
        "return next(it)",
        ("result in 'abc'",),
        before="import itertools\nit = itertools.cycle('abc')",
        steady=False,
    ),
    Kept("huge text", "f(n: int) -> int", "return len('x' * 10**10)", ("result == 10**10",)),
    Kept(
        "huge range",
        "f(n: int) -> int",
        "return sum(1 for _ in range(10**10)) if n == 2 else n",
        ("result in (n, 10**10)",),
    ),
    Kept(
        "huge list of lists", "f(n: int) -> int", "return len([[0] * 1000 for _ in range(10**6)])", ("result == 10**6",)
    ),
    Kept(
        "mutual recursion",
        "f(n: int) -> bool",
        "def even(k): return k == 0 or odd(k - 1)\ndef odd(k): return k != 0 and even(k - 1)\nreturn even(10**5)",
        ("result",),
    ),
    Kept(
        "set limit",
        "f(n: int) -> int",
        "import sys\nsys.setrecursionlimit(10**4)\ndef g(k): return 0 if k == 0 else 1 + g(k - 1)\nreturn g(5000)",
        ("result == 5000",),
    ),
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
        "bool raises",
        "f(n: int) -> object",
        "return E()",
        ("type(result) is E",),
        before="class E:\n    def __bool__(self): raise TypeError\n    def __getattr__(self, n): raise RuntimeError(n)",
    ),
    Kept(
        "proxy",
        "f(xs: list[int]) -> object",
        "return W(xs)",
        ("result.inner is xs",),
        before="class W:\n    def __init__(self, inner): self.inner = inner",
    ),
    Kept(
        "slots dataclass",
        "f(n: int) -> object",
        "return D(n)",
        ("result == D(n) and result is not D(n)",),
        before="from dataclasses import dataclass\n@dataclass(slots=True)\nclass D:\n    n: int",
    ),
    Kept(
        "namedtuple",
        "f(n: int) -> object",
        "return P(n, n)",
        ("result == (n, n) and type(result) is P",),
        before="from collections import namedtuple\nP = namedtuple('P', 'a b')",
    ),
    Kept(
        "enum member",
        "f(n: int) -> object",
        "return Color.RED",
        ("result is Color.RED",),
        before="from enum import Enum\nclass Color(Enum):\n    RED = 1",
    ),
    Kept(
        "flag",
        "f(n: int) -> object",
        "return Perm.R | Perm.W",
        ("Perm.R in result",),
        before="from enum import Flag\nclass Perm(Flag):\n    R = 1\n    W = 2",
    ),
    Kept(
        "counter again",
        "f(xs: list[int]) -> object",
        "return Counter(xs)",
        ("result[10**9] == xs.count(10**9)",),
        before="from collections import Counter",
    ),
    Kept(
        "chainmap",
        "f(n: int) -> object",
        "return ChainMap({n: 1}, {n: 2})",
        ("result[n] == 1",),
        before="from collections import ChainMap",
    ),
    Kept(
        "array",
        "f(n: int) -> object",
        "return array('i', [1, 2])",
        ("result[1] == 2 and result.typecode == 'i'",),
        before="from array import array",
    ),
    Kept("zip", "f(xs: list[int]) -> object", "return zip(xs, xs)", ("all(a is b for a, b in result)",)),
    Kept("coroutine function", "f(n: int) -> object", "async def g(): return n\nreturn g", ("result.__name__ == 'g'",)),
]
