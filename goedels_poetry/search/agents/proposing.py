"""What strategies of plug-ins and callers propose for a goal: asked one after the other, looked through, told apart."""

from __future__ import annotations

import json
from asyncio import CancelledError, current_task
from typing import Any

from goedels_poetry.errors import one_line
from goedels_poetry.protocol.base import Goal, ModelGuided
from goedels_poetry.protocol.sequents import Readable, Sequent
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.strategies import Proposal, Strategy, StrategyGoal, UnusableSketch, fingerprint

HINT = 'goal.induct("x"), goal.cases("x"), goal.lemma("...") and, in Lean, goal.tactics("...") make complete ones'
_CHILD = frozenset({"statement", "candidate", "waits_for", "sketch", "words"})


async def from_strategies(goal: Goal, deps: Deps) -> dict[str, Any] | None:
    """The first sketch that is not banned, of those that past success puts first; None when there is none.

    What a strategy raises, or proposes in a form that is none, is noted as its fault and costs the goal nothing else.
    """
    usable = sorted((s for s in deps.strategies if s.speaks(deps.language.name)), key=lambda s: _rank(s, goal))
    if not usable:
        return None
    shown = StrategyGoal.of(goal, deps.language.name, await _sequent(goal, deps))
    for strategy in usable:
        try:
            sketch = await _sketch(strategy, await strategy.propose(shown), goal, deps)
        except (Exception, SystemExit, CancelledError) as exc:  # must not cost the goal its own strategies
            task = current_task()
            if task is not None and task.cancelling():  # it was we who have cancelled
                raise
            deps.note_fault(f"strategy {strategy.name}", exc, strategy.plugin)
            continue
        if sketch is not None and sketch["fingerprint"] not in goal.banned:
            return sketch
    return None


async def _sequent(goal: Goal, deps: Deps) -> Sequent:
    """The goal as data, as far as the language says it."""
    plain = goal.statement or deps.theorem.statement or goal.theorem
    try:
        if isinstance(deps.language, Readable):
            return await deps.language.sequent(goal)
        if isinstance(deps.language, ModelGuided):
            text = (await deps.language.describe(goal))["statement"].removesuffix(":= sorry").rstrip()
            return Sequent(goal.statement or text, text)
    except Exception as exc:  # noqa: BLE001  strategies that look at the text alone go on
        deps.note_fault("the goal as data", exc)
    return Sequent(plain, plain)


async def _sketch(strategy: Strategy, said: Any, goal: Goal, deps: Deps) -> dict[str, Any] | None:
    """The sketch that a strategy means; raises UnusableSketch."""
    if said is None:
        return None
    if isinstance(said, Proposal):
        if not isinstance(deps.language, ModelGuided):
            raise UnusableSketch(f"the language {deps.language.name} reads no proposals: return a sketch as a dict")
        read = deps.charge(await deps.language.read_sketch(goal, said.content))
        if not read.ok:
            raise UnusableSketch(read.reason)
        made = read.value["sketch"]
        own = str(made["fingerprint"]).rpartition(":")[2]
        return {**made, "strategy": strategy.name, "fingerprint": f"{strategy.name}:{own}", "deterministic": True}
    _check(said, getattr(deps.language, "sketch_needs", ()), deps.language.name)
    sketch = {"children": [], **said, "strategy": strategy.name}
    sketch.setdefault("fingerprint", fingerprint(strategy.name, sketch))
    return sketch


def _check(said: Any, needs: tuple[str, ...], language: str) -> None:
    """Raise UnusableSketch for a sketch that no language could read; the words name the key."""
    if not isinstance(said, dict):
        raise UnusableSketch(f"a sketch is a dict or a proposal, not {type(said).__name__}; {HINT}")
    children = said.get("children", () if needs and any(need in said for need in needs) else None)
    if not isinstance(children, list | tuple):
        raise UnusableSketch(f"the sketch has no `children`, a list; {HINT}")
    for number, child in enumerate(children):
        if not isinstance(child, dict) or not isinstance(child.get("statement"), str) or not child["statement"].strip():
            raise UnusableSketch(f"child {number} of the sketch has no `statement`, a text")
        odd = sorted(child.keys() - _CHILD)
        if odd:
            raise UnusableSketch(f"child {number} of the sketch has {odd[0]!r}; there are {', '.join(sorted(_CHILD))}")
        waits = child.get("waits_for", ())
        if not isinstance(waits, list | tuple) or any(type(w) is not int or not 0 <= w < number for w in waits):
            raise UnusableSketch(f"`waits_for` of child {number} is no list of positions of earlier children")
    if needs and not any(need in said for need in needs):
        one = " or ".join(f"`{need}`" for need in needs)
        raise UnusableSketch(f"the sketch has no {one}, with which a sketch in {language} says why it holds; {HINT}")
    if not isinstance(said.get("fingerprint", ""), str):
        raise UnusableSketch("the `fingerprint` of the sketch is no text")
    try:
        json.dumps(said, allow_nan=False)
    except (TypeError, ValueError) as exc:
        raise UnusableSketch(f"the sketch is not JSON: {one_line(exc)}") from exc


def _rank(strategy: Strategy, goal: Goal) -> tuple[int, str]:
    known = strategy.name in goal.preferred
    return (goal.preferred.index(strategy.name) if known else len(goal.preferred), strategy.name)
