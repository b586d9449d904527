"""The proof on the page: in full when it is short or asked for, with light colours on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goedels_poetry.trace.proof_text import LEAN, MAX_LINES, ProofText
from goedels_poetry.trace.terminal import printable, say

if TYPE_CHECKING:
    from rich.console import Console

SHORT = 12
"""Lines that a proof may have to be shown unasked."""
SHORT_CHARACTERS = 4_000
"""Characters that it may have: a generated one-liner would fill the screen."""


def say_proof(out: Console, proof: ProofText, asked: bool | None, *, proved: bool) -> None:
    """Print the proof.

    Args:
        out: where to.
        proof: as the certificate has it.
        asked: True: whatever its length; False: not at all; None: when it is short and of the theorem itself.
        proved: whether the theorem is proved; a proof of its negation is printed only when it is asked for.
    """
    short = len(proof.lines) <= SHORT and sum(map(len, proof.lines)) <= SHORT_CHARACTERS
    if asked is False or (asked is None and not proved):
        return
    if asked is None and not short:
        say(out, f"  {proof.of}: {len(proof.lines)} lines; --proof prints them")
        return
    say(out, f"  {proof.of}:")
    lines = [printable(line.expandtabs()) for line in proof.lines[:MAX_LINES]]
    if proof.kind == LEAN and getattr(out, "color_system", None):
        _say_lean(out, lines)
    else:
        for line in lines:
            say(out, f"    {line}".rstrip())
    if len(proof.lines) > MAX_LINES:
        say(out, f"    ... and {len(proof.lines) - MAX_LINES} lines more, in the certificate")


def _say_lean(out: Console, lines: Sequence[str]) -> None:
    """In colours of the terminal's own."""
    from rich.syntax import Syntax  # not at the cost of pages without any
    from rich.text import Text

    coloured = Syntax("", "lean4", theme="ansi_dark", background_color="default").highlight("\n".join(lines))
    coloured.rstrip()
    for line in coloured.split("\n", allow_blank=True):
        indented = Text("    ")
        indented.append_text(line)
        indented.rstrip()
        say(out, indented)
