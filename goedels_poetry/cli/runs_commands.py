"""The commands about runs that are there: ``runs``, which lists and deletes them, and ``runs repair``."""

from __future__ import annotations

from typing import Annotated

import typer

from goedels_poetry.cli.options import Json, RunId

runs_app = typer.Typer(rich_markup_mode=None)


@runs_app.callback(invoke_without_command=True)
def runs(
    context: typer.Context,
    as_json: Json = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Show the latest so many; 0: all.")] = 20,
    verdict: Annotated[
        list[str] | None, typer.Option(help="Only with this verdict, or running, or stopped; several with commas.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="WHEN", help="Only begun since then: 2d, 12h, 2026-03-01.")
    ] = None,
    older_than: Annotated[str | None, typer.Option(metavar="WHEN", help="Only not touched since then.")] = None,
    match: Annotated[str, typer.Option(metavar="TEXT", help="Only with these words in name, id or reason.")] = "",
    language: Annotated[str | None, typer.Option(help="Only of this proof language.")] = None,
    prune: Annotated[bool, typer.Option("--prune", help="Say what deleting those would free; --yes does it.")] = False,
    keep: Annotated[int | None, typer.Option(metavar="N", help="With --prune: the latest N of those stay.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --prune: delete them.")] = False,
) -> None:
    """List the runs of the data directory, latest first, or delete old ones.

    Runs that are being worked on, certificates in other folders and the lemma bank stay. Exit code: 0; 1 when some
    could not be deleted; 2 bad options.
    """
    if context.invoked_subcommand is not None:
        return
    from goedels_poetry.cli.runs import Request, list_runs

    asked = Request(verdict or (), since, older_than, language, match, limit, as_json, prune, keep, yes)
    raise typer.Exit(list_runs(asked))


@runs_app.command("repair")
def repair(run: RunId, as_json: Json = False) -> None:
    """Save what can be read of a run whose proof.db is damaged; the damaged file is kept beside it.

    The run goes on from there: the same command as before, without --fresh. Exit code: 0 it is whole again, or was; 1
    nothing can be saved; 2 there is no such run.
    """
    from goedels_poetry.cli.runs import repair_run

    raise typer.Exit(repair_run(run, as_json=as_json))
