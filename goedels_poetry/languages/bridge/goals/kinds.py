"""What stands behind a colon: a type of values, a proposition, or a type of types; for the arguments of functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from goedels_poetry.languages.bridge.goals.expressions import PROP, Expr, apply
from goedels_poetry.languages.bridge.goals.facts import Facts
from goedels_poetry.languages.bridge.goals.library import RELATIONS
from goedels_poetry.languages.bridge.goals.sorts import Sorts

_PROPOSITIONS = frozenset(
    {"Eq", "Ne", "And", "Or", "Not", "Iff", "Exists", "True", "False", *RELATIONS, "Dvd.dvd", "Membership.mem", "HEq"}
)

Kind = Literal["proof", "static", "data"]
"""A proof is left out, a static argument is part of the function, data are handed to it."""


@dataclass(slots=True)
class Kinds:
    """By the types of the free variables."""

    facts: Facts
    sorts: Sorts
    types: dict[str, Expr] = field(default_factory=dict)

    def of(self, type_: Expr, info: str) -> Kind:
        """What an argument of this type is."""
        if self.is_proof(type_) or (info == "instImplicit" and type_.head.startswith("Decidable")):
            return "proof"
        if info == "instImplicit" or self.is_type(type_) or self.sorts.unfolded(type_).kind == "pi":
            return "static"
        return "data"

    def is_type(self, type_: Expr) -> bool:
        """Whether it is the type of types, or of functions to types."""
        while type_.kind == "pi":
            type_ = type_.args[1]
        return type_.kind == "sort" and type_ != PROP

    def is_proof(self, type_: Expr) -> bool:
        """Whether it is a proposition, so that what has this type is a proof."""
        type_ = apply(type_, ())
        while type_.kind == "pi":
            type_ = apply(type_.args[1], ())
        if type_.head in _PROPOSITIONS:
            return True
        known = self.facts.types.get(type_.head)
        if known is not None:
            while known.kind == "pi":
                known = known.args[1]
            return known == PROP
        if type_.kind == "app" and type_.args[0].kind == "free":
            known = self.types.get(type_.args[0].name)
            while known is not None and known.kind == "pi":
                known = known.args[1]
            return known == PROP
        return type_.kind == "free" and self.types.get(type_.name) == PROP
