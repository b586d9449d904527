"""What was found out about a program, as a page for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from goedels_poetry.languages.logic.render import render_model
from goedels_poetry.languages.smt.infix import render
from goedels_poetry.reasoning.results import VerificationResult
from goedels_poetry.trace.terminal import console, one_line, printable, say
from goedels_poetry.tree.state import Verdict

TRUST = {
    "L0": "one solver says so",
    "L1": "posed again in a fresh process",
    "L2": "posed again, and the premises are shown to be consistent",
    "L3": "posed again, the premises are consistent, and a second solver confirms it",
}
_CONTRADICTORY = {
    "L2": "posed again, and they contradict each other again",
    "L3": "posed again, and a second solver says, too, that they contradict each other",
}
"""In place of those of TRUST, which speak of consistent premises."""
_STYLE = {
    Verdict.PROVED: "bold green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONSISTENT: "bold magenta",
    Verdict.INVALID: "bold red",
}


def show(name: str, result: VerificationResult) -> None:
    """Print the page to standard output."""
    out = console(sys.stdout)
    for number, line in enumerate(_page(name, result)):
        say(out, line, style=_STYLE.get(result.verdict, "bold yellow") if number == 0 else "")


def _page(name: str, result: VerificationResult) -> Iterator[str]:
    """The page for people, line by line: verdict and answer, why, evidence."""
    if result.verdict is Verdict.INVALID:
        known = (result.location or {}).get("line") is not None
        yield f"{result.verdict}  {printable(name)}"
        yield f"  {printable(name)}:{one_line(result.reason)}" if known else f"  {one_line(result.reason)}"
        return
    answer = "" if result.answer is None else f": {one_line(str(result.answer))}"
    yield f"{result.verdict}{answer}  {printable(name)}"
    if result.reason:
        yield f"  {one_line(result.reason)}"
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    for goal in result.goals:
        verdict = f" ({goal['verdict']})" if len(result.goals) > 1 else ""
        yield f"  {one_line(goal['name'])}: {one_line(goal['words'])}{verdict}"
    if result.core is not None and result.core:
        conflict = result.verdict is Verdict.INCONSISTENT
        yield "  premises that contradict each other:" if conflict else "  premises used:"
        for premise in result.core:
            yield f"    {one_line(_premise(premise))}"
    for optimum in result.optima:
        value = optimum["value"] if optimum["attained"] else f"none: {optimum['reason']}"
        yield f"  {optimum['type']} {one_line(render(optimum['expression']))}: {one_line(str(value))}"
    if result.model:
        yield "  reached where:" if result.optimum is not None else "  " + _kind_of_world(result)
        yield from (f"    {one_line(line)}" for line in render_model(result.model))
    if result.semantics != "entailment" or result.world != "open":
        yield f"  read as {result.semantics}, in {'a closed' if result.world == 'closed' else 'an open'} world"
    if result.trust_level:
        yield f"  trust level {result.trust_level}: {level_text(result.trust_level, result.verdict)}"


def level_text(level: str, verdict: Verdict) -> str:
    """What a trust level says about a verdict."""
    return (_CONTRADICTORY if verdict is Verdict.INCONSISTENT else {}).get(level) or TRUST[level]


def _kind_of_world(result: VerificationResult) -> str:
    counter = any(goal["countermodel"] == result.model for goal in result.goals)
    return f"a world of the premises in which it is {'false' if counter else 'true'}:"


def _premise(premise: dict[str, Any]) -> str:
    origin = {"text": "sentence", "world": "world knowledge", "closure": "closed world", "derived": "derived"}
    source = origin.get(premise["origin"], "")
    if premise["sentences"]:
        source = f"sentence {', '.join(map(str, premise['sentences']))}"
    return f"{premise['name']}: {premise['words']}" + (f" [{source}]" if source else "")


__all__ = ["level_text", "show"]
