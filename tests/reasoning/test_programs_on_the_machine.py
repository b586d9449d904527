"""Logic programs as a language of the machine: ``prove FILE.json``, and what the checker says of it afterwards."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.checker import check_any
from goedels_poetry.checker.by_language import check_again

FACTS = {
    "constants": {"facts": {"sort": "Bool", "members": ["wet", "cold"]}},
    "knowledge_base": [{"name": "rain", "assertion": "wet"}, {"name": "both", "assertion": "Implies(wet, cold)"}],
}
BEST = {
    "constants": {"numbers": {"sort": "Int", "members": ["x"]}},
    "knowledge_base": ["x < 7"],
    "optimization": {"objectives": [{"type": "maximize", "expression": "x"}]},
}


@pytest.fixture(scope="module")
def framework(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoedelsPoetryFramework]:
    home = tmp_path_factory.mktemp("programs")
    with GoedelsPoetryFramework(Settings(home=home)) as made:
        yield made


def run(framework: GoedelsPoetryFramework, program: Any) -> Any:
    return framework.run(json.dumps(program), name="program.json")


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"goal": "cold"}, Verdict.PROVED),
        ({"goal": "Not(cold)"}, Verdict.REFUTED),
        ({"goal": "cold", "rules": [{"name": "dry", "constraint": "Not(wet)"}]}, Verdict.INCONSISTENT),
    ],
)
def test_a_program_is_decided_and_its_certificate_re_checked(
    framework: GoedelsPoetryFramework, more: dict[str, Any], verdict: Verdict
) -> None:
    program = {**FACTS, **more}
    result = run(framework, program)
    assert (result.verdict, result.trust_level) == (verdict, "L3")
    assert result.answer["verdict"] == str(verdict)
    assert (result.core == ["rain", "dry"]) is (verdict is Verdict.INCONSISTENT)
    report = check_any(result.certificate, json.dumps(program))
    assert (report.verdict, report.accepted) == (verdict, True)
    again = check_again({"directory": str(result.certificate), "theorem": json.dumps(program)})
    assert again["verdict"] == str(verdict)
    assert check_any(result.certificate, json.dumps(BEST)).refused


def test_an_optimum_is_found_again_by_the_checker(framework: GoedelsPoetryFramework) -> None:
    result = run(framework, BEST)
    assert (result.verdict, result.answer["answer"], result.answer["optimum"]) == (Verdict.PROVED, 6, 6)
    assert check_any(result.certificate, None).accepted


def test_what_stays_open_has_no_certificate_and_what_is_no_program_no_run(
    framework: GoedelsPoetryFramework,
) -> None:
    result = run(framework, {**FACTS, "goal": "ForAll([p: Bool], Or(p, wet, Not(cold), p))", "knowledge_base": []})
    assert (result.verdict, result.certificate) == (Verdict.UNKNOWN, None)
    result = run(framework, {**FACTS, "goal": "colt"})
    assert (result.verdict, result.run_id) == (Verdict.INVALID, "")
    assert "colt" in result.reason and result.location["line"] == 1


def test_a_program_that_was_changed_is_not_accepted(framework: GoedelsPoetryFramework, tmp_path: Path) -> None:
    result = run(framework, {**FACTS, "goal": "cold"})
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "manifest.json").write_bytes((result.certificate / "manifest.json").read_bytes())
    (forged / "program.json").write_text(json.dumps({**FACTS, "goal": "wet"}))
    report = check_any(forged, None)
    assert report.refused and "program was edited" in report.reasons[0]
