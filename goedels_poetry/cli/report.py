"""A result as one JSON object, or as a page for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.endings import say_excerpt, say_failure, say_verdict
from goedels_poetry.cli.formal import described
from goedels_poetry.cli.proof_page import say_proof
from goedels_poetry.cli.verdicts import exit_code_of
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.trace.proof_text import ProofText
from goedels_poetry.trace.terminal import counted, draw_short, one_line, printable, say
from goedels_poetry.trace.wording import LONGEST, worded, wording_of
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.state import ProofNode

if TYPE_CHECKING:
    from rich.console import Console

    from goedels_poetry.cli.no_verdict import Failure

TRUST = {
    "L0": "accepted by the verifier, compared with nothing",
    "L1": "rebuilt and re-verified in fresh processes",
    "L2": "re-verified, and the premises shown not to be vacuous",
    "L3": "re-verified, and confirmed by a second, independent checker: another {checker}",
    "L4": "and Lean's kernel accepted the whole proof",
}


def trust_words(level: str, *, lean: bool, checked_by: str = "") -> str:
    """What a trust level means, for a proof in Lean or of another language; ``checked_by`` a plug-in, who checked."""
    if checked_by:
        return f"checked by {one_line(checked_by)}"
    return TRUST.get(level, "").format(checker="kernel" if lean else "solver")


@dataclass(frozen=True)
class Report:
    """A result with what the command line adds to it."""

    result: RunResult
    theorem: str = ""
    """Its statement, for the root, which has none of its own."""
    goals: Sequence[ProofNode] = ()
    """The tree that its page draws."""
    skipped: bool = False
    """Whether this is the proof of an earlier run, re-checked now."""
    resume: str | None = None
    """The command that goes on with the run, when there is something left to do."""
    assumes: bool = False
    """Whether definitions were accepted unseen: then ``check`` has to be told, too."""
    proof: ProofText | None = None
    """What the certificate proves it with."""
    show_proof: bool | None = None
    """Whether the page has the proof; None: where it is short."""
    seconds: float | None = None
    """That somebody waited for it; None where nobody measured."""
    explained: Sequence[str] = ()
    """Where it was not decided: what was tried, how near it came, what would help."""
    required: Verdict | None = None
    """The least that is asked for, see `exit_code_of`."""
    failure: Failure | None = None
    """Why there is no verdict at all; then ``result`` has only the name of the input, and its verdict says nothing."""

    @property
    def exit_code(self) -> int:
        """What this alone would exit with."""
        return exit_code_of(self.result, self.required) if self.failure is None else self.failure.exit_code


def to_json(report: Report) -> str:
    """One line of ASCII: valid for every file name and every locale."""
    data: dict[str, Any] = report.result.to_json()
    if report.failure is not None:
        data |= {"verdict": None, "reason": report.failure.reason}
    data["error"] = report.failure.to_json() if report.failure is not None else None
    data["exit_code"] = report.exit_code
    data["skipped"] = report.skipped
    data["resume"] = report.resume
    data["proof"] = report.proof.text if report.proof is not None else None
    data["seconds"] = None if report.seconds is None else round(report.seconds, 3)
    return json.dumps(data, default=str)


def show(out: Console, report: Report) -> None:
    """The page for people: tree and proof or what is known instead, evidence, what to do next; the verdict ends it."""
    result, nodes, theorem = report.result, report.goals, report.theorem
    if report.failure is not None:
        say_failure(out, report.failure, result.input)
        return
    if result.verdict is Verdict.INVALID:
        _warn(out, result)
        say(out, f"  {located(result)}")
        say_excerpt(out, result.location)
        say_verdict(out, result.verdict, result.input)
        return
    proved = result.verdict is Verdict.PROVED
    if nodes and proved:
        _draw(out, nodes, theorem)
    elif len(nodes) > 1:
        say(out, "  best partial proof:")
        _draw(out, nodes, theorem)
    if report.proof is not None:
        say_proof(out, report.proof, report.show_proof, proved=proved)
    _found(out, result)
    for goal in result.open_goals if result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET) else ():
        often = "" if report.explained else counted(goal.attempts, "attempt")  # else the lines below say what they were
        why = ": ".join(filter(None, (often, one_line(goal.reason))))
        shown = one_line(worded(goal.statement or theorem, result.language), LONGEST)
        say(out, f"  open goal {goal.node}  {shown}{f'  ({why})' if why else ''}")
    for line in report.explained:
        say(out, f"  {printable(line)}")
    _warn(out, result)
    _evidence(out, report)
    if report.resume:
        say(out, f"  to go on: {report.resume}")
    note = "(proved earlier, re-checked now)" if report.skipped else ""
    say_verdict(out, result.verdict, result.input, result.reason, note=note, disputed=result.disputed)


def _warn(out: Console, result: RunResult) -> None:
    for warning in result.warnings:
        if warning in result.reason:  # it stands above the verdict
            continue
        say(out, f"  warning: {one_line(warning)}", style="yellow")


def _found(out: Console, result: RunResult) -> None:
    """A counterexample, the premises that a proof needs, those that contradict each other."""
    if result.counterexample:
        say(out, "  counterexample:")
        for line in counterexample_lines(result.counterexample):
            say(out, f"    {line}")
    if result.core and result.verdict is Verdict.PROVED:
        say(out, "  premises that the proof needs:")
        _premises(out, result.core, result.language)
    elif result.core:
        say(out, "  what contradicts itself:")
        _premises(out, result.core, result.language)


def _premises(out: Console, core: Sequence[str], language: str) -> None:
    for premise in core:
        name, _, formula = premise.partition(": ")
        say(
            out,
            f"    {one_line(name)}: {one_line(worded(formula, language))}" if formula else f"    {one_line(premise)}",
        )


def _evidence(out: Console, report: Report) -> None:
    """Trust level, certificate, the formal statement of a claim in words, the run and what it cost."""
    result = report.result
    if result.trust_level:
        means = trust_words(result.trust_level, lean=result.language == "lean", checked_by=result.checked_by or "")
        say(out, f"  trust level {result.trust_level}: {means}")
    if result.certificate:
        say(out, f"  certificate: {printable(str(result.certificate))}")
    for line in described(result, report.assumes):
        say(out, f"  {line}")
    if result.run_id:
        spent = ", ".join(spent_lines(result.metrics, report.seconds))
        say(out, f"  run {result.run_id}" + (f": {spent}" if spent else ""))


def _draw(out: Console, nodes: Sequence[ProofNode], theorem: str) -> None:
    """The tree; one of a single goal is a line."""
    root = nodes[0]
    bare = len(nodes) == 1 and not (root.strategy or root.origin or root.queue or root.waits_for)
    words = wording_of(root.language)
    if bare and draw_short(out, f"{root.id}  {one_line(words(root.statement or theorem), LONGEST)}  {root.status}"):
        return
    from goedels_poetry.trace.tree import tree

    out.print(tree(nodes, theorem, words))


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
        f"{one_line(str(name))} = {one_line(worded(value) if isinstance(value, str) else json.dumps(value))}"
        + (f", {one_line(short[name])}" if name in short else "")
        for name, value in values.items()
    ]


def spent_lines(metrics: dict[str, Any], waited: float | None = None) -> list[str]:
    """The counters that are worth a person's eye.

    Args:
        metrics: of a run, over all its starts.
        waited: seconds that somebody waited now, told first; None: the run's own, over all starts, alone.
    """
    known = (
        ("nodes", "goal", ""),
        ("attempts", "attempt", ""),
        ("backtracks", "backtrack", ""),
        ("bans", "ban", ""),
        ("lemmas_reused", "lemma reused", "lemmas reused"),
        ("steps", "step", ""),
        ("solver_calls", "solver call", ""),
    )
    told = [(metrics.get(name), one, many) for name, one, many in known]
    lines = [counted(n, one, many) for n, one, many in told if isinstance(n, (int, float))]
    searched = metrics.get("wall_seconds")
    if waited is not None:
        earlier = isinstance(searched, (int, float)) and searched > 1.5 * waited + 1
        return [*lines, f"{waited:.1f} s" + (f" ({searched:.1f} s over all starts)" if earlier else "")]
    return [*lines, f"{searched:.1f} s"] if isinstance(searched, (int, float)) else lines
