"""Do premises, sentences and question speak of the same things?"""

from __future__ import annotations

from collections import Counter

from goedels_poetry.languages.logic import LogicPremise, Origin
from goedels_poetry.reasoning.trust.case import Case, mentioned
from goedels_poetry.reasoning.trust.outcomes import Outcome, TrustTest
from goedels_poetry.reasoning.trust.vocabulary import asked, parts, stems, stems_of_name

MAX_SHOWN = 12
"""Names or sentences that a test names."""


def text_given(case: Case) -> TrustTest:
    """Without a text every premise is what a model believes of the world."""
    if case.sentences:
        return TrustTest("text given", "passed", "there is a text to rely on")
    if not case.program.premises:
        return TrustTest("text given", "skipped", "nothing is taken for true")
    return TrustTest("text given", "warning", "there is no text: the answer rests on what the model holds for true")


def goal_connected(case: Case) -> TrustTest:
    """What is asked must be spoken of by premises, or be defined."""
    signature = case.program.signature
    goal = case.goal_symbols
    if not goal:
        return TrustTest("goal connected", "skipped", "the goal uses no symbol of the program")
    said = frozenset().union(*case.symbols.values())
    meant = {name for name in goal if signature.definition(name) is not None or signature.constructor(name) is not None}
    missing = sorted(goal - said - meant)
    if not missing:
        return TrustTest("goal connected", "passed", "premises speak of everything that is asked")
    if goal.isdisjoint(said):
        return TrustTest("goal connected", "failed", "no premise speaks of anything that is asked", _some(missing))
    words = f"no premise speaks of {', '.join(missing[:MAX_SHOWN])}, which the goal is about"
    return TrustTest("goal connected", "warning", words, _some(missing))


def unused_premises(case: Case) -> TrustTest:
    """Premises that share no symbol with the goal, not even through other premises, cannot bear on it."""
    waiting = [premise.name for premise in case.program.premises]
    reached = set(case.goal_symbols)
    grown = True
    while grown and waiting:
        near = [name for name in waiting if not case.symbols[name].isdisjoint(reached)]
        waiting = [name for name in waiting if case.symbols[name].isdisjoint(reached)]
        grown = bool(near)
        for name in near:
            reached |= case.symbols[name]
    if not waiting:
        return TrustTest("unused premises", "passed", "every premise is connected with the goal")
    words = f"{len(waiting)} of {len(case.program.premises)} premises have nothing to do with the goal"
    return TrustTest("unused premises", "warning", words, _some(waiting))


def coverage(case: Case) -> TrustTest:
    """Sentences of the text that no premise renders, when they speak of what is asked or of the program's things."""
    if not case.sentences:
        return TrustTest("coverage", "skipped", "there is no text")
    rendered = {number for premise in case.program.premises for number in premise.sentences}
    if not rendered:
        return TrustTest("coverage", "skipped", "the program does not say which sentences its premises render")
    bearing = _bearing(case)
    missing = [number for number in bearing if number not in rendered]
    if not missing:
        return TrustTest("coverage", "passed", "every sentence that bears on the question is rendered")
    words = f"no premise renders sentence {', '.join(map(str, missing[:MAX_SHOWN]))}"
    outcome: Outcome = "failed" if 2 * len(missing) > len(bearing) else "warning"
    return TrustTest("coverage", outcome, words, _some([case.sentences[n - 1][:200] for n in missing]))


def sentence_numbers(case: Case) -> TrustTest:
    """A premise that says which sentence it renders must have a word or a number in common with it."""
    cited = [premise for premise in case.program.premises if premise.sentences]
    if not case.sentences or not cited:
        return TrustTest("sentence numbers", "skipped", "there are no numbers of sentences to look at")
    wrong = [premise.name for premise in cited if not _renders(case, premise)]
    if not wrong:
        return TrustTest("sentence numbers", "passed", "premises speak of what their sentences speak of")
    words = f"no word in common with the sentences that they should render: {', '.join(wrong[:MAX_SHOWN])}"
    return TrustTest("sentence numbers", "failed", words, _some(wrong))


def world_only(case: Case) -> TrustTest:
    """With a text to rely on, an answer should rest on it."""
    if not case.sentences:
        return TrustTest("world only", "skipped", "there is no text")
    if not case.decided or not case.core:
        return TrustTest("world only", "skipped", "the verdict rests on no premise")
    added = [premise.name for premise in case.core if premise.origin is Origin.WORLD]
    if not added:
        return TrustTest("world only", "passed", "no knowledge of the world was added to the proof")
    if len(added) == len(case.core):
        return TrustTest("world only", "failed", "the answer rests on nothing that the text says", _some(added))
    return TrustTest("world only", "warning", "the answer rests on knowledge that the text does not give", _some(added))


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


__all__ = ["coverage", "goal_connected", "sentence_numbers", "text_given", "unused_premises", "world_only"]
