"""Values of a script as Python literals.

A value of the evaluator: an integer, a truth value, a text, or a tuple of a constructor's name and its fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.reading.parser import parse_problem, parse_term
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.terms import Kind, Term
from goedels_poetry.python.translate.registry import Registry, legal
from goedels_poetry.python.translate.translate import Translation
from goedels_poetry.python.translate.types import Type

MAX_ELEMENTS = 10_000


def python_value(registry: Registry, kind: Type, value: Value) -> str:
    """The text of a Python expression for a value of the script.

    Raises:
        ValueError: it is no value of that type.
    """
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
        items: list[str] = []
        while fields:
            items.append(python_value(registry, kind.args[0], fields[0]))
            if len(items) > MAX_ELEMENTS:
                raise ValueError("this list is too long")
            fields = fields[1][1:]
        return f"[{', '.join(items)}]"
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
            return f"{member.name}({', '.join(texts)})"
    raise ValueError(f"this is no {kind}: {value!r}")


def _entries(registry: Registry, kind: Type, value: Value) -> str:
    items: list[str] = []
    keys: set[str] = set()
    fields = value[1:]
    while fields:
        parts = fields[0][1:] if kind.kind == "dict" else (fields[0],)
        texts = [python_value(registry, k, v) for k, v in zip(kind.args, parts, strict=True)]
        if kind.kind == "dict" and texts[0] in keys:
            raise ValueError("no dict has a key twice")
        keys.add(texts[0])
        items.append(": ".join(texts))
        if len(items) > MAX_ELEMENTS:
            raise ValueError(f"this {kind.kind} is too long")
        fields = fields[1][1:]
    return "set()" if kind.kind == "set" and not items else f"{{{', '.join(items)}}}"


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
    for (parameter, kind), name in zip(translation.parameters, translation.names, strict=True):
        text = values.get(name)
        if text is None:
            term = translation.registry.default(kind)  # the theorem does not speak of it
        else:
            try:
                term = parse_term(text, signature)
            except KernelError as error:
                raise ValueError(f"this is no value: {text[:80]}") from error
        found[parameter] = python_value(translation.registry, kind, value_of_term(term))
    return found
