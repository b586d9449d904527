"""The generator writes a candidate, or takes one that was enumerated; the corrector asks for a better one."""

from __future__ import annotations

import ast
import asyncio
import builtins
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.replies import UnusableReply, blocks, without_thinking
from goedels_poetry.models.requests import Reply
from goedels_poetry.python.fingerprint.ban import STRATEGIES, Fingerprint, parse_ban
from goedels_poetry.python.fingerprint.classify import fingerprint
from goedels_poetry.python.synthesis.search import synthesise
from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.python.testing.checks import CheckResult, TestReport, from_literal
from goedels_poetry.search.agents.conversation import Message, correction, note_of, write
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.tasks.code import (
    BANNED,
    BEST,
    CODE,
    EVIDENCE,
    FAILED,
    MODEL,
    PASSED,
    REPEATED,
    SYNTHESIS,
    CodeTask,
    Pair,
    candidates,
    rounds_of,
    set_enumerated,
    set_move,
)
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode, Queue

MOST_EXAMPLES, MAX_SECTION, MAX_BANS = 40, 12_000, 30
MOST_ATTEMPTS, MAX_REASON = 6, 300
MOST_FAULTS, MAX_FAULT = 6, 1_200
"""Of a prompt: examples, characters of the tests, bans; attempts, characters of a reason; failed checks, characters of
each."""
FORMAL = frozenset({"compile", "signature"})
"""Kinds of checks that say nothing of what a function does."""
WITHOUT_STRATEGY = frozenset({"syntax", "signature"})
"""Faults that say nothing about the strategy."""
FIND = "Find the cause, and mend it."
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)

# -- the task ----------------------------------------------------------------------------------------------------


def query_of(task: CodeTask) -> str:
    """What is wanted and how it is checked."""
    contract = [f"- requires {text} (other inputs are never tried)" for text in task.requires]
    contract += [f"- ensures {text}" for text in task.ensures]
    contract += [
        f"- may raise {name}{f' where {when}' if when else ''}, and nothing else" for name, when in task.raises
    ]
    examples = [example_text(*pair) for pair in task.examples[:MOST_EXAMPLES]]
    listed = (
        ("It is checked with these examples:", _fenced(examples) if examples else ""),
        ("On every input it keeps this contract (`result` is what it returns):", "\n".join(contract)),
        ("It is checked with these tests:", _fenced(task.tests) if task.tests else ""),
        ("It is checked with these properties (Hypothesis):", _fenced(task.properties) if task.properties else ""),
    )
    limits = f"{task.seconds:g} s of processor time and {task.memory_mb} MB"
    return "\n\n".join(
        [
            task.task.strip(),
            f"The signature is exactly:\n\n```python\n{task.signature}: ...\n```",
            *(f"{title}\n\n{text}" for title, text in listed if text),
            f"One call has {limits}, and CPython's usual limit on recursion (about 1,000 calls deep).",
        ]
    )


def example_text(call: str, expected: str) -> str:
    """An example; the name of an exception stands for raising it."""
    return f"{call}  # raises {expected}" if is_exception(expected) else f"{call} == {expected}"


