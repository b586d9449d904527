"""`show` explains every open goal; `trace` tells what each event took; a moment that a run has not had is refused.

The run is a real one of a true theorem that needs a lemma, interrupted when the first lemmas have been tried.
"""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.protocol.trials import ENOUGH, MOST_KEPT, Status
from goedels_poetry.smt.notation.goals import excerpts
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.trace.explain import explain

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "explanation-v1.json").read_text("utf-8"))
ROTATE = """
(declare-datatypes ((Nat 0) (List 0)) (((zero) (succ (pred Nat))) ((nil) (cons (head Nat) (tail List)))))
(define-fun-rec append ((xs List) (ys List)) List
  (match xs ((nil ys) ((cons h t) (cons h (append t ys))))))
(define-fun-rec len ((xs List)) Nat
  (match xs ((nil zero) ((cons h t) (succ (len t))))))
(define-fun-rec rotate ((n Nat) (xs List)) List
  (match n ((zero xs) ((succ m) (match xs ((nil nil) ((cons h t) (rotate m (append t (cons h nil))))))))))
(prove (forall ((xs List)) (= (rotate (len xs) xs) xs)))
"""
PATIENCE = 60.0


def stop_when_a_lemma_would_do(framework: GoedelsPoetryFramework, run: list[str]) -> None:
    """Interrupt the run as soon as its job has written down a lemma, not proved, from which the goal follows."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        for path in framework.settings.data_dir.glob("runs/*/under_way/sketcher-*.jsonl"):
            if ENOUGH in path.read_text("utf-8"):
                run.append(path.parents[1].name)
                framework.interrupt("interrupted by a test")
                return
        time.sleep(0.02)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, RunResult, list[Event]]]:
    home = tmp_path_factory.mktemp("home")
    events: list[Event] = []
    found: list[str] = []
    with GoedelsPoetryFramework(Settings(home=home, budgets=Budgets(wall_seconds=PATIENCE), use_memory=False)) as fw:
        watcher = threading.Thread(target=stop_when_a_lemma_would_do, args=(fw, found))
        watcher.start()
        result = fw.run(ROTATE, name="rotate.smt2", on_event=events.append)
        watcher.join()
    assert found == [result.run_id]
    yield home, result, events


@pytest.fixture
def home(stopped: tuple[Path, RunResult, list[Event]]) -> Path:
    """The data directory that ``cli`` looks at."""
    return stopped[0]


@pytest.fixture
def run_id(stopped: tuple[Path, RunResult, list[Event]]) -> str:
    return stopped[1].run_id


def test_what_a_stopped_job_had_tried_is_kept(home: Path, run_id: str) -> None:
    with GoedelsPoetryFramework(Settings(home=home)) as fw, fw.open_store(run_id) as store:
        explanation = explain(store, "0")
        assert not (store.path.parent / "under_way").exists(), "what was under way is history now"
    tried = {trial.strategy for trial in explanation.tried}
    assert {"direct proof", "structural-induction", "induction"} <= tried
    lemmas = [trial for trial in explanation.tried if trial.lemma]
    assert any(trial.status is Status.FAILED and trial.result == ENOUGH for trial in lemmas)
    assert all(trial.what.startswith("(forall") for trial in lemmas)
    assert len(explanation.tried) <= MOST_KEPT
    assert explanation.nearest is not None
    assert "structural-induction" in explanation.nearest.by
    assert "(rotate" in explanation.nearest.statement
    lemma = next(
        advice for advice in explanation.advice if advice.startswith("this lemma, from which the goal follows")
    )
    stated = lemma[lemma.index("(prove (forall") :]
    several = excerpts(ROTATE.replace("(prove", f"{stated}\n(prove"))
    assert [name for name, _ in several] == ["goal-1", "goal-2"], "it can be pasted before the goal"
    assert not any("(rotate (len xs) xs) xs)" in advice for advice in explanation.advice), "never the goal itself"


def test_a_person_reads_what_was_tried_what_came_nearest_and_what_would_help(cli: Any, run_id: str) -> None:
    shown = cli("show", run_id).out
    assert "open goal 0: for all xs: rotate(len(xs), xs) = xs" in shown
    for words in ("tried: ", "structural-induction", "the goal follows from it", "nearest: ", "would help: "):
        assert words in shown
    assert "does not apply here" not in shown, "what says nothing is left out"
    assert "this lemma, from which the goal follows and which holds in every test: (prove (forall" in " ".join(
        shown.split()
    )
    assert "the same command goes on where it was" in shown
    assert "--model NAME" not in shown, "it was interrupted: nobody knows yet that a model is lacking"


def test_programs_get_the_same_in_the_published_form(cli: Any, run_id: str) -> None:
    page = json.loads(cli("show", run_id, "--json").out)
    (explanation,) = page["explanations"]
    jsonschema.validate(explanation, SCHEMA)
    assert explanation["node"] == "0"
    assert explanation["tried"]
    assert explanation["nearest"]["goals"] == 1
    (begun,) = json.loads(cli("show", run_id, "--json", "--at", "1").out)["explanations"]
    jsonschema.validate(begun, SCHEMA)
    assert begun["tried"] == [], "at the first commit nothing had been tried"
