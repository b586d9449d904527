"""How the proof of a lemma begins in Lean, by the scheme that the engine has proved it with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.bridge.vocabulary import NotTranslatable
from goedels_poetry.kernel.derivation import ByScheme, Query, Step
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
    variable_of,
)
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, Term, app, integer, substitute, subterms
from goedels_poetry.languages.bridge.goals.theory import FileTheory
from goedels_poetry.languages.bridge.writing import own_name

MOST_CALLS, MOST_APART, MOST_TOLD, MOST_STEPS, MOST_MUTUAL = 3, 2, 6, 4, 3


@dataclass(frozen=True)
class Starts:
    """Proofs with a place, ◯, for what closes the cases."""

    theory: FileTheory
    problem: Problem
    given: Callable[[str], str]
    """A lemma, by its step, applied to the functions that it is about; "" for a step that is none."""

    def apart(self, step: Step) -> list[str]:
        """An induction whose cases take apart what it is general in: where functions go down in several arguments."""
        if not isinstance(step.by, ByScheme) or not isinstance(step.by.scheme, StructuralInduction):
            return []
        signature, scheme = self.problem.signature, step.by.scheme
        general = [v for v in step.sequent.vars if v.name in scheme.general]
        if not 0 < len(general) <= MOST_APART or any(signature.datatype(v.sort) is None for v in general):
            return []
        names = [self.theory.variable(v) for v in general]
        on = self.theory.variable(variable_of(step.sequent, scheme.on))
        cases = " <;> ".join(f"cases {name}" for name in names)
        return [f"induction {on} generalizing {' '.join(names)} <;> {cases} <;> ◯"]

    def of(self, tree: Sequence[Step]) -> list[str]:
        """Proofs with a place, ◯, for what closes the cases: the induction of the derivation, and its like."""
        step = tree[0]
        if not isinstance(step.by, ByScheme):
            told = self._instances(step.by)
            return ["◯", f"{told}◯"] if told else ["◯"]
        names = {v.name: self.theory.variable(v) for v in step.sequent.vars}
        scheme = step.by.scheme
        nested = []
        for case in tree[1:]:
            on = getattr(case.by.scheme, "on", None) if isinstance(case.by, ByScheme) else None
            if isinstance(on, str) and on in names:
                nested.append(names[on])
        general = [names[g] for g in getattr(scheme, "general", ()) if g in names]
        generalizing = f" generalizing {' '.join(general)}" if general else ""
        if isinstance(scheme, StructuralInduction | IntInduction):
            on = names[scheme.on]
            starts = [
                f"induction {on}{generalizing} <;> (try cases {n}) <;> ◯" for n in dict.fromkeys(nested) if n != on
            ]
            if isinstance(scheme, IntInduction):
                starts += self._stepwise(scheme, f"induction {on} using Nat.strongRecOn{generalizing} with", on)
            starts.append(f"induction {on}{generalizing} <;> ◯")
            if isinstance(scheme, StructuralInduction):
                starts += self._mutual(variable_of(step.sequent, scheme.on), generalizing)
                starts += self._deeper(step.sequent, scheme, f"induction {on}{generalizing} with")
            return [*starts, *self._calls(step.sequent)]
        if isinstance(scheme, RecursionInduction):
            definition = self.problem.signature.definition(scheme.function)
            if definition is not None:
                call = self.theory.value(app(definition.name, scheme.at, definition.sort))
                return [f"fun_induction {call}{generalizing} <;> ◯"]
        if isinstance(scheme, MeasureInduction):
            strong = self._falling(step.sequent, scheme)
            return [*self._counted(step.sequent, scheme), *strong, *self._calls(step.sequent), "◯"]
        if isinstance(scheme, SizeInduction):
            return [*self._calls(step.sequent), "◯"]
        return ["◯", *(f"induction {n} <;> ◯" for n in dict.fromkeys(nested))]

    def _mutual(self, on: Term, generalizing: str) -> list[str]:
        """Induction on a value of one of several types that are declared together; of the others it says nothing.

        Lean wants to be told by what recursor, and of the motives all but the type's own, whose number is tried.
        """
        datatypes = self.problem.signature.datatypes
        together = sum(d.group == own.group for own in datatypes if own.sort is on.sort for d in datatypes)
        type_ = self.theory.taken_apart(on.sort)
        if not type_ or not 1 < together <= MOST_MUTUAL:
            return []
        start = f"induction {self.theory.variable(on)} using {type_}.rec"
        numbers = range(1, together + 1)
        others = [" ".join(f"(motive_{n} := fun _ => True)" for n in numbers if n != own) for own in numbers]
        return [f"{start} {told}{generalizing} <;> ◯" for told in others]

    def _instances(self, query: Query) -> str:
        """Cited lemmas at the values that the solver was given them at."""
        lines = []
        for instance in query.instances[:MOST_TOLD]:
            try:
                values = [self.theory.value(arg) for arg in instance.args]
            except NotTranslatable:
                continue
            if instance.of == "step" and self.given(instance.name):
                lines.append(f"have := {' '.join([self.given(instance.name), *values])}; ")
        return "".join(lines)

    def _stepwise(self, scheme: IntInduction, start: str, on: str) -> list[str]:
        """Natural numbers up to where the induction begins one by one, and then from as many before as it has."""
        base = scheme.base.value
        if not (self.theory.natural and scheme.upward and isinstance(base, int)):
            return []
        first = base + scheme.width
        if not 1 < first <= MOST_STEPS:
            return []
        arms = [f"\n    | {number}, ih => ◯" for number in range(first)]
        known = [f"have i{k} := ih ({on} + {first - k}) (by omega); " for k in range(1, scheme.width + 1)]
        arms.append(f"\n    | {on} + {first}, ih => {''.join(known)}◯")
        return [f"{start}\n  | _ {on} ih =>\n    match {on}, ih with{''.join(arms)}"]

    def _falling(self, sequent: Sequent, scheme: MeasureInduction) -> list[str]:
        """Strong induction on a natural number, with the instances at hand where the measure falls."""
        on = scheme.measure
        if on not in sequent.vars or not (self.theory.natural and on.sort is INT):
            return []
        others = [v for v in sequent.vars if v is not on]
        number, names = self.theory.variable(on), [self.theory.variable(v) for v in others]
        above = {on: app("+", (on, integer(1)), INT)}
        told = {}
        for where in ({}, above):
            lines = []
            for place, args in enumerate(scheme.at):
                values = {v: substitute(a, where) for v, a in zip(sequent.vars, args, strict=True)}
                known = " ".join(self.theory.value(values[v]) for v in others)
                lines.append(f"have i{place} := fun h => ih {self.theory.value(values[on])} h {known}; ")
            told[bool(where)] = "".join(lines)
        generalizing = f" generalizing {' '.join(names)}" if names else ""
        start = f"induction {number} using Nat.strongRecOn{generalizing} with\n  | _ {number} ih =>"
        arms = f"\n    | 0, ih => ◯\n    | {number} + 1, ih => {told[True]}◯"
        return [f"{start}\n    match {number}, ih with{arms}", f"{start} {told[False]}◯"]

    def _counted(self, sequent: Sequent, scheme: MeasureInduction) -> list[str]:
        """Where the measure is a natural number that falls by one: an induction on it, with the instances at hand."""
        on = scheme.measure
        if on not in sequent.vars or not (self.theory.natural and on.sort is INT):
            return []
        others = [v for v in sequent.vars if v is not on]
        below, names = app("-", (on, integer(1)), INT), [self.theory.variable(v) for v in others]
        number = self.theory.variable(on)
        above = {on: app("+", (on, integer(1)), INT)}
        told = []
        for args in scheme.at:
            values = dict(zip(sequent.vars, args, strict=True))
            if values[on] is below:
                known = [self.theory.value(substitute(values[v], above)) for v in others]
                told.append(f"have := i{number} {' '.join(known)}; ")
        generalizing = f" generalizing {' '.join(names)}" if names else ""
        arms = f"\n  | zero => ◯\n  | succ {number} i{number} => {''.join(told)}◯"
        return [f"induction {number}{generalizing} with{arms}"]

    def _deeper(self, sequent: Sequent, scheme: StructuralInduction, start: str) -> list[str]:
        """The induction with the part that it goes down to taken apart once more."""
        on = variable_of(sequent, scheme.on)
        datatype = self.problem.signature.datatype(on.sort)
        if datatype is None:
            return []
        arms = []
        for constructor in datatype.constructors:
            fields = [f"a{i}" for i, _ in enumerate(constructor.fields)]
            again = [f for f, (_, sort) in zip(fields, constructor.fields, strict=True) if sort is on.sort]
            words = " ".join([own_name(self.theory.name(constructor.name)), *fields, *(f"i{f}" for f in again)])
            split = "".join(f"cases {f} <;> " for f in again)
            arms.append(f"\n  | {words} => {split}◯")
        return [f"{start}{''.join(arms)}"]

    def _calls(self, sequent: Sequent) -> list[str]:
        """Along the recursion of the functions that are called on variables."""
        found: dict[str, None] = {}
        for part in (sequent.concl, *sequent.hyps):
            for term in subterms(part):
                definition = self.problem.signature.definition(term.name) if term.kind is Kind.APP else None
                if definition is None or not definition.recursive or not term.args:
                    continue
                if all(a.kind is Kind.VAR for a in term.args) and term.name in self.theory.definitions:
                    found[f"fun_induction {self.theory.value(term)} <;> ◯"] = None
        return list(found)[:MOST_CALLS]
