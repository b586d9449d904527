"""Lean's error messages: read from every form, sorted by what is wrong, with suggestions.

`ErrorClassifier` gives each message a category, a place and what to try. `wordings.toml` has the families of wordings,
old ones (up to 4.21) and new ones. Where the wording does not say what is wrong, the message's types and the code
around its place do: a premise that was not supplied is reported as a type mismatch, mixed types as a missing instance.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from goedels_poetry.lean.runtime.protocol import Message

# -- Messages in any form ------------------------------------------------------------------------------------------

_LEVEL = r"(?P<{}>error|warning|info|information|trace)(?:\([\w.]+\))?:"
_HEADER = re.compile(
    rf"^(?:{_LEVEL.format('before')} (?:stdout:\n)?)?(?:[A-Za-z]:[\\/])?[^\s:][^:\n]{{0,4095}}:"
    rf"(?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})(?:-\d{{1,9}}:\d{{1,9}})?: (?:{_LEVEL.format('after')}(?=[ \n]|\Z))?",
    re.MULTILINE,
)
"""``File.lean:3:5: error(name): text``, and how `lake build` passes it on: ``error: File.lean:3:5: text``."""
_BARE = re.compile(rf"\A{_LEVEL.format('before')}(?=[ \n]|\Z)", re.IGNORECASE)
_LAKE = re.compile(
    r"^(?:[ℹ✔✖⚠] \[\d+/\d+\] .*|- [\w.]+|trace: .*|(?:error|warning): (?:Lean exited with code|build failed|manifest).*"
    r"|error: external command .* exited with code \d+|(?:error|warning|info): stdout:"
    r"|Some required (?:builds|targets) logged failures:|Build completed.*)$",
    re.MULTILINE,
)
"""Lines in which `lake` speaks about itself."""
_SHORT = re.compile(r"^(?P<line>\d{1,9}):(?P<column>\d{1,9}): ", re.MULTILINE)
"""``3:5: text``, the form of our own reports, which hold errors alone."""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\ufeff")
"""Control sequences of terminals, and byte order marks."""
_ANSWERS = ("messages", "results", "response", "custom_results")
"""Keys under which the REPL and the Kimina server have messages or other answers."""
_DEEPEST = 20
_SEVERITIES = {"information": "info", "trace": "info", "info": "info", "warning": "warning"}

Messages = str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _Said:
    """One message; without ``line`` (from 1) and ``column`` (from 0) where it came without a place."""

    text: str
    severity: str = "error"
    line: int | None = None
    column: int | None = None


def _read(output: Messages) -> list[_Said]:
    """Every message, in the order given; a text without any place is one error."""
    if isinstance(output, str):
        found = _from_json(output.strip("\ufeff \t\r\n"))
        return _from_text(output) if found is None else found
    if isinstance(output, Message):
        return [_Said(output.text, output.severity, output.line, output.column)]
    if isinstance(output, Mapping):
        return _structured(output)
    return [message for one in output for message in _read(one)]


def _structured(one: Mapping[str, Any], depth: int = 0) -> list[_Said]:
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
    return [_Said(text, _severity(one.get("severity")), line, column)]


def _severity(word: Any) -> str:
    return _SEVERITIES.get(str(word).lower(), "error")


def _from_json(text: str) -> list[_Said] | None:
    """Messages where the text is JSON as a whole, or lines of it among others; else None."""
    if not text.startswith(("{", "[")):
        return None
    whole = _loaded([text])
    flat = [v for value in whole or _loaded(text.split("\n")) for v in (value if isinstance(value, list) else [value])]
    found = [message for value in flat if isinstance(value, Mapping) for message in _structured(value)]
    return found if found or whole else None


def _loaded(texts: Iterable[str]) -> list[Any]:
    values = []
    for text in texts:
        with suppress(ValueError, RecursionError):
            values.append(json.loads(text))
    return values


def _from_text(text: str) -> list[_Said]:
    text = _LAKE.sub("", _ESCAPE.sub("", text.replace("\r\n", "\n")))
    places = [found for found in _HEADER.finditer(text) if found["before"] or found["after"]]
    if not places and _SHORT.match(text):
        places = list(_SHORT.finditer(text))
    if not places:
        body = text.strip("\n").rstrip()
        level = _BARE.match(body)
        said = _Said(body[level.end() :].strip() if level else body, _severity(level and level["before"]))
        return [said] if body else []
    ends = [found.start() for found in places[1:]] + [len(text)]
    said_there = []
    for found, end in zip(places, ends, strict=True):
        groups = found.groupdict()
        severity = _severity(groups.get("after") or groups.get("before"))
        said_there.append(_Said(text[found.end() : end].strip(), severity, int(found["line"]), int(found["column"])))
    return said_there


# -- Categories ----------------------------------------------------------------------------------------------------


class ErrorCategory(StrEnum):
    """What is wrong, as far as it decides how to repair it."""

    UNKNOWN_IDENTIFIER = "unknown_identifier"
    """A name that does not exist: identifier, constant, tactic, field, option; or an import is missing."""
    TYPE_MISMATCH = "type_mismatch"
    TACTIC_FAILED = "tactic_failed"
    """A tactic fails, or goals are left."""
    MISSING_PREMISE = "missing_premise"
    """A hypothesis, instance or argument that Lean needs and cannot find."""
    SYNTAX_ERROR = "syntax_error"
    RESOURCE_LIMIT = "resource_limit"
    """Heartbeats, recursion, memory or time ran out."""
    OTHER = "other"


@cache
def _table() -> dict[str, Any]:
    """Wordings, advice, replacements and modules; read with the first message, not with every start of the program."""
    return tomllib.loads(Path(__file__).with_name("wordings.toml").read_text("utf-8"))


LONGEST = 20_000
"""Characters of a message that are looked at."""
_QUOTES = str.maketrans("`‘’", "'''")


@cache
def _families() -> list[tuple[ErrorCategory, float, re.Pattern[str]]]:
    return [
        (ErrorCategory(row["category"]), row["confidence"], re.compile("|".join(row["wordings"]), re.IGNORECASE))
        for row in _table()["families"]
    ]


def _family_of(text: str) -> tuple[ErrorCategory, float]:
    """Category and confidence (0 to 1) by the wording alone; (OTHER, 0.1) when no family has it."""
    found = ((category, sure) for category, sure, pattern in _families() if pattern.search(text))
    return next(found, (ErrorCategory.OTHER, 0.1))


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
    """The text that Lean was given; "" when it is not known."""

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
    def names(self) -> tuple[str, ...]:
        """Names that the text itself introduces."""
        introduced = [name for names in _INTRODUCED.findall(self.text) for name in re.findall(r"[\w'.✝]+", names)]
        return (*self.sorts, *introduced)

    def word_at(self, message: _Said) -> str:
        """The word that a message points into or just behind; "" where there is none."""
        if message.line is None or message.column is None or not 1 <= message.line <= len(self.lines):
            return ""
        column = max(message.column, 0)
        start = max(column - _WIDTH, 0)
        words = re.finditer(r"[^\W\d][\w']*", self.lines[message.line - 1][start : column + _WIDTH])
        return next((word[0] for word in words if word.start() <= column - start <= word.end()), "")


NEAR = 12
"""Lines within which a parse error is taken for the end of the same declaration, where the code is not known."""
_PARSER = re.compile(
    r"\A(?:<input>:\d+:\d+: )?"
    r"(?:unexpected (?:token|identifier|end of input)|expected (?!type\b)|unterminated|missing end)"
)


def _is_consequence(message: _Said, text: str, breaks: Sequence[int], code: _Code) -> bool:
    """Whether a parse error, on one of the lines ``breaks``, ends the message's declaration.

    Where the code does not show that it is the same declaration, a name that is not known stands for itself.
    """
    if message.line is None or _PARSER.match(text):
        return False
    parse = next(iter(breaks[bisect_left(breaks, message.line) :]), None)
    if parse is None:
        return False
    if not code.text:
        return parse - message.line <= NEAR and _family_of(text)[0] is not ErrorCategory.UNKNOWN_IDENTIFIER
    following = code.commands[bisect_right(code.commands, message.line) :]
    return not following or following[0] > parse


_OPEN_TYPE = re.compile(
    r"\Afunction expected at\n\s*[^\W\d?][\w.'✝]*[ ]*\n(?:but this )?term has type\n\s*\?[\w.]+(?:\n|\Z)"
    r"|The identifier '[^'\n]+' is unknown, and",
    re.IGNORECASE,
)
"""A name that does not exist, taken for a variable of its own: its type is open, and new Leans say so in a hint."""
_MISMATCH = re.compile(
    r"[^\n]*type mismatch\b.*?has type\b(?P<given>.*?)but is expected to have type\b(?P<wanted>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SIMPLE = frozenset({"Nat", "Int", "Bool", "String", "Char", "Float", "Prop", "Unit"})
"""Types whose operations are all there: one that is missing was meant for another type."""
_SYNTHESIS = re.compile(r"failed to synthesize[^\n]*\n\s*(?P<class>[\w.]+) (?P<arguments>[^\n]*)", re.IGNORECASE)


def _category(text: str, code: _Code) -> tuple[ErrorCategory, float]:
    """What is wrong; the wording's family counts where nothing in the message or the code says more."""
    category, confidence = _family_of(text)
    if category is ErrorCategory.RESOURCE_LIMIT:
        return category, confidence
    if _misses_premise(text):
        return ErrorCategory.MISSING_PREMISE, 0.75
    if _OPEN_TYPE.search(text):
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
    declared = code.sorts.get(type_, "").startswith(("Type", "Sort"))
    return declared or re.fullmatch(r"[^\W\d_][\d₀-₉✝']*", type_) is not None


