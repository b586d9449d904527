"""A small world to speak of."""

import json
from pathlib import Path
from typing import Any

WORLD = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def program(**sections: Any) -> str:
    """The text of a program about the world."""
    return json.dumps({**WORLD, **sections})
