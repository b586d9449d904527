"""What a recursive call is given: one less, a child, a half, one of several parts."""

from __future__ import annotations

import ast

from goedels_poetry.languages.python.fingerprint.flow import Source, loop_targets, sources
from goedels_poetry.languages.python.fingerprint.syntax import (
    COMPREHENSIONS,
    bound,
    called,
    is_constant,
    loads,
    root,
    walk,
)
from goedels_poetry.languages.python.fingerprint.units import Unit

_STRENGTH = ("same", "other", "child", "less", "shrink", "part", "half")
_COPIES = ("list", "tuple", "sorted", "int", "reversed", "iter", "set", "deque", "abs", "enumerate", "floor", "round")


class Parts:
    """The kinds of arguments in one unit.

    ``half``: bounds that come from a middle. ``part``: a slice at a computed place, a filtered sequence, what a helper
    split off. ``shrink``: a quotient. ``less``: one less or one element less. ``child``: an element or attribute.
    """

    def __init__(self, unit: Unit, calls: list[ast.Call]) -> None:
        self._unit, self._calls = unit, {id(call) for call in calls}
        self._known = sources(unit.body)
        self._through = loop_targets(unit.body)
        self._grown = _grown_under_conditions(unit)
        self._pointers = {
            node.target.id
            for loop in walk(unit.body)
            if isinstance(loop, ast.While)
            for node in walk(loop.body)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
        } - set(unit.parameters)
        self._walked = {
            name
            for node in walk(unit.body)
            if isinstance(node, ast.While)
            for inner in walk(node.body)
            if isinstance(inner, ast.Assign)
            for target in inner.targets
            for name in bound(target)
        }

    def of_call(self, call: ast.Call) -> str:
        """The strongest kind among the arguments."""
        kinds = [self.of(argument) for argument in [*call.args, *(word.value for word in call.keywords)]]
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is not None and root(receiver) not in ("self", "cls"):
            kinds.append(self.of(receiver))
        return max(kinds, key=_STRENGTH.index, default="same")

    def of(self, node: ast.expr, depth: int = 4, seen: frozenset[str] = frozenset()) -> str:
        """The kind of one argument."""
        if isinstance(node, ast.Name):
            return self._name(node.id, depth, seen)
        if isinstance(node, ast.BinOp):
            return self._binary(node, depth, seen)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth, seen)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node, depth, seen)
        if isinstance(node, ast.Call):
            return self._call(node, depth, seen)
        if isinstance(node, ast.IfExp):
            return max(self.of(node.body, depth, seen), self.of(node.orelse, depth, seen), key=_STRENGTH.index)
        if isinstance(node, (ast.Starred, ast.NamedExpr)):
            return self.of(node.value, depth, seen)
        if isinstance(node, (ast.Tuple, ast.List)) and node.elts:
            return max((self.of(part, depth, seen) for part in node.elts), key=_STRENGTH.index)
        return "other"

    def _name(self, name: str, depth: int, seen: frozenset[str]) -> str:
        if depth == 0 or name in seen or name not in self._known:
            return "same" if name in self._unit.parameters else "other"
        if name in self._grown or name in self._pointers:
            return "part"
        kinds = [self._source(source, depth - 1, seen | {name}) for source in self._known[name]]
        return max(kinds, key=_STRENGTH.index)

    def _source(self, source: Source, depth: int, seen: frozenset[str]) -> str:
        value = source.value
        if source.how == "update":
            return "other"
        if any(id(node) in self._calls for node in walk(value)):
            return "other"
        if source.how == "for":
            over = isinstance(value, (ast.Tuple, ast.List)) and self.of(value, depth, seen)
            return over if over in ("half", "part", "shrink") else "child"
        if source.how == "unpack" and not isinstance(value, ast.Call):
            inner = self.of(value, depth, seen)
            return inner if inner in ("half", "part", "shrink") else "child"
        return self.of(value, depth, seen)

    def _binary(self, node: ast.BinOp, depth: int, seen: frozenset[str]) -> str:
        if isinstance(node.op, (ast.FloorDiv, ast.RShift, ast.Div)):
            return "half" if _is_middle(node.left, self._known) else "shrink"
        if isinstance(node.op, ast.Mod):
            return "other" if is_constant(node.right) else self._beyond_names(node, depth, seen)
        left, right = self.of(node.left, depth, seen), self.of(node.right, depth, seen)
        strongest = max(left, right, key=_STRENGTH.index)
        if strongest in ("half", "part", "shrink"):
            return strongest
        if (isinstance(node.op, ast.Sub) and is_constant(node.right)) or (
            isinstance(node.op, ast.Add) and is_constant(node.right)
        ):
            return "less"
        return "other"

    def _beyond_names(self, node: ast.BinOp, depth: int, seen: frozenset[str]) -> str:
        """``n % m`` is a part if ``m`` is a power that was worked out; ``a % b`` of parameters is not."""
        kind = self.of(node.right, depth, seen)
        return "shrink" if kind in ("half", "shrink", "part") else "other"

    def _subscript(self, node: ast.Subscript, depth: int, seen: frozenset[str]) -> str:
        place = node.slice
        if not isinstance(place, ast.Slice):
            inner = self.of(node.value, depth, seen) if isinstance(node.value, ast.Call) else ""
            return inner if inner in ("part", "half") else "child"
        if place.step is not None and not (
            isinstance(place.step, ast.UnaryOp) or (is_constant(place.step) and ast.literal_eval(place.step) == 1)
        ):
            return "part"
        bounds = [bound for bound in (place.lower, place.upper) if bound is not None]
        if all(is_constant(bound) for bound in bounds):
            inner = self.of(node.value, depth, seen)
            return inner if inner in ("part", "half") else "less"
        names = {name for bound in bounds for name in loads(bound)}
        if names & self._through:
            return "other"
        if any(_is_middle(inner, self._known) or self.of(inner, depth, seen) in ("half", "shrink") for inner in bounds):
            return "half"
        return "part" if names - set(self._unit.parameters) - {"len"} else "other"

    def _attribute(self, node: ast.Attribute) -> str:
        """A child; where a loop walked to it (the middle of a linked list), a part."""
        return "part" if root(node) in self._walked and root(node) not in self._unit.parameters else "child"

    def _comprehension(self, node: ast.expr, depth: int, seen: frozenset[str]) -> str:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        if any(_compares(test) for part in generators for test in part.ifs):
            return "part"
        element = getattr(node, "elt", None)
        kind = self.of(element, depth, seen) if element is not None else "other"
        if kind in ("part", "half"):
            return kind
        over = self.of(generators[0].iter, depth, seen)
        return over if over in ("part", "half") else "other"

    def _call(self, node: ast.Call, depth: int, seen: frozenset[str]) -> str:
        name = called(node)
        if name == "divmod":
            return "shrink"
        if name == "filter":
            return "part"
        if name in _COPIES and node.args:
            return self.of(node.args[0], depth, seen)
        if name in ("max", "min") and node.args:
            return max((self.of(argument, depth, seen) for argument in node.args), key=_STRENGTH.index)
        helper = isinstance(node.func, (ast.Name, ast.Attribute)) and name in {unit.name for unit in self._unit.calls}
        if helper and loads(node.args) & {*self._unit.parameters, *self._known}:
            return "part"
        return "other"


