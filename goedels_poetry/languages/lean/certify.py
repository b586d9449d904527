"""The end of a run: the whole file, in a fresh Lean, compared with the user's; written only when it is accepted."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goedels_poetry import __version__
from goedels_poetry.languages.base import Certificate
from goedels_poetry.languages.lean.runtime import LOGIC_AXIOMS, CheckRequest, CheckResult, LeanPool
from goedels_poetry.languages.lean.source import Target
from goedels_poetry.state import Verdict

Json = dict[str, Any]
SECONDS = 300.0


async def certify_proof(
    fresh: Callable[[], LeanPool], target: Target, text: str, directory: Path, info: Json, seconds: float | None
) -> Certificate:
    """The verdict on a whole file as a proof of the target."""
    names = (target.full_name,)
    request = CheckRequest(
        text, seconds=seconds or SECONDS, declarations=True, replay=True, reference=target.reference, names=names
    )
    seen, version = await _fresh_check(fresh, request)
    reason = refusal(seen, target.full_name)
    if reason:
        return Certificate(Verdict.UNKNOWN, reason=reason)
    assert seen.comparison is not None and seen.replay is not None
    if not seen.comparison.same:
        return Certificate(Verdict.UNKNOWN, reason=f"it is not the theorem that was given: {seen.comparison.why}")
    axioms = next(d.axioms for d in seen.declarations if d.name == target.full_name)
    details = {"theorem": target.full_name, "axioms": list(axioms), "replayed": seen.replay.count, "lean": version}
    _write(directory, {"proof.lean": text, "original.lean": target.reference}, {**details, "claim": "proved", **info})
    return Certificate(Verdict.PROVED, directory, "L1", warnings=target.warnings, details=details)


async def certify_negation(
    fresh: Callable[[], LeanPool], target: Target, proof: str, directory: Path, info: Json, seconds: float | None
) -> Certificate:
    """The verdict on ``proof`` as a proof that the target is false."""
    if not target.type:
        return Certificate(Verdict.UNKNOWN, reason="the statement has no closed form to negate")
    universe = f".{{{', '.join(target.levels)}}}" if target.levels else ""
    name = f"{target.name.removeprefix('_root_.')}_refuted"
    refuted = f"theorem {name}{universe} : ¬ ({target.type}) := {proof}\n\n"
    stated = f"{target.head} := sorry\n\ntheorem {name}_link{universe} : {target.type} := @{target.name}\n"
    text = f"{target.prefix}{refuted}{stated}"
    space = target.full_name.removesuffix(target.name.removeprefix("_root_."))
    # Closed only as far as this goes: open namespaces are closed by the end of the text.
    request = CheckRequest(text, seconds=seconds or SECONDS, declarations=True, replay=True)
    seen, version = await _fresh_check(fresh, request)
    reason = refusal(seen, f"{space}{name}")
    if reason:
        return Certificate(Verdict.UNKNOWN, reason=reason)
    details = {"theorem": f"{space}{name}", "lean": version}
    _write(directory, {"refutation.lean": text, "original.lean": target.reference}, {**details, "claim": "refuted"})
    return Certificate(Verdict.REFUTED, directory, "L1", details=details)


async def _fresh_check(fresh: Callable[[], LeanPool], request: CheckRequest) -> tuple[CheckResult, str]:
    lean = fresh()
    try:
        return await lean.check(request), lean.version
    finally:
        await lean.aclose()


def refusal(seen: CheckResult, name: str) -> str:
    """Why a text does not prove the constant ``name`` from Lean's logic alone; "" when it does."""
    if seen.status == "timeout":
        raise TimeoutError(f"Lean had not checked the whole proof: {seen.error}")
    if seen.status != "done":
        return f"Lean gave no answer about the whole proof: {seen.error}"
    if seen.errors:
        first = seen.errors[0]
        return f"the whole proof does not compile: {first.line}:{first.column}: {first.text}"
    found = next((d for d in seen.declarations if d.name == name and d.kind == "theorem"), None)
    if found is None:
        return f"{name} is not declared as a theorem"
    foreign = sorted(set(found.axioms) - LOGIC_AXIOMS)
    if foreign:
        return f"it rests on {', '.join(foreign)}"
    if seen.replay is None or seen.replay.failed:
        return f"the kernel refuses it: {seen.replay.failed if seen.replay else 'not replayed'}"
    return ""


def _write(directory: Path, files: dict[str, str], manifest: Json) -> None:
    """Beside the place first, then renamed into it; an older certificate of the same run is replaced."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{directory.name}.{os.getpid()}.", dir=directory.parent))
    try:
        for name, text in files.items():
            (beside / name).write_text(text, encoding="utf-8")
        manifest = {"language": "lean", "versions": {"goedels-poetry": __version__}, **manifest}
        words = json.dumps(manifest, sort_keys=True, indent=2, default=str)
        (beside / "manifest.json").write_text(words + "\n", encoding="utf-8")
        if directory.exists():
            shutil.rmtree(directory)
        beside.rename(directory)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


__all__ = ["certify_negation", "certify_proof", "refusal"]
