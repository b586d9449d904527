"""Tools for programs: arguments in, an object of a published schema and a short text out; one warm process for all.

What a caller may read are files below one folder, and certificates of runs. Every verdict is the checker's of today:
what an earlier run claims is checked again (`GoedelsPoetryFramework.aprove`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goedels_poetry.checker.certificate.archive import EVIDENCE, BadCertificate, language_of, read_archive
from goedels_poetry.checker.certificate.archive import read_canonical as canonical_json
from goedels_poetry.checker.certificate.receipt import basis_of, receipt
from goedels_poetry.checker.limited import answer, checked_in
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, one_line
from goedels_poetry.files import read_bytes, shipped
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.backends import BACKENDS
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Budgets, Settings
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.store.results import OnEvent, RunResult
from goedels_poetry.store.runs import outcome
from goedels_poetry.trace.explain import RunFacts, explain, open_leaves

MAX_TEXT = 1_000_000
"""Characters of a text."""
MOST_RUNS = 50
"""That `status` lists."""
MOST_ATTEMPTS = 32
NO_COUNTEREXAMPLE = "no counterexample was found; that is no proof, and `prove` goes on with this run"


class Refusal(GoedelsPoetryError):
    """What was asked for cannot be done; the message says what is wrong, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a tool."""

    data: dict[str, Any]
    text: str
    """For a person, or a model: a few lines."""
    failed: bool = False
    """Whether the input was at fault; ``data`` says where."""


# -- Arguments -----------------------------------------------------------------------------------------------------

Text = Field(default=None, max_length=MAX_TEXT, description="The text itself; else give `path`.")
File = Field(default=None, max_length=4096, description="A file below the server's folder; else give `text`.")
Against = Field(default=None, max_length=MAX_TEXT, description="Text of the theorem that it has to be a proof of.")
AgainstFile = Field(default=None, max_length=4096, description="A file with that text.")
One = Field(default="", max_length=1000, description="Name of the one theorem or function of the text that is meant.")
Certificate = Field(max_length=4096, description="A certificate's folder, as an earlier answer names it.")


class Arguments(BaseModel):
    """What every tool takes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    seconds: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Limit; at most the server's, which is the default."
    )


class Theorem(Arguments):
    """A theorem, as text or file."""

    text: str | None = Text
    path: str | None = File
    language: str | None = Field(
        default=None, description="smt, lean, python or logic; by default told by file name or text."
    )
    theorem: str = One
    assume_definitions: bool = Field(default=False, description="Accept recursive definitions unseen.")


class Prove(Theorem):
    """A theorem, and how it is proved."""

    lemmas: str = Field(default="", max_length=MAX_TEXT, description="Goals in SMT-LIB that are proved first and used.")
    fresh: bool = Field(default=False, description="Ignore runs of earlier calls.")


class Check(Arguments):
    """A certificate, or a Lean file, and what it is to prove."""

    certificate: str | None = Field(default=None, max_length=4096, description=Certificate.description)
    text: str | None = Field(default=None, max_length=MAX_TEXT, description="A Lean file instead of a certificate.")
    path: str | None = Field(default=None, max_length=4096, description="The name of such a file.")
    against: str | None = Against
    against_path: str | None = AgainstFile
    theorem: str = One
    assume_definitions: bool = Field(default=False, description="Accept recursive definitions unseen.")


class Ask(Arguments):
    """A question in plain language, or a logic program."""

    question: str | None = Field(default=None, max_length=MAX_TEXT, description="In words; a model writes a program.")
    context: str = Field(default="", max_length=MAX_TEXT, description="The text that the answer is to rely on.")
    text: str | None = Field(default=None, max_length=MAX_TEXT, description="A program (SMT-LIB or JSON) instead.")
    path: str | None = Field(default=None, max_length=4096, description="The file of such a program.")
    world: Literal["open", "closed"] = Field(default="open", description="closed: what does not follow is false.")


class Formalize(Arguments):
    """A claim in words."""

    claim: str = Field(min_length=1, max_length=MAX_TEXT)
    context: str = Field(default="", max_length=MAX_TEXT, description="Formal definitions to be used as they are.")
    language: Literal["smt", "lean"] = "smt"


class Export(Arguments):
    """A certificate in SMT-LIB."""

    certificate: str = Certificate


