"""Figures over outcomes: shares with intervals, costs, two runs compared, pass@k, success against budget.

Every question counts: what failed is wrong, and no class is left out for never being said. Formulas name their source.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, get_args

from goedels_poetry.evaluation.outcome import LABELS, LEVELS, PREDICTED, BadData, Outcome
from goedels_poetry.questions.result import Grade

Z95 = 1.959963984540054
"""0.975 quantile of the standard normal distribution."""


def wilson(right: float, total: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion (Wilson 1927); (0, 1) of nothing.

    Args:
        right: successes, 0 to ``total``; a fraction where it is a mean over several samples of each item.
        total: trials.
    """
    if total == 0:
        return 0.0, 1.0
    p, z2 = right / total, Z95 * Z95
    middle = (p + z2 / (2 * total)) / (1 + z2 / total)
    half = Z95 / (1 + z2 / total) * math.sqrt(p * (1 - p) / total + z2 / (4 * total * total))
    low = 0.0 if right <= 0 else max(0.0, middle - half)
    high = 1.0 if right >= total else min(1.0, middle + half)
    return low, high


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p-value of McNemar's exact test: how surprising the split of the differing pairs is if both are equal.

    Args:
        only_first, only_second: items that only the first, or only the second, has right.
    """
    differing = only_first + only_second
    tail = sum(math.comb(differing, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**differing))


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """The unbiased estimate of the chance that at least one of k samples is correct (Chen et al. 2021).

    Raises:
        ValueError: k is not between 1 and ``samples``, or ``correct`` not between 0 and ``samples``.
    """
    if not 1 <= k <= samples or not 0 <= correct <= samples:
        raise ValueError(f"pass@{k} cannot be estimated from {correct} correct ones of {samples} samples")
    return float(1 - Fraction(math.comb(samples - correct, k), math.comb(samples, k)))


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; 0 of nothing."""
    return statistics.fmean(values) if values else 0.0


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile, interpolated between neighbours (type 7, the default of R and NumPy); 0 of nothing."""
    ordered = sorted(values) or [0.0]
    at = q * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)


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
        found = {"value": self.value, **asdict(self)}
        return {name: round(each, 4) if isinstance(each, float) else each for name, each in found.items()}


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
class _Figures:
    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {field.name: _as_json(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Metrics(_Figures):
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
    graded: Share
    """Accuracy of the best answers of any grade."""
    grades: dict[str, Share]
    """By grade: right ones among the answers of that grade."""
    conditions: float | None
    """Mean F1 of the conditions, over outcomes whose gold answer has some; None: there are none."""
    calibration: dict[str, Share]
    """By level of confidence: right ones among those that were answered true or false."""
    attempts: Spread
    calls: Spread
    cached: int
    """Replies from the cache, in no cost: with any, asking would have cost more than it says here."""
    tokens: Spread
    money: Spread
    seconds: Spread


def _as_json(value: Any) -> Any:
    """Figures as JSON values: shares by their own method, other records by their fields."""
    if isinstance(value, Share | Comparison):
        return value.to_json()
    if isinstance(value, dict):
        return {str(name): _as_json(each) for name, each in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return list(value) if isinstance(value, tuple) else value


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
    f1s = [one.conditions for one in every if one.conditions is not None]
    by_grade = {grade: [one.graded_correct for one in every if one.grade == grade] for grade in get_args(Grade)}
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
        graded=share([one.graded_correct for one in every], questions),
        grades={grade: share(flags) for grade, flags in by_grade.items() if flags},
        conditions=mean(f1s) if f1s else None,
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


@dataclass(frozen=True, slots=True)
class Comparison(_Figures):
    """Paired results. Of several samples of a question the first one counts."""

    pairs: int
    first: Share
    """Accuracy over the pairs."""
    second: Share
    only_first: tuple[str, ...]
    """Ids that only the first run has right."""
    only_second: tuple[str, ...]
    p: float
    """Two-sided, McNemar's exact test; 1 when no pair differs."""

    @property
    def difference(self) -> float:
        """Accuracy of the second run less that of the first one."""
        return (self.second.value or 0.0) - (self.first.value or 0.0)

    def to_json(self) -> dict[str, Any]:
        """JSON values only, with the difference."""
        return {**_Figures.to_json(self), "difference": round(self.difference, 4)}


@dataclass(frozen=True, slots=True)
class Compared(_Figures):
    """Two runs, over all and by data set."""

    overall: Comparison
    datasets: dict[str, Comparison]
    unmatched: tuple[int, int]
    """Questions that only one of the two has; they are in no figure."""


def compare(first: Iterable[Outcome], second: Iterable[Outcome]) -> Compared:
    """Two runs over the same questions: same text and gold label, and same id where several have these.

    Ids of theorems are names of files as they were given, which on another machine, or in another folder, are others.

    Raises:
        BadData: they have no question in common.
    """
    one, other = _first_samples(first), _first_samples(second)
    other = _renamed(other, one)
    common = [key for key in one if key in other]
    if not common:
        raise BadData("no question in common, with the same text and gold label")
    datasets = {
        name: _comparison(found, [other[outcome.key] for outcome in found])
        for name, found in by_dataset(one[key] for key in common).items()
    }
    return Compared(
        _comparison([one[key] for key in common], [other[key] for key in common]),
        datasets,
        (len(one) - len(common), len(other) - len(common)),
    )


