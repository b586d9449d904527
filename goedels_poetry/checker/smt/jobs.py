"""What runs in a worker process when a run has its answer: write the certificate, check it, report the verdict.

Glue, not trusted: it only says which steps are claimed. The verdict is `check_certificate`'s.
"""

from __future__ import annotations

import glob
import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import sha256
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import FinishedProofExists, finished_proof, put_in_place, report_to_json
from goedels_poetry.checker.smt.check import check_certificate
from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems, bare_problem
from goedels_poetry.checker.smt.write import write_certificate, write_counterexample
from goedels_poetry.errors import GoedelsPoetryError, Unavailable
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show, show_symbol
from goedels_poetry.kernel.problem import Definition, Measures, Problem, reached
from goedels_poetry.kernel.reading.certificate import query_from_json, scheme_from_json, sequent_from_json
from goedels_poetry.kernel.reading.defining import with_definitions
from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.interpretation import Interpretation, condition, interpreted_theorem
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import FALSE, not_, symbols
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.notation.infix import BROUGHT
from goedels_poetry.smt.notation.text import brought_by, name_premises, parse_problem, step_to_json
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.search.falsify import counterexample, facts_of, interpreted, proof_of
from goedels_poetry.smt.termination.measured import with_measures
from goedels_poetry.smt.termination.search import Terminations, structural_sizes, terminations_by_solver
from goedels_poetry.solvers.limits import Limits

Json = dict[str, Any]

SECONDS = 20.0
RESERVE = 4.0
"""Seconds that are left when the second solver stops: what a run gives the checker beyond its own limit is for the
first one, and the certificate has to be moved."""


def certify(payload: Json) -> Json:
    """The certificate of a finished proof tree, checked.

    ``theorem`` (text), ``derivation`` (the machine's steps), ``directory``, ``info``, ``assume_definitions``.
    """
    plain, problem, proof = _finished(payload)
    known, defined = terminations_by_solver(Context(problem)), tuple(problem.defined)
    theorems = _theorems(plain, problem.measures, int(payload.get("seed", 0)))
    if theorems is not None:
        found = _checked(
            payload, lambda where: _write(payload, proof, where, theorems=theorems, found=known, defined=defined)
        )
        if found["path"] is not None:
            return found
    return _checked(payload, lambda where: _write(payload, proof, where, found=known, defined=defined))


def write_proof(payload: Json, where: Path) -> Path:
    """Write the certificate of a finished proof tree, of a theorem without premises, for who is going to check it.

    Raises:
        BadProof: the tree is no proof.
    """
    _, problem, proof = _finished(payload)
    return _write(payload, proof, where, found=terminations_by_solver(Context(problem)), defined=tuple(problem.defined))


def _finished(payload: Json) -> tuple[Problem, Problem, Derivation]:
    """The theorem with what premises define, the problem that the search had, and the steps of the finished tree."""
    known = problem_of(payload["theorem"], brought_by(payload["derivation"]))
    problem = with_measures(known, int(payload.get("seed", 0)))
    plain = with_definitions(parse_problem(payload["theorem"]), tuple(problem.defined))
    return plain, problem, derivation_of(problem, payload["derivation"], len(plain.signature.definitions))


def _theorems(problem: Problem, measures: Measures, seed: int) -> PremiseTheorems | None:
    """The premises that the definitions imply, proved, if that is all that has to be shown of the premises."""
    facts = facts_of(problem)
    if not reached(problem.signature, [fact.formula for fact in facts]).isdisjoint(measures):
        return None  # they would have to be proved under guards
    names = tuple(fact.name for fact in facts)
    settled = {*names, *Evaluator(problem.signature, problem.premises).defining}
    if not facts or not {p.name for p in problem.premises} <= settled:
        return None
    steps = proof_of(problem, facts, seed)
    return PremiseTheorems(names, derivation_of(bare_problem(problem, names), steps)) if steps else None


def certify_judgement(payload: Json) -> Json:
    """The certificate of a verdict that needed no search, checked.

    ``verdict`` is ``inconsistent`` or ``refuted``, then ``refuted_by`` is ``negation`` or ``counterexample``, whose
    values stand in ``evidence``; or there are the ``steps`` to the negation, and an ``interpretation`` where that is
    of what declared functions are. The rest as in `certify`.
    """
    problem = parse_problem(payload["theorem"])
    if payload["verdict"] == "refuted" and payload.get("refuted_by") == "counterexample":
        return _checked(payload, lambda where: _write_counterexample(payload, problem, where))
    inconsistent = payload["verdict"] == "inconsistent"
    wanted = Sequent((), (), FALSE) if inconsistent else sequent_of(not_(problem.goal), problem.signature.names)
    claim = "inconsistent" if inconsistent else "negation proved"
    if "steps" in (payload.get("evidence") or {}):
        return _checked(payload, lambda where: _write_negation(payload, problem, where))
    proof = Derivation((Step("1", wanted, Query()),))
    return _checked(payload, lambda where: _write(payload, proof, where, claim))


