"""Inductions along functions, and how large results are: theorems of which each is proved once and used by many steps.

`_along_n` says of the n-th definition: what holds at each point when it holds at the calls that are made there, holds
everywhere. It is proved in the order that the certificate has for the function, by sizes of our own (see `orders`),
and where Lean knows the function, by the principle that Lean has made for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.recursion import Below, Case
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, app, subterms
from goedels_poetry.lean.smt_proofs.courses import Course, below, bound_by, course, general
from goedels_poetry.lean.smt_proofs.inductions import Split
from goedels_poetry.lean.smt_proofs.writing import ALONG, SIZE, Writing, indented, listed

CLOSE = "first | assumption | (intros; first | assumption | (simp_all; done) | grind)"


# --------------------------------------------------------------------------------------------- the principle


def statement(writing: Writing, name: str, found: Course) -> str:
    """The principle of a course as a theorem."""
    theory = writing.theory
    still = theory.binders(found.still)
    types = " → ".join([*[theory.sort(v.sort) for v in found.on], "Prop"])
    cases = [f"\n    (_c{i} : {_asked(writing, found, case)})" for i, case in enumerate(found.cases)]
    binders = " ".join(filter(None, [still, f"(_P : {types})"]))
    values = " ".join(map(theory.value, found.on))
    return f"theorem {name} {binders}{''.join(cases)}\n    {theory.binders(found.on)} : _P {values}"


def _asked(writing: Writing, found: Course, case: Case) -> str:
    """What is asked at one case: `_P` there when it holds below."""
    theory = writing.theory
    variables = bound_by(case)
    parts = []
    for point in case.below:
        bound = f"∀ {theory.binders(point.bound)}, " if point.bound else ""
        path = "" if point.path.kind is Kind.LIT else f"{theory.prop(point.path)} → "
        parts.append(f"({bound}{path}_P {' '.join(theory.value(point.there[v]) for v in found.on)})")
    here = f"_P {' '.join(theory.value(case.here[v]) for v in found.on)}"
    binders = f"∀ {theory.binders(variables)}, " if variables else ""
    return binders + " → ".join([*parts, here])


def proofs(writing: Writing, found: Course) -> Iterator[str]:
    """Tactic blocks that may prove the principle of a course."""
    by_order = _by_order(writing, found)
    if by_order:
        yield by_order
    if found.function in writing.theory.definitions:
        yield _by_function(writing, found)


def _by_function(writing: Writing, found: Course) -> str:
    theory = writing.theory
    definition = writing.problem.signature.definition(found.function)
    assert definition is not None
    tries = " | ".join(f"(apply _c{i} <;> {CLOSE})" for i, _ in enumerate(found.cases))
    call = theory.value(app(found.function, found.at, definition.sort))
    return f"fun_induction {call} <;> first | {tries} | grind"


def _by_order(writing: Writing, found: Course) -> str:
    """By induction on bounds of what falls, one inside the other. "" where that is not known."""
    orders, theory = writing.orders, writing.theory
    assert orders is not None
    numbers = orders.components(found.function, found.at)
    if not numbers:
        return ""
    many = range(1, len(numbers) + 1)
    values = " ".join(map(theory.value, found.on))
    small = " → ".join(f"{text} < _n{i}" for i, text in zip(many, numbers, strict=True))
    bounds = " ".join(f"_n{i}" for i in many)
    lines = [
        f"have _key : ∀ ({bounds} : Nat) {theory.binders(found.on)}, {small} → _P {values} := by",
        f"  clear {values}",
    ]
    for i in many:
        pad = "  " * i
        lines += [
            f"{pad}intro _n{i}",
            f"{pad}induction _n{i} with",
            f"{pad}| zero => intros; omega",
            f"{pad}| succ _n{i} _ih{i} =>",
        ]
    facts = " ".join(f"_m{i}" for i in many)
    body = [f"intro {values} {facts}", *_matched(writing, found, len(numbers))]
    lines += ["  " * (len(numbers) + 1) + line for line in body]
    ends = " ".join("(Nat.lt_succ_self _)" for _ in many)
    return "\n".join([*lines, f"exact _key {' '.join('_' for _ in many)} {values} {ends}"])


def _matched(writing: Writing, found: Course, many: int) -> list[str]:
    """The cases, each from what holds at the calls."""
    theory = writing.theory
    facts = [f"_m{i}" for i in range(1, many + 1)]
    lines = [f"match {', '.join([*map(theory.value, found.on), *facts])} with"]
    split = any(case.here[v].kind is not Kind.VAR for case in found.cases for v in found.on)
    for number, case in enumerate(found.cases):
        given = [f"(by intros; {_call(writing, found, point, many)})" for point in case.below]
        uses = f"exact {' '.join([f'_c{number}', *map(theory.value, bound_by(case)), *given])}"
        if not split:
            return [uses]
        patterns = ", ".join([*(theory.value(case.here[v]) for v in found.on), *facts])
        lines.append(f"| {patterns} => {uses}")
    return lines


def _call(writing: Writing, found: Course, point: Below, many: int) -> str:
    """The hypothesis at a call: the first number that falls there is tried first."""
    values = " ".join(writing.theory.value(point.there[v]) for v in found.on)
    falls = writing.falls([*point.there.values(), point.path], [f"_m{i}" for i in range(1, many + 1)])
    ways = []
    for i in range(1, many + 1):
        later = range(i + 1, many + 1)
        blanks = " ".join("_" for _ in later)
        proofs = " ".join([falls] * i + ["(Nat.lt_succ_self _)" for _ in later])
        ways.append(" ".join(filter(None, [f"exact _ih{i}", blanks, values, proofs])))
    return ways[0] if many == 1 else f"first | {' | '.join(ways)}"


# ------------------------------------------------------------------------------------------------- its use


def recursion(writing: Writing, sequent: Sequent, scheme: RecursionInduction, closed: Sequence[str]) -> Iterator[str]:
    """A step by an induction along a function."""
    definition = writing.problem.signature.definition(scheme.function)
    if definition is None:
        return
    found = course(writing, definition, scheme.at, *sequent.vars, *sequent.hyps, sequent.concl)
    split = Split(writing, sequent, found.on, scheme.general)
    theory = writing.theory
    arms = []
    for case, text in zip(found.cases, closed, strict=True):
        taken = [theory.value(v) for v in bound_by(case)] + [f"_i{i}" for i, _ in enumerate(case.below)]
        arms.append(f"· {('intro ' + ' '.join(taken)) if taken else 'skip'}\n{indented(split.intros + text)}")
    motive = f"(fun {split.names()} => {theory.prop(split.formula)})"
    rest = f"{motive} {' '.join('?_' for _ in found.cases)} {split.names()} {split.use}".rstrip()
    whole = general(writing, definition) if writing.orders is not None else None
    if whole is not None and whole.form == found.form:
        still = [theory.value(t) for t in found.still]
        yield "\n".join([" ".join(["refine", writing.applied(ALONG + scheme.function), *still, rest]), *arms])
        return
    yield from _at_once(writing, split, found, "\n".join([f"refine _along {rest}", *arms]))


def _at_once(writing: Writing, split: Split, found: Course, use: str) -> Iterator[str]:
    """The same with a principle that is for this step only."""
    theory = writing.theory
    types = " → ".join([*[theory.sort(v.sort) for v in found.on], "Prop"])
    principle = [f"have _along : ∀ (_P : {types}),"]
    principle += [f"    ({_asked(writing, found, case)}) →" for case in found.cases]
    principle.append(f"    ∀ {theory.binders(found.on)}, _P {split.names()} := by")
    assumed = " ".join(f"_c{i}" for i, _ in enumerate(found.cases))
    forget = indented(split.forget.rstrip() or "skip")
    ways = []
    if found.function in theory.definitions:
        ways.append([f"intro _P {assumed} {split.names()}", _by_function(writing, found)])
    by_order = _by_order(writing, found) if writing.orders is not None else ""
    if by_order:
        ways.append([f"intro _P {assumed} {split.names()}", *by_order.split("\n")])
    for lines in ways:
        yield "\n".join([*principle, forget, *[f"  {line}" for line in lines], use])
    total = " + ".join(f"sizeOf {theory.value(v)}" for v in found.on if writing.is_datatype(v.sort)) or "0"
    by_size = [
        forget,
        f"  intro _P {assumed}",
        f"  have _key : ∀ (_m : Nat) {theory.binders(found.on)}, {total} = _m → _P {split.names()} := by",
        "    intro _m",
        "    induction _m using Nat.strongRecOn with",
        "    | ind _m _ih =>",
        f"      intro {split.names()} _hm",
        *[f"      {line}" for line in _matched_by_size(writing, found)],
        f"  exact fun {split.names()} => _key _ {split.names()} rfl",
    ]
    yield "\n".join([*principle, *by_size, use])


def _matched_by_size(writing: Writing, found: Course) -> list[str]:
    theory = writing.theory
    lines = [f"match {', '.join([*map(theory.value, found.on), '_hm'])} with"]
    for number, case in enumerate(found.cases):
        patterns = ", ".join([*(theory.value(case.here[v]) for v in found.on), "_hm"])
        hyps = []
        for point in case.below:
            there = [point.there[v] for v in found.on]
            values = " ".join(map(theory.value, there))
            hyps.append(f"(by intros; exact _ih _ {writing.smaller(there)} {values} rfl)")
        variables = [theory.value(v) for v in bound_by(case)]
        lines.append(f"| {patterns} => exact {' '.join([f'_c{number}', *variables, *hyps])}")
    return lines


# ------------------------------------------------------------------------------------------ sizes of results


def sizes(writing: Writing, name: str) -> Iterator[str]:
    """Tactic blocks that may prove how large the results of a function are."""
    orders, theory = writing.orders, writing.theory
    definition = writing.problem.signature.definition(name)
    assert definition is not None and orders is not None
    call = app(name, definition.params, definition.sort)
    defs = [*orders.names, *writing.definitions(call)]
    known = writing.known_sizes
    found = general(writing, definition) if definition.recursive else None
    if found is not None and found.on:
        motive = f"(fun {' '.join(map(theory.value, found.on))} => {writing.bounded(name)})"
        cases = " ".join("?_" for _ in found.cases)
        values = [*map(theory.value, found.on)]
        use = " ".join(
            ["refine", writing.applied(ALONG + name), *map(theory.value, found.still), motive, cases, *values]
        )
        for close in (f"grind{listed(defs)}", f"(try simp_all{listed(defs)}) <;> grind{listed(defs)}"):
            yield "\n".join([use, *[_closed(writing, case, f"{known}{close}") for case in found.cases]])
    yield f"{known}grind{listed(defs)}"
    if name in theory.definitions:
        start = f"fun_induction {theory.value(call)}" if definition.recursive else f"unfold {theory.definitions[name]}"
        yield f"{start} <;> ({known}try simp_all{listed(defs)}) <;> omega"
        yield f"{start} <;> (repeat' split) <;> ({known}grind{listed(defs)})"


def _closed(writing: Writing, case: Case, close: str) -> str:
    """A case of an induction along a function by tactics, where what fields are selected of is known."""
    theory = writing.theory
    taken = [theory.value(v) for v in bound_by(case)] + [f"_i{i}" for i, _ in enumerate(case.below)]
    subjects = writing.selected(below(case))
    splits = "".join(f"cases {theory.value(v)} <;> " for v in subjects)
    return f"· {('intro ' + ' '.join(taken)) if taken else 'skip'}\n  {splits}({close})"


def rests_on(writing: Writing, name: str) -> list[str]:
    """The functions the sizes of whose results may be of use in what is known of a function's recursion and results."""
    definition = writing.problem.signature.definition(name)
    assert definition is not None
    waiting, seen = [definition.body], set[str]()
    while waiting:
        for inner in subterms(waiting.pop()):
            found = writing.problem.signature.definition(inner.name) if inner.kind is Kind.APP else None
            if found is not None and found.name not in seen:
                seen.add(found.name)
                waiting.append(found.body)
    return [n for n in writing.bounds if n in seen and writing.number(n) < writing.number(name)]


