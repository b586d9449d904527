"""The user's file, elaborated by itself before anything of a stranger's is seen; and why a stranger's is refused."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field, replace

from goedels_poetry.errors import InvalidInput
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData, Stream
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import (
    BARRED,
    PRIVATE,
    THEOREMS,
    CheckRequest,
    CheckResult,
    Command,
    Declaration,
    Message,
    constants_of,
    place,
)
from goedels_poetry.lean.runtime.tokens import tokenize
from goedels_poetry.lean.text.modules import located, mixed, own_start
from goedels_poetry.lean.text.scan import DECEIVING, DECEIVING_RULES, RULE_OF, scan

COMMAND = "Lean.Parser.Command."
MAX_TEXT = 1_000_000
"""Characters of a file: reading its words takes some seconds for so many."""
LIBRARY = "Init"
"""What every file imports: both kernels compute with its numbers, so it has to be there."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is not accepted. ``line`` from 1, ``column`` from 0, as Lean counts; None where there is no place."""

    rule: str
    reason: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = f"{self.line}:{self.column}: " if self.line is not None else ""
        return f"{place}{self.rule}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Original:
    """What the user gave, elaborated by itself."""

    text: str
    commands: tuple[Command, ...]
    constants: dict[str, Declaration]
    imports: tuple[str, ...] = ()
    data: Stream = field(default_factory=Stream)

    @property
    def axioms(self) -> frozenset[str]:
        """The user's own axioms: premises of every theorem of the file."""
        return frozenset(n for n, d in self.constants.items() if d.kind == "axiom")

    def open_theorems(self) -> tuple[str, ...]:
        """Constants of the theorems that rest on a `sorry`, in the order of the text."""
        return tuple(n for n in self._theorems() if "sorryAx" in self.constants[n].axioms)

    def _theorems(self) -> list[str]:
        """Those of a `mutual` block as well; not those of imported modules."""
        own = own_start(self.text)
        kinds = (c for c in self.commands if c.declaration in THEOREMS or c.kind == f"{COMMAND}mutual")
        commands = [c for c in kinds if c.start >= own]
        names = [name for c in commands for name in _constants(c, self.constants)]
        return [n for n in names if self.constants[n].kind == "theorem"]

    def named(self, wanted: str) -> str:
        """The constant of a theorem named in full or by its end. Raises InvalidInput: there is none, or several."""
        names = self._theorems()
        found = [n for n in names if n.removeprefix(PRIVATE) == wanted or n == wanted]
        found = found or [n for n in names if n.removeprefix(PRIVATE).endswith(f".{wanted}")]
        if len(found) != 1:
            raise InvalidInput(
                f"{len(found) or 'no'} theorems are called {wanted!r}", hint=f"there are: {', '.join(names)}"
            )
        return found[0]


async def read_original(lean: LeanPool, text: str, seconds: float, kinds: tuple[str, ...] = ()) -> Original:
    """Elaborate the user's file alone. ``kinds``: of the commands that it may have, where it may not have programs.

    Raises:
        InvalidInput: it does not elaborate, in Lean's words.
        TimeoutError: not within ``seconds``.
    """
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"it has more than {MAX_TEXT} characters")
    until = time.monotonic() + seconds
    request = CheckRequest(text, seconds=seconds, commands=True, declarations=True, export=True)
    if kinds:
        request = replace(request, reference="", barred=DECEIVING, kinds=kinds)
    seen = await lean.check(request)
    if seen.status == "timeout":
        raise TimeoutError(f"Lean had not read the original: {seen.error}")
    if seen.status != "done":
        raise InvalidInput(f"Lean gave no answer about the original: {seen.error}")
    if seen.errors:
        first = seen.errors[0]
        raise located(InvalidInput(advised(first, text), first.line, first.column + 1), text)
    if module := mixed(text, seen.commands):
        raise InvalidInput(f"Lean reads on beyond the end of the module {module}", hint="end its comments and strings")
    if LIBRARY not in seen.imports:
        raise InvalidInput("it does without Lean's own library", hint="remove the `prelude`")
    data = await read_data(seen, until)
    if isinstance(data, Refusal):
        raise InvalidInput(f"the original declares what cannot be written down: {data.reason}")
    return Original(text, seen.commands, {d.name: d for d in seen.declarations}, seen.imports, data)


def advised(error: Message, text: str = "") -> str:
    """Lean's words about the user's file, and what to do about it where that is known."""
    from goedels_poetry.lean.errors.hints import worded  # a check that accepts a file needs no advice

    words, hint = worded(error.text, text, error.line, error.column)
    return f"{words} ({hint})" if hint else words


async def read_data(seen: CheckResult, until: float) -> Stream | Refusal:
    """What Lean says that a text declares."""
    if seen.data is None:
        return Refusal("data", seen.error or "this Lean does not say what the text declares")
    try:
        return await asyncio.to_thread(read, seen.data, until)
    except BadData as fault:
        return Refusal("data", str(fault))


