"""Values of counterexamples as Python literals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.reading.parser import parse_problem, parse_term
from goedels_poetry.kernel.terms import Kind, Term, substitute
from goedels_poetry.python.translate.module import Type
from goedels_poetry.python.translate.registry import Registry, legal
from goedels_poetry.python.translate.translate import Translation

MAX_ELEMENTS = 10_000
Value: TypeAlias = Any
"""As an evaluator has it: a number, a text, or a tuple of a constructor's name and its arguments."""


def python_value(registry: Registry, kind: Type, value: Value) -> str:
    """The text of a Python expression for a value of the script. Raises ValueError: it is no value of that type."""
    if kind.kind in ("int", "bool", "str"):
        wanted = {"int": int, "bool": bool, "str": str}[kind.kind]
        if type(value) is not wanted:
            raise ValueError(f"this is no {kind}: {value!r}")
        return repr(value)
    if kind.kind == "none":
        return "None"
    if not isinstance(value, tuple) or not value:
        raise ValueError(f"this is no {kind}: {value!r}")
    name, fields = value[0], value[1:]
    if kind.kind == "list":
        return f"[{', '.join(python_value(registry, kind.args[0], item) for item in _items(kind, value))}]"
    if kind.kind in ("dict", "set"):
        return _entries(registry, kind, value)
    if kind.kind == "tuple":
        parts = [python_value(registry, k, v) for k, v in zip(kind.args, fields, strict=True)]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if kind.kind == "optional":
        return python_value(registry, kind.args[0], fields[0]) if fields else "None"
    if kind.kind == "enum":
        for one, _ in registry.module.members[kind.name]:
            if name == f"{legal(kind.name)}!{legal(one)}":
                return f"{kind.name}.{one}"
    for member in kind.args or (kind,):
        if name == f"{legal(member.name)}!":
            own = registry.module.fields[member.name]
            texts = [f"{f.name}={python_value(registry, f.kind, v)}" for f, v in zip(own, fields, strict=True)]
            made = registry.module.objects.get(member.name) if registry.states else None
            state = "_state" if made is not None and made.has_state and made.complete else ""
            return f"{member.name}{state}({', '.join(texts)})"
    raise ValueError(f"this is no {kind}: {value!r}")


def _items(kind: Type, value: Value) -> Iterator[Value]:
    """What a list, a dict or a set consists of."""
    fields, count = value[1:], 0
    while fields:
        if (count := count + 1) > MAX_ELEMENTS:
            raise ValueError(f"this {kind.kind} is too long")
        yield fields[0]
        fields = fields[1][1:]


def _entries(registry: Registry, kind: Type, value: Value) -> str:
    entries = [item[1:] if kind.kind == "dict" else (item,) for item in _items(kind, value)]
    texts = [[python_value(registry, k, v) for k, v in zip(kind.args, parts, strict=True)] for parts in entries]
    if kind.kind == "dict" and len({key for key, _ in texts}) < len(texts):
        raise ValueError("no dict has a key twice")
    return f"{{{', '.join(map(': '.join, texts))}}}" if texts or kind.kind == "dict" else "set()"


def value_of_term(term: Term) -> Value:
    """The value that a ground term of constructors and literals is, as a counterexample writes it.

    Raises:
        ValueError: it has something else in it.
    """
    if term.kind is Kind.LIT:
        return term.value
    if term.kind is Kind.APP and term.name == "-" and len(term.args) == 1:
        return -value_of_term(term.args[0])
    if term.kind is Kind.APP:
        return (term.name, *(value_of_term(a) for a in term.args))
    raise ValueError("this is no value")


def python_arguments(translation: Translation, values: Mapping[str, str]) -> dict[str, str]:
    """Arguments as Python literals, by parameter, from a counterexample of the script: terms by variable.

    Raises:
        ValueError: the terms are no values of the parameters' types.
    """
    signature = parse_problem(translation.text).signature
    found: dict[str, str] = {}
    for (parameter, kind), argument in zip(translation.parameters, translation.arguments, strict=True):
        parts = {argument: translation.registry.default(kind)}  # where the theorem does not speak of it
        if argument.kind is Kind.APP:
            fields = translation.module.fields[kind.name]
            parts = {a: translation.registry.default(f.kind) for a, f in zip(argument.args, fields, strict=True)}
        for variable in [v for v in parts if v.name in values]:
            text = values[variable.name]
            try:
                parts[variable] = parse_term(text, signature)
            except KernelError as error:
                raise ValueError(f"this is no value: {text[:80]}") from error
        found[parameter] = python_value(translation.registry, kind, value_of_term(substitute(argument, parts)))
    return found
