"""Calls that give a value: builtins, constructors of dataclasses, methods, functions of the module."""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import FALSE, TRUE, Term, and_, app, integer, not_, or_
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.python.translate import mappings, mutation, sets
from goedels_poetry.python.translate.build import compare, cond, equal, floor_div, floor_mod, negative, plus
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.indices import code_of, joined, letter_of, text_method, text_of
from goedels_poetry.python.translate.iteration import spelled_out, view
from goedels_poetry.python.translate.library import less, plain
from goedels_poetry.python.translate.methods import VIEW, WHOLE, view_name
from goedels_poetry.python.translate.module import BOOL, INT, STR, Type, imported, is_constant, list_of
from goedels_poetry.python.translate.operators import arithmetic, special
from goedels_poetry.python.translate.registry import legal


def call(frame: Frame, node: ast.Call) -> Value:
    """The value of a call. Raises OutsideFragment: it is not covered."""
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        outside("a call with * or **", node, "Starred")
    root = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    known = isinstance(root, ast.Name) and root.id not in frame.env and root.id not in frame.local
    if known and imported(node.func, frame.registry.module) == "math.gcd":
        return _gcd(frame, node)
    if isinstance(node.func, ast.Attribute):
        return _method(frame, node, node.func)
    if not isinstance(node.func, ast.Name):
        return outside("this call is not covered", node)
    name = node.func.id
    module = frame.registry.module
    if name in frame.local or name in frame.env:
        return outside(f"`{name}` is a local variable that is called", node, "call of a variable")
    if name[-1] in (WHOLE, VIEW):
        return _whole(frame, Type("class", (), name[:-1]), node, name[-1] == WHOLE)
    if module.function(name) is not None:
        function = module.function(name)
        if function is not None and function.kind == "pure" and _is_view(node.args[0]):  # by `super()`
            _refuse_giving(frame, name, node)
        return frame.rules.apply(frame, name, _arguments(frame, name, node), node)
    kind = module.annotations.named.get(name)
    if isinstance(kind, Type) and kind.kind == "class":
        return _construct(frame, kind, node)
    if not module.is_builtin(name):
        return outside(f"what `{name}` does is not followed", node, f"call {name}")
    rule = _BUILTINS.get(name)
    return rule(frame, node) if rule else outside(f"the builtin `{name}` is not covered", node, f"call {name}")


def _arguments(frame: Frame, name: str, node: ast.Call, first: tuple[Value, ...] = ()) -> list[Value]:
    """The arguments in the order of the parameters, evaluated in the order in which they are written; ``first``: what
    stands before the dot."""
    function = frame.registry.module.function(name)
    assert function is not None
    given = function.node.args
    if given.vararg or given.kwarg:
        outside(f"`{name}` takes any number of arguments", node, "*args")
    names = [a.arg for a in (*given.posonlyargs, *given.args)]
    keywords = [a.arg for a in given.kwonlyargs]
    values: dict[str, Value] = dict(zip(names, first, strict=False))
    if len(node.args) + len(first) > len(names):
        outside(f"`{name}` takes {len(names)} arguments", node, "call")
    for parameter, part in zip(names[len(first) :], node.args, strict=False):
        values[parameter] = frame.value(part)
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in values or keyword.arg not in [*names[len(given.posonlyargs) :], *keywords]:
            outside(f"`{name}` does not take `{keyword.arg}` here", node, "call")
        values[keyword.arg] = frame.value(keyword.value)
    late = names[len(names) - len(given.defaults) :] if given.defaults else []
    defaults = {**dict(zip(late, given.defaults, strict=True)), **dict(zip(keywords, given.kw_defaults, strict=True))}
    for parameter in (*names, *keywords):
        default = defaults.get(parameter)
        if parameter not in values:
            if default is None:
                outside(f"`{name}` is called without `{parameter}`", node, "call")
            values[parameter] = _default(frame, default)
    return [values[p] for p in (*names, *keywords)]


