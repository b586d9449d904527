"""SMT-LIB text to a `Problem`, and terms and sequents over its signature.

Only the commands listed in `_COMMANDS` are known; everything else ends in InvalidText. What the script says
about itself (``:status``, options, file names, comments) is never read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.problem import Premise, Problem, Signature
from goedels_poetry.kernel.reading.declare import Declarations
from goedels_poetry.kernel.reading.elaborate import Elaborator, Scope
from goedels_poetry.kernel.reading.reader import (
    DECLARING,
    HINTS,
    Atom,
    Group,
    Lexeme,
    SExpr,
    Source,
    annotated,
    attributes,
    command_of,
    decode,
    is_word,
    name_of,
    read,
    reserve_names,
)
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    Kind,
    Sort,
    Term,
    and_,
    eq,
    forall,
    fresh_name,
    implies,
    is_app,
    not_,
    subterms,
)
from goedels_poetry.kernel.theory import is_theory_symbol

_OPTIONS = """
    :diagnostic-output-channel :interactive-mode :print-success :produce-assertions :produce-assignments
    :produce-models :produce-proofs :produce-unsat-assumptions :produce-unsat-cores :random-seed
    :regular-output-channel :reproducible-resource-limit :verbosity
"""
"""The options of SMT-LIB 2.6 that say what is printed, where, and how long is looked for it: they change no formula.
The only other one there, ``:global-declarations``, changes what declarations mean; those of solvers are not known.
"""
_REFUSED = {
    **dict.fromkeys(("push", "pop"), "a theorem has one context: every assertion counts"),
    **dict.fromkeys(("reset", "reset-assertions"), "what was asserted cannot be taken back"),
    "check-sat-assuming": "state the assumptions with assert",
    **dict.fromkeys(("simplify", "eval"), "a theorem prints nothing"),
    "include": "put everything into one file",
}


def parse_problem(text: str | bytes) -> Problem:
    """Read a theorem.

    Raises:
        InvalidText: with line, column and, where there is one, a hint; for every text that is not a theorem.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace") if isinstance(text, str) else text).hexdigest()
    source = Source(decode(text))
    commands = read(source)
    script = _Script(source, commands)
    try:
        for command in commands:
            script.command(command)
        return script.problem(digest)
    except RecursionError:  # the depth limits should prevent it; a traceback must never be the answer
        raise InvalidText("the input is nested too deeply", 1, 1, "name parts with define-fun") from None


def parse_term(text: str, signature: Signature, variables: Sequence[Term] = (), sort: Sort | None = None) -> Term:
    """Read one term over ``signature`` whose free variables are among ``variables``; names stay as they are.

    Raises:
        InvalidText: not exactly one well-sorted term (of ``sort``, when given).
    """
    source = Source(decode(text))
    exprs = read(source)
    if len(exprs) != 1:
        source.fail(f"one term was expected, got {len(exprs)}", exprs[1] if exprs else 0)
    scope = Scope({v.name: v for v in variables}, renaming=False)
    return Elaborator(Symbols.of(signature, source)).closed(exprs[0], scope, sort)


def parse_sequent(text: str, signature: Signature) -> Sequent:
    """Read what `printer.show_sequent` wrote.

    Raises:
        InvalidText: malformed, ill-sorted, or a variable that shares its name with another or with a symbol.
    """
    source = Source(decode(text))
    exprs = read(source)
    expr = exprs[0] if len(exprs) == 1 else None
    if not isinstance(expr, Group) or len(expr.items) != 4 or not is_word(expr.items[0], "sequent"):
        source.fail("malformed sequent", expr or 0, "write (sequent ((x Sort) ...) (hypothesis ...) conclusion)")
    _, binders, hyps, concl = expr.items
    if not isinstance(hyps, Group):
        source.fail("a list of hypotheses was expected here", hyps)
    elaborator = Elaborator(Symbols.of(signature, source))
    variables, scope = elaborator.binders(binders, Scope(renaming=False), least=0)
    for variable in variables:
        if variable.name not in scope.env or is_theory_symbol(variable.name):
            source.fail(f"variable `{variable.name}` shares its name with a symbol", binders)
    return Sequent(
        variables,
        tuple(elaborator.closed(h, scope, BOOL) for h in hyps.items),
        elaborator.closed(concl, scope, BOOL),
    )


