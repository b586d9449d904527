"""What a language model writes, as a proof of the goal at hand."""

import pytest

from goedels_poetry.languages.lean.replies import lean_text, read_reply
from goedels_poetry.languages.lean.runtime import LeanPool
from goedels_poetry.languages.lean.task import Task

PREFIX = "def double (n : Nat) : Nat := n + n\n\nnamespace N\n\n"
HEAD = "theorem t (n : Nat) : double n = 2 * n"
TASK = Task(PREFIX, HEAD, "t", (), ("double",), ())
PROOF = "by\n  unfold double\n  omega"


def fenced(text: str) -> str:
    return f"Here it is:\n\n```lean4\n{text}\n```\nI hope that it helps."


@pytest.mark.parametrize(
    ("reply", "proof", "helpers"),
    [
        (fenced(f"{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"theorem N.t (n : Nat) : double n = 2 * n := {PROOF}"), PROOF, ""),
        (fenced(PROOF), PROOF, ""),
        (fenced(f":= {PROOF}"), PROOF, ""),
        (PROOF, PROOF, ""),
        (fenced(f"{PREFIX}{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"import Init\n{HEAD} := {PROOF}"), PROOF, ""),
        (fenced(f"theorem aux (n : Nat) : n + n = 2 * n := by omega\n\n{HEAD} := aux n"), "aux n", "theorem aux"),
        (fenced(f"{HEAD} := {PROOF}") + "\n" + fenced("theorem t (n : Nat) : double n = 2 * n := rfl"), "rfl", ""),
        (fenced("theorem t (n : Nat) : True := trivial"), "trivial", ""),
        (fenced(f"open Nat\n\n{HEAD} := {PROOF}"), PROOF, ""),
    ],
)
async def test_the_proof_is_found_however_it_is_wrapped(lean: LeanPool, reply: str, proof: str, helpers: str) -> None:
    written = await read_reply(lean, TASK, reply)
    assert (written.reason, written.proof) == ("", proof)
    assert written.helpers.startswith(helpers) and bool(written.helpers) == bool(helpers)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "no complete block"),
        ("```lean\ntheorem t : 1 = 1 := by", "no complete block"),
        (fenced("theorem other (n : Nat) : n = n"), "proof"),
        (fenced("axiom cheat : False\n\n" + f"{HEAD} := cheat.elim"), "not allowed"),
        ("x" * 300_000, "characters"),
        (fenced(f'macro "omega" : tactic => `(tactic| sorry)\n\n{HEAD} := {PROOF}'), "not allowed here, 1:0: notation"),
        (fenced(f"{HEAD} := by\n  run_tac do IO.Process.exit 0"), "not allowed here, 2:2: metaprogram"),
        (fenced(f'#eval IO.FS.writeFile "x" "y"\n{HEAD} := {PROOF}'), "not allowed here, 1:0"),
        (fenced(f"{HEAD} := by exact?"), "suggestion"),
        (fenced("by native_decide"), "native"),
    ],
)
async def test_a_reply_without_a_usable_proof_is_refused_in_words(lean: LeanPool, reply: str, words: str) -> None:
    assert words in (await read_reply(lean, TASK, reply)).reason


def test_a_reply_that_was_cut_off_gives_no_text() -> None:
    assert lean_text("```lean\ntheorem t") == ""
