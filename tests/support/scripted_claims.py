"""Models that state, judge and put into words by a script, and runs that ask them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model_server import Answer, Server

from goedels_poetry import Settings
from goedels_poetry.autoformalizer import AutoformalizationExecutor

NAT = "(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))\n"
PLUS = "(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ m) (succ (plus m y))))))\n"
ZERO = f"{NAT}{PLUS}(prove (forall ((x Nat)) (= (plus x zero) x)))"
CLAIM = "adding zero on the right changes nothing"
WORDS = "for every natural number x, x plus zero is x"

MARKS = {
    "formalizer": "State the claim below formally",
    "judge": "Does the formal statement say what the claim says",
    "words": "Say in plain words what this formal statement states",
    "round trip": "Do the two texts state the same",
}


def same(yes: bool, reason: str = "") -> Answer:
    return Answer(json.dumps({"reason": reason or ("the same" if yes else "another"), "same": yes}))


def in_words(text: str) -> Answer:
    return Answer(json.dumps({"words": text}))


def block(text: str, tag: str = "lean") -> Answer:
    return Answer(f"Here it is:\n```{tag}\n{text}\n```")


class Script:
    """Answers by role, each role's in order and the last one again and again. Other roles get nothing of use."""

    def __init__(
        self,
        formal: Sequence[Answer],
        judge: Sequence[Answer] = (same(True),),
        words: Sequence[Answer] = (in_words(WORDS),),
        round_trip: Sequence[Answer] = (same(True),),
    ) -> None:
        self._answers = {"formalizer": formal, "judge": judge, "words": words, "round trip": round_trip}
        self.asked: dict[str, list[str]] = {role: [] for role in MARKS}

    def __call__(self, asked: dict[str, Any]) -> Answer:
        text = str(asked["messages"][-1]["content"])
        for role, mark in MARKS.items():
            if mark in text:
                self.asked[role].append(text)
                answers = self._answers[role]
                return answers[min(len(self.asked[role]), len(answers)) - 1]
        return Answer("no idea")


def settings(server: Server, home: Path, **more: Any) -> Settings:
    model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0}
    chosen: dict[str, Any] = {
        "home": home,
        "models": {"default": model},
        "schedule": {"beam": (1,), "max_attempts": 2},
        "budgets": {"wall_seconds": 100},
    }
    return Settings(**(chosen | more))


def executor(server: Server, language: Any, home: Path, prove: bool = False, **more: Any) -> AutoformalizationExecutor:
    own = {name: more.pop(name) for name in ("confirm", "round_trip") if name in more}
    return AutoformalizationExecutor(language=language, settings=settings(server, home, **more), prove=prove, **own)
