"""A question of a data set, and its outcome: gold label, answer, cost, kind of ending and of mistakes."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from goedels_poetry.autoformalizer.rows import BadRows, each_row
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.files import read_bytes
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.errors.classify import ErrorCategory, ErrorClassifier
from goedels_poetry.questions.result import Answer
from goedels_poetry.reasoning.steps import QueryResult
from goedels_poetry.search.tasks.question import split

# A question of a data set with the answer that is held to be right

Label = Literal["true", "false", "uncertain"]
LABELS: tuple[Label, ...] = ("true", "false", "uncertain")

_WORDS: dict[str, Label] = {
    "true": "true",
    "yes": "true",
    "1": "true",
    "false": "false",
    "no": "false",
    "0": "false",
    "uncertain": "uncertain",
    "unknown": "uncertain",
}
_LETTERS: dict[str, Label] = {"A": "true", "B": "false", "C": "uncertain"}


class BadData(GoedelsPoetryError):
    """A data set cannot be used; the message begins with the place."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """One question. Ids need not be unique, and never become part of a file's name."""

    id: str
    dataset: str
    question: str
    context: str
    gold: Label
    tags: tuple[str, ...] = ()
    """What sets it apart from others of its data set, e.g. ``conditional``, ``closed world``, ``depth 3``."""
    conditions: tuple[str, ...] = ()
    """Sentences of the text on which the answer is conditional (ConditionalQA)."""
    place: str = ""
    """``FILE:LINE``."""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of what is asked and what is held to be right."""
        return digest(self.dataset, self.question, self.context, self.gold)

    @property
    def key(self) -> str:
        """``id#digest``: tells two questions apart that share an id."""
        return f"{self.id}#{self.digest}"


