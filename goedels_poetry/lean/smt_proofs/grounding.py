"""What a leaf needs to be known at which terms: the instances that z3 used, and of these as few as do.

The leaf is asked again with the quantifiers named, and what z3 has instantiated is read from its proof. These ground
facts alone have to entail the leaf, and an unsat core says which of them are needed. Then Lean has no search left but
for equalities, arithmetic and cases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.encoding import Encoding
from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_term
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Sort, Term, app, substitute, subterms
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.process import SolverProcess

# -- What z3 has instantiated in a proof ---------------------------------------------------------------------------


Expr: TypeAlias = "str | list[Expr]"
"""An atom as it is written, or a list."""

_TOKEN = re.compile(r'[()]|\|[^|]*\||"(?:[^"]|"")*"|[^\s()|"]+')
MOST_NODES = 2_000
"""Of one term, written out."""


def instantiations(proof: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The name of each quantifier that was instantiated, and text of terms for its variables, by their names.

    The same may come several times. What cannot be read, or is too large when it is written out, is left out.
    """
    names: dict[str, Expr] = {}
    steps = list(_read(proof, names))
    for terms, conclusion in steps:
        formula = _resolved(conclusion, names)
        negated = _resolved(formula[1], names) if isinstance(formula, list) and len(formula) > 1 else ""
        quantifier = _resolved(negated[1], names) if isinstance(negated, list) and len(negated) == 2 else ""
        name, variables = _heading(quantifier)
        texts = [_written(t, names) for t in terms]
        if name and len(variables) == len(texts) and all(texts):
            yield name, dict(zip(variables, texts, strict=True))


def _read(proof: str, names: dict[str, Expr]) -> Iterator[tuple[list[Expr], Expr]]:
    """The instantiations as they are written. ``names`` gets what each ``let`` says; z3 gives no name twice."""
    stack: list[list[Expr]] = []
    for found in _TOKEN.finditer(proof):
        token = found.group()
        if token == "(":
            stack.append([])
        elif token != ")":
            if stack:
                stack[-1].append(token)
        elif stack:
            done = stack.pop()
            head = done[0] if done else ""
            if isinstance(head, list) and head[:2] == ["_", "quant-inst"] and len(done) == 2:
                yield head[2:], done[1]
            if stack and head == "let":
                done = []  # its names are known, and its body is said already
            elif len(stack) > 1 and len(done) == 2 and isinstance(head, str) and stack[-2] == ["let"]:
                names[head] = done[1]
            if stack:
                stack[-1].append(done)


def _resolved(expr: Expr, names: Mapping[str, Expr]) -> Expr:
    for _ in range(MOST_NODES):
        if not isinstance(expr, str) or expr not in names:
            break
        expr = names[expr]
    return expr


def _heading(quantifier: Expr) -> tuple[str, list[str]]:
    """The name of a quantifier and its variables; "" where it has no name."""
    if not (isinstance(quantifier, list) and len(quantifier) == 3 and quantifier[0] == "forall"):
        return "", []
    _, binders, body = quantifier
    if not isinstance(body, list) or body[:1] != ["!"] or ":qid" not in body:
        return "", []
    name = body[body.index(":qid") + 1]
    variables = [b[0] for b in binders if isinstance(b, list)]
    return (name, [v for v in variables if isinstance(v, str)]) if isinstance(name, str) else ("", [])


def _written(expr: Expr, names: Mapping[str, Expr]) -> str:
    """The text of a term without names; "" where it is too large."""
    parts: list[str] = []
    waiting: list[Expr | None] = [expr]
    while waiting:
        if len(parts) > MOST_NODES:
            return ""
        top = waiting.pop()
        if top is None:
            parts.append(")")
            continue
        top = _resolved(top, names)
        if isinstance(top, str):
            parts.append(top)
        else:
            parts.append("(")
            waiting += [None, *reversed(top)]
    return " ".join(parts)


# -- What a leaf needs to be known at which terms ------------------------------------------------------------------


