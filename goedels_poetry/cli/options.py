"""Arguments and options that several commands share, and the choices that they offer."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

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


RunId = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or an unambiguous beginning of it.")]
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
