"""The terms that conjectures are made about: functions applied to variables or to one another, and the goal's sides
with something more general in them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from goedels_poetry.languages.lean.symbolic.pool import Pool, Variable, unify
from goedels_poetry.languages.lean.symbolic.terms import Term, replace
from goedels_poetry.languages.lean.symbolic.types import INT, NAT, PROP, Signature, Type
from goedels_poetry.languages.lean.symbolic.values import NoValue


class Shapes:
    """Left sides for conjectures, with variables of a pool."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.world = pool, pool.world

    def grown(self, v: Variable, others: Iterable[Variable]) -> Iterator[Term]:
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

    def _fresh(self, type_: Type, used: Iterable[str]) -> Term | None:
        taken = set(used)
        for v in self.pool.variables:
            if v.type == type_ and v.name not in taken:
                return Term(v.name)
        return None

    def patterns(self) -> Iterator[tuple[Term, Type]]:
        """Functions of the user at variables, and functions inside one another where one of the two is the user's."""
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

    def bounds(self) -> Iterator[Term]:
        """Functions of the user that give numbers, compared with numbers among their own arguments."""
        if not any(s.name == "LE.le" for s in self.world.operations):
            return
        for f in self.world.functions:
            for term, type_ in self._applied(f, None, 0) if f.result in (NAT, INT) else ():
                for other in dict.fromkeys(a for a in term.args if self.pool.of_type.get(a.head) == type_):
                    yield from (Term("LE.le", pair) for pair in ((other, term), (term, other)))

    def _applied(self, f: Signature, g: Signature | None, at: int) -> Iterator[tuple[Term, Type]]:
        """``f x… (g y…) z…`` with different variables, at every type of the world."""
        types = self.world.all_types
        for choice in itertools.product(types, repeat=len(f.parameters)):
            found = dict(zip(f.parameters, choice, strict=True))
            arguments = [a.put(found) for a in f.arguments]
            inner: list[Type] = []
            if g is not None:
                bound: dict[str, Type] = {}
                if not unify(g.result, arguments[at], g.parameters, bound):
                    continue
                if any(p not in bound for p in g.parameters):
                    continue
                inner = [a.put(bound) for a in g.arguments]
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

    def generalised(self) -> Iterator[tuple[Term, Type, dict[str, Term]]]:
        """Sides of the goal with variables, or functions of a new variable, for constants; with what stood there."""
        goal = self.world.goal
        if goal.head not in ("Eq", "Iff", "LE.le"):
            return
        for side in goal.args:
            canonical = self._canonical(side)
            if canonical is None or not any(p.head in self.world.goal_functions for p in side.parts()):
                continue
            renamed, back = canonical
            type_ = self.type_of(renamed)
            if type_ is None:
                continue
            constants = [
                (p, t)
                for p, t in dict(self._places(renamed, type_)).items()
                if p != renamed and p.head not in self.pool.of_type and p.head != "fun"
            ]
            for count in (1, 2):
                for bound in itertools.combinations(constants, count):
                    new, values = renamed, dict(back)
                    for part, part_type in bound:
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
        for bound in itertools.product(*(options.get(side.args[i].head, []) for i in places)):
            args = list(side.args)
            for i, new in zip(places, bound, strict=True):
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

    def _signatures(self, term: Term) -> Iterator[Signature]:
        """Those of the functions, operations and constructors that the term may be an application of."""
        constructors = (c for cs in self.world.constructors.values() for c in cs)
        for s in (*self.world.functions, *self.world.operations, *constructors):
            if s.name == term.head and len(s.arguments) == len(term.args):
                yield s

    def type_of(self, term: Term) -> Type | None:
        """The type of a term over the pool's variables; None when it cannot be told."""
        if term.head in self.pool.of_type and not term.args:
            return self.pool.of_type[term.head]
        if term.head.isdecimal():
            return NAT
        for s in self._signatures(term):
            found: dict[str, Type] = {}
            for a, wanted in zip(term.args, s.arguments, strict=True):
                type_ = None if a.head in ("fun", "List.nil") or a.head.isdecimal() else self.type_of(a)
                if type_ is not None and not unify(wanted, type_, s.parameters, found):
                    break
            else:
                for a, wanted in zip(term.args, s.arguments, strict=True):
                    if a.head.isdecimal():
                        unify(wanted, INT if INT in self.world.types else NAT, s.parameters, found)
                if all(p in found for p in s.parameters):
                    return s.result.put(found)
                fits = [t for t in self.world.types if unify(s.result, t, s.parameters, dict(found))]
                if len(fits) == 1 or (fits and not s.arguments):
                    return fits[0]
        return None

    def _places(self, term: Term, type_: Type) -> Iterator[tuple[Term, Type]]:
        """The parts of a term with the types that their places ask for."""
        yield term, type_
        for s in self._signatures(term):
            found: dict[str, Type] = {}
            if not unify(s.result, type_, s.parameters, found):
                continue
            for a, wanted in zip(term.args, s.arguments, strict=True):
                known = None if a.head in ("fun", "List.nil") else self.type_of(a)
                if known is not None:
                    unify(wanted, known, s.parameters, found)
            for a, wanted in zip(term.args, s.arguments, strict=True):
                if all(p in found for p in s.parameters):
                    yield from self._places(a, wanted.put(found))
            return
