"""Runs in a PostgreSQL database: what is promised of files on one machine holds for many machines and a real server."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from called import call
from toy_language import ToyLanguage, generated

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.errors import RunLocked, StoreError
from goedels_poetry.store.postgres import Database
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, ProofNode

STORE = "GOEDELS_POETRY__STORE_URL"

# A process that works on a run until it is killed: the run lies in the database that the environment names.
WRITER = """
import asyncio, sys
from goedels_poetry import GoedelsPoetryFramework, Settings
from toy_language import ToyLanguage

async def main():
    def tell(event):
        print(event.seq, flush=True)
        if event.seq == int(sys.argv[3]):
            sys.stdin.readline()  # nobody ever writes there
    async with GoedelsPoetryFramework(Settings(home=sys.argv[1]), language=ToyLanguage()) as framework:
        result = await framework.arun(sys.argv[2], name="t", on_event=tell)
        print(result.verdict, flush=True)

asyncio.run(main())
"""


@pytest.fixture
def empty(postgres: Any) -> Any:
    """A database without any run."""
    import psycopg

    number = next(_NUMBERS)
    with psycopg.connect(postgres.url(), autocommit=True) as db:
        db.execute(f"CREATE DATABASE runs{number}")
    return postgres.url(database=f"runs{number}")


_NUMBERS = iter(range(1000))


def on(url: str, home: Path, **settings: Any) -> GoedelsPoetryFramework:
    return GoedelsPoetryFramework(Settings(home=home, store_url=url, **settings), language=ToyLanguage())


def writer(url: str, home: Path, text: str, *, stops_at: int = 0) -> subprocess.Popen[str]:
    """A process that works on a run; ``stops_at``: it stands still after that commit."""
    support = Path(__file__).parents[1] / "support"
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(support), STORE: url, "HOME": str(home)}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), text, str(stops_at)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )


async def test_another_machine_sees_a_run_and_goes_on_with_it(empty: str, tmp_path: Path) -> None:
    text = generated(2)
    async with on(empty, tmp_path / "one", budgets={"agent_steps": 8}) as one:
        stopped = await one.arun(text, name="t")
        assert stopped.verdict is Verdict.OUT_OF_BUDGET
        assert not (tmp_path / "one" / "runs" / stopped.run_id / "proof.db").exists()
    async with on(empty, tmp_path / "other") as other:
        assert [(run.run_id, run.status) for run in other.runs()] == [(stopped.run_id, "stopped")]
        result = await other.arun(text, name="t")
        assert (result.verdict, result.run_id) == (Verdict.PROVED, stopped.run_id)
        assert result.certificate is not None and result.certificate.is_relative_to(tmp_path / "other")
        history = list(other.get_state_history(result.run_id))
        assert len(history) > 8 and history[0].values["verdict"] == "proved"
        assert history[0].tree()[0].id == ROOT
        async with GoedelsPoetryFramework(Settings(home=tmp_path / "file"), language=ToyLanguage()) as local:
            same = await local.arun(text, name="t")
            with local.open_store(same.run_id) as ours, other.open_store(result.run_id) as theirs:
                assert ours.digest() == theirs.digest()


def test_a_writer_that_is_killed_leaves_its_run_and_counts_nothing_twice(empty: str, tmp_path: Path) -> None:
    text = generated(2)
    process = writer(empty, tmp_path / "one", text, stops_at=12)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 12:
                break
        with on(empty, tmp_path / "two") as other, pytest.raises(RunLocked, match="another process"):
            other.run(text, name="t")
    finally:
        process.kill()
        process.communicate()
    with on(empty, tmp_path / "two") as other:
        result = other.run(text, name="t")
        assert result.verdict is Verdict.PROVED
        with other.open_store(result.run_id) as store:
            keys = [key for (key,) in store._rows("SELECT key FROM event")]
            assert len(keys) == len(set(keys)) == store.seq
            found = store.digest()
    with (
        GoedelsPoetryFramework(Settings(home=tmp_path / "file"), language=ToyLanguage()) as local,
        local.open_store(local.run(text, name="t").run_id) as undisturbed,
    ):
        assert found == undisturbed.digest()


async def test_a_server_that_is_started_again_in_the_middle_costs_no_attempt(
    postgres: Any, empty: str, tmp_path: Path
) -> None:
    text = generated(2)

    def once_stopped(event: Any) -> None:
        if event.seq == 10:
            postgres.stop()

    try:
        async with on(empty, tmp_path / "home") as framework:
            with pytest.raises(StoreError, match="the same command goes on") as told:
                await framework.arun(text, name="t", on_event=once_stopped)
            assert "secret" not in str(told.value)
            with pytest.raises(StoreError, match="no server answers there"):
                await framework.arun(text, name="t")
    finally:
        postgres.start()
    async with on(empty, tmp_path / "home") as framework:
        result = await framework.arun(text, name="t")
        with framework.open_store(result.run_id) as store:
            assert [event.seq for event in store.events()] == list(range(1, store.seq + 1))
            found = store.digest()
    async with GoedelsPoetryFramework(Settings(home=tmp_path / "file"), language=ToyLanguage()) as local:
        undisturbed = await local.arun(text, name="t")
        assert {**undisturbed.metrics, "wall_seconds": 0, "agents": 0}["attempts"] == result.metrics["attempts"]
        with local.open_store(undisturbed.run_id) as store:
            assert store.digest() == found


def test_who_has_lost_the_connection_can_write_no_more_once_another_has_begun(postgres: Any, tmp_path: Path) -> None:
    import psycopg

    place = tmp_path / "fenced" / "proof.db"
    database = Database(postgres.url())
    with ProofStore(place, database=database) as first:
        first.commit("init", "test", ROOT, lambda txn: txn.put(ProofNode(id=ROOT)).id)
        with pytest.raises(RunLocked):
            ProofStore(place, database=database)
        with psycopg.connect(postgres.url(), autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'goedels-poetry'"
            )
        with ProofStore(place, database=database) as second:
            assert second.commit("step", "test", ROOT, lambda txn: "second") is not None
            with pytest.raises(StoreError, match="goes on"):
                first.commit("step", "test", ROOT, lambda txn: "first")
            assert [event.outcome for event in second.events()] == [ROOT, "second"]
    database.close()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": ""}, "the server wants the right password; give it in the URL, in PGPASSWORD or in ~/.pgpass"),
        ({"password": "wrong"}, "the server wants the right password"),
        ({"database": "nowhere"}, "there is no such database on the server"),
        (
            {"user": "nobody"},
            "the server wants the right password",
        ),
    ],
)
def test_what_is_wrong_with_a_url_is_one_line_without_the_password(
    postgres: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    change: dict[str, str],
    words: str,
) -> None:
    env = {STORE: postgres.url(**change), "HOME": str(tmp_path)}
    code, out, err = call(["runs"], monkeypatch, capsys, env)
    assert code != 0
    assert words in err and len(err.splitlines()) == 1
    assert "secret" not in out + err and "wrong@" not in out + err


@pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "secret", "postgresql://u:secret@[h/d"])
def test_a_url_of_something_else_is_refused_without_being_shown(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"postgresql://USER@HOST:PORT/DATABASE") as told:
        Runs(tmp_path, url).all()
    assert "secret" not in str(told.value)