def _write(
    payload: Json,
    proof: Derivation,
    where: Path,
    claim: str = "proved",
    theorems: PremiseTheorems | None = None,
    found: Terminations | None = None,
    defined: Sequence[str] = (),
) -> Path:
    return write_certificate(
        payload["theorem"].encode(),
        proof,
        where,
        payload.get("info", {}),
        claim=claim,
        assume_definitions=bool(payload.get("assume_definitions")),
        theorems=theorems,
        found=found,
        defined=defined,
    )


def _write_negation(payload: Json, problem: Problem, where: Path) -> Path:
    """The certificate of a negation that has steps of its own."""
    evidence, text = payload["evidence"], payload["theorem"].encode()
    given = Interpretation.from_json(evidence["interpretation"]) if "interpretation" in evidence else None
    if given is not None:
        problem = condition(text, problem, given)
    proof = derivation_of(replace(problem, goal=not_(problem.goal)), evidence["steps"])
    return write_certificate(
        text,
        proof,
        where,
        payload.get("info", {}),
        claim="negation proved",
        theorems=_theorems(problem, problem.measures, int(payload.get("seed", 0))) if given is None else None,
        interpretation=given,
    )


def _write_counterexample(payload: Json, problem: Problem, where: Path) -> Path:
    evidence = payload.get("evidence") or _found_again(payload)
    given = Interpretation.from_json(evidence["interpretation"]) if "interpretation" in evidence else None
    if given is not None:
        problem = interpreted_theorem(payload["theorem"].encode(), problem, given)[1]
    values, interpret = interpreted(problem, int(payload.get("seed", 0)), evidence)
    theorems = None
    if evidence["facts"]:
        names = tuple(evidence["facts"]["names"])
        theorems = PremiseTheorems(names, derivation_of(bare_problem(problem, names), evidence["facts"]["steps"]))
    text, info = payload["theorem"].encode(), payload.get("info", {})
    return write_counterexample(text, values, where, info, interpret=interpret, theorems=theorems, interpretation=given)


def _found_again(payload: Json) -> Json:
    """The values behind a judgement of a run from before they were kept."""
    found = counterexample(problem_of(payload["theorem"], as_written=True), int(payload.get("seed", 0)))
    if found is None:
        raise BadProof("the counterexample was not found again")
    return found.evidence()


def _checked(payload: Json, write: Callable[[Path], Path]) -> Json:
    """Write beside the place, check, and move into place only what is accepted."""
    began = time.monotonic()
    where = Path(payload["directory"])
    text = payload["theorem"].encode()
    if finished_proof(where) == sha256(text):
        report = check_written(payload, where, text, began)
        if report.accepted:
            return _with_premises(report_json(where, report), text)
    where.parent.mkdir(parents=True, exist_ok=True)
    _clear_away(where)
    with tempfile.TemporaryDirectory(prefix=f".{where.name}.{os.getpid()}.", dir=where.parent) as beside:
        try:
            path = write(Path(beside) / where.name)
            report = check_written(payload, path, text, began)
            if report.accepted:
                put_in_place(path, where, overwrite=finished_proof(where) == sha256(text))
        except Unavailable:
            raise  # it says nothing about the proof: the run stays as it is, and can be resumed
        except FinishedProofExists as error:
            report = CheckReport(Verdict.UNKNOWN, reasons=(str(error),), retry=True)
        except (GoedelsPoetryError, ValueError) as error:
            report = CheckReport(Verdict.UNKNOWN, reasons=(str(error),))
    return _with_premises(report_json(where if report.accepted else None, report), text)


def _with_premises(answer: Json, text: bytes) -> Json:
    """The answer with lines and formulas of the premises that it names."""
    details = answer["details"]
    if details.get("needed") or details.get("core"):
        problem = parse_problem(text)
        named = {key: name_premises(details[key], problem) for key in ("needed", "core") if details.get(key)}
        answer["details"] = {**details, **named}
    return answer


def _clear_away(where: Path) -> None:
    """Remove what a check that was killed has left beside the place."""
    for left in where.parent.glob(f".{glob.escape(where.name)}.*.*"):
        pid = left.name.rsplit(".", 2)[1]
        if pid.isdigit() and not Path("/proc", pid).exists() and Path("/proc/self").exists():
            shutil.rmtree(left, ignore_errors=True)


