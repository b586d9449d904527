"""The proof of a certificate once more, for Lean: through the gate that any stranger's file goes through.

What it has to prove is written anew, from the theorem that the checker has read. So the level says: what is claimed
holds by the solvers, and Lean's kernel has accepted a proof of the same that no solver had a part in. Of a goal that is
refuted by a proof that is its negation, of premises that contradict each other it is `False`.
"""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import replace

from goedels_poetry.checker.certificate.archive import EVIDENCE, LEAN_PROOF, Archive, BadCertificate, read_canonical
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.lean.gate import Accepted, admit
from goedels_poetry.checker.lean.original import Refusal, read_original
from goedels_poetry.checker.lean.verify import FreshLean, fresh_lean, fresh_leans, within
from goedels_poetry.checker.smt.premise_theorems import split_evidence
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading import defining
from goedels_poetry.kernel.reading.certificate import derivation_from_json
from goedels_poetry.kernel.structure import claimed_formula
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.install import is_installed
from goedels_poetry.lean.runtime.opening import kind_in_use
from goedels_poetry.lean.statement.theory import QUESTION, translate
from goedels_poetry.lean.statement.vocabulary import GOAL, NotTranslatable
from goedels_poetry.settings.declared import Settings

SECONDS = 200.0
NO_LEAN = "proof.lean was not looked at, there is no Lean here: goedels-poetry lean install"
ACCEPTED = "Lean's kernel accepted the whole proof in proof.lean: {} declarations; {}"
LOWER = "the trust level stays {} all the same: what keeps it there is no matter of the proof"


def with_lean(
    report: CheckReport, archive: Archive, problem: Problem, until: float = math.inf, fresh: FreshLean | None = None
) -> CheckReport:
    """The report of a certificate that is accepted, with what Lean says to its proof.

    Args:
        until: on the monotonic clock; what is not done by then is a note, and costs the level L4 only.
        fresh: starts a Lean; by default that of the settings.

    Raises:
        BadCertificate: there cannot be such a proof of what the certificate claims.
    """
    if not report.accepted or archive.lean_proof is None:
        return report
    if archive.manifest["claim"] == "counterexample":
        raise BadCertificate(f"{LEAN_PROOF} stands only in the certificate of a proof")
    try:
        # It may stand at the end, for who reads the file in a Lean of his own, and declares nothing; the gate lets no
        # command of the kind pass.
        text = archive.lean_proof.decode("utf-8").rstrip().removesuffix(QUESTION)
        reference = _reference(archive, problem)
    except (UnicodeDecodeError, NotTranslatable) as error:
        raise BadCertificate(f"{LEAN_PROOF} cannot prove this theorem: {error}") from error
    if fresh is None and not _is_there():
        return replace(report, notes=(*report.notes, NO_LEAN))
    seconds = min(SECONDS, until - time.monotonic())
    try:
        found = asyncio.run(_judged(text, reference, fresh or fresh_lean, seconds))
    except TimeoutError:
        return replace(report, notes=(*report.notes, f"{LEAN_PROOF}: Lean was not done within {seconds:.0f} s"))
    except InvalidInput as error:
        reason = f"{LEAN_PROOF}: Lean does not take what the theorem comes to: {error.message}"
        return replace(report, notes=(*report.notes, reason))
    except GoedelsPoetryError as error:
        return replace(report, notes=(*report.notes, f"{LEAN_PROOF} was not looked at: {error}"))
    return _told(report, found)


def _reference(archive: Archive, problem: Problem) -> str:
    """What is claimed, as a theorem in Lean that is left open; of the certificate only what its steps speak of and why
    recursion ends."""
    steps, problem = defining.split_evidence(read_canonical(archive.evidence, EVIDENCE), problem)
    steps, _ = split_evidence(steps, problem)
    derivation = derivation_from_json(steps, problem.signature)
    claimed = claimed_formula(problem, archive.manifest["claim"])
    return translate(replace(problem, goal=claimed), derivation).reference


def _is_there() -> bool:
    """Whether a Lean can be asked without fetching one first."""
    return kind_in_use(Settings().lean) == "native" or is_installed()


async def _judged(text: str, reference: str, fresh: FreshLean, seconds: float) -> Refusal | Accepted:
    async with within(seconds) as until, fresh_leans(fresh) as leans:
        original = await read_original(leans.elaborator, reference, until - time.monotonic())
        return await admit(leans, text, original, (GOAL,), until - time.monotonic())


def _told(report: CheckReport, found: Refusal | Accepted) -> CheckReport:
    if isinstance(found, Refusal):
        place = None if found.line is None else (found.line, (found.column or 0) + 1)
        reason = f"{LEAN_PROOF}: {found.rule}: {found.reason}"[:2_000]
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,), rule=found.rule, place=place)
    kernel = "so did a second kernel" if found.opinion.verdict == "accepted" else "a second kernel did not decide"
    notes = (*report.notes, ACCEPTED.format(found.replayed, kernel))
    level = report.trust_level
    if level is None or level < TrustLevel.NOT_VACUOUS:
        return replace(report, notes=(*notes, LOWER.format(level)))
    return replace(report, trust_level=TrustLevel.STEP_BY_STEP, notes=notes)
