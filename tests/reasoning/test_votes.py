"""Votes: who wins, when it is settled, and how many samples are worth asking for."""

from __future__ import annotations

import itertools

import pytest

from goedels_poetry import Verdict
from goedels_poetry.errors import InvalidInput
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.postprocessors import (
    Decomposed,
    SelfConsistency,
    SelfRefine,
    parse_option,
    post_processors,
)
from goedels_poetry.reasoning.postprocessors.votes import Tally

TRUE = QueryResult("?", True, Verdict.PROVED)
FALSE = QueryResult("?", False, Verdict.REFUTED)
UNKNOWN = QueryResult("?", None, Verdict.UNKNOWN)
INCONSISTENT = QueryResult("?", None, Verdict.INCONSISTENT)


def test_only_decided_samples_elect_but_all_are_counted() -> None:
    tally = Tally.of([UNKNOWN, TRUE, INCONSISTENT, UNKNOWN, TRUE], 5)
    assert tally.leaders == ("true",)
    assert tally.counts == {"unknown": 2, "true": 2, "inconsistent": 1}


def test_two_against_two_has_two_leaders_whoever_came_first() -> None:
    for order in itertools.permutations([TRUE, TRUE, FALSE, FALSE]):
        assert set(Tally.of(order, 4).leaders) == {"true", "false"}


def test_without_an_answer_there_is_no_leader() -> None:
    assert Tally.of([UNKNOWN, INCONSISTENT], 2).leaders == ()


def test_an_option_and_an_optimum_are_votes_of_their_own() -> None:
    one, option = QueryResult("?", 1, Verdict.PROVED), QueryResult("?", "A", Verdict.PROVED)
    assert Tally.of([one, TRUE, option], 3).counts == {"1": 1, "true": 1, "A": 1}


@pytest.mark.parametrize("samples", range(1, 8))
def test_settled_means_that_no_further_votes_can_change_the_winner(samples: int) -> None:
    for asked in range(samples + 1):
        for votes in itertools.product([TRUE, FALSE, UNKNOWN], repeat=asked):
            ends = {
                Tally.of([*votes, *rest], samples).leaders
                if len(set(Tally.of([*votes, *rest], samples).leaders)) < 2
                else "tie"
                for rest in itertools.product([TRUE, FALSE, UNKNOWN], repeat=samples - asked)
            }
            assert Tally.of(votes, samples).settled == (len(ends) == 1), votes


@pytest.mark.parametrize("samples", range(1, 7))
def test_fewer_samples_than_are_asked_for_could_not_have_settled_it(samples: int) -> None:
    for asked in range(samples):
        for votes in itertools.product([TRUE, FALSE, UNKNOWN], repeat=asked):
            tally = Tally.of(votes, samples)
            if tally.settled:
                continue
            settles = [
                more
                for more in range(1, samples - asked + 1)
                if any(
                    Tally.of([*votes, *rest], samples).settled
                    for rest in itertools.product([TRUE, FALSE, UNKNOWN], repeat=more)
                )
            ]
            assert tally.needed == settles[0], votes


def test_names_and_configurations_as_people_write_them() -> None:
    made = post_processors(["self-refine", "self_consistency"], {"self_refine": {"num_iterations": 3}})
    assert made == (SelfRefine(3), SelfConsistency(5))
    assert parse_option("self-consistency=7") == ("self_consistency", {"samples": 7})
    assert parse_option("decomposed") == ("decomposed", {})
    assert post_processors([Decomposed(2)]) == (Decomposed(2),)


@pytest.mark.parametrize(
    ("wanted", "configs", "words"),
    [
        (["self_doubt"], {}, "there is no post-processor 'self_doubt'; there are self_refine"),
        (["decomposed", "decomposed"], {}, "named twice"),
        (["self_refine"], {"self_refine": {"rounds": 2}}, "has no option 'rounds'; it has iterations"),
        (["self_refine"], {"self_refine": {"iterations": 0}}, "iterations must be from 1 to 10, not 0"),
        (["self_refine"], {"self_refine": {"iterations": "2"}}, "iterations must be a number"),
        (["self_refine"], {"decomposed": {}}, "a configuration for decomposed"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_word_about_it(
    wanted: list[str], configs: dict[str, dict[str, int]], words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        post_processors(wanted, configs)


def test_a_word_of_the_command_line_that_is_no_post_processor_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no number"):
        parse_option("self-refine=many")
