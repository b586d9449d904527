"""Frozen dataclasses that are JSON: what is written can be read again, checked by the types of the fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

from pydantic import ConfigDict, TypeAdapter, ValidationError

from goedels_poetry.errors import InvalidInput

STRICT = ConfigDict(extra="forbid")
"""``__pydantic_config__`` of a record that comes from outside: what it does not know is refused."""


class Record:
    """Base of a dataclass whose fields are JSON values, tuples of them, or other records."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        data: dict[str, Any] = _adapter(type(self)).dump_python(self, mode="json")
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of :meth:`to_json`. Raises InvalidInput: a field is unknown, missing, or malformed."""
        try:
            found: Self = _adapter(cls).validate_json(json.dumps(data), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise InvalidInput(f"this is no {cls.__name__}: {place or 'it'}: {first['msg']}", path=place) from None
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInput(f"this is no {cls.__name__}: {error}") from None
        return found


_ADAPTERS: dict[type[Record], TypeAdapter[Any]] = {}


def _adapter(kind: type[Record]) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
