"""`ExecutorCache`: the house's caches under the names of an executor that compiles, generates and validates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.models import cache


class ExecutorCache(cache.ExecutorCache):
    """Compilations, generations, validations; see :class:`goedels_poetry.models.cache.ExecutorCache`. Values are JSON.

    Args:
        max_compile_cache, max_generation_cache, max_validation_cache: entries kept in memory.
        path: SQLite file that several processes may share; None: in memory only.
    """

    def __init__(
        self,
        max_compile_cache: int = 1000,
        max_generation_cache: int = 1000,
        max_validation_cache: int = 500,
        *,
        path: Path | None = None,
    ) -> None:
        super().__init__(
            path,
            max_generation=max_generation_cache,
            max_verification=max_compile_cache,
            max_validation=max_validation_cache,
        )

    def get_compile_result(self, lean_code: str) -> Any | None:
        """What is kept for this very code, or None."""
        return self.get("verification", {"code": lean_code})

    def cache_compile_result(self, lean_code: str, result: Any) -> None:
        """Keep the result of compiling a code."""
        self.put("verification", {"code": lean_code}, result)

    def get_generation_result(self, prompt: str, **params: Any) -> Any | None:
        """What is kept for this prompt with these parameters of the model, or None."""
        return self.get("generation", {"prompt": prompt, "params": params})

    def cache_generation_result(self, prompt: str, result: Any, **params: Any) -> None:
        """Keep what a model has written."""
        self.put("generation", {"prompt": prompt, "params": params}, result)

    def get_validation_result(self, lean_code: str) -> Any | None:
        """What is kept about the validity of this very code, or None."""
        return self.get("validation", {"code": lean_code})

    def cache_validation_result(self, lean_code: str, result: Any) -> None:
        """Keep whether a code is valid, and its errors."""
        self.put("validation", {"code": lean_code}, result)

    def get_cache_info(self) -> dict[str, Any]:
        """Hits, misses and hit rates (0 to 1), compilations under ``compile_*``."""
        return cache_info(self.info())


def cache_info(info: Mapping[str, Any]) -> dict[str, Any]:
    """Counters of the house's cache, with compilations under the name that executors know them by."""
    return {name.replace("verification_", "compile_"): value for name, value in info.items()}
