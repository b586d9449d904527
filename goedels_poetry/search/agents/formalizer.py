"""Before the search: the formalizer states a claim in the proof language, the judge looks at the whole theorem.

A model writes the formal text and the language reads it; another model, where there is one, compares it with the claim.
A yes opens the way to the search and nothing more. Contradictory premises and a false goal end the run.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.replies import UnusableReply, blocks, code, parse_json_reply
from goedels_poetry.models.requests import Reply, Request, object_of
from goedels_poetry.protocol.base import Examinable, Formalizable, Outcome
from goedels_poetry.search.agents.deps import DOUBT, Apply, Deps
from goedels_poetry.search.agents.guidance import MAX_STORY, NOTHING, schedule
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import MAX_REASON, Round, ask_once, ask_round
from goedels_poetry.search.tasks.claim import (
    JUDGEMENT,
    MAX_FORMAL,
    Claim,
    failures,
    set_failed_formalization,
    set_formalized,
    set_judged_faithful,
    set_round_trip,
    set_stated,
)
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import NodeStatus, ProofNode, Queue

FORMAL_SCHEMA = object_of("", formal={"type": "string", "minLength": 1})
"""The other form of a reply that is understood: the text in a JSON object."""


@agent(queue=Queue.FORMALIZE)
async def formalizer(node: ProofNode, deps: Deps) -> Apply:
    """One round: the first text that the language can read goes to the semantics judge."""
    claim, language = deps.task, deps.language
    if not isinstance(claim, Claim) or not isinstance(language, Formalizable):
        raise InvalidInput("there is no claim to formalize")
    failed = failures(await deps.store.on_thread(deps.store.history, node.id))
    texts = {entry["formal_ref"]: deps.store.load(entry["formal_ref"]) for entry in failed if "formal_ref" in entry}
    earlier = [(str(texts.get(e.get("formal_ref"), "")), e["reason"]) for e in failed if not e.get("fault")]
    variables = questions(claim, language, earlier)
    seed, attempt = deps.settings.seed, len(failed)
    request = Request("formalizer", "formalizer", variables, attempt=attempt, node=node.id, seed=seed)

    async def read(reply: Reply) -> Outcome:
        try:
            text = formal_text(reply, language.formal_tags)
        except UnusableReply as problem:
            return Outcome(False, {}, str(problem))
        whole = f"{claim.context}\n{text}" if claim.context else text
        try:
            theorem = await deps.language.read(whole, deps.theorem.options)
        except InvalidInput as problem:
            return Outcome(False, {"formal": whole}, str(problem))
        key = await deps.language.canonical(theorem, "")
        return Outcome(True, {"formal": whole, "statement": theorem.statement, "key": key})

    async def examine(value: dict[str, Any]) -> Outcome:
        if not isinstance(deps.language, Examinable):
            return Outcome(True)
        theorem = await deps.language.read(value["formal"], deps.theorem.options)
        return await deps.language.sanity_tests(theorem, claim.context)

    done = await ask_round(deps, schedule(deps).scheduled(request), read, examine)

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if done.winner is not None:
            return set_formalized(txn, node, **done.winner.value, tests=done.winner.report.get("tests", ()))
        shown = [(sample.value or sample.report).get("formal", "") for sample in done.samples]
        stage = "tests" if any(sample.value for sample in done.samples) else "formalizer"
        return _rejected(txn, node, deps, done.reason, stage, formal=next(filter(None, shown), ""), fault=done.fault)

    return apply


def questions(claim: Claim, language: Formalizable, failed: list[tuple[str, str]]) -> dict[str, str]:
    """The variables of the formalizer's prompt.

    ``failed``: earlier texts and what was wrong with them; the latest ones count when there is not room.
    """
    lines = claim.context.count("\n") + 1
    given = f"{claim.context}\n\n(These {lines} lines stay in front of your text.)" if claim.context else NOTHING
    earlier: list[str] = []
    for text, reason in reversed(failed):
        if sum(map(len, earlier)) < MAX_STORY:
            earlier.insert(0, (f"{text[:MAX_STORY]}\n\n" if text else "") + f"Rejected: {reason}")
    return {
        "question": claim.text,
        "context": given,
        "steps": "\n".join(f"{n}. {step}" for n, step in enumerate(claim.steps, 1)) or NOTHING,
        "language": language.formal_language,
        "history": "\n\n---\n\n".join(earlier) or NOTHING,
        "answer_format": language.formal_format,
    }


def formal_text(reply: Reply, tags: tuple[str, ...]) -> str:
    """The formal text in a reply: in a fenced block, as ``{"formal": ...}``, or all of it.

    Raises UnusableReply: nothing there, too long, or cut off: half a statement may be readable, and another one.
    """
    fenced = blocks(reply.text)
    if (fenced and not fenced[-1].closed) or (not fenced and reply.finish == "length"):
        raise UnusableReply("the reply is cut off before the end of the formal text")
    if any(block.tag in tags for block in fenced):
        text = code(reply.text, tags)
    else:
        try:
            text = str(parse_json_reply(reply.text, FORMAL_SCHEMA)["formal"])
        except UnusableReply:
            text = code(reply.text, tags)
    if len(text) > MAX_FORMAL:
        raise UnusableReply(f"the formal text is longer than {MAX_FORMAL} characters")
    return text


_FINAL = {
    "inconsistent": (Verdict.INCONSISTENT, NodeStatus.FAILED, "the premises contradict each other"),
    "refuted": (Verdict.REFUTED, NodeStatus.REFUTED, "the goal is false"),
    "unknown": (Verdict.UNKNOWN, NodeStatus.FAILED, "the theorem cannot be judged"),
}

_FAULTS_OF_A_FORMALIZATION = ("inconsistent", "unknown")
"""What says nothing about the claim when the premises and definitions are a model's."""

