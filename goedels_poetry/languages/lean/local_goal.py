"""The goal before a tactic that failed: some tactics say only that they failed (`omega`, `simp`), not on what."""

from __future__ import annotations

from dataclasses import replace

from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, CheckResult, LeanRuntime, Message

GOAL_SIGN = "⊢"
MOST_GOALS = 2
"""Of a tactic that fails on several."""
MOST_CHARACTERS = 1500
"""Of what is shown; the hypotheses that stand nearest to the goal are kept."""


async def goal_before(lean: LeanRuntime, request: CheckRequest, seen: CheckResult) -> str:
    """Context and goal at the first error, as Lean shows them; "" where its message has them, or no tactic failed.

    The tactic is tried once more with a `sorry` behind it, and Lean says what that has to prove.

    Args:
        request: what Lean was asked.
        seen: what it answered, with errors.
    """
    failed = next(iter(seen.errors), None)
    if failed is None or GOAL_SIGN in failed.text:
        return ""
    place = _place(request.code, request.prefix, failed)
    if place is None:
        return ""
    start, end = place
    code = request.code[:start] + f"(first | ({request.code[start:end]}) | sorry)" + request.code[end:]
    # Positions of holes count from the prefix on.
    holes = (await lean.check(replace(request, code=code, holes=True, commands=False, declarations=False))).holes
    after = len(request.prefix) + start
    behind = len(request.prefix) + end + len(code) - len(request.code)
    goals = [g.goal for h in holes if h.tactic and after <= h.start < behind for g in h.goals]
    shown = "\n\n".join(_shortened(goal) for goal in dict.fromkeys(goals[:MOST_GOALS]))
    return f"The goal there:\n{shown}" if shown else ""


def _place(code: str, prefix: str, failed: Message) -> tuple[int, int] | None:
    """Where in the code the message points to, as offsets; None without an end, or outside of the code."""
    if failed.end_line is None or failed.end_column is None:
        return None
    above = prefix.count("\n")
    lines = code.splitlines(keepends=True)

    def offset(line: int, column: int) -> int | None:
        row = line - above - 1
        return sum(map(len, lines[:row])) + column if 0 <= row < len(lines) else None

    start, end = offset(failed.line, failed.column), offset(failed.end_line, failed.end_column)
    return (start, end) if start is not None and end is not None and start < end else None


def _shortened(goal: str) -> str:
    return goal if len(goal) <= MOST_CHARACTERS else f"…{goal[-MOST_CHARACTERS:]}"
