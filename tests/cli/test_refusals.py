"""What keeps a command from its work has one plain line, an exit code and JSON of its own."""

import fcntl
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry.cli.app import COMMANDS
from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.cli.run_errors import worst_code
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.settings.declared import FORMS, seconds, unknown_variables

ROOT = Path(__file__).parents[2]
EASY = "(declare-const p Bool)\n(prove (or p (not p)))\n"
OTHER = "(declare-const q Bool)\n(prove (=> q q))\n"


def schema(name: str) -> Any:
    return json.loads((ROOT / "docs" / "schema" / f"{name}-v1.json").read_text("utf-8"))


@pytest.fixture
def locked(cli: Any, tmp_path: Path, home: Path) -> Iterator[Path]:
    """A theorem whose run somebody, in fact this process, works on; and another one beside it."""
    (tmp_path / "locked.smt2").write_text(EASY)
    (tmp_path / "other.smt2").write_text(OTHER)
    assert cli("prove", "locked.smt2").code == 0
    (lock,) = home.glob("runs/*/lock")
    with lock.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield lock


def test_a_run_that_another_process_works_on_has_no_verdict_and_the_others_go_on(cli: Any, locked: Path) -> None:
    ran = cli("prove", "locked.smt2", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    jsonschema.validate(second, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"]) == (75, None, 75)
    assert first["error"]["kind"] == "locked"
    assert locked.parent.name in first["reason"]
    assert (second["verdict"], second["exit_code"], second["error"]) == ("proved", 0, None)


def test_a_defect_has_no_verdict_and_the_others_go_on(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = GoedelsPoetryFramework.arun

    async def broken(self: Any, text: str, **how: Any) -> Any:
        if "(or p" in text:
            raise ZeroDivisionError("a defect")
        return await real(self, text, **how)

    monkeypatch.setattr(GoedelsPoetryFramework, "arun", broken)
    (tmp_path / "broken.smt2").write_text(EASY)
    (tmp_path / "other.smt2").write_text(OTHER)
    ran = cli("prove", "broken.smt2", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"], first["error"]["kind"]) == (70, None, 70, "internal")
    assert "ZeroDivisionError: a defect" in first["reason"]
    assert "Traceback" in Path(first["error"]["log"]).read_text()
    assert second["verdict"] == "proved"


def test_of_several_the_worst_is_the_exit_code() -> None:
    assert worst_code([]) == 0
    assert worst_code([0, 3]) == 3
    assert worst_code([1, 5]) == 5
    assert worst_code([5, 75]) == 75
    assert worst_code([75, 74]) == 74
    assert worst_code([74, 4, 2]) == 2
    assert worst_code([2, 70]) == 70


def test_lean_that_is_not_there_is_no_verdict_and_the_others_go_on(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOEDELS_POETRY__LEAN__KIND", "kimina")
    (tmp_path / "t.lean").write_text("theorem t : 1 + 1 = 2 := by sorry\n")
    (tmp_path / "other.smt2").write_text(OTHER)
    ran = cli("prove", "t.lean", "other.smt2", "--json", "--quiet")
    first, second = ran.objects()
    jsonschema.validate(first, schema("result"))
    assert (ran.code, first["verdict"], first["exit_code"], first["error"]["kind"]) == (69, None, 69, "missing")
    assert "Lean is not available" in first["reason"] and "goedels-poetry doctor" in first["reason"]
    assert second["verdict"] == "proved"
    page = cli("prove", "t.lean", "--quiet")
    assert page.code == 69 and "not done  t.lean" in page.out and "unknown" not in page.out


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path))
    return tmp_path / "config.toml"


def told(**flags: Any) -> str:
    with pytest.raises(BadSettings) as bad:
        settings(**flags)
    return str(bad.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('seed = 1\n[budgets]\ndepth = "x"\n', ": budgets.depth: Input should be a valid integer"),
        ("sede = 1\n", ": sede: there is no such setting; did you mean seed?"),
        ("[budgets]\n\ndpeth = 1\n", ": budgets.dpeth: there is no such setting; did you mean budgets.depth?"),
        ("[budgets]\nqqq = 1\n", ": budgets.qqq: there is no such setting; budgets has wall_seconds, agent_steps,"),
        ("budgets = {depth = -1}\n", ": budgets.depth: Input should be greater than or equal to 0, not -1"),
        ("budgets.depth = -1\n", ": budgets.depth: Input"),
        ('[schedule]\nbeam = [1, "x"]\n', ": schedule.beam[1]: Input"),
        ('[models.prover]\nmodel = "m"\nbase_url = "ftp"\n', ": models.prover.base_url: 'ftp' is not an address"),
        ("budgets = 3\n", ": budgets: Input"),
        ("seed = \n", ": Invalid value"),
        ("seed = 1\nseed = 2\n", ": Cannot overwrite a value"),
        ("seed", ": Expected '='"),
        ('[budgets]\nwall_seconds = "soon"\n', ": budgets.wall_seconds: 'soon' is no length of time"),
    ],
)
def test_the_file_is_named(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    assert told().startswith(f"{file}{words}")


def test_a_secret_is_not_told(file: Path) -> None:
    file.write_text("[models.prover]\napi_key = 12345\n")
    assert told() == f"{file}: models.prover.api_key: Input should be a valid string"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("GOEDELS_POETRY__HOMES", "GOEDELS_POETRY__HOME"),
        ("GOEDELS_POETRY__SEDE", "GOEDELS_POETRY__SEED"),
        ("GOEDELS_POETRY__SEED__X", "GOEDELS_POETRY__SEED"),
        ("GOEDELS_POETRY__BUDGET__WALL_SECONDS", "GOEDELS_POETRY__BUDGETS__WALL_SECONDS"),
        ("goedels_poetry__model__default", "GOEDELS_POETRY__MODELS__DEFAULT"),
        ("GOEDELS_POETRY_HOME", "GOEDELS_POETRY__HOME"),
        ("GOEDELS_POETRY_BUDGETS_WALL_SECONDS", "GOEDELS_POETRY__BUDGETS__WALL_SECONDS"),
    ],
)
def test_a_name_that_is_no_setting_is_told_with_the_nearest_one_that_is(wrong: str, right: str) -> None:
    assert unknown_variables({wrong: "1"}) == [
        f"the environment variable {wrong} names no setting; did you mean {right}?"
    ]


def test_a_command_says_it_in_one_line_on_standard_error_and_goes_on(program: Callable[..., Any]) -> None:
    ran = program("runs", env={"GOEDELS_POETRY__HOMES": "/somewhere"})
    assert ran.code == 0
    lines = [line for line in ran.err.splitlines() if "HOMES" in line]
    assert lines == [
        "warning: the environment variable GOEDELS_POETRY__HOMES names no setting; did you mean GOEDELS_POETRY__HOME?"
    ]


@pytest.mark.parametrize(
    ("said", "meant"),
    {
        "10": 10,
        "2.5": 2.5,
        "0": 0,
        "1e3": 1000,
        "10s": 10,
        "5m": 300,
        "1h30m": 5400,
        "1H 30M": 5400,
        "500ms": 0.5,
        "1m30s": 90,
        "1.5h": 5400,
        "2d": 172_800,
    }.items(),
)
def test_a_length_of_time_is_read_as_people_write_it(said: str, meant: float) -> None:
    assert seconds(said) == meant


def test_a_wrong_length_of_time_is_told_with_the_option(cli: Any) -> None:
    ran = cli("prove", "t.smt2", "--timeout", "10 parsecs")
    assert ran.code == 2
    assert "--timeout" in ran.err
    assert FORMS in " ".join(ran.err.split())


@pytest.mark.parametrize("name", [*COMMANDS, "lean"])
def test_every_command_has_help_and_its_flags_have_no_opposites_unless_they_say_so(cli: Any, name: str) -> None:
    ran = cli(name, "--help")
    assert ran.code == 0
    assert {*re.findall(r"--\S+ / --no-\S+", ran.out)} <= {"--proof / --no-proof", "--confirm / --no-confirm"}
