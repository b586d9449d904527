#!/usr/bin/env python3
"""Attack the translation of Python: functions whose contracts CPython breaks on one input, each with a known cause.

    python scripts/attack_python.py --programs 500 --seed 1 [--prove 10]

A table lists corners of CPython: where a value, an exception, a file or what runs on import is another one than a
plausible translation has it. Each corner is put into a contract, in a hypothesis (a ``requires`` that CPython accepts)
or in a conclusion, directly or through helpers, with the fault on one input that tests do not guess. A program counts
only if CPython breaks its contract there, with the contract library itself checking. The translation has to refuse the
file, or its theorem has to be false on that input; with ``--prove`` so many programs are also given to ``prove``.

Exit code 1 and the programs, where one is not.
"""

# ruff: noqa: E501  the programs that it makes

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.terms import Term
from goedels_poetry.python.testing.reading import decode_source
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import Translation, translate

sys.path.insert(0, str(Path(__file__).parent))
from fuzz_translation import script_value

HEAD = """import abc, contextlib, dataclasses, enum, functools, typing
from dataclasses import dataclass
from goedels_poetry.contracts import ensures, raises, requires

@dataclass(frozen=True)
class P:
    x: int
    y: int

"""
RUNNER = r"""
import json, sys, tempfile, os, importlib.util, warnings
warnings.simplefilter("ignore")
from goedels_poetry.contracts import ContractViolation
for number, line in enumerate(sys.stdin):
    case = json.loads(line)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        open(path, "wb").write(bytes.fromhex(case["source"]))
        spec = importlib.util.spec_from_file_location(f"program{number}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
            value = eval(case["argument"], module.__dict__)
            result = module.f(value)
            said = "holds"
        except ContractViolation as error:
            said = "not accepted" if "f(" in str(error) and ": requires " in str(error) else "broken"
        except Exception as error:
            said = f"broken by {type(error).__name__}" if "value" in dir() else f"not run: {error!r}"
        value = None; del value
    print(said, flush=True)
"""


@dataclass(frozen=True)
class Case:
    """A program; ``f`` of ``argument`` breaks its contract. ``callees``: what others are called with then."""

    cause: str
    source: bytes
    argument: str
    callees: dict[str, str]


@dataclass(frozen=True)
class Corner:
    """Something true in CPython at some values of ``n``, of type ``kind``: ``text`` says it, after ``prelude``."""

    cause: str
    kind: str
    pick: Callable[[random.Random], object]
    text: str
    prelude: str = ""


def _between(low: int, high: int) -> Callable[[random.Random], int]:
    return lambda r: r.randint(low, high)


def _caught(body: str, right: str, wrong: str) -> str:
    """A function that is true where ``body`` raises ``right``, and not ``wrong``."""
    lines = "\n        ".join(body.split("\n"))
    handlers = f"    except {wrong}:\n        return False\n    except {right}:\n        return True\n"
    if issubclass(__builtins_of(right), __builtins_of(wrong)):
        handlers = f"    except {right}:\n        return True\n    except {wrong}:\n        return False\n"
    return f"def g(n: int) -> bool:\n    try:\n        {lines}\n{handlers}    return False\n"


def __builtins_of(name: str) -> type:
    import builtins

    return getattr(builtins, name.split(",")[0].strip("() "))


_ERRORS = {2: "FileNotFoundError", 13: "PermissionError", 17: "FileExistsError", 20: "NotADirectoryError",
           21: "IsADirectoryError", 3: "ProcessLookupError", 4: "InterruptedError", 10: "ChildProcessError",
           11: "BlockingIOError", 32: "BrokenPipeError", 110: "TimeoutError", 104: "ConnectionResetError"}  # fmt: skip
