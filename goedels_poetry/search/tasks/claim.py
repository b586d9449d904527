"""A theorem in formal text; a claim in plain words with its formal statement, and the moves before the search.

The present formal text of a claim hangs on the root (:data:`FORMAL` in its ``refs``), so that every past moment of a
run and every fork has the one that it had. An attempt is one round of the formalizer, whoever rejects its text.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import PASSED, WARNING, Formalizable, Language, Theorem
from goedels_poetry.protocol.trials import HINT
from goedels_poetry.search.tasks.base import FORMAL, GO_ON, Session, Stop, Task
from goedels_poetry.store.reads import HistoryEntry, StoreReader, Txn
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue


@dataclass(frozen=True)
class FormalTheorem(Task):
    """Somebody's own formal text. Its premises and its goal are looked at before any search."""

    kind: ClassVar[str] = "theorem"
    learns: ClassVar[bool] = True
    first_queue: ClassVar[str] = Queue.CHECK_SEMANTICS

    text: str
    lemmas: str = ""
    """What its proof may cite: JSON, ``[[id, name, proof as of `lemma_body`], ...]``; they are part of its proof."""
    notes: tuple[tuple[str, bool], ...] = field(default=(), compare=False)
    """Why it may not cite other theorems of its text, and whether that is to be said though it is proved."""

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """See `Task`."""
        try:
            read = await language.read(self.text, copy.deepcopy(options))
        except InvalidInput as error:
            raise error.in_text(self.text) from None
        return replace(read, text=self.text, options=options)

    async def prepare(self, language: Language, theorem: Theorem) -> ProofNode:
        """See `Task`."""
        lemmas = tuple(lemma for lemma, _, _ in json.loads(self.lemmas or "[]"))
        root = await super().prepare(language, theorem)
        return replace(root, key=await language.canonical(theorem, ""), lemmas=lemmas)

    def plant(self, txn: Txn) -> None:
        """See `Task`: the proofs of lemmas stand in the store before any goal cites them."""
        for lemma, _, body in json.loads(self.lemmas or "[]"):
            txn.remember(f"lemma:{lemma}", body)

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: with a word about a hint that was of no use, and about lemmas that were none."""
        rejected, root = [e.entry for e in store.history(ROOT) if e.kind == "rejected"], store.root()
        why = [str(e["reason"]) for e in rejected if e.get("strategy") == HINT]
        why += (
            store.load(root.refs["sketch"]).get("notes", ()) if root.strategy == HINT and "sketch" in root.refs else ()
        )
        useless = [f"the hint did not help: {each}" for each in why]
        unused = [note for note, always in self.notes if always or result.verdict is not Verdict.PROVED]
        known = result.warnings
        if theorem.options.get("theorem"):  # another theorem of the text may speak of it
            known = tuple(warning for warning in known if not warning.endswith("is declared but appears nowhere"))
        return replace(result, warnings=(*known, *useless, *unused))

    def submission(self, store: StoreReader) -> str:
        """See `Task`."""
        return self.text


MAX_CLAIM = 20_000
"""Characters of a claim, and of the definitions that it comes with."""
MAX_FORMAL = 100_000
"""Characters of a formal text by a model."""
CONFIRM = "confirm"
"""Queue in which the root waits for a person's word. No agent serves it, so the search stops there."""
JUDGEMENT = "judgement"
"""Reference of the root to what the semantics judge and the person said about that text."""
NO_MODEL = (
    "a claim in plain words needs a language model for the role formalizer: give --model NAME and, unless it is "
    "OpenAI's, --base-url ADDRESS, or set GOEDELS_POETRY__MODELS__FORMALIZER__MODEL"
)
ONLY_STATED = "only the formal statement was asked for; prove --informal with the same claim goes on from here"
NO_COUNTEREXAMPLE = "none among small instances, and no contradiction among premises that are asserted"
NOT_JUDGED = "formalization not judged: no model is configured for the role judge; read the formal statement yourself"
DECLINED = (
    "the formal statement was declined, so nothing was proved; word the claim more precisely, or give the same "
    "command again to be asked again"
)

Confirm = Callable[[dict[str, Any]], Awaitable[bool]]
"""Asks a person whether a formalization (as in the result) says what was meant."""


