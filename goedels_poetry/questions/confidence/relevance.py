"""Do premises, sentences and question speak of the same things?"""

from __future__ import annotations

from collections import Counter

from goedels_poetry.questions.confidence.case import Case, mentioned
from goedels_poetry.questions.confidence.outcomes import FormalizationTest, Outcome
from goedels_poetry.questions.confidence.vocabulary import asked, parts, stems, stems_of_name
from goedels_poetry.questions.entailment.program import LogicPremise, Origin

MAX_SHOWN = 12
"""Names or sentences that a test names."""


def text_given(case: Case) -> FormalizationTest:
    """Without a text every premise is what a model believes of the world."""
    if case.sentences:
        return FormalizationTest("text given", "passed", "there is a text to rely on")
    if not case.program.premises:
        return FormalizationTest("text given", "skipped", "nothing is taken for true")
    return FormalizationTest(
        "text given", "warning", "there is no text: the answer rests on what the model holds for true"
    )


def goal_connected(case: Case) -> FormalizationTest:
    """What is asked must be spoken of by premises, or be defined."""
    signature = case.program.signature
    goal = case.goal_symbols
    if not goal:
        return FormalizationTest("goal connected", "skipped", "the goal uses no symbol of the program")
    spoken_of = frozenset().union(*case.symbols.values())
    meant = {name for name in goal if signature.definition(name) is not None or signature.constructor(name) is not None}
    missing = sorted(goal - spoken_of - meant)
    if not missing:
        return FormalizationTest("goal connected", "passed", "premises speak of everything that is asked")
    if goal.isdisjoint(spoken_of):
        return FormalizationTest(
            "goal connected", "failed", "no premise speaks of anything that is asked", _some(missing)
        )
    reason = f"no premise speaks of {', '.join(missing[:MAX_SHOWN])}, which the goal is about"
    return FormalizationTest("goal connected", "warning", reason, _some(missing))


def connected(case: Case) -> frozenset[str]:
    """Names of premises that share a symbol with the goal, be it through other premises."""
    waiting = [premise.name for premise in case.program.premises]
    reached = set(case.goal_symbols)
    grown = True
    while grown and waiting:
        near = [name for name in waiting if not case.symbols[name].isdisjoint(reached)]
        waiting = [name for name in waiting if case.symbols[name].isdisjoint(reached)]
        grown = bool(near)
        for name in near:
            reached |= case.symbols[name]
    return frozenset(case.symbols) - frozenset(waiting)


def unused_premises(case: Case) -> FormalizationTest:
    """Premises that share no symbol with the goal, not even through other premises, cannot bear on it."""
    near = connected(case)
    waiting = [premise.name for premise in case.program.premises if premise.name not in near]
    if not waiting:
        return FormalizationTest("unused premises", "passed", "every premise is connected with the goal")
    reason = f"{len(waiting)} of {len(case.program.premises)} premises have nothing to do with the goal"
    return FormalizationTest("unused premises", "warning", reason, _some(waiting))


def coverage(case: Case) -> FormalizationTest:
    """Sentences of the text that no premise renders, when they speak of what is asked or of the program's things."""
    if not case.sentences:
        return FormalizationTest("coverage", "skipped", "there is no text")
    rendered = {number for premise in case.program.premises for number in premise.sentences}
    if not rendered:
        return FormalizationTest("coverage", "skipped", "the program does not say which sentences its premises render")
    bearing = _bearing(case)
    missing = [number for number in bearing if number not in rendered]
    if not missing:
        return FormalizationTest("coverage", "passed", "every sentence that bears on the question is rendered")
    reason = f"no premise renders sentence {', '.join(map(str, missing[:MAX_SHOWN]))}"
    outcome: Outcome = "failed" if 2 * len(missing) > len(bearing) else "warning"
    return FormalizationTest("coverage", outcome, reason, _some([case.sentences[n - 1][:200] for n in missing]))


def sentence_numbers(case: Case) -> FormalizationTest:
    """A premise that says which sentence it renders must have a word or a number in common with it."""
    cited = [premise for premise in case.program.premises if premise.sentences]
    if not case.sentences or not cited:
        return FormalizationTest("sentence numbers", "skipped", "there are no numbers of sentences to look at")
    wrong = [premise.name for premise in cited if not _renders(case, premise)]
    if not wrong:
        return FormalizationTest("sentence numbers", "passed", "premises speak of what their sentences speak of")
    reason = f"no word in common with the sentences that they should render: {', '.join(wrong[:MAX_SHOWN])}"
    return FormalizationTest("sentence numbers", "failed", reason, _some(wrong))


def world_only(case: Case) -> FormalizationTest:
    """With a text to rely on, an answer should rest on it."""
    if not case.sentences:
        return FormalizationTest("world only", "skipped", "there is no text")
    if not case.decided or not case.core:
        return FormalizationTest("world only", "skipped", "the verdict rests on no premise")
    added = [premise.name for premise in case.core if premise.origin is Origin.WORLD]
    if not added:
        return FormalizationTest("world only", "passed", "no knowledge of the world was added to the proof")
    if len(added) == len(case.core):
        return FormalizationTest("world only", "failed", "the answer rests on nothing that the text says", _some(added))
    return FormalizationTest(
        "world only", "warning", "the answer rests on knowledge that the text does not give", _some(added)
    )


def _bearing(case: Case) -> list[int]:
    """Sentences with a word of the question that not every third sentence has, or that are mostly the program's names.

    Questions among them say nothing that could be rendered.
    """
    contents = [stems(text) if not text.rstrip().endswith("?") else frozenset[str]() for text in case.sentences]
    counts = Counter(word for content in contents for word in content)
    telling = {word for word in stems(asked(case.question)) if counts[word] <= max(3, len(contents) // 3)}
    names = {part for name in case.program.signature.names for part in stems_of_name(name)}
    return [
        number
        for number, content in enumerate(contents, 1)
        if content & telling or (len(content & names) >= 2 and 2 * len(content & names) >= len(content))
    ]


def _renders(case: Case, premise: LogicPremise) -> bool:
    if any(case.sentence(number) is None for number in premise.sentences):
        return False
    names = case.names(premise.formula)
    if not any(len(part) > 2 for name in names for part in parts(name)):
        return True  # names like p1 say nothing, so they cannot be wrong
    text = stems(case.rendering(premise))
    return any(mentioned(name, text) for name in names)


def _some(found: list[str]) -> tuple[str, ...]:
    return tuple(found[:MAX_SHOWN])
