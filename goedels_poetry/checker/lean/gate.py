"""The final gate for Lean: a file, the user's original, a fresh Lean; what is refused, by which rule, on which line.

In this order, and the first rule that refuses ends it: what the text may contain (tokens); what Lean says of it, after
it has elaborated the original for itself; the commands that Lean read; the nonce after the last line; the statement;
`sorry`, axioms; the kernel once more over every declaration; known faults of this version of Lean.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.checker.lean import versions
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.lean.runtime import (
    BARRED,
    LOGIC_AXIOMS,
    PRIVATE,
    THEOREMS,
    CheckRequest,
    CheckResult,
    Command,
    Declaration,
    LeanPool,
    Message,
    constants_of,
    place,
)
from goedels_poetry.languages.lean.scan import DECEIVING, RULE_OF, scan
from goedels_poetry.languages.lean.tokens import tokenize

COMMAND = "Lean.Parser.Command."


def _kinds(*names: str) -> frozenset[str]:
    return frozenset(f"{COMMAND}{name}" for name in names)


DECLARATIONS = _kinds(
    "theorem", "definition", "abbrev", "instance", "example", "inductive", "structure", "classInductive"
) | {"lemma"}
"""What text that is not the user's may declare."""
COMMANDS = _kinds(
    *("mutual", "namespace", "section", "end", "variable", "universe", "open", "set_option", "attribute"),
    *("include", "omit", "deriving", "moduleDoc", "eoi"),
)
"""Commands, apart from declarations, that it may contain. `… in` counts as what stands inside."""
COMPILED = frozenset({"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"})
APART = "\n\n"
"""Between the text and our theorem after it."""
SETTING = "setting"
"""What a driver calls a tactic's setting that Lean would have to compute."""


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

    @property
    def axioms(self) -> frozenset[str]:
        """The user's own axioms: premises of every theorem of the file."""
        return frozenset(n for n, d in self.constants.items() if d.kind == "axiom")

    def open_theorems(self) -> tuple[str, ...]:
        """Constants of the theorems that rest on a `sorry`, in the order of the text."""
        return tuple(n for n in self._theorems() if "sorryAx" in self.constants[n].axioms)

    def _theorems(self) -> list[str]:
        """Those of a `mutual` block as well."""
        commands = [c for c in self.commands if c.declaration in THEOREMS or c.kind == f"{COMMAND}mutual"]
        names = [name for c in commands for name in _constants(c, self.constants)]
        return [n for n in names if self.constants[n].kind == "theorem"]

    def named(self, wanted: str) -> str:
        """The constant of a theorem named in full or by its end.

        Raises:
            InvalidInput: there is none, or several.
        """
        names = self._theorems()
        found = [n for n in names if n.removeprefix(PRIVATE) == wanted or n == wanted]
        found = found or [n for n in names if n.removeprefix(PRIVATE).endswith(f".{wanted}")]
        if len(found) != 1:
            raise InvalidInput(
                f"{len(found) or 'no'} theorems are called {wanted!r}", hint=f"there are: {', '.join(names)}"
            )
        return found[0]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the gate has seen of a text that it accepts."""

    theorems: tuple[str, ...]
    axioms: tuple[str, ...]
    """All that the theorems rest on."""
    assumptions: tuple[str, ...]
    """Of these, the axioms that the user's own file declares."""
    replayed: int
    """Declarations that the kernel has checked twice."""


async def read_original(lean: LeanPool, text: str, seconds: float) -> Original:
    """Elaborate the user's file alone.

    Raises:
        InvalidInput: it does not elaborate, in Lean's words.
        TimeoutError: not within ``seconds``.
    """
    seen = await lean.check(CheckRequest(text, seconds=seconds, commands=True, declarations=True))
    if seen.status == "timeout":
        raise TimeoutError(f"Lean had not read the original: {seen.error}")
    if seen.status != "done":
        raise InvalidInput(f"Lean gave no answer about the original: {seen.error}")
    if seen.errors:
        first = seen.errors[0]
        raise InvalidInput(first.text, first.line, first.column + 1)
    return Original(text, seen.commands, {d.name: d for d in seen.declarations})


