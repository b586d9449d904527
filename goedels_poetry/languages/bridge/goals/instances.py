"""Instances of type classes: which operation one stands for, and whether its `==` is equality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from goedels_poetry.languages.bridge.goals.expressions import Expr, apply, fresh, opened, plain
from goedels_poetry.languages.bridge.goals.facts import Facts
from goedels_poetry.languages.bridge.goals.matching import Unreadable

MOST_UNFOLDED = 10
HETEROGENEOUS_INSTANCES = frozenset(
    {"instHAdd", "instHSub", "instHMul", "instHDiv", "instHMod", "instHAppendOfAppend", "instHPow"}
)


@dataclass(frozen=True, slots=True)
class Instances:
    """As the definitions of a file say what they are."""

    facts: Facts
    _lawful: set[str] = field(default_factory=set)

    def note_lawful(self, statement: Expr) -> None:
        """Instances whose `==` is equality, as another instance says."""
        rest = statement
        while rest.kind == "pi":
            variable = fresh(rest.name)
            if rest.args[0].head == "LawfulBEq":
                self._lawful.add(plain(rest.args[0].operands[1].name))
            rest = opened(rest.args[1], variable)

    def is_equality(self, instance: Expr) -> bool:
        """Whether the `==` of an instance is equality."""
        if instance.head == "instBEqOfDecidableEq":
            return True
        if instance.kind == "free":
            return plain(instance.name) in self._lawful
        if instance.head in ("List.instBEq", "instBEqOption", "Option.instBEq", "instBEqProd"):
            return all(
                self.is_equality(i)
                for i in instance.operands
                if "BEq" in i.head or (i.kind == "free" and "inst" in i.name)
            )
        return False

    def operation(self, operation: str, instance: Expr, operands: Sequence[Expr]) -> Expr:
        """An operation of a class, as its instance says what it is; raises :class:`Unreadable`."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            if instance.head.endswith(".mk") and instance.operands:
                field_ = instance.operands[-1]
                return apply(field_, operands)
            if instance.head in HETEROGENEOUS_INSTANCES and instance.operands:
                instance = instance.operands[-1]
                continue
            value = self.facts.values.get(instance.head)
            if value is None:
                break
            instance = apply(value, instance.operands)
        raise Unreadable(f"the operation {operation} of {instance.head or 'an instance'}")

    def unfolded(self, instance: Expr) -> Expr:
        """An instance as its constructor applied, where definitions of the file say so."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            value = self.facts.values.get(instance.head)
            if value is None or not _is_instance(instance.head):
                break
            instance = apply(value, instance.operands)
        return instance


def _is_instance(name: str) -> bool:
    return name.rpartition(".")[2].startswith("inst")
