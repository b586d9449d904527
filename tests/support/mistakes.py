"""Models that make one mistake, read what they are told, and then answer well: what each mistake costs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from model_server import Answer
from scripted_models import DOUBLE, REVERSE, REVERSE_GOAL, REVERSE_SKETCH, ROLE_MARKS, every_role, prompt_of, role_of

DISTRIBUTES = REVERSE_SKETCH["lemmas"][0]["statement"]
FALSE_LEMMA = "(forall ((x List) (y List)) (= (reverse (append x y)) (append (reverse x) (reverse y))))"
GAP = {"lemmas": ["(forall ((x List)) (= (append empty x) x))"], "induction": "xs"}
HYPOTHESIS = {"of": "hypothesis", "at": {"xs": "(rest xs)"}}
INSTANCES = {**REVERSE_SKETCH, "induction": {"on": ["xs"]}, "instances": [HYPOTHESIS]}
OWN_INDUCTION = {"lemmas": [{"statement": DISTRIBUTES, "induction": {"on": ["x"]}}]}
SAME = "(forall ((x List)) (= (append empty x) (append empty (append empty x))))"
TOO_MANY = {"lemmas": [SAME] * 40}

NEVER = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (not (= (sum n) 41616)))))
"""
NEVER_GOAL = "41616"
CLAIM = {"lemmas": ["(forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1)))))"]}
AT_288 = {"refuted": {"at": {"n": "288"}, "because": "288 * 289 / 2 = 41616 = 204^2"}}
PARITY = """
(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))
 ((ite (<= n 0) true (odd (- n 1))) (ite (<= n 0) false (even (- n 1)))))
(define-fun-rec steps ((n Int) (a Int)) Int (ite (<= n 0) a (ite (even n) (steps (- n 1) a) (steps (- n 1) (+ a 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (= (steps n 0) (div (+ n 1) 2)))))
"""
PARITY_GOAL = "(= (steps n 0) (div (+ n 1) 2))"
BOTH = "(forall ((n Int)) (=> (>= n 0) (and (= (even n) (= (mod n 2) 0)) (= (odd n) (= (mod n 2) 1)))))"
STEPS = "(forall ((n Int) (a Int)) (=> (>= n 0) (= (steps n a) (+ a (div (+ n 1) 2)))))"
CUBES = """
def tri : Nat → Nat
  | 0 => 0
  | n + 1 => tri n + (n + 1)

theorem tri_is (n : Nat) (h : 7 < n) : 2 * tri n = n * (n + 1) := by
  sorry
"""
OTHER_THEOREM = """```lean
theorem gauss (n : Nat) : 2 * tri n = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => simp only [tri]; grind
```"""
RIGHT_THEOREM = OTHER_THEOREM.replace(
    "\n```", "\n\ntheorem tri_is (n : Nat) (h : 7 < n) : 2 * tri n = n * (n + 1) := gauss n\n```"
).replace("```lean\n\n", "```lean\n")


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
    verdict: str = "proved"
    file: str = "t.smt2"
    role: str = ""
    """Whose requests count; "": all about the theorem, and nobody knows anything of its subgoals."""


@dataclass
class Beginner:
    """Gives the replies in order; of other goals it knows nothing."""

    mistake: Mistake
    prompts: list[str] = field(default_factory=list)
    """The requests about the theorem, the last message of each."""

    def __call__(self, asked: dict[str, Any]) -> Answer:
        conversation = "\n".join(str(message["content"]) for message in asked["messages"])
        if self.mistake.role and role_of(asked) != self.mistake.role:
            return every_role(asked)
        searching = ROLE_MARKS["search_query"] in conversation
        if not self.mistake.role and (searching or self.mistake.goal not in conversation):
            return Answer("{}")
        self.prompts.append(prompt_of(asked))
        replies = self.mistake.replies
        return Answer(replies[min(len(self.prompts), len(replies)) - 1])


GOOD = fence(REVERSE_SKETCH)
NOISE = json.dumps(REVERSE_SKETCH, indent=1).replace("]\n}", "],  // the lemmas\n}").replace('"lemmas"', "'lemmas'")
BACK = {"reason": "hopeless", "decision": "roll back"}
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
    Mistake("a false goal insisted on", (fence(CLAIM), fence(AT_288)), "", 3, NEVER, NEVER_GOAL, "refuted"),
    Mistake("cases as a list of one formula", (fence({**REVERSE_SKETCH, "cases": ["(= xs empty)"]}),)),
    Mistake("a lemma that is a conjunction", (fence({"lemmas": [BOTH, STEPS]}),), "", 1, PARITY, PARITY_GOAL),
    Mistake("noise in the JSON", (f"Sure!\n```json\n{NOISE}\n```\nThat should do.",)),
    Mistake(
        "a decision in other words",
        (fence({"reason": "hopeless", "decision": "go back to the parent"}), fence(BACK)),
        "",
        2,
        DOUBLE,
        role="decider",
    ),
    Mistake(
        "a Lean theorem of another name",
        (OTHER_THEOREM, RIGHT_THEOREM),
        "tri_is",
        2,
        CUBES,
        "theorem tri_is",
        file="t.lean",
    ),
)