def digest(*parts: Any) -> str:
    """16 hexadecimal digits of the hash of JSON values."""
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def gold_label(value: Any, options: Sequence[str] = ()) -> Label:
    """The label that a gold answer stands for.

    Args:
        value: true, false, 1, 0, or one of the words true, yes, false, no, uncertain, unknown in any case, or a letter.
        options: what the letters stand for, e.g. ``("A) True", "B) False")``; without them A is true and B is false.

    Raises:
        BadData: it is anything else.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).strip() if isinstance(value, str | int) else ""
    letter = text.rstrip(").").upper()
    if letter in _LETTERS:
        if options:
            return _option(letter, options)
        if letter != "C":  # without options nobody knows what a third one would be
            return _LETTERS[letter]
    label = _WORDS.get(text.rstrip(".").lower())
    if label is None:
        raise BadData(
            f"the gold answer {_shown(value)} is none of true, false, yes, no, 1, 0, uncertain, unknown, A (true), "
            f"B (false); only such questions can be scored"
        )
    return label


def _option(letter: str, options: Sequence[str]) -> Label:
    for option in options:
        name, _, label_text = option.strip().partition(")")
        if name.strip(" (").upper() == letter:
            label = _WORDS.get(label_text.strip(" .").lower())
            if label is None:
                raise BadData(f"option {_shown(option)} says neither true nor false nor unknown; it cannot be scored")
            return label
    raise BadData(f"the gold answer {letter!r} is none of the options {', '.join(map(_shown, options))}")


def text_of(row: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    """The first of the fields that the row has, as a text; a list of texts becomes one text of lines.

    Raises:
        BadData: there is no such field and no default, or it holds something else, or nothing but white space.
    """
    for name in names:
        if row.get(name) is None:
            continue
        value = row[name]
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            value = "\n".join(value)
        if not isinstance(value, str):
            raise BadData(f'"{name}" is a text, not {_shown(value)}')
        if not value.strip() and default is None:
            raise BadData(f'"{name}" is empty')
        return value.strip()
    if default is not None:
        return default
    raise BadData(lacking(row, *names))


def lacking(row: Mapping[str, Any], *names: str) -> str:
    """``there is no "answer"; the row has: …``."""
    wanted = " or ".join(f'"{name}"' for name in names)
    return f"there is no {wanted}; the row has: {', '.join(map(str, list(row)[:20])) or 'nothing'}"


def _shown(value: Any) -> str:
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


_LIMITS: tuple[tuple[str, str], ...] = (
    (r"wall time|\bs\b[^;]*are used up|time limit", "time"),
    (r"model calls", "model calls"),
    (r"model tokens", "tokens"),
    (r"US dollars|money", "money"),
    (r"agent steps", "steps"),
    (r"solver seconds|solver time", "solver time"),
    (r"larger nodes|\bnodes\b", "goals"),
    (r"\bdepth\b", "depth"),
    (r"\battempts\b", "attempts"),
)
_INVALID: tuple[tuple[str, str], ...] = (
    (r"unknown (module|package)|object file|bad import|\bimport\b|Mathlib|no such library", "missing library"),
)
_UNKNOWN: tuple[tuple[str, str], ...] = (
    (r"certif|checker", "not certified"),
    (r"no reply|no model", "no reply"),
)
_MISTAKES: tuple[tuple[str, str], ...] = (
    (
        r"gave no reply|\breply is (missing|empty)|empty reply|no answer from|HTTP \d|status [45]\d\d|connection",
        "no reply",
    ),
    (r"\bbanned\b|tried before|failed before", "banned strategy"),
    (
        r"cannot be read|not JSON|no (complete )?JSON|cannot read|no (Lean )?code|cut off|not a (proof|sketch)",
        "unreadable reply",
    ),
    (r"subgoal \S+ is false|lemma \S+ is false|\bis false\b|counterexample|refuted", "false subgoal"),
    (r"has neither a new lemma|proposes? nothing|says nothing|holds no (proof|sketch)", "empty proposal"),
    (r"time-?out|timed out|out of time|time is up|took longer", "time"),
    (r"crashed|killed|out of memory", "crash"),
    (r"does not close|no solver closes|not proved|does not follow|unsolved goals|do(es)? not give", "not closed"),
    (r"does not apply|no strategy", "nothing applies"),
)
"""The first pattern that is found counts."""

ERROR = "error"
"""The ending of what was broken off by an error, and will be asked again."""


def ending(verdict: Verdict, reason: str) -> str:
    """How a run ended, in one or two words: the verdict, and which limit or what kind of fault it was.

    ``proved``, ``refuted``, ``inconsistent``, ``open``, ``limit: time``, ``invalid: missing library``, …
    """
    match verdict:
        case Verdict.OUT_OF_BUDGET:
            return f"limit: {_first(_LIMITS, reason) or 'other'}"
        case Verdict.INVALID:
            kind = _first(_INVALID, reason)
            return f"invalid: {kind}" if kind else "invalid"
        case Verdict.UNKNOWN:
            kind = _first(_UNKNOWN, reason)
            return f"open: {kind}" if kind else "open"
        case _:
            return str(verdict)


def mistake(reason: str, language: str) -> str:
    """The kind of one failed attempt, by what the verifier or the reader of replies said of it."""
    if language == "lean":
        errors = ErrorClassifier().classify_errors(reason if "error:" in reason else f"error: {reason}")
        if errors and errors[0].category is not ErrorCategory.OTHER:
            return errors[0].category.value.replace("_", " ")
    return _first(_MISTAKES, reason) or "other"


def mistakes(entries: Iterable[Mapping[str, Any]], language: str) -> dict[str, int]:
    """Failed attempts of a run by kind, most frequent first.

    Args:
        entries: of the history of its goals, as ``memory.conversation`` gives them.
        language: of the theorem: Lean's messages have kinds of their own.
    """
    every = list(entries)
    asked = {(entry.get("seq"), entry.get("node")) for entry in every if entry.get("kind") == "model"}
    found: Counter[str] = Counter()
    for entry in every:
        match entry.get("kind"):
            case "model":  # one for each reply that does not hold
                found.update(mistake(str(reason), language) for reason in entry.get("reasons") or ())
            case "attempt" | "rejected" if (entry.get("seq"), entry.get("node")) not in asked and entry.get("reason"):
                found[mistake(str(entry["reason"]), language)] += 1
    return dict(found.most_common())


def _first(table: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for pattern, name in table if re.search(pattern, text, re.IGNORECASE)), "")


Predicted = Literal["true", "false", "unknown", "inconsistent", "invalid", "out_of_budget", "other", "failed"]
Level = Literal["high", "medium", "low", ""]
LEVELS: tuple[Level, ...] = ("high", "medium", "low", "")
"""Of confidence; the last one: it was not computed."""
PREDICTED: tuple[Predicted, ...] = (
    "true",
    "false",
    "unknown",
    "inconsistent",
    "invalid",
    "out_of_budget",
    "other",
    "failed",
)
"""``unknown`` is an answer: a program was decided and the text settles neither. ``failed`` is none: an error, or no
program at all. ``other``: an option's letter or a number where true, false or unknown was asked for."""


