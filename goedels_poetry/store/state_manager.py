"""`GoedelsPoetryStateManager`: the moves of a proof search, each inside one transaction of the store.

What a move means for the tree stands here and nowhere else; agents do the long work and then make a move.
Counters of attempts only go up, and every move that puts a node back into a queue has consumed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import OUT_OF_TIME
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import UNNAMED, Failure, NodeStatus, ProofNode, Queue, relocate

UNABLE = "Unable to decompose theorem - all decomposition attempts exhausted."


class GoedelsPoetryStateManager:
    """Moves over one transaction. Every ``set_*`` returns the outcome word of the commit's event."""

    def __init__(self, txn: Txn, settings: Settings) -> None:
        self._txn = txn
        self._settings = settings

    # -- proofs ----------------------------------------------------------------------------------------------
    def set_candidate(self, node: ProofNode, candidate: dict[str, Any]) -> str:
        """A proof attempt is ready to be verified."""
        refs = _without(node.refs, "report") | {"candidate": self._txn.save(candidate)}
        self._txn.put(replace(node, queue=Queue.VERIFY, refs=refs))
        return "candidate"

    def set_failed_proof(
        self,
        node: ProofNode,
        reason: str,
        *,
        report: Any = None,
        exhausted: Queue | None = None,
        fault: bool = False,
    ) -> str:
        """One proof attempt failed: it is counted, and the decider is asked.

        ``fault``: by our own fault, so that nothing is rejected and there is nothing to be corrected.
        """
        refs = _without(node.refs, "report", *(["candidate"] if fault else []))
        if report is not None and not fault:
            refs["report"] = self._txn.save(report)
        entry = {"attempt": node.attempts, "reason": reason, **_named(refs, "candidate", "report")}
        self._txn.log(node.id, "note" if fault else "attempt", **entry)
        self._txn.spent["attempts"] += 1
        self._txn.reason = reason
        self._to_decider(replace(node, attempts=node.attempts + 1, failure=Failure.PROOF, refs=refs), reason, exhausted)
        return "rejected"

    def set_proved(self, node: ProofNode, proof: dict[str, Any]) -> str:
        """The language's verifier accepted a proof of the node: its parent may be proved with it."""
        refs = _without(node.refs, "candidate", "report", "sketch") | {"proof": self._txn.save(proof)}
        self._txn.spent["attempts"] += 1
        self._roll_up(replace(node, attempts=node.attempts + 1, strategy=None, fingerprint=None, refs=refs))
        return "proved"

    def set_refuted(self, node: ProofNode, counterexample: Any, detail: dict[str, Any] | None = None) -> str:
        """The goal is false. A false subgoal is its ancestor's fault: that one must be sketched again.

        ``detail``: what the evidence of a refuted theorem is made of.
        """
        refs = node.refs | {"report": self._txn.save({**(detail or {}), "counterexample": counterexample})}
        self._end(replace(node, status=NodeStatus.REFUTED, reason=_refuted_at(counterexample), refs=refs))
        return "refuted"

    def set_underdetermined(self, node: ProofNode, reason: str) -> str:
        """The goal neither follows nor is refuted: no proof of it is to be looked for, and no sketch may rest on it."""
        if node.parent is None:
            self._txn.set_verdict(Verdict.UNKNOWN, reason)
        self._end(replace(node, status=NodeStatus.FAILED, reason=reason, refs=_without(node.refs, "report")))
        return "does not follow"

    def _end(self, node: ProofNode) -> None:
        """Nothing more is tried on a goal; the sketch that led to it has failed."""
        self._txn.put(replace(node, queue=None))
        self._txn.reason = node.reason
        self._txn.log(node.id, "attempt", attempt=node.attempts, reason=node.reason, **_named(node.refs, "report"))
        if node.parent is not None and self._handle_failed_sketch(node) is None:
            self._settle(node)

    def _roll_up(self, node: ProofNode) -> None:
        """Mark ``node`` proved, let go who waits for it, and prove its ancestors whose last child it was."""
        while True:
            node = replace(node, status=NodeStatus.PROVED, queue=None, pending=0, failure=Failure.NONE, reason="")
            self._txn.put(node)
            if node.key and not node.scoped:
                self._txn.add_lemma(node.key, node.id)
            for waiter_id in self._txn.waiters(node.id):
                self._release(self._txn.get(waiter_id))
            if node.parent is None:
                return
            parent = self._txn.get(node.parent)
            if parent.pending > 1:
                self._txn.put(replace(parent, pending=parent.pending - 1))
                return
            node = replace(parent, refs=_without(parent.refs, "candidate", "report"))

    def _release(self, waiter: ProofNode) -> None:
        blocked = waiter.blocked - 1
        queue = waiter.queue if blocked else _entry_queue(waiter)
        self._txn.put(replace(waiter, blocked=blocked, queue=queue))

    # -- sketches --------------------------------------------------------------------------------------------
    def set_sketch(self, node: ProofNode, sketch: dict[str, Any]) -> str:
        """A sketch is proposed. One whose fingerprint is banned is rejected before anybody verifies it."""
        strategy, fingerprint = (
            str(sketch.get("strategy") or UNNAMED),
            str(sketch.get("fingerprint") or UNNAMED),
        )
        ban = self._txn.store.bans(node.id).get(fingerprint)
        if ban is not None:
            reason = f"strategy {strategy} is banned here: {ban['reason']}"
            self._txn.log(node.id, "rejected", strategy=strategy, fingerprint=fingerprint, reason=reason, banned=True)
            self._txn.reason = reason
            node = replace(node, decomposition_attempts=node.decomposition_attempts + 1, failure=Failure.SKETCH)
            self._to_decider(node, reason)
            return "banned strategy rejected"
        ref = self._txn.save(sketch)
        shape = str(sketch.get("shape", ""))
        self._txn.log(node.id, "sketch", strategy=strategy, fingerprint=fingerprint, shape=shape, sketch_ref=ref)
        refs = _without(node.refs, "report") | {"sketch": ref}
        node = replace(node, strategy=strategy, fingerprint=fingerprint, refs=refs, queue=Queue.VERIFY_SKETCH)
        self._txn.put(node)
        return f"sketched: {strategy}"

    def set_sketch_exhausted(self, node: ProofNode, reason: str) -> str:
        """No unbanned strategy is left. The oldest ban of a model-made strategy is lifted, once each."""
        lifted = {entry.entry["fingerprint"] for entry in self._txn.store.history(node.id) if entry.kind == "lift"}
        for fingerprint, ban in self._txn.store.bans(node.id).items():
            if not ban["deterministic"] and fingerprint not in lifted:
                self._txn.log(node.id, "lift", fingerprint=fingerprint, strategy=ban["strategy"])
                self._txn.put(replace(node, queue=Queue.SKETCH))
                return f"ban lifted: {ban['strategy']}"
        reason = f"{node.reason}; {reason}" if node.reason else reason
        self._txn.reason = reason
        self._to_decider(replace(node, failure=Failure.SKETCH), reason, Queue.SKETCH)
        return "no strategy left"

    def set_failed_sketch(
        self, node: ProofNode, reason: str, *, report: Any = None, correctable: bool = False, fault: bool = False
    ) -> str:
        """A sketch was rejected: one decomposition attempt, evidence against its strategy, then repair or decide.

        ``fault``: by our own fault. What a model has proposed is then not rejected, and no evidence; the symbolic
        agents would propose the same again.
        """
        refs = _without(node.refs, "report")
        if report is not None and not fault:
            refs["report"] = self._txn.save(report)
        deterministic = self._is_deterministic(node)
        excused = fault and not (deterministic and node.fingerprint)
        entry = {"strategy": node.strategy, "fingerprint": node.fingerprint, "reason": reason}
        self._txn.log(node.id, "note" if excused else "rejected", **entry, **_named(refs, "sketch", "report"))
        self._txn.reason = reason
        node = replace(node, decomposition_attempts=node.decomposition_attempts + 1, failure=Failure.SKETCH, refs=refs)
        if not excused and not (deterministic and correctable):
            self._strategy_failed(node, reason, node)
        may_repair = not fault and (correctable or not deterministic)
        if may_repair and node.decomposition_attempts <= self._settings.decomposer_agent_max_self_corrections:
            self._txn.put(replace(node, queue=Queue.CORRECT_SKETCH, reason=reason))
        else:
            self._to_decider(node, reason)
        return "sketch rejected"

    def set_uncorrected_sketch(self, node: ProofNode, reason: str) -> str:
        """The sketch's corrector had nothing to offer: the decider's turn.

        The failure of a deterministic strategy that might have been repaired counts only now.
        """
        self._txn.reason = reason
        if self._is_deterministic(node):
            self._strategy_failed(node, reason, node)
        self._to_decider(node, reason)
        return "sketch not corrected"

    def set_validated_sketch(self, node: ProofNode, sketch: dict[str, Any] | None = None) -> str:
        """A sketch holds: its children become nodes next. ``sketch`` replaces the stored one when given."""
        refs = _without(node.refs, "report") | ({"sketch": self._txn.save(sketch)} if sketch else {})
        self._txn.put(replace(node, queue=Queue.DECOMPOSE, refs=refs))
        return "sketch verified"

    def set_decomposed(self, node: ProofNode, children: Sequence[ProofNode], *, adopted: dict[str, Any]) -> str:
        """Children enter the tree; those in ``adopted`` (id -> proved subtree) are proved already."""
        open_children = [child for child in children if child.id not in adopted]
        node = replace(node, queue=None, pending=len(open_children), failure=Failure.NONE, reason="")
        self._txn.put(node)
        for child in children:
            if child.id in adopted:
                continue
            for on_id in child.waits_for:
                self._txn.wait(child.id, on_id)
            blocked = sum(on_id not in adopted for on_id in child.waits_for)
            self._txn.put(replace(child, blocked=blocked, queue=None if blocked else _entry_queue(child)))
        for child in children:
            if child.id in adopted:
                self._graft(child, adopted[child.id])
        if not open_children:
            self._roll_up(node)
            return "proved by its sketch"
        return f"decomposed into {len(children)}"

    def set_adopted(self, node: ProofNode, subtree: list[dict[str, Any]]) -> str:
        """A waiting or new goal turns out to be proved elsewhere: its proof is copied below this node's id."""
        self._roll_up(self._graft(node, subtree))
        return "adopted"

    def _graft(self, node: ProofNode, subtree: list[dict[str, Any]]) -> ProofNode:
        """Copy a proved subtree (root first, see ``memory.export``) so that it hangs at ``node``; returns its root."""
        origin, source = subtree[0]["origin"], subtree[0]["id"]
        grafted: list[ProofNode] = []
        for item in relocate(subtree, source, node.id):
            row = item["row"]
            refs = {name: self._txn.save(item[name]) for name in ("proof", "sketch") if name in item}
            copy = ProofNode.from_row({**row, "refs": refs, "origin": origin}, item["statement"])
            copy = replace(copy, depth=node.depth + copy.depth, scoped=copy.scoped or node.scoped)
            if copy.id == node.id:
                copy = replace(copy, parent=node.parent, waits_for=node.waits_for, language=node.language)
            grafted.append(self._txn.put(copy))
        self._txn.spent["lemmas_reused"] += 1
        self._txn.log(node.id, "note", reason=f"proof taken from {origin}")
        return grafted[0]

    # -- strategies ------------------------------------------------------------------------------------------
    def _is_deterministic(self, node: ProofNode) -> bool:
        sketch = self._txn.store.load(node.refs["sketch"]) if "sketch" in node.refs else {}
        return bool(sketch.get("deterministic", True))

    def _strategy_failed(self, node: ProofNode, reason: str, culprit: ProofNode) -> None:
        """Count a failure of the node's present strategy and ban it there when it has failed often enough."""
        if not node.fingerprint or node.fingerprint == UNNAMED:
            return  # what has no fingerprint cannot be told from other strategies
        deterministic = self._is_deterministic(node)
        if reason.startswith(OUT_OF_TIME) and not deterministic:
            return  # which says nothing about it
        evidence = {
            "fingerprint": node.fingerprint,
            "strategy": node.strategy,
            "deterministic": deterministic,
            "node": culprit.id,
            "statement": culprit.statement[:500],
            "reason": reason,
            "limit": culprit.limit,
        }
        self._txn.log(node.id, "failure", **evidence)
        history = self._txn.store.history(node.id)
        failures = sum(e.kind == "failure" and e.entry["fingerprint"] == node.fingerprint for e in history)
        settings = self._settings
        allowed = settings.ban_deterministic_after_failures if deterministic else settings.ban_after_failures
        if failures >= allowed and node.fingerprint not in self._txn.store.bans(node.id):
            self._txn.log(node.id, "ban", **evidence, failures=failures)
            self._txn.spent["bans"] += 1

    def note_rejected_sketch(self, node: ProofNode, sketch: dict[str, Any], reason: str) -> None:
        """One of several proposals was rejected: evidence against its strategy, but no attempt of its own."""
        ref = self._txn.save(sketch)
        strategy, fingerprint = str(sketch.get("strategy") or UNNAMED), str(sketch.get("fingerprint") or UNNAMED)
        self._txn.log(node.id, "sketch", strategy=strategy, fingerprint=fingerprint, shape="", sketch_ref=ref)
        self._txn.log(node.id, "rejected", strategy=strategy, fingerprint=fingerprint, reason=reason)
        proposed = replace(node, strategy=strategy, fingerprint=fingerprint, refs={**node.refs, "sketch": ref})
        self._strategy_failed(proposed, reason, node)

    def set_rejected_round(self, node: ProofNode, reason: str, sketch: dict[str, Any], report: Any) -> str:
        """None of several proposals holds: one attempt for all of them. The decider sees the first and its report."""
        self._txn.log(node.id, "rejected", strategy=node.strategy, fingerprint=node.fingerprint, reason=reason)
        self._txn.reason = reason
        refs = {**node.refs, "sketch": self._txn.save(sketch), "report": self._txn.save(report)}
        node = replace(node, decomposition_attempts=node.decomposition_attempts + 1, failure=Failure.SKETCH, refs=refs)
        self._to_decider(node, reason)
        return "sketch rejected"

    # -- backtracking ----------------------------------------------------------------------------------------
    def get_sketches_to_backtrack(self) -> list[ProofNode]:
        """Nodes that must be sketched again because a child could not be proved."""
        items = self._txn.store.peek(Queue.DECOMPOSITION_BACKTRACK, -1)
        return [self._txn.get(item.node_id) for item in items]

    def set_backtracked_sketches(self, backtracked: Sequence[ProofNode]) -> str:
        """Fresh search queries first, from the context of the failure; then a different sketch."""
        for node in backtracked:
            self._txn.put(replace(node, queue=Queue.RETRIEVE))
        return "to be sketched differently"

    def _find_backtrackable_ancestor(self, node: ProofNode) -> ProofNode | None:
        """The nearest ancestor, never the node itself, that may be sketched again."""
        most = self._settings.decomposer_agent_max_self_corrections
        for ancestor in self._txn.store.ancestors(node):
            if ancestor.decomposition_attempts < most:
                return ancestor
        return None

    def _handle_failed_sketch(self, node: ProofNode) -> ProofNode | None:
        """Backtrack: cut the nearest ancestor's subtree and queue it for another sketch; None if there is none."""
        target = self._find_backtrackable_ancestor(node)
        if target is None:
            return None
        reason = f"subgoal {node.id} failed: {node.reason}"
        cut = self._remove_nodes_from_all_queues(self._collect_all_descendants(target))
        self._strategy_failed(target, reason, node)
        round_number = target.decomposition_attempts + 1
        self._txn.log(
            target.id,
            "backtrack",
            round=round_number,
            failed=node.id,
            statement=node.statement[:2000],
            reason=reason,
            strategy=target.strategy,
            cut=cut,
            **_named(node.refs, "report"),
        )
        self._txn.spent["backtracks"] += 1
        self._txn.spent[f"backtracks_at_depth_{target.depth}"] += 1
        target = replace(target, limit=node.limit or target.limit)
        self._txn.put(self._prepare_node_for_resketching(target, reason))
        return target

    def _collect_all_descendants(self, node: ProofNode) -> tuple[str, int]:
        """Children, grandchildren, ...: one range of keys, named by the node and its generation."""
        return node.id, node.generation

    def _remove_nodes_from_all_queues(self, descendants: tuple[str, int]) -> int:
        """Cut them off the tree and out of every queue at once; returns how many."""
        return self._txn.cut(*descendants)

    def _prepare_node_for_resketching(self, node: ProofNode, reason: str) -> ProofNode:
        """Clear sketch, children, errors; keep the history and the counters, and add one attempt."""
        return replace(
            node,
            queue=Queue.DECOMPOSITION_BACKTRACK,
            generation=node.generation + 1,
            decomposition_attempts=node.decomposition_attempts + 1,
            strategy=None,
            fingerprint=None,
            pending=0,
            failure=Failure.SKETCH,
            reason=reason,
            lemmas=(),
            refs=_without(node.refs, "sketch", "report", "candidate"),
        )

    # -- decisions -------------------------------------------------------------------------------------------
    def set_decision(self, node: ProofNode, move: str, legal: Sequence[str], reason: str, *, limit: str = "") -> str:
        """Carry out what the decider chose among the legal moves, and record it with its reason."""
        self._txn.log(node.id, "decision", move=move, legal=list(legal), reason=reason)
        self._txn.reason = reason
        if move in _QUEUE_OF_MOVE:
            self._txn.put(_prepared(node, move))
            return move
        if limit:
            node = replace(node, reason=f"{node.reason} (limit reached: {limit})".strip(), limit=limit)
        if move == "backtrack":
            failed = self._txn.put(replace(node, queue=None, status=NodeStatus.FAILED))
            target = self._handle_failed_sketch(failed)
            return f"backtracked to {target.id}" if target else "no ancestor left"
        node = self._txn.put(replace(node, queue=None, status=NodeStatus.FAILED))
        if move == "give_up":
            self._settle(node, at_once=True)
        return move

    def _settle(self, node: ProofNode, *, at_once: bool = False) -> None:
        """No ancestor can be sketched again. Finish the other goals for the best partial proof, or stop."""
        if at_once or self._settings.when_hopeless == "give_up":
            self._txn.set_verdict(Verdict.UNKNOWN, f"{UNABLE} Goal {node.id}: {node.reason}")

    def reopen_failed(self) -> int:
        """Goals that a budget had stopped go on where that budget is larger now; returns how many."""
        reopened = 0
        for node in self._txn.store.nodes():
            if node.status not in (NodeStatus.FAILED, NodeStatus.REFUTED) or self._txn.store.is_cut(node.id):
                continue
            if self._is_larger_now(node.limit):
                self._reopen(node)
                reopened += 1
            elif node.parent is not None and self._handle_failed_sketch(node) is not None:
                reopened += 1
        return reopened

    def _is_larger_now(self, limit: str) -> bool:
        name, _, value = limit.partition(" ")
        now = {"depth": self._settings.budgets.depth, "attempts": self._settings.max_attempts}.get(name)
        return now is not None and now > int(value)

    def _reopen(self, node: ProofNode) -> None:
        """The decider is asked again, and strategies that failed only because of the limit may be tried again."""
        for fingerprint, ban in self._txn.store.bans(node.id).items():
            if ban["limit"] == node.limit:
                self._txn.log(node.id, "lift", fingerprint=fingerprint, strategy=ban["strategy"])
        failure = Failure.PROOF if node.limit.startswith("attempts") else node.failure
        exhausted = tuple(queue for queue in node.exhausted if queue != Queue.SKETCH)
        node = replace(node, status=NodeStatus.OPEN, queue=Queue.DECIDE, limit="")
        self._txn.put(replace(node, failure=failure, exhausted=exhausted))

    def _to_decider(self, node: ProofNode, reason: str, exhausted: Queue | None = None) -> None:
        spent = (*node.exhausted, str(exhausted)) if exhausted and exhausted not in node.exhausted else node.exhausted
        self._txn.put(replace(node, queue=Queue.DECIDE, reason=reason, exhausted=spent))


