"""Python functions with contracts as a language of the machine: what is proved is their translation to SMT-LIB.

The search is that of `SmtLanguage`, on the theorem that `goedels_poetry.python.translate` makes of the contract.
Tests in CPython come first and stand for themselves: an input on which the function breaks its contract there is the
only counterexample that counts, wherever it was found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.base import UNITS_A_SECOND, Goal, Outcome, Theorem
from goedels_poetry.protocol.reading import READ_SECONDS, read_apart
from goedels_poetry.protocol.trials import UNTRANSLATED, trial_log
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import VIOLATIONS, Checks, Effort, TestReport
from goedels_poetry.settings.declared import Settings
from goedels_poetry.smt.language import JOB_SECONDS, JOBS, MEMORY_MB, Reading, SmtLanguage
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout

Json = dict[str, Any]

PYTHON_JOBS = "goedels_poetry.python.jobs"
_TIME_FOR_ALL = 60.0
"""Seconds of a run from which on a function that has no translation is tested thoroughly, which takes half of them."""
_TIME_FOR_MORE = 50.0
"""Seconds of a run from which on a function that has one is tested normally, which takes a tenth of them."""
_HEAD_START = 0.15
"""Seconds of the search for a proof before the first tests, which it then often makes unnecessary: the checker has its
own."""
_PART_OF_ALL = 0.35
"""Of them, for these tests: the checker makes its own."""
_EVIDENCE = frozenset({"counterexample", "checks", "task", "change"})
"""What the checker gets of an answer. A ``task`` says that the function is a candidate: one that breaks leaves the task
open, while of a program that was given it refutes the contract."""


@dataclass(frozen=True, slots=True)
class PythonReading:
    """What the process that has read a program says of one of its functions."""

    function: str
    smt: str
    """The theorem in SMT-LIB; "" where there is none."""
    outside: str
    """Why there is none."""
    checks: Json
    lines: dict[str, int]
    """Of each condition that it ensures."""
    reading: Reading


class PythonLanguage(SmtLanguage):
    """Functions with contracts in a Python file; ``options["theorem"]`` names one of them."""

    name = "python"
    suffixes = (".py",)

    def __init__(self, workers: int | None = None) -> None:
        """``workers``: jobs at once; one for each processor by default."""
        super().__init__(workers)
        self._translated: dict[tuple[str, str], tuple[str, list[Json]]] = {}  # with hints, by program and function
        self._early = EarlyAnswers()
        self._effort: Effort = "thorough"
        self._beside: Effort | None = "normal"
        self._limit: float | None = None
        self._units: int | None = None

    def configure(self, settings: Settings) -> None:
        """See `Configurable`."""
        self._limit = limit = settings.budgets.wall_seconds
        self._units = settings.budgets.resource_units
        self._effort = "thorough" if limit is None or limit >= _TIME_FOR_ALL else "normal"
        self._beside = "normal" if limit is None or limit >= _TIME_FOR_MORE else None

    async def theorems(self, text: str) -> tuple[str, ...]:
        """See `SeveralTheorems.theorems`: the functions with contracts."""
        found = await read_apart(self._pool, f"{PYTHON_JOBS}:functions", {"source": text}, MEMORY_MB)
        return tuple(found["functions"])

    async def read(self, text: str, options: Json) -> Theorem:
        """See `Language.read`."""
        function = str(options.get("theorem") or "")
        payload = {"source": text, "function": function}
        answer = await read_apart(self._pool, f"{PYTHON_JOBS}:read", payload, MEMORY_MB)
        if not answer["ok"]:
            raise InvalidInput(answer["message"], answer["line"], answer["column"], answer["hint"])
        self._translated[(text, function)] = answer["smt"], answer["hints"]
        checks = answer["checks"]
        reading = PythonReading(
            checks["function"],
            answer["smt"],
            answer["outside"],
            checks,
            answer["lines"],
            Reading(answer["theory"], answer["key"], answer["empty"]),
        )
        warnings, seconds = tuple(answer["warnings"]), answer["seconds"]
        return Theorem(self.name, text, dict(options), answer["statement"], warnings, reading, seconds, checks)

    async def judge(self, theorem: Theorem) -> Outcome:
        """See `Language.judge`: run it, look for values that make the theorem false, and run these, too."""
        reading: PythonReading = theorem.data
        checks, seed = Checks.from_json(reading.checks), int(theorem.options.get("seed", 0))
        tested = partial(test_candidate, theorem.text, checks)
        if not reading.smt:
            quick = asyncio.create_task(tested(seed=seed, effort="quick"))
            if _breaks_contract(await quick):
                return _refuted(quick.result(), reading.lines)
            # Other inputs than the checker makes in the end: with its seed they would be tried twice.
            tests = asyncio.create_task(tested(seed=seed + 1, effort=self._effort))
            try:
                found = await asyncio.wait_for(tests, None if self._limit is None else self._limit * _PART_OF_ALL)
            except TimeoutError:  # the checker tries what is left of the time
                found = quick.result()
            if _breaks_contract(found):
                return _refuted(found, reading.lines)
            return Outcome(True, {"verdict": "unknown", "reason": f"{UNTRANSLATED}{reading.outside}"})
        early = asyncio.create_task(self._early.search(self._asked, self._root(theorem, reading)))
        under_way: list[asyncio.Future[Any]] = [early]
        try:
            await asyncio.wait((early,), timeout=_HEAD_START)
            if early.done() and await _is_whole_proof(early):
                return Outcome(True, {"verdict": "open"})
            quick = asyncio.create_task(tested(seed=seed, effort="quick"))
            under_way.append(quick)
            if await _proved_before(quick, early):
                return Outcome(True, {"verdict": "open"})
            if _breaks_contract(await quick):
                return _refuted(quick.result(), reading.lines)
            payload = {"theorem": reading.smt, "seed": seed, "assume_definitions": False}
            tests = asyncio.create_task(self._tested_more(theorem.text, checks, seed, quick.result()))
            judge = asyncio.create_task(self._job("judge", payload))
            others = asyncio.gather(tests, judge)
            under_way += [tests, judge, others]
            if await _proved_before(others, early):
                return Outcome(True, {"verdict": "open"})
            found, judged = await others
            outcome = _refuted(found, reading.lines) if _breaks_contract(found) else None
            outcome = outcome or await self._confirmed(theorem, checks, judged)
            if outcome.value.get("verdict") == "open":
                self._early.leave(reading.smt)
                early.add_done_callback(_seen)
                under_way.remove(early)
            return outcome
        finally:
            await _stopped(*under_way)

    async def _tested_more(self, text: str, checks: Checks, seed: int, quick: TestReport) -> TestReport:
        """A report on more inputs than the quick one, where there is time for them."""
        if self._beside is None:
            return quick
        return await test_candidate(text, checks, seed=seed, effort=self._beside)

    async def _confirmed(self, theorem: Theorem, checks: Checks, judged: Outcome) -> Outcome:
        """Values that the solver found count when CPython fails on them; without, the search goes on."""
        found = judged.value.get("verdict")
        if found == "refuted":
            payload = {"source": theorem.text, "function": checks.function, "values": judged.value["counterexample"]}
            found_arguments = await self._readers.run(f"{PYTHON_JOBS}:arguments", payload, READ_SECONDS[0], MEMORY_MB)
            arguments = found_arguments["arguments"]
            shown = await replay(theorem.text, checks, arguments) if arguments else None
            if shown is not None and shown.violates():
                why = _broken(theorem.data.lines, shown.name, shown.kind, shown.reason)
                return Outcome(True, {"verdict": "refuted", "reason": why, "counterexample": arguments})
            return Outcome(True, {"verdict": "open", "reason": judged.value.get("reason", "")}, cost=judged.cost)
        return judged

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`."""
        reading: PythonReading = theorem.data
        if not reading.smt:
            return f"{reading.reading.theory}:{reading.reading.key}"
        inner = Theorem("smt", reading.smt, data=reading.reading)
        return await super().canonical(inner, statement)

    async def assemble_answer(self, theorem: Theorem, answer: Json) -> Json:
        """See `Language.assemble_answer`: the input that shows it, or the checks, and of what task."""
        return {key: value for key, value in answer.items() if key in _EVIDENCE}

    async def _asked(self, question: str, payload: Json) -> Json:
        answer: Json = await self._pool.run(f"{JOBS}:{question}", payload, JOB_SECONDS, MEMORY_MB)
        self._keep(payload["theorem"], answer["keys"])
        return answer

    async def _job(self, function: str, payload: Json) -> Outcome:
        answer = await self._early.take(function, payload) if function in EARLY else None
        if answer is None:
            return await super()._job(function, payload)
        trial_log().take(answer.get("trials", {}))
        return Outcome(answer["ok"], answer["value"], answer["reason"], answer["cost"])

    def _root(self, theorem: Theorem, reading: PythonReading) -> Json:
        """What the first job on the theorem will be told."""
        left = self._limit if self._units is None else self._units / UNITS_A_SECOND
        in_units = self._units is not None
        return self._payload(Goal(theorem.text, theorem.options, "", "", seconds_left=left, in_units=in_units))

    def _payload(self, goal: Goal) -> Json:
        function = str(goal.options.get("theorem") or "")
        text, hints = self._translated[(goal.theorem, function)]
        return {**super()._payload(goal), "theorem": text, **({"hints": hints} if hints and not goal.statement else {})}


