"""Lean 4 as a proof language of the machine."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from goedels_poetry.errors import GoedelsPoetryError, MissingTool
from goedels_poetry.lean.agents import at_once, prove, sketch
from goedels_poetry.lean.goals.engine import Engine
from goedels_poetry.lean.refute import Refutation, confirm, refute, refuted_at
from goedels_poetry.lean.replies import MOST_CHARACTERS, read_reply
from goedels_poetry.lean.runtime.driven import LeanKilled, LeanUnavailable
from goedels_poetry.lean.runtime.opening import lend, open_lean
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.sanity_tests import plain, sanity_tests
from goedels_poetry.lean.tactics.portfolio import Clock
from goedels_poetry.lean.tactics.theory import unfolded
from goedels_poetry.lean.text import premises
from goedels_poetry.lean.text.premises import near_names
from goedels_poetry.lean.text.sketch import check_link, check_proof, open_sketch
from goedels_poetry.lean.text.source import (
    READ_SECONDS,
    UNREAD,
    Target,
    lemma_task,
    open_theorems,
    read_target,
    root_task,
    task_of,
)
from goedels_poetry.lean.text.task import LEMMA_PREFIX, Task, lemma_name
from goedels_poetry.protocol.base import EXHAUSTED, Citable, Goal, Incomplete, Outcome, Theorem
from goedels_poetry.protocol.trials import Status, trial_log
from goedels_poetry.settings.declared import LeanSettings, Settings
from goedels_poetry.version import __version__

# -- A finished tree as one Lean file ------------------------------------------------------------------------------


Json = dict[str, Any]

_LEMMA = re.compile(rf"(?<![\w.'!?]){LEMMA_PREFIX}[0-9a-f]{{10}}(?![\w'!?])")


def assemble(target: Target, derivation: list[Json]) -> str:
    """The whole file; raises :class:`Incomplete`."""
    taken = target.prefix + target.head + target.suffix
    blocks: list[str] = []
    names: dict[str, str] = {}
    helpers: dict[str, str] = {}
    for step in derivation[:-1]:
        name = lemma_name(step["statement"])
        if name in names:
            continue
        extra, proof = _parts(step, helpers, taken)
        names[name] = _fresh(f"{_stem(target.name)}_aux", len(names) + 1, taken)
        blocks += [extra, f"{step['statement']} := {proof}"]
    extra, proof = _parts(derivation[-1], helpers, taken)
    blocks.append(extra)
    lemmas = "".join(f"{block}\n\n" for block in blocks if block)
    renamed = _LEMMA.sub(lambda m: names.get(m[0], m[0]), f"{lemmas}\0{proof}")
    lemmas, _, proof = renamed.partition("\0")
    return f"{target.prefix}{lemmas}{target.head} := {proof}{target.suffix}"


def _parts(step: Json, known: dict[str, str], taken: str) -> tuple[str, str]:
    """Helpers and proof of a step; a helper whose name another step uses for something else gets a new one."""
    found = step["proof"] or {}
    if "proof" not in found:
        found = {**((step["scheme"] or {}).get("linked") or {}), "names": (step["scheme"] or {}).get("names", ())}
    if "proof" not in found:
        raise Incomplete(f"the goal {step['id']} has no proof")
    helpers, proof = str(found.get("helpers", "")).strip(), str(found["proof"]).rstrip()
    if helpers and known.get(helpers) == "":
        return "", proof  # the very same helpers stand there already
    original = helpers
    for name in found.get("names", ()):
        word = rf"(?<![\w'!?.«]){re.escape(name)}(?![\w'!?»])"
        if name in known or re.search(word, taken):
            number = 2
            while f"{name}_{number}" in known or f"{name}_{number}" in taken + proof + helpers:
                number += 1
            helpers, proof = (re.sub(word, f"{name}_{number}", text) for text in (helpers, proof))
            known[f"{name}_{number}"] = name
        else:
            known[name] = name
    if original:
        known[original] = ""
    return helpers, proof


def _stem(name: str) -> str:
    """A name that a lemma's may begin with: the theorem's, with nothing that needs quoting after it."""
    return name.removeprefix("_root_.").replace("«", "").replace("»", "").replace(" ", "_")


def _fresh(stem: str, number: int, taken: str) -> str:
    name = f"{stem}_{number}"
    while name in taken:
        stem += "'"
        name = f"{stem}_{number}"
    return name


# -- Lean 4 as a proof language of the machine ---------------------------------------------------------------------


T = TypeVar("T")

PROVE_SECONDS = 30.0
SKETCH_SECONDS = 90.0
REFUTE_SECONDS = 5.0
ENGINE_REFUTE_SECONDS = 5.0
QUERY_SECONDS = 0.05
"""What one query of a budget given in queries is worth."""
MOST_BROKEN = 5
"""Symbolic sketches in a row that Lean may refuse before none is given."""
FORMAL_TAGS = ("lean", "lean4")

FORMAL_FORMAT = """\
One block ```lean … ``` with the definitions that are needed and exactly one theorem, whose proof is `sorry`:
theorem NAME (xs ys : List Nat) : … := by sorry
- No proof, no other `sorry`, no comment that repeats the claim; what the definitions and the theorem say counts.
- Commands: def, abbrev, inductive, structure, class, theorem, namespace, section, open, variable. No axiom,
  no opaque, no instance, no notation or macro, no `#` command, no import.
