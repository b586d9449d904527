"""Tests that need no model: relevance, deciding premises, form, negations in words and in formulas."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.terms import BOOL, FALSE, TRUE, Kind, Term, alpha, and_, eq, exists, is_app, subterms
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.score import (
    CASE_ASSUMED,
    DECIDED,
    MAX_NODES,
    MAX_SHOWN,
    Case,
    FormalizationTest,
    Quantified,
    Solve,
    conjuncts,
    disjuncts,
    quantified,
    without_double_negations,
)
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram, Origin

# Negations in words and in formulas

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


ASSUMED = "Assumed:"
"""How the words of such a premise begin, by the prompts."""
MAX_GOALS = 40
"""Formulas that one query decides."""
PREFIX = "trust-"
"""Begins the names of what is added to a program here."""


class Solver:
    """The caller's solver with a bound on queries and seconds; beyond it, and for what fails, there is no answer."""

    def __init__(self, solve: Solve, queries: int = 6, seconds: float = 10.0) -> None:
        """``seconds`` from now: no query begins later."""
        self._solve = solve
        self._left = queries
        self._until = time.monotonic() + seconds

    def decide(self, program: LogicProgram) -> Entailment | None:
        """What the solver says to a program, or None."""
        if self._left <= 0 or time.monotonic() > self._until:
            return None
        self._left -= 1
        try:
            return self._solve(program)
        except GoedelsPoetryError:
            return None  # a formula too large for the solver, or no solver: what it would have said is not known

    def each(
        self, program: LogicProgram, premises: Sequence[LogicPremise], formulas: Sequence[Term]
    ) -> list[GoalAnswer | None]:
        """For each formula whether it follows from the premises, its negation does, or neither."""
        asked = formulas[:MAX_GOALS]
        goals = tuple(LogicGoal(f"{PREFIX}{number}", formula) for number, formula in enumerate(asked))
        if not goals:
            return [None] * len(formulas)
        found = self.decide(replace(program, premises=tuple(premises), goals=goals, objectives=(), constraints=()))
        by_name = {answer.name: answer for answer in found.goals} if found is not None else {}
        return [by_name.get(goal.name) for goal in goals] + [None] * (len(formulas) - len(asked))


def bare(case: Case, solver: Solver) -> tuple[FormalizationTest, frozenset[str]]:
    """What holds without any premise: the goal? premises? Also: premises of the proof that are equivalent to it.

    Returns the test and the names of these premises.
    """
    shown = [term for _, term in case.shown]
    same = [(premise.name, eq(term, premise.formula)) for term in shown[:1] for premise in case.core[:8]]
    goals = shown or [goal.formula for goal in case.program.goals]
    room = MAX_GOALS - len(same) - len(goals)
    premises = [premise for premise in case.program.premises if not premise.formula.free][: max(0, room)]
    answers = solver.each(
        case.program, (), [*goals, *(equal for _, equal in same), *(premise.formula for premise in premises)]
    )
    of_goals, of_same = answers[: len(goals)], answers[len(goals) : len(goals) + len(same)]
    of_premises = answers[len(goals) + len(same) :]
    equivalent = frozenset(
        name for (name, equal), answer in zip(same, of_same, strict=True) if equal is TRUE or _proved(answer)
    )
    if any(answer is not None and answer.verdict in DECIDED for answer in of_goals) or _needs_nothing(case):
        return _valid(case), equivalent
    empty = tuple(p.name for p, answer in zip(premises, of_premises, strict=True) if _proved(answer))
    if empty:
        reason = f"premises that are true whatever their names mean: {', '.join(empty[:12])}"
        return FormalizationTest("vacuous", "warning", reason, empty[:12]), equivalent
    if all(answer is None for answer in of_goals):
        return FormalizationTest("vacuous", "skipped", "no solver's answer"), equivalent
    return FormalizationTest("vacuous", "passed", "the goal does not hold by its form"), equivalent


def _needs_nothing(case: Case) -> bool:
    return case.decided and any(answer.verdict in DECIDED and not answer.core for answer in case.answers)


def _valid(case: Case) -> FormalizationTest:
    """The goal, or its negation, follows from no premise at all."""
    signature = case.program.signature
    if not case.goal_symbols & signature.functions.keys() and case.goal_symbols:
        return FormalizationTest("vacuous", "warning", "definitions alone decide the goal, no premise is needed")
    if not case.goal_symbols:
        return FormalizationTest("vacuous", "warning", "the goal is decided by calculation alone, no premise is needed")
    return FormalizationTest("vacuous", "failed", "the goal is decided by its form alone, no premise is needed")


