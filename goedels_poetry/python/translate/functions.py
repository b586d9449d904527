"""Functions of the module, each a definition of its value and one of its effects where it may fail; expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, app, integer, lit, not_, or_
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate import calls, iteration, mappings, sets
from goedels_poetry.python.translate import operators as comprehensions
from goedels_poetry.python.translate.build import INEXACT, Effects, assume, cond, minus, negative
from goedels_poetry.python.translate.classes import table
from goedels_poetry.python.translate.contracts import RESULT, Clause, OutsideFragment, outside
from goedels_poetry.python.translate.frame import After, Flow, Frame, NeedsClasses, Retry, Value
from goedels_poetry.python.translate.indices import cut_out, element, formatted, literal_integer, position
from goedels_poetry.python.translate.library import not_less
from goedels_poetry.python.translate.module import BOOL, INT, NEVER, NONE, STR, Type, bindings, list_of
from goedels_poetry.python.translate.operators import comparison, is_open, operate, special
from goedels_poetry.python.translate.program import Function
from goedels_poetry.python.translate.recursion import falls, only_recursion
from goedels_poetry.python.translate.registry import Registry, legal
from goedels_poetry.python.translate.script import mentioned
from goedels_poetry.python.translate.statements import Block

# Expressions but for calls


def expression(frame: Frame, node: ast.expr) -> Value:
    """The value of an expression that is no call. Raises OutsideFragment: it is not covered."""
    rule = _RULES.get(type(node))
    return rule(frame, node) if rule else outside(f"{_name(node)} is not covered", node)


def condition(frame: Frame, node: ast.expr) -> Term:
    """The truth of an expression; ``and``, ``or`` and ``not`` as connectives."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not_less(frame.condition(node.operand))
    if isinstance(node, ast.BoolOp):
        is_and = isinstance(node.op, ast.And)
        result = frame.condition(node.values[0])
        for part in node.values[1:]:
            inner = frame.part("it may not be evaluated")
            for before in node.values[: node.values.index(part)]:
                inner.narrow(before, is_and)
            truth = inner.condition(part)
            if result.kind is Kind.APP:
                truth = assume(truth, result, is_and)
            frame.join(result if is_and else not_(result), inner)
            result = and_([result, truth]) if is_and else or_([result, truth])
        return result
    return frame.truth(frame.value(node), node)


def _name(node: ast.AST) -> str:
    words = {
        "Lambda": "a lambda that is kept or given away",
        "Await": "await",
        "JoinedStr": "an f-string",
    }
    return words.get(type(node).__name__, f"`{type(node).__name__}`")


# ------------------------------------------------------------------------------------- constants, names


def _constant(frame: Frame, node: ast.Constant) -> Value:
    value = node.value
    if isinstance(value, bool):
        return Value(BOOL, TRUE if value else FALSE)
    if isinstance(value, int):
        if value.bit_length() > 10_000:
            outside("this number is too long", node)
        return Value(INT, integer(value), natural=value >= 0, exact=True)
    if isinstance(value, str):
        if any(ord(c) > 0x2FF00 or 0xD800 <= ord(c) < 0xE000 for c in value):
            outside("a character beyond U+2FF00, or half of one", node)
        return Value(STR, lit(value, STRINGS))
    if value is None:
        return Value(NONE, app("None.", (), frame.registry.sort(NONE)))
    return outside(f"{type(value).__name__} is not covered", node, type(value).__name__)


