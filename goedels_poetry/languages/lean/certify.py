"""The way to the checker, which stands above the languages: found by its name, as no import leads up to it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from goedels_poetry.languages.base import Certificate
from goedels_poetry.languages.lean.runtime import LeanPool
from goedels_poetry.languages.lean.source import Target

CHECKER = "goedels_poetry.checker.lean"


async def certify_proof(
    fresh: Callable[[], LeanPool],
    target: Target,
    text: str,
    directory: Path,
    info: Mapping[str, Any],
    seconds: float | None = None,
) -> Certificate:
    """The checker's verdict on a whole file as a proof of the target; ``fresh`` starts a Lean of its own for it."""
    checker = importlib.import_module(CHECKER)
    return cast(Certificate, await checker.certify_proof(fresh, target, text, directory, info, seconds))


async def certify_negation(
    fresh: Callable[[], LeanPool],
    target: Target,
    proof: str,
    directory: Path,
    info: Mapping[str, Any],
    seconds: float | None = None,
) -> Certificate:
    """The checker's verdict on ``proof`` (the text after ``:=``) as a proof that the target is false."""
    checker = importlib.import_module(CHECKER)
    return cast(Certificate, await checker.certify_negation(fresh, target, proof, directory, info, seconds))


__all__ = ["certify_negation", "certify_proof"]
