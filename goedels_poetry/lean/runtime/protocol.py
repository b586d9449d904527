"""What a Lean must do for us, whichever way it is had: embedded, native or behind a Kimina server.

Positions are those of Lean: lines from 1, columns from 0; offsets count code points of prefix + code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin, get_type_hints, runtime_checkable

T = TypeVar("T")

Severity = Literal["error", "warning", "info"]
LOGIC_AXIOMS = frozenset({"propext", "Classical.choice", "Quot.sound"})
"""The axioms of Lean's own logic; a proof may rest on these and nothing else."""
BARRED = "goedels.barred"
"""Kind of the message about what a request does not let Lean elaborate; its text is the word or the kind of command."""
THEOREMS = frozenset({"Lean.Parser.Command.theorem", "lemma"})
"""Kinds of declarations that state a theorem."""
PRIVATE = "_private.Main.0."
"""What stands before the names of constants that are `private`."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of Lean."""

    severity: Severity
    text: str
    line: int = 1
    column: int = 0
    end_line: int | None = None
    end_column: int | None = None
    kind: str = ""
    """Lean's tag of the message, e.g. "hasSorry"; often ""."""


@dataclass(frozen=True, slots=True)
class Binder:
    """A local variable or hypothesis at a hole, as it is named in the hole's statement."""

    name: str
    hidden: bool
    """It has no name that a proof can use there: inaccessible or shadowed."""
    let: bool
    info: str
    """"default", "implicit", "strict" or "inst"."""


@dataclass(frozen=True, slots=True)
class HoleGoal:
    """What a hole has to prove."""

    goal: str
    """As Lean shows it."""
    statement: str
    """Closed over the local context, and read back by Lean as the same; "" when no printed form is."""
    binders: tuple[Binder, ...] = ()
    levels: tuple[str, ...] = ()
    """Universe parameters of the statement."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A `sorry` of the code (never of the prefix)."""

    start: int
    end: int
    tactic: bool
    goals: tuple[HoleGoal, ...]
    """More than one where the same token is run on several goals."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the text, the prefix's included."""

    kind: str
    """Kind of the syntax node, e.g. "Lean.Parser.Command.declaration"."""
    declaration: str
    """Kind of what a declaration declares, e.g. "Lean.Parser.Command.theorem"; "" for other commands."""
    start: int
    end: int
    names: tuple[str, ...]
    """Names that it declares, as written."""
    namespace: str
    """The namespace in which it stands."""
    head: int = -1
    """Where the statement of a declaration ends: `:=`, `|` or `where` follow. -1 where there is none."""
    parts: tuple[str, ...] = ()
    """Kinds of the commands that it is made of: those on both sides of `… in`, those of a `mutual`; of declarations,
    the kind of what they declare."""

    def full_name(self, name: str = "") -> str:
        """Of the first name that it declares, or of another of them."""
        name = name or self.names[0]
        if name.startswith("_root_."):
            return name.removeprefix("_root_.")
        return f"{self.namespace}.{name}" if self.namespace else name


@dataclass(frozen=True, slots=True)
class Declaration:
    """A constant that the text has added to the environment."""

    name: str
    kind: str
    """"axiom", "def", "theorem", "opaque", "inductive", "constructor", "recursor"."""
    axioms: tuple[str, ...] = ()
    """What it rests on, transitively."""
    unsafe: bool = False


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A Lean text and what is asked about it. ``prefix`` is elaborated once and kept for the next request."""

    code: str
    prefix: str = ""
    seconds: float = 60.0
    options: dict[str, bool | int] = field(default_factory=dict)
    holes: bool = False
    commands: bool = False
    declarations: bool = False
    export: bool = False
    """All constants of the text as data."""
    reference: str | None = None
    """Text whose commands the code may repeat; any other is elaborated only as ``kinds`` and ``barred`` allow, and else
    there is an error of the kind `BARRED`. A quick refusal, no wall, and only the embedded Lean gives it."""
    barred: tuple[str, ...] = ()
    """Words that a command may not have as Lean reads it (".word": nor any part of a name)."""
    kinds: tuple[str, ...] = ()
    """Kinds of commands that may stand there, on both sides of every `… in`."""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Declarations that are data, to be added by Lean's kernel on top of imports; nothing is elaborated.

    The streams are in the export format of lean4export 3.1.0, and whoever asks has read them with care.
    """

    modules: tuple[str, ...]
    data: str
    base: str = ""
    """A stream of its own that is added first, where each of ``data`` is to be judged by itself."""
    library: bool = False
    """Also what the imports declare of all that ``data`` needs, as data."""
    each: bool = False
    """Every declaration of ``data`` is judged by itself, and none is added."""
    show: tuple[str, ...] = ()
    """Constants whose types are wanted as text, by plain names."""
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What Lean's kernel says of declarations. Only ``status == "done"`` says anything about them."""

    status: Literal["done", "timeout", "crash"]
    error: str = ""
    count: int = 0
    """Declarations that it has added."""
    failed: str = ""
    """Why it refuses one; "" where it has added all."""
    at: str = ""
    """The one that it refuses."""
    library: str = ""
    each: tuple[tuple[str, str | None], ...] = ()
    """Name and reason of each declaration: "" where it is accepted, None where Lean gave up."""
    axioms: tuple[str, ...] = ()
    """What the declarations rest on through the library's proofs, where this Lean has these."""
    shown: tuple[str, ...] = ()
    """The types that were wanted, in Lean's notation without any of the data's; each was read back as the same by the
    Lean that wrote it, which knows the imports and the declarations and has read no other text. "" where none was."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What Lean says. Only ``status == "done"`` says anything about the text."""

    status: Literal["done", "timeout", "crash"]
    error: str = ""
    """Why there is no answer when the status is not "done"."""
    messages: tuple[Message, ...] = ()
    holes: tuple[Hole, ...] = ()
    commands: tuple[Command, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    imports: tuple[str, ...] = ()
    """Modules that the text imports, `Init` included."""
    data: str | None = None
    """The constants of the text in the export format, where that was asked."""
    seconds: float = 0.0
    memory_mb: float = 0.0

    @property
    def errors(self) -> tuple[Message, ...]:
        """The messages that are errors."""
        return tuple(message for message in self.messages if message.severity == "error")

    @property
    def ok(self) -> bool:
        """Lean has answered, without any error."""
        return self.status == "done" and not self.errors


@runtime_checkable
class LeanRuntime(Protocol):
    """A Lean that answers one request at a time. A time-out or a crash costs that request, not the runtime."""

    kind: str
    """"embedded", "native" or "kimina"."""
    version: str
    """Lean's version, e.g. "4.28.0-pre"."""

    async def check(self, request: CheckRequest) -> CheckResult:
        """Elaborate a text. Never raises for what the text does; cancelling it kills the elaboration."""

    async def replay(self, request: ReplayRequest) -> ReplayResult:
        """Lean's kernel over declarations that are data. Never raises for what they are."""

    async def aclose(self) -> None:
        """Kill it. Safe to call twice."""


def constants_of(full_name: str) -> tuple[str, str]:
    """What Lean may call the constant of a declaration: by its name, or as a private one."""
    return full_name, f"{PRIVATE}{full_name}"


def place(text: str, at: int) -> tuple[int, int]:
    """Line (from 1) and column (from 0) of an offset, as Lean counts."""
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1)