def _variable(frame: Frame, node: ast.Name) -> Value:
    name = node.id
    found = frame.env.get(name)
    if found is not None:
        if found.kind.kind == "gone":
            outside(f"what `{name}` is here is not followed", node)
        frame.check(found.bound, "UnboundLocalError")
        return replace(found, bound=TRUE, owned=False)
    if name in frame.local:
        frame.check(FALSE, "UnboundLocalError")
        return Value(NEVER, integer(0))
    module = frame.registry.module
    if name in module.constants:
        value, annotation = module.constants[name]
        inner = frame.branch()
        inner.env, inner.local = {}, frozenset()
        result = inner.value(value)
        if inner.effect is not frame.registry.effects.unit:
            outside(f"computing `{name}` may raise an exception when the module is imported", node, "constant")
        return result if annotation is None else inner.coerce(result, module.annotations.read(annotation, node), node)
    found_table = table(frame, node)
    if found_table is not None:
        inner = frame.branch()
        inner.env, inner.local = {}, frozenset()
        return replace(inner.value(found_table), owned=False)  # nobody else has it, and nobody changes it
    if name in module.counts:
        return outside(f"what `{name}` is here is not followed", node)
    return outside(f"`{name}` is not covered", node)


# ------------------------------------------------------------------------------------------- operators


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Value(BOOL, condition(frame, node))
    value = frame.value(node.operand)
    own = special(frame, value, "__neg__", [], node) if isinstance(node.op, ast.USub) else None
    if own is not None:
        return own
    value = frame.integral(value, node)
    if isinstance(node.op, ast.USub):
        return Value(INT, negative(value.term), exact=True)
    if isinstance(node.op, ast.UAdd):
        return replace(value, exact=True)
    return Value(INT, minus(negative(value.term), integer(1)), exact=True)


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    left = frame.value(node.left)
    right = frame.value(node.right)
    return operate(frame, node.op, left, right, node)


def _choice(frame: Frame, node: ast.BoolOp) -> Value:
    """``and`` and ``or``: they give an operand."""
    result = frame.value(node.values[0])
    for part in node.values[1:]:
        truth = frame.truth(result, node)
        go_on = truth if isinstance(node.op, ast.And) else not_(truth)
        inner = frame.part("it may not be evaluated")
        for before in node.values[: node.values.index(part)]:
            inner.narrow(before, isinstance(node.op, ast.And))
        value = inner.value(part)
        frame.join(go_on, inner)
        if isinstance(node.op, ast.Or) and result.kind.kind == "optional" and value.kind == result.kind.args[0]:
            result = Value(value.kind, frame.registry.the(value.kind, result.term))  # None is not given
        if result.kind == value.kind == BOOL:
            both = [result.term, value.term]
            if result.term.kind is Kind.APP:
                both[1] = assume(value.term, result.term, isinstance(node.op, ast.And))
            result = Value(BOOL, and_(both) if isinstance(node.op, ast.And) else or_(both))
        else:
            result = frame.merge(go_on, value, result, node, "the operands")
    return replace(result, owned=False)


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    test = frame.condition(node.test)
    then, otherwise = frame.part("it may not be evaluated"), frame.part("it may not be evaluated")
    then.narrow(node.test, True)
    otherwise.narrow(node.test, False)
    a, b = then.value(node.body), otherwise.value(node.orelse)
    frame.join(test, then, otherwise)
    if test is TRUE or test is FALSE:
        kind = frame.unify(a.kind, b.kind, node)
        return frame.coerce(a if test is TRUE else b, kind, node)
    return frame.merge(test, a, b, node, "this")


# ------------------------------------------------------------------------------- displays, subscripts


def _list(frame: Frame, node: ast.List) -> Value:
    if not node.elts:
        return frame.unknown_list(node)
    pieces: list[tuple[bool, Value]] = []
    for part in node.elts:
        if isinstance(part, ast.Starred):
            pieces.append((True, frame.rules.listed(frame, part.value)))
        else:
            pieces.append((False, frame.value(part)))
    kind: Type | None = None
    for starred, value in pieces:
        own = value.kind.args[0] if starred else value.kind
        kind = own if kind is None else frame.unify(kind, own, node, "an element of this list")
    assert kind is not None
    if kind.kind == "unknown":
        outside("the type of the elements is not known", node, "types")
    frame.share(node) if frame.shares(kind) else None
    library = frame.library(kind)
    result = library.nil
    for starred, value in reversed(pieces):
        if starred:
            result = library.append(frame.coerce(value, list_of(kind), node).term, result)
        else:
            result = library.cons(frame.coerce(value, kind, node).term, result)
    return Value(list_of(kind), result, owned=True)


