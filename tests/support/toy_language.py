"""A small deterministic proof language behind the real Protocol, for tests and the kill test.

A theorem is JSON: ``{"root": "T", "theory": "x", "latency": 0.0, "goals": {statement: behaviour}}``. A behaviour::

    {"proof": 0,                 attempt from which a right candidate is found; null: never (default 0)
     "no_candidate": false,      failed attempts bring no candidate at all
     "exhausted": false,         a failing prover says that trying again is useless
     "raises": [0, 2],           attempts at which the prover raises
     "hangs": [0],               attempts at which the prover never answers
     "refuted": {...},           the goal is false
     "correctable": false,       the corrector repairs a rejected candidate
     "sketches": [{"strategy": "s", "children": ["A", {"statement": "B", "waits_for": [0]}], "bad": "reason"}]}

Statements that are not listed are proved at once. A statement ``g:<depth>:<path>`` is a generated tree. `toy_checker`
decides about the whole.
Every call is logged in ``calls`` (and appended to ``log_file`` when that is set).
"""

import asyncio
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages import EXHAUSTED, Goal, Outcome, Theorem


def coin(*parts: object) -> int:
    """A number below 256 that depends only on its arguments."""
    return sha256("|".join(map(str, parts)).encode()).digest()[0]


class ToyLanguage:
    name = "toy"
    suffixes = (".toy",)

    def __init__(self, log_file: Path | None = None) -> None:
        self.calls: list[tuple[str, str, int]] = []
        self.goals: list[Goal] = []
        self.running = 0
        self.most_running = 0
        self.most_searching = 0
        """The same without verifying, for which a run has places of its own."""
        self._searching = 0
        self.closed = 0
        self.lemmas_offered: list[list[dict[str, Any]]] = []
        self._log_file = log_file

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        try:
            spec = json.loads(text)
        except json.JSONDecodeError as exc:
            raise InvalidInput(exc.msg, exc.lineno, exc.colno, "a toy theorem is a JSON object") from exc
        if "root" not in spec:
            raise InvalidInput("no root", 1, 1)
        return Theorem("toy", text, options, spec["root"], tuple(spec.get("warnings", ())))

    async def judge(self, theorem: Theorem) -> Outcome:
        spec = json.loads(theorem.text)
        await self._work("judge", spec["root"], 0, spec)
        return Outcome(True, spec.get("judge", {"verdict": "open"}))

    async def prove(self, goal: Goal) -> Outcome:
        statement, spec, how = self._look(goal)
        self.goals.append(goal)
        if goal.attempt in how.get("hangs", ()):
            await asyncio.sleep(3600)
        await self._work("prove", statement, goal.attempt, spec)
        if goal.attempt in how.get("raises", ()):
            raise RuntimeError("malformed reply")
        if "refuted" in how:
            return Outcome(False, {"refuted": how["refuted"]})
        cost = {"solver_seconds": spec.get("solver_seconds", 0.0), "solver_calls": 1, "resource_units": 1_000}
        from_attempt = how.get("proof", 0)
        right = from_attempt is not None and goal.attempt >= from_attempt
        if right:
            return Outcome(True, {"candidate": {"of": statement, "right": True, "scope": dict(goal.scope)}}, cost=cost)
        if how.get("exhausted"):
            return Outcome(False, reason=EXHAUSTED, cost=cost)
        if how.get("no_candidate"):
            return Outcome(False, reason="no candidate", cost=cost)
        return Outcome(True, {"candidate": {"of": statement, "right": False}}, cost=cost)

    async def verify(self, goal: Goal, candidate: dict[str, Any]) -> Outcome:
        statement, spec, _ = self._look(goal)
        await self._work("verify", statement, goal.attempt, spec)
        if candidate["of"] == statement and candidate["right"]:
            return Outcome(True, {"proof": {"of": statement, "cites": sorted(candidate.get("scope", {}))}})
        return Outcome(False, {"report": f"wrong proof of {statement}"}, "the verifier rejects it")

    async def correct(self, goal: Goal, candidate: dict[str, Any], report: Any) -> Outcome:
        statement, spec, how = self._look(goal)
        await self._work("correct", statement, goal.attempt, spec)
        from_attempt = how.get("proof", 0)
        right = bool(how.get("correctable")) or (from_attempt is not None and goal.attempt >= from_attempt)
        return Outcome(True, {"candidate": {"of": statement, "right": right}})

    async def sketch(self, goal: Goal) -> Outcome:
        statement, spec, how = self._look(goal)
        self.goals.append(goal)
        await self._work("sketch", statement, goal.attempt, spec)
        for sketch in how.get("sketches", ()):
            fingerprint = sketch.get("fingerprint", f"fp:{sketch['strategy']}")
            if fingerprint in goal.banned and not how.get("ignores_bans"):
                continue
            children = [c if isinstance(c, dict) else {"statement": c} for c in sketch["children"]]
            return Outcome(True, {"sketch": {**sketch, "fingerprint": fingerprint, "children": children}})
        return Outcome(False, reason=EXHAUSTED)

    async def verify_sketch(self, goal: Goal, sketch: dict[str, Any]) -> Outcome:
        statement, spec, _ = self._look(goal)
        await self._work("verify_sketch", statement, goal.attempt, spec)
        if "bad" in sketch:
            return Outcome(False, {"report": sketch["bad"], "correctable": "corrected" in sketch}, sketch["bad"])
        for index, child in enumerate(sketch["children"]):
            if "counterexample" in child:
                return Outcome(False, {"refuted_child": index, "counterexample": child["counterexample"]})
        return Outcome(True)

    async def correct_sketch(self, goal: Goal, sketch: dict[str, Any], report: Any) -> Outcome:
        statement, spec, _ = self._look(goal)
        await self._work("correct_sketch", statement, goal.attempt, spec)
        if "corrected" not in sketch:
            return Outcome(False, reason="no idea")
        children = [{"statement": c} for c in sketch["corrected"]]
        return Outcome(True, {"sketch": {"strategy": "corrected", "fingerprint": "fp:corrected", "children": children}})

    async def retrieve(self, goal: Goal, lemmas: list[dict[str, Any]]) -> Outcome:
        _, _, how = self._look(goal)
        self.lemmas_offered.append(lemmas)
        wanted = how.get("wants", ())
        return Outcome(True, {"lemmas": [lemma["id"] for lemma in lemmas if lemma["statement"] in wanted]})

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        spec = json.loads(theorem.text)
        theory = spec.get("theory", theorem.text)
        return ":".join(sha256(part.encode()).hexdigest()[:16] for part in (theory, statement or spec["root"]))

    async def assemble(self, theorem: Theorem, derivation: list[dict[str, Any]]) -> dict[str, Any]:
        return {"derivation": derivation}

    async def assemble_answer(self, theorem: Theorem, answer: dict[str, Any]) -> dict[str, Any]:
        return {}

    async def aclose(self) -> None:
        self.closed += 1

    # -- inside --------------------------------------------------------------------------------------------
    def _look(self, goal: Goal) -> tuple[str, dict[str, Any], dict[str, Any]]:
        spec = json.loads(goal.theorem)
        statement = goal.statement or spec["root"]
        if statement.startswith("g:"):
            return statement, spec, _generated(statement)
        if statement.startswith("dead end"):
            return statement, spec, {"proof": None, "exhausted": True}
        return statement, spec, spec.get("goals", {}).get(statement, {})

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        self.calls.append((what, statement, attempt))
        if self._log_file is not None:
            with self._log_file.open("a") as log:
                log.write(f"{what} {statement} {attempt}\n")
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        self._searching += not what.startswith("verify")
        self.most_searching = max(self.most_searching, self._searching)
        try:
            slow = spec.get("slow", {}).get(statement)
            await asyncio.sleep(spec.get("latency", 0.0) if slow is None else slow)
        finally:
            self.running -= 1
            self._searching -= not what.startswith("verify")


def _generated(statement: str) -> dict[str, Any]:
    """A tree with failures, corrections, rejected sketches and one backtracking now and then."""
    _, depth, path = statement.split(":")
    left = int(depth)
    if left == 0:
        return {"proof": 1 if coin("hard", path) < 60 else 0}
    children = [f"g:{left - 1}:{path}{i}" for i in range(4)]
    sketches: list[dict[str, Any]] = []
    if coin("bad", path) < 40:
        sketches.append({"strategy": "wrong", "children": children, "bad": "does not follow"})
    if coin("dead", path) < 50:
        dead = f"dead end of {path}"
        sketches.append({"strategy": "hopeless", "children": [*children[:2], dead]})
    sketches.append({"strategy": "split", "children": children})
    return {"proof": None, "exhausted": True, "sketches": sketches}


def theorem(root: str = "T", **spec: Any) -> str:
    """The text of a toy theorem: goals by keyword ``goals``, the rest as in the module's docstring."""
    return json.dumps({"root": root, **spec}, sort_keys=True)


def generated(depth: int, **spec: Any) -> str:
    """A theorem whose proof has about ``4 ** depth`` leaves, with deterministic obstacles."""
    return theorem(f"g:{depth}:r", **spec)
