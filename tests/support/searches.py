"""The jobs of the engine, called in this process."""

from typing import Any

from goedels_poetry.smt.jobs import symbolic as jobs


def job(function: str, theorem: str, **more: Any) -> dict[str, Any]:
    """What the job answers to the goal of ``theorem``; ``seconds`` are resource units, the same on every machine."""
    payload = {"theorem": theorem, "statement": "", "scope": [], "seed": 0, "seconds": 60, **more}
    payload |= {"left": payload["seconds"], "in_units": True}
    result: dict[str, Any] = getattr(jobs, function)(payload)
    return result


def sketched(theorem: str, **more: Any) -> dict[str, Any]:
    """The first sketch of the goal."""
    found = job("sketch", theorem, **more)
    assert found["ok"], found["reason"]
    sketch: dict[str, Any] = found["value"]["sketch"]
    return sketch


def is_complete(sketch: dict[str, Any]) -> bool:
    """Whether a sketch leaves nothing open."""
    return all("candidate" in c or ("sketch" in c and is_complete(c["sketch"])) for c in sketch["children"])
