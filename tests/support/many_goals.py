"""A run of as many goals as one likes, made through the store's own moves: split, proved, refuted, backtracked."""

import random
from pathlib import Path

from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import Txn
from goedels_poetry.store.state import ROOT, ProofNode, Queue, child_id
from goedels_poetry.store.state_manager import GoedelsPoetryStateManager


def many_goals(path: Path, count: int, *, fan: int = 8, proved: float = 0.85, seed: int = 0) -> Path:
    """A store at ``path`` with at least so many live goals, after the theorem's first decomposition was given up.

    ``fan``: subgoals of a goal that is split; ``proved``: share of the leaves that are. Each is a few commits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with ProofStore(path) as store:
        store._db.execute("PRAGMA synchronous=OFF")  # nobody resumes it
        store.set_meta(
            run_id=path.parent.name, name=f"{count} goals", language="smt", task=["theorem", {}],
            theorem="(prove (forall ((n Int)) (= (f n) (g n))))", statement="(forall ((n Int)) (= (f n) (g n)))",
        )  # fmt: skip
        _Made(store, random.Random(seed), fan).grow(count, proved)
    return path


class _Made:
    def __init__(self, store: ProofStore, dice: random.Random, fan: int) -> None:
        self.store, self.dice, self.fan, self.live = store, dice, fan, 1
        self.settings = Settings()

    def grow(self, count: int, proved: float) -> None:
        root = ProofNode(ROOT, language="smt", queue=Queue.PROVE)
        self.store.commit("init", "framework", ROOT, lambda txn: txn.put(root) and "begun")
        waiting = [ROOT]
        self._split(waiting.pop(), waiting)
        self._fail(waiting[0])  # the whole first decomposition goes
        self._move("backtrack", ROOT, lambda m, n: m.set_decision(n, "prove", ["prove"], "begin anew"))
        waiting, self.live = [ROOT], 1
        while self.live < count:
            self._split(waiting.pop(0), waiting)
        for node_id in waiting:
            if self.dice.random() < proved:
                self._move("verifier", node_id, lambda m, n: m.set_proved(n, {"query": {"cites": [], "of": n.id}}))

    def _move(self, agent: str, node_id: str, move) -> None:  # type: ignore[no-untyped-def]
        def apply(txn: Txn) -> str:
            return str(move(GoedelsPoetryStateManager(txn, self.settings), txn.get(node_id)))

        seq = self.store.revision(node_id)
        cost = {"solver_calls": 1, "solver_seconds": round(self.dice.random() / 10, 4), "steps": 1}
        self.store.commit(f"{agent}:{node_id}@{seq}", agent, node_id, apply, cost=cost)

    def _split(self, node_id: str, waiting: list[str]) -> None:
        name = f"induction(x{self.live})"
        sketch = {"strategy": "induction", "fingerprint": name, "children": []}
        self._move("prover", node_id, lambda m, n: m.set_failed_proof(n, "the solver does not close the goal directly"))
        self._move(
            "decider", node_id, lambda m, n: m.set_decision(n, "sketch", ["sketch", "keep"], "decompose the goal")
        )
        self._move("sketcher", node_id, lambda m, n: m.set_sketch(n, sketch))
        self._move("decomposer", node_id, lambda m, n: m.set_decomposed(n, self._children(n), adopted={}))
        waiting += [child.id for child in self.store.children(self.store.get(node_id))]

    def _children(self, node: ProofNode) -> list[ProofNode]:
        self.live += self.fan
        return [
            ProofNode(
                child_id(node.id, node.generation, i),
                f"(sequent ((n Int) (k Int)) ((>= n {i})) (= (f (+ n {self.live})) (g (* {i} k))))",
                parent=node.id,
                depth=node.depth + 1,
                language="smt",
            )
            for i in range(self.fan)
        ]

    def _fail(self, node_id: str) -> None:
        self._move("decider", node_id, lambda m, n: m.set_decision(n, "backtrack", ["backtrack"], "nothing is left"))
