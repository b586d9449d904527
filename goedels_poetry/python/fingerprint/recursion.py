"""Which kind of recursion a function is: memoised, over parts, with choices undone, tail, mutual."""

from __future__ import annotations

import ast

from goedels_poetry.python.fingerprint.canonical import COMPREHENSIONS, LOOPS, called, loads, root, stores, text, walk
from goedels_poetry.python.fingerprint.functions import File, Function, calls_back
from goedels_poetry.python.fingerprint.names import DIVIDE_AND_CONQUER, MEMOISATION, RECURSION

_CACHES = frozenset(
    ["cache", "lru_cache", "cached", "memoize", "memoise", "memoized", "memoised", "memo", "memory", "cachedmethod"]
)
_COPIES = frozenset(
    ["list", "tuple", "sorted", "int", "reversed", "iter", "set", "deque", "abs", "enumerate", "floor", "round"]
)
_KINDS = ("", "less", "shrink", "part", "half")
"""What a recursive call is given: one less or a child; a quotient; one of several parts; a half."""
_DO = {"append": "pop", "add": "remove", "push": "pop", "insert": "pop"}


def of_recursion(file: File, function: Function) -> tuple[str, set[str]]:
    """Strategy and tags of a recursive function, from all functions on its circle."""
    circle = function.circle
    tags = {RECURSION}
    calls = {member: calls_back(file, member) for member in circle}
    if not any(member in member.calls for member in circle):
        tags.add("mutual")
    if all(_is_tail(member, calls[member]) for member in circle):
        tags.add("tail")
    if any(_undoes(member, calls[member]) for member in circle):
        tags.add("backtracking")
    if any(_is_memoised(file, member, calls[member]) for member in circle):
        return MEMOISATION, tags
    for member in circle:
        found = _Division(member, calls[member]).tags()
        if found is not None:
            return DIVIDE_AND_CONQUER, tags | found
    return RECURSION, tags


def _is_tail(function: Function, calls: list[ast.Call]) -> bool:
    """Whether every call back is exactly what is returned."""
    ends = [node.value for node in walk(function.body) if isinstance(node, ast.Return)]
    for value in ends:
        if isinstance(value, ast.IfExp):
            ends += [value.body, value.orelse]
        elif isinstance(value, ast.BoolOp):
            ends.append(value.values[-1])
    return bool(calls) and all(any(call is end for end in ends) for call in calls)


def _undoes(function: Function, calls: list[ast.Call]) -> bool:
    """A loop that makes a choice, calls back, and takes it back; or that passes choices on in a copy."""
    for loop in walk(function.body):
        if not isinstance(loop, LOOPS):
            continue
        inside = list(walk(loop.body))
        if not any(call is node for call in calls for node in inside):
            continue
        verbs = {(root(n.func.value), n.func.attr) for n in inside if called(n) and isinstance(n.func, ast.Attribute)}  # type: ignore[attr-defined]
        written = [text(node.targets[0]) for node in inside if isinstance(node, ast.Assign)]
        verbs |= {(target.removesuffix("[...]"), "append") for target in written if target.endswith("[...]")}
        if any(
            (name, _DO.get(verb, "")) in verbs or (verb == "add" and (name, "discard") in verbs) for name, verb in verbs
        ):
            return True
        if any("[" in target and "..." not in target and written.count(target) > 1 for target in written):
            return True
        if not isinstance(loop, ast.While) and any(
            _grows(call, stores(loop.target)) for call in calls if call in inside
        ):
            return True
    return False


def _grows(call: ast.Call, chosen: set[str]) -> bool:
    """``go(row + 1, placed + [column])``."""
    parts = [side for node in call.args if isinstance(node, ast.BinOp) for side in (node.left, node.right)]
    return any(isinstance(part, (ast.List, ast.Tuple, ast.Set)) and loads(part) & chosen for part in parts)


