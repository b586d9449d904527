"""A bound on what a walk does, not on what it finds: the walks of a checker end whatever they are given."""

from __future__ import annotations


class TooLarge(Exception):
    """More work than we are ready to do. ``args``: what is too large."""


class Work:
    """So many steps; ``spend`` raises `TooLarge` when they are used up.

    Counted, not timed: what a check comes to must not depend on the speed of the machine.
    """

    __slots__ = ("left", "what")

    def __init__(self, steps: int, what: str = "") -> None:
        self.left = steps
        self.what = what

    def spend(self, steps: int = 1) -> None:
        """Use up some of them."""
        self.left -= steps
        if self.left < 0:
            raise TooLarge(self.what)
