"""Words of plain English and names of programs, brought to a common form: enough to compare, not to understand."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = re.compile(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)?|[0-9]+")
_FRAMES = (
    re.compile(r"^.*\b(?:statement|question|conclusion|hypothesis)\s*:\s*(?=\S)", re.IGNORECASE | re.DOTALL),
    re.compile(r"^.*\btrue\W+(?:or\W+)?false(?:\W+or\W+\w+)?\W*[?:.]\s*(?=\S)", re.IGNORECASE | re.DOTALL),
    re.compile(r"^\s*is\s+it\s+true\s+that\s+", re.IGNORECASE),
)


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ASKING = _set(
    "is are was were am do does did has have had can could will would shall should may might must what which who "
    "whom whose when where why how"
)
STOP = _set(
    "a an the of to in on at by for from with as and or if then than that this these those there it its they them "
    "their he she his her we you your i my is are was were be been being am do does did has have had will would can "
    "could may might must shall should all every each any some someone somebody something everyone everybody "
    "everything anyone anything people person thing things who which what when where whose whom also either both not "
    "no never none nobody nothing neither nor so such very more most only"
)
"""Words that say little about what a sentence is about."""

NEGATIONS = _set("not never no none nobody nothing nowhere neither nor without cannot false untrue")
_DENYING = _set(
    "only except unless fail fails failed lack lacks lacking lacked unable wrong deny denies refuse refuses few hardly "
    "rarely seldom avoid avoids outside stop stops free absent missing impossible illegal inactive invalid incorrect "
    "inconsistent imperfect insufficient incomplete invisible irregular irrelevant inaccurate infinite informal "
    "ineligible incapable immoral"
)
_SHAPING = _set("either but however exactly different differs differ other others less fewer instead rather")
_NEGATIVE_PREFIX = re.compile(
    r"un(?!i|de|til|t$|cle)[a-z]{3,}|dis(?!t|c)[a-z]{3,}|non[a-z]{3,}|anti[a-z]{4,}|[a-z]{3,}less|mis(?!s)[a-z]{4,}"
)
_NEGATIVE_PARTS = _set("not non no never without un cannot lacks lack isnt")


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """A key under which the forms of a regular English word meet: ``lives``, ``living`` and ``live`` give ``liv``."""
    word = word.lower()
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and re.search("[aeiouy]", rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            return _final(rest[:-1] if doubled else rest)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "i"
    if word.endswith("es") and len(word) > 4:
        return _final(word[:-2])
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        return _final(word[:-1])
    return _final(word)


def _final(word: str) -> str:
    if len(word) > 3 and word.endswith("e"):
        return word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def parts(name: str) -> tuple[str, ...]:
    """The words in a name, in lower case: ``livesIn``, ``lives_in`` and ``LIVES-IN`` give ``("lives", "in")``."""
    return tuple(found.lower() for found in _PART.findall(name))


def stems_of_name(name: str) -> tuple[str, ...]:
    """The stems in a name, in order."""
    return tuple(stem(part) for part in parts(name))


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in lower case; ``don't`` is one word."""
    return tuple(found.lower().replace("\u2019", "'") for found in _WORD.findall(text))


@lru_cache(maxsize=2_000)
def stems(text: str) -> frozenset[str]:
    """Stems of the words of a text that say what it is about."""
    return frozenset(stem(word.split("'")[0]) for word in words(text) if word.split("'")[0] not in STOP)


def asked(question: str) -> str:
    """What is asked, without phrases around it such as ``Is the following statement true or false?``."""
    for frame in _FRAMES:
        question = frame.sub("", question, count=1)
    return question.strip()


def interrogative(text: str) -> bool:
    """Whether a text asks instead of stating."""
    first = words(text)[:1]
    return text.rstrip().endswith("?") or bool(first and first[0] in _ASKING)


def negations(text: str) -> int:
    """How many words of a text negate for certain."""
    found = words(text)
    # "not only ... but also" and "no later than" do not negate what they stand in.
    only = sum(1 for first, second in pairwise(found) if (first, second) == ("not", "only"))
    return sum(1 for word in found if word in NEGATIONS or word.endswith("n't")) - only


def denies(text: str) -> bool:
    """Whether a text has a word that negates, or may: ``not``, ``unhappy``, ``fails to``."""
    return bool(negations(text)) or any(
        word in NEGATIONS or word in _DENYING or _NEGATIVE_PREFIX.fullmatch(word) for word in words(text)
    )


def may_negate(text: str) -> bool:
    """Whether a text denies, or says something that takes a negation to be said formally: ``either``, ``only``."""
    return denies(text) or any(word in _SHAPING for word in words(text))


def negative_name(name: str) -> bool:
    """Whether a name itself says no: ``not_kind``, ``nonSmoker``, ``unhappy``."""
    found = parts(name)
    return any(part in _NEGATIVE_PARTS or part in _DENYING or _NEGATIVE_PREFIX.fullmatch(part) for part in found)
