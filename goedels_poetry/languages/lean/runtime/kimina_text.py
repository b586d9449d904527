"""What a Kimina server is sent, and what its answer means.

Between the markers at the end of the text stand our own commands. The markers carry a nonce: they show that the text
was elaborated to its end, and by how many lines the server's positions are off (servers cut the imports away, and only
newer ones add their lines again).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, get_args

from goedels_poetry.languages.lean.runtime.kimina_commands import commands_of
from goedels_poetry.languages.lean.runtime.protocol import (
    CheckRequest,
    CheckResult,
    Declaration,
    Hole,
    HoleGoal,
    Message,
    Severity,
)

_USES_SORRY = re.compile(r"declaration uses ['`‘]?sorry")
_AXIOMS = re.compile(
    r"'(?P<name>.+)' (?:depends on axioms: \[(?P<axioms>.*)\]|does not depend on any axioms)\s*", re.DOTALL
)
_SCOPE = re.compile(r"(?P<word>namespace|section|end|(?:noncomputable|public)\s+section)\b[ \t]*(?P<name>\S*)")
_DECLARED = re.compile(
    r"(?:@\[[^\]]*\]\s*)?(?:(?:protected|noncomputable|public|nonrec)\s+)*"
    r"(?P<word>theorem|lemma|axiom|def|abbrev|inductive|structure|opaque)\s+"
    r"(?P<name>(?:«[^»]*»|[^\s:(){}\[\]⦃.«]+)(?:\.(?:«[^»]*»|[^\s:(){}\[\]⦃.«]+))*)"
)
_KINDS = {"lemma": "theorem", "abbrev": "def", "structure": "inductive"}
_OPEN, _COMMENTED = re.compile(r"/-|--"), re.compile(r"/-|-/")
_IMPORT = re.compile(r"(?:(?:public|meta|private)\s+)*import\s|module\s*$|prelude\s*$")
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
    """Lines before the line of options that was put in."""
    options_lines: int
    first_marker: int
    """Line of the first marker; our own commands follow it."""
    last_line: int
    """Last line of the request's own text, counted in the text as sent."""
    declared: tuple[tuple[str, str], ...] = ()
    """Names and kinds whose axioms are asked for, one a line after the first marker."""


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
    before = len(imports)
    options = [f"set_option {name} {_value(value)}" for name, value in request.options.items()]
    own = imports + options + lines[before:]
    declared = declared_names(lines) if request.declarations else []
    asked = [f"#print axioms {name}" for name, _ in declared]
    marked = [_marker(nonce, "begin"), *asked, _marker(nonce, "end")]
    whole = "\n".join([*own, *marked, ""])
    return Sent(whole, nonce, before, len(options), len(own) + 1, len(own), tuple(declared))


