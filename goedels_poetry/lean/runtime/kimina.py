"""A Lean behind a Kimina Lean Server: text over HTTP, messages and goals back.

Both of its endpoints are spoken: ``/api/check`` (servers since 2.0) and ``/verify`` (all). The protocol knows no
comparison of statements, no closed goals and no replay, and what a server says is what a stranger says: such a runtime
is not ``trusted``. It finds proofs; it never decides about one.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import httpx

from goedels_poetry.lean.runtime.kimina_text import (
    RUNS_PROGRAMS,
    Sent,
    Unsendable,
    commands_of,
    compose,
    header_lines,
    read_response,
)
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import Binder, CheckRequest, CheckResult, Hole, HoleGoal

# Closed statements of the goals at holes, for a Lean that only shows goals as text

_NAMES = re.compile(r"(?P<names>[^\s:]+(?: [^\s:]+)*) :(?P<rest>.*)")
_UNIVERSES = re.compile(r"\b(?:Type|Sort) (?:\((?P<several>[^()]*)\)|(?P<one>[^\s\d()\[\]{},:→]\S*?))(?=[\s)\]},]|$)")
_LEVEL = re.compile(r"[^\W\d][\w']*")
_DECLARED = re.compile(r"^universe\s+(.*)$", re.MULTILINE)
_PLAIN = {
    "pp.fullNames": "true",
    "pp.deepTerms": "true",
    "pp.proofs": "true",
    "pp.piBinderTypes": "true",
    "pp.letVarTypes": "true",
    "pp.fieldNotation": "false",
    "pp.mvars": "true",
}
_FORMS = (_PLAIN, {**_PLAIN, "pp.funBinderTypes": "true", "pp.numericTypes": "true", "pp.analyze": "true"})
"""How a statement is printed: the first form that Lean reads back is used."""


Asked = tuple[Hole, tuple[Binder, ...]]
"""A hole with one goal, and the hypotheses of that."""
Printed = dict[tuple[int, int], tuple[str, bool]]
"""By number of the hole and form: the goal, and whether the hole stands where a tactic does."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A statement that is to be read back, and its lines in the text: ``end`` is the first line after it."""

    number: int
    statement: str
    levels: tuple[str, ...]
    line: int
    end: int


def binders_of(goal: str) -> tuple[Binder, ...] | None:
    """The hypotheses of a goal as Lean shows it; None when they cannot be read."""
    shown = [line for line in goal.split("\n⊢")[0].split("\n") if not line.startswith((" ", "case ", "⊢"))]
    found: list[tuple[str, bool]] = []
    for line in shown:
        read = _NAMES.fullmatch(line)
        if read is None:
            return None
        found += [(name, ":=" in read["rest"]) for name in read["names"].split(" ")]
    taken = {name for name, _ in found}
    binders = []
    for name, let in found:
        stem, hidden, _ = name.partition("✝")
        if hidden:
            stem = re.sub(r"\W", "", stem) or "x"
            name = next(n for k in range(1, len(found) + 2) if (n := f"{stem}_{k}") not in taken)
            taken.add(name)
        binders.append(Binder(name, bool(hidden), let, "default"))
    return tuple(binders)


def asked_about(holes: Sequence[Hole]) -> list[Asked]:
    """The holes that can be asked about: those with one goal, whose hypotheses can be read."""
    return [
        (hole, binders)
        for hole in holes
        if len(hole.goals) == 1 and (binders := binders_of(hole.goals[0].goal)) is not None
    ]


def asking(request: CheckRequest, asked: Sequence[Asked], nonce: str) -> CheckRequest:
    """The text in which holes print their goals."""
    before, after = _split(request)
    for number, (hole, _) in reversed(list(enumerate(asked))):
        start, end = hole.start - len(before), hole.end - len(before)
        after = after[:start] + f"gp_hole_{number}" + after[end:]
    macros = "".join(_macro(number, binders, nonce) for number, (_, binders) in enumerate(asked))
    return CheckRequest(macros + after, before, request.seconds, request.options)


