"""Tools for programs: arguments in, an object of a published schema and a short text out; one warm process for all.

What a caller may read are files below one folder, and certificates of runs. Every verdict is the checker's of today:
what an earlier run claims is checked again (`GoedelsPoetryFramework.aprove`).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from goedels_poetry.checker.by_language import language_of
from goedels_poetry.checker.certificate.archive import EVIDENCE, BadCertificate, read_archive, read_canonical
from goedels_poetry.checker.certificate.receipt import basis_of, receipt
from goedels_poetry.checker.certificate.writing import report_to_json
from goedels_poetry.checker.limited import Wanted, answer, checked_in
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, one_line
from goedels_poetry.files import read_bytes, shipped
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.opening import at_hand, open_lean
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, place
from goedels_poetry.reasoning.backends import BACKENDS
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Budgets, Settings
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.store.results import OnEvent, RunResult
from goedels_poetry.store.runs import outcome, outcome_text
from goedels_poetry.trace.explain import RunFacts, open_leaves
from goedels_poetry.trace.explain import explain as explanation
from goedels_poetry.trace.wording import worded

MAX_TEXT = 1_000_000
"""Characters of a text."""
MOST_RUNS = 50
"""That `status` lists."""
CHECK_SECONDS = 300.0
"""For a check, where the server has no limit."""
PROGRAM_SECONDS = 10.0
"""For the solvers of a logic program."""
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


# -- What tools take -------------------------------------------------------------------------------------------------


def _string(about: str, most: int = MAX_TEXT) -> Any:
    return Field(max_length=most, description=about)


Seconds = Annotated[
    float | None,
    Field(gt=0, allow_inf_nan=False, description="Limit; at most the server's, which is the default."),
]
Text = Annotated[str | None, _string("The text itself; else give `path`.")]
File = Annotated[str | None, _string("A file below the server's folder; else give `text`.", 4096)]
LanguageName = Annotated[str | None, _string("smt, lean, python or logic; by default told by file name or text.", 100)]
One = Annotated[str, _string("Name of the one theorem or function of the text that is meant.", 1000)]
Assumes = Annotated[bool, Field(description="Accept recursive definitions unseen.")]
Against = Annotated[str | None, _string("Text of the theorem that it has to be a proof of.")]
AgainstFile = Annotated[str | None, _string("A file with that text.", 4096)]
Certificate = Annotated[str, _string("A certificate's folder, as an earlier answer names it.", 4096)]

WorldName = Annotated[Literal["open", "closed"], Field(description="closed: what does not follow is false.")]

Work = Callable[..., Awaitable[Reply]]


@dataclass(frozen=True)
class Tool:
    """A tool as it is offered: a method of `Toolbox`, its docstring for agents, its parameters for their arguments."""

    work: Work
    schemas: tuple[str, ...]
    """The published schemas of its answer, of which one holds."""
    certified: bool
    """The answer has a receipt."""
    keeps: bool
    """It leaves a run in the data directory; others change nothing."""
    asks_models: bool
    """It asks language models, where some are configured."""

    @property
    def description(self) -> str:
        """For agents."""
        return " ".join((self.work.__doc__ or "").split())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """What it takes."""
        hints = get_type_hints(self.work, include_extras=True)
        parameters = list(signature(self.work).parameters.values())[2:]
        fields: dict[str, Any] = {
            p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
        }
        return create_model(self.work.__name__, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    def output_schema(self) -> dict[str, Any]:
        """The schema of the answer's data."""
        published = [schema(name) for name in self.schemas]
        if len(published) > 1:
            named = {name: each for one in published for name, each in one.pop("$defs", {}).items()}
            return {"type": "object", "anyOf": published, "$defs": named}
        whole = published[0]
        if not self.certified:
            return whole
        properties = {**whole["properties"], "receipt": schema("receipt-v1")}
        return {**whole, "required": [*whole["required"], "receipt"], "properties": properties}


TOOLS: dict[str, Tool] = {}
W = TypeVar("W", bound=Work)


