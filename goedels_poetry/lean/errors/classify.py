"""`ErrorClassifier`: Lean's messages to errors with a category, a place and what to try.

Where the wording does not say what is wrong, the message's types and the code around its place do: a premise that was
not supplied is reported as a type mismatch, mixed types as a missing instance.
"""

from __future__ import annotations

import difflib
import json
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import Any

from goedels_poetry.lean.errors.families import (
    ADVICE,
    LONGEST,
    MEANS,
    REPLACEMENTS,
    ErrorCategory,
    family_of,
    import_of,
    with_one_quote,
)
from goedels_poetry.lean.runtime.protocol import Message

# -- What Lean said, from any of its forms -------------------------------------------------------------------------

_FILE = r"(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{0,4095}"
"""A path, on Windows with its drive."""
_PLACE = r"(?P<line>\d{1,9}):(?P<column>\d{1,9})(?:-\d{1,9}:\d{1,9})?"
_LEVEL = r"(?P<severity>error|warning|info|information|trace)(?:\((?P<kind>[\w.]+)\))?:"
_HEADER = re.compile(rf"^{_FILE}:{_PLACE}: {_LEVEL}(?=[ \n]|\Z)", re.MULTILINE)
_LAKE_HEADER = re.compile(rf"^{_LEVEL} (?:stdout:\n)?{_FILE}:{_PLACE}: (?!error:|warning:|info:)", re.MULTILINE)
"""``File.lean:3:5: error(name): text``, and how `lake build` passes it on: ``error: File.lean:3:5: text``."""
_BARE = re.compile(r"\A(?P<severity>error|warning|info)(?:\((?P<kind>[\w.]+)\))?:(?=[ \n]|\Z)", re.IGNORECASE)
_LAKE = re.compile(
    r"^(?:[ℹ✔✖⚠] \[\d+/\d+\] .*|- [\w.]+|trace: .*|(?:error|warning): (?:Lean exited with code|build failed|manifest).*"
    r"|error: external command .* exited with code \d+|(?:error|warning|info): stdout:"
    r"|Some required (?:builds|targets) logged failures:|Build completed.*)$",
    re.MULTILINE,
)
"""Lines in which `lake` speaks about itself."""
_SHORT = re.compile(r"^(?P<line>\d{1,9}):(?P<column>\d{1,9}): ", re.MULTILINE)
"""``3:5: text``, the form of our own reports, which hold nothing but errors."""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\ufeff")
"""Colours and other control sequences of terminals, and byte order marks."""
_ANSWERS = ("messages", "results", "response", "custom_results")
"""Where the answers of the REPL and of the Kimina server hold messages or other answers."""
_DEEPEST = 20
"""Answers within answers that are looked into."""
_SEVERITIES = {"information": "info", "trace": "info", "info": "info", "warning": "warning"}


@dataclass(frozen=True, slots=True)
class Said:
    """One message of Lean."""

    text: str
    severity: str = "error"
    """"error", "warning" or "info"."""
    line: int | None = None
    """From 1; None where the message came without a place."""
    column: int | None = None
    """From 0."""


def read_messages(
    output: str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]],
) -> list[Said]:
    """Every message, in the order given.

    Args:
        output: text as `lean` or `lake` prints it (with ``--json``, too), or structured messages: ours, those of
            ``lean --json``, of the REPL and of the Kimina server. A text without any place is one error.
    """
    if isinstance(output, str):
        found = _from_json(output.strip("\ufeff \t\r\n"))
        return _from_text(output) if found is None else found
    if isinstance(output, Message):
        return [Said(output.text, output.severity, output.line, output.column)]
    if isinstance(output, Mapping):
        return _structured(output)
    return [message for one in output for message in read_messages(one)]


def _structured(one: Mapping[str, Any], depth: int = 0) -> list[Said]:
    inside = [value for key in _ANSWERS if (value := one.get(key))]
    if inside and depth < _DEEPEST:
        lists = [value if isinstance(value, Sequence) else [value] for value in inside]
        inner = [item for items in lists for item in items if isinstance(item, Mapping)]
        return [message for item in inner for message in _structured(item, depth + 1)]
    text = next((one[key] for key in ("text", "data", "message", "error") if isinstance(one.get(key), str)), None)
    if text is None:
        return []
    place = one["pos"] if isinstance(one.get("pos"), Mapping) else one
    line, column = (value if type(value) is int else None for value in (place.get("line"), place.get("column")))
    return [Said(text, _severity(one.get("severity")), line, column)]


