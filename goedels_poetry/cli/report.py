"""A result as one JSON object, or as a page for people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.formal import described
from goedels_poetry.cli.inputs import STDIN
from goedels_poetry.trace.terminal import draw_short, one_line, printable, say, say_parts
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.state import ProofNode, Verdict

if TYPE_CHECKING:
    from rich.console import Console

_STYLE = {
    Verdict.PROVED: "bold green",
    Verdict.TESTED: "green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONSISTENT: "bold magenta",
    Verdict.INVALID: "bold red",
}
TRUST = {
    "L0": "accepted by the verifier, compared with nothing",
    "L1": "rebuilt and re-verified in fresh processes",
    "L2": "re-verified, and the premises shown not to be vacuous",
    "L3": "re-verified, and confirmed by a second, independent checker: another solver; for Lean another kernel",
}


@dataclass(frozen=True)
class Report:
    """A result with what the command line adds to it."""

    result: RunResult
    skipped: bool = False
    """Whether this is the proof of an earlier run, re-checked now."""
    resume: str | None = None
    """The command that goes on with the run, when there is something left to do."""
    assumes: bool = False
    """Whether definitions were accepted unseen: then ``check`` has to be told, too."""


def to_json(report: Report) -> str:
    """One line of ASCII: valid for every file name and every locale."""
    data: dict[str, Any] = report.result.to_json()
    data["exit_code"] = report.result.exit_code
    data["skipped"] = report.skipped
    data["resume"] = report.resume
    return json.dumps(data, default=str)


def resume_command(name: str, reason: str, limits: dict[str, float | int | None], same_run: Sequence[str]) -> str:
    """The command line that goes on with a stopped run, with a larger limit for the budget that ran out.

    ``same_run``: flags that the run was begun with and that decide which run is meant.
    """
    source = "-" if name == STDIN else shlex.quote(printable(name))
    return " ".join(["goedels-poetry prove", source, "--resume", *same_run, *_larger(reason, limits)])


def _larger(reason: str, limits: dict[str, float | int | None]) -> list[str]:
    return [
        f"{flag} {value * 2:g}" if isinstance(value, float) else f"{flag} {value * 2}"
        for flag, value in limits.items()
        if value is not None and _BUDGET_WORDS[flag] in reason
    ]


_BUDGET_WORDS = {
    "--timeout": "wall time",
    "--max-steps": "agent steps",
    "--max-nodes": "nodes",
    "--max-solver-seconds": "solver time",
    "--max-depth": "depth budget",
    "--max-attempts": "attempts budget",
    "--max-model-calls": "model calls",
    "--max-model-tokens": "model tokens",
    "--max-money": "money for models",
}


_WORDINGS = {
    "(": "goedels_poetry.languages.smt.infix:render",
    "theorem gp_": "goedels_poetry.languages.lean.task:lemma_type",
}
"""How a stored statement begins, and what puts it into words; imported only where there is one."""


def readable(statement: str) -> str:
    """The statement as people write it, where the language is one that we can word; else as it is."""
    for beginning, function in _WORDINGS.items():
        if statement.startswith(beginning):
            module, _, name = function.partition(":")
            return str(getattr(import_module(module), name)(statement))
    return statement


def show(out: Console, report: Report, nodes: Sequence[ProofNode], theorem: str) -> None:
    """The page for people: verdict, proof or obstacle, evidence, what to do next."""
    result = report.result
    head = [(f"{result.verdict}", _STYLE.get(result.verdict, "bold yellow"))]
    head.append((f"  {printable(result.input)}", "default"))
    if report.skipped:
        head.append(("  (proved earlier, re-checked now)", "dim"))
    say_parts(out, *head)
    for warning in result.warnings:
        say(out, f"  warning: {one_line(warning)}", style="yellow")
    if result.verdict is Verdict.INVALID:
        say(out, f"  {located(result)}")
        return
    if result.reason:
        say(out, f"  {one_line(result.reason)}")
    if result.counterexample:
        say(out, "  counterexample:")
        for line in counterexample_lines(result.counterexample):
            say(out, f"    {line}")
    if result.core and result.verdict is Verdict.PROVED:
        say(out, f"  premises that the proof needs: {', '.join(map(one_line, result.core))}")
    elif result.core:
        say(out, "  what contradicts itself:")
        for premise in result.core:
            name, _, formula = premise.partition(": ")
            say(out, f"    {one_line(name)}: {one_line(readable(formula))}" if formula else f"    {one_line(premise)}")
    if nodes and result.verdict is Verdict.PROVED:
        _draw(out, nodes, theorem)
    elif len(nodes) > 1:
        say(out, "  best partial proof:")
        _draw(out, nodes, theorem)
    for goal in result.open_goals if result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET) else ():
        why = f": {one_line(goal.reason)}" if goal.reason else ""
        statement = one_line(readable(goal.statement or theorem))
        say(out, f"  open goal {goal.node}  {statement}  ({goal.attempts} attempts{why})")
    if result.trust_level:
        means = f"checked by {one_line(result.checked_by)}" if result.checked_by else TRUST.get(result.trust_level, "")
        say(out, f"  trust level {result.trust_level}: {means}")
    if result.certificate:
        say(out, f"  certificate: {printable(str(result.certificate))}")
    for line in described(result, report.assumes):
        say(out, f"  {line}")
    if result.run_id:
        spent = ", ".join(spent_lines(result.metrics))
        say(out, f"  run {result.run_id}" + (f": {spent}" if spent else ""))
    if report.resume:
        say(out, f"  to go on: {report.resume}")


def _draw(out: Console, nodes: Sequence[ProofNode], theorem: str) -> None:
    """The tree; one of a single goal is a line."""
    root = nodes[0]
    bare = len(nodes) == 1 and not (root.strategy or root.origin or root.queue or root.waits_for)
    if bare and draw_short(out, f"{root.id}  {one_line(readable(root.statement or theorem))}  {root.status}"):
        return
    from goedels_poetry.trace.tree import tree

    out.print(tree(nodes, theorem, readable))


def located(result: RunResult) -> str:
    """An invalid input's message; ``name:line:column: message`` where the place is known."""
    known = (result.location or {}).get("line") is not None
    return f"{printable(result.input)}:{one_line(result.reason)}" if known else one_line(result.reason)


def counterexample_lines(counterexample: dict[str, Any]) -> list[str]:
    """``name = value`` for each variable; an instance in Lean's words as it is, another form as JSON."""
    if isinstance(counterexample.get("instance"), str):
        return [one_line(counterexample["instance"])]
    values = counterexample.get("values", counterexample)
    if not isinstance(values, dict):
        return [one_line(json.dumps(counterexample, default=str))]
    short = counterexample.get("short", {})
    return [
        f"{one_line(str(name))} = {one_line(readable(value) if isinstance(value, str) else json.dumps(value))}"
        + (f", {one_line(short[name])}" if name in short else "")
        for name, value in values.items()
    ]


def spent_lines(metrics: dict[str, Any]) -> list[str]:
    """The counters that are worth a person's eye."""
    known = (
        ("nodes", "{:g} goals"),
        ("attempts", "{:g} attempts"),
        ("backtracks", "{:g} backtracks"),
        ("bans", "{:g} bans"),
        ("lemmas_reused", "{:g} lemmas reused"),
        ("steps", "{:g} steps"),
        ("solver_calls", "{:g} solver calls"),
        ("wall_seconds", "{:.1f} s"),
    )
    return [text.format(metrics[name]) for name, text in known if isinstance(metrics.get(name), (int, float))]
