"""A goal as data, for strategies; JSON in, JSON out, as in `symbolic`."""

from __future__ import annotations

from typing import Any

from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import INT, Sort, symbols
from goedels_poetry.smt.jobs.payloads import goal_sequent, problem_of
from goedels_poetry.smt.notation.describe import describe_goal
from goedels_poetry.smt.notation.proof_json import show_sequent

Json = dict[str, Any]


def sequent(payload: Json) -> Json:
    """See `Readable.sequent`."""
    problem = problem_of(payload["theorem"])
    goal, signature = goal_sequent(problem, payload["statement"]), problem.signature
    used = symbols(goal.formula) & signature.names
    return {
        "statement": show_sequent(goal),
        "text": describe_goal(goal, ())["statement"],
        "variables": [[show(v), show_sort(v.sort), _is_inductive(v.sort, signature)] for v in goal.vars],
        "hypotheses": [show(hypothesis) for hypothesis in goal.hyps],
        "conclusion": show(goal.concl),
        "functions": sorted(name for name in used if signature.definition(name) is not None),
    }


def _is_inductive(sort: Sort, signature: Signature) -> bool:
    datatype = signature.datatype(sort)
    if datatype is None:
        return sort is INT
    return any(field == sort for constructor in datatype.constructors for _, field in constructor.fields)
