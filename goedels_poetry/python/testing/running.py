"""The two kinds of processes in which a candidate is tested, in the sandbox; neither is believed more than it must be.

The player has the candidate and knows inputs alone. The judge has contract, tests and the player's answers; of the
candidate's module it has only what contract or tests name. Lines of a reply begin with a number that is drawn anew
for each process, so what a candidate prints is no reply; and what a candidate that finds the number says in the
player's name is an answer like any other, to be judged by values that it has never seen. What remains: a helper of
the candidate's module which the contract itself calls runs beside the judge, as the author of the contract wanted,
and could deceive it.
"""

from __future__ import annotations

import json
import secrets
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from goedels_poetry.errors import InvalidInput, Unavailable
from goedels_poetry.python.testing.checks import Checks
from goedels_poetry.python.testing.reading import Subject
from goedels_poetry.sandbox import SandboxLimits, SandboxResult, run_python_async
from goedels_poetry.sandbox.process import PACKAGE

_PROGRAM = "import sys\nsys.path.insert(0, '.')\nfrom harness.{part} import main\nmain()\n"
HARNESS = {"harness": PACKAGE / "python" / "harness"}
_RESTARTS = 4  # of a player whose candidate ended its process
_STANDSTILLS = 2  # until no more is tried of a candidate that stops its process: each takes the whole wall time
_REPLY_BYTES = 32_000_000
_JUDGE_MB = 1024
_RANG = (-signal.SIGVTALRM, 128 + signal.SIGVTALRM)  # the process ended by the harness's own clock
_BARE_MB = 64  # what Python and the harness take of the address space

Call = dict[str, Any]
Outcome = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge did.

    Attributes:
        done: one entry a task; what it had said so far (or None) where its process ended before.
        pending: calls of the function that it needs answered.
        more: inputs that it made beside those of its tasks.
        verdicts: by the number of the case.
        stuck: the case on which it ended.
    """

    done: tuple[Any, ...]
    pending: tuple[Any, ...]
    more: tuple[Any, ...] = ()
    verdicts: dict[int, dict[str, Any]] = field(default_factory=dict)
    stuck: int | None = None


class JudgeFailed(Exception):
    """The judge's process ended without its verdict; the message says why."""


@cache
def contract_files() -> dict[str, bytes]:
    """What a module finds when it imports this package: its decorators."""
    own = {f"goedels_poetry/contracts/{path.name}": path.read_bytes() for path in (PACKAGE / "contracts").glob("*.py")}
    return {**own, "goedels_poetry/__init__.py": b"from goedels_poetry.contracts import *\n"}


def generated_call(subject: Subject, given: dict[str, Any], seconds: float, *, large: bool, times: int = 2) -> Call:
    """A call with generated arguments, each passed as its parameter wants; ``times``: with the same ones."""
    positional: list[Any] = []
    named: list[Any] = []
    for at, p in enumerate(subject.parameters):
        if p.name not in given:  # left to its default; what follows is passed by name
            continue
        if p.kind != "named" and not named and len(positional) == at:
            positional.append(given[p.name])
        else:
            named.append([p.name, given[p.name]])
    step = [positional, named]
    return {"chain": [step], "seconds": seconds, "generated": True, "large": large, "times": times}


