"""A cluster and its parts."""

import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from called import call
from ray_nodes import Nodes

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.cluster.runs import settings_json
from goedels_poetry.cluster.worker import packed, unpack
from goedels_poetry.errors import StoreError
from goedels_poetry.settings.declared import LeanSettings, ModelSettings, ModelsSettings, RetrievalSettings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, ProofNode

pytest.importorskip("ray", reason="the extra `ray` is not installed")

THEOREM = """(declare-datatype Nat ((Z) (S (p Nat))))
(define-fun-rec add{n} ((x Nat) (y Nat)) Nat (ite ((_ is Z) x) y (S (add{n} (p x) y))))
(assert (not (forall ((x Nat)) (= (add{n} x Z) x))))
(check-sat)
"""


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.close()


def theorems(folder: Path, number: int) -> list[Path]:
    folder.mkdir()
    files = [folder / f"t{n}.smt2" for n in range(number)]
    for n, file in enumerate(files):
        file.write_text(THEOREM.format(n=n))
    return files


@pytest.mark.timeout(300)
def test_a_node_that_is_lost_costs_its_unfinished_problems_and_each_has_one_result(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lost, _ = nodes.add(), nodes.add()
    files = theorems(tmp_path / "files", 4)
    out, home = tmp_path / "out", tmp_path / "home"
    env = {"GOEDELS_POETRY__HOME": str(home), "OPENAI_API_KEY": "a key that no task is told"}

    def kill_in_the_middle() -> None:
        answers = out / "answers.jsonl"
        while not (answers.exists() and answers.read_text().count("\n") >= 2):
            time.sleep(0.02)
        nodes.kill(lost)

    killer = threading.Thread(target=kill_in_the_middle, daemon=True)
    killer.start()
    words = ["bench", str(tmp_path / "files"), "--cluster", nodes.address, "--out", str(out)]
    code, said, err = call(words, monkeypatch, capsys, env)
    killer.join()
    assert code == 0, err
    assert said.splitlines()[-1] == f"report: {out / 'report.md'}" and "aylet" not in said + err
    assert "begun again elsewhere" in err
    results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    logged = [json.loads(line)["key"] for line in (out / "answers.jsonl").read_text().splitlines()]
    assert Counter(each["id"] for each in results) == Counter(str(file) for file in files)
    assert len(logged) == len(set(logged)) == len(files)
    assert {each["predicted"] for each in results} == {"true"}
    # Every run is at home, as if it had been made here.
    with GoedelsPoetryFramework(Settings(home=home)) as framework:
        assert len(framework.runs()) == len(files)
        for run in framework.runs():
            result = framework.result(run.run_id)
            assert result.certificate is not None and any(result.certificate.iterdir())
            with framework.open_store(run.run_id) as store:
                assert store.seq > 3
    # No secret went to a node, and none is in Ray's logs.
    for log in nodes.logs.rglob("*"):
        if log.is_file():
            assert b"a key that no task is told" not in log.read_bytes()


@pytest.mark.timeout(300)
@pytest.mark.whole("test_a_node_that_is_lost_costs_its_unfinished_problems_and_each_has_one_result")
def test_prove_leaves_what_a_run_here_would_leave_and_the_goals_of_one_theorem_spread(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    node = nodes.add()
    home = tmp_path / "home"
    env = {"GOEDELS_POETRY__HOME": str(home)}
    files = theorems(tmp_path / "more", 2)
    words = ["prove", *map(str, files), "--cluster", nodes.address, "--json", "--out", str(tmp_path / "certificates")]
    code, said, err = call(words, monkeypatch, capsys, env)
    assert code == 0, err
    told = [json.loads(line) for line in said.splitlines()]
    assert [each["verdict"] for each in told] == ["proved", "proved"]
    assert all(Path(each["certificate"]).is_relative_to(tmp_path / "certificates") for each in told)
    code, said, _ = call(["show", told[0]["run_id"]], monkeypatch, capsys, env)
    assert code == 0 and "proved" in said

    # Of one theorem alone the goals are spread: its tree is here, its jobs are there.
    (alone,) = theorems(tmp_path / "alone", 1)
    alone.write_text(alone.read_text().replace("add0", "sum"))
    monkeypatch.setattr("goedels_poetry.solvers.worker_pool.WorkerPool.run", _only_readings(monkeypatch))
    code, said, err = call(["prove", str(alone), "--cluster", nodes.address, "--json"], monkeypatch, capsys, env)
    assert json.loads(said)["verdict"] == "proved", err
    with ProofStore(home / "runs" / json.loads(said)["run_id"] / "proof.db", read_only=True) as store:
        assert store.spent()["solver_seconds"] > 0

    # So are those of one Lean theorem.
    lean = tmp_path / "below.lean"
    lean.write_text("theorem below (a b : Nat) (h : a ≤ b) : a < b + 1 := by sorry\n")
    monkeypatch.setattr("goedels_poetry.lean.language.prove", _not_here)
    code, said, err = call(["prove", str(lean), "--cluster", nodes.address, "--json"], monkeypatch, capsys, env)
    assert json.loads(said)["verdict"] == "proved", err

    nodes.kill(node)


async def _not_here(*arguments: Any, **named: Any) -> None:
    raise AssertionError("a node was to do that")


def _only_readings(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a `WorkerPool` of this process may still be asked: replies are read and proofs checked here."""
    from goedels_poetry.smt.language import JOBS
    from goedels_poetry.solvers.worker_pool import WorkerPool

    run = WorkerPool.run

    async def asked(pool: WorkerPool, function: str, *arguments: Any, **named: Any) -> Any:
        assert not function.startswith(JOBS), function
        return await run(pool, function, *arguments, **named)

    return asked


SMALL_THEOREM = "(assert (not (= 1 1)))\n(check-sat)\n"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("127.0.0.1:{port}", "nothing answers there"),
        ("ray://127.0.0.1:10001", "run the command on a machine of the cluster"),
        ("somewhere", "auto, local, or HOST:PORT"),
        ("127.0.0.1:99999", "auto, local, or HOST:PORT"),
    ],
)
@pytest.mark.parametrize("command", ["prove", "bench"])
def test_where_no_cluster_is_one_line_says_what_to_do(
    command: str,
    where: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delitem(sys.modules, "ray", raising=False)  # what another test has connected is none of this one's
    (tmp_path / "t.smt2").write_text(SMALL_THEOREM)
    arguments = [command, str(tmp_path / "t.smt2"), "--cluster", where.format(port=free_port())]
    code, out, err = call(arguments, monkeypatch, capsys, {"GOEDELS_POETRY__HOME": str(tmp_path / "home")})
    assert (code, out) == (69, "")
    assert words in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prove", "{file}", "--record", "x.jsonl"], "leave out --cluster"),
        (["bench", "{file}", "--bank"], "leave out --cluster"),
        (["bench", "{file}", "--replay", "x.jsonl"], "leave out --cluster"),
    ],
)
def test_what_is_of_one_machine_is_refused_before_anything_begins(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "t.smt2").write_text(SMALL_THEOREM)
    (tmp_path / "q.jsonl").write_text('{"question": "Is it?", "answer": true}\n')
    monkeypatch.setattr("goedels_poetry.cluster.seats._check", lambda where: pytest.fail("it was to be connected"))
    given = [part.format(file=tmp_path / "t.smt2") for part in arguments]
    env = {"GOEDELS_POETRY__HOME": str(tmp_path / "home")}
    code, _, err = call([*given, "--cluster", "127.0.0.1:1"], monkeypatch, capsys, env)
    assert code == 2 and words in err


def test_no_secret_and_no_place_of_this_machine_is_sent(tmp_path: Path) -> None:
    keys: dict[str, Any] = {
        "models": ModelsSettings(default=ModelSettings(model="m", api_key="secret-1")),
        "retrieval": RetrievalSettings(leanexplore_api_key="secret-2"),
        "lean": LeanSettings(kimina_api_key="secret-4"),
        "store_url": "postgresql://u:secret-5@h/d",
    }
    sent = settings_json(Settings(home=tmp_path, seed=7, **keys))
    assert "secret" not in sent and "***" not in sent and str(tmp_path) not in sent
    told = Settings(**json.loads(sent), home=tmp_path / "there")
    assert (told.seed, told.models.default.model, told.use_memory) == (7, "m", False)


def test_a_run_comes_back_as_it_went(tmp_path: Path) -> None:
    here, there = RunDir(tmp_path / "here" / "a1"), RunDir(tmp_path / "there" / "a1")
    store = ProofStore(_made(here).proof_db)
    store.commit("init", "test", ROOT, lambda txn: txn.put(ProofNode(id=ROOT, statement="s")).id)
    files = packed(here.path)  # while a log lies beside the database: what is in it goes along
    store.close()
    here.write_card(name="t")
    unpack({**files, **packed(here.path)}, there.path)
    with there.open(read_only=True) as copy:
        assert (copy.seq, copy.get(ROOT).statement) == (1, "s")
    assert there.card()["name"] == "t"
    with there.open() as copy:
        copy.commit("next", "test", ROOT, lambda txn: "tried")
    unpack(packed(there.path), here.path)
    with here.open(read_only=True) as back:
        assert [event.outcome for event in back.events()] == [ROOT, "tried"]


@pytest.mark.parametrize("name", ["../run.json", "/etc/passwd", "a/../../b"])
def test_no_file_of_a_node_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is called"):
        unpack({name: b""}, _made(RunDir(tmp_path / "runs" / "a1")).path)
    assert [path.name for path in tmp_path.rglob("*")] == ["runs", "a1"]


def _made(run: RunDir) -> RunDir:
    run.path.mkdir(parents=True)
    return run
