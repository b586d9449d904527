"""Strategies, their tags and what else people call them; and what a task forbids: ``recursion and not memoisation``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.hints import nearest

RECURSION = "recursion"
MEMOISATION = "memoisation"
DYNAMIC_PROGRAMMING = "dynamic programming"
DIVIDE_AND_CONQUER = "divide and conquer"
GREEDY = "greedy"
ITERATION = "iteration"
CLOSED_FORM = "closed form"
LIBRARY_CALL = "library call"

SYNONYMS = {
    RECURSION: "recursive recursively recurse recursions",
    MEMOISATION: "memoised memoized memoization memoise memoize memo memos cached caching cache top-down",
    DYNAMIC_PROGRAMMING: "dp dynamic-program tabulation tabulated table bottom-up-dp",
    DIVIDE_AND_CONQUER: "divide-conquer d&c dnc dac divide-&-conquer",
    GREEDY: "greedily greedy-algorithm greedy-choice",
    ITERATION: "iterative iteratively loop loops looping iterate while-loop for-loop",
    CLOSED_FORM: "formula closed-formula arithmetic direct-formula closed-forms explicit-formula",
    LIBRARY_CALL: "library builtin built-in builtins library-calls library-function stdlib standard-library",
    "backtracking": "backtrack backtracks",
    "bisection": "binary-search bisect binary-searching",
    "brute force": "bruteforce exhaustive exhaustive-search",
    "mutual": "mutual-recursion mutually-recursive mutual-recursive indirect-recursion",
    "tail": "tail-recursion tail-recursive tail-call",
    "functional": "comprehension comprehensions list-comprehension",
    "generator": "generators yield",
    "stack": "explicit-stack queue",
    "sorting": "sort sorted sorts",
    "hashing": "hash hash-table dictionary",
    "heap": "priority-queue heapq",
    "bit manipulation": "bits bitwise bit-twiddling",
    "nested loops": "nested-loop",
    "squaring": "repeated-squaring",
}
"""Other spellings of each strategy, then of each tag."""
STRATEGIES = tuple(SYNONYMS)[:8]
TAGS = tuple(SYNONYMS)[8:]
DISTINGUISHING = TAGS[:3]
"""The tags that tell two approaches under one strategy apart: they stand in the text of a fingerprint."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The approach of one function.

    Attributes:
        strategy: one of ``STRATEGIES``.
        tags: other strategies that take part (a memoised recursion has ``recursion``), and how it is done (``tail``).
    """

    strategy: str
    tags: frozenset[str]

    @property
    def text(self) -> str:
        """The name that two candidates of the same approach share: ``recursion``, ``recursion (backtracking)``."""
        shown = [tag for tag in DISTINGUISHING if tag in self.tags]
        return f"{self.strategy} ({', '.join(shown)})" if shown else self.strategy


def _spelled(name: str) -> str:
    """A name as it is compared: lower case, words parted by one hyphen."""
    return "-".join(re.split(r"[\s_-]+", name.strip().lower()))


_NAMES = {_spelled(each): name for name, others in SYNONYMS.items() for each in (name, *others.split())}
_OPERATORS = {
    **dict.fromkeys(("and", "but", "with", "+", "&", "&&", ","), "and"),
    **dict.fromkeys(("or", "|", "||", "/"), "or"),
    **dict.fromkeys(("not", "no", "!", "~", "non"), "not"),
    **dict.fromkeys(("only", "plain", "naive"), "only"),
    **{"without": "and not", "(": "(", ")": ")"},
}
_SPELLINGS = "|".join(re.escape(n).replace(r"\-", r"[\s_-]+") for n in sorted(_NAMES, key=len, reverse=True))
_TOKEN = re.compile(rf"(un|non-?)?({_SPELLINGS})(?![\w&])|&&|\|\||[()!~+&|,/]|[^\s()!~+|,/&]+")
_ONLY = re.compile(r"only n(\d+)(?: \(((?: ?n\d+(?: and)?)+) \))?")
_MAX_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Ban:
    """A condition on fingerprints; ``text`` is one that `parse_ban` reads to the same."""

    text: str
    _tree: ast.expr = field(repr=False, compare=False)
    _atoms: Mapping[str, str] = field(repr=False, compare=False)

    def matches(self, fingerprint: Fingerprint) -> bool:
        """Whether a candidate with that fingerprint is forbidden."""
        return self._holds(self._tree, fingerprint)

    def _holds(self, node: ast.expr, fingerprint: Fingerprint) -> bool:
        match node:
            case ast.BoolOp(op=ast.And()):
                return all(self._holds(part, fingerprint) for part in node.values)
            case ast.BoolOp():
                return any(self._holds(part, fingerprint) for part in node.values)
            case ast.UnaryOp():
                return not self._holds(node.operand, fingerprint)
        name = self._atoms[ast.unparse(node)]
        if name.startswith("only "):
            return fingerprint.text == name.removeprefix("only ")
        return name == fingerprint.strategy or name in fingerprint.tags


def parse_ban(text: str) -> Ban:
    """A ban from words: strategies and tags with ``and``, ``or``, ``not``, parentheses; ``without X`` and ``unX`` too.

    A name holds for a fingerprint if it is its strategy or one of its tags: ``recursion`` holds for a memoised
    recursion too. ``only recursion (backtracking)`` holds where strategy and distinguishing tags are these.

    Raises:
        InvalidInput: an unknown word, with the nearest known one as hint; or words that make no condition.
    """
    if len(text) > _MAX_LENGTH:
        raise InvalidInput(f"a ban has at most {_MAX_LENGTH} characters")
    names = tuple(dict.fromkeys(_NAMES.values()))
    atoms = {f"n{at}": name for at, name in enumerate(names)}

    def only(found: re.Match[str]) -> str:
        strategy, tags = atoms[f"n{found[1]}"], [atoms[tag] for tag in re.findall(r"n\d+", found[2] or "")]
        if strategy not in STRATEGIES:
            raise InvalidInput("'only' precedes a strategy", hint=f"strategies are {', '.join(STRATEGIES)}")
        atom = f"n{len(atoms)}"
        atoms[atom] = f"only {strategy}" + (f" ({', '.join(sorted(tags))})" if tags else "")
        return atom

    written = _ONLY.sub(only, " ".join(_tokens(text, names)))
    written = re.sub(r"(?<=[\d)]) not\b", " and not", written)  # recursion, not memoised
    try:
        tree = ast.parse(written.replace("not not ", ""), mode="eval").body
        if any(isinstance(node, ast.Name) and node.id not in atoms for node in ast.walk(tree)):
            raise SyntaxError(written)
    except (SyntaxError, RecursionError, MemoryError) as error:
        hint = "write a ban such as: recursion and not memoisation"
        raise InvalidInput(f"the ban {text.strip()[:80]!r} makes no condition", hint=hint) from error
    shown = re.sub(r"\((not n\d+)\)", r"\1", ast.unparse(tree))
    return Ban(re.sub(r"n\d+", lambda found: atoms[found[0]], shown), tree, atoms)


def _tokens(text: str, names: tuple[str, ...]) -> list[str]:
    """Operators, and ``n3`` for the name with that number, of one word or several."""
    found: list[str] = []
    for token in _TOKEN.finditer(re.sub(r"[*`'\".]", " ", text.lower())):
        word = token[0].strip("-_")
        if token[2]:
            found.append(f"{'not ' if token[1] else ''}n{names.index(_NAMES[_spelled(token[2])])}")
        elif word and word not in _OPERATORS:
            hint = nearest(word, _NAMES) or f"strategies are {', '.join(STRATEGIES)}; and, or, not"
            raise InvalidInput(f"unknown word in a ban: {word!r}", hint=hint)
        else:
            found += [_OPERATORS[word]] if word else []
    return found
