"""Does the answer follow from what was said, or was it put in?"""

from __future__ import annotations

from collections import Counter

from goedels_poetry.kernel.terms import Term, alpha
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.case import Case, mentioned
from goedels_poetry.questions.confidence.outcomes import FormalizationTest
from goedels_poetry.questions.confidence.shape import MAX_NODES
from goedels_poetry.questions.confidence.vocabulary import parts, stems
from goedels_poetry.questions.entailment.program import LogicPremise, Origin

MAX_PER_SENTENCE = 3
"""Premises of one proof that one sentence may give without remark."""
_OURS = (Origin.DERIVED, Origin.CLOSURE)


def assumed_goal(case: Case, same: frozenset[str] = frozenset()) -> FormalizationTest:
    """A premise that is what was to be shown: fine when a sentence of the text states it, else it was assumed.

    Args:
        same: names of premises that are known to be equivalent to it.
    """
    if not case.decided:
        return FormalizationTest("assumed goal", "skipped", "nothing was shown")
    shown = {alpha(term) for _, term in case.shown if term.size <= MAX_NODES}
    stating = [
        premise
        for premise in case.program.premises
        if premise.name in same or (premise.formula.size <= MAX_NODES and alpha(premise.formula) in shown)
    ]
    needed = {premise.name for premise in case.core}
    stating = [premise for premise in stating if premise.name in needed and premise.origin not in _OURS]
    if not stating:
        return FormalizationTest("assumed goal", "passed", "what was shown is no premise")
    names = tuple(premise.name for premise in stating)
    if any(premise.origin is Origin.WORLD for premise in stating) or not case.sentences:
        return FormalizationTest("assumed goal", "failed", "what was to be shown was assumed", names)
    if all(premise.sentences and _states(case, premise) for premise in stating):
        return FormalizationTest(
            "assumed goal", "passed", "a sentence of the text itself is what was to be shown", names
        )
    if any(premise.sentences for premise in stating):
        reason = "what was to be shown is a premise, and the sentence that it cites does not speak of it"
        return FormalizationTest("assumed goal", "failed", reason, names)
    reason = "what was to be shown is a premise that cites no sentence of the text"
    return FormalizationTest("assumed goal", "warning", reason, names)


def single_premise(case: Case) -> FormalizationTest:
    """A proof from one premise that does not say that it is from the text was perhaps made to measure."""
    if not case.decided:
        return FormalizationTest("single premise", "skipped", "nothing was shown")
    if len(case.core) != 1:
        return FormalizationTest("single premise", "passed", f"the proof needs {len(case.core)} premises")
    only = case.core[0]
    if only.origin in (Origin.TEXT, *_OURS):
        return FormalizationTest("single premise", "passed", "one sentence of the text decides it", (only.name,))
    return FormalizationTest(
        "single premise", "warning", "the answer rests on one premise, which was assumed", (only.name,)
    )


def premises_per_sentence(case: Case) -> FormalizationTest:
    """How many of the premises that were needed one sentence has to answer for."""
    counts = Counter(number for premise in case.core for number in premise.sentences)
    many = [str(number) for number, count in sorted(counts.items()) if count > MAX_PER_SENTENCE]
    if not counts:
        return FormalizationTest("premises per sentence", "skipped", "the proof names no sentence")
    if not many:
        return FormalizationTest("premises per sentence", "passed", f"{len(counts)} sentences give the proof")
    reason = f"more than {MAX_PER_SENTENCE} premises of the proof come from sentence {', '.join(many[:12])}"
    return FormalizationTest("premises per sentence", "warning", reason, tuple(many[:12]))


def left_open(case: Case) -> FormalizationTest:
    """An open question has a world in which the goal is true, and one in which it is false."""
    if case.verdict is not Verdict.UNKNOWN:
        return FormalizationTest("left open", "skipped", "the goal is decided")
    open_ones = [
        answer.name for answer in case.answers if not answer.checks.with_goal == answer.checks.with_negation == "sat"
    ]
    if not open_ones:
        return FormalizationTest("left open", "passed", "there are worlds with and without the goal")
    return FormalizationTest("left open", "warning", "the solver gave up before it was decided", tuple(open_ones[:12]))


def _states(case: Case, premise: LogicPremise) -> bool:
    """Whether the cited sentences speak of everything that the premise speaks of; a question states nothing."""
    rendered = case.rendering(premise)
    text = frozenset() if rendered.rstrip().endswith("?") else stems(rendered)
    return bool(text) and all(mentioned(name, text) for name in _telling(case, premise.formula))


def _telling(case: Case, term: Term) -> list[str]:
    return [name for name in case.names(term) if any(len(part) > 2 for part in parts(name))]
