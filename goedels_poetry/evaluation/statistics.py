"""Formulas: intervals, a test for paired results, pass@k, quantiles. Each with its source."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
    term = tail = 1  # C(n, 0), then C(n, k+1) = C(n, k)·(n-k)/(k+1): exact in whole numbers
    for k in range(min(only_first, only_second)):
        term = term * (differing - k) // (k + 1)
        tail += term
    return min(1.0, float(2 * tail / 2**differing))


def pass_at_k(samples: int, correct: int, k: int) -> float:
    """The unbiased estimate of the chance that at least one of k samples is correct (Chen et al. 2021).

    ``1 - C(n-c, k) / C(n, k)``, computed as a product, so that no large number ever arises.

    Raises:
        ValueError: k is not between 1 and ``samples``, or ``correct`` not between 0 and ``samples``.
    """
    if not 1 <= k <= samples or not 0 <= correct <= samples:
        raise ValueError(f"pass@{k} cannot be estimated from {correct} correct ones of {samples} samples")
    if samples - correct < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(samples - correct + 1, samples + 1))


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def quantile(values: Sequence[float], q: float) -> float:
    """The q-quantile, interpolated between neighbours (type 7, the default of R and NumPy); 0 of nothing."""
    if not values:
        return 0.0
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (at - below)
