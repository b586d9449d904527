"""What was proved under one goal is offered to the others before a model is asked about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from goedels_poetry.protocol.base import Goal
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.memory import proved_in_run, theory_of
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import Txn

MOST_OFFERED = 60
"""Goals of the run, those proved last, that are looked through for facts; the language chooses among these."""


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """A goal with the facts of its run that help it."""

    node: ProofNode
    goal: Goal
    bodies: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Lemma id -> its proof, to be remembered."""

    def keep(self, txn: Txn) -> None:
        """The proofs go with the goal that may cite them."""
        for lemma, body in self.bodies.items():
            txn.remember(f"lemma:{lemma}", body)


async def with_shared_facts(deps: Deps, node: ProofNode, goal: Goal) -> SharedFacts:
    """The goal with those facts in its scope that the language thinks useful."""
    offers = await deps.store.on_thread(_offers, deps, node) if node.key else {}
    if not offers:
        return SharedFacts(node, goal)
    listed = [{"id": name, "statement": statement, "strategy": ""} for name, (statement, _) in offers.items()]
    chosen = deps.charge(await deps.language.retrieve(goal, listed))
    names = [str(name) for name in chosen.value.get("lemmas", ()) if name in offers] if chosen.ok else []
    if not names:
        return SharedFacts(node, goal)
    scope = (*goal.scope, *((name, offers[name][0]) for name in names))
    bodies = {name: offers[name][1] for name in names}
    return SharedFacts(replace(node, lemmas=(*node.lemmas, *names)), replace(goal, scope=scope), bodies)


def _offers(deps: Deps, node: ProofNode) -> dict[str, tuple[str, list[dict[str, Any]]]]:
    """Lemma id -> its statement and proof: what other goals of this run have proved, and this one may cite."""
    store, language = deps.store, deps.language.name
    path = (node, *store.ancestors(node))
    own, known = {member.key for member in path}, {lemma for member in path for lemma in member.lemmas}
    own |= {store.get(fact).key for fact in scope_ids(store, node) if store.meta(f"lemma:{fact}") is None}
    theory = theory_of(node.key)

    def wanted(key: str, goal: str) -> bool:
        return theory_of(key) == theory and key not in own and not is_case(store, goal)

    return {
        lemma.name: (lemma.statement, lemma.stored())
        for lemma in proved_in_run(store, language, cut_ones=True, latest=MOST_OFFERED, wanted=wanted)
        if lemma.name not in known
    }


_schemes: WeakKeyDictionary[StoreReader, dict[str, bool]] = WeakKeyDictionary()
"""For each sketch that was asked for, whether it is a scheme: one of a thousand cases is long, and asked for often."""


def is_case(store: StoreReader, goal: str) -> bool:
    """Whether a goal is a case of an induction or of a split: what its parent states, once more under conditions."""
    parent = store.get(goal).parent
    sketch = store.get(parent).refs.get("sketch") if parent is not None else None
    if sketch is None:
        return False
    known = _schemes.setdefault(store, {})
    if sketch not in known:
        known[sketch] = "scheme" in store.load(sketch)
    return known[sketch]
