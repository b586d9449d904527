"""SMT-LIB 2.6 as a proof language of the machine: every method is a job in a worker process."""

from __future__ import annotations

import hashlib
import time
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from goedels_poetry import __version__
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.base import Certificate, Goal, Outcome, Theorem
from goedels_poetry.languages.smt.describe import PROOF_SCHEMA, SKETCH_SCHEMA, describe_goal, describe_problem
from goedels_poetry.languages.smt.examine import examine, plain
from goedels_poetry.languages.smt.formalize import FORMAL_FORMAT, FORMAL_LANGUAGE, FORMAL_TAGS
from goedels_poetry.languages.smt.printer import declarations, definitions, show
from goedels_poetry.languages.smt.problem import Problem
from goedels_poetry.solvers import JobCrashed, JobMemory, JobTimeout, WorkerPool
from goedels_poetry.state import Verdict

Json = dict[str, Any]

CERTIFY = "goedels_poetry.checker.jobs"
JOBS = "goedels_poetry.languages.smt.engine.jobs"
MODEL_JOBS = "goedels_poetry.languages.smt.engine.model_jobs"
READ_SECONDS = 15.0
JOB_SECONDS = 3600.0
MEMORY_MB = 4096
READ_MEMORY_MB = 1024

_MOST_URGENT_FIRST = (
    "certify",
    "certify_judgement",
    "verify",
    "correct",
    "sketch_within",
    "prove",
    "retrieve",
    "sketch",
    "verify_sketch",
    "verify_idea",
    "judge",
)
"""Jobs in the order of the goals that have come furthest: so that one goal is done, or asks its model, while others
wait for a worker, instead of all of them at the end."""
_URGENCY = {job: number for number, job in enumerate(_MOST_URGENT_FIRST)}


