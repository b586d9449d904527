"""What a search loads: no more than it asks for."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from goedels_poetry.search.machine.loop import _PremisesWhenAsked
from goedels_poetry.settings.declared import Settings

def loaded():
    return "langchain_core" in sys.modules

premises = _PremisesWhenAsked(Settings().retrieval)
print(loaded(), premises.troubles(), loaded(), callable(premises.find), loaded(), premises.troubles())
"""


def test_langchain_loads_with_the_first_question_for_premises() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "[]", "False", "True", "True", "[]"]
