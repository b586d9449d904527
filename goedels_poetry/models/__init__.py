"""Language models by role: ask, schedule, cache, record and replay, account. Never the accepting gate."""

from __future__ import annotations

from goedels_poetry.models.accounting import Ledger, Price, PriceError, Prices
from goedels_poetry.models.cache import CacheStats, ExecutorCache
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.prompts import PromptError, Prompts, Template
from goedels_poetry.models.record import RecordingError
from goedels_poetry.models.replies import Block, UnusableReply, blocks, code, parse_json_reply, without_thinking
from goedels_poetry.models.requests import ROLES, Reply, Request, Usage
from goedels_poetry.models.schedule import RetryConfig, Step

__all__ = [
    "ROLES",
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
    "RecordingError",
    "Reply",
    "Request",
    "RetryConfig",
    "Step",
    "Template",
    "UnusableReply",
    "Usage",
    "blocks",
    "code",
    "models_from",
    "parse_json_reply",
    "without_thinking",
]
