"""The retriever picks what may help a goal before it is sketched: lemmas of earlier runs, and premises of libraries.

It is optional help: nothing that fails here ends a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

from goedels_poetry.models.requests import Reply, object_of
from goedels_poetry.protocol.base import Goal, Outcome, Searchable
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.guidance import failed_subgoal, guide_of, request_for, rounds_so_far
from goedels_poetry.search.agents.registry import agent
from goedels_poetry.search.agents.rounds import Round, ask_round
from goedels_poetry.search.memory import export_subtree, proved_in_run, theory_of
from goedels_poetry.search.retrieval import SearchResult
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.reads import StoreReader, Txn
from goedels_poetry.store.state import ProofNode, Queue

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
    names: list[str] = []
    if offers:
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
    known = _schemes.setdefault(store, {})
    if sketch is not None and sketch not in known:
        known[sketch] = "scheme" in store.load(sketch)
    return sketch is not None and known[sketch]


KIND = "retrieval"
"""Entries of a node's history: the queries of a search, and the names of what they found."""

QUERY_SCHEMA = object_of("queries", closed=True, queries=["string"])


@agent(queue=Queue.RETRIEVE)
async def retriever(node: ProofNode, deps: Deps) -> Apply:
    """Offer lemmas that hold under the same definitions, and premises; without any the goal goes on to the sketcher."""
    bank, snapshot = deps.bank, deps.bank_snapshot
    offers: list[dict[str, Any]] = []
    if bank is not None and node.key and snapshot:
        known = await deps.store.on_thread(bank.offers, deps.language.name, theory_of(node.key), snapshot)
        offers = [offer for offer in known if offer["statement"] != node.statement]
    goal = await deps.goal(node, sketching=True)
    guided = guide_of(deps, "prover", "sketcher") is not None
    shared = await with_shared_facts(deps, replace(node, lemmas=()), goal) if guided else SharedFacts(node, goal)
    can_search = deps.premises is not None and isinstance(deps.language, Searchable)
    asked: Round | None = None
    has_model = guide_of(deps, "search_query") is not None
    if can_search and deps.settings.retrieval.premises > 0 and has_model and node.generation:
        attempt = rounds_so_far(goal, "search-query-")  # after a failure a model may add queries of its own
        role, prompt, words = "search_query", "search-query-backtrack", failed_subgoal(goal)
        request = await request_for(deps, node, goal, role, prompt, attempt, QUERY_SCHEMA, **words)
        asked = await ask_round(deps, replace(request, samples=1), _queries)
    queries = asked.winner.value["queries"] if asked is not None and asked.winner is not None else []
    lemmas: dict[str, list[dict[str, Any]]] = {}
    if bank is not None and offers:
        outcome = deps.charge(await deps.language.retrieve(goal, offers))
        offered = {offer["id"] for offer in offers}
        for lemma in outcome.value.get("lemmas", ()) if outcome.ok else ():
            body = await deps.store.on_thread(bank.load, lemma, snapshot) if lemma in offered else None
            if body is not None:
                lemmas[lemma] = body
    found = await found_premises(deps, goal, queries)

    def apply(txn: Txn) -> str:
        if asked is not None:
            asked.log(txn, node)
        shared.keep(txn)
        for lemma, body in lemmas.items():
            txn.remember(f"lemma:{lemma}", body)
        refs = {name: ref for name, ref in node.refs.items() if name != "premises"}
        if found.queries:
            names = [premise.name for premise in found.premises]
            txn.log(node.id, KIND, generation=node.generation, queries=list(found.queries), premises=names)
        if found.premises:
            refs["premises"] = txn.save([asdict(premise) for premise in found.premises])
        given = node.lemmas if node.parent is None else ()  # those before it in its text among them
        offered = tuple(dict.fromkeys((*given, *lemmas, *shared.bodies)))
        txn.put(replace(node, queue=Queue.SKETCH, lemmas=offered, refs=refs))
        words = f"{len(offered)} lemmas" if offered else "no lemmas"
        return f"{words}, {len(found.premises)} premises" if found.premises else words

    return apply


async def _queries(reply: Reply) -> Outcome:
    return Outcome(True, {"queries": (reply.parsed or {}).get("queries", [])[:5]})


async def found_premises(deps: Deps, goal: Goal, queries: Sequence[str] = ()) -> SearchResult:
    """Premises by queries that were not asked for this goal before: the model's, and those of the goal itself."""
    if deps.premises is None or not isinstance(deps.language, Searchable):
        return SearchResult()
    earlier = frozenset(query for entry in goal.history if entry["kind"] == KIND for query in entry["queries"])
    backtracks = [entry for entry in goal.history if entry["kind"] == "backtrack"]
    failed = str(backtracks[-1].get("statement") or "") if backtracks else ""
    return await deps.premises.find(deps.language, goal, queries, failed=failed, earlier=earlier)


async def with_premises(deps: Deps, goal: Goal) -> Goal:
    """The goal with the premises that the retriever found, else with those of its own queries."""
    if goal.premises or deps.premises is None or not isinstance(deps.language, Searchable):
        return goal
    return replace(goal, premises=(await deps.premises.find(deps.language, goal)).premises)


def find_proved(deps: Deps, node: ProofNode) -> list[dict[str, Any]] | None:
    """The same statement, proved elsewhere in this run or in the lemma bank, as a subtree to copy.

    Only for a goal that nobody has worked on yet, so that the tree is as if it had been proved here.
    """
    if node.parent is None or not node.key or node.attempts or node.generation or node.decomposition_attempts:
        return None
    found = deps.store.lemma(node.key)
    if found is not None and deps.store.get(found).statement == node.statement:
        return export_subtree(deps.store, found, origin=f"run:{found}")
    if deps.bank is not None:
        return deps.bank.find(deps.language.name, node.key, node.statement, deps.bank_snapshot)
    return None
