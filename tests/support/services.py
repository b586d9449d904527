"""A real HTTP server that answers like Loogle and LeanExplore, and misbehaves on demand."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

LOOGLE = {"count": 2, "header": "Found 2 declarations", "heartbeats": 1}
HITS = [
    {"name": "List.length_append", "type": "…", "module": "Init.Data.List.Basic", "doc": "Said by the service."},
    {"name": "Finset.card_union", "type": "…", "module": "Mathlib.Data.Finset.Card", "doc": None},
]
RESULTS = [
    {"id": 1, "name": "List.length_map", "module": "Init", "docstring": None, "source_text": "theorem …"},
    {"id": 2, "name": "not a name; #eval 1", "module": "Init", "docstring": "hostile", "source_text": ""},
]
FAULTS: dict[str, tuple[int, bytes] | None] = {
    "HTTP 500": (500, b"broken"),
    "HTTP 429": (429, b'{"error": "slow down"}'),
    "no JSON": (200, b"<html>It works!</html>"),
    "no object": (200, b"[1, 2]"),
    "20 MB": (200, b'{"hits": "' + b"x" * 20_000_000 + b'"}'),
    "no answer at all": None,
}


class Services:
    """``with Services() as services: ... services.url``; ``fault``: a key of `FAULTS` for every answer."""

    def __init__(self, fault: str = "") -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.headers: list[dict[str, str]] = []
        self._fault = fault
        self._over = threading.Event()

    def __enter__(self) -> Services:
        services = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *words: Any) -> None:
                pass

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self._answer(parts.path, query)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self._answer(self.path, body)

            def _answer(self, path: str, asked: dict[str, Any]) -> None:
                services.asked.append((path, asked))
                services.headers.append({name.lower(): value for name, value in self.headers.items()})
                status, body = services._said(path, asked)
                if status:
                    self.send_response(status)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    with suppress(ConnectionError):  # whoever asked has heard enough
                        self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def _said(self, path: str, asked: dict[str, Any]) -> tuple[int, bytes]:
        if self._fault:
            said = FAULTS[self._fault]
            if said is None:
                self._over.wait(60)
                return 0, b""
            return said
        if path == "/json":
            wrong = {"error": "unknown identifier 'nope'", "suggestions": ["List"]}
            return 200, json.dumps(wrong if asked["q"] == "nope" else {**LOOGLE, "hits": HITS}).encode()
        if path == "/search":
            return 200, json.dumps({"results": RESULTS, "count": 2, "processing_time_ms": 3}).encode()
        return 404, b"{}"
