"""A contract tested: inputs are made, the candidate called with them, its answers judged, a failing input made small.

A failing input counts when it fails again, alone, in a fresh process; of a contract that the text states itself, in the
same way in two of them, many times. Running out of time, memory or stack breaks no contract. On a small input a
candidate has not passed, though: a contract does not promise that ten to the twentieth power is counted through.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.python.testing.checks import CheckResult, Checks, Effort, to_literal
from goedels_poetry.python.testing.reading import Subject, branch_lines
from goedels_poetry.python.testing.running import Judged, JudgeFailed, Outcome, generated_call, judge, play

Given = dict[str, Any]
FEW = 10  # inputs in the domain below which the report says so
TINY = 30
"""Of an input whose numbers and lengths are no larger, no right function makes more than can be looked at."""
_PATIENCE = 5.0
"""Seconds for a closer look at what a contract says of a result."""
_CLOSELY = 10
"""Times the parts of a result in a closer look."""


@dataclass(frozen=True, slots=True)
class Means:
    """What an effort allows: numbers of inputs, seconds of processor time."""

    small: int
    random: int
    finding: float
    playing: float
    call: float  # one generated call, before it is looked at more closely
    closely: float
    shrinks: int
    examples: int  # of a property
    crosshair: float
    solving: int  # steps of the solver for inputs that take branches


MEANS: dict[Effort, Means] = {
    "quick": Means(500, 250, 0.35, 0.4, 0.1, 0.5, 2, 25, 0.0, 1_000_000),
    "normal": Means(2500, 1500, 1.2, 1.2, 0.2, 1.5, 5, 100, 1.0, 3_000_000),
    "thorough": Means(10_000, 8000, 5.0, 6.0, 0.5, 4.0, 8, 400, 6.0, 15_000_000),
}
_ENDED = ("time", "depth", "gone")
"""Verdicts where time, stack, memory or the process ended."""
_NOT_JUDGED = {
    ("slow",): "the contract took too long to be judged",
    ("unseen",): "the result was too large to be looked at",
    _ENDED: "it ran out of time, memory or stack",
}
"""What is said of inputs on which there is nothing to be judged, by the verdicts."""
_WRONG = ("broken", "raised", "mistyped")
"""Verdicts on an answer that was given, and is wrong."""
_OWN = 2.5
"""Times the processor time for calls that a player has which evaluates the contract as well."""
_AT_FIRST = 10
"""Small inputs that are tried before those of a solver, on which a program may hang."""
_STABLE = "depends on its input alone"
_PRESSED = frozenset({"time", "slow"})
_TIMES = 20
"""Calls with the same input in a fresh process, by which a fault of the input is told from chance."""
_JUDGES = 6  # one after the other, for the verdicts on the same cases
_STACK = 20_000  # frames for a second look at a recursion that was too deep


@dataclass(frozen=True, slots=True)
class Case:
    """An input with what the candidate answered and what the judge says of it."""

    given: Given
    large: bool
    outcome: Outcome
    verdict: dict[str, Any]
    again: bool = False  # the answer to the second call with the same input


@dataclass(frozen=True, slots=True)
class ContractReport:
    """``results``: one a clause, and on returning; ``tried``: inputs in the domain; ``untaken``: see `TestReport`."""

    results: tuple[CheckResult, ...]
    tried: int
    untaken: tuple[int, ...] = ()


class ContractTester:
    """Tests one candidate's contract."""

    def __init__(self, subject: Subject, checks: Checks, effort: Effort, seed: int) -> None:
        self.subject, self.checks, self.means, self.seed = subject, checks, MEANS[effort], seed

    async def test(self, given: Sequence[Given], more: Sequence[Given] = ()) -> ContractReport:
        """Test it on given inputs and on generated ones.

        Raises:
            InvalidInput, JudgeFailed, Unavailable: see `running`.
        """
        task = {
            "do": "inputs",
            "given": [*given, *more],
            "small": self.means.small,
            "random": self.means.random,
            "seconds": self.means.finding,
            "seed": self.seed,
        }
        judged, singled_out = await asyncio.gather(self.judge([task]), self._singled_out())
        made, inputs = judged.done[0], [*judged.done[0]["inputs"], *judged.more]
        inputs.sort(key=lambda one: bool(one["large"]))  # stable: what may hang comes last
        if singled_out:
            first = await self._of_domain(singled_out)
            known = {_text(one["input"]) for one in first}
            rest = [one for one in inputs if _text(one["input"]) not in known]
            found = [{"input": one["input"], "large": False} for one in first]  # with no more time than others
            inputs = [*rest[:_AT_FIRST], *found, *rest[_AT_FIRST:]]
        made["found"] = len(inputs)
        if not inputs:
            return ContractReport(self._without_inputs(made), 0)
        cases, loaded = await self.cases(inputs, times=max(2, 2 * _TIMES // len(inputs)))
        if loaded["k"] != "returned":
            return ContractReport((import_failed(loaded),), 0)
        failing = self._failing(cases)
        for case in failing[:3]:
            confirmed = await self.confirmed(case)
            if confirmed is not None:
                smallest = await self._shrunk(confirmed)
                return ContractReport(self._results(cases, smallest), _distinct(cases))
        stateful = next((c for c in failing if c.verdict["v"] in (*_WRONG, "unstable", "gone")), None)
        if stateful is not None:
            return ContractReport(self._results(cases, _unsteady(stateful)), _distinct(cases))
        for case in _worth_a_closer_look(cases):
            closer, _ = await self.cases(
                [{"input": case.given, "large": False}], self.means.closely, patience=_PATIENCE, closely=_CLOSELY
            )
            wrong = next((c for c in self._failing(closer) if c.verdict["v"] in _WRONG), None)
            if wrong is not None:
                return ContractReport(self._results([*cases, wrong], wrong), _distinct(cases))
        lines = branch_lines(self.subject.source, self.checks.function) if self.checks.own else set()
        untaken = tuple(sorted(lines - set(loaded.get("lines", ()))))
        return ContractReport(self._passed(cases, made), _distinct(cases), untaken)

    async def _singled_out(self) -> list[dict[str, Any]]:
        """Inputs by the program's own conditions: by its theorem; by running it on symbols where it has none."""
        from goedels_poetry.python.testing.crosshair import (
            branch_inputs,  # no replay asks a solver
            suggested_inputs,
        )

        found = await asyncio.to_thread(branch_inputs, self.subject.source, self.checks, self.means.solving)
        return [*found] or await suggested_inputs(self.subject, self.checks, self.means.crosshair)

    async def _of_domain(self, given: Sequence[Given]) -> list[dict[str, Any]]:
        """Those inputs that satisfy the precondition."""
        task = {"do": "inputs", "given": list(given), "small": 0, "random": 0, "seconds": 0, "seed": 0}
        return list((await self.judge([task])).done[0]["inputs"])

    async def judge(
        self, tasks: list[dict[str, Any]], table: dict[str, Outcome] | None = None, patience: float = 0.0
    ) -> Judged:
        """A judge for this candidate."""
        seconds = 2 * self.means.finding + 3 + patience
        return await judge(self.subject, self.checks, tasks, table=table, seconds=seconds)

    async def cases(
        self,
        inputs: Sequence[dict[str, Any]],
        seconds: float | None = None,
        recursion: int = 0,
        patience: float = 0.3,
        closely: int = 1,
        times: int = 2,
    ) -> tuple[list[Case], Outcome]:
        """Have inputs answered and judged; second answers that differ are cases of their own.

        Args:
            seconds: for each call. ``recursion``: frames. ``patience``: seconds for the contract of each case.
            closely: times the parts of a result that are looked at. ``times``: calls with the same input.
        """
        limit = seconds or min(self.means.call, self.checks.seconds)
        calls = [
            generated_call(
                self.subject,
                one["input"],
                max(limit, 1.0) if one.get("given") else limit,
                large=one["large"],
                times=times,
            )
            for one in inputs
        ]
        budget = max(self.means.playing * (_OWN if self.checks.own else 1), limit)
        outcomes, loaded = await play(
            self.subject, self.checks, calls, budget=budget, recursion=recursion, closely=closely, patience=patience
        )
        if self.checks.own:
            answered = [(one, outcomes[at]) for at, one in enumerate(inputs) if at in outcomes]
            return [case for one, outcome in answered for case in _cases_of(one, outcome)], loaded
        asked: list[tuple[dict[str, Any], Outcome, bool]] = []
        for at, one in enumerate(inputs):
            if at in outcomes:
                asked.append((one, outcomes[at], False))
                if isinstance(outcomes[at].get("again"), dict):
                    asked.append((one, outcomes[at]["again"], True))
        verdicts = await self._verdicts([(one["input"], outcome, one["large"]) for one, outcome, _ in asked], patience)
        cases = [
            Case(one["input"], one["large"], outcome, verdict, again)
            for (one, outcome, again), verdict in zip(asked, verdicts, strict=True)
        ]
        return cases, loaded

    async def _verdicts(self, asked: list[tuple[Given, Outcome, bool]], patience: float) -> list[dict[str, Any]]:
        """The judge's words; where the contract calls the function itself, that is answered and judged again."""
        table: dict[str, Outcome] = {}
        verdicts: list[dict[str, Any]] = [{"v": "slow"}] * len(asked)
        left = list(range(len(asked)))
        for _ in range(_JUDGES):
            cases = [{"input": asked[at][0], "outcome": _lean(asked[at][1])} for at in left]
            judged = await self.judge([{"do": "contract", "cases": cases, "seconds": patience}], table, patience)
            for number, verdict in judged.verdicts.items():
                verdicts[left[number]] = verdict
            again = [
                at for number, at in enumerate(left) if judged.verdicts.get(number, {"v": "pending"})["v"] == "pending"
            ]
            if (
                judged.stuck is not None
            ):  # on what Python cannot interrupt; the large ones that are left would do the same
                at = left[judged.stuck]
                again = [n for n in again if n != at and not (asked[at][2] and asked[n][2])]
            left = again
            if not left:
                break
            if judged.pending:
                await answer(self.subject, self.checks, judged.pending, table, self.means.playing)
        return verdicts

    async def replay(self, given: Given) -> CheckResult:
        """One input, alone: what the contract says of it."""
        inside = await self._of_domain([given])
        if not inside:
            return self.result(Case(given, False, {"k": "returned"}, {"v": "outside"}))
        seconds = min(self.checks.seconds, MEANS["thorough"].closely)
        cases, loaded = await self.cases(inside, seconds, patience=_PATIENCE)
        if loaded["k"] != "returned" or not cases:
            return import_failed(loaded)
        failing = self._failing(cases)
        if not failing:
            case = cases[0]
            return self._says_nothing(case) if case.verdict["v"] in (*_ENDED, "unseen") else self.result(case)
        case = failing[0]
        if case.verdict["v"] == "depth" or self.checks.own:
            confirmed = await self.confirmed(case)
            if confirmed is None and case.verdict["v"] in _ENDED:
                return self._says_nothing(case)
            case = confirmed or _unsteady(case)
        return self.result(case)

    def _says_nothing(self, case: Case) -> CheckResult:
        result = self.result(case)
        return replace(result, kind="resources", reason=f"{result.reason}, which says nothing about the contract")

    # ---- what fails -------------------------------------------------------------------------------------------------

    def _failing(self, cases: list[Case]) -> list[Case]:
        """Cases that break the contract, the clearest first, and of those the smallest."""
        if not self.checks.own:
            cases = [replace(c, verdict=c.verdict["as"]) if _makes_too_much(c) else c for c in cases]
        clear = [c for c in cases if c.verdict["v"] in (*_WRONG, "gone") and not (c.large and c.verdict["v"] == "gone")]
        clear.sort(key=lambda c: sum(_measure(c.given)))  # stable: of one size, the one tried first
        quick = [_measure(c.given) for c in cases if c.verdict["v"] == "ok" and c.outcome.get("t", 1) < 0.02]
        endless = [c for c in cases if c.verdict["v"] in ("time", "depth") and _is_endless(c, quick)]
        touched = [c for c in cases if c.verdict["v"] == "touched"]
        unstable = [
            replace(c, verdict={"v": "unstable"})
            for c in cases
            if c.again
            and c.verdict["v"] == "ok"
            and (self.checks.own or (self.checks.ensures and c.outcome["k"] == "returned"))
        ]
        return [*clear, *endless, *touched, *unstable]

    async def confirmed(self, case: Case) -> Case | None:
        """The case as it comes out when nothing but it is tried; None if it then satisfies the contract."""
        if self.checks.own and case.verdict["v"] not in _ENDED:
            return await self._steady(case)
        patient = case.verdict["v"] in _ENDED
        seconds = min(self.checks.seconds, self.means.closely if patient else 1.0)
        recursion = _STACK if case.verdict["v"] == "depth" else 0
        one = {"input": case.given, "large": False}
        found, _ = await self.cases([one], seconds, recursion)
        for again in found:
            if again.verdict["v"] in (*_WRONG, "gone"):
                return again
            if again.verdict["v"] in ("time", "depth") and patient:
                return again
        if case.verdict["v"] == "unstable" and any(c.again for c in found):
            return replace(found[0], verdict={"v": "unstable"})
        return None

    async def _steady(self, case: Case) -> Case | None:
        """The case if the first or second call with its input fails, in the same way in two fresh processes.

        Many calls are compared, so that chance does not look like a fault of the input: that would take the same
        outcomes in both.
        """
        if case.verdict["v"] not in _WRONG:
            return case
        one = [{"input": case.given, "large": False}]
        seconds = min(self.checks.seconds, MEANS["thorough"].closely)
        found = [self.cases(one, seconds, patience=_PATIENCE, times=_TIMES) for _ in range(2)]
        (first, _), (second, _) = await asyncio.gather(*found)
        if not first or not second or first[0].outcome["k"] != "judged" or second[0].outcome["k"] != "judged":
            return None
        pairs = list(zip(first[0].outcome["runs"], second[0].outcome["runs"], strict=False))
        touched = next((verdict for pair in pairs for verdict in pair if verdict["v"] == "touched"), None)
        if touched is not None:
            return replace(case, verdict=touched)
        steady = all(_form(a) == _form(b) or {a["v"], b["v"]} & _PRESSED for a, b in pairs)
        return next((c for c in first if steady and c.verdict["v"] in _WRONG), None)

    async def _shrunk(self, case: Case) -> Case:
        """A smaller case that fails in the same way, where one is found in a few rounds."""
        if case.verdict["v"] in ("time", "gone", "unstable", "touched"):
            return case
        tried: set[str] = set()
        for _ in range(self.means.shrinks):
            try:
                proposed = (await self.judge([{"do": "shrink", "input": case.given, "most": 80}])).done[0]
                fresh = [p for p in proposed if repr(p["input"]) not in tried]
                tried |= {repr(p["input"]) for p in fresh}
                if not fresh:
                    return case
                found, _ = await self.cases([{"input": p["input"], "large": False} for p in fresh])
            except JudgeFailed:
                return case
            smaller = None
            for one in found:
                if one.verdict["v"] == case.verdict["v"]:
                    smaller = await self.confirmed(one)
                    if smaller is not None:
                        break
            if smaller is None:
                return case
            case = smaller
        return case

    # ---- results ----------------------------------------------------------------------------------------------------

    def _names(self) -> list[tuple[str, str]]:
        allowed = ", ".join(name for name, _ in self.checks.raises)
        returns = f"returns, or raises {allowed}" if allowed else "returns"
        ensured = [(f"ensures {text}", "ensures") for text in self.checks.ensures]
        typed = [(self._typed(), "typed")] if self.subject.returns else []
        stable = [(_STABLE, "deterministic")] if self.checks.ensures or self.checks.own else []
        return [*ensured, (returns, "raised"), *typed, ("finishes", "finishes"), *stable]

    def _typed(self) -> str:
        return f"the result is of the declared type {self.subject.returns}"

    def _passed(self, cases: list[Case], made: dict[str, Any]) -> tuple[CheckResult, ...]:
        judged = [c for c in cases if c.verdict["v"] == "ok" and not c.again]
        if not judged:
            why = "no input in the domain could be judged: each took too long"
            return tuple(CheckResult(name, kind, False, why) for name, kind in self._names())
        everything = made["all"] and len(judged) >= len(made["inputs"])
        reason = f"{_count(len(judged))}, which are all" if everything else _count(len(judged))
        if len(judged) < FEW and not everything:
            found = made["found"] < FEW
            reason = f"only {reason} of the domain were {'found' if found else 'answered in time'}"
            reason = f"{reason} among {made['tried']} tried" if found else reason
        for verdict, what in _NOT_JUDGED.items():
            if missing := sum(c.verdict["v"] in verdict and not c.again for c in cases):
                reason = f"{reason}; on {missing:,} more {what}"
        return tuple(CheckResult(name, kind, True, reason) for name, kind in self._names())

    def _without_inputs(self, made: dict[str, Any]) -> tuple[CheckResult, ...]:
        why = f"no input of the domain was found among {made['tried']} tried"
        if made["unknown"]:
            parameter = next(p for p in self.subject.parameters if p.name == made["unknown"][0])
            why = f"no inputs can be made for {parameter.name}: {parameter.annotation}"
        return tuple(CheckResult(name, "inputs", False, why) for name, _ in self._names())

    def _results(self, cases: list[Case], failing: Case) -> tuple[CheckResult, ...]:
        tried = _count(_distinct(cases))
        bad = self.result(failing)
        broken = {c.verdict["clause"] for c in cases if c.verdict["v"] == "broken"}
        out: list[CheckResult] = []
        for at, (name, kind) in enumerate(self._names()):
            if (name, kind) == (bad.name, bad.kind):
                out.append(bad)
            elif kind == "ensures" and at in broken:
                out.append(CheckResult(name, kind, False, "it does not hold on some inputs either"))
            elif kind == "ensures" and not any(c.verdict["v"] == "ok" for c in cases):
                out.append(CheckResult(name, kind, False, "no input came so far"))
            else:
                out.append(CheckResult(name, kind, True, tried))
        return tuple(out)

    def result(self, case: Case) -> CheckResult:
        """One case in words."""
        verdict = case.verdict
        shown = {name: to_literal(data) for name, data in case.given.items()}
        on = arguments_in_words(shown)
        names = self._names()
        returns = next(name for name, kind in names if kind == "raised")
        second = " the second time" if case.again else ""
        match verdict["v"]:
            case "ok":
                said = "an allowed exception" if verdict.get("raised") else "the contract holds"
                return CheckResult("contract", "contract", True, f"{said} on {on}", shown)
            case "outside":
                return CheckResult("contract", "domain", False, f"{on} is outside of the domain", shown)
            case "broken":
                if not self.checks.ensures:
                    return CheckResult(returns, "raised", False, f"{verdict['why']}on {on}", shown)
                name = f"ensures {self.checks.ensures[verdict['clause']]}"
                why = f"{verdict['why']}the result{second} on {on} is {verdict['result']}"
                return CheckResult(name, "ensures", False, why, shown)
            case "raised":
                line = f" (line {verdict['line']})" if verdict["line"] else ""
                why = f"raised {verdict['error']}: {verdict['message']}{line}{second} on {on}"
                return CheckResult(returns, "raised", False, why, shown)
            case "mistyped":
                why = f"the result{second} on {on} is {verdict['result']}, of type {verdict['type']}"
                why = f"{why}; declared is {self.subject.returns}"
                return CheckResult(self._typed(), "typed", False, why, shown)
            case "gone":
                return CheckResult("finishes", "finishes", False, f"{verdict['why']} on {on}", shown)
            case "time":
                why = f"did not finish within {verdict['seconds']:g} s on {on}"
                return CheckResult("finishes", "finishes", False, why, shown)
            case "unseen":
                return CheckResult(
                    "contract", "resources", False, f"the result on {on} is too large to be looked at", shown
                )
            case "depth":
                line = f" (line {verdict['line']})" if verdict["line"] else ""
                return CheckResult("finishes", "finishes", False, f"{verdict['error']}{line} on {on}", shown)
            case "unstable":
                why = f"another result for the same input: {on}"
                if "as" in verdict:
                    why = f"{self.result(replace(case, verdict=verdict['as'])).reason}, and not so in a fresh process"
                return CheckResult(_STABLE, "deterministic", False, why, shown)
            case "touched":
                why = self.result(replace(case, verdict=verdict["as"])).reason
                why = f"{why}; the run depends on the machine ({verdict['what']}), so this says nothing"
                return CheckResult(_STABLE, "deterministic", False, why, shown)
            case _:
                return CheckResult(
                    "contract", "resources", False, f"the contract could not be evaluated in time on {on}", shown
                )


def arguments_in_words(shown: dict[str, str] | None) -> str:
    """``n = 3, xs = [1]``, long ones cut short: the whole stands in the result's ``input``."""
    parts = (f"{name} = {text if len(text) <= 200 else f'{text[:200]}...'}" for name, text in (shown or {}).items())
    return ", ".join(parts) or "no arguments"


async def answer(
    subject: Subject, checks: Checks, pending: Sequence[Any], table: dict[str, Outcome], budget: float
) -> Outcome:
    """Put the answers to pending calls into the table; how loading went."""
    calls = [{"chain": chain, "seconds": checks.seconds} for chain in pending]
    outcomes, loaded = await play(subject, checks, calls, budget=budget)
    for at, chain in enumerate(pending):
        table[json.dumps(chain)] = outcomes.get(at, {"k": "gone", "why": "there was no answer"})
    return loaded


def import_failed(loaded: Outcome) -> CheckResult:
    """What went wrong while the module was loaded."""
    kind = "import"
    if loaded["k"] == "raised":
        kind = "import" if {"ModuleNotFoundError", "OSError"} & set(loaded["mro"]) else "unloadable"
        line = f" (line {loaded['line']})" if loaded["line"] else ""
        why = f"raised {loaded['mro'][0]}: {loaded['message']}{line} while it was loaded"
    elif loaded["k"] == "time":
        why = f"did not finish within {loaded['t']:g} s while it was loaded"
    else:
        why = str(loaded["why"])
    return CheckResult("the module loads", kind, False, why)


def _text(given: Given) -> str:
    return repr({name: to_literal(data) for name, data in given.items()})


def _cases_of(one: dict[str, Any], outcome: Outcome) -> list[Case]:
    """What a player says that evaluates the contract itself; of the second call where that was another matter."""
    given, large = one["input"], one["large"]
    if outcome["k"] != "judged":
        bad = {"v": "time", "seconds": outcome["t"]} if outcome["k"] == "time" else {"v": "gone", "why": outcome["why"]}
        return [Case(given, large, outcome, bad)]
    first, *later = outcome["runs"]
    cases = [Case(given, large, outcome, first)]
    if later and (not outcome["same"] or _form(first) != _form(later[0])):
        cases.append(Case(given, large, outcome, later[0], again=True))
    return cases


def _form(verdict: dict[str, Any]) -> tuple[Any, ...]:
    return verdict["v"], verdict.get("clause"), verdict.get("error")


def _unsteady(case: Case) -> Case:
    """A fault that does not show itself again."""
    return replace(case, verdict={"v": "unstable", "as": case.verdict}) if case.verdict["v"] in _WRONG else case


def _lean(outcome: Outcome) -> Outcome:
    return {key: value for key, value in outcome.items() if key != "again"}


def _count(number: int) -> str:
    return f"{number:,} input{'' if number == 1 else 's'}"


def _distinct(cases: list[Case]) -> int:
    return sum(not c.again and c.verdict["v"] not in ("slow", "outside", "unseen") for c in cases)


def _is_endless(case: Case, quick: list[tuple[int, ...]]) -> bool:
    """Whether running out of time or stack means that it never ends.

    It does on a tiny input (numbers up to 3, up to 3 items), and on a small one when one that is at least as large in
    every way was answered at once.
    """
    if case.large:
        return False
    measure = _measure(case.given)
    return max(measure, default=0) <= 3 or any(
        all(a <= b for a, b in zip(measure, other, strict=True)) for other in quick
    )


def _worth_a_closer_look(cases: list[Case]) -> list[Case]:
    """The two smallest inputs on which a right function makes little, and yet it or its contract took too long; and
    the smallest one whose result was too large to be looked at."""
    by_size = sorted((c for c in cases if not c.again), key=lambda c: sum(_measure(c.given)))
    slow = [c for c in by_size if c.verdict["v"] in ("slow", "time") and not c.large and _is_tiny(c)]
    return [*slow[:2], *[c for c in by_size if c.verdict["v"] == "unseen"][:1]]


def _makes_too_much(case: Case) -> bool:
    """Whether a result that is too large to be looked at is a fault: no right one is, on an input as small as this."""
    return case.verdict["v"] == "unseen" and _is_tiny(case)


def _is_tiny(case: Case) -> bool:
    return max(_measure(case.given), default=0) <= TINY


def _measure(given: Given) -> tuple[int, ...]:
    return tuple(_extent(data) for data in given.values())


def _extent(data: Any) -> int:
    """How large a value is: a number's absolute value, the number of items, whichever is more within it."""
    if data is None or isinstance(data, bool):
        return 0
    if isinstance(data, int):
        return abs(data)
    if isinstance(data, str):
        return len(data)
    if isinstance(data, list):
        return max([len(data), *(_extent(item) for item in data)])
    if "f" in data:
        number = abs(float.fromhex(data["f"]))
        return int(min(number, 1e18)) + 1 if number == number else 10**18
    if "i" in data:
        return abs(int(data["i"], 16))
    inner = next(iter(data.values()))
    if "new" in data:
        return max([0, *(_extent(value) for _, value in inner[1])])
    return _extent(inner) if isinstance(inner, list) and "e" not in data else 0
