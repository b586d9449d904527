"""Texts cut into numbered sentences, and which of them a question's program may cite."""

from __future__ import annotations

import pytest

from goedels_poetry.search.tasks.question import MAX_SENTENCES, Question, numbered, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith paid $3.50. He left at 5 p.m. on Monday.", 2),
        ("The U.S. economy grew. J. R. Tolkien wrote it.", 2),
        ('"Is it?" she asked. It was not!', 2),
        ("See Fig. 3 and No. 5 (e.g. the second one). Yes.", 2),
        ("Vitamin C. It helps.", 2),
        ("The limit is 1,000.5 pounds, i.e. not much. More is taxed.", 2),
        ("LanguageA is a universal language\nIf one exists, they can talk.", 2),
        ("This sentence was broken\nin the middle of it. This one was not.", 2),
        ("What? No! Really...", 3),
        ("One sentence without an end", 1),
        ("", 0),
        (" \n\t\n ", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: int) -> None:
    assert len(split(text)) == sentences, split(text)


def test_headings_have_no_number_and_items_of_lists_have_one_each() -> None:
    text = "Document - Passes:\n## Who can get one\n\nThese apply:\n\n- you are over 64\n1. you live here. Now.\n"
    found = [(s.number, s.text) for s in numbered(split(text))]
    assert found == [
        (None, "Document - Passes:"),
        (None, "## Who can get one"),
        (1, "These apply:"),
        (2, "- you are over 64"),
        (3, "1. you live here."),
        (4, "Now."),
    ]


def test_nothing_of_a_very_long_text_is_lost() -> None:
    words = [f"Number {n} is here." for n in range(MAX_SENTENCES + 50)]
    found = numbered(split(" ".join(words)))
    assert len(found) == MAX_SENTENCES
    assert " ".join(s.text for s in found) == " ".join(words)


def test_the_case_of_a_question_can_be_cited_and_so_can_what_it_takes_for_granted() -> None:
    text = "Scenario: I am 70. I moved here.\n\nQuestion: I owe 1600, can I borrow more?"
    question = Question(text, "You can borrow.")
    assert [(s.number, s.text, s.asked) for s in question.sentences] == [
        (1, "You can borrow.", False),
        (2, "I am 70.", False),
        (3, "I moved here.", False),
        (4, "I owe 1600, can I borrow more?", True),
    ]
    assert question.asked == "I owe 1600, can I borrow more?"


@pytest.mark.parametrize(
    "text",
    [
        "Is the following statement true or false? Sam is soft.",
        "Assuming all premises are true, is the following statement true or false?\nStatement: Sam is soft.",
        "Sam is soft.",
        "Consider this claim. Sam is soft. Would you say so?",
        "Sam is soft. Is that true?",
        "Sam is soft. Does it follow from the text?",
    ],
)
def test_a_statement_that_is_to_be_judged_is_never_a_fact(text: str) -> None:
    question = Question(text, "Every cat is soft.")
    assert [s.text for s in question.sentences if not s.asked] == ["Every cat is soft."]
    assert not any("Sam" in s.text and not s.asked for s in question.sentences)
