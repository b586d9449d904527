"""Operators on values, comparisons and chains of them, and comprehensions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Sort, Term, and_, app, integer, lit, not_, or_, substitute
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.python.translate import mappings, sets
from goedels_poetry.python.translate.build import C_SIZE, compare, cond, equal, floor_div, floor_mod, minus, plus, times
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.indices import by_elements
from goedels_poetry.python.translate.iteration import iteration
from goedels_poetry.python.translate.library import less, not_less, plain
from goedels_poetry.python.translate.liveness import free_names
from goedels_poetry.python.translate.methods import view_name
from goedels_poetry.python.translate.module import BOOL, INT, NEVER, NONE, STR, Type, is_unknown, list_of
from goedels_poetry.python.translate.recursion import close
from goedels_poetry.python.translate.registry import SELF

# Comprehensions


@dataclass(slots=True)
class _Purpose:
    """How results are put together. ``element`` is the type of the elements of a list, once it is known."""

    word: str
    element: Type | None = None

    def sort(self, frame: Frame) -> Sort:
        if self.word == "sum":
            return INTS
        if self.word in ("any", "all"):
            return BOOLS
        assert self.element is not None
        return frame.registry.sort(list_of(self.element))

    def empty(self, frame: Frame) -> Term:
        if self.word == "list":
            assert self.element is not None
            return frame.registry.nil(self.element)
        return integer(0) if self.word == "sum" else TRUE if self.word == "all" else FALSE

    def add(self, frame: Frame, item: Term, rest: Term) -> Term:
        """One result in front of the others."""
        if self.word == "list":
            assert self.element is not None
            return frame.registry.cons(self.element, item, rest)
        return self.join(frame, item, rest)

    def join(self, frame: Frame, some: Term, rest: Term) -> Term:
        """The results of an inner generator in front of the others."""
        if self.word == "list":
            assert self.element is not None
            return frame.library(self.element).append(some, rest)
        if self.word == "sum":
            return app("+", (some, rest), INTS)
        return and_([some, rest]) if self.word == "all" else or_([some, rest])


def comprehension(frame: Frame, node: ast.ListComp | ast.GeneratorExp, purpose: str) -> Value:
    """The value of a comprehension. Raises OutsideFragment: what it goes over or what it gives is not covered."""
    if any(g.is_async for g in node.generators):
        outside("an asynchronous comprehension", node, "async")
    node = _over_elements(frame, node)
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        outside("`:=` in a comprehension", node, "NamedExpr")
    wanted = _Purpose(purpose)
    whole, outer = frame, frame.env
    frame, given = _abstracted(frame, node)
    term = substitute(_generator(frame, node, 0, wanted), given)
    whole.effect = frame.registry.effects.then(whole.effect, substitute(frame.effect, given))
    frame = whole
    frame.env = outer
    if purpose == "list":
        assert wanted.element is not None
        if frame.shares(wanted.element):
            frame.share(node)
        return Value(list_of(wanted.element), term, owned=True)
    return Value(INT if purpose == "sum" else BOOL, term)


def _over_elements(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> ast.ListComp | ast.GeneratorExp:
    """One that goes over indices for the sake of elements goes over these."""
    first = node.generators[0]
    if len(node.generators) > 1:
        return node
    made = by_elements(frame, first.target, first.iter, [node.elt, *first.ifs], frozenset())
    if made is None:
        return node
    target, over, (elt, *ifs) = made
    return ast.copy_location(type(node)(elt, [ast.comprehension(target, over, ifs, 0)]), node)


def _abstracted(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> tuple[Frame, dict[Term, Term]]:
    """The frame with variables for what the comprehension mentions inside: the function takes values, not terms."""
    inner = frame.part("it is part of a comprehension")
    _refuse_unbound(frame, node)
    first = node.generators[0]
    inside = [node.elt, *first.ifs, *(part for g in node.generators[1:] for part in (g.iter, *g.ifs))]
    used = {n.id for part in inside for n in ast.walk(part) if isinstance(n, ast.Name)}
    given: dict[Term, Term] = {}
    for name in sorted(used):
        value = inner.env.get(name)
        if (
            value is None
            or value.term.kind is not Kind.APP
            or value.kind.kind in ("gone", "none")
            or is_unknown(value.kind)
        ):
            continue
        if not value.term.args:
            continue
        variable = frame.registry.fresh(name, value.term.sort)
        given[variable] = value.term
        inner.env[name] = replace(value, term=variable, wide=None)
    return inner, given


def _refuse_unbound(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> None:
    """A variable without a value is another error inside of a comprehension: a NameError, if that is a function."""
    for name in sorted(free_names(node) & frame.local):
        found = frame.env.get(name)
        if found is None or (found.kind.kind != "gone" and found.bound is not TRUE):
            outside(f"`{name}` may have no value in this comprehension", node, "comprehension")


def _generator(frame: Frame, node: ast.ListComp | ast.GeneratorExp, number: int, purpose: _Purpose) -> Term:
    effects = frame.registry.effects
    generator = node.generators[number]
    over = iteration(frame, generator.iter)
    inner = frame.part("it may not be evaluated")
    if number == 0:
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        inner.local |= targets
        for name in targets:
            inner.env.pop(name, None)
    bind(inner, generator.target, over.item)
    test = TRUE
    for part in generator.ifs:
        deeper = inner.part("it may not be evaluated")
        truth = deeper.condition(part)
        inner.join(test, deeper)
        inner.narrow(part, True)
        test = and_([test, truth])
    chosen = inner.part("it may not be evaluated")
    if number + 1 < len(node.generators):
        item = _generator(chosen, node, number + 1, purpose)
    else:
        item = _item(chosen, node.elt, purpose)
    inner.join(test, chosen)
    sort, empty = purpose.sort(frame), purpose.empty(frame)
    again = app(SELF, over.step, sort)
    last = number + 1 == len(node.generators)
    here = purpose.add(frame, item, again) if last else purpose.join(frame, item, again)
    body = cond(over.more, cond(test, here, again), empty)
    if inner.effect is not effects.unit:
        after = app(SELF, over.step, effects.sort)
        if purpose.word in ("any", "all"):
            stop = item if purpose.word == "any" else cond(item, FALSE, TRUE)
            stopped = and_([test, stop])
            after = cond(stopped, effects.unit, after)
        checked = effects.branch(over.more, effects.then(inner.effect, after), effects.unit)
        call = close(frame, f"{frame.name}!{purpose.word}!ok", over.states, over.entry, effects.sort, checked)
        frame.effect = effects.then(frame.effect, call)
    word = {"list": "each", "sum": "sum", "any": "any", "all": "all"}[purpose.word]
    return close(frame, f"{frame.name}!{word}", over.states, over.entry, sort, body)


def _item(frame: Frame, node: ast.expr, purpose: _Purpose) -> Term:
    value = frame.value(node)
    if purpose.word == "sum":
        return frame.coerce(frame.present(value, "TypeError"), INT, node, "what is added").term
    if purpose.word in ("any", "all"):
        return frame.truth(value, node)
    value = frame.known(value)
    if value.kind.kind == "none":
        outside("a list of None", node, "types")
    purpose.element = value.kind
    return value.term


def bind(frame: Frame, target: ast.expr, value: Value) -> None:
    """Names of a comprehension or a loop get their values; these share what they are parts of."""
    value = replace(value, owned=False)
    if isinstance(target, ast.Name):
        frame.env[target.id] = value
        return
    if not isinstance(target, ast.Tuple | ast.List):
        outside("this target is not covered", target, "target")
    assert isinstance(target, ast.Tuple | ast.List)
    if any(isinstance(t, ast.Starred) for t in target.elts):
        outside("a starred target", target, "Starred")
    for name, part in zip(target.elts, unpacked(frame, value, len(target.elts), target), strict=True):
        bind(frame, name, part)


def unpacked(frame: Frame, value: Value, count: int, node: ast.AST) -> list[Value]:
    """The elements of a tuple or a list that must be so many."""
    value = frame.present(value, "TypeError")
    if value.kind.kind == "tuple":
        if len(value.kind.args) != count:
            outside(f"{len(value.kind.args)} values for {count} targets", node, "unpacking")
        return [Value(k, frame.registry.item(value.term, value.kind, i)) for i, k in enumerate(value.kind.args)]
    if value.kind.kind != "list":
        outside(f"{value.kind} cannot be unpacked here", node, "unpacking")
    value = frame.known(value)
    library = frame.library(value.kind.args[0])
    rest, parts = value.term, []
    shape: list[Term] = []
    for _ in range(count):
        shape.append(cond(library.is_nil(rest), FALSE, TRUE))
        parts.append(Value(value.kind.args[0], library.head(rest)))
        rest = library.tail(rest)
    frame.check(and_([*shape, library.is_nil(rest)]), "ValueError")
    return parts


MAX_POWER = 64


def special(frame: Frame, value: Value, name: str, others: list[Value], node: ast.AST) -> Value | None:
    """What an operator on an object gives that its class defines by a method; None where there is none."""
    one = frame.registry.module.objects.get(value.kind.name) if value.kind.kind == "class" else None
    if one is None or name not in one.members:
        return None
    called = view_name(one, name) if frame.clause else f"{one.name}.{name}"
    known = frame.registry.module.function(called)
    if name in one.changing or known is None or len(known.parameters) != 1 + len(others):
        outside(f"`{name}` of `{value.kind}` is not followed", node, name)
    if any(o.kind.kind == "class" and o.kind != value.kind for o in others):
        outside(f"`{name}` of objects of different classes", node, name)
    return frame.rules.apply(frame, called, [value, *others], node)


def operate(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.expr | ast.stmt) -> Value:
    """``left op right``."""
    left, right = (v if v.kind.kind != "optional" else frame.present(v, "TypeError") for v in (left, right))
    if NEVER in (left.kind, right.kind):
        return Value(NEVER, integer(0))
    name = {ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__"}.get(type(op), "")
    own = special(frame, left, name, [right], node)
    if own is not None:
        return own
    kinds = {left.kind.kind, right.kind.kind}
    if isinstance(op, ast.Add) and kinds == {"str"}:
        return Value(STR, app("str.++", (left.term, right.term), STRINGS))
    if isinstance(op, ast.Add) and kinds == {"list"}:
        return _concatenate(frame, left, right, node)
    if isinstance(op, ast.Add) and kinds == {"tuple"}:
        parts = [frame.registry.item(v.term, v.kind, i) for v in (left, right) for i in range(len(v.kind.args))]
        kind = Type("tuple", left.kind.args + right.kind.args)
        return Value(kind, frame.registry.construct(kind, parts))
    if isinstance(op, ast.Mult) and "list" in kinds and kinds <= {"list", "int", "bool"}:
        xs, n = (left, right) if left.kind.kind == "list" else (right, left)
        xs = frame.known(xs)
        if frame.shares(xs.kind.args[0]):
            outside("the same list several times in a list", node, "aliasing")
        times_n = frame.integral(n, node)
        library = frame.library(xs.kind.args[0])
        frame.exact_within(times_n, C_SIZE[0], None)
        # where there is something to repeat, it is memory that ends first
        frame.exact_where(or_([not_(library.is_nil(xs.term)), compare("<=", times_n.term, integer(C_SIZE[1]))]))
        repeated = library.repeat(xs.term, times_n.term)
        return Value(xs.kind, repeated, owned=True)
    if isinstance(op, ast.Mult) and "str" in kinds and kinds <= {"str", "int", "bool"} and len(kinds) == 2:
        text, n = (left, right) if left.kind == STR else (right, left)
        times_n = frame.integral(n, node)
        frame.exact_within(times_n, C_SIZE[0], None)
        empty = equal(text.term, lit("", STRINGS))
        frame.exact_where(or_([not_(empty), compare("<=", times_n.term, integer(C_SIZE[1]))]))
        return Value(STR, plain(frame.registry, "repeat.str", text.term, times_n.term))
    if kinds == {"set"}:
        return sets.combined(frame, op, left, right, node)
    if kinds == {"dict"} and isinstance(op, ast.BitOr):
        return replace(mappings.joined(frame, left, right, node), owned=True)
    if not kinds <= {"int", "bool"}:
        outside(f"this operator between {left.kind} and {right.kind}", node, "types")
    if left.kind == right.kind == BOOL and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        a, b = left.term, right.term
        word = {ast.BitAnd: and_([a, b]), ast.BitOr: or_([a, b])}
        return Value(BOOL, word.get(type(op)) or not_(equal(a, b)))
    result = arithmetic(frame, op, frame.integral(left, node), frame.integral(right, node), node)
    computed = not isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)  # these give a truth value of two truth values
    return replace(result, exact=computed or left.exact or right.exact)


def arithmetic(frame: Frame, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    """``left op right`` of integers."""
    a, b = left.term, right.term
    both = left.natural and right.natural
    positive = b.kind is Kind.LIT and isinstance(b.value, int) and b.value > 0
    match op:
        case ast.Add():
            return Value(INT, plus(a, b), natural=both)
        case ast.Sub():
            return Value(INT, minus(a, b))
        case ast.Mult():
            return Value(INT, times(a, b), natural=both)
        case ast.FloorDiv() | ast.Mod():
            frame.check(not_(equal(b, integer(0))), "ZeroDivisionError")
            is_mod = isinstance(op, ast.Mod)
            if right.natural and not positive:  # then it is not negative where it is not 0
                return Value(INT, app("mod" if is_mod else "div", (a, b), INTS), natural=is_mod or left.natural)
            term = floor_mod(a, b) if is_mod else floor_div(a, b)
            return Value(INT, term, natural=positive and (is_mod or left.natural))
        case ast.Pow():
            return _power(frame, left, right, node)
        case ast.LShift() | ast.RShift():
            if not right.natural:
                frame.check(compare(">=", b, integer(0)), "ValueError")
            two = plain(frame.registry, "power.int", integer(2), b)
            if b.kind is Kind.LIT and isinstance(b.value, int) and 0 <= b.value <= 256:
                two = integer(1 << b.value)
            if isinstance(op, ast.LShift):
                return Value(INT, times(a, two), natural=left.natural)
            return Value(INT, app("div", (a, two), INTS), natural=left.natural)
        case ast.BitAnd():
            for mask, other in ((b, a), (a, b)):
                bits = mask.value if mask.kind is Kind.LIT else None
                if isinstance(bits, int) and bits >= 0 and bits & (bits + 1) == 0:
                    return Value(INT, app("mod", (other, integer(bits + 1)), INTS), natural=True)
            return outside("`&` of other numbers than one and 2 ** k - 1", node, "bit operation")
    return outside("this operator on integers is not covered", node, type(op).__name__)


def _power(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    exponent = right.term
    if exponent.kind is Kind.LIT and isinstance(exponent.value, int):
        if exponent.value < 0:
            outside("a negative power is a float", node, "float")
        if exponent.value <= MAX_POWER:
            base, result = left.term, integer(1)
            if base.kind is Kind.LIT and isinstance(base.value, int) and base.value.bit_length() < 64:
                return Value(INT, integer(base.value**exponent.value), natural=left.natural)
            if exponent.value <= 4:
                for _ in range(exponent.value):
                    result = times(result, base)
                return Value(INT, result, natural=left.natural or exponent.value % 2 == 0)
    if not right.natural:
        frame.exact_where(compare(">=", exponent, integer(0)))  # else it gives a float, or raises
    return Value(INT, plain(frame.registry, "power.int", left.term, exponent), natural=left.natural)


def _concatenate(frame: Frame, left: Value, right: Value, node: ast.AST) -> Value:
    kind = frame.unify(left.kind, right.kind, node)
    a, b = frame.coerce(left, kind, node), frame.coerce(right, kind, node)
    if kind.args[0].kind == "unknown":
        return replace(a, owned=True)
    return Value(kind, frame.library(kind.args[0]).append(a.term, b.term), owned=True)


def comparison(frame: Frame, node: ast.Compare) -> Value:
    """A chain of comparisons: each operand is evaluated once, and only as long as the chain holds."""
    left = sets.operand(frame, node.left)
    result = TRUE
    current = frame
    chain: list[tuple[Term, Frame]] = []
    for i, (op, part) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if _is_range(part):
            right = None
        else:
            right = _right(current, part) if isinstance(op, ast.In | ast.NotIn) else sets.operand(current, part)
        truth = compared(current, op, left, right, part if right is None else node)
        result = and_([result, truth])
        if i == len(node.ops) - 1:
            break
        if right is None:
            outside("this in the middle of a comparison", node, "range")
        left = right
        inner = current.part("it may not be evaluated")
        chain.append((truth, current))
        current = inner
    for truth, outer in reversed(chain):
        outer.join(truth, current)
        current = outer
    return Value(BOOL, result)


def _right(frame: Frame, node: ast.expr) -> Value:
    view = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in mappings.VIEWS
    return frame.rules.listed(frame, node) if view else sets.operand(frame, node)


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def compared(frame: Frame, op: ast.cmpop, left: Value, right: Value | None, node: ast.expr) -> Term:
    """``left op right``; ``right`` None: ``node`` is a range."""
    if isinstance(op, ast.In | ast.NotIn):
        found = _contains(frame, left, right, node)
        return found if isinstance(op, ast.In) else not_less(found)
    if right is None:
        return outside("a range is compared", node, "range")
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(frame, isinstance(op, ast.Is), left, right, node)
    word = _COMPARED.get(type(op), "")
    own = special(frame, left, word, [right], node) if word else None
    if own is not None:
        truth = frame.truth(own, node)
        return not_(truth) if isinstance(op, ast.NotEq) else truth
    if isinstance(op, ast.Eq | ast.NotEq):
        same = equals(frame, left, right, node)
        return same if isinstance(op, ast.Eq) else not_(same)
    left, right = frame.present(left, "TypeError"), frame.present(right, "TypeError")
    if left.kind.kind == right.kind.kind == "set" and isinstance(op, ast.LtE | ast.GtE):
        return sets.within(frame, *((left, right) if isinstance(op, ast.LtE) else (right, left)), node)
    kind = frame.unify(left.kind, right.kind, node, "this")
    if kind.kind == "list":
        frame.known(Value(kind, left.term))
    a, b = frame.coerce(left, kind, node).term, frame.coerce(right, kind, node).term
    word = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}[type(op)]
    if kind in (INT, BOOL):
        if kind == BOOL:
            a, b = (frame.coerce(Value(BOOL, t), INT, node).term for t in (a, b))
        return compare(word, a, b)
    if word in (">", ">="):
        a, b = b, a
    return less(frame.registry, kind, a, b, or_equal=word in ("<=", ">="))


_COMPARED = {ast.Eq: "__eq__", ast.NotEq: "__eq__", ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__",
             ast.GtE: "__ge__"}  # fmt: skip


def equals(frame: Frame, left: Value, right: Value, node: ast.AST) -> Term:
    """``left == right``."""
    if NONE in (left.kind, right.kind):
        return _identity(frame, True, left, right, node)
    if left.kind.kind == right.kind.kind == "dict":
        return mappings.same(frame, left, right, node)
    if left.kind.kind == right.kind.kind == "set":
        return and_([sets.within(frame, left, right, node), sets.within(frame, right, left, node)])
    if is_open(left) and is_open(right):
        return TRUE
    for one, other in ((left, right), (right, left)):
        if is_open(one) and other.kind.kind == "list":
            return frame.registry.is_nil(other.kind.args[0], other.term)
    kind = frame.unify(left.kind, right.kind, node, "this comparison")
    if frame.registry.module.is_incomparable(kind):
        outside(f"`==` of {kind}", node, "==")
    a, b = frame.coerce(left, kind, node).term, frame.coerce(right, kind, node).term
    for term, against in ((a, b), (b, a)):
        if kind.kind == "list" and term.kind is Kind.APP and term.name.startswith("nil."):
            return frame.registry.is_nil(kind.args[0], against)
    return equal(a, b)


def is_open(value: Value) -> bool:
    """Whether it is an empty list of which nothing is known."""
    return value.kind.kind == "list" and value.kind.args[0].kind == "unknown"


def _identity(frame: Frame, positive: bool, left: Value, right: Value, node: ast.AST) -> Term:
    if left.kind == NONE:
        left, right = right, left
    same = TRUE if left.kind == NONE else FALSE
    if right.kind != NONE:
        if not (left.kind.kind == right.kind.kind == "enum" and left.kind == right.kind):
            outside("`is` of other things than None and members of enumerations", node, "is")
        same = equal(left.term, right.term)
    elif left.kind.kind == "optional":
        same = frame.registry.is_none(left.kind.args[0], left.term)
    return same if positive else not_(same)


def _contains(frame: Frame, left: Value, right: Value | None, node: ast.expr) -> Term:
    if right is None:
        return _in_range(frame, left, node)
    own = special(frame, right, "__contains__", [left], node)
    if own is not None:
        return frame.truth(own, node)
    if right.kind.kind == "str" and left.kind == STR:
        return app("str.contains", (right.term, left.term), BOOLS)
    if right.kind.kind == "tuple":
        parts = [Value(k, frame.registry.item(right.term, right.kind, i)) for i, k in enumerate(right.kind.args)]
        return or_([equals(frame, left, p, node) for p in parts])
    if right.kind.kind == "dict":
        return mappings.has(frame, right, left, node)
    if right.kind.kind == "set":
        if not sets.is_hashed(left.kind):
            outside(f"whether {left.kind} is in a set", node, "a set")
        right = sets.as_list(right)
    if right.kind.kind != "list":
        return outside(f"`in` {right.kind}", node, "in")
    if is_open(right):
        return FALSE
    kind = frame.unify(left.kind, right.kind.args[0], node)
    xs = frame.coerce(right, list_of(kind), node).term
    return frame.library(kind).member(frame.coerce(left, kind, node).term, xs)


def _in_range(frame: Frame, left: Value, node: ast.expr) -> Term:
    assert isinstance(node, ast.Call)
    if "range" in frame.local or "range" in frame.env or not frame.registry.module.is_builtin("range") or node.keywords:
        outside("this is not followed", node)
    args = [frame.integral(a, node).term for a in [frame.value(a) for a in node.args]]
    if not 1 <= len(args) <= 2:
        outside("`in` a range with a step", node, "range")
    low, high = (integer(0), args[0]) if len(args) == 1 else args
    if left.kind.kind == "optional":
        outside("`in` a range of what may be None", node, "in")
    value = frame.integral(left, node).term
    return and_([compare("<=", low, value), compare("<", value, high)])
