"""Functions without loops and recursion: is it a formula, or does a library do the work?"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from goedels_poetry.languages.python.fingerprint.syntax import COMPREHENSIONS, called, is_constant, root, walk
from goedels_poetry.languages.python.fingerprint.units import File, Unit

# Functions that stand in formulas like operators: alone they are a library call, beside arithmetic they are part of it.
_ELEMENTARY = frozenset(
    """
    abs round int float bool str len pow min max divmod complex isinstance type ord chr repr tuple list bytes range hash
    id sqrt isqrt cbrt log log2 log10 log1p exp expm1 sin cos tan asin acos atan atan2 sinh cosh tanh floor ceil trunc
    radians degrees fabs copysign hypot fmod bit_length Fraction Decimal is_integer format super isfinite isnan isinf
    cast get append dataclass namedtuple
    """.split()  # noqa: SIM905  a list of this length is read more easily so
)

# What goes through the data by itself, whatever a comprehension hands to it.
_HEAVY = frozenset(
    """
    permutations combinations product accumulate groupby chain reduce factorial comb perm prod gcd lcm mean median mode
    stdev Counter most_common findall sub search match fullmatch nsmallest nlargest bisect_left bisect_right bisect
    insort strptime strftime zip_longest starmap takewhile dropwhile from_iterable combinations_with_replacement
    multimode quantiles loads dumps
    """.split()  # noqa: SIM905  likewise
)


def of_expression(file: File, units: list[Unit]) -> tuple[str, set[str]]:
    """``functional`` iteration is told by the caller; here: closed form or library call, with tags."""
    nodes = [node for unit in units for node in walk(unit.body)]
    tags: set[str] = set()
    if any(isinstance(node, (ast.If, ast.IfExp, ast.Match)) for node in nodes):
        tags.add("conditional")
    if any(isinstance(node, ast.JoinedStr) or called(node) == "format" for node in nodes):
        tags.add("formatting")
    if any(called(node) in ("map", "filter", "reduce") for node in nodes):
        tags.add("functional")
    if any(called(node) in ("sorted", "sort") for node in nodes):
        tags.add("sorting")
    if any(
        isinstance(n, ast.BinOp) and isinstance(n.op, (ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift)) for n in nodes
    ):
        tags.add("bit manipulation")
    if any(called(node) in ("permutations", "product", "combinations") for node in nodes):
        tags.add("brute force")
    return ("library call" if _delegates(file, units, nodes) else "closed form"), tags


def _delegates(file: File, units: list[Unit], nodes: list[ast.AST]) -> bool:
    """Whether a library function, or a built-in operation on a whole sequence, does the work."""
    own = {unit.name for unit in file.units if unit.is_function} | set(file.classes)
    parameters = {name for unit in units for name in unit.parameters}
    elementary = 0
    for node in nodes:
        if isinstance(node, ast.Call):
            name = called(node)
            by_name = isinstance(node.func, ast.Name)
            if not name or (by_name and name in own | parameters):
                continue
            if isinstance(node.func, ast.Attribute) and any(file.method(node.func, unit) for unit in units):
                continue
            name = file.imported.get(name, name) if by_name else name
            if name in _ELEMENTARY and not _goes_through(node):
                elementary += 1
            else:
                return True
        if isinstance(node, ast.Slice) and node.step is not None and not _is_one(node.step):
            return True
    if not elementary:
        return any(_names_a_function(unit, own) for unit in units)
    return not any(_operates(node) for node in nodes)


def _goes_through(call: ast.Call) -> bool:
    """``max(xs)``: one argument that is a sequence, or a key."""
    name = called(call)
    if name in ("max", "min"):
        return len(call.args) == 1 or any(word.arg == "key" for word in call.keywords)
    if name == "pow":
        return len(call.args) == 3
    return (
        name in ("list", "tuple")
        and bool(call.args)
        and isinstance(call.args[0], ast.Call)
        and called(call.args[0]) not in _ELEMENTARY - {"range"}
    )


def _is_one(step: ast.expr) -> bool:
    return isinstance(step, ast.Constant) and step.value == 1


def _operates(node: ast.AST) -> bool:
    """An operator with something to work out: arithmetic, comparison, choice."""
    if isinstance(node, (ast.BinOp, ast.Compare, ast.BoolOp)):
        return True
    return isinstance(node, (ast.AugAssign, ast.IfExp, ast.If)) or (
        isinstance(node, ast.UnaryOp) and not is_constant(node)
    )


def _names_a_function(unit: Unit, own: set[str]) -> bool:
    """``fact = math.factorial``: the function is another's."""
    if unit.is_function or not unit.body or not isinstance(unit.body[0], ast.Return):
        return False
    value = unit.body[0].value
    return isinstance(value, (ast.Attribute, ast.Name)) and root(value) not in own and root(value) != ""


def hands_over(comprehensions: Sequence[ast.AST], nodes: list[ast.AST]) -> bool:
    """Whether comprehensions only adapt what a heavy library function goes through: no condition, no arithmetic."""
    if not any(called(node) in _HEAVY for node in nodes):
        return False
    return all(_adapts(node) for node in comprehensions)


def _adapts(node: ast.AST) -> bool:
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    if any(part.ifs for part in generators) or len(generators) > 1:
        return False
    elements = [part for name in ("elt", "key", "value") if (part := getattr(node, name, None)) is not None]
    return not any(
        isinstance(inner, (ast.BinOp, ast.Compare, ast.IfExp, *COMPREHENSIONS))
        for part in elements
        for inner in walk(part)
    )
