"""Programs that were made to have a false contract proved: by names that come to mean something else, by code that
runs on import, by the order of exceptions. Each is refused, in one line."""

from __future__ import annotations

import pytest

from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate

ATTACKS = {
    "a lambda that mentions a parameter that it does not take": """
from goedels_poetry.contracts import requires, ensures, raises
y = 0
@ensures(lambda result: result == y)
def f(y: int) -> int:
    return y
""",
    "a lambda that mentions a result that it does not take": """
from goedels_poetry.contracts import requires, ensures, raises
result = 5
@ensures(lambda x: result == x)
def f(x: int) -> int:
    return x
""",
    "post of deal with the name of a parameter": """
import deal
@deal.pre(lambda x: x >= 0)
@deal.post(lambda x: x >= 0)
def f(x: int) -> int:
    return -x - 1
""",
    "deal passes arguments by position": """
import deal
@deal.pre(lambda b, a: b > a)
@deal.ensure(lambda a, b, result: result > 0)
def f(a: int, b: int) -> int:
    return b - a
""",
    "a parameter called result": """
import deal
@deal.ensure(lambda _: _.result > 0)
def f(result: int) -> int:
    return 1
""",
    "an annotation that calls": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
def g(x: patch()) -> int:
    return 1
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "an annotation that binds len": """
from goedels_poetry.contracts import requires, ensures, raises
def g(x: (len := (lambda v: 7))) -> int:
    return 1
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a decorator of a class that calls": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
@patch
class A:
    pass
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a base that is computed": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
class A(patch() or object):
    pass
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a metaclass": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
class A(metaclass=patch):
    pass
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "an enumeration with an __init__": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
from enum import Enum
class A(Enum):
    X = 1
    def __init__(self, v):
        sys.modules['builtins'].len = lambda x: 7
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "functools.partial as a decorator": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
import functools
@functools.partial(patch)
def g():
    pass
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a message that is computed": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
@ensures(lambda xs, result: result >= 0, message=patch())
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "the other branch of the main guard": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
if __name__ == '__main__':
    pass
else:
    patch()
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a module that is called __main__": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
__name__ = '__main__'
if __name__ == '__main__':
    patch()
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "an annotation of a module variable": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
z: patch() = 3
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "an annotation of a class variable": """
from goedels_poetry.contracts import requires, ensures, raises
import sys
def patch(*a):
    sys.modules['builtins'].len = lambda x: 7
    return ''
class A:
    x: patch() = 3
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a module imported as __builtins__": """
from goedels_poetry.contracts import requires, ensures, raises
import math as __builtins__
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "a function called __builtins__": """
from goedels_poetry.contracts import requires, ensures, raises
def __builtins__():
    pass
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
    "auto is another function": """
from goedels_poetry.contracts import requires, ensures, raises
from enum import Enum, auto
def auto():
    return 1
class E(Enum):
    A = auto()
    B = auto()
@ensures(lambda x, result: not result)
def f(x: int) -> bool:
    return E.A == E.B
""",
    "a star import over a function": """
def raises(x: int) -> int:
    return x
from goedels_poetry.contracts import *
@ensures(lambda x, result: result == x)
def f(x: int) -> int:
    return raises(x)
""",
    "a star import of everything": """
def agent(x: int) -> int:
    return x
from goedels_poetry import *
from goedels_poetry.contracts import ensures
@ensures(lambda x, result: result == x)
def f(x: int) -> int:
    return agent(x)
""",
    "a class called builtins": """
from goedels_poetry.contracts import requires, ensures, raises
class builtins:
    ValueError = 1
@raises(ValueError)
def f(x: int) -> int:
    raise builtins.ValueError
""",
    "StopIteration in a generator": """
from goedels_poetry.contracts import requires, ensures, raises
def g(x: int) -> bool:
    raise StopIteration
@raises(StopIteration)
def f(xs: list[int]) -> bool:
    return all(g(x) for x in xs)
""",
    "SyntaxError with arguments": """
from goedels_poetry.contracts import requires, ensures, raises
@raises(SyntaxError)
def f(x: int) -> int:
    raise SyntaxError('m', x)
""",
    "None in a range": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda x, result: x is not None)
@raises(TypeError)
def f(x: int | None) -> bool:
    return x in range(3)
""",
    "a slice from None": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda x, result: x is not None)
@raises(TypeError)
def f(xs: list[int], x: int | None) -> list[int]:
    return xs[x:]
""",
    "pow modulo None": """
from goedels_poetry.contracts import requires, ensures, raises
@requires(lambda m: m is None)
@ensures(lambda m, result: False)
@raises(TypeError)
def f(m: int | None) -> int:
    return pow(2, 2, m)
""",
    "an index that raises before None does": """
