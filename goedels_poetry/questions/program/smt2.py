"""SMT-LIB 2 text, as people and models write it, to a `LogicProgram`.

A program says what it takes for true with ``assert`` and what it asks with ``(define-fun goal () Bool φ)``; without
such a definition the last assertion that the last check sees is what it asks. Nothing of the text is ever handed to a
solver: a command that is not listed here refuses the program, and so does one name that is unknown or ill-typed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.reading.declare import Declarations
from goedels_poetry.kernel.reading.elaborate import Elaborator, Scope
from goedels_poetry.kernel.reading.reader import (
    DECLARING,
    Atom,
    Group,
    Lexeme,
    SExpr,
    Source,
    command_of,
    decode,
    is_word,
    read,
    reserve_names,
)
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Sort, Term, app, distinct, eq, forall, fresh_name
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.questions.entailment.program import DEFINITION, LogicPremise, LogicProgram, Objective, Place, apart
from goedels_poetry.questions.program.asked import (
    OURS,
    WRITE_GOAL,
    Asked,
    Assertion,
    Check,
    Entry,
    Marked,
    Said,
    Stack,
    is_goal_name,
    read_notes,
    settle,
)

# Recursive definitions of a program

MAX_DEFINITIONS = 20
"""Recursive ones that are looked at; of more, none is."""
MAX_SIZE = 1_000
"""Nodes of a recursive definition that is looked at."""


def terminating_definitions(
    signature: Signature, taken: set[str], places: dict[str, Place]
) -> tuple[Signature, list[LogicPremise]]:
    """``f(p) = body`` may contradict itself when its recursion does not end, so it is then no definition of ours.

    As a premise it says what SMT-LIB means by it; if it contradicts itself, the premises are found to be inconsistent,
    and it is named as a reason. ``taken``: names of premises, to which those of the new ones are added.
    """
    recursive = [d for d in signature.definitions if d.recursive]
    if not recursive:
        return signature, []
    ended = _ended(signature, recursive)
    loose = [d for d in recursive if d.name not in ended]
    premises = []
    for d in loose:
        name = fresh_name(f"definition-of-{d.name}", taken)
        taken.add(name)
        equation = forall(d.params, eq(app(d.name, d.params, d.sort), d.body))
        place = places.get(d.name, Place())
        premises.append(LogicPremise(name, equation, place, words=f"{DEFINITION}{d.name}"))
    functions = {d.name: (tuple(p.sort for p in d.params), d.sort) for d in loose}
    return (
        replace(
            signature,
            functions=MappingProxyType({**signature.functions, **functions}),
            definitions=tuple(d for d in signature.definitions if d.name not in functions),
        ),
        premises,
    )


def _ended(signature: Signature, recursive: list[Definition]) -> Collection[str]:
    """Functions whose arguments get smaller at every call, as sizes of datatypes."""
    if len(recursive) > MAX_DEFINITIONS or any(d.body.size > MAX_SIZE for d in recursive):
        return set()
    # a program without recursion rests on neither
    from goedels_poetry.kernel.termination import termination_obligations
    from goedels_poetry.smt.termination.search import terminations

    evidence = terminations(signature, None).evidence({d.name for d in signature.definitions})
    ends = termination_obligations(signature, evidence)
    assert not ends.sequents  # sizes are seen from the form of the calls
    return ends.terminating


MAX_BYTES = 1_000_000
MAX_NODES = 300_000
"""Of all formulas of a program together, as trees: what the let-bound names stand for counts wherever they stand."""
MAX_LEVELS = 1_000
"""Of ``push`` that are open at a time."""
MAX_GOALS = 100


@as_invalid_input()
def read_smt2(text: str | bytes, *, dialect: str = "smt2") -> LogicProgram:
    """Read a program; ``dialect`` is what the result says that it was written in.

    Raises:
        InvalidInput: with line, column and, where there is one, a hint; for whatever is not a program.
    """
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"the program is larger than {MAX_BYTES:,} bytes", 1, 1, "leave out what is not needed")
    source = Source(decode(text))
    commands = read(source)
    try:
        script = _Script(source, commands)
        for command in commands:
            script.command(command)
        return script.program(dialect)
    except RecursionError:  # the depth limits should prevent it; a traceback must never be the answer
        raise InvalidInput("the program is nested too deeply", 1, 1, "name parts with define-fun") from None


class _Script:
    """The commands of one program, in order."""

    def __init__(self, source: Source, commands: list[SExpr]) -> None:
        self.source = source
        self.symbols = Symbols(source, commands)
        reserve_names(commands, self.symbols.reserved)
        self.elaborator = Elaborator(self.symbols, mixed=True, outermost=OURS)
        self.declarations = Declarations(self.symbols, self.elaborator)
        self.goals: dict[str, Marked] = {}
        for command in commands:
            name = _goal_name(command)
            if name is not None:
                self.symbols.remarks[name] = "it is what is asked: nothing else may speak of it"
        self.stack: Stack = None
        self.levels: list[tuple[Stack, int, int]] = []  # at each push: the stack, how many names and goals there were
        self.check: Check | None = None
        self.nodes = 0
        self.places: dict[str, Place] = {}  # of recursive definitions
        self.ignored: dict[str, None] = {}
        self.exited = False

    def command(self, expr: SExpr) -> None:
        name, expr = command_of(self.source, expr)
        if self.exited:
            self.source.fail(f"`{name}` after exit", expr, "remove what follows (exit)")
        action = _COMMANDS.get(name)
        if action is not None:
            action(self, expr)
        elif name in _IGNORED or name.startswith("get-"):
            self.ignored[name] = None
        elif name in _REFUSED:
            self.source.fail(f"command `{name}` is not allowed", expr, _REFUSED[name])
        else:
            hint = "known are declare-..., define-..., assert, check-sat, push, pop, maximize, minimize"
            self.source.fail(f"unknown command `{name}`", expr, f"{hint}; a remark begins with ;")

    def term(self, expr: SExpr, sort: Sort | None) -> Term:
        term = self.elaborator.closed(expr, Scope(), sort)
        self.declarations.elaborate_instances()
        self._count_nodes(term, expr)
        return term

    def _count_nodes(self, term: Term, at: SExpr | int) -> None:
        self.nodes += distinct(term, MAX_NODES + 1)
        if self.nodes > MAX_NODES:
            self.source.fail(f"the program has more than {MAX_NODES:,} nodes", at)

    # ---------------------------------------------------------------------------------- what is said

    def declare(self, expr: Group) -> None:
        name = _goal_name(expr)
        if name is None:
            first = len(self.symbols.claimed)
            is_recursive = is_word(expr.items[0], "define-fun-rec") or is_word(expr.items[0], "define-funs-rec")
            self.declarations.command(expr)
            self.declarations.elaborate_instances()
            for _, claimed in self.symbols.claimed[first:]:
                if is_recursive:
                    self.places[claimed] = self._place(expr)
                if claimed in self.symbols.remarks or (claimed == "goal" and is_word(expr.items[0], "define-fun")):
                    self.source.fail(f"`{claimed}` is something else than what is asked", expr, WRITE_GOAL)
            return
        before = self.goals.get(name)
        if before is not None:
            line, _ = self.source.position(before.at.offset)
            hint = "ask one question, or define the choices goal-A, goal-B, ..."
            self.source.fail(f"`{name}` is defined in line {line} already", expr, hint)
        if len(self.goals) == MAX_GOALS:
            self.source.fail(f"more than {MAX_GOALS} goals", expr, "ask one question")
        self.symbols.claim(name, expr, "goal")
        self.goals[name] = Marked(name, expr.items[-1], expr)

    def assertion(self, expr: Group) -> None:
        if len(expr.items) != 2:
            self.source.fail("one formula was expected here", expr, "write (assert formula)")
        body, notes = read_notes(self.source, expr.items[1])
        formula = None if self._poses_goal(body) else self.term(body, BOOL)
        self.stack = Entry(self.stack, Assertion(formula, notes), expr)

    def _poses_goal(self, body: SExpr) -> bool:
        """Whether a formula is a marked goal or its negation: that is asked, and never taken for true."""
        if isinstance(body, Group) and len(body.items) == 2 and is_word(body.items[0], "not"):
            body = body.items[1]
        return isinstance(body, Atom) and body.kind is Lexeme.SYMBOL and body.text in self.symbols.remarks

    def objective(self, expr: Group) -> None:
        items = expr.items
        word = self.elaborator.symbol(items[0], "a command")
        named = len(items) == 4 and isinstance(items[2], Atom) and items[2].text == ":id"
        if len(items) != 2 and not named:
            self.source.fail(f"{word} takes one term", expr, f"write ({word} term)")
        term = self.term(items[1], None)
        if term.sort not in (INT, REAL) and term.sort.name != "BitVec":
            self.source.fail(f"{word} takes a number, got {show_sort(term.sort)}", items[1])
        self.stack = Entry(self.stack, Objective(word == "maximize", term, self._place(expr)), expr)

    # -------------------------------------------------------------------------------- push, pop, check

    def push(self, expr: Group) -> None:
        count = self._count(expr)
        if len(self.levels) + count > MAX_LEVELS:
            self.source.fail(f"more than {MAX_LEVELS:,} levels are open", expr)
        self.levels += [(self.stack, len(self.symbols.claimed), len(self.goals))] * count

    def pop(self, expr: Group) -> None:
        """Take back assertions. Names stay, but may be declared anew: who forgets that they are gone is understood."""
        count = self._count(expr)
        if count > len(self.levels):
            self.source.fail("more is popped than was pushed", expr, "remove this (pop)")
        if count:
            below, names, goals = self.levels[-count]
            del self.levels[-count:]
            self._nothing_unasked(below)
            self.stack = below
            for goal in list(self.goals.values())[goals:]:
                self._read_goal(goal)  # as long as its names mean what they did
                goal.popped = goal.popped or expr.offset
            self.symbols.give_up(names)

    def _nothing_unasked(self, below: Stack) -> None:
        """Refuse to take back an objective that no check has seen: nobody would ever be told of it."""
        entry = self.stack
        while entry is not None and entry is not below:
            if isinstance(entry.what, Objective) and not (self.check and self.check.at.offset > entry.at.offset):
                hint = "add (check-sat) before the (pop), or remove push and pop"
                self.source.fail("(pop) takes this back before any check", entry.at, hint)
            entry = entry.below

    def _count(self, expr: Group) -> int:
        if len(expr.items) == 1:
            return 1
        count = expr.items[1]
        numeral = isinstance(count, Atom) and count.kind is Lexeme.NUMERAL and len(count.text) <= 4
        if len(expr.items) != 2 or not isinstance(count, Atom) or not numeral:
            self.source.fail("a number of levels was expected here", expr, "write (push 1) or (pop 1)")
        return int(count.text)

    def check_sat(self, expr: Group) -> None:
        if len(expr.items) != 1:
            self.source.fail("check-sat takes no arguments", expr, "or write (check-sat-assuming (p q))")
        self.check = Check(self.stack, (), expr)

    def check_using(self, expr: Group) -> None:
        self.ignored["the tactic of check-sat-using"] = None
        self.check = Check(self.stack, (), expr)

    def check_assuming(self, expr: Group) -> None:
        if len(expr.items) != 2 or not isinstance(expr.items[1], Group):
            self.source.fail("a list of literals was expected here", expr, "write (check-sat-assuming (p (not q)))")
        literals = [item for item in expr.items[1].items if not self._poses_goal(item)]
        if literals and self.symbols.remarks:
            self.source.fail("assumptions beside a marked goal", expr, "state them with assert")
        self.check = Check(self.stack, tuple(self.term(literal, BOOL) for literal in literals), expr)

    def reset(self, expr: Group) -> None:
        if self.stack or self.symbols.claimed or self.levels or self.check:
            self.source.fail("what was said cannot be taken back", expr, "leave out all that stands before it")

    def exit(self, expr: Group) -> None:
        self.exited = True

    def option(self, expr: Group) -> None:
        """Options are not obeyed. Those that name files are refused: who writes them wants something else."""
        key = expr.items[1] if len(expr.items) == 3 else None
        if not isinstance(key, Atom) or key.kind is not Lexeme.KEYWORD:
            self.source.fail("set-option takes a keyword and a value", expr)
        value = expr.items[2]
        text = isinstance(value, Atom) and value.kind is Lexeme.STRING
        if text or any(word in key.text for word in ("channel", "file", "log")):
            self.source.fail(f"option `{key.text}` is not allowed", expr, "a program neither reads nor writes files")
        self.ignored[f"set-option {key.text}"] = None

    # ------------------------------------------------------------------------------------- the program

    def program(self, dialect: str) -> LogicProgram:
        """All that was read. Raises InvalidInput: nothing is asked, or not clearly."""
        for goal in self.goals.values():
            self._read_goal(goal)
        asked = settle(self.source, list(self.goals.values()), self.stack, self.check)
        taken = {assertions.notes.name for assertions in asked.premises if assertions.notes.name}
        premises = list(zip(self._premises(asked.premises, taken), asked.premises, strict=True))
        signature = self.declarations.signature()
        for definition in signature.definitions:
            self._count_nodes(definition.body, 0)
        taken.update(premise.name for premise, _ in premises)
        signature, equations = terminating_definitions(signature, taken, self.places)
        stated, readings = apart(premise for premise, assertions in premises if not assertions.notes.objective)
        for _, said in premises:
            if said.notes.instead and said.notes.instead not in {premise.name for premise in stated}:
                self.source.fail(f"no premise is named {said.notes.instead}", said.at, ":instead takes such a name")
        return LogicProgram(
            dialect,
            self.source.text,
            signature,
            (*equations, *stated),
            asked.goals,
            asked.objectives,
            tuple(premise for premise, assertions in premises if assertions.notes.objective),
            readings,
            self._warnings(asked, equations),
        )

    def _read_goal(self, goal: Marked) -> None:
        if goal.formula is None:
            body, _ = read_notes(self.source, goal.body)
            goal.formula = self.term(body, BOOL)

    def _premises(self, assertions: Iterable[Said], taken: set[str]) -> Iterator[LogicPremise]:
        """Premises with names: their own, or ``premise-N`` with the N of their place or, if need be, a greater one."""
        number = 0
        for place, one in enumerate(assertions, 1):
            notes = one.notes
            name = notes.name
            if name is None:
                number = max(number + 1, place)
                while f"premise-{number}" in taken:
                    number += 1
                name = f"premise-{number}"
            place_of, notes = self._place(one.at), one.notes
            yield LogicPremise(name, one.formula, place_of, notes.origin, notes.sentences, notes.words, notes.instead)

    def _warnings(self, asked: Asked, equations: list[LogicPremise]) -> tuple[str, ...]:
        ignored = (f"left aside: {', '.join(self.ignored)}",) if self.ignored else ()
        open_ended = [f"{premise.words} is a premise: its recursion is not seen to end" for premise in equations]
        return (*ignored, *asked.warnings, *open_ended, *self.elaborator.warnings)

    def _place(self, expr: SExpr) -> Place:
        return Place(*self.source.position(expr.offset))


def _goal_name(command: SExpr) -> str | None:
    """The name of the goal that a command defines: ``(define-fun goal () Bool formula)`` or ``(define-const ...)``."""
    items = command.items if isinstance(command, Group) else []
    if len(items) < 4 or not isinstance(items[1], Atom) or not is_goal_name(items[1].text):
        return None
    function = is_word(items[0], "define-fun") or is_word(items[0], "define-fun-rec")
    nullary = len(items) == 5 and function and isinstance(items[2], Group) and not items[2].items
    constant = len(items) == 4 and is_word(items[0], "define-const")
    return items[1].text if (nullary or constant) and is_word(items[-2], "Bool") else None


_IGNORED = frozenset({"set-logic", "set-info", "echo", "simplify", "eval", "display"})
_REFUSED = {
    "include": "put everything into one file",
    "assert-soft": "state what must hold with assert, what is to be best with maximize",
    **dict.fromkeys(("prove", "assert-not", "query"), WRITE_GOAL),
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
