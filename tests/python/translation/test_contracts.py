"""Contracts in all spellings, read as conditions over parameters and the result."""

# ruff: noqa: E501  programs, each on its line

from __future__ import annotations

import pytest

from goedels_poetry.python.translate.contracts import PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts


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
