"""The checker of the toy language: a plug-in like any other, by the entry point in ``toy_checker-1.0.dist-info``.

``"certify": "raises" | "rejects"`` in a theorem makes it do so.
"""

import json
from pathlib import Path
from typing import Any

from goedels_poetry.checker import Certificate, CheckReport, Submission, TrustLevel
from goedels_poetry.kernel.verdict import Verdict


class ToyChecker:
    async def certify(self, submission: Submission) -> Certificate:
        spec = json.loads(submission.text)
        if spec.get("certify") == "raises":
            raise OSError("no space left on device")
        if spec.get("certify") == "rejects":
            return Certificate(Verdict.UNKNOWN, reason="the checker rejects step 0")
        if submission.verdict is not Verdict.PROVED:
            return Certificate(submission.verdict, trust_level="L1")
        derivation = submission.evidence["derivation"]
        _look(spec, derivation)
        path = _write(submission.directory, {"theorem": submission.text, "derivation": derivation})
        return Certificate(Verdict.PROVED, path, "L1")

    def check(self, path: Path, against: str | None) -> CheckReport:
        found = json.loads((path / "proof.json").read_text())
        if against is not None and found["theorem"] != against:
            return CheckReport(Verdict.UNKNOWN, refused=True, reasons=("it is about something else",))
        _look(json.loads(found["theorem"]), found["derivation"])
        return CheckReport(Verdict.PROVED, TrustLevel.REBUILT)

    async def aclose(self) -> None:
        """There is nothing to close."""


def _look(spec: dict[str, Any], derivation: list[dict[str, Any]]) -> None:
    known: dict[str, str] = {}
    for step in derivation:
        statement = step["statement"] or spec["root"]
        if step["scheme"] is not None and step["proof"] is None:
            meant = [child["statement"] for child in step["scheme"]["children"]]
            assert meant == [known[child] for child in step["children"]], "children differ from the scheme"
        else:
            assert step["proof"]["of"] == statement, "the proof is of something else"
            assert all(cited in known for cited in step["proof"]["cites"]), "cites what comes later"
            assert set(step["proof"]["cites"]) <= set(step["scope"]), "cites what it must not"
        known[step["id"]] = statement
    assert derivation[-1]["id"] == "0", "the root comes last"


def _write(directory: Path, certificate: dict[str, Any]) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "proof.json"
    path.write_text(json.dumps(certificate, indent=1))
    return path
