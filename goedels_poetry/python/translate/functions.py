"""Functions of the module: each becomes a definition of its value, and one of its effects where it may fail."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from goedels_poetry.kernel.terms import TRUE, Term, and_, app
from goedels_poetry.python.translate import calls, comprehensions, expressions, iteration
from goedels_poetry.python.translate.build import INEXACT, cond
from goedels_poetry.python.translate.contracts import RESULT, Clause
from goedels_poetry.python.translate.faults import OutsideFragment, outside
from goedels_poetry.python.translate.frame import After, Flow, Frame, NeedsClasses, Retry, Value
from goedels_poetry.python.translate.module import Type, bindings
from goedels_poetry.python.translate.program import Function
from goedels_poetry.python.translate.recursion import falls, only_recursion
from goedels_poetry.python.translate.registry import Registry, legal
from goedels_poetry.python.translate.script import mentioned
from goedels_poetry.python.translate.statements import Block

MAX_RETRIES = 40
_CACHES = ("functools.cache", "functools.lru_cache")


@dataclass(slots=True)
class Translated:
    """A function: ``fails`` says that there is a definition of its effects."""

    function: Function
    kinds: tuple[Type, ...]
    result: Type
    done: bool = False
    fails: bool = False
    called: bool = False  # before it was done
    alone: bool = True  # by itself only


@dataclass
class Functions:
    """The functions of a module, translated when they are first needed. These are the rules of all expressions."""

    registry: Registry
    known: dict[str, Translated] = field(default_factory=dict)
    checking: list[str] = field(default_factory=list)
    active: list[str] = field(default_factory=list)  # being translated

    # ------------------------------------------------------------------------------------- expressions

    def expression(self, frame: Frame, node: ast.expr) -> Value:
        """See `expressions`."""
        return expressions.expression(frame, node)

    def condition(self, frame: Frame, node: ast.expr) -> Term:
        """See `expressions`."""
        return expressions.condition(frame, node)

    def call(self, frame: Frame, node: ast.Call) -> Value:
        """See `calls`."""
        return calls.call(frame, node)

    def comprehension(self, frame: Frame, node: ast.ListComp | ast.GeneratorExp, purpose: str) -> Value:
        """See `comprehensions`."""
        return comprehensions.comprehension(frame, node, purpose)

    def listed(self, frame: Frame, node: ast.expr) -> Value:
        """See `iteration`."""
        return iteration.listed(frame, node)

    def frame(self, name: str, local: frozenset[str], env: dict[str, Value]) -> Frame:
        """A frame without effects."""
        return Frame(self.registry, self, legal(name), local, env, self.registry.effects.unit)

    # --------------------------------------------------------------------------------------- functions

    def apply(self, frame: Frame, name: str, args: list[Value], node: ast.AST) -> Value:
        """The value of a function at arguments, which must be in its domain."""
        known = self.require(name, node)
        args = [frame.coerce(a, k, node, "an argument") for a, k in zip(args, known.kinds, strict=True)]
        effects = self.registry.effects
        terms = [a.term for a in args]
        if known.function.contract.requires:
            if name in self.checking:
                outside(f"the contract of `{name}` calls `{name}`", node, "contract")
            self.checking.append(name)
            domain = self.domain(known, terms)
            self.checking.pop()
            frame.exact_where(domain)  # else what happens depends on who checks contracts at run time
        if not known.done:
            known.called = True
            known.alone = known.alone and self.active[-1] == name
        if known.fails or not known.done:
            frame.effect = effects.then(frame.effect, app(f"{legal(name)}!ok", terms, effects.sort))
        if frame.shares(known.result) and isinstance(node, ast.Call):
            frame.share(node)
        return Value(known.result, app(legal(name), terms, self.registry.sort(known.result)))

    def domain(self, known: Translated, terms: list[Term]) -> Term:
        """That every ``requires`` evaluates to something true: a conclusion."""
        return and_([self.clause(known, clause, terms) for clause in known.function.contract.requires])

    def accepted(self, known: Translated, terms: list[Term]) -> Term:
        """That no ``requires`` is known to be false: a hypothesis.

        Raises:
            NeedsClasses: a Bool does not tell an exception, which excludes, from what is not followed.
        """
        effects, tests = self.registry.effects, []
        for clause in known.function.contract.requires:
            inner = self.clause_frame(known, terms)
            truth = inner.condition(clause.expression)
            if effects.inexact and inner.effect is not effects.unit:
                raise NeedsClasses
            exact = INEXACT not in mentioned(self.registry, inner.effect)
            tests.append(
                and_([effects.returns(inner.effect), truth]) if exact else effects.accepts(inner.effect, truth)
            )
        return and_(tests)

    def clause_frame(self, known: Translated, terms: list[Term], result: Term | None = None) -> Frame:
        """Where a clause of a contract is evaluated."""
        names = [p.name for p in known.function.parameters]
        env = {n: Value(k, t) for n, k, t in zip(names, known.kinds, terms, strict=True)}
        if result is not None:
            env[RESULT] = Value(known.result, result)
        return self.frame(known.function.name, frozenset(env), env)

    def clause(self, known: Translated, clause: Clause, terms: list[Term], result: Term | None = None) -> Term:
        """That a clause evaluates to something true."""
        inner = self.clause_frame(known, terms, result)
        truth = inner.condition(clause.expression)
        return and_([self.registry.effects.returns(inner.effect), truth])

    def require(self, name: str, node: ast.AST) -> Translated:
        """The function, translated or about to be.

        Raises:
            OutsideFragment: it is not covered.
        """
        known = self.known.get(name)
        if known is None:
            function = self.registry.module.function(name)
            if function is None:
                outside(f"what `{name}` is here is not followed", node)
            assert function is not None
            known = self._heads(function)
            self.known[name] = known
            self.active.append(name)
            self._translate(known)
            self.active.pop()
        return known

    def _heads(self, function: Function) -> Translated:
        node = function.node
        module = self.registry.module
        for decorator in function.decorators:
            bare = decorator.func if isinstance(decorator, ast.Call) else decorator
            dotted = ast.unparse(bare)
            root, _, rest = dotted.partition(".")
            meant = module.imports.get(root, "") + (f".{rest}" if rest else "")
            if module.counts.get(root) != 1 or meant not in _CACHES:
                outside(f"the decorator `{dotted}` is not covered", decorator, "decorator")
        if getattr(node, "type_params", None):
            outside("a generic function", node, "type parameters")
        given = node.args
        if given.vararg or given.kwarg:
            outside("a function with * or ** parameters", node, "*args")
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        kinds = tuple(module.annotations.read(a.annotation, a) for a in arguments)
        for a, kind in zip(arguments, kinds, strict=True):
            if kind.kind == "class" and module.union_of(kind.name):
                outside(f"a parameter of type `{kind}`, which is a member of a union", a, "union")
        result = module.annotations.read(node.returns, node)
        if function.decorators and not all(map(_is_hashed, kinds)):
            outside("a cache of arguments that may have no hash", node, "decorator")
        self._refuse(node)
        return Translated(function, kinds, result)

    def _refuse(self, node: ast.FunctionDef) -> None:
        """What changes the meaning of names inside of a function."""
        for part in ast.walk(node):
            if isinstance(part, ast.Global | ast.Nonlocal | ast.Import | ast.ImportFrom | ast.ClassDef):
                outside(f"`{type(part).__name__}` in a function", part)
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part is not node:
                outside("a function in a function", part, "nested function")
            if isinstance(part, ast.Yield | ast.YieldFrom | ast.Await | ast.TryStar | ast.With | ast.NamedExpr):
                word = "`:=`" if isinstance(part, ast.NamedExpr) else f"`{type(part).__name__}`"
                outside(f"{word} is not covered", part)

    def _translate(self, known: Translated) -> None:
        guesses: dict[str, Type] = {}
        for _ in range(MAX_RETRIES):
            try:
                self._body(known, guesses)
                return
            except OutsideFragment as why:
                if why.line is None:
                    outside(why.message, known.function.node, why.construct)
                raise
            except Retry as found:
                if found.place in guesses:
                    break
                guesses[found.place] = found.kind
        outside("the types of the lists in this function are not found out", known.function.node, "types")

    def _body(self, known: Translated, guesses: dict[str, Type]) -> None:
        registry, effects = self.registry, self.registry.effects
        function = known.function
        params = [
            registry.fresh(p.name, registry.sort(k)) for p, k in zip(function.parameters, known.kinds, strict=True)
        ]
        env = {p.name: Value(k, v) for p, k, v in zip(function.parameters, known.kinds, params, strict=True)}
        local = frozenset(env) | frozenset(bindings(ast.Module(function.node.body, [])))
        frame = self.frame(function.name, local, env)
        frame.guesses = guesses
        frame.loops = sum(isinstance(part, ast.For | ast.While) for part in ast.walk(function.node))
        if known.result.kind == "list":
            frame.hint = known.result.args[0]
        flow = Flow(frame)
        block = Block(known.result)
        block.run(function.node.body, flow, After(tail=True))
        block.finish(flow, function.node)
        default = registry.default(known.result)
        value = default if flow.value is None else flow.value.term
        name = legal(function.name)
        inside = and_(self._exact_requires(known, params)) if known.called else TRUE
        registry.define(name, params, registry.sort(known.result), cond(inside, value, default), exact=True)
        effect = flow.frame.effect
        own = f"{name}!ok"
        if known.called and known.alone and only_recursion(effect, own, effects.unit):
            known.called = not falls(registry, effect, own, params)
            effect = effect if known.called else effects.unit
        known.fails = known.called or effect is not effects.unit
        if known.fails:
            registry.define(own, params, effects.sort, cond(inside, effect, effects.unit), exact=True)
        known.done = True

    def _exact_requires(self, known: Translated, params: list[Term]) -> list[Term]:
        """The conditions on its parameters that a recursion may rely on: it need not end where they do not hold.

        Those alone that have no effects: each is a hypothesis of the function's own theorem and is shown at every call.
        """
        found: list[Term] = []
        self.checking.append(known.function.name)
        for clause in known.function.contract.requires:
            inner = self.clause_frame(known, list(params))
            truth = inner.condition(clause.expression)
            if inner.effect is self.registry.effects.unit:
                found.append(truth)
        self.checking.pop()
        return found


def _is_hashed(kind: Type) -> bool:
    return kind.kind in ("int", "bool", "str", "none", "enum", "tuple", "optional") and all(map(_is_hashed, kind.args))
