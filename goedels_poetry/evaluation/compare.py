"""Two runs over the same questions, and pass@k over several samples of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.evaluation.metrics import Share, by_dataset, share
from goedels_poetry.evaluation.outcome import Outcome
from goedels_poetry.evaluation.questions import BadData
from goedels_poetry.evaluation.statistics import mcnemar, mean, pass_at_k, wilson


@dataclass(frozen=True, slots=True)
class Comparison:
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
        """JSON values only."""
        return {
            "pairs": self.pairs,
            "first": self.first.to_json(),
            "second": self.second.to_json(),
            "difference": round(self.difference, 4),
            "only_first": list(self.only_first),
            "only_second": list(self.only_second),
            "p": self.p,
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs, over all and by data set."""

    overall: Comparison
    datasets: dict[str, Comparison]
    unmatched: tuple[int, int]
    """Questions that only one of the two has; they are in no figure."""

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {
            "overall": self.overall.to_json(),
            "datasets": {name: each.to_json() for name, each in self.datasets.items()},
            "unmatched": list(self.unmatched),
        }


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
class PassAt:
    """Of n samples of each item: how likely one of k is right."""

    items: int
    samples: tuple[int, int]
    """Fewest and most samples that an item has."""
    solved: int
    """Items with at least one right sample."""
    at: dict[int, Share | None]
    """Mean over the items by k; None where an item has fewer than k samples, so that it cannot be estimated.

    The interval is Wilson's for so many items with this mean, which is never too narrow."""

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        at = {str(k): None if found is None else found.to_json() for k, found in self.at.items()}
        return {"items": self.items, "samples": list(self.samples), "solved": self.solved, "at": at}


def pass_at(outcomes: Iterable[Outcome], ks: Sequence[int]) -> PassAt:
    """pass@k by the unbiased estimator, averaged over the items.

    Raises:
        BadData: there are no outcomes.
    """
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
