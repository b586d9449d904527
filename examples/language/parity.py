"""A proof language, "12 is even", and the checker that decides about its proofs."""

import json

from goedels_poetry import Goal, Outcome, SimpleLanguage, Theorem, Verdict
from goedels_poetry.checker import Certificate, CheckReport, Submission, TrustLevel


class Parity(SimpleLanguage):
    """Reads and searches; what it finds is a claim."""

    name = "parity"
    suffixes = (".parity",)

    async def read(self, text, options):
        return Theorem(self.name, text, options, statement=text.strip())

    async def prove(self, goal: Goal):
        return Outcome(True, {"candidate": {"half": int(goal.theorem.split()[0]) // 2}})

    async def verify(self, goal: Goal, candidate):
        right = even(goal.theorem, candidate["half"])
        return Outcome(right, {"proof": candidate}, "" if right else "it is odd")


def even(theorem: str, half: int) -> bool:
    """All that has to be trusted: whether the user's own text says of twice the half that it is even."""
    return theorem.strip() == f"{2 * half} is even"


class ParityChecker:
    """Believes nothing but the text that the user gave."""

    async def certify(self, submission: Submission) -> Certificate:
        half = submission.evidence["derivation"][-1]["proof"]["half"]
        if submission.verdict is not Verdict.PROVED or not even(submission.text, half):
            return Certificate(Verdict.UNKNOWN, reason=f"2 * {half} is not what the theorem speaks of")
        submission.directory.mkdir(parents=True, exist_ok=True)
        manifest = {"language": "parity", "theorem": submission.text, "half": half}
        (submission.directory / "manifest.json").write_text(json.dumps(manifest))
        return Certificate(Verdict.PROVED, submission.directory, str(TrustLevel.REBUILT))

    def check(self, path, against) -> CheckReport:
        found = json.loads((path / "manifest.json").read_text())
        if against not in (None, found["theorem"]) or not even(found["theorem"], found["half"]):
            return CheckReport(Verdict.UNKNOWN, refused=True, reasons=("it proves something else",))
        return CheckReport(Verdict.PROVED, TrustLevel.REBUILT)

    async def aclose(self) -> None:
        """It has opened nothing."""