def first_finding(text: str, original: str) -> Refusal | None:
    """What the tokens of a text say against it."""
    found = scan(text, original)
    return Refusal(found[0].rule, found[0].text, found[0].line, found[0].column) if found else None


async def judge(
    lean: LeanPool, text: str, original: Original, theorems: tuple[str, ...], seconds: float, negates: str = ""
) -> Refusal | Accepted:
    """Whether ``text`` proves these theorems of the original, or that the theorem ``negates`` of it is false.

    ``theorems``: names of constants; with ``negates`` the one constant that says so. ``lean`` should be a fresh one.

    Raises:
        TimeoutError: Lean was not done within ``seconds``.
    """
    refusal = first_finding(text, original.text)
    return refusal or await judge_by_lean(lean, text, original, theorems, seconds, negates)


async def judge_by_lean(
    lean: LeanPool, text: str, original: Original, theorems: tuple[str, ...], seconds: float, negates: str = ""
) -> Refusal | Accepted:
    """As `judge`, for a text whose tokens have been looked at."""
    nonce = f"gp_nonce_{secrets.token_hex(8)}"
    end = f"{APART}theorem {nonce} : _root_.True := _root_.True.intro\n"
    space = _space_at_the_end(original)
    request = CheckRequest(
        text + end,
        seconds=seconds,
        commands=True,
        declarations=True,
        replay=True,
        reference=original.text + end,
        names=(*theorems, f"{space}{nonce}"),
        negates=negates,
        barred=DECEIVING,
        kinds=tuple(sorted(DECLARATIONS | COMMANDS)),
    )
    seen = await lean.check(request)
    if seen.status == "timeout":
        raise TimeoutError(f"Lean had not checked the whole text: {seen.error}")
    if seen.status != "done":
        return Refusal("answer", f"Lean gave no answer about the whole text: {seen.error}")
    return (
        _messages(seen)
        or _commands(seen, text, original)
        or _nonce(seen, text, f"{space}{nonce}")
        or _statement(seen, text, theorems)
        or _grounds(seen, text, original, theorems, lean.version)
    )


def _messages(seen: CheckResult) -> Refusal | None:
    first = next(iter(seen.errors), None)
    barred = next((m for m in seen.errors if m.kind == BARRED), None)
    if barred is not None:
        return _barred(barred)
    return Refusal("compile", first.text, first.line, first.column) if first else None


def _barred(said: Message) -> Refusal:
    """Lean read a word, or a command, that the text may not have: the allow-list of tokens by Lean's own reading."""
    if said.text == SETTING:
        return Refusal("metaprogram", "a setting of a tactic that is a program", said.line, said.column)
    parts = () if said.text.startswith(COMMAND) else (said.text, *said.text.split("."))
    rule = next((RULE_OF[part] for part in parts if part in RULE_OF), "")
    words = f"`{said.text}`" if rule else f"a command of the kind `{said.text.removeprefix(COMMAND)}`"
    return Refusal(rule or "command", words, said.line, said.column)


def _commands(seen: CheckResult, text: str, original: Original) -> Refusal | None:
    """The allow-list once more, over what Lean took for commands."""
    theirs = {_key(original.text, c) for c in original.commands}
    for command in seen.commands:
        allowed = command.declaration in DECLARATIONS or (not command.declaration and command.kind in COMMANDS)
        if not allowed and _key(text, command) not in theirs and command.kind != f"{COMMAND}eoi":
            kind = (command.declaration or command.kind).removeprefix(COMMAND)
            return Refusal("command", f"a command of the kind `{kind}`", *place(text, command.start))
    return None


