"""Language models by role: ask, schedule, cache, record and replay, account. Never the accepting gate.

Who calls whom:

* `client` has `Models`: a question (`requests`) to the model of a role. It fills in a prompt (`prompts`), looks into
  recording (`record`) and cache (`cache`), asks the server, reads the answer (`replies`) and charges it (`accounting`).
* `endpoint` is one model on one server, asked by `chat` over `http`; what goes wrong is told in one line by `faults`.
* `schedule` says how attempts differ: more samples, more heat.
* `reachability` is for the doctor: what is configured, and whether it answers.
"""

from __future__ import annotations

from goedels_poetry.models.accounting import Ledger, Price, PriceError, Prices, SharedBudget
from goedels_poetry.models.cache import Asked, CacheStats, ExecutorCache
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.prompts import PromptError, Prompts, Template
from goedels_poetry.models.record import Recording, RecordingError
from goedels_poetry.models.replies import (
    Block,
    UnusableReply,
    blocks,
    code,
    json_objects,
    parse_json_reply,
    without_thinking,
)
from goedels_poetry.models.requests import ROLES, Reply, Request, Usage
from goedels_poetry.models.schedule import RetryConfig, Step

__all__ = [
    "ROLES",
    "Asked",
    "Block",
    "CacheStats",
    "ExecutorCache",
    "Ledger",
    "Models",
    "Price",
    "PriceError",
    "Prices",
    "PromptError",
    "Prompts",
    "Recording",
    "RecordingError",
    "Reply",
    "Request",
    "RetryConfig",
    "SharedBudget",
    "Step",
    "Template",
    "UnusableReply",
    "Usage",
    "blocks",
    "code",
    "json_objects",
    "models_from",
    "parse_json_reply",
    "without_thinking",
]