def _is_middle(node: ast.expr, known: dict[str, list[Source]]) -> bool:
    """A sum of two places, or a length: halved, it is a middle."""
    for inner in walk(node):
        if called(inner) == "len":
            return True
        if isinstance(inner, ast.Name) and any(called(source.value) == "len" for source in known.get(inner.id, ())):
            return True
        if (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, (ast.Add, ast.Sub))
            and (
                not is_constant(inner.left)
                and not is_constant(inner.right)
                and loads(inner.left)
                and loads(inner.right)
            )
        ):
            return True
    return False


def _compares(test: ast.expr) -> bool:
    """An order or equality: what partitions around a pivot."""
    return any(isinstance(node, ast.Compare) for node in walk(test)) or any(
        isinstance(node, ast.Call) for node in walk(test)
    )


def _grown_under_conditions(unit: Unit) -> set[str]:
    """Lists that a loop fills with some of the elements: ``left`` and ``right`` of a partition."""
    loops = [node for node in walk(unit.body) if isinstance(node, (ast.For, ast.AsyncFor, ast.While))]
    conditions = [
        node for loop in loops for node in walk(loop.body) if isinstance(node, (ast.If, ast.IfExp, ast.Match))
    ]
    return {
        name
        for condition in conditions
        for node in walk(condition)
        if called(node) == "append" and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        for name in ([root(node.func.value)] if not isinstance(node.func.value, ast.IfExp) else loads(node.func.value))
    }