def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    if any(isinstance(e, ast.Starred) for e in node.elts):
        outside("a starred element in a tuple", node, "Starred")
    parts = [frame.value(e) for e in node.elts]
    for part in parts:
        if is_open(part):
            frame.known(part)
    kind = Type("tuple", tuple(p.kind for p in parts))
    if frame.shares(kind):
        frame.share(node)
    return Value(kind, frame.registry.construct(kind, [p.term for p in parts]))


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    value = frame.value(node.value)
    if value.kind.kind == "dict":
        return mappings.element(frame, value, frame.value(node.slice), node)
    value = frame.known(value)
    known = isinstance(node.slice, ast.Constant) or (
        isinstance(node.slice, ast.Name) and node.slice.id in frame.env and frame.env[node.slice.id].bound is TRUE
    )
    if value.kind.kind == "optional" and not known:
        outside("an element of what may be None, by an index that is computed", node, "subscript")  # which one raises
    value = frame.present(value, "TypeError")
    if isinstance(node.slice, ast.Slice):
        return cut_out(frame, value, node.slice, node)
    if value.kind.kind == "tuple":
        number, size = literal_integer(node.slice), len(value.kind.args)
        if number is None:
            outside("an element of a tuple by a computed index", node, "tuple index")
        if not -size <= number < size:
            outside("this tuple has fewer elements", node, "tuple index")
        place = number % size
        return Value(value.kind.args[place], frame.registry.item(value.term, value.kind, place))
    at = frame.integral(frame.value(node.slice), node)
    if value.kind == STR:
        i = position(frame, at, app("str.len", (value.term,), INTS))
        return Value(STR, app("str.at", (value.term, i), STRINGS))
    if value.kind.kind != "list":
        outside(f"an element of {value.kind}", node, "subscript")
    return element(frame, at, value)[0]


# ------------------------------------------------------------------------------------------ attributes


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    module = frame.registry.module
    if isinstance(node.value, ast.Name) and node.value.id not in frame.env and node.value.id not in frame.local:
        kind = module.annotations.named.get(node.value.id)
        if isinstance(kind, Type) and kind.kind == "enum":
            return _member(frame, kind, node)
        if isinstance(kind, Type) and node.attr in getattr(module.objects.get(kind.name), "constants", {}):
            return frame.value(module.objects[kind.name].constants[node.attr])
    value = frame.present(frame.value(node.value), "AttributeError")
    if value.kind.kind not in ("class", "union"):
        outside(f"an attribute of {value.kind}", node, "attribute")
    members = [m for m in (value.kind.args or (value.kind,)) if any(f.name == node.attr for f in module.fields[m.name])]
    if not members and value.kind.name in module.objects:
        return calls.member(frame, value, node, None)
    if not members:
        outside(f"{value.kind} has no field `{node.attr}`", node, "attribute")
    result: Value | None = None
    tests: list[Term] = []
    for member in reversed(members):
        names = [f.name for f in module.fields[member.name]]
        at = names.index(node.attr)
        own = f"{legal(member.name)}!"
        frame.registry.sort(value.kind)
        part = Value(module.fields[member.name][at].kind, frame.registry.select(value.term, own, at))
        test = frame.registry.test(value.term, own)
        tests.append(test)
        result = part if result is None else frame.merge(test, part, result, node, f"`{node.attr}`")
    assert result is not None
    if value.kind.kind == "union" and len(members) < len(value.kind.args):
        frame.check(or_(tests), "AttributeError")
    return result


def _member(frame: Frame, kind: Type, node: ast.Attribute) -> Value:
    names = [n for n, _ in frame.registry.module.members[kind.name]]
    if node.attr not in names:
        outside(f"`{kind.name}` has no member `{node.attr}`", node, "Enum")
    return Value(kind, frame.registry.construct(kind, (), names.index(node.attr)))


