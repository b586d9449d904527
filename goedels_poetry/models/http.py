"""The HTTP client under the models, with a bound on replies, and what can go wrong between us and a model."""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from goedels_poetry.errors import one_line

# What can go wrong between us and a model, in one line each

_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_BAD_REQUEST = frozenset({400, 404, 405, 415, 422, 501})
"""Answers that may mean that the server does not know one of our parameters."""
_NOT_LET_IN = frozenset({401, 402, 403, 404})
"""Answers that a key, a balance or an address is to blame for."""


class ReplyTooLarge(Exception):
    """The reply was broken off because it was larger than the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the reply is larger than {limit} bytes")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no reply."""

    reason: str
    retryable: bool = False
    retry_after: float | None = None
    """Seconds that the server asked us to wait."""
    refused: str = ""
    """The server's words about a request that it did not understand."""
    away: bool = False
    """Whether the server could not be asked at all, or did not answer: the same request may be answered later."""


def fault_of(error: BaseException, seconds: float, setting: str = "") -> Fault:
    """The fault that an exception of a chat model stands for.

    Args:
        error: whatever was raised.
        seconds: the limit of time that applied.
        setting: the name of the setting that it comes from, where there is one.
    """
    chain = list(_chain(error))
    for each in chain:
        if isinstance(each, ReplyTooLarge):
            return Fault(str(each))
        status = getattr(each, "status_code", None)
        if isinstance(status, int):
            return _of_status(status, each)
    names = {base.__name__ for each in chain for base in type(each).__mro__}
    if "ConnectTimeout" in names:
        return Fault("the connection failed: the server does not take it", retryable=True, away=True)
    if names & {"TimeoutError", "APITimeoutError", "TimeoutException"}:
        where = f" ({setting}); one that comes later is not used" if setting else ""
        return Fault(f"no reply within {seconds:g} s{where}", away=True)
    if names & {"APIConnectionError", "TransportError", "ConnectionError"}:
        return Fault(f"the connection failed: {_root_words(chain)}", retryable=True, away=True)
    if any(isinstance(each, json.JSONDecodeError) for each in chain):
        return Fault("the server's answer is not JSON")
    return Fault(f"the server's answer cannot be understood: {one_line(error, 300)}")


def _chain(error: BaseException | None) -> Any:
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _root_words(chain: list[BaseException]) -> str:
    """The words of the innermost error that has any, e.g. of the socket."""
    return next((one_line(each, 200) for each in reversed(chain) if str(each)), type(chain[-1]).__name__)


def _of_status(status: int, error: BaseException) -> Fault:
    words = " ".join(str(error).split())[:300] or type(error).__name__
    headers = getattr(getattr(error, "response", None), "headers", {})
    wait = retry_after(headers)
    asked = f" (asks to wait {wait:g} s)" if wait is not None else ""
    if headers.get("location"):
        asked = f" (it points to {headers['location'][:200]!r}, and nothing is sent there)"
    what = {
        401: "the key was not accepted",
        403: "the server does not allow it",
        404: "no such model or address",
        429: "the rate limit is reached",
    }.get(status, "the server failed" if status >= 500 else "the request was refused")
    return Fault(
        f"{what}, HTTP {status}{asked}: {words}",
        retryable=status in _RETRYABLE,
        retry_after=wait,
        refused=_words_of_body(error) if status in _BAD_REQUEST else "",
        away=status in _RETRYABLE or status in _NOT_LET_IN or status >= 500,
    )


def _words_of_body(error: BaseException) -> str:
    return f"{error} {json.dumps(getattr(error, 'body', ''), default=str)}"[:5000]


def retry_after(headers: Any) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``retry-after`` (seconds or a date); None when neither says."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / divisor
        except ValueError:
            date = email.utils.parsedate_tz(value)
            if date is None:
                continue
            seconds = email.utils.mktime_tz(date) - time.time()
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def http_client(max_bytes: int) -> Any:
    """A client that breaks off any answer of more than ``max_bytes`` (decompressed).

    All roles share it, on any number of event loops: each has connections of its own. Close it with ``aclose``.
    """
    import openai

    # The library that the installed openai client is built on: httpx, or its successor httpx2 with the same names.
    client: Any = openai.DefaultAsyncHttpxClient
    httpx: Any = import_module(client.__mro__[1].__module__.partition(".")[0])

    class PerLoop(httpx.AsyncBaseTransport):  # type: ignore[misc]  # chosen at run time
        """A connection belongs to the event loop that has opened it."""

        def __init__(self) -> None:
            self._transports: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

        async def handle_async_request(self, request: Any) -> Any:
            loop = asyncio.get_running_loop()
            if loop not in self._transports:
                unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
                self._transports[loop] = httpx.AsyncHTTPTransport(limits=unlimited)
            return await self._transports[loop].handle_async_request(request)

        async def aclose(self) -> None:
            here = asyncio.get_running_loop()
            for loop, transport in list(self._transports.items()):
                if loop is here:
                    await transport.aclose()
                elif loop.is_running():  # it may wait for us, so we do not wait for it
                    asyncio.run_coroutine_threadsafe(transport.aclose(), loop)

    class Client(openai.DefaultAsyncHttpxClient):
        async def send(self, request: Any, *, stream: bool = False, **arguments: Any) -> Any:
            response = await super().send(request, stream=True, **arguments)
            return response if stream else await _read(response, request, max_bytes)

    from urllib.request import getproxies  # brings ssl

    # A redirection would send the whole prompt to a host that nobody has named. A transport of our own would keep the
    # client from finding the proxies of the environment.
    more = {} if getproxies() else {"transport": PerLoop()}
    return Client(follow_redirects=False, **more)


async def _read(response: Any, request: Any, max_bytes: int) -> Any:
    """The whole response; raises :class:`ReplyTooLarge` and closes the connection when it gets too long."""
    body = bytearray()
    try:
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > max_bytes:
                raise ReplyTooLarge(max_bytes)
    finally:
        await response.aclose()
    gone = ("content-encoding", "content-length", "transfer-encoding")
    headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in gone]
    extensions = {"http_version": response.extensions.get("http_version", b"HTTP/1.1")}
    return type(response)(
        response.status_code, headers=headers, content=bytes(body), request=request, extensions=extensions
    )
