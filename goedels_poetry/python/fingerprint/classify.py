"""From a file and the name of a function to its fingerprint."""

from __future__ import annotations

import ast
import re
import warnings

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.python.fingerprint.ban import (
    CLOSED_FORM,
    DIVIDE_AND_CONQUER,
    DYNAMIC_PROGRAMMING,
    GREEDY,
    ITERATION,
    LIBRARY_CALL,
    MEMOISATION,
    RECURSION,
    Fingerprint,
)
from goedels_poetry.python.fingerprint.loops import bisects, fills_table, is_greedy, is_sorted, keeps_best, merges
from goedels_poetry.python.fingerprint.normal import (
    COMPREHENSIONS,
    LOOPS,
    called,
    canonical,
    loads,
    root,
    stores,
    text,
    walk,
    words,
)
from goedels_poetry.python.fingerprint.recursion import File, Function, calls_itself_by_parameter, of_recursion, reached

MAX_CHARACTERS = 60_000
"""A longer text is no candidate."""
_ELEMENTARY = words(
    """
    abs round int float bool str len pow min max divmod complex isinstance type ord chr repr tuple list bytes
    range hash id sqrt isqrt cbrt log log2 log10 log1p exp expm1 sin cos tan asin acos atan atan2 sinh cosh tanh
    floor ceil trunc radians degrees fabs copysign hypot fmod bit_length Fraction Decimal is_integer format
    super isfinite isnan isinf cast get append dataclass namedtuple
    """
)
"""Functions that stand in formulas like operators: alone they are a library call, beside arithmetic part of it."""
_HEAVY = words(
    """
    permutations combinations product accumulate groupby chain reduce factorial comb perm prod gcd lcm mean
    median mode stdev Counter most_common findall sub search match fullmatch nsmallest nlargest bisect_left
    bisect_right bisect insort strptime strftime zip_longest starmap takewhile dropwhile from_iterable
    combinations_with_replacement multimode quantiles loads dumps
    """
)
"""What goes through the data by itself, whatever a comprehension hands to it."""
_TAGS_BY_CALL = {
    "sorting": ("sort", "sorted"),
    "heap": ("heappop", "heappush", "heapify", "heapreplace"),
    "brute force": ("product", "permutations", "combinations", "combinations_with_replacement"),
    "hashing": ("set", "dict", "Counter", "defaultdict"),
    "functional": ("map", "filter", "reduce", "accumulate"),
}
_MAX_NODES = 2_000
"""Of a loop that is looked at."""
_TAGS_BY_NODE: dict[str, tuple[type[ast.AST], ...]] = {
    "functional": COMPREHENSIONS,
    "generator": (ast.Yield, ast.YieldFrom),
    "hashing": (ast.Set, ast.Dict, ast.SetComp, ast.DictComp),
    "bit manipulation": (ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift),
}


