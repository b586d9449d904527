"""A contract tested: inputs are made, the candidate called with them, its answers judged.

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
from goedels_poetry.python.testing.running import Judged, Outcome, generated_call, judge, play

Given = dict[str, Any]
Verdict = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Means:
    """What an effort allows: numbers of inputs, seconds of processor time."""

    small: int
    random: int
    finding: float
    playing: float
    call: float  # one generated call, before it is looked at more closely
    closely: float
    examples: int  # of a property
    crosshair: float
    solving: int  # steps of the solver for inputs that take branches


MEANS: dict[Effort, Means] = {
    "quick": Means(500, 250, 0.35, 0.4, 0.1, 0.5, 25, 0.0, 1_000_000),
    "normal": Means(2500, 1500, 1.2, 1.2, 0.2, 1.5, 100, 1.0, 3_000_000),
    "thorough": Means(10_000, 8000, 5.0, 6.0, 0.5, 4.0, 400, 6.0, 15_000_000),
}
FEW = 10
"""Inputs in the domain below which the report says so."""
_TINY = 30
"""Of an input whose numbers and lengths are no larger, no right function makes more than can be looked at."""
_PATIENCE, _CLOSELY = 5.0, 10
"""For a closer look: seconds for what a contract says of a result, and times the parts of it."""
_ENDED = ("time", "depth", "gone")
"""Verdicts where time, stack, memory or the process ended."""
_WRONG = ("broken", "raised", "mistyped")
"""Verdicts on an answer that was given, and is wrong."""
_NOT_JUDGED = {
    ("slow",): "the contract took too long to be judged",
    ("unseen",): "the result was too large to be looked at",
    _ENDED: "it ran out of time, memory or stack",
}
"""What is said of inputs on which there is nothing to be judged, by the verdicts."""
_OWN = 2.5
"""Times the processor time for calls that a player has which evaluates the contract as well."""
_AT_FIRST = 10
"""Small inputs that are tried before those of a solver, on which a program may hang."""
_STABLE = "depends on its input alone"
_TIMES = 20
"""Calls with the same input in a fresh process, by which a fault of the input is told from chance."""
_JUDGES = 6
"""One after the other, for the verdicts on the same cases."""
_STACK = 20_000
"""Frames for a second look at a recursion that was too deep."""


@dataclass(frozen=True, slots=True)
class Case:
    """An input with what the candidate answered and what the judge says of it."""

    given: Given
    large: bool
    outcome: Outcome
    verdict: Verdict
    again: bool = False  # the answer to the second call with the same input

    @property
    def measure(self) -> tuple[int, ...]:
        """How large each argument is."""
        return tuple(map(_extent, self.given.values()))

    @property
    def is_tiny(self) -> bool:
        """Whether no number and no length in it is large."""
        return max(self.measure, default=0) <= _TINY

    def says(self, *verdicts: str) -> bool:
        """Whether the verdict is one of these."""
        return self.verdict["v"] in verdicts


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

    async def test(self, given: Sequence[Given]) -> ContractReport:
        """Test it on given inputs and on generated ones.

        Raises:
            InvalidInput, JudgeFailed, Unavailable: see `running`.
        """
        made, singled_out = await asyncio.gather(self._inputs(given, generated=True), self._singled_out())
        done = made.done[0]
        inputs = sorted([*done["inputs"], *made.more], key=lambda one: bool(one["large"]))  # what may hang comes last
        if singled_out:
            first = (await self._inputs(singled_out)).done[0]["inputs"]
            known = [one["input"] for one in first]
            rest = [one for one in inputs if one["input"] not in known]
            found = [{"input": each, "large": False} for each in known]  # with no more time than others
            inputs = [*rest[:_AT_FIRST], *found, *rest[_AT_FIRST:]]
        if not inputs:
            return ContractReport(self._without_inputs(done), 0)
        cases, loaded = await self.cases(inputs, times=max(2, 2 * _TIMES // len(inputs)))
        if loaded["k"] != "returned":
            return ContractReport((import_failed(loaded),), 0)
        wrong = await self._wrong(cases)
        if wrong is not None:
            return ContractReport(self._results([*cases, wrong], wrong), _distinct(cases))
        lines = branch_lines(self.subject.source, self.subject.node.name) if self.checks.own else set()
        untaken = tuple(sorted(lines - set(loaded.get("lines", ()))))
        return ContractReport(self._passed(cases, done, len(inputs)), _distinct(cases), untaken)

    async def _wrong(self, cases: list[Case]) -> Case | None:
        """A case that breaks the contract: confirmed, or unsteady, or seen in a closer look."""
        failing = self._failing(cases)
        for case in failing[:3]:
            confirmed = await self.confirmed(case)
            if confirmed is not None:
                return confirmed
        stateful = next((c for c in failing if c.says(*_WRONG, "unstable", "gone")), None)
        if stateful is not None:
            return _unsteady(stateful)
        open_ones = [c for c in cases if not c.again and c.says("slow", "time", "unseen")]
        by_size = sorted(open_ones, key=lambda c: sum(c.measure))
        slow = [c for c in by_size if c.says("slow", "time") and not c.large and c.is_tiny]
        for case in [*slow[:2], *[c for c in by_size if c.says("unseen")][:1]]:
            one = [{"input": case.given, "large": False}]
            closer, _ = await self.cases(one, self.means.closely, patience=_PATIENCE, closely=_CLOSELY)
            wrong = next((c for c in self._failing(closer) if c.says(*_WRONG)), None)
            if wrong is not None:
                return wrong
        return None

    async def _singled_out(self) -> list[Given]:
        """Inputs by the program's own conditions: by its theorem; by running it on symbols where it has none."""
        from goedels_poetry.python.testing.crosshair import branch_inputs, suggested_inputs  # no replay asks a solver

        found = await asyncio.to_thread(branch_inputs, self.subject.original, self.checks, self.means.solving)
        return [*found] or await suggested_inputs(self.subject, self.checks, self.means.crosshair)

    async def _inputs(self, given: Sequence[Given], *, generated: bool = False) -> Judged:
        """Those of the given inputs that satisfy the precondition; and generated ones."""
        means = self.means
        numbers = {"small": means.small, "random": means.random, "seconds": means.finding, "seed": self.seed}
        none = dict.fromkeys(numbers, 0)
        return await self._judge([{"do": "inputs", "given": list(given), **(numbers if generated else none)}])

    async def _judge(
        self, tasks: list[dict[str, Any]], table: dict[str, Outcome] | None = None, patience: float = 0.0
    ) -> Judged:
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
        answered = [(inputs[at], outcomes[at]) for at in sorted(outcomes)]
        if self.checks.own:
            return [case for one, outcome in answered for case in _cases_of(one, outcome)], loaded
        asked = []
        for one, outcome in answered:
            again = outcome.pop("again", None)
            asked.append(Case(one["input"], one["large"], outcome, {"v": "slow"}))
            asked += [Case(one["input"], one["large"], again, {"v": "slow"}, again=True)] if again else []
        return await self._verdicts(asked, patience), loaded

    async def _verdicts(self, cases: list[Case], patience: float) -> list[Case]:
        """With the judge's words; where the contract calls the function itself, that is answered and judged again."""
        table: dict[str, Outcome] = {}
        found, left = list(cases), list(range(len(cases)))
        for _ in range(_JUDGES if cases else 0):
            asked = [{"input": cases[at].given, "outcome": cases[at].outcome} for at in left]
            judged = await self._judge([{"do": "contract", "cases": asked, "seconds": patience}], table, patience)
            for number, verdict in judged.verdicts.items():
                found[left[number]] = replace(cases[left[number]], verdict=verdict)
            pending = [n for n in range(len(left)) if judged.verdicts.get(n, {"v": "pending"})["v"] == "pending"]
            again = [left[number] for number in pending]
            if judged.stuck is not None:  # in what Python cannot interrupt, as would be the other large ones
                stuck = left[judged.stuck]
                again = [at for at in again if at != stuck and not (cases[stuck].large and cases[at].large)]
            left = again
            if not left:
                break
            if judged.pending:
                await answer(self.subject, self.checks, judged.pending, table, self.means.playing)
        return found

    async def replay(self, given: Given) -> CheckResult:
        """One input, alone: what the contract says of it."""
        inside = (await self._inputs([given])).done[0]["inputs"]
        if not inside:
            return self.result(Case(given, False, {"k": "returned"}, {"v": "outside"}))
        seconds = min(self.checks.seconds, MEANS["thorough"].closely)
        cases, loaded = await self.cases(inside, seconds, patience=_PATIENCE)
        if loaded["k"] != "returned" or not cases:
            return import_failed(loaded)
        case = next(iter(self._failing(cases)), None)
        if case is None:
            return self._says_nothing(cases[0]) if cases[0].says(*_ENDED, "unseen") else self.result(cases[0])
        if case.says("depth") or self.checks.own:
            confirmed = await self.confirmed(case)
            if confirmed is None and case.says(*_ENDED):
                return self._says_nothing(case)
            case = confirmed or _unsteady(case)
        return self.result(case)

    def _says_nothing(self, case: Case) -> CheckResult:
        result = self.result(case)
        return replace(result, kind="resources", reason=f"{result.reason}, which says nothing about the contract")

    # ---- what fails -------------------------------------------------------------------------------------------------

    def _failing(self, cases: list[Case]) -> list[Case]:
        """Cases that break the contract, the clearest first, and of those the smallest."""
        if not self.checks.own:  # no right result is too large to be looked at, on an input as small as this
            cases = [replace(c, verdict=c.verdict["as"]) if c.says("unseen") and c.is_tiny else c for c in cases]
        clear = [c for c in cases if c.says(*_WRONG) or (c.says("gone") and not c.large)]
        clear.sort(key=lambda c: sum(c.measure))  # stable: of one size, the one tried first
        ended = [c for c in cases if c.says("time", "depth")]
        quick = [c.measure for c in cases if ended and c.says("ok") and c.outcome.get("t", 1) < 0.02]
        endless = [c for c in ended if _is_endless(c, quick)]
        touched = [c for c in cases if c.says("touched")]
        changed = [c for c in cases if c.again and c.says("ok")]
        if not self.checks.own:
            changed = [c for c in changed if self.checks.ensures and c.outcome["k"] == "returned"]
        return [*clear, *endless, *touched, *(replace(c, verdict={"v": "unstable"}) for c in changed)]

    async def confirmed(self, case: Case) -> Case | None:
        """The case as it comes out when nothing but it is tried; None if it then satisfies the contract."""
        patient = case.says(*_ENDED)
        if self.checks.own and not patient:
            return await self._steady(case)
        seconds = min(self.checks.seconds, self.means.closely if patient else 1.0)
        one = [{"input": case.given, "large": False}]
        found, _ = await self.cases(one, seconds, _STACK if case.says("depth") else 0)
        for again in found:
            if again.says(*_WRONG, "gone") or (patient and again.says(*_ENDED)):
                return again
        if case.says("unstable") and any(c.again for c in found):
            return replace(found[0], verdict={"v": "unstable"})
        return None

    async def _steady(self, case: Case) -> Case | None:
        """The case if the first or second call with its input fails, in the same way in two fresh processes.

        Many calls are compared, so that chance does not look like a fault of the input: that would take the same
        outcomes in both.
        """
        if not case.says(*_WRONG):
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
        steady = all(_form(a) == _form(b) or {a["v"], b["v"]} & {"time", "slow"} for a, b in pairs)
        return next((c for c in first if steady and c.says(*_WRONG)), None)

    # ---- results ----------------------------------------------------------------------------------------------------

    def _names(self) -> dict[str, str]:
        """What is checked besides the clauses, by kind."""
        allowed = ", ".join(name for name, _ in self.checks.raises)
        named = {"raised": f"returns, or raises {allowed}" if allowed else "returns"}
        if self.subject.returns:
            named["typed"] = f"the result is of the declared type {self.subject.returns}"
        named["finishes"] = "finishes"
        return named | ({"deterministic": _STABLE} if self.checks.ensures or self.checks.own else {})

    def _all(self) -> list[tuple[str, str]]:
        """Names and kinds of all results."""
        ensured = [(f"ensures {text}", "ensures") for text in self.checks.ensures]
        return [*ensured, *((name, kind) for kind, name in self._names().items())]

    def _passed(self, cases: list[Case], made: dict[str, Any], found: int) -> tuple[CheckResult, ...]:
        judged = [c for c in cases if c.says("ok") and not c.again]
        if not judged:
            why = "no input in the domain could be judged: each took too long"
            return tuple(CheckResult(name, kind, False, why) for name, kind in self._all())
        reason = _count(len(judged))
        if made["all"] and len(judged) >= len(made["inputs"]):
            reason = f"{reason}, which are all"
        elif len(judged) < FEW:
            how = f"found among {made['tried']} tried" if found < FEW else "answered in time"
            reason = f"only {reason} of the domain were {how}"
        for verdicts, what in _NOT_JUDGED.items():
            if missing := sum(c.says(*verdicts) and not c.again for c in cases):
                reason = f"{reason}; on {missing:,} more {what}"
        return tuple(CheckResult(name, kind, True, reason) for name, kind in self._all())

    def _without_inputs(self, made: dict[str, Any]) -> tuple[CheckResult, ...]:
        why = f"no input of the domain was found among {made['tried']} tried"
        if made["unknown"]:
            parameter = next(p for p in self.subject.parameters if p.name == made["unknown"][0])
            why = f"no inputs can be made for {parameter.name}: {parameter.annotation}"
        return tuple(CheckResult(name, "inputs", False, why) for name, _ in self._all())

    def _results(self, cases: list[Case], failing: Case) -> tuple[CheckResult, ...]:
        bad = self.result(failing)
        broken = {c.verdict["clause"] for c in cases if c.says("broken")}
        any_ok = any(c.says("ok") for c in cases)
        out: list[CheckResult] = []
        for at, (name, kind) in enumerate(self._all()):
            passed, said = True, _count(_distinct(cases))
            if kind == "ensures" and (at in broken or not any_ok):
                passed, said = (
                    False,
                    "it does not hold on some inputs either" if at in broken else "no input came so far",
                )
            out.append(bad if (name, kind) == (bad.name, bad.kind) else CheckResult(name, kind, passed, said))
        return tuple(out)

    def result(self, case: Case) -> CheckResult:
        """One case in words."""
        kind, said = self._said(case)
        shown = {name: to_literal(data) for name, data in case.given.items()}
        if case.verdict["v"] == "broken" and self.checks.ensures:
            return CheckResult(f"ensures {self.checks.ensures[case.verdict['clause']]}", kind, False, said, shown)
        return CheckResult(self._names().get(kind, "contract"), kind, kind == "contract", said, shown)

    def _said(self, case: Case) -> tuple[str, str]:
        """The kind of a case's result, and its reason."""
        verdict = case.verdict
        on = arguments_in_words({name: to_literal(data) for name, data in case.given.items()})
        second = " the second time" if case.again else ""
        state = f" ({self.subject.state})" if self.subject.state else ""
        line = f" (line {verdict['line']})" if verdict.get("line") else ""
        match verdict["v"]:
            case "ok":
                return (
                    "contract",
                    f"{'an allowed exception' if verdict.get('raised') else 'the contract holds'} on {on}",
                )
            case "outside":
                return "domain", f"{on} is outside of the domain"
            case "broken" if not self.checks.ensures:
                return "raised", f"{verdict['why']}on {on}"
            case "broken":
                after = f", and then self is {verdict['after']}{state}" if "after" in verdict else ""
                return "ensures", f"{verdict['why']}the result{second} on {on} is {verdict['result']}{after}"
            case "raised":
                return "raised", f"raised {verdict['error']}: {verdict['message']}{line}{second} on {on}{state}"
            case "mistyped":
                found = f"the result{second} on {on} is {verdict['result']}, of type {verdict['type']}"
                return "typed", f"{found}; declared is {self.subject.returns}"
            case "gone":
                return "finishes", f"{verdict['why']} on {on}"
            case "time":
                return "finishes", f"did not finish within {verdict['seconds']:g} s on {on}"
            case "depth":
                return "finishes", f"{verdict['error']}{line} on {on}"
            case "unseen":
                return "resources", f"the result on {on} is too large to be looked at"
            case "unstable" | "touched" if "as" in verdict:
                why = self.result(replace(case, verdict=verdict["as"])).reason
                if verdict["v"] == "unstable":
                    return "deterministic", f"{why}, and not so in a fresh process"
                return (
                    "deterministic",
                    f"{why}; the run depends on the machine ({verdict['what']}), so this says nothing",
                )
            case "unstable":
                return "deterministic", f"another result for the same input: {on}"
        return "resources", f"the contract could not be evaluated in time on {on}"


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
    kind, why = "import", str(loaded.get("why"))
    if loaded["k"] == "raised":
        kind = "import" if {"ModuleNotFoundError", "OSError"} & set(loaded["mro"]) else "unloadable"
        line = f" (line {loaded['line']})" if loaded["line"] else ""
        why = f"raised {loaded['mro'][0]}: {loaded['message']}{line} while it was loaded"
    elif loaded["k"] == "time":
        why = f"did not finish within {loaded['t']:g} s while it was loaded"
    return CheckResult("the module loads", kind, False, why)


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