def _severity(word: Any) -> str:
    return _SEVERITIES.get(str(word).lower(), "error")


def _from_json(text: str) -> list[Said] | None:
    """Messages where the text is JSON as a whole, or lines of it, among which others are left out; else None."""
    if not text.startswith(("{", "[")):
        return None
    whole = _loaded([text])
    values = whole or _loaded(text.split("\n"))
    flat = [inner for value in values for inner in (value if isinstance(value, list) else [value])]
    found = [message for value in flat if isinstance(value, Mapping) for message in _structured(value)]
    return found if found or whole else None


def _loaded(texts: Iterable[str]) -> list[Any]:
    """The values of those texts that are JSON."""
    values = []
    for text in texts:
        with suppress(ValueError, RecursionError):
            values.append(json.loads(text))
    return values


def _from_text(text: str) -> list[Said]:
    text = _LAKE.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n")))
    places = sorted((*_HEADER.finditer(text), *_LAKE_HEADER.finditer(text)), key=lambda found: found.start())
    if not places and _SHORT.match(text):
        places = list(_SHORT.finditer(text))
    if not places:
        level, body = _BARE.match(text.strip("\n")), text.strip("\n").rstrip()
        return [Said(body[level.end() :].strip() if level else body, _severity(level and level["severity"]))][
            : bool(body)
        ]
    ends = [found.start() for found in places[1:]] + [len(text)]
    return [
        Said(
            text[found.end() : end].strip(" \n").rstrip(),
            _severity(found.groupdict().get("severity")),
            int(found["line"]),
            int(found["column"]),
        )
        for found, end in zip(places, ends, strict=True)
    ]


# -- Names that somebody may have meant ----------------------------------------------------------------------------

_BEGINNING = 5
"""Letters that two last parts must at least begin with to count as alike for their beginning alone."""
MOST = 3


class Names:
    """An index of names, made when it is first asked.

    Args:
        names: those that exist.
        alike: the least likeness of a suggestion, 0 to 1.
    """

    def __init__(self, names: Iterable[str] = (), alike: float = 0.8) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._alike = alike
        self.near = lru_cache(maxsize=1024)(self._near)
        """The likeliest names for a wrong one, at most three; never the name itself."""

    def _near(self, name: str) -> tuple[str, ...]:
        candidates = {other for key in _keys(name) for other in self._index.get(key, ())} - {name}
        ranked = sorted(((_likeness(name, other), other) for other in candidates), reverse=True)
        return tuple(other for likeness, other in ranked[:MOST] if likeness >= self._alike)

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            for key in _keys(name):
                index[key].append(name)
        return index


def _keys(name: str) -> tuple[str, str]:
    """What a name shares with those that are compared with it: the first letters of its parts, those of its last."""
    last = name.rpartition(".")[2].lower()
    initials = ".".join(part[:1] for part in name.lower().split("."))
    return initials, f".{last[:4]}"


def _likeness(name: str, other: str) -> float:
    """0 to 1; the same last part under another namespace counts as near, and so does an abbreviation."""
    (space, _, last), (other_space, _, other_last) = name.rpartition("."), other.rpartition(".")
    pairs = zip(last.lower(), other_last.lower(), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    begins = same / len(other_last) if space == other_space and same >= _BEGINNING else 0.0
    whole, end = (
        difflib.SequenceMatcher(None, a.lower(), b.lower(), autojunk=False)
        for a, b in ((name, other), (last, other_last))
    )
    if max(whole.real_quick_ratio(), end.real_quick_ratio()) < 0.5:
        return begins
    return max(whole.ratio(), 0.9 * end.ratio(), begins)


# -- Errors --------------------------------------------------------------------------------------------------------

Messages = str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]]
MOST_FIXES = 6
NEAR = 12
"""Lines within which a parse error is taken for the end of the same declaration, where the code is not known."""


class ErrorSeverity(StrEnum):
    """As Lean says it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class LeanError:
    """One message of Lean and what it means."""

    category: ErrorCategory
    message: str
    """All of the message, without its place."""
    line_number: int | None = None
    """From 1; None where the message came without a place."""
    severity: ErrorSeverity = ErrorSeverity.ERROR
    suggested_fixes: list[str] = field(default_factory=list)
    """Sentences, most likely first; Lean's own hints come before ours."""
    original_stderr: str = ""
    """What was classified, when it was text."""
    column: int | None = None
    """From 0."""
    confidence: float = 1.0
    """How sure the category is, 0 to 1."""
    identifier: str | None = None
    """The name that is not known, where that is the matter."""
    consequence: bool = False
    """It only follows from another error: a parse error cut the declaration off, say."""