class SmtLanguage:
    """SMT-LIB scripts: datatypes, recursive definitions, quantifiers, the theories of Z3 and cvc5."""

    name = "smt"
    suffixes = (".smt2", ".smt")
    proof_attempts = 1
    repair_prompt = None
    proof_schema = PROOF_SCHEMA
    sketch_schema = SKETCH_SCHEMA
    formal_language = FORMAL_LANGUAGE
    formal_format = FORMAL_FORMAT
    formal_tags = FORMAL_TAGS

    def __init__(self, workers: int | None = None) -> None:
        """``workers``: jobs at once; one for each processor by default."""
        self._pool = WorkerPool(workers)
        self.verifier = f"smt {__version__}, z3 {version('z3-solver')}"
        self._readers = WorkerPool(1)  # reading a reply takes no time and must not wait for a search

    async def read(self, text: str, options: Json) -> Theorem:
        """See `Language.read`; a text that costs too much to read is invalid, too."""
        try:
            found = await self._pool.run(f"{JOBS}:read", {"theorem": text}, READ_SECONDS, MEMORY_MB, len(_URGENCY))
        except (JobTimeout, JobMemory, JobCrashed) as error:
            raise InvalidInput(f"the text cannot be read within the limits: {error}") from error
        if not found["ok"]:
            raise InvalidInput(found["message"], found["line"], found["column"], found["hint"])
        from goedels_poetry.languages.smt.engine.jobs import problem_of

        began = time.monotonic()
        problem = problem_of(text)
        theory = _theory(problem)
        return Theorem(
            "smt",
            text,
            dict(options),
            found["statement"],
            tuple(found["warnings"]),
            (problem, theory),
            found["seconds"] + time.monotonic() - began,
        )

    def plain(self, theorem: Theorem) -> str:
        """See `Examinable.plain`."""
        return plain(theorem.text)

    async def examine(self, theorem: Theorem, given: str) -> Outcome:
        """See `Examinable.examine`."""
        return examine(theorem.data[0])

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
        return await self._job("prove", _payload(goal))

    async def verify(self, goal: Goal, candidate: Json) -> Outcome:
        """See `Language.verify`."""
        return await self._job("verify", {**_payload(goal), "candidate": candidate})

    async def correct(self, goal: Goal, candidate: Json, report: Any) -> Outcome:
        """See `Language.correct`."""
        return await self._job("correct", {**_payload(goal), "candidate": candidate})

    async def sketch(self, goal: Goal) -> Outcome:
        """See `Language.sketch`."""
        return await self._job("sketch", {**_payload(goal), "banned": list(goal.banned)})

    async def verify_sketch(self, goal: Goal, sketch: Json) -> Outcome:
        """See `Language.verify_sketch`."""
        if "idea" in sketch:
            return await self._job("verify_idea", {**_payload(goal), "sketch": sketch}, MODEL_JOBS)
        return await self._job("verify_sketch", {**_payload(goal), "sketch": sketch})

    async def correct_sketch(self, goal: Goal, sketch: Json, report: Any) -> Outcome:
        """See `Language.correct_sketch`: another plan, for which the rejected one counts as banned."""
        banned = [*goal.banned, sketch["fingerprint"]]
        return await self._job("sketch", {**_payload(goal), "banned": banned})

    async def retrieve(self, goal: Goal, lemmas: list[Json]) -> Outcome:
        """See `Language.retrieve`."""
        return await self._job("retrieve", {**_payload(goal), "lemmas": lemmas})

    def describe(self, goal: Goal) -> dict[str, str]:
        """See `ModelGuided.describe`."""
        from goedels_poetry.languages.smt.engine.jobs import goal_sequent, problem_of

        problem = problem_of(goal.theorem)
        facts = [goal_sequent(problem, statement) for _, statement in goal.scope]
        return _described(goal.theorem) | describe_goal(goal_sequent(problem, goal.statement), facts)

    async def read_candidate(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_candidate`."""
        return await self._read(goal, "read_candidate", reply)

    async def read_sketch(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_sketch`."""
        return await self._read(goal, "read_sketch", reply)

    async def sketch_within(self, goal: Goal, calls: int, *, leave_open: bool) -> Outcome:
        """See `ModelGuided.sketch_within`."""
        payload = {**_payload(goal), "banned": list(goal.banned), "calls": calls, "open": leave_open}
        return await self._job("sketch_within", payload, MODEL_JOBS)

    def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`."""
        from goedels_poetry.languages.smt.engine.jobs import goal_sequent
        from goedels_poetry.languages.smt.engine.plan import key_of

        problem, theory = theorem.data
        return f"{theory}:{key_of(goal_sequent(problem, statement))}"

    async def certify(
        self,
        theorem: Theorem,
        derivation: list[Json],
        directory: Path,
        run_info: Json,
        seconds: float | None = None,
    ) -> Certificate:
        """See `Language.certify`."""
        return await self._certified("certify", theorem, directory, run_info, seconds, {"derivation": derivation})

    async def certify_answer(
        self, theorem: Theorem, answer: Json, directory: Path, run_info: Json, seconds: float | None = None
    ) -> Certificate:
        """See `Language.certify_answer`."""
        found = {key: value for key, value in answer.items() if key in ("verdict", "refuted_by", "evidence")}
        return await self._certified("certify_judgement", theorem, directory, run_info, seconds, found)

    async def _certified(
        self, function: str, theorem: Theorem, directory: Path, run_info: Json, seconds: float | None, more: Json
    ) -> Certificate:
        seconds = JOB_SECONDS if seconds is None else min(seconds, JOB_SECONDS)
        payload = {
            "total_seconds": seconds,
            "theorem": theorem.text,
            "directory": str(directory),
            "info": run_info,
            "seed": theorem.options.get("seed", 0),
            "assume_definitions": theorem.options.get("assume_definitions", False),
            **more,
        }
        try:
            urgency = _URGENCY[function]
            found = await self._pool.run(f"{CERTIFY}:{function}", payload, seconds, MEMORY_MB, urgency)
        except JobTimeout as error:
            raise TimeoutError(f"the checker had not finished after {seconds:.3g} s") from error
        return Certificate(
            Verdict(found["verdict"]),
            Path(found["path"]) if found["path"] else None,
            found["trust_level"],
            found["reason"],
            tuple(found["warnings"]),
            found["details"],
        )

    async def aclose(self) -> None:
        """See `Language.aclose`."""
        await self._readers.aclose()
        await self._pool.aclose()

    async def _read(self, goal: Goal, function: str, reply: str | Json) -> Outcome:
        payload = {**_payload(goal), "reply": reply}
        try:
            found = await self._readers.run(f"{MODEL_JOBS}:{function}", payload, READ_SECONDS, READ_MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            return Outcome(False, {}, f"the reply cannot be read: {error}")
        return Outcome(found["ok"], found["value"], found["reason"], found["cost"])

    async def _job(self, function: str, payload: Json, module: str = JOBS) -> Outcome:
        try:
            # A search in the model's place is no part of a direct attempt.
            urgency = _URGENCY["sketch" if payload.get("open") else function]
            found = await self._pool.run(f"{module}:{function}", payload, JOB_SECONDS, MEMORY_MB, urgency)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            return Outcome(False, {}, f"{function}: {error}")
        return Outcome(found["ok"], found["value"], found["reason"], found["cost"])


@lru_cache(maxsize=128)
def _described(theorem: str) -> dict[str, str]:
    """Printing the premises takes longer than all else that a prompt needs; they are the same for every goal."""
    from goedels_poetry.languages.smt.engine.jobs import problem_of

    return describe_problem(problem_of(theorem))


def _payload(goal: Goal) -> Json:
    return {
        "theorem": goal.theorem,
        "statement": goal.statement,
        "scope": [list(fact) for fact in goal.scope],
        "attempt": goal.attempt,
        "seed": goal.options.get("seed", 0),
        "without": list(goal.options.get("without", ())),
    }


def _theory(problem: Problem) -> str:
    """A hash of all that a statement rests on: signature, definitions, premises."""
    lines = [*declarations(problem.signature), *definitions(problem.signature)]
    lines += [show(p.formula) for p in problem.premises]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:20]
