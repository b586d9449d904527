"""One run from its first commit to its result: prepare the store, search, have it checked, remember.

It is the same for every kind of task: what differs is asked of the task itself (see
`goedels_poetry.search.tasks.base`).
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry import languages
from goedels_poetry.checker.certificate.receipt import basis_of
from goedels_poetry.checker.certificate.writing import Certificate
from goedels_poetry.checker.plugins import CLAIMS, Submission
from goedels_poetry.errors import is_passing, one_line
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import AWAY
from goedels_poetry.protocol.base import Incomplete
from goedels_poetry.search.agents.deps import DOUBT, FAULT, Fault
from goedels_poetry.search.machine.background import call_in
from goedels_poetry.search.machine.checkpoints import FRAMEWORK
from goedels_poetry.search.machine.graph import CANNOT_GO_ON
from goedels_poetry.search.machine.session import Interruption, RunSession, SearchLoop, Services, Subject
from goedels_poetry.search.memory import TRIALS, UNDER_WAY, Unfinished, fill_memory, unfinished_on, why_unproved
from goedels_poetry.search.tasks.base import GO_ON, Statement, Stop, Task, headline
from goedels_poetry.store.derivation import derivation, metrics, open_goals, why_not
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager

# The end of a run

CHECK_GRACE = 1.5
"""Seconds that the checker gets beyond what the search has left of its wall time: a proof found just in time counts."""
CHECKED = (*CLAIMS, Verdict.TESTED)
"""Verdicts that no agent, language or file of a run may give."""
NOT_FINAL = (Verdict.UNKNOWN, Verdict.TESTED)
"""Verdicts that a model which could not be asked might have changed."""
NOT_ASKED = "the same command goes on when a model can be asked"
NOT_KEPT = "a model could not be asked for a while, so this is not kept as the answer: the same command asks it again"
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


@dataclass(frozen=True, slots=True)
class Conclusion:
    """From the end of a run's search to its result."""

    _session: RunSession
    _subject: Subject
    _options: dict[str, Any]
    """As they were given, whatever agents did to theirs."""
    _statement: Statement
    _directory: Path
    """For the certificate."""

    async def of(self, stop: Stop) -> Concluded:
        """The result."""
        session, store = self._session, self._session.store
        left = await store.on_own_thread(unfinished_on, store)
        if left:  # what jobs that were stopped had tried goes into the history of their goals
            await session.commit("trials", lambda txn: _log_trials(txn, left))
            shutil.rmtree(store.path.parent / UNDER_WAY, ignore_errors=True)
        nodes = await store.on_own_thread(store.nodes)
        numbers = await store.on_own_thread(metrics, store, nodes)
        self._tell_of_models(numbers)
        finding = await store.on_own_thread(self._finding, stop, nodes)
        unanswered = finding.verdict in NOT_FINAL and bool(store.spent().get(AWAY))
        outages = session.services.models.outages() if unanswered and session.services.models is not None else ()
        away = "; ".join((*outages, NOT_ASKED)) if outages else ""
        if unanswered:
            finding = replace(finding, reason=away or "; ".join(filter(None, (finding.reason, NOT_KEPT))))
        if finding.verdict is Verdict.UNKNOWN and self._subject.theorem.tests is not None:
            checks = {"checks": self._subject.theorem.tests}  # what was neither proved nor refuted is still tested
            finding = Finding(Verdict.TESTED, f"not proved: {finding.reason}", checks)
        certificate, retry = Certificate(finding.verdict, reason=finding.reason, details=finding.detail), False
        if finding.verdict in CHECKED:
            services = session.services  # the checker has what the search has left over, and a little more
            limit = services.settings.budgets.wall_seconds
            used = numbers.get("wall_seconds", 0.0) + services.budget.used_wall_seconds
            seconds = None if limit is None else max(0.0, limit - used) + CHECK_GRACE
            certificate, retry = await self._checked(finding, seconds)
        await store.on_thread(self._tell_faults, certificate.verdict not in CHECKED)
        result = self._merged(finding, certificate)
        result = replace(
            result,
            open_goals=() if finding.verdict is Verdict.PROVED else open_goals(nodes),
            warnings=tuple(dict.fromkeys((*session.warnings, *certificate.warnings))),
            metrics=numbers,
            run_dir=session.place.path,
            away=away if result.verdict is Verdict.UNKNOWN else "",
        )
        suffix = self._subject.language.suffixes[0]
        result = await store.on_own_thread(self._subject.task.conclude, result, store, self._statement.latest, suffix)
        return Concluded(result, retry or stop.retry, unanswered and result.verdict not in CLAIMS)

    # -- what was found ----------------------------------------------------------------------------------------
    def _finding(self, stop: Stop, nodes: list[ProofNode]) -> Finding:
        store, root = self._session.store, nodes[0]
        resume = f"; run {self._session.place.run_id} can be resumed"
        recorded = store.verdict() if stop.status == "finished" else None
        reason, budget = why_not(nodes)
        reason = why_unproved(store, nodes, reason)
        if stop.status == "proved":
            return Finding(Verdict.PROVED, "", {})
        if recorded is not None and not (recorded[0] is Verdict.UNKNOWN and budget):
            return Finding(recorded[0], why_unproved(store, nodes, recorded[1]), recorded[2])
        if recorded is not None:
            return Finding(Verdict.OUT_OF_BUDGET, f"{recorded[1]}{resume} with a larger {budget} budget", {})
        if root.status is NodeStatus.REFUTED:
            report = store.load(root.refs["report"]) if "report" in root.refs else {}
            return Finding(Verdict.REFUTED, root.reason, report)
        if stop.status == "out_of_budget":
            larger = "" if stop.reason.startswith(("interrupted", CANNOT_GO_ON)) else " with a larger budget"
            return Finding(Verdict.OUT_OF_BUDGET, f"{stop.reason}{resume}{larger}", {})
        if budget and not stop.reason:
            return Finding(Verdict.OUT_OF_BUDGET, f"{reason}{resume} with a larger {budget} budget", {})
        return Finding(Verdict.UNKNOWN, stop.reason or reason, {})

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
            unneeded=(certificate.details.get("unneeded") or None) if verdict is Verdict.PROVED else None,
            certificate=certificate.path,
            trust_level=certificate.trust_level,
            checked_by=certificate.checked_by or None,
            location=_place(certificate) if verdict is Verdict.REFUTED else None,
            checked=basis_of(certificate.details),
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
        store, subject, language = self._session.store, self._subject, self._subject.language
        steps = await store.on_own_thread(derivation, store) if finding.verdict is Verdict.PROVED else None
        theorem = await self._statement.now(store)
        if steps is None:  # what is claimed without a finished tree
            evidence = await language.assemble_answer(theorem, finding.detail)
        else:
            evidence = await language.assemble(theorem, steps)
        text = await store.on_own_thread(subject.task.submission, store)
        # The certificate says nothing about the run that differs with one seed.
        info = {"name": subject.name}
        submission = Submission(
            language.name, finding.verdict, text, self._options, evidence, self._directory, info, seconds
        )
        return await self._session.services.checkers.certify(submission)

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

    def _tell_faults(self, with_doubts: bool) -> None:
        """What was raised becomes warnings, each once; and what the judge has said where nobody got past it."""
        store = self._session.store
        faults = Counter(Fault.of(entry).words for _, entry in store.history_of_kind(FAULT))
        for words, number in faults.items():
            self._session.warn(f"{words} ({number} times)" if number > 1 else words)
        for _, entry in store.history_of_kind(DOUBT) if with_doubts else ():
            self._session.warn(str(entry.get("words", "")))


