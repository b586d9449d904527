"""One round with a language model: a beam of samples, read and checked, and what is kept of it.

A failure of our own code says nothing about a reply: the same is tried again, and it is never held against it.

The first sample is asked for alone: those after it are paid for only when it does not hold, and are shown why. The
winner is the first, in their order, that holds, whatever came first; those after it are cancelled. Samples that propose
the same thing are checked once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from goedels_poetry.errors import BudgetExceeded, InvalidInput, is_passing, one_line
from goedels_poetry.models.cache import Asked
from goedels_poetry.models.prompts import PromptError
from goedels_poetry.models.requests import Reply, Request
from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome, Refutable
from goedels_poetry.search.agents.deps import Deps, Fault
from goedels_poetry.search.agents.guidance import REJECTED, UNREADABLE, reported, schedule
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ProofNode

REFUTATION = "refutation"
"""Key of what `ModelGuided.read_candidate` and `read_sketch` give for such a reply."""


async def confirmed(deps: Deps, goal: Goal, refutation: Any) -> Outcome:
    """Whether the goal ends with it, and with what; see `Refutable.confirm_refutation`.

    Where it does not, the value says under `REFUTATION` what was claimed.
    """
    if not isinstance(deps.language, Refutable):
        return Outcome(False, {}, f"goals of the language {deps.language.name} are refuted by its own agents alone")
    found = await deps.language.confirm_refutation(goal, refutation)
    return found if found.ok else replace(found, value={**found.value, REFUTATION: refutation})


_ASIDE = frozenset({"note", "ban", "lift", "decision"})
"""Entries of a history that may stand behind the news that a subgoal has failed."""


async def refuted_with_subgoal(deps: Deps, goal: Goal) -> Outcome | None:
    """What became of a goal whose last sketch failed by a false subgoal, when it is false at the same values.

    So it is where the subgoal was the goal itself in other words: after an introduction, or in one case of it. None
    when there is nothing of this kind to find out, or when the values do not refute the goal.
    """
    last = next((entry for entry in reversed(goal.history) if entry["kind"] not in _ASIDE), {"kind": ""})
    found: Any = last.get("report") if last["kind"] == "backtrack" else None  # else the subgoal is older news
    for part in ("counterexample", "values"):
        found = found.get(part) if isinstance(found, dict) else None
    language = deps.language
    if not isinstance(found, dict) or not found or not isinstance(language, ModelGuided):
        return None
    values = {str(name): str(text) for name, text in found.items()}
    read = await language.read_sketch(goal, {"refuted": {"at": values}})
    if not read.ok or REFUTATION not in read.value:
        return None  # the subgoal has other variables
    outcome = deps.charge(await confirmed(deps, goal, read.value[REFUTATION]))
    return outcome if outcome.ok else None


def settle_refutation(txn: Txn, deps: Deps, node: ProofNode, found: dict[str, Any]) -> str:
    """The goal is over, and the sketch above it rejected. ``found``: the value of `confirmed`."""
    moves = deps.moves(txn)
    if "refuted" in found:
        return moves.set_refuted(node, found["refuted"], found.get("detail"))
    return moves.set_underdetermined(node, str(found["open"]))


MAX_KEPT = 20_000
"""Characters of a prompt or reply that the conversation keeps."""

MAX_REASON = 400

STRIDE = 7_919
"""Between the seeds of two samples: attempts of one sample are far fewer."""

REFUTED_IN_VAIN = "refutation"
"""Kind of history entry: a model has said that the goal is false, and it does not hold; why, and what it gave."""

OURS = "a fault of this program, not of the reply"
"""Begins the reason of a fault."""
TRIES = 2
"""How often a job is done on the same reply when our own code fails."""

Read = Callable[[Reply], Awaitable[Outcome]]
"""A reply to what it proposes; not ok: its reason goes into the next prompt."""

Check = Callable[[dict[str, Any]], Awaitable[Outcome]]
"""Whether a proposal holds."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One reply and what came of it."""

    reply: Reply
    value: dict[str, Any] = field(default_factory=dict)
    """What was read from it; {} when it could not be used."""
    reason: str = ""
    """Why it cannot be used or does not hold; "" when it does, or was not checked."""
    fault: bool = False
    """Whether the reason is a fault of our own: the reply was neither accepted nor rejected."""
    report: dict[str, Any] = field(default_factory=dict)
    """The verifier's report."""

    @property
    def holds(self) -> bool:
        """Whether it may go on to the verifier."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Round:
    """What was asked, all samples that counted, and the one that won."""

    request: Request
    model: str
    messages: tuple[tuple[str, str], ...]
    samples: tuple[Sample, ...]
    before: Round | None = None
    """The round whose reply could not be read; this one asked for it again."""

    @property
    def winner(self) -> Sample | None:
        """The sample that holds."""
        return next((sample for sample in self.samples if sample.holds), None)

    @property
    def reason(self) -> str:
        """Why none holds, in one line."""
        reasons = dict.fromkeys(sample.reason for sample in self.samples if self.fault or not sample.fault)
        return "; ".join(reasons)[:MAX_REASON] or "the model gave no reply"

    @property
    def fault(self) -> bool:
        """Whether nothing was found out about any reply, by our own fault."""
        return bool(self.samples) and all(sample.fault for sample in self.samples)

    @property
    def unreadable(self) -> Sample | None:
        """The first reply, when there are words in it and nothing in any of them can be read."""
        for sample in self.samples:
            if sample.holds or sample.fault or sample.value or sample.report or not sample.reply.text.strip():
                return None
        return self.samples[0] if self.samples else None

    def rejected(self, known: str = "") -> list[Sample]:
        """Samples that propose a sketch that does not hold, one for each sketch; ``known`` is left out."""
        found: dict[str, Sample] = {}
        for sample in self.samples:
            name = sample.value.get("key", "")
            if not (sample.holds or sample.fault) and "sketch" in sample.value and name and name != known:
                found.setdefault(name, sample)
        return list(found.values())

    def log(self, txn: Txn, node: ProofNode) -> None:
        """Keep the exchange in the node's history, and what the prompt was made of: wordings can be tried on it."""
        if self.before is not None:
            self.before.log(txn, node)
        exchange = {
            "messages": [[role, text[:MAX_KEPT]] for role, text in self.messages],
            "replies": [
                {"text": s.reply.text[:MAX_KEPT], "error": s.reply.error, "reason": s.reason, "holds": s.holds}
                for s in self.samples
            ],
        }
        txn.log(
            node.id,
            "model",
            role=self.request.role,
            prompt=self.request.prompt,
            model=self.model,
            attempt=self.request.attempt,
            generation=node.generation,
            temperature=self.request.temperature,
            reasons=[s.reason[:MAX_REASON] for s in self.samples if s.reason and not s.fault],
            exchange=txn.save(exchange),
            variables=txn.save(dict(self.request.variables)),
        )
        for sample in self.samples:
            if REFUTATION in sample.report and not sample.holds:  # a reader wants to know what was claimed, and why not
                claimed = txn.save(sample.report[REFUTATION])
                txn.log(node.id, REFUTED_IN_VAIN, model=self.model, reason=sample.reason, claimed_ref=claimed)

    def note(self, txn: Txn, deps: Deps, node: ProofNode, known: str = "") -> list[Sample]:
        """Keep the exchange, and every rejected sketch as evidence against its strategy; returns those samples."""
        self.log(txn, node)
        rejected = self.rejected(known)
        for sample in rejected:
            deps.moves(txn).note_rejected_sketch(node, sample.value["sketch"], sample.reason)
        return rejected


