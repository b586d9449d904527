"""Proven equations as ordered rewrite rules: what follows from them by rewriting need not be asked of a solver.

An instance of an equation is applied from its larger to its smaller side, so permutative laws such as ``plus x y = plus
y x`` sort their arguments instead of going round (Martin and Nipkow, "Ordered Rewriting and Confluence", 1990).
Variables of the terms that are rewritten are treated as constants.

Terms rewritten by the defining equations of a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.problem import Premise, Signature
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import (
    FALSE,
    INT,
    LARGE,
    TRUE,
    Kind,
    Term,
    app,
    is_app,
    rebuild,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.rewriting.statements import match


class Rewriter:
    """Unfolds definitions on constructor patterns, innermost first, at most ``fuel`` times a term."""

    def __init__(self, signature: Signature, equations: Iterable[Equation]) -> None:
        self._signature = signature
        self._rules: dict[str, list[Equation]] = {}
        for equation in equations:
            definition = signature.definition(equation.function)
            patterned = any(a.kind is not Kind.VAR for a in equation.lhs.args)
            split = equation.function in self._rules
            if patterned or (definition is not None and not definition.recursive and not split):
                self._rules.setdefault(equation.function, []).append(equation)

    def normal(self, term: Term, fuel: int = 60) -> Term:
        """``term`` with definitions unfolded where a constructor pattern matches."""
        self._fuel = fuel
        self._done: dict[Term, Term] | None = {} if term.size > LARGE else None
        return self._go(term)

    def step(self, term: Term) -> Term | None:
        """``term`` with its outermost call unfolded once, or None where no pattern matches."""
        for equation in self._rules.get(term.name, ()):
            binding = match(equation.lhs, term)
            if binding is not None:
                return substitute(equation.rhs, binding)
        return None

    def _go(self, term: Term) -> Term:
        if self._done is None:
            return self._anew(term)
        if term not in self._done:
            self._done[term] = self._anew(term)
        return self._done[term]

    def _anew(self, term: Term) -> Term:
        if term.kind is not Kind.APP or not term.args:
            return self._unfold(term) if term.kind is Kind.APP else term
        if term.name == "ite":
            test = self._go(term.args[0])
            folded = simplify(rebuild(term, (test, *term.args[1:])), self._signature)
            if folded.kind is not Kind.APP or folded.name != "ite":
                return self._go(folded)
            return rebuild(folded, (folded.args[0], self._go(folded.args[1]), self._go(folded.args[2])))
        return self._unfold(rebuild(term, tuple([self._go(a) for a in term.args])))

    def _unfold(self, term: Term) -> Term:
        if self._fuel > 0:
            for equation in self._rules.get(term.name, ()):
                binding = match(equation.lhs, term)
                if binding is not None:
                    self._fuel -= 1
                    return self._go(substitute(equation.rhs, binding))
        return simplify(term, self._signature)


FUEL, PATIENT_FUEL = 80, 400
"""Steps of one normalisation: of a candidate, of a goal that is to be proved so."""

MOST_RULES = 400
MOST_INSTANCES = 160


@dataclass(frozen=True)
class _Rule:
    """``left`` becomes ``right``; ``facts`` are what that rests on, with arguments over the variables of ``left``."""

    left: Term
    right: Term
    facts: tuple[Instance, ...]
    always: bool = False
    """Whether it is applied whatever the order says."""
    fixed: tuple[Term, ...] = ()
    """Variables that stand for themselves: those of a sequent whose hypothesis the rule is."""


class Rules:
    """The defining equations and a growing number of proven ones, applied innermost first."""

    def __init__(self, signature: Signature, definitions: Rewriter) -> None:
        self._signature = signature
        self._definitions = definitions
        self._rank = {d.name: number for number, d in enumerate(signature.definitions, start=1)}
        self._rules: dict[str, list[_Rule]] = {}
        self._local: dict[str, list[_Rule]] = {}
        self._count = 0
        self._laws: dict[str, dict[str, Callable[..., Instance]]] = {}
        self._used: dict[Instance, None] = {}
        self._unfolded: dict[Instance, None] = {}
        self._fuel = 0
        self._memo: dict[Term, Term] = {}
        self._left: dict[Term, Term] = {}  # what terms come to when there is no fuel left
        x, y, z = (var(f"?{n}", INT) for n in "xyz")
        for name in ("+", "*"):
            for left, right in _permutations(name, x, y, z):
                self._rules.setdefault(name, []).append(_Rule(left, right, ()))

    def add_premises(self, premises: Iterable[Premise], reserved: Iterable[str]) -> None:
        """The unconditional equations and facts among the premises."""
        for premise in premises:
            fact, formula = sequent_of(premise.formula, reserved), premise.formula
            if len(fact.vars) == (len(formula.binders) if formula.kind is Kind.FORALL else 0):
                self._add(fact, Instance("premise", premise.name, fact.vars))

    def add(self, fact: Sequent) -> None:
        """A proven sequent; one with hypotheses or quantifiers inside is left out."""
        self._add(fact, Instance("step", key_of(fact), fact.vars))

    def _add(self, fact: Sequent, source: Instance) -> None:
        concl = fact.concl
        if fact.hyps or concl.kind is not Kind.APP or self._count >= MOST_RULES:
            return
        self._memo.clear()
        for rule in self._explained(list(_directions(concl, (source,)))):
            self._rules.setdefault(rule.left.name, []).append(rule)
            self._count += 1
        if is_app(concl, "=") and len(concl.args) == 2:
            self._notice_permutations(*concl.args, source)

    def joins(self, sequent: Sequent) -> bool:
        """Whether an equation without hypotheses follows by rewriting both sides."""
        return not sequent.hyps and self.normal(sequent.concl) is TRUE

    def normal(self, term: Term) -> Term:
        """``term`` rewritten as far as the fuel goes."""
        self._fuel = FUEL
        self._left.clear()
        return self._go(term)

    def reducible(self, term: Term) -> bool:
        """Whether a proven equation makes ``term`` itself (not a part of it) smaller, whatever its variables are."""
        for rule in self._rules.get(term.name, ()):
            binding = match(rule.left, term)
            if binding is not None and substitute(rule.right, binding).size < term.size:
                return True
        return False

    def query(self, sequent: Sequent) -> Query | None:
        """A ground query with the instances that rewriting an equation took; None where it does not come to an end.

        Hypotheses count as rules. Permutative facts lead a solver astray, by the instance they do no harm.
        """
        concl = sequent.concl
        if not is_app(concl, "=") or len(concl.args) != 2:
            return None
        self._memo.clear()
        self._used.clear()
        self._unfolded.clear()
        self._fuel = PATIENT_FUEL
        self._left.clear()
        hyps: list[_Rule] = []
        for number, hyp in enumerate(sequent.hyps):
            if hyp.kind is Kind.FORALL:
                hyps += _directions(hyp.body, (Instance("hyp", str(number), hyp.binders),), sequent.vars)
            else:
                hyps += _directions(self._go(hyp), (), sequent.vars)
        for rule in hyps:
            fixed = tuple(v for v in sequent.vars if v in rule.left.free)
            self._local.setdefault(rule.left.name, []).append(replace(rule, fixed=fixed))
        self._memo.clear()
        left, right = (self._go(side) for side in concl.args)
        if left is not right:
            left, right = self._go(self._opened(left)), self._go(self._opened(right))
        self._local.clear()
        self._memo.clear()
        used = tuple(self._used)
        if not used or len(used) > MOST_INSTANCES:
            return None
        cites = tuple(dict.fromkeys(i.name for i in used if i.of == "step"))
        if left is right:
            return Query(cites, (*used, *self._unfolded), equations=False, quantified=False)
        undecided = any(is_app(t, "ite") for side in (left, right) for t in subterms(side))
        return Query(cites, used, quantified=False) if undecided else None

    def _opened(self, side: Term) -> Term:
        """A call at the root that is stuck on which case it is: its definition, case distinction and all."""
        definition = self._signature.definition(side.name) if side.kind is Kind.APP else None
        if definition is None:
            return side
        self._unfolded[Instance("def", side.name, side.args)] = None
        body = definition.at(side.args)
        return simplify(body, self._signature)

    # ----------------------------------------------------------------------------------------- rules

    def _explained(self, rules: list[_Rule]) -> list[_Rule]:
        """One direction only where an equation says what a function is in terms of operations that permute freely."""
        for rule in rules:
            plain = len(set(rule.left.args)) == len(rule.left.args) and all(a.kind is Kind.VAR for a in rule.left.args)
            if plain and not self._permutes(rule.left.name) and self._permutes(rule.right.name):
                return [replace(rule, always=True)]
        return rules

    def _permutes(self, name: str) -> bool:
        return name in ("+", "*") or len(self._laws.get(name, ())) == 2

    def _notice_permutations(self, left: Term, right: Term, source: Instance) -> None:
        """Once an operation is known to be commutative and associative it permutes freely."""
        if left.kind is not Kind.APP or len(left.args) != 2 or right.kind is not Kind.APP or right.name != left.name:
            return
        laws = self._laws.setdefault(left.name, {})
        (a, b), (c, d) = left.args, right.args
        before = len(laws)
        if a is d and b is c and a is not b and a.kind is b.kind is Kind.VAR:
            laws["commutative"] = _instantiation(source, a, b)
        elif {left.size, right.size} == {5} and len(left.free) == 3 and (a.args == () or b.args == ()):
            nested, flat = (left, right) if a.args else (right, left)
            if (
                is_app(nested.args[0], left.name)
                and is_app(flat.args[1], left.name)
                and (*nested.args[0].args, nested.args[1]) == (flat.args[0], *flat.args[1].args)
            ):
                laws["associative"] = _instantiation(source, flat.args[0], *flat.args[1].args)
        if len(laws) == 2 and before < 2 and a.sort is b.sort is left.sort:
            x, y, z = (var(f"?{n}", left.sort) for n in "xyz")
            swap, regroup = laws["commutative"], laws["associative"]
            facts = ((swap(x, y),), (regroup(x, y, z),), (regroup(x, y, z), swap(x, y), regroup(y, x, z)))
            for (before_it, after), rests in zip(_permutations(left.name, x, y, z), facts, strict=True):
                self._rules.setdefault(left.name, []).append(_Rule(before_it, after, rests))

    # ------------------------------------------------------------------------------------- rewriting

    def _go(self, term: Term) -> Term:
        if term.kind is not Kind.APP or term.binders:
            return term
        done = self._memo.get(term)
        if done is None:
            done = None if self._fuel > 0 else self._left.get(term)
            if done is None:
                done = self._rewritten(term)
                (self._memo if self._fuel > 0 else self._left)[term] = done
        return done

    def _rewritten(self, term: Term) -> Term:
        if term.name == "ite":
            test = self._go(term.args[0])
            if test is TRUE or test is FALSE:
                return self._go(term.args[1] if test is TRUE else term.args[2])
            return simplify(rebuild(term, (test, self._go(term.args[1]), self._go(term.args[2]))), self._signature)
        now = rebuild(term, tuple([self._go(a) for a in term.args])) if term.args else term
        if self._fuel <= 0:
            return now
        unfolded = self._definitions.step(now)
        if unfolded is not None:
            self._fuel -= 1
            self._unfolded[Instance("def", now.name, now.args)] = None
            return self._go(unfolded)
        for rule in (*self._local.get(now.name, ()), *self._rules.get(now.name, ())):
            binding = match(rule.left, now)
            if binding is not None and all(binding[v] is v for v in rule.fixed):
                after = substitute(rule.right, binding)
                if rule.always or self._less(after, now):
                    self._fuel -= 1
                    self._used.update(dict.fromkeys(_at(fact, binding) for fact in rule.facts))
                    return self._go(after)
        folded = simplify(now, self._signature)
        return folded if folded is now else self._go(folded)

    def _less(self, a: Term, b: Term) -> bool:
        """A total order on terms: by size, then by head, then by the arguments from left to right."""
        while a is not b:
            if a.size != b.size:
                return a.size < b.size
            one, other = self._head(a), self._head(b)
            if one != other:
                return one < other
            if len(a.args) != len(b.args):
                return len(a.args) < len(b.args)
            a, b = next(((x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y), (a, a))
        return False

    def _head(self, term: Term) -> tuple[int, int, str, str]:
        return (int(term.kind), self._rank.get(term.name, 0), term.name, repr(term.value) + repr(term.indices))


def _directions(concl: Term, facts: tuple[Instance, ...], constants: Iterable[Term] = ()) -> Iterator[_Rule]:
    """What a fact lets be rewritten: an equation in both directions, a Boolean fact to its value."""
    if is_app(concl, "=") and len(concl.args) == 2:
        sides = [concl.args, concl.args[::-1]]
    elif is_app(concl, "not"):
        sides = [(concl.args[0], FALSE)]
    else:
        sides = [(concl, TRUE)]
    for left, right in sides:
        if left.kind is Kind.APP and left.args and right.free <= left.free.union(constants) and left.name != "=":
            yield _Rule(left, right, facts)


def _permutations(name: str, x: Term, y: Term, z: Term) -> tuple[tuple[Term, Term], ...]:
    def of(a: Term, b: Term) -> Term:
        return app(name, (a, b), x.sort)

    return (of(x, y), of(y, x)), (of(of(x, y), z), of(x, of(y, z))), (of(x, of(y, z)), of(y, of(x, z)))


def _at(fact: Instance, binding: Mapping[Term, Term]) -> Instance:
    return replace(fact, args=tuple([substitute(a, binding) for a in fact.args]))


def _instantiation(source: Instance, *variables: Term) -> Callable[..., Instance]:
    """The instance of a law with its variables, in this order, replaced by what it is called with."""

    def at(*terms: Term) -> Instance:
        return _at(source, dict(zip(variables, terms, strict=True)))

    return at