def _value(value: bool | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _marker(nonce: str, which: str) -> str:
    return f'#check "{nonce} {which}"'


def header_lines(lines: list[str]) -> list[str]:
    """The lines up to the last import, without their comments; [] without imports."""
    depth, last, plain = 0, 0, []
    for line in lines:
        shown, depth = _without_comments(line, depth)
        plain.append(shown.strip())
        if _IMPORT.match(plain[-1]):
            last = len(plain)
        elif plain[-1]:
            break
    return plain[:last]


def _without_comments(line: str, depth: int) -> tuple[str, int]:
    """What stands outside of comments in a line that begins ``depth`` block comments deep, and the depth at its end."""
    shown, at = "", 0
    while mark := (_COMMENTED if depth else _OPEN).search(line, at):
        shown += "" if depth else line[at : mark.start()]
        if mark[0] == "--":
            return shown, depth
        depth += 1 if mark[0] == "/-" else -1
        at = mark.end()
    return shown + ("" if depth else line[at:]), depth


def declared_names(lines: list[str]) -> list[tuple[str, str]]:
    """Full name and kind of what the text declares at line starts, as well as plain reading can tell."""
    scopes: list[str] = []
    found: list[tuple[str, str]] = []
    for line in lines:
        if scope := _SCOPE.match(line):
            if scope["word"] == "end":
                if scopes:
                    scopes.pop()
            else:
                scopes.append(scope["name"] if scope["word"] == "namespace" else "")
        elif declared := _DECLARED.match(line):
            name = ".".join([*(s for s in scopes if s), declared["name"]])
            found.append((name, _KINDS.get(declared["word"], declared["word"])))
    return found


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
    begun = next((m.line for m in messages if f"{sent.nonce} begin" in m.text and m.severity == "info"), None)
    ended = any(f"{sent.nonce} end" in m.text and m.severity == "info" for m in messages)
    shift = sent.first_marker - begun if begun is not None else 0
    kept = [_shifted(m, shift, sent) for m in messages if not _ours(m, begun, sent.nonce)]
    if begun is None or not ended:
        kept.append(Message("error", "Lean did not read this text to its end", *_unsent(sent.last_line, 0, sent)))
    text = request.prefix + request.code
    return CheckResult(
        "done",
        messages=tuple(kept),
        holes=tuple(_holes(sorries, shift, sent, text, len(request.prefix))) if request.holes else (),
        commands=commands_of(text) if request.commands else (),
        declarations=tuple(_declarations(messages, begun, sent)) if request.declarations and ended else (),
        seconds=_number(result.get("time") or response.get("time")),
    )


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


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
    line, column = _place(given["pos"])
    end_line, end_column = _place(given["endPos"]) if given.get("endPos") else (None, None)
    return Message(severity, text, line, column, end_line, end_column, kind)


def _ours(message: Message, begun: int | None, nonce: str) -> bool:
    """Whether it answers a command of ours: a marker, or what stands after the first one."""
    return (message.severity == "info" and nonce in message.text) or (begun is not None and message.line > begun)


def _unsent(line: int, column: int, sent: Sent) -> tuple[int, int]:
    """A place in the text as sent, in the request's own text."""
    line = min(line, sent.last_line)
    if line > sent.options_after:
        line = max(line - sent.options_lines, sent.options_after)
    return max(line, 1), column


def _shifted(message: Message, shift: int, sent: Sent) -> Message:
    line, column = _unsent(message.line + shift, message.column, sent)
    if message.end_line is None or message.end_column is None:
        return Message(message.severity, message.text, line, column, None, None, message.kind)
    end = _unsent(message.end_line + shift, message.end_column, sent)
    return Message(message.severity, message.text, line, column, *end, message.kind)


def _holes(
    sorries: list[tuple[tuple[int, int], tuple[int, int], str]], shift: int, sent: Sent, text: str, prefix: int
) -> list[Hole]:
    lines = text.split("\n")
    found: dict[tuple[int, int], list[HoleGoal]] = {}
    for start, end, goal in sorries:
        span = tuple(_offset(lines, *_unsent(line + shift, column, sent)) for line, column in (start, end))
        if span[0] >= prefix:
            found.setdefault((span[0], span[1]), []).append(HoleGoal(goal, ""))
    return [Hole(start, end, True, tuple(goals)) for (start, end), goals in sorted(found.items())]


def _offset(lines: list[str], line: int, column: int) -> int:
    return sum(len(one) + 1 for one in lines[: line - 1]) + column


def _declarations(messages: list[Message], begun: int | None, sent: Sent) -> list[Declaration]:
    """What has been answered to ``#print axioms``, by the lines of the questions: nothing of the text stands there."""
    if begun is None:
        return []
    answers = {m.line - begun - 1: _AXIOMS.fullmatch(m.text) for m in messages if m.severity == "info"}
    found = []
    for number, (name, kind) in enumerate(sent.declared):
        answer = answers.get(number)
        if answer and answer["name"] == name:
            axioms = tuple(sorted(a.strip() for a in (answer["axioms"] or "").split(",") if a.strip()))
            found.append(Declaration(name, kind, axioms))
    return found
