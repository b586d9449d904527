"""What agents tell a language model about a goal: the goal itself, what was tried, what is banned and why."""

from __future__ import annotations

from typing import Any

from goedels_poetry.models.requests import Request
from goedels_poetry.models.schedule import RetryConfig
from goedels_poetry.protocol.base import Goal, ModelGuided
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.agents.story import MAX_STORY, bans, came_with, story
from goedels_poetry.search.tasks.claim import Claim
from goedels_poetry.store.state import ProofNode

FIRST_SAID = ("tried_proofs", "tried_sketches")
"""Variables of the first questions about a goal, which show no history."""


def guide_of(deps: Deps, *roles: str) -> ModelGuided | None:
    """The language as one that models can work in, when any of ``roles`` has a model; else None."""
    language = deps.language
    return language if any(map(deps.has_model, roles)) and isinstance(language, ModelGuided) else None


async def request_for(
    deps: Deps,
    node: ProofNode,
    goal: Goal,
    role: str,
    prompt: str,
    attempt: int,
    schema: dict[str, Any] | None,
    **variables: str,
) -> Request:
    """A scheduled request about a goal, with the variables that every prompt may use, and ``variables`` besides."""
    assert isinstance(deps.language, ModelGuided)
    described = {**await deps.language.describe(goal), **variables}
    described |= {part: described[part] + came_with(goal) for part in FIRST_SAID if part in described}
    return request_about(deps, node, goal, role, prompt, attempt, schema, described)


def request_about(
    deps: Deps,
    node: ProofNode,
    goal: Goal,
    role: str,
    prompt: str,
    attempt: int,
    schema: dict[str, Any] | None,
    variables: dict[str, str],
) -> Request:
    """The same about a goal that is described already, among ``variables``.

    What their ``report`` says, the history does not say again.
    """
    told = hints(deps) + story(goal.history, variables.get("report", ""))
    request = Request(
        role=role,
        prompt=prompt,
        variables={"history": told, "banned": bans(goal.history), **variables},
        attempt=attempt,
        schema=schema,
        node=node.id,
        seed=deps.settings.seed,
    )
    return schedule(deps).scheduled(request)


def hints(deps: Deps) -> str:
    """The steps of a proof that a claim came with, for the prompts about its goals; "" without any."""
    claim = deps.task
    if not isinstance(claim, Claim) or not claim.steps:
        return ""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(claim.steps, 1))
    return f"The author of the theorem suggests these steps of a proof:\n{steps[:MAX_STORY]}\n\n"


def schedule(deps: Deps) -> RetryConfig:
    """Attempts, beams and temperatures of this run."""
    chosen = deps.settings.schedule
    return RetryConfig(chosen.max_attempts, chosen.beam, chosen.temperature, chosen.max_tokens)
