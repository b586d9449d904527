"""What solvers have decided, as Lean tactics: a portfolio, and smaller pieces where none of it is enough."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import combinations, islice, product

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, FALSE, INT, Kind, app, substitute, subterms
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, Writing, listed
from goedels_poetry.lean.statement.vocabulary import NotTranslatable

MOST_SPLITS, MOST_SPECIAL = 4, 4


def proofs(writing: Writing, sequent: Sequent, query: Query, given: Container[str] = ()) -> Iterator[str]:
    """Tactic blocks that may prove a sequent from the steps its query cites, the cheap and likely ones first.

    ``given``: names of the hypotheses that are there besides the sequent's own.
    """
    terms = [*sequent.hyps, sequent.concl]
    cited = [writing.proved[c] for c in query.cites]
    spoken = [*terms, *(t for s in cited for t in (*s.hyps, s.concl))]
    instances = instances_of(writing, query.instances)
    if instances:
        for instance in query.instances:
            spoken += instance.args
    spoken += [formula for name, formula in writing.premises() if sequent.concl is FALSE or name in given]
    defs = writing.definitions(*spoken)
    arithmetic = any(t.sort is INT for term in spoken for t in subterms(term))
    direct = writing.grind(query.cites, defs)
    simp = _simp(writing, query.cites, defs)
    tried = f"{writing.have(query.cites)}try simp_all{listed(defs)}"
    if instances and not query.equations:
        yield instances + "grind"
        yield instances + writing.grind(query.cites, defs)
        if arithmetic:
            yield instances + "simp_all\nomega"
    matched = "".join(f"{line}\n" for line in writing.matches(query.cites, terms))
    if matched:
        yield matched + direct
    yield direct
    splits = writing.splits(sequent)
    if splits:
        yield matched + writing.grind(query.cites, [*defs, *splits])
    special = _special(writing, sequent)
    if special:
        yield special + direct
        for text in _by_cases(writing, sequent, 1, [direct]):
            yield special + text  # before the variables are taken apart
    if not defs and not query.cites:
        yield "simp_all"
    if instances and query.equations:
        yield instances + direct
    yield simp
    yield from _by_cases(writing, sequent, 1, [matched + direct, simp])
    yield writing.grind(query.cites, defs, " (splits := 20) (ematch := 12) (gen := 16)")
    yield f"{tried}\nall_goals grind{listed(defs)}"
    if arithmetic:
        yield f"{tried}\nall_goals omega"
    yield f"{tried}\nall_goals (repeat' split) <;> (try simp_all) <;> grind{listed(defs)}"
    yield from _by_cases(writing, sequent, 2, [simp, matched + direct])
    yield from _by_cases(writing, sequent, 3, [simp, direct])
    yield from _by_conditions(writing, sequent, [direct])
    if instances and query.equations:
        yield instances + simp


def _special(writing: Writing, sequent: Sequent) -> str:
    """What hypotheses of all values say of the variables: of no term that `grind` would meet by itself."""
    lines = list[str]()
    for number, hyp in enumerate(sequent.hyps, 1):
        if hyp.kind is not Kind.FORALL or len(hyp.binders) > 2:
            continue
        values = [[v for v in sequent.vars if v.sort is b.sort] for b in hyp.binders]
        for chosen in islice(product(*values), MOST_SPECIAL):
            args = " ".join(map(writing.theory.value, chosen))
            lines.append(f"have _f{number}_{len(lines)} := {HYPOTHESIS}{number} {args}\n")
    return "".join(lines)


def _simp(writing: Writing, cites: Sequence[str], defs: Sequence[str]) -> str:
    return f"{writing.have(cites)}simp_all{listed(defs)}"


def _by_cases(writing: Writing, sequent: Sequent, many: int, then: Sequence[str]) -> Iterator[str]:
    """Variables of datatypes by their constructors."""
    variables = [v for v in sequent.vars if writing.is_datatype(v.sort)][:MOST_SPLITS]
    for chosen in combinations(variables, many):
        splits = " <;> ".join(f"cases {writing.theory.value(v)}" for v in chosen)
        for text in then:
            yield f"{splits} <;> ({'; '.join(text.split(chr(10)))})"


def _by_conditions(writing: Writing, sequent: Sequent, then: Sequence[str]) -> Iterator[str]:
    """By the conditions of `ite` in the sequent."""
    found = dict.fromkeys(
        t.args[0]
        for term in (*sequent.hyps, sequent.concl)
        for t in subterms(term)
        if t.kind is Kind.APP and t.name == "ite"
    )
    usable = [c for c in found if c.free <= frozenset(sequent.vars)][:MOST_SPLITS]
    for condition in usable:
        for text in then:
            yield f"by_cases _c : {writing.theory.prop(condition)} <;> ({'; '.join(text.split(chr(10)))})"


def instances_of(writing: Writing, instances: Sequence[Instance]) -> str:
    """The facts that the solver was given at certain terms, as hypotheses."""
    lines = []
    for number, instance in enumerate(dict.fromkeys(instances)):
        try:
            text = _instance(writing, instance)
        except NotTranslatable:  # a user's file has no words for selectors
            continue
        if text:
            lines.append(f"have _e{number}{text}\n")
    return "".join(lines)


def _instance(writing: Writing, instance: Instance) -> str:
    theory = writing.theory
    args = " ".join(theory.value(a) for a in instance.args)
    if instance.of == "step":
        return f" := {writing.step(instance.name)} {args}".rstrip()
    if instance.of == "hyp":
        return f" := {HYPOTHESIS}{int(instance.name) + 1} {args}".rstrip()
    if instance.of == "premise":
        names = {p.name: name for p, (name, _) in zip(writing.problem.premises, writing.premises(), strict=True)}
        return f" := {names[instance.name]} {args}".rstrip()
    definition = writing.problem.signature.definition(instance.name)
    if definition is None:
        return ""
    body = substitute(definition.body, dict(zip(definition.params, instance.args, strict=True)))
    call = app(definition.name, instance.args, definition.sort)
    stated = ""
    for side in (simplify(body, writing.problem.signature), body):  # the first may have no selectors
        try:
            if writing.is_spoken(side):
                stated = stated or theory.prop(app("=", (call, side), BOOL))
        except NotTranslatable:
            continue
    name = theory.definitions.get(instance.name, "")
    if not stated:
        return ""
    if not name:  # described by hypotheses, not defined
        laws = [law for law, _ in theory.equations.get(instance.name, ())]
        ways = (
            [f"exact {law}" for law in laws]
            + [f"(apply {law})" for law in laws]
            + [f"(rw [{law}]; done)" for law in laws]
        )
        return f" : {stated} := by first | {' | '.join([*ways, 'grind'])}"
    others = ", ".join(n for n in writing.definitions(definition.body) if n != name)
    known = f"{name}, {others}" if others else name
    ways = ["rfl", f"(rw [{name}.eq_def]; done)", f"(rw [{name}]; rfl)", f"(simp [{known}]; done)", f"grind [{known}]"]
    return f" : {stated} := by first | {' | '.join(ways)}"


def nested(sequent: Sequent) -> bool:
    """Whether what one condition is about is decided by another: then `grind` is the last that should be asked."""
    ites = (t for term in (*sequent.hyps, sequent.concl) for t in subterms(term) if t.name == "ite")
    return any(t.name == "ite" for ite in ites for t in subterms(ite.args[0]))