async def _proved_before(others: asyncio.Future[Any], early: asyncio.Task[bool]) -> bool:
    """Whether the early search has proved everything before the others are done."""
    await asyncio.wait((others, early), return_when=asyncio.FIRST_COMPLETED)
    return not others.done() and await _is_whole_proof(early)


async def _is_whole_proof(early: asyncio.Task[bool]) -> bool:
    """What the early search says; one that failed is repeated later, where it is told."""
    try:
        return await early
    except (JobTimeout, JobMemory, JobCrashed):
        return False


def _seen(early: asyncio.Task[bool]) -> None:
    """Take the error of an early search that failed: the machine asks anew, where it is reported."""
    if not early.cancelled():
        early.exception()


async def _stopped(*begun: asyncio.Future[Any]) -> None:
    """End what is under way, so that nothing runs on unseen."""
    for task in begun:
        task.cancel()
    await asyncio.gather(*begun, return_exceptions=True)


def _breaks_contract(report: TestReport) -> bool:
    """Whether an input was found on which the contract itself is broken; a doctest that fails is another matter."""
    return report.counterexample is not None and report.counterexample["kind"] in VIOLATIONS


def _refuted(report: TestReport, lines: dict[str, int]) -> Outcome:
    assert report.counterexample is not None
    value = {
        "verdict": "refuted",
        "reason": _broken(lines, *(report.counterexample[key] for key in ("check", "kind", "reason"))),
        "counterexample": report.counterexample["input"],
    }
    return Outcome(True, value)