class ErrorClassifier:
    """Sorts messages of Lean by what is wrong.

    Args:
        known_names: names that exist, for suggestions of a name that was mistyped.
        find_import: the module that has a name, or None; asked before our own small table.
    """

    def __init__(self, known_names: Iterable[str] = (), find_import: Callable[[str], str | None] | None = None) -> None:
        self._names = Names(known_names)
        self._find_import = find_import

    def classify_errors(self, stderr: Messages, code: str = "", *, warnings: bool = False) -> list[LeanError]:
        """The errors, in Lean's order; then the warnings, where they are wanted. Never raises on any text.

        Args:
            stderr: text as `lean`, `lean --json` or `lake` prints it, or structured messages.
            code: the text that Lean was given; what is wrong is told from the messages alone without it.
            warnings: add them.
        """
        messages = read_messages(stderr)
        wanted = ("error", "warning") if warnings else ("error",)
        selected = [message for severity in wanted for message in messages if message.severity == severity]
        text = _Code(code)
        breaks = sorted({m.line for m in messages if m.severity == "error" and m.line and _PARSER.match(m.text)})
        original = stderr if isinstance(stderr, str) else ""
        return [self._classified(message, breaks, text, original) for message in selected]

    def get_primary_error(self, errors: Sequence[LeanError]) -> LeanError | None:
        """The error to repair first: the first one that does not only follow from another; None without errors."""
        real = [error for error in errors if error.severity is ErrorSeverity.ERROR]
        return next((error for error in real if not error.consequence), real[0] if real else None)

    def _classified(self, message: Said, breaks: Sequence[int], code: _Code, original: str) -> LeanError:
        text = message.text[:LONGEST]
        consequence = _is_consequence(message, text, breaks, code)
        category, confidence = (ErrorCategory.SYNTAX_ERROR, 0.8) if consequence else _category(text, code)
        name = _name_in(message, text, code)
        return LeanError(
            category=category,
            message=message.text,
            line_number=message.line,
            severity=ErrorSeverity(message.severity),
            suggested_fixes=self._fixes(category, text, name, code),
            original_stderr=original,
            column=message.column,
            confidence=confidence,
            identifier=name,
            consequence=consequence,
        )

    def _fixes(self, category: ErrorCategory, text: str, name: str | None, code: _Code) -> list[str]:
        """At most :data:`MOST_FIXES` sentences, Lean's own hints first."""
        found = _hints(text)
        if name is not None and category is ErrorCategory.UNKNOWN_IDENTIFIER:
            found += [f"did you mean {near}?" for near in (*code.names.near(name)[:2], *self._names.near(name))]
            module = (self._find_import(name) if self._find_import is not None else None) or import_of(name)
            if module:
                found.append(f"import {module} has {name}, where that library is there")
            if name in REPLACEMENTS:
                found.append(f"{name} is no tactic of Lean itself; without its library: {REPLACEMENTS[name]}")
        return list(dict.fromkeys([*found, ADVICE[category]]))[:MOST_FIXES]


_CLASSIFIER = ErrorClassifier()


def advice(report: Messages, code: str = "", classifier: ErrorClassifier = _CLASSIFIER) -> str:
    """What the first error means and what to try, one line each; "" where the report has no error.

    Args:
        report: what Lean said, in any form that `ErrorClassifier.classify_errors` reads.
        code: the text that Lean was given, with the positions of the report.
        classifier: one that knows the names of the environment, if there is one.
    """
    primary = classifier.get_primary_error(classifier.classify_errors(report, code))
    return advice_for(primary) if primary is not None else ""


def advice_for(error: LeanError) -> str:
    """The same for one error: its category in words and its suggestions."""
    lines = [f"What is wrong ({error.category}): {MEANS[error.category]}."]
    return "\n".join([*lines, *(f"Try: {fix}" for fix in error.suggested_fixes)])


# -- The code around a message -------------------------------------------------------------------------------------

