"""`ErrorClassifier`: Lean's messages to errors with a category, a place and what to try."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from goedels_poetry.lean.errors.culprit import Code, Consequences, culprit
from goedels_poetry.lean.errors.families import LONGEST, ErrorCategory, family_of, with_one_quote
from goedels_poetry.lean.errors.names import Names
from goedels_poetry.lean.errors.reading import Said, read_messages
from goedels_poetry.lean.runtime.protocol import Message

# -- What to try about an error ------------------------------------------------------------------------------------


MOST_FIXES = 6
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
_DRAWN_OVER = re.compile("[^\n][\u0335-\u0338]")
_UNDERLINED = re.compile("[\u0332\u0333]")
"""How Lean marks, in plain text, what a hint takes away (struck through) and what it adds (underlined)."""

REPLACEMENTS = {
    "linarith": "omega for Nat and Int, else grind",
    "nlinarith": "grind, or omega after the products have been rewritten",
    "ring": "ac_rfl for sums or products alone, grind, or simp with the distributive laws",
    "ring_nf": "simp with the distributive laws",
    "norm_num": "decide, simp or omega",
    "tauto": "grind or simp_all",
    "aesop": "grind or simp_all",
    "positivity": "omega or exact Nat.zero_le _",
    "use": "exact ⟨WITNESS, PROOF⟩ or refine ⟨WITNESS, ?_⟩",
    "existsi": "refine ⟨WITNESS, ?_⟩",
    "assume": "intro",
    "by_contra": "refine Classical.byContradiction fun h => ?_",
    "push_neg": "simp only [Classical.not_forall, not_exists, not_and]",
    "contrapose": "intro h and then exact absurd ...",
    "split_ifs": "split",
    "linear_combination": "omega or grind",
    "interval_cases": "match or omega",
    "field_simp": "grind",
    "refl": "rfl",
    "dec_trivial": "decide",
    "library_search": "exact?",
    "cases'": "cases ... with, or rcases",
    "induction'": "induction ... with",
    "set": "let or generalize",
    "finish": "grind",
    "gcongr": "the monotonicity lemma by its name, or omega",
}
"""Tactics that are not part of Lean itself, and what does their work there."""

IMPORTS = {
    name: module
    for module, names in (
        ("Mathlib.Tactic.Linarith", "linarith nlinarith"),
        ("Mathlib.Tactic.Ring", "ring ring_nf"),
        ("Mathlib.Tactic", "norm_num positivity tauto use by_contra push_neg contrapose split_ifs linear_combination"),
        ("Mathlib.Tactic", "interval_cases field_simp gcongr"),
        ("Aesop", "aesop"),
        ("Mathlib.Data.Real.Basic", "Real"),
        ("Mathlib.Data.Complex.Basic", "Complex"),
        ("Mathlib.Data.Finset.Basic", "Finset"),
        ("Mathlib.Data.Set.Basic", "Set"),
        ("Mathlib.Algebra.Polynomial.Basic", "Polynomial"),
        ("Mathlib.LinearAlgebra.Matrix.Defs", "Matrix"),
        ("Mathlib.Data.Nat.Prime.Basic", "Nat.Prime"),
        ("Mathlib.Data.Nat.Choose.Basic", "Nat.choose"),
        ("Mathlib.Data.Nat.Factorial.Basic", "Nat.factorial"),
        ("Std.Data.HashMap", "Std.HashMap"),
        ("Std.Data.HashSet", "Std.HashSet"),
        ("Std.Data.TreeMap", "Std.TreeMap"),
        ("Lean", "Lean"),
    )
    for name in names.split()
}
"""Modules that have a name, or the names below it."""

_ADVICE = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "check spelling and namespace of the name, or import the module that has it",
    ErrorCategory.TYPE_MISMATCH: "compare the two types; convert, swap the arguments, or use another term",
    ErrorCategory.TACTIC_FAILED: "look at the goal that is left, and take a smaller step or another tactic",
    ErrorCategory.MISSING_PREMISE: "supply the hypothesis, instance or argument, from the context or as a new premise",
    ErrorCategory.SYNTAX_ERROR: "repair the text at this place: brackets, commas, `:=`, indentation",
    ErrorCategory.RESOURCE_LIMIT: "make the step smaller: fewer simp lemmas, a more exact term, lemmas of its own",
    ErrorCategory.OTHER: "do what the message says",
}


def name_in(message: Said, code: Code) -> str | None:
    """The name that a message says is not known; the tactic's for `unknown tactic`, when the code is there."""
    plain = with_one_quote(message.text.strip())
    found = _NAMED.match(plain) or _HINTED.search(plain)
    if found is not None:
        return next(group for group in found.groups() if group)
    if plain.lower().startswith("unknown tactic"):
        return code.word_at(message) or None
    return None


