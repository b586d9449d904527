"""A Lean behind a Kimina Lean Server: text over HTTP (its endpoint ``/verify``), and what its answers mean.

The protocol has no comparison of statements, no closed goals and no replay, and a server can answer anything: such a
runtime is not ``trusted``. It finds proofs; it never decides about one.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import httpx

from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import (
    Binder,
    CheckRequest,
    CheckResult,
    Command,
    Declaration,
    Hole,
    HoleGoal,
    Message,
    ReplayRequest,
    ReplayResult,
    Severity,
)
from goedels_poetry.lean.runtime.tokens import Token, header, tokenize

# What a Kimina server is sent, and what its answer means

# -- The commands of a text by plain reading, for a Lean that does not list them -----------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SYNTAX = "Lean.Parser.Command."
_DECLARED = {
    "theorem": "theorem",
    "lemma": "lemma",
    "def": "definition",
    "abbrev": "abbrev",
    "axiom": "axiom",
    "opaque": "opaque",
    "instance": "instance",
    "example": "example",
    "inductive": "inductive",
    "structure": "structure",
    "class": "structure",
}
_SIGNED = frozenset({"theorem", "lemma", "axiom", "opaque", "instance"})
"""What must have a statement; after others it may be left out."""
_MODIFIERS = _words("private protected noncomputable unsafe partial nonrec public meta scoped local")
_WORDS = _words(
    "namespace section end open variable universe set_option attribute mutual include omit export deriving import "
    "notation infix infixl infixr prefix postfix syntax macro macro_rules elab elab_rules initialize"
)
_RESERVED = frozenset(_DECLARED) - {"lemma", "instance", "class", "structure"}
"""These begin a command wherever they stand; other words only where a line begins."""
_BEFORE_IN = _words("open set_option variable omit include attribute")
_OPENING, _CLOSING = frozenset("([{⟨⦃⟦"), frozenset(")]}⟩⦄⟧")
_LOCAL = frozenset({"let", "have", "letI", "haveI", "let_fun"})


def commands_of(text: str) -> tuple[Command, ...]:
    """Every command but the imports, in order, as a driver of ours lists them."""
    found: list[Command] = []
    scopes: list[str] = []
    for chunk in _chunks([t for t in tokenize(text) if t.kind != "comment" and not t.inner]):
        at = _keyword(chunk)
        word = chunk[at].text if at < len(chunk) else ""
        if word == "#" and at + 1 < len(chunk):
            word = chunk[at + 1].text
        if word == "import":
            continue
        found.append(_command(chunk, at, word, ".".join(s for s in scopes if s)))
        name = chunk[at + 1].text if at + 1 < len(chunk) and chunk[at + 1].kind == "word" else ""
        if word in ("namespace", "section"):
            scopes += name.split(".") if word == "namespace" else [""] * (name.count(".") + 1)
        elif word == "end":
            del scopes[max(0, len(scopes) - name.count(".") - 1) :]
    return tuple(found)


def _chunks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    chunk: list[Token] = []
    for number, token in enumerate(tokens):
        following = tokens[number + 1] if number + 1 < len(tokens) else None
        if chunk and _begins(token, following) and not _goes_on(chunk, token):
            yield chunk
            chunk = []
        chunk.append(token)
        if token.kind == "doc" and token.text.startswith("/-!") and len(chunk) == 1:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _begins(token: Token, following: Token | None) -> bool:
    if token.kind == "doc" or token.kind != "word":
        return token.kind == "doc" or (token.column == 0 and token.text in ("#", "@") and following is not None)
    if token.text == "deriving":
        return token.column == 0 and following is not None and following.text == "instance"
    return token.text in _RESERVED or (token.column == 0 and token.text in {*_WORDS, *_DECLARED, *_MODIFIERS})


def _goes_on(chunk: Sequence[Token], token: Token) -> bool:
    """Whether a token that could begin a command belongs to the one before it."""
    at = _inner(chunk)
    if at == len(chunk):
        return True  # only a docstring, attributes and modifiers so far
    if chunk[at].text == "mutual":
        return all(t.text != "end" for t in chunk[at:])
    return chunk[at].text == "deriving" and token.text == "instance" and len(chunk) == at + 1


def _keyword(chunk: Sequence[Token], at: int = 0) -> int:
    """Index of the word that says what a command is, from ``at``, after its docstring, attributes and modifiers."""
    while at < len(chunk):
        token = chunk[at]
        if token.text == "@" and at + 1 < len(chunk) and chunk[at + 1].text == "[":
            depth, at = 1, at + 2
            while at < len(chunk) and depth:
                depth += (chunk[at].text == "[") - (chunk[at].text == "]")
                at += 1
        elif token.kind != "doc" and token.text not in _MODIFIERS:
            break
        else:
            at += 1
    return at


def _inner(chunk: Sequence[Token]) -> int:
    """Index of the word that says what stands inside of `open … in`, `set_option … in` and the like."""
    at = _keyword(chunk)
    while at < len(chunk) and chunk[at].text in _BEFORE_IN:
        within = next((i for i in range(at, len(chunk)) if chunk[i].text == "in"), None)
        if within is None:
            break
        at = _keyword(chunk, within + 1)
    return at


def _command(chunk: Sequence[Token], at: int, word: str, namespace: str) -> Command:
    start, end = chunk[0].start, chunk[-1].end
    if not word:  # nothing is documented
        return Command(f"{_SYNTAX}moduleDoc", "", start, end, (), namespace)
    if word == "mutual":
        inside = [i + 1 for i, token in enumerate(chunk[:-1]) if token.text in _DECLARED and token.kind == "word"]
        return Command(f"{_SYNTAX}mutual", "", start, end, tuple(chunk[i].text for i in inside), namespace)
    inner = _inner(chunk)
    kind = f"{_SYNTAX}{'in' if inner > at else word}"
    declared = chunk[inner].text if inner < len(chunk) else ""
    if declared not in _DECLARED:
        return Command(kind, "", start, end, (), namespace)
    if inner == at:
        kind = "lemma" if declared == "lemma" else f"{_SYNTAX}declaration"
    what = _DECLARED[declared] if declared == "lemma" else f"{_SYNTAX}{_DECLARED[declared]}"
    rest = chunk[inner + 1 :]
    names = (rest[0].text,) if rest and rest[0].kind == "word" and declared != "example" else ()
    head = _head(rest) if declared in _SIGNED else -1
    return Command(kind, what, start, end, names, namespace, head)


def _head(rest: Sequence[Token]) -> int:
    """Where the statement ends: before `:=`, before a `|` that begins its line, before `where`."""
    depth = waiting = 0
    for index, token in enumerate(rest):
        following = rest[index + 1].text if index + 1 < len(rest) else ""
        depth += (token.text in _OPENING) - (token.text in _CLOSING) if token.kind == "symbol" else 0
        if depth or token.kind not in ("symbol", "word"):
            continue
        waiting += token.kind == "word" and token.text in _LOCAL
        if token.text == ":" and following == "=" and rest[index + 1].start == token.end:
            if not waiting:
                return rest[index - 1].end
            waiting -= 1
        elif token.text == "where" or (token.text == "|" and token.line > rest[index - 1].line):
            return rest[index - 1].end
    return rest[-1].end if rest else -1


# -- What a Kimina server is sent, and what its answer means -------------------------------------------------------


_USES_SORRY = re.compile(r"declaration uses ['`‘]?sorry")
_AXIOMS = re.compile(
    r"'(?P<name>.+)' (?:depends on axioms: \[(?P<axioms>.*)\]|does not depend on any axioms)\s*", re.DOTALL
)
_KINDS = {
    **dict.fromkeys(("theorem", "lemma"), "theorem"),
    **dict.fromkeys(("definition", "abbrev"), "def"),
    **dict.fromkeys(("inductive", "structure"), "inductive"),
    **{"axiom": "axiom", "opaque": "opaque"},
}
"""Kinds of constants, by the kinds of the declarations whose axioms are asked for."""
RUNS_PROGRAMS = re.compile(
    r"#eval|(?<![A-Za-z])elab(?!_as_elim\b)|Elab|\b(?:macro|macro_rules|(?:builtin_)?initialize|getFileMap|addLinter"
    r"|(?:builtin_)?d?simproc(?:_decl)?|run_(?:cmd|elab|meta|tac)|(?:Meta|Core|Tactic|Simp|Delab|Linter|Macro)M)\b"
)
"""What gives a text power over what Lean says about it: programs run while Lean reads, and commands redefined."""


class Unsendable(Exception):
    """A text that a server would not check as it stands."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A text as it is sent, and how its lines are those of the request."""

    text: str
    nonce: str
    options_after: int
    """Lines before the lines of options that were put in."""
    options_lines: int
    last_line: int
    """Last line of the request's own text, counted in the text as sent; the first marker and our commands follow."""
    declared: tuple[tuple[str, str], ...] = ()
    """Names and kinds whose axioms are asked for, one a line after the first marker."""

    def place(self, line: int, column: int) -> tuple[int, int]:
        """A place in the text as sent, in the request's own text."""
        line = min(line, self.last_line)
        if line > self.options_after:
            line = max(line - self.options_lines, self.options_after)
        return max(line, 1), column


