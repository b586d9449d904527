"""SMT-LIB 2.6 as a proof language of the machine: every method is a job in a worker process."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import OUT_OF_TIME, InvalidInput
from goedels_poetry.protocol.base import FAILED, PASSED, Goal, JobPool, Outcome, Sequent, Stated, Theorem
from goedels_poetry.protocol.reading import READ_SECONDS, read_apart
from goedels_poetry.protocol.trials import trial_log, unfinished
from goedels_poetry.smt.notation.goals import IN_LEMMAS
from goedels_poetry.smt.notation.reply_forms import (
    FORMAL_FORMAT,
    FORMAL_LANGUAGE,
    FORMAL_TAGS,
    PROOF_SCHEMA,
    SKETCH_SCHEMA,
)
from goedels_poetry.solvers.cvc5_process import CHILD as CVC5_CHILD
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout, WorkerPool
from goedels_poetry.version import __version__

Json = dict[str, Any]

JOBS = "goedels_poetry.smt.jobs.symbolic"
MODEL_JOBS = "goedels_poetry.smt.jobs.replies"
CONFIRMING = "goedels_poetry.smt.jobs.confirming"
JOB_SECONDS = 3600.0
MEMORY_MB = 4096
READ_MEMORY_MB = 1024
_COMMENT = re.compile(r'(\|[^|]*\||"[^"]*(?:""[^"]*)*")|;[^\r\n]*')
_GOAL = re.compile(r"\(\s*(?:prove|assert-not)\b")
KEPT_TEXTS = 128
KEPT_KEYS = 8192
"""Statements of sketches whose keys are kept; what is decomposed later than that is read again."""

_MOST_URGENT_FIRST = (
    f"{JOBS}:verify",
    f"{JOBS}:correct",
    f"{MODEL_JOBS}:sketch_within",
    f"{JOBS}:prove",
    f"{JOBS}:retrieve",
    f"{JOBS}:sketch",
    f"{JOBS}:verify_sketch",
    f"{MODEL_JOBS}:verify_idea",
    f"{CONFIRMING}:confirm_refutation",
    f"{JOBS}:judge",
)
"""Jobs in the order of the goals that have come furthest: so that one goal is done, or asks its model, while others
wait for a worker, instead of all of them at the end."""
_JOB_OF = {job.rpartition(":")[2]: job for job in _MOST_URGENT_FIRST}
_URGENCY = {job: number for number, job in enumerate(_MOST_URGENT_FIRST)}


@dataclass(frozen=True, slots=True)
class Reading:
    """What the process that has read a theorem says of it: nothing of its text is parsed in this one."""

    theory: str
    """A hash of all that a statement rests on."""
    key: str
    """Of the goal itself, see `Language.canonical`."""
    empty: bool
    """Whether the goal says nothing, see `says_nothing`."""


class SmtLanguage:
    """SMT-LIB scripts: datatypes, recursive definitions, quantifiers, the theories of Z3 and cvc5."""

    name = "smt"
    suffixes: tuple[str, ...] = (".smt2", ".smt")
    proof_attempts = 1
    repair_prompt = None
    proof_schema = PROOF_SCHEMA
    sketch_schema = SKETCH_SCHEMA
    formal_language = FORMAL_LANGUAGE
    formal_format = FORMAL_FORMAT
    formal_tags = FORMAL_TAGS
    sketch_needs = ("scheme", "query")
    """One of these says why the children of a sketch are enough."""

    @property
    def verifier(self) -> str:
        """Who reads formal statements, with versions: what a stored one is compared with."""
        from goedels_poetry.solvers.versions import solver_versions  # it takes a while to load

        return f"smt {__version__}, z3 {solver_versions()['z3']}"

    def __init__(self, workers: int | None = None) -> None:
        """``workers``: jobs at once; one for each processor by default."""
        self._own = WorkerPool(workers, modules=(JOBS, CVC5_CHILD))
        self._pool: JobPool = self._own
        self._readers = WorkerPool(1)  # reading a reply takes no time and must not wait for a search
        self._keys: OrderedDict[tuple[str, str], str] = OrderedDict()  # by theorem and statement
        self._searched: OrderedDict[tuple[str, str], tuple[str, Json]] = OrderedDict()  # text, hint; by theorem, lemmas

    def work_on(self, pool: JobPool) -> None:
        """See `Spreading.work_on`."""
        self._pool = pool

    async def read(self, text: str, options: Json) -> Theorem:
        """See `Language.read`."""
        answer = await self._apart("read", text, options)
        self._searched[text, str(options.get("lemmas") or "")] = answer["text"], answer["hint"]
        while len(self._searched) > KEPT_TEXTS:
            self._searched.popitem(last=False)
        reading = Reading(answer["theory"], answer["key"], answer["empty"])
        warnings = tuple(answer["warnings"])
        return Theorem("smt", text, dict(options), answer["statement"], warnings, reading, answer["seconds"])

    async def _apart(self, job: str, text: str, options: Json) -> Json:
        """What a job says about a text; InvalidInput: what is wrong with that."""
        said = {"theorem": text, "name": options.get("theorem", ""), "lemmas": str(options.get("lemmas") or "")}
        answer: Json = await read_apart(self._pool, f"{JOBS}:{job}", said, MEMORY_MB, len(_URGENCY))
        if answer["ok"]:
            return answer
        error = InvalidInput(answer["message"], answer["line"], answer["column"], answer["hint"])
        raise error if answer["message"].startswith(IN_LEMMAS) else error.in_text(text)

    async def theorems(self, text: str) -> tuple[str, ...]:
        """See `SeveralTheorems.theorems`: the goals, where there are several."""
        if len(_GOAL.findall(text)) < 2:
            return ()
        try:
            names = [goal["name"] for goal in (await self._apart("goals", text, {"theorem": None}))["goals"]]
        except InvalidInput:
            return ()
        return tuple(names) if len(names) > 1 else ()

    async def goals(self, text: str, options: Json) -> tuple[str, tuple[Stated, ...]]:
        """See `InOrder.goals`."""
        meant = options.get("theorem") or options.get("lemmas") or len(_GOAL.findall(text)) > 1
        if self.name != "smt" or not meant:
            return text, ()
        answer = await self._apart("goals", text, options)
        lists = ("hide", "named", "symbols")
        goals = [Stated(**{**goal, **{each: tuple(goal[each]) for each in lists}}) for goal in answer["goals"]]
        return answer["text"], tuple(goals)

    def hint(self, goal: Goal) -> Json | None:
        """See `InOrder.hint`."""
        sketch: Json | None = self._known(goal)[1].get("sketch")
        return None if goal.statement else sketch

    def _known(self, goal: Goal) -> tuple[str, Json]:
        """The text that the search has of a theorem, and the hint."""
        return self._searched.get((goal.theorem, str(goal.options.get("lemmas") or "")), (goal.theorem, {}))

    def plain(self, theorem: Theorem) -> str:
        """The script without comments. See `Examinable.plain`."""
        text = _COMMENT.sub(lambda match: match[1] or "", theorem.text)
        return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())

    async def sanity_tests(self, theorem: Theorem, given: str) -> Outcome:
        """See `Examinable.sanity_tests`; counterexamples and contradictions are the judge's."""
        reading: Reading = theorem.data
        empty = "it says nothing: its conclusion holds by the form alone"
        text = empty if reading.empty else "its conclusion has content"
        test = {"test": "says something", "outcome": FAILED if reading.empty else PASSED, "words": text}
        return Outcome(not reading.empty, {"tests": [test]}, text if reading.empty else "")

    async def judge(self, theorem: Theorem) -> Outcome:
        """See `Language.judge`."""
        payload = {
            "theorem": theorem.text,
            "seed": theorem.options.get("seed", 0),
            "assume_definitions": theorem.options.get("assume_definitions", False),
        }
        return await self._job("judge", payload)

    async def prove(self, goal: Goal) -> Outcome:
        """See `Language.prove`."""
        return await self._job("prove", self._payload(goal))

    async def verify(self, goal: Goal, candidate: Json) -> Outcome:
        """See `Language.verify`."""
        return await self._job("verify", {**self._payload(goal), "candidate": candidate})

    async def correct(self, goal: Goal, candidate: Json, report: Any) -> Outcome:
        """See `Language.correct`."""
        return await self._job("correct", {**self._payload(goal), "candidate": candidate})

    async def sketch(self, goal: Goal) -> Outcome:
        """See `Language.sketch`."""
        return await self._job("sketch", {**self._payload(goal), "banned": list(goal.banned)})

    async def verify_sketch(self, goal: Goal, sketch: Json) -> Outcome:
        """See `Language.verify_sketch`."""
        if "idea" in sketch:
            return await self._job("verify_idea", {**self._payload(goal), "sketch": sketch})
        return await self._job("verify_sketch", {**self._payload(goal), "sketch": sketch})

    async def correct_sketch(self, goal: Goal, sketch: Json, report: Any) -> Outcome:
        """See `Language.correct_sketch`: another plan, for which the rejected one counts as banned."""
        banned = [*goal.banned, sketch["fingerprint"]]
        return await self._job("sketch", {**self._payload(goal), "banned": banned})

    async def retrieve(self, goal: Goal, lemmas: list[Json]) -> Outcome:
        """See `Language.retrieve`."""
        return await self._job("retrieve", {**self._payload(goal), "lemmas": lemmas})

    async def describe(self, goal: Goal) -> dict[str, str]:
        """See `ModelGuided.describe`."""
        payload = self._payload(goal)
        return dict(await self._readers.run(f"{MODEL_JOBS}:describe", payload, READ_SECONDS[0], READ_MEMORY_MB))

    async def sequent(self, goal: Goal) -> Sequent:
        """See `Readable.sequent`."""
        answer = await self._readers.run(f"{JOBS}:sequent", self._payload(goal), READ_SECONDS[0], READ_MEMORY_MB)
        return Sequent.from_json(answer)

    async def read_candidate(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_candidate`."""
        return await self._read(goal, f"{MODEL_JOBS}:read_candidate", reply)

    async def read_sketch(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_sketch`."""
        return await self._read(goal, f"{MODEL_JOBS}:read_sketch", reply)

    async def confirm_refutation(self, goal: Goal, refutation: Any) -> Outcome:
        """See `Refutable.confirm_refutation`."""
        payload = {**self._payload(goal), "refutation": refutation}
        found = await self._job("confirm_refutation", payload)
        if self.name != "smt" and found.value.get("detail"):  # what is evidence about a translation, is none here
            return Outcome(False, {}, "values of the translation alone do not refute the function", found.cost)
        return found

    async def sketch_within(self, goal: Goal, calls: int, *, leave_open: bool) -> Outcome:
        """See `ModelGuided.sketch_within`."""
        payload = {**self._payload(goal), "banned": list(goal.banned), "calls": calls, "open": leave_open}
        return await self._job("sketch_within", payload)

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`. Statements of sketches came with their keys; others are read apart."""
        reading: Reading = theorem.data
        key = self._keys.get((theorem.text, statement)) if statement else reading.key
        if key is None:
            payload = {"theorem": theorem.text, "statement": statement}
            answer = await self._readers.run(f"{JOBS}:canonical", payload, READ_SECONDS[0], READ_MEMORY_MB)
            key = str(answer["key"])
        return f"{reading.theory}:{key}"

    async def assemble(self, theorem: Theorem, derivation: list[Json]) -> Json:
        """See `Language.assemble`: the steps as they are."""
        return {"derivation": derivation}

    async def assemble_answer(self, theorem: Theorem, answer: Json) -> Json:
        """See `Language.assemble_answer`: how it was refuted, and by which values."""
        return {key: value for key, value in answer.items() if key in ("refuted_by", "evidence")}

    async def aclose(self) -> None:
        """See `Language.aclose`."""
        await asyncio.gather(self._readers.aclose(), self._own.aclose())

    def _payload(self, goal: Goal) -> Json:
        """What a job is told of a goal; a language whose texts become theorems of this one says another text."""
        text, hint = self._known(goal)
        return {
            "theorem": text,
            **({"hide": hint["hide"]} if hint.get("hide") else {}),
            "statement": goal.statement,
            "scope": [list(fact) for fact in goal.scope],
            "attempt": goal.attempt,
            "seed": goal.options.get("seed", 0),
            "without": list(goal.options.get("without", ())),
            "left": goal.seconds_left,
            "in_units": goal.in_units,
        }

    async def _read(self, goal: Goal, job: str, reply: str | Json) -> Outcome:
        payload = {**self._payload(goal), "reply": reply}
        try:
            answer = await self._readers.run(job, payload, READ_SECONDS[0], READ_MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            return Outcome(False, {}, f"the reply cannot be read: {error}", fault=isinstance(error, JobCrashed))
        return Outcome(answer["ok"], answer["value"], answer["reason"], answer["cost"])

    async def _job(self, function: str, payload: Json) -> Outcome:
        log = trial_log()
        if log.path is not None:
            payload = {**payload, "log": str(log.path)}
        try:
            # A search in the model's place is no part of a direct attempt.
            urgency = _URGENCY[_JOB_OF["sketch" if payload.get("open") else function]]
            answer = await self._pool.run(_JOB_OF[function], payload, JOB_SECONDS, MEMORY_MB, urgency)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            if log.path is not None:  # there is no result for it to come back with
                log.take(unfinished(log.path).to_json())
            ran_out = f"{OUT_OF_TIME}: " if isinstance(error, JobTimeout) else ""
            return Outcome(False, {}, f"{ran_out}{function}: {error}", fault=isinstance(error, JobCrashed))
        self._keep(payload["theorem"], answer["keys"])
        log.take(answer.get("trials", {}))
        return Outcome(answer["ok"], answer["value"], answer["reason"], answer["cost"])

    def _keep(self, theorem: str, keys: dict[str, str]) -> None:
        self._keys.update(((theorem, statement), key) for statement, key in keys.items())
        while len(self._keys) > KEPT_KEYS:
            self._keys.popitem(last=False)
