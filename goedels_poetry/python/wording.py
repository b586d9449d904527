"""Stored statements about Python functions in the Python's words, for display only: nothing reads this text back.

What the translation names for itself (``gcd!loop!ok``, ``nil.int``, ``~f6~``) is told by what it stands for: "gcd's
loop(a, b) does not raise", ``[]``, ``ö``. A name of another form stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from goedels_poetry.smt.notation.infix import Tree, render_tree, write

_LETTER = re.compile(r"~([0-9a-f]{1,6})~")
_NUMBERED = re.compile(r"\.(\d+)$")
_PART = re.compile(r"(.*)_(head|tail|the|item\d+)\.[^.]*")
"""A variable that stands for a part of another one: the type at its end says nothing to people."""
_PARTS_OF_FUNCTIONS = frozenset({"loop", "each", "sum", "any", "all", "list", "key", "insert", "sorted", "max", "min"})
"""Second parts of the names of functions that are part of another one; else it is a field of a class."""
_LOOP = re.compile(r"loop(\d+)")
"""One of several loops of a function, with its line."""
_TOKEN = re.compile(r"[^\s()]+")
_RETURNS, _RAISES = "returns", "raises."
_OK = "ok"
_MAX_LETTER = 0x10FFFF


def render(statement: str) -> str:
    """A stored statement in infix notation with the Python's words; text that is no statement comes back unchanged."""
    tokens = frozenset(_TOKEN.findall(statement))
    outcomes = _RETURNS in tokens or any(token.startswith(_RAISES) for token in tokens)
    return render_tree(statement, _Telling(outcomes, tokens).told)


def named(name: str) -> str:
    """The name of a function, or of a part of one, in the Python's words: ``gcd's loop``, ``f's line-12 loop``.

    The function that says when another one raises recurs as that one does, and is named like it.
    """
    own, *parts = name.split("!")
    if not parts or "<" in parts[-1]:
        return _typeless(own)
    number = _NUMBERED.search(parts[-1])
    parts[-1] = _NUMBERED.sub("", parts[-1])
    inner = ".".join(map(_part, parts[:-1] if parts[-1] == _OK else parts))
    words = f"{_letters(own)}'s {inner}" if inner else _letters(own)
    return f"{words}{f' {number[1]}' if number else ''}"


def _part(name: str) -> str:
    loop = _LOOP.fullmatch(name)
    return f"line-{loop[1]} loop" if loop else _letters(name)


def _is_part(name: str) -> bool:
    return name in _PARTS_OF_FUNCTIONS or _LOOP.fullmatch(name) is not None


def definition(name: str) -> str:
    """What the definition of a function tells."""
    return f"when {named(name)} raises" if _effect(name) is not None else f"the definition of {named(name)}"


@dataclass(frozen=True, slots=True)
class _Telling:
    """One statement's tree, told from its leaves up: parts that are words already are leaves of the result."""

    outcomes: bool
    """Whether it tells one exception from another: then how a call ends is a value, else it is a fact."""
    taken: frozenset[str]
    """Names of the statement: no other one is shortened to one of them."""

    def told(self, tree: Tree) -> Tree:
        """The tree with what the translation has brought in put into words."""
        if isinstance(tree, str):
            return self._leaf(tree)
        if not tree or tree[0] == "_":
            return tree
        if tree[0] == "as" and len(tree) == 3:
            return self.told(tree[1])
        if tree[0] in ("forall", "exists", "lambda") and len(tree) == 3:
            return [tree[0], self._bindings(tree[1]), self.told(tree[2])]
        if tree[0] == "sequent" and len(tree) == 4:
            return [tree[0], tree[1], [self.told(part) for part in tree[2]], self.told(tree[3])]
        fact = self._tested(tree)
        if fact is None:
            fact = self._arithmetic(tree)
        return self._applied(tree) if fact is None else fact

    def _applied(self, tree: list[Tree]) -> Tree:
        head, *arguments = tree
        if head == "not" and len(arguments) == 1 and (call := _effect(arguments[0])) is not None and not self.outcomes:
            return f"{self._call(*call)} raises"
        if (call := _effect(tree)) is not None:
            return f"outcome of {self._call(*call)}" if self.outcomes else f"{self._call(*call)} does not raise"
        told = [self.told(argument) for argument in arguments]
        if not isinstance(head, str):
            return [head, *told]
        if head in ("=", "distinct"):  # of facts, which would run into one another
            told = [_closed(part) if isinstance(part, str) else part for part in told]
        kind, dot, _ = head.partition(".")
        if dot and kind in _KNOWN and kind not in self.taken and (words := _KNOWN[kind](told)) is not None:
            return words
        own, bang, part = head.partition("!")
        if bang and "<" in part:  # what the search has defined for itself, for values of that type
            return [head if own in self.taken else _letters(own), *told]
        if (short := named(head)) != head and short in self.taken:
            return [head, *told]
        return _application(head, told)

    def _leaf(self, name: str) -> Tree:
        if name[:1] in ('"', "|"):
            return name
        if _effect(name) is not None:
            return self._applied([name])
        own, bang, part = name.partition("!")
        if name.startswith(("nil.", "none.")) or name == "None.":
            return "[]" if name.startswith("nil.") else "None"
        if bang and re.fullmatch(r"[\w~]+", part) and not _is_part(part):  # a member of an enumeration
            return f"{_letters(own)}.{_letters(part)}"
        short = named(name)
        return name if short != name and short in self.taken else short

    def _bindings(self, bindings: Tree) -> Tree:
        if isinstance(bindings, str):
            return bindings
        return [self._binding(binding) for binding in bindings]

    def _binding(self, binding: Tree) -> Tree:
        if isinstance(binding, list) and binding and isinstance(binding[0], str):
            return [self._leaf(binding[0]), *binding[1:]]
        return binding

    def _call(self, name: str, arguments: list[Tree]) -> str:
        return f"{named(name)}({', '.join(write(self.told(argument)) for argument in arguments)})"

    def _tested(self, tree: list[Tree]) -> Tree | None:
        """``((_ is c) x)``, and how a call ends, as facts."""
        if len(tree) == 2 and isinstance(tree[0], list) and tree[0][:2] == ["_", "is"] and len(tree[0]) == 3:
            constructor, value = tree[0][2], tree[1]
        elif len(tree) == 3 and tree[0] == "=" and _is_outcome(tree[2]):
            constructor, value = tree[2], tree[1]
        else:
            return None
        if not isinstance(constructor, str):
            return None
        call = _effect(value)
        if call is not None and constructor == _RETURNS:
            return f"{self._call(*call)} does not raise"
        if call is not None and constructor.startswith(_RAISES):
            return f"{self._call(*call)} raises {_letters(constructor.removeprefix(_RAISES))}"
        told, (kind, dot, _) = self.told(value), constructor.partition(".")
        if dot and kind in ("nil", "cons"):
            return ["=" if kind == "nil" else "distinct", told, "[]"]
        if dot and kind in ("none", "some"):
            return f"{_closed(told)} is {'None' if kind == 'none' else 'not None'}"
        return None

    def _arithmetic(self, tree: list[Tree]) -> Tree | None:
        """``a % b`` and ``a // b``, which SMT-LIB's mod and div are for some signs only."""
        if len(tree) != 4 or tree[0] != "ite":
            return None
        _, test, plain, other = tree
        if not (isinstance(plain, list) and len(plain) == 3 and plain[0] in ("div", "mod")):
            return None
        name, a, b = plain
        if test != ["or", [">", b, "0"], ["=", ["mod", a, b], "0"]]:
            return None
        if other != (["+", plain, b] if name == "mod" else ["-", plain, "1"]):
            return None
        return f"({_closed(self.told(a))} {'%' if name == 'mod' else '//'} {_closed(self.told(b))})"


