"""What a strategy proposes: a rule for a goal and plans for the goals that the rule leaves."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import Scheme
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term


@lru_cache(maxsize=65536)
def _digest(formula: Term) -> str:
    return hashlib.sha256(show(formula).encode()).hexdigest()[:20]


def key_of(sequent: Sequent) -> str:
    """The name by which a proven sequent is cited: a hash of its formula up to renaming."""
    return _digest(sequent.key)


@dataclass(frozen=True)
class Plan:
    """How a sequent is to be proved.

    ``by`` is a scheme (then ``children`` are its instances, in order), a query (then ``children`` are lemmas it may
    cite), or None: left open for the machine. ``strategy`` names the idea, ``detail`` makes it a fingerprint.
    """

    sequent: Sequent
    by: Scheme | Query | None = None
    children: tuple[Plan, ...] = ()
    strategy: str = "open"
    detail: str = ""

    @property
    def key(self) -> str:
        """See `key_of`."""
        return key_of(self.sequent)

    @property
    def fingerprint(self) -> str:
        """Identity of the idea, taken from the artefact."""
        return f"{self.strategy}({self.detail})" if self.detail else self.strategy

    @property
    def complete(self) -> bool:
        """Whether nothing is left open."""
        return self.by is not None and all(child.complete for child in self.children)


def detail_of(part: Any) -> str:
    """A scheme or a part of one as it stands in a fingerprint: Python's notation, with terms as SMT-LIB.

    Stored runs know by this text what they have tried, so it stays as it is.
    """
    if isinstance(part, Term):
        return show(part)
    if isinstance(part, tuple):
        return f"({', '.join(map(detail_of, part))}{',' if len(part) == 1 else ''})"
    if is_dataclass(part):
        named = [f"{field.name}={detail_of(getattr(part, field.name))}" for field in fields(part)]
        return f"{type(part).__name__}({', '.join(named)})"
    return repr(part)


def leaf(sequent: Sequent, query: Query) -> Plan:
    """A goal closed by one solver query."""
    return Plan(sequent, query, (), "query")
