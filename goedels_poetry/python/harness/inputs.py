"""Inputs of a shape: small ones in order of size, then random ones. Deterministic for a seed.

A shape is what an annotation admits, as data: ``("list", ("int",))``, read from its text, never evaluated. Small inputs
first, all of them, so that the first failing input is a smallest one; what no small input shows (a constant of the
source, a long list, equal arguments) is aimed at afterwards.
"""

from __future__ import annotations

import ast
import enum
import itertools
import random
from collections.abc import Iterator

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

Shape = tuple["Any", ...]

ANY: Shape = ("any",)
INT: Shape = ("int",)
_DEEPEST = 12
_THROUGH = frozenset({"Final", "Annotated", "ClassVar", "Required", "NotRequired", "ReadOnly"})
_BARE: dict[str, tuple[Shape, str]] = {
    "int": (INT, "int Hashable Integral SupportsInt Number"),
    "bool": (("bool",), "bool"),
    "str": (("str",), "str AnyStr"),
    "float": (("float",), "float Real SupportsFloat"),
    "bytes": (("bytes",), "bytes"),
    "complex": (("complex",), "complex"),
    "none": (("none",), "None"),
    "any": (ANY, "object Any"),
    "sized": (("union", ("list", INT), ("str",)), "Sized"),
    "list": (
        ("list", ANY),
        "list List Sequence MutableSequence Iterable Collection Iterator Container Reversible Generator",
    ),
    "tuple": (("tuples", ANY), "tuple Tuple"),
    "set": (("set", INT), "set Set AbstractSet MutableSet"),
    "frozenset": (("frozenset", INT), "frozenset FrozenSet"),
    "dict": (("dict", ("str",), INT), "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict"),
    "counter": (("dict", ANY, INT), "Counter"),
}
"""Shapes with the names of types that have them where nothing stands in brackets."""
_SHAPES = {name: shape for shape, names in _BARE.values() for name in names.split()}


class Shapes:
    """Annotations of one module: its classes as objects, its aliases as the texts that they are bound to."""

    def __init__(self, classes: dict[str, Any], aliases: dict[str, str]) -> None:
        self.classes, self.aliases = classes, aliases

    def of(self, annotation: str, depth: int = 0) -> Shape:
        """The shape of an annotation; ``("unknown", text)`` where no inputs can be made."""
        if not annotation:
            return ANY
        node = parsed(annotation)
        return ("unknown", annotation) if node is None else self._shape(node, depth)

    def _shape(self, node: ast.expr, depth: int) -> Shape:
        if depth > _DEEPEST:
            return ANY
        if isinstance(node, ast.Constant):
            if node.value is None:
                return ("none",)
            return self.of(node.value, depth + 1) if isinstance(node.value, str) else ("unknown", repr(node.value))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return _union([self._shape(node.left, depth + 1), self._shape(node.right, depth + 1)])
        if isinstance(node, ast.Subscript):
            return self._generic(last_name(node.value), arguments_of(node), depth)
        return self._named(last_name(node), depth)

    def _named(self, name: str, depth: int) -> Shape:
        if name in self.classes:
            return self._class(name, depth)
        if name in self.aliases:
            return self.of(self.aliases[name], depth + 1)
        return _SHAPES.get(name, ("unknown", name))

    def _generic(self, name: str, inner: list[ast.expr], depth: int) -> Shape:
        if name == "Literal":
            return ("literal", tuple(c.value for c in inner if isinstance(c, ast.Constant)))
        if name == "Optional":
            return _union([self._shape(inner[0], depth + 1), ("none",)])
        if name in ("tuple", "Tuple"):
            if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
                return ("tuples", self._shape(inner[0], depth + 1))
            parts = [] if len(inner) == 1 and isinstance(inner[0], ast.Tuple) else inner
            return ("tuple", *(self._shape(part, depth + 1) for part in parts))
        shapes = [self._shape(part, depth + 1) for part in inner]
        if name == "Union":
            return _union(shapes)
        if name in _THROUGH:
            return shapes[0]
        kind = "list" if name in ("deque", "Deque") else _SHAPES.get(name, ("unknown",))[0]
        if kind in ("list", "set", "frozenset"):
            return (kind, shapes[0])
        if kind == "dict" and (len(shapes) == 2 or name == "Counter"):
            return ("dict", shapes[0], shapes[1] if name != "Counter" else INT)
        return self._named(name, depth) if name in self.classes else ("unknown", name)

    def _class(self, name: str, depth: int) -> Shape:
        kind = self.classes[name]
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return ("enum", name, tuple(kind.__members__))
        fields = getattr(kind, "__dataclass_fields__", None)
        if fields is not None:
            given = [(f.name, f.type) for f in fields.values() if f.init]
        elif isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
            hints = getattr(kind, "__annotations__", {})
            given = [(field, hints.get(field, "")) for field in kind._fields]
        else:
            return ("unknown", name)
        # A class that contains itself is made from the outside in: its own name stays a name.
        parts = tuple((field, ("later", _text(hint))) for field, hint in given)
        return ("class", name, parts)