def _form(verdict: Verdict) -> tuple[Any, ...]:
    return verdict["v"], verdict.get("clause"), verdict.get("error")


def _unsteady(case: Case) -> Case:
    """A fault that does not show itself again."""
    return replace(case, verdict={"v": "unstable", "as": case.verdict}) if case.says(*_WRONG) else case


def _count(number: int) -> str:
    return f"{number:,} input{'' if number == 1 else 's'}"


def _distinct(cases: list[Case]) -> int:
    return sum(not c.again and not c.says("slow", "outside", "unseen") for c in cases)


def _is_endless(case: Case, quick: list[tuple[int, ...]]) -> bool:
    """Whether running out of time or stack means that it never ends.

    It does on a tiny input (numbers up to 3, up to 3 items), and on a small one when one that is at least as large in
    every way was answered at once.
    """
    larger = any(all(a <= b for a, b in zip(case.measure, other, strict=True)) for other in quick)
    return not case.large and (max(case.measure, default=0) <= 3 or larger)


def _extent(data: Any) -> int:
    """How large a value is: a number's absolute value, the number of items, whichever is more within it."""
    match data:
        case None | bool():
            return 0
        case int():
            return abs(data)
        case str():
            return len(data)
        case list():
            return max([len(data), *map(_extent, data)])
        case {"f": text}:
            number = abs(float.fromhex(text))
            return int(min(number, 1e18)) + 1 if number == number else 10**18
        case {"i": text}:
            return abs(int(text, 16))
        case {"new": [_, fields]}:
            return max([0, *(_extent(value) for _, value in fields)])
        case {"e": _}:
            return 0
        case {"c": [_, arguments]}:
            return _extent(arguments)
    inner = next(iter(data.values()))
    return _extent(inner) if isinstance(inner, list) else 0