class _Script:
    """The commands of one script, in order."""

    def __init__(self, source: Source, commands: list[SExpr]) -> None:
        self.source = source
        self.symbols = Symbols(source, commands)
        reserve_names(commands, self.symbols.reserved)
        self.elaborator = Elaborator(self.symbols)
        self.declarations = Declarations(self.symbols, self.elaborator)
        self.premises: list[tuple[str | None, Term, Group]] = []
        self.goals: list[tuple[str | None, Term, Group, str]] = []
        self.negated: list[int] = []  # premises of the form (not phi): the last may be the goal
        self.names: set[str] = set()
        self.checked = False
        self.exited = False

    def command(self, expr: SExpr) -> None:
        fail = self.source.fail
        name, expr = command_of(self.source, expr)
        if self.exited:
            fail(f"`{name}` after exit", expr, "remove what follows (exit)")
        if name in _REFUSED:
            fail(f"command `{name}` is not allowed", expr, _REFUSED[name])
        if name in _PRINTING.split():
            self.exited = name == "exit"
            return
        action = _COMMANDS.get(name)
        if action is None:
            hint = "known are declare-..., define-..., assert, prove, check-sat"
            fail(f"unknown command `{name}`", expr.items[0], hint)
        if self.checked and name not in ("set-info", "set-option"):
            fail(f"`{name}` after check-sat", expr, "everything must stand before (check-sat)")
        action(self, expr)
        self.declarations.elaborate_instances()

    def declare(self, expr: Group) -> None:
        self.declarations.command(expr)

    def set_logic(self, expr: Group) -> None:
        if len(expr.items) != 2 or not isinstance(expr.items[1], Atom) or expr.items[1].kind is not Lexeme.SYMBOL:
            self.source.fail("set-logic takes one symbol", expr, "for example (set-logic ALL)")

    def set_info(self, expr: Group) -> None:
        if len(expr.items) < 2 or not isinstance(expr.items[1], Atom) or expr.items[1].kind is not Lexeme.KEYWORD:
            self.source.fail("set-info takes a keyword and a value", expr)

    def set_option(self, expr: Group) -> None:
        option = expr.items[1] if len(expr.items) == 3 else expr
        if not isinstance(option, Atom) or option.kind is not Lexeme.KEYWORD:
            self.source.fail("set-option takes a keyword and a value", expr)
        if option.text not in _OPTIONS.split():
            hint = "a theorem does not steer its solvers"
            hint = "there is one context" if option.text == ":global-declarations" else hint
            self.source.fail(f"option `{option.text}` is not allowed", expr, hint)

    def check_sat(self, expr: Group) -> None:
        if len(expr.items) != 1:
            self.source.fail("check-sat takes no arguments", expr)
        self.checked = True

    def assertion(self, expr: Group) -> None:
        name, body = self._named(expr)
        formula = self.elaborator.closed(body, Scope(), BOOL)
        if is_app(formula, "not"):
            self.negated.append(len(self.premises))
        self.premises.append((name, formula, expr))

    def prove(self, expr: Group) -> None:
        marker = "prove" if is_word(expr.items[0], "prove") else "assert-not"
        name, body = self._named(expr, HINTS)
        scope, body = self.declarations.open_type_variables(body)
        self.goals.append((name, self.elaborator.closed(body, scope, BOOL), expr, marker))

    def _named(self, expr: Group, ignored: frozenset[str] = frozenset()) -> tuple[str | None, SExpr]:
        """The formula of an assertion, without attributes that are ``ignored``, and the value of its ``:named``."""
        if len(expr.items) != 2:
            self.source.fail("one formula was expected here", expr, "write (assert formula)")
        body, pairs = attributes(self.source, expr.items[1])
        names = [name_of(self.source, key, value) for key, value in pairs if key.text == ":named"]
        if len(names) > 1:
            self.source.fail("two names of one formula", expr.items[1], "remove one :named")
        for name in names:
            if name in self.names or name in self.symbols.functions:
                self.source.fail(f"the name `{name}` is used twice", expr.items[1], "rename one of them")
            self.names.add(name)
        rest = [pair for pair in pairs if pair[0].text not in (":named", *ignored)]
        return names[0] if names else None, annotated(body, rest, expr.items[1].offset)

    def problem(self, digest: str) -> Problem:
        signature = self.declarations.signature()
        last = self.premises[-1][1] if self.checked and self.premises else None
        goals = self._goals()
        if self.goals:
            _, goal, at, marker = self.goals[-1]
            skipped = None
        elif last is not None and last.kind is Kind.EXISTS:
            skipped, goal, at, marker = len(self.premises) - 1, _denied(last), self.premises[-1][2], "assert (not ...)"
        elif self.negated:
            skipped = self.negated[-1]
            _, formula, at = self.premises[skipped]
            goal, marker = formula.args[0], "assert (not ...)"
        else:
            end = max(len(self.source.text.rstrip()) - 1, 0)
            self.source.fail("no goal", end, "mark it with (prove ...), or negate it with (assert (not ...))")
        premises = []
        number = 0
        for i, (name, formula, expr) in enumerate(self.premises):
            if i != skipped:
                number += 1
                label = name or fresh_name(f"premise-{number}", self.names)
                self.names.add(label)
                premises.append(Premise(label, formula, self.source.position(expr.offset)[0]))
        return Problem(
            signature,
            tuple(premises),
            goal,
            self.source.position(at.offset)[0],
            marker,
            digest,
            (*self.elaborator.warnings, *_unused(signature, premises, [goal, *[g.formula for g in goals]])),
            goals=goals,
        )

    def _goals(self) -> tuple[Premise, ...]:
        """The goals in order; the n-th of those without a name is ``goal-n``."""
        found, nameless = [], 0
        for name, formula, expr, _ in self.goals:
            nameless += not name
            label = name or f"goal-{nameless}"
            if not name and label in self.names and len(self.goals) > 1:
                self.source.fail(
                    f"`{label}` names something else", expr, "name this goal: (prove (! formula :named n))"
                )
            found.append(Premise(label, formula, self.source.position(expr.offset)[0]))
        return tuple(found)


