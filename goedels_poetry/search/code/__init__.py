"""The agents that look for a Python function that passes given checks, on the machine that also searches for proofs.

formalize (`writer`) -> verify (`verifier`) -> decide (`decider`) -> check_semantics (`prosecutor`) -> decide -> the
checker; from decide also to correct (`writer`), or to formalize again with another strategy. Who calls whom:

* `writer` says what is to be asked (`wording`) and finds the function in the reply; without a model, or before one is
  asked, it takes candidates from the search for programs.
* `verifier` refuses what `strategies` says is banned or was tried before, and runs the rest in the sandbox; `reports`
  puts what came of it into words.
* `prosecutor` has tests proposed that might break a candidate; it decides which of them count.
* `decider` chooses among the legal moves by a table; `failing` says what an error of any of them costs.
"""

from __future__ import annotations

from goedels_poetry.search.agents.registry import Registry, load_registry
from goedels_poetry.search.code.failing import CODE_FAILURES

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
    return load_registry(BUILT_IN, GROUP, CODE_FAILURES)


__all__ = ["BUILT_IN", "GROUP", "code_registry"]
