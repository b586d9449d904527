"""``requires``, ``ensures``, ``raises``, what runs around a call (one wrapper a function), and hints in a body."""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from goedels_poetry.contracts import objects

# Functions, arguments and conditions in words, for messages; nothing here ever raises

_LONGEST = 120  # characters of one value in a message


def name_of(thing: Any) -> str:
    """What a function is called."""
    return str(getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or type(thing).__name__)


def arguments_in_words(values: Mapping[str, Any]) -> str:
    """``n=3, xs=[1, 2]`` with long values cut short and the result left to the end."""
    shown = [f"{name}={_short(value)}" for name, value in values.items() if name != "result"]
    if "result" in values:
        shown.append(f"result={_short(values['result'])}")
    return ", ".join(shown)


def condition_text(predicate: Callable[..., Any]) -> str:
    """The expression of a lambda as it stands in its file; the name of a named function."""
    code = getattr(predicate, "__code__", None)
    if code is None or code.co_name != "<lambda>":
        return name_of(predicate)
    places = [p for p in code.co_positions() if None not in p and p[3] > 0]
    if not places:
        return f"the condition at {code.co_filename}:{code.co_firstlineno}"
    start = min((line, column) for line, _, column, _ in places)
    end = max((line, column) for _, line, _, column in places)
    lines = [linecache.getline(code.co_filename, number) for number in range(start[0], end[0] + 1)]
    if not all(lines):
        return f"the condition at {code.co_filename}:{code.co_firstlineno}"
    pieces = [line.encode()[: end[1]] if at == len(lines) - 1 else line.encode() for at, line in enumerate(lines)]
    pieces[0] = pieces[0][start[1] :]
    return " ".join(b" ".join(piece.strip() for piece in pieces).decode(errors="replace").split())


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001  a message must come whatever a user's __repr__ does
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


F = TypeVar("F", bound=Callable[..., Any])

SWITCH = (
    "GOEDELS_POETRY_CONTRACTS"  # environment variable; "0", "off", "false" or "no" when this is imported: unchecked
)
_on = os.environ.get(SWITCH, "").strip().lower() not in {"0", "off", "false", "no"}

# A predicate may call the function that it speaks about; within a predicate its contract is not checked again.
_within: ContextVar[frozenset[int]] = ContextVar("goedels_poetry_contracts_within", default=frozenset())


class ContractViolation(AssertionError):
    """A clause of a contract did not hold. The message names the clause, the function and its arguments."""


class _Switch:
    """What `enabled` returns: the switch has been thrown; as a context manager it goes back at the end."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        global _on  # noqa: PLW0603  one switch for the process
        _on = self._before


def enabled(on: bool) -> _Switch:
    """Check contracts from now on, or do not; ``with enabled(False):`` only within the block. For the whole process."""
    global _on
    before, _on = _on, on
    return _Switch(before)


@dataclass(frozen=True, slots=True)
class Condition:
    """A predicate and the names that it wants."""

    kind: str
    predicate: Callable[..., Any]
    text: str | None
    wanted: tuple[tuple[str, str], ...]  # (the predicate's own name, the name of the value)
    everything: bool  # it has **names
    by_position: bool  # a single name for the result, whatever it is called
    captures: tuple[Callable[..., Any], ...] = ()  # of ``old(...)``

    @classmethod
    def of(
        cls, kind: str, predicate: Callable[..., Any], text: str | None, names: tuple[str, ...], *, with_result: bool
    ) -> Condition:
        """Read the predicate's parameters. Raises TypeError if it wants what there is not."""
        if not callable(predicate):
            raise TypeError(f"{kind} takes a predicate such as a lambda, and {predicate!r} cannot be called")
        known = {*names, "result"} if with_result else set(names)
        code = getattr(predicate, "__code__", None)
        if with_result and code is not None and predicate.__globals__.get("old") is old and "old" in code.co_names:
            plain = cls.of(kind, lambda: True, text or condition_text(predicate), names, with_result=False)
            changed, captures = objects.at_entry(predicate, condition_text(predicate), lambda found: found is old)
            wanted = tuple((n, n) for n in list(inspect.signature(predicate).parameters))
            if len(wanted) == 1 and wanted[0][0] not in known:
                wanted = ((wanted[0][0], "result"),)
            return replace(plain, predicate=changed, wanted=wanted, captures=captures)
        parameters = list(inspect.signature(predicate).parameters.values())
        named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        everything = any(p.kind is p.VAR_KEYWORD for p in parameters)
        if with_result and len(named) == 1 and named[0].name not in known:
            return cls(kind, predicate, text, ((named[0].name, "result"),), everything, True)
        unknown = [p.name for p in named if p.name not in known and p.default is p.empty]
        if unknown:
            there = ", ".join(names) or "none"
            raise TypeError(f"{kind}: the predicate wants {unknown[0]!r}; the function's parameters are: {there}")
        wanted = tuple((p.name, p.name) for p in named if p.name in known)
        return cls(kind, predicate, text, wanted, everything, any(p.kind is p.POSITIONAL_ONLY for p in named))

    def holds(self, values: Mapping[str, Any], entered: Mapping[int, list[Callable[[], Any]]] = {}) -> bool:
        """Whether it does; whatever the predicate raises is raised. ``entered``: see `Contracted.entered`."""
        if self.captures:
            return bool(self.predicate(entered[id(self)], **{own: values[value] for own, value in self.wanted}))
        if self.by_position:
            return bool(self.predicate(*(values[value] for _, value in self.wanted)))
        if self.everything:
            return bool(self.predicate(**values))
        return bool(self.predicate(**{own: values[value] for own, value in self.wanted}))

    def words(self) -> str:
        """The clause as the user wrote it."""
        return self.text or condition_text(self.predicate)