class OfRun(Arguments):
    """A run."""

    run_id: str = Field(min_length=1, max_length=100, description="As an earlier answer names it.")


class Status(Arguments):
    """Runs."""

    limit: int = Field(default=10, ge=1, le=MOST_RUNS, description="The latest so many.")


class LeanText(Arguments):
    """A Lean text."""

    text: str | None = Text
    path: str | None = File


class LeanAttempts(LeanText):
    """A Lean text with a `sorry`, and what may stand there."""

    attempts: list[str] = Field(min_length=1, max_length=MOST_ATTEMPTS, description="Tactics or terms for the `sorry`.")
    line: int | None = Field(default=None, ge=1, description="Of the `sorry`; by default the first one.")


# -- The tools -----------------------------------------------------------------------------------------------------


class Toolbox:
    """The tools with what they share: a framework, processes that check, a Lean. An async context manager.

    Args:
        settings: of every run; ``budgets.wall_seconds`` is the most that a call may take (None: no limit).
        root: the folder below which files may be read.
    """

    def __init__(self, settings: Settings, root: Path) -> None:
        self._settings = settings
        self._root = Path(os.path.realpath(root))
        self._framework = GoedelsPoetryFramework(settings, checkpoint_all=False)
        self._pool = WorkerPool(1)
        self._lean: Any = None
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Toolbox:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._pool.aclose()
        if self._lean is not None:
            await self._lean.aclose()
        await self._framework.aclose()

    async def call(self, name: str, arguments: dict[str, Any], on_event: OnEvent) -> Reply:
        """The answer of a tool.

        Args:
            name: a key of `TOOLS`. on_event: called with each commit of a run; must not block.

        Raises:
            Refusal: the input cannot be worked on. Cancelling ends the processes at work.
        """
        tool = TOOLS[name]
        try:
            read = tool.arguments.model_validate(arguments)
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            known = ", ".join(tool.arguments.model_fields)
            raise Refusal(f"{where}: {first['msg']}; `{name}` takes {known}") from None
        try:
            return await tool.work(self, read, on_event)
        except (Refusal, BadCertificate, InvalidInput) as problem:
            raise Refusal(str(problem)) from problem
        except GoedelsPoetryError as problem:
            raise Refusal(one_line(problem)) from problem

    # -- what a caller may name ----------------------------------------------------------------------------
    def _seconds(self, given: float | None) -> float | None:
        most = self._settings.budgets.wall_seconds
        if given is not None and most is not None and given > most:
            raise Refusal(f"seconds may be {most:g} at most: the server's limit (goedels-poetry mcp --timeout)")
        return given or most

    def _budgets(self, given: float | None, **limits: int) -> Budgets:
        return self._settings.budgets.model_copy(update={"wall_seconds": self._seconds(given), **limits})

    def _allowed(self, name: str, *more: Path) -> Path:
        """A path below the root, links followed; raises Refusal."""
        try:
            place = Path(os.path.realpath(self._root / name))
        except (OSError, ValueError):
            raise Refusal(f"{ascii(name)[:200]} is no path") from None
        if not any(place.is_relative_to(folder) for folder in (self._root, *more)):
            raise Refusal(f"{ascii(name)[:200]} is not below the server's folder; `--root` of the server names another")
        return place

    def _certificate(self, name: str) -> Path:
        place = self._allowed(name, Path(os.path.realpath(self._settings.data_dir / "runs")))
        if not place.is_dir():
            raise Refusal(f"{ascii(name)[:200]}: there is no such folder; answers of `prove` name their certificate")
        return place

    async def _text(self, text: str | None, path: str | None) -> tuple[str, str]:
        """The text, and the file's name or ""; raises Refusal."""
        if (text is None) == (path is None):
            raise Refusal("give either text or path")
        if path is None:
            return text or "", ""
        place = self._allowed(path)
        if not place.is_file():
            raise Refusal(f"{ascii(path)[:200]}: there is no such file")
        try:
            data = await asyncio.to_thread(read_bytes, place, MAX_TEXT)
        except OSError as problem:
            raise Refusal(f"{path}: {problem.strerror}") from problem
        if len(data) > MAX_TEXT:
            raise Refusal(f"{path}: more than {MAX_TEXT} bytes")
        try:
            return data.decode(), path
        except UnicodeDecodeError as problem:
            raise Refusal(f"{path}: byte {problem.start + 1} is not UTF-8") from None

    # -- runs ----------------------------------------------------------------------------------------------
    async def prove(self, wanted: Prove, on_event: OnEvent) -> Reply:
        """Search for a proof; the checker decides."""
        lemmas = {"lemmas": wanted.lemmas} if wanted.lemmas else {}
        return await self._run(wanted, on_event, self._budgets(wanted.seconds), lemmas, wanted.fresh)

    async def refute(self, wanted: Theorem, on_event: OnEvent) -> Reply:
        """The first step of the same run alone: does it hold for values, for a solver, for CPython?"""
        reply = await self._run(wanted, on_event, self._budgets(wanted.seconds, agent_steps=1), {}, False)
        if reply.data["verdict"] != Verdict.OUT_OF_BUDGET:
            return reply
        open_still = {"verdict": str(Verdict.UNKNOWN), "reason": NO_COUNTEREXAMPLE, "exit_code": 1}
        data = {**reply.data, **open_still, "receipt": {**reply.data["receipt"], "verdict": str(Verdict.UNKNOWN)}}
        return Reply(data, f"unknown: {NO_COUNTEREXAMPLE}\nrun {data['run_id']}")

    async def _run(
        self, wanted: Theorem, on_event: OnEvent, budgets: Budgets, more: dict[str, str], fresh: bool
    ) -> Reply:
        text, file = await self._text(wanted.text, wanted.path)
        if not text.strip():
            raise Refusal("there is no theorem: the text is empty")
        options = {
            "file": "",  # a label is no path
            "assume_definitions": wanted.assume_definitions,
            **({"theorem": wanted.theorem} if wanted.theorem else {}),
            **more,
        }
        found = await self._framework.aprove(
            text,
            name=file or wanted.theorem or "text",
            language=wanted.language,
            options=options,
            budgets=budgets,
            fresh=fresh,
            on_event=on_event,
        )
        result = replace(found.result, input=file or "-")
        return _of_run(result, found.text, file or None, skipped=found.remembered)

    async def formalize(self, wanted: Formalize, on_event: OnEvent) -> Reply:
        """The formal statement of a claim, by a model, tested; nothing is proved."""
        result = await self._framework.arun(
            wanted.claim,
            name="claim",
            language=wanted.language,
            informal=True,
            only_state=True,
            context=wanted.context,
            budgets=self._budgets(wanted.seconds),
            on_event=on_event,
        )
        stated = result.formalization or {}
        text = str(stated["formal"]) if stated.get("formal") else f"no formal statement: {result.reason}"
        return Reply(_json(result.to_json()), text, failed=result.verdict is Verdict.INVALID)

    async def ask(self, wanted: Ask, on_event: OnEvent) -> Reply:
        """An answer that a solver has decided."""
        if (wanted.question is None) == (wanted.text is None and wanted.path is None):
            raise Refusal("give either question, or the program as text or path")
        if wanted.question is not None:
            question = Question(wanted.question, wanted.context, world=wanted.world)
            found = await solve(self._framework, question, on_event=on_event, budgets=self._budgets(wanted.seconds))
            data = {"schema": 1, **found.to_json(), "exit_code": found.verdict.exit_code}
            said = "no answer" if found.answer is None else str(found.answer).lower()
            return Reply(_json(data), f"{said} ({found.verdict}): {found.reason}".rstrip(": "))
        text, file = await self._text(wanted.text, wanted.path)
        dialect = "json" if text.lstrip("\ufeff \t\r\n").startswith("{") else "smt2"
        limit = self._seconds(wanted.seconds)
        milliseconds = 10_000.0 if limit is None else min(10_000.0, 1000 * limit)
        backend = BACKENDS[dialect](milliseconds, world=wanted.world, confirm=True, processes=1)
        try:
            answered = await asyncio.to_thread(backend.execute, text)
        finally:  # cancelled, too: then it ends the solvers
            await asyncio.shield(asyncio.to_thread(backend.close))
        about = {"exit_code": answered.verdict.exit_code, "error": None}
        data = {"schema": 1, "file": file or "-", **answered.to_json(), **about}
        said = "" if answered.answer is None else f": {answered.answer}"
        why = f"\n{answered.reason}" if answered.reason else ""
        return Reply(_json(data), f"{answered.verdict}{said}{why}", failed=answered.verdict is Verdict.INVALID)

    # -- certificates --------------------------------------------------------------------------------------
    async def check(self, wanted: Check, on_event: OnEvent) -> Reply:
        """The checker's verdict on a certificate or a Lean file, from nothing."""
        limit = self._seconds(wanted.seconds)
        against, compared = None, None
        if wanted.against is not None or wanted.against_path is not None:
            against, compared = await self._text(wanted.against, wanted.against_path)
        if (wanted.certificate is None) == (wanted.text is None and wanted.path is None):
            raise Refusal("give either a certificate, or a Lean file as text or path")
        lean, place = None, Path("text.lean")
        if wanted.certificate is None:
            lean, _ = await self._text(wanted.text, wanted.path)
        else:
            place = self._certificate(wanted.certificate)
            if against is not None and language_of(place) in ("smt", ""):
                from goedels_poetry.smt.notation.goals import excerpt  # only where the original is in SMT-LIB

                against = excerpt(against, wanted.theorem)
        report = await checked_in(
            self._pool,
            300.0 if limit is None else limit,
            place,
            against,
            lean_text=lean,
            theorem=wanted.theorem,
            assume_definitions=wanted.assume_definitions,
        )
        given = wanted.certificate or wanted.path or "-"
        level = None if report.trust_level is None else str(report.trust_level)
        made = receipt(
            report.verdict,
            None if lean is not None else place,
            trust_level=level,
            checked=basis_of(report.to_json()),
            checked_by=report.checked_by,
            statement=lean,
            against=compared or None,
        )
        data = answer(report, given, compared or ("-" if against is not None else None))
        shown = report.reasons if not report.accepted else (report.statement, *report.notes)
        assumed = [f"assumed: {each}" for each in report.assumptions]
        lines = [f"{report.verdict} ({level or 'not accepted'})", *assumed, *filter(None, shown), *_proof_of(made)]
        return Reply(_json({**data, "receipt": made}), "\n".join(lines), failed=report.verdict is Verdict.INVALID)

    async def export(self, wanted: Export, on_event: OnEvent) -> Reply:
        """The proof of a certificate as a Lean file that Lean accepts."""
        from goedels_poetry.lean.smt_proofs.export import exported  # Lean's modules, for who asks for them

        place, limit = self._certificate(wanted.certificate), self._seconds(wanted.seconds)
        archive = await asyncio.to_thread(read_archive, place)
        claim = str(archive.manifest["claim"])
        if claim == "counterexample":
            raise Refusal(f"{wanted.certificate}: it has no proof but a counterexample")
        evidence = canonical_json(archive.evidence, EVIDENCE)
        found = await exported(archive.theorem, evidence, self._settings.lean, limit, lambda done, all_: None, claim)
        data = found.to_json(Path(wanted.certificate))
        return Reply(_json(data), found.text if found.text is not None else f"no Lean file: {found.reason}")

    # -- looking -------------------------------------------------------------------------------------------
    async def explain(self, wanted: OfRun, on_event: OnEvent) -> Reply:
        """Of each open goal of a run: what was tried, what came nearest, what would help."""

        def look() -> Reply:
            with self._framework.open_store(wanted.run_id) as store:
                facts, leaves = RunFacts.of(store, None), open_leaves(store.nodes())
                every = [explain(store, goal, facts=facts) for goal in leaves]
            lines = [f"{goal.id}: {goal.statement or 'the theorem'}" for goal in leaves]
            told = [f"{line}\n  {'; '.join(each.advice)}" for line, each in zip(lines, every, strict=True)]
            data = {"schema": 1, "run_id": wanted.run_id, "explanations": [each.to_json() for each in every]}
            return Reply(_json(data), "\n".join(told) or "no goal is open")

        return await asyncio.to_thread(look)

    async def status(self, wanted: Status, on_event: OnEvent) -> Reply:
        """The latest runs."""
        runs = (await asyncio.to_thread(self._framework.runs))[: wanted.limit]
        lines = [f"{run.run_id}  {outcome(run)}  {run.name}" for run in runs]
        data = {"schema": 1, "runs": [{**asdict(run), "outcome": outcome(run)} for run in runs]}
        return Reply(_json(data), "\n".join(lines) or "no runs")

    # -- Lean as it is: messages, no verdict -----------------------------------------------------------------
    async def lean_run_code(self, wanted: LeanText, on_event: OnEvent) -> Reply:
        """What Lean says of a text."""
        text, _ = await self._text(wanted.text, wanted.path)
        return await self._lean_says([(None, text)], wanted.seconds)

    async def lean_multi_attempt(self, wanted: LeanAttempts, on_event: OnEvent) -> Reply:
        """What Lean says where one attempt after another stands in the place of a `sorry`."""
        from goedels_poetry.lean.runtime.protocol import CheckRequest, place

        text, _ = await self._text(wanted.text, wanted.path)
        lean = await self._open_lean()
        read = await lean.check(CheckRequest(text, holes=True, seconds=self._seconds(wanted.seconds) or 60.0))
        holes = [hole for hole in read.holes if wanted.line in (None, place(text, hole.start)[0])]
        if not holes:
            where = f"on line {wanted.line}" if wanted.line else "in the text"
            raise Refusal(f"there is no `sorry` {where} that Lean reaches")
        start, end = holes[0].start, holes[0].end
        deeper = "\n" + " " * (start - (text.rfind("\n", 0, start) + 1))
        tried = [(each, text[:start] + each.replace("\n", deeper) + text[end:]) for each in wanted.attempts]
        return await self._lean_says(tried, wanted.seconds)

    async def _lean_says(self, texts: Sequence[tuple[str | None, str]], seconds: float | None) -> Reply:
        from goedels_poetry.lean.runtime.protocol import CheckRequest

        lean, results, lines = await self._open_lean(), [], []
        for attempt, text in texts:
            found = await lean.check(CheckRequest(text, holes=True, seconds=self._seconds(seconds) or 60.0))
            messages = [
                {"severity": m.severity, "text": m.text, "line": m.line, "column": m.column + 1} for m in found.messages
            ]
            goals = [goal.goal for hole in found.holes for goal in hole.goals]
            about = {"status": found.status, "ok": found.ok, "attempt": attempt}
            results.append({**about, "messages": messages, "goals": goals})
            lines += [f"{attempt}: {'accepted' if found.ok else 'refused'}"] if attempt is not None else []
            lines += [found.error] if found.error else []
            lines += [f"{m['line']}:{m['column']}: {m['severity']}: {m['text']}" for m in messages]
        data = {"schema": 1, "lean": lean.version, "results": results}
        return Reply(_json(data), "\n".join(lines) or "no messages")

    async def _open_lean(self) -> Any:
        """A Lean that is warm: the one of the runs where it is idle, else one of our own."""
        from goedels_poetry.lean.runtime.opening import at_hand, open_lean

        async with self._opening:
            idle = at_hand(self._settings.lean)
            if idle is None and self._lean is None:
                self._lean = await asyncio.to_thread(open_lean, self._settings.lean, 1)
            return idle or self._lean


