"""The commands for questions in plain language: `ask` for one, `bench` for data sets of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from goedels_poetry.cli.options import (
    TIME,
    BackendName,
    BaseUrl,
    Cluster,
    Json,
    MaxModelCalls,
    MaxModelTokens,
    MaxMoney,
    Model,
    NoJudge,
    Post,
    QuestionSeed,
    Quiet,
    Record,
    Replay,
    SemanticsName,
    WorldName,
    duration,
    given,
    one_script,
    spending,
)

DAY = 86_400_000
"""Milliseconds."""


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
    no_judge: NoJudge = False,
    post: Post = None,
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
    seed: QuestionSeed = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            parser=duration(), metavar=TIME, help="For a question, over all resumes; 0: no limit. [default: 900]"
        ),
    ] = None,
    max_model_calls: MaxModelCalls = None,
    max_model_tokens: MaxModelTokens = None,
    max_money: MaxMoney = None,
    model: Model = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    quiet: Quiet = False,
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

    one_script(record, replay)
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
    budgets = spending(timeout, max_model_calls, max_model_tokens, max_money)
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
        budgets=budgets,
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(ask_question(request))


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
    no_judge: NoJudge = False,
    post: Post = None,
    facts: Annotated[
        bool, typer.Option("--facts", help="Give the facts of StrategyQA as the text to rely on.")
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="At most so many of each data set, drawn by the seed.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same data, same seed: same sample, same questions.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Questions worked on at once. [default: 1; on a cluster what it has room for]"
        ),
    ] = None,
    cluster: Cluster = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for answers and report (default: in the data directory).")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=1, max=10_000, help="Answers to each question.")] = None,
    pass_at: Annotated[
        str | None, typer.Option(metavar="K,...", help="pass@k, e.g. 1,5,10: of theorems, questions, or results.")
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="The PATHs are results of runs over the same questions: the first with each other."
        ),
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="IDEA,...",
            help="Of theorems: leave out decomposition, bans, repair, retrieval, bank, refutation, exploration.",
        ),
    ] = None,
    bank: Annotated[bool, typer.Option("--bank", help="Of theorems: let each learn from those before it.")] = False,
    split: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of problems in rows: those of this split, e.g. test.")
    ] = None,
    stand_in: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="Ask no model but a stand-in that knows the rows' replies, so often."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask everything anew; earlier answers are kept aside.")
    ] = False,
    as_json: Json = False,
    timeout: Annotated[
        float | None,
        typer.Option(parser=duration(), metavar=TIME, help="For each question; 0: no limit. [default: 300]"),
    ] = None,
    max_model_calls: Annotated[int | None, typer.Option(min=0, help="Requests to models for each question.")] = None,
    max_model_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens in and out for each question.")] = None,
    max_money: Annotated[float | None, typer.Option(min=0, help="US dollars for each question.")] = None,
    total_calls: Annotated[int | None, typer.Option(min=0, help="Requests to models for the whole run.")] = None,
    total_tokens: Annotated[int | None, typer.Option(min=0, help="Tokens for the whole run.")] = None,
    total_money: Annotated[float | None, typer.Option(min=0, help="US dollars for the whole run.")] = None,
    total_seconds: Annotated[float | None, typer.Option(parser=duration(), metavar=TIME, help="For this call.")] = None,
    model: Model = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    quiet: Quiet = False,
) -> None:
    """Prove theorems or ask data sets of questions, several times, and say how often that went right.

    The same command goes on with what an interrupted run left. Exit code: 0 everything was asked, 1 an error kept some
    questions from being answered, 2 invalid input, 5 a limit or Ctrl-C left something to do.
    """
    from goedels_poetry.cli.bench import bench as run_bench
    from goedels_poetry.cli.bench import command_line
    from goedels_poetry.cli.bench_run import Request
    from goedels_poetry.evaluation import BadData, Limits
    from goedels_poetry.evaluation.ablations import names

    one_script(record, replay)
    try:
        left_out = names(without or ())
    except BadData as problem:
        raise typer.BadParameter(str(problem)) from None
    asking: dict[str, Any] = given(
        backend=backend and backend.value,
        semantics=semantics and semantics.value,
        world=world and world.value,
        max_attempts=attempts,
        verify_timeout=verify_timeout,
        world_knowledge=False if text_only else None,
        judged=False if no_judge else None,
    )
    budgets = spending(timeout, max_model_calls, max_model_tokens, max_money)
    request = Request(
        paths=paths,
        line=command_line(sys.argv[1:]),
        dataset=dataset,
        asking=asking,
        post=post or [],
        facts=facts,
        limit=limit,
        seed=seed,
        jobs=jobs or (1 if cluster is None else 0),
        cluster=cluster,
        out=out,
        samples=samples,
        pass_at=pass_at,
        compare=compare,
        without=left_out,
        bank=bank,
        split=split,
        stand_in=stand_in,
        fresh=fresh,
        as_json=as_json,
        budgets=budgets,
        limits=Limits(total_calls, total_tokens, total_money, total_seconds),
        model=model,
        base_url=base_url,
        record=record,
        replay=replay,
        quiet=quiet,
    )
    raise typer.Exit(run_bench(request))