async def play(
    subject: Subject,
    checks: Checks,
    calls: Sequence[Call],
    *,
    budget: float,
    recursion: int = 0,
    closely: int = 1,
    patience: float = 0.3,
) -> tuple[dict[int, Outcome], Outcome]:
    """What the candidate answers, by the number of the call; those skipped for lack of time are missing.

    Args:
        budget: seconds of processor time after which no more generated call begins.
        recursion: limit of Python's stack; 0 for its own.
        closely: times the parts of a result that are looked at.
        patience: seconds for what a contract of its own says of a generated call; then the outcome is that.

    Returns:
        the outcomes, and how loading the module went (``{"k": "returned"}``, with the ``lines`` that are known to
        have run where the contract is its own; or what went wrong).

    Raises:
        Unavailable: no sandbox could be had.
    """
    outcomes: dict[int, Outcome] = {}
    loaded: Outcome = {"k": "gone", "why": "the candidate's process ended while its module was loaded"}
    left, standstills = list(range(len(calls))), 0
    contract = _contract(subject, checks) if checks.own else None
    for _ in range(_RESTARTS):
        job = {
            "source": subject.source,
            "function": subject.node.name,
            "calls": [calls[at] for at in left],
            "seconds": checks.seconds,
            "budget": budget,
            "recursion": recursion,
            "closely": closely,
            "patience": patience,
            "checked": checks.callees,
            "contract": contract if any(calls[at].get("generated") for at in left) else None,
        }
        explicit = sum(not calls[at].get("generated") for at in left)
        cpu = 2 + checks.seconds + min(explicit, 3) * checks.seconds + budget
        result, lines = await _run("player", job, cpu=cpu, memory_mb=checks.memory_mb + _BARE_MB)
        started: int | None = None
        for line in lines:
            match line:
                case {"loaded": outcome}:
                    loaded = _well_formed(outcome, loading=True)
                case {"n": int() as number, "outcome": outcome} if 0 <= number < len(left):
                    outcomes[left[number]] = _well_formed(outcome, clauses=len(checks.ensures))
            match line:
                case {"start": int() as started}:
                    pass
                case {"end": _}:
                    started = None
                    loaded["lines"] = [n for n in line.get("lines", ()) if type(n) is int]
        if loaded["k"] == "gone" and result.status != "exited":
            loaded = {"k": "gone", "why": result.explanation}
        open_ones = [at for at in left if at not in outcomes]
        if "lines" in loaded or loaded["k"] != "returned" or not open_ones:
            break
        is_known = started is not None and 0 <= started < len(left)  # else it ended between two calls: by a thread
        at = left[started] if started is not None and is_known else open_ones[0]
        outcomes.setdefault(at, _gone(result, calls[at]))
        left = [n for n in open_ones if n > at]
        if calls[at].get("large"):  # the other large ones would do the same
            left = [n for n in left if not calls[n].get("large")]
        budget *= 0.5
        standstills += result.status == "wall"
        if not left or standstills == _STANDSTILLS:
            break
    return outcomes, loaded


def _contract(subject: Subject, checks: Checks) -> dict[str, Any]:
    """What an evaluator of the contract is made from."""
    return {
        "aliases": subject.aliases,
        "parameters": [asdict(p) for p in subject.parameters],
        "requires": checks.requires,
        "ensures": checks.ensures,
        "raises": checks.raises,
        "returns": subject.returns,
        "old": checks.old,
        "kept": checks.kept,
        "state": subject.state,
    }


def _well_formed(outcome: Any, loading: bool = False, clauses: int = 0) -> Outcome:
    """The answer if it has the shape of one: a candidate may speak in the player's name."""
    right = False
    match outcome:
        case {"k": "returned"} if loading:
            right = True
        case {"k": "returned", "v": {"t": [*_, _]}}:
            right = isinstance(outcome.get("out", ""), str) and isinstance(outcome.get("t", 0.0), int | float)
        case {"k": "raised", "mro": [str(), *_] as mro, "message": str(), "line": int() | None}:
            right = all(isinstance(name, str) for name in mro)
        case {"k": "time", "t": int() | float()}:
            right = True
        case {"k": "judged", "runs": [_, *_] as runs, "same": bool(), "t": int() | float()}:
            right = all(_is_verdict(verdict, clauses) for verdict in runs)
    if not right:
        return {"k": "gone", "why": "its answer is malformed"}
    again = outcome.get("again")
    return {**outcome, "again": _well_formed(again)} if again is not None else dict(outcome)


def _gone(result: SandboxResult, call: Call) -> Outcome:
    if result.status in ("cpu", "wall") or result.returncode in _RANG:
        return {"k": "time", "t": call["seconds"]}
    why = result.explanation if result.status != "exited" else f"it ended its process (exit code {result.returncode})"
    return {"k": "gone", "why": why}


