"""The HTTP client under the models: many requests at once, on any event loop, and no reply larger than the limit."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from goedels_poetry.models.faults import ReplyTooLarge


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
