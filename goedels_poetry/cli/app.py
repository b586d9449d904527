"""The commands and their options. Bodies import what they need, so that the options alone load fast."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from goedels_poetry.cli.change import register as register_change
from goedels_poetry.cli.code import register as register_code
from goedels_poetry.cli.examples import register as register_examples
from goedels_poetry.cli.export import register as register_export
from goedels_poetry.cli.options import (
    NAME,
    TIME,
    Assume,
    BaseUrl,
    Cluster,
    Json,
    MaxModelCalls,
    MaxModelTokens,
    MaxMoney,
    MaybeRunId,
    Model,
    NoRoundTrip,
    QuestionSeed,
    Quiet,
    Record,
    Replay,
    Require,
    RunId,
    duration,
    given,
    languages,
    one_script,
    spending,
)
from goedels_poetry.cli.question_commands import ask, bench
from goedels_poetry.cli.runs_commands import runs_app
from goedels_poetry.cli.tool_commands import check, doctor, lean_install, premises

PROGRAM = """Proves theorems by recursive decomposition and backtracking, and re-checks every proof.

A theorem is a file: SMT-LIB 2 (.smt2), Lean 4 (.lean), Python functions with contracts (.py), or a JSON logic program
(.json). To begin:

\b
  goedels-poetry examples                             writes some
  goedels-poetry prove theorems/smt/gauss_sum.smt2    proves one
"""


class _Commands(TyperGroup):
    """The commands; the help of `prove` names every language that is installed."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = super().get_command(ctx, cmd_name)
        if cmd_name == "prove" and command is not None:
            from goedels_poetry.languages import names

            language: Any = next(option for option in command.params if option.name == "language")
            language.help = f"Proof language, when the file name does not tell: {', '.join(names())}."
        return command


app = typer.Typer(
    name=NAME,
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


lean_app = typer.Typer(help="The embedded Lean.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(runs_app, name="runs")
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

        typer.echo(f"{NAME} {__version__}")
        raise typer.Exit


@app.callback(help=PROGRAM)
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def prove(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Theorems in SMT-LIB 2 (.smt2), Lean 4 (.lean), Python with contracts (.py), JSON logic programs "
            "(.json): files, folders of them, FILE:NAME for one theorem of a file, - for standard input.",
        ),
    ],
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder for certificates (default: in the run's folder).")] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            parser=duration(),
            metavar=TIME,
            help="For each theorem, over all resumes: seconds, or 10s, 5m, 1h30m; 0: no limit. [default: 300]",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same input, same seed: same tree.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Theorems worked on at once. [default: 1; on a cluster what it has room for]"
        ),
    ] = None,
    cluster: Cluster = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this theorem.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Only go on with a run that exists.")] = False,
    language: Annotated[
        str | None, typer.Option(help="Proof language, when the file name does not tell.", autocompletion=languages)
    ] = None,
    theorem: Annotated[
        str | None, typer.Option(metavar="NAME", help="One theorem of the file (the same as FILE:NAME).")
    ] = None,
    assume_definitions: Assume = False,
    no_bank: Annotated[bool, typer.Option("--no-bank", help="Neither use nor feed the lemma bank.")] = False,
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, help="Agents' jobs at once; checks are counted apart.")
    ] = None,
    max_steps: Annotated[int | None, typer.Option(min=0, help="Budget: agent steps of a run.")] = None,
    max_nodes: Annotated[int | None, typer.Option(min=1, help="Budget: goals of a run, cut ones included.")] = None,
    max_depth: Annotated[int | None, typer.Option(min=0, help="Budget: levels of decomposition.")] = None,
    max_attempts: Annotated[int | None, typer.Option(min=1, help="Budget: proof attempts on one goal.")] = None,
    max_solver_seconds: Annotated[
        float | None, typer.Option(parser=duration(), metavar=TIME, help="Budget: time inside solvers.")
    ] = None,
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
    proof: Annotated[
        bool | None,
        typer.Option("--proof/--no-proof", help="Print the proof. [default: when it has at most 12 lines]"),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Lean: print what filling the holes of each file changes in it.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Lean: fill the holes in the files; what they were is kept in FILE.orig.")
    ] = False,
    lean: Annotated[
        bool, typer.Option("--lean", help="SMT: write each proof for Lean, too, into its certificate (level L4).")
    ] = False,
    lean_timeout: Annotated[
        float | None,
        typer.Option("--lean-timeout", parser=duration(), metavar=TIME, help="With --lean: for each. [default: 60]"),
    ] = None,
    require: Require = None,
    quiet: Quiet = False,
) -> None:
    """Prove theorems; keep every run and its certificate.

    Exit code: 0 proved, 1 unknown or less than --require asks for, 2 invalid input, 3 refuted, 4 inconsistent premises,
    5 out of budget. Without any verdict: 75 another process works on the run, 74 a file or the disk failed, 70 a defect
    of this program. With several theorems it is that of the worst, in the order 70, invalid, inconsistent, 74, 75, out
    of budget, unknown, refuted, proved.
    """
    from goedels_poetry.cli.prove import prove_all
    from goedels_poetry.cli.prove_request import Request
    from goedels_poetry.kernel.verdict import Verdict

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
        jobs=jobs or (1 if cluster is None else 0),
        cluster=cluster,
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
        proof=proof,
        diff=diff,
        write=write,
        required=Verdict(require) if require else None,
        lean=lean,
        lean_timeout=lean_timeout,
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
        typer.Option(
            parser=duration(), metavar=TIME, help="For each claim, over all resumes; 0: no limit. [default: 300]"
        ),
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
register_examples(app)
register_export(app)


