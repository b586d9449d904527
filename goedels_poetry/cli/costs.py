"""What a run's language models cost, in lines for people: in all, by role, by goal, and what the caches saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goedels_poetry.tree.derivation import model_metrics

Spent = Mapping[str, float]

_KINDS = {"generation": "replies", "verification": "verdicts", "validation": "readings"}
"""The kinds of caches, and what each of them keeps."""


def model_lines(models: Mapping[str, Any]) -> list[str]:
    """The lines of a run, see `model_metrics`: the sum, one line for each role, one for the caches; [] without any."""
    if not models.get("calls") and not models.get("replies"):
        return []
    lines = [f"models: {_amounts(models)}"]
    lines += [f"  {role}: {_amounts(spent)}" for role, spent in sorted(models.get("by_role", {}).items())]
    kept = models.get("cache") or {}
    found = [rate for kind, name in _KINDS.items() if (rate := _rate(kept, kind, name))]
    return [*lines, *([f"caches: {', '.join(found)}"] if found else [])]


def goal_line(cost: Spent) -> str:
    """What the models cost for one goal; "" when none was asked."""
    models = model_metrics(cost)
    return f"models: {_amounts(models)}" if models.get("calls") or models.get("replies") else ""


def _amounts(spent: Spent) -> str:
    def count(name: str) -> int:
        return int(spent.get(name, 0))

    cached = f" ({count('tokens_cached'):,} cached)" if count("tokens_cached") else ""
    parts = [
        f"{count('calls'):,} calls",
        f"{count('tokens_in'):,} tokens in{cached}",
        f"{count('tokens_out'):,} out",
        f"${spent.get('money', 0):.4f}",
        f"{spent.get('latency', 0):.1f} s waited",
    ]
    if count("replies_from_cache"):
        parts.append(f"{count('replies_from_cache'):,} replies from the cache")
    if count("faults"):
        parts.append(f"{count('faults'):,} replies of no use")
    return ", ".join(parts)


def _rate(kept: Mapping[str, float], kind: str, name: str) -> str:
    hits, misses = int(kept.get(f"{kind}_hits", 0)), int(kept.get(f"{kind}_misses", 0))
    return f"{hits} of {hits + misses} {name} found ({hits / (hits + misses):.0%})" if hits + misses else ""
