"""What was found out about a program, as a page for people."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from goedels_poetry.cli.endings import say_excerpt, say_verdict
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.logic.render import render_model
from goedels_poetry.languages.logic.result import VerificationResult
from goedels_poetry.languages.smt.infix import render
from goedels_poetry.trace.terminal import lines_to, one_line, printable, say

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


def show(name: str, result: VerificationResult) -> None:
    """Print the page to standard output."""
    out = lines_to(sys.stdout)
    for line in _page(name, result):
        say(out, line)
    if result.verdict is Verdict.INVALID:
        say_excerpt(out, result.location)
        say_verdict(out, result.verdict, name)
    else:
        answer = "" if result.answer is None else f"{result.verdict}: {one_line(str(result.answer))}"
        say_verdict(out, result.verdict, name, result.reason, answer=answer)


def _page(name: str, result: VerificationResult) -> Iterator[str]:
    """What stands above verdict and answer, line by line: what was asked, evidence."""
    if result.verdict is Verdict.INVALID:
        known = (result.location or {}).get("line") is not None
        yield f"  {printable(name)}:{one_line(result.reason)}" if known else f"  {one_line(result.reason)}"
        return
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
