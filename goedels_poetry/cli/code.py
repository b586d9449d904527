"""The command ``code``: a task and checks go in, a Python function that passes them comes out."""

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
    Require,
    duration,
    given,
    one_script,
    spending,
)


def code(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="TASK...", help="Tasks: TOML files, folders of them, or a HumanEval or MBPP file."),
    ],
    problem: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Of a HumanEval or MBPP file: these problems alone; give each."),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="At most so many tasks.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the function there; with several tasks a folder.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite what stands at --out.")] = False,
    max_attempts: Annotated[
        int | None, typer.Option(min=1, help="Functions by a model, for each task. [default: what the task says, 10]")
    ] = None,
    ban: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help='A strategy not to use, e.g. "recursion and not memoisation"; give each.'),
    ] = None,
    model_first: Annotated[
        bool, typer.Option("--model-first", help="Ask the model before small functions are enumerated.")
    ] = False,
    no_prosecutor: Annotated[
        bool, typer.Option("--no-prosecutor", help="Do not try to break a function that has passed.")
    ] = False,
    no_proof: Annotated[bool, typer.Option("--no-proof", help="Do not try to prove the contract as well.")] = False,
    require: Require = None,
    as_json: Json = False,
    timeout: Annotated[
        float | None,
        typer.Option(
            parser=duration(), metavar=TIME, help="For each task, over all resumes; 0: no limit. [default: 900]"
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same task, same seed: same inputs.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew even if there is a run of this task.")] = False,
    max_model_calls: MaxModelCalls = None,
    max_model_tokens: MaxModelTokens = None,
    max_money: MaxMoney = None,
    model: Model = None,
    base_url: BaseUrl = None,
    record: Record = None,
    replay: Replay = None,
    quiet: Quiet = False,
) -> None:
    """Write a Python function that passes given checks: examples, tests, properties, contracts, limits.

    With a language model any task may be given; without one small functions are enumerated that fit examples and
    contract. A strategy that has failed twice is not tried a third time. What passes is also tried to be proved, where
    it has a contract. Exit code: 0 every check passed or proved, 1 unknown or less than --require asks for, 2 invalid
    input, 5 out of budget; of several the worst.
    """
    from goedels_poetry.cli.code_batch import CodeRequest, write_all
    from goedels_poetry.kernel.verdict import Verdict

    one_script(record, replay)
    request = CodeRequest(
        inputs=inputs,
        problems=tuple(problem or ()),
        limit=limit,
        target=out,
        force=force,
        fields=given(
            max_attempts=max_attempts,
            model_first=model_first or None,
            prosecuted=False if no_prosecutor else None,
        ),
        bans=tuple(ban or ()),
        proof=not no_proof,
        required=Verdict(require) if require else None,
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
    raise typer.Exit(write_all(request))


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(code)