def _place(certificate: Certificate) -> dict[str, Any] | None:
    """Where the clause stands that is broken, for `RunResult.location`."""
    line = certificate.details.get("line")
    place = {"line": line, "column": certificate.details.get("column"), "hint": None, "source": None}
    return None if line is None else place


def _log_trials(txn: Txn, left: Sequence[Unfinished]) -> str:
    for job in left:
        if txn.store.find(job.node) is not None:
            txn.log(job.node, TRIALS, agent=job.agent, **job.log.to_json())
    txn.reason = "; ".join(f"goal {job.node}: {job.words}" for job in left)
    return "kept what was under way"


class Run:
    """One run in this process, whatever it is about. The caller holds the run's lock."""

    def __init__(self, place: RunDir, subject: Subject, services: Services) -> None:
        self._place = place
        self._subject = subject
        # What nobody checks is nothing for later runs.
        decided = services.checkers.decides(subject.language.name)
        self._services = services if decided else replace(services, memory=services.memory._replace(bank=None))
        self._options = copy.deepcopy(subject.theorem.options)  # agents have the theorem's own
        self.interruption = Interruption()
        self._loop = asyncio.get_running_loop()

    def interrupt(self, reason: str) -> None:
        """Stop at the next step boundary, or break off the checker or the wait for a person's word; from any thread."""
        call_in(self._loop, partial(self.interruption.ask, reason))

    async def run(self, out: Path | None) -> RunResult:
        """Begin or go on, until there is a result; it is stored in the run's directory."""
        finished = self._place.result() if self._place.is_finished() else None
        if finished is not None and self._stands(finished, out):
            spent = finished.metrics.get("models", {})
            amounts = {name if name == "money" else f"model_{name}": amount for name, amount in spent.items()}
            self._services.budget.ledger.join(self._place.run_id, amounts)
            return finished
        self._place.path.mkdir(parents=True, exist_ok=True)
        store = self._place.open()
        try:
            return await self._to_the_end(store, out)
        finally:
            await store.aclose()

    async def _to_the_end(self, store: ProofStore, out: Path | None) -> RunResult:
        subject, services = self._subject, self._services
        registry = services.registry
        if services.models is not None:
            registry = registry.with_models(services.models.has)
        problems = (*subject.theorem.warnings, *services.memory.problems, *services.checkers.problems)
        session = RunSession(self._place, store, services, self.interruption, [*problems, *registry.notices])
        await self._begin(session)
        statement = Statement(subject.language, subject.theorem)
        search = SearchLoop(session, subject, statement, registry)
        stop = GO_ON
        while stop is GO_ON:
            stop = await subject.task.settle(await search.until_end(), session)
        session.warnings += search.troubles()
        place = (out or self._place.path / "certificate").absolute()
        conclusion = Conclusion(session, subject, self._options, statement, place)
        result, retry, unanswered = await conclusion.of(stop)
        ours = frozenset({FRAMEWORK, *(name for name, spec in registry.agents.items() if not spec.plugin)})
        problem = await store.on_own_thread(  # it may have to wait for another process
            fill_memory, services.memory, store, self._place.run_id, result, retry=retry, ours=ours
        )
        result = replace(result, warnings=(*result.warnings, *problem))
        session.emit(await store.on_thread(self._remember, store, result, retry, unanswered))
        return result

    def _stands(self, finished: RunResult, out: Path | None) -> bool:
        """Whether who checked a stored result still decides about the language, and its certificate is where wanted."""
        checkers, language, kept = self._services.checkers, self._subject.language.name, finished.certificate
        if finished.verdict in CHECKED and not (
            checkers.decides(language) and finished.checked_by == (checkers.plugin(language) or None)
        ):
            return False
        return kept is None or (kept.exists() and (out is None or kept.resolve().is_relative_to(out.resolve())))

    # -- begin -----------------------------------------------------------------------------------------------
    async def _begin(self, session: RunSession) -> None:
        """The first commit, or the one that says that the run goes on."""
        store, subject = session.store, self._subject
        await store.on_thread(store.forget_work)  # what was under way at a crash starts again under the same keys
        store.max_nodes = self._services.settings.budgets.nodes
        store.spend(wall_seconds=subject.theorem.seconds)  # a text that is long in the reading is part of the work
        if await store.on_thread(store.recorded, "init"):
            await session.commit("resume", self._reopen)
            return
        with languages.blaming(subject.language, "prepare the theorem"):
            root = await subject.task.prepare(subject.language, subject.theorem)
        await store.on_own_thread(self._record, store)
        await session.commit_once("init", lambda txn: _plant(txn, root, subject.task))

    def _record(self, store: ProofStore) -> None:
        """What the run is about, in the store and on its card."""
        subject, memory = self._subject, self._services.memory
        language = subject.language.name
        store.set_meta(
            run_id=self._place.run_id,
            name=subject.name,
            task=(subject.task.kind, subject.task.identity),
            theorem=subject.task.text,
            statement=subject.theorem.statement,
            language=language,
            options=subject.theorem.options,
            bank_snapshot=memory.bank.snapshot() if memory.bank else 0,
            preferred=memory.statistics.preferred(language) if memory.statistics else (),
        )
        name = subject.name or headline(subject.theorem.statement)  # a list of runs tells by it which one is which
        self._place.write_card(run_id=self._place.run_id, name=name, language=language, started=time.time())

    def _reopen(self, txn: Txn) -> str:
        """Goals that a budget had stopped go on when that budget is larger now."""
        reopened = GoedelsPoetryStateManager(txn, self._services.settings).reopen_failed()
        if reopened:
            txn.clear_verdict()
        return f"resumed, {reopened} goals reopened" if reopened else "resumed"

    # -- remember --------------------------------------------------------------------------------------------
    def _remember(self, store: ProofStore, result: RunResult, retry: bool, unanswered: bool) -> Event:
        def end(txn: Txn) -> str:
            txn.reason = result.reason
            return f"verdict: {result.verdict}"

        done = store.commit(f"stop:{store.seq}", FRAMEWORK, ROOT, end)
        assert done is not None  # the key names the revision that it follows
        self._place.write_card(result=result.to_json(), retry=retry, unanswered=unanswered)
        with contextlib.suppress(OSError):  # gone already, or with something in it
            (self._place.path / UNDER_WAY).rmdir()
        return done.event


def _plant(txn: Txn, root: ProofNode, task: Task) -> str:
    task.plant(txn)
    txn.put(root)
    return "begun"
