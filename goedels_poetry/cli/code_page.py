"""What came of a task for people: the attempts, the bans, the function, and what it cost; the verdict comes after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.terminal import one_line, printable, say
from goedels_poetry.tree.results import RunResult

MAX_REASON = 160
MOST_LINES = 400
"""Characters of a reason in the table; lines of a function that are printed."""
HEAD = ("task", "verdict", "attempts", "strategy", "checks", "seconds")


def page(result: RunResult, written: str = "") -> Iterator[str]:
    """What stands above the verdict, line by line; ``written``: the file that the function is in now."""
    answer = result.answer if result.answer is not None and "attempts" in result.answer else {}
    attempts = list(answer.get("attempts", ()))
    if attempts:
        yield from _attempts(attempts)
    for ban in answer.get("bans", ()):
        yield f"  banned after {ban['failures']} failures: {one_line(str(ban['strategy']))}"
    tested = result.verdict in (Verdict.TESTED, Verdict.PROVED)
    source = str(answer.get("source") or "")
    if source and not written:
        title = "the function" if tested else f"the best attempt ({answer['passed']} of {answer['total']} checks)"
        yield f"  {title}:"
        for line in source.splitlines()[:MOST_LINES]:
            yield f"    {printable(line.expandtabs())}".rstrip()
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    if written:
        yield f"  written to {printable(written)}"
    if result.certificate is not None:
        yield f"  certificate: {printable(str(result.certificate))}"
    if result.run_id:
        yield f"  run {result.run_id}: {_costs(result)}"


def _attempts(attempts: Sequence[dict[str, Any]]) -> Iterator[str]:
    rows = [("", "by", "strategy", "outcome", "checks", "what failed")]
    for entry in attempts:
        told = "" if entry["outcome"] == "passed" else str(entry["reason"])
        checks = f"{entry['passed']}/{entry['total']}" if entry["total"] else ""
        who, strategy = str(entry["by"]), str(entry.get("fingerprint") or "")
        rows.append((str(entry["attempt"]), who, strategy, str(entry["outcome"]), checks, one_line(told, MAX_REASON)))
    yield from _aligned(rows)


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for cells in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _costs(result: RunResult) -> str:
    models = result.metrics.get("models", {})
    tokens = int(models.get("tokens_in", 0)) + int(models.get("tokens_out", 0))
    calls, money = int(models.get("calls", 0)), float(models.get("money", 0.0))
    seconds = float(result.metrics.get("wall_seconds", 0.0))
    return f"{calls:,} model calls, {tokens:,} tokens, ${money:.4f}, {seconds:.1f} s"


def row(result: RunResult) -> tuple[str, ...]:
    """A line of the table about several tasks."""
    answer = result.answer if result.answer is not None and "attempts" in result.answer else {}
    attempts = list(answer.get("attempts", ()))
    last = str(attempts[-1].get("fingerprint") or "") if attempts else ""
    checks = f"{answer['passed']}/{answer['total']}" if answer.get("total") else ""
    seconds = f"{float(result.metrics.get('wall_seconds', 0.0)):.1f}"
    return one_line(result.input, 60), result.verdict_text, str(len(attempts)), last, checks, seconds


def table(out: Console, rows: Sequence[tuple[str, ...]]) -> None:
    """All tasks, a line each, and how many have a function."""
    for line in _aligned([HEAD, *rows]):
        say(out, line)
    tested = sum(cells[1] == Verdict.TESTED for cells in rows)
    say(out, f"{tested} of {len(rows)} tested")
