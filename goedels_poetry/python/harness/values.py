"""Values as JSON, on both sides: a candidate's results leave its process as plain data and nothing else.

What is exactly of a built-in type is written down with its type; what belongs to a class of the module is written
down by its class's name and its fields, whatever its own ``__eq__`` says; everything else is opaque. Lists and the
like that occur twice are the same object again on the other side, so that a result which is an argument stays one.
"""

from __future__ import annotations

import collections
import enum
import itertools
import types

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

MOST_NODES = 500_000  # 200,000 items of a list of a test of speed, and the list
DEEPEST = 150
MOST_ITEMS = 10_000  # of an iterator, which may have no end; more where more of a result is looked at
_SMALL = 1 << 53


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
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -_SMALL < value < _SMALL else {"i": hex(value)}
        if kind is str:
            return value
        if kind is float:
            return {"f": value.hex()}
        if kind is complex:
            return {"c": [value.real.hex(), value.imag.hex()]}
        if kind is bytes:
            return {"b": value.hex()}
        if kind is tuple:
            return {"t": [self.write(item, depth + 1) for item in value]}
        if kind is frozenset:
            return {"fs": [self.write(item, depth + 1) for item in value]}
        if kind is range:
            return {"r": [self.write(part) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, enum.Enum):
            return {"e": [kind.__name__, str(value.name)]}
        if isinstance(value, tuple) and isinstance(getattr(kind, "_fields", None), tuple):
            return {"n": [kind.__name__, [str(f) for f in kind._fields], [self.write(i, depth + 1) for i in value]]}
        return self._shared(value, kind, depth)

    def _shared(self, value: Any, kind: type, depth: int) -> Any:
        known = self.numbers.get(id(value))
        if known is not None:
            return {"ref": known}
        number = len(self.numbers)
        self.numbers[id(value)] = number
        self.kept.append(value)
        write = self.write
        if kind is list:
            return {"l": [write(item, depth + 1) for item in value], "id": number}
        if kind is dict:
            return {"d": [[write(k, depth + 1), write(v, depth + 1)] for k, v in value.items()], "id": number}
        if kind is set:
            return {"s": [write(item, depth + 1) for item in value], "id": number}
        if kind is bytearray:
            return {"ba": value.hex(), "id": number}
        if kind is collections.deque:
            return {"o": ["deque", [write(item, depth + 1) for item in value]], "id": number}
        if kind in (collections.Counter, collections.OrderedDict, collections.defaultdict):
            items = [[write(k, depth + 1), write(v, depth + 1)] for k, v in value.items()]
            return {"o": [kind.__name__, items], "id": number}
        if kind.__module__ == "datetime" and kind.__name__ in _TIMES and getattr(value, "tzinfo", None) is None:
            return {"dt": [kind.__name__, _times(value)], "id": number}
        if kind.__module__ in ("fractions", "decimal") and kind.__name__ in ("Fraction", "Decimal"):
            return {"q": [kind.__name__, str(value)], "id": number}
        if (
            isinstance(value, types.GeneratorType | map | filter | zip | enumerate | reversed)
            or kind.__name__ in _VIEWS
        ):
            most = MOST_ITEMS * self.most // MOST_NODES
            items = list(itertools.islice(iter(value), most + 1))
            more = len(items) > most
            return {"it": [write(item, depth + 1) for item in items[:most]], "more": more, "id": number}
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
            return {"fn": "a function", "id": number}
        if kind.__module__ == MODULE and not isinstance(value, _BUILT_IN):
            return self._instance(value, kind, depth, number)
        return {"opaque": f"an instance of {kind.__name__}", "id": number}

    def _instance(self, value: Any, kind: type, depth: int, number: int) -> Any:
        fields = getattr(kind, "__dataclass_fields__", None)
        if fields is not None and self.inputs:
            names = [name for name, f in fields.items() if f.init]
            given = [[name, self.write(getattr(value, name), depth + 1)] for name in names]
            return {"new": [kind.__name__, given], "id": number}
        state = dict(getattr(value, "__dict__", {}))
        for base in kind.__mro__:
            slots = base.__dict__.get("__slots__", ())
            for name in [slots] if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    state[name] = getattr(value, name)
        return {"x": [kind.__name__, [[str(k), self.write(v, depth + 1)] for k, v in state.items()]], "id": number}


def _times(value: Any) -> list[int]:
    """What the constructor of a date, a time or a span of time takes."""
    return [getattr(value, name) for name in _TIMES[type(value).__name__]]


_DAY, _HOUR = ("year", "month", "day"), ("hour", "minute", "second", "microsecond")
_TIMES = {"date": _DAY, "datetime": (*_DAY, *_HOUR), "time": _HOUR, "timedelta": ("days", "seconds", "microseconds")}
MODULE = "candidate"  # what the tested module is called where it runs
_VIEWS = frozenset({"dict_keys", "dict_values", "dict_items", "list_iterator", "tuple_iterator", "set_iterator",
                    "str_ascii_iterator", "str_iterator", "range_iterator",
                    "dict_keyiterator", "chain", "islice"})  # fmt: skip
_SIZED = frozenset({list, tuple, dict, set, frozenset, collections.deque})
_BUILT_IN = (int, str, float, complex, bytes, tuple, list, dict, set, frozenset, type)


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
        made = self._plain(data)
        if "id" in data and data["id"] not in self.made:
            self.made[data["id"]] = made
        return made

    def _plain(self, data: Any) -> Any:
        read = self.read
        match next(iter(data)):
            case "i":
                return int(data["i"], 16)
            case "f":
                return float.fromhex(data["f"])
            case "c":
                return complex(*(float.fromhex(part) for part in data["c"]))
            case "b":
                return bytes.fromhex(data["b"])
            case "ba":
                return bytearray.fromhex(data["ba"])
            case "t":
                return tuple([read(item) for item in data["t"]])
            case "fs":
                return frozenset([read(item) for item in data["fs"]])
            case "r":
                return range(*(read(part) for part in data["r"]))
            case "l":
                items = self._begin(data, [])
                items.extend(read(item) for item in data["l"])
                return items
            case "s":
                members = self._begin(data, set())
                members.update(read(item) for item in data["s"])
                return members
            case "d":
                mapping = self._begin(data, {})
                mapping.update((read(k), read(v)) for k, v in data["d"])
                return mapping
            case "o":
                return self._collection(*data["o"])
            case "q":
                return self._number(*data["q"])
            case "dt":
                import datetime  # likewise rarely wanted

                name, parts = data["dt"]
                if name not in _TIMES:
                    return Opaque("no plain data")
                return getattr(datetime, name)(*parts)
            case "it":
                return _iterate([read(item) for item in data["it"]], data["more"])
            case "e":
                return self._enum(*data["e"])
            case "n":
                return self._named(*data["n"])
            case "new":
                name, given = data["new"]
                return self.classes[name](**{field: read(item) for field, item in given})
            case "x":
                return self._instance(data)
            case "fn":
                return Opaque(data["fn"])
            case "beyond":
                self.whole = False
                why = f"(more than {data['beyond']:,} parts, or nested more than {DEEPEST} deep)"
                return Opaque("a value too large to look at", why, TooLarge)
            case _:
                return Opaque(str(data.get("opaque", "no plain data")))

    def _begin(self, data: Any, empty: Any) -> Any:
        """Known by its number before its parts are read, for what contains itself."""
        if "id" in data:
            self.made[data["id"]] = empty
        return empty

    def _collection(self, name: str, items: list[Any]) -> Any:
        if name == "deque":
            return collections.deque(self.read(item) for item in items)
        pairs = [(self.read(k), self.read(v)) for k, v in items]
        if name == "Counter":
            return collections.Counter(dict(pairs))
        if name == "OrderedDict":
            return collections.OrderedDict(pairs)
        mapping: dict[Any, Any] = collections.defaultdict(None)
        mapping.update(pairs)
        return mapping

    def _number(self, name: str, text: str) -> Any:
        if name == "Fraction":
            import fractions  # rarely wanted, and slow to load

            return fractions.Fraction(text)
        import decimal  # likewise

        return decimal.Decimal(text)

    def _enum(self, name: str, member: str) -> Any:
        kind = self.classes.get(name)
        return Record(name, {"name": member}) if kind is None else kind[member]

    def _named(self, name: str, fields: list[str], items: list[Any]) -> Any:
        values = [self.read(item) for item in items]
        kind: Any = self.classes.get(name) or collections.namedtuple(name, fields)
        return kind(*values)

    def _instance(self, data: Any) -> Any:
        name, state = data["x"]
        kind = self.classes.get(name)
        if kind is None:
            record = Record(name, {})
            self._begin(data, record)
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
