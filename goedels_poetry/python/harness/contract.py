"""Clauses of a contract, evaluated: each is compiled once as a function of the parameters (and the result)."""

from __future__ import annotations

import ast
import copy

from .inputs import arguments_of, last_name, parsed
from .values import Opaque, Reader, Record, TooLarge

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_ATOMS: dict[str, tuple[type, ...]] = {
    "int": (int,), "bool": (bool,), "str": (str,), "float": (float, int), "complex": (complex, float, int),
    "bytes": (bytes, bytearray), "None": (type(None),), "list": (list,), "List": (list,), "tuple": (tuple,),
    "Tuple": (tuple,), "set": (set,), "Set": (set,), "frozenset": (frozenset,), "FrozenSet": (frozenset,),
    "dict": (dict,), "Dict": (dict,),
}  # fmt: skip
_ITEMS = 1000  # of a container that are looked at
_DEEPEST = 12


class ResultType:
    """The declared type of a result. ``own``: names that the module binds."""

    def __init__(self, annotation: str, own: frozenset[str]) -> None:
        self.annotation, self.own = annotation, own
        self.node = parsed(annotation) if annotation else None

    def admits(self, value: Any) -> bool:
        """Whether the value may be of the declared type."""
        return self.node is None or self._fits(self.node, value, 0)

    def _fits(self, node: ast.expr, value: Any, depth: int) -> bool:
        if depth > _DEEPEST or isinstance(value, Opaque | Record):
            return True
        if isinstance(node, ast.Constant):
            return self._constant(node, value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._fits(node.left, value, depth + 1) or self._fits(node.right, value, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._generic(last_name(node.value), arguments_of(node), value, depth)
        return self._named(last_name(node), value)

    def _constant(self, node: ast.Constant, value: Any, depth: int) -> bool:
        if node.value is None:
            return value is None
        inside = parsed(node.value) if isinstance(node.value, str) else None  # a name in quotation marks
        return inside is None or self._fits(inside, value, depth + 1)

    def _named(self, name: str, value: Any) -> bool:
        return name in self.own or name not in _ATOMS or isinstance(value, _ATOMS[name])

    def _generic(self, name: str, inner: list[ast.expr], value: Any, depth: int) -> bool:
        if name in self.own:
            return True
        if name == "Optional":
            return value is None or self._fits(inner[0], value, depth + 1)
        if name == "Union":
            return any(self._fits(part, value, depth + 1) for part in inner)
        if name in ("Final", "Annotated"):
            return self._fits(inner[0], value, depth + 1)
        if name == "Literal":
            constants = [part.value for part in inner if isinstance(part, ast.Constant)]
            return len(constants) < len(inner) or any(type(c) is type(value) and c == value for c in constants)
        if not self._named(name, value):
            return False
        if isinstance(value, dict):
            pairs = list(value.items())[:_ITEMS]
            return len(inner) != 2 or all(
                self._fits(inner[0], k, depth + 1) and self._fits(inner[1], v, depth + 1) for k, v in pairs
            )
        if isinstance(value, tuple) and name in ("tuple", "Tuple"):
            return self._tuple(inner, value, depth)
        if isinstance(value, list | set | frozenset) and len(inner) == 1 and name in _ATOMS:
            return all(self._fits(inner[0], item, depth + 1) for item in list(value)[:_ITEMS])
        return True

    def _tuple(self, inner: list[ast.expr], value: tuple[Any, ...], depth: int) -> bool:
        if len(inner) == 2 and isinstance(inner[1], ast.Constant) and inner[1].value is ...:
            return all(self._fits(inner[0], item, depth + 1) for item in value[:_ITEMS])
        parts = [] if len(inner) == 1 and isinstance(inner[0], ast.Tuple) else inner  # tuple[()]
        return len(parts) == len(value) and all(map(self._fits, parts, value, [depth + 1] * len(parts)))


_OLD = "old\u00b7"
_RESOURCES = frozenset({"RecursionError", "MemoryError"})
_SIZES = ("an index-sized integer", "to C ssize_t", "too many digits in integer", " is too long")
"""How the text of an OverflowError ends where CPython means that no memory could hold it."""


class Evaluator:
    """``job``: parameters and clauses; ``names``: what clauses may use besides: names of the module, Python's own."""

    def __init__(self, job: dict[str, Any], returns: ResultType, names: dict[str, Any]) -> None:
        self.parameters = [p["name"] for p in job["parameters"]]
        self.names, self.returns, self.is_method = names, returns, job["state"] != ""
        self.classes: dict[str, Any] = {}
        with_default = [p for p in job["parameters"] if p["default"] is not None]
        self.defaults = {p["name"]: self._compiled(p["default"], []) for p in with_default}
        self.before = [self._compiled(text, self.parameters) for text in job["requires"]]
        both = [*(p for p in self.parameters if p != "result"), "result"]
        self.captures: list[Any] = []
        self.entered: list[Any] = []
        if job["old"]:
            names[_OLD] = self._old
        self.after = [self._compiled(self._captured(text) if job["old"] else text, both) for text in job["ensures"]]
        self.kept = self.after[len(self.after) - job["kept"] :]
        self.raises = [(name, self._compiled(when, self.parameters) if when else None) for name, when in job["raises"]]

    def _compiled(self, text: str, parameters: list[str]) -> Any:
        body = ast.parse(f"({text}\n)", mode="eval").body
        arguments = ast.arguments([], [ast.arg(name) for name in parameters], None, [], [], None, [])
        expression = ast.Expression(ast.Lambda(arguments, body))
        code = compile(ast.fix_missing_locations(expression), "<contract>", "eval", dont_inherit=True)
        return eval(code, self.names)  # noqa: S307  in the sandbox

    def _captured(self, text: str) -> str:
        """A condition with numbers for what stands in ``old(...)``, which is evaluated when the function is called."""
        tree = ast.parse(f"({text}\n)", mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "old":
                self.captures.append(self._compiled(ast.unparse(node.args[0]), self.parameters))
                node.func.id, node.args = _OLD, [ast.Constant(len(self.captures) - 1)]
        return ast.unparse(tree)

    def _old(self, number: int) -> Any:
        value, error = self.entered[number]
        if error is not None:
            raise error
        return value

    def enter(self, whole: dict[str, Any]) -> None:
        """Keep copies of what ``old(...)`` is, or the exceptions that it raises."""
        self.entered = []
        for capture in self.captures:
            try:
                self.entered.append((copy.deepcopy(capture(**whole)), None))
            except Exception as error:  # noqa: BLE001  counts where the condition asks for it
                self.entered.append((None, error))

    def after_exception(self, whole: dict[str, Any]) -> dict[str, Any]:
        """What is wrong with the arguments after an exception that is allowed: conditions that hold then as well."""
        first = len(self.after) - len(self.kept)
        for number, condition in enumerate(self.kept):
            try:
                held = condition(**whole, result=None)
            except Exception:  # noqa: BLE001  a promise that cannot be evaluated is not kept
                held = False
            if not held:
                return {"v": "broken", "clause": first + number, "why": "", "result": "an exception that is allowed"}
        return {"v": "ok", "raised": True}

    def completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """With the defaults of what was not given."""
        if len(given) == len(self.parameters):
            return given
        return {**{name: default() for name, default in self.defaults.items() if name not in given}, **given}

    def requires(self, given: dict[str, Any]) -> bool:
        """Whether the input is in the domain: every condition holds, and none raises."""
        try:
            whole = self.completed(given)
            return all(condition(**whole) for condition in self.before)
        except Exception:  # noqa: BLE001  a condition that raises does not hold
            return False

    def allowed(self, whole: dict[str, Any]) -> list[str]:
        """The exceptions that may be raised on an input, as it is before the call."""
        found = []
        for name, when in self.raises:
            try:
                if when is None or when(**whole):
                    found.append(name)
            except Exception:  # noqa: BLE001  a condition that raises does not hold
                continue
        return found

    def of_result(self, whole: dict[str, Any], result: Any, seen_whole: bool = True) -> dict[str, Any]:
        """``{"v": "ok"}``, or what is wrong with a result: ``broken`` (with the clause), ``mistyped`` (not of the type
        that is declared), ``slow`` (the clause needs more memory or stack than there is).

        ``unseen``: there is a result, of which more would have to be looked at than is; ``as`` is what is wrong where
        that is no excuse. A part that is left out can still be compared by ``is`` and counted, so a clause that holds
        of what is not whole is unseen as well; one that does not is broken.

        Args:
            whole: the caller's objects after the call, as they are for a decorator around it.
            seen_whole: whether nothing of them and of the result was left out for its size.
        """
        unseen: dict[str, Any] | None = None
        arguments = {**whole, "result": result}

        def broken(clause: int, why: str) -> dict[str, Any]:
            after = {"after": _short(next(iter(whole.values()), None))} if self.is_method else {}
            return {"v": "broken", "clause": clause, "why": why, "result": _short(result), **after}

        for number, condition in enumerate(self.after):
            try:
                if not condition(**arguments):
                    return broken(number, "")
                if not seen_whole:
                    unseen = unseen or broken(number, "cannot be seen whole, ")
            except Exception as error:  # noqa: BLE001  a promise that cannot be evaluated is not kept
                if type(error).__name__ in _RESOURCES:
                    return {"v": "slow"}
                why = f"cannot be evaluated ({type(error).__name__}: {error}), "[:400]
                if not isinstance(error, TooLarge) and not _too_long(type(error).__name__, str(error)):
                    return broken(number, why)
                unseen = unseen or broken(number, why)
        if not self.returns.admits(result):
            return {"v": "mistyped", "result": _short(result), "type": type(result).__name__}
        return {"v": "ok"} if unseen is None else {"v": "unseen", "as": unseen}

    def of_exception(self, outcome: dict[str, Any], allowed: list[str]) -> dict[str, Any]:
        """``ok`` where the exception is an allowed one; ``raised``; ``depth`` where stack or memory ended.

        Args:
            outcome: the exception as the player reports it. ``allowed``: the names that allow it.
        """
        if allowed:
            return {"v": "ok", "raised": True}
        kind = "depth" if outcome["mro"][0] in _RESOURCES else "raised"
        wrong = {"v": kind, "error": outcome["mro"][0], "message": outcome["message"], "line": outcome["line"]}
        return {"v": "unseen", "as": wrong} if _too_long(outcome["mro"][0], outcome["message"]) else wrong

    def verdict(self, given: dict[str, Any], outcome: dict[str, Any]) -> dict[str, Any]:
        """What the contract says of an answer that was carried here as data; ``time`` and ``gone`` as they come."""
        match outcome["k"]:
            case "time":
                return {"v": "time", "seconds": outcome["t"]}
            case "gone":
                return {"v": "gone", "why": outcome["why"]}
            case "raised":
                if outcome.get("input"):
                    return {"v": "outside"}
                before = self.completed({name: Reader(self.classes).read(data) for name, data in given.items()})
                named = [name for name in self.allowed(before) if name.rpartition(".")[2] in outcome["mro"]]
                return self.of_exception(outcome, named)
        reader = Reader(self.classes)
        *after, result = reader.read(outcome["v"])
        passed = [name for name in self.parameters if name in given]
        return self.of_result(self.completed(dict(zip(passed, after, strict=False))), result, reader.whole)


def _too_long(error: str, message: str) -> bool:
    """Whether something would be longer than memory can be: that says as little as that there is none left."""
    return error == "OverflowError" and message.endswith(_SIZES)


def _short(value: Any) -> str:
    try:
        long = isinstance(value, list | tuple | str | bytes) and len(value) > 200
        text = repr(value[:200]) if long else repr(value)
    except Exception:  # noqa: BLE001  only for a message
        return "a result without a repr"
    if getattr(type(value), "__repr__", None) is vars(object)["__repr__"] and getattr(value, "__dict__", None):
        text = f"{type(value).__name__}({', '.join(f'{n}={v!r}' for n, v in vars(value).items())})"
    return text if len(text) <= 200 and not long else f"{text[:200]}..."