@dataclass(frozen=True)
class Claim(Task):
    """What somebody wants to have proved, in words: a model states it formally, and from there on it is a theorem."""

    kind: ClassVar[str] = "claim"
    learns: ClassVar[bool] = True

    text: str
    context: str = ""
    """Formal definitions that stand, byte for byte, before what the formalizer writes."""
    confirm: Confirm | None = field(default=None, compare=False)
    """Asked about the formal statement before the search for a proof; None: nobody is. A run that goes on has none."""
    steps: tuple[str, ...] = ()
    """The author's own steps of the proof, in words: hints for the models, no part of what is stated."""
    round_trip: bool = True
    """Whether a model says in its own words what the formal text states, and these are compared with the claim."""
    only: bool = field(default=False, compare=False)
    """Whether the run stops when there is a formal statement."""

    def check(self, language: Language, models: Models | None) -> None:
        """See `Task`."""
        if not self.text.strip():
            raise InvalidInput("the claim is empty")
        for what, text in (("claim", self.text), ("context", self.context)):
            if len(text) > MAX_CLAIM:
                raise InvalidInput(f"the {what} is longer than {MAX_CLAIM} characters")
        if not isinstance(language, Formalizable):
            raise InvalidInput(f"the language {language.name} does not say how claims are stated in it")
        if models is None or not models.has("formalizer"):
            raise InvalidInput(NO_MODEL)

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """Ask the person about the formal statement, where the search waits for that; the run's time stands still."""
        if stop.status != "exhausted" or (await session.root()).queue != CONFIRM:
            return stop
        try:
            payload = formalization_of(session.store, self)
            answer: bool | None = True if payload["confirmed"] else None  # what the person has said, now or earlier
            if answer is None and self.confirm is not None:
                answer = await session.unless_interrupted(self.confirm(payload))
        except asyncio.CancelledError:
            if not session.interrupted:
                raise
            return Stop("out_of_budget", f"{session.interrupted} before the formal statement was confirmed")
        if answer is not None or not self.only:
            move = partial(set_confirmed, answer=answer, only=self.only)
            await session.commit("confirm", lambda txn: move(txn, txn.get(ROOT)))
        if answer is False:
            return Stop("declined", DECLINED, retry=True)
        return Stop("stated", ONLY_STATED, retry=True) if self.only else GO_ON

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """See `Task`: how the claim was formalized, with the formal text beside the certificate."""
        formalization = formalization_of(store, self)
        if formalization["formal"] is None:
            return replace(result, formalization=formalization)
        warnings = [*result.warnings, *(w for w in theorem.warnings if w not in result.warnings)]
        odd = [test["words"] for test in formalization["tests"] if test["outcome"] == WARNING]
        warnings += [f"formal statement: {words}" for words in odd]
        warnings += [] if formalization["judged"] else [NOT_JUDGED]
        if result.certificate is not None:
            try:
                formalization["file"] = str(_write_beside(result.certificate, formalization["formal"], suffix))
            except OSError as problem:
                warnings.append(f"the formal text could not be written beside the certificate: {problem}")
        return replace(result, formalization=formalization, warnings=tuple(warnings))


# -- moves -----------------------------------------------------------------------------------------------------


def set_formalized(
    txn: Txn, node: ProofNode, formal: str, statement: str, key: str, tests: Sequence[dict[str, str]] = ()
) -> str:
    """The language can read a formal text, and its tests say nothing against it: the semantics judge is next."""
    refs = {name: ref for name, ref in node.refs.items() if name != JUDGEMENT} | {FORMAL: txn.save(formal)}
    refs |= {JUDGEMENT: txn.save({"tests": list(tests)})} if tests else {}
    txn.remember("statement", statement)
    txn.put(replace(node, queue=Queue.CHECK_SEMANTICS, key=key, refs=refs))
    txn.reason = statement
    return "formalized"


def set_judged_faithful(txn: Txn, node: ProofNode, reason: str) -> str:
    """A model says that the formal text says what the claim says; premises and goal are looked at next."""
    _note(txn, replace(node, queue=Queue.CHECK_SEMANTICS), judged=True, reason=reason)
    txn.reason = reason
    return "judged faithful"


def set_round_trip(txn: Txn, node: ProofNode, words: str, reason: str) -> str:
    """What a model that has not seen the claim reads in the formal text is what the claim says."""
    _note(txn, replace(node, queue=Queue.CHECK_SEMANTICS), words=words, words_reason=reason)
    txn.reason = reason
    return "round trip agrees"


