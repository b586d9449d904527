"""Indices: loops over them that are used for elements alone, elements and slices of lists and texts, f-strings.

Where these are neighbours (``xs[i] <= xs[i + 1] for i in range(len(xs) - 1)``) it goes over ``zip(xs, xs[1:])``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from goedels_poetry.kernel.terms import BOOL as BOOLS
from goedels_poetry.kernel.terms import INT as INTS
from goedels_poetry.kernel.terms import STRING as STRINGS
from goedels_poetry.kernel.terms import TRUE, Kind, Term, and_, app, integer, lit, not_
from goedels_poetry.python.translate.build import C_INT, compare, cond, equal, minus, negative, plus
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import Frame, Value
from goedels_poetry.python.translate.library import plain
from goedels_poetry.python.translate.liveness import assigned, bound_names
from goedels_poetry.python.translate.module import BOOL, INT, STR, list_of

Node = TypeVar("Node", bound=ast.AST)
MAX_FIRST = 3


def by_elements(
    frame: Frame, target: ast.expr, over: ast.expr, parts: Sequence[Node], changed: frozenset[str]
) -> tuple[ast.expr, ast.expr, list[Node]] | None:
    """Target, iterable and ``parts`` (all that the index is visible in) of the same loop over elements.

    None where the index is used for something else, or the list is among what is ``changed``.
    """
    if not isinstance(target, ast.Name) or target.id in changed or not _is_call(frame, over, "range"):
        return None
    assert isinstance(over, ast.Call)
    first, last = (ast.Constant(0), over.args[0]) if len(over.args) == 1 else (over.args[0], over.args[-1])
    if len(over.args) > 2 or not isinstance(first, ast.Constant) or type(first.value) is not int:
        return None
    short = isinstance(last, ast.BinOp) and isinstance(last.op, ast.Sub) and _is_one(last.right)
    last = last.left if short and isinstance(last, ast.BinOp) else last  # up to the last but one
    if not 0 <= first.value <= MAX_FIRST or not _is_call(frame, last, "len"):
        return None
    assert isinstance(last, ast.Call)
    xs = last.args[0]
    if not isinstance(xs, ast.Name) or xs.id in changed or xs.id == target.id:
        return None
    value = frame.env.get(xs.id)
    if value is None or value.kind.kind != "list" or value.kind.args[0].kind == "unknown":
        return None
    if any(_binds(part, (xs.id, target.id)) for part in parts):
        return None
    name = f"{xs.id}@{target.id}"
    plain = not short and _replaced(parts, xs.id, target.id, {0: name})
    if plain:
        new: ast.expr = ast.Name(xs.id, ast.Load())
        if first.value:
            new = ast.Subscript(new, ast.Slice(ast.Constant(first.value), None, None), ast.Load())
        new = ast.fix_missing_locations(ast.copy_location(new, over))
        return ast.copy_location(ast.Name(name, ast.Store()), target), new, plain
    if first.value != (0 if short else 1):
        return None
    both = [name, f"{name}@next"]
    near = _replaced(parts, xs.id, target.id, dict(enumerate(both, first.value * -1)))
    if not near:
        return None
    following = ast.Subscript(ast.Name(xs.id, ast.Load()), ast.Slice(ast.Constant(1)), ast.Load())
    pairs = ast.Call(ast.Name("zip@", ast.Load()), [ast.Name(xs.id, ast.Load()), following], [])
    goal = ast.Tuple([ast.Name(n, ast.Store()) for n in both], ast.Store())
    made = ast.copy_location(goal, target), ast.copy_location(pairs, over)
    return ast.fix_missing_locations(made[0]), ast.fix_missing_locations(made[1]), near


def _replaced(parts: Sequence[Node], xs: str, index: str, names: Mapping[int, str]) -> list[Node] | None:
    """``parts`` with a name for ``xs[index + k]`` for each ``k`` of ``names``; None where the index is seen besides."""
    made = [copy.deepcopy(p) for p in parts]
    for offset, name in names.items():
        rule = _Elements(xs, index, ast.Name(name, ast.Load()), offset)
        made = [rule.visit(p) for p in made]
    return None if any(isinstance(n, ast.Name) and n.id == index for p in made for n in ast.walk(p)) else made


def over_elements(frame: Frame, node: ast.For) -> ast.For | None:
    """A loop over indices that are used for elements alone as one over elements; None for others."""
    changed = assigned(node.body)
    for body, left in ((node.body, {}), beside(frame, node, changed)):
        made = by_elements(frame, node.target, node.iter, body, changed)
        if made is not None:
            for name, (xs, first) in left.items():
                frame.check(frame.env[xs].bound, "UnboundLocalError")
                begin = ast.Subscript(ast.Name(xs, ast.Load()), ast.Slice(ast.Constant(first)), ast.Load())
                frame.env[name] = frame.value(ast.fix_missing_locations(ast.copy_location(begin, node)))
            target, over, inner = made
            return ast.copy_location(ast.For(target, over, inner, node.orelse), node)
    return None


def beside(frame: Frame, node: ast.For, changed: frozenset[str]) -> tuple[list[ast.stmt], dict[str, tuple[str, int]]]:
    """The body of a loop over the indices of a list, where these are used for elements of other lists as well.

    ``ys[i]`` becomes the first element of what is left of ``ys``, which is cut at the beginning of each round. Gives
    the body and, for each variable of what is left, the list and how many of its elements are left out at first.
    """
    body: list[ast.stmt] = copy.deepcopy(node.body)
    over = node.iter
    if not isinstance(node.target, ast.Name) or not _is_call(frame, over, "range") or not isinstance(over, ast.Call):
        return body, {}
    index, last = node.target.id, over.args[-1]
    first = over.args[0] if len(over.args) == 2 else ast.Constant(0)
    known = isinstance(first, ast.Constant) and type(first.value) is int and 0 <= first.value <= MAX_FIRST
    own = last.args[0] if isinstance(last, ast.Call) and _is_call(frame, last, "len") else None
    if not known or len(over.args) > 2 or not isinstance(own, ast.Name):
        return body, {}
    assert isinstance(first, ast.Constant) and isinstance(first.value, int)
    left: dict[str, tuple[str, int]] = {}
    for name in sorted({n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)} - {own.id, index}):
        value = frame.env.get(name)
        is_list = value is not None and value.bound is TRUE and _is_known_list(value)
        if not is_list or name in changed or any(_binds(part, (name, index)) for part in body):
            continue
        cut, rest = f"{name}@{index}", f"left@{name}@{index}"
        element = ast.Subscript(ast.Name(cut, ast.Load()), ast.Constant(0), ast.Load())
        made = [_Elements(name, index, element).visit(part) for part in body]
        if any(isinstance(n, ast.Name) and n.id == cut for part in made for n in ast.walk(part)):
            following = ast.Subscript(ast.Name(rest, ast.Load()), ast.Slice(ast.Constant(1)), ast.Load())
            body = [
                ast.Assign([ast.Name(cut, ast.Store())], ast.Name(rest, ast.Load())),
                ast.Assign([ast.Name(rest, ast.Store())], following),
                *made,
            ]
            left[rest] = name, first.value
    for made_statement in body:
        ast.fix_missing_locations(ast.copy_location(made_statement, node.body[0]) if left else made_statement)
    return body, left


def counted(frame: Frame, node: ast.While) -> ast.For | None:
    """``while i < len(xs): ...; i = i + 1`` as a loop over indices, where ``i`` begins at a small number."""
    test = _below(node.test)
    if test is None or not node.body[:-1] or node.orelse:
        return None
    index, end, strict = test
    begin, body = frame.env.get(index), node.body[:-1]
    if not _is_call(frame, end, "len") or not _counts(node.body[-1], index):
        return None
    if begin is None or begin.kind.kind != "int" or begin.bound is not TRUE or begin.term.kind is not Kind.LIT:
        return None
    first = begin.term.value
    names = (index, *(n.id for n in ast.walk(end) if isinstance(n, ast.Name)))
    changes = any(_binds(part, names) for part in body) or any(
        isinstance(p, ast.Continue) for part in body for p in ast.walk(part)
    )
    if changes or not isinstance(first, int) or (not strict and first != 0):
        return None
    over = ast.Call(ast.Name("range", ast.Load()), [ast.Constant(first), end], [])
    made = ast.For(ast.Name(index, ast.Store()), over, body, [])
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _below(test: ast.expr) -> tuple[str, ast.expr, bool] | None:
    """``i`` and ``n`` of a test that goes on while ``i < n``, and whether it says no less (``i != n`` does)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = test.operand
        denied = _DENIED.get(type(inner.ops[0])) if isinstance(inner, ast.Compare) and len(inner.ops) == 1 else None
        if denied is None or not isinstance(inner, ast.Compare):
            return None
        test = ast.Compare(inner.left, [denied()], inner.comparators)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return None
    left, operator, right = test.left, type(test.ops[0]), test.comparators[0]
    if operator in (ast.Gt, ast.GtE) or (operator is ast.NotEq and not isinstance(left, ast.Name)):
        left, operator, right = right, {ast.Gt: ast.Lt, ast.GtE: ast.LtE}.get(operator, operator), left
    if operator is ast.LtE and isinstance(right, ast.BinOp) and isinstance(right.op, ast.Sub) and _is_one(right.right):
        operator, right = ast.Lt, right.left
    elif operator is ast.LtE and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add) and _is_one(left.right):
        operator, left = ast.Lt, left.left
    if operator not in (ast.Lt, ast.NotEq) or not isinstance(left, ast.Name):
        return None
    return left.id, right, operator is ast.Lt


