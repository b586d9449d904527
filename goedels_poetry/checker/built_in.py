"""Our own checkers, as a run asks them: what a language assembled becomes a certificate, or a reason why not.

Glue, not trusted: the verdict is that of `check_certificate`, of the gate for Lean, of `checker.logic`.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from goedels_poetry.checker.by_language import check_any
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import Certificate
from goedels_poetry.checker.plugins import Json, Submission
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.cvc5_process import CHILD as CVC5_CHILD
from goedels_poetry.solvers.worker_pool import JobTimeout, WorkerPool

if TYPE_CHECKING:  # a theorem in another language must not wait for Lean's modules
    from goedels_poetry.lean.runtime.pool import LeanPool
    from goedels_poetry.settings.declared import LeanSettings

SMT_SECONDS = 3600.0
LOGIC_SECONDS = 120.0
LEAN_SECONDS = 300.0
MEMORY_MB = 4096


class _InWorkers:
    """What checkers have in common whose work is a job in a worker process of their own, which no search has used."""

    module: str
    """What the worker loads."""
    children: tuple[str, ...] = (CVC5_CHILD,)
    """What its own processes load."""

    def __init__(self) -> None:
        self._pool = WorkerPool(modules=(self.module, *self.children))

    async def _run(self, function: str, payload: Json, seconds: float | None, most: float) -> Certificate:
        limit = most if seconds is None else min(seconds, most)
        try:
            found = await self._pool.run(function, payload | {"total_seconds": limit}, limit, MEMORY_MB)
        except JobTimeout as error:
            raise TimeoutError(f"the checker had not finished after {limit:.3g} s") from error
        return Certificate(
            Verdict(found["verdict"]),
            Path(found["path"]) if found["path"] else None,
            found["trust_level"],
            found["reason"],
            tuple(found["warnings"]),
            found["details"],
        )

    def check(self, path: Path, against: str | None) -> CheckReport:
        """See `Checker.check`."""
        return check_any(path, against)

    async def aclose(self) -> None:
        """See `Checker.aclose`."""
        await self._pool.aclose()


class SmtChecker(_InWorkers):
    """``derivation``: the machine's steps; for other verdicts ``refuted_by`` and ``evidence``."""

    module = "goedels_poetry.checker.smt.jobs"

    async def certify(self, submission: Submission) -> Certificate:
        """See `Checker.certify`."""
        options, evidence = submission.options, submission.evidence
        payload: Json = {
            "theorem": submission.text,
            "directory": str(submission.directory),
            "info": submission.info,
            "seed": options.get("seed", 0),
            "assume_definitions": options.get("assume_definitions", False),
        }
        if submission.verdict is Verdict.PROVED:
            job, payload["derivation"] = "certify", evidence["derivation"]
        else:
            job, payload["verdict"] = "certify_judgement", str(submission.verdict)
            payload |= {key: evidence[key] for key in ("refuted_by", "evidence") if key in evidence}
        return await self._run(f"goedels_poetry.checker.smt.jobs:{job}", payload, submission.seconds, SMT_SECONDS)


class LogicChecker(_InWorkers):
    """The program is decided anew; ``choice``: the goal of several that alone follows, or nothing."""

    module = "goedels_poetry.checker.logic.jobs"

    async def certify(self, submission: Submission) -> Certificate:
        """See `Checker.certify`."""
        from goedels_poetry.questions.language import settled  # no other language waits for its modules

        payload = {
            "text": submission.text,
            "options": settled(submission.text, submission.options),
            "claim": str(submission.verdict),
            "choice": str(submission.evidence.get("choice") or ""),
            "directory": str(submission.directory),
            "info": submission.info,
        }
        return await self._run(f"{self.module}:certify", payload, submission.seconds, LOGIC_SECONDS)


class PythonChecker(_InWorkers):
    """``derivation`` of the translation; ``counterexample``: arguments; ``checks``: what passed."""

    module = "goedels_poetry.checker.python.certify"
    children = (CVC5_CHILD, "goedels_poetry.checker.python.cross_check")

    async def certify(self, submission: Submission) -> Certificate:
        """See `Checker.certify`."""
        payload: Json = {
            "source": submission.text,
            "function": str(submission.options.get("theorem") or ""),
            "claim": str(submission.verdict),
            "evidence": submission.evidence,
            "directory": str(submission.directory),
            "info": submission.info,
            "seed": submission.options.get("seed", 0),
        }
        return await self._run(f"{self.module}:certify", payload, submission.seconds, SMT_SECONDS)


class LeanChecker:
    """``file``: the whole text of a proof; ``proof``: what proves the negation, the text after ``:=``."""

    def __init__(self, settings: LeanSettings | None = None) -> None:
        """``settings``: which Lean is asked; those of the environment by default."""
        self._settings = settings

    async def certify(self, submission: Submission) -> Certificate:
        """See `Checker.certify`."""
        seconds = LEAN_SECONDS if submission.seconds is None else submission.seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._certify(submission, time.monotonic() + seconds)
        except TimeoutError as error:
            raise TimeoutError(f"the check was not done within {seconds:g} s") from error

    async def _certify(self, submission: Submission, until: float) -> Certificate:
        """The theorem is read anew, by a Lean that has seen nothing else: what the search took it for plays no part."""
        from goedels_poetry.checker.lean.certify import certify_negation, certify_proof, elaborator_at_hand
        from goedels_poetry.lean.runtime.protocol import ReplayRequest
        from goedels_poetry.lean.text.source import read_target

        elaborator = elaborator_at_hand(submission.text, self._settings)
        unused = [await asyncio.to_thread(self._open) for _ in range(2 if elaborator is None else 1)]
        warming = asyncio.ensure_future(unused[0].replay(ReplayRequest(("Init",), "")))  # while the other one reads

        def fresh() -> LeanPool:
            return unused.pop() if unused else self._open()

        try:
            named = str(submission.options.get("theorem") or "")
            target = await read_target(unused[-1], submission.text, named, advice=False)  # the search has given it
            left = until - time.monotonic()
            where, info = submission.directory, submission.info
            if submission.verdict is Verdict.PROVED:
                text = str(submission.evidence["file"])
                return await certify_proof(fresh, target, text, where, info, left, elaborator)
            proof = str(submission.evidence["proof"])
            return await certify_negation(fresh, target, proof, where, info, left, elaborator)
        except InvalidInput as error:
            return Certificate(Verdict.UNKNOWN, reason=f"the original is not valid: {error}")
        finally:
            warming.cancel()
            for pool in unused:
                await pool.aclose()
            await asyncio.gather(warming, return_exceptions=True)

    def _open(self) -> LeanPool:
        """A Lean of which nothing has been asked."""
        from goedels_poetry.checker.lean.verify import fresh_lean

        return fresh_lean(self._settings)

    def check(self, path: Path, against: str | None) -> CheckReport:
        """See `Checker.check`."""
        return check_any(path, against)

    async def aclose(self) -> None:
        """See `Checker.aclose`: every check closes what it has started."""
