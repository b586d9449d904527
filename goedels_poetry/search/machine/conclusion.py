"""The end of a run: what the search came to, what the checker says about it, and the result that both make."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry.checker.certificate.report import Certificate
from goedels_poetry.checker.certificate.submission import Submission
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.errors import is_passing, one_line
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import AWAY
from goedels_poetry.protocol.base import Incomplete
from goedels_poetry.search.agents.deps import DOUBT, FAULT, Fault
from goedels_poetry.search.machine.graph import CANNOT_GO_ON
from goedels_poetry.search.machine.session import RunSession, Subject
from goedels_poetry.search.memory.tried import TRIALS, UNDER_WAY, Unfinished, unfinished_on, why_unproved
from goedels_poetry.search.tasks.base import Statement, Stop
from goedels_poetry.store.derivation import derivation, metrics, open_goals, why_not
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.store.txn import Txn

CHECK_GRACE = 1.5
"""Seconds that the checker gets beyond what the search has left of its wall time: a proof found just in time counts."""
CHECKED = (*CLAIMS, Verdict.TESTED)
"""Verdicts that no agent, language or file of a run may give."""
NOT_FINAL = (Verdict.UNKNOWN, Verdict.TESTED)
"""Verdicts that a model which could not be asked might have changed."""
NOT_ASKED = "a model could not be asked, so this is not kept as the answer: the same command asks it again"
NO_CHECKER = "the language {} claims {}; no checker is registered for it"
NOT_ACCEPTED = "every goal was proved, but the checker did not accept the whole proof"


class Concluded(NamedTuple):
    """The end of a run."""

    result: RunResult
    retry: bool
    """Whether resuming may mend the result although its verdict is final."""
    unanswered: bool
    """Whether nothing was decided, and a model could not be asked: the same may be decided when it can."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a search came to, before the checker has seen it."""

    verdict: Verdict
    reason: str
    detail: dict[str, Any]
    """Evidence, as the agent that found it put it: ``counterexample``, ``core``, ``result``."""


