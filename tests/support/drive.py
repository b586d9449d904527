"""A whole run without the machine: judge, prove or sketch recursively, certify. Gives the checker's verdict."""

from pathlib import Path
from typing import Any

from goedels_poetry.checker.smt import jobs as checker_jobs
from goedels_poetry.errors import InvalidInput
from goedels_poetry.smt.context.sessions import OutOfTime
from goedels_poetry.smt.jobs import symbolic as jobs
from goedels_poetry.smt.notation.text import parse_problem

Json = dict[str, Any]


def verdict(text: str, folder: Path, *, assume_definitions: bool = False, seconds: float = 3.0) -> Json:
    """``{"verdict", "reason", "trust_level", ...}`` of a theorem."""
    try:
        parse_problem(text)
    except InvalidInput as error:
        return {"verdict": "invalid", "reason": str(error), "trust_level": None}
    common = {"theorem": text, "directory": str(folder / "x.cert"), "assume_definitions": assume_definitions}
    judged = jobs.judge({"theorem": text, "statement": "", "assume_definitions": assume_definitions})["value"]
    if judged["verdict"] in ("refuted", "inconsistent"):
        return checker_jobs.certify_judgement({**common, **judged, "seconds": seconds})
    if judged["verdict"] == "unknown":
        return {"verdict": "unknown", "reason": judged["reason"], "trust_level": None}
    nodes: list[Json] = []
    try:
        proved = _prove(text, "", "0", [], nodes, seconds)
    except OutOfTime:
        proved = False
    if not proved:
        return {"verdict": "unknown", "reason": "not proved", "trust_level": None}
    return checker_jobs.certify({**common, "derivation": nodes, "seconds": seconds})


def _prove(text: str, statement: str, name: str, scope: list[tuple[str, str]], nodes: list[Json], left: float) -> bool:
    payload = {"theorem": text, "statement": statement, "scope": scope, "seconds": left}
    found = jobs.prove(payload)
    if found["ok"] and "candidate" in found["value"]:
        nodes.append({"id": name, "statement": statement, "proof": found["value"]["candidate"], "scheme": None})
        return True
    found = jobs.sketch(payload)
    return found["ok"] and _sketched(text, statement, name, scope, found["value"]["sketch"], nodes, left)


def _sketched(
    text: str, statement: str, name: str, scope: list[tuple[str, str]], sketch: Json, nodes: list[Json], left: float
) -> bool:
    for i, child in enumerate(sketch["children"]):
        inner = f"{name}.0_{i:04d}"
        known = scope + [(f"{name}.0_{j:04d}", sketch["children"][j]["statement"]) for j in child.get("waits_for", [])]
        if "candidate" in child:
            nodes.append({"id": inner, "statement": child["statement"], "proof": child["candidate"], "scheme": None})
        elif "sketch" in child:
            if not _sketched(text, child["statement"], inner, known, child["sketch"], nodes, left):
                return False
        elif not _prove(text, child["statement"], inner, known, nodes, left):
            return False
    nodes.append({"id": name, "statement": statement, "proof": None, "scheme": sketch})
    return True
