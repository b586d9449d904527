"""One run from its first commit to its result: prepare the store, drive the graph, certify, remember."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from goedels_poetry.agents.questions import question_registry
from goedels_poetry.agents.registry import FAULT, Deps, Fault, Registry, load_registry
from goedels_poetry.checker.registry import CLAIMS, Checkers
from goedels_poetry.checker.report import Certificate
from goedels_poetry.checker.submission import Submission
from goedels_poetry.errors import GoedelsPoetryError, one_line
from goedels_poetry.languages.base import Incomplete, Language, Theorem
from goedels_poetry.machine.graph import CANNOT_GO_ON, RECURSION_LIMIT, Machine, build
from goedels_poetry.machine.jobs import Jobs
from goedels_poetry.machine.learning import Memory, fill_memory
from goedels_poetry.machine.supervisor import Stop, SupervisorAgent
from goedels_poetry.models import Ledger, Models
from goedels_poetry.settings import Settings
from goedels_poetry.tasks.claim import (
    CONFIRM,
    DECLINED,
    FORMAL,
    ONLY_STATED,
    Claim,
    Confirm,
    Statement,
    formalization_of,
    set_confirmed,
    with_formalization,
)
from goedels_poetry.tasks.question import ADVISE, Question, set_move
from goedels_poetry.tree.derivation import derivation, metrics, open_goals, why_not
from goedels_poetry.tree.results import Event, RunResult
from goedels_poetry.tree.runs import RunDir
from goedels_poetry.tree.state import ROOT, NodeStatus, ProofNode, Queue, Verdict
from goedels_poetry.tree.state_manager import GoedelsPoetryStateManager
from goedels_poetry.tree.store import ProofStore, Txn

if TYPE_CHECKING:
    from goedels_poetry.retrieval import PremiseSearch

CHECK_GRACE = 1.5
"""Seconds that the checker gets beyond what the search has left of its wall time: a proof found just in time counts."""

CHECKED = (*CLAIMS, Verdict.TESTED)
"""Verdicts that no agent, language or file of a run may give."""

FRAMEWORK = "framework"
"""Who commits what no agent does."""
NO_CHECKER = "the language {} claims {}; no checker is registered for it"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one of several runs with one purpose may spend: the budgets hold for all of them together."""

    ledger: Ledger
    """What they have spent on models."""
    used_wall_seconds: float = 0.0
    used_solver_seconds: float = 0.0
    """By the runs before this one."""

    @property
    def used(self) -> dict[str, float]:
        """The same by budget."""
        return {"wall_seconds": self.used_wall_seconds, "solver_seconds": self.used_solver_seconds}


