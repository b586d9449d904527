"""What an assertion says of itself: ``(assert (! formula :named p1 :sentence (2 5) :world "..."))``."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.kernel.reading.commands import annotated, attributes, name_of
from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.kernel.reading.reader import Atom, Lexeme, SExpr, Source
from goedels_poetry.questions.entailment.program import Origin

MAX_SENTENCES = 1_000
"""Sentences that one premise may name; their numbers have at most six digits."""


@dataclass(frozen=True, slots=True)
class Notes:
    """The attributes of an assertion that we know."""

    name: str | None = None
    origin: Origin = Origin.UNSAID
    sentences: tuple[int, ...] = ()
    words: str = ""
    objective: bool = False
    """It binds the objectives only."""


_NOTHING = Notes()


def read_notes(source: Source, body: SExpr) -> tuple[SExpr, Notes]:
    """The formula of an assertion, with the attributes that are not ours left on it, and ours.

    Raises:
        InvalidInput: an attribute that is malformed or stands there twice.
    """
    formula, pairs = attributes(source, body)
    if not pairs:
        return formula, _NOTHING
    seen: dict[str, tuple[Atom, SExpr]] = {}
    rest: list[tuple[Atom, SExpr]] = []
    for key, value in pairs:
        if key.text not in OURS:
            meant = nearest(key.text, OURS)
            if meant:
                source.fail(f"unknown attribute {key.text}", key, meant)
            rest.append((key, value))
        elif key.text in seen:
            source.fail(f"a second {key.text}", key, "remove one of them")
        else:
            seen[key.text] = key, value
    world, derived = seen.get(":world"), seen.get(":derived")
    if world and derived:
        source.fail(":world and :derived of one premise", derived[0], "a premise comes from one of them")
    sentences = _sentences(source, *seen[":sentence"]) if ":sentence" in seen else ()
    source_note = world or derived
    origin = Origin.WORLD if world else Origin.DERIVED if derived else Origin.TEXT if sentences else Origin.UNSAID
    return annotated(formula, rest, body.offset), Notes(
        name_of(source, *seen[":named"]) if ":named" in seen else None,
        origin,
        sentences,
        _words(source, *source_note) if source_note else "",
        _truth(source, *seen[":objective"]) if ":objective" in seen else False,
    )


def _sentences(source: Source, key: Atom, value: SExpr) -> tuple[int, ...]:
    items = [value] if isinstance(value, Atom) else value.items
    numbers = []
    for item in items[: MAX_SENTENCES + 1]:
        numeral = isinstance(item, Atom) and item.kind is Lexeme.NUMERAL and len(item.text) <= 6
        if not isinstance(item, Atom) or not numeral or item.text == "0":
            source.fail(":sentence takes the number of a sentence, from 1, or several", item, "write :sentence (2 5)")
        numbers.append(int(item.text))
    if not numbers or len(numbers) > MAX_SENTENCES:
        source.fail(f":sentence takes 1 to {MAX_SENTENCES:,} numbers", key, "write :sentence (2 5)")
    return tuple(dict.fromkeys(numbers))


def _words(source: Source, key: Atom, value: SExpr) -> str:
    if not isinstance(value, Atom) or value.kind is not Lexeme.STRING or not value.text.strip():
        source.fail(f"{key.text} takes words in double quotes", key, f'write {key.text} "Penguins are birds."')
    return value.text


def _truth(source: Source, key: Atom, value: SExpr) -> bool:
    if not isinstance(value, Atom) or value.kind is not Lexeme.SYMBOL or value.text not in ("true", "false"):
        source.fail(f"{key.text} takes true or false", key)
    return value.text == "true"


OURS = frozenset({":named", ":sentence", ":world", ":derived", ":objective"})