def printed(result: CheckResult, nonce: str) -> Printed:
    """What holes have printed."""
    texts = [m.text for m in result.messages if m.severity == "info"]
    marker = re.compile(rf"^{nonce} (\d+) (\d+) (tactic|term)$", re.MULTILINE)
    found: Printed = {}
    for text, following in pairwise([*texts, ""]):
        pieces = marker.split(text)
        for number, form, category, state in zip(*(pieces[i::4] for i in range(1, 5)), strict=True):
            goal = state.strip() or following  # one message or two: that depends on the version
            if goal.count("⊢") == 1:
                found[int(number), int(form)] = (goal, category == "tactic")
    return found


def asked_again(asked: Sequence[Asked], seen: Printed) -> list[Asked]:
    """The same holes with the hypotheses that were left in what they have printed; [] when none were."""
    left = {number: binders_of(goal) for (number, form), (goal, _) in seen.items() if form == 0}
    if not any(left.values()):
        return []
    return [(hole, left.get(number) or binders) for number, (hole, binders) in enumerate(asked)]


def probing(request: CheckRequest, asked: Sequence[Asked], seen: Printed) -> tuple[CheckRequest, list[Probe]]:
    """The text that states what was printed without any hypothesis, each before the command of its hole."""
    whole = request.prefix + request.code
    commands = commands_of(whole)
    probes: list[Probe] = []
    added: dict[int, str] = {}
    shown = [key for key in sorted(seen) if binders_of(seen[key][0]) == ()]
    for number, form in sorted(shown, key=lambda key: (asked[key[0]][0].start, key)):
        hole = asked[number][0]
        at = max((c.start for c in commands if c.start <= hole.start), default=len(request.prefix))
        if at < len(request.prefix) or whole[:at][-1:] not in ("", "\n"):
            continue  # nothing of ours can be put there
        statement = seen[number, form][0].partition("⊢ ")[2].strip()
        levels = levels_of(statement, whole[:at])
        declared = f".{{{', '.join(levels)}}}" if levels else ""
        text = f"theorem gp_probe_{number}_{form}{declared} : {statement} := sorry\n"
        line = whole.count("\n", 0, at) + sum(t.count("\n") for t in added.values()) + 1
        probes.append(Probe(number, statement, levels, line, line + text.count("\n")))
        added[at] = added.get(at, "") + text
    for at in sorted(added, reverse=True):
        whole = whole[:at] + added[at] + whole[at:]
    return CheckRequest(whole[len(request.prefix) :], request.prefix, request.seconds, request.options), probes


def stated(
    result: CheckResult, asked: Sequence[Asked], seen: Printed, probes: Sequence[Probe], probed: CheckResult
) -> CheckResult:
    """``result`` with the statements that Lean has read back: those without an error on their lines."""
    if probed.status != "done":
        return result
    new: dict[int, Hole] = {}
    for probe in probes:
        hole, binders = asked[probe.number]
        if hole.start not in new and not any(probe.line <= m.line < probe.end for m in probed.errors):
            goal = HoleGoal(hole.goals[0].goal, probe.statement, binders, probe.levels)
            new[hole.start] = replace(hole, tactic=seen[probe.number, 0][1], goals=(goal,))
    return replace(result, holes=tuple(new.get(hole.start, hole) for hole in result.holes))


def levels_of(statement: str, before: str) -> tuple[str, ...]:
    """Universes of a statement that nothing before it declares."""
    known = {word for match in _DECLARED.finditer(before) for word in match[1].split()}
    used = [w for m in _UNIVERSES.finditer(statement) for w in _LEVEL.findall(m["several"] or m["one"])]
    return tuple(dict.fromkeys(w for w in used if w not in known and w not in ("max", "imax")))


def _split(request: CheckRequest) -> tuple[str, str]:
    """The text before the place where commands of ours can be put, and the text after it."""
    whole = request.prefix + request.code
    lines = whole.split("\n")
    header = sum(len(line) + 1 for line in lines[: len(header_lines([line.rstrip("\r") for line in lines]))])
    at = max(len(request.prefix), header)
    return whole[:at], whole[at:]