_FAR = (-(10**12), -(10**10))
CORNERS = (
    # values that the translation does not follow
    Corner("inexact", "int", _between(*_FAR), "2 ** n < 1"),
    Corner("inexact", "int", _between(*_FAR), "pow(2, n) < 1"),
    Corner("inexact", "int", _between(*_FAR), "0 < 3 ** n < 2 or n % 3 == 5 or 3 ** n < 1"),
    Corner("inexact", "int", _between(*_FAR), "pow(3, n, 7) >= 0"),
    Corner("inexact", "int", _between(*_FAR), "pow(5, n, 1000003) * pow(5, -n, 1000003) % 1000003 == 1"),
    Corner("inexact", "int", _between(0x2FF01, 0x10FFFF), "len(chr(n)) == 1"),
    Corner("inexact", "int", _between(0xD800, 0xDFFF), "chr(n) != 'a'"),
    Corner("inexact", "int", _between(0x2FF01, 0x10FFFF), "ord(chr(n)) == n"),
    Corner("inexact", "str", lambda r: chr(r.randint(0x30000, 0x10FFFF)), "ord(n) > 200000"),
    Corner("inexact", "str", lambda r: chr(r.randint(0x30000, 0x10FFFF)) + "z", "ord(n[0]) > 200000"),
    Corner("inexact", "int", _between(*_FAR), "not g(n)", "def g(n: int) -> bool:\n    if n > -1000:\n        return n != 5\n"),
    Corner("inexact", "int", _between(*_FAR), "not g(n)", "def g(n: int) -> bool:\n    for i in range(3):\n        if n > -1000:\n            return True\n"),
    Corner("inexact", "int", _between(*_FAR), "not g(n)", "def g(n: int) -> bool:\n    match n > -1000:\n        case True:\n            return True\n"),
    Corner("inexact", "int", _between(*_FAR), "not g(n)", "def g(n: int) -> bool:\n    while n > -1000:\n        return True\n"),
    Corner("inexact", "int", _between(*_FAR), "g(n) == n", 'def g(n: int) -> int:\n    """Itself.\n\n    pre: n > 0\n    """\n    return n\n'),
    Corner("inexact", "int", _between(*_FAR), "g(n)", 'def g(n: int) -> bool:\n    """True.\n\n    pre: n > 0\n    pre: n % 2 == 0\n    """\n    return True\n'),
    # classes of patterns
    Corner("pattern", "int", _between(*_FAR), "g(n)", "def h(p: P) -> bool:\n    match p:\n        case P(1, x=1):\n            return False\n    return False\n" + _caught("h(P(1, n))", "TypeError", "ValueError")),
    Corner("pattern", "int", _between(*_FAR), "g(n)", _caught("match P(n, 7):\n    case P(a, b, y=7):\n        return False", "TypeError", "ValueError")),
    Corner("pattern", "int", _between(*_FAR), "g(n)", _caught("match P(n, 7):\n    case P(a, x=_) if a > 0:\n        return False", "TypeError", "ValueError")),
    # exceptions that change their class
    *(Corner("exception", "int", _between(*_FAR), "g(n)", _caught(f"raise {name}({number}, 'text')", right, "OSError"))
      for number, right in _ERRORS.items() for name in ("OSError", "IOError", "EnvironmentError")),
    Corner("exception", "int", _between(*_FAR), "g(n)", _caught("raise OSError(2 if n < -1000 else 13, 'text')", "FileNotFoundError", "PermissionError")),
    # integers of C
    Corner("C integer", "int", _between(2**31, 2**63), "g(n)", _caught("chr(n)", "OverflowError", "ValueError")),
    Corner("C integer", "int", _between(-(2**63), -(2**31) - 1), "g(n)", _caught("chr(n)", "OverflowError", "ValueError")),
    Corner("C integer", "int", _between(2**63, 2**66), "g(n)", _caught("xs = [1]\nxs.pop(n)", "OverflowError", "IndexError")),
    Corner("C integer", "int", _between(-(2**66), -(2**63) - 1), "g(n)", _caught("xs = [1]\nxs.pop(n)", "OverflowError", "IndexError")),
    # the contract of a callee, which is checked when it runs
    Corner("callee", "int", _between(*_FAR), "g(n)", "@ensures(lambda result: result < 0)\ndef h(n: int) -> int:\n    return -1 if n > -1000 else 1\ndef g(n: int) -> bool:\n    try:\n        return h(n) == 5\n    except AssertionError:\n        return True\n"),
    Corner("callee", "int", _between(*_FAR), "g(n)", "@raises(KeyError)\ndef h(n: int) -> int:\n    if n < -1000:\n        raise ValueError\n    return 1\ndef g(n: int) -> bool:\n    try:\n        return h(n) == 5\n    except ValueError:\n        return False\n    except AssertionError:\n        return True\n"),
    Corner("callee", "int", _between(*_FAR), "g(n)", "from goedels_poetry.contracts import invariant\n@invariant(lambda self: self.x > -1000)\n@dataclass(frozen=True)\nclass Q:\n    x: int\n" + _caught("return Q(n).x == 5", "AssertionError", "ValueError")),
    Corner("callee", "int", _between(*_FAR), "g(n)", "@requires(lambda n: n > -1000)\ndef h(n: int) -> int:\n    return 1\ndef g(n: int) -> bool:\n    try:\n        return h(n) == 5\n    except AssertionError:\n        return True\n"),
)  # fmt: skip
WHOLE = (
    ("C integer", _between(2**31, 2**66), "@raises(ValueError, when=lambda n: AT)", "if AT:\n        return len(chr(n))\n    return 0"),
    ("C integer", _between(-(2**66), -(2**31) - 1), "@raises(ValueError, when=lambda n: AT)", "if AT:\n        return len(chr(n))\n    return 0"),
    ("C integer", _between(2**63, 2**66), "@raises(IndexError, when=lambda n: AT)", "xs = [1, 2]\n    if AT:\n        return xs.pop(n)\n    return 0"),
    ("C integer", _between(-(2**66), -(2**63) - 1), "@raises(IndexError, when=lambda n: AT)", "xs = [1, 2]\n    if AT:\n        return xs.pop(n)\n    return 0"),
    ("C integer", _between(2**63, 2**66), "@ensures(lambda result: result > 0)", "xs = [1, 2]\n    if AT:\n        xs.insert(n, 3)\n    return len(xs)"),
    ("C integer", _between(-(2**66), -(2**63) - 1), "@ensures(lambda result: result > 0)", "xs = [1, 2]\n    if AT:\n        xs.insert(n, 3)\n    return len(xs)"),
    ("C integer", _between(-(2**66), -(2**63) - 1), "@ensures(lambda result: result >= 0)", "return len([0] * n) if AT else 1"),
    ("C integer", _between(-(2**66), -(2**63) - 1), "@ensures(lambda result: result >= 0)", "return len(n * [0, 1]) if AT else 1"),
    ("C integer", _between(2**63, 2**66), "@ensures(lambda result: result >= 0)", "return len([0, 1][2:] * n) if AT else 1"),
    ("C integer", _between(-(2**66), -(2**63) - 1), "@ensures(lambda result: result >= 0)", "return len('ab' * n) if AT else 1"),
    ("C integer", _between(2**63, 2**66), "@ensures(lambda result: result >= 0)", "return len(n * 'a'[1:]) if AT else 1"),
    ("inexact", _between(*_FAR), "@ensures(lambda result: result == 2)", "return len('ab'.replace('' if AT else 'a', 'x'))"),
    ("exception", _between(*_FAR), "@raises(PermissionError, when=lambda n: AT)", "if AT:\n        raise OSError(2, 'text')\n    return 1"),
    ("pattern", _between(*_FAR), "@ensures(lambda result: result > 0)", "match P(n, 1):\n        case P(a, x=b) if a + b == 1:\n            return 2\n        case P(a, 1) if AT:\n            return 3\n    return 1"),
)  # fmt: skip
"""Whole functions: the contract, and the body, with ``AT`` where they are broken."""
_EVIL = "def evil(*a, **k):\n    g.__code__ = h.__code__\n"
_METHOD = "def evil(self, *a, **k):\n    g.__code__ = h.__code__\n"
ON_IMPORT = (
    _METHOD + '@abc.ABCMeta("X", (), {"__init__": evil})\ndef main() -> None: ...\n',
    _METHOD + '@enum.EnumMeta("X", (), {"__init__": evil})\ndef main() -> None: ...\n',
    _METHOD + 'X = abc.ABCMeta("X", (), {"__init__": evil})\n@X\ndef main() -> None: ...\n',
    _METHOD + '@dataclasses.make_dataclass("X", ["a"], namespace={"__init__": evil})\ndef main() -> None: ...\n',
    _EVIL + "@functools.partial(evil)\ndef main() -> None: ...\n",
    _EVIL + "@functools.singledispatch\ndef main() -> None: ...\n@main.register(evil())\ndef other() -> None: ...\n",
    _EVIL + "@evil\ndef main() -> None: ...\n",
    _EVIL + "class A:\n    __class_getitem__ = evil\ndef main(x: A[0]) -> None: ...\n",
    _EVIL + "class A:\n    def __set_name__(self, *a): evil()\nclass B:\n    a = A()\n",
    _EVIL + "class A:\n    def __init_subclass__(cls): evil()\nclass B(A): ...\n",
    _EVIL + "class A:\n    def __mro_entries__(self, bases):\n        evil()\n        return ()\nclass B(A()): ...\n",
    _EVIL + "class M(type):\n    def __or__(self, other): evil()\nclass A(metaclass=M): ...\nX = A | None\n",
    _EVIL + "class M(type):\n    def __getattr__(self, name): evil()\nclass A(metaclass=M): ...\ndef main(x=A.b): ...\n",
    _EVIL + "class E(enum.Enum):\n    A = 1\n    def __hash__(self):\n        evil()\n        return 1\nX = {E.A: 1}\n",
    _EVIL + "class E(enum.Enum):\n    A = 1\n    def __repr__(self):\n        evil()\n        return ''\nX = f'{E.A!r}'\n",
    _EVIL + "X = sorted([1, 2], key=evil)\n",
    _EVIL + "X = [y for y in map(evil, [1])]\n",
    _EVIL + "@functools.cached_property\ndef main(): ...\n@contextlib.contextmanager\ndef other():\n    yield\nX = evil()\n",
    _EVIL + "class A:\n    def __eq__(self, other): evil()\n    def __hash__(self): evil()\nX = {A(): 1}\n",
    _EVIL + "@typing.no_type_check_decorator(evil)\ndef main() -> None: ...\n",
    _EVIL + "@typing.final\n@contextlib.ContextDecorator.__call__.__get__(evil)\ndef main() -> None: ...\n",
    _EVIL + "T = typing.NewType('T', int)(evil())\n",
    _EVIL + "assert not evil()\n",
    _EVIL + "if not evil(): ...\n",
)  # fmt: skip
_ENCODINGS = (
    "# \x1c\x1c# coding: utf-7",
    "# \x0b\x1d# coding=utf-7",
    "# \x85\n# coding: utf-7",
    "\r# coding: utf-7",
    "# \u2028 x\n# vim: set fileencoding=utf-7 :",
)


