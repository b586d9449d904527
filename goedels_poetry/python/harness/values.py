"""Values as JSON, on both sides: a candidate's results leave its process as plain data and nothing else.

What is exactly of a built-in type is written down with its type; what belongs to a class of the module is written
down by its class's name and its fields, whatever its own ``__eq__`` says; everything else is opaque. Lists and the
like that occur twice are the same object again on the other side, so that a result which is an argument stays one.
"""

from __future__ import annotations

import collections
import enum
import importlib
import itertools
import sys
import types
from collections.abc import Callable

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

MODULE = "candidate"  # what the tested module is called where it runs
MOST_NODES = 500_000  # 200,000 items of a list of a test of speed, and the list
DEEPEST = 150
MOST_ITEMS = 10_000  # of an iterator, which may have no end; more where more of a result is looked at
_SMALL = 1 << 53
_DAY, _HOUR = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")


def _fields(*names: str) -> Callable[[Any], list[Any]]:
    return lambda value: [getattr(value, name) for name in names]


MADE: dict[str, tuple[str, Callable[[Any], list[Any]]]] = {
    "complex": ("builtins", _fields("real", "imag")),
    "range": ("builtins", _fields("start", "stop", "step")),
    "bytearray": ("builtins", lambda value: [bytes(value)]),
    "deque": ("collections", lambda value: [list(value)]),
    "Counter": ("collections", lambda value: [dict(value)]),
    "OrderedDict": ("collections", lambda value: [dict(value)]),
    "defaultdict": ("collections", lambda value: [None, dict(value)]),
    "date": ("datetime", _fields(*_DAY)),
    "datetime": ("datetime", _fields(*_DAY, *_HOUR)),
    "time": ("datetime", _fields(*_HOUR)),
    "timedelta": ("datetime", _fields("days", "seconds", "microseconds")),
    "Fraction": ("fractions", lambda value: [str(value)]),
    "Decimal": ("decimal", lambda value: [str(value)]),
}
"""Kinds of the standard library that are calls on the way: their modules, and the arguments that make a value again."""
_SEQUENCES: dict[type, str] = {tuple: "t", frozenset: "fs", list: "l", set: "s"}
_SIZED = (*_SEQUENCES, dict, collections.deque)
_VIEWS = frozenset({"dict_keys", "dict_values", "dict_items", "list_iterator", "tuple_iterator", "set_iterator",
                    "str_ascii_iterator", "str_iterator", "range_iterator",
                    "dict_keyiterator", "chain", "islice"})  # fmt: skip
_ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_BUILT_IN = (int, str, float, complex, bytes, tuple, list, dict, set, frozenset, type)


class NotData(Exception):
    """A result was used that is no plain data."""


class TooLarge(NotData):
    """A result was used of which more would have to be written down than is."""