_EXACT = {"l": "list", "s": "set", "fs": "frozenset"}


def admits(shapes: Shapes, shape: Shape, data: Any, depth: int = 0) -> bool:
    """Whether a value, as JSON (see `values`), is of a shape; never of one of which no inputs can be made.

    Types have the meaning that type checkers give them: a bool is an int, and an int will do for a float.
    """
    if depth > 150:
        return False
    kind, inner = ("", data) if not isinstance(data, dict) else next(iter(data.items()))
    made = inner[0] if kind == "c" else ""

    def every(part: Shape, items: Any) -> bool:
        return all(admits(shapes, part, item, depth + 1) for item in items)

    match shape[0]:
        case "later":
            return admits(shapes, shapes.of(shape[1]), data, depth + 1)
        case "union":
            return any(admits(shapes, part, data, depth + 1) for part in shape[1:])
        case "any":
            return kind not in ("new", "e") or inner[0] in shapes.classes
        case "none":
            return data is None
        case "bool":
            return isinstance(data, bool)
        case "int":
            return isinstance(data, int) or kind == "i"
        case "float":
            return isinstance(data, int) or kind in ("i", "f")
        case "complex":
            return isinstance(data, int) or kind in ("i", "f") or made == "complex"
        case "str":
            return isinstance(data, str)
        case "bytes":
            return kind == "b" or made == "bytearray"
        case "literal":
            return any(type(c) is type(data) and c == data for c in shape[1])
        case "enum":
            return kind == "e" and inner[0] == shape[1] and inner[1] in shape[2]
        case "list" | "set" | "frozenset":
            return _EXACT.get(kind) == shape[0] and every(shape[1], inner)
        case "tuples":
            return kind == "t" and every(shape[1], inner)
        case "tuple":
            parts = shape[1:]
            return kind == "t" and len(inner) == len(parts) and all(map(lambda p, i: every(p, [i]), parts, inner))
        case "dict":
            return kind == "d" and all(every(shape[1], [k]) and every(shape[2], [v]) for k, v in inner)
        case "class":
            declared = dict(shape[2])  # what is not given has a default
            right = kind == "new" and inner[0] == shape[1]
            return right and all(name in declared and every(declared[name], [item]) for name, item in inner[1])
        case _:
            return made != "" and made == shape[1].rpartition(".")[2]


def _union(shapes: list[Shape]) -> Shape:
    flat: list[Shape] = []
    for shape in shapes:
        flat.extend(part for part in (shape[1:] if shape[0] == "union" else (shape,)) if part not in flat)
    return flat[0] if len(flat) == 1 else ("union", *sorted(flat, key=lambda part: part[0] != "none"))


def parsed(annotation: str) -> ast.expr | None:
    """The annotation as Python reads it; None for what is no expression."""
    try:
        return ast.parse(annotation.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def arguments_of(node: ast.Subscript) -> list[ast.expr]:
    """``int`` and ``str`` of ``dict[int, str]``."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def last_name(node: ast.expr) -> str:
    """``Optional`` of ``typing.Optional``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)


def _text(hint: Any) -> str:
    """The text of a field's type, which may be text already or a class."""
    if isinstance(hint, str):
        return hint
    if hint is None or hint is type(None):
        return "None"
    return hint.__name__ if isinstance(hint, type) and not hasattr(hint, "__args__") else repr(hint)


_LETTERS = ("a", "b", " ", "A", "1", "é", "(", ")", "-", "z", "0", ",")
_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 1.5, 3.0, -2.5, 10.0, 0.1, 1e-9, 100.0, 1e10)
_WHOLE = (10, 16, 32, 64, 100, 128, 255, 256, 1000, 1024, 2**31, 10**9, 10**20)
_MOST_OF_A_SIZE = 3000
_QUOTIENTS = 12  # of constants of the source, exact ones: what a condition on a multiple looks for
_TEXTS = ("aba", "abba", "Hello World", "a" * 50, "aA", "()", "(())", ")(", "a,b", " a ", "\n", "0", "-1", "12")
_KNOWN = (0, 12, 25, 27, 36, 99, 121, 9999, 12321)  # squares, cubes, palindromes
_ANYTHING: Shape = ("union", INT, ("list", INT), ("str",))
ABSENT = ("absent",)  # a parameter that is left to its default


