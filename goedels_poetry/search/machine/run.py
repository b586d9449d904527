"""One run from its first commit to its result: prepare the store, search, have it checked, remember.

It is the same for every kind of task: what differs is asked of the task itself (see
`goedels_poetry.search.tasks.base`).
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from goedels_poetry import languages
from goedels_poetry.search.machine.background import call_in
from goedels_poetry.search.machine.conclusion import CHECKED, Conclusion
from goedels_poetry.search.machine.kinds import as_stored
from goedels_poetry.search.machine.learning import fill_memory
from goedels_poetry.search.machine.loop import SearchLoop
from goedels_poetry.search.machine.session import FRAMEWORK, Interruption, RunSession, Services, Subject
from goedels_poetry.search.memory.tried import UNDER_WAY
from goedels_poetry.search.tasks.base import GO_ON, Statement
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, ProofNode
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager
from goedels_poetry.store.txn import Txn

SHORT_TEXT = 100_000
"""Characters; to write more takes long enough to leave it to a thread."""


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
        """Begin or go on, until there is a result; it is stored in the run's directory.

        Args:
            out: directory for the certificate; None: inside the run's directory.
        """
        finished = self._place.result() if self._place.is_finished() else None
        if finished is not None and self._is_vouched_for(finished) and not _wants_certificate(finished, out):
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
        conclusion = Conclusion(session, subject, self._options, statement, out)
        result, retry, unanswered = await conclusion.of(stop)
        ours = frozenset({FRAMEWORK, *(name for name, spec in registry.agents.items() if not spec.plugin)})
        problem = await store.on_own_thread(  # it may have to wait for another process
            fill_memory, services.memory, store, self._place.run_id, result, retry=retry, ours=ours
        )
        result = replace(result, warnings=(*result.warnings, *problem))
        session.emit(await store.on_thread(self._remember, store, result, retry, unanswered))
        return result

    def _is_vouched_for(self, finished: RunResult) -> bool:
        """Whether who checked a stored result still decides about the language; else it is concluded anew."""
        if finished.verdict not in CHECKED:
            return True
        checkers, language = self._services.checkers, self._subject.language.name
        return checkers.decides(language) and finished.checked_by == (checkers.plugin(language) or None)

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
        keep = store.on_thread if len(subject.task.text) < SHORT_TEXT else store.on_own_thread
        await keep(self._record, store)
        await session.commit_once("init", lambda txn: _plant(txn, root))

    def _record(self, store: ProofStore) -> None:
        """What the run is about, in the store and on its card."""
        subject, memory = self._subject, self._services.memory
        language = subject.language.name
        store.set_meta(
            run_id=self._place.run_id,
            name=subject.name,
            task=as_stored(subject.task),
            theorem=subject.task.text,
            statement=subject.theorem.statement,
            language=language,
            options=subject.theorem.options,
            bank_snapshot=memory.bank.snapshot() if memory.bank else 0,
            preferred=memory.statistics.preferred(language) if memory.statistics else (),
        )
        self._place.write_card(run_id=self._place.run_id, name=subject.name, language=language, started=time.time())

    def _reopen(self, txn: Txn) -> str:
        """Goals that a budget had stopped go on when that budget is larger now."""
        reopened = GoedelsPoetryStateManager(txn, self._services.settings).reopen_failed()
        if reopened:
            txn.clear_verdict()
        return f"resumed, {reopened} goals reopened" if reopened else "resumed"

    # -- remember --------------------------------------------------------------------------------------------
    def _remember(self, store: ProofStore, result: RunResult, retry: bool, unanswered: bool) -> Event:
        done = store.commit(f"stop:{store.seq}", FRAMEWORK, ROOT, lambda txn: _note_end(txn, result))
        assert done is not None  # the key names the revision that it follows
        self._place.write_card(result=result.to_json(), retry=retry, unanswered=unanswered)
        with contextlib.suppress(OSError):  # gone already, or with something in it
            (self._place.path / UNDER_WAY).rmdir()
        return done.event


def _plant(txn: Txn, root: ProofNode) -> str:
    txn.put(root)
    return "begun"


def _note_end(txn: Txn, result: RunResult) -> str:
    txn.reason = result.reason
    return f"verdict: {result.verdict}"


def _wants_certificate(result: RunResult, out: Path | None) -> bool:
    """Whether a run's certificate is wanted in another place than it is, or is gone."""
    if result.certificate is None:
        return False
    elsewhere = out is not None and not result.certificate.resolve().is_relative_to(out.resolve())
    return elsewhere or not result.certificate.exists()