def _macro(number: int, binders: tuple[Binder, ...], nonce: str) -> str:
    hidden = " ".join(b.name for b in binders if b.hidden)
    every = " ".join(b.name for b in binders)
    steps = [f"rename_i {hidden}"] * bool(hidden) + [f"revert {every}"] * bool(every)
    found = ""
    for category in ("tactic", "term"):
        shown = []
        for form, options in enumerate(_FORMS):
            prefixes = " ".join(f"set_option {name} {value} in" for name, value in options.items())
            shown += [f'trace "{nonce} {number} {form} {category}"', f"{prefixes} trace_state"]
        block = "; ".join([*steps, *shown, "sorry"])
        body = f"`(tactic| ({block}))" if category == "tactic" else f"`(by {block})"
        found += f'set_option hygiene false in local macro "gp_hole_{number}" : {category} => {body}\n'
    return found


RETRIES = 3
PAUSE_SECONDS = 0.5
"""Before the first retry; doubled with each."""
HEADER_SECONDS = 60.0
"""Beyond a request's own limit: a server may have to wait for a free Lean and to read the imports."""
MAX_TEXT_BYTES = 4_000_000
MAX_ANSWER_BYTES = 64_000_000
_MODERN, _OLD = "/api/check", "/verify"
_AGAIN = frozenset({429, 500, 502, 503, 504})


class Malformed(Exception):
    """An answer that is not in the protocol."""