class Maker:
    """Makes values of shapes. ``numbers`` and ``texts`` are constants of the source."""

    def __init__(self, shapes: Shapes, numbers: list[Any], texts: list[str], seed: int) -> None:
        self.shapes, self.random = shapes, random.Random(seed)
        whole = sorted({n for n in numbers if isinstance(n, int)}, key=lambda n: (abs(n), n < 0))
        exact = [m // n for m in whole for n in whole if 1 < abs(n) < abs(m) and m % n == 0 and abs(m) > 1000][
            :_QUOTIENTS
        ]
        near = (m for n in whole for m in (n, n + 1, n - 1, -n, 2 * n, n * n) if abs(m) < 1 << 200)
        self.near = list(dict.fromkeys([*exact, *near]))
        self.floats = [n for n in numbers if isinstance(n, float)]
        self.texts = [text for text in texts if len(text) <= 40]
        letters = dict.fromkeys(c for text in self.texts for c in text)
        self.letters = (*list(letters)[:20], *(c for c in _LETTERS if c not in letters))
        self._known: dict[tuple[Shape, int], list[Any]] = {}

    def shape(self, shape: Shape) -> Shape:
        """With what was put off read now, and what may be anything as one of a few."""
        if shape[0] == "later":
            shape = self.shapes.of(shape[1])
        return _ANYTHING if shape == ANY else shape

    # ---- all values of one size -------------------------------------------------------------------------------------

    def of_size(self, shape: Shape, size: int) -> list[Any]:
        """All values of exactly this size, at most a few thousand. Recipes: see `build`."""
        shape = self.shape(shape)
        key = (shape, size)
        if key not in self._known:
            self._known[key] = []  # a shape that contains itself has nothing of this size within itself
            self._known[key] = list(itertools.islice(self._of_size(shape, size), _MOST_OF_A_SIZE))
        return self._known[key]

    def _of_size(self, shape: Shape, size: int) -> Iterator[Any]:
        if size < 0:
            return
        yield from listed(shape)[size : size + 1]
        match shape[0]:
            case "int":
                yield from (0,) if size == 0 else (size, -size)
            case "str":
                yield from self._strings(size)
            case "bytes":
                yield from (text.encode() for text in self._strings(size) if text.isascii())
            case "union":
                for at, part in enumerate(shape[1:]):
                    yield from self.of_size(part, size - at)
            case "list" | "tuples" | "set" | "frozenset":
                yield from self._sequences(shape, size)
            case "dict":
                yield from self._mappings(shape, size)
            case "tuple":
                for parts in self.products(shape[1:], size):
                    yield ("tuple", parts)
            case "class":
                for parts in self.products(tuple(part for _, part in shape[2]), size - 1):
                    yield ("class", shape[1], tuple(zip((name for name, _ in shape[2]), parts, strict=True)))

    def _strings(self, size: int) -> Iterator[str]:
        letters = self.letters[: 12 if size <= 1 else 4 if size <= 3 else 2]
        yield from ("".join(chosen) for chosen in itertools.product(letters, repeat=size))

    def _sequences(self, shape: Shape, size: int) -> Iterator[Any]:
        kind, inner = shape
        for length in range(min(size, 1), size + 1):
            for items in self.products((inner,) * length, size - length):
                if kind in ("list", "tuples") or _differ(items):
                    yield (kind, items)

    def _mappings(self, shape: Shape, size: int) -> Iterator[Any]:
        for length in range(min(size, 1), size + 1):
            for parts in self.products((shape[1], shape[2]) * length, size - length):
                if _differ(parts[::2]):
                    yield ("dict", tuple(zip(parts[::2], parts[1::2], strict=True)))

    def products(self, shapes: tuple[Shape, ...], size: int) -> Iterator[tuple[Any, ...]]:
        """One value of each shape, sizes adding up to ``size``."""
        if size < 0:
            return
        if not shapes:
            if size == 0:
                yield ()
            return
        if len(shapes) == 1:
            yield from ((value,) for value in self.of_size(shapes[0], size))
            return
        for first in range(size + 1):
            heads = self.of_size(shapes[0], first)
            if heads:
                for rest in self.products(shapes[1:], size - first):
                    yield from ((head, *rest) for head in heads)

    # ---- random -----------------------------------------------------------------------------------------------------

    def _whole(self, large: bool) -> int:
        """An int: mostly small, often near a constant of the source; with ``large`` from everywhere."""
        r, dice = self.random, self.random.random()
        if self.near and dice < 0.4:
            return r.choice(self.near)
        if dice < 0.8 or not large:
            return r.randint(-1, 1) * r.choice((r.randint(0, 10), r.randint(0, 100), *_KNOWN))
        return r.choice((1, 1, -1)) * (r.choice((*_WHOLE, r.randint(0, 10**6))) + r.choice((0, 0, 1, -1)))

    def any_of(self, shape: Shape, large: bool = False, depth: int = 0) -> Any:
        """A random value of a shape."""
        r, shape = self.random, self.shape(shape)
        longest = (2 if depth > 1 else 4 if depth else 7) if not large else r.choice((8, 12, 50)) if not depth else 5
        match shape[0]:
            case "int":
                return self._whole(large)
            case "float":
                few = r.choice((self.floats, self.near, _FLOATS)) or _FLOATS
                return r.choice([float(r.choice(few)), r.choice(_FLOATS), round(r.uniform(-100, 100), 2)])
            case "str":
                return self._text(r.randint(0, longest))
            case "bytes":
                return self._text(r.randint(0, longest)).encode("utf-8", "replace")
            case "union":
                return self.any_of(r.choice(shape[1:]), large, depth + (ABSENT not in shape))
            case "list" | "tuples" | "set" | "frozenset":
                items = self._items(shape[1], r.randint(0, longest), large, depth)
                once = {repr(item): item for item in items}.values()
                return (shape[0], tuple(items if shape[0] in ("list", "tuples") else once))
            case "dict":
                keys = {repr(k): k for k in self._items(shape[1], r.randint(0, longest), large, depth)}
                return ("dict", tuple((key, self.any_of(shape[2], large, depth + 1)) for key in keys.values()))
            case "tuple":
                return ("tuple", tuple(self.any_of(part, large, depth) for part in shape[1:]))
            case "class":
                if depth > 5:
                    return next((v for size in range(6) for v in self.of_size(shape, size)), None)
                return ("class", shape[1], tuple((n, self.any_of(p, large, depth + 1)) for n, p in shape[2]))
        values = listed(shape)
        return r.choice(values) if values else None

    def _items(self, inner: Shape, length: int, large: bool, depth: int) -> list[Any]:
        """Items of a sequence: any, sorted as searches and merges want them, few different ones, there and back."""
        r = self.random
        items = [self.any_of(inner, large, depth + 1) for _ in range(length)]
        dice = r.randrange(10) if items else 9
        if dice < 3:
            items.sort(key=_order, reverse=dice == 2)
        elif dice < 5:
            few = items[: r.randint(1, 3)]
            items = [r.choice(few) for _ in items]
        elif dice == 5:
            items = (items + items[::-1])[: max(length, 2)]
        elif dice == 6 and type(items[0]) is int:
            items = [items[0] + r.choice((1, 1, 2, -1)) * at for at in range(length)]
        return items

    def _text(self, length: int) -> str:
        r, dice = self.random, self.random.random()
        if dice < 0.25:
            text = r.choice((*self.texts, *self.texts, *_TEXTS))
            return text if dice < 0.15 else text + self._text(length // 2)
        letters = self.letters[: r.choice((2, 3, len(self.letters)))] if dice < 0.8 else "abcxyzABC019 .,-_éß\n\t"
        text = "".join(r.choice(letters) for _ in range(length))
        return text + text[::-1][r.randint(0, 1) :] if 0.5 < dice < 0.62 else text


def listed(shape: Shape) -> tuple[Any, ...]:
    """The values of a shape that has few, or of which few are told apart; () for others."""
    match shape[0]:
        case "none" | "absent":
            return (None,) if shape != ABSENT else (ABSENT,)
        case "bool":
            return (False, True)
        case "float":
            return _FLOATS
        case "complex":
            return tuple(map(complex, _FLOATS))
        case "literal":
            return tuple(shape[1])
        case "enum":
            return tuple(("enum", shape[1], member) for member in shape[2])
    return ()


def _differ(items: tuple[Any, ...]) -> bool:
    return len({repr(item) for item in items}) == len(items)


def _order(value: Any) -> tuple[str, Any]:
    """Some order among values of one shape."""
    if isinstance(value, int | float):
        return ("number", value)
    return (type(value).__name__, value if isinstance(value, str) else repr(value))


def build(recipe: Any, classes: dict[str, Any]) -> Any:
    """A fresh value from its recipe: plain values stand for themselves, tuples begin with what they make.

    Raises whatever a constructor of the module's own raises.
    """
    if not isinstance(recipe, tuple) or recipe == ABSENT:
        return recipe
    if recipe[0] == "enum":
        return classes[recipe[1]][recipe[2]]
    if recipe[0] == "class":
        return classes[recipe[1]](**{name: build(part, classes) for name, part in recipe[2]})
    if recipe[0] == "dict":
        return {build(key, classes): build(value, classes) for key, value in recipe[1]}
    items = [build(part, classes) for part in recipe[1]]
    makers: dict[str, Any] = {"list": list, "tuple": tuple, "tuples": tuple, "set": set, "frozenset": frozenset}
    return makers[recipe[0]](items)
