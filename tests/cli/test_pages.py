"""The pages of `prove`: what stands where, the proof, the table and the count, the seconds."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.cli.report import Row, say_proof, say_table
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.explain import explain_lines
from goedels_poetry.trace.proof_text import LEAN, ProofText, lean_pieces, proof_text
from goedels_poetry.trace.terminal import console, lines_to

VERDICTS = {
    "swap_twice.smt2": "proved",
    "not_a_definition.smt2": "unknown",
    "reverse_append_wrong.smt2": "refuted",
    "rumour.smt2": "inconsistent",
    "missing.smt2": "invalid",
}


# -- a whole page ---------------------------------------------------------------------------------------------------
def test_every_page_ends_with_its_verdict_and_several_with_a_table_and_a_count(
    cli: Any, theorems: Path, home: Path
) -> None:
    ran = cli("prove", *(theorems / name for name in VERDICTS), "--timeout", "5", "--quiet")
    *pages, table = ran.out.split("\n\n")
    for page, (name, verdict) in zip(pages, VERDICTS.items(), strict=True):
        assert page.splitlines()[-1] == f"{verdict}  {theorems / name}"
    head, *rows, count = table.splitlines()
    assert head.split() == ["theorem", "verdict", "trust", "seconds"]
    assert [row.split()[1] for row in rows] == list(VERDICTS.values())
    assert re.fullmatch(r"5 theorems: 1 proved, 1 refuted, 1 inconsistent, 1 unknown, 1 invalid in \d+(\.\d)? s", count)
    assert pages[0].splitlines()[0].startswith("0  for all a i j: "), "tree and proof stand above the evidence"
    assert pages[0].index("  proof:") < pages[0].index("  trust level") < pages[0].index("  run ")
    (unknown,) = (run for run in cli("runs", "--json").objects() if run["verdict"] == "unknown")
    with GoedelsPoetryFramework(Settings(home=home)) as framework, framework.open_store(unknown["run_id"]) as store:
        told = explain_lines(store, store.nodes()[0])
    assert told and all(f"  {line}" in pages[1] for line in told), "why it was not decided"
    assert "would help: recursion that is seen to end" in pages[1] and "would help: --assume-definitions" in pages[1]
    assert "a language model" not in pages[1], "none is asked about a definition"
    assert "another solver" in pages[0] and "kernel" not in pages[0], "what a level means for this language"


def test_json_has_the_proof_and_the_seconds(cli: Any, theorems: Path) -> None:
    (told,) = cli("prove", theorems / "swap_twice.smt2", "--json").objects()
    assert told["proof"] == ("theorem: swap(swap(a, i, j), i, j) = a\n  closed by z3 and cvc5 from: definitions")
    assert told["seconds"] >= told["metrics"]["wall_seconds"] > 0
    (without,) = cli("prove", theorems / "swap_twice.smt2", "--json", "--no-proof").objects()
    assert without["proof"] is None and without["skipped"]


def test_a_proof_by_induction_names_its_lemmas_cases_and_hypotheses(cli: Any, theorems: Path) -> None:
    (told,) = cli("prove", theorems / "reverse_twice.smt2", "--json", "--no-bank").objects()
    lines = told["proof"].splitlines()
    assert lines[0].startswith("lemma 1: ") and lines[1].startswith("  induction on ")
    assert "theorem: reverse(reverse(xs)) = xs" in lines and "  induction on xs" in lines
    assert lines[-1].startswith("      closed by ") and lines[-1].endswith(" from: definitions, hypothesis, lemma 1")


# -- the proof ------------------------------------------------------------------------------------------------------
def shown(proof: ProofText, asked: bool | None, *, proved: bool = True) -> str:
    out = StringIO()
    say_proof(lines_to(out), proof, asked, proved=proved)
    return out.getvalue()


def test_a_proof_of_a_model_cannot_write_on_the_terminal() -> None:
    lean = ProofText(LEAN, ("theorem t : 1 = 1 := by", "  -- \x1b[31mred\x1b]0;title\x07", "\trfl"))
    said = shown(lean, True)
    assert "\x1b" not in said and "\x07" not in said and "\\x1b[31mred" in said
    out = StringIO()
    from rich.console import Console

    say_proof(Console(file=out, force_terminal=True, color_system="standard", width=80), lean, True, proved=True)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    assert plain == said, "colours, and nothing else"
    assert out.getvalue() != plain


QUERY = {"cites": [], "equations": True, "instances": [], "quantified": True}


@pytest.mark.parametrize(
    "steps",
    [
        [{"id": "1", "sequent": "(sequent () () true)", "scheme": {"kind": "intro"}, "cites": ["1"]}],
        [{"id": "1", "sequent": "(sequent () () true)", "query": {**QUERY, "cites": ["9"]}}],
        [{"id": "1"}],
        "no list",
        [],
    ],
)
def test_what_is_no_certificate_has_no_proof_and_does_no_harm(tmp_path: Path, steps: Any) -> None:
    (tmp_path / "manifest.json").write_text('{"language": "smt", "claim": "proved"}')
    (tmp_path / "theorem.smt2").write_text("(prove true)")
    (tmp_path / "derivation.json").write_text(json.dumps({"steps": steps}))
    assert proof_text(RunResult("t", Verdict.PROVED, certificate=tmp_path)) is None
    assert proof_text(RunResult("t", Verdict.PROVED, certificate=tmp_path / "nowhere")) is None


@pytest.mark.parametrize(
    ("original", "proof", "pieces"),
    [
        ("theorem t : p := sorry\n", "theorem t : p := by\n  simp\n", ("", "theorem t : p := by\n  simp")),
        ("theorem t : p := sorry", "theorem t : p := sorryful", ("", "theorem t : p := sorryful")),
        (
            "-- u := sorry\n/-- doc -/\n@[simp] theorem t : p := sorry\ntheorem v : q := sorry\n",
            "-- u := sorry\ntheorem t_aux_1 : r := rfl\n\n/-- doc -/\n@[simp] theorem t : p := t_aux_1\n"
            "theorem v : q := sorry\n",
            ("theorem t_aux_1 : r := rfl\n\n", "/-- doc -/\n@[simp] theorem t : p := t_aux_1"),
        ),
    ],
)
def test_what_stands_in_place_of_sorry_is_found_in_the_certificates_files(
    original: str, proof: str, pieces: tuple[str, str]
) -> None:
    assert lean_pieces(original, proof, "t") == pieces


# -- the end of a batch ---------------------------------------------------------------------------------------------
ROWS = [
    Row("a/very/long/name/of/a/folder/and_a_theorem.smt2", Verdict.PROVED, "L3", 1.25),
    Row("u.smt2", Verdict.OUT_OF_BUDGET),
    Row("v.smt2", Verdict.UNKNOWN, seconds=100.0, failed="locked"),
]


@pytest.mark.parametrize("width", [40, 80])
def test_the_table_fits_the_terminal(width: int) -> None:
    out = StringIO()
    from rich.console import Console

    say_table(Console(file=out, width=width), ROWS)
    lines = out.getvalue().splitlines()
    assert len(lines) == 4 and all(len(line) <= max(width, 47) for line in lines)
    assert lines[1].split()[0].endswith("theorem.smt2"), "a name keeps its end"
    assert [line.rstrip()[-5:].strip() for line in lines[1:]] == ["1.2", "udget", "100.0"]
    piped = StringIO()
    say_table(console(piped), ROWS)
    assert "a/very/long/name/of/a/folder/and_a_theorem.smt2  proved         L3         1.2" in piped.getvalue()
