"""Is the confidence worth its name? Accuracy by level, calibration and ranking of what `bench` has recorded.

Reads results files of ``goedels-poetry bench``: one outcome a line, with ``gold``, ``predicted``, ``level`` and
``score``. Answers without a score are counted and left out. Printed for the answers true and false, for the answer
unknown, and for both:

* accuracy and mean score by level: in a calibrated system they are equal;
* AUROC: the chance that of a right and a wrong answer the right one has the higher score (0.5: the score says nothing);
* Brier score: mean square of score minus rightness (0 is best; always saying p gives at best p (1 - p));
* expected calibration error over ten bins of equal width, and the reliability curve: accuracy in each bin.

``--fit`` prints the factors of `confidence.score` that fit the answers best: a logistic regression on the outcomes of
the tests, with today's factors as the middle of a normal prior, so that what was seen seldom moves little.

    python scripts/measure_confidence.py results.jsonl [MORE.jsonl ...] [--dataset NAME] [--fit] [--json]
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.evaluation.figures import mean, wilson
from goedels_poetry.evaluation.outcome import Outcome, read_outcomes
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.score import BASE, FACTORS

LEVELS = ("high", "medium", "low")
BINS = 10
ROUNDS = 200
SPREAD = 0.7
"""Standard deviation of the prior, of the logarithm of a factor: one in three is off by more than a factor of two."""


@dataclass(frozen=True)
class Level:
    """Answers of one level."""

    answers: int
    right: int
    accuracy: float
    low: float
    high: float
    """Ends of the 95 % interval of the accuracy (Wilson)."""
    mean_score: float


@dataclass(frozen=True)
class Measured:
    """What the scores of some answers are worth; None where it is not defined."""

    answers: int
    right: int
    levels: dict[str, Level] = field(default_factory=dict)
    auroc: float | None = None
    brier: float | None = None
    calibration_error: float | None = None
    curve: list[tuple[int, float, float]] = field(default_factory=list)
    """Of each bin that has answers: how many, their mean score, their accuracy."""


def measure(outcomes: Iterable[Outcome]) -> Measured:
    """Measure the outcomes that have a score."""
    scored = [(one.score, one.correct, one.level) for one in outcomes if one.score is not None]
    levels = {}
    for name in LEVELS:
        found = [(score, right) for score, right, level in scored if level == name]
        if found:
            right = sum(right for _, right in found)
            low, high = wilson(right, len(found))
            levels[name] = Level(len(found), right, right / len(found), low, high, mean([s for s, _ in found]))
    pairs = [(score, right) for score, right, _ in scored]
    return Measured(
        len(pairs),
        sum(right for _, right in pairs),
        levels,
        auroc(pairs),
        mean([(score - right) ** 2 for score, right in pairs]) if pairs else None,
        calibration_error(pairs) if pairs else None,
        curve(pairs),
    )


def auroc(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Area under the ROC curve, ties counted half (Mann-Whitney); None without right or without wrong answers."""
    right = sum(flag for _, flag in pairs)
    wrong = len(pairs) - right
    if not right or not wrong:
        return None
    ranks, place = 0.0, 0
    ordered = sorted(pairs, key=lambda pair: pair[0])
    while place < len(ordered):
        end = place
        while end < len(ordered) and ordered[end][0] == ordered[place][0]:
            end += 1
        middle = (place + 1 + end) / 2  # of the ranks from 1 that the equal scores share
        ranks += middle * sum(flag for _, flag in ordered[place:end])
        place = end
    return (ranks - right * (right + 1) / 2) / (right * wrong)


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float:
    """Mean distance between score and accuracy over bins of equal width, weighted by their answers."""
    return math.fsum(count / len(pairs) * abs(score - accuracy) for count, score, accuracy in curve(pairs))