class Writer:
    """Python values to JSON; one for all values whose sharing matters."""

    def __init__(self, inputs: bool = False, most: int = MOST_NODES) -> None:
        self.inputs = inputs  # instances of dataclasses as calls of their constructors
        self.most = most
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.nodes = 0

    def write(self, value: Any, depth: int = 0) -> Any:
        """One value as JSON data; of what is too large or too deep only that it is."""
        self.nodes += 1
        kind = type(value)
        more = len(value) if kind in _SIZED else 0  # not written one by one to be left out in the end
        if self.nodes + more > self.most or depth > DEEPEST:
            return {"beyond": self.most}
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_SMALL < value < _SMALL else {"i": hex(value)}
        if kind is float:
            return {"f": value.hex()}
        if kind is bytes:
            return {"b": value.hex()}
        if kind is tuple or kind is frozenset:
            return {_SEQUENCES[kind]: self._all(value, depth)}
        if isinstance(value, enum.Enum):
            return {"e": [kind.__name__, str(value.name)]}
        if isinstance(value, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
            return {"new": [kind.__name__, self._pairs(zip(map(str, kind._fields), value, strict=True), depth)]}
        known = self.numbers.get(id(value))
        if known is not None:
            return {"ref": known}
        number = self.numbers[id(value)] = len(self.numbers)
        self.kept.append(value)
        return {**self._shared(value, kind, depth), "id": number}

    def _all(self, values: Any, depth: int) -> list[Any]:
        return [self.write(value, depth + 1) for value in values]

    def _pairs(self, pairs: Any, depth: int) -> list[Any]:
        return [[name, self.write(value, depth + 1)] for name, value in pairs]

    def _shared(self, value: Any, kind: type, depth: int) -> dict[str, Any]:
        """What may occur twice, and then is the same object."""
        if kind in _SEQUENCES:
            return {_SEQUENCES[kind]: self._all(value, depth)}
        if kind is dict:
            return {"d": [self._all(pair, depth) for pair in value.items()]}
        module, arguments = MADE.get(kind.__name__, ("", None))
        if arguments is not None and kind.__module__ == module and getattr(value, "tzinfo", None) is None:
            return {"c": [kind.__name__, self._all(arguments(value), depth)]}
        if isinstance(value, _ITERATORS) or kind.__name__ in _VIEWS:
            most = MOST_ITEMS * self.most // MOST_NODES
            items = list(itertools.islice(iter(value), most + 1))
            return {"it": self._all(items[:most], depth), "more": len(items) > most}
        if isinstance(value, _FUNCTIONS):
            return {"fn": "a function"}
        if kind.__module__ != MODULE or isinstance(value, _BUILT_IN):
            return {"opaque": f"an instance of {kind.__name__}"}
        whole = sys.modules[MODULE].__dict__.get(f"{kind.__name__}_state") if self.inputs else None
        if whole is not None:
            return {"new": [f"{kind.__name__}_state", self._pairs(vars(value).items(), depth)]}
        fields = getattr(kind, "__dataclass_fields__", None)
        if fields is not None and self.inputs:
            given = ((name, getattr(value, name)) for name, each in fields.items() if each.init)
            return {"new": [kind.__name__, self._pairs(given, depth)]}
        state = dict(getattr(value, "__dict__", {}))
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for name in [slots] if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    state[name] = getattr(value, name)
        return {"x": [kind.__name__, self._pairs(((str(name), part) for name, part in state.items()), depth)]}


class Reader:
    """JSON to Python values again. ``classes`` are those of the module that may be made here; others become records.

    ``whole``: nothing of what was read had been left out for its size.
    """

    def __init__(self, classes: dict[str, Any]) -> None:
        self.classes = classes
        self.whole = True
        self.made: dict[int, Any] = {}

    def read(self, data: Any) -> Any:
        """One value. Raises whatever a constructor raises, or what malformed data leads to."""
        if data is None or isinstance(data, bool | int | str):
            return data
        if "ref" in data:
            return self.made[data["ref"]]
        made = self._made(data)
        if "id" in data and data["id"] not in self.made:
            self.made[data["id"]] = made
        return made

    def _begin(self, data: Any, empty: Any) -> Any:
        """Known by its number before its parts are read, for what contains itself."""
        if "id" in data:
            self.made[data["id"]] = empty
        return empty

    def _made(self, data: Any) -> Any:
        read = self.read
        kind, inner = next(iter(data.items()))
        match kind:
            case "i":
                return int(inner, 16)
            case "f":
                return float.fromhex(inner)
            case "b":
                return bytes.fromhex(inner)
            case "t":
                return tuple([read(item) for item in inner])
            case "fs":
                return frozenset([read(item) for item in inner])
            case "l":
                items = self._begin(data, [])
                items.extend(read(item) for item in inner)
                return items
            case "s":
                members = self._begin(data, set())
                members.update(read(item) for item in inner)
                return members
            case "d":
                mapping = self._begin(data, {})
                mapping.update((read(k), read(v)) for k, v in inner)
                return mapping
            case "c" if inner[0] in MADE:
                module = importlib.import_module(MADE[inner[0]][0])  # rarely wanted, and slow to load
                return getattr(module, inner[0])(*[read(argument) for argument in inner[1]])
            case "it":
                return _iterate([read(item) for item in inner], data["more"])
            case "e":
                named = self.classes.get(inner[0])
                return Record(inner[0], {"name": inner[1]}) if named is None else named[inner[1]]
            case "new":
                given = {name: read(item) for name, item in inner[1]}
                maker: Any = self.classes.get(inner[0]) or collections.namedtuple(inner[0], [*given])
                return maker(**given)
            case "x":
                return self._instance(data, *inner)
            case "beyond":
                self.whole = False
                why = f"(more than {inner:,} parts, or nested more than {DEEPEST} deep)"
                return Opaque("a value too large to look at", why, TooLarge)
        return Opaque(str(inner) if kind in ("fn", "opaque") else "no plain data")

    def _instance(self, data: Any, name: str, state: list[Any]) -> Any:
        kind = self.classes.get(name)
        if kind is None:
            record = self._begin(data, Record(name, {}))
            record.__dict__["_fields"].update((field, self.read(item)) for field, item in state)
            return record
        made = self._begin(data, object.__new__(kind))
        for field, item in state:
            object.__setattr__(made, field, self.read(item))
        return made


class Record:
    """An instance of a class that is not known here: its fields can be read, and it equals what has the same."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.__dict__.update(_name=name, _fields=fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __eq__(self, other: object) -> bool:
        return type(other) is Record and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__["_fields"].items())
        return f"{self.__dict__['_name']}({fields})"


class Opaque:
    """What cannot leave the candidate's process: any question about it is an error, and so never a passed check."""

    def __init__(self, what: str, why: str = "is no plain data, and cannot be compared", kind: Any = NotData) -> None:
        self.__dict__.update(_what=what, _why=why, _kind=kind)

    def _no(self, *_: Any) -> Any:
        raise self.__dict__["_kind"](f"{self.__dict__['_what']} {self.__dict__['_why']}")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __len__ = __iter__ = __call__ = _no
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __contains__ = __getitem__ = __getattr__ = _no
    __hash__ = _no

    def __repr__(self) -> str:
        return f"<{self.__dict__['_what']}>"


def _iterate(items: list[Any], more: bool) -> Any:
    yield from items
    if more:
        raise TooLarge(f"only the first {len(items):,} items of an iterator are looked at")


def write(value: Any, most: int = MOST_NODES) -> Any:
    """One value, of at most so many parts."""
    return Writer(most=most).write(value)
