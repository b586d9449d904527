"""The search for evidence that recursive definitions come to an end. Nothing here is trusted: `kernel.termination`
looks at what is found, and solvers have to agree to it.

Components are chosen greedily, each removing the calls at which it falls. That loses nothing: a component that never
rises stays usable whatever else is chosen. The method is that of Bulwahn, Krauss and Nipkow, Finding lexicographic
orders for termination proofs in Isabelle/HOL (TPHOLs 2007).

Looks for what ends recursion on the result of a recursive call, as in McCarthy's 91 function: a bound on results.

The method, a measure that falls given an invariant of the results, is that of Giesl, Termination of nested and mutually
recursive algorithms (Journal of Automated Reasoning 19, 1997).

Guesses how large the results of functions are: no larger than some arguments together. The kernel checks them.

Which measures might fall: guesses from parameters and guards. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from math import comb, prod
from types import MappingProxyType
from typing import TypeAlias

from goedels_poetry.kernel.calls import Call, TooLarge, Work, on_cycles, recursive_groups
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Signature, reached
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.sizes import Bound, Sizes, Weights
from goedels_poetry.kernel.termination import (
    GroupEvidence,
    Lexicographic,
    MeasureComponent,
    Nested,
    SizeComponent,
    TerminationEvidence,
    calls_in,
    falls_within_bound,
    keeps_bound,
    measure_sequent,
)
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Sort,
    Term,
    app,
    bitvec,
    integer,
    is_app,
    ite,
    subterms,
    symbols,
)
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

MAX_ASSIGNMENTS = 5_000
MAX_QUERIES = 300
"""Of one group; as many again where calls stand inside of each other."""
MAX_QUERIES_IN_ALL = 3_000
MAX_WEIGHTS = 12
MAX_NESTED = 8
"""Measures that are tried where calls stand inside of each other."""
MAX_STEPS = 10_000_000
"""For all groups together; those that are looked at when they are used up count as not shown to terminate."""
RLIMIT = 2_000_000
"""Which measure is found must not depend on the speed of the machine, so this is what bounds a query."""
SECONDS = 10.0
KEPT = 8
"""Signatures whose results are kept: a run asks about the same one over and over."""

Prover = Callable[[Sequent], bool]
"""True only for sequents that hold in every interpretation of all functions: no definition and no premise may help."""


@dataclass(frozen=True)
class Termination:
    """What was found of one group of mutually recursive functions, or of one function that is not recursive.

    ``reason`` says why nothing was.
    """

    group: tuple[str, ...]
    recursive: bool
    evidence: GroupEvidence | None = None
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether the functions come to an end."""
        return not self.recursive or self.evidence is not None

    @property
    def method(self) -> str:
        """``not recursive``, ``structural``, ``measure``, ``lexicographic``, ``nested``, or nothing."""
        match self.evidence:
            case None:
                return "" if self.recursive else "not recursive"
            case Lexicographic(components=()):
                return "not recursive"
            case Lexicographic(components=(only,)):
                return "structural" if isinstance(only, SizeComponent) else "measure"
            case Lexicographic():
                return "lexicographic"
        return "nested"


@dataclass(frozen=True)
class Terminations:
    """What was found of all groups, dependencies first, and of sizes."""

    groups: tuple[Termination, ...]
    sizes: Sizes

    def evidence(self, functions: Container[str], terms: Iterable[Term] = ()) -> TerminationEvidence:
        """What a certificate has to say of ``functions``, which call no others.

        Bounds are left out that play no part in this, nor in the sizes of ``terms``.
        """
        signature = self.sizes.signature
        kept = [g.evidence for g in self.groups if g.evidence and all(name in functions for name in g.group)]
        sized = [terms]
        for found in kept:
            if isinstance(found, Lexicographic) and any(isinstance(c, SizeComponent) for c in found.components):
                group = [d for d in signature.definitions if d.name in found.functions]
                sized += [call.args for call in calls_in(group, signature)]
        used = reached(signature, [term for some in sized for term in some])
        bounds = {name: b for name, b in self.sizes.bounds.items() if name in used and name in functions}
        return TerminationEvidence(tuple(kept), MappingProxyType(bounds))