class Conclusion:
    """From the end of a run's search to its result."""

    def __init__(
        self, session: RunSession, subject: Subject, options: dict[str, Any], statement: Statement, out: Path | None
    ) -> None:
        """``options``: as they were given, whatever agents did to theirs; ``out``: directory for the certificate."""
        self._session = session
        self._subject = subject
        self._options = options
        self._statement = statement
        self._directory = out or session.place.path / "certificate"

    async def of(self, stop: Stop) -> Concluded:
        """The result."""
        session, store = self._session, self._session.store
        await self._keep_trials()
        nodes = await store.on_own_thread(store.nodes)
        numbers = await store.on_own_thread(metrics, store, nodes)
        self._tell_of_models(numbers)
        finding = await store.on_own_thread(self._finding, stop, nodes)
        unanswered = finding.verdict in NOT_FINAL and bool(store.spent().get(AWAY))
        if unanswered:
            finding = replace(finding, reason="; ".join(filter(None, (finding.reason, NOT_ASKED))))
        finding = self._or_tested(finding)
        certificate, retry = Certificate(finding.verdict, reason=finding.reason, details=finding.detail), False
        if finding.verdict in CHECKED:
            seconds = self._check_seconds(numbers)
            certificate, retry = await self._checked(finding, seconds)
        await store.on_thread(self._tell_faults)
        if certificate.verdict not in CHECKED:
            await store.on_thread(self._tell_doubts)
        result = self._merged(finding, certificate)
        result = replace(
            result,
            open_goals=() if finding.verdict is Verdict.PROVED else open_goals(nodes),
            warnings=tuple(dict.fromkeys((*session.warnings, *certificate.warnings))),
            metrics=numbers,
            run_dir=session.place.path,
        )
        suffix = self._subject.language.suffixes[0]
        result = await store.on_own_thread(self._subject.task.conclude, result, store, self._statement.latest, suffix)
        return Concluded(result, retry or stop.retry, unanswered and result.verdict not in CLAIMS)

    async def _keep_trials(self) -> None:
        """What jobs that were stopped had tried goes into the history of their goals."""
        store = self._session.store
        left = await store.on_own_thread(unfinished_on, store)
        if left:
            await self._session.commit("trials", lambda txn: _log_trials(txn, left))
            shutil.rmtree(store.path.parent / UNDER_WAY, ignore_errors=True)

    # -- what was found ----------------------------------------------------------------------------------------
    def _finding(self, stop: Stop, nodes: list[ProofNode]) -> Finding:
        store = self._session.store
        if stop.status == "proved":
            return Finding(Verdict.PROVED, "", {})
        resume = f"; run {self._session.place.run_id} can be resumed"
        root, recorded = nodes[0], store.verdict()
        reason, budget = why_not(nodes)
        reason = why_unproved(store, nodes, reason)
        if stop.status == "finished" and recorded is not None:
            if recorded[0] is Verdict.UNKNOWN and budget:
                return Finding(Verdict.OUT_OF_BUDGET, f"{recorded[1]}{resume} with a larger {budget} budget", {})
            verdict, why, detail = recorded
            return Finding(verdict, why_unproved(store, nodes, why), detail)
        if root.status is NodeStatus.REFUTED:
            report = store.load(root.refs["report"]) if "report" in root.refs else {}
            return Finding(Verdict.REFUTED, root.reason, report)
        if stop.status == "out_of_budget":
            larger = "" if stop.reason.startswith(("interrupted", CANNOT_GO_ON)) else " with a larger budget"
            return Finding(Verdict.OUT_OF_BUDGET, f"{stop.reason}{resume}{larger}", {})
        if stop.reason:
            return Finding(Verdict.UNKNOWN, stop.reason, {})
        if budget:
            return Finding(Verdict.OUT_OF_BUDGET, f"{reason}{resume} with a larger {budget} budget", {})
        return Finding(Verdict.UNKNOWN, reason, {})

    def _or_tested(self, finding: Finding) -> Finding:
        """What was neither proved nor refuted is still tested, where there are checks that can be run."""
        tests = self._subject.theorem.tests
        if finding.verdict is not Verdict.UNKNOWN or tests is None:
            return finding
        return Finding(Verdict.TESTED, f"not proved: {finding.reason}", {"checks": tests})

    def _merged(self, finding: Finding, certificate: Certificate) -> RunResult:
        """What was found, as far as the checker bears it out."""
        verdict, reason, detail = certificate.verdict, certificate.reason, finding.detail
        if finding.verdict is Verdict.PROVED:
            proved = verdict is Verdict.PROVED
            core = certificate.details.get("needed") if proved else certificate.details.get("core") or None
            reason, detail = reason or ("" if proved else NOT_ACCEPTED), {"core": core}
        elif verdict is Verdict.TESTED:
            reason = "; ".join(filter(None, (reason, finding.reason)))
        elif verdict is finding.verdict:
            reason = finding.reason
        elif verdict is Verdict.REFUTED:  # found by the checker itself
            detail = {"counterexample": certificate.details.get("counterexample")}
        elif verdict is Verdict.INCONSISTENT:  # the theorem is about nothing, whatever was found
            reason, detail = reason or finding.reason, {"core": certificate.details.get("core")}
        else:
            but = "but the checker: " if self._session.services.checkers.decides(self._subject.language.name) else ""
            reason, detail = f"{finding.reason}; {but}{certificate.reason}", {}
        return RunResult(
            input=self._subject.name,
            run_id=self._session.place.run_id,
            language=self._subject.language.name,
            verdict=verdict,
            reason=reason,
            counterexample=detail.get("counterexample"),
            core=detail.get("core"),
            certificate=certificate.path,
            trust_level=certificate.trust_level,
            checked_by=certificate.checked_by or None,
            answer=certificate.details.get("result"),
        )

    # -- the checker -------------------------------------------------------------------------------------------
    async def _checked(self, finding: Finding, seconds: float | None) -> tuple[Certificate, bool]:
        """The checker's word, and whether to ask it again on resume because it could not be asked now."""
        session, language = self._session, self._subject.language.name
        resume = f"run {session.place.run_id} can be resumed"
        if not session.services.checkers.decides(language):
            return Certificate(Verdict.UNKNOWN, reason=NO_CHECKER.format(language, finding.verdict)), True
        try:
            certificate = await session.unless_interrupted(self._certify(finding, seconds))
            return certificate, bool(certificate.details.get("retry"))
        except asyncio.CancelledError:
            if not session.interrupted:
                raise
            reason = f"{session.interrupted} before the whole proof was checked; {resume}"
            return Certificate(Verdict.OUT_OF_BUDGET, reason=reason), True
        except TimeoutError as exc:
            reason = f"{exc} of wall time; {resume} with a larger budget"
            return Certificate(Verdict.OUT_OF_BUDGET, reason=reason), True
        except Incomplete as gap:
            return Certificate(Verdict.UNKNOWN, reason=str(gap)), False
        except Exception as exc:  # noqa: BLE001  whatever it is: without the checker's word nothing is proved
            if is_passing(exc):
                reason = f"{CANNOT_GO_ON} before the whole proof was checked: {exc}; {resume}"
                return Certificate(Verdict.OUT_OF_BUDGET, reason=reason), True
            reason = f"the result could not be certified: {one_line(exc)}"
            return Certificate(Verdict.UNKNOWN, reason=reason), True

    async def _certify(self, finding: Finding, seconds: float | None) -> Certificate:
        """The checker gets the text and the options as they were given, whatever became of them in the search."""
        store, subject = self._session.store, self._subject
        evidence = await self._evidence(finding)
        text = await store.on_own_thread(subject.task.submission, store)
        # The certificate says nothing about the run that differs with one seed.
        info = {"name": subject.name}
        submission = Submission(
            subject.language.name, finding.verdict, text, self._options, evidence, self._directory, info, seconds
        )
        return await self._session.services.checkers.certify(submission)

    def _evidence(self, finding: Finding) -> Coroutine[Any, Any, dict[str, Any]]:
        """The finished tree, or what is claimed without one, as the language puts it together."""
        return self._assembled() if finding.verdict is Verdict.PROVED else self._answer(finding)

    async def _assembled(self) -> dict[str, Any]:
        store = self._session.store
        steps = await store.on_own_thread(derivation, store)
        return await self._subject.language.assemble(await self._statement.now(store), steps)

    async def _answer(self, finding: Finding) -> dict[str, Any]:
        theorem = await self._statement.now(self._session.store)
        return await self._subject.language.assemble_answer(theorem, finding.detail)

    def _check_seconds(self, numbers: dict[str, Any]) -> float | None:
        """Wall time for the checker: what the search has left over, and a little more."""
        services = self._session.services
        limit = services.settings.budgets.wall_seconds
        used = numbers.get("wall_seconds", 0.0) + services.budget.used_wall_seconds
        return None if limit is None else max(0.0, limit - used) + CHECK_GRACE

    # -- warnings ----------------------------------------------------------------------------------------------
    def _tell_of_models(self, numbers: dict[str, Any]) -> None:
        """What the cache saved, for the metrics; models without a price, and what was wrong with them."""
        services = self._session.services
        if services.models is None:
            return
        numbers["models"]["cache"] = services.models.cache.info()
        names = services.models.unpriced() if services.settings.budgets.money is not None else ()
        for name in names:
            self._session.warn(f"no price is known for {name}: the budget on money does not see it")
        self._session.warnings += services.models.troubles()

    def _tell_faults(self) -> None:
        """What agents, strategies and verifiers raised becomes warnings, one line for each that is different."""
        faults = Counter(Fault.of(entry).words for _, entry in self._session.store.history_of_kind(FAULT))
        for words, number in faults.items():
            self._session.warn(f"{words} ({number} times)" if number > 1 else words)

    def _tell_doubts(self) -> None:
        """What the judge has said of the theorem, where nobody has got past it."""
        for _, entry in self._session.store.history_of_kind(DOUBT):
            self._session.warn(str(entry.get("words", "")))


def _log_trials(txn: Txn, left: Sequence[Unfinished]) -> str:
    for job in left:
        if txn.store.find(job.node) is not None:
            txn.log(job.node, TRIALS, agent=job.agent, **job.log.to_json())
    txn.reason = "; ".join(f"goal {job.node}: {job.words}" for job in left)
    return "kept what was under way"