_MOST = 1 << 53
"""Larger amounts are none that was ever measured, and no figures can be made of them."""
Text = Annotated[str, AfterValidator(sys.intern)]
"""Of equal texts in many lines one is kept."""
Count = Annotated[int, Field(ge=0, le=_MOST)]
Amount = Annotated[float, Field(ge=0, le=_MOST)]
Score = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, or one sample of it, after it was asked."""

    id: Text
    digest: Text
    dataset: Text
    gold: Label
    predicted: Predicted
    sample: Count = 0
    tags: tuple[str, ...] = ()
    reason: Text = ""
    level: Level = ""
    """Of confidence, see `LEVELS`."""
    score: Score | None = None
    """The confidence as a number, 0 to 1."""
    attempts: Count = 0
    """Programs that were written and posed."""
    calls: Count = 0
    """Requests that were sent to models."""
    cached: Count = 0
    """Replies from the cache: for these nothing was paid now."""
    tokens: Count = 0
    money: Amount = 0.0
    """US dollars."""
    seconds: Amount = 0.0
    """From asking to answering."""
    repeated: bool = False
    """Whether the answer is that of an equal question, and cost nothing."""
    ending: Text = ""
    """How it ended, in one or two words; see `categories.ending`. "" in results of earlier versions."""
    mistakes: Mapping[str, Count] = field(default_factory=dict)
    """Of a proof: attempts that failed, by kind; see `categories.mistakes`."""
    trust_level: Text = ""
    grade: Text = ""
    """Of the best answer, see `QueryResult.grade`; "" in results of earlier versions."""
    graded: Predicted | None = None
    """The best answer of any grade; None in results of earlier versions, where it is ``predicted``."""
    tests: Mapping[str, str] = field(default_factory=dict)
    """Of the formalisation: name to outcome; what the confidence was made of."""
    conditions: Score | None = None
    """F1 of the conditions that were answered, where the gold answer has some; see `conditions_f1`."""

    @property
    def graded_correct(self) -> bool:
        """Whether the best answer of any grade is the gold label."""
        return (self.graded or self.predicted) == ("unknown" if self.gold == "uncertain" else self.gold)

    @property
    def key(self) -> str:
        """Of the question, as `GoldQuestion.key`."""
        return f"{self.id}#{self.digest}"

    @property
    def correct(self) -> bool:
        """Whether the gold label was answered; "uncertain" is met by ``unknown`` only."""
        return self.predicted == ("unknown" if self.gold == "uncertain" else self.gold)

    @property
    def committed(self) -> bool:
        """Whether true or false was answered."""
        return self.predicted in ("true", "false")

    def to_json(self) -> dict[str, Any]:
        """JSON values, with ``correct``."""
        lists = {"tags": list(self.tags), "mistakes": dict(self.mistakes), "tests": dict(self.tests)}
        return {**asdict(self), **lists, "correct": self.correct}


def predicted(result: QueryResult, answer: Answer) -> Predicted:
    """What a result answers, where ``answer`` counts as its answer: that of its verdict, or of a lower grade."""
    if isinstance(answer, bool):
        return "true" if answer else "false"
    if answer is not None:
        return "other"
    if result.verdict is Verdict.UNKNOWN:
        return "unknown" if result.program else "failed"
    match result.verdict:
        case Verdict.INCONSISTENT:
            return "inconsistent"
        case Verdict.INVALID:
            return "invalid"
        case Verdict.OUT_OF_BUDGET:
            return "out_of_budget"
        case _:
            return "failed"


def outcome(question: GoldQuestion, result: QueryResult | str, sample: int, seconds: float, repeated: bool) -> Outcome:
    """The outcome of a question: its answer, or why there is none.

    ``sample`` counts from 0. Where ``repeated``, the answer is another question's: it took no time and cost nothing.
    """
    base: dict[str, Any] = {
        "id": question.id,
        "digest": question.digest,
        "dataset": question.dataset,
        "gold": question.gold,
        "sample": sample,
        "tags": question.tags,
        "seconds": seconds,
        "repeated": repeated,
    }
    if isinstance(result, str):
        return Outcome(**base, predicted="failed", reason=result, ending=ERROR)
    costs = {} if repeated else result.costs
    tokens = costs.get("tokens", costs.get("input_tokens", 0) + costs.get("output_tokens", 0))
    score = result.confidence.get("score")
    return Outcome(
        **base,
        predicted=predicted(result, result.answer),
        reason=result.reason,
        level=result.confidence.get("level") or "",
        score=float(score) if isinstance(score, int | float) else None,
        attempts=result.attempts,
        calls=int(costs.get("calls", 0)),
        cached=int(costs.get("cached_replies", 0)),
        tokens=int(tokens),
        money=float(costs.get("money", 0.0)),
        ending=ending(result.verdict, result.reason),
        mistakes={str(e["mistake"]): int(e["times"]) for e in result.history if "mistake" in e},
        trust_level=result.trust_level or "",
        grade=result.grade,
        graded=predicted(result, result.graded_answer),
        tests={str(test["name"]): str(test["outcome"]) for test in result.confidence.get("tests", ())},
        conditions=conditions_f1(question, result) if question.conditions else None,
    )


def conditions_f1(question: GoldQuestion, result: QueryResult) -> float:
    """F1 of the conditions with which the gold answer would follow; 0 where none is right.

    Precision: of the answered ones, those about a sentence of a gold condition; recall: of the gold ones, those with a
    sentence that an answered one is about.
    """
    wanted = "yes" if question.gold == "true" else "no"
    answered = [str(each.get("text", "")) for each in result.conditions if each["answer"] == wanted]
    gold = [split(condition) for condition in question.conditions]
    right = sum(any(s in text for sentences in gold for s in sentences) for text in answered)
    named = sum(any(s in text for s in sentences for text in answered) for sentences in gold)
    return 2 / (len(answered) / right + len(gold) / named) if right else 0.0


def read_outcome(row: Any) -> Outcome:
    """The inverse of `Outcome.to_json`; unknown keys are passed over.

    Raises:
        BadData: a key is missing or holds something else.
    """
    try:
        made = _ROWS.validate_json(json.dumps(row), strict=True)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        name = f'"{first["loc"][0]}": ' if first["loc"] else ""
        raise BadData(f"{name}{first['msg']}; is this a results.jsonl that bench wrote?") from None
    if row.get("correct", made.correct) is not made.correct:
        said = str(row["correct"])[:40]
        raise BadData(f'"correct" says {said!r}, but {made.predicted!r} was answered, and {made.gold!r} is right')
    return made


def is_outcome(row: Any) -> bool:
    """Whether a row looks like a result that ``bench`` wrote, whatever may be wrong with it."""
    return isinstance(row, Mapping) and "digest" in row and "predicted" in row


_ROWS = TypeAdapter(Outcome)


def to_lines(outcomes: list[Outcome]) -> str:
    """A results file."""
    return "".join(json.dumps(each.to_json()) + "\n" for each in outcomes)


RESULTS = "results.jsonl"
"""Name of the results file in a report folder."""


# Results that runs have left, each counted once, with their summaries

SUMMARY = "summary.json"
"""Name of the summary in a report folder."""
_MOST_RUNS = 64_000_000
"""Bytes of a summary that is looked at."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one run has left."""

    path: str
    """As it was named."""
    outcomes: tuple[Outcome, ...]
    again: int = 0
    """Lines that say what another one has said, and count no second time."""
    summary: Mapping[str, Any] = field(default_factory=dict)
    """What the run's summary says; {} where there is none beside the results."""

    @property
    def proofs(self) -> bool:
        """Whether theorems were proved, as far as anybody knows."""
        return self.summary.get("kind") == "proofs"

    @property
    def notes(self) -> Iterator[str]:
        """Caveats about its figures."""
        if self.again:
            plural = "s" * (self.again != 1)
            yield f"{self.path}: {self.again} line{plural} stand there again, word for word, and count once"
        missing, stopped = self.summary.get("missing"), self.summary.get("stopped")
        if isinstance(missing, int) and missing > 0:
            yield f"{self.path} is not finished ({stopped or 'interrupted'}): {missing} still to do, in no figure"
        if errors := sum(outcome.ending == ERROR for outcome in self.outcomes):
            yield f"{self.path}: {errors} failed by an error, counted as wrong; the command that wrote it asks again"


