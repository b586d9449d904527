"""A theorem of SMT-LIB as a theorem of Lean.

Trusted code, for trust level L4: if Lean proves `goal`, the theorem holds in every model that SMT-LIB allows.

* Sorts of SMT-LIB are not empty (`Nonempty`), and two elements are the same or not (`DecidableEq`, which every type
  has by classical logic: the theorem is about each way to decide it). Datatypes are Lean's, freely built and finite.
* A definition that terminates is satisfied by one function only, given all that is left open; Lean accepts it only if
  it terminates, and it satisfies the same equations. So nothing is lost when it is defined instead of described.
* What is left open (see `vocabulary`) is universally quantified, premises are hypotheses.
* Definitions that the theorem does not speak of are left out: this makes a theorem stronger only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from goedels_poetry.kernel.bridge.definitions import Definitions, mentioned
from goedels_poetry.kernel.bridge.endings import measures_of
from goedels_poetry.kernel.bridge.names import GOAL
from goedels_poetry.kernel.bridge.terms import Writer
from goedels_poetry.kernel.bridge.vocabulary import NotTranslatable, Open, Vocabulary
from goedels_poetry.kernel.derivation import ByScheme, Derivation
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.problem import Definition, Problem, Signature
from goedels_poetry.kernel.reading.auxiliary import extended
from goedels_poetry.kernel.terms import Sort, Term

MAX_COMMENT = 100_000
OPTIONS = "set_option autoImplicit false"
QUESTION = f"#print axioms {GOAL}"
TAIL = f"\n\nsection\nend\n{QUESTION}\n"
"""What follows the theorem, proved or not."""


@dataclass(frozen=True)
class LeanTheory:
    """The Lean text of a theorem.

    header: datatypes, selectors and testers, definitions.
    statement: ``theorem goal binders : Prop``, without ``:=``.
    context: commands that make what is open, and the premises, variables of the theorems that follow.
    opened: what is left open but sorts, and the hypotheses: names, with their types as text. A theorem under
        ``context`` has to be given these first where it is used.
    hypotheses: names and texts of the premises.
    equations: the same of functions that Lean is not given a definition of, by the user's names: that they end is
        not plain to see, so they are left open, and what their definitions say are hypotheses, too.
    definitions: the user's names of defined functions, selectors and testers (``is-c`` of a constructor ``c``) that the
        header has, with Lean's.
    comment: the theorem's own text, as a comment.
    """

    header: str
    statement: str
    context: str
    opened: Mapping[str, str]
    hypotheses: tuple[tuple[str, str], ...]
    equations: Mapping[str, tuple[tuple[str, str], ...]]
    definitions: Mapping[str, str]
    comment: str
    _words: Vocabulary = field(repr=False, compare=False)
    _writer: Writer = field(repr=False, compare=False)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of what is opened."""
        return tuple(self.opened)

    @property
    def reference(self) -> str:
        """A whole file in which the theorem is left open."""
        return f"{self.comment}{self.header}\n{self.statement} := sorry{TAIL}"

    def name(self, symbol: str) -> str:
        """Lean's name of a function, constructor or selector. KeyError: there is none of this name."""
        return self._words.symbols[symbol]

    def sort(self, sort: Sort) -> str:
        """Lean's type for a sort."""
        return self._words.sort(sort)

    def variable(self, variable: Term) -> str:
        """Lean's name of a variable."""
        return self._words.variable(variable)

    def binders(self, variables: Sequence[Term]) -> str:
        """Variables with their types: ``(x : Int) (y : Bool)``."""
        return self._writer.binders(variables)

    def prop(self, term: Term) -> str:
        """A formula as a proposition.

        Raises:
            NotTranslatable: Lean's core has no counterpart for something in it.
        """
        return self._guarded(self._writer.prop, term)

    def value(self, term: Term) -> str:
        """A term as a value; raises as `prop`."""
        return self._guarded(self._writer.value, term)

    @staticmethod
    def _guarded(write: Callable[[Term], str], term: Term) -> str:
        try:
            return write(term)
        except RecursionError:
            raise NotTranslatable("a formula that is nested too deeply") from None


def translate(problem: Problem, derivation: Derivation | None = None, text: str = "") -> LeanTheory:
    """The Lean text of a theorem.

    Args:
        derivation: a proof: its auxiliary definitions and what its steps speak of are there, too, and its evidence says
            why recursion ends. Without it Lean has to see this by itself.
        text: what was read, for the comment.

    Raises:
        NotTranslatable: there is something in it that Lean's core has no counterpart for.
    """
    try:
        return _translated(problem, derivation or Derivation(()), text)
    except KernelError as error:
        raise NotTranslatable(str(error)) from error
    except RecursionError:
        raise NotTranslatable("something that is nested too deeply") from None


def _translated(problem: Problem, derivation: Derivation, text: str) -> LeanTheory:
    signature = extended(problem.signature, derivation.auxiliary)
    spoken = [problem.goal, *(p.formula for p in problem.premises), *_spoken(derivation)]
    measures = measures_of(signature, derivation.termination)
    words = Vocabulary(signature, frozenset(measures))
    parts = Definitions(words)
    definitions = _reached(signature.definitions, spoken)
    texts = []
    for _, members in groupby(definitions, lambda d: d.group):
        group = list(members)
        if all(d.name in measures for d in group):
            texts.append(parts.group(group, measures))
    statement = _stated(problem, derivation, parts)
    known, sorts = mentioned([*spoken, *(t for d in definitions for t in (d.body, *d.params))])
    sorts.update(s for name in known & signature.functions.keys() for s in _sorts_of(signature, name))
    header = [OPTIONS, *_declared(_with_parts(sorts, signature), parts), *texts]
    called = {}
    for name in words.used:
        is_selector = signature.selector(name) is not None
        called[name if is_selector else f"is-{name}"] = words.symbols[name] if is_selector else words.testers[name]
    called.update({d.name: words.symbols[d.name] for d in definitions if d.name in measures})
    return replace(statement, header="\n\n".join(header) + "\n", definitions=called, comment=_comment(text))


