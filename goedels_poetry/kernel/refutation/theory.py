"""A theory as solvers look for its models: definitions with their bodies, premises by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.problem import Definition, Signature, recursion_is_open

if TYPE_CHECKING:
    from goedels_poetry.kernel.obligations import Context  # programs of questions rest on none of it


def with_definitions(context: Context) -> tuple[str, ...]:
    """Logic, sorts, datatypes and functions, with ``define-fun(s)-rec`` for the defined ones."""
    return ("(set-logic ALL)", *declarations_and_definitions(context.encoding.signature()))


def for_models(signature: Signature) -> tuple[str, ...]:
    """As `declarations_and_definitions`, and ``sat`` means what it says beside any formulas.

    z3 takes ``forall x. g x = t`` for a definition of ``g``, and does not see that a recursive definition in ``t``
    speaks of ``g``: so it finds models of what contradicts itself. Where a recursive definition leads to a declared
    function, definitions are plain equations.
    """
    plain = (*printer.declarations(signature), *printer.equations(signature))
    return plain if recursion_is_open(signature) else tuple(declarations_and_definitions(signature))


def named_premises(context: Context) -> tuple[str, ...]:
    """The premises as assertions named ``premise.0``, ``premise.1`` and so on, for an unsat core."""
    formulas = [p.formula for p in context.problem.premises]
    return tuple(f"(assert (! {context.encoding.text(f)} :named premise.{i}))" for i, f in enumerate(formulas))


def definitions(signature: Signature) -> list[str]:
    """The definitions as commands, in place of the declarations of the defined functions."""
    return [_define(list(group)) for _, group in groupby(signature.definitions, lambda d: d.group)]


def declarations_and_definitions(signature: Signature) -> Iterator[str]:
    """The whole signature as a script: what is declared, then what is defined with its bodies."""
    yield from printer.declarations(replace(signature, definitions=()))
    yield from definitions(signature)


def _define(group: list[Definition]) -> str:
    def head(d: Definition) -> str:
        return f"{printer.show_symbol(d.name)} {printer.show_binders(d.params)} {printer.show_sort(d.sort)}"

    if len(group) == 1:
        only = group[0]
        return f"(define-fun{'-rec' if only.recursive else ''} {head(only)} {printer.show(only.body)})"
    heads = " ".join(f"({head(d)})" for d in group)
    return f"(define-funs-rec ({heads}) ({' '.join(printer.show(d.body) for d in group)}))"
