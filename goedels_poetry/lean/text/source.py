"""A user's `.lean` file: which theorem is to be proved, and what stands before and after it. Read by Lean itself."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import (
    THEOREMS,
    CheckRequest,
    CheckResult,
    Command,
    Message,
    constants_of,
    place,
)
from goedels_poetry.lean.runtime.tokens import tokenize
from goedels_poetry.lean.text.modules import located, own_start, place_in
from goedels_poetry.lean.text.task import LEMMA_PREFIX, Fact, Task, lemma_name, lemma_statement

if TYPE_CHECKING:
    from goedels_poetry.protocol.base import Goal

READ_SECONDS = 120.0
"""For each thing that Lean is asked about a text in order to read it."""
UNREAD = "Lean is not done with reading the text"
EXAMPLE = "Lean.Parser.Command.example"
MUTUAL = "Lean.Parser.Command.mutual"
_HAS_SORRY = "hasSorry"
_UNFINISHED = "unexpected end of input; expected ':='"


@dataclass(frozen=True, slots=True)
class Target:
    """The theorem to prove and its surroundings; the file is prefix + head + its proof + suffix."""

    prefix: str
    head: str
    """The declaration as the user wrote it, docstring and attributes included, up to the end of the statement."""
    name: str
    """As written."""
    full_name: str
    """Of the constant in Lean's environment."""
    suffix: str
    type: str
    """The statement closed over everything local; "" when Lean cannot print it so that it reads back."""
    levels: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    draft: str = ""
    """The beginning of a proof that the file has: what follows ``:=``, with its holes; "" where it is a hole alone."""

    @property
    def reference(self) -> str:
        """The file with nothing proved: what a proof is compared with."""
        return f"{self.prefix}{self.head} := sorry{self.suffix}"

    @property
    def closed(self) -> str:
        """The statement as a lemma's; "" when there is no closed form."""
        return lemma_statement(self.type, self.levels)[1] if self.type else ""

    @property
    def one_line(self) -> str:
        """The statement in one line, for people."""
        found = list(re.finditer(rf"\b(?:theorem|lemma)\s+{re.escape(self.name)}(?![\w'.])", self.head))
        return " ".join(self.head[found[-1].start() if found else 0 :].split())


def root_task(target: Target) -> Task:
    """The theorem itself as Lean text."""
    return replace(_task(target, target.head, target.name, ()), draft=target.draft)


def lemma_task(target: Target, statement: str) -> Task:
    """A lemma without proof as a theorem of its own, from the definitions of the file alone."""
    return Task(target.prefix, statement, lemma_name(statement), (), target.functions, target.types)


def task_of(target: Target, goal: Goal) -> Task:
    """A goal of the search as Lean text."""
    facts = tuple(Fact(step, lemma_name(statement), statement) for step, statement in goal.scope if statement)
    head, name = (goal.statement, lemma_name(goal.statement)) if goal.statement else (target.head, target.name)
    task = _task(target, head, name, tuple(dict.fromkeys(facts)))
    return task if goal.statement else replace(task, draft=target.draft)


def _task(target: Target, head: str, name: str, facts: tuple[Fact, ...]) -> Task:
    """The functions that the text mentions come first."""
    mentioned = [f for f in target.functions if f.rpartition(".")[2] in head]
    functions = tuple(dict.fromkeys((*mentioned, *target.functions)))
    return Task(target.prefix, head, name, facts, functions, target.types)