LIMITS = Limits(rlimit=4_000_000, seconds=10.0, output_bytes=4_000_000)
OPTIONS = {"auto_config": "false", "smt.mbqi": "false"}
MOST_INSTANCES = 400
MOST_TEXT = 4_000
"""Characters of a term at which something is instantiated."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What entails a sequent without quantifiers: instances, and numbers of its own hypotheses."""

    instances: tuple[Instance, ...]
    hyps: tuple[int, ...]
    facts: tuple[Term, ...]
    """What the instances say, in their order."""


def grounded(
    context: Context, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent], z3: SolverProcess
) -> Ground | None:
    """Few ground facts that entail a sequent; None where z3 does not find them within `LIMITS`.

    Args:
        query: what may be used; its own instances may be, too.
        earlier: the steps that it cites, by id.
    """
    try:
        script, named, plain = _script(context, sequent, query, earlier)
    except KernelError:
        return None
    answer = z3.ask(script, LIMITS, "proof", {**OPTIONS, "produce-proofs": "true"})
    if answer.status != "unsat":
        return None
    decoder = _Decoder(context, sequent)
    found = dict.fromkeys([*query.instances, *plain])
    for name, terms in instantiations(answer.output):
        if name in named and len(found) < MOST_INSTANCES:
            instance = decoder.instance(named[name], terms)
            if instance is not None:
                found[instance] = None
    return _core(context, sequent, replace(query, instances=tuple(found)), earlier, z3)


def _core(
    context: Context, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent], z3: SolverProcess
) -> Ground | None:
    """Of these facts those that are needed."""
    lines = list(context.check(replace(sequent, hyps=()), Query(equations=False, quantified=False)))
    names = dict[str, tuple[Instance | int, Term]]()

    def fact(name: str, formula: Term, what: Instance | int) -> None:
        names[name] = what, formula
        lines.append(f"(assert (! {context.encoding.text(formula)} :named {name}))")

    for number, hyp in enumerate(sequent.hyps):
        if not any(t.binders for t in subterms(hyp)):
            fact(f"hyp.{number}", hyp, number)
    for number, instance in enumerate(query.instances):
        try:
            formula = context.instance(sequent, instance, query.cites, earlier)
            formula = simplify(formula, context.signature)
            if not any(t.binders for t in subterms(formula)):
                fact(f"instance.{number}", formula, instance)
        except KernelError:
            continue
    script = "\n".join((*context.prelude(equations=False, quantified=False), *lines))
    answer = z3.ask(script, LIMITS, "core", {**OPTIONS, "smt.core.minimize": "true"})
    if answer.status != "unsat":
        return None
    core = set(answer.output.strip("() \n").split())
    kept = [what for name, what in names.items() if name in core]
    given = [(what, formula) for what, formula in kept if isinstance(what, Instance)]
    hyps = tuple(what for what, _ in kept if isinstance(what, int))
    return Ground(tuple(i for i, _ in given), hyps, tuple(formula for _, formula in given))


# ------------------------------------------------------------------------------------- the query with names


_Source = Equation | tuple[str, str, tuple[Term, ...]]
"""What a quantifier says: an equation of a definition, or a kind of instance with a name and the variables."""


def _script(
    context: Context, sequent: Sequent, query: Query, earlier: Mapping[str, Sequent]
) -> tuple[str, dict[str, _Source], list[Instance]]:
    """The query in which each quantifier that stands in front has a name; what the names mean; and what it asserts of
    single values, which nothing instantiates."""
    named, plain = dict[str, _Source](), list[Instance]()

    def told(text: str, source: _Source) -> str:
        if not (_free(source) if isinstance(source, Equation) else source[2]):
            plain.append(_instance(source, ()))
        named[f"q{len(named)}"] = source
        return _with_name(text, f"q{len(named) - 1}")

    lines = list(context.declarations)
    if query.equations:
        for equation in context.equations:
            if context.is_safe_to_unfold(equation):
                lines.append(told(context.assert_equation(equation), equation))
    if query.quantified:
        for premise in context.problem.premises:
            text = f"(assert {context.encoding.text(premise.formula)})"
            lines.append(told(text, ("premise", premise.name, premise.formula.binders)))
    ground = Query(tuple(query.cites), query.instances, query.equations, quantified=False)
    bare = context.check(sequent, ground, earlier)
    lines += bare[:-1]
    if query.quantified:
        for number, hyp in enumerate(sequent.hyps):
            if hyp.kind is Kind.FORALL:
                lines.append(told(f"(assert {context.encoding.text(hyp)})", ("hyp", str(number), hyp.binders)))
        for name in dict.fromkeys(query.cites):
            step = earlier[name]
            lines.append(told(context.citation(step), ("step", name, step.vars)))
    return "\n".join((*lines, bare[-1])), named, plain


