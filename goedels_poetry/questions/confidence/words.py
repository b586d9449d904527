"""Negations in words and in formulas: does a goal, or a premise, negate where its words do?

Words are a weak witness (antonyms, idioms), so these tests warn and never fail, and keep silent in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from goedels_poetry.kernel.terms import BOOL, FALSE, Kind, Term, is_app, subterms
from goedels_poetry.questions.confidence.case import MAX_NODES, MAX_SHOWN, Case, without_double_negations
from goedels_poetry.questions.confidence.score import FormalizationTest
from goedels_poetry.questions.entailment.program import LogicPremise

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = re.compile(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)?|[0-9]+")
_FRAMES = (
    re.compile(r"^.*\b(?:statement|question|conclusion|hypothesis)\s*:\s*(?=\S)", re.IGNORECASE | re.DOTALL),
    re.compile(r"^.*\btrue\W+(?:or\W+)?false(?:\W+or\W+\w+)?\W*[?:.]\s*(?=\S)", re.IGNORECASE | re.DOTALL),
    re.compile(r"^\s*is\s+it\s+true\s+that\s+", re.IGNORECASE),
)
_NEGATIONS = re.compile(r"not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|false|untrue|[a-z]+n't")
_SHAPING = re.compile(r"only|except|unless|either|but|however|exactly|different|few|hardly|rarely|fails|unable")
"""Words that take a negation to be said formally."""
_NEGATIVE = re.compile(r"un[a-z]{3,}|dis[a-z]{3,}|im[a-z]{4,}|in[a-z]{5,}|non[a-z]{3,}|[a-z]{3,}less|mis[a-z]{4,}")
_ORDERS = frozenset({"<", "<=", ">", ">="})


def polarity(case: Case) -> FormalizationTest:
    """The goal must be negative when the question is, and only then."""
    if len(case.program.goals) != 1:
        return FormalizationTest("polarity", "skipped", "there are several goals")
    statement = _asked(case.question)
    if statement.endswith("?") and negations(statement):
        return FormalizationTest("polarity", "skipped", "a negated question can be meant either way")
    wrong = _mismatch(case, [case.program.goals[0].formula], statement)
    if wrong:
        return FormalizationTest("polarity", "warning", f"{wrong}: {statement[:200]}")
    return FormalizationTest("polarity", "passed", "goal and question agree in what they negate")


def premise_polarity(case: Case) -> FormalizationTest:
    """The same for premises and the sentences that they render."""
    groups: dict[int, list[LogicPremise]] = {}
    for premise in case.program.premises:
        if len(premise.sentences) == 1 and case.sentence(premise.sentences[0]) is not None:
            groups.setdefault(premise.sentences[0], []).append(premise)
    if not groups:
        return FormalizationTest("premise polarity", "skipped", "no premise renders one sentence")
    wrong = [
        premise.name
        for number, premises in sorted(groups.items())
        if _mismatch(case, [premise.formula for premise in premises], case.sentences[number - 1])
        for premise in premises
    ][:MAX_SHOWN]
    if not wrong:
        return FormalizationTest("premise polarity", "passed", "premises negate where their sentences do")
    reason = f"negations differ from those of the sentence: {', '.join(wrong)}"
    return FormalizationTest("premise polarity", "warning", reason, tuple(wrong))


def _mismatch(case: Case, formulas: list[Term], sentence: str) -> str:
    """The difference of formulas and a sentence in negations; "" in doubt.

    Names that are no words of the sentence may be antonyms of its words, and names may negate themselves.
    """
    if any(formula.size > MAX_NODES for formula in formulas):
        return ""
    formulas = [without_double_negations(formula) for formula in formulas]
    names = frozenset[str]().union(*map(case.names, formulas))
    spoken = frozenset(map(stem, words(sentence)))
    if any(map(_is_negative, names)) or not all(_is_mentioned(name, spoken) for name in names):
        return ""
    count, negated = negations(sentence), any(map(_negates, formulas))
    if count % 2 and not negated and not _compares(formulas):
        return "it is negated in words, and not in the formula"
    if (
        negated
        and not count
        and not any(_SHAPING.fullmatch(word) or _NEGATIVE.fullmatch(word) for word in words(sentence))
    ):
        return "the formula negates, and the words do not"
    return ""


def _negates(term: Term) -> bool:
    """Whether anything in the term is negated: ``not``, ``distinct``, ``xor``, ``=> false``, or both or neither."""
    return any(
        part is FALSE
        or (part.kind is Kind.APP and part.name in ("not", "distinct", "xor"))
        or (is_app(part, "=") and part.args[0].sort is BOOL)
        for part in subterms(term)
    )


def _compares(formulas: Iterable[Term]) -> bool:
    """Whether anything is compared by size: ``not older`` is ``<=``."""
    return any(part.name in _ORDERS for formula in formulas for part in subterms(formula))


def _asked(question: str) -> str:
    """The question without phrases around it such as ``Is the following statement true or false?``."""
    for frame in _FRAMES:
        question = frame.sub("", question, count=1)
    return question.strip()


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in lower case; ``don't`` is one word."""
    return tuple(found.lower().replace("\u2019", "'") for found in _WORD.findall(text))


def negations(text: str) -> int:
    """The number of words of a text that negate for certain."""
    return sum(_NEGATIONS.fullmatch(word) is not None for word in words(text.lower().replace("not only", "")))


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """A key under which the forms of a regular English word meet: ``lives``, ``living`` and ``live`` give ``liv``."""
    for ending in ("ing", "ied", "ies", "ed", "es", "s", "e", "y"):
        if len(word) - len(ending) >= 3 and word.endswith(ending) and not word.endswith(("ss", "us", "is")):
            return word.removesuffix(ending)
    return word


def _is_mentioned(name: str, spoken: frozenset[str]) -> bool:
    """Whether every longer word in a name, ``lives_in`` or ``livesIn``, is a word of the text."""
    return all(stem(part) in spoken for part in _parts(name) if len(part) > 3)


def _is_negative(name: str) -> bool:
    """Whether a name itself says no: ``not_kind``, ``nonSmoker``, ``unhappy``."""
    return any(part == "non" or _NEGATIONS.fullmatch(part) or _NEGATIVE.fullmatch(part) for part in _parts(name))


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]
