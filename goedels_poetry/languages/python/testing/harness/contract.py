"""Clauses of a contract, evaluated: each is compiled once as a function of the parameters (and the result)."""

from __future__ import annotations

import ast

from .limits import TooLong
from .results import ResultType
from .values import Reader, TooLarge

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_RESOURCES = frozenset({"RecursionError", "MemoryError"})


class Evaluator:
    """``names``: what clauses may use besides the parameters: names of the module, and Python's own."""

    def __init__(
        self,
        parameters: list[dict[str, Any]],
        requires: list[str],
        ensures: list[str],
        raises: list[list[str]],
        returns: ResultType,
        names: Any,
    ) -> None:
        self.parameters = [p["name"] for p in parameters]
        self.names = names
        self.returns = returns
        self.defaults = {p["name"]: self._compiled(p["default"], []) for p in parameters if p["default"] is not None}
        self.classes: dict[str, Any] = {}
        self.before = [self._compiled(text, self.parameters) for text in requires]
        both = [*(p for p in self.parameters if p != "result"), "result"]
        self.after = [self._compiled(text, both) for text in ensures]
        self.allowed = [(name, self._compiled(when, self.parameters) if when else None) for name, when in raises]

    def _compiled(self, text: str, parameters: list[str]) -> Any:
        body = ast.parse(f"({text}\n)", mode="eval").body
        arguments = ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, [])
        expression = ast.Expression(ast.Lambda(arguments, body))
        code = compile(ast.fix_missing_locations(expression), "<contract>", "eval", dont_inherit=True)
        return eval(code, self.names)  # noqa: S307  in the sandbox

    def _completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """With the defaults of what was not given."""
        if len(given) == len(self.parameters):
            return given
        return {**{name: default() for name, default in self.defaults.items() if name not in given}, **given}

    def requires(self, given: dict[str, Any]) -> bool:
        """Whether the input is in the domain: every condition holds, and none raises."""
        try:
            whole = self._completed(given)
            return all(condition(**whole) for condition in self.before)
        except Exception:  # noqa: BLE001  a condition that raises does not hold
            return False

    def verdict(self, given: dict[str, Any], outcome: dict[str, Any], large: bool) -> dict[str, Any]:
        """``{"v": "ok"}``, or what is wrong: ``broken`` (with the clause), ``raised``, ``time``, ``depth``, ``gone``,
        ``mistyped`` (a result that is not of the type that is declared).

        ``unseen``: there is a result, of which more would have to be looked at than is, or more made than memory can
        hold; ``as`` is what is wrong where that is no excuse. A part that is left out can still be compared by ``is``
        and counted, so a clause that holds of what is not whole is unseen as well; one that does not is broken.

        The parameters in an ensures are the caller's objects after the call, as they are for a decorator around it.
        """
        if outcome["k"] == "time":
            return {"v": "time", "seconds": outcome["t"]}
        if outcome["k"] == "gone":
            return {"v": "gone", "why": outcome["why"]}
        if outcome["k"] == "raised":
            return self._raised(given, outcome)
        reader = Reader(self.classes)
        after = reader.read(outcome["v"])
        passed = [name for name in self.parameters if name in given]
        arguments = {**self._completed(dict(zip(passed, after, strict=False))), "result": after[-1]}
        unseen: dict[str, Any] | None = None
        for number, condition in enumerate(self.after):
            broken = {"v": "broken", "clause": number, "why": "", "result": _short(after[-1])}
            try:
                if not condition(**arguments):
                    return broken
                if not reader.whole:
                    unseen = unseen or {**broken, "why": "cannot be seen whole, "}
            except Exception as error:  # noqa: BLE001  a promise that cannot be evaluated is not kept
                if large and type(error).__name__ in _RESOURCES:
                    return {"v": "slow"}
                why = f"cannot be evaluated ({type(error).__name__}: {error}), "[:400]
                if not isinstance(error, TooLarge) and not _too_long(type(error).__name__, str(error)):
                    return {**broken, "why": why}
                unseen = unseen or {**broken, "why": why}
        if not self.returns.admits(after[-1]):
            return {"v": "mistyped", "result": _short(after[-1]), "type": type(after[-1]).__name__}
        return {"v": "ok"} if unseen is None else {"v": "unseen", "as": unseen}

    def _raised(self, given: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
        if outcome.get("input"):
            return {"v": "outside"}
        before = self._completed({name: Reader(self.classes).read(data) for name, data in given.items()})
        for name, when in self.allowed:
            if name.rpartition(".")[2] in outcome["mro"]:
                try:
                    if when is None or when(**before):
                        return {"v": "ok", "raised": True}
                except TooLong:
                    raise
                except Exception:  # noqa: BLE001  a condition that raises does not hold
                    continue
        kind = "depth" if outcome["mro"][0] in _RESOURCES else "raised"
        wrong = {"v": kind, "error": outcome["mro"][0], "message": outcome["message"], "line": outcome["line"]}
        return {"v": "unseen", "as": wrong} if _too_long(outcome["mro"][0], outcome["message"]) else wrong


def _too_long(error: str, message: str) -> bool:
    """Whether something would be longer than memory can be: that says as little as that there is none left."""
    return error == "OverflowError" and message.endswith(("an index-sized integer", "to C ssize_t"))


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  only for a message
        return "a result without a repr"
    return text if len(text) <= 200 else f"{text[:200]}..."


__all__ = ["Evaluator"]