@dataclass(frozen=True, slots=True)
class Allowed:
    """An exception that may be raised, where its condition holds."""

    exception: type[BaseException]
    when: Condition | None


@dataclass(slots=True, eq=False)
class Contracted:
    """The clauses of one function, in the order in which they stand above it."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    signature: inspect.Signature
    simple: bool  # every parameter may be given by position or by name
    defaults: dict[str, Any]
    wrapper: Callable[..., Any] | None = None
    requires: list[Condition] = field(default_factory=list)
    ensures: list[Condition] = field(default_factory=list)
    allowed: list[Allowed] = field(default_factory=list)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name. Raises TypeError if they do not fit the function."""
        if self.simple and len(args) <= len(self.names) and not kwargs:
            values = dict(zip(self.names, args, strict=False))
            if len(args) < len(self.names):
                whole = {**self.defaults, **values}
                values = {name: whole[name] for name in self.names if name in whole}
            if len(values) == len(self.names):
                return values
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def enter(self, values: dict[str, Any]) -> list[Allowed]:
        """Check what callers owe; the exceptions that may be raised on these arguments."""
        with self._quiet():
            for condition in self.requires:
                self._check(condition, values)
            return [a for a in self.allowed if a.when is None or self._holds_quietly(a.when, values)]

    def entered(self, values: dict[str, Any]) -> dict[int, list[Callable[[], Any]]]:
        """What ``old(...)`` is in each condition that has it."""
        with self._quiet():
            return {id(c): [objects.capture(f, values) for f in c.captures] for c in self.ensures if c.captures}

    def leave(self, values: dict[str, Any], result: Any, entered: dict[int, list[Callable[[], Any]]]) -> None:
        """Check what the function owes."""
        values["result"] = result
        with self._quiet():
            for condition in self.ensures:
                self._check(condition, values, entered)

    def raised(self, error: Exception, allowed: list[Allowed], values: dict[str, Any]) -> None:
        """Raise ContractViolation if the function says what it may raise, and this is not among it."""
        if not self.allowed or isinstance(error, ContractViolation):
            return
        if not any(isinstance(error, a.exception) for a in allowed):
            kind = type(error).__name__
            raise ContractViolation(
                f"{self._where(values)} raised {kind}, which no raises clause allows here: {error}"
            ) from error

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        before = _within.get()
        _within.set(before | {id(self)})
        try:
            yield
        finally:
            _within.set(before)

    def _check(
        self,
        condition: Condition,
        values: dict[str, Any],
        entered: Mapping[int, list[Callable[[], Any]]] = {},
    ) -> None:
        try:
            held = condition.holds(values, entered)
        except ContractViolation:
            raise
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise ContractViolation(f"{self._clause(condition, values)} could not be evaluated: {why}") from error
        if not held:
            raise ContractViolation(f"{self._clause(condition, values)} does not hold")

    def _holds_quietly(self, condition: Condition, values: dict[str, Any]) -> bool:
        try:
            return condition.holds(values)
        except Exception:  # noqa: BLE001  a condition that cannot be evaluated does not hold
            return False

    def _clause(self, condition: Condition, values: dict[str, Any]) -> str:
        return f"{self._where(values)}: {condition.kind} {condition.words()}"

    def _where(self, values: dict[str, Any]) -> str:
        return f"{name_of(self.function)}({arguments_in_words(values)})"


