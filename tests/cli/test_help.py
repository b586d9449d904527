"""The help says what the input is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from goedels_poetry import languages

FORMS = ("SMT-LIB 2 (.smt2)", "Lean 4 (.lean)", "(.py)", "(.json)")


def said(ran: Any) -> str:
    return " ".join(ran.out.split())


@pytest.mark.parametrize("line", [("--help",), ("prove", "--help")], ids=" ".join)
def test_the_help_names_what_a_theorem_is_written_in(cli: Any, line: tuple[str, ...]) -> None:
    ran = cli(*line)
    assert ran.code == 0
    for form in FORMS:
        assert form in said(ran)


def test_the_help_says_where_to_begin(cli: Any) -> None:
    assert "goedels-poetry examples" in said(cli("--help"))
    assert "\n    goedels-poetry prove theorems/smt/gauss_sum.smt2" in cli("--help").out


def test_the_help_names_every_language_those_of_plug_ins_included(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"{', '.join(languages.BUILT_IN)}." in said(cli("prove", "--help"))
    monkeypatch.setattr(languages, "declared", lambda group: [SimpleNamespace(name="own")])
    assert f"{', '.join(languages.BUILT_IN)}, own." in said(cli("prove", "--help"))


def test_the_help_says_every_exit_code(cli: Any) -> None:
    help_of_prove = said(cli("prove", "--help"))
    for code in (
        "0 proved",
        "1 unknown",
        "2 invalid",
        "3 refuted",
        "4 incon",
        "5 out",
        "70 a def",
        "74 a file",
        "75 an",
    ):
        assert code in help_of_prove


def test_the_usage_names_the_program_however_it_was_started(cli: Any, program: Any) -> None:
    for ran in (cli("prove", "--no-such-option"), program("prove", "--no-such-option")):
        assert (ran.code, "Usage: goedels-poetry prove" in ran.err) == (2, True)
