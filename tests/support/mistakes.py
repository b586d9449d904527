"""Models that make one mistake, read what they are told, and then answer well: what each mistake costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scripted_models import REVERSE, REVERSE_GOAL, REVERSE_SKETCH, Answer, prompt_of, role_of

DISTRIBUTES = REVERSE_SKETCH["lemmas"][0]["statement"]
FALSE_LEMMA = "(forall ((x List) (y List)) (= (reverse (append x y)) (append (reverse x) (reverse y))))"
GAP = {"lemmas": ["(forall ((x List)) (= (append empty x) x))"], "induction": "xs"}
HYPOTHESIS = {"of": "hypothesis", "at": {"xs": "(rest xs)"}}
INSTANCES = {**REVERSE_SKETCH, "induction": {"on": ["xs"]}, "instances": [HYPOTHESIS]}
OWN_INDUCTION = {"lemmas": [{"statement": DISTRIBUTES, "induction": {"on": ["x"]}}]}
SAME = "(forall ((x List)) (= (append empty x) (append empty (append empty x))))"
TOO_MANY = {"lemmas": [SAME] * 40}


def fence(value: Any) -> str:
    return f"```json\n{json.dumps(value)}\n```"


@dataclass(frozen=True)
class Mistake:
    """What is said about the theorem at first, and what has to come back."""

    name: str
    replies: Sequence[str]
    told: str = ""
    """Words of the request that follows the last mistake; "": it is no mistake to our reader."""
    calls: int = 1
    """At most so many requests about the theorem itself until it is proved; symbolic agents may come first."""
    theorem: str = REVERSE
    goal: str = REVERSE_GOAL


@dataclass
class Beginner:
    """Gives the replies in order; of other goals it knows nothing."""

    mistake: Mistake
    prompts: list[str] = field(default_factory=list)
    """The requests about the theorem, the last message of each."""

    def __call__(self, asked: dict[str, Any]) -> Answer:
        conversation = "\n".join(str(message["content"]) for message in asked["messages"])
        if role_of(asked) == "search_query" or f"show: {self.mistake.goal}" not in conversation:
            return Answer("{}")
        self.prompts.append(prompt_of(asked))
        replies = self.mistake.replies
        return Answer(replies[min(len(self.prompts), len(replies)) - 1])


GOOD = fence(REVERSE_SKETCH)
WRONG_VALUES = fence({"refuted": {"at": {"xs": "empty"}}})
MISTAKES = (
    Mistake("forty lemmas", (fence(TOO_MANY), GOOD), "lemmas", 2),
    Mistake("the same false lemma twice", (*[fence({"lemmas": [FALSE_LEMMA]})] * 2, GOOD), "failed 2 times", 5),
    Mistake("says that a true goal is false", (WRONG_VALUES, GOOD), "the goal holds", 2),
    Mistake("lemmas that do not give the goal", (fence(GAP), GOOD), "", 2),
    Mistake("instances inside of an induction", (fence(INSTANCES),)),
    Mistake("a lemma with an induction of its own", (fence(OWN_INDUCTION),)),
    Mistake("prose without a block", ("Reverse turns append round, so induct.", GOOD), "could not be read", 2),
    Mistake("a half JSON", (GOOD[:60], GOOD), "could not be read", 2),
    Mistake("a formula that does not parse", (fence({"lemmas": ["(= (rev x) x"]}), GOOD), "lemmas[0]", 2),
)

__all__ = ["MISTAKES", "Beginner", "Mistake"]