async def judge(
    subject: Subject,
    checks: Checks,
    tasks: Sequence[dict[str, Any]],
    *,
    table: dict[str, Outcome] | None = None,
    seconds: float,
    part: str = "contract",
) -> Judged:
    """Have tasks done by a judge that has these answers.

    Args:
        part: whose definitions of the module it has; see `Subject`. Properties also get third-party packages.

    Raises:
        JudgeFailed: it ended without its verdict, or the definitions cannot be run.
        InvalidInput: clauses that cannot be compiled.
        Unavailable: no sandbox could be had.
    """
    job = {
        "function": subject.node.name,
        "definitions": subject.definitions[part],
        **_contract(subject, checks),
        "numbers": subject.numbers,
        "texts": subject.texts,
        "table": table or {},
        "tasks": list(tasks),
    }
    result, lines = await _run("judge", job, cpu=seconds + 3, memory_mb=_JUDGE_MB, packages=part == "properties")
    for line in lines:
        if "definitions" in line:
            raise JudgeFailed(f"what the checks name in the module cannot be run: {line['definitions']}")
        if "fault" in line:
            raise InvalidInput(f"the checks cannot be read: {line['fault']}")
    done, verdicts, begun = dict[int, Any](), dict[int, dict[str, Any]](), list[int]()
    for line in lines:
        match line:
            case {"part": number, "done": what} | {"task": number, "done": what}:
                done[number] = what
            case {"case": int() as number, "verdict": verdict} if _is_verdict(verdict, len(checks.ensures)):
                verdicts[number] = verdict
            case {"case": int() as number}:
                begun.append(number)
    if not done and not begun:
        why = result.explanation if result.status != "exited" else f"exit code {result.returncode}"
        raise JudgeFailed(f"the checks could not be evaluated: {why}")
    pending = {json.dumps(chain): chain for line in lines for chain in line.get("pending", ())}
    more = tuple(line["more"] for line in lines if "more" in line)
    stuck = begun[-1] if begun and begun[-1] not in verdicts else None
    return Judged(tuple(map(done.get, range(len(tasks)))), tuple(pending.values()), more, verdicts, stuck)


def _is_verdict(verdict: Any, clauses: int) -> bool:
    match verdict:
        case {"v": "broken", "clause": int() as clause, "why": str(), "result": str()}:
            return 0 <= clause < max(clauses, 1)
        case {"v": "raised" | "depth", "error": str(), "message": str(), "line": int() | None}:
            return True
        case {"v": "mistyped", "result": str(), "type": str()}:
            return True
        case {"v": "time", "seconds": int() | float()} | {"v": "gone", "why": str()}:
            return True
        case {"v": "unseen", "as": {"v": "broken" | "raised"} as wrong}:
            return _is_verdict(wrong, clauses)
        case {"v": "touched", "what": str(), "as": {"v": "broken" | "raised" | "mistyped"} as wrong}:
            return _is_verdict(wrong, clauses)
        case {"v": "ok" | "outside" | "slow" | "pending"}:
            return True
    return False


async def _run(
    part: str, job: dict[str, Any], *, cpu: float, memory_mb: int, packages: bool = False
) -> tuple[SandboxResult, list[dict[str, Any]]]:
    nonce = secrets.token_hex(16)
    result = await run_python_async(
        _PROGRAM.format(part=part),
        stdin=json.dumps({**job, "nonce": nonce}).encode(),
        files=contract_files(),
        packages=packages,
        ours=HARNESS,
        limits=SandboxLimits(
            cpu_seconds=cpu, wall_seconds=3 * cpu + 10, memory_mb=memory_mb, output_bytes=_REPLY_BYTES
        ),
    )
    lines = _reply(result.stdout, nonce)
    if result.status == "unavailable" or not lines:  # the first line comes before anything of the candidate runs
        raise Unavailable(f"the sandbox could not start a process: {result.explanation}")
    return result, lines


def _reply(output: bytes, nonce: str) -> list[dict[str, Any]]:
    """The lines of the reply; whatever else stands in the output is none of ours."""
    lines: list[dict[str, Any]] = []
    for line in output.decode(errors="replace").split("\n"):
        number, _, text = line.partition(" ")
        with suppress(ValueError, RecursionError):
            data = json.loads(text) if number == nonce else None
            lines += [data] if isinstance(data, dict) else []
    return lines
