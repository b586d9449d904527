"""Stand-ins for the libraries of contracts: their decorators do nothing, because the clauses are evaluated elsewhere.

So nothing has to be installed, and a function runs as it would without its contract. Where a function may call another
one that has a contract, our own decorators are the real ones.
"""

from __future__ import annotations

import sys
import types

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_DIRECT = frozenset({"pure", "safe", "inherit"})  # these decorate as they stand
_EXCEPTIONS = ("Error", "Violation", "Exception")


def _same(thing: Any) -> Any:
    return thing


class _Nothing:
    """A decorator, or what makes one; as a context manager it does nothing either."""

    def __init__(self, direct: bool) -> None:
        self.direct = direct

    def __call__(self, *args: Any, **_: Any) -> Any:
        return args[0] if self.direct and args else _Applied()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


class _Applied(_Nothing):
    def __init__(self) -> None:
        super().__init__(True)


def _implies(test: Any, then: Any) -> bool:
    return (not test) or bool(then)


class _Stub(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith(_EXCEPTIONS):
            made: Any = type(name, (AssertionError,), {})
        elif name == "implies":
            made = _implies
        elif name in ("DBC", "DBCMeta"):
            made = {"DBC": object, "DBCMeta": type}[name]
        else:
            made = _Nothing(name in _DIRECT)
        setattr(self, name, made)
        return made


_OURS = ["requires", "ensures", "raises", "invariant", "decreases", "old", "uses", "enabled", "ContractViolation"]
_STARS = {  # what ``import *`` brings
    "deal": ["pre", "post", "ensure", "raises", "reason", "safe", "pure", "has", "chain", "inv", "implies"],
    "icontract": ["require", "ensure", "invariant", "snapshot", "DBC", "DBCMeta", "ViolationError"],
    "goedels_poetry": _OURS,
    "goedels_poetry.contracts": _OURS,
}


def install(ours: bool = False) -> None:
    """Let the stand-ins be found in place of what may be installed; ``ours``: our own contracts are the real ones."""
    for name, star in _STARS.items():
        if ours and star is _OURS:
            continue
        sys.modules[name] = _Stub(name)
        sys.modules[name].__all__ = star  # type: ignore[attr-defined]
    if ours:
        from goedels_poetry.contracts import objects

        objects.CHECKED = False  # the invariants of an object are conditions of what is tested
        return
    sys.modules["goedels_poetry"].__path__ = []
    sys.modules["goedels_poetry"].contracts = sys.modules["goedels_poetry.contracts"]  # type: ignore[attr-defined]
