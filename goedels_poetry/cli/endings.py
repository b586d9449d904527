"""How every page for people ends: the reason, then the verdict with what it is about; so both stay on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.terminal import one_line, printable, say, say_parts

if TYPE_CHECKING:
    from rich.console import Console

    from goedels_poetry.cli.no_verdict import Failure

STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.TESTED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONSISTENT: "bold magenta",
    Verdict.INVALID: "bold red",
}
"""Of the verdict's word."""
OTHERS = "bold yellow"


def style_of(verdict: Verdict) -> str:
    """The style of a verdict's word."""
    return STYLES.get(verdict, OTHERS)


def say_verdict(
    out: Console,
    verdict: Verdict,
    name: str,
    reason: str = "",
    *,
    answer: str = "",
    note: str = "",
    disputed: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Print the end of a page.

    Args:
        out: where to.
        verdict: the answer.
        name: what it is about, as the user gave it.
        reason: one line before it; "" for none.
        answer: of a question: printed instead of the verdict, which follows it.
        note: printed after the name.
        disputed: objections to a tested function, see `RunResult.disputed`; printed first.
    """
    for each in disputed:
        say(out, f'  disputed: {one_line(str(each["reason"]))}; the task says "{one_line(str(each["words"]))}"')
    if reason:
        say(out, f"  {one_line(reason)}")
    open_question = disputed and verdict is Verdict.TESTED
    word = (answer or str(verdict), style_of(verdict)) if not open_question else (f"{verdict}, disputed", OTHERS)
    say_parts(out, ("", ""), word, (f"  {printable(name)}", ""), *([(f"  {note}", "dim")] if note else []))


def say_failure(out: Console, failure: Failure, name: str) -> None:
    """Print what has no verdict at all: what happened instead, and what to do."""
    say(out, f"  {one_line(failure.reason)}")
    say_parts(out, ("", ""), (failure.title, "bold red"), (f"  {printable(name)}", ""), ("  (no verdict)", "dim"))


def say_excerpt(out: Console, location: Mapping[str, Any] | None) -> None:
    """The line of the text that is at fault, with a caret under the column, where that is known."""
    for line in ((location or {}).get("source") or "").split("\n"):
        if line:
            say(out, f"    {line}")