def _is_memoised(file: File, function: Function, calls: list[ast.Call]) -> bool:
    """A decorator that keeps results, or a table that is asked and filled with what calls back gave."""
    wrappers = list(function.decorators)
    if not function.is_definition:
        wrappers += [node.func for node in walk(function.body) if isinstance(node, ast.Call)]
    if any(_keeps(file, wrapper, function) for wrapper in wrappers):
        return True
    if function.name == "__missing__":
        return any(_stores(node) for node in walk(function.body))
    fresh = _fresh(function)
    for node in walk(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            table, value = root(node.targets[0]), node.value
        elif called(node) in ("setdefault", "__setitem__", "put", "set") and len(node.args) == 2:  # type: ignore[attr-defined]
            table, value = root(node.func.value), node.args[1]  # type: ignore[attr-defined]
        else:
            continue
        gives = [part for part in _behind(function, value) if any(part is call for call in calls)]
        if gives and table not in fresh and _reads(function, table) and not _finds_roots(gives, table):
            return True
    return False


def _behind(function: Function, value: ast.expr) -> list[ast.AST]:
    """The nodes of an expression and of what its names were given."""
    found, names, seen = list(walk(value)), loads(value), set[str]()
    for _ in range(3):
        given = [
            node.value
            for node in walk(function.body)
            if isinstance(node, (ast.Assign, ast.NamedExpr)) and stores(node) & (names - seen)
        ]
        seen |= names
        names = loads(given)
        found += walk(given)
    return found


def _keeps(file: File, wrapper: ast.expr, function: Function) -> bool:
    """``@lru_cache(None)``, or a function or class of this file that keeps results."""
    while isinstance(wrapper, ast.Call):
        wrapper = wrapper.func
    name = getattr(wrapper, "id", getattr(wrapper, "attr", ""))
    found = file.resolve(name, function.parent or function)
    if found is not None and found is not function:
        if not found.is_definition:
            return any(_keeps(file, part, found) for part in ast.walk(found.body[0]) if isinstance(part, ast.Call))
        inside = [node for part in found.body for node in ast.walk(part)]
    elif name in file.classes:
        inside = list(ast.walk(file.classes[name]))
    else:
        return name in _CACHES
    return any(map(_stores, inside)) and any(map(_looks_up, inside))


def _stores(node: ast.AST) -> bool:
    if called(node) == "setdefault":
        return True
    return isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)


def _looks_up(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot))
    return isinstance(node, ast.ExceptHandler) or called(node) == "setdefault"


def _reads(function: Function, table: str) -> bool:
    """Whether the table is asked: an entry, membership."""
    for node in walk(function.body):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and root(node) == table:
            return True
        if isinstance(node, ast.Compare) and any(root(side) == table for side in node.comparators):
            return True
        if called(node) == "setdefault" and root(node.func.value) == table:  # type: ignore[attr-defined]
            return True
    return False


