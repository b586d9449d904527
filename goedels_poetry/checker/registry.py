"""The checkers of one framework: ours by name, and those of plug-ins for languages of their own."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING

from goedels_poetry.checker.certificate.writing import Certificate
from goedels_poetry.checker.plugins import (
    BUILT_IN,
    CLAIMS,
    TESTING,
    Checker,
    Registered,
    Submission,
    by_plugin,
    registered,
)
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict

if TYPE_CHECKING:
    from goedels_poetry.settings.declared import LeanSettings

when_asked: ContextVar[Callable[[], None] | None] = ContextVar("when_asked", default=None)
"""Is called when a run hands in what it found: its search is over, and the checker at work in processes of its own."""


class Checkers:
    """The checkers of one framework; each is made when it is first asked, and closed by `aclose`."""

    def __init__(self, lean: LeanSettings | None = None) -> None:
        """``lean``: which Lean is asked; what the settings say by default."""
        self._lean = lean
        self._open: dict[str, Checker] = {}

    @cached_property
    def _registered(self) -> Registered:
        return registered()

    @property
    def problems(self) -> tuple[str, ...]:
        """One line for each checker of a plug-in that was left out."""
        return self._registered.problems

    def decides(self, language: str) -> bool:
        """Whether anybody may say ``proved`` about texts of this language."""
        return language in BUILT_IN or language in self._registered.plugins

    def tests(self, language: str) -> bool:
        """Whether its checker can say ``tested``."""
        return language in TESTING

    def plugin(self, language: str) -> str:
        """The package whose checker decides about a language; "" for ours, and where there is none."""
        found = self._registered.plugins.get(language)
        return found.package if found is not None else ""

    async def certify(self, submission: Submission) -> Certificate:
        """What the language's checker says.

        Raises:
            TimeoutError: it was not done within ``submission.seconds``.
            GoedelsPoetryError: the language has no checker, or it does not load.
        """
        language = submission.language
        if (call := when_asked.get()) is not None:
            call()
        if submission.verdict not in CLAIMS and not (submission.verdict is Verdict.TESTED and self.tests(language)):
            return Certificate(Verdict.UNKNOWN, reason=f"{submission.verdict} is nothing that a checker can show")
        found = await self._checker(language).certify(submission)
        return by_plugin(found, self.plugin(language)) if self.plugin(language) else found

    def _checker(self, language: str) -> Checker:
        if language not in self._open:
            plugin = self._registered.plugins.get(language)
            self._open[language] = plugin.load() if plugin is not None else _built_in(language, self._lean)
        return self._open[language]

    async def aclose(self) -> None:
        """Close every checker that was asked."""
        for checker in self._open.values():
            await checker.aclose()
        self._open.clear()


def _built_in(language: str, lean: LeanSettings | None) -> Checker:
    from goedels_poetry.checker.built_in import LeanChecker, LogicChecker, PythonChecker, SmtChecker

    match language:
        case "smt":
            return SmtChecker()
        case "lean":
            return LeanChecker(lean)
        case "logic":
            return LogicChecker()
        case "python":
            return PythonChecker()
    raise GoedelsPoetryError(f"no checker is registered for the language {language}")