from goedels_poetry.contracts import requires, ensures, raises
@requires(lambda xs, n: xs is None and n == 0)
@raises(TypeError)
def f(xs: list[int] | None, n: int) -> int:
    return xs[1 // n]
""",
    "a start that raises before None does": """
from goedels_poetry.contracts import requires, ensures, raises
@requires(lambda xs, n: xs is None and n == 0)
@raises(TypeError)
def f(xs: list[int] | None, n: int) -> int:
    return sum(xs, 1 // n)
""",
    "an unbound variable in a generator": """
from goedels_poetry.contracts import requires, ensures, raises
@requires(lambda n: n <= 0)
@raises(UnboundLocalError)
def f(n: int) -> bool:
    if n > 0:
        y = 1
    return any(y == k for k in range(1))
""",
    "a list that grows by its length": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda n, result: result == 0)
def f(n: int) -> int:
    xs: list[int] = []
    xs.extend(len(xs) for _ in range(3))
    return xs[2]
""",
    "a list that grows by itself": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda n, result: result == [n, n])
def f(n: int) -> list[int]:
    xs = [n]
    xs += (x for x in xs)
    return xs
""",
    "two names for one list in a pattern": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda n, result: result == 1)
def f(n: int) -> int:
    match [n] + [] :
        case a as b:
            a.append(5)
            return len(b)
""",
    "dataclass of another class": """
from goedels_poetry.contracts import requires, ensures, raises
from dataclasses import dataclass
class O:
    def __init__(self, c):
        pass
@dataclass(O)
class A:
    x: int
@ensures(lambda x, result: result == x)
def f(x: int) -> int:
    return A(x).x
""",
    "sorted with a text for reverse": """
from goedels_poetry.contracts import requires, ensures, raises
@ensures(lambda xs, result: len(result) == len(xs))
def f(xs: list[int]) -> list[int]:
    return sorted(xs, reverse='x')
""",
    "sum from None": """
from goedels_poetry.contracts import requires, ensures, raises
@requires(lambda xs, s: xs == [] and s is None)
@ensures(lambda xs, result: False)
@raises(TypeError)
def f(xs: list[int], s: int | None) -> int:
    return sum(xs, s)
""",
    "an enumeration that binds its members in the module": """
from goedels_poetry.contracts import requires, ensures, raises
import enum
@enum.global_enum
class A(enum.Enum):
    len = 1
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
""",
}
UNBOUND = """
from goedels_poetry.contracts import raises, requires
@requires(lambda n: n == 0)
@raises(ZeroDivisionError)
def f(n: int) -> int:
    if n > 0:
        xs = [1]
    CHANGE
    return 1
"""


@pytest.mark.parametrize("program", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_program_whose_names_or_errors_are_not_what_they_seem_is_refused(program: str) -> None:
    with pytest.raises((OutsideFragment, PythonFault)) as refused:
        translate(read_program(program), "f")
    assert refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.parametrize("name", ["returns", "returns_it", "raises_it", "not_exact"])
def test_a_function_without_parameters_may_be_called_like_an_outcome(name: str) -> None:
    source = (
        "from goedels_poetry.contracts import ensures, raises, requires\nimport functools\n"
        f"def {name}(k: int = 3) -> bool:\n    return 6 // k == 2\n"
        f"def {name}_too() -> bool:\n    i = 0\n    while i < 5:\n        i += 6 // (i + 1)\n    return i > 0\n"
        f"@requires(lambda n: {name}_too())\n@raises(KeyError)\n@ensures(lambda result: result == 5)\n"
        "def f(n: int) -> int:\n    return n\n"
    )
    goal = translate(read_program(source), "f").text.splitlines()[-1]
    assert goal != "(prove true)" and "(= n 5)" in goal


@pytest.mark.parametrize("change", ["xs.append(1 // n)", "xs[1 // n] = 3"])
def test_a_list_that_has_no_value_raises_before_what_is_put_into_it(change: str) -> None:
    goal = translate(read_program(UNBOUND.replace("CHANGE", change)), "f").text.splitlines()[-1]
    assert goal == "(prove (forall ((n Int)) (=> (= n 0) (> n 0))))"


@pytest.mark.parametrize(("encoding", "refused"), [("utf-7", True), ("latin-1", False), ("utf-8", False)])
def test_a_file_in_another_encoding_is_another_program(encoding: str, refused: bool) -> None:
    hidden = f"# -*- coding: {encoding} -*-\n# +AAo-def len(x): return 7\n"
    program = read_program(hidden + UNBOUND.replace("CHANGE", "pass"))
    if refused:
        with pytest.raises(OutsideFragment, match="encoded"):
            translate(program, "f")
    else:
        assert translate(program, "f").text


@pytest.mark.parametrize(
    "decorators",
    [
        "@deal.safe\n@deal.raises(ValueError)",
        "@deal.raises(ValueError)\n@deal.raises(TypeError)",
        "@deal.reason(ValueError, lambda x: True)\n@deal.reason(ValueError, lambda x: x == 0)",
        "@deal.raises(Exception)\n@deal.reason(ValueError, lambda x: x == 0)",
        "@deal.ensure(lambda result: all(x > 0 for x in [1]) and result == x)",
    ],
)
def test_contracts_of_deal_that_mean_less_together_than_one_of_them_are_not_read(decorators: str) -> None:
    with pytest.raises(PythonFault):
        read_program(f"import deal\n{decorators}\ndef f(x: int) -> int:\n    raise ValueError\n")
