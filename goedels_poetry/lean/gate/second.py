"""Our own kernel, asked about declarations: a process of Node that reads them and nothing else, and is then gone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

TYPECHECKER = Path(__file__).resolve().parent / "typechecker"
GRACE_SECONDS = 3.0
"""The program keeps the time itself; when it has not answered so much later it is killed."""
MEMORY_MB = 2048
_META = '{"meta":{"format":{"version":"3.1.0"}}}\n'
_CANDIDATE = '{"section":"candidate"}\n'


@dataclass(frozen=True, slots=True)
class Opinion:
    """What our kernel says. Only ``accepted`` says anything for the declarations, only ``refused`` against them."""

    verdict: Literal["accepted", "refused", "undecided"]
    reason: str = ""
    declaration: str = ""
    candidate: int = 0
    """Declarations of the stranger's that it has checked."""
    library: int = 0
    """Of the library, with their values."""
    by_type: int = 0
    """Of the library, believed by their types."""
    seconds: float = 0.0
    in_library: bool = False
    """It ended within the library, before anything of the candidate's."""


async def second_opinion(
    node: Sequence[str], library: str, candidate: str, premises: Sequence[str], seconds: float
) -> Opinion:
    """Check declarations with our kernel.

    Args:
        node: the program Node and what has to stand before its options.
        library: what the candidate needs of the imports, a stream.
        candidate: the declarations in question, a stream of its own.
        premises: the user's own axioms and opaque constants among them.
        seconds: for everything.
    """
    settings = {"seconds": seconds, "premises": list(premises), "memoryMb": MEMORY_MB}
    rights = ("--permission", "--allow-worker", f"--allow-fs-read={TYPECHECKER}")
    command = [*node, *rights, str(TYPECHECKER / "main.cjs"), json.dumps(settings)]
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
    except OSError as fault:
        return Opinion("undecided", f"the second kernel does not start: {fault}")
    whole = "".join((_META, _lines(library), _CANDIDATE, _lines(candidate))).encode()
    try:
        out, _ = await asyncio.wait_for(process.communicate(whole), seconds + GRACE_SECONDS)
    except TimeoutError:
        return Opinion("undecided", f"the second kernel gave no answer within {seconds:g} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _read(out)


def _lines(stream: str) -> str:
    return stream if stream.endswith("\n") or not stream else stream + "\n"


def _read(out: bytes) -> Opinion:
    try:
        answer = json.loads(out)
        verdict, counts = answer["verdict"], answer["checked"]
        if verdict not in ("accepted", "refused", "undecided"):
            raise ValueError(verdict)
        return Opinion(
            verdict,
            str(answer["reason"] or ""),
            str(answer["declaration"] or ""),
            int(counts["candidate"]),
            int(counts["library"]),
            int(counts["assumed"]),
            float(answer["ms"]) / 1000,
            answer["section"] == "library",
        )
    except (ValueError, KeyError, TypeError) as fault:
        return Opinion("undecided", f"the second kernel ended without an answer ({type(fault).__name__})")