def terminations(signature: Signature, prove: Prover | None, measured: Container[str] = ()) -> Terminations:
    """Look at every group of definitions but those that are ``measured``.

    Without ``prove`` only arguments that get smaller are looked for.
    """
    sizes, groups = Sizes(signature), []
    work, queries = Work(MAX_STEPS), Work(MAX_QUERIES_IN_ALL)
    for names in recursive_groups(signature):
        group = [d for d in signature.definitions if d.name in names]
        if all(name in measured for name in names):
            groups.append(Termination(tuple(names), True, reason="it is used under a measure"))
            continue
        try:
            if len(names) == 1 and names[0] not in symbols(group[0].body):
                found = Termination(tuple(names), False)
            else:
                found = _Search(group, sizes, prove, work, queries).result()
            if found.ok:
                sizes = likely_bounds(sizes, group, work)
        except RecursionError:
            found = Termination(tuple(names), True, reason=f"the body of {names[0]} is nested too deeply")
        groups.append(found)
    return Terminations(tuple(groups), sizes)


def structural_sizes(signature: Signature) -> Sizes:
    """What the functions that terminate by the size of their arguments tell of sizes; no solver is asked."""
    return _remembered(signature, False, lambda: terminations(signature, None)).sizes


def terminations_by_solver(context: Context) -> Terminations:
    """Look at every group with the help of z3, which is asked without premises and without any equation.

    What is used under a measure is left out only where something would be seen of it: a proof has its reasons.
    """
    signature = context.signature
    with borrowed() as z3:

        def prove(sequent: Sequent) -> bool:
            script = context.script(context.foundation("termination", sequent))
            return z3.ask(script, Limits(rlimit=RLIMIT, seconds=SECONDS)).status == "unsat"

        found = _remembered(signature, True, lambda: terminations(signature, prove))
        if any(t.ok and all(name in context.guards for name in t.group) for t in found.groups):
            return terminations(signature, prove, context.guards)
        return found


_KEPT: list[tuple[Signature, bool, Terminations]] = []


def _remembered(signature: Signature, asked: bool, look: Callable[[], Terminations]) -> Terminations:
    for known, by_solver, found in _KEPT:
        if known is signature and by_solver is asked:
            return found
    _KEPT.append((signature, asked, look()))
    del _KEPT[:-KEPT]
    return _KEPT[-1][-1]