def compose(request: CheckRequest, nonce: str) -> Sent:
    """The text for the server: options after the imports, markers and ``#print axioms`` at the end.

    Raises :class:`Unsendable`.
    """
    text = (request.prefix + request.code).replace("\r\n", "\n")
    if len(text.splitlines()) > len(text.split("\n")):
        raise Unsendable("a Kimina server would break lines at a character of this text that ends no line for Lean")
    lines = text.split("\n")
    # Servers look for imports in the first lines only, blank ones allowed: comments before an import become blank.
    imports = header_lines(lines)
    options = [f"set_option {name} {str(value).lower()}" for name, value in request.options.items()]
    own = imports + options + lines[len(imports) :]
    declared = tuple(declared_names(text)) if request.declarations else ()
    begin, end = (f'#check "{nonce} {which}"' for which in ("begin", "end"))
    whole = "\n".join([*own, begin, *(f"#print axioms {name}" for name, _ in declared), end, ""])
    return Sent(whole, nonce, len(imports), len(options), len(own), declared)


def header_lines(lines: list[str]) -> list[str]:
    """The lines up to the last import, without their comments; [] without imports."""
    words = header("\n".join(lines))
    found = [""] * max((word.line for word in words), default=0)
    for word in words:
        found[word.line - 1] = f"{found[word.line - 1]} {word.text}".strip()
    return found