_COMMAND = re.compile(
    r"(?:@\[|(?:private |protected |noncomputable |partial |unsafe |local |scoped )*"
    r"(?:theorem|lemma|def|example|instance|structure|class|inductive|abbrev|axiom|opaque|namespace|section|end|open|"
    r"variable|universe|import|set_option|macro|syntax|notation|infix|infixl|infixr|mutual|attribute|#\w+)\b)"
)
_BINDER = re.compile(r"[({\[⦃]([^(){}\[\]⦃⦄:]{1,500}):\s*([^(){}\[\]⦃⦄]{0,500})")
_INTRODUCED = re.compile(
    r"\b(?:theorem|lemma|def|abbrev|structure|inductive|class|have|let|obtain|intro|intros|rintro|fun|suffices)\b"
    r"[ \t⟨(]*([\w'.✝ \t,⟨⟩|]{1,200})"
)
_WIDTH = 1_000
"""Characters before and after a place that are looked at; lines of proofs are shorter."""


class _Code:
    """The text that Lean was given, or "" when it is not known. Each question is answered by reading it once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def commands(self) -> list[int]:
        """The lines, from 1, on which a command begins."""
        return [number for number, line in enumerate(self.lines, 1) if _COMMAND.match(line)]

    @cached_property
    def sorts(self) -> dict[str, str]:
        """Every name that a binder binds, and its type; the first binder counts."""
        bound = [(name, binder[2]) for binder in _BINDER.finditer(self.text) for name in binder[1].split()]
        return {name: type_.strip() for name, type_ in reversed(bound)}

    @cached_property
    def names(self) -> Names:
        """Names that the text itself introduces. They are short: half alike is near."""
        introduced = [name for names in _INTRODUCED.findall(self.text) for name in re.findall(r"[\w'.✝]+", names)]
        return Names((*self.sorts, *introduced), alike=0.6)

    def word_at(self, message: Said) -> str:
        """The word that a message points into or just behind; "" where there is none."""
        if message.line is None or message.column is None or not 1 <= message.line <= len(self.lines):
            return ""
        column = max(message.column, 0)
        start = max(column - _WIDTH, 0)
        words = re.finditer(r"[^\W\d][\w']*", self.lines[message.line - 1][start : column + _WIDTH])
        return next((word[0] for word in words if word.start() <= column - start <= word.end()), "")


_PARSER = re.compile(
    r"\A(?:<input>:\d+:\d+: )?"
    r"(?:unexpected (?:token|identifier|end of input)|expected (?!type\b)|unterminated|missing end)"
)


def _is_consequence(message: Said, text: str, breaks: Sequence[int], code: _Code) -> bool:
    """Whether a parse error, on one of the lines ``breaks``, ends the message's declaration.

    Where the code does not show that it is the same declaration, a name that is not known stands for itself.
    """
    if message.line is None or _PARSER.match(text):
        return False
    parse = next(iter(breaks[bisect_left(breaks, message.line) :]), None)
    if parse is None:
        return False
    if not code.text:
        return parse - message.line <= NEAR and family_of(text)[0] is not ErrorCategory.UNKNOWN_IDENTIFIER
    following = code.commands[bisect_right(code.commands, message.line) :]
    return not following or following[0] > parse


# -- What is wrong -------------------------------------------------------------------------------------------------

_OPEN_TYPE = re.compile(
    r"\Afunction expected at\n\s*[^\W\d?][\w.'✝]*[ ]*\n(?:but this )?term has type\n\s*\?[\w.]+(?:\n|\Z)"
    r"|The identifier '[^'\n]+' is unknown, and",
    re.IGNORECASE,
)
"""A name that there is not, taken for a variable of its own: its type is open, and new Leans say so in a hint."""
_MISMATCH = re.compile(
    r"[^\n]*type mismatch\b.*?has type\b(?P<given>.*?)but is expected to have type\b(?P<wanted>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SIMPLE = frozenset({"Nat", "Int", "Bool", "String", "Char", "Float", "Prop", "Unit"})
"""Types whose operations are all there: one that is missing was meant for another type."""
_SYNTHESIS = re.compile(r"failed to synthesize[^\n]*\n\s*(?P<class>[\w.]+) (?P<arguments>[^\n]*)", re.IGNORECASE)


def _category(text: str, code: _Code) -> tuple[ErrorCategory, float]:
    """What is wrong; the wording's family counts where nothing in the message or the code says more."""
    category, confidence = family_of(text)
    text = text.strip()
    if category is ErrorCategory.RESOURCE_LIMIT:
        return category, confidence
    if _misses_premise(text):
        return ErrorCategory.MISSING_PREMISE, 0.75
    if _OPEN_TYPE.search(with_one_quote(text)):
        return ErrorCategory.UNKNOWN_IDENTIFIER, 0.75
    return (ErrorCategory.TYPE_MISMATCH, 0.75) if _mixes_types(text, code) else (category, confidence)


