"""Where the theorems of a text stand: what annotations, editors and test reports point at. Nothing is proved here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Place:
    """A theorem: its name, "" where it has none, and the line and column (from 1) where it begins."""

    name: str
    line: int
    column: int


MOST_CHARACTERS = 1_000_000
"""Of a text whose theorems are looked for, which is done between two keys; larger ones have no places."""


def places(text: str, language: str) -> tuple[Place, ...]:
    """The theorems of a text in order; () for other languages, and for a text that cannot be read.

    Python: the functions with contracts; SMT-LIB: the goals; Lean: what is called a theorem and has a hole.
    """
    find = _OF_LANGUAGES.get(language) if len(text) <= MOST_CHARACTERS else None
    return tuple(find(text)) if find is not None else ()


def place_of(text: str, language: str, theorem: str) -> Place | None:
    """The theorem called ``theorem`` (of Lean also by the end of its name), "" for the only one; None: not known."""
    known = places(text, language)
    if not theorem:
        return known[0] if len(known) == 1 else None
    named = [place for place in known if theorem == place.name]
    named += [place for place in known if language == "lean" and theorem.endswith(f".{place.name}")]
    return named[0] if named else None


def _of_python(text: str) -> Iterator[Place]:
    from goedels_poetry.python.translate.contracts import PythonFault  # only where there is Python
    from goedels_poetry.python.translate.program import read_program, with_contracts

    try:
        program = read_program(text)
    except PythonFault:
        return
    for name in with_contracts(program):
        function = program.functions[name]
        yield Place(name, function.line, getattr(function.node, "col_offset", 0) + 1)


def _of_smt(text: str) -> Iterator[Place]:
    from goedels_poetry.kernel.faults import InvalidText  # only where there is SMT-LIB
    from goedels_poetry.kernel.reading.reader import Atom, Group, Source, attributes, decode, is_word, read

    try:
        source = Source(decode(text))
        commands = [c for c in read(source) if isinstance(c, Group) and len(c.items) == 2]
        goals = [c for c in commands if is_word(c.items[0], "prove") or is_word(c.items[0], "assert-not")]
        marked = goals or [c for c in commands if is_word(c.items[0], "assert")]
        bodies = [(c, attributes(source, c.items[1])) for c in marked]
    except InvalidText:
        return
    negated = [(c, b) for c, b in bodies if isinstance(b[0], Group) and b[0].items and is_word(b[0].items[0], "not")]
    nameless = 0
    for command, (_, said) in bodies if goals else negated[-1:]:
        names = [value.text for key, value in said if key.text == ":named" and isinstance(value, Atom)]
        nameless += not names
        yield Place(names[0] if names else f"goal-{nameless}", *source.position(command.offset))


def _of_lean(text: str) -> Iterator[Place]:
    from goedels_poetry.lean.runtime.tokens import tokenize  # only where there is Lean

    words = [token for token in tokenize(text.replace("\r\n", "\n")) if token.kind == "word"]
    last: Place | None = None
    for token, following in pairwise([*words, None]):
        if token is None:
            return
        if token.text in _DECLARATIONS:
            named = token.text in ("theorem", "lemma") and following is not None
            last = Place(following.text, token.line, token.column + 1) if named and following is not None else None
        elif token.text in ("sorry", "admit") and last is not None:
            yield last
            last = None


_DECLARATIONS = frozenset({"theorem", "lemma", "def", "abbrev", "example", "instance", "axiom", "opaque", "structure"})
_OF_LANGUAGES: dict[str, Callable[[str], Iterator[Place]]] = {"python": _of_python, "smt": _of_smt, "lean": _of_lean}