- Functions are total and terminate. Subtraction and division on Nat are truncated and x / 0 = 0: where the claim does
  not mean that, use Int or a hypothesis. Indices of lists begin at 0.
- Hypotheses stand before the colon or before `→`; they must be able to hold together."""
"""What a model that states a claim in Lean is told about the form of its reply."""
TRIED_PROOFS = (
    "Automatic methods have failed on it: rfl, decide, omega, simp, simp_all and grind with the definitions, exact?, "
    "and these after induction, functional induction and case splits."
)
TRIED_SKETCHES = f"{TRIED_PROOFS[:-1]}, and a search for lemmas."
"""What has failed before a model is asked for a proof or a sketch."""
REFUTED_FORMAT = (
    " If the theorem is false, say that instead: one theorem with its negation, `theorem it_is_false : ¬ (∀ …) := …`, "
    'or values as JSON, {"refuted": {"at": {"n": "3", "xs": "[]"}, "because": "…"}}; Lean finds out.'
)
PROOF_FORMAT = (
    "One block ```lean … ``` with the whole declaration of the theorem, its name and statement as they are, and its "
    "proof; lemmas of your own may stand before it, each after those that it needs. No axiom, no `sorry`, no "
    f"`native_decide`, no new notation, at most {MOST_CHARACTERS} characters.{REFUTED_FORMAT}"
)
SKETCH_FORMAT = (
    "One block ```lean … ``` with the whole declaration of the theorem, its name and statement as they are, and a "
    "proof that has `sorry` exactly where a subgoal is left to prove; lemmas of your own with `sorry` may stand before "
    "it, each after those that it needs. Everything else must compile, without axioms or new notation; at most "
    f"{MOST_CHARACTERS} characters.{REFUTED_FORMAT}"
)
CORE_TACTICS = ("omega", "grind", "simp", "decide", "induction", "fun_induction", "split", "exact?", "bv_decide")
MATHLIB_TACTICS = ("ring", "linarith", "norm_num", "positivity", "nlinarith", "aesop")
"""What a model takes for granted that knows Lean; without Mathlib it has the former and lacks the latter."""


class LeanLanguage:
    """Lean files; Lean itself is started when it is first needed."""

    name = "lean"
    suffixes = (".lean",)
    proof_attempts = 2
    repair_prompt = "repair-lean"
    proof_schema = None
    sketch_schema = None
    formal_language = "Lean 4 (core library, no Mathlib)"
    formal_format = FORMAL_FORMAT
    formal_tags = FORMAL_TAGS
    sketch_needs = ("proof",)
    """A sketch is a proof with holes."""

    def __init__(self, lean: LeanPool | None = None) -> None:
        """``lean``: works on the goals and stays open; by default one of its own, with at most two processes."""
        self._settings = LeanSettings()
        self._read_seconds = READ_SECONDS
        self._pool = lean
        self._own = lean is None
        self._engine = Engine()
        self.verifier = f"lean {__version__}"
        self._opening = asyncio.Lock()
        self._targets: dict[tuple[str, str], Target] = {}
        self._reading: dict[tuple[str, ...], float] = {}

    def configure(self, settings: Settings) -> None:
        """See `Configurable`."""
        self._settings = settings.lean
        if settings.budgets.wall_seconds is not None:
            self._read_seconds = min(READ_SECONDS, settings.budgets.wall_seconds)

    async def _lean(self) -> LeanPool:
        async with self._opening:
            if self._pool is None:
                try:
                    self._pool = await asyncio.to_thread(open_lean, self._settings)
                except LeanUnavailable as fault:
                    raise _missing(fault) from fault
                lend(self._pool, self._settings)
                self.verifier = f"lean {__version__}, {self._pool.kind} {self._pool.version}"
            return self._pool

    async def _target(self, text: str, options: Json) -> Target:
        key = (text, str(options.get("theorem") or ""))
        if key not in self._targets:
            seconds = self._read_seconds

            async def read() -> Target:
                return await read_target(await self._lean(), *key, seconds)

            self._targets[key] = await self._in_time(key, read())
        return self._targets[key]

    async def _in_time(self, key: tuple[str, ...], reading: Coroutine[Any, Any, T]) -> T:
        """All reading of a theorem together has one limit, Lean's start and the listing of its file included.

        Raises:
            TimeoutError: it is reached.
        """
        began, left = time.monotonic(), self._read_seconds - self._spent(*key)
        if left <= 0:
            reading.close()
            raise TimeoutError(UNREAD)
        try:
            async with asyncio.timeout(left):
                return await reading
        except TimeoutError as error:
            raise TimeoutError(UNREAD) from error
        finally:
            self._reading[key] = self._reading.get(key, 0.0) + time.monotonic() - began

    def _spent(self, text: str, *names: str) -> float:
        return self._reading.get((text,), 0.0) + (self._reading.get((text, *names), 0.0) if names else 0.0)

    async def _task(self, goal: Goal) -> Task:
        return task_of(await self._target(goal.theorem, goal.options), goal)

    async def read(self, text: str, options: Json) -> Theorem:
        """See `Language.read`."""
        try:
            target = await self._target(text, options)
        except LeanKilled:
            raise
        except LeanUnavailable as fault:
            raise _missing(fault) from fault
        seconds = self._spent(text, str(options.get("theorem") or ""))
        return Theorem("lean", text, dict(options), target.one_line, target.warnings, target, seconds)

    def plain(self, theorem: Theorem) -> str:
        """See `Examinable.plain`."""
        return plain(theorem.data)

    async def sanity_tests(self, theorem: Theorem, given: str) -> Outcome:
        """See `Examinable.sanity_tests`."""
        began = time.monotonic()
        found = await sanity_tests(await self._lean(), theorem.data, given)
        return Outcome(found.ok, found.value, found.reason, _cost(began))

    async def theorems(self, text: str) -> tuple[str, ...]:
        """See `SeveralTheorems.theorems`."""

        async def look() -> tuple[str, ...]:
            return await open_theorems(await self._lean(), text, self._read_seconds)

        try:
            return await self._in_time((text,), look())
        except (TimeoutError, GoedelsPoetryError):
            return ()  # `read` says why

    async def judge(self, theorem: Theorem) -> Outcome:
        """See `Language.judge`. Hypotheses that contradict each other are left to the checker to report."""
        began = time.monotonic()
        target: Target = theorem.data
        if not target.type:
            return Outcome(True, {"verdict": "open"})
        task = lemma_task(target, target.closed)
        lean = await self._lean()
        if await at_once(lean, root_task(target), seconds=REFUTE_SECONDS):
            return Outcome(True, {"verdict": "open"}, cost=_cost(began))
        found = await self._refuted_by_engine(lean, target, task) if target.functions else None
        root = (await unfolded(lean, root_task(target), REFUTE_SECONDS)).task
        seconds = REFUTE_SECONDS if self._engine.unread(lean, root) else REFUTE_SECONDS / 3
        found = found or await refute(lean, task, seconds=seconds)
        if found is None:
            return Outcome(True, {"verdict": "open"}, cost=_cost(began))
        value = {
            "verdict": "refuted",
            "counterexample": {"instance": found.text},
            "proof": found.proof,
            "reason": "Lean proves the negation",
        }
        return Outcome(True, value, cost=_cost(began))

    async def _refuted_by_engine(self, lean: LeanPool, target: Target, closed: Task) -> Refutation | None:
        """Values that the engine has found and Lean confirms."""
        clock = Clock(ENGINE_REFUTE_SECONDS)
        root = (await unfolded(lean, root_task(target), clock.left)).task
        for values in await self._engine.counterexample(lean, root, clock):
            found = await refuted_at(lean, closed, values, seconds=REFUTE_SECONDS)
            if found is not None:
                return found
        return None

    async def prove(self, goal: Goal) -> Outcome:
        """See `Language.prove`."""
        began = time.monotonic()
        lean, task = await self._lean(), await self._task(goal)
        found = await prove(lean, task, seconds=PROVE_SECONDS, engine=self._engine)
        if found is None:
            return Outcome(False, {"reason": "no tactic closes the goal"}, EXHAUSTED, _cost(began))
        trial_log().clear()
        return Outcome(True, {"candidate": {"proof": found.proof, "helpers": found.helpers}}, cost=_cost(began))

    async def verify(self, goal: Goal, candidate: Json) -> Outcome:
        """See `Language.verify`."""
        began = time.monotonic()
        proof, helpers = str(candidate["proof"]), str(candidate.get("helpers", ""))
        lean, task = await self._lean(), await self._task(goal)
        seen = await check_proof(lean, task, proof, helpers)
        if seen.reason:
            report = "\n".join(filter(None, (seen.reason, await near_names(lean, task, seen.reason))))
            return Outcome(False, {"report": report}, seen.reason.partition("\n")[0], _cost(began))
        found = {
            "proof": proof,
            "helpers": helpers,
            "names": list(seen.names),
            "cites": list(seen.cites),
            "axioms": list(seen.axioms),
        }
        return Outcome(True, {"proof": found}, cost=_cost(began))

    async def correct(self, goal: Goal, candidate: Json, report: Any) -> Outcome:
        """See `Language.correct`: without a model there is nothing to repair with."""
        return Outcome(False, {}, EXHAUSTED)

    async def sketch(self, goal: Goal) -> Outcome:
        """See `Language.sketch`."""
        return await self._sketched(goal, goal.banned, SKETCH_SECONDS, leave_open=True)

    async def sketch_within(self, goal: Goal, calls: int, *, leave_open: bool) -> Outcome:
        """See `ModelGuided.sketch_within`."""
        return await self._sketched(goal, goal.banned, calls * QUERY_SECONDS, leave_open=leave_open)

    async def _sketched(self, goal: Goal, banned: tuple[str, ...], seconds: float, *, leave_open: bool) -> Outcome:
        began, lean, task = time.monotonic(), await self._lean(), await self._task(goal)
        refused = frozenset(banned)
        reason = ""
        for _ in range(MOST_BROKEN):
            left = seconds - (time.monotonic() - began)
            found = await sketch(lean, task, banned=refused, seconds=left, leave_open=leave_open, engine=self._engine)
            if found is None:
                break
            opened = await open_sketch(
                lean,
                task,
                found.strategy,
                found.proof,
                found.helpers,
                found.fingerprint,
                shape=found.shape,
            )
            if not opened.reason:
                if not opened.sketch["children"]:
                    trial_log().clear()
                return Outcome(True, {"sketch": opened.sketch}, cost=_cost(began))
            trial_log().tried(found.proof, Status.REJECTED, opened.reason, strategy=found.strategy)
            reason, refused = opened.reason, refused | {found.fingerprint}
        return Outcome(False, {"reason": reason or "no strategy is left to try"}, EXHAUSTED, _cost(began))

    async def verify_sketch(self, goal: Goal, sketch: Json) -> Outcome:
        """See `Language.verify_sketch`: its subgoals give the goal, and of none of them a counterexample is found."""
        began, lean, task = time.monotonic(), await self._lean(), await self._task(goal)
        if "linked" not in sketch:
            opened = await open_sketch(
                lean,
                task,
                str(sketch["strategy"]),
                str(sketch["proof"]),
                str(sketch.get("helpers", "")),
                str(sketch["fingerprint"]),
            )
            if opened.reason:
                return Outcome(False, {"report": opened.reason}, opened.reason, _cost(began))
            sketch = {**sketch, **opened.sketch}
        seen = await check_link(lean, task, sketch)
        if seen.reason:
            problem = f"the subgoals do not give the goal: {seen.reason}"
            return Outcome(False, {"report": problem}, problem, _cost(began))
        whole = {**sketch, "names": list(seen.names)}
        for number, child in enumerate(whole["children"]):
            statement = str(child["statement"])
            small = Task(task.prefix, statement, lemma_name(statement), task.facts, task.functions, task.types)
            false = await refute(lean, small, seconds=REFUTE_SECONDS)
            if false is not None:
                value = {"refuted_child": number, "counterexample": {"instance": false.text}}
                return Outcome(False, value, f"subgoal {number} is false: {false.text}", _cost(began))
        return Outcome(True, {"sketch": whole}, cost=_cost(began))

    async def correct_sketch(self, goal: Goal, sketch: Json, report: Any) -> Outcome:
        """See `Language.correct_sketch`: another plan, for which the rejected one counts as banned."""
        banned = (*goal.banned, str(sketch["fingerprint"]))
        return await self._sketched(goal, banned, SKETCH_SECONDS, leave_open=True)

    async def retrieve(self, goal: Goal, lemmas: list[Json]) -> Outcome:
        """See `Language.retrieve`: the most used lemmas that speak of the same functions."""
        target = await self._target(goal.theorem, goal.options)
        text = goal.statement or target.head
        known = {f.rpartition(".")[2] for f in target.functions if f.rpartition(".")[2] in text}
        fitting = [e for e in lemmas if any(word in e["statement"] for word in known)]
        return Outcome(True, {"lemmas": [e["id"] for e in fitting[:8]]})

    async def library_id(self, goal: Goal) -> str:
        """See `Searchable.library_id`."""
        return premises.library_id(await self._lean(), (await self._target(goal.theorem, goal.options)).prefix)

    async def library(self, goal: Goal) -> list[Citable] | None:
        """See `Searchable.library`."""
        return await premises.library(await self._lean(), (await self._target(goal.theorem, goal.options)).prefix)

    async def local_context(self, goal: Goal) -> tuple[Citable, list[Citable]]:
        """See `Searchable.local_context`."""
        return await premises.local_context(await self._lean(), await self._task(goal))

    async def stated(self, goal: Goal, names: Sequence[str]) -> dict[str, str]:
        """See `Searchable.stated`."""
        return await premises.stated(await self._lean(), await self._task(goal), names)

    async def describe(self, goal: Goal) -> dict[str, str]:
        """See `ModelGuided.describe`."""
        target = self._targets[(goal.theorem, str(goal.options.get("theorem") or ""))]
        task = task_of(target, goal)
        return {
            "language": self._dialect(target),
            "statement": f"{task.head} := sorry",
            "definitions": target.prefix.strip() or "(none)",
            "premises": premises.shown(goal.premises),
            "facts": "\n".join(fact.stub for fact in task.facts) or "(none)",
            "functions": ", ".join(target.functions) or "(none)",
            "tried_proofs": TRIED_PROOFS,
            "tried_sketches": TRIED_SKETCHES,
            "proof_format": PROOF_FORMAT,
            "sketch_format": SKETCH_FORMAT,
        }

    def _dialect(self, target: Target) -> str:
        """Which Lean it is, and what it has: proofs for another one cost the most replies."""
        version = self._pool.version if self._pool is not None else "4"
        if "import Mathlib" in target.prefix:
            return f"Lean {version}, with the libraries that the file imports"
        without = ", ".join(f"`{name}`" for name in MATHLIB_TACTICS)
        has = ", ".join(f"`{name}`" for name in CORE_TACTICS)
        return f"Lean {version}, core library alone: without Mathlib there is no {without}; there are {has}"

    async def read_candidate(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_candidate`: a proof with holes is a sketch."""
        return await self._read(goal, reply, proof=True)

    async def read_sketch(self, goal: Goal, reply: str | Json) -> Outcome:
        """See `ModelGuided.read_sketch`."""
        return await self._read(goal, reply, proof=False)

    async def _read(self, goal: Goal, reply: str | Json, *, proof: bool) -> Outcome:
        lean, task = await self._lean(), await self._task(goal)
        closed = await self._closed(goal)
        written = await read_reply(lean, task, reply, closed)
        if written.reason:
            return Outcome(False, {}, written.reason)
        if written.refutation and not closed:
            return Outcome(False, {}, "the goal has no closed form in this file, so its negation cannot be stated")
        if written.refutation:
            return Outcome(True, {"refutation": written.refutation})
        if proof and "sorry" not in written.proof + written.helpers:
            return Outcome(True, {"candidate": {"proof": written.proof, "helpers": written.helpers}})
        opened = await open_sketch(lean, task, "model", written.proof, written.helpers, deterministic=False)
        if opened.reason:
            report = "\n".join(filter(None, (opened.reason, await near_names(lean, task, opened.reason))))
            return Outcome(False, {}, report)
        return Outcome(True, {"sketch": opened.sketch})

    async def confirm_refutation(self, goal: Goal, refutation: Any) -> Outcome:
        """See `Refutable.confirm_refutation`."""
        began, target = time.monotonic(), await self._target(goal.theorem, goal.options)
        closed = await self._closed(goal)
        found = await confirm(await self._lean(), lemma_task(target, closed), refutation)
        if isinstance(found, str):
            return Outcome(False, {}, found, _cost(began))
        shown = {"instance": found.text}
        detail = {"verdict": "refuted", "counterexample": shown, "proof": found.proof}
        return Outcome(True, {"refuted": shown, "detail": detail}, cost=_cost(began))

    async def _closed(self, goal: Goal) -> str:
        """The goal as a lemma without proof; "" when it has no closed form."""
        return goal.statement or (await self._target(goal.theorem, goal.options)).closed

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        """See `Language.canonical`."""
        target: Target = theorem.data
        text = statement or target.closed or target.head
        return f"{_hash(target.prefix)}:{_hash(text)}"

    async def assemble(self, theorem: Theorem, derivation: list[Json]) -> Json:
        """See `Language.assemble`: one file."""
        return {"file": assemble(theorem.data, derivation)}

    async def assemble_answer(self, theorem: Theorem, answer: Json) -> Json:
        """See `Language.assemble_answer`: a proof of the negation."""
        return {"proof": str(answer["proof"])}

    async def aclose(self) -> None:
        """See `Language.aclose`. A Lean that was given stays open, and stays in use when this is used again."""
        await self._engine.aclose()
        if self._own and self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.aclose()


def _missing(fault: LeanUnavailable) -> MissingTool:
    return MissingTool(
        f"Lean is not available: {fault}; `goedels-poetry doctor` says which Lean there is and how to get one"
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _cost(began: float) -> dict[str, float]:
    return {"solver_seconds": time.monotonic() - began, "solver_calls": 1}
