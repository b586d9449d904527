"""How functions recurse, for inductions along them: the cases of their arguments, and the points below each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from goedels_poetry.kernel.calls import TooLarge
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.recursion import Below, Case, cases_along, moved_variables, points_below
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import FALSE, Kind, Term, app, substitute, subterms
from goedels_poetry.lean.smt_proofs.writing import Writing

MOST_CASES = 60


@dataclass(frozen=True, slots=True)
class Course:
    """The recursion of a function at some arguments: what moves, and its cases."""

    function: str
    at: tuple[Term, ...]
    on: tuple[Term, ...]
    cases: tuple[Case, ...]

    @property
    def still(self) -> tuple[Term, ...]:
        """The arguments that stay as they are."""
        return tuple(t for t in self.at if t not in self.on)

    @property
    def form(self) -> list[object]:
        """What two courses of one function share where one is an instance of the other."""
        return [(len(bound_by(c)), [(len(b.bound), b.path.kind is Kind.LIT) for b in c.below]) for c in self.cases]


def course(writing: Writing, definition: Definition, at: tuple[Term, ...], *beside: Term) -> Course:
    """The recursion of a function at arguments. ``beside``: terms whose variables are not taken for new ones.

    Raises:
        TooLarge: a body with more paths than we are ready to follow.
    """
    signature = writing.problem.signature
    points = points_below(definition, signature)
    moved = moved_variables(at, points, definition)
    names = Names(*at, *beside, reserved=signature.names)
    cases = cases_along(definition, at, moved, points, signature, names)
    return Course(definition.name, at, tuple(moved), tuple(cases))


def general(writing: Writing, definition: Definition) -> Course | None:
    """The recursion of a function at its parameters; None where it cannot be followed. Every step asks for it."""
    if definition.name not in writing.courses:
        writing.courses[definition.name] = _general(writing, definition)
    found: Course | None = writing.courses[definition.name]
    return found


def _general(writing: Writing, definition: Definition) -> Course | None:
    try:
        found = course(writing, definition, definition.params, definition.body)
    except TooLarge:
        return None
    selectors = {t.name for t in _symbols(found) if writing.problem.signature.selector(t.name) is not None}
    return found if selectors <= writing.theory.definitions.keys() else _deeper(writing, found)


def _symbols(found: Course) -> list[Term]:
    return [t for term in spoken_of(found) for t in subterms(term) if t.kind is Kind.APP]


def _deeper(writing: Writing, found: Course) -> Course:
    """The same by more cases, where fields are selected that the text has no words for."""
    signature = writing.problem.signature
    names = Names(*spoken_of(found), *[v for c in found.cases for v in bound_by(c)], reserved=signature.names)
    waiting, done = list(found.cases), list[Case]()
    while waiting:
        case = waiting.pop(0)
        variables = bound_by(case)
        subjects = [v for v in writing.selected(below(case)) if v in variables]
        datatype = signature.datatype(subjects[0].sort) if subjects else None
        if datatype is None or len(waiting) + len(done) > MOST_CASES:
            done.append(case)
            continue
        for constructor in datatype.constructors:
            fields = [names.fresh(f"{subjects[0].name}_{s}", sort) for s, sort in constructor.fields]
            waiting.append(_at(case, {subjects[0]: app(constructor.name, fields, datatype.sort)}, signature))
    return replace(found, cases=tuple(done))


def _at(case: Case, built: dict[Term, Term], signature: Signature) -> Case:
    """A case where a variable is what a constructor gives."""

    def go(term: Term) -> Term:
        return simplify(substitute(term, built), signature)

    below = [Below({v: go(t) for v, t in b.there.items()}, go(b.path), b.bound) for b in case.below]
    here = {v: substitute(t, built) for v, t in case.here.items()}
    return Case(here, tuple(b for b in below if b.path is not FALSE))


def below(case: Case) -> list[Term]:
    """The terms that the points below a case speak of."""
    return [t for b in case.below for t in (*b.there.values(), b.path)]


def bound_by(case: Case) -> list[Term]:
    """What the patterns of a case bind, in order."""
    return [v for term in case.here.values() for v in _leaves(term)]


def _leaves(pattern: Term) -> tuple[Term, ...]:
    return (pattern,) if pattern.kind is Kind.VAR else tuple(v for a in pattern.args for v in _leaves(a))


def spoken_of(found: Course) -> list[Term]:
    """The terms that the principle of a course speaks of."""
    return [*found.at, *(t for c in found.cases for t in below(c))]
