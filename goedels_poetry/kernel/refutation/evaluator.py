"""Our own evaluator: the value of a term under an assignment, by the definitions alone.

It is what a counterexample is judged by, so it never guesses: where SMT-LIB leaves a value open (division by zero, a
selector applied to another constructor) or a quantifier ranges over too much, it raises `Undecided`. Terms are
compiled to closures, and the work is bounded: calls of defined functions (``fuel``), depth, size of numbers.

Values have the forms that `value_forms` describes.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from goedels_poetry.kernel.problem import Definition, Premise, Signature
from goedels_poetry.kernel.refutation.operations import (
    AT_ZERO,
    OPERATIONS,
    ArrayValue,
    Built,
    Undecided,
    Value,
    bitvector_operation,
    division,
    have_sorts,
    matches,
    regular_expression,
)
from goedels_poetry.kernel.refutation.rules import Rule, read_rules
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    LARGE,
    MAX_RECURSION,
    REAL,
    REGLAN,
    STRING,
    BitVector,
    Kind,
    Sort,
    Term,
    allow_recursion,
    app,
)

# What terms are compiled to

Code: TypeAlias = Callable[[list[Value]], Value]


@dataclass(frozen=True)
class Places:
    """Where in a frame things stand: the variables, and from ``width`` on the values of parts that are shared."""

    slots: dict[Term, int]
    width: int
    kept: dict[Term, int]
    done: dict[Term, Code] = field(default_factory=dict)
    """The code of parts."""


def shared(term: Term) -> list[Term]:
    """The parts that occur in several places, outside of quantifiers."""
    seen: set[Term] = set()
    found: dict[Term, None] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        for a in () if part.binders else part.args:
            if a in seen:
                found.setdefault(a)
            elif a.args:
                seen.add(a)
                stack.append(a)
    return list(found)


def kept_in_frame(code: Code, place: int) -> Code:
    """``code``, run once a frame."""

    def run(frame: list[Value]) -> Value:
        kept = frame[place]
        if kept is None:
            try:
                kept = frame[place] = (code(frame), None)
            except Undecided as reason:
                kept = frame[place] = (None, reason)
        value, undecided = kept
        if undecided is not None:
            raise undecided
        return value

    return run


def junction(codes: list[Code], stop: bool) -> Code:
    """``and``/``or``: an operand that decides counts even where another is undecided (the logic is two-valued)."""

    def run(frame: list[Value]) -> Value:
        undecided: Undecided | None = None
        for code in codes:
            try:
                if code(frame) is stop:
                    return stop
            except Undecided as reason:
                undecided = reason
        if undecided is not None:
            raise undecided
        return not stop

    return run


MAX_DEPTH = 400
"""Calls of defined functions within each other."""
DEEP = 4_000
"""The same where there is fuel for `PATIENT` calls: tried only if `MAX_DEPTH` was too little, as that needs a stack."""
PATIENT = 100_000
FRAMES = 12
"""Of Python, for a call of a defined function."""
STACK = 128 << 20
"""Bytes: equality of values that so many calls have built goes down as deep. Only what is used of it is taken."""
MAX_TRACE = 100_000
"""Equations that a trace holds."""
WITNESSES = 24
PLACES = 3
"""Of a text, looked at by a match, that cost as much as a call."""
TOO_DEEP = "too many calls within each other"


Binding: TypeAlias = tuple[tuple[Term, Value], ...]
"""Variables with their values."""


@dataclass
class Trace:
    """What evaluations have rested on, each thing once, in the order in which it was done."""

    equations: dict[tuple[Term, Binding], Value] = field(default_factory=dict)
    """Equations of definitions and of premises at values, with what the left side came to."""
    witnesses: dict[tuple[Term, Binding, tuple[Value, ...]], None] = field(default_factory=dict)
    """Quantified formulas at values, each with the values of the bound variables that decided it."""
    built: dict[Built, None] = field(default_factory=dict)

    def add(self, equation: Term, variables: Sequence[Term], args: Sequence[Value], result: Value) -> None:
        """Note an equation at ``args``; Undecided when these are too many."""
        if len(self.equations) >= MAX_TRACE:
            raise Undecided("too many calls to be told")
        self.equations[equation, tuple(zip(variables, args, strict=True))] = result


class Evaluator:
    """Evaluates terms over one signature.

    ``interpret(name, args)`` gives the value of a declared function where no premise defines it; without it such
    functions are undecided. Premises of the form ``forall xs. f(...) = t`` with ``f`` declared and only variables or
    declared constants and functions as arguments are read as definitions of ``f``; ``defining`` holds their names.
    ``circular``: so are those that lead back to ``f``, and those with constructors as arguments. Whether such rules
    have a solution is not known, so what comes of them is good for tests, not as evidence.
    """

    def __init__(
        self,
        signature: Signature,
        premises: Iterable[Premise] = (),
        interpret: Callable[[str, tuple[Value, ...]], Value] | None = None,
        fuel: int = 20_000,
        circular: bool = False,
        trace: Trace | None = None,
    ) -> None:
        self.signature = signature
        self._names = signature.names
        self.fuel = fuel
        self.used = 0
        """Fuel burnt by all `run` calls so far: a measure of work that does not depend on the machine."""
        self._interpret = interpret
        self._trace = trace
        self._left = fuel
        self._depth = 0
        self._most = MAX_DEPTH
        self._too_deep = False
        self._codes: dict[tuple[Term, tuple[Term, ...]], Code] = {}
        self._bodies: dict[tuple[Term, int, frozenset[tuple[Term, int]]], Code] = {}
        self._calls: dict[str, Callable[[tuple[Value, ...]], Value]] = {}
        self._memo: dict[tuple[str, tuple[Value, ...]], Value] = {}
        self._rules = read_rules(signature, premises, circular)
        self.defining, self.closures = self._rules.defining, self._rules.closures
        allow_recursion()

    # ------------------------------------------------------------------------------------------ face

    def value(self, term: Term, assignment: Mapping[Term, Value]) -> Value:
        """The value of ``term``. Raises Undecided: open by the standard, or beyond the bounds."""
        order = tuple(assignment)
        return self.run(self.compile(term, order), list(assignment.values()))

    def compile(self, term: Term, variables: tuple[Term, ...]) -> Code:
        """Code for ``term`` that reads ``variables`` from a frame in this order; run it with `run`."""
        key = (term, variables)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = self._compile(term, {v: i for i, v in enumerate(variables)}, len(variables))
        return code

    def run(self, code: Code, frame: list[Value]) -> Value:
        """Run compiled code with a full tank of fuel. Raises Undecided: see `value`."""
        if len(self._memo) > 200_000:
            self._memo.clear()
        return self._bounded(lambda: code(frame))

    def call(self, name: str, args: tuple[Value, ...]) -> Value:
        """The value of a constructor, selector, declared or defined function on values (with a full tank)."""
        return self._bounded(lambda: self._function(name)(args))

    def _bounded(self, work: Callable[[], Value]) -> Value:
        """``work`` with a full tank; where there is much in it, and the calls went too deep, once more with a stack."""
        self._left, self._depth, self._most, self._too_deep = self.fuel, 0, MAX_DEPTH, False
        try:
            return work()
        except RecursionError:
            self._too_deep = True
        except Undecided:
            if not self._too_deep or self.fuel < PATIENT:
                raise
        finally:
            self.used += self.fuel - self._left
        if self.fuel < PATIENT:
            raise Undecided(TOO_DEEP)
        self._left, self._depth, self._most = self.fuel, 0, DEEP
        try:
            return _deeply(work)
        except RuntimeError as error:  # a RecursionError is one; so is that no thread could be started
            raise Undecided(TOO_DEEP) from error
        finally:
            self.used += self.fuel - self._left

    # --------------------------------------------------------------------------------------- compile

    def _compile(self, term: Term, slots: dict[Term, int], width: int) -> Code:
        """``slots`` says where in a frame of ``width`` values each variable stands.

        In a large term the values of shared parts are kept behind these, in a frame of its own.
        """
        parts = shared(term) if term.size > LARGE else []
        places = Places(slots, width, {t: width + i for i, t in enumerate(parts)})
        code = self._part(term, places)
        if not parts:
            return code
        room: list[Value] = [None] * len(parts)
        return lambda frame: code([*frame[:width], *room])

    def _part(self, term: Term, places: Places) -> Code:
        code = places.done.get(term)
        if code is None:
            code, place = self._node(term, places), places.kept.get(term)
            code = places.done[term] = code if place is None else kept_in_frame(code, place)
        return code

    def _node(self, term: Term, places: Places) -> Code:
        kind, slots = term.kind, places.slots
        if kind is Kind.LIT:
            value = term.value.value if isinstance(term.value, BitVector) else term.value
            return lambda frame: value
        if kind is Kind.VAR:
            if term not in slots:
                raise Undecided(f"{term.name} has no value")
            slot = slots[term]
            return lambda frame: frame[slot]
        if kind is not Kind.APP:
            return self._quantifier(term, slots, places.width)
        name, args = term.name, [self._part(a, places) for a in term.args]
        if name == "ite":
            test, then, other = args
            return lambda frame: then(frame) if test(frame) else other(frame)
        if name == "and":
            return junction(args, stop=False)
        if name == "or":
            return junction(args, stop=True)
        if name == "=>":
            head = junction(args[:-1], stop=False)
            last = args[-1]
            negated: Code = lambda frame: not head(frame)  # noqa: E731
            return junction([negated, last], stop=True)
        operation = self._operation(term)
        if operation is not None:
            if len(args) == 1:
                (only,) = args
                return lambda frame: operation(only(frame))
            if len(args) == 2:
                left, right = args
                return lambda frame: operation(left(frame), right(frame))
            return lambda frame: operation(*[a(frame) for a in args])
        function = self._function(name)
        if not args:
            return lambda frame: function(())
        if len(args) == 1:
            (one,) = args
            return lambda frame: function((one(frame),))
        return lambda frame: function(tuple([a(frame) for a in args]))

    def _operation(self, term: Term) -> Callable[..., Value] | None:
        name = term.name
        if name in self._names:
            return None
        if name == "is":
            constructor = term.indices[0]
            return lambda value: value[0] == constructor
        if name in ("select", "store") and self._ambiguous(term.args[1].sort):
            raise Undecided("such indices are not told apart")
        if name == "select":
            return lambda a, i: a.select(i)
        if name == "store":
            return lambda a, i, v: a.store(i, v)
        if name == "const":
            return lambda v: ArrayValue(v, frozenset())
        if (term.args and term.args[0].sort.name == "BitVec") or term.sort.name == "BitVec":
            operation = bitvector_operation(term)
            if operation is not None:
                return operation
        if name in ("=", "distinct") and any(self._ambiguous(a.sort) for a in term.args):
            raise Undecided("equality of such values is not computed")
        if name == "str.in_re":
            return self._member
        if name in AT_ZERO and self._interpret is not None:
            return division(name, self._interpret)
        return regular_expression(name, term.indices) if term.sort is REGLAN else OPERATIONS.get(name)

    def _member(self, text: str, regex: Value) -> bool:
        """Whether a text is in a language; that costs fuel."""

        def spend(places: int) -> None:
            self._left -= places // PLACES

        found = matches(text, regex, spend)
        if self._left < 0:
            raise Undecided("out of fuel")
        return found

    def _ambiguous(self, sort: Sort, above: frozenset[Sort] = frozenset()) -> bool:
        """Whether two values of ``sort`` may be equal although they look different: arrays over a finite index.

        So may what is made of them, be it by a constructor or by a declared function that builds values of its own.
        """
        if sort is REGLAN:
            return True
        if sort in above:
            return False
        inner = above | {sort}
        if sort.name == "Array":
            infinite = sort.args[0] in (INT, REAL, STRING) or sort.args[0] in self.signature.sorts
            return not infinite or any(self._ambiguous(s, inner) for s in sort.args)
        datatype = self.signature.datatype(sort)
        if datatype is not None:
            return any(self._ambiguous(s, inner) for c in datatype.constructors for _, s in c.fields)
        builders = [self.signature.functions[name] for name in self.closures]
        return any(self._ambiguous(s, inner) for args, result in builders if result is sort for s in args)

    def _function(self, name: str) -> Callable[[tuple[Value, ...]], Value]:
        found = self._calls.get(name)
        if found is None:
            found = self._calls[name] = self._make(name)
        return found

    def _make(self, name: str) -> Callable[[tuple[Value, ...]], Value]:
        signature = self.signature
        if signature.constructor(name):
            return lambda args: (name, *args)
        selector = signature.selector(name)
        if selector:
            constructor, position = selector[1].name, selector[2] + 1

            def select(args: tuple[Value, ...]) -> Value:
                if args[0][0] != constructor:
                    raise Undecided(f"{name} of another constructor")
                return args[0][position]

            return select
        definition = signature.definition(name)
        if definition is not None:
            return self._recursive(definition)
        if name in self.closures:
            return self._building(name)
        if name in signature.functions:
            return self._declared_function(name)
        raise Undecided(f"no meaning for {name}")

    def _building(self, name: str) -> Callable[[tuple[Value, ...]], Value]:
        trace = self._trace

        def build(args: tuple[Value, ...]) -> Value:
            value = Built(name, args)
            if trace is not None:
                trace.built[value] = None
            return value

        return build

    def _recursive(self, definition: Definition) -> Callable[[tuple[Value, ...]], Value]:
        memo, trace = self._memo, self._trace
        name, params = definition.name, definition.params
        equation = app("=", (app(name, params, definition.sort), definition.body), BOOL)
        code: Code | None = None

        def call(args: tuple[Value, ...]) -> Value:
            nonlocal code
            key = (name, args)
            try:
                return memo[key]
            except KeyError:
                pass  # not computed yet
            if code is None:
                code = self.compile(definition.body, params)
            self._left -= 1
            if self._left < 0:
                raise Undecided("out of fuel")
            if self._depth > self._most:
                self._too_deep = True
                raise Undecided(TOO_DEEP)
            self._depth += 1
            try:
                result = code(list(args))
            finally:  # where something else decides, what is undecided plays no part
                self._depth -= 1
            memo[key] = result
            if trace is not None:
                trace.add(equation, params, args, result)
            return result

        return call

    def _declared_function(self, name: str) -> Callable[[tuple[Value, ...]], Value]:
        mine = self._rules.of.get(name, ())
        rules: list[tuple[Rule, Code]] = []  # compiled at the first call: rules may speak of each other
        ambiguous = any(self._ambiguous(s) for s in self.signature.functions[name][0])
        trace = self._trace

        def call(args: tuple[Value, ...]) -> Value:
            if len(rules) < len(mine):
                rules[:] = [(r, self.compile(r.right, r.variables)) for r in mine]
            for rule, right in rules:
                frame = _matched(self.signature, rule, args)
                if frame is not None:
                    self._left -= 1
                    if self._left < 0:
                        raise Undecided("out of fuel")
                    result = right(frame)
                    if trace is not None:
                        trace.add(rule.equation, rule.variables, frame, result)
                    return result
            if self._interpret is None or ambiguous:  # equal arguments must get equal values
                raise Undecided(f"{name} is not interpreted")
            return self._interpret(name, args)

        return call

    # ----------------------------------------------------------------------------------- quantifiers

    def _quantifier(self, term: Term, slots: dict[Term, int], width: int) -> Code:
        """Exact over finite sorts; otherwise only a witness (exists) or a counterexample (forall) decides."""
        body = self._body(term, slots, width)
        domains = [self._domain(v.sort) for v in term.binders]
        complete = all(exact for _, exact in domains)
        looking_for = term.kind is Kind.EXISTS
        outer = [(v, slots[v]) for v in term.free] if self._trace is not None else []

        def scan(frame: list[Value]) -> Value:
            base = frame[:width]
            open_ = False
            for choice in itertools.islice(itertools.product(*[values for values, _ in domains]), 2000):
                self._left -= 1
                if self._left < 0:
                    raise Undecided("out of fuel")
                try:
                    if bool(body([*base, *choice])) is looking_for:
                        if self._trace is not None:
                            self._trace.witnesses[term, tuple([(v, base[i]) for v, i in outer]), choice] = None
                        return looking_for
                except Undecided:
                    open_ = True
            if complete and not open_ and reduce(lambda n, d: n * len(d[0]), domains, 1) <= 2000:
                return not looking_for
            raise Undecided("a quantifier over an infinite sort")

        return scan

    def _body(self, term: Term, slots: dict[Term, int], width: int) -> Code:
        """The body of a quantified term. That of a large one is compiled when it is needed, and once: bodies share."""
        inner = {**slots, **{v: width + i for i, v in enumerate(term.binders)}}
        if term.size <= LARGE:
            return self._compile(term.body, inner, width + len(term.binders))
        key = term, width, frozenset((v, slots[v]) for v in term.free if v in slots)

        def run(frame: list[Value]) -> Value:
            code = self._bodies.get(key)
            if code is None:
                code = self._bodies[key] = self._compile(term.body, inner, width + len(term.binders))
            return code(frame)

        return run

    def _domain(self, sort: Sort) -> tuple[list[Value], bool]:
        """Some values of ``sort`` and whether they are all."""
        if sort.name == "Bool":
            return [False, True], True
        if sort.name == "BitVec" and sort.indices[0] <= 8:
            return list(range(2 ** sort.indices[0])), True
        if sort is INT:
            return sorted(range(-WITNESSES, 2 * WITNESSES), key=abs), False
        if sort.name == "Real":
            return [Fraction(n, d) for n in range(-4, 5) for d in (1, 2)], False
        datatype = self.signature.datatype(sort)
        if datatype is not None and not any(c.fields for c in datatype.constructors):
            return [(c.name,) for c in datatype.constructors], True
        if datatype is not None:
            from goedels_poetry.kernel.refutation.values import small_values

            return small_values(self.signature, sort, WITNESSES), False
        return [], False


_deep = threading.Lock()


def _deeply(work: Callable[[], Value]) -> Value:
    """``work`` in a thread with a large stack, one at a time: what is set for that is set for the whole process.

    Raises:
        RuntimeError: the thread cannot be had, or the stack is too small still.
    """
    with _deep:
        size, limit = threading.stack_size(STACK), sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, FRAMES * DEEP))
        try:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(work).result()
        finally:
            sys.setrecursionlimit(max(limit, MAX_RECURSION))  # others may have asked for that much meanwhile
            threading.stack_size(size)


def evaluate(
    term: Term,
    assignment: Mapping[Term, Value],
    signature: Signature,
    fuel: int = 20_000,
    premises: Iterable[Premise] = (),
) -> Value:
    """The value of ``term`` under ``assignment``; see `Evaluator`.

    Raises:
        Undecided: open by the standard, or beyond the bounds.
    """
    return Evaluator(signature, premises, fuel=fuel).value(term, assignment)


def _matched(signature: Signature, rule: Rule, args: tuple[Value, ...]) -> list[Value] | None:
    """The values of the rule's variables at which its left side has these arguments, or None."""
    binding: dict[Term, Value] = {}
    for pattern, value in zip(rule.patterns, args, strict=True):
        if pattern.kind is Kind.VAR:
            binding[pattern] = value
        elif isinstance(value, Built) and value.function == pattern.name:
            if not have_sorts(signature, value.args, [a.sort for a in pattern.args]):
                raise Undecided(f"{pattern.name} does not take such arguments")
            binding.update(zip(pattern.args, value.args, strict=True))
        elif isinstance(value, tuple) and value[0] == pattern.name:
            binding.update(zip(pattern.args, value[1:], strict=True))
        else:
            return None
    return [binding[v] for v in rule.variables]
