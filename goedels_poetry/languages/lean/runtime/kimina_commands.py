"""The commands of a text by plain reading, for a Lean that does not list them.

Right for text as people lay it out; where notation of a file's own makes it ambiguous, a place may be wrong. Nothing
that decides about a proof reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goedels_poetry.languages.lean.runtime.protocol import Command
from goedels_poetry.languages.lean.tokens import Token, tokenize


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
    if token.kind == "doc":
        return True
    if token.kind == "word":
        if token.text == "deriving":
            return token.column == 0 and following is not None and following.text == "instance"
        return token.text in _RESERVED or (
            token.column == 0 and (token.text in _WORDS or token.text in _DECLARED or token.text in _MODIFIERS)
        )
    return token.column == 0 and token.text in ("#", "@") and following is not None


def _goes_on(chunk: Sequence[Token], token: Token) -> bool:
    """Whether a token that could begin a command belongs to the one before it."""
    at = _inner(chunk)
    if at == len(chunk):
        return True  # only a docstring, attributes and modifiers so far
    if chunk[at].text == "mutual":
        return all(t.text != "end" for t in chunk[at:])
    return chunk[at].text == "deriving" and token.text == "instance" and len(chunk) == at + 1


def _keyword(chunk: Sequence[Token]) -> int:
    """Index of the word that says what a command is, after its docstring, attributes and modifiers."""
    at = 0
    while at < len(chunk):
        token = chunk[at]
        if token.text == "@" and at + 1 < len(chunk) and chunk[at + 1].text == "[":
            depth, at = 1, at + 2
            while at < len(chunk) and depth:
                depth += (chunk[at].text == "[") - (chunk[at].text == "]")
                at += 1
        elif token.kind != "doc" and token.text not in _MODIFIERS:
            return at
        else:
            at += 1
    return at


def _inner(chunk: Sequence[Token]) -> int:
    """Index of the word that says what stands inside of `open … in`, `set_option … in` and the like."""
    at = _keyword(chunk)
    while at < len(chunk) and chunk[at].text in _BEFORE_IN:
        within = next((i for i in range(at, len(chunk)) if chunk[i].text == "in"), None)
        if within is None:
            return at
        at = within + 1 + _keyword(chunk[within + 1 :])
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
