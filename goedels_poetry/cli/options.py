"""Arguments and options that several commands share, and the choices that they offer."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from goedels_poetry.settings.seconds import seconds

_Value = TypeVar("_Value")


class BackendName(StrEnum):
    """The languages of logic programs."""

    SMT2 = "smt2"
    JSON = "json"


class SemanticsName(StrEnum):
    """How a goal is read."""

    ENTAILMENT = "entailment"
    SATISFIABILITY = "satisfiability"


class WorldName(StrEnum):
    """What is held of what does not follow."""

    OPEN = "open"
    CLOSED = "closed"


class Required(StrEnum):
    """The least that counts as success."""

    PROVED = "proved"
    TESTED = "tested"


NAME = "goedels-poetry"
"""The program's."""
TIME = "TIME"
"""What stands for a length of time in the help."""


def duration(least: float = 0) -> Callable[[str], float]:
    """What reads an option in seconds (``parser`` of `typer.Option`): plain seconds, or units as in ``1h30m``.

    It raises `typer.BadParameter` for other words, and for less than ``least`` seconds.
    """

    def read(text: str) -> float:
        try:
            value = seconds(text)
        except ValueError as problem:
            raise typer.BadParameter(str(problem)) from None
        if value < least:
            raise typer.BadParameter(f"{text!r} is too short: at least {least:g} s")
        return value

    return read


def languages(incomplete: str) -> list[str]:
    """Names of proof languages that begin so, for a shell that completes a word."""
    from goedels_poetry.languages import names

    return [name for name in names() if name.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Ids of the data directory's runs that begin so, for a shell that completes a word."""
    from goedels_poetry.settings.names import configuration_file

    folder = configuration_file(os.environ).with_name("runs")
    return sorted(path.parent.name for path in folder.glob(f"{glob.escape(incomplete)}*/run.json"))


RunId = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run's id, or an unambiguous beginning of it.", autocompletion=runs),
]
MaybeRunId = Annotated[
    str | None,
    typer.Argument(metavar="RUN", help="A run's id, or an unambiguous beginning of it.", autocompletion=runs),
]
Require = Annotated[
    Required | None,
    typer.Option(help="The least that counts as success; what was tested and is disputed counts as less than tested."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Assume = Annotated[
    bool,
    typer.Option(
        "--assume-definitions",
        help="Accept recursive definitions that cannot be shown well-founded; the result says so.",
    ),
]
NoRoundTrip = Annotated[
    bool,
    typer.Option(
        "--no-round-trip", help="Do not have the formal statement put back into words and compared with the claim."
    ),
]
QuestionSeed = Annotated[int | None, typer.Option(help="Same input, same seed: same questions.")]
NoJudge = Annotated[bool, typer.Option("--no-judge", help="Do not have a model compare the program with the question.")]
Post = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=N]",
        help="Ask more than once: self-refine, self-consistency, decomposed, least-to-most; in their order.",
    ),
]

# -- language models -------------------------------------------------------------------------------------------
Model = Annotated[str | None, typer.Option(help="Language model of all roles.")]
BaseUrl = Annotated[
    str | None, typer.Option(help="Where the model is served: any OpenAI-compatible address, ending in /v1.")
]
Record = Annotated[Path | None, typer.Option(metavar="FILE", help="Write every request to a model and its reply.")]
Replay = Annotated[Path | None, typer.Option(metavar="FILE", help="Answer from such a file.")]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Work on a Ray cluster: local (this machine alone), auto (the one it is part of), or HOST:PORT of that.",
    ),
]
MaxModelCalls = Annotated[int | None, typer.Option(min=0, help="Budget: requests to language models.")]
MaxModelTokens = Annotated[int | None, typer.Option(min=0, help="Budget: tokens in and out of models.")]
MaxMoney = Annotated[float | None, typer.Option(min=0, help="Budget: US dollars for models.")]


def one_script(record: Path | None, replay: Path | None) -> None:
    """Refuse both at once.

    Raises:
        typer.BadParameter: replies are to be recorded and replayed.
    """
    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other")


def given(**values: _Value | None) -> dict[str, _Value]:
    """Those that were given; None means not given."""
    return {name: value for name, value in values.items() if value is not None}


def spending(seconds: float | None, calls: int | None, tokens: int | None, money: float | None) -> dict[str, float]:
    """What a run may spend, by the names of the budgets: those limits that were given."""
    return given(wall_seconds=seconds, model_calls=calls, model_tokens=tokens, money=money)