def _call(frame: Frame, node: ast.Call) -> Value:
    return frame.rules.call(frame, node)


def _list_comprehension(frame: Frame, node: ast.ListComp) -> Value:
    return frame.rules.comprehension(frame, node, "list")


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> Value:
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    pairs = frame.rules.comprehension(frame, ast.copy_location(ast.ListComp(pair, node.generators), node), "list")
    return mappings.of_pairs(frame, pairs, node)


def _joined(frame: Frame, node: ast.JoinedStr) -> Value:
    return formatted(frame, node)


_RULES: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _variable,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _choice,
    ast.IfExp: _conditional,
    ast.Compare: comparison,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Subscript: _subscript,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.ListComp: _list_comprehension,
    ast.JoinedStr: _joined,
    ast.Dict: mappings.display,
    ast.DictComp: _dict_comprehension,
    ast.Set: sets.display,
    ast.SetComp: sets.made,
}


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
    params: tuple[Term, ...] = ()  # of the body, before they have readable names


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
        return expression(frame, node)

    def condition(self, frame: Frame, node: ast.expr) -> Term:
        """See `expressions`."""
        return condition(frame, node)

    def call(self, frame: Frame, node: ast.Call) -> Value:
        """See `calls`."""
        return calls.call(frame, node)

    def result_of(self, name: str, node: ast.AST) -> Type:
        """See `Rules`."""
        return self.require(name, node).result

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
        frame = self.frame(known.function.name, frozenset(env), env)
        frame.clause = True
        return frame

    def clause(self, known: Translated, clause: Clause, terms: list[Term], result: Term | None = None) -> Term:
        """That a clause evaluates to something true."""
        inner = self.clause_frame(known, terms, result)
        truth = inner.condition(clause.expression)
        return and_([self.registry.effects.returns(inner.effect), truth])

    def require(self, name: str, node: ast.AST) -> Translated:
        """The function, translated or about to be. Raises OutsideFragment: it is not covered."""
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
        if function.owner:
            why = function.refused or module.unread.get(function.owner)
            if function.fault is not None:
                raise OutsideFragment(function.fault.message, function.fault.line, function.fault.column, "contract")
            if why is not None:
                raise why
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
        own = Type("class", (), function.owner)
        first = [own] if function.kind in ("pure", "changes") else []
        kinds = (*first, *(module.annotations.read(a.annotation, a) for a in arguments[len(first) :]))
        for a, kind in zip(arguments, kinds, strict=True):
            if kind.kind == "class" and module.union_of(kind.name):
                outside(f"a parameter of type `{kind}`, which is a member of a union", a, "union")
        result = own if function.kind == "init" else module.annotations.read(node.returns, node)
        result = Type("tuple", (own, result)) if function.kind == "changes" else result
        if function.owner and function.kind != "init" and module.objects[function.owner].guessed:
            other = Functions(Registry(module, Effects({})))
            other.require(f"{function.owner}.__init__", node)  # else the types of fields are not what they seem
        if function.kind == "changes":
            one = module.objects[function.owner]
            if one.data and one.frozen:
                outside("a frozen dataclass is changed", node, "FrozenInstanceError")
            module.refuse_aliases(function.owner, zip(arguments[1:], kinds[1:], strict=True))
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
        known.params = tuple(params)
        env = {p.name: Value(k, v) for p, k, v in zip(function.parameters, known.kinds, params, strict=True)}
        local = frozenset(env) | frozenset(bindings(ast.Module(function.node.body, [])))
        frame = self.frame(function.name, local, env)
        frame.guesses = guesses
        frame.loops = sum(isinstance(part, ast.For | ast.While) for part in ast.walk(function.node))
        if known.result.kind == "list":
            frame.hint = known.result.args[0]
        flow = Flow(frame)
        name = function.name.partition("@")[0].split(".")[1] if function.owner else "_"
        block = Block(known.result, fresh=not name.startswith("_") and function.kind in ("pure", "static"))
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
