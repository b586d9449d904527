"""Logic programs as a language of the machine: what is asked of them is decided outright, so nothing is searched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import EXHAUSTED, Goal, Outcome, Theorem
from goedels_poetry.protocol.reading import read_apart
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout, WorkerPool

Json = dict[str, Any]

JOBS = "goedels_poetry.questions.jobs"
GRACE = 30.0
"""Seconds beyond the time for the checks that a job gets: to read, to start solvers, to write."""
MEMORY_MB = 4096
DEFAULTS: Json = {"semantics": "entailment", "world": "open", "verify_timeout": 10_000, "optimize_timeout": 100_000}


class LogicLanguage:
    """Programs of premises and goals, in SMT-LIB 2 or in the JSON logic language."""

    name = "logic"
    suffixes = (".json",)

    def __init__(self, workers: int | None = None) -> None:
        """``workers``: jobs at once; one for each processor by default."""
        self._pool = WorkerPool(workers)

    async def read(self, text: str, options: Json) -> Theorem:
        """See `Language.read`. ``options["dialect"]``: ``smt2`` or ``json``; by default what the text looks like."""
        settled_options = settled(text, options)
        reply = await read_apart(self._pool, f"{JOBS}:read", {"text": text, "options": settled_options}, MEMORY_MB)
        if not reply["ok"]:
            raise InvalidInput(reply["message"], reply["line"], reply["column"], reply["hint"])
        return Theorem(
            "logic", text, settled_options, reply["statement"], tuple(reply["warnings"]), None, reply["seconds"]
        )

    async def answer(self, text: str, options: Json, requirements: Json) -> Outcome:
        """See `Answering.answer`."""
        return await self._job(
            "answer", {"text": text, "options": settled(text, options), "requirements": requirements}
        )

    async def compare(self, text: str, options: Json, question: str, sentences: Sequence[str]) -> Outcome:
        """See `Answering.compare`."""
        about = {"question": question, "sentences": list(sentences)}
        return await self._job("examined", {"text": text, "options": settled(text, options), **about})

    async def facts(self, text: str, options: Json, sentences: int, facts: Sequence[Mapping[str, Any]]) -> Outcome:
        """See `Answering.facts`."""
        about = {"sentences": sentences, "facts": [dict(fact) for fact in facts]}
        return await self._job("stated", {"text": text, "options": settled(text, options), **about})

    async def judge(self, theorem: Theorem) -> Outcome:
        """See `Language.judge`: the answer itself, but for ``proved``, which the checker alone says."""
        outcome = await self._decided(theorem.text, theorem.options)
        if not outcome.ok:
            return Outcome(True, {"verdict": "unknown", "reason": outcome.words}, "", outcome.cost)
        result = outcome.value["result"]
        verdict = "open" if result["verdict"] == Verdict.PROVED else result["verdict"]
        contradictory = verdict == Verdict.INCONSISTENT
        core = [premise["name"] for premise in result["core"] or ()] if contradictory else None
        value = {"verdict": verdict, "core": core, "reason": result["reason"], "result": result}
        return Outcome(True, value, "", outcome.cost)

    async def prove(self, goal: Goal) -> Outcome:
        """See `Language.prove`: there is nothing to be found, only to be decided."""
        return Outcome(True, {"candidate": {"decided": True}})

    async def verify(self, goal: Goal, candidate: Json) -> Outcome:
        """See `Language.verify`."""
        outcome = await self._decided(goal.theorem, goal.options)
        if outcome.ok and outcome.value["result"]["verdict"] == Verdict.PROVED:
            return Outcome(True, {"proof": outcome.value["result"]}, "", outcome.cost)
        reason = outcome.value["result"]["reason"] if outcome.ok else outcome.words
        return Outcome(False, {"report": reason, EXHAUSTED: True}, reason or "it is not decided", outcome.cost)

    async def correct(self, goal: Goal, candidate: Json, report: Any) -> Outcome:
        """See `Language.correct`: a program is not ours to change."""
        return _nothing()

    async def sketch(self, goal: Goal) -> Outcome:
        """See `Language.sketch`."""
        return _nothing()

    async def verify_sketch(self, goal: Goal, sketch: Json) -> Outcome:
        """See `Language.verify_sketch`."""
        return _nothing()

    async def correct_sketch(self, goal: Goal, sketch: Json, report: Any) -> Outcome:
        """See `Language.correct_sketch`."""
        return _nothing()

    async def retrieve(self, goal: Goal, lemmas: list[Json]) -> Outcome:
        """See `Language.retrieve`."""
        return Outcome(True, {"lemmas": []})

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`: only the same text is the same program."""
        text = hashlib.sha256(theorem.text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
        return f"{text}:{hashlib.sha256(statement.encode()).hexdigest()[:12]}"

    async def assemble(self, theorem: Theorem, derivation: list[Json]) -> Json:
        """See `Language.assemble`: which of several goals alone follows; the checker decides the program anew."""
        proof = derivation[-1]["proof"] or {}
        answer = proof.get("answer") if len(proof.get("goals", ())) > 1 else None
        return {"choice": answer if isinstance(answer, str) else ""}

    async def assemble_answer(self, theorem: Theorem, answer: Json) -> Json:
        """See `Language.assemble_answer`."""
        return {}

    async def aclose(self) -> None:
        """See `Language.aclose`."""
        await self._pool.aclose()

    async def _decided(self, text: str, options: Json) -> Outcome:
        return await self._job("decided", {"text": text, "options": settled(text, options)})

    async def _job(self, function: str, payload: Json) -> Outcome:
        options = payload["options"]
        seconds = (options["verify_timeout"] + options["optimize_timeout"]) / 1000 + GRACE
        try:
            reply = await self._pool.run(f"{JOBS}:{function}", payload, seconds, MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            fault = isinstance(error, JobCrashed)
            return Outcome(False, {}, f"the program could not be decided: {error}", fault=fault)
        return Outcome(reply["ok"], reply["value"], reply["reason"], reply["cost"])


def settled(text: str, options: Json) -> Json:
    """All options of a program, defaults filled in; nothing else."""
    limits = {name: options.get(name, default) for name, default in DEFAULTS.items()}
    dialect = options.get("dialect") or ("json" if text.lstrip("\ufeff \t\r\n").startswith("{") else "smt2")
    return {"dialect": dialect, **limits}


def _nothing() -> Outcome:
    return Outcome(False, {}, EXHAUSTED)