def make(r: random.Random) -> Case:
    """A program by chance."""
    which = r.random()
    if which < 0.15:
        return _imported(r)
    if which < 0.2:
        return _encoded(r)
    factor = r.randrange(10**5, 10**7) | 1
    if which < 0.35:
        cause, pick, contract, body = r.choice(WHOLE)
        number = pick(r)
        text = f"{HEAD}{contract}\ndef f(n: int) -> int:\n    {body}\n".replace(
            "AT", f"n * {factor} == {number * factor}"
        )
        return Case(cause, text.encode(), str(number), {})
    cause = r.choice(sorted({c.cause for c in CORNERS}))
    corner = r.choice([c for c in CORNERS if c.cause == cause])
    value = corner.pick(r)
    at = f"n * {factor} == {value * factor}" if isinstance(value, int) else f"n == {value!r}"
    text, prelude = corner.text, corner.prelude
    for _ in range(r.choice((0, 0, 1, 2))):  # through helpers
        name = f"helper{prelude.count('def helper')}"
        body = r.choice(
            (
                f"return {text}",
                f"if {text}:\n        return True\n    return False",
                f"return True if {text} else False",
            )
        )
        prelude += f"def {name}(n: {corner.kind}) -> bool:\n    {body}\n"
        text = f"{name}(n)"
    near = "5" if corner.kind == "int" else "'five'"
    if r.random() < 0.5:
        text = r.choice((f"n == {near} or ({at} and {text})", f"n == {near} if not {at} else {text}", f"{text} if {at} else n == {near}",
                         f"any(n == {near} or ({at} and {text}) for _ in range(1))", f"not (n != {near} and not ({at} and {text}))"))  # fmt: skip
        source = f"{HEAD}{prelude}@requires(lambda n: {text})\n@ensures(lambda result: result == {near})\ndef f(n: {corner.kind}) -> {corner.kind}:\n    return n\n"
    else:
        body = r.choice(
            (
                f"if {at}:\n        return {text}\n    return False",
                f"return {at} and {text}",
                f"return ({text}) if {at} else False",
            )
        )
        source = f"{HEAD}{prelude}@ensures(lambda result: not result)\ndef f(n: {corner.kind}) -> bool:\n    {body}\n"
    return Case(corner.cause, source.encode("utf-8", "surrogatepass"), repr(value), {"h": repr(value)})


