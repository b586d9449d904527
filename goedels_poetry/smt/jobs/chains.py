"""Lemmas at the calls of a goal and of what it unfolds to, then at those that these bring: the last step of a proof.

A solver finds such instances by patterns, which know no arithmetic: ``run (size t + k) ...`` is no pattern of
``run (1 + size t) ...``. Here a variable is solved for where the lemma is linear in it, as in matching modulo a theory
(Plotkin, Building-in equational theories, 1972). Instances alone are given to the solver, without any quantifier, so
that products stay few.

Cases without variables, ``2^4 < 4!``: the calls that their evaluation makes are the instances that a proof needs.

Solvers that unfold by need give up on them where numbers are unary or calls are many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.refutation.evaluator import Evaluator, Trace
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, Kind, Term, and_, app, implies, integer, is_app, substitute, subterms
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import match

ROUNDS = 3
MOST_INSTANCES = 60
MOST_CALLS = 120
MOST_UNFOLDED = 24
MOST_ATOMS = 40
"""Summands of a term that is solved for a variable."""

Linear = dict[Term, int]
"""Coefficients by term; that of the number 1 is the constant."""
_ONE = integer(1)
_SUMS = frozenset({"+", "-", "*"})
Fact = tuple[str, str, tuple[Term, ...], Term]
"""What may be instantiated: ``of`` and ``name`` of its instances, its variables, and the formula without them."""


def chained(context: ProverContext, sequent: Sequent) -> Iterator[Query]:
    """Queries with such instances alone, beside what unfolds; none where no lemma and no hypothesis fits."""
    facts = _facts(context, sequent)
    if not facts:
        return
    parts = [part for whole in (sequent.concl, *sequent.hyps) for part in (whole, context.rewriter.normal(whole))]
    calls = list(dict.fromkeys(t for part in parts for t in context.unfolder.calls(part)))
    unfolded = next(context.unfolder.unfoldings(sequent, (1,)), ())
    if any(_telling(p) != p for p in (_patterns(fact, context.signature) for fact in facts)):
        yield from map(_ground, _rounds(context, facts, calls, telling=True))
    for number, found in enumerate(_rounds(context, facts, calls)):
        if not number:
            yield replace(_ground(found), equations=True)
        yield _ground(found)
    for found in islice(_rounds(context, facts, [*calls, *context.unfolder.brought_by(unfolded)]), 2):
        yield _ground((*unfolded, *found))


def as_given(context: ProverContext, sequent: Sequent) -> Iterator[Query]:
    """The goal by lemmas where they fit what stands in it, without a quantifier: any solver confirms such a query.

    First from one lemma whose conclusion it is an instance of; then by all lemmas at the calls that stand in it, those
    of declared functions included.
    """
    for key, lemma in context.lemmas.items():
        fitted = match(lemma.concl, sequent.concl)
        if fitted is not None and all(v in fitted for v in lemma.vars):
            yield _ground([Instance("step", key, tuple(fitted[v] for v in lemma.vars))])
    own = frozenset(sequent.vars)
    calls = [t for whole in (sequent.concl, *sequent.hyps) for t in subterms(whole) if t.args and t.free <= own]
    found: dict[Instance, None] = {}
    for of, name, variables, body in _facts(context, sequent):
        patterns = [t for t in dict.fromkeys(subterms(body)) if frozenset(variables) <= t.free and _is_call(context, t)]
        for pattern in patterns:
            bindings = [match_modulo(pattern, call) for call in dict.fromkeys(calls) if _is_call(context, call)]
            found |= {Instance(of, name, tuple(b[v] for v in variables)): None for b in bindings if b is not None}
    if found:
        yield _ground(islice(found, MOST_INSTANCES))


def _is_call(context: ProverContext, term: Term) -> bool:
    signature = context.signature
    return term.kind is Kind.APP and (term.name in signature.functions or signature.definition(term.name) is not None)


def _ground(found: Iterable[Instance]) -> Query:
    """The query with these instances and nothing else."""
    given = tuple(dict.fromkeys(found))
    cites = tuple(dict.fromkeys(i.name for i in given if i.of == "step"))
    return Query(cites, given, equations=False, quantified=False)


def _facts(context: ProverContext, sequent: Sequent) -> list[Fact]:
    """The lemmas, and the hypotheses that are for all values, as those of an induction."""
    lemmas = [("step", key, s.vars, implies(and_(s.hyps), s.concl)) for key, s in context.lemmas.items() if s.vars]
    hyps = [
        ("hyp", str(number), hyp.binders, hyp.body)
        for number, hyp in enumerate(sequent.hyps)
        if hyp.kind is Kind.FORALL
    ]
    return [*hyps, *lemmas]


def _rounds(
    context: ProverContext, facts: list[Fact], calls: Iterable[Term], *, telling: bool = False
) -> Iterator[list[Instance]]:
    """Instances at the calls, then also at the calls in these, and so on; with what those calls unfold to.

    ``telling``: only where more of a fact fits than a function and variables, see `_telling`; and only what is built
    is unfolded.
    """
    patterns = {fact: _patterns(fact, context.signature) for fact in facts}
    if telling:
        patterns = {fact: _telling(found) for fact, found in patterns.items()}
    known = dict.fromkeys(calls)
    found: dict[Instance, None] = {}
    fresh = list(known)
    for _ in range(ROUNDS):
        before = len(found)
        brought: list[Term] = []
        for fact in facts:
            of, name, variables, body = fact
            for pattern in patterns[fact]:
                for call in fresh:
                    binding = match_modulo(pattern, call)
                    if binding is None or len(found) >= MOST_INSTANCES:
                        continue
                    instance = Instance(of, name, tuple(binding[v] for v in variables))
                    if instance not in found:
                        found[instance] = None
                        brought += context.unfolder.calls(substitute(body, binding))
        if len(found) == before:
            return
        fresh = [call for call in dict.fromkeys(brought) if call not in known][: MOST_CALLS - len(known)]
        known.update(dict.fromkeys(fresh))
        if telling:
            yield [*found, *(Instance("def", c.name, c.args) for c in known if _reduces(c, context.signature))]
            continue
        unfolded: dict[Instance, None] = {}
        others = context.unfolder.compute(fresh[:MOST_UNFOLDED], unfolded)
        yield [*found, *unfolded, *(Instance("def", call.name, call.args) for call in others)]


def _reduces(call: Term, signature: Signature) -> bool:
    """Whether a call is of something that is built, so that its definition says what it comes to."""
    return any(a.kind is Kind.APP and signature.constructor(a.name) is not None for a in call.args)


def _telling(patterns: list[Term]) -> list[Term]:
    """Those of the patterns that do not fit every call of their function; all of them where there are none such.

    Of ``eval (times p q) x = eval p x * eval q x`` the first alone says where the equation is wanted; with the others
    there is an instance for any two values, and products that no solver gets through.
    """
    found = [p for p in patterns if any(a.kind is not Kind.VAR for a in p.args)]
    return found or patterns


def _patterns(fact: Fact, signature: Signature) -> list[Term]:
    """Calls in a fact that speak of all its variables, so that a match gives the whole instance."""
    _, _, variables, body = fact
    wanted = frozenset(variables)
    inner = {v for t in subterms(body) for v in t.binders}
    return [
        t
        for t in dict.fromkeys(subterms(body))
        if t.kind is Kind.APP and signature.definition(t.name) is not None and wanted <= t.free and not t.free & inner
    ]


# ---------------------------------------------------------------------------------------------------------- matching


def match_modulo(pattern: Term, term: Term) -> dict[Term, Term] | None:
    """The substitution for the variables of a call that makes it a term up to linear arithmetic, or None.

    What stands in the place of a sum is solved for the one variable that nothing else has told.
    """
    if pattern.name != term.name or len(pattern.args) != len(term.args):
        return None
    binding: dict[Term, Term] = {}
    sums: list[tuple[Term, Term]] = []
    for part, other in zip(pattern.args, term.args, strict=True):
        if part.sort is not other.sort:
            return None
        if part.sort is INT and part.kind is Kind.APP and part.name in _SUMS:
            sums.append((part, other))
            continue
        fitted = match(part, other)
        if fitted is None or any(binding.get(v, t) is not t for v, t in fitted.items()):
            return None
        binding |= fitted
    for part, other in sorted(sums, key=lambda pair: len(pair[0].free - binding.keys())):
        solved = _solved(part, other, binding)
        if solved is None:
            return None
        binding |= solved
    return binding if pattern.free <= binding.keys() else None


def _solved(part: Term, other: Term, binding: dict[Term, Term]) -> dict[Term, Term] | None:
    """The one variable without a value for which both terms are the same number; no variable when they are already."""
    left = [v for v in part.free if v not in binding]
    fitted = match(part, other) if left else None
    if fitted is not None and all(binding.get(v, t) is t for v, t in fitted.items()):
        return fitted
    difference = _linear(substitute(part, binding))
    for atom, factor in _linear(other).items():
        difference[atom] = difference.get(atom, 0) - factor
    difference = {atom: factor for atom, factor in difference.items() if factor}
    if not left:
        return None if difference else {}
    if len(left) > 1 or len(difference) > MOST_ATOMS:
        return None
    (variable,) = left
    factor = difference.pop(variable, 0)
    if factor not in (1, -1) or any(variable in atom.free for atom in difference):
        return None
    return {variable: _sum({atom: -factor * f for atom, f in difference.items()})}


def _linear(term: Term) -> Linear:
    """A term as a sum of multiples of terms that are no sums."""
    found: Linear = {}
    stack = [(term, 1)]
    while stack:
        part, factor = stack.pop()
        if part.kind is Kind.LIT and isinstance(part.value, int):
            found[_ONE] = found.get(_ONE, 0) + factor * part.value
        elif is_app(part, "+"):
            stack += [(a, factor) for a in part.args]
        elif is_app(part, "-"):
            first, *rest = part.args
            stack += [(first, factor if rest else -factor), *((a, -factor) for a in rest)]
        elif is_app(part, "*") and (numbers := [a for a in part.args if a.kind is Kind.LIT]):
            others = [a for a in part.args if a.kind is not Kind.LIT]
            for number in numbers:
                factor *= number.value if isinstance(number.value, int) else 1
            product = others[0] if len(others) == 1 else app("*", others, INT) if others else _ONE
            stack.append((product, factor))
        else:
            found[part] = found.get(part, 0) + factor
    return found


def _sum(linear: Linear) -> Term:
    parts = [
        integer(factor) if atom is _ONE else atom if factor == 1 else app("*", (integer(factor), atom), INT)
        for atom, factor in linear.items()
        if factor
    ]
    return integer(0) if not parts else parts[0] if len(parts) == 1 else app("+", parts, INT)


MAX_CALLS = 1_000


def computed(context: ProverContext, sequent: Sequent) -> tuple[Instance, ...]:
    """The defining equations at the values where they are used; nothing when the sequent has to be reasoned about."""
    if sequent.concl.free:
        return ()
    trace = Trace()
    try:
        if Evaluator(context.signature, fuel=MAX_CALLS, trace=trace).value(sequent.concl, {}) is not True:
            return ()
    except Undecided:
        return ()
    found = []
    for equation, binding in trace.equations:
        terms = [to_term(context.signature, variable.sort, value) for variable, value in binding]
        if any(term is None for term in terms):
            return ()
        found.append(Instance("def", equation.args[0].name, tuple(term for term in terms if term is not None)))
    return tuple(found)
