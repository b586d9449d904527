"""The judge's process: makes inputs, evaluates contracts on a candidate's answers, runs tests against them.

The candidate is not here. Its function is an oracle that knows the answers given so far; of its module only those
definitions are here that the contract or a test names (a helper, a class), and what is built into Python is ours.
"""

from __future__ import annotations

import builtins
import itertools
import json
import os
import sys
import time
import types
from collections.abc import Callable, Iterator

from . import contract, stubs, tests, values
from .contract import ResultType
from .inputs import ABSENT, Maker, Shape, Shapes, admits, build
from .oracle import Limit, Oracle, TooLong

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

# Inputs of a function that satisfy its precondition, in the order in which they are to be tried. One that few inputs
# satisfy (a sorted list, an index below a length, a power of two) is met by trying many small inputs, which is cheap,
# and by mending random ones: sort, drop what occurs twice, take absolute values, bring a number below a length.

Recipe = tuple["Any", ...]  # one value a parameter


class Domain:
    """Finds inputs on which ``accepts`` holds; keeps each once, with whether it is a large one."""

    def __init__(
        self,
        maker: Maker,
        shapes: list[Shape],
        accepts: Callable[[list[Any]], bool],
        classes: dict[str, Any],
        seconds: float,
    ) -> None:
        self.maker, self.shapes, self.accepts, self.classes = maker, [maker.shape(s) for s in shapes], accepts, classes
        self.ends = time.process_time() + seconds
        self.seen: set[str] = set()
        self.tried = 0

    def late(self) -> bool:
        """Whether the time for finding inputs is over."""
        return time.process_time() > self.ends

    def admits(self, recipe: Recipe) -> bool:
        """Whether this is a new input on which the precondition holds."""
        key = repr(recipe)
        if key in self.seen:
            return False
        self.seen.add(key)
        self.tried += 1
        try:
            values = [build(part, self.classes) for part in recipe]
        except Exception:  # noqa: BLE001  a constructor of the module's own refuses these fields: no such input
            return False
        return self.accepts(values)

    def small(self, most: int) -> Iterator[Recipe]:
        """In order of size, at most so many; ends by itself where there are no more (all of them were bools)."""
        found = barren = 0
        share = self.ends - (self.ends - time.process_time()) * 0.4
        for size in range(60):
            there = False
            for recipe in self.maker.products(tuple(self.shapes), size):
                there = True
                if self.admits(recipe):
                    found += 1
                    yield recipe
                if found >= most or time.process_time() > share:
                    return
            barren = 0 if there else barren + 1
            if barren > 8:
                return

    def random(self, large: bool) -> Iterator[Recipe]:
        """Random inputs for ever, as long as there is time."""
        vain = 0
        while self.shapes and not self.late() and vain < 4000:
            recipe = self._related(tuple(self.maker.any_of(shape, large) for shape in self.shapes))
            vain += 1 if repr(recipe) not in self.seen else 4  # hardly one is new: sooner known than that few are right
            for mend in (_same, *_MENDS):
                mended = mend(recipe)
                if (mend is _same or mended != recipe) and self.admits(mended):
                    vain = 0
                    yield mended
                    break

    def _related(self, recipe: Recipe) -> Recipe:
        """Parameters that have something to do with each other: equal, part of, an index into."""
        r, parts = self.maker.random, list(recipe)
        if len(parts) < 2 or r.random() < 0.4:
            return recipe
        one, two = r.sample(range(len(parts)), 2)
        kind, other, part = self.shapes[one], self.shapes[two], parts[one]
        if kind == other and r.random() < 0.6:
            parts[two] = self._varied(part) if r.random() < 0.6 else part
        elif type(part) is int and other == ("int",):
            parts[two] = part * r.choice((1, 2, 3, -1)) + r.choice((0, 0, 1, -1))
        elif isinstance(part, str) and part and other[0] in ("str", "int"):
            start = r.randrange(len(part))
            parts[two] = part[start : start + r.randint(1, 3)] if other[0] == "str" else start
        elif kind[0] in ("list", "tuples", "dict") and part[1]:
            item = r.choice(part[1])[0] if kind[0] == "dict" else r.choice(part[1])
            is_item = self.maker.shape(kind[1]) == other
            parts[two] = item if is_item else r.randint(0, len(part[1])) if other == ("int",) else parts[two]
        return tuple(parts)

    def _varied(self, part: Any) -> Any:
        """Something close to it: shuffled, an item less, one more."""
        r = self.maker.random
        if type(part) is int:
            return part + r.choice((1, -1))
        items = list(part) if isinstance(part, str) else list(part[1]) if _is_sequence(part) else []
        if not items:
            return part
        dice = r.random()
        if dice < 0.5:
            r.shuffle(items)
        elif dice < 0.75:
            items.pop(r.randrange(len(items)))
        else:
            items[r.randrange(len(items))] = r.choice(items)
        return "".join(items) if isinstance(part, str) else (part[0], tuple(items))


