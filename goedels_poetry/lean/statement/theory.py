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

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from goedels_poetry.kernel.calls import Call, TooLarge
from goedels_poetry.kernel.derivation import ByScheme, Derivation
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.problem import Definition, Problem, Signature
from goedels_poetry.kernel.reading.certificate import extended
from goedels_poetry.kernel.sizes import Shapes
from goedels_poetry.kernel.termination import Lexicographic, MeasureComponent, TerminationEvidence, calls_in
from goedels_poetry.kernel.terms import INT, Kind, Sort, Term, app, subterms
from goedels_poetry.lean.statement.definitions import Definitions, mentioned
from goedels_poetry.lean.statement.terms import Writer
from goedels_poetry.lean.statement.vocabulary import GOAL, NotTranslatable, Open, Vocabulary

# -- Which definitions Lean takes as they stand, and what it has to be told of why they end ------------------------


MAX_CALLS = 60
MAX_PARTS = 200
LINEAR = frozenset({"+", "-", "div", "mod", "<", "<=", ">", ">=", "=", "not", "and", "or", "=>"})


def measures_of(signature: Signature, evidence: TerminationEvidence) -> dict[str, Term | None]:
    """The functions that are defined, recursive ones by the measure that falls; None where Lean needs none."""
    entries = {frozenset(entry.functions): entry for entry in evidence.groups}
    found: dict[str, Term | None] = {}
    for _, members in groupby(signature.definitions, lambda d: d.group):
        group = list(members)
        if not any(d.recursive for d in group):
            found.update({d.name: None for d in group})
            continue
        try:
            calls = calls_in(group, signature)
        except TooLarge:
            continue
        if _goes_down(group, calls, signature):
            found.update({d.name: None for d in group})
            continue
        entry = entries.get(frozenset(d.name for d in group))
        if isinstance(entry, Lexicographic) and len(group) == 1 and len(entry.components) == 1:
            component = entry.components[0]
            if isinstance(component, MeasureComponent):
                measure = component.measure.get(group[0].name)
                if measure is not None and _is_plain(group[0], measure, calls):
                    found[group[0].name] = measure
    return found


def _goes_down(group: Sequence[Definition], calls: Sequence[Call], signature: Signature) -> bool:
    """Whether arguments become parts of what they were, one position after the other."""
    if len(calls) > MAX_CALLS:
        return False
    params = {d.name: d.params for d in group}
    if len(group) > 1:
        places = [i for i, p in enumerate(group[0].params) if signature.datatype(p.sort) is not None]
        return any(all(_below(c, i, params, signature) for c in calls) for i in places) and all(
            len(d.params) == len(group[0].params) for d in group
        )
    left, waiting = set(range(len(group[0].params))), list(calls)
    while waiting:
        for place in sorted(left):
            states = [_below(c, place, params, signature) for c in waiting]
            same = [c.args[place] is params[c.caller][place] for c in waiting]
            if any(states) and all(a or b for a, b in zip(states, same, strict=True)):
                waiting = [c for c, below in zip(waiting, states, strict=True) if not below]
                left.discard(place)
                break
        else:
            return False
    return True


def _below(call: Call, place: int, params: Mapping[str, tuple[Term, ...]], signature: Signature) -> bool:
    """Whether the argument is smaller than the caller's at the same place, as Lean counts: it is built of fewer
    constructors, of parts that are all parts of the caller's."""
    shapes = Shapes(call.path, signature)
    before, after = (_parts(t, shapes, signature) for t in (params[call.caller][place], call.args[place]))
    return after.get(None, 0) < before.get(None, 0) and all(n <= before.get(t, 0) for t, n in after.items() if t)


def _parts(term: Term, shapes: Shapes, signature: Signature) -> Counter[Term | None]:
    """How often terms of unknown shape stand in a value; at None the number of constructors that hold them."""
    found: Counter[Term | None] = Counter()
    stack = [term]
    for _ in range(MAX_PARTS):
        if not stack:
            break
        top = stack.pop()
        entry = signature.constructor(top.name) if top.kind is Kind.APP else None
        if entry is not None:
            found[None] += 1
            stack += top.args
            continue
        known = shapes.constructor(top)
        built = signature.constructor(known) if known is not None else None
        if built is None:
            found[top] += 1
        else:
            found[None] += 1
            stack += [app(selector, (top,), sort) for selector, sort in built[1].fields]
    found.update(stack)
    return found


def _is_plain(definition: Definition, measure: Term, calls: Sequence[Call]) -> bool:
    """Whether linear arithmetic shows that the measure falls, by conditions that Lean sees at the calls."""
    guards = [t for t in subterms(definition.body) if t.name in ("and", "or", "=>")]
    inside = any(t.name == definition.name for g in guards for t in subterms(g))
    wanted = measure.free
    args = [a for c in calls for p, a in zip(definition.params, c.args, strict=True) if p in wanted]
    facts = [f for c in calls for f in c.path]
    quantified = any(len(c.variables) > len(definition.params) for c in calls)
    return measure.sort is INT and not inside and not quantified and all(map(_linear, [measure, *args, *facts]))


def _linear(term: Term) -> bool:
    if term.kind is Kind.VAR:
        return term.sort is INT
    if term.kind is Kind.LIT:
        return True
    if term.kind is not Kind.APP:
        return False
    if term.name in ("div", "mod"):
        left, right = term.args
        return _linear(left) and right.kind is Kind.LIT and right.value != 0
    return term.name in LINEAR and all(map(_linear, term.args))


# -- A theorem of SMT-LIB as a theorem of Lean ---------------------------------------------------------------------


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
        """A formula as a proposition. Raises NotTranslatable: Lean's core has no counterpart for something in it."""
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
