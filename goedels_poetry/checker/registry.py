"""Who decides about which language: our checkers by name, and those of plug-ins for languages of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from goedels_poetry.checker.report import Certificate, CheckReport, TrustLevel
from goedels_poetry.checker.submission import Checker, Submission
from goedels_poetry.errors import GoedelsPoetryError, one_line
from goedels_poetry.tree.state import Verdict

if TYPE_CHECKING:
    from goedels_poetry.settings import LeanSettings

GROUP = "goedels_poetry.checkers"
BUILT_IN = ("smt", "lean", "logic")
"""Languages whose proofs are checked by us, and by nobody else."""
CLAIMS = (Verdict.PROVED, Verdict.REFUTED, Verdict.INCONSISTENT)
"""What only a checker says."""
_LEVELS = tuple(str(level) for level in TrustLevel)


class CheckerPlugin(NamedTuple):
    """A checker that another package registers."""

    language: str
    package: str
    """Name and version of the package."""
    entry_point: EntryPoint

    def load(self) -> Checker:
        """A new instance.

        Raises:
            GoedelsPoetryError: it does not load, or is no checker.
        """
        try:
            made = self.entry_point.load()()
        except (Exception, SystemExit) as exc:  # foreign code may raise anything when it is imported
            raise GoedelsPoetryError(f"the checker of {self.package} does not load: {one_line(exc)}") from exc
        if not isinstance(made, Checker):
            raise GoedelsPoetryError(f"the checker of {self.package} lacks certify, check or aclose")
        return made


class Registered(NamedTuple):
    """The checkers of plug-ins by language, and one line for each that was left out."""

    plugins: dict[str, CheckerPlugin]
    problems: tuple[str, ...]


def registered() -> Registered:
    """The plug-ins' checkers. A language has one checker: nobody takes over ours, and of two neither decides."""
    found: dict[str, list[CheckerPlugin]] = {}
    for point in entry_points(group=GROUP):
        found.setdefault(point.name, []).append(CheckerPlugin(point.name, _package(point), point))
    plugins: dict[str, CheckerPlugin] = {}
    problems: list[str] = []
    for language, several in sorted(found.items()):
        names = ", ".join(sorted(plugin.package for plugin in several))
        if language in BUILT_IN:
            problems.append(f"checker of {names} left out: {language} is checked by goedels_poetry alone")
        elif len(several) > 1:
            problems.append(f"checkers left out: {names} all want to decide about {language}")
        else:
            plugins[language] = several[0]
    return Registered(plugins, tuple(problems))


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value


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
        if submission.verdict not in CLAIMS:
            return Certificate(Verdict.UNKNOWN, reason=f"{submission.verdict} is nothing that a checker can show")
        found = await self._checker(language).certify(submission)
        return _by_plugin(found, self.plugin(language)) if self.plugin(language) else found

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
    from goedels_poetry.checker.built_in import LeanChecker, LogicChecker, SmtChecker

    match language:
        case "smt":
            return SmtChecker()
        case "lean":
            return LeanChecker(lean)
        case "logic":
            return LogicChecker()
    raise GoedelsPoetryError(f"no checker is registered for the language {language}")


def _by_plugin(found: Certificate, package: str) -> Certificate:
    """A plug-in's answer under its name; a verdict without a level of ours, or a level without a verdict, is none."""
    if found.verdict in CLAIMS and found.trust_level not in _LEVELS:
        reason = f"{found.verdict} by the checker of {package}, but with no trust level"
        return Certificate(Verdict.UNKNOWN, reason=reason, warnings=tuple(found.warnings), checked_by=package)
    if found.verdict is Verdict.TESTED:
        return Certificate(Verdict.UNKNOWN, reason=f"the checker of {package} only tested it", checked_by=package)
    level = found.trust_level if found.verdict in CLAIMS else None
    return replace(found, verdict=Verdict(found.verdict), trust_level=level, checked_by=package)


def check_by_plugin(plugin: CheckerPlugin, path: Path, against: str | None) -> CheckReport:
    """The report of a plug-in's checker under its name; whatever it raises, nothing is shown."""
    try:
        found = plugin.load().check(path, against)
    except (Exception, SystemExit) as exc:  # noqa: BLE001  foreign code may raise anything
        return CheckReport(Verdict.UNKNOWN, reasons=(one_line(exc),), checked_by=plugin.package)
    if found.accepted != (found.verdict in CLAIMS):
        reason = f"{found.verdict} with the trust level {found.trust_level} is no answer"
        return CheckReport(Verdict.UNKNOWN, reasons=(reason,), checked_by=plugin.package)
    return replace(found, checked_by=plugin.package)


__all__ = ["BUILT_IN", "CLAIMS", "GROUP", "CheckerPlugin", "Checkers", "Registered", "check_by_plugin", "registered"]