def _is_sequence(part: Any) -> bool:
    return isinstance(part, tuple) and part[0] in ("list", "tuples")


def _same(part: Any) -> Any:
    return part


def _each(lists: Callable[[tuple[Any, ...]], Any], numbers: Callable[[Any], Any] = _same) -> Callable[[Recipe], Recipe]:
    """A form of each list and of each number."""

    def mend(part: Any) -> Any:
        if _is_sequence(part):
            try:
                return (part[0], tuple(lists(part[1])))
            except TypeError:
                return part
        return numbers(part) if type(part) in (int, float) else part

    return lambda recipe: tuple(mend(part) for part in recipe)


def _of_numbers(form: Callable[[Any], Any]) -> Callable[[Recipe], Recipe]:
    """The same form of each number, in lists too."""
    return _each(lambda items: [form(item) if type(item) in (int, float) else item for item in items], form)


def _into_lengths(recipe: Recipe) -> Recipe:
    parts = [part for part in recipe if isinstance(part, str | tuple) and part != ABSENT]
    lengths = [len(part) if isinstance(part, str) else len(part[1]) for part in parts]
    bound = max(1, min(lengths, default=1))
    return tuple(part % bound if type(part) is int else part for part in recipe)


def _equal_lengths(recipe: Recipe) -> Recipe:
    least = min((len(part[1]) for part in recipe if _is_sequence(part)), default=0)
    return _each(lambda items: items[:least])(recipe)


def _ascending(recipe: Recipe) -> Recipe:
    rest = iter(sorted(abs(part) for part in recipe if type(part) is int))
    return tuple(next(rest) if type(part) is int else part for part in recipe)


_MENDS: tuple[Callable[[Recipe], Recipe], ...] = (
    _of_numbers(abs),
    _each(sorted),
    _into_lengths,
    _ascending,
    _each(lambda items: sorted(set(items)), abs),
    _of_numbers(lambda number: type(number)(abs(number) + 1)),
    lambda recipe: _into_lengths(_each(lambda items: sorted(set(items)), abs)(recipe)),
    _each(dict.fromkeys),
    _equal_lengths,
    _of_numbers(lambda number: int(number) % 10 if number == number and abs(number) < 1e300 else number),
    _each(_same, lambda number: 1 << (int(abs(number)) % 20) if abs(number) < 1e300 else number),
    _of_numbers(lambda number: int(number) % 2 if number == number and abs(number) < 1e300 else number),
)


def is_large(recipe: Any) -> bool:
    """Whether running out of time or stack on it says nothing: a number above 100, more than 8 items."""
    if isinstance(recipe, bool) or recipe is None:
        return False
    if isinstance(recipe, int | float | complex):
        return not abs(recipe) <= 100
    if isinstance(recipe, str | bytes):
        return len(recipe) > 8
    if recipe[0] in ("enum", "absent"):
        return False
    if recipe and recipe[0] == "class":
        return any(is_large(part) for _, part in recipe[2])
    if recipe and recipe[0] == "dict":
        return len(recipe[1]) > 8 or any(is_large(k) or is_large(v) for k, v in recipe[1])
    return len(recipe[1]) > 8 or any(is_large(part) for part in recipe[1])


