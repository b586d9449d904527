"""The function under test as tests see it in the judge's process: a table of answers, and open questions.

Also the limit of processor time around something of ours, of the contract's author or of a candidate.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import signal
import sys
from ast import literal_eval

from .values import NotData, Opaque, Reader, Writer

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any


class TooLong(BaseException):
    """The time is over. No plain exception, so that tests that catch those do not catch it."""


_GRACE = 0.3
"""Seconds after the limit when what Python cannot interrupt (sum(range(10**20))) ends the process."""
_AGAIN = 0.05
"""Seconds after which code that swallowed its limit is interrupted again."""


class Limit:
    """Not nested: the inner limit is the one that counts, and ends the outer one.

    ``wall``: four times the limit by the clock as well, for what sleeps.
    """

    def __init__(self, wall: bool = False) -> None:
        self.running, self.wall, self.most = False, wall, 0.0
        signal.signal(signal.SIGPROF, self._ring)
        signal.signal(signal.SIGALRM, self._ring)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)

    def _ring(self, *_: object) -> None:
        if self.running:
            raise TooLong

    def seconds(self, seconds: float) -> Limit:
        """Raise `TooLong` within the block after so many seconds of processor time."""
        self.most = seconds
        return self

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, self.most + _GRACE)
        signal.setitimer(signal.ITIMER_PROF, self.most, _AGAIN)
        if self.wall:
            signal.setitimer(signal.ITIMER_REAL, 4 * self.most + 1, _AGAIN)
        self.running = True  # last: an earlier limit that strikes only now is none of this one

    def __exit__(self, *_: object) -> None:
        self.running = False  # the others may ring in vain, until the next limit sets them anew
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


MOST_PENDING = 3000


class Pending(BaseException):
    """The answer to a call is not known yet."""


class Unknown:
    """Stands for an answer that is not known yet while questions are collected: what is done with it goes on."""

    def _itself(self, *_: Any, **__: Any) -> Any:
        return self

    def _yes(self, *_: Any) -> bool:
        return True

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 1

    __hash__ = object.__hash__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __contains__ = _yes
    __call__ = __getattr__ = __getitem__ = __neg__ = __abs__ = __round__ = __add__ = __radd__ = __sub__ = _itself
    __rsub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __and__ = __or__ = _itself


class DidNotFinish(BaseException):
    """The candidate did not answer a call: it took too long, or its process ended."""


class Oracle:
    """Calls that were answered, by their text. ``last``: the last call that a test made."""

    pending_type = Pending

    def __init__(self, table: dict[str, Any]) -> None:
        self.table = table
        self.pending: dict[str, Any] = {}
        self.names: dict[str, Any] = {}
        self.calls = 0
        self.collecting = False
        self.last: Any = None
        self.last_outcome: Any = None

    def function(self, chain: tuple[Any, ...] = ()) -> Any:
        """The function, or what calls of it returned when that is a function."""

        def answer(*args: Any, **named: Any) -> Any:
            writer = Writer(inputs=True)
            step = [[writer.write(arg) for arg in args], [[name, writer.write(arg)] for name, arg in named.items()]]
            lost = _opaque_in(step)
            if lost:
                raise NotData(f"the check hands over {lost}, which cannot be passed to the function")
            return self._ask([*chain, step], (*args, *named.values()))

        return answer

    def _ask(self, chain: list[Any], given: tuple[Any, ...]) -> Any:
        key = json.dumps(chain)
        self.calls += 1
        self.last = chain
        outcome = self.table.get(key)
        self.last_outcome = outcome
        if outcome is None:
            if len(self.pending) < MOST_PENDING:
                self.pending[key] = chain
            if self.collecting and len(self.pending) < MOST_PENDING:
                return Unknown()
            raise Pending
        sys.stdout.write(outcome.get("out", ""))
        if outcome["k"] == "raised":
            raise self._exception(outcome)
        if outcome["k"] != "returned":
            raise DidNotFinish
        after = Reader({name: t for name, t in self.names.items() if isinstance(t, type)}).read(outcome["v"])
        result = after[-1]
        if len(chain) == 1:
            for mine, theirs in zip(given, after[:-1], strict=True):
                _become(mine, theirs)
                if result is theirs and type(mine) is type(theirs):
                    result = mine
        data = outcome["v"]["t"][-1]
        if isinstance(result, Opaque) and isinstance(data, dict) and "fn" in data:
            return self.function(tuple(chain))
        return result

    def _exception(self, outcome: dict[str, Any]) -> BaseException:
        message: Any = outcome["message"]
        name = outcome["mro"][0]
        for known in outcome["mro"]:
            kind = self.names.get(known) or getattr(builtins, known, None)
            if isinstance(kind, type) and issubclass(kind, BaseException):
                break
        else:
            kind = Exception
        if kind.__name__ != name:
            kind = type(name, (kind,), {})
        if issubclass(kind, KeyError):
            with contextlib.suppress(ValueError, SyntaxError):
                message = literal_eval(message)
        try:
            made: BaseException = kind(message) if message != "" else kind()
        except Exception:  # noqa: BLE001  an exception whose constructor wants something else
            return RuntimeError(f"{name}: {message}")
        return made


def _become(mine: Any, theirs: Any) -> None:
    """What the call did to the caller's object."""
    if type(mine) is not type(theirs):
        return
    if isinstance(mine, list | bytearray):
        mine[:] = theirs
    elif isinstance(mine, dict | set):
        mine.clear()
        mine.update(theirs)
    elif isinstance(getattr(mine, "__dict__", None), dict) and not isinstance(mine, type) and not callable(mine):
        vars(mine).update(vars(theirs))


def _opaque_in(data: Any) -> str:
    """What could not be written down among the arguments; "" where all could."""
    left = [data]
    while left:
        part = left.pop()
        if isinstance(part, list):
            left.extend(part)
        elif isinstance(part, dict):
            if "opaque" in part:
                return str(part["opaque"])
            if "beyond" in part:
                return "a value too large to look at"
            left.extend(part.values())
    return ""
