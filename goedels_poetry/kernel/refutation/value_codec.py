"""Values of the evaluator as JSON, and back."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from goedels_poetry.kernel.faults import CodecError
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.refutation.value_forms import ArrayValue, Built, Element
from goedels_poetry.kernel.terms import Sort

_FRACTION = re.compile(r"-?[0-9]{1,2000}(/[0-9]{1,2000})?")


def value_to_json(value: Value) -> Any:
    """A value as JSON; what JSON has no form for is an object with one key."""
    if isinstance(value, bool | str) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    if isinstance(value, int):
        return {"integer": str(value)}
    if isinstance(value, Fraction):
        return {"real": str(value)}
    if isinstance(value, ArrayValue):
        items = [[value_to_json(k), value_to_json(v)] for k, v in sorted(value.items, key=repr)]
        return {"array": {"default": value_to_json(value.default), "items": items}}
    if isinstance(value, Element):
        return {"element": {"sort": value.sort.name, "number": value.number}}
    if isinstance(value, Built):
        return {"built": {"function": value.function, "args": [value_to_json(a) for a in value.args]}}
    if isinstance(value, tuple):
        return {"tuple": [value_to_json(part) for part in value]}
    raise CodecError(f"not a value: {value!r}")


def value_from_json(json: Any) -> Value:
    """The value that ``json`` describes.

    Raises:
        CodecError: it describes none.
    """
    if isinstance(json, bool | str | int):
        return json
    try:
        match json:
            case {"integer": str(digits), **rest} if not rest:
                return int(digits)
            case {"real": str(text), **rest} if not rest and _FRACTION.fullmatch(text):
                return Fraction(text)
            case {"tuple": list(parts), **rest} if not rest:
                return tuple([value_from_json(part) for part in parts])
            case {"element": {"sort": str(name), "number": int(number), **more}, **rest} if not rest and not more:
                return Element(Sort(name), number)
            case {"built": {"function": str(name), "args": list(args), **more}, **rest} if not rest and not more:
                return Built(name, tuple([value_from_json(a) for a in args]))
            case {"array": {"default": default, "items": list(items), **more}, **rest} if not rest and not more:
                result = ArrayValue(value_from_json(default), frozenset())
                for key, element in items:
                    result = result.store(value_from_json(key), value_from_json(element))
                return result
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise CodecError(f"not a value: {json!r}") from error
    raise CodecError(f"not a value: {json!r}")
