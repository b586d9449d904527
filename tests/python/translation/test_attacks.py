"""Programs made to have a false contract proved: by names with another meaning, by code on import. All are refused."""

import ast
import random
import traceback
from pathlib import Path

import attack_python
import pytest
from named_texts import named

from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.terms import Term
from goedels_poetry.python import translate as python
from goedels_poetry.python.translate.build import INEXACT
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.frame import Frame
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

HERE = Path(__file__).parent
HEAD = "from goedels_poetry.contracts import requires, ensures, raises\n"
ATTACKS = named(HERE / "attacks.txt")
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
        translate(read_program(program if "goedels_poetry" in program or "deal" in program else HEAD + program), "f")
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


PATCH = """
import sys, functools, enum, dataclasses, collections, typing, logging, warnings
from goedels_poetry.contracts import ensures
def patch(*a, **k):
    logging.raiseExceptions = len
    return ''
class Loud(enum.Enum):
    ONE = 1
    def __str__(self):
        return patch()
class Own(ValueError):
    def __init__(self, *a):
        patch()
CODE
@ensures(lambda xs, result: result >= 0)
def f(xs: list[int]) -> int:
    return len(xs) - len(xs[:0])
"""
ON_IMPORT = named(HERE / "on_import.txt")
QUIET = named(HERE / "quiet.txt")
CONSTANT = """
import sys
from goedels_poetry.contracts import ensures
XS = [1, 2]
CODE
@ensures(lambda result: result == 2)
def f(n: int) -> int:
    return len(XS)
"""
CHANGED = named(HERE / "changed.txt")


def refused(source: str) -> bool:
    try:
        translate(read_program(source), "f")
    except OutsideFragment:
        return True
    return False


@pytest.mark.parametrize("code", ON_IMPORT.values(), ids=ON_IMPORT.keys())
def test_a_file_that_runs_its_own_code_on_import_is_refused(code: str) -> None:
    assert refused(PATCH.replace("CODE", code))


@pytest.mark.parametrize("code", QUIET.values(), ids=QUIET.keys())
def test_definitions_imports_and_literals_run_nothing(code: str) -> None:
    assert not refused(PATCH.replace("CODE", code))


@pytest.mark.parametrize("code", CHANGED.values(), ids=CHANGED.keys())
def test_a_list_of_the_module_that_may_be_changed_is_no_constant(code: str) -> None:
    assert refused(CONSTANT.replace("CODE", code))


FOLDER = Path(python.__file__).parent
EXACT = ("exact_where", "exact_within")


def test_no_false_contract_is_a_true_theorem_of_any_cause() -> None:
    counts, wrong = attack_python.attack(seed=36, programs=400)
    assert wrong == []
    causes = {cause for cause in counts if not cause.endswith("not broken by CPython")}
    assert {cause.partition(":")[0] for cause in causes} == {
        "C integer", "callee", "encoding", "exception", "import", "inexact", "pattern",
    }  # fmt: skip
    assert sum(counts[c] for c in causes) > 300


def test_each_place_where_the_translation_is_not_exact_is_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a hypothesis and in a conclusion: the table of corners is complete."""
    places: set[tuple[str, int]] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EXACT:
                places.add((path.name, node.lineno))
            if isinstance(node, ast.Call) and any(isinstance(a, ast.Name) and a.id == "INEXACT" for a in node.args):
                places.add((path.name, node.lineno))
    places = {place for place in places if place[0] not in ("frame.py", "build.py", "script.py")}
    assert len(places) > 8
    met: set[tuple[str, int]] = set()
    plain = Frame.check

    def check(frame: Frame, condition: Term, exception: str) -> None:
        if exception == INEXACT:
            met.update((Path(frame.filename).name, frame.lineno) for frame in traceback.extract_stack(limit=6))
        plain(frame, condition, exception)

    monkeypatch.setattr(Frame, "check", check)
    for number in range(1_000):
        attack_python.judged(attack_python.make(random.Random(f"places-{number}")))
    assert places - met == set()


EQUATIONS = """
(= (str.to_code "a") 97)
(= (str.to_code "") (- 1))
(= (str.to_code "ab") (- 1))
(= (str.from_code 97) "a")
(= (str.from_code (- 1)) "")
(= (str.from_code 196608) "")
(= (str.len (str.from_code 196607)) 1)
(= (str.from_int 120) "120")
(= (str.from_int (- 1)) "")
(= (str.to_int "007") 7)
(= (str.to_int "") (- 1))
(= (str.to_int "-7") (- 1))
(= (str.to_int "\\u{661}") (- 1))
(str.< "" "a")
(str.< "Z" "a")
(str.< "a" "ab")
(not (str.< "a" "a"))
(not (str.<= "b" "a"))
(str.is_digit "7")
(not (str.is_digit "77"))
(not (str.is_digit "\\u{661}"))
(= (str.replace_all "aXaX" "X" "") "aa")
(= (str.replace_all "ab" "" "c") "ab")
""".strip().splitlines()


def test_operations_on_texts_are_those_of_smt_lib() -> None:
    with Z3Process() as z3:
        for equation in EQUATIONS:
            problem = parse_problem(f"(prove {equation})")
            assert Evaluator(problem.signature).value(problem.goal, {}) is True, equation
            answer = z3.ask(f"(assert (not {equation}))\n", Limits(rlimit=1_000_000, seconds=60.0))
            assert answer.status == "unsat", equation
