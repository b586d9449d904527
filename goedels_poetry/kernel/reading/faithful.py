"""Whether our core problem says what the user's text says, as obligations: a solver reads both.

For each definition, each premise and the goal there is a claim in which the user's own formula, byte for byte and under
the user's own declarations, stands beside ours. It is valid when they never differ; else the reader is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goedels_poetry.kernel.faults import BadProof, TextTooLong
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.names import legible, means_something_to_solvers
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, is_word, read, symbols_in
from goedels_poetry.kernel.terms import BOOL, Kind, Term, app, fresh_name, substitute, var
from goedels_poetry.kernel.theory import is_theory_symbol

MAX_CHARACTERS = 100_000
"""Of a text that is compared, and of one claim."""
_DECLARING = ("declare-sort", "define-sort", "declare-datatype", "declare-datatypes", "declare-const", "declare-fun")
_SYNTAX = re.compile(r"!|as|_|bv[0-9]+")
"""What is no name where it stands bare, although solvers would not take it for one."""
_TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||[^\s()"|]+')


@dataclass(frozen=True)
class ReadingObligation:
    """That the formula ``name`` of line ``line`` was read as it stands: after ``prelude`` the ``claim`` is valid.

    Without a claim it cannot be asked: the text is polymorphic, or too large. Unless it is ``decisive``, some of the
    names mean something to solvers, so that a denial says nothing.
    """

    name: str
    line: int
    prelude: str = ""
    claim: str = ""
    decisive: bool = False

    @property
    def question(self) -> str:
        """What has to be unsat after the prelude."""
        return f"(assert (not {self.claim}))"


@dataclass
class _Text:
    """What stands in the text, in its order; ``definitions`` by name: where they stand, their parameters and bodies."""

    source: Source
    symbols: set[str]
    declarations: list[str] = field(default_factory=list)
    definitions: dict[str, tuple[int, Group, SExpr]] = field(default_factory=dict)
    asserted: list[Group] = field(default_factory=list)
    proved: list[Group] = field(default_factory=list)

    def slice(self, expr: SExpr) -> str:
        """An expression as it is written."""
        if isinstance(expr, Group):
            return self.source.text[expr.offset : expr.end]
        return f"|{expr.text}|" if expr.quoted else expr.text

    def line(self, at: Group) -> int:
        """Where a command stands."""
        return self.source.position(at.offset)[0]


def reading_obligations(text: bytes, problem: Problem) -> tuple[ReadingObligation, ...]:
    """The questions about a text and the problem that was read from it: definitions, then premises and goal.

    Raises:
        BadProof: there are other formulas in the text than in the problem, or in other lines.
    """
    source = Source(decode(text))
    signature = problem.signature
    ours = [*signature.names, *[s.name for s in signature.sorts], *[d.sort.name for d in signature.datatypes]]
    commands = read(source) if len(source.text) <= MAX_CHARACTERS else []
    stated = _Text(source, symbols_in(commands))
    strange = {legible(n): n for n in stated.symbols if legible(n) != n and not is_theory_symbol(n)}
    known = {strange.get(n, n) for n in ours} <= stated.symbols and strange.keys().isdisjoint(stated.symbols)
    if not commands or "par" in stated.symbols or not known:
        lines = [*[0 for _ in signature.definitions], *[p.line for p in problem.premises], problem.goal_line]
        return tuple(ReadingObligation("", line) for line in lines)
    _collect(stated, commands)
    found: list[tuple[str, int, str]] = []
    if stated.definitions.keys() != {strange.get(d.name, d.name) for d in signature.definitions}:
        raise BadProof("the definitions in the text are not those that were read from it")
    for d in signature.definitions:
        line, params, body = stated.definitions[strange.get(d.name, d.name)]
        found.append((f"definition of {d.name}", line, _equal(stated, params, body, d.params, d.body)))
    pairs, decisive = _paired(stated, problem)
    for name, command, formula in pairs:
        found.append((name, stated.line(command), _equal_closed(stated, _bare(command.items[-1]), formula)))
    prelude = "\n".join(("(set-logic ALL)", *stated.declarations))
    words = [n for n in stated.symbols if means_something_to_solvers(n) and not is_theory_symbol(n)]
    decisive = decisive and all(_SYNTAX.fullmatch(name) for name in words)
    return tuple(
        ReadingObligation(n, at, prelude, _TOKEN.sub(lambda t: strange.get(t[0], t[0]), claim), decisive)
        if 0 < len(claim) <= MAX_CHARACTERS
        else ReadingObligation(n, at)
        for n, at, claim in found
    )


# ------------------------------------------------------------------------------------------------ the text


def _collect(stated: _Text, commands: Sequence[SExpr]) -> None:
    """Declarations as they stand; functions that are defined are declared, with the sorts as they stand."""
    for command in commands:
        head = _head(command)
        if not isinstance(command, Group):
            continue
        if head in _DECLARING:
            stated.declarations.append(stated.slice(command))
        elif head in ("assert", "prove", "assert-not"):
            (stated.asserted if head == "assert" else stated.proved).append(command)
        for name, params, sort, body in _definitions(command) if head.startswith("define-") else ():
            sorts = " ".join(stated.slice(p.items[1]) for p in params.items if isinstance(p, Group))
            stated.declarations.append(f"(declare-fun {stated.slice(name)} ({sorts}) {stated.slice(sort)})")
            stated.definitions[name.text] = stated.source.position(name.offset)[0], params, body


def _definitions(command: Group) -> Iterator[tuple[Atom, Group, SExpr, SExpr]]:
    match command.items:
        case [Atom(text="define-const"), Atom() as name, sort, body]:
            yield name, Group(command.offset), sort, body
        case [Atom(text="define-fun" | "define-fun-rec"), Atom() as name, Group() as params, sort, body]:
            yield name, params, sort, body
        case [Atom(text="define-funs-rec"), Group(items=heads), Group(items=bodies)]:
            for head, body in zip(heads, bodies, strict=True):
                match head:
                    case Group(items=[Atom() as name, Group() as params, sort]):
                        yield name, params, sort, body


def _paired(stated: _Text, problem: Problem) -> tuple[list[tuple[str, Group, Term]], bool]:
    """Premises and goal, each with the command that it was read from; whether it is clear which one is the goal."""
    named = [(f"premise {p.name}", p.formula, p.line) for p in problem.premises]
    commands, clear = [*stated.asserted, *stated.proved], True
    if stated.proved:
        named += [(f"goal {goal.name}", goal.formula, goal.line) for goal in problem.goals[:-1]]
        named.append(("goal", problem.goal, problem.goal_line))
    else:  # the last one that is negated, which a let or a match may hide
        heads = [(i, _head(_bare(c.items[-1]))) for i, c in enumerate(commands) if stated.line(c) == problem.goal_line]
        place, head = ([h for h in heads if h[1] in ("not", "let", "match")] or heads or [(0, "")])[-1]
        clear = len(heads) == 1 or head == "not"
        named.insert(place, ("goal", app("not", (problem.goal,), BOOL), problem.goal_line))
    if len(named) != len(commands):
        raise BadProof(f"the text states {len(commands)} formulas, and {len(named)} were read from it")
    for (name, _, line), command in zip(named, commands, strict=True):
        if stated.line(command) != line:
            raise BadProof(f"line {stated.line(command)}: this is not the {name}, which was read in line {line}")
    return [(name, command, formula) for (name, formula, _), command in zip(named, commands, strict=True)], clear


def _bare(expr: SExpr) -> SExpr:
    """A term without its attributes."""
    while isinstance(expr, Group) and len(expr.items) > 1 and is_word(expr.items[0], "!"):
        expr = expr.items[1]
    return expr


def _head(expr: SExpr) -> str:
    head = expr.items[0] if isinstance(expr, Group) and expr.items else expr
    return head.text if isinstance(head, Atom) else ""


# ---------------------------------------------------------------------------------------------- the claims


def _equal_closed(stated: _Text, written: SExpr, formula: Term) -> str:
    """That two closed formulas say the same; those that begin with as many binders are compared below them."""
    match written:
        case Group(items=[Atom(text="forall", quoted=False), Group(items=binders) as group, body]) if (
            formula.kind is Kind.FORALL and len(binders) == len(formula.binders)
        ):
            return _equal(stated, group, _bare(body), formula.binders, formula.body)
    return _equal(stated, Group(0), written, (), formula)


def _equal(stated: _Text, binders: Group, written: SExpr, variables: Sequence[Term], term: Term) -> str:
    """That what is written is ``term`` for all values of the binders, which ``variables`` are for us.

    A variable that we call otherwise (a function has its name, say) is bound beside that of the text, and equal to it.
    """
    theirs = [_head(binder) for binder in binders.items]
    if len(theirs) != len(variables):
        raise BadProof(f"line {stated.line(binders)}: {len(variables)} parameters were read")
    renamed = {n: v for n, v in zip(theirs, variables, strict=True) if n != v.name}
    fresh = {v: var(fresh_name(f"ours{i}", stated.symbols), v.sort) for i, v in enumerate(renamed.values())}
    try:
        claim = f"(= {stated.slice(written)} {show(substitute(term, fresh))})"
    except TextTooLong:
        return ""
    if renamed:
        claim = f"(=> {' '.join(f'(= {show_symbol(n)} {show(fresh[v])})' for n, v in renamed.items())} {claim})"
    bound = [stated.slice(b) for b in binders.items] + [f"({show(v)} {show_sort(v.sort)})" for v in fresh.values()]
    return f"(forall ({' '.join(bound)}) {claim})" if bound else claim