def curve(pairs: Sequence[tuple[float, bool]]) -> list[tuple[int, float, float]]:
    """Answers, mean score and accuracy in each bin of equal width that has any, by score."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for score, right in pairs:
        bins.setdefault(min(BINS - 1, int(score * BINS)), []).append((score, right))
    return [
        (len(found), mean([score for score, _ in found]), mean([float(right) for _, right in found]))
        for _, found in sorted(bins.items())
    ]


def fit(outcomes: Sequence[Outcome], unknown: bool = False) -> dict[str, Fitted]:
    """Factors that fit decided answers, or the answer unknown, best; "base" are the odds before any test.

    Maximum a posteriori of a logistic regression, one weight at a time by Newton's method; it is concave.
    """
    seen = [
        ([("base", ""), *((n, o) for n, o in sorted(one.tests.items()) if (n, o) in FACTORS)], one.correct)
        for one in outcomes
        if one.tests and (one.predicted == "unknown" if unknown else one.committed)
    ]
    odds = {key: factor.unknown if unknown else factor.decided for key, factor in FACTORS.items()}
    odds["base", ""] = BASE[Verdict.UNKNOWN if unknown else Verdict.PROVED]
    prior = {key: math.log(odds[key]) for keys, _ in seen for key in keys}
    weights = dict(prior)
    for _ in range(ROUNDS):
        for key in weights:
            slope, bend = (prior[key] - weights[key]) / SPREAD**2, 1 / SPREAD**2
            for keys, right in seen:
                if key in keys:
                    chance = 1 / (1 + math.exp(-sum(weights[each] for each in keys)))
                    slope, bend = slope + right - chance, bend + chance * (1 - chance)
            weights[key] += slope / bend
    counts = Counter(key for keys, _ in seen for key in keys)
    return {
        " ".join(key).strip(): Fitted(counts[key], math.exp(prior[key]), math.exp(weight))
        for key, weight in sorted(weights.items())
    }


@dataclass(frozen=True)
class Fitted:
    """A factor of the odds."""

    answers: int
    now: float
    fitted: float


def groups(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """The answers true and false, the answer unknown, and both."""
    decided = [one for one in outcomes if one.committed]
    unknown = [one for one in outcomes if one.predicted == "unknown"]
    return {"true or false": decided, "unknown": unknown, "both": [*decided, *unknown]}


def lines(name: str, found: Measured) -> list[str]:
    """For people."""
    head = f"{name}: {found.answers} answers with a score, {found.right} right"
    if not found.answers:
        return [head]
    told = [
        f"  {level:<7}{one.answers:>6} answers  {one.accuracy:7.1%} right [{one.low:.1%}, {one.high:.1%}]"
        f"  mean score {one.mean_score:.3f}"
        for level, one in found.levels.items()
    ]
    rank = "not defined (all right or all wrong)" if found.auroc is None else f"{found.auroc:.3f}"
    told += [
        f"  score {score:.2f}: {accuracy:7.1%} right of {count:<5} {'#' * round(40 * accuracy)}"
        for count, score, accuracy in found.curve
    ]
    return [head, *told, f"  AUROC {rank}, Brier {found.brier:.3f}, calibration error {found.calibration_error:.3f}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """0, or 2 when a file cannot be read."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="RESULTS")
    parser.add_argument("--dataset", help="only this one")
    parser.add_argument("--fit", action="store_true", help="print the factors that fit best, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        outcomes = [one for file in given.files for one in read_outcomes(file)]
    except GoedelsPoetryError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    outcomes = [one for one in outcomes if given.dataset in (None, one.dataset)]
    measured = {name: measure(found) for name, found in groups(outcomes).items()}
    unscored = sum(one.score is None for one in outcomes)
    sides = {"decided": False, "unknown": True} if given.fit else {}
    fitted = {side: fit(outcomes, unknown) for side, unknown in sides.items()}
    if given.json:
        factors = {side: {name: asdict(one) for name, one in found.items()} for side, found in fitted.items()}
        figures = {name: asdict(found) for name, found in measured.items()}
        print(json.dumps({"unscored": unscored, **figures, **({"factors": factors} if given.fit else {})}))
        return 0
    for name, found in measured.items():
        print("\n".join(lines(name, found)))
    for side, factors_of in fitted.items():
        for name, one in factors_of.items():
            print(f"factor, {side}: {name:<32} {one.answers:>5} answers  now {one.now:6.2f}  fitted {one.fitted:6.2f}")
    print(f"{unscored} of {len(outcomes)} outcomes have no score")
    return 0


if __name__ == "__main__":
    sys.exit(main())