def _imported(r: random.Random) -> Case:
    value, factor = r.randrange(10**9, 10**12), r.randrange(10**5, 10**7) | 1
    pair = f"def g(n: int) -> int:\n    return 3\ndef h(n: int) -> int:\n    return 4 if n * {factor} == {value * factor} else 3\n"
    contract = "@ensures(lambda result: result == 3)\ndef f(n: int) -> int:\n    return g(n)\n"
    return Case("import", f"{HEAD}{pair}{r.choice(ON_IMPORT)}{contract}".encode(), str(value), {})


def _encoded(r: random.Random) -> Case:
    value, factor = r.randrange(10**9, 10**12), r.randrange(10**5, 10**7) | 1
    text = f"{r.choice(_ENCODINGS)}\n{HEAD}@ensures(lambda result: result == 3)\ndef f(n: int) -> int:\n    x = 3 # +AAo    x +AD0 4 if n * {factor} +AD0APQ {value * factor} else 3\n    return x\n"
    return Case("encoding", text.encode(), str(value), {})


def judged(case: Case) -> str:
    """refused, false (the theorem, on this input), undecided; or WRONG: it is true there."""
    try:
        translation = translate(read_program(decode_source(case.source)), "f")
    except (OutsideFragment, PythonFault):
        return "refused"
    problem = parse_problem(translation.text)
    evaluator = Evaluator(problem.signature, fuel=60_000)
    parts = problem.goal.args if problem.goal.name == "and" and not problem.goal.binders else (problem.goal,)
    try:
        values = [_value(translation, evaluator, part, case) for part in parts]
    except Undecided:
        return "undecided"
    return "false" if False in values else "WRONG"


