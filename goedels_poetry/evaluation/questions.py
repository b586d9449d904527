"""A question of a data set with the answer that is held to be right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from goedels_poetry.errors import GoedelsPoetryError

Label = Literal["true", "false", "uncertain"]
LABELS: tuple[Label, ...] = ("true", "false", "uncertain")

_WORDS: dict[str, Label] = {
    "true": "true",
    "yes": "true",
    "1": "true",
    "false": "false",
    "no": "false",
    "0": "false",
    "uncertain": "uncertain",
    "unknown": "uncertain",
}
_LETTERS: dict[str, Label] = {"A": "true", "B": "false", "C": "uncertain"}


class BadData(GoedelsPoetryError):
    """A data set cannot be used; the message begins with the place."""


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """One question. Ids need not be unique, and never become part of a file's name."""

    id: str
    dataset: str
    question: str
    context: str
    gold: Label
    tags: tuple[str, ...] = ()
    """What sets it apart from others of its data set, e.g. ``conditional``, ``closed world``, ``depth 3``."""
    place: str = ""
    """``FILE:LINE``."""

    @property
    def digest(self) -> str:
        """16 hexadecimal digits of what is asked and what is held to be right."""
        return digest(self.dataset, self.question, self.context, self.gold)

    @property
    def key(self) -> str:
        """``id#digest``: tells two questions apart that share an id."""
        return f"{self.id}#{self.digest}"


def digest(*parts: Any) -> str:
    """16 hexadecimal digits of the hash of JSON values."""
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def gold_label(value: Any, options: Sequence[str] = ()) -> Label:
    """The label that a gold answer stands for.

    Args:
        value: true, false, 1, 0, or one of the words true, yes, false, no, uncertain, unknown in any case, or a letter.
        options: what the letters stand for, e.g. ``("A) True", "B) False")``; without them A is true and B is false.

    Raises:
        BadData: it is anything else.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).strip() if isinstance(value, str | int) else ""
    letter = text.rstrip(").").upper()
    if letter in _LETTERS:
        if options:
            return _option(letter, options)
        if letter != "C":  # without options nobody knows what a third one would be
            return _LETTERS[letter]
    label = _WORDS.get(text.rstrip(".").lower())
    if label is None:
        raise BadData(
            f"the gold answer {_shown(value)} is none of true, false, yes, no, 1, 0, uncertain, unknown, A (true), "
            f"B (false); only such questions can be scored"
        )
    return label


def _option(letter: str, options: Sequence[str]) -> Label:
    for option in options:
        name, _, label_text = option.strip().partition(")")
        if name.strip(" (").upper() == letter:
            label = _WORDS.get(label_text.strip(" .").lower())
            if label is None:
                raise BadData(f"option {_shown(option)} says neither true nor false nor unknown; it cannot be scored")
            return label
    raise BadData(f"the gold answer {letter!r} is none of the options {', '.join(map(_shown, options))}")


def text_of(row: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    """The first of the fields that the row has, as a text; a list of texts becomes one text of lines.

    Raises:
        BadData: there is no such field and no default, or it holds something else, or nothing but white space.
    """
    for name in names:
        if row.get(name) is None:
            continue
        value = row[name]
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            value = "\n".join(value)
        if not isinstance(value, str):
            raise BadData(f'"{name}" is a text, not {_shown(value)}')
        if not value.strip() and default is None:
            raise BadData(f'"{name}" is empty')
        return value.strip()
    if default is not None:
        return default
    raise BadData(lacking(row, *names))


def lacking(row: Mapping[str, Any], *names: str) -> str:
    """``there is no "answer"; the row has: …``."""
    wanted = " or ".join(f'"{name}"' for name in names)
    return f"there is no {wanted}; the row has: {', '.join(map(str, list(row)[:20])) or 'nothing'}"


def _shown(value: Any) -> str:
    shown = json.dumps(value, default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