def _of_run(result: RunResult, text: str, file: str | None, *, skipped: bool) -> Reply:
    made = receipt(
        result.verdict,
        result.certificate,
        trust_level=result.trust_level,
        checked=result.checked,
        checked_by=result.checked_by,
        statement=text,
        against=file,
    )
    lines = [f"{result.verdict}{f' ({result.trust_level})' if result.trust_level else ''}", result.reason]
    if result.verdict is Verdict.INVALID and result.location:
        lines.append(str(result.location.get("source") or ""))
    if result.counterexample:
        lines.append(f"counterexample: {json.dumps(result.counterexample.get('values', result.counterexample))}")
    if result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET):
        lines += [f"open: {goal.statement or 'the theorem'}" for goal in result.open_goals[:3]]
    lines += [*(f"warning: {each}" for each in result.warnings), *_proof_of(made)]
    lines += [f"run {result.run_id}"] if result.run_id else []
    data = {**result.to_json(), "skipped": skipped and result.verdict is Verdict.PROVED, "receipt": made}
    return Reply(_json(data), "\n".join(filter(None, lines)), failed=result.verdict is Verdict.INVALID)


def _proof_of(made: dict[str, Any]) -> list[str]:
    """Lines about a receipt with a certificate."""
    return (
        [f"certificate sha256 {made['certificate_sha256']}", f"check again: {made['check']}"] if made["check"] else []
    )