def _misses_premise(text: str) -> bool:
    """Whether a type mismatch is of a term whose type has more premises than what is expected, and says a relation."""
    found = _MISMATCH.match(text)
    if found is None:
        return False
    given = found["given"].split("\nof sort")[0]
    wanted = re.split(r"\nof sort|\nin the application|\n\n", found["wanted"].lstrip(), maxsplit=1)[0]
    return given.count("→") > wanted.count("→") and not set("=<>≤≥≠∣∈∧∨").isdisjoint(given.rpartition("→")[2])


def _mixes_types(text: str, code: _Code) -> bool:
    """An operation on different types, or a numeral of a type that has none: the types are wrong, no instance."""
    found = _SYNTHESIS.match(text)
    if found is None:
        return False
    arguments = re.findall(r"\([^()]*\)|[^\s()]+", found["arguments"])
    if found["class"] == "OfNat":
        return bool(arguments) and not _is_variable(arguments[0], code)
    known = {argument for argument in arguments if "?" not in argument}
    if re.fullmatch(r"H[A-Z]\w*", found["class"]) and len(arguments) == 3:
        return len(known) > 1 or any("→" in argument or argument in _SIMPLE for argument in known)
    return found["class"] in ("Neg", "GetElem", "GetElem?", "Membership") and not _SIMPLE.isdisjoint(known)


def _is_variable(type_: str, code: _Code) -> bool:
    """Whether a type is a parameter of the theorem, for which instances are assumed, and not a type of its own."""
    declared = rf"\b(?:structure|inductive|class|def|abbrev)\s+{re.escape(type_)}(?![\w'.])"
    if type_ in _SIMPLE or re.search(declared, code.text):
        return False
    if type_ in code.sorts:
        return code.sorts[type_].startswith(("Type", "Sort"))
    return re.fullmatch(r"([^\W\d_]|[A-Z]')[\d₀-₉✝']*", type_) is not None


# -- What to try ---------------------------------------------------------------------------------------------------

_NAME = r"'\[?(?P<{}>[^\]\n]+?)\]?'(?=[^\w']|\Z)"
"""A name in quotation marks; its own primes belong to it."""
_NAMED = re.compile(
    r"\A(?:\(kernel\) )?(?:unknown (?:identifier|constant|namespace|module prefix|package|attribute|option|declaration|"
    rf"free variable|universe level) {_NAME.format('a')}|[^\n]*does not contain {_NAME.format('b')}|"
    rf"{_NAME.format('c')} is not a |invalid (?:alternative|argument) name {_NAME.format('d')}|"
    rf"object file '[^'\n]*' of module (?P<e>\S+)|(?:failed to|could not) resolve {_NAME.format('f')}"
    r"|unknown attribute \[(?P<g>[^\]\n]+)\])",
    re.IGNORECASE,
)
_HINTED = re.compile(rf"The identifier {_NAME.format('a')} is unknown, and")
_MARKS = re.compile("[^\n][\u0335-\u0338]|[\u0332\u0333]")
"""How Lean marks, in plain text, what a hint takes away (a letter struck through) and what it adds (underlined)."""


def _name_in(message: Said, text: str, code: _Code) -> str | None:
    """The name that a message says is not known; the tactic's for `unknown tactic`, when the code is there."""
    plain = with_one_quote(text.strip())
    found = _NAMED.match(plain) or _HINTED.search(plain)
    if found is not None:
        return next(group for group in found.groups() if group)
    return (code.word_at(message) or None) if plain.lower().startswith("unknown tactic") else None


def _hints(text: str) -> list[str]:
    """What Lean itself suggests in a message, with its marks for changed letters resolved."""
    blocks = re.findall(r"^(?:Hint|Try this|Did you mean)\b:?[^\n]*(?:\n {2,}[^\n]*)*", text, re.MULTILINE)
    found = [" ".join(_MARKS.sub("", block).split()) for block in blocks]
    _, separator, solutions = text.partition("possible solutions:\n")
    for line in solutions.split("\n") if separator else []:
        if not line.strip().startswith("- "):
            break
        found.append(line.strip(" -"))
    diagnostic = ("set_option trace", "set_option diagnostics", "Additional diagnostic")
    return [hint for hint in found if not any(word in hint for word in diagnostic)]
