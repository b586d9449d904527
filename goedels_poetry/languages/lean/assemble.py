"""A finished tree as one Lean file: the user's text with lemmas, in dependency order, right before the theorem.

Concatenation and consistent renaming; the same tree gives the same text, and Lean is not asked for anything.
"""

from __future__ import annotations

import re
from typing import Any

from goedels_poetry.languages.base import Incomplete
from goedels_poetry.languages.lean.source import Target
from goedels_poetry.languages.lean.task import LEMMA_PREFIX, lemma_name

Json = dict[str, Any]

_LEMMA = re.compile(rf"(?<![\w.'!?]){LEMMA_PREFIX}[0-9a-f]{{10}}(?![\w'!?])")


def assemble(target: Target, derivation: list[Json]) -> str:
    """The whole file; raises :class:`Incomplete`."""
    taken = target.prefix + target.head + target.suffix
    blocks: list[str] = []
    names: dict[str, str] = {}
    helpers: dict[str, str] = {}
    for step in derivation[:-1]:
        name = lemma_name(step["statement"])
        if name in names:
            continue
        extra, proof = _parts(step, helpers, taken)
        names[name] = _fresh(f"{_stem(target.name)}_aux", len(names) + 1, taken)
        blocks += [extra, f"{step['statement']} := {proof}"]
    extra, proof = _parts(derivation[-1], helpers, taken)
    blocks.append(extra)
    lemmas = "".join(f"{block}\n\n" for block in blocks if block)
    renamed = _LEMMA.sub(lambda m: names.get(m[0], m[0]), f"{lemmas}\0{proof}")
    lemmas, _, proof = renamed.partition("\0")
    return f"{target.prefix}{lemmas}{target.head} := {proof}{target.suffix}"


def _parts(step: Json, known: dict[str, str], taken: str) -> tuple[str, str]:
    """Helpers and proof of a step; a helper whose name another step uses for something else gets a new one."""
    found = step["proof"] or {}
    if "proof" not in found:
        found = {**((step["scheme"] or {}).get("linked") or {}), "names": (step["scheme"] or {}).get("names", ())}
    if "proof" not in found:
        raise Incomplete(f"the goal {step['id']} has no proof")
    helpers, proof = str(found.get("helpers", "")).strip(), str(found["proof"]).rstrip()
    if helpers and known.get(helpers) == "":
        return "", proof  # the very same helpers stand there already
    original = helpers
    for name in found.get("names", ()):
        word = rf"(?<![\w'!?.«]){re.escape(name)}(?![\w'!?»])"
        if name in known or re.search(word, taken):
            number = 2
            while f"{name}_{number}" in known or f"{name}_{number}" in taken + proof + helpers:
                number += 1
            helpers, proof = (re.sub(word, f"{name}_{number}", text) for text in (helpers, proof))
            known[f"{name}_{number}"] = name
        else:
            known[name] = name
    if original:
        known[original] = ""
    return helpers, proof


def _stem(name: str) -> str:
    """A name that a lemma's may begin with: the theorem's, with nothing that needs quoting after it."""
    return name.removeprefix("_root_.").replace("«", "").replace("»", "").replace(" ", "_")


def _fresh(stem: str, number: int, taken: str) -> str:
    name = f"{stem}_{number}"
    while name in taken:
        stem += "'"
        name = f"{stem}_{number}"
    return name
