"""What comes back of a program and of a question: plain, frozen, JSON-able data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.result import Answer, Semantics, World


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What is known about a question."""

    question: str
    answer: Answer
    verdict: Verdict
    context: str = ""
    backend: str = "smt2"
    semantics: Semantics = "entailment"
    world: World = "open"
    program: str | None = None
    """The formal program that the answer rests on, as the model wrote it."""
    goal: str = ""
    """What was asked, formally."""
    goal_words: str = ""
    """What was asked, in words."""
    core: tuple[dict[str, Any], ...] | None = None
    """Premises used, as in :class:`VerificationResult`, each with ``"text"``: the sentences themselves."""
    sentences: tuple[dict[str, Any], ...] = ()
    """Sentences of the text that were used: ``{"number", "text"}``."""
    assumptions: tuple[str, ...] = ()
    """What the answer rests on that is not in the text."""
    countermodel: dict[str, Any] | None = None
    countermodel_words: str = ""
    """Of an answer ``unknown``: a world in which the premises are true and the goal is false."""
    options: tuple[dict[str, Any], ...] = ()
    """Of a multiple-choice question: each ``{"name", "text", "verdict"}``."""
    votes: dict[str, int] = field(default_factory=dict)
    """Answers of the samples, when there were several: ``{"true": 3, "unknown": 2}``."""
    attempts: int = 0
    """Programs that were written and posed."""
    history: tuple[dict[str, Any], ...] = ()
    """Every attempt: ``{"program", "verdict", "reason"}``, oldest first."""
    subanswers: tuple[dict[str, Any], ...] = ()
    """Of a question that was split: what is known of its parts, each ``{"number", "question", "derived", "answer",
    "verdict", "program", "core", "sentences", "assumptions", "certificate", "confidence", "reason", "run_id"}``.
    ``derived`` is the sentence that the answer above may rest on, "" for a part that stayed open."""
    steps: tuple[dict[str, Any], ...] = ()
    """What post-processors did, oldest first: ``{"post", "outcome"?, "reason"?, "run_id"?, ...}``."""
    confidence: dict[str, Any] = field(default_factory=dict)
    """How far the formalisation can be trusted: ``{"level": "high" | "medium" | "low", "score", "tests": [...]}``."""
    costs: dict[str, Any] = field(default_factory=dict)
    """``{"calls", "input_tokens", "output_tokens", "money", "cached_replies", "solver_seconds", "wall_seconds"}``.
    Replies from the cache cost nothing."""
    certificate: str | None = None
    trust_level: str | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    run_id: str = ""

    @property
    def success(self) -> bool:
        """Whether there is an answer."""
        return self.answer is not None

    def to_json(self) -> dict[str, Any]:
        """The object that ``ask --json`` prints."""
        return {**asdict(self), "verdict": str(self.verdict)}
