"""The prelude of a translation, and contracts of every style."""

import ast
import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.python.translate import prelude as p
from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts
from goedels_poetry.python.translate.translate import translate

LISTS = [list(xs) for n in range(4) for xs in itertools.product((-1, 1, 2), repeat=n)]
PAIRS = [[*d.items()] for d in ({}, {1: 5}, {1: 5, 0: 7}, {0: 7, 1: 5}, {0: 7, 1: 6, 3: 5})]
NUMBERS = range(-1, 5)


def same(mine: Callable[..., object], theirs: Callable[..., object], *given: tuple[object, ...]) -> None:
    assert given
    for each in given:
        assert mine(*each) == theirs(*each), each


def pushed(k: int, v: int, d: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [*{**dict(d), k: v}.items()]


OF_ONE = {
    p.len_: len,
    p.front: lambda xs: xs[:-1],
    p.reverse: lambda xs: xs[::-1],
    p.every2: lambda xs: xs[::2],
    p.every3: lambda xs: xs[::3],
    p.every4: lambda xs: xs[::4],
    p.sum_: sum,
    p.sorted_: sorted,
    lambda xs: sorted(p.once(xs)): lambda xs: sorted(set(xs)),
    p.different: lambda xs: len(set(xs)),
    lambda xs: p.all_([x > 0 for x in xs]): lambda xs: all(x > 0 for x in xs),
    lambda xs: p.any_([x > 0 for x in xs]): lambda xs: any(x > 0 for x in xs),
}
OF_LIST_AND_NUMBER = {
    p.take: lambda xs, n: xs[: max(n, 0)],
    p.drop: lambda xs, n: xs[max(n, 0) :],
    p.repeat_all: lambda xs, n: xs * n,
    lambda xs, n: p.member(n, xs): lambda xs, n: n in xs,
    lambda xs, n: p.count(n, xs): lambda xs, n: xs.count(n),
    lambda xs, n: p.index(n, xs): lambda xs, n: xs.index(n) if n in xs else len(xs),
    lambda xs, n: p.remove(n, xs): lambda xs, n: (xs[: xs.index(n)] + xs[xs.index(n) + 1 :]) if n in xs else xs,
    lambda xs, n: p.without(n, xs): lambda xs, n: [x for x in xs if x != n],
    lambda xs, n: p.insert(n, sorted(xs)): lambda xs, n: sorted([*xs, n]),
    lambda xs, n: p.values(p.sorted_key([(abs(x), x) for x in [n, *xs]])): lambda xs, n: sorted([n, *xs], key=abs),
    lambda xs, n: p.min_key([(abs(x), x) for x in [n, *xs]])[1]: lambda xs, n: min([n, *xs], key=abs),
    lambda xs, n: p.max_key([(abs(x), x) for x in [n, *xs]])[1]: lambda xs, n: max([n, *xs], key=abs),
}
OF_TWO = {
    p.append: lambda xs, ys: xs + ys,
    p.within: lambda xs, ys: set(xs) <= set(ys),
    lambda xs, ys: set(p.both_set(xs, ys)): lambda xs, ys: set(xs) & set(ys),
    lambda xs, ys: set(p.less_set(xs, ys)): lambda xs, ys: set(xs) - set(ys),
}
OF_DICT_AND_KEY = {
    p.has: lambda k, d: k in dict(d),
    p.at: lambda k, d: dict(d).get(k),
    p.drop_key: lambda k, d: [pair for pair in d if pair[0] != k],
}


def test_functions_of_lists() -> None:
    for mine, theirs in OF_ONE.items():
        same(mine, theirs, *((xs,) for xs in LISTS))
    for mine, theirs in OF_LIST_AND_NUMBER.items():
        same(mine, theirs, *itertools.product(LISTS, NUMBERS))
    for mine, theirs in OF_TWO.items():
        same(mine, theirs, *itertools.product(LISTS[:14], repeat=2))


def test_functions_of_lists_that_are_not_empty() -> None:
    for xs in LISTS[1:]:
        assert [p.last(xs), p.min_(xs), p.max_(xs)] == [xs[-1], min(xs), max(xs)]
        assert p.put_last(xs, 9) == [*xs[:-1], 9]
        for i in range(len(xs)):
            assert p.nth(xs, i) == xs[i] and p.put(xs, i, 9) == [*xs[:i], 9, *xs[i + 1 :]]


def test_the_first_of_equal_elements_is_the_least_and_the_greatest() -> None:
    assert type(p.min_([True, 1])) is type(min([True, 1])) and type(p.max_([True, 1])) is type(max([True, 1]))


def test_functions_of_dicts() -> None:
    for mine, theirs in OF_DICT_AND_KEY.items():
        same(mine, theirs, *itertools.product(NUMBERS, PAIRS))
    same(p.store, pushed, *((k, 8, d) for k in NUMBERS for d in PAIRS))
    same(p.keys, lambda d: list(dict(d)), *((d,) for d in PAIRS))
    same(p.values, lambda d: list(dict(d).values()), *((d,) for d in PAIRS))
    same(p.dict_, lambda d, e: [*{**dict(e), **dict(d)}.items()], *itertools.product(PAIRS, repeat=2))
    same(
        lambda d, e: len(d) == len(e) and p.agrees(d, e),
        lambda d, e: dict(d) == dict(e),
        *itertools.product(PAIRS, repeat=2),
    )


def test_functions_of_numbers_and_texts() -> None:
    same(p.power_int, lambda b, n: b ** max(n, 0), *itertools.product(NUMBERS, repeat=2))
    same(p.gcd_int, math.gcd, *itertools.product(range(12), repeat=2))
    same(lambda s: p.backwards_str(s, len(s)), lambda s: s[::-1], ("",), ("a",), ("abc",))
    same(p.repeat, lambda v, n: [v] * n, *itertools.product(NUMBERS, repeat=2))


@pytest.mark.parametrize(
    "node", ast.parse(Path(p.__file__).read_text("utf-8")).body, ids=lambda n: getattr(n, "name", "")
)
def test_a_function_is_a_docstring_and_one_expression(node: ast.stmt) -> None:
    if isinstance(node, ast.FunctionDef):
        assert [type(part) for part in node.body] == [ast.Expr, ast.Return]


# ruff: noqa: E501  programs, each on its line


def contract(source: str) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    read = read_program(source).functions["f"].contract
    return (
        [c.text for c in read.requires],
        [c.text for c in read.ensures],
        [(r.exception, r.when.text if r.when else "") for r in read.raises],
    )


BODY = "def f(x, y):\n    return x\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("from goedels_poetry.contracts import requires\n@requires(lambda x: x > 0)\n", (["x > 0"], [], [])),
        ("from goedels_poetry.contracts import requires as needs\n@needs(lambda y, x: x > y)\n", (["x > y"], [], [])),
        ("from goedels_poetry import ensures\n@ensures(lambda result, x: result == x)\n", ([], ["result == x"], [])),
        ("from goedels_poetry.contracts import *\n@ensures(lambda r: r > 0)\n", ([], ["result > 0"], [])),
        (
            "import goedels_poetry.contracts as c\n@c.raises(ValueError, when=lambda x: x < 0)\n",
            ([], [], [("ValueError", "x < 0")]),
        ),
        ("import goedels_poetry.contracts\n@goedels_poetry.contracts.raises(KeyError)\n", ([], [], [("KeyError", "")])),
        ("import deal\n@deal.pre(lambda x, y: x > y)\n@deal.post(lambda r: r > 0)\n", (["x > y"], ["result > 0"], [])),
        ("import deal\n@deal.pre(lambda a, b: a > b)\n", (["x > y"], [], [])),
        ("import deal\n@deal.ensure(lambda _: _.result > _.x)\n", ([], ["result > x"], [])),
        ("from deal import ensure\n@ensure(lambda x, y, result: result > x)\n", ([], ["result > x"], [])),
        ("import deal\n@deal.pre(lambda x, y: x > y or 'too small')\n", (["x > y or False"], [], [])),
        ("import deal\n@deal.post(lambda r: True if r > 0 else f'{r}')\n", ([], ["True if result > 0 else False"], [])),
        (
            "import deal\n@deal.raises(ValueError, KeyError)\n@deal.reason(KeyError, lambda x, y: x > 3)\n",
            ([], [], [("KeyError", "x > 3"), ("ValueError", "")]),
        ),
        ("import deal\n@deal.chain(deal.pre(lambda x, y: x > 0), deal.safe)\n@deal.pure\n", (["x > 0"], [], [])),
        (
            "import icontract\n@icontract.require(lambda x: x > 0, 'positive')\n@icontract.ensure(condition=lambda result, y: result < y)\n",
            (["x > 0"], ["result < y"], []),
        ),
    ],
)
def test_decorators_are_read(head: str, expected: object) -> None:
    assert contract(head + BODY) == expected


