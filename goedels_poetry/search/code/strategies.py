"""The strategy of a candidate, taken from its syntax tree; which strategies are not allowed on a task, and why."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.fingerprint.ban import STRATEGIES, Fingerprint, parse_ban
from goedels_poetry.python.fingerprint.classify import fingerprint
from goedels_poetry.search.tasks.code import CodeTask

BY_TASK = "the task does not want it"
RECURSION = "recursion"


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A strategy that must not be used on this task, and the evidence."""

    strategy: str
    why: str = BY_TASK
    failures: int = 0

    @property
    def text(self) -> str:
        """The strategy so that nothing else is meant: with plain recursion no memoised one is banned."""
        return "recursion and not memoisation" if self.failures and self.strategy == RECURSION else self.strategy

    @property
    def words(self) -> str:
        """For a prompt, in one line."""
        often = f"failed {self.failures} times, last because " if self.failures else ""
        return f"- {self.text}: {often}{self.why}"


def strategy_of(source: str, function: str) -> Fingerprint | None:
    """The fingerprint of a candidate; None where none can be taken."""
    try:
        return fingerprint(source, function)
    except (InvalidInput, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def known_strategy(candidate: Mapping[str, Any]) -> Fingerprint | None:
    """The fingerprint of a candidate, as it is stored with it."""
    if not candidate["strategy"]:
        return None
    return Fingerprint(str(candidate["strategy"]), frozenset(candidate["tags"]))


def candidate_of(function: str, task: CodeTask, by: str) -> dict[str, Any]:
    """A candidate as the store keeps it: ``{"source": the module that is tested, "by", "strategy", ...}``."""
    source = task.whole(function)
    found = strategy_of(source, task.function)
    return {
        "source": source,
        "by": by,
        "strategy": found.strategy if found is not None else "",
        "fingerprint": found.text if found is not None else "",
        "tags": sorted(found.tags) if found is not None else [],
        "digest": digest_of(source),
    }


def digest_of(source: str) -> str:
    """Equal for candidates that differ in layout, comments and docstrings alone."""
    try:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and _has_words(
                node
            ):
                node.body = node.body[1:]
        told = ast.dump(tree, annotate_fields=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        told = source
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _has_words(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def forbidden_strategies(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> tuple[Forbidden, ...]:
    """What the task itself does not want, then what failed twice; ``bans`` as the store has them."""
    failed = (Forbidden(text, str(ban["reason"]), int(ban["failures"])) for text, ban in bans.items())
    return (*map(Forbidden, task.bans), *failed)


def why_banned(found: Fingerprint | None, forbidden: Iterable[Forbidden]) -> str:
    """The ban that a candidate falls under, in one line; "" for none."""
    if found is None:  # else a ban could be passed by in a program too entangled to be read
        return "its strategy cannot be told from its text, and some are banned here" if any(forbidden) else ""
    for each in forbidden:
        if each.strategy == found.text or (not each.failures and parse_ban(each.strategy).matches(found)):
            return f"the strategy {found.text} is banned here ({each.text}: {each.why})"
    return ""


def left_of(forbidden: Iterable[Forbidden]) -> list[str]:
    """The primary strategies that no ban covers, in the order in which they are listed."""
    bans = [parse_ban(each.text) for each in forbidden]
    return [name for name in STRATEGIES if not any(ban.matches(Fingerprint(name, frozenset())) for ban in bans)]


def all_banned(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether nothing is left to try: each of the primary strategies is banned in some form."""
    failed = {str(ban["strategy"]) for ban in bans.values()}
    unwanted = [parse_ban(text) for text in task.bans]
    return all(
        name in failed or any(ban.matches(Fingerprint(name, frozenset())) for ban in unwanted) for name in STRATEGIES
    )
