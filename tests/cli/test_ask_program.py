"""`ask --program`: answers to programs, exit codes, JSON, the page for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "program-v1.json").read_text("utf-8"))
HEAD = """(declare-sort P 0)(declare-fun human (P) Bool)(declare-fun mortal (P) Bool)
(declare-const soc P)(declare-const zeus P)
(assert (! (forall ((x P)) (=> (human x) (mortal x))) :named rule :sentence 1))
(assert (! (human soc) :named fact :world "Socrates was a man."))
"""
JSON_PROGRAM = {
    "sorts": [{"name": "P", "type": "DeclareSort"}],
    "functions": [{"name": "human", "domain": ["P"], "range": "Bool"}],
    "constants": {"people": {"sort": "P", "members": ["soc"]}},
    "knowledge_base": ["human(soc)"],
    "verifications": [{"name": "v", "constraint": "human(soc)"}],
}
PROGRAMS: dict[str, tuple[str, Any, str, int]] = {
    "yes.smt2": (HEAD + "(define-fun goal () Bool (mortal soc))", True, "proved", 0),
    "no.smt2": (HEAD + "(assert (mortal soc))(define-fun goal () Bool (not (mortal soc)))", False, "refuted", 3),
    "open.smt2": (HEAD + "(define-fun goal () Bool (mortal zeus))", None, "unknown", 1),
    "clash.smt2": (HEAD + "(assert (not (human soc)))(define-fun goal () Bool (mortal zeus))", None, "inconsistent", 4),
    "broken.smt2": (HEAD + "\n(assert (human plato))", None, "invalid", 2),
    "best.smt2": ("(declare-const x Real)(assert (<= (* 2 x) 7.0))(maximize (+ x 0.0))", "7/2", "proved", 0),
    "choice.smt2": (
        HEAD + "(define-fun goal-A () Bool (mortal zeus))(define-fun goal-B () Bool (mortal soc))",
        "B",
        "proved",
        0,
    ),
    "human.json": (json.dumps(JSON_PROGRAM), True, "proved", 0),
    "wrong.json": (json.dumps(JSON_PROGRAM | {"actions": ["run"]}), None, "invalid", 2),
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, (text, *_) in PROGRAMS.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_each_verdict_has_its_exit_code_and_fits_the_published_schema(cli: Any, files: Path) -> None:
    ran = cli("ask", "--json", "--program", *PROGRAMS, "missing.smt2")
    results = ran.objects()
    assert [r["file"] for r in results] == [*PROGRAMS, "missing.smt2"]
    for result, (_, answer, verdict, code) in zip(results, PROGRAMS.values(), strict=False):
        jsonschema.validate(result, SCHEMA)
        found = (result["answer"], result["verdict"], result["exit_code"])
        assert found == (answer, verdict, code), result["reason"]
    assert "No such file" in results[-1]["reason"]
    assert ran.code == 2, "the worst of several is the code of the whole"
    assert [p["origin"] for p in results[0]["core"]] == ["text", "world"]
    assert results[2]["model"]["mortal"]["zeus"] is False
    assert (results[4]["location"]["line"], results[4]["location"]["column"]) == (6, 16)
    assert results[5]["optimum"] == "7/2"
    assert results[8]["location"]["path"] == "actions[0]"


def test_the_language_is_told_by_the_suffix_the_first_character_or_the_flag(cli: Any, files: Path) -> None:
    json_text, smt_text = PROGRAMS["human.json"][0].encode(), PROGRAMS["yes.smt2"][0].encode()
    for text in (json_text, smt_text):
        assert cli("ask", "--program", "-", "--json", "--no-confirm", stdin=text).objects()[0]["answer"] is True
    (files / "text.txt").write_bytes(json_text)
    assert cli("ask", "--program", "text.txt", "--backend", "json", "--no-confirm").code == 0
    assert cli("ask", "--program", "text.txt", "--backend", "smt2").code == 2


def test_a_folder_is_searched_for_programs_of_both_languages(cli: Any, files: Path) -> None:
    found = cli("ask", "--program", files, "--json").objects()
    assert sorted(Path(r["file"]).name for r in found) == sorted(PROGRAMS)
    assert cli("ask", "--program", files / "none").code == 2


def test_readings_worlds_and_limits_are_options_and_the_result_says_which(cli: Any, files: Path) -> None:
    (files / "hard.smt2").write_text(
        "(declare-const a Int)(declare-const b Int)(declare-const c Int)"
        "(assert (= (+ (* a a a) (* b b b) (* c c c)) 114))",
        "utf-8",
    )
    (seed,) = cli("ask", "--program", "open.smt2", "--semantics", "satisfiability", "--json").objects()
    assert (seed["answer"], seed["semantics"]) == (True, "satisfiability")
    closed = cli("ask", "--program", "open.smt2", "--world", "closed", "--no-confirm")
    assert closed.code == 3
    assert "mortal(zeus) does not follow [closed world]" in closed.out
    assert "in a closed world" in closed.out
    assert "trust level" not in closed.out
    (hard,) = cli("ask", "--program", "hard.smt2", "--verify-timeout", "300", "--json").objects()
    assert (hard["verdict"], hard["exit_code"]) == ("unknown", 1)
    assert "timeout" in hard["reason"]


@pytest.mark.parametrize(
    "flags", [("--verify-timeout", "0"), ("--semantics", "vague"), ("--backend", "prolog"), ("--jobs", "0")]
)
def test_a_flag_that_makes_no_sense_is_refused(cli: Any, files: Path, flags: tuple[str, str]) -> None:
    assert cli("ask", "--program", "yes.smt2", *flags).code == 2
