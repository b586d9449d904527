"""Statements about given functions that hold on all sample values: lemmas worth proving, the likeliest first."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from goedels_poetry.languages.lean.symbolic.laws import XYZ, laws_of, matches, moves, names
from goedels_poetry.languages.lean.symbolic.pool import ENVIRONMENTS, Pool, Variable, World, unify
from goedels_poetry.languages.lean.symbolic.terms import Term, match, replace, show
from goedels_poetry.languages.lean.symbolic.types import BOOL, NAT, PROP, Signature, Type
from goedels_poetry.languages.lean.symbolic.values import TRUE, NoValue

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
        said = show(self.left)
        if self.right is not None:
            said = f"{show(self.left, True)} {'↔' if self.proposition else '='} {show(self.right, True)}"
        return " → ".join([*(show(p, True) for p in self.premises), said])

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
        self.pool, self.world = pool, pool.world
        self.more = [pool.environment(i) for i in range(ENVIRONMENTS, ENVIRONMENTS + MORE_ENVIRONMENTS)]
        self.accepted: list[Conjecture] = []
        self._lefts: set[Term] = set()

    def made(self) -> tuple[Conjecture, ...]:
        """All, generalisations of the goal first."""
        for term, type_, values in self._generalised():
            self._equation(term, type_, values)
        for made in list(self.accepted):
            self._steps(made)
        patterns = sorted(self._patterns(), key=lambda p: p[0].size)
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
        for right in sorted(rights, key=lambda t: (self._nesting(t), t.head in own, t.size)):
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
        if made.right is None:
            return False
        free = frozenset(v.name for v in made.variables)
        older = [((c.left, c.right), frozenset(v.name for v in c.variables)) for c in self.accepted if c.right]
        if goal.head in ("Eq", "Iff"):
            older.append(((goal.args[0], goal.args[1]), names))
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
                if value(made.left, env) != expected:
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
        said = [(c.left, c.right) for c in self.accepted if c.right is not None and not c.premises]
        if self.world.goal.head == "Eq":
            said.append((self.world.goal.args[0], self.world.goal.args[1]))
        found = {"HAdd.hAdd", "HMul.hMul"} | ({"HAppend.hAppend"} if law == "associative" else set())
        for pair in said:
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
            for grown in self._grown(v, made.variables):
                left, right = (self._computed(side.put({v.name: grown})) for side in (made.left, made.right))
                found: dict[str, Term] = {}
                free = {w.name for w in made.variables}
                if not match(made.left, left, free, found) or found.get(v.name) != Term(v.name):
                    continue
                new = made.right.put(found)
                type_ = self._type(new)
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

    def _grown(self, v: Variable, others: Iterable[Variable]) -> Iterator[Term]:
        """The constructors of a variable's type, on top of it and of new variables."""
        if v.type == NAT:
            yield Term("HAdd.hAdd", (Term(v.name), Term("1")))
        for c in self.world.constructors.get(v.type.head, ()):
            found: dict[str, Type] = {}
            if not unify(c.result, v.type, c.parameters, found):
                continue
            used, args, again = [w.name for w in others], [], False
            for a in (b.put(found) for b in c.arguments):
                new = Term(v.name) if a == v.type and not again else self._fresh(a, used)
                again = again or a == v.type
                if new is None:
                    break
                used.append(new.head)
                args.append(new)
            else:
                if again:
                    yield Term(c.name, tuple(args))

    # ------------------------------------------------------------ left sides
    def _fresh(self, type_: Type, used: Iterable[str]) -> Term | None:
        taken = set(used)
        for v in self.pool.variables:
            if v.type == type_ and v.name not in taken:
                return Term(v.name)
        return None

    def _patterns(self) -> Iterator[tuple[Term, Type]]:
        functions = [*self.world.functions, *self.world.operations]
        inner = [*functions, *(c for cs in self.world.constructors.values() for c in cs)]
        own = {f.name for f in self.world.functions}
        for f in functions:
            if f.name in own:
                yield from self._applied(f, None, 0)
            elif f.result != PROP or f.name == "Eq":
                continue
            for g in inner:
                if f.name not in own and g.name not in own:
                    continue
                for at in range(len(f.arguments)):
                    yield from self._applied(f, g, at)

    def _applied(self, f: Signature, g: Signature | None, at: int) -> Iterator[tuple[Term, Type]]:
        """``f x… (g y…) z…`` with different variables, at every type of the world."""
        types = self.world.all_types
        for choice in itertools.product(types, repeat=len(f.parameters)):
            found = dict(zip(f.parameters, choice, strict=True))
            arguments = [a.put(found) for a in f.arguments]
            inner: list[Type] = []
            if g is not None:
                chosen: dict[str, Type] = {}
                if not unify(g.result, arguments[at], g.parameters, chosen):
                    continue
                if any(p not in chosen for p in g.parameters):
                    continue
                inner = [a.put(chosen) for a in g.arguments]
            used: list[str] = []

            def variable(type_: Type, used: list[str] = used) -> Term | None:
                made = self._fresh(type_, used)
                if made is not None:
                    used.append(made.head)
                return made

            args: list[Term | None] = []
            for i, a in enumerate(arguments):
                if g is not None and i == at:
                    below = [variable(b) for b in inner]
                    args.append(Term(g.name, tuple(b for b in below if b is not None)) if None not in below else None)
                else:
                    args.append(variable(a))
            if all(a is not None for a in args):
                yield Term(f.name, tuple(a for a in args if a is not None)), f.result.put(found)

    # ------------------------------------------------------------ the goal
    def _generalised(self) -> Iterator[tuple[Term, Type, dict[str, Term]]]:
        """Sides of the goal with variables, or functions of a new variable, for constants; with what stood there."""
        goal = self.world.goal
        if goal.head not in ("Eq", "Iff", "LE.le"):
            return
        for side in goal.args:
            canonical = self._canonical(side)
            if canonical is None or not any(p.head in self.world.goal_functions for p in side.parts()):
                continue
            renamed, back = canonical
            type_ = self._type(renamed)
            if type_ is None:
                continue
            constants = [
                (p, t)
                for p, t in dict(self._places(renamed, type_)).items()
                if p != renamed and p.head not in self.pool.of_type and p.head != "fun"
            ]
            for count in (1, 2):
                for chosen in itertools.combinations(constants, count):
                    new, values = renamed, dict(back)
                    for part, part_type in chosen:
                        variable = self._fresh(part_type, [*new.heads(), *values])
                        if variable is not None:
                            new = replace(new, part, variable)
                            values[variable.head] = part.put(back)
                    if new != renamed:
                        yield new, type_, values
            yield from self._shifted(renamed, type_, back)

    def _shifted(self, side: Term, type_: Type, back: dict[str, Term]) -> Iterator[tuple[Term, Type, dict[str, Term]]]:
        """``f n (g 0) (g 1)`` as ``f n (g m) (g (m + 1))``: constants that are values of functions at 0."""
        places = [i for i, a in enumerate(side.args) if a.head.isdecimal()]
        fresh = self._fresh(NAT, [*side.heads(), *back])
        if len(places) < 2 or fresh is None:
            return
        options: dict[str, list[Term]] = {}
        unary = [f.name for f in self.world.functions if f.arguments == (NAT,) and f.result == NAT]
        arguments = (fresh, Term("HAdd.hAdd", (fresh, Term("1"))))
        for shape in [*arguments, *(Term(u, (a,)) for a in arguments for u in unary)]:
            try:
                value = self.world.evaluator.value(shape.put({fresh.head: Term("0")}), {})
            except NoValue:
                continue
            options.setdefault(str(value), []).append(shape)
        for chosen in itertools.product(*(options.get(side.args[i].head, []) for i in places)):
            args = list(side.args)
            for i, new in zip(places, chosen, strict=True):
                args[i] = new
            yield Term(side.head, tuple(args)), type_, {**back, fresh.head: Term("0")}

    def _canonical(self, term: Term) -> tuple[Term, dict[str, Term]] | None:
        """With the pool's variables for the goal's, and the way back."""
        values: dict[str, Term] = {}
        back: dict[str, Term] = {}
        for name, type_ in self.world.goal_variables.items():
            if name in term.heads():
                new = self._fresh(type_, back)
                if new is None:
                    return None
                values[name], back[new.head] = new, Term(name)
        return term.put(values), back

    def _type(self, term: Term) -> Type | None:
        if term.head in self.pool.of_type and not term.args:
            return self.pool.of_type[term.head]
        if term.head.isdecimal():
            return NAT
        every = [*self.world.functions, *self.world.operations]
        every += [c for cs in self.world.constructors.values() for c in cs]
        for s in every:
            if s.name != term.head or len(s.arguments) != len(term.args):
                continue
            found: dict[str, Type] = {}
            for a, wanted in zip(term.args, s.arguments, strict=True):
                type_ = None if a.head in ("fun", "List.nil") else self._type(a)
                if type_ is not None and not unify(wanted, type_, s.parameters, found):
                    break
            else:
                if all(p in found for p in s.parameters):
                    return s.result.put(found)
                fits = [t for t in self.world.types if unify(s.result, t, s.parameters, dict(found))]
                if len(fits) == 1 or (fits and not s.arguments):
                    return fits[0]
        return None

    def _places(self, term: Term, type_: Type) -> Iterator[tuple[Term, Type]]:
        """The parts of a term with the types that their places ask for."""
        yield term, type_
        every = [*self.world.functions, *self.world.operations]
        every += [c for cs in self.world.constructors.values() for c in cs]
        for s in every:
            if s.name != term.head or len(s.arguments) != len(term.args):
                continue
            found: dict[str, Type] = {}
            if not unify(s.result, type_, s.parameters, found):
                continue
            for a, wanted in zip(term.args, s.arguments, strict=True):
                known = None if a.head in ("fun", "List.nil") else self._type(a)
                if known is not None:
                    unify(wanted, known, s.parameters, found)
            for a, wanted in zip(term.args, s.arguments, strict=True):
                if all(p in found for p in s.parameters):
                    yield from self._places(a, wanted.put(found))
            return

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


__all__ = ["Conjecture", "Maker", "conjectures"]