def _fresh(function: Function) -> set[str]:
    """Names of tables that are new in every call: what is put there is a result, not a memory."""
    kinds = (ast.Dict, ast.List, *COMPREHENSIONS, ast.BinOp, ast.Call)
    given: dict[str, bool] = {}
    for node in walk(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            given[name] = given.get(name, True) and isinstance(node.value, kinds) and called(node.value) != "getattr"
    return {name for name, new in given.items() if new and name not in function.parameters}


def _finds_roots(gives: list[ast.AST], table: str) -> bool:
    """``parent[x] = find(parent[x])``: paths made shorter, no results kept."""
    places = [node for call in gives for part in getattr(call, "args", ()) for node in walk(part)]
    return any(isinstance(node, ast.Subscript) and root(node) == table for node in places)


class _Division:
    """Whether a recursion works on parts of its input."""

    def __init__(self, function: Function, calls: list[ast.Call]) -> None:
        self._function, self._calls = function, {id(call) for call in calls}
        nodes = list(walk(function.body))
        self._sources: dict[str, list[tuple[ast.expr, bool]]] = {}
        self._through: set[str] = set()
        self._grown: set[str] = set()
        for node in nodes:
            if isinstance(node, (ast.For, ast.comprehension)):
                self._through |= stores(node.target)
            elif isinstance(node, ast.Assign):
                for name in stores(node.targets[0]):
                    whole = isinstance(node.targets[0], ast.Name)
                    self._sources.setdefault(name, []).append((node.value, whole))
            if isinstance(node, ast.If):
                self._grown |= {
                    root(part.targets[0])
                    for part in walk([*node.body, *node.orelse])
                    if isinstance(part, ast.Assign) and text(part.targets[0]).endswith("[...]")
                } - set(function.parameters)
            if isinstance(node, ast.While):
                self._grown |= stores(node.body) - set(function.parameters)
        self._kinds = {id(call): self._of_call(call) for call in calls}
        self._list = calls

    def tags(self) -> set[str] | None:
        """The tags of a recursion over parts; None if the parts are one less, children of a tree or remainders."""
        if self._most(self._function.body)[0] >= 2:
            return set()
        parts = {text(call) for call in self._list if self._kinds[id(call)] in ("part", "half")}
        if len(parts) >= 2:
            return {"bisection"} if "half" in self._kinds.values() else set()
        if any(self._kinds[id(call)] in ("shrink", "half") and self._squares(call) for call in self._list):
            return {"squaring"}
        return None

    def _most(self, body: list[ast.stmt]) -> tuple[int, bool]:
        """The most calls on parts along one way through statements; and whether the way ends there."""
        total = best = 0
        for statement in body:
            if isinstance(statement, ast.If):
                test = self._weight(statement.test)
                (yes, ends), (no, over) = self._most(statement.body), self._most(statement.orelse)
                best = max(best, total + test + yes if ends else 0, total + test + no if over else 0)
                if ends and over:
                    return best, True
                total += test + max(0 if ends else yes, 0 if over else no, key=abs)
            elif isinstance(statement, LOOPS):
                total += 2 * sum(self._weight(node) for node in [statement])
            elif hasattr(statement, "body"):
                total += self._most(getattr(statement, "body", []))[0]
            else:
                total += self._weight(statement)
            if isinstance(statement, (ast.Return, ast.Raise)):
                return max(best, total), True
        return max(best, total), False

    def _weight(self, node: ast.AST) -> int:
        """Calls on parts in an expression, in one branch of a conditional; one that is given less spoils all."""
        if isinstance(node, ast.IfExp):
            return self._weight(node.test) + max(self._weight(node.body), self._weight(node.orelse))
        kind = self._kinds.get(id(node))
        own = 0 if not kind else -99 if kind == "less" else 2 if called(node) in ("map", "starmap", "submit") else 1
        inner = sum(self._weight(child) for child in ast.iter_child_nodes(node))
        return own + inner * (2 if isinstance(node, COMPREHENSIONS) else 1)

    def _of_call(self, call: ast.Call) -> str:
        kinds = [self._of(argument) for argument in (*call.args, *(word.value for word in call.keywords))]
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is not None and root(receiver) not in ("self", "cls"):
            kinds.append(self._of(receiver))
        return max(kinds, key=_KINDS.index, default="")

    def _of(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> str:
        """The kind of one argument."""
        if isinstance(node, ast.Name):
            return self._name(node.id, seen)
        if isinstance(node, ast.BinOp):
            return self._binary(node, seen)
        if isinstance(node, ast.Subscript):
            return self._subscript(node, seen)
        if isinstance(node, ast.Attribute):
            return "part" if root(node) in self._grown else "less"
        if isinstance(node, COMPREHENSIONS):
            tests = [part for each in node.generators for test in each.ifs for part in walk(test)]
            if any(isinstance(part, (ast.Compare, ast.Call)) for part in tests):
                return "part"
            over = [node.generators[0].iter, *([node.elt] if hasattr(node, "elt") else [])]
            return self._strongest(over, seen, ("part", "half"))
        if isinstance(node, ast.Call):
            return self._call(node, seen)
        if isinstance(node, ast.IfExp):
            return self._strongest([node.body, node.orelse], seen)
        if isinstance(node, (ast.Starred, ast.NamedExpr)):
            return self._of(node.value, seen)
        return self._strongest(node.elts, seen) if isinstance(node, (ast.Tuple, ast.List)) else ""

    def _strongest(self, nodes: list[ast.expr], seen: frozenset[str], among: tuple[str, ...] = _KINDS) -> str:
        kinds = [kind for node in nodes if (kind := self._of(node, seen)) in among]
        return max(kinds, key=_KINDS.index, default="")

    def _name(self, name: str, seen: frozenset[str]) -> str:
        if name in seen or len(seen) > 4:
            return ""
        if name in self._grown:
            return "part"
        kinds = ["less"] if name in self._through and name not in self._sources else []
        for value, whole in self._sources.get(name, ()):
            if not any(id(part) in self._calls for part in walk(value)) and name not in loads(value):
                kind = self._of(value, seen | {name})
                kinds.append(kind if whole or kind in ("half", "part", "shrink") else "less")
        return max(kinds, key=_KINDS.index, default="")

    def _binary(self, node: ast.BinOp, seen: frozenset[str]) -> str:
        if isinstance(node.op, (ast.FloorDiv, ast.RShift)):
            return "half" if _is_middle(node.left) else "shrink"
        if isinstance(node.op, ast.Mod):
            return "shrink" if self._of(node.right, seen) in ("half", "shrink", "part") else ""
        strongest = self._strongest([node.left, node.right], seen, ("half", "part", "shrink"))
        less = isinstance(node.op, (ast.Sub, ast.Add)) and isinstance(node.right, ast.Constant)
        return strongest or ("less" if less else "")

    def _subscript(self, node: ast.Subscript, seen: frozenset[str]) -> str:
        place = node.slice
        if not isinstance(place, ast.Slice):
            return self._of(node.value, seen) if isinstance(node.value, ast.Call) else "less"
        if place.step is not None and text(place.step) not in ("-1", "1"):
            return "part"
        bounds = [bound for bound in (place.lower, place.upper) if bound is not None]
        names = loads(bounds)
        if not names:
            return self._strongest([node.value], seen, ("half", "part")) or "less"
        if names & self._through:
            return ""
        if any(_is_middle(bound) or self._of(bound, seen) in ("half", "shrink") for bound in bounds):
            return "half"
        return "part" if names - set(self._function.parameters) - {"len"} else ""

    def _call(self, node: ast.Call, seen: frozenset[str]) -> str:
        name = called(node)
        if name in ("divmod", "filter"):
            return "shrink" if name == "divmod" else "part"
        if (name in _COPIES or name in ("max", "min")) and node.args:
            return self._strongest(node.args, seen)
        helper = name in {other.name for other in self._function.calls}
        return "part" if helper and loads(node.args) & {*self._function.parameters, *self._sources} else ""

    def _squares(self, call: ast.Call) -> bool:
        """``f(x * x, n // 2)``, ``f(x, n // 2) ** 2``, or parts of a result that are multiplied."""
        if any(_is_square(argument) for argument in call.args):
            return True
        names = {name for name, given in self._sources.items() for value, _ in given if value is call}
        for node in walk(self._function.body):
            if not isinstance(node, ast.BinOp):
                continue
            if isinstance(node.op, ast.Pow) and any(part is call for part in walk(node.left)):
                return True
            multiplies = isinstance(node.op, (ast.Mult, ast.MatMult))
            if multiplies and loads(node.left) & names and loads(node.right) & names:
                return True
        return False


def _is_middle(node: ast.expr) -> bool:
    """A sum of two places, or a length: halved, it is a middle."""
    for inner in walk(node):
        if called(inner) == "len":
            return True
        sums = isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.Add, ast.Sub))
        if sums and loads(inner.left) and loads(inner.right):  # type: ignore[attr-defined]
            return True
    return False


def _is_square(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return text(node.left) == text(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return text(node.right) == "2"
    return isinstance(node, ast.Call) and len(node.args) == 2 and text(node.args[0]) == text(node.args[1])