def _value(translation: Translation, evaluator: Evaluator, part: Term, case: Case) -> object:
    """The value of a part of the theorem on the input; parts about callees have variables called ``callee.name``."""
    owner = next((b.name.partition(".")[0] for b in part.binders if "." in b.name), "")
    if owner and owner not in case.callees:
        return True
    (_, kind), *_ = translation.parameters
    argument = script_value(translation.registry, kind, case.callees.get(owner, case.argument))
    return evaluator.value(part.body if part.binders else part, dict.fromkeys(part.binders, argument))


def attack(seed: int, programs: int) -> tuple[Counter[str], list[tuple[Case, str]]]:
    """What became of random programs, by cause; and those whose false contract has a true theorem."""
    counts: Counter[str] = Counter()
    wrong: list[tuple[Case, str]] = []
    command = [sys.executable, "-c", RUNNER]
    runner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert runner.stdin is not None and runner.stdout is not None
    for number in range(programs):
        case = make(random.Random(f"{seed}-{number}"))
        runner.stdin.write(json.dumps({"source": case.source.hex(), "argument": case.argument}) + "\n")
        runner.stdin.flush()
        theirs = runner.stdout.readline().strip()
        if not theirs.startswith("broken"):
            counts[f"{case.cause}: not broken by CPython"] += 1
            continue
        ours = judged(case)
        counts[f"{case.cause}: {ours}"] += 1
        if ours == "WRONG":
            wrong.append((case, theirs))
    runner.communicate()
    return counts, wrong


def proved(cases: list[Case], seconds: int = 10) -> list[Case]:
    """Those of which ``prove`` says proved or inconsistent."""
    found = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "attack.py"
            path.write_bytes(case.source)
            command = [
                sys.executable,
                "-m",
                "goedels_poetry",
                "prove",
                f"{path}:f",
                "--json",
                "--fresh",
                "--timeout",
                f"{seconds}s",
            ]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if any(
                json.loads(line)["verdict"] in ("proved", "inconsistent")
                for line in ran.stdout.splitlines()
                if line.startswith("{")
            ):
                found.append(case)
    return found


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=int, default=5, help="programs that are printed, of each cause")
    parser.add_argument("--prove", type=int, default=0, help="so many programs are given to `prove` as well")
    given = parser.parse_args()
    began = time.monotonic()
    counts, wrong = attack(given.seed, given.programs)
    for what, count in sorted(counts.items()):
        print(f"{count:8} {what}")
    print(f"{given.programs / (time.monotonic() - began) * 3600:8.0f} programs an hour")
    printed: Counter[str] = Counter()
    for case, theirs in wrong:
        printed[case.cause] += 1
        if printed[case.cause] <= given.keep:
            print(
                f"# {case.cause}; f({case.argument}) is {theirs}\n{case.source.decode('utf-8', 'surrogatepass').removeprefix(HEAD)}"
            )
    ours = proved([make(random.Random(f"{given.seed}-{n}")) for n in range(given.prove)])
    for case in ours:
        print(f"# PROVED by `prove`, {case.cause}; f({case.argument})\n{case.source.decode('utf-8', 'surrogatepass')}")
    return 1 if wrong or ours else 0


if __name__ == "__main__":
    sys.exit(main())