def contracted(function: F) -> tuple[F, Contracted]:
    """The wrapper of a function and its contract, which is new unless the function already is such a wrapper."""
    known = getattr(function, "__contract__", None)
    if isinstance(known, Contracted) and known.wrapper is function:  # a decorator between copies the attribute
        return function, known
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    contract = Contracted(
        function,
        tuple(signature.parameters),
        signature,
        all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters),
        {p.name: p.default for p in parameters if p.default is not p.empty},
    )
    wrapper = _coroutine(contract) if inspect.iscoroutinefunction(function) else _function(contract)
    functools.update_wrapper(wrapper, function)
    wrapper.__contract__ = contract  # type: ignore[attr-defined]  # for the next decorator, and for whoever looks
    contract.wrapper = wrapper
    return cast("F", wrapper), contract


def _function(contract: Contracted) -> Callable[..., Any]:
    function, number = contract.function, id(contract)

    def checked(*args: Any, **kwargs: Any) -> Any:
        if not _on or number in _within.get():
            return function(*args, **kwargs)
        try:
            values = contract.bind(args, kwargs)
        except TypeError:
            return function(*args, **kwargs)  # wrong arguments: Python's own words say it best
        allowed, entered = contract.enter(values), contract.entered(values)
        try:
            result = function(*args, **kwargs)
        except Exception as error:
            contract.raised(error, allowed, values)
            raise
        contract.leave(values, result, entered)
        return result

    return checked


def _coroutine(contract: Contracted) -> Callable[..., Any]:
    function, number = contract.function, id(contract)

    async def checked(*args: Any, **kwargs: Any) -> Any:
        if not _on or number in _within.get():
            return await function(*args, **kwargs)
        try:
            values = contract.bind(args, kwargs)
        except TypeError:
            return await function(*args, **kwargs)
        allowed, entered = contract.enter(values), contract.entered(values)
        try:
            result = await function(*args, **kwargs)
        except Exception as error:
            contract.raised(error, allowed, values)
            raise
        contract.leave(values, result, entered)
        return result

    return checked


# ``requires``, ``ensures`` and ``raises``


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


# Hints for the prover: nothing is believed of them, and at run time they are checked


def old(value: Any) -> Any:
    """In the lambda of an ``ensures``: what ``value`` was when the function was called, a copy.

    Raises:
        TypeError: it is called anywhere else.
    """
    raise TypeError("old(...) is what a value was at the call of a function, in the lambda of its ensures")


def invariant(condition: object) -> Any:
    """State what holds at the head of a loop's body: in each round, and after the last one.

    As the decorator of a class: what holds of its objects after ``__init__``, and before and after each public method
    that is called from outside.

    Args:
        condition: something truthy; a lambda without parameters is evaluated only where contracts are checked. Of a
            class a lambda over ``self``.

    Raises:
        ContractViolation: it does not hold; the message has the values of the local variables.
    """
    if callable(condition) and len(inspect.signature(condition).parameters) == 1:
        return lambda cls: objects.keep(cls, condition, _check_object)
    if _on and not (condition() if callable(condition) else condition):
        _violated("invariant")
    return None


def decreases(measure: Any) -> None:
    """State an integer that gets smaller in each round of a loop, or in each recursive call, and is never negative.

    Args:
        measure: that integer; a lambda without parameters is evaluated only where contracts are checked.

    Raises:
        ContractViolation: it is negative. That it gets smaller is for the prover to show.
    """
    if _on and not (measure() if callable(measure) else measure) >= 0:
        _violated("decreases")


def uses(*lemmas: Callable[..., Any]) -> Callable[[F], F]:
    """Name functions whose contracts are lemmas for the proof of the decorated one; at run time it does nothing.

    Raises:
        TypeError: when decorating, if one of them is no function.
    """
    for lemma in lemmas:
        if not callable(lemma):
            raise TypeError(f"uses takes functions with contracts, and {lemma!r} is none")
    return lambda function: function


def _check_object(predicate: Callable[[Any], Any], thing: Any) -> None:
    if _on and not predicate(thing):
        text = f"{condition_text(predicate)} does not hold of {_short(thing)}"
        raise ContractViolation(f"{type(thing).__name__}: invariant {text}")


def _violated(kind: str) -> None:
    caller = sys._getframe(2)
    state = arguments_in_words(caller.f_locals)
    raise ContractViolation(f"{kind} (line {caller.f_lineno}) does not hold where {state or 'nothing is bound'}")
