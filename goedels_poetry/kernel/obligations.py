"""What a solver is asked: the exact text of every query behind a proof.

Trusted code, and deterministic: the search poses its queries with the same functions as the checker, and the
script in a certificate is compared byte by byte with what they give. A query is ``prelude`` (logic,
declarations, defining equations, premises) followed by the lines of one check; ``unsat`` means that the sequent
follows. Scripts hold no ``check-sat``: whoever poses the query adds exactly one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.derivation import ByScheme, Instance, Query, Step
from goedels_poetry.kernel.encoding import Encoding, check_closed
from goedels_poetry.kernel.equations import Equation, equations
from goedels_poetry.kernel.faults import EncodingError, ObligationError
from goedels_poetry.kernel.problem import Datatype, Definition, Problem
from goedels_poetry.kernel.recursion import guard_at, guards
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, Kind, Term, and_, app, forall, implies, is_app, or_, substitute, subterms

# When one term is an instance of another


def covers(pattern: Term, term: Term) -> bool:
    """Whether ``term`` is an instance of ``pattern``."""
    binding: dict[Term, Term] = {}
    seen: set[tuple[Term, Term]] = set()
    stack = [(pattern, term)]
    while stack:
        p, t = stack.pop()
        if (p, t) in seen:
            continue
        seen.add((p, t))
        if p.kind is Kind.VAR:
            if p.sort is not t.sort or binding.setdefault(p, t) is not t:
                return False
        elif p is not t or p.args:
            if p.kind is not Kind.APP or t.kind is not Kind.APP or len(p.args) != len(t.args):
                return False
            if (p.name, p.indices) != (t.name, t.indices):
                return False
            stack.extend(zip(p.args, t.args, strict=True))
    return True


_CONNECTIVES = frozenset({"and", "or", "not", "=>", "xor", "ite", "=", "distinct"})


DIRECT = Query()
"""Nothing but the context."""


@dataclass(frozen=True)
class Obligation:
    """One query: ``lines`` after the prelude for (``equations``, ``quantified``) must be unsat."""

    name: str
    equations: bool
    quantified: bool
    lines: tuple[str, ...]
    foundation: bool = False
    """What the definitions rest on: posed without equations and without premises."""


class Context:
    """Poses the queries of one problem; what does not change between them is printed once.

    Raises:
        EncodingError: the signature cannot be handed to a solver faithfully.
        GuardError: the problem's measures do not fit its definitions.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.signature = problem.signature
        self.encoding = Encoding(problem.signature)
        self.equations: tuple[Equation, ...] = equations(problem.signature)
        self.guards = guards(problem.signature, problem.measures)
        self._declarations = ("(set-logic ALL)", *printer.declarations(self.encoding.signature()))
        self._equations = tuple(self.assert_equation(e) for e in self.equations if self.is_safe_to_unfold(e))
        self._premises = tuple(
            (_assertion(self._closed(p.formula)), is_quantified(p.formula)) for p in problem.premises
        )
        check_closed(problem.goal)
        self._by_name = {p.name: p for p in problem.premises}
        if len(self._by_name) != len(problem.premises):
            raise EncodingError("two premises have the same name")
        self._exhaustive: dict[Term, tuple[str, ...]] = {}
        self._cited: dict[Sequent, str] = {}

    # ------------------------------------------------------------------------------------------ prelude

    @property
    def declarations(self) -> tuple[str, ...]:
        """Logic, sorts, datatypes and functions (defined ones as uninterpreted)."""
        return self._declarations

    def prelude(self, equations: bool = True, quantified: bool = True) -> tuple[str, ...]:
        """Declarations, then the defining equations (if ``equations``), then the premises.

        Without ``quantified`` the premises that contain a quantifier are left out.
        """
        return (
            *self._declarations,
            *(self._equations if equations else ()),
            *[text for text, has_quantifier in self._premises if quantified or not has_quantifier],
        )

    def is_safe_to_unfold(self, equation: Equation) -> bool:
        """Whether instantiation by the left side comes to an end: it has a constructor, or nothing recurs.

        ``f n = ... f (n - 1) ...`` would be unfolded for ever; queries name the unfoldings they need instead.
        """
        definition = self.signature.definition(equation.function)
        patterned = any(a.kind is not Kind.VAR for a in equation.lhs.args)
        return patterned or definition is None or not definition.recursive

    def _closed(self, term: Term, variables: Iterable[Term] = ()) -> str:
        check_closed(term, variables)
        return self.encoding.text(term)

    def assert_equation(self, equation: Equation) -> str:
        """A defining equation, under its guard if it is measured, as an assertion."""
        variables = _variables(equation.lhs, equation.rhs)
        body = self._guarded(equation.function, equation.lhs.args, app("=", (equation.lhs, equation.rhs), BOOL))
        return _assertion(self.quantified(variables, body, [equation.lhs]))

    def _guarded(self, function: str, args: tuple[Term, ...], equation: Term) -> Term:
        """What may be assumed of a function at ``args``: the equation, under its guard if it is measured."""
        definition, guard = self.signature.definition(function), self.guards.get(function)
        if definition is None or guard is None:
            return equation
        return implies(guard_at(guard, definition, args), equation)

    def quantified(self, variables: Sequence[Term], body: Term, triggers: Iterable[Term]) -> str:
        """``forall variables. body``, with those of ``triggers`` as patterns that a solver can match."""
        if not variables:
            return self._closed(body)
        closed = forall(variables, body)
        check_closed(closed)
        needed = frozenset(variables)
        patterns = [t for t in dict.fromkeys(triggers) if t.kind is Kind.APP and t.args and needed <= t.free]
        patterns = [p for p in patterns if _is_matchable(p)]
        safe = self.encoding.term(closed)
        renamed = safe is not self.encoding.untold(closed)
        if closed.kind is not Kind.FORALL or closed.binders != tuple(variables) or not patterns or renamed:
            return self.encoding.text(closed)
        shown = "".join(f" :pattern ({self.encoding.text(p)})" for p in patterns)
        binders = " ".join(f"({printer.show(v)} {printer.show_sort(v.sort)})" for v in safe.binders)
        return f"(forall ({binders}) (! {self.encoding.written(safe.body)}{shown}))"

    # ------------------------------------------------------------------------------------------- checks

    def check(
        self, sequent: Sequent, query: Query = DIRECT, earlier: Mapping[str, Sequent] | None = None
    ) -> tuple[str, ...]:
        """The lines after the prelude whose unsatisfiability shows ``sequent``.

        Raises:
            ObligationError: a citation is not among ``earlier``, or an instance does not fit.
            EncodingError: a term has a variable that is not the sequent's.
        """
        cited = earlier or {}
        for name in query.cites:
            if name not in cited:
                raise ObligationError(f"step {name} is cited but was not proved before")
        check_sequent(sequent)
        lines = [
            f"(declare-const {self.encoding.text(v)} {printer.show_sort(self.encoding.sort(v.sort))})"
            for v in sequent.vars
        ]
        for variable in sequent.vars:
            lines.extend(self._exhaustiveness(variable))
        for hyp in sequent.hyps:
            if query.quantified or not is_quantified(hyp):
                lines.append(_assertion(self._closed(hyp, sequent.vars)))
        for name in dict.fromkeys(query.cites):
            step = cited[name]
            if query.quantified or not (step.vars or any(map(is_quantified, (*step.hyps, step.concl)))):
                lines.append(self.citation(step))
        for instance in dict.fromkeys(query.instances):
            fact = self.instance(sequent, instance, query.cites, cited)
            lines.append(_assertion(self._closed(fact, sequent.vars)))
        lines.append(_assertion(self._closed(app("not", (sequent.concl,), BOOL), sequent.vars)))
        return tuple(lines)

    def obligation(self, step: Step, earlier: Mapping[str, Sequent]) -> Obligation:
        """The query of a step that is justified by one.

        Raises:
            ObligationError: also when the step is justified by a scheme.
        """
        if isinstance(step.by, ByScheme):
            raise ObligationError(f"step {step.id} is not justified by a query")
        return Obligation(
            f"step {step.id}", step.by.equations, step.by.quantified, self.check(step.sequent, step.by, earlier)
        )

    def script(self, obligation: Obligation) -> str:
        """The whole text of a query, without ``check-sat``."""
        if obligation.foundation:
            return "\n".join((*self._declarations, *obligation.lines))
        return "\n".join((*self.prelude(obligation.equations, obligation.quantified), *obligation.lines))

    def foundation(self, name: str, sequent: Sequent) -> Obligation:
        """What definitions rest on: no premise may help one into existence, and none may vouch for itself."""
        return Obligation(name, False, False, self.check(sequent, Query(equations=False)), foundation=True)

    def script_of(self, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent]) -> str:
        """The whole text of a query that is not a step yet; errors as in `check`."""
        lines = self.check(sequent, query, earlier)
        return "\n".join((*self.prelude(query.equations, query.quantified), *lines))

    def citation(self, step: Sequent) -> str:
        """A proven sequent as an assertion, with patterns where it is an equation or a plain fact."""
        done = self._cited.get(step)
        if done is None:
            check_sequent(step)
            body = implies(and_(step.hyps), step.concl)
            triggers = [] if step.hyps else self._triggers(step.concl)
            used = tuple(v for v in step.vars if v in body.free)
            done = self._cited[step] = _assertion(self.quantified(used, body, triggers))
        return done

    def _triggers(self, concl: Term) -> list[Term]:
        """Both sides of an equation, or the atom of a unit, as far as a defined function heads them.

        Of ``f (g x) = f x`` only the left side: the right one would match what it brings, and so on for ever.
        """
        atom = concl.args[0] if is_app(concl, "not") else concl
        sides = atom.args if is_app(atom, "=") else (atom,)
        heads = [t for t in sides if t.kind is Kind.APP and self.signature.definition(t.name) is not None]
        return [t for t in heads if not any(covers(t, other) and not covers(other, t) for other in heads)]

    def _exhaustiveness(self, variable: Term) -> tuple[str, ...]:
        """That a value of a datatype is built by one of its constructors, two levels deep.

        True of every datatype; z3 splits such cases by itself, cvc5 only when it sees them.
        """
        done = self._exhaustive.get(variable)
        if done is None:
            facts: list[Term] = []
            datatype = self.signature.datatype(variable.sort)
            if datatype is not None:
                facts.append(_one_of(datatype, variable))
                for constructor in datatype.constructors:
                    for selector, sort in constructor.fields:
                        if sort is datatype.sort:
                            facts.append(_one_of(datatype, app(selector, (variable,), sort)))
            done = tuple(_assertion(self.encoding.text(f)) for f in facts)
            self._exhaustive[variable] = done
        return done

    # ---------------------------------------------------------------------------------------- instances

    def instance(
        self, sequent: Sequent, instance: Instance, cites: Iterable[str], earlier: Mapping[str, Sequent]
    ) -> Term:
        """The fact that ``instance`` names, over the variables of ``sequent``.

        Raises:
            ObligationError: no such definition, cited step, premise or hypothesis, or arguments that do
                not fit.
        """
        for argument in instance.args:
            check_closed(argument, sequent.vars)
        match instance.of:
            case "def":
                definition = self.signature.definition(instance.name)
                if definition is None:
                    raise ObligationError(f"{instance.name} has no definition")
                return self._guarded(instance.name, instance.args, _defining(definition, instance.args))
            case "step":
                if instance.name not in cites or instance.name not in earlier:
                    raise ObligationError(f"an instance of step {instance.name}, which is not cited")
                step = earlier[instance.name]
                mapping = _matching(step.vars, instance)
                return substitute(implies(and_(step.hyps), step.concl), mapping)
            case "premise":
                premise = self._by_name.get(instance.name)
                if premise is None:
                    raise ObligationError(f"there is no premise {instance.name}")
                return _specialised(premise.formula, instance)
            case "hyp":
                number = int(instance.name) if instance.name.isascii() and instance.name.isdigit() else -1
                if not 0 <= number < len(sequent.hyps):
                    raise ObligationError(f"there is no hypothesis {instance.name}")
                return _specialised(sequent.hyps[number], instance)
        raise ObligationError(f"an instance of {instance.of!r}")

    # --------------------------------------------------------------------- what the definitions rest on

    def equation_obligations(self) -> tuple[Obligation, ...]:
        """For each defining equation: it is an instance of the definition as the user wrote it."""
        counts: dict[str, int] = {}
        found = []
        for equation in self.equations:
            function, left = equation.function, equation.lhs
            if not is_app(left, function):
                raise ObligationError(f"an equation of {function} that does not begin with {function}")
            counts[function] = counts.get(function, 0) + 1
            variables = _variables(left, equation.rhs)
            wanted = Sequent(variables, (), self._guarded(function, left.args, app("=", (left, equation.rhs), BOOL)))
            unfolded = Query(instances=(Instance("def", function, left.args),), equations=False, quantified=False)
            found.append(
                Obligation(
                    f"equation {function} {counts[function]}",
                    False,
                    False,
                    self.check(wanted, unfolded),
                    foundation=True,
                )
            )
        return tuple(found)


