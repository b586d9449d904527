"""The run's data and the page's own style and script as one text that needs nothing else."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

SCRIPTS = ("model.js", "highlight.js", "tree.js", "detail.js", "timeline.js", "main.js")
"""Parts of the script, in this order."""
_SPELLED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What must not stand in a script element, as JSON spells it."""
_TO_SPELL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Live:
    """Where a page gets updates: addresses on its own origin."""

    events: str
    """Of server-sent events: each unnamed message is an update, one named ``end`` says that no further one comes."""
    home: str | None = None
    """Where the link to all runs leads."""
    stop: str | None = None
    """POSTed, without a body, to stop the run."""


def render(data: dict[str, Any], *, title: str, live: Live | None = None) -> str:
    """The page of a run."""
    log = {name: value for name, value in data.items() if name != "texts"}
    # Attempts, sketches and conversations are most of the data, and read only when somebody asks for them.
    parts = {"run": log, "texts": data["texts"], "live": asdict(live) if live else None}
    blocks = "".join(
        f'<script type="application/json" id="{name}">{_json(part)}</script>' for name, part in parts.items()
    )
    body = (
        '<noscript>This page draws the run with a script of its own; please allow it.</noscript><div id="page"></div>'
    )
    return document(title, f"{body}{blocks}<script>{_script()}</script>", content_security_policy(live is not None))


def document(title: str, body: str, policy: str) -> str:
    """A page with our style. ``policy``: what it may do."""
    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in title)
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<meta name="referrer" content="no-referrer">'
        f'<link rel="icon" href="{_ICON}">'
        f"<title>{escape(visible)}</title>"
        f"<style>{_style()}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def content_security_policy(live: bool = False) -> str:
    """What the page may do: run its own script, use its own style, and with ``live`` ask its own origin."""
    connect = "; connect-src 'self'" if live else ""
    return (
        f"default-src 'none'; script-src '{_digest(_script())}'; style-src '{_digest(_style())}'; img-src data:"
        f"{connect}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(sha256(text.encode()).digest()).decode()


@cache
def _style() -> str:
    return _asset("page.css")


@cache
def _script() -> str:
    """All parts in one function: the page has no names in common with others."""
    return "(() => {\n'use strict';\n" + "\n".join(map(_asset, SCRIPTS)) + "\n})();\n"


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _json(value: Any) -> str:
    """JSON that may stand in a script element: no tag, no comment and no line end of JavaScript's is in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _TO_SPELL.sub(lambda found: _SPELLED.get(found[0], f"\\u{ord(found[0]):04x}"), text)


_ICON = "data:image/svg+xml," + (
    "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Cpath d='M3 13V3h4a3 3 0 0 1 0 6H5.5m1.5 0 5 4' fill='none' stroke='%232f7d4f' stroke-width='2'/%3E%3C/svg%3E"
)