def impossible_case(case: Case, solver: Solver) -> FormalizationTest | None:
    """Whether the goal is an implication whose condition cannot hold under the premises; None: it is not, or open."""
    conditions = [condition for _, term in case.shown[:1] if (condition := _condition(term)) is not None]
    answers = solver.each(case.program, case.program.premises, conditions)
    if any(answer is not None and answer.verdict is Verdict.REFUTED for answer in answers):
        reason = "the condition in the goal can never hold under the premises, so it holds for want of cases"
        return FormalizationTest("vacuous", "failed", reason)
    return None


def _proved(answer: GoalAnswer | None) -> bool:
    return answer is not None and answer.verdict is Verdict.PROVED


def _condition(term: Term) -> Term | None:
    """Of ``forall x (A => C)``: ``exists x A``; None for terms of another form."""
    binders: list[Term] = []
    while term.kind is Kind.FORALL:
        binders += term.binders
        term = term.body
    return exists(binders, and_(term.args[:-1])) if is_app(term, "=>") else None


def text_given(case: Case) -> FormalizationTest:
    """Without a text every premise is what a model believes of the world."""
    if case.sentences:
        return FormalizationTest("text given", "passed", "there is a text to rely on")
    if not case.program.premises:
        return FormalizationTest("text given", "skipped", "nothing is taken for true")
    return FormalizationTest(
        "text given", "warning", "there is no text: the answer rests on what the model holds for true"
    )


def goal_connected(case: Case) -> FormalizationTest:
    """What is asked must be spoken of by premises, or be defined."""
    signature = case.program.signature
    goal = case.goal_symbols
    if not goal:
        return FormalizationTest("goal connected", "skipped", "the goal uses no symbol of the program")
    spoken_of = frozenset().union(*case.symbols.values())
    meant = {name for name in goal if signature.definition(name) is not None or signature.constructor(name) is not None}
    missing = sorted(goal - spoken_of - meant)
    if not missing:
        return FormalizationTest("goal connected", "passed", "premises speak of everything that is asked")
    if goal.isdisjoint(spoken_of):
        return FormalizationTest(
            "goal connected", "failed", "no premise speaks of anything that is asked", _some(missing)
        )
    reason = f"no premise speaks of {', '.join(missing[:MAX_SHOWN])}, which the goal is about"
    return FormalizationTest("goal connected", "warning", reason, _some(missing))


def connected(case: Case) -> frozenset[str]:
    """Names of premises that share a symbol with the goal, be it through other premises."""
    waiting = [premise.name for premise in case.program.premises]
    reached = set(case.goal_symbols)
    grown = True
    while grown and waiting:
        near = [name for name in waiting if not case.symbols[name].isdisjoint(reached)]
        waiting = [name for name in waiting if case.symbols[name].isdisjoint(reached)]
        grown = bool(near)
        for name in near:
            reached |= case.symbols[name]
    return frozenset(case.symbols) - frozenset(waiting)


def unused_premises(case: Case) -> FormalizationTest:
    """Premises that share no symbol with the goal, not even through other premises, cannot bear on it."""
    near = connected(case)
    waiting = [premise.name for premise in case.program.premises if premise.name not in near]
    if not waiting:
        return FormalizationTest("unused premises", "passed", "every premise is connected with the goal")
    reason = f"{len(waiting)} of {len(case.program.premises)} premises have nothing to do with the goal"
    return FormalizationTest("unused premises", "warning", reason, _some(waiting))


def world_only(case: Case) -> FormalizationTest:
    """With a text to rely on, an answer should rest on it."""
    if not case.sentences:
        return FormalizationTest("world only", "skipped", "there is no text")
    if not case.decided or not case.core:
        return FormalizationTest("world only", "skipped", "the verdict rests on no premise")
    added = [premise.name for premise in case.core if premise.origin is Origin.WORLD]
    if not added:
        return FormalizationTest("world only", "passed", "no knowledge of the world was added to the proof")
    if len(added) == len(case.core):
        return FormalizationTest("world only", "failed", "the answer rests on nothing that the text says", _some(added))
    return FormalizationTest(
        "world only", "warning", "the answer rests on knowledge that the text does not give", _some(added)
    )


def _some(found: list[str]) -> tuple[str, ...]:
    return tuple(found[:MAX_SHOWN])


_OURS = (Origin.DERIVED, Origin.CLOSURE)