@dataclass
class _Search:
    """The search for one group."""

    group: Sequence[Definition]
    sizes: Sizes
    prove: Prover | None
    work: Work
    queries_in_all: Work
    queries: int = 0
    most_queries: int = MAX_QUERIES
    known: dict[Sequent, bool] = field(default_factory=dict)
    losses: dict[tuple[object, ...], int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.signature = self.sizes.signature
        self.by_name = {d.name: d for d in self.group}
        self.params = {d.name: d.params for d in self.group}

    def result(self) -> Termination:
        names = tuple(d.name for d in self.group)
        try:
            calls = self._reduced(names)
        except TooLarge as large:
            reason = f"the body of {large} has too many paths to follow" if str(large) else "its calls are too many"
            return Termination(names, True, reason=reason)
        if isinstance(calls, str):
            return Termination(names, True, reason=calls)
        return Termination(names, True, calls)

    def _reduced(self, names: tuple[str, ...]) -> GroupEvidence | str:
        """Evidence, or why there is none."""
        calls = calls_in(self.group, self.signature)
        chosen: list[SizeComponent | MeasureComponent] = []
        while calls:
            step = self._structural(calls, self.sizes) or self._weighted(calls) or self._measured(calls)
            if step is None:
                nested = self._nested()
                return nested or f"no argument and no measure was found that falls at the call {_show(calls[0])}"
            falling, component = step
            chosen.append(component)
            calls = on_cycles(c for i, c in enumerate(calls) if i not in falling)
        return Lexicographic(names, tuple(chosen))

    def _nested(self) -> GroupEvidence | None:
        """A single function whose calls stand inside of each other."""
        if len(self.group) != 1 or self.prove is None:
            return None
        (definition,) = self.group
        calls = calls_in(self.group, self.signature)
        self.most_queries = self.queries + MAX_QUERIES
        measures = candidates(definition.params, calls, None)[:MAX_NESTED]
        return bounded_recursion(definition, calls, measures, self.signature, self._proved)

    # ------------------------------------------------------------------------------------- structural

    def _weighted(self, calls: Sequence[Call]) -> Step | None:
        """The same where a field of a constructor counts twice: for functions that turn trees round."""
        sorts = {p.sort for name in {c.caller for c in calls} for p in self.params[name]}
        for weights in islice(weightings(self.signature, sorts), MAX_WEIGHTS):
            found = self._structural(calls, Sizes(self.signature, weights=weights))
            if found is not None:
                return found
        return None

    def _structural(self, calls: Sequence[Call], sizes: Sizes) -> Step | None:
        """An argument, or a sum of arguments, whose size (number of constructors) never grows and falls somewhere."""
        involved = sorted({c.caller for c in calls} | {c.callee for c in calls})
        data = [
            [i for i, p in enumerate(self.params[name]) if self.signature.datatype(p.sort) is not None]
            for name in involved
        ]
        options_of_each: list[list[list[tuple[int, ...]]]] = [[[(i,) for i in positions] for positions in data]]
        if prod(2 ** len(positions) - 1 for positions in data) <= MAX_ASSIGNMENTS:
            options_of_each.append([[c for n in range(1, len(p) + 1) for c in combinations(p, n)] for p in data])
        for options in options_of_each:
            if prod(map(len, options)) > MAX_ASSIGNMENTS:
                continue
            best: Step | None = None
            for choice in product(*options):
                at = dict(zip(involved, choice, strict=True))
                falling = self._shrinks(calls, at, sizes)
                if falling and (best is None or len(falling) > len(best[0])):
                    best = falling, SizeComponent(MappingProxyType(at), tuple(sizes.weights))
            if best is not None:
                return best
        return None

    def _shrinks(self, calls: Sequence[Call], at: Mapping[str, tuple[int, ...]], sizes: Sizes) -> set[int] | None:
        """The calls at which the chosen arguments lose a constructor; None when they may grow at some call."""
        falling = set()
        for number, call in enumerate(calls):
            self.work.spend()
            params = tuple(self.params[call.caller][i] for i in at[call.caller])
            loss = self._loss(sizes, call, params, tuple(call.args[i] for i in at[call.callee]))
            if loss is None or loss < 0:
                return None
            if loss > 0:
                falling.add(number)
        return falling

    def _loss(self, sizes: Sizes, call: Call, params: tuple[Term, ...], args: tuple[Term, ...]) -> int | None:
        key = tuple(sizes.weights), call, params, args
        if key not in self.losses:
            self.losses[key] = sizes.loss(params, args, call.path, self.work)
        return self.losses[key]

    # --------------------------------------------------------------------------------------- measures

    def _measured(self, calls: Sequence[Call]) -> Step | None:
        if self.prove is None:
            return None
        involved = sorted({c.caller for c in calls} | {c.callee for c in calls})
        for width in (None, *sorted({p.sort.indices[0] for n in involved for p in self.params[n] if _is_bits(p)})):
            options = [candidates(self.params[n], [c for c in calls if c.caller == n], width) for n in involved]
            for choice in _by_rank(options):
                if self.queries >= MAX_QUERIES:
                    return None
                measure = dict(zip(involved, choice, strict=True))
                falling = self._falls(calls, measure)
                if falling:
                    return falling, MeasureComponent(MappingProxyType(measure), tuple(sorted(falling)))
        return None

    def _falls(self, calls: Sequence[Call], measure: Mapping[str, Term]) -> set[int] | None:
        """The calls at which the measure falls; None when it may rise."""
        falling: set[int] = set()
        for number, call in enumerate(calls):
            self.work.spend(1 + len(call.path))
            stays = measure_sequent(call, measure, self.by_name, falls=False)
            if stays is None:
                continue
            falls = measure_sequent(call, measure, self.by_name, falls=True)
            assert falls is not None
            if self._proved(falls):
                falling.add(number)
            elif not self._proved(stays):
                return None
        return falling

    def _proved(self, sequent: Sequent) -> bool:
        found = self.known.get(sequent)
        if found is None:
            if self.prove is None or self.queries >= self.most_queries:
                return False
            self.queries += 1
            self.queries_in_all.spend()
            found = self.known[sequent] = self.prove(sequent)
        return found


Step: TypeAlias = "tuple[set[int], SizeComponent | MeasureComponent]"
"""The numbers of the calls at which a component falls, and the component."""


def weightings(signature: Signature, sorts: Iterable[Sort]) -> Iterator[Weights]:
    """One field counted twice of some of the constructors that have several fields, for ``sorts`` and their fields."""
    sorts_below: dict[Sort, None] = {}
    waiting = sorted(sorts, key=repr)
    while waiting:
        sort = waiting.pop(0)
        datatype = signature.datatype(sort)
        if datatype is not None and sort not in sorts_below:
            sorts_below[sort] = None
            waiting += [s for constructor in datatype.constructors for _, s in constructor.fields]
    options: list[list[tuple[str, int] | None]] = []
    for datatype in signature.datatypes if sorts_below else ():
        for constructor in datatype.constructors if datatype.sort in sorts_below else ():
            places = [i for i, (_, s) in enumerate(constructor.fields) if signature.datatype(s) is not None]
            if len(places) > 1:
                options.append([None, *[(constructor.name, i) for i in places]])
    for choice in product(*options):
        weights = {place: 2 for place in choice if place is not None}
        if weights:
            yield weights


def _show(call: Call) -> str:
    shown = show(app(call.callee, call.args, BOOL))
    return shown if len(shown) <= 120 else shown[:117] + "..."


def _is_bits(term: Term) -> bool:
    return term.sort.name == "BitVec"


def _by_rank(options: Sequence[Sequence[Term]]) -> list[tuple[Term, ...]]:
    """Combinations of one candidate a function, the most plausible (those early in their lists) first."""
    if prod(map(len, options)) > MAX_ASSIGNMENTS:
        options = [o[:3] for o in options]
        if prod(map(len, options)) > MAX_ASSIGNMENTS:
            return []
    ranked = sorted(product(*map(enumerate, options)), key=lambda choice: sum(i for i, _ in choice))
    return [tuple(t for _, t in choice) for choice in ranked]


MAX_BOUNDS = 60


def bounded_recursion(
    definition: Definition,
    calls: Sequence[Call],
    measures: Iterable[Term],
    signature: Signature,
    prove: Callable[[Sequent], bool],
) -> Nested | None:
    """Evidence that a function with nested ``calls`` of itself terminates, or None.

    ``measures`` are Int terms over the parameters; ``prove`` as in `search`.
    """
    inner = {t.name for call in calls for a in call.args for t in subterms(a) if t.kind is Kind.APP}
    if definition.sort is not INT or definition.name not in inner:
        return None
    measures = tuple(measures)
    for bound in islice(_bounds(definition), MAX_BOUNDS):
        if not prove(keeps_bound(definition, bound, calls, signature)):
            continue
        for measure in measures:
            found = Nested(bound.functions, measure, bound.relation, bound.argument, bound.constant)
            if all(prove(falls_within_bound(definition, found, call, calls)) for call in calls):
                return found
    return None


def _bounds(definition: Definition) -> Iterator[Nested]:
    """Bounds by the parameters and the numbers of the body, small numbers first; the measure is still to be found."""
    literals = [t.value for t in subterms(definition.body) if t.kind is Kind.LIT and t.sort is INT]
    numbers = {n for n in literals if isinstance(n, int)}
    for constant in sorted({0, *numbers, *(-n for n in numbers)}, key=abs):
        for position, parameter in enumerate(definition.params):
            if parameter.sort is INT:
                for relation in (">=", "<="):
                    yield Nested((definition.name,), integer(0), relation, position, constant)


MAX_BOUNDS_TRIED = 200


def likely_bounds(sizes: Sizes, group: Sequence[Definition], work: Work) -> Sizes:
    """With the functions of a group that comes to an end, and with the first bounds on their results that hold.

    At most ``MAX_BOUNDS_TRIED`` choices are looked at, none where there are more.
    """
    signature = sizes.signature
    total = sizes.total.union(d.name for d in group)
    sized = [d for d in group if signature.datatype(d.sort) is not None]
    data = [[i for i, p in enumerate(d.params) if signature.datatype(p.sort) is not None] for d in sized]
    if sized and prod(sum(comb(len(at), n) * min(n, 2) for n in range(1, 5)) for at in data) <= MAX_BOUNDS_TRIED:
        options = [
            [
                Bound(positions, spare)
                for number in range(1, min(len(at), 4) + 1)
                for positions in combinations(at, number)
                for spare in ((number - 1, 0) if number > 1 else (0,))
            ]
            for at in data
        ]
        bodies = {d.name: simplify(d.body, signature) for d in sized}
        for choice in product(*options):
            bounds = dict(zip((d.name for d in sized), choice, strict=True))
            trial = Sizes(signature, {**sizes.bounds, **bounds}, total)
            if all(trial.keeps(d, bodies[d.name], bounds[d.name], work) for d in sized):
                return trial
    return Sizes(signature, sizes.bounds, total)


MAX_CANDIDATES = 24
MAX_SUMS = 6
"""Sums of two gaps, besides the candidates before."""

_ORDERS = {"<", "<=", ">", ">=", "=", "distinct", "bvult", "bvule", "bvugt", "bvuge"}


def candidates(params: Sequence[Term], calls: Iterable[Call], width: int | None) -> list[Term]:
    """Measures over ``params``, the most plausible first: Int ones, or bit-vectors of ``width``.

    From the guards of the calls come the gaps between the two sides of comparisons; then the parameters, their
    differences, sums and absolute values; last what is left of two gaps together.
    """
    sort = INT if width is None else bitvec(width)
    minus, plus = ("-", "+") if width is None else ("bvsub", "bvadd")
    mine = [p for p in params if p.sort is sort]
    allowed = frozenset(params)
    changing = _changing(mine, params, calls := list(calls))
    found: dict[Term, None] = dict.fromkeys(p for p in mine if p in changing)
    gaps: dict[Term, None] = {}
    for left, right in _guards(calls, sort):
        for one, other in ((left, right), (right, left)):
            gap = _minus(one, other, minus, sort)
            if gap.free and gap.free <= allowed and not gap.free.isdisjoint(changing):
                found[gap] = gaps[gap] = None
    for i, one in enumerate(mine):
        for other in mine[:i] if len(found) < MAX_CANDIDATES else ():
            if one in changing or other in changing:
                found[app(plus, (other, one), sort)] = None
                found[app(minus, (one, other), sort)] = None
                found[app(minus, (other, one), sort)] = None
    if width is None:
        found.update(dict.fromkeys(app("abs", (p,), INT) for p in mine if p in changing))
        if len(mine) > 1:
            found[app("+", [app("abs", (p,), INT) for p in mine], INT)] = None
        if len(mine) > 2:
            found[app("+", mine, INT)] = None
    found.update(dict.fromkeys(p for p in mine if p not in changing))
    sums = _left_together(gaps, changing) if width is None else ()
    return list(dict.fromkeys((*list(found)[:MAX_CANDIDATES], *islice(sums, MAX_SUMS))))


def _left_together(gaps: Iterable[Term], changing: set[Term]) -> Iterator[Term]:
    """What is left of two gaps that different parameters close: of two lists that one loop walks along, say.

    Each counts as 0 where it is closed, since a loop may go on until the last of them is.
    """
    for one, other in combinations(gaps, 2):
        if one.free.isdisjoint(other.free & changing):
            yield app("+", [ite(app("<", (g, integer(0)), BOOL), integer(0), g) for g in (one, other)], INT)


def _changing(mine: Iterable[Term], params: Sequence[Term], calls: Iterable[Call]) -> set[Term]:
    """Parameters that some call (to whichever function) does not pass on as they are."""
    position = {p: i for i, p in enumerate(params)}
    return {
        p
        for p in mine
        for c in calls
        if c.callee != c.caller or position[p] >= len(c.args) or c.args[position[p]] is not p
    }


def _guards(calls: Iterable[Call], sort: Sort) -> Iterator[tuple[Term, Term]]:
    """The two sides of each comparison on the paths."""
    seen: set[Term] = set()
    for call in calls:
        for fact in call.path:
            for t in subterms(fact, seen):
                if t.kind is Kind.APP and t.name in _ORDERS and len(t.args) == 2 and t.args[0].sort is sort:
                    yield t.args[0], t.args[1]


def _minus(one: Term, other: Term, minus: str, sort: Sort) -> Term:
    if other.kind is Kind.LIT and other.value == 0:
        return one
    if one.kind is Kind.LIT and one.value == 0 and is_app(other, minus) and len(other.args) == 2:
        return app(minus, other.args[::-1], sort)
    return app(minus, (one, other), sort)