def normalised(text: str) -> str:
    """Without a byte order mark, lines ended as Lean counts them."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


async def open_theorems(lean: LeanPool, text: str, seconds: float = READ_SECONDS) -> tuple[str, ...]:
    """Full names of the theorems of a text whose proofs have a `sorry`; () when Lean cannot read it.

    An error outside of them all stands in the way of each: there are none then, so that it is told once.
    """
    text, seen = await _look(lean, normalised(text), seconds)
    found = [c for c in _theorems(text, seen) if _is_open(text, seen, c)]
    if any(_outside(text, found, error) for error in seen.errors):
        return ()
    return tuple(c.full_name() for c in found)


async def read_target(
    lean: LeanPool, text: str, wanted: str = "", seconds: float = READ_SECONDS, *, advice: bool = True
) -> Target:
    """The theorem called ``wanted`` (full name or its end), or the only one with a `sorry`.

    ``seconds``: for each thing that Lean is asked. ``advice``: also look for names that Lean takes for variables, which
    costs as much as reading the whole text once more.

    Raises:
        InvalidInput: in Lean's words and with its position when the text does not elaborate, or in ours.
        TimeoutError: Lean was not done within ``seconds``.
        GoedelsPoetryError: Lean did not survive the text, or a server did not answer.
    """
    text = normalised(text)
    try:
        return await _read_target(lean, text, wanted, seconds, advice)
    except InvalidInput as error:
        raise located(error, text) from None


async def _read_target(lean: LeanPool, text: str, wanted: str, seconds: float, advice: bool) -> Target:
    text, seen = await _look(lean, text, seconds)
    try:
        command = _theorem_command(text, seen, wanted)
    except InvalidInput:
        if seen.errors:
            still_open = [c for c in _theorems(text, seen) if _is_open(text, seen, c)]
            first = next((e for e in seen.errors if _outside(text, still_open, e)), seen.errors[0])
            raise _invalid(first, text) from None
        raise
    inside = (place(text, command.head), place(text, command.end))
    for error in seen.errors:
        if not inside[0] <= (error.line, error.column) <= inside[1] and not _about_the_proof(text, command, error):
            raise _invalid(error, text)
    prefix, head = text[: command.start], text[command.start : command.head]
    suffix = text[command.end :]
    draft = _draft(text[command.head : command.end]) if not seen.errors else ""
    request = CheckRequest(
        f"{head} := sorry{suffix}",
        prefix=prefix,
        seconds=seconds,
        holes=True,
        commands=True,
        declarations=True,
    )
    again = await lean.check(request)
    _answered(again)
    if again.errors:
        raise _invalid(again.errors[0], text)
    if any(command.start <= hole.start < command.head for hole in again.holes):
        raise InvalidInput("the statement itself has a `sorry`", *_position(text, command.start))
    goal = next((h.goals[0] for h in again.holes if h.start >= command.head and h.goals), None)
    full = command.full_name()
    constants = {d.name: d for d in again.declarations}
    constant = next((n for n in constants_of(full) if n in constants), "")
    if not constant:
        raise InvalidInput(f"Lean does not declare {full}", *_position(text, command.start))
    target = Target(
        prefix,
        head,
        command.names[0],
        constant,
        suffix,
        goal.statement if goal else "",
        goal.levels if goal else (),
        *_vocabulary(again, command),
    )
    unproved = sorted(n for n, d in constants.items() if "sorryAx" in d.axioms and n != constant)
    await _without_sorry(lean, text, target, command, unproved)
    bound = await _bound_by_lean(lean, target, seconds) if advice else ()
    return replace(target, warnings=bound, draft=draft)


def _draft(proof: str) -> str:
    """What follows the ``:=`` of a proof that is begun; "" of one that is a hole alone."""
    body = proof.strip().removeprefix(":=")
    words = [token.text for token in tokenize(body) if token.kind not in ("comment", "doc")]
    return body.strip() if set(words) - {"by", "sorry", "admit"} and proof.lstrip().startswith(":=") else ""


async def _look(lean: LeanPool, text: str, seconds: float) -> tuple[str, CheckResult]:
    """The text as Lean sees it; one that ends with a statement gets its `:= sorry`."""
    seen = await lean.check(CheckRequest(text, seconds=seconds, holes=True, commands=True))
    if seen.status == "done" and seen.errors and seen.errors[-1].text.startswith(_UNFINISHED):
        completed = f"{text.rstrip()}\n  := sorry\n"
        better = await lean.check(CheckRequest(completed, seconds=seconds, holes=True, commands=True))
        if better.ok:
            return completed, better
    _answered(seen)
    return text, seen


async def _without_sorry(lean: LeanPool, text: str, target: Target, command: Command, unproved: list[str]) -> None:
    """Refuse a statement that rests on a definition with `sorry`."""
    if unproved and target.type:
        axiom = "axiom" + target.closed.removeprefix("theorem")
        result = await lean.check(CheckRequest(f"{axiom}\n", prefix=target.prefix, declarations=True))
        if any("sorryAx" in d.axioms for d in result.declarations if d.kind == "axiom" and LEMMA_PREFIX in d.name):
            culprits = ", ".join(unproved[:5])
            raise InvalidInput(
                f"the statement rests on a definition that has a `sorry` (one of {culprits})",
                *_position(text, command.start),
                "define it; a proof would rest on sorryAx",
            )


async def _bound_by_lean(lean: LeanPool, target: Target, seconds: float) -> tuple[str, ...]:
    """A misspelt name becomes a variable by itself, as single letters are meant to: without that it is an error."""
    strict: dict[str, bool | int] = {"relaxedAutoImplicit": False}
    result = await lean.check(CheckRequest(target.reference, options=strict, seconds=seconds))
    if not result.errors:
        return ()
    first = result.errors[0]
    message = first.text.partition("\n")[0]
    name, line = place_in(target.reference, first.line)
    where = f"{name}:{line}" if name else line
    return (
        f"{where}:{first.column + 1}: Lean takes a name that nothing declares for a variable (relaxedAutoImplicit); "
        f"without that it says: {message}",
    )


def _theorem_command(text: str, seen: CheckResult, wanted: str) -> Command:
    theorems = _theorems(text, seen)
    if wanted:
        exact = [c for c in theorems if c.full_name() == wanted]
        found = exact or [c for c in theorems if c.full_name().endswith(f".{wanted}")]
        if len(found) == 1:
            return found[0]
        names = ", ".join(c.full_name() for c in found or theorems) or "none"
        raise InvalidInput(
            f"{len(found)} theorems are called {wanted!r}" if found else f"no theorem is called {wanted!r}",
            hint=f"the file has: {names}",
        )
    still_open = [c for c in theorems if _is_open(text, seen, c)]
    if len(still_open) == 1:
        return still_open[0]
    if still_open:
        names = ", ".join(c.full_name() for c in still_open)
        raise InvalidInput("several theorems have a `sorry`; name one", hint=f"--theorem, one of: {names}")
    if any(c.declaration == EXAMPLE and _is_open(text, seen, c) for c in seen.commands):
        raise InvalidInput("an `example` has no name to prove it under", hint="write `theorem NAME` instead")
    if any(c.kind == MUTUAL and _is_open(text, seen, c) for c in seen.commands):
        raise InvalidInput("a theorem of a `mutual` block cannot be proved alone", hint="state it by itself")
    raise InvalidInput("no theorem has a `sorry`: there is nothing to prove", hint="or name one with --theorem")


def _theorems(text: str, seen: CheckResult) -> list[Command]:
    """Of the file, not of the modules that it imports."""
    own = own_start(text)
    return [c for c in seen.commands if c.start >= own and c.declaration in THEOREMS and c.head > 0 and c.names]


def _is_open(text: str, seen: CheckResult, command: Command) -> bool:
    """It has a `sorry`, or Lean says that it comes to one: `admit`, `stop`, a macro of the file."""
    if any(command.start <= hole.start < command.end for hole in seen.holes):
        return True
    first, last = place(text, command.start), place(text, command.end)
    return any(m.kind == _HAS_SORRY and first <= (m.line, m.column) < last for m in seen.messages)


def _vocabulary(seen: CheckResult, target: Command) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Functions and inductive types that the file declares before the theorem."""
    kinds = {d.name: d.kind for d in seen.declarations}
    names = [c.full_name(n) for c in seen.commands if c.end <= target.start for n in c.names]
    functions = tuple(n for n in names if kinds.get(n) == "def")
    return functions, tuple(n for n in names if kinds.get(n) == "inductive")


def _outside(text: str, commands: list[Command], error: Message) -> bool:
    """Whether an error lies in none of these commands."""
    return not any(_about_the_proof(text, command, error) for command in commands)


def _about_the_proof(text: str, command: Command, error: Message) -> bool:
    """Lean reports some errors of a proof at the theorem's name; the text with `sorry` shows whether they are its."""
    return place(text, command.start) <= (error.line, error.column) <= place(text, command.end)


def _answered(seen: CheckResult) -> None:
    if seen.status == "timeout":
        raise TimeoutError(UNREAD)
    if seen.status != "done":
        raise GoedelsPoetryError(f"Lean gave no answer about this text: {seen.error or seen.status}")


def _invalid(error: Message, text: str) -> InvalidInput:
    from goedels_poetry.lean.errors.hints import worded  # a check that accepts a file needs no advice

    words, hint = worded(error.text, text, error.line, error.column)
    return InvalidInput(words, error.line, error.column + 1, hint)


def _position(text: str, at: int) -> tuple[int, int]:
    line, column = place(text, at)
    return line, column + 1