def facts(steps: Iterable[RecursionInduction], writing: Writing) -> list[str]:
    """The keys of all theorems that steps may use, in order; see `Writing.fact`."""
    wanted = {s.function for s in steps} | set(writing.bounds)
    if writing.orders is None:
        return []
    ordered = [d for d in writing.problem.signature.definitions if d.name in wanted]
    found = []
    for definition in ordered:
        if definition.recursive and general(writing, definition) is not None:
            found.append(ALONG + definition.name)
        if definition.name in writing.bounds:
            found.append(SIZE + definition.name)
    return found


def stated(writing: Writing, key: str) -> str:
    """The statement of a theorem that steps may use."""
    function = key.removeprefix(SIZE)
    if function != key:
        return writing.bound(function)
    definition = writing.problem.signature.definition(key.removeprefix(ALONG))
    found = general(writing, definition) if definition is not None else None
    assert found is not None
    return statement(writing, writing.fact(key), found)


def facts_proofs(writing: Writing, key: str) -> Iterator[str]:
    """Tactic blocks that may prove it."""
    if key.startswith(SIZE):
        yield from sizes(writing, key.removeprefix(SIZE))
        return
    definition = writing.problem.signature.definition(key.removeprefix(ALONG))
    found = general(writing, definition) if definition is not None else None
    if found is not None:
        yield from proofs(writing, found)
