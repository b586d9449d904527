"""What a run hands to a checker, what a checker is, and those of other packages: each for a language of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.certificate.writing import Certificate
from goedels_poetry.errors import GoedelsPoetryError, one_line
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.plugins import declared, foreign_code

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Submission:
    """A verdict that is claimed for a text, and what the language assembled for it; nothing of it is believed yet."""

    language: str
    verdict: Verdict
    """``proved``, ``refuted`` or ``inconsistent``."""
    text: str
    """The user's own text, or the formal text of a claim; never what a language says that it is."""
    options: Json
    """As the user gave them."""
    evidence: Json
    """See `Language.assemble` and `Language.assemble_answer`."""
    directory: Path
    """Where the certificate is to lie: written under another name, then renamed."""
    info: Json
    """For readers of the certificate; no verdict rests on it."""
    seconds: float | None = None
    """Wall time for all of it; None: the checker's own limit."""


@runtime_checkable
class Checker(Protocol):
    """Decides about the proofs of one language, from their text. Called without arguments when it is first needed.

    A package registers one for a language of its own with an entry point of the group ``goedels_poetry.checkers`` whose
    name is the language's.
    """

    async def certify(self, submission: Submission) -> Certificate:
        """Write a certificate, check it from nothing, and keep it only where it is accepted.

        Raises:
            TimeoutError: it took longer than ``submission.seconds``. Whatever else it raises, too, leaves the run
                resumable and nothing proved.
        """
        ...

    def check(self, path: Path, against: str | None) -> CheckReport:
        """Check the certificate in a folder whose ``manifest.json`` names the language.

        Args:
            path: the folder.
            against: the text that it has to be about; None accepts the one inside it.
        """
        ...

    async def aclose(self) -> None:
        """Kill every process that this checker started. Safe to call twice."""
        ...


if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "goedels_poetry.checkers"
BUILT_IN = ("smt", "lean", "logic", "python")
"""Languages whose proofs are checked by us, and by nobody else."""
CLAIMS = (Verdict.PROVED, Verdict.REFUTED, Verdict.INCONSISTENT)
"""What only a checker says."""
TESTING = frozenset({"python"})
"""Languages whose checker can also say ``tested``: it runs the checks anew."""
_LEVELS = tuple(str(level) for level in TrustLevel if level < TrustLevel.STEP_BY_STEP)
"""What a checker of somebody else may say of its own."""


class CheckerPlugin(NamedTuple):
    """A checker that another package registers."""

    language: str
    package: str
    """Name and version of the package."""
    entry_point: EntryPoint

    def load(self) -> Checker:
        """A new instance. Raises GoedelsPoetryError: it does not load, or is no checker."""
        try:
            with foreign_code():
                made = self.entry_point.load()()
        except Exception as exc:  # foreign code may raise anything when it is imported
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
    for point in declared(GROUP):
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


def by_plugin(found: Certificate, package: str) -> Certificate:
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
        checker = plugin.load()
        with foreign_code():
            found = checker.check(path, against)
            if not isinstance(found, CheckReport):
                raise TypeError(f"check has to return a CheckReport, not {type(found).__name__}")
    except Exception as exc:  # noqa: BLE001  foreign code may raise anything
        return CheckReport(Verdict.UNKNOWN, reasons=(one_line(exc),), checked_by=plugin.package)
    if found.accepted != (found.verdict in CLAIMS):
        reason = f"{found.verdict} with the trust level {found.trust_level} is no answer"
        return CheckReport(Verdict.UNKNOWN, reasons=(reason,), checked_by=plugin.package)
    return replace(found, checked_by=plugin.package)
