"""The calculus: rules of equality, clauses and quantifiers, and a proof walked step by step to ``false``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from goedels_poetry.checker.cpc import bits, theories, words
from goedels_poetry.checker.cpc.reader import (
    Group,
    ObligationText,
    SExpr,
    Value,
    a_list,
    a_term,
    expressions,
    read_obligation,
    read_value,
)
from goedels_poetry.checker.cpc.rewrites import by_pattern, equation, neutral, patterns
from goedels_poetry.checker.cpc.terms import (
    BOOL,
    QUANTIFIERS,
    RESERVED,
    Rejected,
    Term,
    Terms,
    same_but_for_names,
    sides,
    substitute,
)


def _not(terms: Terms, term: Term) -> Term:
    return terms.app("not", term)


def trans(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """Needs: each equation begins with what the one before it ends with."""
    if not premises or arguments:
        raise Rejected("equations were expected")
    pairs = [sides(p) for p in premises]
    if any(before[1] is not after[0] for before, after in pairwise(pairs)):
        raise Rejected("the equations are no chain")
    return terms.app("=", pairs[0][0], pairs[-1][1])


def cong(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (f a b) (f c d))`` from equations of the last arguments.

    Needs: of a quantifier only its body may be replaced, and no open assumption may be about its variables; the caller
    sees to that (`check`).
    """
    if len(arguments) != 1:
        raise Rejected("one argument was expected")
    term = a_term(arguments[0])
    if not 0 < len(premises) <= (1 if term.binders else len(term.args)):
        raise Rejected("equations of the last arguments were expected")
    kept, replaced = term.args[: -len(premises)], term.args[-len(premises) :]
    pairs = [sides(p) for p in premises]
    if any(left is not arg for (left, _), arg in zip(pairs, replaced, strict=True)):
        raise Rejected("an equation is not about the argument")
    return terms.app("=", term, terms.rebuilt(term, (*kept, *[right for _, right in pairs])))