def declared_names(text: str) -> Iterator[tuple[str, str]]:
    """Full name and kind of what the text declares for everyone, as well as plain reading can tell."""
    for command in commands_of(text):
        kind = _KINDS.get(command.declaration.rpartition(".")[2], "")
        if kind and command.names:
            before = text[command.start : text.find(command.names[0], command.start)]
            if "private" not in before.split():
                yield command.full_name(), kind


def read_response(result: dict[str, Any], sent: Sent, request: CheckRequest) -> CheckResult:
    """One result of the server; a crash unless it is in the protocol."""
    error, response = result.get("error"), result.get("response")
    if error:
        late = "timed out" in str(error)
        return CheckResult("timeout" if late else "crash", f"the server: {str(error)[:500]}")
    if not isinstance(response, dict):
        return CheckResult("crash", "the server gives neither a response nor an error")
    if "message" in response:
        return CheckResult("crash", f"the server's REPL: {str(response['message'])[:500]}")
    try:
        messages = [_message(m) for m in response.get("messages") or []]
        sorries = [(_place(s["pos"]), _place(s["endPos"]), _text(s["goal"])) for s in response.get("sorries") or []]
    except (KeyError, TypeError, ValueError) as fault:
        return CheckResult("crash", f"the server's answer is malformed: {type(fault).__name__} {fault}")
    marks = {m.text.partition(f"{sent.nonce} ")[2][:5]: m.line for m in messages if m.severity == "info"}
    begun, ended = marks.get("begin"), any(mark.startswith("end") for mark in marks)
    shift = sent.last_line + 1 - begun if begun is not None else 0
    theirs = [m for m in messages if not (m.severity == "info" and sent.nonce in m.text)]
    kept = [_shifted(m, shift, sent) for m in theirs if begun is None or m.line <= begun]
    if begun is None or not ended:
        place = sent.place(sent.last_line, 0)
        kept.append(Message("error", "Lean did not read this text to its end", *place))
    text, seconds = request.prefix + request.code, result.get("time") or response.get("time")
    return CheckResult(
        "done",
        messages=tuple(kept),
        holes=_holes(sorries, shift, sent, text, len(request.prefix)) if request.holes else (),
        commands=commands_of(text) if request.commands else (),
        declarations=_declarations(messages, begun, sent) if begun is not None and ended else (),
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is missing")
    return value


def _place(value: Any) -> tuple[int, int]:
    line, column = value["line"], value["column"]
    if not (type(line) is int and type(column) is int):
        raise TypeError("a position is no pair of numbers")
    return line, column


def _message(given: dict[str, Any]) -> Message:
    severity: Severity = "info" if given["severity"] == "trace" else given["severity"]
    if severity not in get_args(Severity):
        raise ValueError(f"unknown severity {severity!r}")
    text = _text(given["data"])
    kind = "hasSorry" if severity == "warning" and _USES_SORRY.match(text) else ""
    end_line, end_column = _place(given["endPos"]) if given.get("endPos") else (None, None)
    return Message(severity, text, *_place(given["pos"]), end_line, end_column, kind)


def _shifted(message: Message, shift: int, sent: Sent) -> Message:
    line, column = sent.place(message.line + shift, message.column)
    if message.end_line is None or message.end_column is None:
        return replace(message, line=line, column=column)
    end_line, end_column = sent.place(message.end_line + shift, message.end_column)
    return replace(message, line=line, column=column, end_line=end_line, end_column=end_column)


def _holes(
    sorries: list[tuple[tuple[int, int], tuple[int, int], str]], shift: int, sent: Sent, text: str, prefix: int
) -> tuple[Hole, ...]:
    lines = text.split("\n")
    found: dict[tuple[int, int], list[HoleGoal]] = {}
    for start, end, goal in sorries:
        first, last = (_offset(lines, *sent.place(line + shift, column)) for line, column in (start, end))
        if first >= prefix:
            found.setdefault((first, last), []).append(closed_goal(goal))
    return tuple(Hole(start, end, True, tuple(goals)) for (start, end), goals in sorted(found.items()))


_HYPOTHESES = re.compile(r"(?P<names>[^\s:]+(?: [^\s:]+)*) : (?P<type>.*)")
_UNIVERSE = re.compile(r"\b(?:Type|Sort) (u_\d+)\b")


def closed_goal(goal: str) -> HoleGoal:
    """A goal with its closed statement, put together from what Lean prints; "" where that does not read back."""
    *context, target = [line for line in re.sub(r"\n +", " ", goal).split("\n") if not line.startswith("case ")] or [""]
    read = [_HYPOTHESES.fullmatch(line) for line in context]
    if not target.startswith("⊢ ") or "✝" in goal or "?" in goal or any(r is None or ":=" in r[0] for r in read):
        return HoleGoal(goal, "")
    hypotheses = [(r["names"], r["type"]) for r in read if r is not None]
    bound = [f"∀ [{n} : {t}], " if n.startswith("inst") else f"∀ ({n} : {t}), " for n, t in hypotheses]
    binders = tuple(Binder(name, False, False, "default") for names, _ in hypotheses for name in names.split())
    statement = "".join(bound) + target.removeprefix("⊢ ")
    return HoleGoal(goal, statement, binders, tuple(dict.fromkeys(_UNIVERSE.findall(goal))))


def _offset(lines: list[str], line: int, column: int) -> int:
    return sum(len(one) + 1 for one in lines[: line - 1]) + column


def _declarations(messages: list[Message], begun: int, sent: Sent) -> tuple[Declaration, ...]:
    """What has been answered to ``#print axioms``, by the lines of the questions: nothing of the text stands there."""
    answers = {m.line - begun - 1: _AXIOMS.fullmatch(m.text) for m in messages if m.severity == "info"}
    found = []
    for number, (name, kind) in enumerate(sent.declared):
        answer = answers.get(number)
        if answer and answer["name"] == name:
            axioms = tuple(sorted(a.strip() for a in (answer["axioms"] or "").split(",") if a.strip()))
            found.append(Declaration(name, kind, axioms))
    return tuple(found)


RETRIES = 3
PAUSE_SECONDS = 0.5
"""Before the first retry; doubled with each."""
HEADER_SECONDS = 60.0
"""Beyond a request's own limit: a server may have to wait for a free Lean and to read the imports."""
MAX_TEXT_BYTES = 4_000_000
MAX_ANSWER_BYTES = 64_000_000
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
        self._lock = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[CheckResult]] | None = None

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`. Everything but an answer in the protocol is a crash or a time-out, never "done".

        Weaker than a Lean of our own: closed statements are put together from the goals as printed; commands and
        declarations are those found by plain reading, axioms those that the server prints; a replay is refused.
        ``request.code`` (not the prefix) may not run programs of its own: such a program could write the answers.
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

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """Refused: see `check`."""
        return ReplayResult("crash", "a Kimina server takes no declarations as data")

    def library(self, prefix: str, code: str, imported: bool, seconds: float) -> None:
        """A server does not list what it knows."""

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
        codes = [{"custom_id": sent.nonce, "proof": sent.text}]
        body = {"codes": codes, "timeout": max(1, math.ceil(request.seconds)), "disable_cache": False}
        try:
            async with asyncio.timeout(request.seconds + self._patience):
                status, text = await self._post(body)
            return read_response(_result(status, text, sent.nonce), sent, request)
        except TimeoutError:
            return CheckResult("timeout", f"no answer from {self._url} in time")
        except Malformed as fault:
            return CheckResult("crash", f"the answer of {self._url} is not a Kimina server's: {fault}")
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            return CheckResult("crash", f"{self._url}: {type(fault).__name__} {fault}".rstrip())

    async def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        """Status and body, tried again while the server is busy or not there."""
        for attempt in range(self._retries + 1):
            last = attempt == self._retries
            try:
                status, text = await self._post_once(body)
            except httpx.TransportError:
                if last:
                    raise
            else:
                if last or status not in _AGAIN:
                    return status, text
            await asyncio.sleep(self._pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _post_once(self, body: dict[str, Any]) -> tuple[int, bytes]:
        async with (
            httpx.AsyncClient(timeout=None) as client,  # the whole request has its limit above
            client.stream("POST", f"{self._url}/verify", json=body, headers=self._headers) as response,
        ):
            text = bytearray()
            async for chunk in response.aiter_bytes():
                text += chunk
                if len(text) > MAX_ANSWER_BYTES:
                    raise Malformed(f"longer than {MAX_ANSWER_BYTES} bytes")
            return response.status_code, bytes(text)


def _result(status: int, text: bytes, name: str) -> dict[str, Any]:
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
    if str(results[0].get("custom_id")) != name:
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
