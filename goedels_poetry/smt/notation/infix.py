"""Statements as a mathematician writes them, for display only; what models write so is read by `notation`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Tree: TypeAlias = "str | list[Tree]"

MAX_CHARACTERS = 20_000
"""Longer statements are shown as they are; so are those nested deeper than MAX_DEPTH."""
MAX_DEPTH = 60

_INFIX = {
    "=>": (1, " => "),
    "or": (2, " or "),
    "and": (3, " and "),
    "=": (5, " = "),
    "distinct": (5, " != "),
    "<": (5, " < "),
    "<=": (5, " <= "),
    ">": (5, " > "),
    ">=": (5, " >= "),
    "+": (6, " + "),
    "-": (6, " - "),
    "*": (7, " * "),
    "/": (7, " / "),
    "div": (7, " div "),
    "mod": (7, " mod "),
}
_LOOSEST, _NOT, _TIGHTEST = 0, 4, 9
_QUANTIFIERS = {"forall": "for all", "exists": "there is"}
_ASSOCIATIVE = frozenset({"or", "and", "+", "*"})


BROUGHT = "\n(define-fun"
"""Begins each auxiliary definition that stands behind a sequent, one a line, see `text.brought_by`."""


def render(statement: str) -> str:
    """A term or a sequent of the language in infix notation; text that is neither comes back unchanged."""
    return render_tree(statement, lambda tree: tree)


def render_tree(statement: str, told: Callable[[Tree], Tree]) -> str:
    """As `render`, of what ``told`` makes of the tree: a leaf of any text stands as it is."""
    if len(statement) > MAX_CHARACTERS:
        return statement
    tree = _read(statement.partition(BROUGHT)[0])
    if tree is None:
        return statement
    try:
        tree = told(tree)
        if isinstance(tree, list) and len(tree) == 4 and tree[0] == "sequent":
            return _sequent(tree)
        return _write(tree, _LOOSEST)
    except (ValueError, IndexError, TypeError):
        return statement  # not of a form that we know: the original is always right


def write(tree: Tree) -> str:
    """The infix text of a tree, as `render` writes it. Raises ValueError: it is of a form that has none."""
    return _write(tree, _LOOSEST)


def _sequent(tree: list[Tree]) -> str:
    """``concl`` or ``if hyp and hyp: concl``; a sequent's variables are universal and go without saying."""
    around = _INFIX["and" if len(tree[2]) > 1 else "=>"][0]
    hyps = [_write(hyp, around) for hyp in tree[2]]
    concl = _write(tree[3], _LOOSEST)
    return f"if {' and '.join(hyps)} then {concl}" if hyps else concl


def _read(text: str) -> Tree | None:
    """One S-expression, or None when the text is not exactly one or is nested too deeply."""
    stack: list[list[Tree]] = [[]]
    for token in _tokens(text):
        if token == "(":
            stack.append([])
            if len(stack) > MAX_DEPTH:
                return None
        elif token == ")":
            if len(stack) == 1:
                return None
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(_unbarred(token))
    return stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else None


def _unbarred(token: str) -> str:
    """A name that only its letters put between bars; what means something without them keeps them."""
    name = token[1:-1]
    return name if token[:1] == "|" and name.isidentifier() and not name.isascii() else token


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    quote, word = "", ""
    for character in text:
        if quote:
            word += character
            if character == quote:
                quote = ""
        elif character in "()" or character.isspace():
            if word:
                tokens.append(word)
            word = ""
            if character in "()":
                tokens.append(character)
        else:
            word += character
            quote = character if character in '|"' else ""
    return [*tokens, word] if word else tokens


def _write(tree: Tree, around: int) -> str:
    """Infix text; in parentheses when it binds no tighter than ``around``."""
    if isinstance(tree, str):
        return tree
    if not tree:
        return "()"
    head, rest = tree[0], tree[1:]
    if not isinstance(head, str):
        return _head(head) + _arguments(rest)
    if head in _QUANTIFIERS and len(rest) == 2:
        names = " ".join(_name(binding) for binding in rest[0])
        return _wrap(f"{_QUANTIFIERS[head]} {names}: {_write(rest[1], _LOOSEST)}", _LOOSEST, around)
    if head == "lambda" and len(rest) == 2:
        names = " ".join(_name(binding) for binding in rest[0])
        return _wrap(f"fun {names}. {_write(rest[1], _LOOSEST)}", _LOOSEST, around)
    if head == "not" and len(rest) == 1:
        inner = rest[0]
        if isinstance(inner, list) and len(inner) == 3 and inner[0] == "=":
            return _write(["distinct", *inner[1:]], around)
        return _wrap(f"not {_write(inner, _TIGHTEST - 1)}", _NOT, around)
    if head == "-" and len(rest) == 1:
        return _wrap(f"-{_write(rest[0], _TIGHTEST - 1)}", _TIGHTEST - 1, around)
    if head == "ite" and len(rest) == 3:
        parts = [_write(part, _LOOSEST) for part in rest]
        return _wrap(f"if {parts[0]} then {parts[1]} else {parts[2]}", _LOOSEST, around)
    if head == "as" and len(rest) == 2:
        return _write(rest[0], around)
    if head == "!" and rest:
        return _write(rest[0], around)
    if head in _INFIX and len(rest) >= 2 and (head != "distinct" or len(rest) == 2):  # a != b != c says less
        return _infix(head, rest, around)
    if head == "_" or head in ("let", "match"):
        raise ValueError(head)
    return head + _arguments(rest)


def _infix(head: str, rest: list[Tree], around: int) -> str:
    level, sign = _INFIX[head]
    inner = level - 1 if head in _ASSOCIATIVE else level
    first = _write(rest[0], level - 1 if head == "-" else inner)
    return _wrap(sign.join([first, *(_write(part, inner) for part in rest[1:])]), level, around)


def _arguments(rest: list[Tree]) -> str:
    return f"({', '.join(_write(part, _LOOSEST) for part in rest)})" if rest else ""


def _head(head: list[Tree]) -> str:
    """``((_ extract 3 0) x)`` and ``((as nil (List Int)))``: the qualified name without its type."""
    if len(head) >= 2 and head[0] == "_":
        return "_".join(str(part) for part in head[1:])
    if len(head) == 3 and head[0] == "as" and isinstance(head[1], str):
        return head[1]
    raise ValueError("a function that is no name")


def _name(binding: Tree) -> str:
    if isinstance(binding, list) and len(binding) == 2 and isinstance(binding[0], str):
        return binding[0]
    raise ValueError("not a binding")


def _wrap(text: str, level: int, around: int) -> str:
    return text if level > around or around == _LOOSEST else f"({text})"
