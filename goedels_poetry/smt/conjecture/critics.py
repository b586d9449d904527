"""Critics: what the steps of an induction lack, as lemmas with the conditions that they need.

A case that does not close is unfolded, and its simple conditions are decided one way and the other. In each branch the
hypothesis is used where it fits: its premises become lemmas, and so does what is left of the conclusion after rewriting
by it. Of the conditions of the branch a lemma keeps those without which values refute it: ``n /= e`` in
``has n (sift e x) = has n x``. `failed_steps` does this for equations without conditions.

After the critics of rippling (Ireland and Bundy, "Productive Use of Failure in Inductive Proof", 1996): how a proof
fails says which lemma it lacks. There is no rippling here; a case is unfolded as far as it goes, and values choose
conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.schemas import Scheme, instances
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    eq,
    integer,
    is_app,
    not_,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.smt.conjecture.failed_steps import generalisations
from goedels_poetry.smt.context.attempts import direct_query
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.context.sessions import CANDIDATE
from goedels_poetry.smt.induction.recursion import recursion_schemes
from goedels_poetry.smt.induction.structural import general_variables, induction_variables
from goedels_poetry.smt.rewriting.statements import lemma, match, replace_subterm

MAX_SCHEMES = 3
MAX_ATOMS = 3
MAX_SIZE = 24
MAX_LEMMAS = 10
MAX_TESTED = 16
MAX_UNFOLDED = 200
MAX_PARTS = 3
FUEL = 16
"""Unfoldings of one term: a step needs one or two for each function."""
TESTS = 40

_CONNECTIVES = frozenset({"and", "or", "not", "=>", "ite", "="})


@dataclass(frozen=True)
class _Hypothesis:
    """``forall binders. premises => core``."""

    binders: tuple[Term, ...]
    premises: tuple[Term, ...]
    core: Term


@dataclass(frozen=True)
class _Branch:
    """A case under some decided conditions: ``facts`` and the hypotheses are to give ``concl``."""

    facts: tuple[Term, ...]
    hypotheses: tuple[_Hypothesis, ...]
    concl: Term


def critic_lemmas(context: ProverContext, sequent: Sequent) -> list[Sequent]:
    """Lemmas that would help the inductions of the goal over the cases that they are stuck on, small ones first."""
    lemmas: dict[Term, Sequent] = {}
    for scheme in _schemes(context, sequent):
        try:
            cases = instances(sequent, scheme, context.signature)
        except SchemeError:
            continue
        wanted: dict[tuple[tuple[Term, ...], Term], None] = {}
        plain = isinstance(scheme, StructuralInduction) and not sequent.hyps and is_app(sequent.concl, "=")
        for case in cases:
            if direct_query(context, case, CANDIDATE) is None:
                wanted.update(dict.fromkeys(_wanted(context, sequent, case, plain)))
        for facts, concl in list(wanted)[:MAX_TESTED]:
            candidate = _weakest(context, facts, concl)
            for form in _forms(context, candidate) if candidate is not None else ():
                if form.key is not sequent.key:
                    lemmas.setdefault(form.key, form)
    return sorted(lemmas.values(), key=lambda s: s.size)[:MAX_LEMMAS]


def _schemes(context: ProverContext, sequent: Sequent) -> list[Scheme]:
    along: list[Scheme] = list(recursion_schemes(context, sequent, full=False))
    on = induction_variables(context, sequent)
    return [*along, *[StructuralInduction(v.name, general_variables(sequent, v)) for v in on]][:MAX_SCHEMES]


def _wanted(
    context: ProverContext, sequent: Sequent, case: Sequent, plain: bool
) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """Facts and what should follow from them, for each branch of a case.

    Of a ``plain`` equation only if there are conditions: otherwise `failed_steps` has them.
    """
    for branch in _branches(context, sequent, case, plain):
        for hypothesis in branch.hypotheses:
            for binding in _uses(hypothesis, branch.concl):
                for premise in hypothesis.premises:
                    wanted = context.rewriter.normal(substitute(premise, binding), FUEL)
                    if wanted is not TRUE and wanted not in branch.facts:
                        yield branch.facts, wanted
            for fact, known in _consequences(context, hypothesis, branch.facts):
                yield (*[f for f in branch.facts if f is not fact], known), branch.concl
            for left_over in _rewritten(context, hypothesis, branch.concl) or [branch.concl]:
                if left_over is not TRUE and left_over is not FALSE:
                    yield branch.facts, left_over
                    yield from ((branch.facts, part) for part in _stripped(context, left_over))


def _branches(context: ProverContext, sequent: Sequent, case: Sequent, plain: bool) -> Iterator[_Branch]:
    """The ways in which the simple conditions of a case can be decided, without those that close it at once."""
    hypotheses, given = [], []
    names = Names(*case.vars, *case.hyps, case.concl, reserved=context.reserved)
    for hyp in case.hyps:
        own = any(match(mine, hyp) is not None for mine in sequent.hyps)
        hypothesis = None if own else _hypothesis(context, sequent.concl, hyp, names)
        if hypothesis is not None:
            hypotheses.append(hypothesis)
        elif not any(t.binders for t in subterms(hyp)):
            given.append(context.rewriter.normal(hyp, FUEL))
    concl = context.rewriter.normal(case.concl, FUEL)
    atoms = _atoms(context, [concl, *given])
    if concl.size > MAX_UNFOLDED or (plain and not atoms):
        return
    for values in product((True, False), repeat=len(atoms)):
        decided = {a: TRUE if v else FALSE for a, v in zip(atoms, values, strict=True)}
        decided.update({eq(*a.args[::-1]): v for a, v in decided.items() if is_app(a, "=") and len(a.args) == 2})

        same = {a.args[1]: a.args[0] for a in atoms if decided[a] is TRUE and _joins(a)}

        def go(term: Term, decided: dict[Term, Term] = decided, same: dict[Term, Term] = same) -> Term:
            for atom, value in decided.items():
                term = replace_subterm(term, atom, value)
            return context.rewriter.normal(substitute(term, same), FUEL)

        facts = [substitute(a if decided[a] is TRUE else not_(a), same) for a in atoms]
        facts = [f for f in facts if not (is_app(f, "=") and f.args[0] is f.args[1])]
        facts += [part for g in given for part in _conjuncts(go(g)) if part is not TRUE]
        end = go(concl)
        if end is TRUE or FALSE in facts:
            continue
        seen = tuple(_Hypothesis(h.binders, tuple(go(p) for p in h.premises), go(h.core)) for h in hypotheses)
        usable = tuple(h for h in seen if FALSE not in h.premises)
        for extra, part in _parts(end):
            yield _Branch((*dict.fromkeys(facts), *extra), usable, part)


def _hypothesis(context: ProverContext, concl: Term, hyp: Term, names: Names) -> _Hypothesis | None:
    """An induction hypothesis taken apart: what it says in the end has the form of the goal's conclusion."""
    binders: tuple[Term, ...] = ()
    premises: list[Term] = []
    while hyp.kind is Kind.FORALL or is_app(hyp, "=>"):
        if hyp.kind is Kind.FORALL:
            new = {v: names.fresh(v.name, v.sort) for v in hyp.binders}
            binders, hyp = (*binders, *new.values()), substitute(hyp.body, new)
        else:
            premises += [part for p in hyp.args[:-1] for part in _conjuncts(p)]
            hyp = hyp.args[-1]
    if match(concl, hyp) is None:
        return None
    normal = context.rewriter.normal
    return _Hypothesis(binders, tuple(normal(p, FUEL) for p in premises), normal(hyp, FUEL))


