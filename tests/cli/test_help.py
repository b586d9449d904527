"""The help says what the input is."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from goedels_poetry import languages
from goedels_poetry.cli.app import COMMANDS

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


@pytest.mark.parametrize("name", [*COMMANDS, "lean"])
def test_every_command_has_help_and_its_flags_have_no_opposites_unless_they_say_so(cli: Any, name: str) -> None:
    ran = cli(name, "--help")
    assert ran.code == 0
    assert {*re.findall(r"--\S+ / --no-\S+", ran.out)} <= {"--proof / --no-proof", "--confirm / --no-confirm"}


def test_the_usage_names_the_program_however_it_was_started(cli: Any, program: Any) -> None:
    for ran in (cli("prove", "--no-such-option"), program("prove", "--no-such-option")):
        assert (ran.code, "Usage: goedels-poetry prove" in ran.err) == (2, True)