async def outcome_of(deps: Deps, who: str, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """The outcome of ``work``, or a fault after `TRIES` of them, each noted under ``who``; raises BudgetExceeded.

    Every exception is a fault of ours but `InvalidInput`, which refuses the reply.
    """
    found = Outcome(False)
    for _ in range(TRIES):
        try:
            found = deps.charge(await work())
        except InvalidInput as error:
            return Outcome(False, {}, str(error))
        except Exception as error:
            if isinstance(error, BudgetExceeded) or is_passing(error):
                raise
            found = Outcome(False, {}, one_line(error), fault=True)
        if not found.fault:
            break
        fault = Fault(who, "", found.reason)
        if fault not in deps.faults:
            deps.faults.append(fault)
    return replace(found, reason=f"{OURS}: {found.reason}") if found.fault else found


async def ask_round(deps: Deps, request: Request, read: Read, check: Check | None = None) -> Round:
    """Ask for one sample of a request and, when it does not hold, for all others; find the first that holds.

    Raises BudgetExceeded: the run may not ask any more.
    """
    assert deps.models is not None
    checks: dict[str, Outcome] = {}

    async def judge(reply: Reply) -> Sample:
        if reply.error:
            return Sample(reply, reason=reply.error[:MAX_REASON])
        found = await outcome_of(deps, "reader of replies", lambda: read(reply))
        if not found.ok:
            return Sample(reply, {}, found.words or "the reply cannot be used", found.fault, found.value)
        if check is None:
            return Sample(reply, found.value)
        key = str(found.value.get("key") or found.value)
        if key not in checks:
            checks[key] = await outcome_of(deps, "verifier", lambda: check(found.value))
        verdict = checks[key]
        reason = "" if verdict.ok else verdict.words or "it does not hold"
        return Sample(reply, found.value, reason, verdict.fault, verdict.value)

    async def judged(asked: Request) -> list[Sample]:
        samples: list[Sample] = []
        async with aclosing(deps.each(asked)) as replies:
            while not _is_decided(samples):
                with deps.ledger.waiting():
                    reply = await anext(replies, None)
                if reply is None:
                    break
                samples.append(await judge(reply))
        return sorted(samples, key=lambda sample: sample.reply.sample)

    messages: tuple[tuple[str, str], ...] = ()
    with suppress(PromptError):  # it could not be filled in: the reply says why
        messages = (*request.messages, *deps.models.prompts.get(request.prompt).messages(request.variables))
    samples = await judged(replace(request, samples=1))  # a good model's first is enough: no other is paid for
    if request.samples > 1 and samples and not samples[0].holds:
        others = replace(request, samples=request.samples - 1, seed=request.seed + STRIDE)
        if samples[0].reply.text.strip() and not samples[0].fault:
            others = _after(others, messages, samples[0])
        samples += [replace(s, reply=replace(s.reply, sample=s.reply.sample + 1)) for s in await judged(others)]
    winner = next((n for n, sample in enumerate(samples) if sample.holds), len(samples))
    return Round(request, deps.models.name(request.role), messages, tuple(samples[: winner + 1]))


def _after(request: Request, messages: Sequence[tuple[str, str]], sample: Sample) -> Request:
    """The request in the conversation after a reply that does not hold, with the reason."""
    said = [message for message in messages if message[0] != "system"]
    unread = not (sample.value or sample.report)
    prompt = UNREADABLE if unread else REJECTED
    variables = {"fault": sample.reason} if unread else {"report": reported(sample.reason, sample.report)}
    said.append(("assistant", sample.reply.text[:MAX_KEPT]))
    return replace(request, prompt=prompt, variables=variables, messages=tuple(said))


def _is_decided(samples: Sequence[Sample]) -> bool:
    """Whether one holds, and all before it, in their order, do not: the others are not waited for."""
    failed = {sample.reply.sample for sample in samples if not sample.holds}
    return any(sample.holds and failed.issuperset(range(sample.reply.sample)) for sample in samples)


async def ask_once(
    deps: Deps,
    node: ProofNode,
    role: str,
    prompt: str,
    variables: dict[str, str],
    schema: dict[str, Any],
    *,
    attempt: int | None = None,
    sample: int = 0,
    read: Read | None = None,
    again: bool = False,
) -> Round:
    """One sample of an object by schema: of several, the most lenient judgement would win; ``again``: see
    `ask_readable`."""
    number = node.attempts if attempt is None else attempt
    seed = deps.settings.seed + STRIDE * sample
    request = Request(role, prompt, variables, number, schema=schema, node=node.id, seed=seed)
    ask = ask_readable if again else ask_round
    return await ask(deps, replace(schedule(deps).scheduled(request), samples=1), read or _parsed)


async def _parsed(reply: Reply) -> Outcome:
    return Outcome(True, dict(reply.parsed or {}))


async def ask_readable(deps: Deps, request: Request, read: Read, check: Check | None = None) -> Round:
    """Like `ask_round`; a reply that cannot be read is sent back once, with what is wrong: form costs no attempt.

    Raises BudgetExceeded: the run may not ask any more.
    """
    done = await ask_round(deps, request, read, check)
    broken = done.unreadable
    if broken is None:
        return done
    again = replace(_after(request, done.messages, broken), samples=1)
    return replace(await ask_round(deps, again, read, check), before=done)


async def remembered(
    deps: Deps,
    guide: ModelGuided,
    kind: Literal["verification", "validation"],
    goal: Goal,
    proposal: Any,
    work: Callable[[], Awaitable[Outcome]],
) -> Outcome:
    """A verdict on a proposal, from the cache where it is one that cannot change.

    Only what was accepted is kept: that more time would not have changed a rejection is more than we know. The
    verifier looks at whatever goes on from here once more, and the checker at all of it.
    """
    assert deps.models is not None
    about = {
        "verifier": guide.verifier,
        "theorem": goal.theorem,
        "options": {name: value for name, value in goal.options.items() if name != "file"},
        "statement": goal.statement,
        "scope": [statement for _, statement in goal.scope],
        "proposal": proposal,
    }
    question = Asked(about)
    kept = deps.models.cache.get(kind, question)
    if kept is not None:
        return Outcome(True, kept)
    found = await work()
    if found.ok:
        deps.models.cache.put(kind, question, found.value)
    return found
