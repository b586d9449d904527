"""What is configured and whether it can be reached, for `doctor`. Costs nothing unless a call is asked for."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from goedels_poetry.errors import one_line
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.endpoint import Endpoint, key_of, public_address
from goedels_poetry.models.http import fault_of, http_client
from goedels_poetry.models.prompts import PromptError, Prompts
from goedels_poetry.settings.declared import Settings

PATIENCE = 5.0
"""Seconds for a server to say that it is there."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was looked at."""

    what: str
    words: str
    ok: bool = True


async def look(settings: Settings, *, call: bool) -> list[Seen]:
    """What each role uses, each server, the user's prompts; [] when no model is configured.

    Args:
        call: also ask one model, the prover's if there is one, for one word.

    Raises:
        RecordingError, PriceError: a file that the settings name cannot be used.
    """
    in_force = settings.models.model_copy(update={"record": None, "cache": False})
    quiet = settings.model_copy(update={"models": in_force, "prompts_dir": None})  # prompts are looked at one by one
    models = models_from(quiet)
    if models is None:
        return []
    try:
        seen = [Seen(f"model of {role}", _described(models, role)) for role in models.roles]
        distinct = {id(endpoint): endpoint for endpoint in models.endpoints.values()}.values()
        servers = {endpoint.server: endpoint for endpoint in distinct if endpoint.server}
        seen += await asyncio.gather(*(_reach(endpoint) for endpoint in servers.values()))
        if call:
            asked = models.endpoints.get("prover") or next(iter(distinct), None)
            seen += [await _ask(asked)] if asked is not None else []
    finally:
        await models.aclose()
    return seen + _prompts(settings)


def _described(models: Models, role: str) -> str:
    facts = models.fingerprint[role]
    endpoint = models.endpoints.get(role)
    if endpoint is None:
        return f"{models.name(role)}, from a recording"
    price = models.prices.of(endpoint.name)
    cost = f"{price.input:g} in, {price.output:g} out (dollars a million tokens)" if price else "no price known"
    key = "with a key" if key_of(endpoint.settings) else "without a key"
    return f"{models.name(role)} at {facts['server']}, {key}, {cost}"


async def _reach(endpoint: Endpoint) -> Seen:
    """Whether the server answers at all: the list of models costs nothing."""
    what, key = f"server {public_address(endpoint.server)}", key_of(endpoint.settings)
    headers = {**({"authorization": f"Bearer {key}"} if key else {}), **endpoint.settings.extra_headers}
    http = http_client(10_000_000)
    try:
        async with asyncio.timeout(PATIENCE):
            response = await http.get(f"{endpoint.server}/models", headers=headers)
    except Exception as problem:  # noqa: BLE001  whatever it is: this is how it does not work
        return Seen(what, f"cannot be reached: {fault_of(problem, PATIENCE).reason}", ok=False)
    finally:
        await http.aclose()
    refused = response.status_code in (401, 403)
    return Seen(what, "the key is not accepted" if refused else "can be reached", ok=not refused)


async def _ask(endpoint: Endpoint) -> Seen:
    what, limit = f"call of {endpoint.name}", endpoint.settings.timeout_seconds
    try:
        async with asyncio.timeout(limit):
            message = await endpoint.send([("user", "Answer with the word yes.")], None, 16, None)
    except Exception as problem:  # noqa: BLE001  whatever it is: this is how it does not work
        return Seen(what, fault_of(problem, limit).reason, ok=False)
    return Seen(what, f"answers {str(message.content)[:40]!r}")


def _prompts(settings: Settings) -> list[Seen]:
    """The user's prompts: which ones replace ours, and whether they can be read."""
    if settings.prompts_dir is None:
        return []
    try:
        mine = Prompts(settings.prompts_dir)
        mine.check()
    except PromptError as problem:
        return [Seen("prompts", one_line(problem), ok=False)]
    ours, seen = Prompts(), []
    for file in sorted(settings.prompts_dir.expanduser().glob("*.md")):
        known = file.stem in ours.names()
        unknown = sorted(mine.get(file.stem).variables - ours.get(file.stem).variables) if known else []
        words = f"{file} replaces ours" if known else f"{file} replaces nothing: there is no prompt of that name"
        asks = f", but asks for {', '.join(unknown)}, which may not be given" if unknown else ""
        seen.append(Seen("prompt", words + asks, ok=known))
    return seen