class KiminaLean:
    """A client of one server, for one thread at a time (``kill`` from any); no connection is held between requests."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        retries: int = RETRIES,
        pause: float = PAUSE_SECONDS,
        patience: float = HEADER_SECONDS,
    ) -> None:
        """``url``: the server's root; ``api_key``: what it was started with; ``pause`` and ``patience`` in seconds."""
        self._url = url.rstrip("/")
        # Servers before 2.0 read the first of these headers, later ones the second.
        self._headers = {"Authorization": f"Bearer {api_key}", "X-Auth-Token": api_key} if api_key else {}
        self._retries = retries
        self._pause = pause
        self._patience = patience
        self._path: str | None = None
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[CheckResult]] | None = None

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`. Everything but an answer in the protocol is a crash or a time-out, never "done".

        Weaker than a Lean of our own: closed statements of goals are read back, but not compared with the goals;
        commands and declarations are those found by plain reading, axioms those that the server prints; a comparison or
        a replay is always answered with no. ``request.code`` (not the prefix) may not run programs of its own: such
        a program could write the server's answers.
        """
        began = time.monotonic()
        program = RUNS_PROGRAMS.search(request.code)
        if program:
            why = (
                f"`{program[0]}` runs programs inside Lean: what a Kimina server says about such a text proves nothing"
            )
            return CheckResult("crash", why)
        try:
            sent = compose(request, secrets.token_hex(12))
        except Unsendable as fault:
            return CheckResult("crash", str(fault))
        if len(sent.text.encode()) > MAX_TEXT_BYTES:
            return CheckResult("crash", f"the text is longer than {MAX_TEXT_BYTES} bytes")
        result = asyncio.run(self._killable(sent, request))
        if result.status != "done":
            return CheckResult(result.status, result.error, seconds=time.monotonic() - began)
        return result

    def kill(self) -> None:
        """Make the request under way end now; from any thread."""
        with self._lock:
            if self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        """Nothing is open between requests."""

    async def _killable(self, sent: Sent, request: CheckRequest) -> CheckResult:
        task = asyncio.ensure_future(self._answer(sent, request))
        with self._lock:
            self._running = (asyncio.get_running_loop(), task)
        try:
            return await task
        except asyncio.CancelledError:
            return CheckResult("crash", "the request was cancelled")
        finally:
            with self._lock:
                self._running = None

    async def _answer(self, sent: Sent, request: CheckRequest) -> CheckResult:
        try:
            texts = 4 if request.holes else 1
            async with asyncio.timeout(texts * request.seconds + self._patience):
                result = await self._ask(sent, request)
                return await self._with_statements(request, result) if request.holes and result.ok else result
        except TimeoutError:
            return CheckResult("timeout", f"no answer from {self._url} in time")
        except Malformed as fault:
            return CheckResult("crash", f"the answer of {self._url} is not a Kimina server's: {fault}")
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return CheckResult("crash", f"{self._url}: {type(fault).__name__} {fault}".rstrip())

    async def _with_statements(self, request: CheckRequest, result: CheckResult) -> CheckResult:
        """The result with closed statements of the goals, as far as a few more texts can give them."""
        asked = asked_about([hole for hole in result.holes if hole.start >= len(request.prefix)])
        if not asked:
            return result
        seen = await self._printed(request, asked)
        if again := asked_again(asked, seen):
            asked, seen = again, await self._printed(request, again)
        text, probes = probing(request, asked, seen)
        if not probes:
            return result
        return stated(result, asked, seen, probes, await self._ask(compose(text, secrets.token_hex(12)), text))

    async def _printed(self, request: CheckRequest, asked: Sequence[Asked]) -> Printed:
        nonce = secrets.token_hex(12)
        text = asking(request, asked, nonce)
        return printed(await self._ask(compose(text, secrets.token_hex(12)), text), nonce)

    async def _ask(self, sent: Sent, request: CheckRequest) -> CheckResult:
        seconds = max(1, math.ceil(request.seconds))
        name = sent.nonce
        if self._path != _OLD:
            body = {"snippets": [{"id": name, "code": sent.text}], "timeout": seconds, "reuse": True, "debug": False}
            status, text = await self._post(_MODERN, body)
            if status in (404, 405) and self._path is None:
                self._path = _OLD
            else:
                result = _result(status, text, "id", name)
                self._path = _MODERN
                return read_response(result, sent, request)
        body = {"codes": [{"custom_id": name, "proof": sent.text}], "timeout": seconds, "disable_cache": False}
        status, text = await self._post(_OLD, body)
        return read_response(_result(status, text, "custom_id", name), sent, request)

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body, tried again while the server is busy or not there."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                status, text = await self._post_once(path, body)
            except httpx.TransportError:
                if last:
                    raise
            else:
                if last or status not in _AGAIN:
                    return status, text
            await asyncio.sleep(self._pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _post_once(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        async with (
            httpx.AsyncClient(timeout=None) as client,  # the whole request has its limit above
            client.stream("POST", self._url + path, json=body, headers=self._headers) as response,
        ):
            text = bytearray()
            async for chunk in response.aiter_bytes():
                text += chunk
                if len(text) > MAX_ANSWER_BYTES:
                    raise Malformed(f"longer than {MAX_ANSWER_BYTES} bytes")
            return response.status_code, bytes(text)


def _result(status: int, text: bytes, key: str, name: str) -> dict[str, Any]:
    """The one result of an answer; raises :class:`Malformed`."""
    if status in (401, 403):
        raise Malformed(f"it refuses the API key (HTTP {status})")
    if status != 200:
        raise Malformed(f"HTTP {status} {text[:200].decode(errors='replace')}")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise Malformed(f"not JSON: {str(fault)[:200]}") from fault
    results = answer.get("results") if isinstance(answer, dict) else None
    if not isinstance(results, list) or len(results) != 1 or not isinstance(results[0], dict):
        raise Malformed("no single result")
    if str(results[0].get(key)) != name:
        raise Malformed("the result of another request")
    found: dict[str, Any] = results[0]
    return found


def kimina_pool(
    url: str,
    api_key: str | None = None,
    size: int = 1,
    *,
    retries: int = RETRIES,
    pause: float = PAUSE_SECONDS,
    patience: float = HEADER_SECONDS,
) -> LeanPool:
    """A pool of ``size`` clients of the Kimina server at ``url``; nothing is asked before the first request.

    ``retries``: after HTTP 429, 500, 502 to 504 and broken connections. ``patience``: seconds that an answer may take
    beyond the limit of a request. The pool is not ``trusted``: see `KiminaLean.check` for what is weaker.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"the address of a Kimina server begins with http:// or https://, not {url!r}")
    return LeanPool(
        "kimina", "unknown", lambda: KiminaLean(url, api_key, retries, pause, patience), size, trusted=False
    )