def is_exception(text: str) -> bool:
    """Whether it is the name of a built-in exception."""
    kind = getattr(builtins, text, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _fenced(texts: Iterable[str]) -> str:
    text = "\n".join(texts)
    more = "\n# and further ones" if len(text) > MAX_SECTION else ""
    return f"```python\n{text[:MAX_SECTION]}{more}\n```"


def context_of(
    task: CodeTask, past: Sequence[Mapping[str, Any]], evidence: Sequence[Mapping[str, Any]], near: str = ""
) -> str:
    """The given code, the latest attempts, the inputs on which they failed, and the one that came ``near``."""
    lines = [
        f"- {entry.get('fingerprint') or 'no strategy'}: {str(entry.get('reason', ''))[:MAX_REASON]}"
        for entry in past[-MOST_ATTEMPTS:]
        if entry.get("by") == MODEL
    ]
    calls = list(dict.fromkeys(f"- {call_text(task.function, each)}" for each in evidence))[:MOST_EXAMPLES]
    given = f"\n```python\n{task.context.strip()}\n```" if task.context.strip() else ""
    listed = (
        ("This code stands before your function; use it, do not repeat it:", given),
        ("Earlier attempts, oldest first:", "\n".join(lines)),
        ("Earlier attempts failed on these inputs, which are tried first on every new one:", "\n".join(calls)),
        ("The best of them so far:", near),
    )
    return "\n\n".join(f"{title}\n{text}" for title, text in listed if text)


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """``f(n=3, xs=[])``, cut when it is long."""
    given = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return f"{function}({given if len(given) <= 300 else given[:300] + '…'})"


# -- strategies --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A strategy that must not be used on this task, and the evidence."""

    strategy: str
    why: str = "the task does not want it"
    failures: int = 0

    @property
    def text(self) -> str:
        """The strategy without the others that its name covers: plain recursion bans no memoised one."""
        plain = self.failures and self.strategy == "recursion"
        return "recursion and not memoisation" if plain else self.strategy

    @property
    def words(self) -> str:
        """For a prompt, in one line."""
        often = f"failed {self.failures} times, last because " if self.failures else ""
        return f"- {self.text}: {often}{self.why}"


def strategy_of(source: str, function: str) -> Fingerprint | None:
    """The fingerprint of a candidate; None where none can be taken."""
    with suppress(InvalidInput, *_UNREADABLE):
        return fingerprint(source, function)
    return None


def candidate_of(function: str, task: CodeTask, by: str) -> dict[str, Any]:
    """A candidate as the store keeps it: ``{"source": the module that is tested, "by", "strategy", ...}``.

    Its ``digest`` is equal for candidates that differ in layout and comments alone.
    """
    source = task.whole(function)
    found, shape = strategy_of(source, task.function), source
    with suppress(*_UNREADABLE):
        shape = ast.dump(ast.parse(source), annotate_fields=False)
    return {
        "source": source,
        "by": by,
        "strategy": found.strategy if found is not None else "",
        "fingerprint": found.text if found is not None else "",
        "tags": sorted(found.tags) if found is not None else [],
        "digest": sha256(shape.encode("utf-8", "surrogatepass")).hexdigest()[:16],
    }


def forbidden_strategies(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> tuple[Forbidden, ...]:
    """Those that the task excludes, then those that failed twice; ``bans`` as the store has them."""
    failed = (Forbidden(text, str(ban["reason"]), int(ban["failures"])) for text, ban in bans.items())
    return (*map(Forbidden, task.bans), *failed)


def why_banned(found: Fingerprint | None, forbidden: Iterable[Forbidden]) -> str:
    """The ban that a candidate falls under, in one line; "" for none."""
    if found is None:  # else a ban could be evaded by a program too entangled to be read
        return "its strategy cannot be told from its text, and some are banned here" if any(forbidden) else ""
    for each in forbidden:
        if each.strategy == found.text or (not each.failures and parse_ban(each.strategy).matches(found)):
            return f"the strategy {found.text} is banned here ({each.text}: {each.why})"
    return ""


def all_banned(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether each of the primary strategies is banned in some form."""
    failed = {str(ban["strategy"]) for ban in bans.values()}
    return failed.issuperset(_left(map(Forbidden, task.bans)))


def _left(forbidden: Iterable[Forbidden]) -> list[str]:
    """The primary strategies that no ban covers."""
    bans = [parse_ban(each.text) for each in forbidden]
    return [name for name in STRATEGIES if not any(ban.matches(Fingerprint(name, frozenset())) for ban in bans)]


def left_words(forbidden: Iterable[Forbidden]) -> str:
    """The strategies that are not banned, "" where there are none."""
    left = ", ".join(_left(forbidden))
    return f"These strategies are left: {left}." if left else ""


def forbidden_words(forbidden: Sequence[Forbidden]) -> str:
    """The bans with their reasons; "" without any."""
    if not forbidden:
        return ""
    lines = "\n".join(each.words for each in forbidden[-MAX_BANS:])
    return (
        f"DO NOT USE these strategies:\n{lines}\n"
        "Your function is classified by its syntax tree, whatever its names and layout are, and refused without being "
        f"run when it uses one of them. You must choose a fundamentally different approach. {left_words(forbidden)}"
    ).rstrip()


# -- reports -----------------------------------------------------------------------------------------------------


def report_on(task: CodeTask, tested: TestReport) -> dict[str, Any]:
    """The report on a candidate that was tested."""
    checks = [result for result in tested.results if result.kind not in FORMAL]
    passed = sum(result.passed for result in checks)
    numbers = {"passed": passed, "total": len(checks), "inputs_tried": tested.inputs_tried}
    if tested.passed:
        tried = f", the contract on {tested.inputs_tried} inputs" if tested.inputs_tried else ""
        return {"kind": PASSED, "words": "", "reason": f"{passed} checks passed{tried}", **numbers}
    faults = [result for result in tested.results if not result.passed]
    shown = next((fault for fault in faults if fault.input), next(iter(faults), None))
    listed = [f"- {_one(task, fault)}"[:MAX_FAULT] for fault in faults[:MOST_FAULTS]]
    listed += [f"- and {len(faults) - MOST_FAULTS} further checks"] if len(faults) > MOST_FAULTS else []
    count = f"It passes {passed} of {len(checks)} checks." if passed else "It passes no check."
    words = "\n".join(["Your function was run and does not pass:", *listed, count, FIND])
    return {
        "kind": FAILED,
        "words": words if faults else f"Your function does not pass: {tested.reason[:MAX_FAULT]}",
        "reason": (_one(task, shown) if shown is not None else tested.reason)[:400],
        "counts": tested.fault not in WITHOUT_STRATEGY,
        **_inputs(faults),
        **numbers,
    }


def broken_report(task: CodeTask, faults: Sequence[CheckResult], before: Mapping[str, Any]) -> dict[str, Any]:
    """The report on a candidate that passed every check and then failed hostile tests that count."""
    listed = "\n".join(f"- {_one(task, fault)}"[:MAX_FAULT] for fault in faults[:MOST_FAULTS])
    return {
        "kind": FAILED,
        "words": f"Your function passes the visible checks, but it does not do what the task says:\n{listed}\n{FIND}",
        "reason": _one(task, faults[0]),
        "counts": True,
        "passed": before.get("passed", 0),
        "total": int(before.get("total", 0)) + len(faults),
        "inputs_tried": before.get("inputs_tried", 0),
        **_inputs(faults),
    }


def disputed_words(found: Sequence[Mapping[str, Any]]) -> str:
    """What a function's author is asked about calls that the task's words are held against."""
    listed = "\n".join(f'- {each["reason"]}; the task says "{each["words"]}"' for each in found)
    return (
        f"Your function passes the checks, but it may not do what the words of the task say:\n{listed}\n"
        "Where they decide that it is wrong, mend it; where they do not, send it unchanged, and the doubt is noted."
    )


def refused_report(kind: str, why: str, left: str = "") -> dict[str, Any]:
    """The report on a candidate that was not run; ``left``: which strategies are allowed, in words."""
    then = {
        BANNED: f"Choose a fundamentally different approach. {left}".rstrip(),
        REPEATED: "Look at the report on it again, and change what is wrong.",
    }
    return {"kind": kind, "words": f"Your function was not run: {why}. {then[kind]}", "reason": f"not run: {why}"}


def _inputs(faults: Sequence[CheckResult]) -> dict[str, Any]:
    """The input to show, and those that can be tried on later candidates: a value without a literal cannot."""
    inputs = [dict(fault.input) for fault in faults if fault.input]
    written = []
    for each in inputs:
        with suppress(InvalidInput):
            written += [each] if list(map(from_literal, each.values())) else []
    return {"failing": inputs[0] if inputs else None, "evidence": written}


def _one(task: CodeTask, fault: CheckResult) -> str:
    name = fault.name
    if fault.kind == "example":  # the name of an exception would read as a value
        name = next((example_text(*each) for each in task.examples if name == " == ".join(each)), name)
    name, reason = " ".join(name.split())[:300].rstrip(":"), " ".join(fault.reason.split())
    text = f"{name}: {reason}" if name and name not in reason else reason
    named = f"{task.function}(" in reason or any(f"{parameter} = " in reason for parameter in fault.input or ())
    return text if not fault.input or named else f"{text}, called as {call_text(task.function, fault.input)}"


# -- writing -----------------------------------------------------------------------------------------------------

ROLE = "formalizer"
NOTE = "(Your last reply could not be used: {}. Answer with the whole function in one block fenced as python.)"
NOTHING_LEFT = "no small function that was found passes every check, and there is no language model to ask"


@agent(queue=Queue.FORMALIZE, name="generator")
async def generator(node: ProofNode, deps: Deps) -> Apply:
    """Enumerate where that may help and has not been done; then ask for a function, with the bans."""
    task, by_model = deps.task_as(CodeTask), deps.has_model(ROLE)
    history = await deps.store.on_thread(deps.store.history, node.id)
    forbidden = forbidden_strategies(task, await deps.store.on_thread(deps.store.bans, node.id))
    failing, past, rounds = await deps.load(node, EVIDENCE) or [], candidates(history), rounds_of(history)
    again = not by_model and rounds[-1:] == [True] and len(rounds) < MOST_ROUNDS
    if task.can_be_synthesised and not (by_model and task.model_first) and (again or not rounds):
        tried = {str(entry.get("digest")) for entry in past}
        found = await enumerated(task, forbidden, tried, failing, seed=deps.settings.seed, brief=by_model)
        return lambda txn: set_enumerated(txn, node, found.candidate, found.note, passes=found.passes)
    if not by_model:
        reason = f"{NOTHING_LEFT}; {node.reason}" if node.reason else NOTHING_LEFT
        return lambda txn: set_move(txn, node, "give_up", reason)
    near = await deps.store.on_thread(_near, deps.store, node)
    parts = (context_of(task, past, failing, near), await note_of(deps, node, NOTE))
    words = {
        "query": query_of(task),
        "context": "\n\n".join(filter(None, parts)),
        "forbidden": forbidden_words(forbidden),
    }
    return await write(node, deps, CODE, Message(ROLE, "code-generate", words), _reader(deps))


def _near(store: StoreReader, node: ProofNode) -> str:
    """The candidate that passed most checks, where it passed half of them, with why it did not pass."""
    best = store.load(node.refs[BEST]) if BEST in node.refs else None
    report = store.load(best["report"]) if best else {}
    if best is None or 2 * report.get("passed", 0) < max(1, report.get("total", 0)):
        return ""
    passed = f"It passes {report['passed']} of {report['total']} checks: {report['reason']}"
    return f"{_fenced([store.load(best['candidate'])['source']])}\n{passed}"


@agent(queue=Queue.CORRECT, name="corrector")
async def corrector(node: ProofNode, deps: Deps) -> Apply:
    """One more turn, with the report on the last function."""
    return await write(node, deps, CODE, await correction(deps, node, "code-report", NOTE), _reader(deps))


def _reader(deps: Deps) -> Callable[[Reply], dict[str, Any]]:
    task = deps.task_as(CodeTask)
    return lambda reply: candidate_of(function_in(reply, task), task, MODEL)


# -- the function in a reply -------------------------------------------------------------------------------------

MAX_CANDIDATE, MAX_REPLY = 30_000, 400_000
"""Characters of a function, with all that comes with it, and of a reply."""
_TAGS = frozenset({"", "python", "py", "python3", "code"})


def function_in(reply: Reply, task: CodeTask) -> str:
    """The module that the model wrote, as it is to be tested: the last block with the function.

    Raises UnusableReply: it holds no such function, is cut off, too long, or is no Python.
    """
    if len(reply.text) > MAX_REPLY:
        raise UnusableReply(f"the reply is longer than {MAX_REPLY} characters")
    fenced = [block for block in blocks(reply.text) if block.text.strip()]
    if reply.finish == "length" and (not fenced or not fenced[-1].closed):
        raise UnusableReply("the reply is cut off before the end of the function: answer with the function alone")
    pieces = [textwrap.dedent(b.text) for b in fenced if b.tag in _TAGS] or [textwrap.dedent(b.text) for b in fenced]
    if not fenced and f"def {task.function}(" in without_thinking(reply.text):
        pieces = [without_thinking(reply.text)]
    if not pieces:
        raise UnusableReply("the reply holds no Python: put the whole function into one block fenced as python")
    problem = ""
    for piece in reversed(pieces):
        try:
            found = _with_function(piece, task)
        except _UNREADABLE as error:
            said = f"the code is not Python: {error.msg} (line {error.lineno})" if type(error) is SyntaxError else ""
            problem = problem or said or f"the code cannot be read: {str(error) or type(error).__name__}"
            continue
        if len(found) > MAX_CANDIDATE:
            raise UnusableReply(f"the function is longer than {MAX_CANDIDATE} characters")
        if found:
            return found.strip("\n") + "\n"
    raise UnusableReply(problem or f"no block defines the function {task.function}")


def _with_function(source: str, task: CodeTask) -> str:
    """The text without trials, where it defines the function or a method of that name; else ""."""
    tree = ast.parse(source)
    if any(task.function in _names_of(node) for node in tree.body):
        return _without_trials(source, tree, task.function)
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and any(task.function in _names_of(node) for node in owner.body):
            call = f"{owner.name}().{task.function}({', '.join(task.parameters)})"
            return f"{_without_trials(source, tree, owner.name)}\n\n\n{task.signature}:\n    return {call}"
    return ""


def _names_of(node: ast.stmt) -> frozenset[str]:
    """Names that a statement binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _without_trials(source: str, tree: ast.Module, function: str) -> str:
    """Without assertions, calls and a main part that only try the function out."""
    lines = source.splitlines()
    for node in reversed([node for node in tree.body if _is_trial(node, function)]):
        del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def _is_trial(node: ast.stmt, function: str) -> bool:
    match node:
        case ast.If(test=test):
            return any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))
        case ast.Expr(value=ast.Call() as call):
            called = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
            return bool(called & {"print", function, "doctest", "unittest"})
    return isinstance(node, ast.Assert)


# -- candidates without a model ----------------------------------------------------------------------------------

BRIEF, LONG = (3, 2.0), (12, 6.0)
"""Candidates that are tested, and seconds of one enumeration: before a model is asked, and where there is none."""
FEWEST = 4
"""Examples, of fewer of which none is held back."""
ENOUGH = 3
"""Weight of the checks that an enumeration has not seen, below which a model is asked instead."""
MOST_ROUNDS = 4
"""Enumerations without a model: each later one knows the inputs on which earlier candidates failed."""
TOO_LITTLE = "enumeration: too few checks to tell the function that is meant from others that fit"
WEAK = "the function was enumerated to fit the examples, and few other checks speak for it: look at it"


@dataclass(frozen=True, slots=True)
class Found:
    """The outcome of an enumeration; ``passes``: whether the candidate has passed a quick test."""

    candidate: dict[str, Any] | None
    note: str
    passes: bool = False


async def enumerated(
    task: CodeTask, forbidden: Sequence[Forbidden], tried: set[str], failing: list[Any], *, seed: int, brief: bool
) -> Found:
    """The first candidate that passes a quick test; cancelling ends the search, which has a thread of its own.

    ``tried``, ``failing``: digests of candidates, and inputs on which one failed; both grow.

    Where a model can be asked (``brief``) more has to speak for it than that it fits; without one the smallest
    candidate is given in any case, so that there is something to show.
    """
    held = task.examples[2::3] if len(task.examples) >= FEWEST else ()
    shown = tuple(pair for pair in task.examples if pair not in held)
    unseen = sum(1 if expected in ("True", "False") else 2 for _, expected in held) + len(task.ensures)
    weak = unseen + ENOUGH * (len(task.tests) + len(task.properties)) < ENOUGH
    if brief and weak:
        return Found(None, TOO_LITTLE)
    most, seconds = BRIEF if brief else LONG
    first, given_up, before = None, threading.Event(), len(tried)
    try:
        for examples in dict.fromkeys([shown] if brief else [shown, task.examples]):
            fitting = _texts(task, examples, forbidden, seconds, given_up.is_set)
            for _ in range(most):
                text = await asyncio.to_thread(next, fitting, None)
                if text is None:
                    break
                candidate = candidate_of(text, task, SYNTHESIS) | ({"note": WEAK} if weak else {})
                if candidate["digest"] in tried:
                    continue
                tried.add(candidate["digest"])
                first = first or candidate
                source, inputs = candidate["source"], [dict(each) for each in failing]
                report = await test_candidate(source, task.checks, seed=seed, inputs=inputs, effort="quick")
                if report.passed:
                    note = f"enumeration: small function {len(tried) - before} passes a quick test"
                    return Found(candidate, note, passes=True)
                broken = [dict(each.input) for each in report.results if not each.passed and each.input]
                failing += [each for each in broken if each not in failing]
    finally:
        given_up.set()
    note = f"enumeration: {len(tried) - before} small functions fit, none passes every check"
    return Found(None if brief else first, note)


def _texts(
    task: CodeTask,
    examples: Sequence[Pair],
    forbidden: Sequence[Forbidden],
    seconds: float,
    given_up: Callable[[], bool],
) -> Iterator[str]:
    """The functions of the enumeration that are not banned, until the time is over."""
    free = [f"not ({text})" for text in task.requires] + [f"({when})" for _, when in task.raises if when]
    contracts = tuple(" or ".join([*free, f"({text})"]) for text in task.ensures)
    more: dict[str, Any] = {"contracts": contracts, "words": task.task, "given_up": given_up}
    with suppress(InvalidInput):  # types that are not enumerated
        for text in synthesise(task.signature, examples, seconds=seconds, **more):
            if not why_banned(strategy_of(task.whole(text), task.function), forbidden):
                yield text
