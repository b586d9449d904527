"""Do recursive definitions define anything? Evidence that they come to an end, and what solvers have to agree to.

Trusted code. Nothing is looked for here: a certificate says how each group of mutually recursive functions ends, and
either that is so or the certificate is refused.

*Lexicographic* evidence names components, each of which never rises from caller to callee and which, one after the
other, fall at every call that lies on a cycle: no chain of calls is infinite. A component is the size of arguments (the
number of constructors in datatype values), which is seen from the form of the calls, or an integer or unsigned
bit-vector measure. That a measure falls is for solvers to show, in every interpretation of the group's own functions:
nothing may be assumed of these. For why that suffices see `calls`.

*Nested* evidence is for one function ``f`` that calls itself on results of its own, as McCarthy's 91 function does. For
a measure ``m`` of the parameters ``p`` and a bound ``B(p, r)`` on the result ``r`` solvers show that

1. each call is at arguments where ``m`` is smaller, given the bound for the calls inside of those arguments, as far as
   these are made;
2. the result keeps the bound, given the bound for all calls, as far as they are made.

By induction on ``m`` evaluation ends at every ``p`` and its result keeps the bound: the calls that are made are
evaluated from the inside out, each is smaller by (1), so it ends and keeps the bound; and (2) passes the bound on.

Bounds on the sizes of results are shown for functions that end, group by group, by induction along their calls.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.kernel.calls import Call, TooLarge, Work, calls_of, on_cycles, recursive_groups
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.problem import Definition, Signature, reached
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.sizes import Bound, Sizes, counting_twice
from goedels_poetry.kernel.terms import BOOL, INT, Term, and_, app, implies, integer, substitute, subterms, symbols

MAX_STEPS = 5_000_000
"""For all groups together."""
STEPS_OF_A_SEQUENT = 100


@dataclass(frozen=True)
class SizeComponent:
    """The sizes of the arguments at these positions, added up; the fields in ``twice`` count twice."""

    size: Mapping[str, tuple[int, ...]]
    twice: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class MeasureComponent:
    """Terms over the parameters of each function; ``falls``: the numbers of the remaining calls at which they fall."""

    measure: Mapping[str, Term]
    falls: tuple[int, ...]


@dataclass(frozen=True)
class Lexicographic:
    """Components that end the calls of ``functions``, a whole group."""

    functions: tuple[str, ...]
    components: tuple[SizeComponent | MeasureComponent, ...]


@dataclass(frozen=True)
class Nested:
    """A measure of the one function, and the bound ``result relation argument + constant``."""

    functions: tuple[str, ...]
    measure: Term
    relation: str
    argument: int
    constant: int

    def bound(self, result: Term, args: Sequence[Term]) -> Term:
        """That ``result`` keeps the bound at ``args``."""
        limit = app("+", (args[self.argument], integer(self.constant)), INT)
        return app(self.relation, (result, limit), BOOL)


GroupEvidence: TypeAlias = Lexicographic | Nested


@dataclass(frozen=True)
class TerminationEvidence:
    """What a certificate says of the ends of recursions, and of the sizes of results."""

    groups: tuple[GroupEvidence, ...] = ()
    bounds: Mapping[str, Bound] = field(default_factory=lambda: MappingProxyType({}))


NO_EVIDENCE = TerminationEvidence()


@dataclass(frozen=True)
class TerminationObligations:
    """What evidence comes to: if solvers agree to all ``sequents`` (with their names), the functions ``terminating``
    end, those that do not call themselves among them, and ``sizes`` are right. Of groups ``unshown`` nothing is said.
    """

    sequents: tuple[tuple[str, Sequent], ...]
    unshown: tuple[tuple[str, ...], ...]
    sizes: Sizes

    @property
    def terminating(self) -> frozenset[str]:
        """The functions that come to an end."""
        return self.sizes.total

    @property
    def doubts(self) -> tuple[str, ...]:
        """The groups that may have no end, each with the reason."""
        return tuple(f"{', '.join(g)}: the certificate gives no evidence of termination" for g in self.unshown)


def termination_obligations(
    signature: Signature, evidence: TerminationEvidence, measured: Container[str] = ()
) -> TerminationObligations:
    """What is left to show of the termination of all definitions but those that are ``measured`` (see `guards`).

    Raises:
        BadProof: the evidence is not of the form it has to have, or does not show what it claims.
    """
    entries = {frozenset(entry.functions): entry for entry in evidence.groups}
    if len(entries) != len(evidence.groups):
        raise BadProof("termination: two entries for the same functions")
    bounds, sizes, work = dict(evidence.bounds), Sizes(signature), Work(MAX_STEPS)
    sequents: dict[Sequent, None] = {}
    unshown = []
    try:
        for names in recursive_groups(signature):
            group = tuple(d for d in signature.definitions if d.name in names)
            if all(name in measured for name in names):
                continue
            if len(names) > 1 or names[0] in symbols(group[0].body):
                entry = entries.pop(frozenset(names), None)
                if entry is None:
                    unshown.append(tuple(names))
                    continue
                sequents.update(dict.fromkeys(_posed(group, entry, sizes, work)))
            sizes = _with_bounds(sizes, group, {n: bounds.pop(n) for n in names if n in bounds}, work)
    except TooLarge as large:
        raise BadProof(f"termination: too much to follow {large}".rstrip()) from large
    except BadProof as error:
        raise BadProof(f"termination of {', '.join(names)}: {error}") from error
    if entries or bounds:
        odd = sorted({name for functions in entries for name in functions} | bounds.keys())
        raise BadProof(f"termination: evidence for what is no group of functions to be shown to end: {', '.join(odd)}")
    named = tuple((f"termination {number}", sequent) for number, sequent in enumerate(sequents, 1))
    return TerminationObligations(named, tuple(unshown), sizes)


def _posed(group: Sequence[Definition], entry: GroupEvidence, sizes: Sizes, work: Work) -> Iterator[Sequent]:
    calls = calls_in(group, sizes.signature)
    if isinstance(entry, Lexicographic):
        yield from _lexicographic(group, entry, calls, sizes, work)
        return
    definition = group[0]
    integers = [i for i, p in enumerate(definition.params) if p.sort is INT]
    if definition.sort is not INT or entry.argument not in integers or entry.relation not in ("<=", ">="):
        raise BadProof("an integer result is at least or at most an integer argument and a constant")
    _check_measure({entry.functions[0]: entry.measure}, group, [d.name for d in group], sizes.signature, {"Int"})
    work.spend(STEPS_OF_A_SEQUENT * len(calls) ** 2)
    yield keeps_bound(definition, entry, calls, sizes.signature)
    for call in calls:
        yield falls_within_bound(definition, entry, call, calls)


def _with_bounds(sizes: Sizes, group: Sequence[Definition], mine: Mapping[str, Bound], work: Work) -> Sizes:
    """With the functions of a group that ends; ``mine`` are the bounds claimed of them."""
    known = Sizes(sizes.signature, {**sizes.bounds, **mine}, sizes.total.union(d.name for d in group))
    for definition in group:
        bound = mine.get(definition.name)
        if bound is None:
            continue
        _check_positions(bound.positions, definition, sizes.signature)
        if sizes.signature.datatype(definition.sort) is None or bound.spare < 0:
            raise BadProof(f"the size of what {definition.name} gives cannot be bounded so")
        if not known.keeps(definition, simplify(definition.body, sizes.signature), bound, work):
            raise BadProof(f"the bound on the size of what {definition.name} gives does not hold")
    return known


def _check_positions(positions: Sequence[int], definition: Definition, signature: Signature) -> None:
    data = [i for i, p in enumerate(definition.params) if signature.datatype(p.sort) is not None]
    if not positions or list(positions) != [i for i in data if i in positions]:
        raise BadProof(f"not positions of arguments of {definition.name} that have a size, in order: {positions}")


# ------------------------------------------------------------------------------------------------- lexicographic


def calls_in(group: Sequence[Definition], signature: Signature) -> list[Call]:
    """The calls within a group that can be made and lie on a cycle, in a fixed order. `TooLarge` as `calls_of`."""
    names = frozenset(d.name for d in group)
    reserved = {d.name for d in signature.definitions} | set(signature.functions)
    sizes = Sizes(signature)
    made = [c for d in group for c in calls_of(d, names, simplify(d.body, signature), reserved)]
    return on_cycles(c for c in made if not sizes.shapes(c.path).contradictory)


def _lexicographic(
    group: Sequence[Definition], entry: Lexicographic, calls: list[Call], sizes: Sizes, work: Work
) -> Iterator[Sequent]:
    by_name = {d.name: d for d in group}
    for component in entry.components:
        involved = {name for call in calls for name in (call.caller, call.callee)}
        if isinstance(component, SizeComponent):
            falling = _shrinking(calls, component, by_name, involved, sizes, work)
        else:
            falling = frozenset(component.falls)
            if list(component.falls) != sorted(falling) or not falling <= set(range(len(calls))):
                raise BadProof(f"not numbers of the {len(calls)} remaining calls, in order: {component.falls}")
            _check_measure(component.measure, group, involved, sizes.signature, {"Int", "BitVec"})
            for number, call in enumerate(calls):
                work.spend(STEPS_OF_A_SEQUENT + len(call.path))
                sequent = measure_sequent(call, component.measure, by_name, falls=number in falling)
                if sequent is not None:
                    yield sequent
        if not falling:
            raise BadProof("a component that falls at no call")
        calls = on_cycles(call for number, call in enumerate(calls) if number not in falling)
    if calls:
        raise BadProof(f"nothing falls at a call from {calls[0].caller} to {calls[0].callee}")


def _shrinking(
    calls: Sequence[Call],
    component: SizeComponent,
    group: Mapping[str, Definition],
    involved: set[str],
    sizes: Sizes,
    work: Work,
) -> frozenset[int]:
    """The numbers of the calls at which the sizes fall; they rise at none."""
    if component.size.keys() != involved:
        raise BadProof(f"sizes are given for {sorted(component.size)}, calls remain of {sorted(involved)}")
    for name, positions in component.size.items():
        _check_positions(positions, group[name], sizes.signature)
    if component.twice:
        sizes = counting_twice(sizes.signature, component.twice)
    falling = set()
    for number, call in enumerate(calls):
        before = [group[call.caller].params[i] for i in component.size[call.caller]]
        after = tuple(call.args[i] for i in component.size[call.callee])
        loss = sizes.loss(before, after, call.path, work)
        work.spend()
        if loss is None or loss < 0:
            raise BadProof(f"the size may rise at a call from {call.caller} to {call.callee}")
        if loss > 0:
            falling.add(number)
    return frozenset(falling)


def measure_sequent(
    call: Call,
    measure: Mapping[str, Term],
    group: Mapping[str, Definition],
    *,
    falls: bool,
    given: Iterable[Term] = (),
) -> Sequent | None:
    """That the measure falls at a call, or does not rise: then None when both terms are the same.

    An Int measure may go below 0 only as the last step, so no chain is infinite.
    """
    here = measure[call.caller]
    there = substitute(measure[call.callee], dict(zip(group[call.callee].params, call.args, strict=True)))
    if there is here and not falls:
        return None
    bits = here.sort is not INT
    below = app(("bvult" if bits else "<") if falls else ("bvule" if bits else "<="), (there, here), BOOL)
    low = [] if bits or not falls else [app("<=", (integer(0), here), BOOL)]
    return make_sequent(call.variables, (*call.path, *given), and_([*low, below]))


def _check_measure(
    measure: Mapping[str, Term], group: Iterable[Definition], of: Iterable[str], signature: Signature, sorts: set[str]
) -> None:
    """There is a measure for each function in ``of``, all of one of the ``sorts``, over its parameters, and none rests
    on the group."""
    names = {d.name for d in group}
    if measure.keys() != set(of) or len({t.sort for t in measure.values()}) > 1:
        raise BadProof(f"measures of one sort are wanted for {', '.join(sorted(of))}")
    for definition in group:
        term = measure.get(definition.name)
        if term is not None and not (term.sort.name in sorts and term.free <= set(definition.params)):
            raise BadProof(f"a measure of {definition.name} is an integer or bit-vector term over its parameters")
        if term is not None and not names.isdisjoint(reached(signature, [term])):
            raise BadProof(f"a measure of {definition.name} rests on what it is to measure")


# -------------------------------------------------------------------------------------------------------- nested


def _kept(entry: Nested, call: Call) -> Term:
    """That the result of a call keeps the bound, if the call is made."""
    return implies(and_(call.path), entry.bound(app(call.callee, call.args, INT), call.args))


def keeps_bound(definition: Definition, entry: Nested, calls: Iterable[Call], signature: Signature) -> Sequent:
    """That the result keeps the bound, given it for the calls."""
    given = [_kept(entry, call) for call in calls if call.variables == definition.params]
    return make_sequent(definition.params, given, entry.bound(simplify(definition.body, signature), definition.params))


def falls_within_bound(definition: Definition, entry: Nested, call: Call, calls: Iterable[Call]) -> Sequent:
    """That the measure falls at a call, given the bound for the calls inside of its arguments."""
    inside = {t for a in call.args for t in subterms(a)}
    given = [_kept(entry, c) for c in calls if app(c.callee, c.args, INT) in inside]
    name = definition.name
    found = measure_sequent(call, {name: entry.measure}, {name: definition}, falls=True, given=given)
    assert found is not None
    return found