class Search:
    """The run of one theorem in this process. The caller holds the run's lock."""

    def __init__(
        self,
        run: RunDir,
        language: Language,
        theorem: Theorem,
        name: str,
        settings: Settings,
        memory: Memory,
        checkers: Checkers,
        on_event: Callable[[Event], None],
        models: Models | None = None,
        claim: Claim | None = None,
        confirm: Confirm | None = None,
        question: Question | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self._run_dir = run
        self._language = language
        self._given = theorem
        self._spoken = language.name
        self._options = copy.deepcopy(theorem.options)  # agents have the theorem's own
        self._claim = claim
        self._confirm = confirm
        self._question = question
        self._shared = allowance.ledger if allowance is not None else None
        self._used = allowance.used if allowance is not None else {}
        self._by_model = claim is not None or question is not None
        self._statement = Statement(language, theorem, self._by_model)
        self._name = name
        self._settings = settings
        self._memory = memory if checkers.decides(self._spoken) else memory._replace(bank=None)
        self._checkers = checkers
        self._bank, self._statistics = self._memory.bank, memory.statistics
        self._on_event = on_event
        self._models = models
        self._premises: PremiseSearch | None = None
        self._warnings: list[str] = [*theorem.warnings, *memory.problems, *checkers.problems]
        self._supervisor: SupervisorAgent | None = None
        self._interrupted = ""
        self._begun: Event | None = None
        self._waiting: asyncio.Future[Any] | None = None

    def interrupt(self, reason: str) -> None:
        """Stop at the next step boundary, or break off the checker or the wait for a person's word."""
        self._interrupted = reason
        if self._supervisor is not None:
            self._supervisor.stop(reason)
        if self._waiting is not None:
            self._waiting.cancel()

    async def run(self, out: Path | None) -> RunResult:
        """Begin or go on, until there is a result; it is stored in the run's directory."""
        finished = self._run_dir.result() if self._run_dir.is_finished() else None
        if finished is not None and self._is_vouched_for(finished) and not _wants_certificate(finished, out):
            models = finished.metrics.get("models", {})
            self._join({name if name == "money" else f"model_{name}": n for name, n in models.items()})
            return finished
        self._run_dir.path.mkdir(parents=True, exist_ok=True)
        store = ProofStore(self._run_dir.proof_db)
        try:
            registry = load_registry() if self._question is None else question_registry()
            if self._models is not None:
                registry = registry.with_models(self._models.has)
            self._warnings += registry.problems
            key = "" if self._by_model else await self._language.canonical(self._given, "")
            await store.on_thread(self._prepare, store, key)
            stop = await self._search(store, registry)
            if self._claim is not None and stop.status == "exhausted" and store.root().queue == CONFIRM:
                stop = await self._confirmed(store, self._claim) or await self._search(store, registry)
            if self._question is not None:
                stop = await self._untested(store, stop)
            result, retry = await self._conclude(store, stop, out)
            ours = frozenset({FRAMEWORK, *(name for name, spec in registry.agents.items() if not spec.plugin)})
            problem = await store.on_thread(fill_memory, self._memory, store, self._run_dir.run_id, result, retry, ours)
            result = replace(result, warnings=(*result.warnings, *problem))
            self._emit(await store.on_thread(self._remember, store, result, retry))
            return result
        finally:
            store.close()

    def _is_vouched_for(self, finished: RunResult) -> bool:
        """Whether who checked a stored result still decides about the language; else it is concluded anew."""
        if finished.verdict not in CHECKED:
            return True
        package = self._checkers.plugin(self._spoken) or None
        return self._checkers.decides(self._spoken) and finished.checked_by == package

    # -- begin -----------------------------------------------------------------------------------------------
    def _prepare(self, store: ProofStore, key: str) -> None:
        store.forget_work()  # what was under way at a crash starts again under the same keys
        store.max_nodes = self._settings.budgets.nodes
        store.spend(wall_seconds=self._given.seconds)  # a text that is long in the reading is part of the work
        if not store.recorded("init"):
            store.set_meta(
                run_id=self._run_dir.run_id,
                name=self._name,
                theorem=self._given.text,
                statement=self._given.statement,
                language=self._spoken,
                options=self._given.options,
                bank_snapshot=self._bank.snapshot() if self._bank else 0,
                preferred=self._statistics.preferred(self._spoken) if self._statistics else (),
                claim=None if self._claim is None else self._claim.identity,
                question=None if self._question is None else self._question.identity,
            )
            self._run_dir.write_card(
                run_id=self._run_dir.run_id,
                name=self._name,
                language=self._spoken,
                started=time.time(),
            )
            self._commit(store, "init", partial(self._plant, key=key))
        else:
            self._commit(store, f"resume:{store.seq}", self._reopen)

    def _commit(self, store: ProofStore, key: str, apply: Callable[[Txn], str]) -> None:
        def noted(txn: Txn) -> str:
            txn.reason = "; ".join(self._warnings)  # so that `trace` names plug-ins that were left out
            return apply(txn)

        done = store.commit(key, FRAMEWORK, ROOT, noted)
        if done is not None:
            self._begun = done.event

    def _plant(self, txn: Txn, key: str) -> str:
        root = ProofNode(id=ROOT, language=self._spoken, queue=Queue.FORMALIZE)
        if not self._by_model:
            root = replace(root, queue=Queue.CHECK_SEMANTICS, key=key)
        elif self._question is not None and self._question.task != "answer":
            root = replace(root, queue=ADVISE)
        txn.put(root)
        return "begun"

    def _reopen(self, txn: Txn) -> str:
        """Goals that a budget had stopped go on when that budget is larger now."""
        reopened = GoedelsPoetryStateManager(txn, self._settings).reopen_failed()
        if reopened:
            txn.clear_verdict()
        return f"resumed, {reopened} goals reopened" if reopened else "resumed"

    # -- search ----------------------------------------------------------------------------------------------
    async def _search(self, store: ProofStore, registry: Registry) -> Stop:
        from goedels_poetry.retrieval import PremiseSearch  # brings LangChain: when it is needed

        self._premises = self._premises or PremiseSearch(self._settings.retrieval)
        ledger = Ledger.of_run(self._settings.budgets, store.spent(), self._shared)
        self._join(ledger.spent)
        deps = Deps(
            store=store,
            language=self._language,
            theorem=self._given,
            claim=self._claim,
            question=self._question,
            settings=self._settings,
            bank=self._bank,
            bank_snapshot=store.meta("bank_snapshot") or 0,
            preferred=tuple(store.meta("preferred") or ()),
            strategies=registry.strategies,
            models=self._models,
            premises=self._premises,
            ledger=ledger,
        )
        jobs = Jobs()
        supervisor = SupervisorAgent(store, registry, self._settings, jobs, self._used)
        statement = self._statement if self._by_model else None
        machine = Machine(store, registry, deps, jobs, supervisor, self._emit, statement)
        self._supervisor = supervisor
        if self._begun is not None:
            self._emit(self._begun)
            self._begun = None
        if self._interrupted:
            supervisor.stop(self._interrupted)
        config = {"configurable": {"thread_id": self._run_dir.run_id}, "recursion_limit": RECURSION_LIMIT}
        try:
            async with self._checkpointer() as saver:
                graph = build(machine, checkpointer=saver)
                # The store knows what is to be done, so every start is a fresh input on the same thread.
                start = {"run_id": self._run_dir.run_id}
                end = await graph.ainvoke(start, config, durability="async")  # type: ignore[call-overload]
        finally:
            await jobs.cancel_all()
            counted = store.spent()  # jobs that were cancelled have paid for their calls, too
            store.spend(**{name: amount - counted.get(name, 0) for name, amount in ledger.spent.items()})
            self._supervisor = None
        return Stop(end["status"], end["reason"])

    async def _confirmed(self, store: ProofStore, claim: Claim) -> Stop | None:
        """Ask the person about the formal statement, outside of the run's time; None: go on."""
        said: bool | None = None
        told = formalization_of(store, claim)
        if self._confirm is not None and not told["confirmed"]:
            try:
                said = await self._unless_interrupted(self._confirm(told))
            except asyncio.CancelledError:
                if not self._interrupted:
                    raise
                return Stop("out_of_budget", f"{self._interrupted} before the formal statement was confirmed")
        elif told["confirmed"]:
            said = True
        if said is not None or not claim.only:
            key = f"confirm:{store.seq}"
            noted = partial(set_confirmed, answer=said, only=claim.only)
            await store.on_thread(self._commit, store, key, lambda txn: noted(txn, store.root()))
        if said is False:
            return Stop("declined", DECLINED)
        return Stop("stated", ONLY_STATED) if claim.only else None

    async def _untested(self, store: ProofStore, stop: Stop) -> Stop:
        """An answer that only waits for tests of its formalisation is not lost with the time for these."""
        root = await store.on_thread(store.root)
        if stop.status != "out_of_budget" or self._interrupted or root.queue != Queue.CHECK_SEMANTICS:
            return stop
        untested = f"the formalisation was not tested: {stop.reason}"
        self._warnings.append(untested)
        accept = partial(set_move, node=root, move="accept", reason=untested)
        await store.on_thread(self._commit, store, f"untested:{store.seq}", accept)
        root = await store.on_thread(store.root)
        return Stop("proved") if root.status is NodeStatus.PROVED else Stop("finished", root.reason)

    async def _unless_interrupted(self, work: Awaitable[T]) -> T:
        """Wait for something that an interrupt cancels: then CancelledError."""
        self._waiting = waiting = asyncio.ensure_future(work)
        if self._interrupted:
            waiting.cancel()
        try:
            return await waiting
        finally:
            self._waiting = None

    @asynccontextmanager
    async def _checkpointer(self) -> AsyncIterator[Any]:
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        path = self._run_dir.graph_db
        with contextlib.closing(sqlite3.connect(path)) as db:
            try:
                db.execute("PRAGMA journal_mode=WAL")
            except sqlite3.DatabaseError:
                path.rename(path.with_suffix(".broken"))  # only the scheduler's notes; the store is the truth
                self._warnings.append(f"{path.name} was damaged and has been put aside; nothing is lost")
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            await saver.setup()
            await saver.conn.execute("PRAGMA synchronous=NORMAL")
            yield saver

    def _join(self, spent: Mapping[str, Any]) -> None:
        """Tell the runs that share a budget with this one what it had spent before."""
        if self._shared is not None:
            self._shared.join(self._run_dir.run_id, spent)

    def _emit(self, event: Event) -> None:
        try:
            self._on_event(replace(event, run_id=self._run_dir.run_id))
        except Exception as exc:  # noqa: BLE001  a listener's error must not cost a goal its attempt
            self._on_event = lambda _: None
            self._warnings.append(f"the event listener failed and was switched off: {one_line(exc)}")

    # -- end -------------------------------------------------------------------------------------------------
    async def _conclude(self, store: ProofStore, stop: Stop, out: Path | None) -> tuple[RunResult, bool]:
        """The result, and whether resuming may mend it although its verdict is final."""
        nodes = await store.on_thread(store.nodes)
        numbers = await store.on_thread(metrics, store, nodes)
        if self._models is not None:
            numbers["models"]["cache"] = self._models.cache.info()
            self._warnings += [*self._warn_of_prices(), *self._models.troubles()]
        self._warnings += self._premises.troubles() if self._premises is not None else []
        common: dict[str, Any] = {
            "input": self._name,
            "run_id": self._run_dir.run_id,
            "language": self._spoken,
            "metrics": numbers,
            "run_dir": self._run_dir.path,
        }
        if stop.status == "proved":
            seconds = self._check_seconds(numbers)
            certificate, retry = await self._checked(store, Verdict.PROVED, self._proof(store), out, seconds)
            await store.on_thread(self._tell_faults, store)
            return self._with_claim(store, self._certified(certificate, common)), retry
        verdict, reason, detail = await store.on_thread(self._answer, store, stop, nodes)
        evidence: Certificate | None = None
        retry = False
        if verdict in CHECKED:
            seconds = self._check_seconds(numbers)
            evidence, retry = await self._checked(store, verdict, self._evidence(store, detail), out, seconds)
            if evidence.verdict is Verdict.INCONSISTENT and verdict is not evidence.verdict:
                # The theorem is about nothing, whatever was found.
                detail = {"core": evidence.details.get("core")}
                verdict, reason = evidence.verdict, evidence.reason or reason
            elif evidence.verdict is not verdict:
                but = "but the checker: " if self._checkers.decides(self._spoken) else ""
                verdict, reason, detail = evidence.verdict, f"{reason}; {but}{evidence.reason}", {}
        await store.on_thread(self._tell_faults, store)
        result = RunResult(
            verdict=verdict,
            reason=reason,
            counterexample=detail.get("counterexample"),
            core=detail.get("core"),
            certificate=evidence.path if evidence else None,
            trust_level=evidence.trust_level if evidence else None,
            checked_by=(evidence.checked_by or None) if evidence else None,
            answer=(evidence.details if evidence else detail).get("result"),
            open_goals=open_goals(nodes),
            warnings=tuple(dict.fromkeys((*self._warnings, *(evidence.warnings if evidence else ())))),
            **common,
        )
        return self._with_claim(store, result), retry or stop.status in ("declined", "stated")

    def _warn_of_prices(self) -> list[str]:
        names = self._models.unpriced() if self._models is not None and self._settings.budgets.money is not None else ()
        return [f"no price is known for {name}: the budget on money does not see it" for name in names]

    def _with_claim(self, store: ProofStore, result: RunResult) -> RunResult:
        if self._claim is None:
            return result
        return with_formalization(result, store, self._claim, self._statement.latest, self._language.suffixes[0])

    def _answer(self, store: ProofStore, stop: Stop, nodes: list[ProofNode]) -> tuple[Verdict, str, dict[str, Any]]:
        resume = f"; run {self._run_dir.run_id} can be resumed"
        if stop.status in ("declined", "stated"):
            return Verdict.UNKNOWN, stop.reason, {}
        root = nodes[0]
        recorded = store.verdict()
        if stop.status == "finished" and recorded is not None:
            _, budget = why_not(nodes)
            if recorded[0] is Verdict.UNKNOWN and budget:
                return Verdict.OUT_OF_BUDGET, f"{recorded[1]}{resume} with a larger {budget} budget", {}
            return recorded
        if root.status is NodeStatus.REFUTED:
            report = store.load(root.refs["report"]) if "report" in root.refs else {}
            return Verdict.REFUTED, root.reason, report
        if stop.status == "out_of_budget":
            words = "" if stop.reason.startswith(("interrupted", CANNOT_GO_ON)) else " with a larger budget"
            return Verdict.OUT_OF_BUDGET, f"{stop.reason}{resume}{words}", {}
        reason, budget = why_not(nodes)
        if stop.reason:
            return Verdict.UNKNOWN, stop.reason, {}
        if budget:
            return Verdict.OUT_OF_BUDGET, f"{reason}{resume} with a larger {budget} budget", {}
        return Verdict.UNKNOWN, reason, {}

    async def _submission(
        self, store: ProofStore, claim: Verdict, evidence: dict[str, Any], out: Path | None, seconds: float | None
    ) -> Submission:
        """What the checker gets: the text and the options as they were given, whatever became of them in the search."""
        directory, info = self._certificate_place(out)
        text = self._given.text
        if self._by_model:
            formal = (await store.on_thread(store.root)).refs.get(FORMAL)
            if formal is None:
                raise GoedelsPoetryError("there is no formal text")
            text = str(await store.on_thread(store.load, formal))
        return Submission(self._spoken, claim, text, self._options, evidence, directory, info, seconds)

    def _tell_faults(self, store: ProofStore) -> None:
        """What agents, strategies and verifiers raised becomes warnings, one line for each that is different."""
        faults = Counter(Fault.of(entry).words for _, entry in store.history_of_kind(FAULT))
        self._warnings += [f"{words} ({number} times)" if number > 1 else words for words, number in faults.items()]

    def _check_seconds(self, numbers: dict[str, Any]) -> float | None:
        """Wall time for the checker: what the search has left over, and a little more."""
        limit = self._settings.budgets.wall_seconds
        used = numbers.get("wall_seconds", 0.0) + self._used.get("wall_seconds", 0.0)
        return None if limit is None else max(0.0, limit - used) + CHECK_GRACE

    def _certificate_place(self, out: Path | None) -> tuple[Path, dict[str, Any]]:
        """Directory of the certificate, and what it says about the run: nothing that differs with one seed."""
        return out or self._run_dir.path / "certificate", {"name": self._name}

    async def _proof(self, store: ProofStore) -> dict[str, Any]:
        """The finished tree, as the language puts it together."""
        steps = await store.on_thread(derivation, store)
        return await self._language.assemble(await self._statement.now(store), steps)

    async def _evidence(self, store: ProofStore, detail: dict[str, Any]) -> dict[str, Any]:
        """What is claimed without a tree, as the language puts it together."""
        return await self._language.assemble_answer(await self._statement.now(store), detail)

    async def _checked(
        self,
        store: ProofStore,
        claim: Verdict,
        assembling: Coroutine[Any, Any, dict[str, Any]],
        out: Path | None,
        seconds: float | None,
    ) -> tuple[Certificate, bool]:
        """The checker's word, and whether to ask it again on resume because it could not be asked now."""

        async def check() -> Certificate:
            evidence = await assembling
            return await self._checkers.certify(await self._submission(store, claim, evidence, out, seconds))

        if not self._checkers.decides(self._spoken):
            assembling.close()
            return Certificate(Verdict.UNKNOWN, reason=NO_CHECKER.format(self._spoken, claim)), True
        try:
            certificate = await self._unless_interrupted(check())
            return certificate, bool(certificate.details.get("retry"))
        except asyncio.CancelledError:
            if not self._interrupted:
                raise
            reason = (
                f"{self._interrupted} before the whole proof was checked; run {self._run_dir.run_id} can be resumed"
            )
            return Certificate(Verdict.OUT_OF_BUDGET, reason=reason), True
        except TimeoutError as exc:
            reason = f"{exc} of wall time; run {self._run_dir.run_id} can be resumed with a larger budget"
            return Certificate(Verdict.OUT_OF_BUDGET, reason=reason), True
        except Incomplete as gap:
            return Certificate(Verdict.UNKNOWN, reason=str(gap)), False
        except Exception as exc:  # noqa: BLE001  whatever it is: without the checker's word nothing is proved
            reason = f"the result could not be certified: {one_line(exc)}"
            return Certificate(Verdict.UNKNOWN, reason=reason), True

    def _certified(self, certificate: Certificate, common: dict[str, Any]) -> RunResult:
        proved = certificate.verdict is Verdict.PROVED
        reason = certificate.reason
        if not proved and not reason:
            reason = "every goal was proved, but the checker did not accept the whole proof"
        return RunResult(
            verdict=certificate.verdict,
            certificate=certificate.path,
            trust_level=certificate.trust_level,
            checked_by=certificate.checked_by or None,
            reason=reason,
            core=certificate.details.get("needed" if proved else "core") or None,
            answer=certificate.details.get("result"),
            warnings=tuple(dict.fromkeys((*self._warnings, *certificate.warnings))),
            **common,
        )

    # -- remember ----------------------------------------------------------------------------------------------
    def _remember(self, store: ProofStore, result: RunResult, retry: bool) -> Event:
        done = store.commit(f"stop:{store.seq}", FRAMEWORK, ROOT, lambda txn: _note_end(txn, result))
        assert done is not None  # the key names the revision that it follows
        self._run_dir.write_card(result=result.to_json(), retry=retry)
        return done.event


def _note_end(txn: Txn, result: RunResult) -> str:
    txn.reason = result.reason
    return f"verdict: {result.verdict}"


def _wants_certificate(result: RunResult, out: Path | None) -> bool:
    """Whether a run's certificate is wanted in another place than it is, or is gone."""
    if result.certificate is None:
        return False
    elsewhere = out is not None and not result.certificate.resolve().is_relative_to(out.resolve())
    return elsewhere or not result.certificate.exists()


__all__ = ["Allowance", "Search"]