def _json(data: dict[str, Any]) -> dict[str, Any]:
    """The data with JSON values only; half a surrogate pair, which no client can read, is written as its escape."""
    text = json.dumps(data, default=str).encode("ascii")
    found: dict[str, Any] = json.loads(text)
    with contextlib.suppress(UnicodeEncodeError):
        json.dumps(found, ensure_ascii=False).encode()
        return found
    cleaned: dict[str, Any] = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "backslashreplace"))
    return cleaned


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is offered."""

    work: Callable[[Toolbox, Any, OnEvent], Awaitable[Reply]]
    arguments: type[Arguments]
    schemas: tuple[str, ...]
    """The published schemas of its answer, of which one holds."""
    description: str
    certified: bool = False
    """The answer has a receipt."""
    keeps: bool = False
    """It leaves a run in the data directory; others change nothing."""
    asks_models: bool = False
    """It asks language models, where some are configured."""

    def output_schema(self) -> dict[str, Any]:
        """The schema of the answer's data."""
        published = [schema(name) for name in self.schemas]
        whole = published[0]
        if len(published) > 1:
            named = {name: each for one in published for name, each in one.pop("$defs", {}).items()}
            return {"type": "object", "anyOf": published, "$defs": named}
        if not self.certified:
            return whole
        properties = {**whole["properties"], "receipt": schema("receipt-v1")}
        return {**whole, "required": [*whole["required"], "receipt"], "properties": properties}


