"""`GoedelsPoetryFramework`: build, run, resume and look at runs. What the command line and users call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from goedels_poetry.languages.base import Language
from goedels_poetry.results import Event, RunResult, RunSummary
from goedels_poetry.settings import Settings
from goedels_poetry.store import ProofStore


class GoedelsPoetryFramework:
    """Proves theorems; keeps every run durable under ``settings.data_dir``.

    Several ``arun`` may be awaited at once on one framework and one event loop (they share the language's
    solver pool); the synchronous twins make a loop of their own.

    Args:
        settings: defaults, configuration file and environment when None.
        language: an instance to use for every run instead of the one found by name; closed by ``aclose``.
    """

    def __init__(self, settings: Settings | None = None, *, language: Language | None = None) -> None:
        raise NotImplementedError

    async def arun(
        self,
        source: str,
        *,
        name: str | None = None,
        language: str | None = None,
        options: dict[str, Any] | None = None,
        fresh: bool = False,
        resume: bool = False,
        out: Path | None = None,
        on_event: Callable[[Event], None] | None = None,
    ) -> RunResult:
        """Prove one theorem.

        An unfinished run of the same theorem, language, options and seed goes on; a finished one is returned
        as it stands.

        Args:
            source: the theorem's text.
            name: what to call it in results; a file name also selects the language by its suffix.
            language: name of the proof language; needed when ``name`` has no known suffix.
            options: handed to the language, e.g. ``{"assume_definitions": True}``; part of the run's identity.
            fresh: begin a new run even if there is one.
            resume: fail with :class:`UnknownRun` when there is no run to go on with.
            out: directory for the certificate (default: inside the run's directory).
            on_event: called in the event loop after every commit; must not block.

        Raises:
            UnknownLanguage, UnknownRun, RunLocked. An invalid theorem is a result, not an exception.
        """
        raise NotImplementedError

    def run(self, source: str, **kwargs: Any) -> RunResult:
        """Synchronous :meth:`arun`. SIGINT and SIGTERM stop the run cleanly: verdict ``out_of_budget``, resumable."""
        raise NotImplementedError

    async def aresume(
        self, run_id: str, *, out: Path | None = None, on_event: Callable[[Event], None] | None = None
    ) -> RunResult:
        """Go on with a run, by its id or an unambiguous beginning of it. Current settings give the budgets."""
        raise NotImplementedError

    def resume(self, run_id: str, **kwargs: Any) -> RunResult:
        """Synchronous :meth:`aresume`."""
        raise NotImplementedError

    def astream(self, source: str, **kwargs: Any) -> AsyncIterator[Event | RunResult]:
        """Like :meth:`arun`, as a stream: every event as it is committed, then the result."""
        raise NotImplementedError

    def interrupt(self, reason: str = "interrupted") -> None:
        """Ask every run of this framework to stop at the next step boundary. Safe in a signal handler."""
        raise NotImplementedError

    def runs(self) -> list[RunSummary]:
        """Every run of the data directory, latest first."""
        raise NotImplementedError

    def result(self, run_id: str) -> RunResult:
        """The stored result of a run that has ended or stopped; raises :class:`UnknownRun`."""
        raise NotImplementedError

    def open_store(self, run_id: str) -> ProofStore:
        """A read-only view of a run's tree: ``nodes(as_of)``, ``events()``, ``history(node)``. Close it after use."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close every language and database that this framework opened."""
        raise NotImplementedError


__all__ = ["GoedelsPoetryFramework"]
