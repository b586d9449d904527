"""What follows when the text is read in another plausible way: below what is proved, and never mixed with it.

A program says what its text says. Where that leaves the question open, people go on: a list of conditions is taken for
complete, `or` for a choice, what is called after a kind for one of that kind, and what is not said for false. Each of
these readings is a premise more, found from the program's form, or written down by its author with `:reading`. They
are tried in this order, the weakest first; the first one that decides gives the answer, and it is named. Completion
is K. Clark's ("Negation as failure", in Logic and Data Bases, 1978), of one predicate at a time.

Of an answer that is proved, the readings that are weaker than its premises tell whether it depends on them.
"""

from __future__ import annotations

import itertools
import re
import time
from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import (
    BOOL,
    Term,
    and_,
    app,
    bottom_up,
    eq,
    exists,
    forall,
    implies,
    is_app,
    not_,
    or_,
    rebuild,
    symbols,
    var,
)
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.closed_world import constants_of, polarities, rules
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment, Solvers
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram, Origin
from goedels_poetry.questions.result import Answer, VerificationResult, answer_of

Kind = Literal["stated", "kind", "choice", "complete", "closed"]
"""By the author of the program · a thing called after a kind is one · `or` excludes both · the conditions, or things,
that are named are all · the closed world."""

MOST = 12
"""Readings that are tried one by one."""
MOST_PARTS = 40
"""Of an `or` that is read as a choice."""
SECONDS, SECONDS_EACH = 5.0, 1.0
"""Of wall time, for all readings of a program and for each."""
OPEN = Verdict.UNKNOWN
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

Decide = Callable[[LogicProgram, Literal["open", "closed"]], Entailment]
"""Decides a program within limits of its own; a second is enough."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Another way to take the text: premises that come, and names of those that go."""

    kind: Kind
    words: tuple[str, ...]
    added: tuple[LogicPremise, ...] = ()
    without: frozenset[str] = frozenset()

    def of(self, program: LogicProgram) -> LogicProgram:
        """The program so read."""
        kept = tuple(p for p in program.premises if p.name not in self.without)
        return replace(program, premises=(*kept, *self.added), objectives=(), constraints=(), readings=())


@dataclass(frozen=True, slots=True)
class Graded:
    """What readings say about a program."""

    answer: Answer = None
    """The answer under the weakest reading that gives one; None where the program has one, or none does."""
    assumed: tuple[str, ...] = ()
    """What this answer takes the text to say."""
    readings: tuple[dict[str, Any], ...] = ()
    """All that were tried and say something else than the program: ``{"kind", "words", "answer" (null: open),
    "verdict", "premises": formulas in SMT-LIB 2, "without": names of premises}``, the weakest first."""


def with_readings(
    program: LogicProgram,
    found: Entailment,
    result: VerificationResult,
    solvers: Solvers,
    *,
    milliseconds: float,
    completes: bool = True,
) -> VerificationResult:
    """The result with what readings of its program say; the rest of it stays as it is.

    Args:
        milliseconds: for all readings together, but no more than `SECONDS`.
        completes: see `graded`. What is asked in another semantics or world has been read otherwise already.
    """
    if result.semantics != "entailment" or result.world != "open":
        return result
    until = time.monotonic() + min(SECONDS, milliseconds / 1000)

    def decided(read: LogicProgram, world: Literal["open", "closed"]) -> Entailment:
        left = min(SECONDS_EACH, until - time.monotonic())
        try:
            return (
                decide(read, solvers=solvers, world=world, milliseconds=1000 * left) if left > 0 else Entailment(OPEN)
            )
        except EncodingError:  # a closed world that is too large to be written down
            return Entailment(OPEN)

    grades = graded(program, found, decided, completes=completes)
    return replace(result, reading_answer=grades.answer, reading_assumptions=grades.assumed, readings=grades.readings)