def check_written(payload: Json, path: Path, text: bytes, began: float) -> CheckReport:
    """``total_seconds`` bounds the whole job from outside: the second solver must leave room to finish."""
    left = float(payload.get("total_seconds") or math.inf) - (time.monotonic() - began)
    return check_certificate(
        path,
        text,
        assume_definitions=bool(payload.get("assume_definitions")),
        limits=Limits(seconds=float(payload.get("seconds") or SECONDS)),
        second_seconds=left - RESERVE,
    )


def report_json(path: Path | None, report: CheckReport) -> Json:
    """What a job of the checker answers: ``path`` of the certificate, None where none is kept."""
    return {
        "verdict": report.verdict.value,
        "path": str(path) if path is not None else None,
        "trust_level": str(report.trust_level) if report.trust_level is not None else None,
        "reason": "; ".join(report.reasons),
        "warnings": [*(f"assumed: {what}" for what in report.assumptions), *report.notes],
        "details": report_to_json(report),
    }


# ------------------------------------------------------------------------------- the machine's tree as steps


def derivation_of(problem: Problem, nodes: list[Json], own: int | None = None) -> Derivation:
    """The steps of a finished tree, equal statements proved once, numbered from 1; the theorem last.

    ``own``: how many of the problem's definitions the theorem gives (all by default); the others are auxiliary.

    Raises:
        BadProof: a node without a proof, or one that cites what was not proved before it.
    """
    steps: list[Step] = []
    by_key: dict[str, str] = {}
    for node in nodes:
        sequent = (
            goal_of(problem)
            if node["statement"] == ""
            else sequent_from_json(node["statement"].partition(BROUGHT)[0], problem.signature)
        )
        key = key_of(sequent)
        if key in by_key:
            continue
        name = str(len(steps) + 1)
        steps.append(Step(name, sequent, _rule(problem, sequent, node, by_key)))
        by_key[key] = name
    last = by_key.get(key_of(goal_of(problem)))
    if last is None:
        raise BadProof("the tree does not end in the theorem")
    proof = _needed(steps[: int(last)])
    own = len(problem.signature.definitions) if own is None else own
    return Derivation(proof, _auxiliaries(problem, own, proof), problem.measures)


def _needed(steps: list[Step]) -> tuple[Step, ...]:
    """Those steps that the last one rests on, in order; what was proved beside it is no part of its proof."""
    needed: set[str] = set()
    for step in reversed(steps):
        if not needed or step.id in needed:
            needed |= {step.id, *step.by.cites}
    return tuple(step for step in steps if step.id in needed)


def _auxiliaries(problem: Problem, own: int, steps: Iterable[Step]) -> tuple[Definition, ...]:
    """The definitions behind the theorem's ``own`` that the steps speak of, and those that these rest on."""
    used = json.dumps([step_to_json(step) for step in steps])
    used += " ".join(show(term) for terms in problem.measures.values() for term in terms)
    found: list[Definition] = []
    for definition in reversed(problem.signature.definitions[own:]):
        if show_symbol(definition.name) in used or any(definition.name in symbols(d.body) for d in found):
            found.append(definition)
    last = max((d.group for d in problem.signature.definitions[:own]), default=-1)
    groups = {group: last + 1 + i for i, group in enumerate(dict.fromkeys(d.group for d in reversed(found)))}
    return tuple(replace(d, group=groups[d.group]) for d in reversed(found))


def _rule(problem: Problem, sequent: Sequent, node: Json, by_key: dict[str, str]) -> Query | ByScheme:
    sketch = node.get("scheme") or {}
    if "scheme" in sketch:
        scheme = scheme_from_json(sketch["scheme"], problem.signature, sequent.vars)
        sizes = structural_sizes(problem.signature)
        cases = [key_of(s) for s in instances(sequent, scheme, problem.signature, sizes)]
        return ByScheme(scheme, tuple([_earlier(key, by_key, node) for key in cases]))
    found = sketch.get("query") or (node.get("proof") or {}).get("query")
    if found is None:
        raise BadProof(f"the goal {node['id']} has no proof")
    query = query_from_json(found, problem.signature, sequent.vars)
    renamed = tuple(
        [type(i)(i.of, _earlier(i.name, by_key, node), i.args) if i.of == "step" else i for i in query.instances]
    )
    cites = tuple([_earlier(key, by_key, node) for key in query.cites])
    return Query(cites, renamed, query.equations, query.quantified)


def _earlier(key: str, by_key: dict[str, str], node: Json) -> str:
    if key not in by_key:
        raise BadProof(f"the goal {node['id']} rests on something that was not proved before it")
    return by_key[key]
