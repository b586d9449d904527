"""Replies that are right in substance, in the forms in which models write them: each is read as it is meant.

All are about one goal, that reversing twice gives the list back, or about a decision. What is read is not solved here.
"""

from __future__ import annotations

import pytest

from goedels_poetry.lean.replies import lean_text
from goedels_poetry.models.replies import parse_json_reply
from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.smt.notation.reply_forms import EXAMPLES, PROOF_SCHEMA, THEORY

REV = EXAMPLES[0].goal
TURN = EXAMPLES[0].reply["lemmas"][2]["statement"]


async def read(smt: SmtLanguage, text: str) -> Outcome:
    goal = Goal(f"{THEORY}(prove (forall ((xs List)) (= (rev (rev xs)) xs)))", {}, "0", REV)
    return await smt.read_candidate(goal, parse_json_reply(text, PROOF_SCHEMA))


FORMS = {
    "a draft before": f'```json\n{{"induction": "xs"}}\n```\nThat is stuck, so\n```json\n{{"lemmas": ["{TURN}"]}}\n```',
    "another word for the statement": f'{{"lemmas": [{{"name": "turn", "formula": "{TURN}"}}]}}',
    "a command around the formula": f'{{"lemmas": ["(assert {TURN})"]}}',
    "the goal among the lemmas": f'{{"lemmas": ["{TURN}", "(forall ((xs List)) (= (rev (rev xs)) xs))"]}}',
    "infix": '{"lemmas": ["∀ x y. rev (append x y) = append (rev y) (rev x)"]}',
    "infix within prefix": '{"lemmas": ["(forall ((x List) (y List)) (rev (append x y)) = (append (rev y) (rev x)))"]}',
    "names with a prefix": (
        '{"lemmas": ["∀ x y, List.rev (List.append x y) = List.append (List.rev y) (List.rev x)"]}'
    ),
    "a parenthesis too few": f'{{"lemmas": ["{TURN[:-1]}"]}}',
    "variables that nobody bound": '{"lemmas": ["(= (rev (append x y)) (append (rev y) (rev x)))"]}',
    "a generalisation with an induction": f'{{"generalise": {{"statement": "{TURN}", "induction": "x"}}}}',
}


@pytest.mark.parametrize("form", FORMS)
async def test_a_lemma_is_read_in_whatever_form_it_comes(smt: SmtLanguage, form: str) -> None:
    found = await read(smt, FORMS[form])
    assert found.ok, found.reason
    (lemma,) = found.value["sketch"]["children"]
    assert lemma["words"] == TURN


REFUTATIONS = (
    '{"refuted": {"at": {"xs": "(cons 1 nil)"}, "because": "see above"}}',
    '{"refuted": {"xs": "(cons 1 nil)"}}',
    '{"refuted": "yes, it is", "at": {"xs": "(cons 1 nil)"}}',
    '{"refuted": {"at": ["(cons 1 nil)"]}}',
    '{"refuted": {"at": {"xs": [1]}}}',
    '{"refuted": {"at": {"xs": "1 :: nil"}}}',
    '{"refuted": {"at": {"xs": "cons(1, nil)"}}}',
)


@pytest.mark.parametrize("written", REFUTATIONS)
async def test_values_at_which_a_goal_is_said_to_be_false_are_read(smt: SmtLanguage, written: str) -> None:
    found = await read(smt, f"The goal is false:\n```json\n{written}\n```")
    assert found.ok, found.reason
    assert found.value["refutation"]["values"] == {"xs": "(cons 1 nil)"}


HELPER = "theorem twice (n : Nat) : n + n = 2 * n := by omega"
MAIN = "theorem goal (n : Nat) : n + n = 2 * n := twice n"


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        (f"```lean\n{HELPER}\n```\nand then\n```lean\n{MAIN}\n```", f"{HELPER}\n\n{MAIN}"),
        (f"```lean\n{HELPER}\n```\nbetter:\n```lean\n{HELPER}\n{MAIN}\n```", f"{HELPER}\n{MAIN}"),
        (f"```lean\ntheorem other : True := trivial\n```\n```lean4\n{MAIN}\n```", MAIN),
        (f"```lean\n{MAIN.replace('twice n', 'by simp')}\n```\nno:\n```lean\n{MAIN}\n```", MAIN),
        (f"```lean\n{HELPER}\n```\n```text\nno goals\n```\n```lean\n{MAIN}\n```", f"{HELPER}\n\n{MAIN}"),
    ],
)
def test_lemmas_in_a_block_of_their_own_go_with_the_theorem_that_cites_them(reply: str, read: str) -> None:
    assert lean_text(reply) == read