def graded(program: LogicProgram, found: Entailment, decide: Decide, *, completes: bool = True) -> Graded:
    """Try readings of a program that has been decided.

    Args:
        found: what is known about the program as it stands.
        decide: asked once for each reading, and again for several together where none alone decides.
        completes: whether what is not said may be taken for false. Not where "uncertain" is an answer.
    """
    answer, verdict, _ = answer_of(program, found)
    if not program.goals or verdict not in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN):
        return Graded()

    def under(reading: Reading) -> _Tried:
        world: Literal["open", "closed"] = "closed" if reading.kind == "closed" else "open"
        return _Tried(reading, *answer_of(program, decide(reading.of(program), world))[:2])

    if answer is not None:
        core = {name for goal in found.goals for name in goal.core}
        weaker = map(under, itertools.islice(_weaker(program, core), MOST))
        return Graded(readings=tuple(tried.to_json() for tried in weaker if tried.answer != answer))
    alone = [under(r) for r in itertools.islice(_stronger(program, completes), MOST)]
    possible = [tried for tried in alone if tried.verdict is not Verdict.INCONSISTENT]
    telling = [tried for tried in alone if tried.answer is not None]
    if not telling and len(possible) > 1:
        joined = _joined(possible, under)
        telling = [joined] if joined.answer is not None else []
    if not telling and completes:
        closed = under(Reading("closed", ("what does not follow is false, and there is nothing but what is named",)))
        telling = [closed] if closed.answer is not None else []
    if not telling:
        return Graded()
    first = telling[0]
    clear = all(tried.answer == first.answer for tried in telling if tried.reading.kind == first.reading.kind)
    listed = tuple(tried.to_json() for tried in telling)
    return Graded(first.answer, first.reading.words, listed) if clear else Graded(readings=listed)


@dataclass(frozen=True, slots=True)
class _Tried:
    """What a program answers when it is read so."""

    reading: Reading
    answer: Answer
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        reading = self.reading
        return {
            "kind": reading.kind,
            "words": "; ".join(reading.words),
            "answer": self.answer,
            "verdict": str(self.verdict),
            "premises": [show(premise.formula) for premise in reading.added],
            "without": sorted(reading.without),
        }


def _joined(alone: Sequence[_Tried], under: Callable[[Reading], _Tried]) -> _Tried:
    """Readings together, in their order, without those that contradict the ones before and those that can be spared."""
    best, *others = alone
    kept = [best.reading]
    for other in others:
        more = under(_all([*kept, other.reading]))
        if more.verdict is not Verdict.INCONSISTENT:
            kept, best = [*kept, other.reading], more
    for reading in reversed(kept) if best.answer is not None else ():
        fewer = [each for each in kept if each is not reading]
        less = under(_all(fewer))
        if less.answer == best.answer:
            kept, best = fewer, less
    return best


def _all(readings: Sequence[Reading]) -> Reading:
    words = tuple(word for reading in readings for word in reading.words)
    added = tuple(premise for reading in readings for premise in reading.added)
    without = frozenset(name for reading in readings for name in reading.without)
    return Reading(readings[-1].kind if readings else "stated", words, added, without)


# Readings under which more follows


def _stronger(program: LogicProgram, completes: bool) -> Iterator[Reading]:
    """The weakest first."""
    yield from map(_stated, program.readings)
    yield from _kinds(program)
    yield from _choices(program)
    if completes:
        yield from _completions(program)


def _stated(premise: LogicPremise) -> Reading:
    return Reading("stated", (premise.words,), (premise,), frozenset(filter(None, (premise.instead,))))


def _made(kind: Kind, formula: Term, words: str, sentences: tuple[int, ...] = ()) -> Reading:
    premise = LogicPremise(f"reading-{kind}", formula, origin=Origin.READING, sentences=sentences, words=words)
    return Reading(kind, (words,), (premise,))


def _kinds(program: LogicProgram) -> Iterator[Reading]:
    """``the_bird`` is a bird: a constant whose name has the words of a predicate's name."""
    predicates = [
        (name, _words(name), sorts[0])
        for name, (sorts, result) in program.signature.functions.items()
        if result is BOOL and len(sorts) == 1
    ]
    for thing in constants_of(program.signature):
        parts = _words(thing.name)
        for name, words, sort in predicates:
            if sort is thing.sort and words and words <= parts:
                yield _made("kind", app(name, (thing,), BOOL), f"{thing.name} is what its name says: {name}")


def _words(name: str) -> set[str]:
    return {part.lower() for part in _PART.findall(name)}


def _choices(program: LogicProgram) -> Iterator[Reading]:
    """``p or q`` of which only one holds, where none of the parts is negated: that is how a condition is written."""
    for premise in program.premises:
        if premise.origin is not Origin.TEXT and premise.origin is not Origin.UNSAID:
            continue
        for conditions, conclusion in rules(premise.formula):
            few = is_app(conclusion, "or") and len(conclusion.args) <= MOST_PARTS
            if few and not any(is_app(part, "not") for part in conclusion.args):
                one = and_([not_(and_(pair)) for pair in itertools.combinations(conclusion.args, 2)])
                formula = _closed(implies(and_(conditions), one))
                yield _made("choice", formula, f"`or` in {premise.name} is a choice: not both", premise.sentences)