JUDGE_SCHEMA = object_of(
    "judgement", required=("same",), reason="string", same="boolean", differences=["string"], advice="string"
)

WORDS_SCHEMA = object_of("words", words={"type": "string", "minLength": 1})
MAX_WORDS = 4_000
"""Characters that are kept of what a model reads in a formal text."""


@agent(queue=Queue.CHECK_SEMANTICS)
async def judge(node: ProofNode, deps: Deps) -> Apply:
    """Ask the language about premises and goal; a theorem that stays open goes to the prover."""
    claim = deps.task if isinstance(deps.task, Claim) else None
    if claim is not None and deps.has_model("judge"):
        said = await deps.load(node, JUDGEMENT) or {}
        if not said.get("judged"):
            return await _compare(node, deps, claim)
        if claim.round_trip and "words" not in said:
            return await _there_and_back(node, deps, claim)
    outcome = deps.charge(await deps.language.judge(deps.theorem))
    found = outcome.value.get("verdict", "open")

    def apply(txn: Txn) -> str:
        reason = outcome.value.get("reason") or outcome.reason
        if found not in _FINAL:
            doubts = outcome.value.get("doubts", ())
            for words in doubts:
                txn.log(node.id, DOUBT, words=words)
            txn.reason = "; ".join(filter(None, (reason, *doubts)))
            if claim is not None:
                return set_stated(txn, node, claim)
            txn.put(replace(node, queue=Queue.PROVE))
            return "open"
        verdict, status, default = _FINAL[found]
        txn.reason = reason or default
        if claim is not None and found in _FAULTS_OF_A_FORMALIZATION:
            core = "; ".join(outcome.value.get("core") or ())
            words = f"{txn.reason}: {core}" if core else txn.reason
            detail = outcome.value if verdict is Verdict.INCONSISTENT else None
            return _rejected(txn, node, deps, words, "premises", verdict=verdict, detail=detail)
        txn.put(replace(node, queue=None, status=status, reason=txn.reason))
        txn.set_verdict(verdict, txn.reason, outcome.value)
        return str(verdict)

    return apply


async def _compare(node: ProofNode, deps: Deps, claim: Claim) -> Apply:
    """Ask the model of the role judge once; only a readable yes lets the formal text pass."""
    variables = {"question": claim.text, "statement": deps.theorem.text}
    done = await _ask(node, deps, "semantics-judge", variables, JUDGE_SCHEMA)

    def apply(txn: Txn) -> str:
        done.log(txn, node)
        if done.winner is None:
            return _rejected(txn, node, deps, f"the judge's answer cannot be used: {done.reason}", "judge")
        reason = _words(done.winner.value)
        if done.winner.value["same"]:
            return set_judged_faithful(txn, node, reason)
        other = ": ".join(filter(None, ("it does not say what the claim says", reason)))
        return _rejected(txn, node, deps, other, "judge")

    return apply


async def _there_and_back(node: ProofNode, deps: Deps, claim: Claim) -> Apply:
    """Have the formal text put into words by somebody who has not seen the claim, and the two texts compared."""
    language = deps.language
    formal = language.plain(deps.theorem) if isinstance(language, Examinable) else deps.theorem.text
    told = await _ask(node, deps, "back-translation", {"statement": formal}, WORDS_SCHEMA)
    words = " ".join(str(told.winner.value["words"]).split())[:MAX_WORDS] if told.winner is not None else ""
    question = {"question": claim.text, "words": words}
    compared = await _ask(node, deps, "round-trip", question, JUDGE_SCHEMA) if words else None

    def apply(txn: Txn) -> str:
        told.log(txn, node)
        if compared is not None:
            compared.log(txn, node)
        said = compared.winner.value if compared is not None and compared.winner is not None else None
        if said is not None and said["same"]:
            return set_round_trip(txn, node, words, _words(said))
        if said is not None:
            reason = f"put back into words it says: {words}; and that is not what the claim says: {_words(said)}"
        else:
            fault = compared.reason if compared is not None else told.reason or "it has no words"
            reason = f"the round trip failed: {fault}"
        return _rejected(txn, node, deps, reason, "round trip")

    return apply


def _rejected(txn: Txn, node: ProofNode, deps: Deps, reason: str, stage: str, **more: Any) -> str:
    """One attempt to formalize failed, at a stage."""
    most = deps.settings.schedule.max_attempts
    return set_failed_formalization(txn, node, reason, most=most, stage=stage, **more)


async def _ask(node: ProofNode, deps: Deps, prompt: str, variables: dict[str, str], schema: dict[str, Any]) -> Round:
    """One question to the model of the role judge."""
    failed = failures(await deps.store.on_thread(deps.store.history, node.id))
    return await ask_once(deps, node, "judge", prompt, variables, schema, attempt=len(failed))


def _words(said: dict[str, Any]) -> str:
    parts = [said.get("reason", ""), *said.get("differences", ()), said.get("advice", "")]
    return "; ".join(" ".join(part.split()) for part in parts if part.strip())[: 2 * MAX_REASON]
