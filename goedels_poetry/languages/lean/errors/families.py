"""The families of Lean's messages, old wordings (up to 4.21) and new ones, and what each is about. A table.

Matching is on the whole message without regard to case, with every kind of quotation mark written as ``'``. The first
family that matches counts. What a message alone cannot tell is in `culprit`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Family:
    """Messages of one wording."""

    category: ErrorCategory
    pattern: re.Pattern[str]
    confidence: float
    """How sure the wording alone is, 0 to 1."""


_TABLE: tuple[tuple[ErrorCategory, float, tuple[str, ...]], ...] = (
    (
        ErrorCategory.RESOURCE_LIMIT,
        0.95,
        (
            r"deterministic\)? timeout",
            r"maximum number of heartbeats [^\n]{0,80}(has been|was) reached",
            r"maximum recursion depth",
            r"maximum class-instance resolution depth",
            r"\Asimp failed, maximum number of steps exceeded",
            r"(stack overflow|deep recursion|excessive memory consumption|excessive resource)",
            r"\A(\(kernel\) )?out of memory",
            r"\A(std::)?bad_alloc",
            r"\A[^\n'\"]*\b(timed out|time-?out|time limit|memory limit)\b",
            r"\A(\(kernel\) )?interrupted",
            r"\A(the )?exponent \d+ exceeds the threshold",
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
            r"\A[^\n'\"]*\bindentation\b",
            r"\Aunterminated ",
            r"\Amissing (end of|exponent|name after 'end')",
            r"\Ainvalid (escape sequence|character literal|string)",
            r"\A[^\n]*must be used in the beginning of the file",
            r"\Ainvalid (name after )?'end'",
            r"\Aunclosed sections or namespaces",
            r"\Ainvalid field notation[:,] identifier or numeral expected",
            r"\A(identifier|numeral|string literal|term|command) expected",
            r"\Atoo many variable names provided",
            r"\A(incorrect|invalid|wrong|not enough|too many) (number|amount)? ?(of )?patterns",
            r"\A'(obtain|rcases|rintro)' requires",
            r"\A(the wildcard alternative|invalid occurrence of the wildcard|missing alternative name|invalid syntax)",
            r"\Ainvalid (use|occurrence) of '\(<-",
            r"\A(invalid|unexpected) 'do' (element|block)|\Ainvalid 'do' element",
            r"\Adeclaration body is missing",
            r"\A(tabs are not allowed|isolated carriage return)",
            r"\Ainvalid occurrence of '·'",
            r"\Ainvalid (binder|pattern variable|declaration) (name|.*must be atomic)",
            r"\Ainvalid pattern variable",
            r"\A(no macro or|elaboration function for) ",
            r"\Acannot lift '\(<- ",
            r"\Asyntax error",
        ),
    ),
    (
        ErrorCategory.UNKNOWN_IDENTIFIER,
        0.95,
        (
            r"\A(\(kernel\) )?unknown (?!error\b)",
            r"\A[^\n]*the environment does not contain",
            r"\A'[^'\n]+' is not a field of structure",
            r"\A'[^'\n]+' is not a (valid )?(field|constructor|option|attribute|tactic|declaration|namespace)",
            r"\Aobject file '[^'\n]*' of module",
            r"\A(bad|invalid) import",
            r"\Ano (such file or )?directory '",
            r"\A(failed to|could not|cannot) (resolve|find) (?!any\b|a (hypothesis|decreasing)|synthesization)",
            r"\Ainvalid alternative name",
            r"\Ainvalid dotted identifier notation[:,](?! the expected type of| ?expected type is not known)",
            r"\Ainvalid argument name",
            r"\A(invalid field|invalid projection)[^\n]*'[^'\n]+' does not (have|contain)",
            r"\A(name does not resolve|could not find|cannot find) ",
            r"\Ainvalid (attribute|namespace|option|import)\b[^\n]*(not found|does not exist|unknown)",
            r"\Ainvalid pattern[:,] (expected a )?constructor or constant",
            r"\A(case )?tag '?[^'\n]*'? ?not found",
            r"\Atactic '[^'\n]+' (has not been implemented|not found)",
            r"\A[^\n]*\bnot (found|a known)\b",
        ),
    ),
    (
        ErrorCategory.MISSING_PREMISE,
        0.9,
        (
            r"\A(failed to|unable to) (synthesize|infer|derive|delta derive)",
            r"\Atype has '[^\n]*failed to synthesize",
            r"\Ainvalid 'do' notation[^\n]*\n\s*[a-z][\w']* |\Ainvalid 'do' notation[^\n]*not (known|available)",
            r"\Ainvalid \{\.\.\.\} notation[:,] [^\n]*(not known|must be known)",
            r"\A(cannot|could not) infer",
            r"\A(\(kernel\) )?declaration has metavariables",
            r"\Atypeclass instance problem is stuck",
            r"\Adon't know how to synthesize",
            r"\A(could not|cannot) synthesize",
            r"\Afailed to prove index is valid",
            r"\Atactic 'apply' failed[:,] (could not|failed to) unify",
            r"\A(error: )?could not unify the (conclusion|type) of",
            r"\A(fields missing|missing fields?)\b",
            r"\Ainvalid dotted identifier notation",
            r"\Ainvalid '?⟨\.\.\.⟩'? notation[:,] (the )?expected type (of this term could|is not known|must be known)",
            r"\A(invalid [^\n]*: )?insufficient number of (fields|arguments)",
            r"\Afailed to elaborate eliminator",
            r"\Anone of the deriving handlers",
            r"\Adefault handlers have not been implemented",
            r"\Ano applicable (rules|extensionality)",
            r"\A[^\n]*\b(no applicable rules|missing premise)\b",
            r"\Ainvalid argument[^\n]*: (instance|premise)",
        ),
    ),
    (
        ErrorCategory.TACTIC_FAILED,
        0.9,
        (
            r"\Aunsolved goals",
            r"\A(the )?'?[\w.?!]+'? tactic failed",
            r"\Atactic '[^'\n]+' (failed|proved)",
            r"\A(the )?tactic\b",
            r"\A'?[\w.?!]+'? (made no progress|failed)",
            r"\A[^\n]*\bmade no progress",
            r"\A(error: )?no goals",
            r"\Aomega could not",
            r"\Alinarith failed|\Anlinarith failed|\Aring(_nf)? failed|\Apositivity failed",
            r"\Afailed to prove (positivity|strict|nonneg|termination)",
            r"\A(fail|failed|could not|unable) to (show|prove) termination|\Acould not prove termination",
            r"\Amotive is not type correct",
            r"\Aexpected type must not contain",
            r"\Anot done",
            r"\A(the )?('?show'?|'?change'?)",
            r"\Aalternative '[^'\n]+' has not been provided",
            r"\Amissing cases|\Adependent (match )?elimination failed",
            r"\A(invalid|insufficient) (number of )?targets?",
            r"\A(cannot|could not) (eliminate|apply|rewrite|close|prove|clear|revert|unfold)",
            r"\A'specialize' requires",
            r"\A'?(exact|apply)\?'? (could|did) not",
            r"\A[^\n]*\bcould not close the goal",
            r"\A(invalid )?rewrite argument|\Ainvalid rewrite argument",
            r"\A(the prover|the sat solver) found a",
            r"\A(did not|could not|failed to) (find|split|apply|rewrite|unfold|close|prove|discharge|simpl|solve)",
            r"\A[^\n]*\b(did not find|nothing to)\b",
            r"\A[^\n]*structural recursion",
            r"\A(cases|induction|rcases|injection|subst|split|contradiction|assumption|decide|simp|rfl|aesop|norm_num)\b"
            r"[^\n]*\b(failed|cannot|could not|not)\b",
            r"\Afailed to (eliminate|show|clear|revert|generalize|substitute)",
            r"\A(index out of bounds|insufficient number of binders|too many binders)",
            r"\A(target|major premise|equality|conjunction|disjunction)\b[^\n]*\b(expected|not)\b",
            r"\A(induction hypothesis|unsupported tactic|tactic framework)",
        ),
    ),
    (
        ErrorCategory.TYPE_MISMATCH,
        0.95,
        (
            r"\A(\(kernel\) )?(application |declaration )?type mismatch",
            r"\A\(kernel\) function expected",
            r"\A(function|type|sort|structure|proposition) expected",
            r"\Aexpected (a )?(function|structure|type|proposition)",
            r"\Anumerals are (polymorphic|data)",
            r"\Ainvalid ('do'|\{\.\.\.\}) notation",
            r"\A(type class instance expected|invalid binder annotation)",
            r"\A(failed to compile pattern matching|invalid match.expression)",
            r"\A('[^'\n]*'|type of [^\n]*) is not a proposition",
            r"\Ainvalid projection",
            r"\Ainvalid field notation",
            r"\Ainvalid '?⟨\.\.\.⟩'? notation|\Ainvalid (anonymous )?constructor ",
            r"\Atype of theorem '[^\n]*' is not a proposition|\Atype of theorem is not a proposition",
            r"\A(invalid|mismatch)[^\n]*'?calc'? (step|expression)|\A'calc' expression",
            r"\A(the rfl theorem|not a definitional equality)",
            r"\Astuck at solving universe constraint|\Auniverse level|\Ainvalid universe level",
            r"\A(failed to|could not|cannot) coerce",
            r"\A(invalid|failed to use) '▸' notation",
            r"\Ainvalid (resulting type|reassignment|match-expression|coercion|use of '▸')",
            r"\A(too many|incorrect number of) (explicit )?(arguments|universe levels)",
            r"\Aunexpected eliminator resulting type",
            r"\A[^\n]*\b(but is expected to have type|has type)\b",
            r"\A(type error|mismatch)\b",
            r"\A[^\n]*\btype mismatch\b",
        ),
    ),
    (
        ErrorCategory.OTHER,
        0.8,
        (
            r"\A[^\n]*has already been declared",
            r"\Aambiguous",
            r"\A(failed to compile|compiler |code generator|code generation)",
            r"\A[^\n]*(consider marking (it as|definition as) 'noncomputable'|is noncomputable)",
            r"\A(redundant alternative|unused '?(termination_by|decreasing_by)|deprecated)",
            r"\A(invalid|cannot add) attribute",
            r"\A\(kernel\)",
        ),
    ),
    (
        ErrorCategory.TACTIC_FAILED,
        0.5,
        (r"⊢", r"\A[^\n]*\btactic\b", r"\A[^\n]*\b(simp|simplify|rewrite|prove|goal|goals)\b"),
    ),
    (ErrorCategory.TYPE_MISMATCH, 0.4, (r"\bis expected to have type\b", r"\Aexpected\b[^\n]*\b(got|found)\b")),
)

LONGEST = 20_000
"""Characters of a message that are looked at."""
_QUOTES = str.maketrans("`‘’", "'''")


@cache
def families() -> tuple[Family, ...]:
    """All of them, compiled with the first message and not with every start of the program."""
    return tuple(
        Family(category, re.compile(pattern, re.IGNORECASE), confidence)
        for category, confidence, patterns in _TABLE
        for pattern in patterns
    )


def with_one_quote(text: str) -> str:
    """The text with every quotation mark of Lean's wordings as ``'``."""
    return text.translate(_QUOTES)


def family_of(text: str) -> tuple[ErrorCategory, float]:
    """Category and confidence by the wording alone; (OTHER, 0.1) when no family has it."""
    plain = with_one_quote(text.strip()[:LONGEST])
    found = next((family for family in families() if family.pattern.search(plain)), None)
    return (found.category, found.confidence) if found else (ErrorCategory.OTHER, 0.1)
