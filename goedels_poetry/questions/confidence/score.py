"""What is tested of a formalization, what a test found out, and one number from many: the odds of an answer.

Every test multiplies the odds by the factor of its outcome, as if tests were independent. The score changes no
verdict.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Kind, Term, is_app, not_, rebuild, subterms
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram

Outcome = Literal["passed", "warning", "failed", "skipped"]
"""``failed``: most likely the program does not say what the text says; ``warning``: perhaps; ``skipped``: not known."""

Solve: TypeAlias = Callable[[LogicProgram], Entailment]
"""Decides a program within limits of its own; a second or two are enough for what the tests ask. Called in a thread."""

Ask: TypeAlias = Callable[[str, Mapping[str, str], Mapping[str, Any]], Awaitable["dict[str, Any] | str"]]
"""Fills in the prompt of that name, asks a model for an object of that JSON Schema; a text says why there is none."""


@dataclass(frozen=True, slots=True)
class FormalizationTest:
    """One question about how well a program says what was said in words."""

    name: str
    """One of the names in `confidence.FACTORS`."""
    outcome: Outcome
    text: str
    """One line for people."""
    about: tuple[str, ...] = ()
    """Premises, symbols, sentences or facts that it is about."""

    def to_json(self) -> dict[str, Any]:
        """As it stands in a result."""
        return {"name": self.name, "outcome": self.outcome, "words": self.text, "about": list(self.about)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> FormalizationTest:
        """The inverse of :meth:`to_json`."""
        return cls(data["name"], data["outcome"], data["words"], tuple(data["about"]))


Level = Literal["high", "medium", "low"]
HIGH, MEDIUM = 0.8, 0.5
"""Least scores of the levels."""

BASE = {Verdict.PROVED: 9.0, Verdict.REFUTED: 9.0, Verdict.UNKNOWN: 1.2, Verdict.INCONSISTENT: 0.1}
"""Odds before any test. What a solver had found to follow was right in 9 of 10 recorded answers of several models to
questions of five data sets; of 467 stories whose own formulas leave the conclusion open, 54 % are meant to. Premises
that contradict each other are nearly always a fault of the formalization. The factors of decided answers are fitted to
40 more of these (``scripts/measure_confidence.py --fit``; the prior is what stood here before)."""


CASE_ASSUMED = "case assumptions"
CAPPED = frozenset({CASE_ASSUMED})
"""Tests whose warning keeps an answer below `HIGH`, whatever else speaks for it."""


class Factor(NamedTuple):
    """What an outcome does to the odds of an answer, and why."""

    decided: float
    """When the verdict is ``proved`` or ``refuted``."""
    unknown: float
    reason: str


FACTORS: dict[tuple[str, str], Factor] = {
    ("text given", "warning"): Factor(0.4, 0.5, "4 of 5 such recorded answers were right, with formal texts 19 of 20"),
    ("left open", "warning"): Factor(1.0, 0.4, "more time might have decided it"),
    ("goal connected", "failed"): Factor(0.3, 0.3, "no premise speaks of anything that is asked"),
    ("goal connected", "warning"): Factor(0.8, 0.6, "a name of the question that no premise knows decides nothing"),
    ("unused premises", "warning"): Factor(0.95, 0.9, "texts do have sentences beside the point; little can be said"),
    ("assumed goal", "failed"): Factor(0.05, 1.0, "what was to be shown was put in"),
    ("assumed goal", "warning"): Factor(0.25, 1.0, "what was to be shown is a premise, and none says where it is from"),
    ("world only", "failed"): Factor(0.4, 1.0, "the text was given to be used"),
    ("world only", "warning"): Factor(0.63, 1.0, "knowledge of the world that was added may be wrong"),
    (CASE_ASSUMED, "warning"): Factor(0.55, 1.0, "what the text leaves open may be otherwise; see `CAPPED`"),
    ("readings", "warning"): Factor(0.42, 1.0, "the answer depends on one of several plausible readings"),
    ("vacuous", "failed"): Factor(0.15, 0.8, "true by form or for want of cases: the question was hardly meant so"),
    ("vacuous", "warning"): Factor(0.7, 0.9, "definitions alone decide, or premises say nothing"),
    ("polarity", "warning"): Factor(0.1, 0.8, "a flipped goal gives the opposite answer"),
    ("premise polarity", "warning"): Factor(0.4, 0.5, "a flipped premise changes what follows"),
    ("guards", "warning"): Factor(0.4, 0.4, "`exists` over `=>` says next to nothing, `forall` over `and` too much"),
    ("stated facts", "passed"): Factor(1.4, 1.2, "what the text states follows"),
    ("stated facts", "warning"): Factor(0.8, 0.4, "something that the text states does not follow"),
    ("stated facts", "failed"): Factor(0.2, 0.3, "the negation of something that the text states follows"),
    ("back-translation", "passed"): Factor(2.3, 1.5, "a reader finds the question and the text in it"),
    ("back-translation", "warning"): Factor(0.6, 0.6, "a reader misses something of the text in it"),
    ("back-translation", "failed"): Factor(0.3, 0.4, "a reader finds something else in it"),
    ("answer polarity", "passed"): Factor(1.7, 1.0, "a reader agrees which answer the goal stands for"),
    ("answer polarity", "failed"): Factor(0.05, 0.7, "a reader takes the goal for the opposite of the question"),
    ("answer polarity", "warning"): Factor(0.7, 0.8, "a goal that answers neither yes nor no was perhaps not asked"),
    ("assumptions", "warning"): Factor(0.3, 0.9, "a reader doubts something that was assumed"),
    ("assumptions", "passed"): Factor(1.1, 1.0, "a reader doubts nothing that was assumed"),
}
"""By name of the test and outcome; what is not here changes nothing."""


def confidence(tests: Iterable[FormalizationTest], verdict: Verdict) -> dict[str, Any]:
    """``{"level": "high" | "medium" | "low", "score": chance from 0 to 1, "tests": [...]}``.

    Of a verdict that no base is known for (``invalid``, ``out_of_budget``) the score is 0.
    """
    tests = tuple(tests)
    odds = BASE.get(verdict, 0.0)
    for test in tests:
        factor = FACTORS.get((test.name, test.outcome))
        if factor is not None:
            odds *= factor.unknown if verdict is Verdict.UNKNOWN else factor.decided
    score = round(odds / (1 + odds), 3)
    if any(test.name in CAPPED and test.outcome == "warning" for test in tests):
        score = min(score, HIGH - 0.001)
    return {"level": level(score), "score": score, "tests": [test.to_json() for test in tests]}


def otherwise(result: Mapping[str, Any]) -> list[FormalizationTest]:
    """Of a decided answer, as JSON: whether it depends on how the text is read."""
    if result.get("answer") is None:
        return []
    words = [str(reading["words"]) for reading in result.get("readings", ())]
    if not words:
        return [FormalizationTest("readings", "passed", "no reading that was tried gives another answer")]
    reason = f"the answer would be another, or open: {'; '.join(words)}"
    return [FormalizationTest("readings", "warning", reason, tuple(words))]


def level(score: float) -> Level:
    """The level of a score."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"