def fingerprint(source: str, function: str) -> Fingerprint:
    """The strategy of a function, from the text of the file around it; nothing is run.

    Args:
        source: the whole file.
        function: its name; ``Class.method`` for a method.

    Raises:
        InvalidInput: the text does not parse, is longer than ``MAX_CHARACTERS``, nests too deep, or lacks the function.
    """
    if len(source) > MAX_CHARACTERS:
        raise InvalidInput(f"the text has {len(source)} characters, more than {MAX_CHARACTERS}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the text's own: invalid escapes, `is` with literals
            tree = ast.parse(source)
        return _of_tree(canonical(tree), function)
    except SyntaxError as error:
        raise InvalidInput(f"not Python: {error.msg}", line=error.lineno, column=error.offset) from error
    except (RecursionError, MemoryError) as error:
        raise InvalidInput("the text nests too deep, or is too entangled, to be read") from error
    except ValueError as error:  # null bytes
        raise InvalidInput(f"not Python: {error}") from error


def _of_tree(tree: ast.Module, name: str) -> Fingerprint:
    file = File(tree)
    function = file.find(name)
    if function is None:
        names = sorted({other.name for other in file.functions})
        raise InvalidInput(f"there is no function {name!r}", hint=nearest(name, names) or None)
    strategy, tags = _strategy(file, function)
    return Fingerprint(strategy, frozenset(tags - {strategy}))


def _strategy(file: File, function: Function) -> tuple[str, set[str]]:
    """What the function itself does decides; what its helpers do, where it hands over to them or loops around them."""
    functions = [function, *(other for other in reached(function) if other is not function)]
    tags = _tags(functions)
    if function.circle:
        strategy, more = of_recursion(file, function)
        return strategy, tags | more
    own = _of_loops(function)
    circles = {frozenset(one.circle): one for one in reversed(functions) if one.circle}
    recursive = list(circles.values())[::-1]
    if own is not None:
        return own[0], tags | own[1] | ({RECURSION} if recursive else set())
    if recursive:
        found = [of_recursion(file, one) for one in recursive]
        best = next((one for name in (MEMOISATION, DIVIDE_AND_CONQUER) for one in found if one[0] == name), found[0])
        return best[0], tags | best[1]
    if calls_itself_by_parameter(functions):
        return RECURSION, tags | {RECURSION}
    for other in functions[1:]:
        elsewhere = _of_loops(other) if other.is_definition else None
        if elsewhere is not None:
            return elsewhere[0], tags | elsewhere[1]
    return _plain(file, [one for one in functions if one.is_definition or one is function]), tags


def _tags(functions: list[Function]) -> set[str]:
    nodes = [node for one in functions for node in walk(one.body)]
    names = {called(node) for node in nodes}
    tags = {tag for tag, calls in _TAGS_BY_CALL.items() if names & set(calls)}
    tags |= {tag for tag, kinds in _TAGS_BY_NODE.items() if any(isinstance(node, kinds) for node in nodes)}
    squares = [node for node in nodes if isinstance(node, ast.Assign) and re.fullmatch(r"(\w+) = \1 \* \1", text(node))]
    if squares:
        tags.add("squaring")
    if any(isinstance(node, ast.Call) and text(node).startswith(("range(1 <<", "range(2 **")) for node in nodes):
        tags.add("brute force")
    loops = [node for node in nodes if isinstance(node, LOOPS)]
    if any(isinstance(node, LOOPS) for loop in loops for node in walk(loop.body)):
        tags.add("nested loops")
    if any(_tries_all(loop, set(), 0) for loop in loops):
        tags.add("brute force")
    if any(isinstance(loop, ast.While) and _pops(loop) & loads(loop.test) for loop in loops):
        tags.add("stack")
    return tags


def _pops(loop: ast.While) -> set[str]:
    calls = [node for node in walk(loop.body) if called(node) in ("pop", "popleft")]
    return {root(call.func.value) for call in calls if isinstance(call.func, ast.Attribute)}  # type: ignore[attr-defined]


def _tries_all(loop: ast.AST, through: set[str], depth: int) -> bool:
    """Three loops inside each other with a test of all their elements in the innermost."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    names = through | stores(loop.target)
    tested = [node.test for node in loop.body if isinstance(node, ast.If)]
    if depth >= 2 and any(names <= loads(test) for test in tested):
        return True
    return any(_tries_all(inner, names, depth + 1) for inner in loop.body)


def _of_loops(function: Function) -> tuple[str, set[str]] | None:
    """Strategies of loops that are more than loops; a bisection inside the filling of a table serves the table."""
    loops = [loop for loop in walk(function.body) if isinstance(loop, LOOPS)]
    loops = [loop for loop in loops if sum(1 for _ in walk(loop)) <= _MAX_NODES]
    table = any(map(fills_table, loops))
    if not table and any(map(bisects, loops)):
        return DIVIDE_AND_CONQUER, {"bisection"}
    if not table and any(map(merges, loops)):
        return DIVIDE_AND_CONQUER, set()
    ordered = _sorted_names(function.body)
    if any(is_greedy(loop, ordered) for loop in loops):
        return GREEDY, set()
    return (DYNAMIC_PROGRAMMING, set()) if table or any(map(keeps_best, loops)) else None


def _sorted_names(body: list[ast.stmt]) -> set[str]:
    """Names of sequences that were sorted, and of what was made of them."""
    names = {root(n.func.value) for n in walk(body) if called(n) == "sort" and isinstance(n.func, ast.Attribute)}  # type: ignore[attr-defined]
    for node in walk(body):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and is_sorted(node.value, names):
            names.add(node.targets[0].id)
    return names


def _plain(file: File, functions: list[Function]) -> str:
    nodes = [node for one in functions for node in walk(one.body)]
    if any(isinstance(node, LOOPS) or (called(node) == "iter" and len(node.args) > 1) for node in nodes):  # type: ignore[attr-defined]
        return ITERATION
    if any(isinstance(node, COMPREHENSIONS) for node in nodes) and not any(called(node) in _HEAVY for node in nodes):
        return ITERATION
    return LIBRARY_CALL if _delegates(file, functions, nodes) else CLOSED_FORM


def _delegates(file: File, functions: list[Function], nodes: list[ast.AST]) -> bool:
    """Whether a library function, or a built-in operation on a whole sequence, does the work."""
    own = {one.name for one in file.functions if one.is_definition and not one.owner} | set(file.classes)
    own |= {name for one in functions for name in one.parameters}
    own |= {f".{one.name}" for one in file.functions if one.owner}
    if any(isinstance(node, ast.Slice) and node.step is not None and text(node.step) != "1" for node in nodes):
        return True
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and not hasattr(node, "made") and called(node)
        if ("." * isinstance(node.func, ast.Attribute)) + called(node) not in own
    ]
    if any(called(node) not in _ELEMENTARY or _goes_through(node) for node in calls):
        return True
    if calls:
        works = (ast.BinOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.If)
        return not any(isinstance(node, works) for node in nodes)
    first = functions[0]
    value = getattr(first.body[0], "value", None) if not first.is_definition and first.body else None
    return isinstance(value, ast.Attribute | ast.Name) and root(value) not in own


def _goes_through(call: ast.AST) -> bool:
    """``max(xs)``: one argument that is a sequence, or a key."""
    assert isinstance(call, ast.Call)
    name = called(call)
    if name in ("max", "min"):
        return len(call.args) == 1 or bool(call.keywords)
    if name in ("list", "tuple"):
        return any(called(part) and called(part) not in _ELEMENTARY - {"range"} for part in call.args)
    return name == "pow" and len(call.args) == 3
