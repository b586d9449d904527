"""From the machine's finished tree to a derivation: steps named by what they state, each proved once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goedels_poetry.languages.smt.codec import query_from_json, scheme_from_json
from goedels_poetry.languages.smt.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.languages.smt.engine.plan import key_of
from goedels_poetry.languages.smt.problem import Problem
from goedels_poetry.languages.smt.sequent import Sequent

Json = dict[str, Any]


def assemble(problem: Problem, root: Sequent, nodes: Sequence[Json], statements: Mapping[str, Sequent]) -> Derivation:
    """The derivation of the last of ``nodes``, with just the steps that it rests on.

    Args:
        nodes: in dependency order, as `Language.certify` gets them.
        statements: the sequent of each node, by its id.

    Raises:
        ValueError: a node has neither a proof nor a sketch.
    """
    steps: dict[str, Step] = {}
    for node in nodes:
        sequent = statements[node["id"]]
        key = key_of(sequent)
        if key not in steps:
            children = [statements[child] for child in node["children"]]
            steps[key] = Step(key, sequent, _justification(problem, sequent, node, children))
    needed: set[str] = set()
    stack = [key_of(root)]
    while stack:
        key = stack.pop()
        if key not in needed:
            needed.add(key)
            stack.extend(steps[key].by.cites)
    return Derivation(tuple(_ordered(steps, key_of(root), needed)))


def _justification(problem: Problem, sequent: Sequent, node: Json, children: Sequence[Sequent]) -> Query | ByScheme:
    proof, sketch = node.get("proof"), node.get("scheme")
    if proof is not None:
        return query_from_json(proof["query"], problem.signature, sequent.vars)
    if sketch is None:
        raise ValueError(f"node {node['id']} has neither a proof nor a sketch")
    if "scheme" in sketch:
        scheme = scheme_from_json(sketch["scheme"], problem.signature, sequent.vars)
        return ByScheme(scheme, tuple(key_of(child) for child in children))
    return query_from_json(sketch["query"], problem.signature, sequent.vars)


def _ordered(steps: Mapping[str, Step], root: str, needed: set[str]) -> list[Step]:
    """What is cited before what cites it."""
    done: dict[str, Step] = {}
    stack: list[tuple[str, bool]] = [(root, False)]
    while stack:
        key, ready = stack.pop()
        if key in done:
            continue
        if ready:
            done[key] = steps[key]
        else:
            stack.append((key, True))
            stack.extend((cite, False) for cite in reversed(steps[key].by.cites) if cite not in done)
    return [step for key, step in done.items() if key in needed]
