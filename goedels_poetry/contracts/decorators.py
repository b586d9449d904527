"""``requires``, ``ensures`` and ``raises``: they stack in any order, on functions, coroutines and methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from goedels_poetry.contracts.checking import Allowed, Condition, Contracted, contracted
from goedels_poetry.contracts.words import name_of

F = TypeVar("F", bound=Callable[..., Any])


def requires(predicate: Callable[..., Any], text: str | None = None) -> Callable[[F], F]:
    """Callers owe that ``predicate`` holds; a predicate that raises does not hold.

    Args:
        predicate: a function of any of the parameters, by their names.
        text: the condition in words for messages; otherwise the lambda's own text.

    Raises:
        TypeError: when decorating, if the predicate asks for a name that is no parameter.
        ContractViolation: when called, if the predicate does not hold.
    """

    def add(contract: Contracted) -> None:
        contract.requires.insert(0, Condition.of("requires", predicate, text, contract.names, with_result=False))

    return _decorator("requires", add)


def ensures(predicate: Callable[..., Any], text: str | None = None) -> Callable[[F], F]:
    """The function owes that ``predicate`` holds when it returns.

    Args:
        predicate: a function of any of the parameters, by their names, and of ``result``. The parameters are what the
            caller's objects are *after* the call. A single name that is no parameter is the result.
        text: the condition in words for messages; otherwise the lambda's own text.

    Raises:
        TypeError: when decorating, if the predicate asks for a name that is neither a parameter nor ``result``.
        ContractViolation: when called, if the predicate does not hold.
    """

    def add(contract: Contracted) -> None:
        contract.ensures.insert(0, Condition.of("ensures", predicate, text, contract.names, with_result=True))

    return _decorator("ensures", add)


def raises(exception: type[BaseException], when: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """The function may raise ``exception`` (and its subclasses); with ``when``: only on inputs where that holds.

    A function with at least one such clause raises `ContractViolation` in place of any exception that none allows, with
    the original as its cause. Without any, exceptions pass as they are.

    Args:
        exception: a class of exceptions.
        when: a function of any of the parameters, by their names; evaluated on the arguments before the call.

    Raises:
        TypeError: when decorating, if ``exception`` is no class of exceptions or ``when`` asks for an unknown name.
    """
    given: object = exception
    if not (isinstance(given, type) and issubclass(given, BaseException)):
        raise TypeError(f"raises takes a class of exceptions, and {exception!r} is none")

    def add(contract: Contracted) -> None:
        condition = None if when is None else Condition.of("raises", when, None, contract.names, with_result=False)
        contract.allowed.insert(0, Allowed(exception, condition))

    return _decorator("raises", add)


def _decorator(kind: str, add: Callable[[Contracted], None]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        if isinstance(function, staticmethod | classmethod):  # @requires above @staticmethod
            return type(function)(decorate(function.__func__))
        if isinstance(function, type) or not callable(function):
            raise TypeError(f"{kind} decorates functions and methods, and {name_of(function)} is none")
        wrapper, contract = contracted(function)
        add(contract)
        return wrapper

    return decorate
