"""Several goals in one file, hints and lemmas, as a person at the command line has them."""

import json
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.verdict import Verdict


def test_each_goal_has_its_verdict_and_one_can_be_named(cli: Any, theorems: Path, tmp_path: Path) -> None:
    file = theorems / "take_keeps_uniq.smt2"
    ran = cli("prove", file, "--json", "--out", tmp_path / "certs", "--timeout", "60")
    results = ran.objects()
    assert [r["input"] for r in results] == [f"{file}:member_take", f"{file}:uniq_take"]
    assert [r["verdict"] for r in results] == ["proved", "proved"] and ran.code == 0
    certificate = results[1]["certificate"]
    one = cli("prove", f"{file}:uniq_take", "--json")
    assert one.code == 0 and one.objects()[0]["run_id"] == results[1]["run_id"], "it is the same run"
    assert cli("check", certificate, "--against", f"{file}:uniq_take").code == 0
    for other in (f"{file}:member_take", f"{file}:none", file):
        assert cli("check", certificate, "--against", other).code in (1, 2)
    whole = cli("check", certificate, "--against", file)
    assert "the text states 2 goals: name one" in whole.out


def test_a_hint_of_no_use_is_said_to_be_so_and_the_search_goes_on(cli: Any, tmp_path: Path) -> None:
    text = """(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (! (forall ((n Int)) (=> (>= n 0) (>= (sum n) n))) :named grows :cases (= n 7)))
"""
    (tmp_path / "sum.smt2").write_text(text)
    (result,) = cli("prove", "sum.smt2", "--json", "--timeout", "60").objects()
    assert result["verdict"] == "proved"
    (said,) = (w for w in result["warnings"] if w.startswith("the hint did not help"))
    assert "by case-split these cases stay open: " in said


def test_a_wrong_hint_is_invalid_and_costs_the_other_goals_nothing(cli: Any, tmp_path: Path) -> None:
    text = "(declare-const c Int)\n(prove (! (= c c) :named a))\n(prove (! (= (+ c 0) c) :named b\n :using (aa)))\n"
    (tmp_path / "x.smt2").write_text(text + "(prove (! (= (+ c 1) (+ 1 c)) :named d))\n")
    ran = cli("prove", "x.smt2", "--json")
    verdicts = {r["input"]: r["verdict"] for r in ran.objects()}
    assert verdicts == {"x.smt2:a": "proved", "x.smt2:b": "invalid", "x.smt2:d": "proved"}
    assert ran.code == Verdict.INVALID.exit_code
    shown = cli("prove", "x.smt2:b")
    assert "4:10: `aa` is no goal before this one and no premise (there are a)" in shown.out


def test_lemmas_of_another_file_are_proved_first_and_the_certificate_is_about_the_file(
    cli: Any, theorems: Path, tmp_path: Path
) -> None:
    text = (theorems / "take_keeps_uniq.smt2").read_text()
    lemma, goal = text.index("(prove"), text.index("(prove", text.index("(prove") + 1)
    (tmp_path / "library.smt2").write_text(text[lemma:goal].replace("(prove", "(assert"))
    stated = "(assert (not (forall ((n Int) (c List)) (=> (uniq c) (uniq (take n c))))))\n(check-sat)\n"
    (tmp_path / "fixed.smt2").write_text(text[:lemma] + stated)
    (result,) = cli("prove", "fixed.smt2", "--lemmas", "library.smt2", "--json", "--timeout", "60").objects()
    assert result["verdict"] == "proved", result["reason"]
    assert (Path(result["certificate"]) / "theorem.smt2").read_text() == text[:lemma] + stated
    assert cli("check", result["certificate"], "--against", "fixed.smt2").code == 0
    steps = json.loads((Path(result["certificate"]) / "derivation.json").read_text())["steps"]
    assert any("member" in step["sequent"] and "uniq" not in step["sequent"] for step in steps)
    (tmp_path / "wrong.smt2").write_text("(prove (= 1 d))")
    refused = cli("prove", "fixed.smt2", "--lemmas", "wrong.smt2")
    assert refused.code == Verdict.INVALID.exit_code
    assert "in the lemmas: unknown symbol `d`" in refused.out
    assert cli("prove", "fixed.smt2", "--lemmas", "none.smt2").code == Verdict.INVALID.exit_code
