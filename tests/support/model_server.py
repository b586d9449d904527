"""A small HTTP server that speaks chat completions, with scripted replies and scripted faults.

``with Server([Answer("hello"), rate_limit(0.1)]) as server: ... server.url``
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from socket import SO_LINGER, SOL_SOCKET
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    text: str = ""
    finish: str = "stop"
    delay: float = 0.0
    """Seconds before the first byte."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "application/json"
    body: str | None = None
    """Sent as it is, instead of a completion."""
    tool: str | None = None
    """Name of a tool that the model calls."""
    cut_after: float | None = None
    """Part of the body after which the connection is closed; 0: reset before any byte."""
    cached_tokens: int = 0


def rate_limit(seconds: float) -> Answer:
    return Answer(status=429, headers=(("retry-after", f"{seconds:g}"),), body='{"error": {"message": "slow down"}}')


def server_error() -> Answer:
    return Answer(status=500, body='{"error": {"message": "something broke"}}')


def refusal(parameter: str, status: int = 400) -> Answer:
    error = {"message": f"Unsupported parameter: '{parameter}'", "param": parameter, "type": "invalid_request_error"}
    return Answer(status=status, body=json.dumps({"error": error}))


RESET = Answer(cut_after=0)
CUT_OFF = Answer("x" * 5000, cut_after=0.5)
SLOW = Answer("late", delay=30)
EMPTY = Answer("")
INVALID_JSON = Answer(body='{"choices": [{"message": {"content": "half a')
HUGE = Answer("y" * 10_000_000)
WRONG_TYPE = Answer(body="<html>It works!</html>", content_type="text/html")
TOOL_CALL = Answer(tool="rm_rf")
FAULTS = {
    "429": rate_limit(0),
    "500": server_error(),
    "reset": RESET,
    "cut off": CUT_OFF,
    "30 s delay": SLOW,
    "empty": EMPTY,
    "invalid JSON": INVALID_JSON,
    "10 MB": HUGE,
    "wrong content type": WRONG_TYPE,
    "tool call": TOOL_CALL,
}
"""Every fault that a run must survive."""

Script = Callable[[dict[str, Any]], Answer] | Sequence[Answer]


@dataclass
class Server:
    """Runs in a thread of its own. A list of answers is given out in order, the last one again and again."""

    script: Script
    port: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the chat completions asked for, in order."""
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0
    given_up: int = 0
    """Requests whose client went away before the reply."""

    def __enter__(self) -> Server:
        started = threading.Event()
        self._now = 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def calls(self) -> int:
        return len(self.requests)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, backlog=1000)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if method == "GET" and path.endswith("/models"):
            await _send(writer, 200, "application/json", b'{"object": "list", "data": [{"id": "scripted"}]}')
            return True
        if not path.endswith("/chat/completions"):
            await _send(writer, 404, "application/json", b'{"error": {"message": "no such address"}}')
            return True
        asked = json.loads(body)
        self.requests.append(asked)
        self.headers.append(headers)
        answer = self._next(asked)
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            return await self._answer(asked, answer, reader, writer)
        finally:
            self._now -= 1

    def _next(self, asked: dict[str, Any]) -> Answer:
        if callable(self.script):
            return self.script(asked)
        return self.script[min(len(self.requests), len(self.script)) - 1]

    async def _answer(
        self, asked: dict[str, Any], answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        if answer.delay:
            gone = asyncio.ensure_future(reader.read(1))
            await asyncio.wait({gone}, timeout=answer.delay)
            if gone.done() and not gone.result():
                self.given_up += 1
                return False
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        if answer.cut_after == 0:
            writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return False
        if asked.get("stream") and answer.body is None:
            await _send_stream(writer, asked, answer)
            return False
        body = answer.body if answer.body is not None else json.dumps(_completion(asked, answer))
        data, cut = body.encode(), answer.cut_after
        await _send(writer, answer.status, answer.content_type, data, answer.headers, cut=cut)
        return cut is None


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    content_type: str,
    body: bytes,
    headers: tuple[tuple[str, str], ...] = (),
    cut: float | None = None,
) -> None:
    head = [f"HTTP/1.1 {status} X", f"content-type: {content_type}", f"content-length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in headers]
    writer.write("\r\n".join([*head, "", ""]).encode() + body[: None if cut is None else int(len(body) * cut)])
    await writer.drain()


def _usage(asked: dict[str, Any], answer: Answer) -> dict[str, Any]:
    words_in = sum(len(str(message["content"]).split()) for message in asked["messages"])
    words_out = len(answer.text.split()) * asked.get("n", 1)
    return {
        "prompt_tokens": words_in,
        "completion_tokens": words_out,
        "total_tokens": words_in + words_out,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
    }


def _completion(asked: dict[str, Any], answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.tool is not None:
        call = {"id": "call_1", "type": "function", "function": {"name": answer.tool, "arguments": '{"path": "/"}'}}
        message |= {"content": None, "tool_calls": [call]}
    finish = "tool_calls" if answer.tool is not None else answer.finish
    choices = [{"index": i, "message": message, "finish_reason": finish} for i in range(asked.get("n") or 1)]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": asked["model"],
        "choices": choices,
        "usage": _usage(asked, answer),
    }


async def _send_stream(writer: asyncio.StreamWriter, asked: dict[str, Any], answer: Answer) -> None:
    common = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
    pieces = re.findall(r"\S+\s*|\s+", answer.text)
    if answer.cut_after is not None:
        pieces = pieces[: int(len(pieces) * answer.cut_after)]
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}]}
        for piece in pieces
    ]
    if answer.cut_after is None:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": answer.finish}]})
        if (asked.get("stream_options") or {}).get("include_usage"):
            chunks.append({"choices": [], "usage": _usage(asked, answer)})
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
    for chunk in chunks:
        writer.write(b"data: " + json.dumps(common | chunk).encode() + b"\n\n")
    if answer.cut_after is None:
        writer.write(b"data: [DONE]\n\n")
    await writer.drain()