# -- What to try ---------------------------------------------------------------------------------------------------


def _import_of(name: str) -> str | None:
    """The module of a well-known name, by the longest part of the name that the table has."""
    modules: dict[str, str] = _table()["modules"]
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return modules.get(name)


MOST_NEAR = 3


def similar_names(name: str, known: Iterable[str], alike: float = 0.75) -> list[str]:
    """The likeliest names for a wrong one, among those whose last part begins alike."""
    last = name.rpartition(".")[2]
    likely = [n for n in dict.fromkeys(known) if n != name and n.rpartition(".")[2][:3].lower() == last[:3].lower()]
    near = difflib.get_close_matches(name, likely, MOST_NEAR, alike)
    elsewhere = [n for n in likely if n.rpartition(".")[2] == last]
    return list(dict.fromkeys([*near, *elsewhere]))[:MOST_NEAR]


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


def _name_in(message: _Said, text: str, code: _Code) -> str | None:
    """The name that a message says is not known; the tactic's for `unknown tactic`, when the code is there."""
    found = _NAMED.match(text) or _HINTED.search(text)
    if found is not None:
        return next(group for group in found.groups() if group)
    return (code.word_at(message) or None) if text.lower().startswith("unknown tactic") else None


def _hints(text: str) -> list[str]:
    """What Lean itself suggests in a message, with its marks for changed letters resolved."""
    blocks = re.findall(r"^(?:Hint|Try this|Did you mean)\b:?[^\n]*(?:\n {2,}[^\n]*)*", text, re.MULTILINE)
    found = [" ".join(_MARKS.sub("", block).split()) for block in blocks]
    solutions = re.search(r"possible solutions:((?:\n\s*- [^\n]*)+)", text)
    found += [line.strip(" -") for line in solutions[1].strip("\n").split("\n")] if solutions else []
    diagnostic = ("set_option trace", "set_option diagnostics", "Additional diagnostic")
    return [hint for hint in found if not any(word in hint for word in diagnostic)]


