"""What stands beside the log on a run's page: its result, the proof as text, and why goals are open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from goedels_poetry.trace.explain import explain
from goedels_poetry.trace.methods import worded_points
from goedels_poetry.trace.proof_text import proof_text
from goedels_poetry.trace.wording import worded
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.runs import RunDir
from goedels_poetry.tree.state import NodeStatus, ProofNode
from goedels_poetry.tree.store.reads import StoreReader

MOST_EXPLAINED = 60
"""Open goals that are explained; a page with thousands of them is read by none."""
MAX_FILE = 200_000
"""Characters shown of one file of a certificate."""
MOST_FILES = 8
_SHOWN = (".lean", ".py", ".smt2", ".json", ".txt")
"""Files of a certificate that are text, the likeliest to be read first."""
_FORMULAE = ("what", "left", "statement")
"""Parts of trials and explanations that may be a text of the language."""


def result_of(directory: Path) -> RunResult | None:
    """The result that the run had when it last ended or stopped; None while it goes on for the first time."""
    return RunDir(directory).result()


def proof_files(result: RunResult | None, statement: str) -> list[dict[str, Any]]:
    """The finished proof for reading, then the files of its certificate: ``{"name", "kind", "text"}``."""
    if result is None or result.certificate is None:
        return []
    outline = proof_text(result, statement)
    found = [{"name": outline.of, "kind": outline.kind, "text": _bounded(outline.text)}] if outline else []
    for path in list(_texts(result.certificate))[:MOST_FILES]:
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                text = _bounded(file.read(MAX_FILE + 1), path.stat().st_size)
        except OSError:
            continue  # gone in the meantime: the page has one file less
        name = path.relative_to(result.certificate).as_posix()
        found.append({"name": name, "kind": path.suffix.removeprefix("."), "text": text})
    return found


def _texts(certificate: Path) -> Iterator[Path]:
    """Regular files of a certificate that are to be shown; links are not followed."""
    files = [
        path
        for path in sorted(certificate.rglob("*"))
        if path.suffix in _SHOWN and path.is_file() and not path.is_symlink()
    ]
    yield from sorted(files, key=lambda path: _SHOWN.index(path.suffix))


def _bounded(text: str, size: int | None = None) -> str:
    total = len(text) if size is None else max(size, len(text))
    return text if len(text) <= MAX_FILE else f"{text[:MAX_FILE]}\n… cut here, of {total} characters"


def explanations(store: StoreReader, nodes: Iterable[ProofNode]) -> dict[str, Any]:
    """What was tried on open goals without open subgoals, how near it came and what would help, by node."""
    waiting = [node for node in nodes if node.status is not NodeStatus.PROVED and not node.pending]
    found: dict[str, Any] = {}
    for node in waiting[:MOST_EXPLAINED]:
        with suppress(ValueError, KeyError, TypeError):  # trials of another version: the rest of the page is as good
            found[node.id] = in_words(explain(store, node).to_json(), node.language)
    return found


def in_words(value: Any, language: str = "") -> Any:
    """The value with formulae of trials as people write them."""
    if isinstance(value, list):
        return [in_words(item, language) for item in value]
    if isinstance(value, dict):
        return {name: _part_in_words(value, name, item, language) for name, item in value.items()}
    return value


def _part_in_words(trial: dict[str, Any], name: str, part: Any, language: str) -> Any:
    if name in _FORMULAE and isinstance(part, str):
        return worded_points(str(trial.get("strategy", "")), worded(part, language), language)
    return in_words(part, language)