# What is tested: a program, what was found out about it, and the words that it should render

MAX_NODES = 20_000
"""Formulas with more nodes are not looked into for their shape."""
MAX_SHOWN = 12
"""Names that a test names."""


def spoken(term: Term, signature: Signature) -> frozenset[str]:
    """The program's own symbols in a term, those in the definitions of what it uses included."""
    found: set[str] = set()
    waiting = [term]
    while waiting:
        for part in subterms(waiting.pop()):
            names = (part.name, *(i for i in part.indices if isinstance(i, str))) if part.kind is Kind.APP else ()
            for name in names:
                if name in signature.names and name not in found:
                    found.add(name)
                    definition = signature.definition(name)
                    if definition is not None:
                        waiting.append(definition.body)
    return frozenset(found)


def applied(term: Term, signature: Signature) -> frozenset[str]:
    """The program's own symbols in a term as it is written."""
    return frozenset(
        name
        for part in subterms(term)
        if part.kind is Kind.APP
        for name in (part.name, *(i for i in part.indices if isinstance(i, str)))
        if name in signature.names
    )


def without_double_negations(term: Term) -> Term:
    """The term without pairs of negations."""
    done: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if t.args and t not in done:
            args = tuple([go(a) for a in t.args])
            done[t] = not_(*args) if is_app(t, "not") else rebuild(t, args)
        return done.get(t, t)

    return go(term)


class Quantified(NamedTuple):
    """A block of quantifiers as what it means where it stands: below a negation ``exists`` is universal."""

    universal: bool
    term: Term
    body: Term
    positive: bool
    """Whether the body counts as it is, or negated."""


