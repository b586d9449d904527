"""What a person says in a file helps a proof, is never believed, and is answered with what is wrong with it."""

import re
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.jobs import hints_of
from goedels_poetry.python.language import open_goals
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.smt.jobs import symbolic

HINTED = (Path(__file__).parent / "hinted.txt").read_text("utf-8")
HELPERS = ("tri", "square_power")
HEAD = "from goedels_poetry.contracts import decreases, ensures, invariant, requires, uses\n\n"
TRIANGLE = """
@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
{uses}def triangle(n: int) -> int:
    total, i = 0, 0
    while i < n:
        {invariant}
        i += 1
        total += i
    return total
"""


def sketched(source: str, function: str) -> dict[str, Any]:
    """The answer of the first sketch, which is where hints are tried."""
    translation = translate(read_program(source), function)
    said = {"theorem": translation.text, "statement": "", "seconds": 60.0, "hints": hints_of(translation)}
    return symbolic.sketch(said)


def failed(answer: dict[str, Any]) -> dict[str, str]:
    """What came of the hints that are not proved."""
    trials = answer["trials"].get("trials", ())
    return {t["what"]: t["result"] for t in trials if t["strategy"] == "hint" and t["status"] != "proved"}


def contracted() -> list[str]:
    return [name for name in re.findall(r"^def (\w+)", HINTED, re.M) if name not in HELPERS]


@pytest.mark.sample(3)
@pytest.mark.parametrize("function", contracted())
def test_hints_close_what_is_open_without_them(function: str) -> None:
    sketch = sketched(HINTED, function)["value"]["sketch"]
    assert sketch["strategy"] == "hints" and open_goals(sketch) == []


def test_exceptions_that_are_allowed_are_told_apart() -> None:
    divide = HINTED[HINTED.index("@requires(lambda a, b: a >= 0 and b > 0)") :].split("\n\n\n")[0]
    allowed = divide.replace(" and b > 0)", ")", 1).replace("    q, r = 0, a", "    assert b > 0\n    q, r = 0, a", 1)
    source = (
        HEAD.replace("invariant", "invariant, raises") + "@raises(AssertionError, when=lambda b: b <= 0)\n" + allowed
    )
    sketch = sketched(source, "divide")["value"]["sketch"]
    assert sketch["strategy"] == "hints" and open_goals(sketch) == []


def test_there_are_ten_of_them() -> None:
    assert len(contracted()) == 10


def test_the_proof_is_checked_like_any_other(tmp_path: Path) -> None:
    with GoedelsPoetryFramework(Settings(home=tmp_path)) as framework:
        result = framework.run(HINTED, name="hinted.py", options={"theorem": "isqrt"})
    assert result.verdict is Verdict.PROVED and result.trust_level in ("L2", "L3"), result.reason


def test_an_invariant_that_a_run_breaks_refutes_with_the_state(tmp_path: Path) -> None:
    source = HEAD + TRIANGLE.format(uses="", invariant="invariant(total == i)")
    with GoedelsPoetryFramework(Settings(home=tmp_path)) as framework:
        result = framework.run(source, name="triangle.py")
    assert result.verdict is Verdict.REFUTED and result.counterexample == {"n": "3"}, result.reason
    assert "invariant (line 9) does not hold where n=3, total=3, i=2" in result.reason


def test_an_invariant_that_a_round_does_not_keep_is_answered_with_the_state() -> None:
    source = HEAD + TRIANGLE.format(uses="", invariant="invariant(0 <= i <= n and (2 * total) % 2 == 0 and total >= 0)")
    answer = sketched(source.replace("total += i", "total += i if i < 50 else 0 - n"), "triangle")
    assert any(why.startswith("it does not give the contract from n = ") for why in failed(answer).values())


def test_a_state_that_breaks_a_true_but_weak_invariant_is_shown() -> None:
    source = HEAD + TRIANGLE.format(uses="", invariant="invariant(2 * total == i * (i + 1) or i < 0)")
    said = failed(sketched(source, "triangle"))
    assert [what for what in said if what.startswith("line 8: invariant(")]