def _atoms(context: ProverContext, terms: Iterable[Term]) -> list[Term]:
    """Conditions that rest on no recursive function, in the order in which they occur."""
    atoms: dict[Term, None] = {}

    def simple(t: Term) -> bool:
        names = [s.name for s in subterms(t) if s.kind is Kind.APP and s.args]
        return not any((d := context.signature.definition(n)) is not None and d.recursive for n in names)

    for term in terms:
        for t in subterms(term):
            connective = t.name in _CONNECTIVES and any(a.sort is BOOL for a in t.args)
            atom = t.sort is BOOL and t.kind is Kind.APP and not connective and t not in (TRUE, FALSE) and simple(t)
            if atom and not (is_app(t, "=") and eq(*t.args[::-1]) in atoms):
                atoms.setdefault(t)
    return list(atoms)[:MAX_ATOMS]


def _joins(atom: Term) -> bool:
    """Whether an atom says that two variables are the same."""
    return is_app(atom, "=") and len(atom.args) == 2 and all(a.kind is Kind.VAR for a in atom.args)


def _parts(concl: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """What is to be shown, with what may be assumed for it: conjuncts, disjuncts, consequents on their own."""
    if is_app(concl, "and"):
        for part in concl.args:
            yield from _parts(part)
    elif is_app(concl, "or"):
        for part in concl.args:
            yield tuple(not_(a) for a in concl.args if a is not part), part
    elif is_app(concl, "=>"):
        for extra, part in _parts(concl.args[-1]):
            yield (*[c for a in concl.args[:-1] for c in _conjuncts(a)], *extra), part
    else:
        yield (), concl


def _uses(hypothesis: _Hypothesis, concl: Term) -> Iterator[dict[Term, Term]]:
    """Values of its binders at which the hypothesis speaks of the conclusion."""
    sides = hypothesis.core.args if is_app(hypothesis.core, "=") else (hypothesis.core,)
    for side in sides:
        for t in subterms(concl) if side.kind is Kind.APP and side.args else ():
            binding = _matched(hypothesis, side, t)
            if binding is not None and binding.keys() >= set(hypothesis.binders):
                yield binding


def _consequences(
    context: ProverContext, hypothesis: _Hypothesis, facts: tuple[Term, ...]
) -> Iterator[tuple[Term, Term]]:
    """What the hypothesis says where one of the facts is its premise."""
    for premise in hypothesis.premises:
        for fact in facts:
            binding = _matched(hypothesis, premise, fact)
            if binding is not None and binding.keys() >= set(hypothesis.binders):
                yield fact, context.rewriter.normal(substitute(hypothesis.core, binding), FUEL)


def _matched(hypothesis: _Hypothesis, pattern: Term, term: Term) -> dict[Term, Term] | None:
    binding = match(pattern, term) if pattern.sort is term.sort else None
    if binding is None or any(v not in hypothesis.binders and v is not t for v, t in binding.items()):
        return None
    return binding


def _rewritten(context: ProverContext, hypothesis: _Hypothesis, concl: Term) -> list[Term]:
    """The conclusion with one side of what the hypothesis says replaced by the other, also where it is an order."""
    core = hypothesis.core
    if len(core.args) != 2 or core.args[0].sort is not core.args[1].sort or core.binders:
        return []
    results: dict[Term, None] = {}
    directions = [core.args, core.args[::-1]] if is_app(core, "=") else [core.args]
    for old, new in directions:
        if old.kind is not Kind.APP or not old.args:
            continue
        unbound = frozenset(hypothesis.binders) - old.free
        for t in subterms(concl) if new.free.isdisjoint(unbound) else ():
            binding = _matched(hypothesis, old, t)
            if binding is not None:
                results.setdefault(context.rewriter.normal(replace_subterm(concl, t, substitute(new, binding)), FUEL))
    return list(results)


def _stripped(context: ProverContext, concl: Term) -> Iterator[Term]:
    """Of an equation of two calls of one function its only different arguments; a common part as a variable."""
    if not is_app(concl, "=") or len(concl.args) != 2:
        return
    a, b = concl.args
    while a.kind is Kind.APP and a.name == b.name and len(a.args) == len(b.args):
        different = [(x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y]
        if len(different) != 1:
            break
        a, b = different[0]
        yield eq(a, b)
    names = Names(a, b, reserved=context.reserved)
    right = set(subterms(b))
    common = [t for t in subterms(a) if t.kind is Kind.APP and t.args and t in right and t.sort is not BOOL]
    for t in common[:2]:
        if t is not a and t is not b and context.signature.type_of(t.name):
            new = names.fresh("g", t.sort)
            yield eq(replace_subterm(a, t, new), replace_subterm(b, t, new))


def _forms(context: ProverContext, candidate: Sequent) -> Iterator[Sequent]:
    """The candidate, and what becomes of it when parts that occur again are any values, as far as tests allow.

    Also what it says without one of its functions: ``count x (once y)`` is 0 where ``count x y`` is.
    """
    yield candidate
    for part, kept in _layers(candidate.concl):
        fewer = lemma(replace_subterm(candidate.concl, part, kept), candidate.hyps)
        if context.refutes(fewer, TESTS) is None:
            yield fewer
    general = candidate
    for _ in range(MAX_PARTS):
        wider = (g for g in generalisations(context, general) if context.refutes(g, TESTS) is None)
        following = next(wider, None)
        if following is None:
            break
        general = following
    if general is not candidate:
        yield lemma(general.concl, general.hyps)


def _layers(concl: Term) -> list[tuple[Term, Term]]:
    """Calls on another call of the same sort, each with that one."""
    layers = []
    for t in subterms(concl):
        inner = [a for a in t.args if a.sort is t.sort and t.sort is not BOOL] if t.kind is Kind.APP else []
        if len(inner) == 1 and inner[0].args and t is not concl:
            layers.append((t, inner[0]))
    return layers[:MAX_PARTS]


def _cancelled(concl: Term) -> Term:
    """An equation or order of integers without a number that both sides have."""
    if concl.name not in ("=", "<=", "<", ">=", ">") or len(concl.args) != 2 or concl.args[0].sort is not INT:
        return concl
    (k, a), (m, b) = map(_offset, concl.args)
    if k == 0 or (b is not None and k != m):
        return concl
    return rebuild(concl, (a or integer(0), b or integer(m - k)))


def _offset(term: Term) -> tuple[int, Term | None]:
    """An Int as a number and what is added to it; None when nothing is."""
    if term.kind is Kind.LIT and isinstance(term.value, int):
        return term.value, None
    if is_app(term, "+") and len(term.args) == 2 and isinstance(term.args[0].value, int):
        return term.args[0].value, term.args[1]
    return 0, term


def _weakest(context: ProverContext, facts: tuple[Term, ...], concl: Term) -> Sequent | None:
    """``facts => concl`` with the fewest facts that tests leave standing; None when it is false or too large."""
    concl = _cancelled(concl)
    if concl.size > MAX_SIZE or any(t.binders for t in subterms(concl)) or not concl.free:
        return None
    bare = lemma(concl)
    if context.refutes(bare, TESTS) is None:
        return bare
    kept = [f for f in facts if not f.free.isdisjoint(concl.free)]
    whole = lemma(concl, tuple(kept))
    if whole.size > 2 * MAX_SIZE or context.refutes(whole, TESTS) is not None:
        return None
    for fact in sorted(kept, key=lambda f: -f.size):
        fewer = [f for f in kept if f is not fact]
        if context.refutes(lemma(concl, tuple(fewer)), TESTS) is None:
            kept = fewer
    return lemma(concl, tuple(kept))


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return term.args if is_app(term, "and") else (term,)
