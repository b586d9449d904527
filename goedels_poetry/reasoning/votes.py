"""Votes: what several independent answers to one question amount to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.result import Answer
from goedels_poetry.reasoning.results import QueryResult

DECIDED = (Verdict.PROVED, Verdict.REFUTED)
"""Verdicts with a checker's word behind them."""


def is_decided(result: QueryResult) -> bool:
    """Whether there is an answer and the checker's word for it."""
    return result.verdict in DECIDED and result.answer is not None


def vote_of(result: QueryResult) -> str:
    """The word under which a result is counted: the answer of a decided one, else the verdict."""
    return word_of(result.answer) if is_decided(result) else str(result.verdict)


def word_of(answer: Answer) -> str:
    """``true``, ``false``, or the option's letter or the optimum as it is."""
    return str(answer).lower() if isinstance(answer, bool) else str(answer)


@dataclass(frozen=True, slots=True)
class Tally:
    """The votes so far, and how many may still come.

    Only decided samples elect; the others are counted and reported. The answer with the most votes wins, and
    nothing wins when two have equally many.
    """

    votes: tuple[str, ...]
    """One for each sample, in their order."""
    decided: tuple[bool, ...]
    """Whether each of them has an answer."""
    left: int = 0
    """Samples that have not been asked for."""

    @classmethod
    def of(cls, results: Sequence[QueryResult], samples: int) -> Tally:
        """What ``results`` say when there are to be ``samples`` of them."""
        votes = tuple(map(vote_of, results))
        return cls(votes, tuple(map(is_decided, results)), max(0, samples - len(results)))

    @property
    def counts(self) -> dict[str, int]:
        """Votes by word, most frequent first, then in the order in which they came."""
        return dict(Counter(self.votes).most_common())

    @property
    def leaders(self) -> tuple[str, ...]:
        """The answers with the most votes: none, one, or those of a tie."""
        counts = self._answers()
        most = max(counts.values(), default=0)
        return tuple(answer for answer, count in counts.items() if count == most)

    @property
    def lead(self) -> int:
        """By how many votes the first answer is ahead of the next; 0 for a tie and without any."""
        first, second = [*sorted(self._answers().values(), reverse=True), 0, 0][:2]
        return first - second

    @property
    def settled(self) -> bool:
        """Whether what is left cannot change which answer wins, nor make it a tie."""
        return self.left == 0 or self.lead > self.left

    @property
    def needed(self) -> int:
        """The smallest number of further samples after which it may be settled: asking for fewer is no use."""
        if self.settled:
            return 0
        return min(self.left, (self.left - self.lead) // 2 + 1)

    @property
    def text(self) -> str:
        """The votes in words: ``3 true, 2 unknown``."""
        return ", ".join(f"{count} {vote}" for vote, count in self.counts.items()) or "no votes"

    def _answers(self) -> Counter[str]:
        return Counter(vote for vote, decided in zip(self.votes, self.decided, strict=True) if decided)
