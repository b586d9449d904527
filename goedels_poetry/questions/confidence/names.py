"""One thing with two names: what is said of the one does not reach the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from goedels_poetry.kernel.terms import Kind, Sort, Term, is_app
from goedels_poetry.questions.confidence.case import Case
from goedels_poetry.questions.confidence.outcomes import FormalizationTest
from goedels_poetry.questions.confidence.vocabulary import parts, stem, stems_of_name, words
from goedels_poetry.questions.entailment.program import Origin

MAX_SYMBOLS = 250
"""Programs with more are not searched for pairs: the work grows with the square."""
_PREFIXES = frozenset({"is", "are", "was", "be", "has", "have", "does", "do", "the", "a", "an"})
_LEAST_TYPO = 5
_CAPITAL = re.compile(r"\b[A-Z][a-z]+")


class Pair(NamedTuple):
    """Two symbols that may mean the same."""

    first: str
    second: str
    same_type: bool
    """Whether one could stand in the other's place."""


def pairs(case: Case) -> tuple[Pair, ...]:
    """Symbols whose names say that they may be one; not those that one formula uses side by side."""
    signature = case.program.signature
    used = case.goal_symbols.union(*case.symbols.values())
    typed = {name: signature.type_of(name) for name in sorted(used)}
    known = {name: kind for name, kind in typed.items() if kind is not None}
    values = {c.name: ((), data.sort) for data in signature.datatypes for c in data.constructors if not c.fields}
    known |= {name: kind for name, kind in sorted(values.items()) if name in used}
    if len(known) > MAX_SYMBOLS:
        return ()
    text = frozenset(stem(word) for word in words(" ".join((case.question, *case.sentences))))
    together = {
        frozenset(pair)
        for group in (*case.symbols.values(), case.goal_symbols)
        for pair in combinations(sorted(group & known.keys()), 2)
    }
    people = {name for name, (args, _) in known.items() if not args and _is_named(case, name)}
    found = [
        Pair(first, second, known[first] == known[second] and not {first, second} & values.keys())
        for first, second in combinations(known, 2)
        if frozenset((first, second)) not in together
        and not people.issuperset((first, second))
        and _alike(first, second, text)
    ]
    found += [
        Pair(whole, split, False)
        for whole, split in _folded(known, [name for name, (args, _) in signature.functions.items() if not args])
        if frozenset((whole, split)) not in together and Pair(whole, split, False) not in found
    ]
    return tuple(found)


def used_once(case: Case) -> FormalizationTest:
    """Predicates and functions that a single formula speaks of link nothing; a few are normal."""
    counts = Counter(name for group in (*case.symbols.values(), case.goal_symbols) for name in group)
    functions = [name for name in case.program.signature.functions if case.program.signature.functions[name][0]]
    used = [name for name in functions if counts[name]]
    once = sorted(name for name in used if counts[name] == 1)
    if len(used) < 4 or 5 * len(once) <= 3 * len(used):
        return FormalizationTest("used once", "passed", "most predicates link several formulas", tuple(once[:12]))
    words_ = f"{len(once)} of {len(used)} predicates occur in one formula only"
    return FormalizationTest("used once", "warning", words_, tuple(once[:12]))


def equated(case: Case) -> FormalizationTest:
    """Two names of the text are two things, people above all: that they are one only the text may say."""
    found = tuple(
        premise.name
        for premise in case.program.premises
        if premise.origin in (Origin.WORLD, Origin.UNSAID)
        and any(_is_one(case, part) for part in (premise.formula, *_conjuncts(premise.formula)))
    )
    if not case.sentences:
        return FormalizationTest("equated names", "skipped", "there is no text")
    if not found:
        return FormalizationTest("equated names", "passed", "no two names of the text are taken for one")
    reason = f"two names of the text are taken for one, which no sentence says: {', '.join(found[:12])}"
    return FormalizationTest("equated names", "failed", reason, found[:12])


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return term.args if is_app(term, "and") else ()


def _is_one(case: Case, term: Term) -> bool:
    """Whether it equates two constants that stand in the text with capital letters."""
    if not is_app(term, "=") or not all(part.kind is Kind.APP and not part.args for part in term.args):
        return False
    names_ = {part.name for part in term.args if part.sort in case.program.signature.sorts}
    return len(names_) > 1 and all(_is_named(case, name) for name in names_)


def _is_named(case: Case, name: str) -> bool:
    """Whether text or question has every word of a name, letter for letter, with a capital one at the beginning."""
    capital = {word.lower() for text in (*case.sentences, case.question) for word in _CAPITAL.findall(text)}
    return bool(parts(name)) and capital.issuperset(parts(name))


def _folded(known: dict[str, tuple[tuple[Sort, ...], Sort]], things: Iterable[str]) -> Iterator[tuple[str, str]]:
    """``lives_in_paris`` beside ``lives_in`` and ``paris``: a predicate that has swallowed an argument."""
    constants = set(map(stems_of_name, things))
    by_words = {_bare(name): name for name, (args, _) in known.items() if args}
    for name, (args, _) in known.items():
        mine = _bare(name)
        for cut in range(1, len(mine)) if args else ():
            other = by_words.get(mine[:cut])
            if other is not None and mine[cut:] in constants and len(known[other][0]) == len(args) + 1:
                yield name, other


def _bare(name: str) -> tuple[str, ...]:
    found = list(parts(name))
    while len(found) > 1 and found[0] in _PREFIXES:
        found.pop(0)
    return tuple(stem(part) for part in found)


def _alike(first: str, second: str, text: frozenset[str]) -> bool:
    mine, theirs = _bare(first), _bare(second)
    if not mine or not theirs:
        return False
    if sorted(mine) == sorted(theirs):
        return True
    if "".join(mine) == "".join(theirs):
        return True  # base_ball and baseball
    if len(mine) != len(theirs):
        return False
    apart = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
    if len(apart) != 1:
        return False
    one, other = apart[0]
    if one.isdigit() or other.isdigit() or (one in text and other in text):
        return False  # what the text has two words for are two things
    return _typo(one, other) or (len(mine) > 1 and _short_for(one, other))


def _typo(one: str, other: str) -> bool:
    """One letter changed, left out or put in, or two neighbours swapped."""
    if max(len(one), len(other)) < _LEAST_TYPO or abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rests = one[start:], other[start:]
    if len(one) == len(other):
        return rests[0][1:] == rests[1][1:] or (rests[0][:2] == rests[1][:2][::-1] and rests[0][2:] == rests[1][2:])
    longer, shorter = sorted(rests, key=len, reverse=True)
    return longer[1:] == shorter


def _short_for(one: str, other: str) -> bool:
    """Whether the shorter word abbreviates the longer one: ``yr`` and ``year``."""
    short, long = sorted((one, other), key=len)
    if len(short) < 2 or short[0] != long[0]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)