def read_recorded(path: Path | str) -> Recorded:
    """A results file, or the one in a folder that ``bench`` wrote, with the summary beside it.

    Raises:
        BadData: a line is no result, or contradicts another one.
    """
    folder = os.path.isdir(path)
    file = Path(path) / RESULTS if folder else Path(path)
    there: dict[tuple[str, int], tuple[int, Outcome]] = {}
    again = 0
    try:
        for line, row in each_row(file):
            try:
                outcome = read_outcome(row)
            except BadData as problem:
                raise BadData(f"{file}:{line}: {problem}") from None
            first, known = there.setdefault((outcome.key, outcome.sample), (line, outcome))
            if known is outcome:
                continue
            if known != outcome:
                raise BadData(
                    f"{file}:{line}: line {first} has another result of the same sample, {outcome.sample}, of "
                    f"{outcome.id[:80]!r}: leave the one that holds"
                )
            again += 1
    except BadRows as problem:
        raise BadData(str(problem)) from problem
    beside = read_summary(file.parent) if file.name == RESULTS else {}
    return Recorded(str(path), tuple(outcome for _, outcome in there.values()), again, beside)


def read_outcomes(path: Path) -> list[Outcome]:
    """The results alone; see `read_recorded`."""
    return list(read_recorded(path).outcomes)


def each_once(paths: Iterable[str]) -> list[str]:
    """Names of results, each file once."""
    named: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        named.setdefault(os.path.join(real, RESULTS) if os.path.isdir(real) else real, path)
    return list(named.values())


def read_summary(folder: Path) -> dict[str, Any]:
    """That of a report; {} where none can be read: it only says more about results that are whole without it."""
    file = folder / SUMMARY
    try:
        found = json.loads(read_bytes(file, _MOST_RUNS)) if os.path.isfile(file) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
