"""What is wrong where the wording does not say it: the message's types and goal, and the code around its place.

A premise that was not supplied is reported as a type mismatch, mixed types as a missing instance, a missing comma as
an application of what is no function. Each function looks for one of these; None means that it has nothing to say.
What needs the code has nothing to say without it, or goes by what the message tells of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from goedels_poetry.languages.lean.errors.code import Code
from goedels_poetry.languages.lean.errors.families import ErrorCategory, family_of, with_one_quote
from goedels_poetry.languages.lean.errors.premises import DATA, LOGIC, misses_premise, split
from goedels_poetry.languages.lean.errors.reading import Said


def culprit(message: Said, code: Code) -> ErrorCategory | None:
    """What is wrong by more than the wording; None where the wording is all there is."""
    text = message.text.strip()
    if misses_premise(text, code):
        return ErrorCategory.MISSING_PREMISE
    for look in _LOOKS:
        found = look(text, code)
        if found is not None:
            return found
    return _no_tactic(message, code) or _missing_comma(message, code) or _one_field(message, code)


# -- messages alone ----------------------------------------------------------------------------------------------


def _unknown_by_hint(text: str, code: Code) -> ErrorCategory | None:
    """A name that there is not, taken for a variable of its own: its type is open, and new Leans say so in a hint."""
    found = _APPLIED.match(text)
    if (
        found is not None
        and re.fullmatch(r"\?[\w.]+", found["type"])
        and re.fullmatch(r"[^\W\d?][\w.'✝]*", found["head"].strip())
    ):
        return ErrorCategory.UNKNOWN_IDENTIFIER
    hint = re.search(r"The identifier '[^'\n]+' is unknown, and", with_one_quote(text))
    return ErrorCategory.UNKNOWN_IDENTIFIER if hint else None


def _no_premises(text: str, code: Code) -> ErrorCategory | None:
    """`apply` of what has no premises at all and says something else; Lean notes the full type where it has some."""
    plain = with_one_quote(text)
    found = re.match(
        r"tactic 'apply' failed[:,] could not unify the conclusion of[^\n]*\n([^\n]*)", plain, re.IGNORECASE
    )
    if found is None or "?" in found[1] or "The full type of" in text:
        return None
    return ErrorCategory.TACTIC_FAILED


def _not_built(text: str, code: Code) -> ErrorCategory | None:
    """The root of a package that is there and was never built: nothing is wrong with the text."""
    found = re.match(
        r"object file '[^'\n]*/packages/([^'/\n]+)/[^'\n]*' of module (\w+) does not", with_one_quote(text)
    )
    return ErrorCategory.OTHER if found and found[1].lower() == found[2].lower() else None


# -- instances ---------------------------------------------------------------------------------------------------


def _mixed_types(text: str, code: Code) -> ErrorCategory | None:
    """An operation on different types, or a numeral of a type that has none: the types are wrong, no instance."""
    found = re.match(r"failed to synthesize[^\n]*\n\s*(?P<class>[\w.]+) (?P<arguments>[^\n]*)", text, re.IGNORECASE)
    if found is None:
        return None
    name, arguments = found["class"], split(found["arguments"], " ")
    if not arguments:
        return None
    if name == "OfNat":
        return None if _is_variable(arguments[0], code) else ErrorCategory.TYPE_MISMATCH
    if name in ("HPow", "HSMul", "HShiftLeft", "HShiftRight"):
        return None if _is_variable(arguments[0], code) or len(arguments) < 2 else _odd(arguments[1])
    if re.fullmatch(r"H[A-Z]\w*", name) and len(arguments) == 3:
        known = {argument for argument in arguments if "?" not in argument}
        sorts = any(re.match(r"\(?(Sort|Type|Prop)\b", argument) for argument in arguments)
        wrong = len(known) > 1 or sorts or any("→" in argument or argument in _SIMPLE for argument in known)
        return ErrorCategory.TYPE_MISMATCH if wrong else None
    if name in ("Neg", "GetElem", "GetElem?") and arguments[0] in _SIMPLE:
        return ErrorCategory.TYPE_MISMATCH
    if name == "Membership" and len(arguments) == 2 and arguments[1] in ("Nat", "Int", "Bool", "Prop", "Char", "Float"):
        return ErrorCategory.TYPE_MISMATCH
    return None


_SIMPLE = frozenset({"Nat", "Int", "Bool", "String", "Char", "Float", "Prop", "Unit"})
"""Types whose operations are all there: one that is missing was meant for another type."""


def _odd(exponent: str) -> ErrorCategory | None:
    """A power or a shift by what is no number."""
    odd = exponent in ("String", "Bool", "Prop", "Char", "Type") or "→" in exponent
    return ErrorCategory.TYPE_MISMATCH if odd else None


def _is_variable(type_: str, code: Code) -> bool:
    """Whether a type is a parameter of the theorem, for which instances are assumed, and not a type of its own."""
    if not re.fullmatch(r"[\w'✝]+", type_) or type_ in DATA:
        return False
    if type_ in code.declared:
        return False
    sort = code.sorts.get(type_)
    if sort is not None:
        return sort.startswith(("Type", "Sort"))
    return re.fullmatch(r"([^\W\d_]|[A-Z]')[\d₀-₉✝']*", type_) is not None


# -- tactics -----------------------------------------------------------------------------------------------------


def _missing_law(text: str, code: Code) -> ErrorCategory | None:
    """`ac_rfl` on two sides that are the same up to order and brackets: an instance of a law is missing."""
    _, equality, rest = text.partition("equality lhs\n")
    left, differ, right = rest.partition("\nis not definitionally equal to rhs\n")
    if not equality or not differ:
        return None
    if re.search(r" [-/%^]\s|::", text.partition("⊢")[0]):
        return None  # no operation of which any order and brackets could be the same
    sides = (sorted(re.findall(r"[^\s()]+", side)) for side in (left, right.split("\n\n")[0]))
    return ErrorCategory.MISSING_PREMISE if next(sides) == next(sides) else None


def _nothing_to_assume(text: str, code: Code) -> ErrorCategory | None:
    """`assumption` where the context holds no proposition at all: what it should find was never there."""
    if not re.match(r"tactic 'assumption' failed", with_one_quote(text), re.IGNORECASE):
        return None
    context, turnstile, goal = text.partition("⊢")
    hypotheses = re.findall(r"^([^\s:][^:\n]*) : (.*)$", context, re.MULTILINE)
    propositions = {name for names, type_ in hypotheses if type_.endswith("Prop") for name in names.split()}
    heads = {type_.split()[0] for _, type_ in hypotheses if type_.strip()}
    if not turnstile or heads & propositions or any(LOGIC.search(type_) for _, type_ in hypotheses):
        return None
    return ErrorCategory.MISSING_PREMISE if LOGIC.search(goal) else None


# -- syntax ------------------------------------------------------------------------------------------------------

_NOT_LEAN_4_WORDS = """
begin end qed proof lemma proposition corollary hence therefore since thus because we clearly then now finally
this reflexivity intuition
"""
_NOT_LEAN_4 = frozenset(_NOT_LEAN_4_WORDS.split())
_TACTICS_WORDS = """
intro intros exact apply refine rw rewrite simp simp_all omega rfl decide cases induction constructor left
right exists have show calc assumption contradiction unfold split grind ext funext trivial rcases obtain
norm_num ring linarith nlinarith aesop tauto positivity use by_cases by_contra exfalso subst injection
specialize
"""
_TACTICS = frozenset(_TACTICS_WORDS.split())
_PROSE = re.compile(r"(?: [a-zA-Z][a-zA-Z,'-]*){3,}[ .:].*|(?: [a-zA-Z][a-zA-Z,'-]*){3,}")


def _no_tactic(message: Said, code: Code) -> ErrorCategory | None:
    """`unknown tactic` at what is no tactic: prose, other languages, other capitals, a case without its bar."""
    if not re.match(r"unknown tactic", message.text.strip(), re.IGNORECASE):
        return None
    word, rest = word_at(message, code)
    if not word:
        return None
    unmarked = re.match(r"(?: [\w'✝]+)* =>", rest) is not None
    other_letters = word.lower() in _TACTICS and word not in _TACTICS
    prose = _PROSE.fullmatch(rest[:500]) is not None
    wrong = other_letters or prose or unmarked or word.lower() in _NOT_LEAN_4
    return ErrorCategory.SYNTAX_ERROR if wrong else None


def _no_name(text: str, code: Code) -> ErrorCategory | None:
    """An unknown identifier that is a keyword of Lean 3 or of prose."""
    found = re.match(r"unknown identifier '([^'\n]*)'", with_one_quote(text), re.IGNORECASE)
    return ErrorCategory.SYNTAX_ERROR if found and found[1] in _NOT_LEAN_4 - {"this"} else None


_APPLIED = re.compile(
    r"function expected at\n\s*(?P<head>[^\n]*)\n(?:but this )?term has type\n\s*(?P<type>[^\n]*)"
    r"(?:\n+Note: [^\n]*applied to the argument\n\s*(?P<argument>[^\n]*))?",
    re.IGNORECASE,
)
_IN_A_LIST = re.compile(
    r"(?:\b(?:rw|rewrite|simp|simp_all|only|grind|erw|nth_rw|dsimp|omega|at)\b[^\[\]\n]*\[|⟨|\[)[^\[\]⟨⟩]*\Z"
)


def _missing_comma(message: Said, code: Code) -> ErrorCategory | None:
    """What is no function before an argument: a comma or a line break is missing between them.

    With the code: inside of brackets, one name after the other; or a tactic as the argument, which the indentation has
    made part of the line before. Without it: an equation before the name of a hypothesis or of a lemma.
    """
    found = _APPLIED.match(message.text.strip())
    if found is None:
        return None
    head, argument = found["head"].strip(), (found["argument"] or "").strip()
    next_step = argument in _TACTICS or argument.lower() in _NOT_LEAN_4 - {"this"}
    if next_step or (head == "rfl" and not argument):
        return ErrorCategory.SYNTAX_ERROR
    before, after = code.at(message.line, message.column)
    if after:
        named = re.match(r"[\w.'✝]+(?:[ \t]+[\w.'✝]+)+\s*[,\]⟩]", after)
        return ErrorCategory.SYNTAX_ERROR if named and _IN_A_LIST.search(before) else _literal(head)
    lemma = re.fullmatch(r"h[\w'✝]*|ih\d*|[\w']+(?:\.[\w']+)+", argument) and not re.fullmatch(r".*\.\d+", argument)
    rule = re.search(r" (?:=|↔) ", found["type"]) and re.fullmatch(r"[\w.'✝]+", head)
    return ErrorCategory.SYNTAX_ERROR if lemma and rule else _literal(head)


_TOO_FEW = re.compile(r"[^\n]*insufficient number of (fields|arguments)", re.IGNORECASE)


def _one_field(message: Said, code: Code) -> ErrorCategory | None:
    """Too few fields between ``⟨`` and ``⟩`` where no comma stands between two terms."""
    if not _TOO_FEW.match(message.text.strip()):
        return None
    after = code.at(message.line, message.column)[1]
    return ErrorCategory.SYNTAX_ERROR if re.match(r"⟨\s*[\w.'✝]+(?:\s+[\w.'✝]+)+\s*⟩", after) else None


def _no_colon(text: str, code: Code) -> ErrorCategory | None:
    """A binder with the name of a type: a colon is missing before it."""
    found = re.match(r"failed to infer type of binder '([^'\n]*)'", with_one_quote(text), re.IGNORECASE)
    return ErrorCategory.SYNTAX_ERROR if found and found[1] in DATA else None


def _literal(head: str) -> ErrorCategory | None:
    """A number or a text in the place of a function."""
    return ErrorCategory.SYNTAX_ERROR if re.fullmatch(r'\d+|".*"', head) else None


def word_at(message: Said, code: Code) -> tuple[str, str]:
    """The word that a message about a tactic points into or just behind, and the rest of its line."""
    before, after = code.at(message.line, message.column)
    line = before + after
    for found in re.finditer(r"[^\W\d][\w']*", line):
        if found.start() <= len(before) <= found.end():
            return found[0], line[found.end() :]
    return "", ""


_LOOKS = (
    _unknown_by_hint,
    _no_premises,
    _not_built,
    _mixed_types,
    _missing_law,
    _nothing_to_assume,
    _no_name,
    _no_colon,
)

# -- consequences ------------------------------------------------------------------------------------------------

NEAR = 12
"""Lines within which a parse error is taken for the end of the same declaration, where the code is not known."""
_PARSER = re.compile(
    r"\A(?:<input>:\d+:\d+: )?"
    r"(?:unexpected (?:token|identifier|end of input)|expected (?!type\b)|unterminated|missing end)"
)


class Consequences:
    """Which messages only follow from a parse error that cut their declaration off.

    Where the code does not show that it is the same declaration, a name that is not known stands for itself.
    """

    def __init__(self, messages: Sequence[Said], code: Code) -> None:
        self._code = code
        self._applied = {m.line for m in messages if m.line and _APPLIED.match(m.text)}
        self._breaks = sorted({m.line for m in messages if m.severity == "error" and m.line and _PARSER.match(m.text)})

    def has(self, message: Said) -> bool:
        """Whether a parse error stands behind the message in the same declaration, or terms without a comma in it."""
        if message.line in self._applied and _TOO_FEW.match(message.text):
            return True
        if message.line is None or not self._breaks or _PARSER.match(message.text):
            return False
        parse = next(iter(self._breaks[bisect_left(self._breaks, message.line) :]), None)
        if parse is None:
            return False
        if not self._code.text:
            return parse - message.line <= NEAR and family_of(message.text)[0] is not ErrorCategory.UNKNOWN_IDENTIFIER
        commands = self._code.commands
        following = commands[bisect_right(commands, message.line) :]
        return not following or following[0] > parse
