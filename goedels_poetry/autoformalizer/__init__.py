"""English to checked formal text: the executor, its data and its policies. The state machine does the work.

The public names are imported on first use: data sets are read without the machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.autoformalizer.executor import (
        AutoformalizationExecutor,
        BadItems,
        BeamSearchExecutor,
        CandidateLean,
        Item,
        RetryPolicyExecutor,
        Summary,
        autoformalize_all,
        autoformalize_item,
        load_items,
        read_item,
        summarize,
    )
    from goedels_poetry.autoformalizer.outcome import AttemptError, AutoformalizationResult
    from goedels_poetry.models.cache import ExecutorCache
    from goedels_poetry.models.requests import RetryConfig

__all__ = [
    "AttemptError",
    "AutoformalizationExecutor",
    "AutoformalizationResult",
    "BadItems",
    "BeamSearchExecutor",
    "CandidateLean",
    "ExecutorCache",
    "Item",
    "RetryConfig",
    "RetryPolicyExecutor",
    "Summary",
    "autoformalize_all",
    "autoformalize_item",
    "load_items",
    "read_item",
    "summarize",
]

__getattr__, __dir__ = on_first_use(__name__)
