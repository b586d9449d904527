"""Figures over outcomes. Every question counts: what failed is wrong, and no class is left out for never being said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from goedels_poetry.evaluation.outcome import LEVELS, PREDICTED, Outcome
from goedels_poetry.evaluation.questions import LABELS
from goedels_poetry.evaluation.statistics import mean, quantile, wilson


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion with its 95 % interval (Wilson). With several samples of a question it is as wide as without."""

    right: float
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """0 to 1; None of nothing."""
        return self.right / self.of if self.of else None

    def to_json(self) -> dict[str, Any]:
        """``{"value", "right", "of", "low", "high"}``, rounded to 4 digits."""
        value = None if self.value is None else round(self.value, 4)
        return {
            "value": value,
            "right": round(self.right, 4),
            "of": self.of,
            "low": round(self.low, 4),
            "high": round(self.high, 4),
        }


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How one class fares against the others."""

    gold: int
    """Outcomes whose gold label it is."""
    said: int
    """Outcomes that answer it."""
    right: int
    precision: float | None
    """None: it was never said."""
    recall: float | None
    """None: it is never the gold label."""
    f1: float | None
    """None: neither said nor gold."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, median and 90 % quantile."""

    mean: float
    median: float
    p90: float
    total: float


@dataclass(frozen=True, slots=True)
class Metrics:
    """The figures of a data set, or of several together."""

    questions: int
    samples: int
    """Of each question."""
    accuracy: Share
    """Right ones among all."""
    coverage: Share
    """True or false was answered; not to know covers nothing."""
    selective: Share
    """Right ones among those covered. A gold "uncertain" is never right there."""
    uncertain: Share
    """Among those whose gold label is "uncertain", those that were answered ``unknown``."""
    classes: dict[str, ClassScore]
    macro_precision: float
    """Mean over the classes that occur as gold label; one that is never said has precision 0 here."""
    macro_recall: float
    macro_f1: float
    confusion: dict[str, dict[str, int]]
    """Gold label -> what was answered -> how often."""
    wrong_proved: tuple[str, ...]
    """Ids: ``true`` was answered, and it is not."""
    wrong_refuted: tuple[str, ...]
    failures: dict[str, int]
    """Outcomes without an answer: inconsistent, invalid, out of budget, other, failed."""
    calibration: dict[str, Share]
    """By level of confidence: right ones among those that were answered true or false."""
    attempts: Spread
    calls: Spread
    cached: int
    """Replies from the cache, in no cost: with any, asking would have cost more than it says here."""
    tokens: Spread
    money: Spread
    seconds: Spread

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        data = asdict(self)
        for name in ("accuracy", "coverage", "selective", "uncertain"):
            data[name] = getattr(self, name).to_json()
        data["calibration"] = {level: share.to_json() for level, share in self.calibration.items()}
        for name in ("wrong_proved", "wrong_refuted"):
            data[name] = list(data[name])
        return data


def share(flags: Sequence[bool], questions: int | None = None) -> Share:
    """How many flags are set.

    Args:
        flags: one for each outcome.
        questions: how many questions they belong to, when there are several samples of each: these depend on each
            other, so the interval is that of so many trials with the same mean.
    """
    of = len(flags) if questions is None else questions
    right = mean(flags) * of
    return Share(right, of, *wilson(right, of))


def metrics(outcomes: Iterable[Outcome]) -> Metrics:
    """The figures over outcomes, every one of them."""
    every = list(outcomes)
    questions = len({outcome.key for outcome in every})
    committed = [outcome for outcome in every if outcome.committed]
    doubtful = [outcome for outcome in every if outcome.gold == "uncertain"]
    classes: dict[str, ClassScore] = {label: _class_score(every, label) for label in LABELS}
    present = [score for score in classes.values() if score.gold]
    confusion: dict[str, dict[str, int]] = {
        label: {said: number for said in PREDICTED if (number := counts[said])}
        for label in LABELS
        if (counts := Counter(outcome.predicted for outcome in every if outcome.gold == label))
    }
    paid = [outcome for outcome in every if not outcome.repeated]
    by_level = {level: [one.correct for one in committed if one.level == level] for level in LEVELS}
    return Metrics(
        questions=questions,
        samples=max(1, round(len(every) / questions)) if questions else 1,
        accuracy=share([one.correct for one in every], questions),
        coverage=share([one.committed for one in every], questions),
        selective=_of_questions(committed, [one.correct for one in committed]),
        uncertain=_of_questions(doubtful, [one.correct for one in doubtful]),
        classes=classes,
        macro_precision=mean([score.precision or 0.0 for score in present]),
        macro_recall=mean([score.recall or 0.0 for score in present]),
        macro_f1=mean([score.f1 or 0.0 for score in present]),
        confusion=confusion,
        wrong_proved=tuple(dict.fromkeys(one.id for one in every if one.predicted == "true" and not one.correct)),
        wrong_refuted=tuple(dict.fromkeys(one.id for one in every if one.predicted == "false" and not one.correct)),
        failures={
            name: number for name in PREDICTED[3:] if (number := sum(outcome.predicted == name for outcome in every))
        },
        calibration={level or "none": share(flags) for level, flags in by_level.items() if flags},
        attempts=spread([float(one.attempts) for one in every]),
        calls=spread([float(one.calls) for one in paid]),
        cached=sum(one.cached for one in paid),
        tokens=spread([float(one.tokens) for one in paid]),
        money=spread([one.money for one in paid]),
        seconds=spread([one.seconds for one in paid]),
    )


def _of_questions(outcomes: Sequence[Outcome], flags: Sequence[bool]) -> Share:
    return share(flags, len({outcome.key for outcome in outcomes}))


def _class_score(outcomes: Sequence[Outcome], label: str) -> ClassScore:
    word = "unknown" if label == "uncertain" else label
    gold = sum(one.gold == label for one in outcomes)
    said = sum(one.predicted == word for one in outcomes)
    right = sum(one.gold == label and one.correct for one in outcomes)
    return ClassScore(
        gold=gold,
        said=said,
        right=right,
        precision=right / said if said else None,
        recall=right / gold if gold else None,
        f1=2 * right / (gold + said) if gold + said else None,
    )


def spread(values: Sequence[float]) -> Spread:
    """Mean, median, 90 % quantile and sum."""
    return Spread(mean(values), quantile(values, 0.5), quantile(values, 0.9), float(sum(values)))


def by_dataset(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """The outcomes of each data set, in the order in which these occur."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.dataset, []).append(outcome)
    return found


def curve(outcomes: Iterable[Outcome]) -> list[tuple[float, float]]:
    """Coverage against accuracy: what remains when only answers of at least some confidence are given.

    Points (coverage, selective accuracy), most confident answers first; answers of equal confidence come together.
    Answers without a score come last.
    """
    every = list(outcomes)
    scores = sorted({-1.0 if one.score is None else one.score for one in every if one.committed}, reverse=True)
    points = []
    for least in scores:
        given = [one for one in every if one.committed and (-1.0 if one.score is None else one.score) >= least]
        points.append((len(given) / len(every), mean([one.correct for one in given])))
    return points