# -- Errors --------------------------------------------------------------------------------------------------------

MOST_FIXES = 6


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
        self._names = tuple(known_names)
        self._find_import = find_import

    def classify_errors(self, stderr: Messages, code: str = "", *, warnings: bool = False) -> list[LeanError]:
        """The errors, in Lean's order; then the warnings, where they are wanted. Never raises on any text.

        Args:
            stderr: text as `lean`, `lean --json` or `lake` prints it, or structured messages: ours, those of
                ``lean --json``, of the REPL and of the Kimina server. A text without any place is one error.
            code: the text that Lean was given; what is wrong is told from the messages alone without it.
            warnings: add them.
        """
        messages = _read(stderr)
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

    def _classified(self, message: _Said, breaks: Sequence[int], code: _Code, original: str) -> LeanError:
        text = message.text[:LONGEST].strip().translate(_QUOTES)
        consequence = _is_consequence(message, text, breaks, code)
        category, confidence = (ErrorCategory.SYNTAX_ERROR, 0.8) if consequence else _category(text, code)
        name = _name_in(message, text, code)
        return LeanError(
            category=category,
            message=message.text,
            line_number=message.line,
            severity=ErrorSeverity(message.severity),
            suggested_fixes=self._fixes(category, message.text[:LONGEST], name, code),
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
            near = [*similar_names(name, code.names, 0.6)[:2], *similar_names(name, self._names)]
            found += [f"did you mean {other}?" for other in near]
            module = (self._find_import(name) if self._find_import is not None else None) or _import_of(name)
            if module:
                found.append(f"import {module} has {name}, where that library is there")
            if instead := _table()["replacements"].get(name):
                found.append(f"{name} is no tactic of Lean itself; without its library: {instead}")
        return list(dict.fromkeys([*found, _table()["categories"][category]["advice"]]))[:MOST_FIXES]


_CLASSIFIER = ErrorClassifier()


def advice(report: Messages, code: str = "", classifier: ErrorClassifier = _CLASSIFIER) -> str:
    """What the first error means and what to try, one line each; "" where the report has no error.

    Args:
        report: what Lean said, in any form that `ErrorClassifier.classify_errors` reads.
        code: the text that Lean was given, with the positions of the report.
        classifier: one that knows the names of the environment, if there is one.
    """
    error = classifier.get_primary_error(classifier.classify_errors(report, code))
    if error is None:
        return ""
    lines = [f"What is wrong ({error.category}): {_table()['categories'][error.category]['means']}."]
    return "\n".join([*lines, *(f"Try: {fix}" for fix in error.suggested_fixes)])
