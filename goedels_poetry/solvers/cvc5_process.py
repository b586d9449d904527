"""cvc5, which comes as a Python library only, in a child process of its own."""

from __future__ import annotations

from goedels_poetry.solvers.child import Child, start_module
from goedels_poetry.solvers.limits import Answer, Get, Limits, Options
from goedels_poetry.solvers.process import SolverProcess, get_command, is_whole, pack, unpack

CHILD = "goedels_poetry.solvers.cvc5_child"
_MAX_PONG = 10_000


class Cvc5Process(SolverProcess):
    """One cvc5 child; every query gets a new solver object with its own terms and symbols.

    Options are cvc5's, e.g. ``{"full-saturate-quant": "true"}``. ``rlimit`` counts cvc5's own resource units,
    which are not z3's.
    """

    name = "cvc5"

    def _start(self, memory_mb: int) -> Child:
        return start_module(CHILD, str(memory_mb))

    def _ping(self, child: Child, deadline: float) -> None:
        child.exchange(pack({}), is_whole, deadline, _MAX_PONG)

    def _lost(self) -> None:
        """Nothing is kept between queries."""

    def _ask(self, child: Child, script: str, limits: Limits, get: Get, options: Options, deadline: float) -> Answer:
        request = {
            "script": script,
            "options": {**_settings(limits, get), **options},
            "get": {status: wanted for status in ("sat", "unsat") if (wanted := get_command(get, status))},
        }
        reply = child.exchange(pack(request), is_whole, deadline, limits.output_bytes)
        answer = unpack(reply)
        status, reason, used = answer["status"], answer.get("reason", ""), answer.get("rlimit_used")
        if status == "unknown":
            return Answer("unknown", _why(reason), rlimit_used=used)
        if status not in ("sat", "unsat"):
            return Answer("error", reason)
        return Answer(status, "", answer.get("output", "").strip(), rlimit_used=used)


def _settings(limits: Limits, get: Get) -> dict[str, str]:
    settings = {"tlimit-per": str(max(1, int(limits.seconds * 1000)))}
    if limits.rlimit:
        settings["rlimit-per"] = str(limits.rlimit)
    if get == "core":
        settings["produce-unsat-cores"] = "true"
    elif get != "none":
        settings["produce-models"] = "true"
    return settings


def _why(explanation: str) -> str:
    reasons = {"TIMEOUT": "timeout", "RESOURCEOUT": "rlimit", "MEMOUT": "memory"}
    word = explanation.rpartition(".")[2]
    return reasons.get(word, word.lower())
