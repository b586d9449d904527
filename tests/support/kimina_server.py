"""A real HTTP server that speaks the endpoint ``/verify`` of a Kimina Lean Server on top of the embedded Lean.

``with KiminaServer(pool) as server: ... server.url``. Like the real one it cuts the imports off that stand at the
very beginning and elaborates the rest; whether positions are corrected for that depends on the server's age, hence
``corrects``.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, Message

_DEPENDS = re.compile(r"'(.+)' depends on axioms: .*", re.DOTALL)
CUT = 0
"""Status of a fault that ends the connection in the middle of the body."""
HANG = -1
"""Status of a fault that never answers."""


class KiminaServer:
    """Runs in threads of its own. ``faults`` (status and body) are given out first, one a request."""

    def __init__(
        self,
        lean: LeanPool,
        *,
        corrects: bool = True,
        api_key: str | None = None,
        faults: Sequence[tuple[int, str]] = (),
    ) -> None:
        self.lean = lean
        self.corrects = corrects
        self.api_key = api_key
        self.faults = list(faults)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        """Path and body of every request."""
        self.gone = threading.Event()

    def __enter__(self) -> KiminaServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                owner.asked.append((self.path, body))
                status, text = owner.reply(self.path, body, dict(self.headers.items()))
                if status == HANG:
                    owner.gone.wait()
                    return
                self.send_response(status or 200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text.encode()) * (2 if status == CUT else 1)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Tests are quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.gone.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def reply(self, path: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, str]:
        """Status and text for one request."""
        if self.faults:
            return self.faults.pop(0)
        if path != "/verify":
            return 404, '{"detail": "Not Found"}'
        if self.api_key and self.api_key not in (headers.get("X-Auth-Token"), headers.get("x-auth-token")):
            return 401, '{"detail": "Invalid API key"}'
        codes = [(str(c["custom_id"]), c.get("proof") or c.get("code")) for c in body["codes"]]
        return 200, json.dumps({"results": [{"custom_id": n, **self._run(t, body["timeout"])} for n, t in codes]})

    def _run(self, code: str, seconds: float) -> dict[str, Any]:
        lines = code.splitlines()
        cut = 0
        while cut < len(lines) and (not lines[cut].strip() or lines[cut].strip().startswith("import ")):
            cut += 1
        late = [number for number, line in enumerate(lines, 1) if number > cut and line.startswith("import ")]
        if late:
            said = "invalid 'import' command, it must be used in the beginning of the file"
            return {"response": {"env": 1, "messages": [_repl(Message("error", said, late[0]), 0)]}}
        header = "".join(f"{line}\n" for line in lines[:cut])
        request = CheckRequest("\n".join(lines[cut:]), header, seconds, holes=True, declarations=True)
        result = asyncio.run(self.lean.check(request))
        if result.status == "timeout":
            return {"error": f"Lean REPL command timed out in {seconds} seconds"}
        if result.status == "crash":
            return {"error": result.error}
        off = 0 if self.corrects else cut
        sorries = [
            {"pos": self._pos(code, hole.start, off), "endPos": self._pos(code, hole.end, off), "goal": goal.goal}
            for hole in result.holes
            for goal in hole.goals
        ]
        axioms = {d.name: d.axioms for d in result.declarations}
        messages = [_repl(_with_axioms(message, axioms), off) for message in result.messages]
        return {"time": result.seconds, "response": {"env": 1, "messages": messages, "sorries": sorries}}

    @staticmethod
    def _pos(code: str, offset: int, off: int) -> dict[str, int]:
        before = code[:offset].split("\n")
        return {"line": len(before) - off, "column": len(before[-1])}


def _with_axioms(message: Message, axioms: dict[str, tuple[str, ...]]) -> Message:
    """What a native Lean says: the embedded one has no proofs of its library, and prints its theorems as axioms."""
    said = _DEPENDS.fullmatch(message.text)
    if said is None or said[1] not in axioms:
        return message
    on = ", ".join(axioms[said[1]])
    return replace(
        message, text=f"'{said[1]}' " + (f"depends on axioms: [{on}]" if on else "does not depend on any axioms")
    )


def _repl(message: Message, off: int) -> dict[str, Any]:
    """A message as Lean's REPL prints it."""
    end = None if message.end_line is None else {"line": message.end_line - off, "column": message.end_column}
    start = {"line": message.line - off, "column": message.column}
    return {"severity": message.severity, "pos": start, "endPos": end, "data": message.text}
