"""What inputs an annotation admits, as data: ``("list", ("int",))``. Read from its text, never evaluated."""

from __future__ import annotations

import ast
import enum

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

Shape = tuple["Any", ...]

_ATOMS = {"int": "int", "bool": "bool", "str": "str", "float": "float", "bytes": "bytes", "complex": "complex",
          "None": "none", "object": "any", "Any": "any", "Hashable": "int", "Number": "int", "Real": "float",
          "Integral": "int", "SupportsInt": "int", "SupportsFloat": "float",
          "AnyStr": "str", "Sized": "lists"}  # fmt: skip
_LISTS = frozenset({"list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "Iterator", "Container",
                    "Reversible", "Generator"})  # fmt: skip
_SETS = frozenset({"set", "Set", "AbstractSet", "MutableSet"})
_MAPPINGS = frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"})
_THROUGH = frozenset({"Final", "Annotated", "ClassVar", "Required", "NotRequired", "ReadOnly"})
ANY: Shape = ("any",)
_DEEPEST = 12


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
        if name in _ATOMS:
            return (_ATOMS[name],)
        if name in _LISTS:
            return ("list", ANY)
        if name in ("tuple", "Tuple"):
            return ("tuples", ANY)
        if name in _SETS:
            return ("set", ("int",))
        if name in ("frozenset", "FrozenSet"):
            return ("frozenset", ("int",))
        if name in _MAPPINGS:
            return ("dict", ("str",), ("int",))
        return ("dict", ANY, ("int",)) if name == "Counter" else ("unknown", name)

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
        if name in _LISTS or name in ("deque", "Deque"):
            return ("list", shapes[0])
        if name in _SETS:
            return ("set", shapes[0])
        if name in ("frozenset", "FrozenSet"):
            return ("frozenset", shapes[0])
        if name in _MAPPINGS and len(shapes) == 2:
            return ("dict", shapes[0], shapes[1])
        if name == "Counter":
            return ("dict", shapes[0], ("int",))
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


_EXACT = {"l": "list", "t": "tuple", "s": "set", "fs": "frozenset", "d": "dict", "b": "bytes", "c": "complex"}


def admits(shapes: Shapes, shape: Shape, data: Any, depth: int = 0) -> bool:
    """Whether a value, as JSON (see `values`), is of a shape; never of one of which no inputs can be made.

    Types have the meaning that type checkers give them: a bool is an int, and an int will do for a float.
    """
    if depth > 150:
        return False
    kind, inner = ("", data) if not isinstance(data, dict) else next(iter(data.items()))

    def every(part: Shape, items: Any) -> bool:
        return all(admits(shapes, part, item, depth + 1) for item in items)

    match shape[0]:
        case "later":
            return admits(shapes, shapes.of(shape[1]), data, depth + 1)
        case "union":
            return any(admits(shapes, part, data, depth + 1) for part in shape[1:])
        case "any":
            return kind not in ("new", "n", "e") or inner[0] in shapes.classes
        case "none":
            return data is None
        case "bool":
            return isinstance(data, bool)
        case "int":
            return isinstance(data, int) or kind == "i"
        case "float":
            return isinstance(data, int) or kind in ("i", "f")
        case "complex":
            return isinstance(data, int) or kind in ("i", "f", "c")
        case "str":
            return isinstance(data, str)
        case "bytes":
            return kind in ("b", "ba")
        case "literal":
            return any(type(c) is type(data) and c == data for c in shape[1])
        case "enum":
            return kind == "e" and inner[0] == shape[1] and inner[1] in shape[2]
        case "lists":
            return kind in ("l", "t", "s", "d") or isinstance(data, str)
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
            return kind in ("new", "n") and inner[0] == shape[1] and _fields(shapes, dict(shape[2]), inner, every)
        case _:
            return kind == "dt" and inner[0] == shape[1].rpartition(".")[2]


def _fields(shapes: Shapes, declared: dict[str, Shape], inner: Any, every: Any) -> bool:
    """Whether what a constructor is given by name is of the declared types; what is missing has a default."""
    given = inner[1] if len(inner) == 2 else zip(inner[1], inner[2], strict=True)
    return all(name in declared and every(declared[name], [item]) for name, item in given)


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
