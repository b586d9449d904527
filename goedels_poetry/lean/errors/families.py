"""The families of Lean's messages, old wordings (up to 4.21) and new ones: a table; and what a person does about them.

Matching is on the whole message without regard to case, with every kind of quotation mark written as ``'``. The first
family that matches counts. What a message alone cannot tell is in `classify`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache


class ErrorCategory(StrEnum):
    """What is wrong, as far as it decides how to repair it."""

    UNKNOWN_IDENTIFIER = "unknown_identifier"
    """A name that there is not: identifier, constant, tactic, field, namespace, option; or an import is missing."""
    TYPE_MISMATCH = "type_mismatch"
    TACTIC_FAILED = "tactic_failed"
    """A tactic does not do what it is there for, or goals are left."""
    MISSING_PREMISE = "missing_premise"
    """A hypothesis, instance or argument that Lean needs and cannot find."""
    SYNTAX_ERROR = "syntax_error"
    RESOURCE_LIMIT = "resource_limit"
    """Heartbeats, recursion, memory or time ran out."""
    OTHER = "other"


_TABLE: tuple[tuple[ErrorCategory, float, tuple[str, ...]], ...] = (
    (
        ErrorCategory.RESOURCE_LIMIT,
        0.95,
        (
            r"deterministic\)? timeout|maximum (recursion depth|class-instance resolution depth)",
            r"maximum number of heartbeats [^\n]{0,80}(has been|was) reached",
            r"\Asimp failed, maximum number of steps exceeded|\A(the )?exponent \d+ exceeds the threshold",
            r"stack overflow|deep recursion|excessive (memory|resource)",
            r"\A(\(kernel\) )?(out of memory|interrupted)|\A(std::)?bad_alloc",
            r"\A[^\n'\"]*\b(timed out|time-?out|time limit|memory limit)\b",
        ),
    ),
    (
        ErrorCategory.SYNTAX_ERROR,
        0.95,
        (
            r"\A<input>:\d+:\d+:",  # the parser of a single tactic or term speaks like this
            r"\Aunexpected (token|identifier|end of input|command|term|character|syntax|space|whitespace|binder|"
            r"precedence|'[^']*';)",
            r"\Aexpected (?!type\b|structure\b|function\b|an? |[^\n]*\bgot\b)",
            r"\A[^\n'\"]*\bindentation\b|\A(unterminated |unclosed |syntax error|declaration body is missing)",
            r"\Amissing (end of|exponent|name after 'end'|alternative name)|\Ainvalid (name after )?'end'",
            r"\Ainvalid (escape sequence|character literal|string|syntax|pattern variable|'do' element|binder name)",
            r"\A[^\n]*must be (used in the beginning of the file|atomic)",
            r"\Ainvalid field notation[:,] identifier or numeral expected",
            r"\A(identifier|numeral|string literal|term|command) expected",
            r"\A(incorrect|invalid|wrong|not enough|too many) (number of )?(patterns|variable names)",
            r"\A'(obtain|rcases|rintro)' requires|\A(the|invalid occurrence of the) wildcard alternative",
            r"\Ainvalid (use|occurrence) of ('\(<-|'·')|\Acannot lift '\(<- |\Aelaboration function for ",
        ),
    ),
    (
        ErrorCategory.UNKNOWN_IDENTIFIER,
        0.95,
        (
            r"\A(\(kernel\) )?unknown (?!error\b)",
            r"\A[^\n]*the environment does not contain",
            r"\A'[^'\n]+' is not a (valid )?(field|constructor|option|attribute|tactic|declaration|namespace)",
            r"\Aobject file '[^'\n]*' of module|\A(bad|invalid) import|\Ano (such file or )?directory '",
            r"\A(failed to|could not|cannot) (resolve|find) (?!any\b|a (hypothesis|decreasing)|synthesization)",
            r"\Ainvalid (alternative|argument) name|\A(case )?tag '?[^'\n]*'? ?not found",
            r"\Ainvalid dotted identifier notation[:,](?! the expected type of| ?expected type is not known)",
            r"\A(invalid field|invalid projection)[^\n]*'[^'\n]+' does not (have|contain)",
            r"\Ainvalid pattern[:,] (expected a )?constructor or constant",
            r"\A[^\n]*\bnot (found|a known)\b|\Atactic '[^'\n]+' has not been implemented",
        ),
    ),
    (
        ErrorCategory.MISSING_PREMISE,
        0.9,
        (
            r"\A(failed to|unable to|could not|cannot) (synthesize|infer|derive|delta derive)",
            r"\Adon't know how to synthesize|\Atypeclass instance problem is stuck|\Afailed to prove index is valid",
            r"\A(\(kernel\) )?declaration has metavariables|\Afailed to elaborate eliminator",
            r"\Ainvalid 'do' notation[^\n]*(\n\s*[a-z][\w']* |not (known|available))",
            r"\Ainvalid (\{\.\.\.\}|'?⟨\.\.\.⟩'?) notation[:,] [^\n]*(could|not known|must be known)",
            r"\Atactic 'apply' failed[:,] (could not|failed to) unify|\Acould not unify the (conclusion|type) of",
            r"\A(fields missing|missing fields?)\b|\Ainvalid dotted identifier notation",
            r"\A(invalid [^\n]*: )?insufficient number of (fields|arguments)",
            r"\A(none of the deriving|default) handlers|\Ano applicable (rules|extensionality)",
        ),
    ),
    (
        ErrorCategory.TACTIC_FAILED,
        0.9,
        (
            r"\A(unsolved goals|no goals|not done|missing cases|omega could not|motive is not type correct)",
            r"\A(the )?'?[\w.?!]+'? tactic failed|\A(the )?tactic\b|\A[^\n]*\bmade no progress",
            r"\A'?[\w.?!]+'? (made no progress|failed)|\Aexpected type must not contain",
            r"\A(fail|failed|could not|unable) to (show|prove) termination|\A[^\n]*structural recursion",
            r"\Afailed to (prove (positivity|strict|nonneg|termination)|eliminate|show|clear|revert|generalize)",
            r"\Aalternative '[^'\n]+' has not been provided|\Adependent (match )?elimination failed",
            r"\A(cannot|could not) (eliminate|apply|rewrite|close|prove|clear|revert|unfold)",
            r"\A'specialize' requires|\A'?(exact|apply)\?'? (could|did) not|\A(the )?'?(show|change)'?\b",
            r"\A[^\n]*\b(could not close the goal|did not find|nothing to)\b|\A(the prover|the sat solver) found a",
            r"\A(did not|could not|failed to) (find|split|apply|rewrite|unfold|close|prove|discharge|simpl|solve)",
            r"\A(cases|induction|rcases|injection|subst|split|contradiction|assumption|decide|simp|rfl|aesop|norm_num)\b"
            r"[^\n]*\b(failed|cannot|could not|not)\b",
        ),
    ),
    (
        ErrorCategory.TYPE_MISMATCH,
        0.95,
        (
            r"\A[^\n]*\btype mismatch\b|\A(type error|mismatch)\b",
            r"\A(\(kernel\) )?(function|type|sort|structure|proposition) expected",
            r"\Aexpected (a )?(function|structure|type|proposition)",
            r"\Anumerals are (polymorphic|data)|\Ainvalid ('do'|\{\.\.\.\}|field|'▸') notation",
            r"\A(type class instance expected|invalid binder annotation|failed to compile pattern matching)",
            r"\A[^\n]* is not a proposition|\Ainvalid (projection|match.expression|(anonymous )?constructor )",
            r"\Ainvalid '?⟨\.\.\.⟩'? notation|\A(invalid|mismatch)[^\n]*'?calc'? (step|expression)",
            r"\A'calc' expression|\A(the rfl theorem|not a definitional equality)",
            r"\Astuck at solving universe constraint|\A(invalid )?universe level|\A(failed to|cannot) coerce",
            r"\Ainvalid (resulting type|reassignment|coercion|use of '▸')|\Aunexpected eliminator resulting type",
            r"\A(too many|incorrect number of) (explicit )?(arguments|universe levels)",
            r"\A[^\n]*\b(but is expected to have type|has type)\b",
        ),
    ),
    (
        ErrorCategory.OTHER,
        0.8,
        (
            r"\A[^\n]*(has already been declared|'noncomputable'|is noncomputable)|\Aambiguous|\A\(kernel\)",
            r"\A(failed to compile|compiler |code generat|redundant alternative|unused |deprecated|cannot add)",
        ),
    ),
    (ErrorCategory.TACTIC_FAILED, 0.5, (r"⊢|\A[^\n]*\b(tactic|simp|simplify|rewrite|prove|goals?)\b",)),
    (ErrorCategory.TYPE_MISMATCH, 0.4, (r"\bis expected to have type\b|\Aexpected\b[^\n]*\b(got|found)\b",)),
)

LONGEST = 20_000
"""Characters of a message that are looked at."""
_QUOTES = str.maketrans("`‘’", "'''")


@cache
def _families() -> list[tuple[ErrorCategory, float, re.Pattern[str]]]:
    """The table, compiled with the first message and not with every start of the program."""
    return [(category, sure, re.compile("|".join(patterns), re.IGNORECASE)) for category, sure, patterns in _TABLE]


def with_one_quote(text: str) -> str:
    """The text with every quotation mark of Lean's wordings as ``'``."""
    return text.translate(_QUOTES)


def family_of(text: str) -> tuple[ErrorCategory, float]:
    """Category and confidence (0 to 1) by the wording alone; (OTHER, 0.1) when no family has it."""
    plain = with_one_quote(text.strip()[:LONGEST])
    found = ((category, sure) for category, sure, pattern in _families() if pattern.search(plain))
    return next(found, (ErrorCategory.OTHER, 0.1))


# -- What to say about them ----------------------------------------------------------------------------------------

MEANS = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "a name is not known here",
    ErrorCategory.TYPE_MISMATCH: "a term has another type than its place needs",
    ErrorCategory.TACTIC_FAILED: "a tactic does not close its goal, or goals are left",
    ErrorCategory.MISSING_PREMISE: "a hypothesis, an instance or an argument is missing",
    ErrorCategory.SYNTAX_ERROR: "the text is not well-formed",
    ErrorCategory.RESOURCE_LIMIT: "Lean ran into a limit of time, steps or depth",
    ErrorCategory.OTHER: "Lean refuses it",
}
ADVICE = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "check spelling and namespace of the name, or import the module that has it",
    ErrorCategory.TYPE_MISMATCH: "compare the two types; convert, swap the arguments, or use another term",
    ErrorCategory.TACTIC_FAILED: "look at the goal that is left, and take a smaller step or another tactic",
    ErrorCategory.MISSING_PREMISE: "supply the hypothesis, instance or argument, from the context or as a new premise",
    ErrorCategory.SYNTAX_ERROR: "repair the text at this place: brackets, commas, `:=`, indentation",
    ErrorCategory.RESOURCE_LIMIT: "make the step smaller: fewer simp lemmas, a more exact term, lemmas of its own",
    ErrorCategory.OTHER: "do what the message says",
}
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


def import_of(name: str) -> str | None:
    """The module of a well-known name, by the longest part of the name that our table has."""
    while name and name not in IMPORTS:
        name = name.rpartition(".")[0]
    return IMPORTS.get(name)


# What a person does about an error of Lean that a file of theirs begins with

OWN = ("Init", "Std", "Lean")
"""Libraries that come with every Lean; the embedded one has no other."""

_NO_MODULE = re.compile(r"unknown module prefix '(?P<module>[^']+)'|file '.*' of module (?P<built>\S+) does not exist")
_TRACE = re.compile(r"\s*Hint: Type class instance resolution failures can be inspected with the .*? command\.", re.S)
"""Of no use to who asks for a proof."""
_NO_PROGRAMS = "read-only file system (error code:"
_SOLVER = "the tactic runs another program, which this Lean cannot"
_WITHOUT = "bv_decide runs a SAT solver; bv_omega, decide, simp and grind run none, and a Lean of your own has one"
_EXPECTED = "expected command"
_MATHLIB = {
    "lemma": "`lemma` is Mathlib's: write `theorem`",
    "alias": "`alias` is Batteries': write a `theorem` with the new name",
}
"""Words that begin a command only where a library is imported."""


def worded(message: str, text: str, line: int, column: int) -> tuple[str, str | None]:
    """The message as a person needs it, and what to do about it where that is known.

    Args:
        message: Lean's own words.
        text: The file.
        line: Of the error, from 1.
        column: Of the error, from 0, in characters.
    """
    missing = _NO_MODULE.search(message)
    if missing:
        module = missing["module"] or missing["built"]
        return message.partition("\n")[0], _about(module.partition(".")[0])
    if message.startswith(_NO_PROGRAMS):
        return _SOLVER, _WITHOUT
    message = _TRACE.sub("", message)
    lines = text.splitlines()
    if _EXPECTED in message and 0 < line <= len(lines):
        word = re.match(r"[\w']+", lines[line - 1][column:])
        return message, _MATHLIB.get(word[0]) if word else None
    return message, None


def _about(library: str) -> str:
    if library in OWN:
        return f"{library} has no such module"
    return (
        f"this Lean has no {library}; the embedded one has {', '.join(OWN[:-1])} and {OWN[-1]}. To use {library}, name "
        "a lake project that has it (setting lean.project, GOEDELS_POETRY__LEAN__PROJECT=FOLDER) or a Kimina server "
        "(lean.kimina_url); else leave the import out: omega, simp, grind and induction need none"
    )