_DENIED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
}


def _counts(last: ast.stmt, index: str) -> bool:
    """``i += 1``, ``i = i + 1`` or ``i = 1 + i``."""
    if isinstance(last, ast.AugAssign) and isinstance(last.target, ast.Name):
        return last.target.id == index and isinstance(last.op, ast.Add) and _is_one(last.value)
    if not isinstance(last, ast.Assign) or ast.unparse(last.targets[0]) != index or len(last.targets) > 1:
        return False
    return ast.unparse(last.value) in (f"{index} + 1", f"1 + {index}")


def _is_call(frame: Frame, node: ast.expr, name: str) -> bool:
    """Whether a node calls the builtin ``name`` with plain arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and name not in frame.local
        and name not in frame.env
        and frame.registry.module.is_builtin(name)
        and not node.keywords
        and bool(node.args)
        and not any(isinstance(a, ast.Starred) for a in node.args)
        and (name != "len" or len(node.args) == 1)
    )


def _is_known_list(value: Value) -> bool:
    return value.kind.kind == "list" and value.kind.args[0].kind != "unknown"


def _binds(node: ast.AST, names: tuple[str, ...]) -> bool:
    """Whether one of these names is bound anywhere in a node, by a lambda or a comprehension, too."""
    return not set(names).isdisjoint(bound_names(node))


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


class _Elements(ast.NodeTransformer):
    """``xs[i]`` becomes another expression; with an ``offset`` ``xs[i + 1]`` or ``xs[i - 1]`` does."""

    def __init__(self, xs: str, index: str, element: ast.expr, offset: int = 0) -> None:
        self.xs, self.index, self.element, self.offset = xs, index, element, offset

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        at: ast.expr = node.slice
        offset = 0
        if isinstance(at, ast.BinOp) and isinstance(at.op, ast.Add | ast.Sub) and _is_one(at.right):
            offset = 1 if isinstance(at.op, ast.Add) else -1
            at = at.left
        plain = isinstance(node.value, ast.Name) and isinstance(at, ast.Name) and isinstance(node.ctx, ast.Load)
        here = plain and offset == self.offset
        if here and node.value.id == self.xs and at.id == self.index:  # type: ignore[attr-defined]
            return ast.fix_missing_locations(ast.copy_location(copy.deepcopy(self.element), node))
        self.generic_visit(node)
        return node


# Elements of lists by an index, slices of lists and texts; methods of texts, letters and numbers, f-strings

MAX_STEP = 4


def element(frame: Frame, at: Value, xs: Value) -> tuple[Value, Callable[[Term], Term]]:
    """The element of a list at an index, and the list with another one there; IndexError where it has none."""
    library = frame.library(xs.kind.args[0])
    if at.term is integer(-1):
        frame.check(not_(library.is_nil(xs.term)), "IndexError")
        return Value(xs.kind.args[0], library.call("last", xs.term)), lambda new: library.call("put.last", xs.term, new)
    i = element_position(frame, at, xs)
    return Value(xs.kind.args[0], library.nth(xs.term, i)), lambda new: library.call("put", xs.term, i, new)


def element_position(frame: Frame, at: Value, xs: Value) -> Term:
    """An index into a list from 0 on; IndexError where it has no such element."""
    library = frame.library(xs.kind.args[0])
    if at.term is integer(0):
        frame.check(not_(library.is_nil(xs.term)), "IndexError")
        return at.term
    return position(frame, at, library.length(xs.term))


def position(frame: Frame, at: Value, length: Term, exception: str = "IndexError") -> Term:
    """An index from 0 on, of something so long."""
    term = at.term
    if at.natural:
        frame.check(compare("<", term, length), exception)
        return term
    if term.kind is Kind.LIT and isinstance(term.value, int) and term.value < 0:
        frame.check(compare(">=", length, integer(-term.value)), exception)
        return minus(length, integer(-term.value))
    low = compare("<=", negative(length), term)
    frame.check(and_([low, compare("<", term, length)]), exception)
    return cond(compare("<", term, integer(0)), plus(term, length), term)


def cut_out(frame: Frame, value: Value, cut: ast.Slice, node: ast.AST) -> Value:
    """``value[low:high:step]``. Raises OutsideFragment: it is not covered."""
    if cut.step is not None and not (isinstance(cut.step, ast.Constant) and cut.step.value is None):
        return _stepping(frame, value, cut, node)
    low, high = (_bound(frame, e, node) for e in (cut.lower, cut.upper))
    if value.kind == STR:
        length = app("str.len", (value.term,), INTS)
        start = integer(0) if low is None else _clamped(low, length)
        end = length if high is None else _clamped(high, length)
        return Value(STR, app("str.substr", (value.term, start, minus(end, start)), STRINGS))
    if value.kind.kind != "list":
        outside(f"a slice of {value.kind}", node, "slice")
    library = frame.library(value.kind.args[0])
    length = library.length(value.term)
    xs = value.term
    if high is not None and high.term is integer(-1):
        xs = library.call("front", xs)
    elif high is not None:
        xs = library.call("take", xs, _from_start(high, length))
    if low is not None:
        xs = library.drop(xs, _from_start(low, length))
    return Value(value.kind, xs, owned=True)


def _stepping(frame: Frame, value: Value, cut: ast.Slice, node: ast.AST) -> Value:
    """A slice with a step, which is a small literal; backwards only of the whole."""
    step = literal_integer(cut.step) if cut.step is not None else None
    if step is None or not 0 < abs(step) <= MAX_STEP:
        return outside("a slice with this step", node, "slice")
    if step < 0 and (cut.lower is not None or cut.upper is not None):
        outside("a part of a list backwards", node, "slice")
    if value.kind == STR and step in (1, -1):
        if step == 1:
            return cut_out(frame, value, ast.Slice(cut.lower, cut.upper), node)
        length = app("str.len", (value.term,), INTS)
        return Value(STR, plain(frame.registry, "backwards.str", value.term, length))
    if value.kind.kind != "list":
        outside(f"a slice of {value.kind} with this step", node, "slice")
    value = frame.known(value)
    library = frame.library(value.kind.args[0])
    part = cut_out(frame, value, ast.Slice(cut.lower, cut.upper), node)
    term = library.reverse(value.term) if step < 0 else part.term
    return Value(value.kind, term if abs(step) == 1 else library.call(f"every{abs(step)}", term), owned=True)


def _bound(frame: Frame, cut: ast.expr | None, node: ast.AST) -> Value | None:
    if cut is None or (isinstance(cut, ast.Constant) and cut.value is None):
        return None
    value = frame.value(cut)
    if value.kind.kind == "optional":
        outside("a slice up to what may be None", node, "slice")
    return frame.integral(value, node)


def _from_start(at: Value, length: Term) -> Term:
    """A bound of a slice, counted from the start; below 0 it means 0."""
    term = at.term
    if at.natural:
        return term
    if term.kind is Kind.LIT and isinstance(term.value, int) and term.value < 0:
        return plus(length, term)
    return cond(compare("<", term, integer(0)), plus(term, length), term)


def _clamped(at: Value, length: Term) -> Term:
    start = _from_start(at, length)
    if at.natural:
        return start
    return cond(compare("<", start, integer(0)), integer(0), start)


def literal_integer(node: ast.expr) -> int | None:
    """The integer that is written here, or None."""
    minus_sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if isinstance(node, ast.UnaryOp) and minus_sign else node
    if isinstance(inner, ast.Constant) and type(inner.value) is int:
        return -inner.value if minus_sign else inner.value
    return None


def text_method(frame: Frame, name: str, value: Value, args: list[Value], node: ast.AST) -> Value:
    """``value.name(args)``."""
    text = value.term
    if name == "replace" and [a.kind for a in args] == [STR, STR]:
        old, new = (a.term for a in args)
        frame.exact_where(not_(equal(old, lit("", STRINGS))))  # which stands between all letters
        return Value(STR, app("str.replace_all", (text, old, new), STRINGS))
    if name in ("strip", "lstrip", "rstrip") and [a.kind for a in args] in ([], [STR]):
        letters, begin = args[0].term if args else lit(_SPACES, STRINGS), integer(0)
        if name != "rstrip":
            begin = plain(frame.registry, "first.str", text, letters, integer(0))
            text = app("str.substr", (text, begin, minus(_length(text), begin)), STRINGS)
        end = plain(frame.registry, "end.str", text, letters, _length(text)) if name != "lstrip" else _length(text)
        return Value(STR, app("str.substr", (text, integer(0), end), STRINGS))
    if name == "split" and [(a.kind, a.term.kind, len(str(a.term.value))) for a in args] == [(STR, Kind.LIT, 1)]:
        parts = frame.library(STR).call("split", text, args[0].term, integer(0), integer(0))
        return Value(list_of(STR), parts, owned=True)
    if [a.kind for a in args] != [STR]:
        return outside(f"the method `{name}` of a text is not covered with these arguments", node, f"method {name}")
    other = args[0].term
    ends = app("str.suffixof" if name in ("endswith", "removesuffix") else "str.prefixof", (other, text), BOOLS)
    match name:
        case "startswith" | "endswith":
            return Value(BOOL, ends)
        case "count" if other.kind is Kind.LIT and len(str(other.value)) == 1:
            return Value(INT, plain(frame.registry, "count.str", text, other, integer(0)), natural=True, exact=True)
        case "find":
            return Value(INT, app("str.indexof", (text, other, integer(0)), INTS))
        case "removeprefix" | "removesuffix":
            left = minus(_length(text), _length(other))
            begin = _length(other) if name == "removeprefix" else integer(0)
            return Value(STR, cond(ends, app("str.substr", (text, begin, left), STRINGS), text))
    return outside(f"the method `{name}` of a text is not covered", node, f"method {name}")


def joined(frame: Frame, between: Value, given: Value, node: ast.AST) -> Value:
    """``between.join(given)``."""
    given = frame.coerce(given, list_of(STR), node, "what is joined")
    texts = frame.library(STR)
    return Value(STR, texts.call("join", between.term, given.term))


def code_of(frame: Frame, value: Value, node: ast.AST) -> Value:
    """``ord(value)``. Of letters beyond those of SMT-LIB nothing is claimed: its last ones stand for them."""
    value = frame.present(value, "TypeError")
    if value.kind != STR:
        outside(f"`ord` of {value.kind}", node, "call ord")
    if value.term.kind is Kind.LIT and len(str(value.term.value)) == 1:
        return Value(INT, integer(ord(str(value.term.value))), natural=True, exact=True)
    frame.check(equal(_length(value.term), integer(1)), "TypeError")
    code = app("str.to_code", (value.term,), INTS)
    frame.exact_where(compare("<=", code, integer(LAST_CODE)))
    return Value(INT, code, natural=True, exact=True)


def letter_of(frame: Frame, value: Value, node: ast.AST) -> Value:
    """``chr(value)``; of what is beyond the letters of SMT-LIB, and of halves of pairs, nothing is claimed."""
    number = frame.integral(value, node)
    code = number.term
    known = code.value if code.kind is Kind.LIT else None
    if isinstance(known, int) and 0 <= known < SURROGATES[0]:
        return Value(STR, lit(chr(known), STRINGS))
    frame.exact_within(number, *C_INT)
    frame.check(_within(code, 0, 0x10FFFF), "ValueError")
    is_half = _within(code, SURROGATES[0], SURROGATES[1] - 1)
    frame.exact_where(and_([compare("<=", code, integer(LAST_CODE)), not_(is_half)]))
    return Value(STR, app("str.from_code", (code,), STRINGS))


def _within(number: Term, low: int, high: int) -> Term:
    return and_([compare("<=", integer(low), number), compare("<=", number, integer(high))])


_SPACES = "".join(chr(n) for n in range(0x3001) if chr(n).isspace())
"""What `str.strip` takes away; there is no other white space in Unicode."""
SURROGATES = 0xD800, 0xE000
LAST_CODE = 0x2FF00


def _length(text: Term) -> Term:
    return app("str.len", (text,), INTS)


def text_of(frame: Frame, value: Value, node: ast.AST) -> Term:
    """``str(value)``, of a text, a truth value or an integer.

    How many digits Python writes is out of account, like memory.
    """
    if value.kind == STR:
        return value.term
    if value.kind == BOOL:
        return cond(value.term, lit("True", STRINGS), lit("False", STRINGS))
    if value.kind == INT and not value.exact:
        outside("the text of an integer that may be True or False (that of `int(n)` is covered)", node, "str")
    if value.kind != INT:
        outside(f"the text of {value.kind}", node, "str")
    frame.registry.digits = True
    n = value.term
    if n.kind is Kind.LIT:
        return lit(str(n.value), STRINGS)
    digits = app("str.from_int", (n,), STRINGS)
    if value.natural:
        return digits
    below = app("str.++", (lit("-", STRINGS), app("str.from_int", (negative(n),), STRINGS)), STRINGS)
    return cond(compare("<", n, integer(0)), below, digits)


def formatted(frame: Frame, node: ast.JoinedStr) -> Value:
    """An f-string: its parts, from left to right."""
    parts: list[Term] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                outside("a format in an f-string", node, "JoinedStr")
            parts.append(text_of(frame, frame.value(part.value), part.value))
        else:
            parts.append(frame.value(part).term)
    if len(parts) < 2:
        return Value(STR, parts[0] if parts else lit("", STRINGS))
    return Value(STR, app("str.++", parts, STRINGS))