def _declared(sorts: Iterable[Sort], parts: Definitions) -> Iterator[str]:
    """The datatypes among these sorts, each group with its testers and selectors that are spoken of."""
    wanted, words = set(sorts), parts.words
    for _, members in groupby(words.signature.datatypes, lambda d: d.group):
        group = list(members)
        if wanted.isdisjoint(d.sort for d in group):
            continue
        yield parts.datatypes(group)
        for datatype in group:
            for constructor in datatype.constructors:
                if constructor.name in words.used:
                    yield parts.tester(datatype, constructor.name)
                yield from (parts.selector(datatype, s) for s, _ in constructor.fields if s in words.used)


def _stated(problem: Problem, derivation: Derivation, parts: Definitions) -> LeanTheory:
    """All but the header."""
    words, writer = parts.words, Writer(parts.words, parts.call)
    words.needs = set()
    goal = writer.prop(problem.goal)
    hypotheses = tuple((words.names.local(p.name), writer.prop(p.formula)) for p in problem.premises)
    for term in _spoken(derivation):
        writer.value(term)
    equations = _described(parts, writer)
    brought = [d.name for d in derivation.auxiliary if d.name in equations]
    if brought:  # what a proof brings along is no hypothesis: it might contradict itself
        raise NotTranslatable(f"{', '.join(brought)}: it is not plain to see that these functions of the proof end")
    for thing in words.closed(words.needs):
        if thing.kind == "sort" and isinstance(thing.of, Sort) and thing.of.name == "Array":
            words.needs.add(Open("law", thing.of))
    opens = words.closed(words.needs)
    words.needs = set(opens)
    sorts = [words.called(thing) for thing in opens if thing.kind == "sort"]
    opened = {words.called(thing): words.type_of(thing) for thing in opens if thing.kind != "sort"}
    opened.update([*(e for each in equations.values() for e in each), *hypotheses])
    things = [f"{{{name} : Type}} [DecidableEq {name}] [Nonempty {name}]" for name in sorts]
    things += [f"({name} : {type_})" for name, type_ in opened.items()]
    binders = "".join(f"\n    {thing}" for thing in things)
    statement = f"theorem {GOAL}{binders} :\n    {goal}" if things else f"theorem {GOAL} : {goal}"
    context = "\n".join(f"variable {thing}" for thing in things)
    context += f"\ninclude {' '.join(opened)}" if opened else ""
    return LeanTheory("", statement, context, opened, hypotheses, equations, {}, "", words, writer)


def _described(parts: Definitions, writer: Writer) -> dict[str, tuple[tuple[str, str], ...]]:
    """The equations of functions that are spoken of and not defined, each with the name of a hypothesis."""
    words = parts.words
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    while True:
        spoken = {t.of for t in words.closed(words.needs) if t.kind == "function"}
        new = [d for d in words.signature.definitions if d.name in spoken and d.name not in found]
        if not new:
            return found
        for definition in new:
            equations = parts.described(definition, writer)
            names = [f"{definition.name}_eq_{i}" for i in range(1, len(equations) + 1)]
            found[definition.name] = tuple((words.names.local(n), e) for n, e in zip(names, equations, strict=True))


def _sorts_of(signature: Signature, function: str) -> tuple[Sort, ...]:
    params, result = signature.functions[function]
    return (*params, result)


def _spoken(derivation: Derivation) -> list[Term]:
    """What the steps of a proof speak of."""
    terms: list[Term] = []
    for step in derivation.steps:
        terms += [*step.sequent.hyps, step.sequent.concl]
        if not isinstance(step.by, ByScheme):
            terms += [a for i in step.by.instances for a in i.args]
    return list(dict.fromkeys(terms))


def _reached(definitions: Iterable[Definition], terms: Iterable[Term]) -> list[Definition]:
    """The definitions that the terms lead to, whole groups of them, in order."""
    by_name = {d.name: d for d in definitions}
    found: set[str] = set()
    pending = list(terms)
    while pending:
        known, _ = mentioned(pending)
        new = {d.group for n, d in by_name.items() if n in known and n not in found}
        members = [d for d in by_name.values() if d.group in new and d.name not in found]
        found.update(d.name for d in members)
        pending = [d.body for d in members]
    return [d for d in by_name.values() if d.name in found]


def _with_parts(sorts: Iterable[Sort], signature: Signature) -> set[Sort]:
    """Sorts and all that values of them are made of."""
    found: set[Sort] = set()
    pending = list(sorts)
    while pending:
        sort = pending.pop()
        if sort not in found:
            found.add(sort)
            datatype = signature.datatype(sort)
            pending += [*sort.args, *([s for c in datatype.constructors for _, s in c.fields] if datatype else [])]
    return found


def _comment(text: str) -> str:
    """Lines that Lean does not read; whatever stands in the text, it ends none of them."""
    lines = text[:MAX_COMMENT].replace("\r", "\n").split("\n")
    if len(text) > MAX_COMMENT:
        lines.append("...")
    shown = ["".join(c if " " <= c <= "~" else f"\\u{{{ord(c):x}}}" if c != "\t" else "  " for c in x) for x in lines]
    return "".join(f"-- {line}".rstrip() + "\n" for line in shown) + "\n" if text else ""
