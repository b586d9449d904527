"""What every script has in common, whatever its commands mean: their names, their attributes, what they declare."""

from __future__ import annotations

from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr, Source, symbols_in

DECLARING = frozenset(
    {
        "declare-sort",
        "define-sort",
        "declare-datatype",
        "declare-datatypes",
        "declare-const",
        "declare-fun",
        "define-const",
        "define-fun",
        "define-fun-rec",
        "define-funs-rec",
    }
)
"""The commands that `declare.Declarations` carries out."""


def is_word(expr: SExpr, word: str) -> bool:
    """Whether ``expr`` is the symbol ``word``."""
    return isinstance(expr, Atom) and expr.kind is Lexeme.SYMBOL and expr.text == word


def command_of(source: Source, expr: SExpr) -> tuple[str, Group]:
    """A command and its name.

    Raises:
        InvalidText: it is no command.
    """
    if not isinstance(expr, Group) or not expr.items:
        source.fail("a command such as (assert ...) was expected here", expr, "other text begins with ;")
    head = expr.items[0]
    if not isinstance(head, Atom) or head.kind is not Lexeme.SYMBOL:
        source.fail("a command such as (assert ...) was expected here", head)
    return head.text, expr


def attributes(source: Source, body: SExpr) -> tuple[SExpr, list[tuple[Atom, SExpr]]]:
    """The term of ``(! term :key value ...)`` with its attributes; any other term has none.

    Raises:
        InvalidText: a key that is no keyword, or one without a value.
    """
    if not isinstance(body, Group) or not body.items or not is_word(body.items[0], "!"):
        return body, []
    pairs = body.items[2:]
    if not pairs or len(pairs) % 2:
        source.fail("malformed annotation", body, "write (! term :attribute value)")
    found: list[tuple[Atom, SExpr]] = []
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
            source.fail("an attribute such as :named was expected here", key)
        found.append((key, value))
    return body.items[1], found


def annotated(body: SExpr, rest: list[tuple[Atom, SExpr]], at: int) -> SExpr:
    """``body`` with the attributes ``rest`` only."""
    if not rest:
        return body
    group = Group(at)
    group.items = [Atom(Lexeme.SYMBOL, "!", at), body, *[part for pair in rest for part in pair]]
    return group


def name_of(source: Source, key: Atom, value: SExpr) -> str:
    """The value of ``:named``.

    Raises:
        InvalidText: it is no symbol.
    """
    if not isinstance(value, Atom) or value.kind is not Lexeme.SYMBOL:
        source.fail(":named takes one symbol", key)
    return value.text


def reserve_names(commands: list[SExpr], names: set[str]) -> None:
    """Add the names that are declared anywhere: bound variables stay clear of them."""
    for command in commands:
        head = command.items[0] if isinstance(command, Group) and len(command.items) > 1 else None
        if not isinstance(command, Group) or not isinstance(head, Atom):
            continue
        if head.text.startswith("declare-datatype"):
            names |= symbols_in(command.items)
        elif head.text.startswith(("declare-", "define-")):
            _collect_head(command.items[1], names)


def _collect_head(expr: SExpr, names: set[str]) -> None:
    """``f``, ``((f ...) (g ...))`` or ``(par (a) (f ...))``: the function names."""
    if isinstance(expr, Atom):
        names.add(expr.text)
        return
    for item in expr.items:
        if isinstance(item, Atom):
            names.add(item.text)
        elif item.items and isinstance(item.items[0], Atom):
            names.add(item.items[0].text)
            if item.items[0].text == "par":
                _collect_head(item, names)