app.command()(check)
app.command()(bench)
app.command()(premises)


@app.command()
def show(
    run: RunId,
    as_json: Json = False,
    at: Annotated[int | None, typer.Option(metavar="SEQ", min=0, help="The tree as it was after this commit.")] = None,
) -> None:
    """Show a run's proof tree, and of each open goal what was tried, what came nearest and what would help."""
    from goedels_poetry.cli.show import show_run

    raise typer.Exit(show_run(run, as_json=as_json, at=at))


@app.command()
def trace(
    run: MaybeRunId = None,
    form: Annotated[
        TraceFormat | None, typer.Option("--format", "-f", help="Events, or a picture. [default: jsonl]")
    ] = None,
    at: Annotated[int | None, typer.Option(metavar="SEQ", min=0, help="Up to this commit.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the run's page; - for the output.")] = None,
    compare: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Two runs side by side, in place of RUN.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With --compare: print one JSON object.")] = False,
) -> None:
    """Write a run's page, its events as JSON Lines, its tree as a picture, or all that was tried and said as JSON.

    The page is one file that needs no network: the tree at any commit, and of each goal what happened to it.
    """
    if (run is None) == (compare is None):
        raise typer.BadParameter("give either a run or --compare A B")
    if (html or compare) and (form or at is not None):
        raise typer.BadParameter("--format and --at do not go with --html and --compare")
    if as_json and not compare:
        raise typer.BadParameter("--json goes with --compare; for the events of a run use --format jsonl")
    if compare:
        from goedels_poetry.cli.trace_page import compare_runs

        raise typer.Exit(compare_runs(compare, file=html, as_json=as_json))
    assert run is not None
    if html:
        from goedels_poetry.cli.trace_page import write_page

        raise typer.Exit(write_page(run, html))
    from goedels_poetry.cli.look import trace_run

    raise typer.Exit(trace_run(run, (form or TraceFormat.JSONL).value, at=at))


@app.command()
def graph(
    form: Annotated[GraphFormat, typer.Option("--format", "-f", help="Text, or a picture.")] = GraphFormat.TEXT,
    kind: Annotated[
        str, typer.Option(metavar="TASK", help="The machine of: theorem, claim, question, code or change.")
    ] = "theorem",
    questions: Annotated[bool, typer.Option("--questions", help="The same as --kind question.")] = False,
) -> None:
    """Draw how a goal travels: every queue, the agent that serves it, and where it may send the goal."""
    from goedels_poetry.cli.look import draw_machine

    raise typer.Exit(draw_machine(form.value, kind="question" if questions else kind))


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="On this port of 127.0.0.1; 0: a free one.")] = 0,
    runs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Runs started here and under way at once.")] = 2,
    timeout: Annotated[
        float | None,
        typer.Option(parser=duration(), metavar=TIME, help="Most that a run may be given; 0: no limit. [default: 300]"),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles, as for `prove`.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Where the model is served, as for `prove`.")] = None,
) -> None:
    """Show runs in the browser as they go on, and start some there. On this machine only, with a token.

    Ctrl-C ends it; runs that were started there stop and can be resumed. Needs the extra `serve`.
    """
    from goedels_poetry.cli.serve import Request, serve_runs

    models = {"model": model, "base_url": base_url}
    raise typer.Exit(serve_runs(Request(port=port, runs=runs, timeout=timeout, models=models)))


app.command()(doctor)
lean_app.command("install")(lean_install)