def fixes(
    category: ErrorCategory,
    text: str,
    name: str | None,
    known: Names,
    local: Names,
    find_import: Callable[[str], str | None] | None = None,
) -> list[str]:
    """At most :data:`MOST_FIXES` sentences, Lean's own hints first.

    Args:
        category: what is wrong.
        text: the message.
        name: the name that is not known.
        known: the names of the environment.
        local: the names of the text itself.
        find_import: the module that has a name.
    """
    found = hints(text)
    if name is not None and category is ErrorCategory.UNKNOWN_IDENTIFIER:
        found += [f"did you mean {near}?" for near in (*local.near(name)[:2], *known.near(name))]
        module = (find_import(name) if find_import is not None else None) or import_of(name)
        if module:
            found.append(f"import {module} has {name}, where that library is there")
        if name in REPLACEMENTS:
            found.append(f"{name} is no tactic of Lean itself; without its library: {REPLACEMENTS[name]}")
    found.append(_ADVICE[category])
    return list(dict.fromkeys(found))[:MOST_FIXES]


def import_of(name: str) -> str | None:
    """The module of a well-known name, by the longest part of the name that our table has."""
    while name:
        if name in IMPORTS:
            return IMPORTS[name]
        name = name.rpartition(".")[0]
    return None


def hints(text: str) -> list[str]:
    """What Lean itself suggests in a message, with its marks for changed letters resolved."""
    found = []
    for block in re.findall(r"^(?:Hint|Try this|Did you mean)\b:?[^\n]*(?:\n {2,}[^\n]*)*", text, re.MULTILINE):
        plain = _UNDERLINED.sub("", _DRAWN_OVER.sub("", block))
        found.append(" ".join(plain.split()))
    _, separator, solutions = text.partition("possible solutions:\n")
    for line in solutions.split("\n") if separator else []:
        if not line.strip().startswith("- "):
            break
        found.append(line.strip(" -"))
    diagnostic = ("set_option trace", "set_option diagnostics", "Additional diagnostic")
    return [hint for hint in found if not any(word in hint for word in diagnostic)]


# -- `ErrorClassifier` ---------------------------------------------------------------------------------------------


Messages = str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]]


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
        original = stderr if isinstance(stderr, str) else ""
        selected = [message for message in messages if message.severity == "error"]
        selected += [message for message in messages if message.severity == "warning"] if warnings else []
        text = Code(code)
        consequences = Consequences(messages, text)
        return [self._classified(message, consequences, text, original) for message in selected]

    def get_primary_error(self, errors: Sequence[LeanError]) -> LeanError | None:
        """The error to repair first: the first one that does not only follow from another; None without errors."""
        real = [error for error in errors if error.severity is ErrorSeverity.ERROR]
        return next((error for error in real if not error.consequence), real[0] if real else None)

    def _classified(self, whole: Said, consequences: Consequences, code: Code, original: str) -> LeanError:
        message = replace(whole, text=whole.text[:LONGEST])
        consequence = consequences.has(message)
        category, confidence = (ErrorCategory.SYNTAX_ERROR, 0.8) if consequence else _category(message, code)
        name = name_in(message, code)
        return LeanError(
            category=category,
            message=whole.text,
            line_number=message.line,
            severity=ErrorSeverity(message.severity),
            suggested_fixes=fixes(category, message.text, name, self._names, code.names, self._find_import),
            original_stderr=original,
            column=message.column,
            confidence=confidence,
            identifier=name,
            consequence=consequence,
        )


def _category(message: Said, code: Code) -> tuple[ErrorCategory, float]:
    """What is wrong; the wording's family counts where nothing in the message or the code says more."""
    category, confidence = family_of(message.text)
    if category is ErrorCategory.RESOURCE_LIMIT:
        return category, confidence
    found = culprit(message, code)
    return (found, 0.75) if found else (category, confidence)


_MEANS = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "a name is not known here",
    ErrorCategory.TYPE_MISMATCH: "a term has another type than its place needs",
    ErrorCategory.TACTIC_FAILED: "a tactic does not close its goal, or goals are left",
    ErrorCategory.MISSING_PREMISE: "a hypothesis, an instance or an argument is missing",
    ErrorCategory.SYNTAX_ERROR: "the text is not well-formed",
    ErrorCategory.RESOURCE_LIMIT: "Lean ran into a limit of time, steps or depth",
    ErrorCategory.OTHER: "Lean refuses it",
}
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
    lines = [f"What is wrong ({error.category}): {_MEANS[error.category]}."]
    lines += [f"Try: {fix}" for fix in error.suggested_fixes]
    return "\n".join(lines)