def _first_samples(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for outcome in sorted(outcomes, key=lambda each: each.sample):
        found.setdefault(outcome.key, outcome)
    return found


def _renamed(outcomes: Mapping[str, Outcome], names: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes under their keys in ``names``; by what was asked where only one has it, here and there."""
    left = _by_digest(key for key in names if key not in outcomes)
    right = _by_digest(key for key in outcomes if key not in names)
    only = {digest: keys[0] for digest, keys in left.items() if len(keys) == 1}
    pairs = {keys[0]: only[digest] for digest, keys in right.items() if len(keys) == 1 and digest in only}
    return {pairs.get(key, key): outcome for key, outcome in outcomes.items()}


def _by_digest(keys: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(key.rpartition("#")[2], []).append(key)
    return found


def _comparison(first: Sequence[Outcome], second: Sequence[Outcome]) -> Comparison:
    pairs = list(zip(first, second, strict=True))
    only_first = tuple(a.id for a, b in pairs if a.correct and not b.correct)
    only_second = tuple(a.id for a, b in pairs if b.correct and not a.correct)
    return Comparison(
        len(pairs),
        share([a.correct for a, _ in pairs]),
        share([b.correct for _, b in pairs]),
        only_first,
        only_second,
        mcnemar(len(only_first), len(only_second)),
    )


@dataclass(frozen=True, slots=True)
class PassAt(_Figures):
    """Of n samples of each item: how likely one of k is right."""

    items: int
    samples: tuple[int, int]
    """Fewest and most samples that an item has."""
    solved: int
    """Items with at least one right sample."""
    at: dict[int, Share | None]
    """Mean over the items by k; None where an item has fewer than k samples, so that it cannot be estimated.

    The interval is Wilson's for so many items with this mean, which is never too narrow."""


def pass_at(outcomes: Iterable[Outcome], ks: Sequence[int]) -> PassAt:
    """pass@k by the unbiased estimator, averaged over the items. Raises BadData: there are no outcomes."""
    flags: dict[str, list[bool]] = {}
    for outcome in outcomes:
        flags.setdefault(outcome.key, []).append(outcome.correct)
    counts = [(len(samples), sum(samples)) for samples in flags.values()]
    if not counts:
        raise BadData("there are no results to estimate pass@k from")
    fewest = min(samples for samples, _ in counts)
    at: dict[int, Share | None] = {}
    for k in ks:
        if k > fewest:
            at[k] = None
            continue
        expected = mean([pass_at_k(samples, right, k) for samples, right in counts]) * len(counts)
        at[k] = Share(expected, len(counts), *wilson(expected, len(counts)))
    most = max(samples for samples, _ in counts)
    return PassAt(len(counts), (fewest, most), sum(right > 0 for _, right in counts), at)


UNITS = ("seconds", "calls", "tokens", "money")
"""What budgets are counted in; calls include replies from the cache, since these would have been paid for."""
_STEPS = (1.0, 2.0, 5.0)
MOST_ROWS = 12
"""Budgets that a table has."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Success against one kind of budget."""

    unit: str
    costs: tuple[float, ...]
    """What each solved trial cost, in ascending order."""
    trials: int
    items: int
    """Theorems or questions that they belong to: several samples of one are no independent trials."""

    def at(self, budget: float) -> Share:
        """The share that is solved within a budget."""
        solved = bisect_right(self.costs, budget) / self.trials * self.items if self.trials else 0.0
        return Share(solved, self.items, *wilson(solved, self.items))

    @property
    def points(self) -> list[tuple[float, float]]:
        """Steps (budget, share solved within it), one for each cost that occurs."""
        steps: dict[float, float] = {}
        for number, cost in enumerate(self.costs, 1):
            steps[cost] = number / self.trials
        return list(steps.items())

    def to_json(self) -> dict[str, Any]:
        """``{"trials", "items", "points": [[budget, share], …]}``."""
        points = [[round(budget, 6), round(share, 4)] for budget, share in self.points]
        return {"trials": self.trials, "items": self.items, "points": points}


def curves(outcomes: Iterable[Outcome]) -> dict[str, Curve]:
    """A curve for every unit in which anything was spent; answers that are another question's are no trials."""
    every = [one for one in outcomes if not one.repeated]
    items = len({one.key for one in every})
    return {
        unit: Curve(unit, tuple(sorted(cost_of(one, unit) for one in every if one.correct)), len(every), items)
        for unit in UNITS
        if any(cost_of(one, unit) > 0 for one in every)
    }


def cost_of(outcome: Outcome, unit: str) -> float:
    """What a trial cost in a unit."""
    return float(outcome.calls + outcome.cached) if unit == "calls" else float(getattr(outcome, unit))


def budgets(many: Sequence[Curve]) -> list[float]:
    """Round budgets (1, 2, 5, 10, …) from below the cheapest success to the dearest, at most `MOST_ROWS`.

    Calls and tokens come in whole numbers.
    """
    costs = [cost for curve in many for cost in curve.costs if cost > 0]
    if not costs:
        return []
    least, most = min(costs), max(costs)
    grid = [step * 10.0**power for power in range(-7, 13) for step in _STEPS]
    whole = all(curve.unit in ("calls", "tokens") for curve in many)
    chosen = [v for v in grid if least <= v * 2.5 and v <= most * 2.5 and (v >= 1 or not whole)]
    upto = next((number for number, value in enumerate(chosen, 1) if value >= most), len(chosen))
    return chosen[max(0, upto - MOST_ROWS) : upto]
