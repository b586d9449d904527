"""Classes made to have a false contract proved: by objects with two names, by what runs unseen, by inheritance."""

from pathlib import Path

import pytest
from named_texts import named

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

HERE = Path(__file__).parent
HEAD = "from dataclasses import dataclass\nfrom goedels_poetry.contracts import *\n"
HOSTILE = named(HERE / "hostile_classes.txt")
FALSE = named(HERE / "false_methods.txt")


@pytest.mark.parametrize("title", HOSTILE, ids=str)
def test_what_is_not_followed_of_a_class_is_refused(title: str) -> None:
    program = read_program(HEAD + HOSTILE[title])
    theorem = title.partition(":")[0]
    with pytest.raises((OutsideFragment, PythonFault)) as refused:
        translate(program, theorem)
    assert refused.value.message and "\n" not in refused.value.message


@pytest.mark.parametrize("title", FALSE, ids=str)
def test_a_false_contract_of_a_method_is_a_false_theorem(title: str) -> None:
    program = read_program(HEAD + FALSE[title])
    theorem, _, values = title.split(": ")[0], "", dict(v.split("=") for v in title.split(": ")[1].split())
    if not theorem.endswith("_put"):
        assert theorem in with_contracts(program)
    translation = translate(program, theorem)
    definitions = translation.text[: translation.text.rindex("(prove ")]
    goal = show(parse_problem(translation.text).goal)
    with Z3Process() as solver:
        answer = solver.ask(f"{definitions}(assert (not {goal}))", Limits(seconds=10.0))
    assert answer.status == "sat", values
