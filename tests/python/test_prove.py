"""Functions with contracts, from the file to the verdict and its certificate."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry import GoedelsPoetryFramework, RunResult, Settings
from goedels_poetry.checker import check_any
from goedels_poetry.checker.certificate.archive import canonical, sha256
from goedels_poetry.checker.certificate.writing import sealed
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.testing.contracts import MEANS

HEAD = "from goedels_poetry.contracts import ensures, raises, requires\n\n\n"
SUM = f"""{HEAD}@requires(lambda n: n >= 0)
@ensures(lambda result, n: 2 * result == n * (n + 1))
def sum_to(n: int) -> int:
    total = 0
    for i in range(1, n + 1):
        total += i
    return total
"""
OFF_BY_ONE = SUM.replace("range(1, n + 1)", "range(1, n)")
KEYS = f"""{HEAD}from collections import Counter
@ensures(lambda result, xs: len(result) == len(set(xs)))
def counted(xs: list[int]) -> dict[int, int]:
    return dict(Counter(xs))
"""
MAGNITUDE = f"""{HEAD}@ensures(lambda result: result >= 0)
def magnitude(x: int) -> int:
    return x if x >= 0 else -x
"""


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoedelsPoetryFramework]:
    settings = Settings(home=tmp_path_factory.mktemp("home"))
    with GoedelsPoetryFramework(settings, checkpoint_all=False) as made:
        yield made


@pytest.fixture(scope="module")
def proved(framework: GoedelsPoetryFramework) -> RunResult:
    return framework.run(SUM, name="sum.py")


@pytest.fixture(scope="module")
def refuted(framework: GoedelsPoetryFramework) -> RunResult:
    return framework.run(OFF_BY_ONE, name="sum.py")


def test_a_loop_that_keeps_its_contract_is_proved_and_the_certificate_holds(proved: RunResult) -> None:
    assert proved.verdict is Verdict.PROVED and proved.trust_level in ("L2", "L3"), proved.reason
    assert proved.certificate is not None
    report = check_any(proved.certificate, SUM, theorem="sum_to")
    assert report.verdict is Verdict.PROVED and report.accepted
    assert report.reasons[0].startswith("CPython kept the contract on ")


def test_one_that_does_not_is_refuted_by_an_input_that_cpython_fails_on(refuted: RunResult) -> None:
    assert refuted.verdict is Verdict.REFUTED and refuted.counterexample == {"n": "1"}
    assert refuted.reason.startswith("ensures ") and refuted.reason.endswith(": the result on n = 1 is 0")
    assert refuted.certificate is not None
    report = check_any(refuted.certificate, OFF_BY_ONE)
    assert report.verdict is Verdict.REFUTED and report.counterexample == {"n": "1"}


def test_a_contract_that_can_accept_no_input_is_inconsistent_and_names_its_conditions(
    framework: GoedelsPoetryFramework,
) -> None:
    conditions = "@requires(lambda x: x > 3)\n@requires(lambda x: x != 5)\n@requires(lambda x: x < 2)\n"
    text = f"{HEAD}{conditions}@ensures(lambda result: result == 7)\ndef f(x: int) -> int:\n    return x\n"
    result = framework.run(text, name="f.py")
    assert result.verdict is Verdict.INCONSISTENT and result.certificate is not None
    report = check_any(result.certificate, text)
    assert report.verdict is Verdict.INCONSISTENT and report.accepted
    assert (list(report.core or ()), report.reasons[0]) == (["x > 3", "x < 2"], result.reason)
    assert result.reason == "no input is accepted: these contradict each other: requires x > 3; requires x < 2"
    assert list(result.core or ()) == ["x > 3", "x < 2"]


def test_beyond_the_fragment_checks_are_all_there_is_and_it_is_said_why(
    framework: GoedelsPoetryFramework, monkeypatch: pytest.MonkeyPatch
) -> None:
    for effort in ("normal", "thorough"):  # what is said does not depend on how long is looked
        monkeypatch.setitem(MEANS, effort, MEANS["quick"])
    result = framework.run(KEYS, name="keys.py")
    assert result.verdict is Verdict.TESTED and result.exit_code == 0 and result.trust_level is None
    assert "not a proof" in result.reason and "line 7" in result.reason and "Counter" in result.reason
    assert result.certificate is not None
    assert check_any(result.certificate, KEYS).verdict is Verdict.TESTED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(x: int) -> int:\n    return x\n", "contract"),
        (f"{HEAD}@ensures(lambda result: result)\ndef f(x: int -> int:\n    return x\n", "not Python"),
        (MAGNITUDE + SUM.removeprefix(HEAD), "several"),
    ],
)
def test_what_is_no_theorem_is_invalid_with_the_place(framework: GoedelsPoetryFramework, text: str, words: str) -> None:
    result = framework.run(text, name="f.py")
    assert result.verdict is Verdict.INVALID and words in result.reason
    assert result.location is not None and result.location["line"] is not None


def test_a_certificate_is_refused_for_another_program(proved: RunResult, refuted: RunResult) -> None:
    assert proved.certificate is not None and refuted.certificate is not None
    assert check_any(proved.certificate, OFF_BY_ONE).refused
    assert check_any(refuted.certificate, SUM).refused


def _copied(source: Path, where: Path, edit: dict[str, bytes]) -> Path:
    """A certificate with other files and a manifest that fits them."""
    for path in source.rglob("*"):
        if path.is_file():
            place = where / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(edit.get(str(path.relative_to(source)), path.read_bytes()))
    manifest = json.loads((where / "manifest.json").read_bytes())
    manifest["files"] = {name: sha256((where / name).read_bytes()) for name in manifest["files"]}
    manifest.pop("manifest_sha256")
    (where / "manifest.json").write_bytes(canonical(sealed(manifest)))
    return where


def test_a_proof_does_not_serve_another_program_whose_hashes_fit(proved: RunResult, tmp_path: Path) -> None:
    assert proved.certificate is not None
    forged = _copied(proved.certificate, tmp_path / "forged", {"program.py": OFF_BY_ONE.encode()})
    report = check_any(forged, None)
    assert report.refused and not report.accepted and "translation" in report.reasons[0]


def test_an_input_that_does_no_harm_refutes_nothing(refuted: RunResult, tmp_path: Path) -> None:
    assert refuted.certificate is not None
    for arguments in ({"n": "0"}, {"n": "-1"}, {"n": "__import__('os')"}, {"m": "1"}, {}):
        edit = {"evidence.json": canonical({"arguments": arguments})}
        forged = _copied(refuted.certificate, tmp_path / str(len(list(tmp_path.iterdir()))), edit)
        assert not check_any(forged, None).accepted, arguments


def test_the_claim_in_a_manifest_is_nobodys_word(refuted: RunResult, tmp_path: Path) -> None:
    assert refuted.certificate is not None
    forged = _copied(refuted.certificate, tmp_path / "forged", {})
    manifest = json.loads((forged / "manifest.json").read_bytes())
    manifest.pop("manifest_sha256")
    for claim in ("proved", "tested", "inconsistent"):
        (forged / "manifest.json").write_bytes(canonical(sealed(manifest | {"claim": claim})))
        assert not check_any(forged, None).accepted, claim


CAUGHT = f"""{HEAD}@ensures(lambda result, n: result != 918273645918)
def g(n: int) -> int:
    return n


