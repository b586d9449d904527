"""Do recursive definitions define anything? Termination of each recursive group, with evidence.

A group terminates when its functions can be given a lexicographic tuple of components, each of which never rises
from caller to callee and, taken together, falls at every call that lies on a cycle. Components are sizes of
arguments (the number of constructors in a datatype value), Int measures and unsigned bit-vector measures. Falling
measures are obligations that a solver must prove; nothing about the group's own functions may be assumed there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product
from math import prod
from typing import TypeAlias

from goedels_poetry.kernel.calls import Call, calls_of
from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.nested import bounded_recursion
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.sizes import Sizes, Weights
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Sort, Term, and_, app, integer, substitute, subterms
from goedels_poetry.kernel.work import TooLarge, Work
from goedels_poetry.languages.smt.termination.candidates import candidates

MAX_ASSIGNMENTS = 5_000
MAX_QUERIES = 300
"""Of one group; as many again where calls stand inside of each other."""
MAX_QUERIES_IN_ALL = 3_000
MAX_WEIGHTS = 12
MAX_STEPS = 10_000_000
"""For all groups together; those that are looked at when they are used up count as not shown to terminate."""

Prover = Callable[[Sequent], bool]
Step: TypeAlias = "tuple[set[Call], str, list[tuple[str, Sequent]] | None]"
"""Calls at which a component falls, what it is in words, the sequents that were proved of it (None: none needed)."""


@dataclass(frozen=True)
class Termination:
    """What is known of one group of mutually recursive functions (or of one function that is not recursive).

    ``method`` is ``not recursive``, ``structural``, ``lexicographic``, ``measure`` or empty; ``detail`` says it in
    words; ``obligations`` are the proven sequents it rests on; ``reason`` says why not when ``ok`` is false.
    """

    ok: bool
    group: tuple[str, ...]
    method: str
    detail: str = ""
    obligations: tuple[tuple[str, Sequent], ...] = ()
    reason: str = ""


def termination(signature: Signature, prove: Prover) -> tuple[Termination, ...]:
    """Decide every group of definitions, dependencies first.

    ``prove`` is asked for sequents over the parameters and must answer True only for those that hold in every
    interpretation of the functions of the group: it may assume definitions of earlier groups, but neither those of
    this one nor any premise.
    """
    return tuple(_decide(signature, Sizes(signature), prove))


def structural_termination(signature: Signature) -> tuple[Termination, ...]:
    """As `termination`, by arguments that get smaller only; no solver is asked."""
    return tuple(_decide(signature, Sizes(signature), None))


def structural_sizes(signature: Signature) -> Sizes:
    """What the functions that terminate by the size of their arguments tell of sizes; no solver is asked."""
    for known, sizes in _SIZES:
        if known is signature:
            return sizes
    sizes = Sizes(signature)
    _decide(signature, sizes, None)
    _SIZES.append((signature, sizes))
    del _SIZES[:-KEPT_SIZES]
    return sizes


KEPT_SIZES = 8
_SIZES: list[tuple[Signature, Sizes]] = []


def _decide(signature: Signature, sizes: Sizes, prove: Prover | None) -> list[Termination]:
    """Every group; ``sizes`` learns of those that terminate."""
    by_name = {d.name: d for d in signature.definitions}
    results = []
    work, queries = Work(MAX_STEPS), Work(MAX_QUERIES_IN_ALL)
    for names in recursive_groups(signature):
        group = [by_name[n] for n in names]
        try:
            if len(names) == 1 and names[0] not in _callees(group[0], by_name):
                result = Termination(True, tuple(names), "not recursive")
            else:
                result = _Search(group, sizes, prove, work, queries).result()
            if result.ok:
                sizes.learn(group, work)
        except RecursionError:
            result = Termination(False, tuple(names), "", reason=f"the body of {names[0]} is nested too deeply")
        results.append(result)
    return results


def recursive_groups(signature: Signature) -> list[list[str]]:
    """The defined functions, those together that call each other, dependencies first."""
    by_name = {d.name: d for d in signature.definitions}
    callees = {d.name: sorted(_callees(d, by_name)) for d in signature.definitions}
    return components(callees, callees.__getitem__)


def _callees(definition: Definition, defined: Container[str]) -> set[str]:
    return {t.name for t in subterms(definition.body) if t.kind is Kind.APP and t.name in defined}


@dataclass
class _Search:
    """The search for one group: components are chosen greedily, each removing the calls at which it falls.

    Greedy choice loses nothing: a component that never rises stays usable whatever else is chosen.
    """

    group: Sequence[Definition]
    sizes: Sizes
    prove: Prover | None
    """None: arguments that get smaller only, no measures."""
    work: Work
    queries_in_all: Work
    queries: int = 0
    most_queries: int = MAX_QUERIES
    known: dict[Sequent, bool] = field(default_factory=dict)
    losses: dict[tuple[object, ...], int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.signature = self.sizes.signature
        self.params = {d.name: d.params for d in self.group}

    def result(self) -> Termination:
        names = tuple(d.name for d in self.group)
        try:
            return self._found(names)
        except TooLarge as large:
            reason = f"the body of {large} has too many paths to follow" if str(large) else "its calls are too many"
            return Termination(False, names, "", reason=reason)

    def _found(self, names: tuple[str, ...]) -> Termination:
        calls = self._calls(frozenset(names))
        details: list[str] = []
        methods: list[str] = []
        obligations: dict[Sequent, str] = {}
        calls = _on_cycles(calls)
        while calls:
            step = self._structural(calls, self.sizes) or self._weighted(calls)
            if step is None and self.prove:
                step = self._measured(calls)
            if step is None:
                nested = self._nested(names) if self.prove else None
                return nested or Termination(False, names, "", reason=self._why_not(calls))
            falling, detail, used = step
            methods.append("measure" if used is not None else "structural")
            for text, sequent in used or ():
                obligations.setdefault(sequent, text)
            details.append(detail)
            calls = _on_cycles([c for c in calls if c not in falling])
        method = methods[0] if len(methods) == 1 else "lexicographic" if methods else "not recursive"
        evidence = tuple((text, sequent) for sequent, text in obligations.items())
        return Termination(True, names, method, ", then ".join(details), evidence)

    def _nested(self, names: tuple[str, ...]) -> Termination | None:
        """A single function whose calls stand inside of each other."""
        if len(self.group) != 1:
            return None
        (definition,) = self.group
        body = simplify(definition.body, self.signature)
        calls = self._calls(frozenset(names))
        self.most_queries = self.queries + MAX_QUERIES
        found = bounded_recursion(
            replace(definition, body=body), candidates(definition.params, calls, None)[:8], self._proved
        )
        return Termination(True, names, "measure", found.detail, found.obligations) if found else None

    def _calls(self, names: frozenset[str]) -> list[Call]:
        reserved = {d.name for d in self.signature.definitions} | set(self.signature.functions)
        result = []
        for definition in self.group:
            body = simplify(definition.body, self.signature)
            for call in calls_of(definition, names, body, reserved):
                if not self.sizes.shapes(call.path).contradictory:
                    result.append(call)
        return result

    def _why_not(self, calls: Sequence[Call]) -> str:
        call = calls[0]
        shown = show(app(call.callee, call.args, BOOL))
        shown = shown if len(shown) <= 120 else shown[:117] + "..."
        return f"no argument and no measure was found that falls at the call {shown}"

    # ------------------------------------------------------------------------------------- structural

    def _weighted(self, calls: Sequence[Call]) -> Step | None:
        """The same where a field of a constructor counts twice: for functions that turn trees round."""
        sorts = {p.sort for name in {c.caller for c in calls} for p in self.params[name]}
        for weights in islice(weightings(self.signature, sorts), MAX_WEIGHTS):
            found = self._structural(calls, Sizes(self.signature, weights=weights))
            if found is not None:
                twice = " and ".join(f"field {position + 1} of {name}" for name, position in weights)
                return found[0], f"{found[1]} with {twice} counted twice", None
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
            best: tuple[set[Call], dict[str, tuple[int, ...]]] | None = None
            for choice in product(*options):
                at = dict(zip(involved, choice, strict=True))
                falling = self._shrinks(calls, at, sizes)
                if falling and (best is None or len(falling) > len(best[0])):
                    best = falling, at
            if best is not None:
                falling, at = best
                shown = [
                    " + ".join(f"argument {i + 1} ({self.params[n][i].name})" for i in places) + f" of {n}"
                    for n, places in at.items()
                ]
                return falling, f"{' and '.join(shown)} gets smaller", None
        return None

    def _shrinks(self, calls: Sequence[Call], at: Mapping[str, tuple[int, ...]], sizes: Sizes) -> set[Call] | None:
        """The calls at which the chosen arguments lose a constructor; None when they may grow at some call."""
        falling = set()
        for call in calls:
            self.work.spend()
            params = tuple(self.params[call.caller][i] for i in at[call.caller])
            loss = self._loss(sizes, call, params, tuple(call.args[i] for i in at[call.callee]))
            if loss is None or loss < 0:
                return None
            if loss > 0:
                falling.add(call)
        return falling

    def _loss(self, sizes: Sizes, call: Call, params: tuple[Term, ...], args: tuple[Term, ...]) -> int | None:
        key = tuple(sizes.weights.items()), call, params, args
        if key not in self.losses:
            self.losses[key] = sizes.loss(params, args, call.path, self.work)
        return self.losses[key]

    # --------------------------------------------------------------------------------------- measures

    def _measured(self, calls: Sequence[Call]) -> Step | None:
        involved = sorted({c.caller for c in calls} | {c.callee for c in calls})
        for width in (None, *sorted({p.sort.indices[0] for n in involved for p in self.params[n] if _is_bits(p)})):
            options = [candidates(self.params[n], [c for c in calls if c.caller == n], width) for n in involved]
            for choice in _by_rank(options):
                if self.queries >= MAX_QUERIES:
                    return None
                measure = dict(zip(involved, choice, strict=True))
                found = self._falls(calls, measure)
                if found is not None:
                    shown = " and ".join(f"{show(m)} for {n}" for n, m in measure.items())
                    return found[0], f"the measure {shown} falls", found[1]
        return None

    def _falls(
        self, calls: Sequence[Call], measure: Mapping[str, Term]
    ) -> tuple[set[Call], list[tuple[str, Sequent]]] | None:
        """The calls at which the measure falls (with what was proved); None when it may rise or never falls."""
        falling: set[Call] = set()
        used: list[tuple[str, Sequent]] = []
        for call in calls:
            self.work.spend(1 + len(call.path))
            here = measure[call.caller]
            there = substitute(measure[call.callee], dict(zip(self.params[call.callee], call.args, strict=True)))
            if there is here:
                continue
            falls = _sequent(call, _below(there, here, strict=True))
            if self._proved(falls):
                falling.add(call)
                used.append((f"{show(here)} falls at a call from {call.caller} to {call.callee}", falls))
                continue
            stays = _sequent(call, _below(there, here, strict=False))
            if not self._proved(stays):
                return None
            used.append((f"{show(here)} does not rise at a call from {call.caller} to {call.callee}", stays))
        return (falling, used) if falling else None

    def _proved(self, sequent: Sequent) -> bool:
        found = self.known.get(sequent)
        if found is None:
            if self.prove is None or self.queries >= self.most_queries:
                return False
            self.queries += 1
            self.queries_in_all.spend()
            found = self.known[sequent] = self.prove(sequent)
        return found


def weightings(signature: Signature, sorts: Iterable[Sort]) -> Iterator[Weights]:
    """One field counted twice of some of the constructors that have several fields, for ``sorts`` and their fields."""
    reached: dict[Sort, None] = {}
    waiting = sorted(sorts, key=repr)
    while waiting:
        sort = waiting.pop(0)
        datatype = signature.datatype(sort)
        if datatype is not None and sort not in reached:
            reached[sort] = None
            waiting += [s for constructor in datatype.constructors for _, s in constructor.fields]
    options: list[list[tuple[str, int] | None]] = []
    for datatype in signature.datatypes if reached else ():
        for constructor in datatype.constructors if datatype.sort in reached else ():
            places = [i for i, (_, s) in enumerate(constructor.fields) if signature.datatype(s) is not None]
            if len(places) > 1:
                options.append([None, *[(constructor.name, i) for i in places]])
    for choice in product(*options):
        weights = {place: 2 for place in choice if place is not None}
        if weights:
            yield weights


def _is_bits(term: Term) -> bool:
    return term.sort.name == "BitVec"


def _below(there: Term, here: Term, strict: bool) -> Term:
    """``there`` below ``here``. An Int measure may go below 0 only as the last step, so no chain is infinite."""
    if here.sort is not INT:
        return app("bvult" if strict else "bvule", (there, here), BOOL)
    if not strict:
        return app("<=", (there, here), BOOL)
    return and_([app("<=", (integer(0), here), BOOL), app("<", (there, here), BOOL)])


def _sequent(call: Call, concl: Term) -> Sequent:
    return make_sequent(call.variables, call.path, concl)


def _on_cycles(calls: Iterable[Call]) -> list[Call]:
    """The calls that lie on a cycle of the call graph: only these can repeat forever."""
    calls = list(calls)
    edges: dict[str, list[str]] = {}
    for call in calls:
        edges.setdefault(call.caller, []).append(call.callee)
        edges.setdefault(call.callee, [])
    component = {n: i for i, group in enumerate(components(edges, lambda n: edges[n])) for n in group}
    return [c for c in calls if component[c.caller] == component[c.callee]]


def _by_rank(options: Sequence[Sequence[Term]]) -> list[tuple[Term, ...]]:
    """Combinations of one candidate a function, the most plausible (those early in their lists) first."""
    if prod(map(len, options)) > MAX_ASSIGNMENTS:
        options = [o[:3] for o in options]
        if prod(map(len, options)) > MAX_ASSIGNMENTS:
            return []
    ranked = sorted(product(*map(enumerate, options)), key=lambda choice: sum(i for i, _ in choice))
    return [tuple(t for _, t in choice) for choice in ranked]


__all__ = [
    "Prover",
    "Termination",
    "recursive_groups",
    "structural_sizes",
    "structural_termination",
    "termination",
    "weightings",
]
