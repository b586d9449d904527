"""Functions with contracts, each right, and with a bug planted by one replacement of text."""

import json
from dataclasses import dataclass
from pathlib import Path

HEAD = "from goedels_poetry.contracts import ensures, raises, requires\n"


@dataclass(frozen=True)
class Planted:
    function: str
    text: str
    old: str
    new: str

    @property
    def right(self) -> str:
        return HEAD + self.text

    @property
    def wrong(self) -> str:
        assert self.text.count(self.old) == 1, (self.function, self.text.count(self.old))
        return HEAD + self.text.replace(self.old, self.new)


_KEPT = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
SAMPLE = [Planted(**planted) for planted in _KEPT["sample"]]
"""One of a kind: equals, floor, alias, no end, a large constant, bound, default."""
RIGHT = [Planted(**planted) for planted in _KEPT["right"]]
"""With preconditions that few inputs satisfy, and with a class."""
