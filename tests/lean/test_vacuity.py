"""Whether a theorem has hypotheses that allow anything: told by the data where all that it is about is plainly data."""

import asyncio

import pytest

from goedels_poetry.checker.lean.original import read_original
from goedels_poetry.checker.lean.vacuity import premises_of
from goedels_poetry.languages.lean.runtime import LeanPool

TYPES = """inductive Color where
  | red
inductive Never
namespace Own
def Nat : Prop := False
"""


@pytest.mark.parametrize(
    ("theorem", "said"),
    [
        ("(n : _root_.Nat) (c : Color) (l : List Color) : l = l", "none"),
        ("(n : _root_.Nat) (h : n < 0) : n = 1", "contradictory"),
        ("(x : Never) : 1 = 2", "contradictory"),
        ("(x : Nat) : 1 = 2", "contradictory"),
    ],
    ids=["data", "numbers below nothing", "a type without values", "a proposition called Nat"],
)
def test_what_is_said_of_hypotheses(lean: LeanPool, theorem: str, said: str) -> None:
    async def asked() -> str:
        text = f"{TYPES}theorem t {theorem} := by\n  sorry\nend Own\n"
        return await premises_of(lean, await read_original(lean, text, 60.0), "Own.t")

    assert asyncio.run(asked()) == said
