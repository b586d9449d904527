"""Logic programs as a language of the machine: what is asked of them is decided outright, so nothing is searched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.base import EXHAUSTED, Certificate, Goal, Outcome, Theorem
from goedels_poetry.solvers import JobCrashed, JobMemory, JobTimeout, WorkerPool
from goedels_poetry.state import Verdict

Json = dict[str, Any]

JOBS = "goedels_poetry.reasoning.jobs"
READ_SECONDS = 15.0
GRACE = 30.0
"""Seconds beyond the time for the checks that a job gets: to read, to start solvers, to write."""
CERTIFY_SECONDS = 120.0
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
        chosen = settled(text, options)
        try:
            found = await self._pool.run(f"{JOBS}:read", {"text": text, "options": chosen}, READ_SECONDS, MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            raise InvalidInput(f"the program cannot be read within the limits: {error}") from error
        if not found["ok"]:
            raise InvalidInput(found["message"], found["line"], found["column"], found["hint"])
        return Theorem("logic", text, chosen, found["statement"], tuple(found["warnings"]), None, found["seconds"])

    async def answer(self, text: str, options: Json, demands: Json) -> Outcome:
        """See `Answering.answer`."""
        return await self._job("answer", {"text": text, "options": settled(text, options), "demands": demands})

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
        found = await self._decided(theorem.text, theorem.options)
        if not found.ok:
            return Outcome(True, {"verdict": "unknown", "reason": found.words}, "", found.cost)
        result = found.value["result"]
        verdict = "open" if result["verdict"] == Verdict.PROVED else result["verdict"]
        contradictory = verdict == Verdict.INCONSISTENT
        core = [premise["name"] for premise in result["core"] or ()] if contradictory else None
        value = {"verdict": verdict, "core": core, "reason": result["reason"], "result": result}
        return Outcome(True, value, "", found.cost)

    async def prove(self, goal: Goal) -> Outcome:
        """See `Language.prove`: there is nothing to be found, only to be decided."""
        return Outcome(True, {"candidate": {"decided": True}})

    async def verify(self, goal: Goal, candidate: Json) -> Outcome:
        """See `Language.verify`."""
        found = await self._decided(goal.theorem, goal.options)
        if found.ok and found.value["result"]["verdict"] == Verdict.PROVED:
            return Outcome(True, {"proof": found.value["result"]}, "", found.cost)
        reason = found.value["result"]["reason"] if found.ok else found.words
        return Outcome(False, {"report": reason, EXHAUSTED: True}, reason or "it is not decided", found.cost)

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

    def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`: only the same text is the same program."""
        text = hashlib.sha256(theorem.text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
        return f"{text}:{hashlib.sha256(statement.encode()).hexdigest()[:12]}"

    async def certify(
        self, theorem: Theorem, derivation: list[Json], directory: Path, run_info: Json, seconds: float | None = None
    ) -> Certificate:
        """See `Language.certify`: the checker decides the program anew."""
        proof = derivation[-1]["proof"] or {}
        chosen = proof.get("answer") if len(proof.get("goals", ())) > 1 else None
        choice = chosen if isinstance(chosen, str) else ""
        return await self._certified(theorem, Verdict.PROVED, directory, run_info, seconds, choice)

    async def certify_answer(
        self, theorem: Theorem, answer: Json, directory: Path, run_info: Json, seconds: float | None = None
    ) -> Certificate:
        """See `Language.certify_answer`."""
        return await self._certified(theorem, Verdict(answer["verdict"]), directory, run_info, seconds)

    async def aclose(self) -> None:
        """See `Language.aclose`."""
        await self._pool.aclose()

    async def _certified(
        self,
        theorem: Theorem,
        claim: Verdict,
        directory: Path,
        run_info: Json,
        seconds: float | None,
        choice: str = "",
    ) -> Certificate:
        seconds = CERTIFY_SECONDS if seconds is None else min(seconds, CERTIFY_SECONDS)
        payload = {
            "text": theorem.text,
            "options": settled(theorem.text, theorem.options),
            "claim": str(claim),
            "choice": choice,
            "directory": str(directory),
            "info": run_info,
            "total_seconds": seconds,
        }
        try:
            found = await self._pool.run(f"{JOBS}:certify", payload, seconds, MEMORY_MB)
        except JobTimeout as error:
            raise TimeoutError(f"the checker had not finished after {seconds:.3g} s") from error
        path = Path(found["path"]) if found["path"] else None
        return Certificate(
            Verdict(found["verdict"]),
            path,
            found["trust_level"],
            found["reason"],
            tuple(found["warnings"]),
            found["details"],
        )

    async def _decided(self, text: str, options: Json) -> Outcome:
        return await self._job("decided", {"text": text, "options": settled(text, options)})

    async def _job(self, function: str, payload: Json) -> Outcome:
        options = payload["options"]
        seconds = (options["verify_timeout"] + options["optimize_timeout"]) / 1000 + GRACE
        try:
            found = await self._pool.run(f"{JOBS}:{function}", payload, seconds, MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as error:
            return Outcome(False, {}, f"the program could not be decided: {error}")
        return Outcome(found["ok"], found["value"], found["reason"], found["cost"])


def settled(text: str, options: Json) -> Json:
    """All options of a program, defaults filled in; nothing else."""
    found = {name: options.get(name, default) for name, default in DEFAULTS.items()}
    dialect = options.get("dialect") or ("json" if text.lstrip("\ufeff \t\r\n").startswith("{") else "smt2")
    return {"dialect": dialect, **found}


def _nothing() -> Outcome:
    return Outcome(False, {}, EXHAUSTED)


__all__ = ["LogicLanguage", "settled"]
