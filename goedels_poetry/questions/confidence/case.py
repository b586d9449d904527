"""What is tested: a program, what was found out about it, and the words that it should render."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from goedels_poetry.kernel.terms import Term, not_
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.shape import applied, spoken
from goedels_poetry.questions.confidence.vocabulary import stem, stems_of_name, words
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram

DECIDED = (Verdict.PROVED, Verdict.REFUTED)


@dataclass(frozen=True)
class Case:
    """A formalization and its verdict."""

    program: LogicProgram
    entailment: Entailment
    question: str
    sentences: tuple[str, ...]
    """Of the text, the first one is number 1; () without a text."""

    @property
    def verdict(self) -> Verdict:
        """Of the whole program."""
        return self.entailment.verdict

    @property
    def decided(self) -> bool:
        """Whether the goal or its negation was found to follow."""
        return self.verdict in DECIDED

    @cached_property
    def answers(self) -> tuple[GoalAnswer, ...]:
        """The goals that carry the verdict: of several options the one that follows."""
        same = tuple(answer for answer in self.entailment.goals if answer.verdict is self.verdict)
        return same or self.entailment.goals

    @cached_property
    def core(self) -> tuple[LogicPremise, ...]:
        """The premises that a decided verdict rests on."""
        names = {name for answer in self.answers for name in answer.core} if self.decided else set()
        return tuple(premise for premise in self.program.premises if premise.name in names)

    @cached_property
    def shown(self) -> tuple[tuple[LogicGoal, Term], ...]:
        """The goals that carry a decided verdict, each with what was found to follow: it, or its negation."""
        verdicts = {answer.name: answer.verdict for answer in self.answers}
        return tuple(
            (goal, goal.formula if verdicts[goal.name] is Verdict.PROVED else not_(goal.formula))
            for goal in self.program.goals
            if verdicts.get(goal.name) in DECIDED
        )

    @cached_property
    def symbols(self) -> dict[str, frozenset[str]]:
        """The program's symbols that each premise speaks of, definitions expanded; by the premise's name."""
        return {p.name: spoken(p.formula, self.program.signature) for p in self.program.premises}

    @cached_property
    def goal_symbols(self) -> frozenset[str]:
        """Those that the goals speak of."""
        return frozenset().union(*(spoken(goal.formula, self.program.signature) for goal in self.program.goals))

    def names(self, term: Term) -> frozenset[str]:
        """The program's symbols in a term as it is written."""
        return applied(term, self.program.signature)

    def sentence(self, number: int) -> str | None:
        """The sentence of that number; None when there is none."""
        return self.sentences[number - 1] if 1 <= number <= len(self.sentences) else None

    def rendering(self, premise: LogicPremise) -> str:
        """The sentences that a premise says that it renders, as one text."""
        return " ".join(text for number in premise.sentences if (text := self.sentence(number)) is not None)


def case_of(program: LogicProgram, entailment: Entailment, question: str, sentences: Sequence[str]) -> Case:
    """The case of a program that was decided."""
    return Case(program, entailment, question, tuple(sentences))


def mentioned(name: str, text: frozenset[str], least: int = 4) -> bool:
    """Whether any word of a name is a word of the text, given as stems; one that begins as long a word will do."""
    for part in stems_of_name(name):
        if part in text:
            return True
        head = part[:least]
        if len(part) >= least and any(other.startswith(head) for other in text if len(other) >= least):
            return True
    return False


def wholly_mentioned(name: str, text: frozenset[str]) -> bool:
    """Whether every word of a name that has content is a word of the text, given as stems."""
    return all(part in text or part in _LITTLE for part in stems_of_name(name))


_LITTLE = frozenset(map(stem, words("is are was has have had be in at of to by on for the a an from with")))
