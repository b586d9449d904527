"""The agents that look for a Python function: formalize -> verify -> decide -> check_semantics -> the checker.

`writer` asks a model, or enumerates; `verifier` refuses banned strategies and runs the checks; `prosecutor` looks for
inputs that break a candidate which passed; `decider` chooses by a table.
"""

from __future__ import annotations

from goedels_poetry.search.agents.registry import Registry, load_registry

GROUP = "goedels_poetry.code_agents"
"""Entry points of plug-ins for this kind of task."""
BUILT_IN = (
    "code.writer:generator",
    "code.verifier:verifier",
    "code.writer:corrector",
    "code.decider:decider",
    "code.prosecutor:prosecutor",
)
"""``module:attribute`` below ``goedels_poetry.search``."""


def code_registry() -> Registry:
    """The agents of code, then those of installed plug-ins."""
    from goedels_poetry.search.code.decider import CODE_FAILURES

    return load_registry(BUILT_IN, GROUP, CODE_FAILURES)


__all__ = ["BUILT_IN", "GROUP", "code_registry"]