def nary_cong(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """As `cong`. Needs: equations of all arguments, and no binders."""
    term = a_term(*arguments)
    if term.binders or len(premises) != len(term.args):
        raise Rejected("an equation of each argument was expected")
    return cong(terms, premises, arguments)


def _literals(terms: Terms, clause: Term) -> tuple[Term, ...]:
    return () if clause is terms.false else clause.args if clause.op == "or" else (clause,)


def _clause(terms: Terms, literals: Sequence[Term]) -> Term:
    return terms.false if not literals else literals[0] if len(literals) == 1 else terms.app("or", *literals)


def _resolvent(terms: Terms, premises: Sequence[Term], signs: Sequence[Term], pivots: Sequence[Term]) -> list[Term]:
    """The literals of clauses resolved in order: a pivot goes out of what was resolved so far with its sign, and out of
    the next clause with the other one. That holds whether or not the pivot is there."""
    if not premises or not len(signs) == len(pivots) == len(premises) - 1:
        raise Rejected("a sign and a pivot for each clause but the first were expected")
    if any(s not in (terms.true, terms.false) for s in signs) or any(p.sort != BOOL for p in (*pivots, *premises)):
        raise Rejected("a sign is true or false, and a pivot a formula")
    found = list(_literals(terms, premises[0]))
    for i, (clause, sign, pivot) in enumerate(zip(premises[1:], signs, pivots, strict=True)):
        here, there = (pivot, _not(terms, pivot)) if sign is terms.true else (_not(terms, pivot), pivot)
        if i == 0 and premises[0] is here:  # the pivot may be a disjunction, and the clause that one literal
            found = [here]
        rest = [] if clause is there else [t for t in _literals(terms, clause) if t is not there]
        found = [t for t in found if t is not here] + rest
    return found


def resolution(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The resolvent of two clauses on a pivot; sound for every pivot (see `_resolvent`)."""
    sign, pivot = map(a_term, arguments)
    return _clause(terms, _resolvent(terms, premises, [sign], [pivot]))


def chain_resolution(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The resolvent of several clauses."""
    signs, pivots = map(a_list, arguments)
    return _clause(terms, _resolvent(terms, premises, signs, pivots))


def chain_m_resolution(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """A clause. Needs: it has all literals of the resolvent of the premises."""
    wanted, signs, pivots = arguments
    return _weaker(terms, _resolvent(terms, premises, a_list(signs), a_list(pivots)), a_term(wanted))


def _weaker(terms: Terms, literals: Sequence[Term], clause: Term) -> Term:
    allowed = {clause, *_literals(terms, clause)}
    if clause.sort != BOOL or not allowed.issuperset(literals):
        raise Rejected("the clause lacks a literal")
    return clause


def factoring(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """A clause without repetitions."""
    (premise,) = premises
    return _clause(terms, list(dict.fromkeys(_literals(terms, premise))))


def reordering(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """A clause. Needs: it has the literals of the premise, each as often."""
    (premise,), clause = premises, a_term(*arguments)
    if clause is not premise and sorted(t.number for t in _literals(terms, premise)) != sorted(
        t.number for t in _literals(terms, clause)
    ):
        raise Rejected("other literals than those of the premise")
    return clause


def and_intro(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The conjunction of the premises."""
    if arguments:
        raise Rejected("no argument was expected")
    return terms.app("and", *premises)


def process_scope(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(=> F (=> G C))`` that ``(=> (and F G) C)``; that ``(not (and F G))`` if ``C`` is ``false``."""
    (rest,), (given,) = premises, arguments
    conclusion, assumed = a_term(given), list[Term]()
    while not assumed or rest is not conclusion:
        assumption, rest = sides(rest, "=>")
        assumed.append(assumption)
    together = assumed[0] if len(assumed) == 1 else terms.app("and", *assumed)
    return _not(terms, together) if conclusion is terms.false else terms.app("=>", together, conclusion)


_ORDER: dict[str, Callable[[list[Term]], object]] = {
    **dict.fromkeys(("and", "or", "re.union", "re.inter", "bvand", "bvor"), set),
    "bvxor": lambda found: sorted(t.number for t in found),
    **dict.fromkeys(("str.++", "re.++", "concat"), list),
}
"""What counts of the operands of functions that may be nested: which they are, how often as well, or also the order."""


def aci_norm(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= a b)``. Needs: the same operands of a function that may be nested, as far as it counts (`_ORDER`)."""
    wanted, left, right = equation(arguments, premises)
    for op, counted in _ORDER.items():
        if op in (left.op, right.op) and counted(_flat(terms, left, op)) == counted(_flat(terms, right, op)):
            return wanted
    raise Rejected("the two sides have different operands")


def _flat(terms: Terms, term: Term, op: str) -> list[Term]:
    if term.op == op:
        return [part for a in term.args for part in _flat(terms, a, op)]
    return [] if term is neutral(terms, op, term.width if op[:2] == "bv" else 0) else [term]


_ABSORBING = {
    "or": "and", "and": "or", "bvor": "bvand", "bvand": "bvor", "re.union": "re.inter", "re.inter": "re.union",
    "re.++": "re.union",
}  # fmt: skip
"""Which function's neutral operand decides a function."""


def absorb(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (or ... true ...) true)``, ``(= (and ... false ...) false)``, .... Needs: the literal is an operand."""
    wanted, left, right = equation(arguments, premises)
    op, width = str(left.op), left.width if str(left.op)[:2] == "bv" else 0
    if right is not neutral(terms, _ABSORBING[op], width) or right not in _flat(terms, left, op):
        raise Rejected("no operand decides it")
    return wanted


def distinct_elim(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (distinct a b c) (and (not (= a b)) ...))``, all pairs in order."""
    wanted, left, right = equation(arguments, premises)
    pairs = [_not(terms, terms.app("=", a, b)) for i, a in enumerate(left.args) for b in left.args[i + 1 :]]
    if left.op != "distinct" or right is not (pairs[0] if len(pairs) == 1 else terms.app("and", *pairs)):
        raise Rejected("these are not the pairs of a distinct")
    return wanted


def instantiate(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """A universal formula at terms. Needs: one for each variable, of its sort, and no variable is captured."""
    (premise,), (values,) = premises, arguments
    given = a_list(values)
    if premise.op != "forall" or len(given) != len(premise.binders) or len(set(premise.binders)) != len(given):
        raise Rejected("a universal formula with a term for each of its variables was expected")
    return substitute(terms, premise.body, dict(zip(premise.binders, given, strict=True)))


def skolemize(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """From ``(not (forall xs F))`` that ``F`` fails at its witnesses. Needs: a closed formula, distinct variables."""
    (premise,) = premises
    if premise.op != "not" or premise.args[0].op != "forall" or arguments:
        raise Rejected("the denial of a universal formula was expected")
    formula = premise.args[0]
    if len(set(formula.binders)) != len(formula.binders):
        raise Rejected("a variable that is bound twice")
    values = {v: terms.witness(formula, i) for i, v in enumerate(formula.binders)}
    return _not(terms, substitute(terms, formula.body, values))


def alpha_equiv(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= t s)``, ``s`` with other variables. Needs: the two differ in names of bound variables alone."""
    term, old, new = a_term(arguments[0]), a_list(arguments[1]), a_list(arguments[2])
    if premises or len(old) != len(new) or not all(v.is_variable for v in (*old, *new)):
        raise Rejected("two lists of variables were expected")
    names, done = dict(zip(old, new, strict=True)), dict[Term, Term]()

    def renamed(t: Term) -> Term:
        if t.is_variable:
            return names.get(t, t)
        if t not in done:
            done[t] = terms.rebuilt(t, [renamed(a) for a in t.args])
        return done[t]

    other = renamed(term)
    if not same_but_for_names(term, other):
        raise Rejected("more than names of bound variables differs")
    return terms.app("=", term, other)


def exists_elim(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (exists xs F) (not (forall xs (not F))))``."""
    wanted, left, right = equation(arguments, premises)
    denied = terms.quantified("forall", left.binders, _not(terms, left.body))
    if left.op != "exists" or right is not _not(terms, denied):
        raise Rejected("these are not the two forms")
    return wanted


def quant_unused_vars(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """A quantifier with fewer variables. Needs: those that are left out are not free in its body."""
    wanted, left, right = equation(arguments, premises)
    kept = right.binders if right.op == left.op and right.args[-1] is left.args[-1] else ()
    body = right.args[-1] if kept else right
    if left.op not in QUANTIFIERS or body is not left.body or not set(kept) <= set(left.binders):
        raise Rejected("these are not quantifiers of the same")
    if not left.body.free.isdisjoint(set(left.binders) - set(kept)):
        raise Rejected("a variable that is left out is used")
    return wanted


def quant_miniscope_and(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (forall xs (and F G)) (and (forall xs F) (forall xs G)))``."""
    wanted, left, right = equation(arguments, premises)
    if left.op != "forall" or left.body.op != "and":
        raise Rejected("a universal conjunction was expected")
    if right is not terms.app("and", *[terms.quantified("forall", left.binders, part) for part in left.body.args]):
        raise Rejected("these are not the two forms")
    return wanted


def quant_miniscope_or(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= (forall xs (or F G)) (or (forall ys F) (forall zs G)))``, or ``F`` itself where ``ys`` is empty.

    Needs: each variable is free in one operand at most, and is bound there.
    """
    wanted, left, right = equation(arguments, premises)
    parts, scoped = left.args[-1].args if left.op == "forall" else (), right.args
    if not parts or left.body.op != "or" or right.op != "or" or len(parts) != len(scoped):
        raise Rejected("a universal disjunction was expected")
    seen: set[Term] = set()
    for part, other in zip(parts, scoped, strict=True):
        bound = set() if other is part else set(other.binders)
        if other is not part and (other.op != "forall" or other.body is not part):
            raise Rejected("these are not the two forms")
        used = part.free & set(left.binders)
        if not used <= bound or not bound <= set(left.binders) or used & seen:
            raise Rejected("a variable that two operands share, or that is not bound")
        seen |= used
    return wanted


RULES = {
    rule.__name__: rule
    for rule in (
        trans, cong, nary_cong, resolution, chain_resolution, chain_m_resolution, factoring, reordering, and_intro,
        process_scope, aci_norm, absorb, instantiate, skolemize,
        alpha_equiv, theories.evaluate,
    )
} | {
    rule.__name__.replace("_", "-"): rule
    for rule in (distinct_elim, exists_elim, quant_unused_vars, quant_miniscope_and, quant_miniscope_or)
} | {"pairwise_cong": nary_cong} | theories.RULES | bits.RULES | words.RULES  # fmt: skip


# ------------------------------------------------------------------------------------------------------ proofs

_MALFORMED = (ValueError, IndexError, KeyError, TypeError)
"""What a rule raises that finds other numbers of premises, arguments or operands than it takes apart."""


def check_proof(obligation: Iterable[SExpr], proof: str) -> int:
    """How many steps a proof has that the assertions of an obligation, given by its commands, contradict each other.

    Raises:
        Rejected: it is none, with the line and the name of the step.
    """
    state = State(read_obligation(obligation))
    found = list(expressions(proof))
    if len(found) == 1 and isinstance(found[0], Group) and (not found[0] or isinstance(found[0][0], Group)):
        found = list(found[0])  # cvc5 puts a proof into parentheses
    for command in found:
        if not isinstance(command, Group) or not command:
            raise Rejected("a proof is a list of commands")
        try:
            state.execute(command)
        except (Rejected, *_MALFORMED) as error:
            reason = str(error) if isinstance(error, Rejected) else "wrong numbers of premises, arguments or operands"
            step = " ".join(part for part in command[:2] if isinstance(part, str))
            raise Rejected(f"line {command.line}: {step}: {reason}") from error
        except RecursionError as error:
            raise Rejected(f"line {command.line}: too deeply nested") from error
    if state.open or state.last is not state.terms.false:
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
        if 2 * len(given) != len(rest):
            raise Rejected("a keyword twice")
        rule, premises = given.pop(":rule", ""), given.pop(":premises", Group())
        arguments = given.pop(":args", Group())
        if given or not isinstance(rule, str) or not isinstance(premises, Group) or not isinstance(arguments, Group):
            raise Rejected("a rule, premises and arguments were expected")
        for name in premises:
            if name not in self.proved:
                raise Rejected(f"{name} is not proved here")
        values = [read_value(self.terms, argument, self.names) for argument in arguments]
        return stated, rule, [self.proved[str(name)] for name in premises], values

    def _step(self, name: str, stated: Term | None, rule: str, premises: list[Term], values: list[Value]) -> None:
        if rule in RULES:
            found = RULES[rule](self.terms, premises, values)
        elif rule in patterns():
            found = by_pattern(rule, self.terms, premises, values)
        else:
            raise Rejected(f"the rule {rule} is not known here")
        if RULES.get(rule) is cong:
            bound = frozenset(found.args[0].binders)
            if any(not assumption.free.isdisjoint(bound) for assumption, _ in self.open):
                raise Rejected("an open assumption is about a variable that is bound here")
        self._conclude(name, stated, found)

    def _close(self, name: str, stated: Term | None, rule: str, premises: list[Term], values: list[Value]) -> None:
        """Discharge the last open assumption: it implies the premise."""
        if rule != "scope" or len(premises) != 1 or values or not self.open:
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


def main() -> int:
    """0: a proof; 1: none, with the reason; 2: the files cannot be read."""
    if len(sys.argv) != 3:
        sys.stderr.write("python -m goedels_poetry.checker.cpc.check OBLIGATION.smt2 PROOF.cpc\n")
        return 2
    try:
        obligation, proof = [Path(name).read_text("utf-8") for name in sys.argv[1:]]
        sys.stdout.write(f"holds: {check_proof(expressions(obligation), proof)} steps\n")
    except Rejected as error:
        sys.stdout.write(f"rejected: {error}\n")
        return 1
    except (OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"cannot be read: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