# The judge

_SLOW = 20  # inputs on which a contract takes too long, before the others, which are larger, are left out


class Judge:
    """One job: a list of tasks, each answered by one line."""

    def __init__(self, job: dict[str, Any], channel: int) -> None:
        self.job, self.channel = job, channel
        self.say({"ready": True})
        self.limit = Limit()
        self.built_in = dict(vars(builtins))  # before anything of the module runs
        self.oracle = Oracle(job["table"])
        self.names = self._definitions()
        self.classes = {name: thing for name, thing in self.names.items() if isinstance(thing, type)}
        self.oracle.names = self.names
        named = {name: thing for name, thing in self.names.items() if name not in self.built_in}
        returns = ResultType(job["returns"], frozenset([*job["aliases"], *named]))
        self.contract = contract.Evaluator(job, returns, {**named, "__builtins__": self.built_in})
        self.contract.classes = self.classes

    def _definitions(self) -> dict[str, Any]:
        module = types.ModuleType(values.MODULE)
        sys.modules[values.MODULE] = module
        names = vars(module)
        oracle = self.oracle.function()
        names[self.job["function"]] = oracle
        if self.job["definitions"]:
            try:
                with self.limit.seconds(2):
                    code = compile(self.job["definitions"], "<module>", "exec", dont_inherit=True)
                    exec(code, names)  # noqa: S102  in the sandbox
            except BaseException as error:  # noqa: BLE001  the candidate's own
                self.say({"definitions": f"{type(error).__name__}: {error}"[:300]})
                os._exit(0)
        names[self.job["function"]] = oracle
        return names

    def say(self, what: Any) -> None:
        """One line of the reply."""
        line = f"{self.job['nonce']} {json.dumps(what)}\n".encode()
        while line:
            line = line[os.write(self.channel, line) :]

    def run(self) -> None:
        """Do every task."""
        for number, task in enumerate(self.job["tasks"]):
            self.number = number
            done = getattr(self, f"do_{task['do']}")(task)
            self.say({"task": number, "done": done, "pending": list(self.oracle.pending.values())})
            self.oracle.pending.clear()

    # ---- inputs -----------------------------------------------------------------------------------------------------

    def accepts(self, given: dict[str, Any], seconds: float = 0.05) -> bool:
        """Whether the precondition holds; one that cannot be evaluated in time does not."""
        try:
            with self.limit.seconds(seconds):
                return self.contract.requires(given)
        except (TooLong, self.oracle.pending_type):
            return False

    def do_inputs(self, task: dict[str, Any]) -> dict[str, Any]:
        """Inputs in the domain: those given and small ones; then random ones, each said by itself.

        A precondition that cannot be interrupted may end this process on one of those; what was said before remains.
        """
        found: list[dict[str, Any]] = []
        shapes = Shapes(self.classes, self.job["aliases"])
        outside = sum(not (self._typed(shapes, given) and self._keep(given, found)) for given in task["given"])
        wanted = [self._shape(shapes, p) for p in self.job["parameters"]]
        unknown = [p["name"] for p, shape in zip(self.job["parameters"], wanted, strict=True) if shape[0] == "unknown"]
        if unknown or not task["small"]:
            return {"inputs": found, "outside": outside, "tried": outside, "unknown": unknown, "all": False}
        maker = Maker(shapes, self.job["numbers"], self.job["texts"], task["seed"])
        names = [p["name"] for p in self.job["parameters"]]

        def accepts(given: list[Any]) -> bool:
            return self.accepts({name: value for name, value in zip(names, given, strict=True) if value != ABSENT})

        domain = Domain(maker, wanted, accepts, self.classes, task["seconds"])
        small = list(domain.small(task["small"]))
        everything = len(small) < task["small"] and not domain.late() and _finite(wanted)
        found += [self._written(recipe) for recipe in small]
        said = {"inputs": found, "outside": outside, "tried": domain.tried, "unknown": [], "all": everything}
        self.say({"part": self.number, "done": said})
        if not everything:
            for large in (False, True):
                for recipe in itertools.islice(domain.random(large), task["random"]):
                    self.say({"more": self._written(recipe)})
                domain.ends = time.process_time() + task["seconds"] / 2
        return {**said, "tried": domain.tried}

    def _typed(self, shapes: Shapes, given: dict[str, Any]) -> bool:
        """Whether each argument is of the type that is declared for it."""
        declared = {p["name"]: shapes.of(p["annotation"]) for p in self.job["parameters"]}
        return all(name in declared and admits(shapes, declared[name], data) for name, data in given.items())

    def _shape(self, shapes: Shapes, parameter: dict[str, Any]) -> Any:
        shape = shapes.of(parameter["annotation"])
        if parameter["default"] is None:
            return shape
        return ("union", ABSENT, shape) if shape[0] != "unknown" else ABSENT

    def _written(self, recipe: Any) -> dict[str, Any]:
        written = {
            p["name"]: values.Writer(inputs=True).write(build(part, self.classes))
            for p, part in zip(self.job["parameters"], recipe, strict=True)
            if part != ABSENT
        }
        return {"input": written, "large": any(is_large(part) for part in recipe)}

    def _keep(self, given: dict[str, Any], found: list[dict[str, Any]]) -> bool:
        try:
            read = {name: values.Reader(self.classes).read(data) for name, data in given.items()}
        except Exception:  # noqa: BLE001  a constructor of the module's own refuses it
            return False
        if not self.accepts(read, 1.0):
            return False
        found.append({"input": given, "large": False, "given": True})
        return True

    # ---- contracts --------------------------------------------------------------------------------------------------

    def do_contract(self, task: dict[str, Any]) -> int:
        """A verdict for each case, each said by itself, after at most ``seconds``: see `contract.Evaluator.verdict`."""
        slow = 0
        for number, case in enumerate(task["cases"]):
            self.say({"case": number})
            verdict = {"v": "slow"}  # as would be found out
            if slow < _SLOW:
                verdict = self._case(case, task["seconds"] if slow < 3 else 0.05)
            slow += verdict["v"] == "slow"
            self.say({"case": number, "verdict": verdict})
        return len(task["cases"])

    def _case(self, case: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            with self.limit.seconds(seconds):
                return self.contract.verdict(case["input"], case["outcome"])
        except TooLong:
            return {"v": "slow"}
        except self.oracle.pending_type:
            return {"v": "pending"}
        except Exception as error:  # noqa: BLE001  an answer that is none
            return {"v": "broken", "clause": 0, "why": f"cannot be read ({error})"[:300] + ", ", "result": "?"}

    # ---- tests ------------------------------------------------------------------------------------------------------

    def do_texts(self, task: dict[str, Any]) -> list[dict[str, Any]]:
        """Run examples, assertions, doctests and properties against the answers so far."""
        runner = tests.Runner(self.names, self.built_in, self.oracle, self.limit, self.job["function"], task)
        return [runner.run(test) for test in task["tests"]]


def _finite(shapes: list[Any]) -> bool:
    return all(
        s[0] in ("bool", "none", "literal", "enum", "absent") or (s[0] in ("union", "tuple") and _finite(list(s[1:])))
        for s in shapes
    )


def main() -> None:
    """Read the job, do it, and leave at once."""
    job = json.loads(sys.stdin.buffer.read())
    channel = os.dup(1)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    stubs.install()
    try:
        Judge(job, channel).run()
    except BaseException as error:  # noqa: BLE001  said in the reply: what the contract needs could not be run
        os.write(
            channel, f"{job['nonce']} {json.dumps({'fault': f'{type(error).__name__}: {error}'[:500]})}\n".encode()
        )
    os._exit(0)
