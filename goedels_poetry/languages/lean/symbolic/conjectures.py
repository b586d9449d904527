"""Statements about given functions that hold on all sample values: lemmas worth proving, the likeliest first."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from goedels_poetry.languages.lean.symbolic.laws import XYZ, laws_of, matches, moves, names
from goedels_poetry.languages.lean.symbolic.pool import ENVIRONMENTS, Pool, Variable, World
from goedels_poetry.languages.lean.symbolic.shapes import Shapes
from goedels_poetry.languages.lean.symbolic.terms import Term, match, replace, show
from goedels_poetry.languages.lean.symbolic.types import BOOL, PROP, Type
from goedels_poetry.languages.lean.symbolic.values import TRUE, NoValue, equal

MORE_ENVIRONMENTS = 60


@dataclass(frozen=True, slots=True)
class Conjecture:
    """``∀ variables, premises → left = right``; ``right`` is None for a proposition ``left``."""

    variables: tuple[Variable, ...]
    left: Term
    right: Term | None
    premises: tuple[Term, ...] = ()
    proposition: bool = False
    parameters: frozenset[str] = frozenset()
    """Names that stand for types."""
    instance: tuple[Term, ...] = ()
    """Terms for the variables with which it says something about the goal; empty when that is not known."""

    @property
    def size(self) -> int:
        """Heads of both sides and the premises."""
        return self.left.size + (self.right.size if self.right else 1) + sum(p.size for p in self.premises)

    def binders(self) -> str:
        """``{α : Type _} (xs : List α)``."""
        rigid = sorted({n for v in self.variables for n in _heads(v.type)} & self.parameters)
        types = f"{{{' '.join(rigid)} : Type _}} " if rigid else ""
        return types + " ".join(f"({v.name} : {v.type.text()})" for v in self.variables)

    def body(self) -> str:
        """What is said about the variables."""
        stated = show(self.left)
        if self.right is not None:
            stated = f"{show(self.left, True)} {'↔' if self.proposition else '='} {show(self.right, True)}"
        return " → ".join([*(show(p, True) for p in self.premises), stated])

    @property
    def statement(self) -> str:
        """Closed."""
        binders = self.binders()
        return f"∀ {binders}, {self.body()}" if binders else self.body()


def _heads(type_: Type) -> Iterator[str]:
    yield type_.head
    for a in type_.args:
        yield from _heads(a)


class Maker:
    """Conjectures of a pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.world, self.shapes = pool, pool.world, Shapes(pool)
        self.more = [pool.environment(i) for i in range(ENVIRONMENTS, ENVIRONMENTS + MORE_ENVIRONMENTS)]
        self.accepted: list[Conjecture] = []
        self._lefts: set[Term] = set()

    def made(self) -> tuple[Conjecture, ...]:
        """All, generalisations of the goal first."""
        for term, type_, values in self.shapes.generalised():
            self._equation(term, type_, values)
        for made in list(self.accepted):
            self._steps(made)
        for bound in self.shapes.bounds():
            stated = self._conjecture(bound, None, PROP)
            if not self._known(stated) and self._holds(stated):
                self.accepted.append(stated)
        own = {f.name for f in self.world.functions}

        def order(pattern: tuple[Term, Type]) -> tuple[bool, int]:
            term, type_ = pattern  # what a predicate alone is equivalent to is true, but seldom of use
            return type_ in (BOOL, PROP) and not any(a.head in own for a in term.args), term.size

        patterns = sorted(self.shapes.patterns(), key=order)
        for term, type_ in patterns:
            self._equation(term, type_)
        self._implications(term for term, type_ in patterns if type_ in (BOOL, PROP))
        return tuple(self.accepted)

    def _equation(self, left: Term, type_: Type, instance: Mapping[str, Term] | None = None) -> None:
        definitional = instance is not None
        if left in self._lefts or (not definitional and self._defined(left)):
            return
        self._lefts.add(left)
        target = self.pool.entry(left, type_)
        if target is None or (not definitional and self._rewritten(left) != left):
            return
        rights = [
            e.term if e.names else self._computed(e.term)
            for e in itertools.islice(self.pool.equal(target), 12)
            if left not in e.term.parts()
        ]
        kept, own = 0, {f.name for f in self.world.functions}
        here = set(left.heads())

        def order(right: Term) -> tuple[int, bool, bool, int]:
            return self._nesting(right), not here.issuperset(right.heads()), right.head in own, right.size

        for right in sorted(rights, key=order):
            made = self._conjecture(left, right, type_)
            if instance is not None:
                given = tuple(instance.get(v.name, Term(v.name)) for v in made.variables)
                made = dataclasses.replace(made, instance=given)
            if self._known(made) or self._instance(made) or self._computed(left) == self._computed(right):
                continue
            if self._sorted(left) == self._sorted(right) and not moves(left, right):
                continue
            if self._rewritten(left) != self._rewritten(right) and self._holds(made):
                self.accepted.append(made)
                kept += 1
                if right.size < left.size:
                    return
            if kept == 2:
                return

    def _nesting(self, term: Term) -> int:
        """How many functions of the user stand inside each other."""
        own = any(f.name == term.head for f in self.world.functions)
        return own + max((self._nesting(a) for a in term.args), default=0)

    def _known(self, made: Conjecture) -> bool:
        """Whether it is the goal, or an accepted equation, in either direction."""
        goal, names = self.world.goal, frozenset(self.world.goal_variables)
        free = frozenset(v.name for v in made.variables)
        if match(made.left, goal, free, {}) and match(goal, made.left, names, {}):
            return True
        if made.right is None:
            return False
        older = [((c.left, c.right), frozenset(v.name for v in c.variables)) for c in self.accepted if c.right]
        if goal.head in ("Eq", "Iff"):
            older.append(((goal.args[0], goal.args[1]), names))
            left, right = goal.args
            if match(made.left, left, free, {}) and match(left, made.left, names, {}) and made.right.size >= right.size:
                return True  # the goal, said with more words
        for sides in ((made.left, made.right), (made.right, made.left)):
            for theirs, their_free in older:
                if matches(sides, theirs, free) and matches(theirs, sides, their_free):
                    return True
        return False

    def _instance(self, made: Conjecture) -> bool:
        """Of an accepted equation."""
        for c in self.accepted:
            if c.right is not None and made.right is not None and not c.premises:
                free = frozenset(v.name for v in c.variables)
                if matches((c.left, c.right), (made.left, made.right), free):
                    return True
        return False

    def _conjecture(self, left: Term, right: Term | None, type_: Type, premises: tuple[Term, ...] = ()) -> Conjecture:
        names = list(dict.fromkeys(h for t in (left, *premises) for h in t.heads() if h in self.pool.of_type))
        if right == Term("True"):
            right = None
        variables = tuple(Variable(n, self.pool.of_type[n]) for n in names)
        if right is None and type_ == BOOL:
            right = Term("true")
        return Conjecture(variables, left, right, premises, type_ == PROP, self.world.parameters)

    def _holds(self, made: Conjecture) -> bool:
        """On the further samples, and not for want of a case in which the premises hold."""
        value, cases = self.world.evaluator.value, 0
        for env in (*self.pool.environments, *self.more):
            try:
                if not all(value(p, env) in (True, TRUE) for p in made.premises):
                    continue
                cases += 1
                expected = True if made.right is None else value(made.right, env)
                if not equal(value(made.left, env), expected):
                    return False
            except NoValue:
                continue
        return cases >= 8

    def _defined(self, left: Term) -> bool:
        """Whether a defining equation says what it is."""
        for e in self.world.equations.get(left.head, ()):
            found: dict[str, Term] = {}
            if len(e.patterns) == len(left.args) and all(
                match(p, a, e.free, found) for p, a in zip(e.patterns, left.args, strict=True)
            ):
                return True
        return False

    def _computed(self, term: Term, fuel: int = 12) -> Term:
        """By the defining equations, as far as a few steps take it."""
        if not term.args or term.names:
            return term
        term = Term(term.head, tuple(self._computed(a, fuel) for a in term.args))
        for e in self.world.equations.get(term.head, ()) if fuel > 0 else ():
            found: dict[str, Term] = {}
            if len(e.patterns) == len(term.args) and all(
                match(p, a, e.free, found) for p, a in zip(e.patterns, term.args, strict=True)
            ):
                return self._computed(e.value.put(found), fuel - 1)
        return term

    def _sorted(self, term: Term) -> Term:
        """With the arguments of commutative functions in a fixed order, and those of associative ones flattened."""
        if not term.args or term.names:
            return term
        args = [self._sorted(a) for a in term.args]
        if term.head in self._laws("associative"):
            args = [b for a in args for b in (a.args if a.head == term.head else (a,))]
        if term.head in self._laws("commutative"):
            args.sort(key=str)
        return Term(term.head, tuple(args))

    def _laws(self, law: str) -> set[str]:
        stated = [(c.left, c.right) for c in self.accepted if c.right is not None and not c.premises]
        if self.world.goal.head == "Eq":
            stated.append((self.world.goal.args[0], self.world.goal.args[1]))
        found = {"HAdd.hAdd", "HMul.hMul"} | ({"HAppend.hAppend"} if law == "associative" else set())
        for pair in stated:
            f = pair[0].head
            laws = laws_of(f, law) if len(pair[0].args) == 2 else ()
            if any(matches(w, pair, XYZ) and matches(pair, w, names(pair)) for w in laws):
                found.add(f)
        return found

    def _rewritten(self, term: Term, fuel: int = 30) -> Term:
        """By the equations accepted so far, from left to right where that makes it smaller or keeps it."""
        for _ in range(fuel):
            for made in self.accepted:
                if made.right is None or made.premises or made.right.size > made.left.size:
                    continue
                free = {v.name for v in made.variables}
                for part in term.parts():
                    found: dict[str, Term] = {}
                    if match(made.left, part, free, found):
                        new = made.right.put(found)
                        if new.size < part.size:
                            term = replace(term, part, new)
                            break
                else:
                    continue
                break
            else:
                return term
        return term

    def _steps(self, made: Conjecture) -> None:
        """What is left of an equation's induction step once its hypothesis has rewritten it."""
        if made.right is None:
            return
        for v in made.variables:
            for grown in self.shapes.grown(v, made.variables):
                left, right = (self._computed(side.put({v.name: grown})) for side in (made.left, made.right))
                found: dict[str, Term] = {}
                free = {w.name for w in made.variables}
                if not match(made.left, left, free, found) or found.get(v.name) != Term(v.name):
                    continue
                new = made.right.put(found)
                type_ = self.shapes.type_of(new)
                if (
                    type_ is None
                    or self._computed(new) == self._computed(right)
                    or self._sorted(new) == self._sorted(right)
                ):
                    continue
                step = self._conjecture(new, right, type_)
                closed = {h for h in right.heads() if h in self.pool.of_type} <= {w.name for w in step.variables}
                if closed and not self._known(step) and self._holds(step):
                    self.accepted.append(step)

    def _implications(self, conclusions: Iterable[Term]) -> None:
        """``p ys → p (g x ys)`` for predicates p."""
        predicates = [f for f in self.world.functions if f.result in (BOOL, PROP)]
        for left in conclusions:
            if self._defined(left) or any(c.left == left for c in self.accepted):
                continue
            type_ = BOOL if any(p.name == left.head and p.result == BOOL for p in predicates) else PROP
            names = [h for h in left.heads() if h in self.pool.of_type]
            for p in predicates:
                options = [[n for n in names if self.pool.of_type[n] == a] for a in p.arguments]
                for args in itertools.islice(itertools.product(*options), 6):
                    premise = Term(p.name, tuple(Term(a) for a in args))
                    if p.result == BOOL:
                        premise = Term("Eq", (premise, Term("true")))
                    made = self._conjecture(left, None, type_, (premise,))
                    if premise not in (left, Term("Eq", (left, Term("true")))) and self._holds(made):
                        self.accepted.append(made)


def conjectures(world: World, seconds: float) -> tuple[Conjecture, ...]:
    """Statements that hold on all samples. Takes about ``seconds`` of this process at most for the terms."""
    return Maker(Pool(world, seconds)).made()