class BadAnswer(ValueError):
    """An answer that none of our drivers gives: a program of the text's may have written it."""


def read_result(answer: dict[str, Any]) -> CheckResult:
    """The JSON answer of our drivers as a result; raises :class:`BadAnswer`."""
    return _read(_result, answer)


def read_replay(answer: dict[str, Any]) -> ReplayResult:
    """The JSON answer of our drivers about declarations as a result; raises :class:`BadAnswer`."""
    return _read(_replay, answer)


def _read(reader: Callable[[dict[str, Any]], T], answer: dict[str, Any]) -> T:
    try:
        result = reader(answer)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as fault:
        raise BadAnswer(f"malformed ({type(fault).__name__})") from fault
    if not _is_of(result, type(result)):
        raise BadAnswer("an entry of the wrong kind")
    return result


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value is of a type of this module, all its parts included."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return type(value) is str and value in inner
    if origin is UnionType:
        return any(_is_of(value, each) for each in inner)
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis and type(value) is tuple else list(inner)
        return type(value) is tuple and len(value) == len(kinds) and all(map(_is_of, value, kinds))
    if kind in _HINTS:
        return type(value) is kind and all(_is_of(getattr(value, n), k) for n, k in _HINTS[kind].items())
    return type(value) in (int, float) if kind is float else type(value) is kind


_PARTS = (Message, Binder, HoleGoal, Hole, Command, Declaration, CheckResult, ReplayResult)
_HINTS: dict[Any, dict[str, Any]] = {part: get_type_hints(part) for part in _PARTS}


def _result(answer: dict[str, Any]) -> CheckResult:
    return CheckResult(
        status=answer["status"],
        error=answer.get("error", ""),
        messages=tuple(_message(m) for m in answer.get("messages", ())),
        holes=tuple(_hole(h) for h in answer.get("holes", ())),
        commands=tuple(
            Command(**{**c, "names": tuple(c["names"]), "parts": tuple(c.get("parts", ()))})
            for c in answer.get("commands", ())
        ),
        declarations=tuple(
            Declaration(d["name"], d["kind"], tuple(d.get("axioms", ())), bool(d.get("unsafe")))
            for d in answer.get("declarations", ())
        ),
        imports=tuple(answer.get("imports", ())),
        data=answer.get("data"),
        seconds=answer.get("ms", 0) / 1000,
        memory_mb=answer.get("memory", 0) / 1048576,
    )


def _replay(answer: dict[str, Any]) -> ReplayResult:
    replayed = answer.get("replay", {})
    return ReplayResult(
        status=answer["status"],
        error=answer.get("error", ""),
        count=replayed.get("count", 0),
        failed=replayed.get("failed", ""),
        at=replayed.get("at", ""),
        library=answer.get("library", ""),
        each=tuple((e["name"], e["refused"]) for e in answer.get("each", ())),
        axioms=tuple(replayed.get("axioms", ())),
        shown=tuple(answer.get("shown", ())),
        seconds=answer.get("ms", 0) / 1000,
    )


def _message(m: dict[str, Any]) -> Message:
    return Message(m["severity"], m["text"], m["line"], m["column"], m["endLine"], m["endColumn"], m["kind"])


def _hole(h: dict[str, Any]) -> Hole:
    goals = tuple(
        HoleGoal(g["goal"], g["statement"], tuple(Binder(**b) for b in g["binders"]), tuple(g["levels"]))
        for g in h["goals"]
    )
    return Hole(h["start"], h["end"], h["tactic"], goals)
