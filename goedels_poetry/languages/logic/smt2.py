"""SMT-LIB 2 text, as people and models write it, to a `LogicProgram`.

A program says what it takes for true with ``assert`` and what it asks with ``(define-fun goal () Bool φ)``; without
such a definition the last assertion that the last check sees is what it asks. Nothing of the text is ever handed to a
solver: commands outside those listed here refuse the program, and so does one name that is unknown or ill-typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.logic.notes import Notes, read_notes
from goedels_poetry.languages.logic.program import LogicGoal, LogicPremise, LogicProgram, Objective, Place
from goedels_poetry.languages.smt.commands import DECLARING, command_of, is_word, reserve_names
from goedels_poetry.languages.smt.declare import Declarations
from goedels_poetry.languages.smt.elaborate import Elaborator, Scope
from goedels_poetry.languages.smt.problem import Definition, Signature
from goedels_poetry.languages.smt.reader import Atom, Group, Lexeme, SExpr, Source, decode, read
from goedels_poetry.languages.smt.symbols import Symbols
from goedels_poetry.languages.smt.terms import (
    BOOL,
    INT,
    REAL,
    Term,
    and_,
    app,
    eq,
    forall,
    fresh_name,
    is_app,
)

MAX_LEVELS = 1_000
"""``push`` takes at most as many levels at once."""

_WRITE_GOAL = "ask with (define-fun goal () Bool formula)"


def read_smt2(text: str | bytes, *, dialect: str = "smt2") -> LogicProgram:
    """Read a program; ``dialect`` is what the result says that it was written in.

    Raises:
        InvalidInput: with line, column and, where there is one, a hint; for whatever is not a program.
    """
    source = Source(decode(text))
    commands = read(source)
    try:
        script = _Script(source, commands)
        for command in commands:
            script.command(command)
        return script.program(dialect)
    except RecursionError:  # the depth limits should prevent it; a traceback must never be the answer
        raise InvalidInput("the program is nested too deeply", 1, 1, "name parts with define-fun") from None


@dataclass(frozen=True, slots=True)
class _Assertion:
    """What an ``assert`` adds to the stack; ``formula`` None: it poses the goal itself, or its negation."""

    formula: Term | None
    notes: Notes
    at: SExpr


@dataclass(frozen=True, slots=True)
class _Entry:
    """The top of a stack of assertions and objectives, which is shared with all that are taller."""

    below: _Entry | None
    what: _Assertion | Objective
    at: Group


_Stack: TypeAlias = "_Entry | None"


def _bottom_up(stack: _Stack) -> list[_Entry]:
    entries = []
    while stack is not None:
        entries.append(stack)
        stack = stack.below
    return entries[::-1]


@dataclass(frozen=True, slots=True)
class _Check:
    """A ``check-sat``: what it sees, and what it assumes besides."""

    stack: _Stack
    assumed: tuple[Term, ...]
    at: Group


@dataclass(slots=True)
class _Goal:
    """A marked goal. Its formula is read as late as can be, so that it may stand in front of declarations."""

    name: str
    body: SExpr
    at: Group
    formula: Term | None = None
    given_up: bool = False


class _Script:
    """The commands of one program, in order."""

    def __init__(self, source: Source, commands: list[SExpr]) -> None:
        self.source = source
        self.symbols = Symbols(source, commands)
        reserve_names(commands, self.symbols.reserved)
        self.elaborator = Elaborator(self.symbols, mixed=True)
        self.declarations = Declarations(self.symbols, self.elaborator)
        self.goal_names = frozenset(name for command in commands for name in _goal_name(command))
        self.goals: dict[str, _Goal] = {}
        self.stack: _Stack = None
        self.levels: list[tuple[_Stack, int, int]] = []  # at each push: the stack, names claimed, goals
        self.check: _Check | None = None
        self.ignored: dict[str, None] = {}
        self.warnings: list[str] = []
        self.exited = False

    def command(self, expr: SExpr) -> None:
        name, expr = command_of(self.source, expr)
        if self.exited:
            self.source.fail(f"`{name}` after exit", expr, "remove what follows (exit)")
        action = _COMMANDS.get(name)
        if action is not None:
            action(self, expr)
            self.declarations.elaborate_instances()
        elif name in _IGNORED or name.startswith("get-"):
            self.ignored[name] = None
        elif name in _REFUSED:
            self.source.fail(f"command `{name}` is not allowed", expr, _REFUSED[name])
        else:
            hint = "known are declare-..., define-..., assert, check-sat, push, pop, maximize, minimize"
            self.source.fail(f"unknown command `{name}`", expr, f"{hint}; a remark begins with ;")

    # ---------------------------------------------------------------------------------- what is said

    def declare(self, expr: Group) -> None:
        name = next(iter(_goal_name(expr)), None)
        first = len(self.symbols.claimed)
        if name is None:
            self.declarations.command(expr)
            for _, claimed in self.symbols.claimed[first:]:
                if claimed in self.goal_names:
                    self.source.fail(f"`{claimed}` is declared, and defined as a goal", expr, "rename it")
            return
        before = self.goals.get(name)
        if before is not None:
            line = self.source.position(before.at.offset)[0]
            hint = "one question a program, or the choices goal-A, goal-B, ..."
            self.source.fail(f"`{name}` is defined twice (first in line {line})", expr, hint)
        self.symbols.claim(name, expr, "goal")
        self.goals[name] = _Goal(name, expr.items[-1], expr)

    def assertion(self, expr: Group) -> None:
        if len(expr.items) != 2:
            self.source.fail("one formula was expected here", expr, "write (assert formula)")
        body, notes = read_notes(self.source, expr.items[1])
        posed = self._poses_goal(body)
        formula = None if posed else self.elaborator.closed(body, Scope(), BOOL)
        self.stack = _Entry(self.stack, _Assertion(formula, notes, expr), expr)

    def _poses_goal(self, body: SExpr) -> bool:
        """Whether a formula is a marked goal or its negation: that is asked, and never taken for true."""
        if isinstance(body, Group) and len(body.items) == 2 and is_word(body.items[0], "not"):
            body = body.items[1]
        return isinstance(body, Atom) and body.kind is Lexeme.SYMBOL and body.text in self.goal_names

    def objective(self, expr: Group) -> None:
        items = expr.items
        word = self.elaborator.symbol(items[0], "a command")
        named = len(items) == 4 and isinstance(items[2], Atom) and items[2].text == ":id"
        if len(items) != 2 and not named:
            self.source.fail(f"{word} takes one term", expr, f"write ({word} term)")
        term = self.elaborator.closed(items[1], Scope(), None)
        if term.sort not in (INT, REAL) and term.sort.name != "BitVec":
            self.source.fail(f"{word} takes a number, got {term.sort}", items[1])
        self.stack = _Entry(self.stack, Objective(word == "maximize", term, self._place(expr)), expr)

    # -------------------------------------------------------------------------------- push, pop, check

    def push(self, expr: Group) -> None:
        self.levels += [(self.stack, len(self.symbols.claimed), len(self.goals))] * self._count(expr)

    def pop(self, expr: Group) -> None:
        count = self._count(expr)
        if count > len(self.levels):
            self.source.fail("more is popped than was pushed", expr, "remove this (pop)")
        if not count:
            return
        self._read_goals()
        self.stack, names, goals = self.levels[-count]
        del self.levels[-count:]
        self.symbols.give_up(names)
        checked = self.check
        for goal in list(self.goals.values())[goals:]:
            goal.given_up = checked is None or checked.at.offset < goal.at.offset or goal.given_up

    def _count(self, expr: Group) -> int:
        if len(expr.items) == 1:
            return 1
        count = expr.items[1]
        if len(expr.items) != 2 or not isinstance(count, Atom) or count.kind is not Lexeme.NUMERAL:
            self.source.fail("a number of levels was expected here", expr, "write (push 1)")
        if len(count.text) > 4 or int(count.text) > MAX_LEVELS:
            self.source.fail(f"more than {MAX_LEVELS:,} levels at once", count)
        return int(count.text)

    def check_sat(self, expr: Group) -> None:
        if len(expr.items) != 1:
            self.source.fail("check-sat takes no arguments", expr, "or write (check-sat-assuming (p q))")
        self.check = _Check(self.stack, (), expr)

    def check_using(self, expr: Group) -> None:
        self.ignored["check-sat-using"] = None
        self.check = _Check(self.stack, (), expr)

    def check_assuming(self, expr: Group) -> None:
        if len(expr.items) != 2 or not isinstance(expr.items[1], Group):
            self.source.fail("a list of literals was expected here", expr, "write (check-sat-assuming (p (not q)))")
        items = [item for item in expr.items[1].items if not self._poses_goal(item)]
        if items and self.goal_names:
            self.source.fail("assumptions beside a marked goal", expr, "state them with assert")
        self.check = _Check(self.stack, tuple(self.elaborator.closed(i, Scope(), BOOL) for i in items), expr)

    def reset(self, expr: Group) -> None:
        if self.stack or self.symbols.claimed or self.levels or self.check:
            self.source.fail("what was said cannot be taken back", expr, "leave out all that stands before it")

    def exit(self, expr: Group) -> None:
        self.exited = True

    def option(self, expr: Group) -> None:
        key = expr.items[1] if len(expr.items) == 3 else expr
        if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
            self.source.fail("set-option takes a keyword and a value", expr)
        value = expr.items[2]
        files = isinstance(value, Atom) and value.kind is Lexeme.STRING
        if files or any(word in key.text for word in ("channel", "file", "log")):
            self.source.fail(f"option `{key.text}` is not allowed", expr, "a program neither reads nor writes files")
        self.ignored[f"set-option {key.text}"] = None

    # ------------------------------------------------------------------------------------- the program

    def program(self, dialect: str) -> LogicProgram:
        """All that was read.

        Raises:
            InvalidInput: nothing is asked, or not clearly.
        """
        self._read_goals()
        stack, assumed = (self.check.stack, self.check.assumed) if self.check else (self.stack, ())
        self._all_checked(stack)
        entries = [entry.what for entry in _bottom_up(stack)]
        assertions = [what for what in entries if isinstance(what, _Assertion)]
        objectives = tuple(what for what in entries if isinstance(what, Objective))
        goals, assertions = self._asked(assertions, assumed, bool(objectives))
        names = {a.notes.name for a in assertions if a.notes.name}
        signature, axioms = self._founded(self.declarations.signature(), names)
        said = [(a, self._premise(a, names, number)) for number, a in enumerate(assertions, 1)]
        return LogicProgram(
            dialect,
            self.source.text,
            signature,
            (*axioms, *(premise for a, premise in said if not a.notes.objective)),
            goals,
            objectives,
            tuple(premise for a, premise in said if a.notes.objective),
            (*self._left_aside(), *self.warnings, *self.elaborator.warnings),
        )

    def _read_goals(self) -> None:
        for goal in self.goals.values():
            if goal.formula is None:
                goal.formula = self.elaborator.closed(goal.body, Scope(), BOOL)

    def _all_checked(self, stack: _Stack) -> None:
        """Refuse assertions that the last check does not see: they would be lost without a word."""
        seen = {id(entry) for entry in _bottom_up(stack)}
        for entry in _bottom_up(self.stack):
            if id(entry) not in seen:
                self.source.fail("this stands after the last check-sat", entry.at, "add (check-sat) at the end")

    def _asked(
        self, assertions: list[_Assertion], assumed: tuple[Term, ...], optimises: bool
    ) -> tuple[tuple[LogicGoal, ...], list[_Assertion]]:
        """The goals, and the assertions that are premises."""
        if self.goals:
            return self._marked(), self._without_question(assertions)
        if assumed:
            assert self.check is not None
            if optimises:
                self.source.fail("assumptions beside an objective", self.check.at, "state them with assert")
            asked = assumed[0] if len(assumed) == 1 else and_(assumed)
            return (_unmarked(asked, self._place(self.check.at)),), assertions
        candidates = [a for a in assertions if not a.notes.objective]
        if optimises:
            return (), assertions
        if not candidates:
            end = max(len(self.source.text.rstrip()) - 1, 0)
            self.source.fail("the program asks nothing", end, _WRITE_GOAL)
        last = candidates[-1]
        if last.notes.sentences or last.notes.words:
            self.source.fail("the program asks nothing: its last assertion is a premise", last.at, _WRITE_GOAL)
        assert last.formula is not None
        rest = [a for a in assertions if a is not last]
        self._no_goal_among(rest)
        return (_unmarked(last.formula, self._place(last.at)),), rest

    def _marked(self) -> tuple[LogicGoal, ...]:
        found: dict[str, LogicGoal] = {}
        for goal in self.goals.values():
            if goal.given_up:
                self.source.fail(f"(pop) takes `{goal.name}` back before any check", goal.at, "remove push and pop")
            name = goal.name if goal.name == "goal" else goal.name[len("goal-") :]
            if name in found:
                self.source.fail(f"a second choice {name}", goal.at, "give each its own name")
            assert goal.formula is not None
            found[name] = LogicGoal(name, goal.formula, self._place(goal.at))
        if "goal" in found and len(found) > 1:
            other = next(goal for goal in self.goals.values() if goal.name != "goal")
            self.source.fail(f"`{other.name}` beside `goal`", other.at, "one goal, or choices only; rename the other")
        return tuple(found.values())

    def _without_question(self, assertions: list[_Assertion]) -> list[_Assertion]:
        """The assertions that are premises where the goal is marked: one that poses the goal again is none."""
        asked = [goal.formula for goal in self.goals.values() if goal.formula is not None]
        questions = {*asked, *(app("not", (formula,), BOOL) for formula in asked)}
        kept = []
        for a in assertions:
            last = a is assertions[-1] and a.notes == Notes(name=a.notes.name)
            if a.formula is None or (last and a.formula in questions):
                line = self.source.position(a.at.offset)[0]
                self.warnings.append(f"line {line}: the assertion of what is asked is no premise")
            else:
                kept.append(a)
        self._no_goal_among(kept)
        return kept

    def _no_goal_among(self, assertions: list[_Assertion]) -> None:
        for a in assertions:
            if a.notes.name is not None and _is_goal_name(a.notes.name):
                self.source.fail(f"an assertion named `{a.notes.name}` would be a premise", a.at, _WRITE_GOAL)

    def _premise(self, a: _Assertion, names: set[str], number: int) -> LogicPremise:
        assert a.formula is not None
        name = a.notes.name or fresh_name(f"premise-{number}", names)
        names.add(name)
        return LogicPremise(name, a.formula, self._place(a.at), a.notes.origin, a.notes.sentences, a.notes.words)

    def _founded(self, signature: Signature, names: set[str]) -> tuple[Signature, list[LogicPremise]]:
        """Recursive definitions that are not seen to end become premises, as which SMT-LIB means them anyway.

        A definition that contradicts itself then makes the premises inconsistent, and is named as the reason.
        """
        if not any(d.recursive for d in signature.definitions):
            return signature, []
        from goedels_poetry.languages.smt.wellfounded import termination

        open_ended = {
            name for group in termination(signature, lambda sequent: False) if not group.ok for name in group.group
        }
        loose = [d for d in signature.definitions if d.name in open_ended]
        functions = {d.name: (tuple(p.sort for p in d.params), d.sort) for d in loose}
        axioms = []
        for d in loose:
            name = fresh_name(f"definition-of-{d.name}", names)
            names.add(name)
            axioms.append(LogicPremise(name, _equation(d), words=f"the recursive definition of {d.name}"))
            self.warnings.append(f"the recursion of `{d.name}` is not seen to end: its definition is a premise")
        kept = tuple(d for d in signature.definitions if d.name not in open_ended)
        return replace(
            signature, functions=MappingProxyType({**signature.functions, **functions}), definitions=kept
        ), axioms

    def _left_aside(self) -> Iterator[str]:
        if self.ignored:
            yield f"left aside: {', '.join(self.ignored)}"

    def _place(self, expr: SExpr) -> Place:
        return Place(*self.source.position(expr.offset))


def _equation(d: Definition) -> Term:
    return forall(d.params, eq(app(d.name, d.params, d.sort), d.body))


def _unmarked(asserted: Term, place: Place) -> LogicGoal:
    negated = is_app(asserted, "not")
    return LogicGoal("goal", asserted.args[0] if negated else asserted, place, marked=False, negated=negated)


def _is_goal_name(name: str) -> bool:
    return name == "goal" or (name.startswith(("goal-", "goal_")) and len(name) > len("goal-"))


def _goal_name(command: SExpr) -> Iterator[str]:
    """The name of the goal that a command defines: ``(define-fun goal () Bool formula)`` or ``(define-const ...)``."""
    items = command.items if isinstance(command, Group) else []
    if len(items) < 4 or not isinstance(items[1], Atom) or not _is_goal_name(items[1].text):
        return
    function = is_word(items[0], "define-fun") or is_word(items[0], "define-fun-rec")
    nullary = len(items) == 5 and function and isinstance(items[2], Group) and not items[2].items
    constant = len(items) == 4 and is_word(items[0], "define-const")
    if (nullary or constant) and is_word(items[-2], "Bool"):
        yield items[1].text


_IGNORED = frozenset({"set-logic", "set-info", "echo", "simplify", "eval", "display"})
_REFUSED = {
    "include": "put everything into one file",
    "assert-soft": "state what must hold with assert, what is to be best with maximize",
    **dict.fromkeys(("prove", "assert-not", "query"), _WRITE_GOAL),
}
_COMMANDS: dict[str, Callable[[_Script, Group], None]] = {
    "assert": _Script.assertion,
    "maximize": _Script.objective,
    "minimize": _Script.objective,
    "push": _Script.push,
    "pop": _Script.pop,
    "check-sat": _Script.check_sat,
    "check-sat-assuming": _Script.check_assuming,
    "check-sat-using": _Script.check_using,
    "reset": _Script.reset,
    "reset-assertions": _Script.reset,
    "set-option": _Script.option,
    "exit": _Script.exit,
    **dict.fromkeys(DECLARING, _Script.declare),
}

__all__ = ["read_smt2"]