def quantified(term: Term) -> Iterator[Quantified]:
    """The quantifier blocks in a formula that are reached through connectives of known polarity, outermost first."""
    if term.size > MAX_NODES:
        return
    stack = [(term, True)]
    seen: set[tuple[Term, bool]] = set()
    while stack:
        top, positive = stack.pop()
        if (top, positive) in seen:
            continue
        seen.add((top, positive))
        if top.kind in (Kind.FORALL, Kind.EXISTS):
            body = top.body
            while body.kind is top.kind:
                body = body.body
            yield Quantified((top.kind is Kind.FORALL) is positive, top, body, positive)
            stack.append((body, positive))
        elif is_app(top, "not"):
            stack.append((top.args[0], not positive))
        elif top.kind is Kind.APP and top.name in ("and", "or"):
            stack.extend((part, positive) for part in reversed(top.args))
        elif is_app(top, "=>"):
            stack.append((top.args[-1], positive))
            stack.extend((part, not positive) for part in reversed(top.args[:-1]))


def disjuncts(term: Term, positive: bool) -> list[tuple[Term, bool]] | None:
    """Parts, each with its sign, that the signed term is a disjunction of; None when it is none."""
    return _parts(term, positive, disjunction=True)


def conjuncts(term: Term, positive: bool) -> list[tuple[Term, bool]] | None:
    """Parts, each with its sign, that the signed term is a conjunction of; None when it is none."""
    return _parts(term, positive, disjunction=False)


def _parts(term: Term, positive: bool, *, disjunction: bool) -> list[tuple[Term, bool]] | None:
    stack, found, split = [(term, positive)], list[tuple[Term, bool]](), False
    while stack:
        top, sign = stack.pop()
        if is_app(top, "not"):
            stack.append((top.args[0], not sign))
        elif is_app(top, "or" if sign is disjunction else "and"):
            split = True
            stack.extend((part, sign) for part in reversed(top.args))
        elif is_app(top, "=>") and sign is disjunction:
            split = True
            stack.append((top.args[-1], sign))
            stack.extend((part, not sign) for part in reversed(top.args[:-1]))
        else:
            found.append((top, sign))
    return found if split else None


DECIDED = (Verdict.PROVED, Verdict.REFUTED)


@dataclass(frozen=True)
class Case:
    """A formalization and its verdict."""

    program: LogicProgram
    entailment: Entailment
    question: str
    sentences: tuple[str, ...]
    """Of the text, the first one is number 1; () without a text."""

    @property
    def verdict(self) -> Verdict:
        """Of the whole program."""
        return self.entailment.verdict

    @property
    def decided(self) -> bool:
        """Whether the goal or its negation was found to follow."""
        return self.verdict in DECIDED

    @cached_property
    def answers(self) -> tuple[GoalAnswer, ...]:
        """The goals that carry the verdict: of several options the one that follows."""
        same = tuple(answer for answer in self.entailment.goals if answer.verdict is self.verdict)
        return same or self.entailment.goals

    @cached_property
    def core(self) -> tuple[LogicPremise, ...]:
        """The premises that a decided verdict rests on."""
        names = {name for answer in self.answers for name in answer.core} if self.decided else set()
        return tuple(premise for premise in self.program.premises if premise.name in names)

    @cached_property
    def shown(self) -> tuple[tuple[LogicGoal, Term], ...]:
        """The goals that carry a decided verdict, each with what was found to follow: it, or its negation."""
        verdicts = {answer.name: answer.verdict for answer in self.answers}
        return tuple(
            (goal, goal.formula if verdicts[goal.name] is Verdict.PROVED else not_(goal.formula))
            for goal in self.program.goals
            if verdicts.get(goal.name) in DECIDED
        )

    @cached_property
    def symbols(self) -> dict[str, frozenset[str]]:
        """The program's symbols that each premise speaks of, definitions expanded; by the premise's name."""
        return {p.name: spoken(p.formula, self.program.signature) for p in self.program.premises}

    @cached_property
    def goal_symbols(self) -> frozenset[str]:
        """Those that the goals speak of."""
        return frozenset().union(*(spoken(goal.formula, self.program.signature) for goal in self.program.goals))

    def names(self, term: Term) -> frozenset[str]:
        """The program's symbols in a term as it is written."""
        return applied(term, self.program.signature)

    def sentence(self, number: int) -> str | None:
        """The sentence of that number; None when there is none."""
        return self.sentences[number - 1] if 1 <= number <= len(self.sentences) else None