def check_sequent(sequent: Sequent) -> None:
    """Raise `EncodingError` unless the sequent is closed and its variables have distinct names."""
    if len({v.name for v in sequent.vars}) != len(sequent.vars):
        raise EncodingError("two variables of a sequent share a name")
    if not all(v.kind is Kind.VAR for v in sequent.vars):
        raise EncodingError("a sequent quantifies over something that is not a variable")
    for term in (*sequent.hyps, sequent.concl):
        if term.sort is not BOOL:
            raise EncodingError("a hypothesis or conclusion is not a formula")
        check_closed(term, sequent.vars)


# --------------------------------------------------------------------------------------------------- helpers


def _assertion(text: str) -> str:
    return f"(assert {text})"


def _variables(*terms: Term) -> tuple[Term, ...]:
    """Free variables in the order of their first occurrence."""
    free = frozenset().union(*[t.free for t in terms])
    found = dict.fromkeys(t for term in terms for t in subterms(term) if t.kind is Kind.VAR)
    return tuple(v for v in found if v in free)


def is_quantified(term: Term) -> bool:
    """Whether there is a quantifier in it."""
    return any(t.binders for t in subterms(term))


def _is_matchable(pattern: Term) -> bool:
    """Whether a solver may match on ``pattern``: nothing in it but functions, variables and literals."""
    return not any(
        t.binders or (t.kind is Kind.APP and t.name in _CONNECTIVES) or (t.sort is BOOL and t is not pattern)
        for t in subterms(pattern)
    )


