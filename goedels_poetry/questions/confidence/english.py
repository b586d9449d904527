"""How English is rendered: the table of the prompts, and what the quantifier test expects of the same words.

One table serves both, so that no program is faulted for what its prompt demands. A row says which formula a phrase
stands for, and by which words sentences of its form are told (`readings`); a row without such words is never tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Kind = Literal["text", "case", "world"]
"""What a question comes with: a text, rules and a case that they are applied to, or nothing."""


class Reading(StrEnum):
    """What a sentence speaks of, as its words tell."""

    ALL = "all"
    """Of all of a kind, somewhere in it: it is not wholly existential."""
    RULE = "rule"
    """Of all of a kind as a whole: it is no ``exists``."""
    HEDGED = "hedged"
    """Of a kind, with a word such as ``often``: a rule as well, where nothing is named."""
    SOME = "some"
    """Of some of a kind: it is not wholly universal."""


@dataclass(frozen=True, slots=True)
class Row:
    """What stands for what."""

    english: str
    """Phrases, with ``;`` between them; A and B are kinds or properties, P and Q statements, c a name."""
    smt2: str
    """The formula, or "" where ``remark`` says all."""
    json: str
    kinds: tuple[Kind, ...] = ("text", "case", "world")
    """Where it is told."""
    remark: str = ""
    cues: tuple[tuple[Reading, str], ...] = ()
    """Patterns of sentences that are meant."""
    where: str = ""
    """Words of text or question at which it is told whatever the kind, as a pattern; "" for none."""


TEXT: tuple[Kind, ...] = ("text", "case")
ALL_SMT2 = "(forall ((x Thing)) (=> (A x) (B x)))"
ALL_JSON = "ForAll([x: Thing], Implies(A(x), B(x)))"
SOME_SMT2 = "(exists ((x Thing)) (and (A x) (B x)))"
SOME_JSON = "Exists([x: Thing], And(A(x), B(x)))"

TABLE: tuple[Row, ...] = (
    Row(
        "Every A is B; As are B; an A is B; all A are B; if something is A, it is B; whoever is A is B",
        ALL_SMT2,
        ALL_JSON,
        cues=(
            (Reading.ALL, r"\b(?:every|each|all|everyone|everybody|everything|whenever)\b|^\s*any\b"),
            (Reading.RULE, r"^\s*if\s+(?:any|some|a|an|the|it|they)"),
            # A bare plural at the beginning of a sentence speaks of all of a kind: Red people are white.
            (
                Reading.RULE,
                r"^\s*(?!(?:some|many|most|few|several|there|these|those|they|we|you|a|an|the|no|not|his|her|their|its|"
                r"one|two|three)\b)(?:[a-z]+,?\s+){0,3}?(?:people|things|[a-z]{2,}s)\s+"
                r"(?:are|have|do|can|need|will|must)\b",
            ),
        ),
    ),
    Row(
        "As are often (usually, frequently, generally) B; As tend to be B; watch out for As, for they are B",
        ALL_SMT2,
        ALL_JSON,
        TEXT,
        "the hedge is a manner of speaking",
        (
            (
                Reading.HEDGED,
                r"^\s*(?!(?:some|many|most|few|several|there|not|he|she|they|we|i)\b).*"
                r"\b(?:often|usually|frequently|generally|typically|normally|commonly|tends?\s+to|(?:watch|look)\s+out\s+for|"
                r"beware\s+of)\b",
            ),
        ),
    ),
    Row(
        "No A is B; As are never B; none of the As is B",
        "(forall ((x Thing)) (=> (A x) (not (B x))))",
        "ForAll([x: Thing], Implies(A(x), Not(B(x))))",
    ),
    Row(
        "Some A is B; there is an A that is B; at least one A is B",
        SOME_SMT2,
        SOME_JSON,
        cues=((Reading.SOME, r"^\s*(?:some|there (?:is|are|exists?)|at least one)\b"),),
    ),
    Row(
        "Most As are B; many As are B; several As are B",
        SOME_SMT2,
        SOME_JSON,
        TEXT,
        "nothing follows for a single A",
        ((Reading.SOME, r"^\s*(?:most|many|several)\b"),),
    ),
    Row("As may be B; As can be B", "", "", ("text",), "no rule: nothing follows for a single A"),
    Row(
        "you may (might, could, can) get P if Q",
        "(=> Q P)",
        "Implies(Q, P)",
        ("case",),
        "a condition like any other",
    ),
    Row(
        "A is much (considerably, a little, somewhat) more than B",
        "",
        "",
        (),
        "the number of A is above that of B; by how much stays open",
        where=r"\b(?:much|far|considerably|significantly|substantially|slightly|somewhat|a (?:lot|little|bit)) \w+",
    ),
    Row(
        "Not every A is B",
        "(exists ((x Thing)) (and (A x) (not (B x))))",
        "Exists([x: Thing], And(A(x), Not(B(x))))",
        TEXT,
    ),
    Row(
        "Only As are B; something is B only if it is A",
        "(forall ((x Thing)) (=> (B x) (A x)))",
        "ForAll([x: Thing], Implies(B(x), A(x)))",
    ),
    Row(
        "A, B things are C; things that are A and B are C",
        "(forall ((x Thing)) (=> (and (A x) (B x)) (C x)))",
        "ForAll([x: Thing], Implies(And(A(x), B(x)), C(x)))",
        ("text",),
    ),
    Row("P, or Q; at least one of P and Q; either P or Q, or both", "(or P Q)", "Or(P, Q)"),
    Row("either P or Q, said of something as a choice between the two", "(xor P Q)", "Xor(P, Q)"),
    Row("neither P nor Q; not either P or Q", "(and (not P) (not Q))", "And(Not(P), Not(Q))"),
    Row("not both P and Q; only one of P and Q may", "(not (and P Q))", "Not(And(P, Q))"),
    Row("either both P and Q, or neither", "(= P Q)", "Iff(P, Q)", ("text",)),
    Row("Q if P; P means Q; Q whenever P", "(=> P Q)", "Implies(P, Q)"),
    Row("Q only if P; Q requires P", "(=> Q P)", "Implies(Q, P)"),
    Row("Q exactly when P; Q if and only if P", "(= P Q)", "Iff(P, Q)", TEXT),
    Row(
        "Q unless P",
        "(=> (not P) Q)",
        "Implies(Not(P), Q)",
        TEXT,
        "where P forbids Q, its opposite for P as well",
    ),
    Row(
        "at least two As",
        "(exists ((x Thing) (y Thing)) (and (A x) (A y) (distinct x y)))",
        "Exists([x: Thing, y: Thing], And(A(x), A(y), Distinct(x, y)))",
        ("text",),
    ),
    Row(
        "c is the only A", "(forall ((x Thing)) (= (A x) (= x c)))", "ForAll([x: Thing], Iff(A(x), x == c))", ("text",)
    ),
    Row(
        "P could include A, B or C; P, such as A or B",
        "(=> (or A B C) P)",
        "Implies(Or(A, B, C), P)",
        ("case",),
        "each is enough, none is needed, and there may be others",
        where=r"\b(?:could|may|might|can) include\b|\bsuch as\b",
    ),
    Row(
        "if the council agrees; they will decide whether P",
        "council_agrees",
        "council_agrees",
        ("case",),
        "what others decide is a condition; no rule says how they decide, unless the text does",
        where=r"\b(?:decid|agree|approv|consent|discretion|(?:may|might|can|could) (?:grant|allow|refuse|accept))",
    ),
)

QUESTIONS: tuple[tuple[str, str, tuple[Kind, ...], str], ...] = (
    ("Is it true or false that S?; Statement: S; S.", "S, negated only where S itself is", ("text",), ""),
    ("Can I get X?; Am I able to get X?", "that I can get X", ("case",), ""),
    ("Can both P and Q?", "`P` and `Q` at once, also where only one of them may", ("case", "world"), r"\bboth\b"),
    ("Would it be impossible to X?", "that it is impossible", ("world",), r"\bimpossible\b"),
    (
        "Does the fact that P mean that S (that I can't X)?",
        "S (that I cannot X); P is a premise with the number of the question",
        ("case",),
        r"\b(?:fact that|does that mean|does this mean|does it mean|does \S+ \S+ing mean)\b",
    ),
    ("Could it include X?; Is X one of them?", "that X is among them", ("case",), r"\binclude|\bone of\b|\bamong\b"),
    (
        "Will they agree?; Are they going to X?",
        "that they do; it stays open, unless a rule decides it",
        ("case",),
        r"^\s*(?:will|shall)\b|\bgoing to\b",
    ),
    (
        "any sort of A; ever; anywhere",
        "there is one (`or`, exists) among what is named",
        ("case", "world"),
        r"\bany (?:sort|kind|type|form)s? of\b|\bever\b|\banywhere\b",
    ),
)
"""What is asked, the goal, where it is told, and words of a question at which it is told whatever its kind."""

_PATTERNS = tuple((reading, re.compile(cue, re.IGNORECASE)) for row in TABLE for reading, cue in row.cues)
_EVERY = re.compile(r"\b(?:all|every|each|any)\b", re.IGNORECASE)
_EITHER_WAY = re.compile(r"\b(?:if|not all|not every|only|either|except|unless|some|most|many)\b", re.IGNORECASE)


def readings(sentence: str) -> frozenset[Reading]:
    """What the words of a sentence tell of its quantifiers; nothing where they could be meant either way."""
    found = {reading for reading, pattern in _PATTERNS if pattern.search(sentence)}
    if Reading.SOME in found:
        return frozenset() if "," in sentence or _EVERY.search(sentence) else frozenset({Reading.SOME})
    return frozenset(found - {Reading.ALL} if _EITHER_WAY.search(sentence) else found)


def table(kind: Kind, backend: Literal["smt2", "json"], text: str = "") -> str:
    """The rows for questions of a kind, and those that words of ``text`` call for, as a table in Markdown."""
    rows = [
        (row.english, _cell(row.smt2 if backend == "smt2" else row.json, row.remark))
        for row in TABLE
        if kind in row.kinds or _stands_in(row.where, text)
    ]
    return _markdown(("English", "formula"), rows)


def goals(kind: Kind, question: str = "") -> str:
    """What questions of a kind ask, likewise, and what this one does."""
    rows = [(asked, goal) for asked, goal, kinds, where in QUESTIONS if kind in kinds or _stands_in(where, question)]
    return _markdown(("asked", "goal"), rows)


def _stands_in(pattern: str, text: str) -> bool:
    return bool(pattern) and re.search(pattern, text, re.IGNORECASE) is not None


def _cell(formula: str, remark: str) -> str:
    return "; ".join(filter(None, (f"`{formula}`" if formula else "", remark)))


def _markdown(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {left} | {right} |" for left, right in rows]
    return "\n".join((f"| {head[0]} | {head[1]} |", "|---|---|", *lines))
