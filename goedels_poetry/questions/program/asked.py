"""What a program asks: its marked goals, or else the last assertion that its last check sees."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from goedels_poetry.kernel.reading.reader import Atom, Group, Lexeme, SExpr, Source, annotated, attributes, name_of
from goedels_poetry.kernel.terms import BOOL, Kind, Term, alpha, and_, app, is_app, not_, subterms
from goedels_poetry.questions.entailment.program import SAID, LogicGoal, Objective, Origin, Place

# What an assertion says of itself

MAX_SENTENCES = 1_000
"""Sentences that one premise may name; their numbers have at most six digits."""


@dataclass(frozen=True, slots=True)
class Notes:
    """The attributes of an assertion that we know."""

    name: str | None = None
    origin: Origin = Origin.UNSAID
    sentences: tuple[int, ...] = ()
    words: str = ""
    instead: str = ""
    objective: bool = False
    """It binds the objectives only."""


_NOTHING = Notes()


def read_notes(source: Source, body: SExpr) -> tuple[SExpr, Notes]:
    """The formula of an assertion, with the attributes that are not ours left on it, and ours.

    Raises:
        InvalidInput: an attribute that is malformed or stands there twice.
    """
    formula, pairs = attributes(source, body)
    if not pairs:
        return formula, _NOTHING
    seen: dict[str, tuple[Atom, SExpr]] = {}
    rest: list[tuple[Atom, SExpr]] = []
    for key, value in pairs:
        if key.text not in OURS:
            from goedels_poetry.kernel.reading.hints import (
                nearest,
            )  # for what is refused, and no part of what is trusted

            meant = nearest(key.text, OURS)
            if meant:
                source.fail(f"unknown attribute {key.text}", key, meant)
            rest.append((key, value))
        elif key.text in seen:
            source.fail(f"a second {key.text}", key, "remove one of them")
        else:
            seen[key.text] = key, value
    said = [origin for origin in SAID if f":{origin}" in seen]
    if len(said) > 1:
        key = seen[f":{said[1]}"][0]
        source.fail(f":{said[0]} and :{said[1]} of one premise", key, "a premise comes from one of them")
    if ":instead" in seen and said != [Origin.READING]:
        source.fail(":instead without :reading", seen[":instead"][0], 'say how the words are taken: :reading "..."')
    if ":objective" in seen and said == [Origin.READING]:
        source.fail(":objective of a reading", seen[":objective"][0], "a reading binds nothing: remove one of them")
    sentences = _sentences(source, *seen[":sentence"]) if ":sentence" in seen else ()
    source_note = seen[f":{said[0]}"] if said else None
    origin = said[0] if said else Origin.TEXT if sentences else Origin.UNSAID
    return annotated(formula, rest, body.offset), Notes(
        name_of(source, *seen[":named"]) if ":named" in seen else None,
        origin,
        sentences,
        _words(source, *source_note) if source_note else "",
        name_of(source, *seen[":instead"]) if ":instead" in seen else "",
        _truth(source, *seen[":objective"]) if ":objective" in seen else False,
    )


def _sentences(source: Source, key: Atom, value: SExpr) -> tuple[int, ...]:
    items = [value] if isinstance(value, Atom) else value.items
    numbers = []
    for item in items[: MAX_SENTENCES + 1]:
        numeral = isinstance(item, Atom) and item.kind is Lexeme.NUMERAL and len(item.text) <= 6
        if not isinstance(item, Atom) or not numeral or item.text == "0":
            source.fail(":sentence takes the number of a sentence, from 1, or several", item, "write :sentence (2 5)")
        numbers.append(int(item.text))
    if not numbers or len(numbers) > MAX_SENTENCES:
        source.fail(f":sentence takes 1 to {MAX_SENTENCES:,} numbers", key, "write :sentence (2 5)")
    return tuple(dict.fromkeys(numbers))


def _words(source: Source, key: Atom, value: SExpr) -> str:
    if not isinstance(value, Atom) or value.kind is not Lexeme.STRING or not value.text.strip():
        source.fail(f"{key.text} takes words in double quotes", key, f'write {key.text} "Penguins are birds."')
    return value.text


def _truth(source: Source, key: Atom, value: SExpr) -> bool:
    if not isinstance(value, Atom) or value.kind is not Lexeme.SYMBOL or value.text not in ("true", "false"):
        source.fail(f"{key.text} takes true or false", key)
    return value.text == "true"


OURS = frozenset({":named", ":sentence", ":instead", ":objective", *[f":{origin}" for origin in SAID]})


_GOAL = re.compile(r"goal([-_][A-Za-z0-9])?")
_NEGATED_GOAL = re.compile(r"(neg|not|refut|anti)\w*[-_]?(goal|query|conclusion|question)", re.IGNORECASE)
"""Names of premises that whoever wrote them meant for no premises."""
WRITE_GOAL = "ask with (define-fun goal () Bool formula)"


@dataclass(frozen=True, slots=True)
class Assertion:
    """What an ``assert`` adds to the stack; ``formula`` None: it poses a marked goal by name, or its negation."""

    formula: Term | None
    notes: Notes


@dataclass(frozen=True, slots=True)
class Entry:
    """The top of a stack of assertions and objectives, the rest of which it shares with other stacks."""

    below: Entry | None
    what: Assertion | Objective
    at: Group


Stack: TypeAlias = "Entry | None"


@dataclass(frozen=True, slots=True)
class Check:
    """A check of satisfiability: what it sees, and what it assumes besides."""

    stack: Stack
    assumed: tuple[Term, ...]
    at: Group


@dataclass(slots=True)
class Marked:
    """A marked goal. Its formula is read as late as can be, so that it may stand in front of declarations."""

    name: str
    body: SExpr
    at: Group
    formula: Term | None = None
    popped: int | None = None
    """Where it was taken back."""


@dataclass(frozen=True, slots=True)
class Said:
    """A premise: an assertion that is not what is asked."""

    formula: Term
    notes: Notes
    at: Group


@dataclass(frozen=True, slots=True)
class Asked:
    """All that is asked, and what of the stack remains."""

    goals: tuple[LogicGoal, ...]
    premises: tuple[Said, ...]
    objectives: tuple[Objective, ...]
    warnings: tuple[str, ...] = ()


def is_goal_name(name: str) -> bool:
    """``goal``, or the name of a choice: ``goal-A``, ``goal_B``."""
    return name == "goal" or (name.startswith(("goal-", "goal_")) and len(name) > len("goal-"))


def settle(source: Source, marked: list[Marked], stack: Stack, check: Check | None) -> Asked:
    """Tell what is asked from what is taken for true; ``stack`` is what remains at the end of the text.

    Raises:
        InvalidInput: nothing is asked, or not clearly; something would be lost without a word.
    """
    seen = bottom_up(check.stack if check else stack)
    _nothing_later(source, seen, stack)
    objectives = tuple(entry.what for entry in seen if isinstance(entry.what, Objective))
    asserted = [entry for entry in seen if isinstance(entry.what, Assertion)]
    for entry in asserted:
        if isinstance(entry.what, Assertion) and entry.what.notes.objective and not objectives:
            source.fail(":objective, but nothing is maximized or minimized", entry.at, "remove :objective")
    if marked:
        premises, warnings = _without_goals(source, marked, asserted)
        return Asked(_goals(source, marked, check), premises, objectives, warnings)
    if check and check.assumed:
        if objectives:
            source.fail("assumptions beside an objective", check.at, "state them with assert")
        asked = check.assumed[0] if len(check.assumed) == 1 else and_(check.assumed)
        return Asked((_unmarked(source, asked, check.at),), _premises(source, asserted), ())
    if objectives:
        return Asked((), _premises(source, asserted), objectives)
    return _last(source, asserted)


def bottom_up(stack: Stack) -> list[Entry]:
    """The entries of a stack, oldest first."""
    entries = []
    while stack is not None:
        entries.append(stack)
        stack = stack.below
    return entries[::-1]


def _nothing_later(source: Source, seen: list[Entry], stack: Stack) -> None:
    known = {id(entry) for entry in seen}
    for entry in bottom_up(stack):
        if id(entry) not in known:
            source.fail("this stands after the last (check-sat)", entry.at, "add (check-sat) at the end")


# ------------------------------------------------------------------------------------- with marked goals


def _goals(source: Source, marked: list[Marked], check: Check | None) -> tuple[LogicGoal, ...]:
    found: dict[str, LogicGoal] = {}
    for goal in marked:
        start = goal.at.offset
        if goal.popped is not None and not (check and start < check.at.offset < goal.popped):
            source.fail(f"(pop) takes `{goal.name}` back before the last check", goal.at, "remove push and pop")
        name = goal.name if goal.name == "goal" else goal.name[len("goal-") :]
        if name in found:
            source.fail(f"a second choice `{name}`", goal.at, "give each choice its own name")
        assert goal.formula is not None
        found[name] = LogicGoal(name, goal.formula, _place(source, goal.at))
    if "goal" in found and len(found) > 1:
        other = next(goal for goal in marked if goal.name != "goal")
        hint = "ask one goal, or choices only; call what is neither something else"
        source.fail(f"`{other.name}` beside `goal`", other.at, hint)
    return tuple(found.values())


def _without_goals(
    source: Source, marked: list[Marked], asserted: list[Entry]
) -> tuple[tuple[Said, ...], tuple[str, ...]]:
    """The premises. Who marks a goal and then asserts it, or its negation, asks again: that is never a premise.

    Unless it says where it comes from: a text may well state what is asked, and then deserves to be believed.
    """
    kept, warnings = [], []
    for entry in asserted:
        assertion = entry.what
        assert isinstance(assertion, Assertion)
        if assertion.formula is None or any(_poses(entry, assertion, goal) for goal in marked):
            line, _ = source.position(entry.at.offset)
            warnings.append(f"line {line}: what asserts the goal, or its negation, is no premise")
        else:
            kept.append(entry)
    return _premises(source, kept, marked=True), tuple(warnings)


def _poses(entry: Entry, assertion: Assertion, goal: Marked) -> bool:
    formula, asked = assertion.formula, goal.formula
    if formula is None or asked is None or entry.at.offset < goal.at.offset:
        return False
    if assertion.notes != Notes(name=assertion.notes.name) or abs(formula.size - asked.size) > 1:
        return False
    asked = alpha(asked)
    return alpha(formula) in (asked, not_(asked), app("not", (asked,), BOOL))


# ---------------------------------------------------------------------------------- without a marked goal


def _last(source: Source, asserted: list[Entry]) -> Asked:
    if not asserted:
        source.fail("the program asks nothing", max(len(source.text.rstrip()) - 1, 0), WRITE_GOAL)
    *rest, last = asserted
    assertion = last.what
    assert isinstance(assertion, Assertion) and assertion.formula is not None
    if assertion.notes.sentences or assertion.notes.words:
        source.fail("the program asks nothing: its last assertion is a premise", last.at, WRITE_GOAL)
    goal = _unmarked(source, assertion.formula, last.at)
    premises = _premises(source, rest)
    if _only_defines(assertion.formula, premises):
        source.fail("`goal` is declared, but not defined", last.at, WRITE_GOAL)
    warning = f"no goal is marked: the assertion of line {goal.place.line} is what is asked"
    return Asked((goal,), premises, (), (warning,))


def _only_defines(asked: Term, premises: tuple[Said, ...]) -> bool:
    """Whether what is asked says what a declared constant ``goal`` means: then that was to be asked."""
    named = [t for t in subterms(asked) if t.kind is Kind.APP and t.name == "goal" and t.sort is BOOL and not t.args]
    if not named or asked in (named[0], not_(named[0])):
        return False
    return not any(named[0] in subterms(premise.formula) for premise in premises)


def _unmarked(source: Source, asserted: Term, at: Group) -> LogicGoal:
    negated = is_app(asserted, "not")
    formula = asserted.args[0] if negated else asserted
    return LogicGoal("goal", formula, _place(source, at), marked=False, negated=negated)


def _premises(source: Source, asserted: list[Entry], marked: bool = False) -> tuple[Said, ...]:
    """Premises; ``marked``: of a program whose goal is marked."""
    found: list[Said] = []
    names: set[str] = set()
    for entry in asserted:
        assertion = entry.what
        assert isinstance(assertion, Assertion) and assertion.formula is not None
        name = assertion.notes.name
        unsaid = marked and assertion.notes.origin is Origin.UNSAID
        if name is not None and (_GOAL.fullmatch(name) or (unsaid and _NEGATED_GOAL.match(name))):
            source.fail(f"an assertion named `{name}` is a premise, and no goal", entry.at, WRITE_GOAL)
        if name is not None and name in names:
            source.fail(f"a second premise named `{name}`", entry.at, "give each its own name")
        names.add(name or "")
        found.append(Said(assertion.formula, assertion.notes, entry.at))
    return tuple(found)


def _place(source: Source, expr: SExpr) -> Place:
    return Place(*source.position(expr.offset))