def _nonce(seen: CheckResult, text: str, nonce: str) -> Refusal | None:
    """Our theorem is there and begins where we began it: an `open … in` or an attribute before it is unfinished."""
    stands = any(c.start == len(text) + len(APART) for c in seen.commands if c.names)
    if stands and any(d.name == nonce and d.kind == "theorem" for d in seen.declarations):
        return None
    last = max((c for c in seen.commands if c.end > c.start), key=lambda c: c.end, default=None)
    where = f", after a command of the kind {last.kind.removeprefix(COMMAND)}" if last else ""
    return Refusal("nonce", f"Lean did not read the text to its end, or not in the original's namespace{where}")


def _statement(seen: CheckResult, text: str, theorems: tuple[str, ...]) -> Refusal | None:
    found = {d.name: d for d in seen.declarations}
    for name in theorems:
        if name not in found or found[name].kind != "theorem":
            return Refusal("missing", f"there is no theorem {name}")
    if seen.comparison is None:
        return Refusal("statement", "this Lean cannot compare statements")
    if not seen.comparison.same:
        return Refusal("statement", f"not what was given: {seen.comparison.why}", *_declared(seen, text, theorems))
    return None


def _grounds(
    seen: CheckResult, text: str, original: Original, theorems: tuple[str, ...], version: str
) -> Refusal | Accepted:
    found = {d.name: d for d in seen.declarations}
    axioms = sorted({a for name in theorems for a in found[name].axioms})
    foreign = [a for a in axioms if a not in LOGIC_AXIOMS and a not in original.axioms]
    if foreign:
        culprit = next(n for n in theorems if set(foreign) & set(found[n].axioms))
        compiled = any(a in COMPILED or "._native." in a for a in foreign)  # the latter from Lean 4.29 on
        rule = "sorry" if "sorryAx" in foreign else "native" if compiled else "axiom"
        return Refusal(rule, f"{culprit} rests on {', '.join(foreign)}", *_declared(seen, text, (*foreign, culprit)))
    if seen.replay is None:
        return Refusal("kernel", "this Lean cannot replay declarations")
    if seen.replay.failed:
        return Refusal("kernel", seen.replay.failed)
    new = [d for d in seen.declarations if d.name not in original.constants]
    fault = versions.refused_feature(version, [versions.NESTED] if any(d.nested for d in new) else [])
    if fault is not None:
        name = next(d.name for d in new if d.nested)
        words = f"{name} is a {versions.NESTED}, and Lean {version} has a fault there ({fault.where})"
        return Refusal("version", words, *_declared(seen, text, (name,)))
    premises = tuple(a for a in axioms if a in original.axioms)
    return Accepted(theorems, tuple(axioms), premises, seen.replay.count)


# ---------------------------------------------------------------- places and names


def place_of(original: Original, constant: str) -> Command | None:
    """The command that declares a constant."""
    return next((c for c in original.commands if constant in _constants(c, original.constants)), None)


def _constants(command: Command, constants: dict[str, Declaration]) -> list[str]:
    names = [command.full_name(name) for name in command.names]
    return [n for name in names for n in [n for n in constants_of(name) if n in constants][:1]]


def _space_at_the_end(original: Original) -> str:
    """The namespace in which a line after the original's last one stands, with its dot."""
    end = next((c for c in original.commands if c.kind == f"{COMMAND}eoi"), None)
    if end is None:
        raise InvalidInput("Lean does not read the original to its end", hint="remove the `#exit`")
    return f"{end.namespace}." if end.namespace else ""


def _key(text: str, command: Command) -> tuple[str, ...]:
    tokens = tokenize(text[command.start : command.end])
    return tuple(t.text for t in tokens if t.kind not in ("comment", "doc"))


def _declared(seen: CheckResult, text: str, names: Iterable[str]) -> tuple[int, int] | tuple[None, None]:
    """Where the first of these constants is declared."""
    places = {c.full_name(): c.start for c in seen.commands if c.names and c.start < len(text)}
    for name in names:
        if name.removeprefix(PRIVATE) in places:
            return place(text, places[name.removeprefix(PRIVATE)])
    return None, None


__all__ = [
    "Accepted",
    "Original",
    "Refusal",
    "first_finding",
    "judge",
    "judge_by_lean",
    "place_of",
    "read_original",
]
