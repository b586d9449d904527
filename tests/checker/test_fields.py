# ruff: noqa: E501  values, one type a line
"""Each field of each kind of certificate is a claim, a hint or a note, and is treated as one whatever stands there."""

import contextlib
import json
from pathlib import Path

import proofs
import pytest
from walked import HEAD, KINDS, OPEN, RIGHT, TASK, WRONG, fault, logic, places, python, replaced, shown, value_at, wrong

from goedels_poetry.checker import check_any, write_certificate
from goedels_poetry.checker.certificate import archive as fields
from goedels_poetry.checker.certificate.archive import MANIFEST
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program as read_python_program
from goedels_poetry.python.translate.translate import translate

NOTES = ("versions", "info")
ROLES = (fields.CLAIM, fields.HINT, fields.NOTE)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, CheckReport]]:
    folder = tmp_path_factory.mktemp("honest")
    made = {kind: make(folder / kind.replace(" ", "-")) for kind, make in KINDS.items()}
    return {kind: (path, check_any(path, None)) for kind, path in made.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_the_fields_of_a_certificate_are_those_of_the_table(kind, honest):
    path, report = honest[kind]
    assert report.accepted, report.reasons
    manifest = json.loads((path / MANIFEST).read_bytes())
    assert set(manifest) == set(
        {"smt": fields.SMT, "logic": fields.LOGIC, "python": fields.PYTHON}[manifest["language"]]
    )
    evidence = next((json.loads(p.read_bytes()) for p in path.glob("*.json") if p.name != MANIFEST), {})
    assert set(evidence) <= set(fields.EVIDENCE_KEYS[kind.split(",")[0]])


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_stands_in_a_field_nothing_else_is_shown(kind, honest, tmp_path):
    """Refused, or the same verdict, level and statement, because they do not rest on the field."""
    path, report = honest[kind]
    found = []
    for number, place in enumerate(places(path)):
        values = wrong(value_at(path, place))  # one of them; each of them: scripts/fuzz_certificates.py --fields
        forged = replaced(path, place, values[number * 7 % len(values)], tmp_path / "forged")
        found.append(fault(kind, report, place, forged))
    assert not [text for text in found if text]


@pytest.mark.parametrize("kind", KINDS)
def test_notes_are_for_people_alone(kind, honest, tmp_path):
    path, report = honest[kind]
    for name in NOTES:
        forged = replaced(path, (MANIFEST, (name,)), {"trust_level": "L4", "verdict": "refuted"}, tmp_path / "forged")
        assert shown(check_any(forged, None)) == shown(report)


def test_numbers_that_json_does_not_have_are_refused(honest, tmp_path):
    for kind, (path, _) in honest.items():
        text = (path / MANIFEST).read_bytes()
        forged = replaced(path, (MANIFEST, ("schema",)), 1, tmp_path / kind)
        for number in (b"NaN", b"Infinity", b"1e999", b"-0"):
            (forged / MANIFEST).write_bytes(text.replace(b'"schema": 1', b'"schema": ' + number))
            assert check_any(forged, None).refused, (kind, number)


MANIFESTS = {"SMT": fields.SMT, "Lean": fields.LEAN, "logic": fields.LOGIC, "Python": fields.PYTHON}
BEGIN, END = "<!-- fields -->\n", "<!-- end of fields -->\n"


def test_the_documentation_says_what_each_field_is():
    lines = ["| certificate | claims | hints | notes |", "|---|---|---|---|"]
    for kind, evidence in fields.EVIDENCE_KEYS.items():
        whole = {**MANIFESTS[kind.split(" ")[0]], **evidence}
        cells = [", ".join(f"`{n}`" for n, role in whole.items() if role == wanted) for wanted in ROLES]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    page = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text("utf-8")
    table = "\n".join([*lines, ""])
    assert page.partition(BEGIN)[2].partition(END)[0] == table, f"it is to say:\n{table}"


# ---- what a forger would like ----------------------------------------------------------------------------------------

TYPES = """from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple, Optional, Union
from goedels_poetry.contracts import ensures

class Suit(Enum):
    RED = 1

class Small(int): pass

@dataclass(frozen=True)
class Card:
    suit: Suit
    rank: int

class Pair(NamedTuple):
    left: int
    right: str

class Plain:
    def __init__(self, n: int = 0): self.n = n

"""
FORGED = {  # annotation: arguments of other types; the contract is broken by every one
    "int": ["float('nan')", "1.0", "'1'", "None", "[1]", "1j", "b'1'", "Suit.RED", "Small(n=1)", "Plain(n=1)", "Card(suit=Suit.RED, rank=1)"],
    "bool": ["1", "0", "None"],
    "str": ["b'a'", "1", "['a']"],
    "float": ["'1.0'", "1j", "None"],
    "list[int]": ["(1,)", "[1.0]", "[float('nan')]", "['a']", "[[1]]", "{1}", "[1, None]", "None", "{1: 1}"],
    "list[list[int]]": ["[1]", "[[1], [1.5]]"],
    "tuple[int, str]": ["(1,)", "(1, 2)", "(1, 'a', 2)", "['a', 1]", "('a', 1)"],
    "tuple[int, ...]": ["(1, 'a')", "[1]"],
    "dict[str, int]": ["{1: 1}", "{'a': 'b'}", "{'a': 1.5}", "[]"],
    "set[int]": ["{'a'}", "frozenset({1})", "[1]"],
    "Optional[int]": ["1.5", "'a'", "[]"],
    "int | str": ["1.5", "None"],
    "Union[int, list[int]]": ["['a']", "1.5"],
    "Literal['a', 1]": ["'b'", "True", "2"],
    "Suit": ["1", "'RED'", "Suit.BLACK", "None"],
    "Card": ["Card(suit=Suit.RED, rank=1.5)", "Card(suit=1, rank=1)", "Card(suit=Suit.RED, rank='1')", "Pair(left=1, right='a')", "1"],
    "list[Card]": ["[Card(suit=Suit.RED, rank=1), Card(suit=Suit.RED, rank=None)]"],
    "Pair": ["Pair(left='a', right='a')", "(1, 'a')"],
    "Plain": ["1", "Card(suit=Suit.RED, rank=1)"],
    "Callable": ["1"],
}  # fmt: skip


@pytest.mark.sample(16)
@pytest.mark.parametrize(
    ("annotation", "argument"), [(name, text) for name, texts in FORGED.items() for text in texts], ids=str
)
def test_arguments_of_another_type_refute_nothing(annotation, argument, tmp_path):
    source = f"{TYPES}@ensures(lambda result: not result)\ndef f(x: {annotation}) -> bool:\n    return True\n"
    report = check_any(python(tmp_path / "c", source, "refuted", {"arguments": {"x": argument}}), None)
    assert not report.accepted and report.refused and report.reasons, report


@pytest.mark.sample(8)
@pytest.mark.parametrize(
    ("annotation", "argument"),
    [
        ("int", "3"), ("int", "True"), ("float", "1"), ("float", "float('nan')"), ("list[int]", "[1, 2]"),
        ("dict[str, list[int]]", "{'a': [1]}"), ("tuple[int, str]", "(1, 'a')"), ("Optional[int]", "None"),
        ("Card", "Card(suit=Suit.RED, rank=2)"), ("Pair", "Pair(left=1, right='a')"), ("Literal['a', 1]", "'a'"),
        ("object", "1.5"), ("set[int]", "{1}"), ("Suit", "Suit.RED"), ("list[Card]", "[Card(suit=Suit.RED, rank=1)]"),
    ],
)  # fmt: skip
def test_arguments_of_the_declared_type_do(annotation, argument, tmp_path):
    source = f"{TYPES}@ensures(lambda result: not result)\ndef f(x: {annotation}) -> bool:\n    return True\n"
    report = check_any(python(tmp_path / "c", source, "refuted", {"arguments": {"x": argument}}), None)
    assert report.verdict is Verdict.REFUTED and report.counterexample == {"x": argument}, report.reasons
    assert report.place is not None and source.splitlines()[report.place[0] - 1].startswith("@ensures")


@pytest.mark.parametrize("arguments", [{}, {"y": "3"}, {"x": "3", "y": "3"}, {"x": 3}, {"x": None}, [], "3", None])
def test_arguments_that_are_missing_or_too_many_refute_nothing(arguments, tmp_path):
    assert check_any(python(tmp_path / "c", WRONG, "refuted", {"arguments": arguments}), None).refused


MISSED = 'File "f.py", line 1, in <module>\n    import nothing_here\nModuleNotFoundError: No module named nothing_here'


@pytest.mark.parametrize(
    "evidence",
    [
        {"checks": {"function": "f", "ensures": ["True"]}},
        {"checks": {"function": "f", "examples": [["f(1)", "1"]]}, "task": TASK.text},
        {"task": TASK.text.replace("result == x", "True")},
        {"task": json.dumps({"signature": "def f(x: int) -> int"})},
        {"task": json.dumps({"signature": "def g(x: int) -> int", "ensures": ["True"]})},
        {"task": 3},
        {"task": "[]"},
        {"task": "{"},
        {"task": TASK.text, "change": {}},
        {"change": {"case": {"file": "f.py", "before": WRONG}, "after": WRONG}},
        {"change": {"case": {"file": 5, "before": WRONG}, "after": WRONG}},
        {"change": {"case": {"before": WRONG}, "after": WRONG}},
        {"change": []},
        {
            "change": {
                "case": {"file": "f.py", "before": f"import nothing_here\n{WRONG}", "error": MISSED},
                "after": WRONG,
            }
        },
        {"change": {"case": {"file": "f.py", "before": f"{WRONG}\nassert 0\n", "error": "no"}, "after": WRONG}},
        {"world": "closed"},
    ],
    ids=str,
)
def test_what_is_checked_of_a_program_is_its_own_contract(evidence, tmp_path):
    for function in ("f", ""):
        report = check_any(python(tmp_path / f"c{function}", WRONG, "tested", evidence, function), None)
        assert report.verdict is not Verdict.TESTED, report


def test_a_task_has_to_be_the_one_that_was_given(tmp_path):
    plain = RIGHT.removeprefix(HEAD).split("\n", 1)[1]
    path = python(tmp_path / "c", plain, "tested", {"task": TASK.text})
    assert check_any(path, TASK.text).verdict is Verdict.TESTED
    easier = python(tmp_path / "d", plain, "tested", {"task": TASK.text.replace("result == x", "True")})
    assert check_any(easier, TASK.text).refused and check_any(easier, plain).refused
    assert "ensures True" in check_any(easier, None).statement, "what was checked is part of the statement"


@pytest.mark.parametrize(
    "before", ["x = undefined\n", "class A(int, str): ...\n", "def g(a, a): ...\n", "x: undefined = 3\n", "1 < ''\n"]
)
def test_what_cpython_cannot_load_is_not_proved(before, tmp_path):
    source = f"{before}{RIGHT}"
    with contextlib.suppress(OutsideFragment, PythonFault):
        text = translate(read_python_program(source), "f").text.encode()
        write_certificate(text, proofs.direct(text), python(tmp_path / "c", source, "proved", {}) / "proof")
        assert not check_any(tmp_path / "c", None).accepted


def test_a_program_without_a_contract_is_not_tested_by_nothing(tmp_path):
    plain = RIGHT.removeprefix(HEAD).split("\n", 1)[1]
    for claim, evidence in (("tested", {}), ("refuted", {"arguments": {"x": "3"}})):
        assert check_any(python(tmp_path / claim, plain, claim, evidence), None).refused


def test_the_world_is_the_callers(tmp_path):
    """In an open world `q` stays open; a certificate cannot close it by itself."""
    closed = logic(tmp_path / "closed", OPEN.format("q"), "refuted", "closed")
    text = (closed / "program.smt2").read_text()
    report = check_any(closed, text)
    assert report.refused and "--world" in report.reasons[0]
    report = check_any(closed, text, world="closed")
    assert report.verdict is Verdict.REFUTED and "nothing exists" in report.assumptions[0]
    assert check_any(logic(tmp_path / "open"), None, world="closed").refused
