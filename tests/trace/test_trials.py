"""A log of trials is small whatever happens, keeps what tells most, and outlives the job that wrote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goedels_poetry.protocol.trials import (
    MOST_KEPT,
    MOST_LINES,
    MOST_TEXT,
    Status,
    Trial,
    TrialLog,
    doing,
    logging_trials,
    nearest,
    trial_log,
    unfinished,
)


@pytest.mark.parametrize("status", ["invented", None, 7, ["proved"]])
def test_a_status_of_another_version_is_a_trial_that_failed(status: object) -> None:
    read = Trial.from_json({"strategy": "tactics", "status": status, "invented": 1})
    assert read == Trial("tactics", status=Status.FAILED)


def test_a_log_is_bounded_and_counts_what_it_does_not_keep() -> None:
    log = TrialLog()
    log.begin("exploration")
    for number in range(1_000):
        status = Status.REFUTED if number % 2 else Status.FAILED
        log.tried(f"lemma {number}", status, "no", 0.001, lemma=True)
    log.end()
    assert len(log.trials) <= MOST_KEPT
    assert len(log.trials) + log.dropped == 1_001
    assert any(trial.strategy == "exploration" and not trial.what for trial in log.trials), (
        "the strategy itself is kept"
    )


def test_the_shortest_of_many_open_cases_are_kept_and_the_simplest_is_the_nearest() -> None:
    log = TrialLog()
    for number in range(100, 0, -1):
        log.tried(f"x{number}", Status.OPEN, "open", strategy="induction", left="x" * number)
    assert nearest(log.trials) == next(trial for trial in log.trials if trial.left == "x")
    assert max(len(trial.left) for trial in log.trials) < 50


def test_the_same_trial_again_is_counted_and_a_lemma_of_two_strategies_is_one() -> None:
    log = TrialLog()
    for strategy in ("template", "template", "exploration"):
        log.begin(strategy)
        log.tried("a = b", Status.FAILED, "not proved", 0.5, lemma=True)
    (lemma,) = [trial for trial in log.trials if trial.lemma]
    assert (lemma.strategy, lemma.times, lemma.seconds) == ("template", 3, 1.5)


def test_a_text_of_any_length_is_cut_and_half_a_formula_is_none() -> None:
    log = TrialLog()
    log.tried("w" * 9_999, Status.OPEN, "r" * 9_999, strategy="s", left="(" * 9_999)
    (trial,) = log.trials
    assert len(trial.what) == len(trial.result) == MOST_TEXT
    assert trial.left == ""


def test_what_no_database_takes_is_written_as_an_escape() -> None:
    log = TrialLog()
    log.tried("\ud800", Status.OPEN, "\udfff ≠", strategy="s", left="\ud800")
    (trial,) = log.trials
    assert (trial.what, trial.result, trial.left) == ("\\ud800", "\\udfff ≠", "\\ud800")


def test_a_trial_survives_json_and_what_a_newer_version_adds_to_it() -> None:
    trial = Trial("induction", "x", Status.OPEN, "open", 0.25, "left", False, 2)
    assert Trial.from_json(json.loads(json.dumps(trial.to_json() | {"new": 1}))) == trial
    assert Trial.from_json({"strategy": "s"}) == Trial("s")


def test_a_log_that_gives_json_can_be_taken_by_another() -> None:
    log, other = TrialLog(), TrialLog()
    log.begin("a")
    log.tried("x", Status.REFUTED, "false for x = 1", lemma=True)
    other.take(log.to_json())
    assert other.trials == log.trials
    assert TrialLog().to_json() == {}
    log.clear()
    assert log.to_json() == {}


def test_others_see_what_a_job_is_at_and_after_its_end_what_it_had_tried(tmp_path: Path) -> None:
    path = tmp_path / "under_way" / "sketcher-0.jsonl"
    assert doing(path) is None
    assert not unfinished(path).trials
    log = TrialLog(path)
    log.begin("invariants")
    log.begin("theory-exploration")
    log.tried("a = b", Status.FAILED, "not proved", 0.1, lemma=True)
    log.at("b = c")
    seen = doing(path)
    assert seen is not None
    assert (seen.strategy, seen.what) == ("theory-exploration", "b = c")
    log.close()
    left = unfinished(path, now=seen.since + 7)
    assert [trial.strategy for trial in left.trials] == ["invariants", "theory-exploration", "theory-exploration"]
    assert left.trials[-1].status is Status.UNDER_WAY
    assert (left.trials[-1].what, left.trials[-1].seconds) == ("b = c", 7)


@pytest.mark.parametrize("ends", ["a lemma", "the strategy"])
def test_a_strategy_is_under_way_until_it_has_ended_itself(tmp_path: Path, ends: str) -> None:
    log = TrialLog(tmp_path / "log")
    log.begin("lemma-template")
    log.tried("a = b", Status.PROVED, "proved", lemma=True)
    if ends == "the strategy":
        log.end()
    log.close()
    going = [trial for trial in unfinished(tmp_path / "log").trials if trial.status is Status.UNDER_WAY]
    assert bool(going) == (ends == "a lemma")


def test_a_file_stays_small_and_says_the_same(tmp_path: Path) -> None:
    log = TrialLog(tmp_path / "log")
    log.begin("exploration")
    for number in range(MOST_LINES + 500):
        log.tried(f"lemma {number}", Status.FAILED, "no", lemma=True)
    log.close()
    assert len((tmp_path / "log").read_text().splitlines()) < MOST_LINES
    assert {t.what for t in log.trials} <= {t.what for t in unfinished(tmp_path / "log").trials}


def test_a_file_that_is_cut_off_torn_or_no_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = TrialLog(path)
    log.begin("one")
    log.begin("two")
    log.close()
    path.write_bytes(path.read_bytes() + b'{"trial": {"strat')
    assert [trial.strategy for trial in unfinished(path).trials] == ["one", "two"]
    path.write_bytes(b'\xff\xfe no log at all\n[1, 2]\n{"trial": 1}\n{"at": "noon"}\n{"more": null}\n')
    assert not unfinished(path).trials
    assert doing(path) is None


def test_a_disk_that_takes_nothing_costs_nobody_a_proof(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = TrialLog(tmp_path / "file" / "log")
    log.begin("induction")
    log.end()
    assert [trial.strategy for trial in log.trials] == ["induction"]


def test_a_job_finds_its_log_and_outside_of_one_nobody_reads_it() -> None:
    log = TrialLog()
    with logging_trials(log):
        trial_log().tried("omega", Status.FAILED, "no", strategy="tactics")
    trial_log().tried("simp", Status.FAILED, "no", strategy="tactics")
    assert [trial.what for trial in log.trials] == ["omega"]
