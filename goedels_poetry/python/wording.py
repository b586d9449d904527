"""Stored statements about Python functions in Python's notation, for display only: nothing reads this text back.

What the translation names for itself (``gcd!loop!ok``, ``nil.int``, ``~f6~``) is written as what it stands for: "gcd's
loop(a, b) does not raise", ``[]``, ``ö``. A name of another form stays as it is.
"""

from __future__ import annotations

import re

from goedels_poetry.smt.notation.infix import Tree, render_tree, write

_LETTER = re.compile(r"~([0-9a-f]{1,6})~")
_NUMBERED = re.compile(r"\.(\d+)$")
_PART = re.compile(r"(.*)_(head|tail|the|item\d+)\.[^.]*")
"""A variable that stands for a part of another one, with a type at its end."""
_OF_FUNCTIONS = re.compile(r"loop\d*|each|sum|any|all|list")
"""Second parts of the names of functions that are part of another one; else it is a field of a class."""
_RETURNS, _RAISES = "returns", "raises."
_LIBRARY = {"gcd": "math.gcd", "len": "len", "head": "head", "tail": "tail"}
_OPERATORS = {"member": "in", "power": "**"}


def render(statement: str) -> str:
    """A stored statement in infix notation; text that is no statement comes back unchanged."""
    outcomes = re.search(rf"(?<![^\s()])({_RETURNS}(?![^\s()])|{re.escape(_RAISES)})", statement) is not None
    return render_tree(statement, lambda tree: _rendered(tree, outcomes))


def named(name: str) -> str:
    """The name of a function, or of a part of one: ``gcd's loop``, ``f's line-12 loop``.

    The function that says when another one raises recurs as that one does, and is named like it.
    """
    own, *parts = name.split("!")
    if not parts or "<" in parts[-1]:
        part = _PART.fullmatch(own)
        return _letters(f"{part[1]}_{part[2]}" if part else own)
    number = _NUMBERED.search(parts[-1])
    parts = [_NUMBERED.sub("", part) for part in parts]
    inner = ".".join(re.sub(r"^loop(\d+)$", r"line-\1 loop", _letters(p)) for p in parts if p != "ok")
    return (f"{_letters(own)}'s {inner}" if inner else _letters(own)) + (f" {number[1]}" if number else "")


def definition(name: str) -> str:
    """What the definition of a function says."""
    return f"when {named(name)} raises" if _effect(name) is not None else f"the definition of {named(name)}"


def _rendered(tree: Tree, outcomes: bool) -> Tree:
    """The tree with what the translation has brought in put into words, from the leaves up.

    ``outcomes``: exceptions are told apart: then how a call ends is a value, else it is a fact.
    """
    if isinstance(tree, str):
        return _leaf(tree)
    if not tree or tree[0] == "_":
        return tree
    head, *arguments = tree
    if head == "as" and len(tree) == 3:
        return _rendered(arguments[0], outcomes)
    if head in ("forall", "exists", "lambda") and isinstance(arguments[0], list):
        return [head, [[_leaf(str(b[0])), *b[1:]] for b in arguments[0]], _rendered(arguments[1], outcomes)]
    if head == "sequent" and len(tree) == 4:
        return [head, tree[1], [_rendered(part, outcomes) for part in tree[2]], _rendered(tree[3], outcomes)]
    negated = arguments[0] if head == "not" else tree
    if (call := _effect(negated)) is not None and not (head == "not" and outcomes):
        name = f"{named(call[0])}({', '.join(write(_rendered(part, outcomes)) for part in call[1])})"
        return f"outcome of {name}" if outcomes else f"{name} {'raises' if head == 'not' else 'does not raise'}"
    fact = _tested(tree, outcomes) or _arithmetic(tree, outcomes)
    return fact or _applied(head, [_rendered(argument, outcomes) for argument in arguments])


def _leaf(name: str) -> Tree:
    if name[:1] in ('"', "|"):
        return name
    if name.startswith(("nil.", "none.")) or name == "None.":
        return "[]" if name.startswith("nil.") else "None"
    own, bang, part = name.partition("!")
    if bang and re.fullmatch(r"[\w~]+", part) and part != "ok" and not _OF_FUNCTIONS.fullmatch(part):
        return f"{_letters(own)}.{_letters(part)}"  # a member of an enumeration
    return f"{named(name)}() does not raise" if _effect(name) is not None else named(name)


