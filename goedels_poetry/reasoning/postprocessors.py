"""Post-processors: ways of asking more than once. None of them changes a verdict by words; every answer is a run's.

They stand around each other in the order in which they are named, the first one next to the machine: of
``["self_refine", "self_consistency"]`` every sample is refined, and then the samples vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.reasoning.parts import Decomposed, LeastToMost
from goedels_poetry.reasoning.self_consistency import SelfConsistency
from goedels_poetry.reasoning.self_refine import SelfRefine
from goedels_poetry.reasoning.steps import (
    Advice,
    Machine,
    PostProcessor,
    Solve,
    Task,
    at_once,
    chain,
    in_turn,
    side_by_side,
    standing,
)

POST_PROCESSORS: dict[str, type[Any]] = {
    kind.name: kind for kind in (SelfRefine, SelfConsistency, Decomposed, LeastToMost)
}
"""name -> class; the fields of the class are its configuration."""

SEED_NAMES = {"num_iterations": "iterations", "num_samples": "samples"}
"""What ProofOfThought 1 calls them."""


def post_processors(
    wanted: Iterable[str | PostProcessor], configs: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[PostProcessor, ...]:
    """The post-processors of that name, with their configuration; instances stay what they are.

    Args:
        wanted: names in their order (``self-refine`` is ``self_refine``), or instances.
        configs: name -> configuration, e.g. ``{"self_refine": {"iterations": 2}}``.

    Raises:
        InvalidInput: no such name, twice the same, a configuration that fits none of them.
    """
    given = {_plain(name): dict(config) for name, config in (configs or {}).items()}
    named = [wanted] if isinstance(wanted, str) else wanted
    built = [_built(_plain(each), given) if isinstance(each, str) else each for each in named]
    names = [each.name for each in built]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"the post-processor {name} is named twice: once is enough")
    unused = sorted(given.keys() - set(names))
    if unused:
        raise InvalidInput(f"there is a configuration for {', '.join(unused)}, but no such post-processor is used")
    return tuple(built)


def parse_option(text: str) -> tuple[str, dict[str, int]]:
    """A word of the command line: ``self-consistency=5`` is ``("self_consistency", {"samples": 5})``.

    Raises:
        InvalidInput: no such post-processor, or the number is none.
    """
    name, equals, number = text.partition("=")
    kind = _kind(_plain(name))
    if not equals:
        return kind.name, {}
    if not number.strip().isdecimal():
        raise InvalidInput(f"{text!r}: {number.strip()!r} is no number; write e.g. {kind.name.replace('_', '-')}=3")
    return kind.name, {fields(kind)[0].name: int(number)}


def _built(name: str, configs: Mapping[str, Mapping[str, Any]]) -> PostProcessor:
    kind = _kind(name)
    config = {SEED_NAMES.get(option, option): value for option, value in configs.get(name, {}).items()}
    known = [f.name for f in fields(kind)]
    for option, value in config.items():
        if option not in known:
            raise InvalidInput(f"{name} has no option {option!r}; it has {', '.join(known)}")
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(f"{name}: {option} must be a number, not {value!r}")
    try:
        built: PostProcessor = kind(**config)
    except ValueError as problem:
        raise InvalidInput(f"{name}: {problem}") from problem
    return built


def _kind(name: str) -> type[Any]:
    if name not in POST_PROCESSORS:
        known = ", ".join(POST_PROCESSORS)
        raise InvalidInput(f"there is no post-processor {name!r}; there are {known}")
    return POST_PROCESSORS[name]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


__all__ = [
    "POST_PROCESSORS",
    "Advice",
    "Decomposed",
    "LeastToMost",
    "Machine",
    "PostProcessor",
    "SelfConsistency",
    "SelfRefine",
    "Solve",
    "Task",
    "at_once",
    "chain",
    "in_turn",
    "parse_option",
    "post_processors",
    "side_by_side",
    "standing",
]