def assumed_goal(case: Case, same: frozenset[str] = frozenset()) -> FormalizationTest:
    """A premise that is what was to be shown: fine when a sentence of the text states it, else it was assumed.

    Args:
        same: names of premises that are known to be equivalent to it.
    """
    if not case.decided:
        return FormalizationTest("assumed goal", "skipped", "nothing was shown")
    shown = {alpha(term) for _, term in case.shown if term.size <= MAX_NODES}
    stating = [
        premise
        for premise in case.program.premises
        if premise.name in same or (premise.formula.size <= MAX_NODES and alpha(premise.formula) in shown)
    ]
    needed = {premise.name for premise in case.core}
    stating = [premise for premise in stating if premise.name in needed and premise.origin not in _OURS]
    if not stating:
        return FormalizationTest("assumed goal", "passed", "what was shown is no premise")
    names = tuple(premise.name for premise in stating)
    if any(premise.origin is Origin.WORLD for premise in stating) or not case.sentences:
        return FormalizationTest("assumed goal", "failed", "what was to be shown was assumed", names)
    if all(any(_states(case, number) for number in premise.sentences) for premise in stating):
        return FormalizationTest(
            "assumed goal", "passed", "a sentence of the text itself is what was to be shown", names
        )
    if any(premise.sentences for premise in stating):
        return FormalizationTest("assumed goal", "failed", "what was to be shown is only the question", names)
    reason = "what was to be shown is a premise that cites no sentence of the text"
    return FormalizationTest("assumed goal", "warning", reason, names)


def left_open(case: Case) -> FormalizationTest:
    """An open question has a world in which the goal is true, and one in which it is false."""
    if case.verdict is not Verdict.UNKNOWN:
        return FormalizationTest("left open", "skipped", "the goal is decided")
    open_ones = [
        answer.name for answer in case.answers if not answer.checks.with_goal == answer.checks.with_negation == "sat"
    ]
    if not open_ones:
        return FormalizationTest("left open", "passed", "there are worlds with and without the goal")
    return FormalizationTest("left open", "warning", "the solver gave up before it was decided", tuple(open_ones[:12]))


def _states(case: Case, number: int) -> bool:
    """Whether a sentence states anything: a question does not."""
    return not (case.sentence(number) or "?").rstrip().endswith("?")


def case_assumed(case: Case) -> FormalizationTest:
    """A circumstance of the case that the text leaves open and the answer needs: its words say ``Assumed: ...``."""
    assumed = [p for p in case.core if p.origin is Origin.WORLD and p.words.startswith(ASSUMED)]
    if not assumed:
        return FormalizationTest(CASE_ASSUMED, "passed", "nothing about the case is assumed")
    words = "; ".join(p.words.removeprefix(ASSUMED).strip() for p in assumed[:MAX_SHOWN])
    reason = f"the answer needs what the text does not say of the case: {words}"
    return FormalizationTest(CASE_ASSUMED, "warning", reason, _some([p.name for p in assumed]))


def guards(case: Case) -> FormalizationTest:
    """``exists`` over an implication and ``forall`` over a conjunction of conditions are nearly always slips."""
    stated = [(p.name, p.formula) for p in case.program.premises] + [(g.name, g.formula) for g in case.program.goals]
    wrong = [name for name, formula in stated if any(_unguarded(case, block) for block in quantified(formula))]
    if not wrong:
        return FormalizationTest("guards", "passed", "quantifiers are guarded")
    reason = f"`exists` over `=>`, or `forall` over `and`: {', '.join(wrong[:MAX_SHOWN])}"
    return FormalizationTest("guards", "warning", reason, _some(wrong))


def _unguarded(case: Case, block: Quantified) -> bool:
    def is_own(term: Term) -> bool:
        return term.kind is Kind.APP and bool(term.args) and term.name in case.program.signature.names

    if not block.universal:
        found = disjuncts(block.body, block.positive) or []
        return any(sign for _, sign in found) and any(not sign and is_own(term) for term, sign in found)
    found = conjuncts(block.body, block.positive) or []
    bound = block.body.free - block.term.free
    return len(found) > 1 and any(sign and is_own(term) and term.free & bound for term, sign in found)


def sanity_tests(
    program: LogicProgram,
    entailment: Entailment,
    question: str,
    sentences: Sequence[str],
    solve: Solve,
    *,
    max_queries: int = 6,
    max_seconds: float = 10.0,
) -> list[FormalizationTest]:
    """What speaks for and against a program as a rendering of its text and question; changes no verdict.

    Args:
        sentences: of the text, as they were numbered for the formalizer; [] without a text.
        solve: the solver; asked at most ``max_queries`` times, and not any more after ``max_seconds``.

    Returns:
        The tests in a fixed order; [] for a program without goals, and for verdicts that are none.
    """
    if not program.goals or entailment.verdict not in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN):
        return []
    case = Case(program, entailment, question, tuple(sentences))
    solver = Solver(solve, max_queries, max_seconds)
    vacuous, same = bare(case, solver)
    if vacuous.outcome == "passed":
        vacuous = impossible_case(case, solver) or vacuous
    return [
        text_given(case),
        left_open(case),
        goal_connected(case),
        unused_premises(case),
        assumed_goal(case, same),
        world_only(case),
        case_assumed(case),
        vacuous,
        polarity(case),
        premise_polarity(case),
        guards(case),
    ]