def tool(*schemas: str, certified: bool = False, keeps: bool = False, asks_models: bool = False) -> Callable[[W], W]:
    """Offer a method, whose first parameter is the listener of a run's commits; see `Tool`."""

    def offered(work: W) -> W:
        TOOLS[work.__name__] = Tool(work, schemas, certified, keeps, asks_models)
        return work

    return offered


def schema(name: str) -> dict[str, Any]:
    """A published schema, to be put into another one."""
    found: dict[str, Any] = json.loads((shipped("schema") / f"{name}.json").read_text("utf-8"))
    return {key: value for key, value in found.items() if key != "$schema"}


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
        self._lean: LeanPool | None = None
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
        try:
            read = TOOLS[name].arguments.model_validate(arguments)
        except ValidationError as problem:
            first = problem.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            known = ", ".join(TOOLS[name].arguments.model_fields)
            raise Refusal(f"{where}: {first['msg']}; `{name}` takes {known}") from None
        try:
            return await TOOLS[name].work(self, on_event, **dict(read))
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
    @tool("result-v1", certified=True, keeps=True, asks_models=True)
    async def prove(
        self,
        on_event: OnEvent,
        text: Text = None,
        path: File = None,
        language: LanguageName = None,
        theorem: One = "",
        lemmas: Annotated[str, _string("Goals in SMT-LIB that are proved first and used.")] = "",
        assume_definitions: Assumes = False,
        fresh: Annotated[bool, Field(description="Ignore runs of earlier calls.")] = False,
        proofs: Annotated[bool, Field(description="Write its proof objects, too: L4 if all are accepted.")] = False,
        seconds: Seconds = None,
    ) -> Reply:
        """Prove or refute a theorem: SMT-LIB 2, Lean 4 with `sorry`, Python functions with contracts, a JSON program.
        Only the checker says `proved`. An unfinished run goes on with the same call and more seconds."""
        options = {"assume_definitions": assume_definitions, "theorem": theorem, "lemmas": lemmas}
        return await self._run(on_event, text, path, language, options, self._budgets(seconds), fresh, proofs)

    @tool("result-v1", certified=True, keeps=True)
    async def refute(
        self,
        on_event: OnEvent,
        text: Text = None,
        path: File = None,
        language: LanguageName = None,
        theorem: One = "",
        assume_definitions: Assumes = False,
        seconds: Seconds = None,
    ) -> Reply:
        """Look for a counterexample of a theorem, quickly. `unknown`: none was found."""
        options = {"assume_definitions": assume_definitions, "theorem": theorem}  # the first step of the run of `prove`
        reply = await self._run(on_event, text, path, language, options, self._budgets(seconds, agent_steps=1), False)
        if reply.data["verdict"] != Verdict.OUT_OF_BUDGET:
            return reply
        open_still = {"verdict": str(Verdict.UNKNOWN), "reason": NO_COUNTEREXAMPLE, "exit_code": 1}
        data = {**reply.data, **open_still, "receipt": {**reply.data["receipt"], "verdict": str(Verdict.UNKNOWN)}}
        return Reply(data, f"unknown: {NO_COUNTEREXAMPLE}\nrun {data['run_id']}")

    async def _run(
        self,
        on_event: OnEvent,
        given: str | None,
        path: str | None,
        language: str | None,
        options: dict[str, Any],
        budgets: Budgets,
        fresh: bool,
        proofs: bool = False,
    ) -> Reply:
        text, file = await self._text(given, path)
        if not text.strip():
            raise Refusal("there is no theorem: the text is empty")
        found = await self._framework.aprove(
            text,
            name=file or None,
            language=language,
            options={"file": "", **{name: value for name, value in options.items() if value != ""}},  # a label, no path
            budgets=budgets,
            fresh=fresh,
            on_event=on_event,
        )
        result = replace(found.result, input=file or "-")
        if proofs:
            from goedels_poetry.interfaces.proof_levels import with_proof_objects  # for who asks for them

            assumed, seconds = bool(options["assume_definitions"]), budgets.wall_seconds
            result = await with_proof_objects(result, found.text, assumed, lambda said: None, self._pool, seconds)
        return _of_run(result, found.text, file or None, skipped=found.remembered)

    @tool("result-v1", keeps=True, asks_models=True)
    async def formalize(
        self,
        on_event: OnEvent,
        claim: Annotated[str, _string("In words.")],
        context: Annotated[str, _string("Formal definitions to be used as they are.")] = "",
        language: Literal["smt", "lean"] = "smt",
        seconds: Seconds = None,
    ) -> Reply:
        """State a claim in words as a theorem, tested but not proved. Needs a model."""
        result = await self._framework.arun(
            claim,
            name="claim",
            language=language,
            informal=True,
            only_state=True,
            context=context,
            budgets=self._budgets(seconds),
            on_event=on_event,
        )
        stated = result.formalization or {}
        said = str(stated["formal"]) if stated.get("formal") else f"no formal statement: {result.reason}"
        return Reply(_json(result.to_json()), said, failed=result.verdict is Verdict.INVALID)

    @tool("program-v1", "answer-v1", keeps=True, asks_models=True)
    async def ask(
        self,
        on_event: OnEvent,
        question: Annotated[str | None, _string("In words; a model writes a program.")] = None,
        context: Annotated[str, _string("The text that the answer is to rely on.")] = "",
        text: Annotated[str | None, _string("A program (SMT-LIB or JSON) instead.")] = None,
        path: Annotated[str | None, _string("The file of such a program.", 4096)] = None,
        world: WorldName = "open",
        seconds: Seconds = None,
    ) -> Reply:
        """Answer a question in plain language (needs a model), or a logic program (needs none); a solver decides."""
        if (question is None) == (text is None and path is None):
            raise Refusal("give either question, or the program as text or path")
        if question is not None:
            asked, budgets = Question(question, context, world=world), self._budgets(seconds)
            found = await solve(self._framework, asked, on_event=on_event, budgets=budgets)
            data = {"schema": 1, **found.to_json(), "exit_code": found.exit_code}
            said = "no answer" if found.answer is None else str(found.answer).lower()
            return Reply(_json(data), f"{said} ({found.verdict}): {found.reason}".rstrip(": "))
        program, file = await self._text(text, path)
        dialect = "json" if program.lstrip("\ufeff \t\r\n").startswith("{") else "smt2"
        limit = min(PROGRAM_SECONDS, self._seconds(seconds) or PROGRAM_SECONDS)
        backend = BACKENDS[dialect](1000 * limit, world=world, confirm=True, processes=1)
        try:
            answered = await asyncio.to_thread(backend.execute, program)
        finally:  # cancelled, too: then it ends the solvers
            await asyncio.shield(asyncio.to_thread(backend.close))
        about = {"exit_code": answered.verdict.exit_code, "error": None}
        said = "" if answered.answer is None else f": {answered.answer}"
        why = f"\n{answered.reason}" if answered.reason else ""
        data = {"schema": 1, "file": file or "-", **answered.to_json(), **about}
        return Reply(_json(data), f"{answered.verdict}{said}{why}", failed=answered.verdict is Verdict.INVALID)

    # -- certificates --------------------------------------------------------------------------------------
    @tool("check-v1", certified=True)
    async def check(
        self,
        on_event: OnEvent,
        certificate: Certificate | None = None,
        text: Annotated[str | None, _string("A Lean file instead of a certificate.")] = None,
        path: Annotated[str | None, _string("The name of such a file.", 4096)] = None,
        against: Against = None,
        against_path: AgainstFile = None,
        theorem: One = "",
        assume_definitions: Assumes = False,
        proofs: Annotated[bool, Field(description="Check its proof objects, too: L4 if all are proofs.")] = False,
        seconds: Seconds = None,
    ) -> Reply:
        """Check a certificate, or anyone's Lean file, from nothing and in fresh processes, against the theorem."""
        limit = self._seconds(seconds)
        original, compared = None, None
        if against is not None or against_path is not None:
            original, compared = await self._text(against, against_path)
        if (certificate is None) == (text is None and path is None):
            raise Refusal("give either a certificate, or a Lean file as text or path; `against` has the theorem")
        lean, place = None, Path("text.lean")
        if certificate is None:
            lean, _ = await self._text(text, path)
        else:
            place = self._certificate(certificate)
            if original is not None and language_of(place) in ("smt", ""):
                from goedels_poetry.smt.notation.goals import excerpt  # only where the original is in SMT-LIB

                original = excerpt(original, theorem)
        more: Wanted = {
            "lean_text": lean,
            "theorem": theorem,
            "assume_definitions": assume_definitions,
            "proofs": proofs,
        }
        report = await checked_in(self._pool, limit or CHECK_SECONDS, place, original, **more)
        level = None if report.trust_level is None else str(report.trust_level)
        made = receipt(
            report.verdict,
            None if lean is not None else place,
            trust_level=level,
            checked=basis_of(report_to_json(report)),
            checked_by=report.checked_by,
            statement=lean,
            against=compared or None,
        )
        data = answer(report, certificate or path or "-", compared or ("-" if original is not None else None))
        shown = report.reasons if not report.accepted else (report.statement, *report.notes)
        assumed = [f"assumed: {each}" for each in report.assumptions]
        lines = [f"{report.verdict} ({level or 'not accepted'})", *assumed, *filter(None, shown)]
        lines += _proof_of(made) if report.accepted else []
        return Reply(_json({**data, "receipt": made}), "\n".join(lines), failed=report.verdict is Verdict.INVALID)

    @tool("export-v1")
    async def export(self, on_event: OnEvent, certificate: Certificate, seconds: Seconds = None) -> Reply:
        """Write the proof of a certificate in SMT-LIB as a file for Lean."""
        from goedels_poetry.lean.smt_proofs.export import exported  # Lean's modules, for who asks for them

        place, limit = self._certificate(certificate), self._seconds(seconds)
        archive = await asyncio.to_thread(read_archive, place)
        claim = str(archive.manifest["claim"])
        if claim == "counterexample":
            raise Refusal(f"{certificate}: it has no proof but a counterexample")
        evidence = read_canonical(archive.evidence, EVIDENCE)
        found = await exported(archive.theorem, evidence, self._settings.lean, limit, lambda done, all_: None, claim)
        said = found.text if found.text is not None else f"no Lean file: {found.reason}"
        return Reply(_json(found.to_json(Path(certificate))), said)

    # -- looking -------------------------------------------------------------------------------------------
    @tool("explanations-v1")
    async def explain(
        self, on_event: OnEvent, run_id: Annotated[str, _string("As an earlier answer names it.", 100)]
    ) -> Reply:
        """Say of each open goal of a run what was tried, what came nearest and what would help."""

        def look() -> Reply:
            with self._framework.open_store(run_id) as store:
                facts, leaves, spoken = RunFacts.of(store, None), open_leaves(store.nodes()), store.meta("language")
                every = [explanation(store, goal, facts=facts) for goal in leaves]
            lines = [f"{goal.id}: {worded(goal.statement, spoken) or 'the theorem'}" for goal in leaves]
            told = [f"{line}\n  {'; '.join(each.advice)}" for line, each in zip(lines, every, strict=True)]
            data = {"schema": 1, "run_id": run_id, "explanations": [each.to_json() for each in every]}
            return Reply(_json(data), "\n".join(told) or "no goal is open")

        return await asyncio.to_thread(look)

    @tool("runs-v1")
    async def status(
        self, on_event: OnEvent, limit: Annotated[int, Field(ge=1, le=MOST_RUNS, description="So many.")] = 10
    ) -> Reply:
        """List the latest runs: under way, stopped or finished."""
        runs = (await asyncio.to_thread(self._framework.runs))[:limit]
        lines = [f"{run.run_id}  {outcome_text(run)}  {run.name}" for run in runs]
        data = {"schema": 1, "runs": [{**asdict(run), "outcome": outcome(run)} for run in runs]}
        return Reply(_json(data), "\n".join(lines) or "no runs")

    # -- Lean as it is: messages, no verdict -----------------------------------------------------------------
    @tool("lean-messages-v1")
    async def lean_run_code(
        self, on_event: OnEvent, text: Text = None, path: File = None, seconds: Seconds = None
    ) -> Reply:
        """Elaborate a Lean 4 text: its messages, and the goals of each `sorry`. No verdict."""
        code, _ = await self._text(text, path)
        return await self._lean_says([(None, code)], seconds)

    @tool("lean-messages-v1")
    async def lean_multi_attempt(
        self,
        on_event: OnEvent,
        attempts: Annotated[list[str], Field(min_length=1, max_length=32, description="Tactics or terms.")],
        text: Text = None,
        path: File = None,
        line: Annotated[int | None, Field(ge=1, description="Of the `sorry`; by default the first one.")] = None,
        seconds: Seconds = None,
    ) -> Reply:
        """Try several tactics or terms in the place of a `sorry`, each by itself. No verdict."""
        code, _ = await self._text(text, path)
        lean, limit = await self._open_lean(), self._seconds(seconds) or CHECK_SECONDS
        read = await lean.check(CheckRequest(code, holes=True, seconds=limit))
        holes = [hole for hole in read.holes if line in (None, place(code, hole.start)[0])]
        if not holes:
            raise Refusal(f"there is no `sorry` {f'on line {line}' if line else 'in the text'} that Lean reaches")
        start, end = holes[0].start, holes[0].end
        deeper = "\n" + " " * (start - (code.rfind("\n", 0, start) + 1))
        tried = [(each, code[:start] + each.replace("\n", deeper) + code[end:]) for each in attempts]
        return await self._lean_says(tried, seconds)

    async def _lean_says(self, texts: Sequence[tuple[str | None, str]], seconds: float | None) -> Reply:
        lean, results, lines = await self._open_lean(), [], []
        for attempt, text in texts:
            limit = self._seconds(seconds) or CHECK_SECONDS
            found = await lean.check(CheckRequest(text, holes=True, seconds=limit))
            messages = [
                {"severity": m.severity, "text": m.text, "line": m.line, "column": m.column + 1} for m in found.messages
            ]
            goals = [goal.goal for hole in found.holes for goal in hole.goals]
            complete = found.ok and not found.holes and all(m.kind != "hasSorry" for m in found.messages)
            about = {"status": found.status, "ok": found.ok, "complete": complete, "attempt": attempt}
            results.append({**about, "messages": messages, "goals": goals})
            word = "complete" if complete else "leaves a `sorry`" if found.ok else "refused"
            lines += [f"{attempt}: {word}"] if attempt is not None else []
            lines += [found.error] if found.error else []
            lines += [f"{m['line']}:{m['column']}: {m['severity']}: {m['text']}" for m in messages]
            lines += [f"goal:\n{goal}" for goal in goals]
        data = {"schema": 1, "lean": lean.version, "results": results}
        return Reply(_json(data), "\n".join(lines) or "no messages")

    async def _open_lean(self) -> LeanPool:
        """A Lean that is warm: the one of the runs where it is idle, else one of our own."""
        async with self._opening:
            idle = at_hand(self._settings.lean)
            if idle is None and self._lean is None:
                self._lean = await asyncio.to_thread(open_lean, self._settings.lean, 1)
            found = idle or self._lean
            assert found is not None
            return found


TOOLS["lean_verify"] = TOOLS["check"]  # names that agents know from elsewhere
TOOLS["lean_diagnostic_messages"] = TOOLS["lean_run_code"]


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
        lines += [f"open: {worded(goal.statement, result.language) or 'the theorem'}" for goal in result.open_goals[:3]]
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
    """The data with JSON values only."""
    found: dict[str, Any] = json.loads(json.dumps(data, default=str))
    return found
