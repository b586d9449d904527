"""A Lean behind a Kimina Lean Server: text over HTTP (its endpoint ``/verify``), messages and goals back.

The protocol has no comparison of statements, no closed goals and no replay, and a server can answer anything: such a
runtime is not ``trusted``. It finds proofs; it never decides about one.
"""

from __future__ import annotations

import asyncio
import json
import math
import secrets
import threading
import time
from typing import Any

import httpx

from goedels_poetry.lean.runtime.kimina_text import RUNS_PROGRAMS, Sent, Unsendable, compose, read_response
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest, ReplayResult

RETRIES = 3
PAUSE_SECONDS = 0.5
"""Before the first retry; doubled with each."""
HEADER_SECONDS = 60.0
"""Beyond a request's own limit: a server may have to wait for a free Lean and to read the imports."""
MAX_TEXT_BYTES = 4_000_000
MAX_ANSWER_BYTES = 64_000_000
_AGAIN = frozenset({429, 500, 502, 503, 504})


class Malformed(Exception):
    """An answer that is not in the protocol."""


class KiminaLean:
    """A client of one server, for one thread at a time (``kill`` from any); no connection is held between requests."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        retries: int = RETRIES,
        pause: float = PAUSE_SECONDS,
        patience: float = HEADER_SECONDS,
    ) -> None:
        """``url``: the server's root; ``api_key``: what it was started with; ``pause`` and ``patience`` in seconds."""
        self._url = url.rstrip("/")
        # Servers before 2.0 read the first of these headers, later ones the second.
        self._headers = {"Authorization": f"Bearer {api_key}", "X-Auth-Token": api_key} if api_key else {}
        self._retries = retries
        self._pause = pause
        self._patience = patience
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[CheckResult]] | None = None

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`. Everything but an answer in the protocol is a crash or a time-out, never "done".

        Weaker than a Lean of our own: closed statements are put together from the goals as printed; commands and
        declarations are those found by plain reading, axioms those that the server prints; a replay is refused.
        ``request.code`` (not the prefix) may not run programs of its own: such a program could write the answers.
        """
        began = time.monotonic()
        program = RUNS_PROGRAMS.search(request.code)
        if program:
            why = (
                f"`{program[0]}` runs programs inside Lean: what a Kimina server says about such a text proves nothing"
            )
            return CheckResult("crash", why)
        try:
            sent = compose(request, secrets.token_hex(12))
        except Unsendable as fault:
            return CheckResult("crash", str(fault))
        if len(sent.text.encode()) > MAX_TEXT_BYTES:
            return CheckResult("crash", f"the text is longer than {MAX_TEXT_BYTES} bytes")
        result = asyncio.run(self._killable(sent, request))
        if result.status != "done":
            return CheckResult(result.status, result.error, seconds=time.monotonic() - began)
        return result

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """Refused: see `check`."""
        return ReplayResult("crash", "a Kimina server takes no declarations as data")

    def library(self, prefix: str, code: str, imported: bool, seconds: float) -> None:
        """A server does not list what it knows."""

    def kill(self) -> None:
        """Make the request under way end now; from any thread."""
        with self._lock:
            if self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        """Nothing is open between requests."""

    async def _killable(self, sent: Sent, request: CheckRequest) -> CheckResult:
        task = asyncio.ensure_future(self._answer(sent, request))
        with self._lock:
            self._running = (asyncio.get_running_loop(), task)
        try:
            return await task
        except asyncio.CancelledError:
            return CheckResult("crash", "the request was cancelled")
        finally:
            with self._lock:
                self._running = None

    async def _answer(self, sent: Sent, request: CheckRequest) -> CheckResult:
        codes = [{"custom_id": sent.nonce, "proof": sent.text}]
        body = {"codes": codes, "timeout": max(1, math.ceil(request.seconds)), "disable_cache": False}
        try:
            async with asyncio.timeout(request.seconds + self._patience):
                status, text = await self._post(body)
            return read_response(_result(status, text, sent.nonce), sent, request)
        except TimeoutError:
            return CheckResult("timeout", f"no answer from {self._url} in time")
        except Malformed as fault:
            return CheckResult("crash", f"the answer of {self._url} is not a Kimina server's: {fault}")
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return CheckResult("crash", f"{self._url}: {type(fault).__name__} {fault}".rstrip())

    async def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body, tried again while the server is busy or not there."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                status, text = await self._post_once(body)
            except httpx.TransportError:
                if last:
                    raise
            else:
                if last or status not in _AGAIN:
                    return status, text
            await asyncio.sleep(self._pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _post_once(self, body: dict[str, Any]) -> tuple[int, bytes]:
        async with (
            httpx.AsyncClient(timeout=None) as client,  # the whole request has its limit above
            client.stream("POST", f"{self._url}/verify", json=body, headers=self._headers) as response,
        ):
            text = bytearray()
            async for chunk in response.aiter_bytes():
                text += chunk
                if len(text) > MAX_ANSWER_BYTES:
                    raise Malformed(f"longer than {MAX_ANSWER_BYTES} bytes")
            return response.status_code, bytes(text)


def _result(status: int, text: bytes, name: str) -> dict[str, Any]:
    """The one result of an answer; raises :class:`Malformed`."""
    if status in (401, 403):
        raise Malformed(f"it refuses the API key (HTTP {status})")
    if status != 200:
        raise Malformed(f"HTTP {status} {text[:200].decode(errors='replace')}")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise Malformed(f"not JSON: {str(fault)[:200]}") from fault
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or len(results) != 1 or not isinstance(results[0], dict):
        raise Malformed("no single result")
    if str(results[0].get("custom_id")) != name:
        raise Malformed("the result of another request")
    found: dict[str, Any] = results[0]
    return found


def kimina_pool(
    url: str,
    api_key: str | None = None,
    size: int = 1,
    *,
    retries: int = RETRIES,
    pause: float = PAUSE_SECONDS,
    patience: float = HEADER_SECONDS,
) -> LeanPool:
    """A pool of ``size`` clients of the Kimina server at ``url``; nothing is asked before the first request.

    ``retries``: after HTTP 429, 500, 502 to 504 and broken connections. ``patience``: seconds that an answer may take
    beyond the limit of a request. The pool is not ``trusted``: see `KiminaLean.check` for what is weaker.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"the address of a Kimina server begins with http:// or https://, not {url!r}")
    return LeanPool(
        "kimina", "unknown", lambda: KiminaLean(url, api_key, retries, pause, patience), size, trusted=False
    )
