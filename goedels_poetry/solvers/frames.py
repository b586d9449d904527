"""Messages over a pipe: four bytes of length, then so many bytes of JSON."""

from __future__ import annotations

import json
import os
from typing import Any

_HEADER = 4
MAX_FRAME = 1 << 30


class BrokenFrame(Exception):
    """The other side ended, or does not speak in frames."""


def pack(message: dict[str, Any]) -> bytes:
    """One message, framed. Raises TypeError or ValueError for what JSON cannot hold."""
    body = json.dumps(message, allow_nan=False).encode()
    if len(body) > MAX_FRAME:
        raise ValueError(f"a message of {len(body)} bytes is too long")
    return len(body).to_bytes(_HEADER, "big") + body


def is_whole(received: bytearray) -> bool:
    """Whether exactly one frame was received. Raises BrokenFrame when it can never be."""
    if len(received) < _HEADER:
        return False
    length = int.from_bytes(received[:_HEADER], "big")
    if length > MAX_FRAME or len(received) > _HEADER + length:
        raise BrokenFrame("not a frame")
    return len(received) == _HEADER + length


def unpack(received: bytes | bytearray) -> dict[str, Any]:
    """The message in one whole frame. Raises BrokenFrame."""
    try:
        message = json.loads(received[_HEADER:])
    except ValueError as error:
        raise BrokenFrame(str(error)) from error
    if not isinstance(message, dict):
        raise BrokenFrame("not a message")
    return message


def read_message(fd: int) -> dict[str, Any] | None:
    """Block until a message arrives; None at the end of input."""
    header = _read_exactly(fd, _HEADER)
    if header is None:
        return None
    body = _read_exactly(fd, int.from_bytes(header, "big"))
    return None if body is None else unpack(header + body)


def write_message(fd: int, message: dict[str, Any]) -> None:
    """Block until the whole message is written."""
    rest = memoryview(pack(message))
    while rest:
        rest = rest[os.write(fd, rest) :]


def _read_exactly(fd: int, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(fd, min(size - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def private_pipes() -> tuple[int, int]:
    """For a child: take standard input and output for messages alone.

    Whatever else prints in this process (a C++ library, a job) then goes nowhere and cannot forge a message.
    """
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return requests, replies