def _closed(formula: Term) -> Term:
    return forall(sorted(formula.free, key=show), formula)


def _completions(program: LogicProgram) -> Iterator[Reading]:
    """Of each predicate that only rules and facts conclude: nothing else makes it true; those of the goal first."""
    signature = program.signature
    declared = {
        name
        for name, (_, result) in signature.functions.items()
        if result is BOOL and signature.definition(name) is None
    }
    concluded: _Ways = {}
    others: set[str] = set()
    for premise in program.premises:
        for conditions, conclusion in rules(premise.formula):
            if conclusion.name in declared and conclusion.sort is BOOL:
                concluded.setdefault(conclusion.name, []).append((conditions, conclusion, premise))
            else:
                others |= polarities(signature, [(conclusion, 1)], declared)[0]
    different = constants_of(signature)
    for name in _backwards(program, concluded):
        ways = concluded[name]
        if name in others or (len(ways) < 2 and not ways[0][0]):  # one fact is no list
            continue
        sorts = signature.functions[name][0]
        used = {v.name for conditions, head, _ in ways for v in and_([head, *conditions]).free}
        fresh = itertools.islice((f"of!{n}" for n in itertools.count() if f"of!{n}" not in used), len(sorts))
        binders = tuple(map(var, fresh, sorts))
        bodies = []
        for conditions, head, _ in ways:
            body = and_([*map(eq, binders, head.args), *conditions])
            bodies.append(exists(sorted(body.free - set(binders), key=show), body))
        formula = forall(binders, implies(app(name, binders, BOOL), or_(bodies)))
        named_of = [tuple(a for a in different if a.sort is sort) for sort in dict.fromkeys(sorts)]
        unequal = [app("distinct", things, BOOL) for things in named_of if len(things) > 1]
        sentences = tuple(sorted({number for *_, premise in ways for number in premise.sentences}))
        named = ", ".join(dict.fromkeys(premise.name for *_, premise in ways))
        words = f"what is stated of {name} ({named}) is complete: nothing else makes it true"
        yield _made("complete", and_([formula, *unequal]), words, sentences)


_Ways: TypeAlias = "dict[str, list[tuple[tuple[Term, ...], Term, LogicPremise]]]"
"""Of each predicate the rules that conclude it: conditions, conclusion, premise."""


def _backwards(program: LogicProgram, concluded: _Ways) -> list[str]:
    """Predicates that the goals rest on, those of the goals first."""
    found: dict[str, None] = {}
    waiting = deque(name for goal in program.goals for name in sorted(symbols(goal.formula)))
    while waiting:
        name = waiting.popleft()
        if name in concluded and name not in found:
            found[name] = None
            waiting.extend(
                each for conditions, *_ in concluded[name] for part in conditions for each in sorted(symbols(part))
            )
    return list(found)


# Readings under which less follows


def _weaker(program: LogicProgram, core: Container[str]) -> Iterator[Reading]:
    """Of premises that an answer rests on: what their author says instead, both for a choice, one direction for two."""
    for premise in program.premises:
        if premise.name not in core:
            continue
        yield from (_stated(other) for other in program.readings if other.instead == premise.name)
        if premise.origin not in (Origin.TEXT, Origin.UNSAID):
            continue
        for kind, change, words in (
            ("choice", _either, "both may hold in {}"),
            ("complete", _one_way, "{} says what is enough, not all that is"),
        ):
            formula = bottom_up(premise.formula, change)
            if formula is not premise.formula:
                reading = _made(cast(Kind, kind), formula, words.format(premise.name), premise.sentences)
                yield replace(reading, without=frozenset((premise.name,)))


def _either(term: Term, args: tuple[Term, ...]) -> Term:
    return or_(args) if is_app(term, "xor") else rebuild(term, args)


def _one_way(term: Term, args: tuple[Term, ...]) -> Term:
    """``p = conditions`` with a simple ``p``: what the conditions are is told, not that there are no others."""
    if is_app(term, "=") and len(args) == 2 and args[0].sort is BOOL:
        return implies(args[1], args[0])
    return rebuild(term, args)
