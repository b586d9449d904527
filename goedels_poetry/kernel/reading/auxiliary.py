"""Auxiliary definitions: functions that a proof speaks of although the theorem does not, such as the size of a list.

Trusted code. New names for total functions say nothing about the old ones: every model of the theorem has exactly one
extension in which the new definitions hold, provided that they are well-founded, which is shown as for the theorem's
own definitions. So what is proved about the old symbols with their help holds without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.problem import Definition, Measures, Problem, Signature
from goedels_poetry.kernel.reading.declare import Declarations
from goedels_poetry.kernel.reading.elaborate import Elaborator
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, decode, read
from goedels_poetry.kernel.reading.symbols import Symbols

_COMMANDS = ("define-fun", "define-fun-rec", "define-funs-rec")


def read_definitions(texts: Iterable[str], signature: Signature) -> Signature:
    """The signature with the definitions that ``texts`` give, one command each, in order.

    Raises:
        InvalidText: not a definition, ill-sorted, a name that is taken, or one that a solver would not take as it is.
    """
    for text in texts:
        signature = _defined(text, signature)
    return signature


def _defined(text: str, signature: Signature) -> Signature:
    source = Source(decode(text))
    commands = read(source)
    command = commands[0] if len(commands) == 1 else None
    head = command.items[0] if isinstance(command, Group) and command.items else None
    if not isinstance(command, Group) or not isinstance(head, Atom) or head.text not in _COMMANDS:
        source.fail("one definition was expected", command or 0, "write (define-fun-rec name ((x Sort)) Sort body)")
    symbols = Symbols.of(signature, source)
    symbols.reserved.update(signature.names)
    declarations = Declarations(symbols, Elaborator(symbols))
    declarations.command(command)
    declarations.elaborate_instances()
    new = declarations.signature().definitions
    if not new or any(d.name not in text for d in new):
        source.fail("a plain definition was expected", command, "without type parameters")
    number = max((d.group for d in signature.definitions), default=-1) + 1
    return extended(signature, [replace(d, group=number + d.group) for d in new])


def extended(signature: Signature, definitions: Iterable[Definition]) -> Signature:
    """The signature with more definitions behind its own.

    Raises:
        InvalidText: one of the names is taken.
    """
    new = tuple(definitions)
    names = [d.name for d in new]
    taken = sorted({n for n in names if n in signature.names or names.count(n) > 1})
    if taken:
        raise InvalidText(f"the name {taken[0]} is taken", 1, 1, "an auxiliary function needs a name of its own")
    return replace(signature, definitions=(*signature.definitions, *new))


def with_auxiliaries(
    problem: Problem, definitions: Iterable[Definition], measures: Measures = MappingProxyType({})
) -> Problem:
    """The same theorem over a larger signature, with measures for some functions; errors as in `extended`."""
    return replace(problem, signature=extended(problem.signature, definitions), measures=measures)