def _with_name(assertion: str, name: str) -> str:
    """An assertion whose quantifier has a name; as it is where there is none in front."""
    start = "(assert (forall "
    if not assertion.startswith(start):
        return assertion
    depth, inside = 0, False
    for place in range(len(start), len(assertion)):
        character = assertion[place]
        if character == "|":
            inside = not inside
        elif not inside:
            depth += (character == "(") - (character == ")")
            if depth == 0:
                break
    binders, body = assertion[len(start) : place + 1], assertion[place + 1 : -2].strip()
    if body.startswith("(! "):
        return f"{start}{binders} {body[:-1]} :qid {name})))"
    return f"{start}{binders} (! {body} :qid {name})))"


class _Decoder:
    """From the text of z3 to terms over a sequent's variables."""

    def __init__(self, context: Context, sequent: Sequent) -> None:
        encoding: Encoding = context.encoding
        self._context, self._signature = context, encoding.signature()
        self._symbols = {encoding.name(name): name for name in encoding.names}
        original = context.signature
        sorts = [*original.sorts, *(d.sort for d in original.datatypes)]
        self._sorts = {encoding.sort(s): s for s in sorts}
        self._variables = {encoding.term(v): v for v in sequent.vars}
        self._encoding = encoding

    def instance(self, source: _Source, texts: Mapping[str, str]) -> Instance | None:
        """The instance of what a quantifier says at terms; None where it is not one that a certificate could have."""
        variables = _free(source) if isinstance(source, Equation) else source[2]
        terms = [self._term(texts.get(self._encoding.text(v), ""), v.sort) for v in variables]
        at = [t for t in terms if t is not None]
        if len(at) < len(variables):
            return None
        return _instance(source, at)

    def _term(self, text: str, sort: Sort) -> Term | None:
        if not text or len(text) > MOST_TEXT:
            return None
        try:
            term = parse_term(text, self._signature, tuple(self._variables), self._encoding.sort(sort))
        except (KernelError, RecursionError):
            return None
        decoded = self._decoded(term)
        return simplify(decoded, self._context.signature) if decoded is not None else None

    def _decoded(self, term: Term) -> Term | None:
        if term.kind is Kind.VAR:
            return self._variables.get(term)
        if term.kind is Kind.LIT:
            return term
        args = [self._decoded(a) for a in term.args]
        given = [a for a in args if a is not None]
        if term.kind is not Kind.APP or len(given) < len(args):
            return None
        indices = tuple(self._symbols.get(i, i) if isinstance(i, str) else i for i in term.indices)
        return app(self._symbols.get(term.name, term.name), given, self._sort(term.sort), indices)

    def _sort(self, sort: Sort) -> Sort:
        found = self._sorts.get(sort)
        return found or Sort(sort.name, sort.indices, tuple(self._sort(a) for a in sort.args))


def _instance(source: _Source, at: Sequence[Term]) -> Instance:
    if not isinstance(source, Equation):
        return Instance(source[0], source[1], tuple(at))
    mapping = dict(zip(_free(source), at, strict=True))
    return Instance("def", source.function, tuple(substitute(a, mapping) for a in source.lhs.args))


def _free(equation: Equation) -> tuple[Term, ...]:
    found = dict.fromkeys(t for side in (equation.lhs, equation.rhs) for t in subterms(side) if t.kind is Kind.VAR)
    return tuple(found)