def _default(frame: Frame, node: ast.expr) -> Value:
    if not is_constant(node):
        outside("a default that is no constant", node, "default argument")
    inner = frame.branch()
    inner.env, inner.local = {}, frozenset()
    return inner.value(node)


def _whole(frame: Frame, kind: Type, node: ast.Call, given_away: bool) -> Value:
    """The record of the fields of ``self``; ``given_away``: at the end of a method, where they must be its own."""
    args: list[Term] = []
    for part, info in zip(node.args, frame.registry.module.fields[kind.name], strict=True):
        value = frame.value(part)
        own = frame.env[part.id] if isinstance(part, ast.Name) and part.id in frame.env else value
        if given_away and frame.shares(value.kind) and not own.owned:
            outside(f"what `self.{info.name}` holds may be shared: keep a copy, such as list(...)", node, "aliasing")
        args.append(frame.coerce(value, info.kind, node, f"`self.{info.name}`").term)
    result = frame.env.get("return'")
    if given_away and result is not None and frame.shares(result.kind) and not frame.is_own(result):
        outside("what is returned may be part of the object: return a copy, such as list(...)", node, "aliasing")
    return Value(kind, frame.registry.construct(kind, args), owned=True)


def _is_view(node: ast.AST) -> bool:
    """Whether this is ``self`` where it is changed."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith(VIEW)


def _refuse_giving(frame: Frame, name: str, node: ast.AST) -> None:
    """Refuse a call on ``self``, where that is changed, of what may give it, or an object that it holds."""
    if frame.registry.module.holds_changing(frame.rules.result_of(name, node)) is not None:
        outside(f"`{name}` may give `self` or what it holds, where `self` is changed", node, "aliasing")


def member(frame: Frame, value: Value, func: ast.Attribute, node: ast.Call | None) -> Value:
    """A property of an object, or with ``node`` what one of its methods gives.

    Raises:
        OutsideFragment: there is none, or it changes the object.
    """
    one = frame.registry.module.objects[value.kind.name]
    found = one.members.get(func.attr)
    if node is None and func.attr in one.constants:
        return frame.value(one.constants[func.attr])
    if found is None or (found.kind == "property") is not (node is None):
        return outside(f"`{value.kind}` has no such `{func.attr}`", func, "attribute")
    if func.attr in one.changing:
        outside(f"`{func.attr}` changes an object, and is no call by itself on `self`", func, "mutation")
    seen = frame.clause or getattr(func, "seen", False)
    name = view_name(one, func.attr) if seen else f"{one.name}.{func.attr}"
    if frame.registry.module.function(name) is None:
        outside(f"`{name}` is not followed", func, "method")
    if _is_view(func.value):
        _refuse_giving(frame, name, func)
    call = node or ast.copy_location(ast.Call(func, [], []), func)
    first = (value,) if found.kind in ("method", "property") else ()
    return frame.rules.apply(frame, name, _arguments(frame, name, call, first), call)


def _construct(frame: Frame, kind: Type, node: ast.Call) -> Value:
    one = frame.registry.module.objects.get(kind.name)
    if one is not None and "__init__" in one.members:
        name = f"{kind.name}.__init__"
        return frame.rules.apply(frame, name, _arguments(frame, name, node), node)
    fields = frame.registry.module.fields[kind.name]
    if one is not None and not one.data and (fields or node.args or node.keywords):
        outside(f"`{kind}` has no `__init__` of its own", node, "call")
    names = [f.name for f in fields]
    values: dict[str, Value] = {}
    if len(node.args) > len(fields):
        outside(f"`{kind}` has {len(fields)} fields", node, "call")
    for name, part in zip(names, node.args, strict=False):
        values[name] = frame.value(part)
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in values or keyword.arg not in names:
            outside(f"`{kind}` does not take `{keyword.arg}` here", node, "call")
        values[keyword.arg] = frame.value(keyword.value)
    args: list[Term] = []
    for f in fields:
        if f.name not in values:
            if f.default is None:
                outside(f"`{kind}` is made without `{f.name}`", node, "call")
            values[f.name] = _default(frame, f.default)
        args.append(frame.coerce(values[f.name], f.kind, node, f"`{f.name}`").term)
    if frame.shares(kind):
        frame.share(node)
    made = Value(kind, frame.registry.construct(kind, args))
    for clause in one.invariants if one is not None else ():  # who makes one by its fields owes them
        inner = frame.branch()
        inner.env, inner.local, inner.clause = {"self": made}, frozenset({"self"}), True
        frame.exact_where(and_([inner.condition(clause.expression), frame.registry.effects.returns(inner.effect)]))
    return made


# -------------------------------------------------------------------------------------------- builtins


def _one(frame: Frame, node: ast.Call) -> Value:
    if len(node.args) != 1 or node.keywords:
        outside(f"`{ast.unparse(node.func)}` with these arguments", node, "call")
    return frame.value(node.args[0])


def _len(frame: Frame, node: ast.Call) -> Value:
    over = view(frame, node.args[0]) if len(node.args) == 1 and not node.keywords else None
    if over is not None:
        return Value(INT, frame.library(over.kind.args[0]).length(over.term), natural=True)
    made = len(node.args) == 1 and not node.keywords and sets.is_made(frame, node.args[0])
    value = sets.made(frame, node.args[0]) if made else frame.present(_one(frame, node), "TypeError")
    own = special(frame, value, "__len__", [], node)
    if own is not None:
        frame.check(compare("<=", integer(0), frame.integral(own, node).term), "ValueError")
        return frame.integral(own, node)
    if value.kind == STR:
        return Value(INT, app("str.len", (value.term,), INTS), natural=True, exact=True)
    if value.kind.kind == "tuple":
        return Value(INT, integer(len(value.kind.args)), natural=True, exact=True)
    if value.kind.kind == "set":
        value = frame.known(value)
        return Value(INT, frame.library(value.kind.args[0]).call("different", value.term), natural=True)
    if value.kind.kind == "dict":
        if any(a.kind == "unknown" for a in value.kind.args):
            return Value(INT, integer(0), natural=True)
        return Value(INT, mappings.library(frame, value.kind).length(value.term), natural=True)
    if value.kind.kind != "list":
        outside(f"the length of {value.kind}", node, "len")
    if value.kind.args[0].kind == "unknown":
        return Value(INT, integer(0), natural=True)
    return Value(INT, frame.library(value.kind.args[0]).length(value.term), natural=True, exact=True)


def _abs(frame: Frame, node: ast.Call) -> Value:
    term = frame.integral(_one(frame, node), node).term
    return Value(INT, cond(compare("<", term, integer(0)), negative(term), term), natural=True, exact=True)


def _bool(frame: Frame, node: ast.Call) -> Value:
    if not node.args and not node.keywords:
        return Value(BOOL, FALSE)
    if len(node.args) == 1 and not node.keywords:
        return Value(BOOL, frame.condition(node.args[0]))
    return outside("`bool` with these arguments", node, "call")


def _int(frame: Frame, node: ast.Call) -> Value:
    return replace(frame.integral(_one(frame, node), node), exact=True)


def _divmod(frame: Frame, node: ast.Call) -> Value:
    if len(node.args) != 2 or node.keywords:
        outside("`divmod` takes 2 arguments", node, "call")
    a, b = (frame.integral(x, node) for x in [frame.value(x) for x in node.args])
    frame.check(not_(equal(b.term, integer(0))), "ZeroDivisionError")
    kind = Type("tuple", (INT, INT))
    return Value(kind, frame.registry.construct(kind, [floor_div(a.term, b.term), floor_mod(a.term, b.term)]))


def _gcd(frame: Frame, node: ast.Call) -> Value:
    if len(node.args) != 2 or node.keywords:
        outside("`gcd` of other than two numbers", node, "call")
    a, b = (frame.integral(x, node).term for x in [frame.value(x) for x in node.args])
    sizes = [cond(compare("<", x, integer(0)), negative(x), x) for x in (a, b)]
    return Value(INT, plain(frame.registry, "gcd.int", *sizes), natural=True)


def _str(frame: Frame, node: ast.Call) -> Value:
    return Value(STR, text_of(frame, _one(frame, node), node))


def _ord(frame: Frame, node: ast.Call) -> Value:
    return code_of(frame, _one(frame, node), node)


def _chr(frame: Frame, node: ast.Call) -> Value:
    return letter_of(frame, _one(frame, node), node)


def _pow(frame: Frame, node: ast.Call) -> Value:
    if node.keywords or not 2 <= len(node.args) <= 3:
        outside("`pow` with these arguments", node, "call")
    given = [frame.value(x) for x in node.args]
    if len(given) == 3 and given[2].kind.kind == "optional":
        outside("`pow` modulo what may be None", node, "call")
    values = [frame.integral(x, node) for x in given]
    if len(values) == 2:
        return arithmetic(frame, ast.Pow(), values[0], values[1], node)
    exponent = values[1].term
    frame.check(not_(equal(values[2].term, integer(0))), "ValueError")
    frame.exact_where(compare(">=", exponent, integer(0)))  # else there may be an inverse, or not
    raised = arithmetic(frame, ast.Pow(), values[0], replace(values[1], natural=True), node)
    return Value(INT, floor_mod(raised.term, values[2].term))


def _list(frame: Frame, node: ast.Call) -> Value:
    if not node.args and not node.keywords:
        return frame.unknown_list(node)
    if len(node.args) != 1 or node.keywords:
        outside("`list` with these arguments", node, "call")
    return replace(frame.rules.listed(frame, node.args[0]), owned=True)


def _dict(frame: Frame, node: ast.Call) -> Value:
    if not node.args and not node.keywords:
        return mappings.empty(frame, node)
    if len(node.args) != 1 or node.keywords:
        outside("`dict` with these arguments", node, "call")
    if isinstance(node.args[0], ast.Name):
        value = frame.value(node.args[0])
        if value.kind.kind == "dict":
            return replace(frame.known(value), owned=True)
    return mappings.of_pairs(frame, frame.rules.listed(frame, node.args[0]), node)


def _set(frame: Frame, node: ast.Call) -> Value:
    if not node.args and not node.keywords:
        return sets.empty(frame, node)
    return sets.made(frame, node) if sets.is_made(frame, node) else outside("`set` with these arguments", node, "call")


def _sorted(frame: Frame, node: ast.Call) -> Value:
    if len(node.args) != 1:
        outside("`sorted` takes one list", node, "call")
    if sets.is_set(frame, node.args[0]) and mutation.key_of(node.keywords) is not None:
        outside("a set is sorted by a key: which of equals comes first is not said", node, "a set")
    xs = _elements(frame, node.args[0])
    return Value(xs.kind, mutation.arranged(frame, xs, node.keywords, node), owned=True)


def _elements(frame: Frame, node: ast.expr) -> Value:
    """What is gone over, by a call that does not care in which order the elements of a set come."""
    return sets.once(frame, node) if sets.is_set(frame, node) else frame.known(frame.rules.listed(frame, node))


def _sum(frame: Frame, node: ast.Call) -> Value:
    start = integer(0)
    extra = list(node.args[1:]) + [k.value for k in node.keywords if k.arg == "start"]
    if not node.args or len(extra) > 1 or len(extra) + 1 != len(node.args) + len(node.keywords):
        outside("`sum` with these arguments", node, "call")
    over = spelled_out(frame, node.args[0])
    if isinstance(over, ast.GeneratorExp):
        if extra and not is_constant(extra[0]):
            outside("a start that is computed before the generator runs", node, "sum")
        total = frame.rules.comprehension(frame, over, "sum").term
    else:
        xs = _elements(frame, node.args[0])
        total = frame.library(INT).call("sum", frame.coerce(xs, list_of(INT), node).term)
    if extra:
        if not isinstance(extra[0], ast.Constant | ast.Name):
            outside("a start that is computed, and may fail before the list is gone over", node, "sum")
        begin = frame.value(extra[0])
        if begin.kind.kind == "optional":
            outside("`sum` from what may be None", node, "sum")
        start = frame.integral(begin, node).term
    return Value(INT, plus(total, start) if start is not integer(0) else total, exact=not extra)


def _truths(frame: Frame, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Name)
    every = node.func.id == "all"
    if len(node.args) != 1 or node.keywords:
        outside(f"`{node.func.id}` takes one argument", node, "call")
    over = spelled_out(frame, node.args[0])
    if isinstance(over, ast.GeneratorExp):
        return frame.rules.comprehension(frame, over, node.func.id)
    xs = frame.known(frame.rules.listed(frame, node.args[0]))
    element = xs.kind.args[0]
    term = xs.term
    library, bools = frame.library(element), frame.library(BOOL)
    if element != BOOL:
        truth = frame.truth(Value(element, library.head(library.xs)), node)
        term = library.mapped(f"truths.{library.word}", bools, truth, term)
    return Value(BOOL, bools.call("all" if every else "any", term))


def _extreme(frame: Frame, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Name)
    greatest = node.func.id == "max"
    default: ast.expr | None = None
    for keyword in node.keywords:
        if keyword.arg == "key" and len(node.args) == 1:
            continue
        if keyword.arg != "default" or len(node.args) != 1:
            outside(f"`{node.func.id}` with `{keyword.arg}`", node, node.func.id)
        default = keyword.value
    if len(node.args) == 1:
        return _extreme_of_list(frame, node, greatest, default)
    if not node.args:
        outside(f"`{node.func.id}` without arguments", node, "call")
    values = [frame.value(a) for a in node.args]
    values = [frame.present(v, "TypeError") for v in values]
    kind = values[0].kind
    for value in values[1:]:
        kind = frame.unify(kind, value.kind, node, "an argument")
    best, *others = (frame.coerce(v, kind, node) for v in values)
    for other in others:
        a, b = (best.term, other.term) if greatest else (other.term, best.term)
        # the first of equals stays; for integers that makes no difference, and `<=` is what provers like
        smaller = less(frame.registry, kind, a, b)
        natural = best.natural or other.natural if greatest else best.natural and other.natural
        best = Value(kind, cond(smaller, other.term, best.term), natural=natural and kind == INT)
    return best


def _extreme_of_list(frame: Frame, node: ast.Call, greatest: bool, default: ast.expr | None) -> Value:
    if default is not None and not is_constant(default):
        outside("a default that is computed", node, "default")
    key = mutation.key_of(node.keywords)
    if key is not None and sets.is_set(frame, node.args[0]):
        outside("one of a set is chosen by a key: which of equals is not said", node, "a set")
    xs = _elements(frame, node.args[0])
    fallback = None if default is None else frame.value(default)
    library = frame.library(xs.kind.args[0])
    empty = library.is_nil(xs.term)
    found = (
        library.call("max" if greatest else "min", xs.term)
        if key is None
        else mutation.best(frame, xs, key, greatest, node)
    )
    best = Value(xs.kind.args[0], found)
    if fallback is None:
        frame.check(not_(empty), "ValueError")
        return best
    return frame.merge(empty, fallback, best, node, "the default")


def _isinstance(frame: Frame, node: ast.Call) -> Value:
    if len(node.args) != 2 or node.keywords:
        outside("`isinstance` takes 2 arguments", node, "call")
    value = frame.value(node.args[0])
    names = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
    return Value(BOOL, or_([is_instance(frame, value, n, node) for n in names]))


def is_instance(frame: Frame, value: Value, name: ast.expr, node: ast.AST) -> Term:
    """Whether a value is of a class that ``name`` means."""
    module = frame.registry.module
    if not isinstance(name, ast.Name) or name.id in frame.local:
        return outside("`isinstance` of this", node, "isinstance")
    kind = value.kind
    if kind.kind == "optional":
        present = not_(frame.registry.is_none(kind.args[0], value.term))
        inner = Value(kind.args[0], frame.registry.the(kind.args[0], value.term))
        return and_([present, is_instance(frame, inner, name, node)])
    found = module.annotations.named.get(name.id)
    if isinstance(found, Type) and kind.kind == "class" and found.name in module.annotations.above:
        return TRUE if found.name in module.objects[kind.name].above else FALSE
    if isinstance(found, Type) and found.kind in ("class", "enum"):
        if kind.kind == "union":
            if found not in kind.args:
                return FALSE
            return frame.registry.test(value.term, f"{legal(found.name)}!")
        return TRUE if kind == found else FALSE
    if name.id in ("bool", "int", "str", "list", "tuple") and module.is_builtin(name.id):
        if kind == INT and name.id == "bool":
            outside("whether an integer is a bool", node, "isinstance")
        return TRUE if kind.kind == name.id or (kind == BOOL and name.id == "int") else FALSE
    return outside("`isinstance` of this class", node, "isinstance")


def _range(frame: Frame, node: ast.Call) -> Value:
    return outside("a range that is kept", node, "range")


_BUILTINS = {
    "abs": _abs,
    "all": _truths,
    "any": _truths,
    "bool": _bool,
    "chr": _chr,
    "dict": _dict,
    "divmod": _divmod,
    "int": _int,
    "isinstance": _isinstance,
    "len": _len,
    "list": _list,
    "max": _extreme,
    "min": _extreme,
    "ord": _ord,
    "pow": _pow,
    "range": _range,
    "set": _set,
    "sorted": _sorted,
    "str": _str,
    "sum": _sum,
}


# --------------------------------------------------------------------------------------------- methods


def _method(frame: Frame, node: ast.Call, func: ast.Attribute) -> Value:
    if func.attr == "pop" and isinstance(func.value, ast.Name) and func.value.id in frame.env:
        return mutation.pop(frame, node, func.value)
    if func.attr == "setdefault" and isinstance(func.value, ast.Name) and func.value.id in frame.env:
        return mappings.set_default(frame, node, func.value, mutation.owned(frame, func.value, node, "dict"))
    named = frame.registry.module.annotations.named.get(func.value.id) if isinstance(func.value, ast.Name) else None
    if isinstance(named, Type) and named.name in frame.registry.module.objects and func.value.id not in frame.local:  # type: ignore[attr-defined]
        found = frame.registry.module.objects[named.name].members.get(func.attr)
        if found is None or found.kind not in ("static", "class"):
            return outside(f"`{named}.{func.attr}` is not followed", node, "method")
        name = f"{named.name}.{func.attr}"
        return frame.rules.apply(frame, name, _arguments(frame, name, node), node)
    value = frame.present(frame.value(func.value), "AttributeError")
    if value.kind.kind == "class" and value.kind.name in frame.registry.module.objects:
        return member(frame, value, func, node)
    if node.keywords:
        outside("keywords of a method", node, "method")
    if value.kind == STR and func.attr == "join" and len(node.args) == 1:
        return joined(frame, value, frame.rules.listed(frame, node.args[0]), node)
    args = [frame.value(a) for a in node.args]
    if value.kind.kind == "dict" and func.attr == "get":
        return mappings.get(frame, value, args, node)
    if value.kind.kind in ("dict", "set") and func.attr == "copy" and not args:
        return replace(value, owned=True)
    if value.kind == STR:
        return text_method(frame, func.attr, value, args, node)
    if value.kind.kind != "list":
        return outside(f"the method `{func.attr}` of {value.kind}", node, f"method {func.attr}")
    if func.attr == "copy" and not args:
        return replace(value, owned=True)
    value = frame.known(value)
    if func.attr in ("count", "index") and len(args) == 1:
        kind = frame.unify(value.kind.args[0], args[0].kind, node)
        xs = frame.coerce(value, list_of(kind), node).term
        v = frame.coerce(args[0], kind, node).term
        library = frame.library(kind)
        if func.attr == "count":
            return Value(INT, library.call("count", v, xs), natural=True, exact=True)
        frame.check(library.member(v, xs), "ValueError")
        return Value(INT, library.call("index", v, xs), natural=True, exact=True)
    return outside(f"the list method `{func.attr}` is not covered here", node, f"method {func.attr}")
