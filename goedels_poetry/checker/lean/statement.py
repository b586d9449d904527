"""What theorems state: the user's own text, or what was proved, by its data.

Text says what its notation, its instances and its programs make of it. So the statement of a file with which nothing of
the user's is compared is written by a Lean that knows the imports and the data, has read no text, and reads its own
words back as the same term.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goedels_poetry.checker.lean.gate import no_module
from goedels_poetry.checker.lean.original import Original, Refusal, place_of
from goedels_poetry.kernel.lean.data import read
from goedels_poetry.kernel.lean.select import NotAllowed, needed
from goedels_poetry.kernel.lean.stream import BadData, Constant, Declaration, Stream
from goedels_poetry.kernel.lean.write import write
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import PRIVATE, ReplayRequest
from goedels_poetry.languages.lean.tokens import goes_on, starts_word, tokenize

MOST_SHOWN = 300
"""Characters of a definition in a report."""
MOST_DEFINITIONS = 12
_UNSHOWN = "has no form that Lean reads back as the same: compare with your own file (--against)"


@dataclass(frozen=True, slots=True)
class Stated:
    """What theorems state, and the definitions of the file on which that rests."""

    text: str
    definitions: tuple[str, ...] = ()


def as_written(original: Original, theorems: Iterable[str]) -> str:
    """The theorems as the user has written them, each in one line, without comments."""
    commands = [place_of(original, name) for name in theorems]
    return "; ".join(_declaration(original.text[c.start : c.head]) for c in commands if c and c.head > c.start)


def _declaration(head: str) -> str:
    """A declaration without what stands before its first word: docstring, attributes, `open … in`."""
    tokens = tokenize(head)
    first = next((t.start for t in tokens if t.kind == "word" and t.text in ("theorem", "lemma")), 0)
    for token in reversed(tokens):
        if token.kind in ("comment", "doc") and token.start > first:
            head = f"{head[: token.start]} {head[token.end :]}"
    return " ".join(head[first:].split())


async def as_proved(
    lean: LeanPool, own: Stream, imports: tuple[str, ...], theorems: Sequence[str], until: float
) -> Stated | Refusal:
    """The theorems of a stream, as `lean` shows them: one that has read no text.

    Raises:
        TimeoutError: not shown by ``until``, on the monotonic clock.
    """
    if refusal := no_module(imports):
        return refusal
    rests = [name for name in own.mentioned(own.constants[t][0].type for t in theorems) if name in own.constants]
    premises = {name for name, (constant, _) in own.constants.items() if constant.kind in ("axiom", "opaque")}
    try:
        below = needed(own, rests, premises)
    except NotAllowed as fault:
        return Refusal(fault.rule, str(fault))
    except BadData as fault:
        return Refusal("data", str(fault))
    claims = [_claim(own, own.constants[t][0], t) for t in theorems if t not in {d.name for d in below}]
    defined = [d for d in below if d.kind != "thm"]
    named = [c.name for d in defined for c in d.constants if c.kind in ("def", "axiom", "opaque", "constructor")]
    named.sort(key=lambda name: name not in rests)
    data = write(own, [*below, *claims])
    parts = _parts(read(data, until))
    if strange := next((name for name, path in parts.items() if not all(map(_can_be_shown, path))), None):
        return Refusal("data", f"a name that cannot be shown: {strange[:80]!r}")
    show = (*theorems, *named[:MOST_DEFINITIONS])
    answer = await lean.replay(ReplayRequest(imports, data, show=show, seconds=max(until - time.monotonic(), 0.1)))
    if answer.status == "timeout":
        raise TimeoutError(f"Lean had not shown the statements: {answer.error}")
    if answer.status != "done" or len(answer.shown) != len(show):
        return Refusal("answer", f"Lean did not show the statements: {answer.error or answer.failed}")
    texts = dict(zip(show, map(_in_one_line, answer.shown), strict=True))
    if unshown := next((t for t in theorems if not texts[t]), None):
        return Refusal("statement", f"{_shown(parts[unshown])} {_UNSHOWN}")
    ends = sorted(_marked(parts[name]) for name in rests)
    itself = f", with {', '.join(ends)} of the file" if ends else ""
    heads = [_shown(parts[t]) + _levels([parts[u] for u in own.constants[t][0].levels]) for t in theorems]
    stated = [f"theorem {head} : {texts[t]}" for head, t in zip(heads, theorems, strict=True)]
    short = [n for n in named[:MOST_DEFINITIONS] if 0 < len(texts[n]) <= MOST_SHOWN]
    definitions = [f"of the file: {_definition(own.constants[n][0], _shown(parts[n]), texts[n])}" for n in short]
    others = [_shown(parts[n]) for n in named if n not in short]
    more = f", and {len(others) - MOST_DEFINITIONS} more" if len(others) > MOST_DEFINITIONS else ""
    rest = f"it rests on {', '.join(others[:MOST_DEFINITIONS])}{more} of the file as well"
    return Stated("; ".join(stated) + itself, (*definitions, *([rest] if others else [])))


def _claim(own: Stream, constant: Constant, name: str) -> Declaration:
    """A theorem without its proof."""
    _, proved = own.constants[name]
    record = {key: proved.record[key] for key in ("name", "levelParams", "type")}
    return Declaration("axiom", (constant,), {**record, "isUnsafe": False}, proved.place)


def _parts(stream: Stream) -> dict[str, tuple[str | int, ...]]:
    """The components of each name."""
    paths: list[tuple[str | int, ...]] = [()]
    for before, part in stream.parts[1:]:
        paths.append((*paths[before], part))
    return dict(zip(stream.names, paths, strict=True))


def _can_be_shown(part: str | int) -> bool:
    return isinstance(part, int) or (part.isprintable() and not re.search("[«»]", part))


def _shown(path: tuple[str | int, ...]) -> str:
    """A name as Lean writes it: what is no identifier stands in its brackets."""
    whole = ".".join(str(p) if isinstance(p, int) or _is_identifier(p) else f"«{p}»" for p in path)
    return whole.removeprefix(PRIVATE)


def _is_identifier(part: str) -> bool:
    return part != "" and starts_word(part[0]) and all(map(goes_on, part))


def _marked(path: tuple[str | int, ...]) -> str:
    """A name with its letters beyond ASCII, which may look like others."""
    shown = _shown(path)
    odd = [f"U+{ord(c):04X}" for c in shown if not c.isascii() and c not in "«»"]
    return f"{shown} ({' '.join(odd)})" if odd else shown


def _levels(paths: list[tuple[str | int, ...]]) -> str:
    return f".{{{', '.join(map(_shown, paths))}}}" if paths else ""


def _definition(constant: Constant, name: str, text: str) -> str:
    return text if constant.kind == "def" else f"{name} : {text}"


def _in_one_line(text: str) -> str:
    r"""In a literal Lean writes a new line as `\n`; what cannot be seen, or counted, is written by its number."""
    line = re.sub(r"(?<= ) ", r"\\x20", re.sub(r"\n\s*", " ", text))
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in line)