def test_a_false_lemma_is_answered_with_values_and_the_proof_goes_on_without() -> None:
    lemma = "@requires(lambda n: n >= 0)\n@ensures(lambda n: n * n > n)\ndef grows(n: int) -> None:\n    pass\n\n"
    kept = "invariant(0 <= i <= n and 2 * total == i * (i + 1))"
    answer = sketched(HEAD + lemma + TRIANGLE.format(uses="@uses(grows)\n", invariant=kept), "triangle")
    assert failed(answer) == {"line 5: the contract of grows": "false for n = 0"}
    sketch = answer["value"]["sketch"]
    assert sketch["strategy"] == "hints" and open_goals(sketch) == []


def test_lemmas_that_rest_on_each_other_prove_nothing() -> None:
    lemmas = "".join(
        f"@ensures(lambda n: n > n + 1)\n@uses({other})\ndef {name}(n: int) -> None:\n    {other}(n)\n\n"
        for name, other in (("one", "two"), ("two", "one"))
    )
    source = HEAD + lemmas + "@ensures(lambda result, n: result > n)\n@uses(one)\ndef f(n: int) -> int:\n    return n\n"
    answer = sketched(source, "f")
    assert "the contract of one" in " ".join(failed(answer))
    assert not answer["ok"] or open_goals(answer["value"]["sketch"])


def test_a_measure_that_does_not_fall_shows_no_end() -> None:
    source = HEAD + (
        "@requires(lambda n: n >= 0)\n@ensures(lambda result: result == 0)\ndef f(n: int) -> int:\n"
        "    while n != 7:\n        invariant(n >= 0)\n        decreases(n)\n        n += 1\n    return 0\n"
    )
    answer = sketched(source, "f")
    assert not answer["ok"] or open_goals(answer["value"]["sketch"])


def test_a_hint_changes_nothing_of_a_false_contract() -> None:
    source = HEAD + TRIANGLE.format(uses="", invariant="invariant(i >= 0)").replace("2 * result", "3 * result")
    answer = sketched(source, "triangle")
    assert not answer["ok"] or open_goals(answer["value"]["sketch"])


def test_a_hint_is_part_of_the_theorem_only_as_what_it_checks_when_it_runs() -> None:
    plain = HEAD + TRIANGLE.format(uses="", invariant="pass")
    said = HEAD + TRIANGLE.format(uses="", invariant="invariant(lambda: total >= 0)")
    asserted = HEAD + TRIANGLE.format(uses="", invariant="assert total >= 0")
    texts = [translate(read_program(source), "triangle").text for source in (plain, said, asserted)]
    assert texts[1] == texts[2] != texts[0]


@pytest.mark.parametrize(
    "statement",
    [
        "invariant(total >= 0, i)",
        "invariant(*[total])",
        "invariant(lambda x=1: False)",
        "invariant([total].pop())",
        "x = invariant(total >= 0)",
        "decreases([i])",
    ],
)
def test_other_forms_are_not_translated(statement: str) -> None:
    with pytest.raises(OutsideFragment):
        translate(read_program(HEAD + TRIANGLE.format(uses="", invariant=statement)), "triangle")


@pytest.mark.parametrize("above", ["@invariant(lambda n: n)", "@uses(1)"])
def test_a_hint_in_the_wrong_place_is_a_fault_with_its_line(above: str) -> None:
    with pytest.raises(PythonFault) as refused:
        read_program(f"{HEAD}{above}\n@ensures(lambda result: result)\ndef f(n: int) -> int:\n    return n\n")
    assert refused.value.line == 3


def test_what_the_module_calls_invariant_is_its_own_function() -> None:
    own = "def invariant(x: bool) -> None:\n    return None\n\n\n"
    source = HEAD + own + TRIANGLE.format(uses="", invariant="invariant(False)")
    with pytest.raises(OutsideFragment):
        translate(read_program(source), "triangle")
