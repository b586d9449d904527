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

from . import contract, stubs, tests, values
from .contract import ResultType
from .domain import Domain, is_large
from .inputs import ABSENT, Maker, Shapes, admits, build
from .oracle import Limit, Oracle, TooLong

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

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
