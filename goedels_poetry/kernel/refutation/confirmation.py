"""A counterexample as questions to solvers, so that no refutation rests on one evaluator alone. Trusted code.

What the evaluation went through is handed to the solvers as ground facts that are true by themselves: the equations
of definitions and premises at the values where they were used, and what a quantified formula says of the values that
decided it. The functions are declared, not defined, so the questions are without quantifiers wherever the theorem is.
A solver computes from these facts anew; nothing that our evaluator computed is among them, but what was chosen: the
values, the table of declared functions, and that elements of declared sorts with different names are different.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.obligations import Context, is_quantified
from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.refutation.evaluator import Binding, Trace
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.refutation.value_forms import ArrayValue, Built, Element
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    Kind,
    Sort,
    Term,
    and_,
    app,
    fresh_name,
    implies,
    not_,
    substitute,
    subterms,
    var,
)

_COMPOSITE = (Built, ArrayValue, tuple)
MAX_NODES = 1_000_000
"""Of all facts together, as trees: some 10 MB of text."""
Table = Mapping[tuple[str, tuple[Value, ...]], Value]


class TooLarge(Exception):
    """The evaluation went through more than solvers can be told."""


@dataclass(frozen=True)
class Confirmation:
    """Scripts without ``check-sat``; those that are functions are written when they are wanted.

    refutation: ``unsat`` when the premises and hypotheses that were evaluated hold and the conclusion does not.
    agreement: ``sat`` when all that was chosen and computed goes together.
    rules: ``unsat`` when what was chosen contradicts premises that were read as definitions; None without such.
    names: how elements of declared sorts are called there.
    """

    refutation: str
    agreement: Callable[[], str]
    rules: Callable[[], str] | None
    names: Mapping[Element, Term]


def confirmation(
    context: Context,
    goal: Sequent,
    values: Mapping[str, Value],
    table: Table,
    trace: Trace,
    premises: Sequence[Term],
    ruled: bool,
) -> Confirmation:
    """The questions about a counterexample to ``goal``: names for long values keep them short.

    Args:
        values: of the goal's variables.
        table: what was chosen for declared functions.
        trace: of the evaluation of ``premises`` and the goal.
        ruled: whether other premises were read as definitions.

    Raises:
        TooLarge: the facts are too many, or too large.
    """
    questions = _Questions(context, _mentioned(context.signature, goal, values, table, trace))
    binding = tuple([(v, values[v.name]) for v in goal.vars])
    chosen = [*questions.distinct(), *questions.rows(table)]
    facts = questions.facts(trace)
    claim = questions.at(implies(and_((*premises, *goal.hyps)), goal.concl), binding)
    seen: set[Term] = set()  # what is shared is written once
    written = (part for t in (*chosen, *facts, claim) for part in subterms(t, seen))
    if next(islice(written, MAX_NODES, None), None) is not None:
        raise TooLarge("the evaluation of the counterexample is too long to be told")
    try:
        refutation = questions.script(context.declarations, (*chosen, *facts, claim))
    except EncodingError as error:
        raise TooLarge(str(error)) from error

    def agreement() -> str:
        holds = [questions.at(part, binding) for part in (*premises, *goal.hyps, not_(goal.concl))]
        ground = [t for t in (*facts, *holds) if not is_quantified(t)]
        return questions.script(context.declarations, (*chosen, *questions.results(trace), *ground))

    def rules() -> str:
        return questions.script((*with_definitions(context), *named_premises(context)), chosen)

    return Confirmation(refutation, agreement, rules if ruled else None, questions.names)


class _Questions:
    """Writes values as terms, in which elements of declared sorts are constants, and so are values that have parts."""

    def __init__(self, context: Context, mentioned: Sequence[tuple[Sort, Element | Built]]) -> None:
        self._context = context
        self._mentioned = mentioned
        self._taken = {t.name for term in _all_terms(context) for part in subterms(term) for t in (part, *part.binders)}
        self._written: dict[tuple[Sort, Value], Term] = {}
        self.names: dict[Element, Term] = {}
        for sort, value in mentioned:
            if isinstance(value, Element):
                self.names[value] = self._constant(f"{sort.name}!{value.number}", sort)
        self._declarations = [f"(declare-const {self._typed(v, '')})" for v in self.names.values()]

    def _constant(self, base: str, sort: Sort) -> Term:
        name = fresh_name(base, self._taken)
        self._taken.add(name)
        return var(name, sort)

    def _typed(self, constant: Term, params: str) -> str:
        encoding = self._context.encoding
        return f"{encoding.text(constant)} {params}{show_sort(encoding.sort(constant.sort))}"

    def script(self, prelude: Iterable[str], formulas: Iterable[Term]) -> str:
        """The prelude and the formulas, asserted, with what stands for values in them."""
        text = self._context.encoding.text
        asserted = [f"(assert {text(formula)})" for formula in dict.fromkeys(formulas)]
        return "\n".join((*prelude, *self._declarations, *asserted))

    def at(self, term: Term, binding: Binding) -> Term:
        """The term at these values."""
        return substitute(term, {v: self._term(v.sort, value) for v, value in binding})

    def distinct(self) -> Iterator[Term]:
        """That elements of one sort differ, and what functions build differs from them and from each other."""
        for wanted in dict.fromkeys(sort for sort, _ in self._mentioned):
            same = [self._term(sort, value) for sort, value in self._mentioned if sort is wanted]
            if len(same) > 1:
                yield app("distinct", same, BOOL)

    def rows(self, table: Table) -> Iterator[Term]:
        """What was chosen for declared functions."""
        for (name, args), value in table.items():
            params, result = self._context.signature.functions[name]
            terms = [self._term(s, a) for s, a in zip(params, args, strict=True)]
            yield app("=", (app(name, terms, result), self._term(result, value)), BOOL)

    def facts(self, trace: Trace) -> list[Term]:
        """Instances of equations and of quantified formulas."""
        found = [self.at(equation, binding) for equation, binding in trace.equations]
        for formula, binding, choice in trace.witnesses:
            whole = self.at(formula, binding)
            inner = [(v, value) for v, value in binding if v not in formula.binders]
            instance = self.at(formula.body, (*inner, *zip(formula.binders, choice, strict=True)))
            found.append(implies(whole, instance) if formula.kind is Kind.FORALL else implies(instance, whole))
        return found

    def results(self, trace: Trace) -> Iterator[Term]:
        """What the left sides of the equations came to."""
        for (equation, binding), value in trace.equations.items():
            left = equation.args[0]
            yield app("=", (self.at(left, binding), self._term(left.sort, value)), BOOL)

    def _term(self, sort: Sort, value: Value) -> Term:
        if isinstance(value, Element):
            return self.names[value]
        if isinstance(value, _COMPOSITE) and (sort, value) in self._written:
            return self._written[sort, value]
        term = to_term(self._context.signature, sort, value, self._term)
        assert term is not None, "all parts have names"
        if not term.args:
            return term
        constant = self._constant(f"value!{len(self._written)}", sort)
        self._written[sort, value] = constant
        self._declarations.append(f"(define-fun {self._typed(constant, '() ')} {self._context.encoding.text(term)})")
        return constant


def _all_terms(context: Context) -> Iterator[Term]:
    problem = context.problem
    yield problem.goal
    yield from (p.formula for p in problem.premises)
    for definition in problem.signature.definitions:
        yield from (*definition.params, definition.body)


def _mentioned(
    signature: Signature, goal: Sequent, values: Mapping[str, Value], table: Table, trace: Trace
) -> list[tuple[Sort, Element | Built]]:
    """The values of declared sorts that occur anywhere, each once, with their sorts."""
    everything: list[Value] = [values[v.name] for v in goal.vars]
    for (_, args), value in table.items():
        everything += [*args, value]
    for (_, binding), value in trace.equations.items():
        everything += [*[part for _, part in binding], value]
    for _, binding, choice in trace.witnesses:
        everything += [*[part for _, part in binding], *choice]
    found: dict[Element | Built, Sort] = {}
    seen: set[Value] = set()
    pending = [*reversed(everything), *trace.built]
    while pending:
        value = pending.pop()
        if isinstance(value, Element):
            found[value] = value.sort
        elif isinstance(value, Built):
            found[value] = signature.functions[value.function][1]
        if isinstance(value, _COMPOSITE) and value not in seen:
            seen.add(value)
            pending += reversed(_parts(value))
    return [(sort, value) for value, sort in found.items()]


def _parts(value: Built | ArrayValue | tuple[Value, ...]) -> tuple[Value, ...]:
    if isinstance(value, Built):
        return value.args
    if isinstance(value, ArrayValue):
        return (value.default, *[part for item in sorted(value.items, key=repr) for part in item])
    return value[1:]
