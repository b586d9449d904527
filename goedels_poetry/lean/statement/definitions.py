"""Datatypes and definitions as Lean text.

A definition is written by its cases, as `equations` has them for the solvers: testers and selectors become `match`, so
that Lean sees what recursion goes down. That the cases say what the definition says is what the kernel rests on there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from goedels_poetry.kernel.equations import constructor_cases, simplify
from goedels_poetry.kernel.problem import Datatype, Definition
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    TRUE,
    Kind,
    Sort,
    Term,
    app,
    quantifier,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.lean.statement.terms import Writer
from goedels_poetry.lean.statement.vocabulary import OTHERWISE, PART, WHOLE, NotTranslatable, Open, Vocabulary

MAX_CASES = 400
"""Of one definition."""


class _Body(Writer):
    """A writer for bodies: a case distinction by constructors becomes `match`."""

    names: Names
    cases = 0

    def _value(self, term: Term) -> str:
        if term.kind is Kind.APP and (term.name == "ite" or (term.sort is BOOL and term.name in ("and", "or", "=>"))):
            subject = _tested(term.args[0] if term.name == "ite" else term, self)
            if subject is not None:
                return f"({self.matched(term, subject, ' ')})"
        return super()._value(term)

    def matched(self, term: Term, subject: Term, separator: str) -> str:
        """``match subject with`` and ``term`` for each of its constructors."""
        datatype = self.signature.datatype(subject.sort)
        assert datatype is not None
        branches = [f"match {self.value(subject)} with"]
        for constructor in datatype.constructors:
            self.cases += 1
            if self.cases > MAX_CASES:
                raise NotTranslatable(f"a definition with more than {MAX_CASES} cases")
            fields = [self.names.fresh(_field_name(subject, s, sort), sort) for s, sort in constructor.fields]
            built = app(constructor.name, fields, subject.sort)
            if subject.kind is Kind.VAR:
                case = substitute(term, {subject: built})
            else:
                selected = {s: f for (s, _), f in zip(constructor.fields, fields, strict=True)}
                case = _known(term, subject, constructor.name, selected)
            branches.append(f"| {self.pattern(built)} => {self.value(simplify(case, self.signature))}")
        return separator.join(branches)

    def pattern(self, built: Term) -> str:
        """A constructor term as a pattern; a variable is itself."""
        if built.kind is Kind.VAR:
            return self.words.variable(built)
        text = " ".join([self.words.symbols[built.name], *map(self.pattern, built.args)])
        return f"({text})" if built.args else text


def _field_name(subject: Term, selector: str, sort: Sort) -> str:
    if subject.kind is not Kind.VAR:
        return selector
    return subject.name if sort is subject.sort else f"{subject.name}_{selector}"


def _tested(condition: Term, writer: _Body) -> Term | None:
    """What the first constructor test of a condition is about, a variable if there is one."""
    found: dict[Term, None] = {}
    stack = [condition]
    seen: set[Term] = set()
    while stack:
        part = stack.pop()
        if part in seen or part.kind is not Kind.APP:
            continue
        seen.add(part)
        if part.name == "is":
            found.setdefault(part.args[0])
        elif part.name == "=" and len(part.args) == 2:
            for side, other in (part.args, part.args[::-1]):
                if side.kind is Kind.VAR and not other.args and writer.signature.constructor(other.name):
                    found.setdefault(side)
        elif part.name in ("and", "or", "not", "=>"):
            stack.extend(reversed(part.args))
    wanted = [t for t in found if writer.signature.constructor(t.name) is None or t.kind is Kind.VAR]
    return next((t for t in wanted if t.kind is Kind.VAR), next(iter(wanted), None))


def _known(term: Term, subject: Term, constructor: str, fields: Mapping[str, Term]) -> Term:
    """``term`` where ``subject`` is built by this constructor of these fields: in its tests and selections."""
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if not t.args or (t.binders and not subject.free.isdisjoint(t.binders)):
            return t
        done = memo.get(t)
        if done is None:
            if t.kind is Kind.APP and t.args[0] is subject and t.name == "is":
                done = TRUE if t.indices[0] == constructor else FALSE
            elif t.kind is Kind.APP and t.args[0] is subject and t.name in fields:
                done = fields[t.name]
            else:
                done = rebuild(t, tuple([go(a) for a in t.args]))
            memo[t] = done
        return done

    return go(term)


class Definitions:
    """Writes the definitions of a vocabulary, those of a group together; remembers the parameters of each."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.signature = words.signature
        self.opens: dict[str, tuple[Open, ...]] = {}

    # -------------------------------------------------------------------------------------------- the use

    def call(self, name: str, args: Sequence[str]) -> str:
        """A defined function at its arguments; what it leaves open comes before them."""
        definition = self.signature.definition(name)
        assert definition is not None
        if name not in self.opens:
            raise NotTranslatable(f"`{name}` is used before it is defined")
        opens = self.opens[name]
        given = self.words.inferred(opens, [p.sort for p in definition.params])
        head = [self.words.symbols[name]]
        for thing in opens:
            text = self.words.opened(thing)
            if thing.kind != "sort":
                head.append(text)
            elif thing.of not in given:
                head.append(f"({text} := {text})")
        return f"({' '.join([*head, *args])})" if len(head) + len(args) > 1 else head[0]

    def binders(self, opens: Iterable[Open]) -> str:
        """The parameters for what is left open."""
        parts = []
        for thing in opens:
            name = self.words.called(thing)
            if thing.kind == "sort":
                parts.append(f"{{{name} : Type}} [DecidableEq {name}]")
            else:
                parts.append(f"({name} : {self.words.type_of(thing)})")
        return "".join(f" {part}" for part in parts)

    # ------------------------------------------------------------------------------------------- the texts

    def group(self, group: Sequence[Definition], measures: Mapping[str, Term | None]) -> str:
        """The text of definitions that call each other. ``measures``: what falls, of those where Lean has to be told.

        Raises:
            NotTranslatable: see `Writer`.
        """
        self.opens.update({d.name: () for d in group})
        while True:  # what the bodies leave open is known when they are written
            before = self.opens[group[0].name]
            self.words.needs = set()
            texts = [self._definition(d, measures.get(d.name)) for d in group]
            after = self.words.closed(self.words.needs)
            if after == before:
                break
            self.opens.update({d.name: after for d in group})
        return texts[0] if len(texts) == 1 else "\n".join(["mutual", *texts, "end"])

    def _definition(self, definition: Definition, measure: Term | None) -> str:
        body = _Body(self.words, self.call)
        names = Names(definition.body, *definition.params, reserved=self.signature.names)
        body.names = names
        cases = self._cases(definition, names)
        split = [i for i, p in enumerate(definition.params) if any(lhs.args[i] is not p for lhs, _ in cases)]
        if split:
            subjects = ", ".join(body.value(definition.params[i]) for i in split)
            lines = [f"  match {subjects} with"]
            for lhs, rhs in cases:
                lines.append(f"  | {', '.join(body.pattern(lhs.args[i]) for i in split)} => {body.value(rhs)}")
        else:
            lines = [f"  {body.value(cases[0][1])}"]
        binders = body.binders(definition.params)
        binders = f" {binders}" if binders else ""
        opens = self.binders(self.opens[definition.name])
        result = self.words.sort(definition.sort)
        mark = "protected noncomputable def" if body.classical else "protected def"
        head = f"{mark} {self.words.symbols[definition.name]}{opens}{binders} : {result} :="
        if measure is not None:  # below 0 it may go as the last step only, so it is counted from -1
            lines.append(f"termination_by Int.toNat ({body.value(measure)} + 1)")
            lines.append("decreasing_by all_goals omega")
        return "\n".join([head, *lines])

    def described(self, definition: Definition, writer: Writer) -> list[str]:
        """What the definition says, case by case, as propositions."""
        names = Names(definition.body, *definition.params, reserved=self.signature.names)
        found = []
        for lhs, rhs in self._cases(definition, names):
            variables = [t for t in subterms(lhs) if t.kind is Kind.VAR]
            equation = app("=", (lhs, rhs), BOOL)
            found.append(writer.prop(quantifier(Kind.FORALL, variables, equation) if variables else equation))
        return found

    def _cases(self, definition: Definition, names: Names) -> list[tuple[Term, Term]]:
        """The equations of a definition. What can be built in one way only is taken apart as well where fields of it
        are spoken of: there is no test that would show it."""
        whole = app(definition.name, definition.params, definition.sort)
        waiting = constructor_cases(whole, definition.body, definition.params, self.signature, names)[::-1]
        done: list[tuple[Term, Term]] = []
        while waiting:
            lhs, rhs = waiting.pop()
            variable = self._single(lhs, rhs)
            datatype = self.signature.datatype(variable.sort) if variable is not None else None
            if variable is None or datatype is None or len(done) + len(waiting) > MAX_CASES:
                done.append((lhs, rhs))
                continue
            (constructor,) = datatype.constructors
            fields = [names.fresh(_field_name(variable, s, sort), sort) for s, sort in constructor.fields]
            built = {variable: app(constructor.name, fields, variable.sort)}
            lhs, rhs = substitute(lhs, built), substitute(rhs, built)
            waiting += constructor_cases(lhs, rhs, [v for v in fields if v in rhs.free], self.signature, names)[::-1]
        return done

    def _single(self, lhs: Term, rhs: Term) -> Term | None:
        """A variable of the left side that is of one constructor, and of which the right side selects a field."""
        for part in subterms(rhs):
            found = self.signature.selector(part.name) if part.kind is Kind.APP else None
            if found is not None and len(found[0].constructors) == 1 and part.args[0] in lhs.free:
                return part.args[0]
        return None

    def datatypes(self, group: Sequence[Datatype]) -> str:
        """The text of datatypes that are declared together."""
        texts = []
        for datatype in group:
            self.words.needs = set()
            opens = "".join(f" ({self.words.called(Open('sort', s))} : Type)" for s in self.words.parameters(datatype))
            lines = [f"protected inductive {self.words.sorts[datatype.sort]}{opens} : Type where"]
            for constructor in datatype.constructors:
                name = self.words.symbols[constructor.name].rpartition(".")[2]
                fields = "".join(f" (_ : {self.words.sort(sort)})" for _, sort in constructor.fields)
                lines.append(f"  | {name}{fields}")
            texts.append("\n".join([*lines, "  deriving DecidableEq"]))
        return texts[0] if len(texts) == 1 else "\n".join(["mutual", *texts, "end"])

    def tester(self, datatype: Datatype, name: str) -> str:
        """The function that says whether a value was built by a constructor."""
        constructor = next(c for c in datatype.constructors if c.name == name)
        blanks = "".join(" _" for _ in constructor.fields)
        sort = self.words.sort(datatype.sort)
        opens = "".join(f" {{{self.words.called(Open('sort', s))} : Type}}" for s in self.words.parameters(datatype))
        return (
            f"protected def {self.words.testers[name]}{opens} ({WHOLE} : {sort}) : Bool :=\n"
            f"  match {WHOLE} with\n  | {self.words.symbols[name]}{blanks} => true\n  | _ => false"
        )

    def selector(self, datatype: Datatype, name: str) -> str:
        """A selector; at other constructors it gives what is left open."""
        found = self.signature.selector(name)
        assert found is not None
        _, constructor, position = found
        sort, result = self.words.sort(datatype.sort), self.words.sort(constructor.fields[position][1])
        opens = "".join(f" {{{self.words.called(Open('sort', s))} : Type}}" for s in self.words.parameters(datatype))
        blanks = "".join(f" {PART}" if i == position else " _" for i in range(len(constructor.fields)))
        whole = len(datatype.constructors) == 1
        other = "" if whole else f"\n  | _ => {OTHERWISE} {WHOLE}"
        fallback = "" if whole else f" ({OTHERWISE} : {sort} → {result})"
        return (
            f"protected def {self.words.symbols[name]}{opens}{fallback} ({WHOLE} : {sort}) : {result} :=\n"
            f"  match {WHOLE} with\n  | {self.words.symbols[constructor.name]}{blanks} => {PART}{other}"
        )


def mentioned(terms: Iterable[Term]) -> tuple[set[str], set[Sort]]:
    """Names of symbols, and sorts, in terms."""
    symbols: set[str] = set()
    sorts: set[Sort] = set()
    seen: set[Term] = set()
    for term in terms:
        for t in subterms(term, seen):
            sorts.add(t.sort)
            sorts.update(v.sort for v in t.binders)
            if t.kind is Kind.APP:
                symbols.add(t.name)
    return symbols, sorts