_QUEUE_OF_MOVE = {
    "correct": Queue.CORRECT,
    "prove": Queue.PROVE,
    "sketch": Queue.RETRIEVE,
    "resketch": Queue.SKETCH,
}
"""Other moves leave the goal open: a new one that does not has a row here, or its own case in `set_decision`."""


def _prepared(node: ProofNode, move: str) -> ProofNode:
    """A correction needs the rejected attempt; every other way starts afresh."""
    node = replace(node, queue=_QUEUE_OF_MOVE[move])
    if move == "correct":
        return node
    refs = _without(node.refs, "candidate", "report", "sketch")
    return replace(node, strategy=None, fingerprint=None, refs=refs)


def _entry_queue(node: ProofNode) -> Queue:
    """Where a new goal begins: a ready candidate or sketch only has to be verified."""
    if "sketch" in node.refs:
        return Queue.VERIFY_SKETCH
    return Queue.VERIFY if "candidate" in node.refs else Queue.PROVE


def _refuted_at(counterexample: Any) -> str:
    """Why a goal is refuted, with the values where the language says them in words."""
    told = counterexample if isinstance(counterexample, dict) else {}
    at = str(told.get("text") or told.get("instance") or "")
    return f"false for {at}" if at else "refuted by a counterexample"


def _without(refs: dict[str, str], *names: str) -> dict[str, str]:
    return {name: ref for name, ref in refs.items() if name not in names}


def _named(refs: dict[str, str], *names: str) -> dict[str, str]:
    return {f"{name}_ref": refs[name] for name in names if name in refs}