def schema(name: str) -> dict[str, Any]:
    """A published schema, to be put into another one."""
    found: dict[str, Any] = json.loads((shipped("schema") / f"{name}.json").read_text("utf-8"))
    return {key: value for key, value in found.items() if key != "$schema"}


TOOLS = {
    "prove": Tool(
        Toolbox.prove,
        Prove,
        ("result-v1",),
        "Prove or refute a theorem: SMT-LIB 2, Lean 4 with `sorry`, Python functions with contracts, a JSON program. "
        "Only the checker says `proved`. An unfinished run goes on with the same call and more seconds.",
        certified=True,
        keeps=True,
        asks_models=True,
    ),
    "refute": Tool(
        Toolbox.refute,
        Theorem,
        ("result-v1",),
        "Look for a counterexample of a theorem, quickly. `unknown`: none was found.",
        certified=True,
        keeps=True,
    ),
    "check": Tool(
        Toolbox.check,
        Check,
        ("check-v1",),
        "Check a certificate, or anyone's Lean file, from nothing and in fresh processes, against the theorem.",
        certified=True,
    ),
    "ask": Tool(
        Toolbox.ask,
        Ask,
        ("program-v1", "answer-v1"),
        "Answer a question in plain language (needs a model), or a logic program (needs none); a solver decides.",
        keeps=True,
        asks_models=True,
    ),
    "formalize": Tool(
        Toolbox.formalize,
        Formalize,
        ("result-v1",),
        "State a claim in words as a theorem, tested but not proved. Needs a model.",
        keeps=True,
        asks_models=True,
    ),
    "export": Tool(
        Toolbox.export, Export, ("export-v1",), "Write the proof of a certificate in SMT-LIB as a file for Lean."
    ),
    "explain": Tool(
        Toolbox.explain,
        OfRun,
        ("explanations-v1",),
        "Say of each open goal of a run what was tried, what came nearest and what would help.",
    ),
    "status": Tool(Toolbox.status, Status, ("runs-v1",), "List the latest runs: under way, stopped or finished."),
    "lean_run_code": Tool(
        Toolbox.lean_run_code, LeanText, ("lean-messages-v1",), "Elaborate a Lean 4 text: its messages and goals."
    ),
    "lean_diagnostic_messages": Tool(
        Toolbox.lean_run_code, LeanText, ("lean-messages-v1",), "The messages of Lean 4 on a file or a text."
    ),
    "lean_multi_attempt": Tool(
        Toolbox.lean_multi_attempt,
        LeanAttempts,
        ("lean-messages-v1",),
        "Try several tactics or terms in the place of a `sorry`, each by itself.",
    ),
    "lean_verify": Tool(
        Toolbox.check,
        Check,
        ("check-v1",),
        "Audit a Lean 4 file: no `sorry`, no axiom of its own, accepted by two kernels; against a theorem, if given.",
        certified=True,
    ),
}