def _defining(definition: Definition, args: tuple[Term, ...]) -> Term:
    """``f(args) = body[args]``."""
    if tuple(a.sort for a in args) != tuple(p.sort for p in definition.params):
        raise ObligationError(f"{definition.name} does not take such arguments")
    body = definition.at(args)
    return app("=", (app(definition.name, args, definition.sort), body), BOOL)


def _matching(variables: tuple[Term, ...], instance: Instance) -> dict[Term, Term]:
    if tuple(a.sort for a in instance.args) != tuple(v.sort for v in variables):
        raise ObligationError(f"an instance of {instance.of} {instance.name} with arguments that do not fit")
    return dict(zip(variables, instance.args, strict=True))


def _specialised(formula: Term, instance: Instance) -> Term:
    """A universal formula at the arguments, one for each of its outer bound variables."""
    if formula.kind is not Kind.FORALL:
        if instance.args:
            raise ObligationError(f"{instance.of} {instance.name} is not universal")
        return formula
    return substitute(formula.body, _matching(formula.binders, instance))


def _one_of(datatype: Datatype, term: Term) -> Term:
    return or_(
        app(
            "=", (term, app(c.name, [app(selector, (term,), sort) for selector, sort in c.fields], datatype.sort)), BOOL
        )
        for c in datatype.constructors
    )