@pytest.mark.parametrize(
    "head",
    [
        "def requires(c):\n    return lambda f: f\n@requires(lambda x: x > 0)\n",
        "from goedels_poetry.contracts import requires\nrequires = print\n@requires(lambda x: x > 0)\n",
        "from elsewhere import requires\n@requires(lambda x: x > 0)\n",
        "from goedels_poetry.contracts import requires\ndef g():\n    global requires\n    requires = 1\n@requires(lambda x: x > 0)\n",
        "from goedels_poetry.contracts import requires\nfrom elsewhere import *\n@requires(lambda x: x > 0)\n",
        "import deal\nclass deal:\n    pre = 1\n@deal.pre(lambda x, y: x > 0)\n",
        "from goedels_poetry.contracts import requires\nfor requires in ():\n    pass\n@requires(lambda x: x > 0)\n",
    ],
)
def test_a_name_that_means_something_else_is_no_contract(head: str) -> None:
    source = head + BODY
    assert contract(source) == ([], [], [])
    assert with_contracts(read_program(source)) == ()
    assert len(read_program(source).functions["f"].decorators) == 1


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("from goedels_poetry.contracts import requires\n@requires(lambda z: z > 0)\n", 2),
        ("from goedels_poetry.contracts import requires\n@requires(True)\n", 2),
        ("from goedels_poetry.contracts import requires\n@requires\n", 2),
        ("from goedels_poetry.contracts import requires\n@requires(lambda *a: a)\n", 2),
        ("import icontract\n@icontract.require(lambda x: x > 0, enabled=False)\n", 2),
        ("import icontract\n@icontract.snapshot(lambda x: x)\n", 2),
        ("import deal\n@deal.pre(lambda a, b: [b for x in a])\n", 2),
    ],
)
def test_a_contract_that_cannot_be_read_is_a_fault_with_its_place(head: str, line: int) -> None:
    with pytest.raises(PythonFault) as fault:
        read_program(head + BODY)
    assert fault.value.line == line


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "x = '\\ud800" + "\x00'",
        "(" * 500 + ")" * 500,
        "x = " + "-" * 400 + "1",
        "a" * 1_000_001,
        "return 1",
        "def f(a, a): pass",
        "x = 1\nfrom __future__ import annotations",
    ],
)
def test_a_text_that_is_no_program_is_a_fault(text: str) -> None:
    with pytest.raises(PythonFault):
        read_program(text)


STRIPPED = (
    "s.strip()",
    "s.lstrip()",
    "s.rstrip()",
    "s.strip('a ')",
    "s.rstrip('0')",
    "s.strip('')",
    "'|'.join(s.split(','))",
)


@pytest.mark.parametrize("expression", STRIPPED)
def test_texts_are_stripped_and_split_as_cpython_does(expression: str) -> None:
    head = "from goedels_poetry.contracts import ensures\n"
    source = f"{head}@ensures(lambda s, t: ({expression}) == t)\ndef f(s: str, t: str) -> int:\n    return 1\n"
    problem = parse_problem(translate(read_program(source), "f").text)
    evaluator, chance = Evaluator(problem.signature), random.Random(expression)
    for _ in range(60):
        s = "".join(chance.choice(" a,\t\u3000\x1cb0\x85é|\u200b") for _ in range(chance.randrange(8)))
        right = eval(expression)
        for t in (right, f"{right}x"):
            found = evaluator.value(problem.goal.body, dict(zip(problem.goal.binders, (s, t), strict=True)))
            assert found is (t == right), (s, t)
