"""The closed world, layer by layer: what does not follow from a program's premises is false.

This is Reiter's closed world assumption (R. Reiter, "On closed world data bases", in Logic and Data Bases, 1978): for
each ground atom over the named things that does not follow, its negation is added. Premises that read as rules are
closed in layers (K. Apt, H. Blair and A. Walker, "Towards a theory of declarative knowledge", 1988): what the
condition of a rule speaks of before what its conclusion speaks of, so that from "birds that are not abnormal fly" and
"Tweety is a bird" it follows that Tweety flies. Our choices:

* Things are the declared constants of a declared sort, the values of an enumeration, and the truth values. Atoms are
  the declared predicates (propositions included) on such things; a predicate with another argument, a number say, is
  left open, and the result says so. Functions are left open: only what is true or false can be closed.
* Unique names: two constants are different where it does not follow that they are the same.
* Domain closure: there is nothing in a declared sort but its constants; left out, with a warning, where the premises
  demand something without a name.
* An atom of which it is not decided in time whether it follows stays open, with a warning.
* Premises such as ``(or p q)``, of which no part follows, contradict the negation of all parts: such a world cannot be
  closed in one way, and nothing is concluded. So it is with rules whose conclusion bears on their own conditions.

It is not monotone, and so it is asked for only where the open world leaves the goal open.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from goedels_poetry.kernel.printer import show, show_symbol
from goedels_poetry.kernel.problem import Signature, components
from goedels_poetry.kernel.reading.reader import Group, Source, read
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    TRUE,
    Kind,
    Sort,
    Term,
    app,
    eq,
    forall,
    is_app,
    not_,
    or_,
    symbols,
    var,
)
from goedels_poetry.questions.entailment.findings import Answer
from goedels_poetry.questions.entailment.models import Encoder
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram, Origin

# The layers of a closed world

_BOTH = 0


def layers(signature: Signature, premises: Iterable[Term]) -> list[list[str]]:
    """The declared symbols in layers: each depends on itself and earlier ones alone, as far as premises are rules.

    Constants of declared sorts are left out: they are things, and which of them are the same comes before all else.
    """
    needs: dict[str, set[str]] = {}
    for name, (args, result) in signature.functions.items():
        if signature.definition(name) is None and (args or result not in signature.sorts):
            needs[name] = set()
    for formula in premises:
        for conditions, conclusion in rules(formula):
            made, denied = polarities(signature, [(conclusion, 1)], needs.keys())
            assumed, excepted = polarities(signature, [(c, 1) for c in conditions], needs.keys())
            everything = made | denied | assumed | excepted
            if made or excepted:
                for head in (made | denied) if made else everything:
                    needs[head] |= everything
    return components(needs, lambda name: sorted(needs[name]))


def rules(formula: Term) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """Conditions and conclusion of each rule that a premise consists of."""
    seen: set[tuple[tuple[Term, ...], Term]] = set()
    waiting: list[tuple[tuple[Term, ...], Term]] = [((), formula)]
    while waiting:
        conditions, conclusion = waiting.pop()
        if (conditions, conclusion) in seen:
            continue
        seen.add((conditions, conclusion))
        if conclusion.kind is Kind.FORALL:
            waiting.append((conditions, conclusion.body))
        elif is_app(conclusion, "and"):
            waiting += [(conditions, part) for part in conclusion.args]
        elif is_app(conclusion, "=>"):
            *more, last = conclusion.args
            waiting.append(((*conditions, *more), last))
        else:
            yield conditions, conclusion


def polarities(
    signature: Signature, waiting: list[tuple[Term, int]], names: Container[str]
) -> tuple[set[str], set[str]]:
    """Of some names those by which formulas can become true when more, or less, is so; through definitions, too."""
    made: set[str] = set()
    denied: set[str] = set()
    seen: set[tuple[Term, int]] = set()
    while waiting:
        term, sign = waiting.pop()
        if (term, sign) in seen or term.kind in (Kind.VAR, Kind.LIT):
            continue
        seen.add((term, sign))
        if term.kind is not Kind.APP or term.name in ("and", "or"):
            waiting += [(part, sign) for part in term.args]
        elif term.name == "not":
            waiting.append((term.args[0], -sign))
        elif term.name == "=>":
            *conditions, conclusion = term.args
            waiting += [(conclusion, sign), *[(c, -sign) for c in conditions]]
        else:
            if term.name in names:
                made |= {term.name} if sign >= 0 else set()
                denied |= {term.name} if sign <= 0 else set()
            waiting += [(part, _BOTH) for part in term.args]
            definition = signature.definition(term.name)
            if definition is not None:
                waiting.append((definition.body, sign if not definition.recursive else _BOTH))
    return made, denied


MAX_ATOMS = 2_000
"""A world with more atoms is not closed."""
NO_WORLD = "the world cannot be closed: {} leaves several things possible, and their negations contradict it"

Ask = Callable[[Encoder, str, tuple[str, ...]], Answer]
"""Poses the premises with an extra assertion and gets the values of terms when they are satisfiable."""


@dataclass(frozen=True)
class Closure:
    """Premises to add, or why there are none."""

    premises: tuple[LogicPremise, ...] = ()
    reason: str = ""
    """Why the world is not closed; "" when it is."""
    warnings: tuple[str, ...] = ()


def close(program: LogicProgram, ask: Ask) -> Closure:
    """What the closed world adds to a program whose premises are consistent."""
    world = _World(program, ask)
    return world.closed()


class _World:
    def __init__(self, program: LogicProgram, ask: Ask) -> None:
        self.program = program
        self.signature = program.signature
        self.ask = ask
        self.added: list[LogicPremise] = []
        self.encoder = Encoder(program)
        self.warnings: list[str] = []
        self._taken = {p.name for p in (*program.premises, *program.constraints)}
        self._others = len(self._taken)

    def closed(self) -> Closure:
        things = things_of(self.signature)
        same = [eq(a, b) for sort in self.signature.sorts for a, b in itertools.combinations(things[sort], 2)]
        atoms = self._atoms(things)
        if len(same) + len(atoms) > MAX_ATOMS:
            return Closure(reason=f"the world is too large to be closed: {len(same) + len(atoms)} atoms")
        self._deny(same, "are different things")
        if not self._consistent():
            return Closure(reason=NO_WORLD.format("which constants are the same"))
        self._only_things(things)
        by_name: dict[str, list[Term]] = {}
        for atom in atoms:
            by_name.setdefault(atom.name, []).append(atom)
        for layer in layers(self.signature, [p.formula for p in self.program.premises]):
            of_layer = [atom for name in layer for atom in by_name.get(name, ())]
            if self._deny(of_layer, "does not follow") and not self._consistent():
                what = ", ".join(layer[:5])
                return Closure(reason=NO_WORLD.format(f"a premise about {what}"))
        return Closure(tuple(self.added), warnings=tuple(self.warnings))

    def _atoms(self, things: dict[Sort, list[Term]]) -> list[Term]:
        """All ground atoms of the predicates that the program speaks of."""
        program = self.program
        used = _used(self.signature, [p.formula for p in program.premises] + [g.formula for g in program.goals])
        atoms: list[Term] = []
        for name, (args, result) in self.signature.functions.items():
            if result is not BOOL or name not in used or self.signature.definition(name) is not None:
                continue
            domains = [things.get(sort) for sort in args]
            if not all(domains):
                self.warnings.append(f"{name} stays open in the closed world: its arguments are not things with names")
                continue
            for choice in itertools.islice(itertools.product(*[d or [] for d in domains]), MAX_ATOMS + 1):
                atoms.append(app(name, choice, BOOL))
        return atoms

    def _consistent(self) -> bool:
        return self.ask(self.encoder, "", ()).status != "unsat"

    def _add(self, premises: Sequence[LogicPremise]) -> None:
        self.added += premises
        self.encoder = self.encoder.extended(premises)

    def _only_things(self, things: dict[Sort, list[Term]]) -> None:
        """Domain closure."""
        closing = []
        for sort in self.signature.sorts:
            if things[sort]:
                x = var("x", sort)
                formula = forall((x,), or_([eq(x, t) for t in things[sort]]))
                named = ", ".join(show(t) for t in things[sort])
                closing.append(self._premise(formula, f"every {sort.name} is one of: {named}"))
        if closing and self.ask(self.encoder.extended(closing), "", ()).status == "unsat":
            self.warnings.append("the premises demand something without a name: the closed world leaves room for it")
        else:
            self._add(closing)

    def _deny(self, atoms: Sequence[Term], words: str) -> bool:
        """Add the negation of each atom that does not follow; whether there were any.

        A world of the premises shows of every atom that is false there that it does not follow; so what is left to
        ask is whether there is a world in which one of the others is false.
        """
        encoder = self.encoder
        open_, denied = list(atoms), []
        while open_:
            some_false = encoder.assertion(or_([not_(atom) for atom in open_]))
            texts = tuple(encoder.encoding.text(atom) for atom in open_)
            answer = self.ask(encoder, some_false, texts)
            if answer.status == "unsat":
                break
            values = truth_values(answer.output) if answer.status == "sat" else []
            false = [a for a, value in zip(open_, values, strict=False) if not value]
            if not false or len(values) != len(open_):
                what = ", ".join(_words(a) for a in open_[:5])
                self.warnings.append(f"not decided whether it follows, so it stays open: {what}")
                break
            denied += false
            open_ = [a for a, value in zip(open_, values, strict=True) if value]
        chosen = set(denied)
        found = []
        for atom in atoms:
            if atom in chosen:
                what = " and ".join(map(show, atom.args)) if atom.name == "=" else _words(atom)
                found.append(self._premise(not_(atom), f"{what} {words}"))
        if found:
            self._add(found)
        return bool(found)

    def _premise(self, formula: Term, words: str) -> LogicPremise:
        number = len(self._taken) + 1 - self._others
        while (name := f"closed-{number}") in self._taken:
            number += 1
        self._taken.add(name)
        return LogicPremise(name, formula, origin=Origin.CLOSURE, words=words)


def _words(atom: Term) -> str:
    """A ground atom as people write it: ``human(socrates)``, ``a = b``."""
    if atom.name == "=":
        return " = ".join(map(show, atom.args))
    return show_symbol(atom.name) + (f"({', '.join(map(show, atom.args))})" if atom.args else "")


def things_of(signature: Signature) -> dict[Sort, list[Term]]:
    """The named elements of each sort that has only such."""
    things: dict[Sort, list[Term]] = {BOOL: [TRUE, FALSE], **{sort: [] for sort in signature.sorts}}
    for constant in constants_of(signature):
        things[constant.sort].append(constant)
    for datatype in signature.datatypes:
        if not any(c.fields for c in datatype.constructors):
            things[datatype.sort] = [app(c.name, (), datatype.sort) for c in datatype.constructors]
    return things


def constants_of(signature: Signature) -> list[Term]:
    """Declared constants of declared sorts."""
    return [
        app(name, (), result)
        for name, (args, result) in signature.functions.items()
        if not args and result in signature.sorts and signature.definition(name) is None
    ]


def _used(signature: Signature, formulas: Iterable[Term]) -> set[str]:
    """Symbols that formulas speak of, through definitions, too."""
    used: set[str] = set()
    waiting = set().union(*map(symbols, formulas))
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            definition = signature.definition(name)
            waiting |= symbols(definition.body) if definition is not None else set()
    return used


def truth_values(output: str) -> list[bool]:
    """The truth values that the solver gave, in the order of the terms; [] when that is not what it gave."""
    try:
        (pairs,) = read(Source(output))
    except ValueError:
        return []
    words = [getattr(p.items[-1], "text", "") for p in getattr(pairs, "items", []) if isinstance(p, Group)]
    return [word == "true" for word in words] if set(words) <= {"true", "false"} else []


def extended(program: LogicProgram, closure: Closure) -> LogicProgram:
    """The program in its closed world."""
    return replace(program, premises=(*program.premises, *closure.premises))
