"""The jobs of a Lean theorem that may be done on other machines: its goals, while its tree and the gate stay here.

The boundary is JSON. Who answers is believed as a Lean of the search is: what he says becomes part of a file about
which the gate here decides, with a Lean of its own. What decides more than that is not sent: reading the theorem,
judging it, confirming a refutation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any, Protocol, TypeVar, cast

from goedels_poetry.errors import MissingTool, Unavailable
from goedels_poetry.protocol.base import Goal, JobPool, Outcome, Premise
from goedels_poetry.protocol.trials import TrialLog, logging_trials, trial_log

Json = dict[str, Any]
Method = TypeVar("Method", bound=Callable[..., Coroutine[Any, Any, Outcome]])

JOB = "goedels_poetry.lean.text.away:answer"
"""The name of the job for a `JobPool`; who does it calls `answer` with a language of his."""
SECONDS = 600.0
"""For one job: its own limits are shorter, so that only a machine that stands still reaches it."""
_URGENCY = {
    "verify": 0,
    "link_sketch": 1,
    "refute_child": 1,
    "prove": 2,
    "correct_sketch": 3,
    "sketch_within": 3,
    "sketch": 4,
}
"""The methods that may be done elsewhere; the smallest is served first."""


class Working(Protocol):
    """What the methods belong to: the language."""

    elsewhere: JobPool | None
    """Who does them; None: it does."""

    async def lean_version(self) -> str:
        """Of the Lean that works on goals here."""
        ...


def may_go_away(method: Method) -> Method:
    """Have the method done by the language's `JobPool`, where it has been given one."""

    @functools.wraps(method)
    async def done(self: Working, goal: Goal, *arguments: Any, **named: Any) -> Outcome:
        if self.elsewhere is None:
            return await method(self, goal, *arguments, **named)
        name = method.__name__
        payload = {"method": name, "goal": asdict(goal), "arguments": list(arguments), "named": named}
        reply = await self.elsewhere.run(JOB, payload, SECONDS, urgency=_URGENCY[name])
        return _read(reply, await self.lean_version())

    return cast(Method, done)


async def answer(language: Working, payload: Json) -> Json:
    """What a machine does that is asked: the outcome, what was tried, and by which Lean."""
    name, told = str(payload["method"]), payload["goal"]
    if name not in _URGENCY:
        raise Unavailable(f"{name} is not done for others")
    goal = Goal(
        **{
            **told,
            "scope": tuple((step, statement) for step, statement in told["scope"]),
            "history": tuple(told["history"]),
            "banned": tuple(told["banned"]),
            "preferred": tuple(told["preferred"]),
            "premises": tuple(Premise(**premise) for premise in told["premises"]),
        }
    )
    with logging_trials(TrialLog()) as log:
        outcome = await getattr(language, name)(goal, *payload["arguments"], **payload["named"])
        return {"outcome": asdict(outcome), "trials": log.to_json(), "lean": await language.lean_version()}


def _read(reply: Any, ours: str) -> Outcome:
    """The outcome that a reply brings.

    Raises:
        MissingTool: another Lean has worked on it. Unavailable: the reply cannot be read.
    """
    try:
        theirs, said = reply["lean"], reply["outcome"]
        ok, value, reason, cost = said["ok"], said["value"], said["reason"], said["cost"]
        spent = {str(name): float(number) for name, number in cost.items()}
        if not isinstance(ok, bool) or not isinstance(value, dict) or not isinstance(reason, str):
            raise TypeError("an outcome is a truth value, an object and a text")
        tried = dict(reply["trials"])
    except (TypeError, KeyError, ValueError, AttributeError) as fault:
        raise Unavailable(f"a node's answer cannot be read ({type(fault).__name__}: {fault})") from fault
    if theirs != ours:
        raise MissingTool(
            f"a node of the cluster has Lean {theirs!s:.80}, and here is {ours}: have the same everywhere"
        )
    trial_log().take(tried)
    return Outcome(ok, value, reason, spent)
