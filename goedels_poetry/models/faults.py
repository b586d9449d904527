"""What can go wrong between us and a model, in one line each: every fault is an answer, none is an exception."""

from __future__ import annotations

import email.utils
import json
import math
import time
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import one_line

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
