"""From a proof tree to what leaves the machine: the derivation for the checker, open goals, metrics, reasons."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import OpenGoal
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.store.state_manager import UNABLE

Step = dict[str, Any]


def derivation(store: StoreReader) -> list[Step]:
    """Steps of the finished proof in dependency order, root last; raises ValueError when the root is not proved.

    Each step: ``{"id", "statement", "proof": JSON | None, "children": [ids], "scheme": sketch | None,
    "scope": [ids it may cite]}``. Retrieved lemmas come first, with ids that begin with "L".
    """
    nodes = store.nodes()
    if nodes[0].status is not NodeStatus.PROVED:
        raise ValueError("the root is not proved")
    children: dict[str, list[str]] = {node.id: [] for node in nodes}
    for node in nodes[1:]:
        children[node.parent or ""].append(node.id)
    by_id = {node.id: node for node in nodes}
    steps = [_step(store, by_id[name], children[name]) for name in _post_order(nodes[0].id, children)]
    lemmas = dict.fromkeys(lemma for node in nodes for lemma in node.lemmas)
    used = [lemma for lemma in lemmas if _is_cited(lemma, steps)]
    return [step for lemma in used for step in lemma_steps(store.meta(f"lemma:{lemma}"))] + steps


def _step(store: StoreReader, node: ProofNode, children: list[str]) -> Step:
    return {
        "id": node.id,
        "statement": node.statement,
        "proof": store.load(node.refs["proof"]) if "proof" in node.refs else None,
        "children": children,
        "scheme": store.load(node.refs["sketch"]) if "sketch" in node.refs else None,
        "scope": list(scope_ids(store, node)),
    }


def scope_ids(store: StoreReader, node: ProofNode) -> tuple[str, ...]:
    """Ids of the proven facts that a node may cite: what it and its ancestors wait for, and retrieved lemmas."""
    ids: dict[str, None] = {}
    for member in (*reversed(list(store.ancestors(node))), node):
        ids.update(dict.fromkeys((*member.lemmas, *member.waits_for)))
    return tuple(ids)


def lemma_steps(body: list[dict[str, Any]]) -> list[Step]:
    """Steps of a lemma of the bank, in dependency order."""
    children: dict[str, list[str]] = {item["id"]: [] for item in body}
    by_id = {item["id"]: item for item in body}
    for item in body[1:]:
        children[item["row"]["parent"]].append(item["id"])

    def scope(name: str) -> list[str]:
        above = scope(by_id[name]["row"]["parent"]) if name != body[0]["id"] else []
        return [*above, *by_id[name]["row"].get("waits_for", ())] if name != body[0]["id"] else []

    return [
        {
            "id": name,
            "statement": by_id[name]["statement"],
            "proof": by_id[name].get("proof"),
            "children": children[name],
            "scheme": by_id[name].get("sketch"),
            "scope": scope(name),
        }
        for name in _post_order(body[0]["id"], children)
    ]


def lemma_body(steps: Sequence[Step], name: str, statement: str, key: str) -> list[dict[str, Any]]:
    """A finished derivation as a lemma that other trees cite; `lemma_steps` gives its steps back in their order.

    ``name``: its id there; ``statement``, ``key``: of what was proved.
    """
    proved = {"id": name, "statement": statement, "row": {"key": key}}
    below = [
        {"id": f"{name}.{n}", "statement": s["statement"], "row": {"parent": name}} for n, s in enumerate(steps[:-1])
    ]
    parts = [
        {part: s[of] for part, of in (("proof", "proof"), ("sketch", "scheme")) if s[of] is not None} for s in steps
    ]
    return [{**item, **part} for item, part in zip([proved, *below], [parts[-1], *parts[:-1]], strict=True)]


def _post_order(root: str, children: dict[str, list[str]]) -> list[str]:
    order, stack = [], [root]
    while stack:  # root before children, later children first; then reversed
        name = stack.pop()
        order.append(name)
        stack += children[name]
    return order[::-1]


def _is_cited(lemma: str, steps: Iterable[Step]) -> bool:
    """Whether a lemma is named by any proof, or may be: by one that does not say what it cites."""
    for step in steps:
        for part in (step["proof"], step["scheme"]):
            if part is not None and lemma in step["scope"] and ("cites" not in part or lemma in json.dumps(part)):
                return True
    return False


def open_goals(nodes: Sequence[ProofNode]) -> tuple[OpenGoal, ...]:
    """The leaves that are not proved: what is missing for a proof."""
    inner = {node.parent for node in nodes}
    return tuple(
        OpenGoal(node.id, node.statement, node.depth, node.reason, node.attempts, node.strategy)
        for node in nodes
        if node.status is not NodeStatus.PROVED and node.id not in inner
    )


def why_not(nodes: Sequence[ProofNode]) -> tuple[str, str]:
    """Why an exhausted search did not prove the root: (reason, budget that stopped it or "")."""
    failed = [node for node in nodes if node.status in (NodeStatus.FAILED, NodeStatus.REFUTED)]
    limited = [node for node in failed if node.limit]
    if limited:
        node = limited[0]
        name, _, value = node.limit.partition(" ")
        words = {"depth": "the maximum proof tree depth", "attempts": "the limit of proof attempts"}[name]
        return f"{words} ({value}) was reached at or below goal {node.id}: {node.reason}", name
    if failed:
        return f"{UNABLE} Goal {failed[0].id}: {failed[0].reason}", ""
    return "no agent has anything left to do", ""


def metrics(store: StoreReader, nodes: Sequence[ProofNode]) -> dict[str, Any]:
    """What the run has spent and how it went; counters over all resumes."""
    spent = store.spent()
    prefix = "backtracks_at_depth_"
    by_depth = {name.removeprefix(prefix): int(n) for name, n in sorted(spent.items()) if name.startswith(prefix)}
    whole = ("steps", "attempts", "backtracks", "bans", "lemmas_reused", "nodes", "solver_calls", "resource_units")
    seconds = ("wall_seconds", "solver_seconds", "cpu_seconds")
    return {
        **{name: int(spent.get(name, 0)) for name in whole},
        **{name: round(float(spent.get(name, 0)), 3) for name in seconds},
        "backtracks_by_depth": by_depth,
        "models": model_metrics(spent),
        **store.get_graph_stats(),
        "live_nodes": len(nodes),
        "proved_nodes": sum(node.status is NodeStatus.PROVED for node in nodes),
        "depth": max((node.depth for node in nodes), default=0),
    }


def model_metrics(spent: Mapping[str, float]) -> dict[str, Any]:
    """What the language models cost: in all, and by role; {} when none was asked."""
    total = {name.removeprefix("model_"): n for name, n in spent.items() if name.startswith(("model_", "money"))}
    by_role: dict[str, dict[str, float]] = {}
    for name, amount in sorted(total.items()):
        counter, colon, role = name.partition(":")
        if colon:
            by_role.setdefault(role, {})[counter] = _neat(amount)
    sums = {name: _neat(amount) for name, amount in sorted(total.items()) if ":" not in name}
    return {**sums, "by_role": by_role} if sums else {}


def _neat(amount: float) -> float:
    return int(amount) if amount == int(amount) else round(amount, 6)
