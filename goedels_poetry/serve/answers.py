"""How the server answers: JSON, or a page; and one clear message when something is wrong."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of whatever needs nothing from anywhere."""
OWN_FILES = f"{NOTHING_ELSE}; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:"
"""The policy of pages made of the server's own files."""


class Refused(Exception):
    """A request that cannot be done, with the status to answer and the one message that says why."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status, self.message, self.more = status, message, more


def answer(value: Any, status: int = 200) -> Response:
    """A JSON value. What is no Unicode (half a surrogate pair) stays readable by every parser: all is ASCII."""
    return Response(json.dumps(value, ensure_ascii=True, default=str), status, media_type="application/json")


def problem(status: int, message: str, **more: Any) -> Response:
    """``{"error": message}`` and what else helps."""
    return answer({"error": message, **more}, status)


def page(text: str, policy: str = OWN_FILES) -> Response:
    """An HTML page with its policy. Half a surrogate pair, which UTF-8 cannot say, becomes a question mark."""
    body = text.encode("utf-8", "replace")
    return Response(body, media_type="text/html", headers={"content-security-policy": policy})
