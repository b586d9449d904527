"""Who may speak to the server: whoever has its token, from this machine, from a page of the server's own.

The server listens on loopback alone. That is not enough: every page that the user visits may send requests there, with
a name of its own that leads to 127.0.0.1 too (DNS rebinding), and so may every other user of the machine. So

* ``Host`` has to be the loopback address with the server's port;
* every request has the token, in a cookie that scripts cannot read and other sites cannot send, or as a bearer token
  of a program; the only other place is the address that the command prints, and the page there takes it out of sight;
* with the cookie, a request that changes something comes from a page of this very origin, and no request from another.

Cookies know no ports: another server on 127.0.0.1 that the user's browser visits is sent this one's cookie. That is so
with every server on loopback that uses them; whoever does not trust such a server does not open it in this browser.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goedels_poetry.errors import one_line

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


SAFE = ("GET", "HEAD")
_FROM_HERE = ("", "same-origin", "none")
"""What a browser says of where a request comes from, when it may have the cookie: our own page, or the user."""
_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_WELCOME = """<!doctype html><html lang="en"><meta charset="utf-8"><title>goedels-poetry</title>
<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Runs</a></p></html>"""
"""A redirection would count as coming from wherever the address was clicked, and be sent without the cookie."""
_NO_TOKEN = "this needs the token of the server: open the address that `goedels-poetry serve` has printed"
_NO_BEARER = "this needs the token of the server: send the header that `goedels-poetry mcp` has printed"


@dataclass(frozen=True, slots=True)
class Key:
    """What opens one server."""

    token: str
    port: int

    @staticmethod
    def new(port: int) -> Key:
        """A key that nobody can guess."""
        return Key(secrets.token_urlsafe(32), port)

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Name of the cookie: servers on several ports of one machine share the browser's jar."""
        return f"goedels_poetry_{self.port}"

    def fits(self, given: str) -> bool:
        """Whether it is the token; takes the same time whatever is wrong with it."""
        return secrets.compare_digest(given.encode("utf-8", "surrogatepass"), self.token.encode())

    def is_ours(self, host: str) -> bool:
        """Whether a ``Host`` means this server."""
        return host in (f"127.0.0.1:{self.port}", f"localhost:{self.port}")


class Gate:
    """Lets requests through to the application, or answers 403; the last resort when the application fails.

    ``pages``: whether browsers come with a cookie, too; else every request has the token as a bearer token.
    """

    def __init__(self, app: ASGIApp, key: Key, report: Callable[[str], None], *, pages: bool = True) -> None:
        self._app = app
        self._pages = pages
        self._key = key
        self._report = report

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("content-security-policy", NOTHING_ELSE)
            await send(message)

        answer = self._answer(scope)
        if answer is not None:
            await answer(scope, receive, guarded)
            return
        try:
            await self._app(scope, receive, guarded)
        except Exception as exc:  # noqa: BLE001  one request must not end the others, and no traceback leaves us
            self._report(f"{scope['method']} {ascii(scope['path'])[1:-1]}: {one_line(exc)}")
            if not begun:
                await problem(500, "something went wrong in the server; its terminal says what")(
                    scope, receive, guarded
                )

    def _answer(self, scope: Scope) -> Response | None:
        """What to say instead of letting the request through; None lets it through."""
        headers, key = Headers(scope=scope), self._key
        host = headers.get("host", "")
        if not key.is_ours(host):
            return problem(403, f"this server is http://127.0.0.1:{key.port} and answers to no other name")
        if self._pages and scope["path"] == "/" and scope["method"] in SAFE:
            for given in parse_qs(scope["query_string"].decode("latin-1")).get("token", ())[:1]:
                return self._welcome() if key.fits(given) else problem(403, _NO_TOKEN)
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return problem(403, "this server answers to its own pages only")
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and key.fits(bearer.strip()):
            return None
        if not self._pages:
            return problem(403, _NO_BEARER)
        if not key.fits(_cookie(headers.get("cookie", ""), key.cookie)):
            return problem(403, _NO_TOKEN)
        if headers.get("sec-fetch-site", "") not in _FROM_HERE:
            return problem(403, "this server answers to its own pages only")
        if scope["method"] not in SAFE and origin is None:
            return problem(403, "whatever changes something has to say from which page it comes (Origin)")
        return None

    def _welcome(self) -> Response:
        page = HTMLResponse(_WELCOME)
        page.set_cookie(self._key.cookie, self._key.token, httponly=True, samesite="strict", path="/")
        return page


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""