def _broken(lines: dict[str, int], check: str, kind: str, reason: str) -> str:
    """A refutation in a line: of several conditions, which one is broken, and where it stands."""
    return f"{check} (line {lines[check]}): {reason}" if kind == "ensures" and check in lines else reason


Ask = Callable[[str, Json], Awaitable[Json]]
"""A job by name with its payload; what it answers."""

EARLY = ("prove", "sketch")
"""What is asked early, in this order."""

MAX_DEPTH = 4
"""Sketches of what sketches leave open."""
PATIENCE = 10.0
"""Seconds after the tests within which what is under way has to be asked for."""


@dataclass(slots=True)
class _Question:
    asked: Json
    answer: asyncio.Future[Json]
    closed: bool = False
    """Whether nothing stays open below: then it needs no fact that was found since."""


class EarlyAnswers:
    """Answers to the first questions about goals, asked while the function is still being tested; each is given once.

    A proof often takes less time than the tests: when nothing is open any more, the tests end, the machine goes the
    same way with these answers, and the checker runs the function as well.
    """

    def __init__(self) -> None:
        self._questions: dict[tuple[str, str, str], _Question] = {}
        self._left: set[str] = set()

    async def search(self, ask: Ask, payload: Json) -> bool:
        """Look for a direct proof of a goal, then for a sketch of one; whether nothing is left open.

        Raises:
            JobTimeout, JobMemory, JobCrashed: a question was not answered.
        """
        self._left.discard(payload["theorem"])
        return await self._closes(ask, payload, MAX_DEPTH)

    async def _closes(self, ask: Ask, payload: Json, depth: int) -> bool:
        proof = self._ask(ask, "prove", payload)
        proof.closed = "candidate" in (await proof.answer)["value"]  # else it may be a counterexample
        if proof.closed or not depth or payload["theorem"] in self._left:
            return proof.closed
        sketch = self._ask(ask, "sketch", {**payload, "banned": []})
        answer = await sketch.answer
        closed = bool(answer["ok"])
        for statement in open_goals(answer["value"]["sketch"]) if closed else ():
            below = {**payload, "statement": statement}
            closed = closed and payload["theorem"] not in self._left and await self._closes(ask, below, depth - 1)
        sketch.closed = closed
        return closed

    def leave(self, theorem: str) -> None:
        """Ask nothing more about a theorem; what is under way goes on, but is ended if `take` is not called in time."""
        self._left.add(theorem)
        asyncio.get_running_loop().call_later(PATIENCE, self.end, theorem)

    def end(self, theorem: str) -> None:
        """End what is under way about a theorem and was not taken."""
        for key in [key for key in self._questions if key[1] == theorem]:
            if not self._questions[key].answer.done():
                self._questions.pop(key).answer.cancel()

    async def take(self, question: str, payload: Json) -> Json | None:
        """The answer to what was asked early, or None: to be asked anew.

        Raises:
            JobTimeout, JobMemory, JobCrashed: it was not answered.
        """
        known = self._questions.pop((question, payload["theorem"], payload["statement"]), None)
        if known is None:
            return None
        wanted = {name: value for name, value in payload.items() if name != "log"}
        same = {**wanted, "scope": known.asked["scope"], "left": known.asked["left"]} == known.asked
        if not same or not (known.closed or wanted["scope"] == known.asked["scope"]):
            known.answer.cancel()
            return None
        return await known.answer

    def _ask(self, ask: Ask, question: str, asked: Json) -> _Question:
        found = _Question(asked, asyncio.ensure_future(ask(question, asked)))
        self._questions[question, asked["theorem"], asked["statement"]] = found
        return found


def open_goals(sketch: Json) -> list[str]:
    """The statements that a sketch, and the sketches within, leave open."""
    found: list[str] = []
    for child in sketch["children"]:
        if "sketch" in child:
            found += open_goals(child["sketch"])
        elif "candidate" not in child:
            found.append(child["statement"])
    return found