def place_of(original: Original, constant: str) -> Command | None:
    """The command that declares a constant."""
    return next((c for c in original.commands if constant in _constants(c, original.constants)), None)


def _constants(command: Command, constants: dict[str, Declaration]) -> list[str]:
    names = [command.full_name(name) for name in command.names]
    return [n for name in names for n in [n for n in constants_of(name) if n in constants][:1]]


# What of a stranger's text is refused before its data are looked at


def _kinds(*names: str) -> frozenset[str]:
    return frozenset(f"{COMMAND}{name}" for name in names)


DECLARATIONS = _kinds(
    *("theorem", "definition", "abbrev", "instance", "example", "inductive", "structure", "classInductive", "opaque"),
) | {"lemma"}
"""What text that is not the user's may declare; an opaque constant only where the theorem does not need it."""
COMMANDS = _kinds(
    *("mutual", "namespace", "section", "end", "variable", "universe", "open", "set_option", "attribute"),
    *("include", "omit", "deriving", "moduleDoc", "eoi", "notation", "mixfix", "macro", "grindPattern"),
)
"""Commands, apart from declarations, that it may contain."""
KINDS = tuple(sorted(DECLARATIONS | COMMANDS))
END = f"{COMMAND}eoi"
SETTING = "setting"
"""What a driver calls a tactic's setting that Lean would have to compute."""


def first_finding(text: str, original: str) -> Refusal | None:
    """What the length and the tokens of a text say against it."""
    if len(text) > MAX_TEXT:
        return Refusal("size", f"a text of more than {MAX_TEXT} characters")
    found = scan(text, original, compared=True)
    return Refusal(found[0].rule, found[0].text, found[0].line, found[0].column) if found else None


def has_programs(text: str) -> bool:
    """Whether a text has anything that text of others may not have, apart from a `sorry`."""
    return len(text) > MAX_TEXT or any(f.rule != "sorry" for f in scan(text))


def may_deceive(text: str) -> Refusal | None:
    """What could make a file's own text, with which nothing is compared, say something else than a reader takes it
    to say."""
    if len(text) > MAX_TEXT:
        return Refusal("size", f"a text of more than {MAX_TEXT} characters")
    found = [f for f in scan(text) if f.rule in DECEIVING_RULES or "debug." in f.text]
    return Refusal(found[0].rule, found[0].text, found[0].line, found[0].column) if found else None


def errors(seen: CheckResult) -> Refusal | None:
    """Lean's first error, or what it was not to elaborate."""
    first = next(iter(seen.errors), None)
    if first is None:
        return None
    return _barred(first) if first.kind == BARRED else Refusal("compile", advised(first), first.line, first.column)


def _barred(message: Message) -> Refusal:
    """Lean read a word, or a command, that the text may not have: the allow-list of tokens by Lean's own reading."""
    if message.text == SETTING:
        return Refusal("metaprogram", "a setting of a tactic that is a program", message.line, message.column)
    parts = () if message.text.startswith(COMMAND) else (message.text, *message.text.split("."))
    rule = next((RULE_OF[part] for part in parts if part in RULE_OF), "")
    reason = f"`{message.text}`" if rule else f"a command of the kind `{message.text.removeprefix(COMMAND)}`"
    return Refusal(rule or "command", reason, message.line, message.column)


def foreign_commands(seen: CheckResult, text: str, original: Original) -> Refusal | None:
    """The allow-list once more, over what Lean took for commands: on both sides of every `in`."""
    theirs = {_key(original.text, c) for c in original.commands}
    for command in seen.commands:
        foreign = next((part for part in command.parts if part not in DECLARATIONS | COMMANDS), None)
        if foreign is not None and _key(text, command) not in theirs:
            kind = foreign.removeprefix(COMMAND)
            return Refusal("command", f"a command of the kind `{kind}`", *place(text, command.start))
    return None


def unfinished(seen: CheckResult, original: Original) -> Refusal | None:
    """Lean has read the text to its end, and scopes are closed there as they are in the original."""
    ends, theirs = ([c.namespace for c in commands if c.kind == END] for commands in (seen.commands, original.commands))
    if not theirs:
        raise InvalidInput("Lean does not read the original to its end", hint="remove the `#exit`")
    if not ends:
        return Refusal("unfinished", "Lean did not read the text to its end")
    if ends != theirs:
        spaces = [f"the namespace {space}" if space else "no namespace" for space in (ends[0], theirs[0])]
        return Refusal("unfinished", f"the text ends in {spaces[0]}, the original in {spaces[1]}")
    return None


def _key(text: str, command: Command) -> tuple[str, ...]:
    tokens = tokenize(text[command.start : command.end])
    return tuple(t.text for t in tokens if t.kind not in ("comment", "doc"))
