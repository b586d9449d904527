"""The HTTP client under the models: many requests at once, and no reply larger than the limit."""

from __future__ import annotations

import asyncio
from functools import cached_property
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from goedels_poetry.models.faults import ReplyTooLarge


def http_client(max_bytes: int) -> Any:
    """A client that breaks off any answer of more than ``max_bytes`` (decompressed).

    All roles share it, on any number of event loops. Cancelling a request closes its connection. Close it with
    ``aclose``.
    """
    import openai

    # The library that the installed openai client is built on: httpx, or its successor httpx2 with the same names.
    client: Any = openai.DefaultAsyncHttpxClient
    httpx: Any = import_module(client.__mro__[1].__module__.partition(".")[0])

    class OneAtATime(httpx.AsyncBaseTransport):  # type: ignore[misc]  # chosen at run time
        """Connection pools that each serve one request at a time, the latest used first.

        A common pool looks at every connection whenever a request begins or ends: with 100 at once that is
        half of all the time that they take.
        """

        def __init__(self) -> None:
            # A connection belongs to the event loop that has opened it.
            self._idle: WeakKeyDictionary[Any, dict[str, list[Any]]] = WeakKeyDictionary()
            self._all: list[tuple[asyncio.AbstractEventLoop, Any]] = []

        async def handle_async_request(self, request: Any) -> Any:
            schemes = self._idle.setdefault(asyncio.get_running_loop(), {"http": [], "https": []})
            idle = schemes["https" if request.url.scheme == "https" else "http"]
            pool = idle.pop() if idle else self._pool(request.url.scheme)
            try:
                response = await pool.handle_async_request(request)
            except BaseException:
                idle.append(pool)
                raise
            response.stream = Released(response.stream, lambda: idle.append(pool))
            return response

        def _pool(self, scheme: str) -> Any:
            # Certificates take 20 ms to read: once, and only where they are needed. An empty context takes 0.3 ms.
            pool = httpx.AsyncHTTPTransport(verify=self._tls if scheme == "https" else self._unused)
            self._all.append((asyncio.get_running_loop(), pool))
            return pool

        @cached_property
        def _tls(self) -> Any:
            return httpx.create_ssl_context()

        @cached_property
        def _unused(self) -> Any:
            return httpx.create_ssl_context(verify=False)

        async def aclose(self) -> None:
            here = asyncio.get_running_loop()
            for loop, pool in self._all:
                if loop is here:
                    await pool.aclose()
                elif loop.is_running():  # it may wait for us, so we do not wait for it
                    asyncio.run_coroutine_threadsafe(pool.aclose(), loop)

    class Released(httpx.AsyncByteStream):  # type: ignore[misc]  # chosen at run time
        """A body that says when it is done with its connection."""

        def __init__(self, body: Any, release: Any) -> None:
            self._body = body
            self._release = release

        async def __aiter__(self) -> Any:
            async for piece in self._body:
                yield piece

        async def aclose(self) -> None:
            release, self._release = self._release, lambda: None
            try:
                await self._body.aclose()
            finally:
                release()

    class Client(openai.DefaultAsyncHttpxClient):
        async def send(self, request: Any, *, stream: bool = False, **arguments: Any) -> Any:
            response = await super().send(request, stream=True, **arguments)
            return response if stream else await _read(response, request, max_bytes)

    from urllib.request import getproxies  # brings ssl: not at the cost of who has no model

    # A redirection would send the whole prompt to a host that nobody has named. And a transport of our own would keep
    # the client from finding the proxies of the environment.
    if getproxies():
        return Client(follow_redirects=False)
    return Client(transport=OneAtATime(), follow_redirects=False)


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