def set_stated(txn: Txn, node: ProofNode, claim: Claim) -> str:
    """Nothing speaks against the formal text: on to the person, or to the prover."""
    judgement = txn.store.load(node.refs[JUDGEMENT]) if JUDGEMENT in node.refs else {}
    tests = [*judgement.get("tests", ()), {"test": "counterexample", "outcome": PASSED, "words": NO_COUNTEREXAMPLE}]
    queue = CONFIRM if claim.confirm is not None or claim.only else Queue.PROVE
    _note(txn, replace(node, queue=queue), stated=True, tests=tests)
    return "open"


def set_confirmed(txn: Txn, node: ProofNode, answer: bool | None, *, only: bool = False) -> str:
    """The person's word, None: nobody is to be asked any more. After a no, or with ``only``, the root stays there."""
    queue = CONFIRM if answer is False or only else Queue.PROVE
    _note(txn, replace(node, queue=queue), confirmed=answer)
    return {True: "confirmed", False: "declined", None: "not asked"}[answer]


def _note(txn: Txn, node: ProofNode, **facts: Any) -> None:
    before = txn.store.load(node.refs[JUDGEMENT]) if JUDGEMENT in node.refs else {}
    txn.put(replace(node, refs={**node.refs, JUDGEMENT: txn.save(before | facts)}))


def set_failed_formalization(
    txn: Txn,
    node: ProofNode,
    reason: str,
    *,
    most: int,
    stage: str,
    formal: str = "",
    verdict: Verdict = Verdict.UNKNOWN,
    detail: dict[str, Any] | None = None,
    fault: bool = False,
) -> str:
    """One attempt to formalize failed. After ``most`` of them the run ends with ``verdict``, else it is done anew."""
    number = len(failures(txn.store.history(node.id))) + 1
    last = number >= most
    refs = {"formal_ref": node.refs[FORMAL]} if FORMAL in node.refs else {}
    refs |= {"formal_ref": txn.save(formal)} if formal else {}
    stands = last and verdict is not Verdict.UNKNOWN  # then the verdict is about this very text
    txn.log(
        node.id, "formalization", attempt=number - 1, stage=stage, reason=reason, stands=stands, fault=fault, **refs
    )
    txn.reason = reason
    if not stands:
        kept = {name: ref for name, ref in node.refs.items() if name not in (FORMAL, JUDGEMENT)}
        node = replace(node, refs=kept, key="")
    if not last:
        txn.put(replace(node, queue=Queue.FORMALIZE, reason=reason))
        return "formalization rejected"
    tries = f"{most} attempts" if most > 1 else "one attempt"
    words = f"the last of {tries} to formalize the claim: " if stands else f"no formalization in {tries}: "
    txn.reason = words + reason
    blocked = txn.reason if stands else "there is no formal statement to prove"
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=blocked))
    txn.set_verdict(verdict, txn.reason, detail)
    return "no formalization" if not stands else str(verdict)


# -- looking ---------------------------------------------------------------------------------------------------


def failures(history: Iterable[HistoryEntry]) -> list[dict[str, Any]]:
    """The failed attempts to formalize, oldest first."""
    return [entry.entry for entry in history if entry.kind == "formalization"]


def formalization_of(store: StoreReader, claim: Claim) -> dict[str, Any]:
    """What the result says about the claim: see ``docs/json-output.md``."""
    root = store.root()
    failed = failures(store.history(ROOT))
    formal = str(store.load(root.refs[FORMAL])) if FORMAL in root.refs else None
    judgement = store.load(root.refs[JUDGEMENT]) if JUDGEMENT in root.refs else {}
    under_way = formal is not None and not any(entry["stands"] for entry in failed)
    refused = next((entry["reason"] for entry in reversed(failed) if entry["stage"] in ("judge", "round trip")), "")
    return {
        "informal": claim.text,
        "formal": formal,
        "attempts": len(failed) + under_way,
        "judged": bool(judgement.get("judged", False)),
        "judge_reason": str(judgement.get("reason", "")) or (refused if formal is None else ""),
        "round_trip": judgement.get("words"),
        "tests": list(judgement.get("tests", ())),
        "stated": under_way and bool(judgement.get("stated", False)),
        "confirmed": judgement.get("confirmed"),
        "file": None,
    }


def _write_beside(certificate: Path, formal: str, suffix: str) -> Path:
    """The formal text next to its certificate, whole or not at all; returns the file."""
    file = certificate.with_name(certificate.name + suffix)
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    temporary.write_text(formal, "utf-8", newline="")
    temporary.replace(file)
    return file
