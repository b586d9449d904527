"""Scripted models: what they answer depends on the prompt alone, so that the same run gets the same answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model_server import Answer

from goedels_poetry import GoedelsPoetryFramework

HERE = Path(__file__).parents[1] / "model_loop"
FIBONACCI = (HERE / "fibonacci.smt2").read_text()
REVERSE = (HERE.parents[1] / "theorems" / "smt" / "reverse_twice.smt2").read_text()

RIGHT_SUCC = "(forall ((x Nat) (y Nat)) (= (plus x (succ y)) (succ (plus x y))))"
RIGHT_ZERO = "(forall ((x Nat)) (= (plus x zero) x))"
COMMUTES = "(forall ((x Nat) (y Nat)) (= (plus x y) (plus y x)))"
STEP = "(forall ((m Nat)) (= (plus (fib m) (fib (succ m))) (fib (succ (succ m)))))"
ITERATION = "(forall ((n Nat) (m Nat)) (= (fibit n (fib m) (fib (succ m))) (fib (plus n m))))"

GOOD_SKETCH: dict[str, Any] = {
    "why": "the iteration that starts at any two neighbours",
    "lemmas": [
        {"statement": RIGHT_SUCC},
        {"statement": RIGHT_ZERO},
        {"statement": COMMUTES, "uses": [0, 1]},
        {"statement": STEP, "uses": [2]},
        {"statement": ITERATION, "uses": [0, 1, 3]},
    ],
}
REVERSE_SKETCH: dict[str, Any] = {
    "lemmas": [
        {"statement": "(forall ((x List) (y List)) (= (reverse (append x y)) (append (reverse y) (reverse x))))"}
    ]
}

Script = Callable[[dict[str, Any]], Answer]
WithModel = Callable[..., GoedelsPoetryFramework]


def fenced(value: Any) -> Answer:
    return Answer(f"Here it is:\n```json\n{json.dumps(value)}\n```\nI hope that helps.")


def prompt_of(asked: dict[str, Any]) -> str:
    """The text of the last message."""
    return str(asked["messages"][-1]["content"])


ROLE_MARKS = {
    "search_query": "library of proved lemmas",
    "decider": "Decide what to do next",
    "corrector": "## The verifier's report",
    "prover": '- "instances": a list',
    "sketcher": '- "lemmas": a list',
}


def role_of(asked: dict[str, Any]) -> str:
    """Which role a request was for, by the words of its prompt."""
    texts = [str(message["content"]) for message in reversed(asked["messages"]) if message["role"] == "user"]
    return next(role for text in texts for role, mark in ROLE_MARKS.items() if mark in text)


def is_root(asked: dict[str, Any], goal: str) -> bool:
    """Whether the request is about the theorem itself."""
    return f"show: {goal}" in prompt_of(asked)


FIBONACCI_GOAL = "(= (fibit n zero (succ zero)) (fib n))"
REVERSE_GOAL = "(= (reverse (reverse xs)) xs)"


def good_model(asked: dict[str, Any]) -> Answer:
    """Knows the lemmas of both theorems, and nothing else."""
    if role_of(asked) in ("sketcher", "corrector"):
        if is_root(asked, FIBONACCI_GOAL):
            return fenced(GOOD_SKETCH)
        if is_root(asked, REVERSE_GOAL):
            return fenced(REVERSE_SKETCH)
    return Answer("I do not know.")


def backtracking(asked: dict[str, Any]) -> Answer:
    """First a lemma that is true but out of reach without others; then, after the roll back, all of them."""
    role, text = role_of(asked), prompt_of(asked)
    if role == "decider":
        return fenced({"reason": "the lemma needs others first", "decision": "roll back"})
    if role == "sketcher" and is_root(asked, FIBONACCI_GOAL):
        return fenced(GOOD_SKETCH if "The subgoal that failed" in text else {"lemmas": [ITERATION]})
    if role == "sketcher":
        return fenced({"lemmas": ["(forall ((n Nat)) (= (fib n) (fibit n zero (succ zero))))"], "why": "no idea"})
    return Answer("no idea")


DOUBLE = """
(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ 2 (f (- n 1)))))
(prove (forall ((n Int)) (=> (>= n 0) (= (f n) (* 2 n)))))
"""
DOUBLE_LATER = "(forall ((n Int)) (=> (>= n 0) (and (= (f (* n n)) (* 2 (* n n))) (= (f n) (* 2 n)))))"
DOUBLE_WRONG = "(forall ((n Int)) (= (f n) n))"
DOUBLE_SKETCH: dict[str, Any] = {"lemmas": [], "induction": {"on": ["n"], "from": "0"}}


def every_role(asked: dict[str, Any]) -> Answer:
    """Proves `DOUBLE` where the symbolic search is switched off, and every role that searches has its say on the way.

    The first sketch leads to a subgoal that the model cannot sketch: its lemma is false, the corrector has nothing
    better, the decider rolls back, and the next sketch of the theorem holds.
    """
    role, text = role_of(asked), prompt_of(asked)
    if role == "decider":
        return fenced({"reason": "hopeless", "decision": "roll back"})
    if role == "sketcher" and "show: (and (= (f (* n n))" in text:
        return fenced({"lemmas": [DOUBLE_WRONG]})
    if role == "sketcher":
        return fenced(DOUBLE_SKETCH if "The subgoal that failed" in text else {"lemmas": [DOUBLE_LATER]})
    return Answer("no idea")


def always(text: str) -> Script:
    return lambda asked: Answer(text)