def _denied(formula: Term) -> Term:
    """The opposite of a formula: ``forall xs. p => q`` for ``exists xs. p and not q``."""
    if is_app(formula, "not"):
        return formula.args[0]
    if formula.kind is Kind.EXISTS:
        return forall(formula.binders, _denied(formula.body))
    if is_app(formula, "and"):
        return implies(and_(formula.args[:-1]), _denied(formula.args[-1]))
    if is_app(formula, "distinct") and len(formula.args) == 2:
        return eq(*formula.args)
    return not_(formula)


def _unused(signature: Signature, premises: Sequence[Premise], goals: Sequence[Term]) -> list[str]:
    """Warnings about declared symbols that nothing speaks of."""
    used: set[str] = set()
    for term in (*goals, *[p.formula for p in premises], *[d.body for d in signature.definitions]):
        used |= {t.name for t in subterms(term) if t.kind is Kind.APP}
    return [f"`{name}` is declared but appears nowhere" for name in signature.functions if name not in used]


_PRINTING = """
    echo exit get-assertions get-assignment get-info get-model get-option get-proof get-unsat-assumptions
    get-unsat-core get-value
"""
"""Commands of SMT-LIB 2.6 that print something and change nothing; nothing follows ``exit``."""
_COMMANDS: dict[str, Callable[[_Script, Group], None]] = {
    "set-logic": _Script.set_logic,
    "set-info": _Script.set_info,
    "set-option": _Script.set_option,
    "check-sat": _Script.check_sat,
    "assert": _Script.assertion,
    "prove": _Script.prove,
    "assert-not": _Script.prove,
    **dict.fromkeys(DECLARING, _Script.declare),
}
