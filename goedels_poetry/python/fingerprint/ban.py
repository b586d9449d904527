"""What a task forbids, as people write it: ``recursion and not memoisation``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.python.fingerprint.names import STRATEGIES, Fingerprint, plain, spellings

Test = Callable[[Fingerprint], bool]
_NAMES = spellings()
_LONGEST = max(name.count("-") + 1 for name in _NAMES)
_AND, _OR, _NOT = ("and", "but", "with", "+", "&", "&&", ","), ("or", "|", "||", "/"), ("not", "no", "!", "~", "non")
_ONLY = ("only", "plain", "naive")
_TOKEN = re.compile(r"d&c|&&|\|\||[()!~+&|,/]|[^\s()!~+|,/&-]+(?:-&-[a-z]+)?|-", re.IGNORECASE)
_MAX_LENGTH, _MAX_DEPTH = 2000, 40


@dataclass(frozen=True, slots=True)
class Ban:
    """A condition on fingerprints; ``text`` is one that `parse_ban` reads to the same."""

    text: str
    _test: Test = field(repr=False, compare=False)

    def matches(self, fingerprint: Fingerprint) -> bool:
        """Whether a candidate with that fingerprint is forbidden."""
        return self._test(fingerprint)


def ban_on(fingerprint: Fingerprint) -> Ban:
    """The ban on exactly this approach: what two failures of it forbid.

    ``recursion`` as a ban forbids every function that calls itself, memoised or not; what is said here is ``only
    recursion``: recursion is its strategy, and what tells approaches apart is the same.
    """
    return parse_ban(f"only {fingerprint.text}")


def parse_ban(text: str) -> Ban:
    """A ban from words: strategies and tags with ``and``, ``or``, ``not``, parentheses; ``without X`` and ``unX`` too.

    A name holds for a fingerprint if it is its strategy or one of its tags: ``recursion`` holds for a memoised
    recursion too. ``only recursion (backtracking)`` holds where strategy and distinguishing tags are these.

    Raises:
        InvalidInput: an unknown word, with the nearest known one as hint; or words that make no condition.
    """
    if len(text) > _MAX_LENGTH:
        raise InvalidInput(f"a ban has at most {_MAX_LENGTH} characters")
    parser = _Parser(_tokens(text))
    test, words = parser.disjunction(0)
    if parser.left:
        raise InvalidInput(
            f"{parser.left[0].removeprefix('name:')!r} is not expected there in the ban {text.strip()!r}", hint=_EXAMPLE
        )
    return Ban(words, test)


_EXAMPLE = "write a ban such as: recursion and not memoisation"


def _tokens(text: str) -> list[str]:
    """Words, names joined to one token (``name:divide and conquer``) and operators."""
    words = [word.lower().strip("*`'\".") for word in _TOKEN.findall(text.replace("_", " "))]
    words = [word for word in words if word and word != "-"]
    found: list[str] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            name = _NAMES.get(plain(" ".join(words[at : at + length])))
            if name is not None:
                found.append(f"name:{name}")
                at += length
                break
        else:
            found += _word(words[at])
            at += 1
    return found


def _word(word: str) -> list[str]:
    """An operator, or a word with a negation in front (unmemoised, nonrecursive)."""
    if word in ("without",):
        return ["and", "not"]
    for kind, members in (("and", _AND), ("or", _OR), ("not", _NOT), ("only", _ONLY), ("(", "("), (")", ")")):
        if word in members:
            return [kind]
    for prefix in ("un", "non"):
        name = _NAMES.get(word.removeprefix(prefix)) if word.startswith(prefix) else None
        if name is not None:
            return ["not", f"name:{name}"]
    known = nearest(word, _NAMES)
    raise InvalidInput(
        f"unknown word in a ban: {word!r}", hint=known or f"strategies are {', '.join(STRATEGIES)}; and, or, not"
    )


class _Parser:
    """Recursive descent over the tokens: or, and, not, in this order of binding."""

    def __init__(self, tokens: list[str]) -> None:
        self.left = tokens

    def disjunction(self, depth: int) -> tuple[Test, str]:
        if depth > _MAX_DEPTH:
            raise InvalidInput(f"a ban nests at most {_MAX_DEPTH} deep")
        tests, texts = zip(*self._several("or", lambda: self._conjunction(depth)), strict=True)
        if len(tests) == 1:
            return tests[0], texts[0]
        return (lambda fingerprint: any(test(fingerprint) for test in tests)), " or ".join(texts)

    def _conjunction(self, depth: int) -> tuple[Test, str]:
        tests, texts = zip(*self._several("and", lambda: self._negation(depth)), strict=True)
        if len(tests) == 1:
            return tests[0], texts[0]
        return (lambda fingerprint: all(test(fingerprint) for test in tests)), " and ".join(texts)

    def _several(self, operator: str, read: Callable[[], tuple[Test, str]]) -> list[tuple[Test, str]]:
        parts = [read()]
        while self.left and (self.left[0] == operator or (operator == "and" and self.left[0] == "not")):
            if self.left[0] == operator:
                self.left.pop(0)
            parts.append(read())
        return parts

    def _negation(self, depth: int) -> tuple[Test, str]:
        negated = False
        while self.left and self.left[0] == "not":
            self.left.pop(0)
            negated = not negated
        test, text = self._atom(depth)
        return ((lambda fingerprint: not test(fingerprint)), f"not {text}") if negated else (test, text)

    def _atom(self, depth: int) -> tuple[Test, str]:
        token = self.left.pop(0) if self.left else ""
        if token == "(":
            test, text = self.disjunction(depth + 1)
            if not self.left or self.left.pop(0) != ")":
                raise InvalidInput("a parenthesis of the ban is not closed", hint=_EXAMPLE)
            return test, f"({text})"
        if token == "only":
            return self._only()
        if not token.startswith("name:"):
            what = f"before {token!r}" if token else "at the end"
            raise InvalidInput(f"a strategy is missing {what} of the ban", hint=_EXAMPLE)
        name = token.removeprefix("name:")
        return (lambda fingerprint: name == fingerprint.strategy or name in fingerprint.tags), name

    def _only(self) -> tuple[Test, str]:
        """``only STRATEGY`` or ``only STRATEGY (TAG, TAG)``, as `ban_on` writes it."""
        if not self.left or self.left[0].removeprefix("name:") not in STRATEGIES:
            raise InvalidInput("'only' stands before a strategy", hint=f"strategies are {', '.join(STRATEGIES)}")
        words = self.left.pop(0).removeprefix("name:")
        if self.left[:1] == ["("]:
            end = self.left.index(")") if ")" in self.left else len(self.left)
            tags = [token.removeprefix("name:") for token in self.left[1:end] if token.startswith("name:")]
            del self.left[: end + 1]
            words += f" ({', '.join(sorted(tags))})" if tags else ""
        return (lambda fingerprint: fingerprint.text == words), f"only {words}"
