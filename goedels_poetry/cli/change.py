"""The command ``change``: a proposed change is applied to a copy, verified by what it does, and decided on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goedels_poetry.cli.options import (
    TIME,
    BaseUrl,
    Json,
    MaxModelCalls,
    MaxModelTokens,
    MaxMoney,
    Model,
    Quiet,
    Record,
    Replay,
    duration,
    one_script,
    spending,
)


def change(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The file that is to be changed.")] = None,
    error: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What is wrong: a traceback or words; - for standard input.")
    ] = None,
    error_file: Annotated[Path | None, typer.Option(metavar="FILE", help="The same, from a file.")] = None,
    test: Annotated[
        str | None, typer.Option(metavar="COMMAND", help='Command that runs the tests, e.g. "pytest -q tests".')
    ] = None,
    run: Annotated[
        str | None, typer.Option(metavar="COMMAND", help='Command that shows the error, e.g. "python main.py 3".')
    ] = None,
    patch: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A proposed change: a diff, search and replace blocks, or the new file."),
    ] = None,
    project: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder with the file and its tests. [default: found above it]")
    ] = None,
    meant: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A function whose behaviour, or a test that, the change is meant to alter."),
    ] = None,
    max_attempts: Annotated[int | None, typer.Option(min=1, help="Changes by a model. [default: 6]")] = None,
    test_seconds: Annotated[
        float | None,
        typer.Option(parser=duration(1), metavar=TIME, help="Processor time for one run of the tests. [default: 60]"),
    ] = None,
    no_repairs: Annotated[
        bool, typer.Option("--no-repairs", help="Without a model and a change: look for no small repair.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Change the file itself; what it was is kept in FILE.orig.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the changed file there.")] = None,
    history: Annotated[str | None, typer.Option(metavar="RUN", help="Show the steps and decisions of a run.")] = None,
    restore: Annotated[
        str | None, typer.Option(metavar="RUN:STEP", help="Print the file as a step left it; or --out, or --write.")
    ] = None,
    back: Annotated[
        str | None,
        typer.Option(metavar="RUN:STEP", help="Go back to that state and on from there, with --patch or --model."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the conversation of the run as JSON Lines.")
    ] = None,
    as_json: Json = False,
    timeout: Annotated[
        float | None,
        typer.Option(parser=duration(), metavar=TIME, help="Over all resumes; 0: no limit. [default: 900]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same input, same seed: same questions to the model.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this change.")] = False,
    max_model_calls: MaxModelCalls = None,
    max_model_tokens: MaxModelTokens = None,
    max_money: MaxMoney = None,
    model: Model = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    quiet: Quiet = False,
) -> None:
    """Verify a change to a file by what it does, and decide: keep, refine, another approach, roll back.

    The file itself is only changed with --write. Exit code: 0 the error is gone and nothing broke (tested; no proof),
    1 unknown, 2 invalid input, 5 out of budget.
    """
    from goedels_poetry.cli.change_run import ChangeRequest, change_file

    one_script(record, replay)
    request = ChangeRequest(
        file=file,
        error=error,
        error_file=error_file,
        test=test,
        run=run,
        patches=tuple(patch or ()),
        project=project,
        meant=tuple(meant or ()),
        max_attempts=max_attempts,
        test_seconds=test_seconds,
        repairs=not no_repairs,
        write=write,
        target=out,
        history=history,
        restore=restore,
        back=back,
        export=export,
        as_json=as_json,
        fresh=fresh,
        seed=seed,
        budgets=spending(timeout, max_model_calls, max_model_tokens, max_money),
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(change_file(request))


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(change)
