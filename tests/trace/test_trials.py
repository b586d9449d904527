"""A log of trials is small whatever happens, keeps what tells most, and outlives the job that wrote it."""

from __future__ import annotations

from pathlib import Path

from goedels_poetry.protocol.trials import (
    MOST_KEPT,
    MOST_TEXT,
    Status,
    TrialLog,
    doing,
    nearest,
    unfinished,
)


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


def test_a_text_of_any_length_is_cut_and_half_a_formula_is_none() -> None:
    log = TrialLog()
    log.tried("w" * 9_999, Status.OPEN, "r" * 9_999, strategy="s", left="(" * 9_999)
    (trial,) = log.trials
    assert len(trial.what) == len(trial.result) == MOST_TEXT
    assert trial.left == ""


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
