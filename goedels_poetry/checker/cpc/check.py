"""A proof step by step, from the assertions of an obligation to ``false``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from goedels_poetry.checker.cpc import arithmetic, logic
from goedels_poetry.checker.cpc.reader import (
    Group,
    ObligationText,
    SExpr,
    Value,
    a_term,
    expressions,
    read_obligation,
    read_value,
)
from goedels_poetry.checker.cpc.rewrites import by_pattern, patterns
from goedels_poetry.checker.cpc.terms import BOOL, RESERVED, Rejected, Term, Terms

RULES = {**logic.RULES, **arithmetic.RULES}
_MALFORMED = (ValueError, IndexError, KeyError)
"""What a rule raises that finds other numbers of premises, arguments or operands than it takes apart."""


def check_proof(obligation: Iterable[SExpr], proof: str) -> int:
    """How many steps a proof has that the assertions of an obligation, given by its commands, contradict each other.

    Raises:
        Rejected: it is none, with the line and the name of the step.
    """
    try:
        return check_steps(read_obligation(obligation), proof)
    except RecursionError as error:
        raise Rejected("too deeply nested") from error


def check_steps(obligation: ObligationText, proof: str) -> int:
    """As `check_proof`, of an obligation that was read before."""
    found = list(expressions(proof))
    if len(found) == 1 and isinstance(found[0], Group) and (not found[0] or isinstance(found[0][0], Group)):
        found = list(found[0])  # cvc5 puts a proof into parentheses
    state = State(obligation)
    for command in found:
        if not isinstance(command, Group) or not command:
            raise Rejected("a proof is a list of commands")
        try:
            state.execute(command)
        except (Rejected, *_MALFORMED) as error:
            reason = str(error) if isinstance(error, Rejected) else "wrong numbers of premises, arguments or operands"
            step = " ".join(str(part) for part in command[:2])[:40]
            raise Rejected(f"line {command.line}: {step}: {reason}") from error
    if state.open or state.last is not obligation.terms.false:
        raise Rejected("the proof does not end in false under the assertions alone")
    return state.steps


@dataclass
class State:
    """What is defined and proved so far.

    ``proved`` has only what holds under the assumptions that are open: what rests on one of them goes with it.
    """

    obligation: ObligationText
    names: dict[str, Value] = field(default_factory=dict)
    proved: dict[str, Term] = field(default_factory=dict)
    open: list[tuple[Term, Mapping[str, Term]]] = field(default_factory=list)
    """Each open assumption, and what was proved before it."""
    last: Term | None = None
    steps: int = 0

    @property
    def terms(self) -> Terms:
        """Those of the obligation."""
        return self.obligation.terms

    def execute(self, command: Group) -> None:
        """Take in one command; raises `Rejected`."""
        match command:
            case ("declare-datatypes" | "declare-const" | "declare-fun" | "declare-sort" | "declare-datatype", *_):
                pass  # what there is, the obligation says
            case ("define", str() as name, Group() as parameters, body) if not parameters:
                if name[0] != "@" or name in self.names or name in RESERVED or name.startswith("@list"):
                    raise Rejected("a name that cannot be defined")
                self.names[name] = read_value(self.terms, body, self.names)
            case ("assume", str() as name, body):
                formula = a_term(read_value(self.terms, body, self.names))
                if formula not in self.obligation.assertions:
                    raise Rejected("what is assumed is no assertion of the obligation")
                self._prove(name, formula)
            case ("assume-push", str() as name, body):
                formula = a_term(read_value(self.terms, body, self.names))
                if formula.sort != BOOL:
                    raise Rejected("what is assumed is no formula")
                self.open.append((formula, dict(self.proved)))
                self._prove(name, formula)
            case ("step", str() as name, *rest):
                self._step(name, *self._parts(rest))
            case ("step-pop", str() as name, *rest):
                self._close(name, *self._parts(rest))
            case _:
                raise Rejected("an unknown command")

    def _parts(self, rest: list[SExpr]) -> tuple[Term | None, str, list[Term], list[Value]]:
        """The stated conclusion, the rule, premises and arguments of a step."""
        stated = None
        if rest and not (isinstance(rest[0], str) and rest[0].startswith(":")):
            stated, rest = a_term(read_value(self.terms, rest[0], self.names)), rest[1:]
        given = dict(zip(rest[::2], rest[1::2], strict=True))
        rule, premises = given.pop(":rule", ""), given.pop(":premises", Group())
        arguments = given.pop(":args", Group())
        if given or not isinstance(rule, str) or not isinstance(premises, Group) or not isinstance(arguments, Group):
            raise Rejected("a rule, premises and arguments were expected")
        for name in premises:
            if name not in self.proved:
                raise Rejected(f"{name} is not proved here")
        values = [read_value(self.terms, argument, self.names) for argument in arguments]
        return stated, rule, [self.proved[str(name)] for name in premises], values

    def _step(self, name: str, stated: Term | None, rule: str, premises: list[Term], arguments: list[Value]) -> None:
        if rule in RULES:
            found = RULES[rule](self.terms, premises, arguments)
        elif rule in patterns():
            found = by_pattern(patterns()[rule], self.terms, premises, arguments)
        else:
            raise Rejected(f"the rule {rule} is not known here")
        if RULES.get(rule) is logic.cong:
            bound = frozenset(found.args[0].binders)
            if any(not assumption.free.isdisjoint(bound) for assumption, _ in self.open):
                raise Rejected("an open assumption is about a variable that is bound here")
        self._conclude(name, stated, found)

    def _close(self, name: str, stated: Term | None, rule: str, premises: list[Term], arguments: list[Value]) -> None:
        """Discharge the last open assumption: it implies the premise."""
        if rule != "scope" or len(premises) != 1 or arguments or not self.open:
            raise Rejected("a scope of an open assumption was expected")
        assumption, before = self.open.pop()
        self.proved = dict(before)
        self._conclude(name, stated, self.terms.app("=>", assumption, premises[0]))

    def _conclude(self, name: str, stated: Term | None, found: Term) -> None:
        if found.sort != BOOL or (stated is not None and stated is not found):
            raise Rejected("the conclusion is not the one that the step states")
        self.steps += 1
        self._prove(name, found)

    def _prove(self, name: str, formula: Term) -> None:
        if name in self.proved:
            raise Rejected("a name that is taken")
        self.proved[name] = formula
        self.last = formula