def _application(head: str, told: list[Tree]) -> Tree:
    own, bang, part = head.partition("!")
    if bang and not part:
        return [_letters(own), *told]
    if bang and len(told) == 1 and re.fullmatch(r"[\w~]+", part) and not _is_part(part):
        return [f"{_closed(told[0])}.{_letters(part)}"]  # a leaf that needs no parentheses
    return [named(head), *told]


def _effect(tree: Tree) -> tuple[str, list[Tree]] | None:
    """A call of the function that says whether another one raises: that one's name, and what it is called with."""
    head, *arguments = tree if isinstance(tree, list) and tree else [tree]
    if not isinstance(head, str):
        return None
    name = _NUMBERED.sub("", head)
    own = name.removesuffix(f"!{_OK}")
    return (f"{own}{head[len(name) :]}", arguments) if own and own != name else None


def _is_outcome(tree: Tree) -> bool:
    return isinstance(tree, str) and (tree == _RETURNS or tree.startswith(_RAISES))


def _closed(tree: Tree) -> str:
    """The text of a part, in parentheses where it could run into what stands beside it."""
    text = write(tree)
    if isinstance(tree, str):
        return text if " " not in text or text[0] in '(["|' else f"({text})"
    is_call = bool(tree) and isinstance(tree[0], str) and (len(tree) == 1 or text.startswith(f"{tree[0]}("))
    return text if is_call else f"({text})"


def _cons(told: list[Tree]) -> Tree | None:
    """``[x, *xs]``, and ``[x, y]`` where all of it is known."""
    if len(told) != 2:
        return None
    first, rest = write(told[0]), told[1]
    if rest == "[]":
        return f"[{first}]"
    if isinstance(rest, str) and rest.startswith("[") and rest.endswith("]"):
        return f"[{first}, {rest[1:-1]}]"
    return f"[{first}, *{_closed(rest)}]"


def _member(told: list[Tree]) -> Tree | None:
    return f"({_closed(told[0])} in {_closed(told[1])})" if len(told) == 2 else None


def _power(told: list[Tree]) -> Tree | None:
    return f"({_closed(told[0])} ** {_closed(told[1])})" if len(told) == 2 else None


def _tuple(told: list[Tree]) -> Tree | None:
    return f"({', '.join(map(write, told))}{',' if len(told) == 1 else ''})"


def _itself(told: list[Tree]) -> Tree | None:
    """An optional value that is there is written as the value."""
    return told[0] if len(told) == 1 else None


def _function(name: str) -> Callable[[list[Tree]], Tree | None]:
    return lambda told: [name, *told]


_KNOWN: dict[str, Callable[[list[Tree]], Tree | None]] = {
    "cons": _cons,
    "member": _member,
    "power": _power,
    "mk": _tuple,
    "some": _itself,
    "gcd": _function("math.gcd"),
    **{name: _function(name) for name in ("len", "head", "tail")},
}
"""Of functions of the library, whose names end in a type: how a call of one is written. Others keep their name."""


def _typeless(name: str) -> str:
    part = _PART.fullmatch(name)
    return _letters(f"{part[1]}_{part[2]}" if part else name)


def _letters(name: str) -> str:
    """The Python name, where only its letters, or a symbol of the same name, have changed it."""
    if "~" not in name:
        return name
    decoded = _LETTER.sub(_letter, name)
    return decoded.removesuffix("~") if decoded.count("~") == 1 else decoded


def _letter(number: re.Match[str]) -> str:
    """The letter of that number, where it is one that a name may have."""
    code = int(number[1], 16)
    return chr(code) if code <= _MAX_LETTER and f"_{chr(code)}".isidentifier() else number[0]
