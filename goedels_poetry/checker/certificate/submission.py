"""What a run hands to a checker, and what a checker is: the Protocol behind which each language's one stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from goedels_poetry.checker.certificate.report import Certificate, CheckReport
from goedels_poetry.kernel.verdict import Verdict

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