@ensures(lambda result: not result)
def f(n: int) -> bool:
    try:
        return g(n) == 918273645918
    except AssertionError:
        return True
"""


def test_a_violation_of_a_callee_that_is_caught_is_seen_where_the_function_runs(
    framework: GoedelsPoetryFramework,
) -> None:
    result = framework.run(CAUGHT, name="f.py", options={"theorem": "f"})
    assert (result.verdict, result.counterexample) == (Verdict.REFUTED, {"n": "918273645918"}), result.reason


@pytest.mark.parametrize("line", ["X = 1 // 0", "from math import nosuch", "x: undefined = 3"])
def test_of_a_file_that_cpython_cannot_load_nothing_is_proved(framework: GoedelsPoetryFramework, line: str) -> None:
    result = framework.run(f"{line}\n{MAGNITUDE}", name="f.py")
    assert result.verdict is Verdict.UNKNOWN and "while it was loaded" in result.reason, result.reason


HELPER = f"""{HEAD}@requires(lambda n: n >= 0)
@ensures(lambda n, result: 2 * result == n * (n + 1))
def triangle(n: int) -> int:
    if BASE:
        return 0
    return n + triangle(n - 1)

@ensures(lambda n, result: result >= 0)
def anywhere(n: int) -> int:
    return triangle(n)
"""


@pytest.mark.parametrize("base", ["n == 0", "not n", "n <= 0"])
def test_a_recursion_is_about_what_its_function_accepts(framework: GoedelsPoetryFramework, base: str) -> None:
    text = HELPER.replace("BASE", base)
    assert framework.run(text, name="h.py", options={"theorem": "triangle"}).verdict is Verdict.PROVED
    assert framework.run(text, name="h.py", options={"theorem": "anywhere"}).verdict is not Verdict.PROVED


SPARE = """from goedels_poetry.contracts import ensures, requires

@requires(lambda a, b: b > 0)
@requires(lambda a, b: b >= 1)
@requires(lambda a, b: a >= 3)
@ensures(lambda a, b, result: result * b <= a)
def ratio(a: int, b: int) -> int:
    return a // b
"""


def test_conditions_that_a_contract_does_without_are_told(framework: GoedelsPoetryFramework) -> None:
    result = framework.run(SPARE, name="spare.py")
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.unneeded == ["requires b > 0 (line 3)", "requires a >= 3 (line 5)"], "without both it still holds"
    assert result.certificate is not None
    assert list(check_any(result.certificate, SPARE).unneeded) == result.unneeded
    needed = SPARE.replace("@requires(lambda a, b: b >= 1)\n", "").replace("@requires(lambda a, b: a >= 3)\n", "")
    assert framework.run(needed, name="needed.py").unneeded is None, "it keeps the division from failing"
