"""What is tested: a program, what was found out about it, and the words that it should render."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import Kind, Term, is_app, not_, rebuild, subterms
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram

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