def _applied(head: Tree, arguments: list[Tree]) -> Tree:
    if not isinstance(head, str):
        return [head, *arguments]
    if head in ("=", "distinct"):  # facts, which would run into one another
        return [head, *(_closed(part) if isinstance(part, str) else part for part in arguments)]
    kind, dot, _ = head.partition(".")
    if dot and kind == "cons" and len(arguments) == 2:
        rest = arguments[1] if isinstance(arguments[1], str) and arguments[1].startswith("[") else ""
        inner = rest[1:-1] if rest else f"*{_closed(arguments[1])}"
        return f"[{', '.join(filter(None, (write(arguments[0]), inner)))}]"
    if dot and kind in _OPERATORS and len(arguments) == 2:
        return f"({_closed(arguments[0])} {_OPERATORS[kind]} {_closed(arguments[1])})"
    if dot and kind == "mk":
        return f"({', '.join(map(write, arguments))}{',' if len(arguments) == 1 else ''})"
    if dot and kind == "some" and len(arguments) == 1:
        return arguments[0]
    if dot and kind in _LIBRARY:
        return [_LIBRARY[kind], *arguments]
    own, bang, part = head.partition("!")
    if bang and (not part or "<" in part):
        return [_letters(own), *arguments]
    if bang and len(arguments) == 1 and re.fullmatch(r"[\w~]+", part) and not _OF_FUNCTIONS.fullmatch(part):
        return [f"{_closed(arguments[0])}.{_letters(part)}"]  # a leaf that needs no parentheses
    return [named(head), *arguments]


def _tested(tree: list[Tree], outcomes: bool) -> Tree | None:
    """``((_ is c) x)``, and how a call ends, as facts."""
    if len(tree) == 2 and isinstance(tree[0], list) and tree[0][:2] == ["_", "is"] and len(tree[0]) == 3:
        constructor, value = str(tree[0][2]), tree[1]
    elif len(tree) == 3 and tree[0] == "=" and str(tree[2]).startswith((_RETURNS, _RAISES)):
        constructor, value = str(tree[2]), tree[1]
    else:
        return None
    call = _effect(value)
    if call is not None and constructor.startswith((_RETURNS, _RAISES)):
        name = f"{named(call[0])}({', '.join(write(_rendered(part, outcomes)) for part in call[1])})"
        raised = _letters(constructor.removeprefix(_RAISES))
        return f"{name} does not raise" if constructor == _RETURNS else f"{name} raises {raised}"
    told, kind = _rendered(value, outcomes), constructor.partition(".")[0]
    if kind in ("nil", "cons"):
        return ["=" if kind == "nil" else "distinct", told, "[]"]
    return f"{_closed(told)} is {'None' if kind == 'none' else 'not None'}" if kind in ("none", "some") else None


def _arithmetic(tree: list[Tree], outcomes: bool) -> Tree | None:
    """``a % b`` and ``a // b``, which SMT-LIB's mod and div are for some signs only."""
    if len(tree) != 4 or tree[0] != "ite" or not isinstance(tree[2], list) or tree[2][0] not in ("div", "mod"):
        return None
    (name, a, b), other = tree[2], tree[3]
    whole = ["or", [">", b, "0"], ["=", ["mod", a, b], "0"]]
    if tree[1] != whole or other != (["+", tree[2], b] if name == "mod" else ["-", tree[2], "1"]):
        return None
    sign = "%" if name == "mod" else "//"
    return f"({_closed(_rendered(a, outcomes))} {sign} {_closed(_rendered(b, outcomes))})"


def _effect(tree: Tree) -> tuple[str, list[Tree]] | None:
    """A call of the function that says whether another one raises: that one's name, and what it is called with."""
    head, *arguments = tree if isinstance(tree, list) and tree else [tree]
    found = re.fullmatch(r"(.+)!ok(\.\d+)?", head) if isinstance(head, str) else None
    return (found[1] + (found[2] or ""), arguments) if found else None


def _closed(tree: Tree) -> str:
    """The text of a part, in parentheses where it could run into what is next to it."""
    text = write(tree)
    if isinstance(tree, str):
        return text if " " not in text or text[0] in '(["|' else f"({text})"
    is_call = bool(tree) and isinstance(tree[0], str) and (len(tree) == 1 or text.startswith(f"{tree[0]}("))
    return text if is_call else f"({text})"


def _letters(name: str) -> str:
    """The Python name, where only its letters, or a symbol of the same name, have changed it."""
    decoded = _LETTER.sub(_letter, name)
    return decoded.removesuffix("~") if decoded.count("~") == 1 else decoded


def _letter(number: re.Match[str]) -> str:
    """The letter of that number, where it is one that a name may have."""
    code = int(number[1], 16)
    return chr(code) if code <= 0x10FFFF and f"_{chr(code)}".isidentifier() else number[0]
