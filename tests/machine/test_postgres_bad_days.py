"""Bad days of a PostgreSQL server: limits, rights, locks and tables of others are one line each and cost no attempt."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import StoreError
from goedels_poetry.store import postgres as pg_connection
from goedels_poetry.store.runs import Runs
from goedels_poetry.store.state import ROOT, ProofNode

GUEST, DATABASE = f"guest_{os.getpid()}", f"bad_days_{os.getpid()}"  # one server serves all processes of the suite
PASSWORD = "known to nobody else"
Administer = Callable[..., object]


@pytest.fixture(scope="session")
def laid_out(postgres: Any) -> str:
    """A database with our tables, and a user who may use them: the schema belongs to another, who has let it in."""
    import psycopg

    with psycopg.connect(postgres.url(), autocommit=True) as db:
        db.execute(f"CREATE DATABASE {DATABASE}")
        db.execute(f"CREATE ROLE {GUEST} LOGIN PASSWORD '{PASSWORD}'")
    url: str = postgres.url(database=DATABASE)
    with contextlib.closing(Runs(Path("nowhere"), url)) as runs:
        assert runs.count() == 0
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(f"GRANT USAGE ON SCHEMA goedels_poetry TO {GUEST}")
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA goedels_poetry TO {GUEST}")
    return url


@pytest.fixture
def administer(laid_out: str) -> Iterator[Administer]:
    """Statements of an administrator; what was set for the guest is undone at the end."""
    import psycopg

    with psycopg.connect(laid_out, autocommit=True) as db:
        yield db.execute
        db.execute(f"ALTER ROLE {GUEST} RESET ALL")
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA goedels_poetry TO {GUEST}")


@pytest.fixture
def runs(postgres: Any, laid_out: str, tmp_path: Path) -> Iterator[Runs]:
    """What the guest sees."""
    with contextlib.closing(Runs(tmp_path, postgres.url(PASSWORD, DATABASE, GUEST))) as found:
        yield found


def one_step(runs: Runs, run_id: str, key: str = "init") -> None:
    """A commit to a run, as every step of every run makes it."""
    with runs.place(run_id).open() as store:
        store.commit(key, "test", ROOT, lambda txn: txn.put(ProofNode(id=ROOT)).id)


def test_a_server_that_takes_no_writing_is_told_from_one_that_is_down(administer: Administer, runs: Runs) -> None:
    administer(f"ALTER ROLE {GUEST} SET default_transaction_read_only = on")
    with pytest.raises(StoreError, match=r"read-only transaction; .* goes on") as told:
        one_step(runs, "aa")
    assert PASSWORD not in str(told.value) and "\n" not in str(told.value)


def test_who_waits_for_a_solver_is_not_cut_off_for_being_idle(administer: Administer, runs: Runs) -> None:
    administer(f"ALTER ROLE {GUEST} SET idle_session_timeout = '20ms'")
    with runs.place("ac").open() as store:
        administer("SELECT pg_sleep(0.2)")
        assert store.commit("init", "test", ROOT, lambda txn: txn.put(ProofNode(id=ROOT)).id) is not None


def test_rights_that_are_taken_away_in_the_middle_are_told_and_once_they_are_back_it_goes_on(
    administer: Administer, runs: Runs
) -> None:
    one_step(runs, "ae", "first")
    administer(f"REVOKE INSERT ON ALL TABLES IN SCHEMA goedels_poetry FROM {GUEST}")
    with pytest.raises(StoreError, match="GRANT USAGE ON SCHEMA goedels_poetry and GRANT ALL ON ALL TABLES IN it"):
        one_step(runs, "ae", "second")
    administer(f"GRANT ALL ON ALL TABLES IN SCHEMA goedels_poetry TO {GUEST}")
    one_step(runs, "ae", "second")
    with runs.place("ae").open() as store:
        assert store.seq == 2


async def test_who_may_write_but_lay_out_nothing_writes_checkpoints_of_a_table_that_is_there(
    laid_out: str, administer: Administer, runs: Runs, tmp_path: Path
) -> None:
    with contextlib.closing(Runs(tmp_path, laid_out)) as owner:
        assert owner._database is not None and runs._database is not None
        async with owner._database.checkpointer(None):
            administer(f"GRANT ALL ON ALL TABLES IN SCHEMA goedels_poetry TO {GUEST}")
        async with runs._database.checkpointer(None) as saver:
            assert [found async for found in saver.alist({"configurable": {"thread_id": "none"}})] == []


@pytest.mark.parametrize(
    "change",
    [
        "CREATE SCHEMA goedels_poetry; CREATE TABLE goedels_poetry.format(name text)",
        "CREATE SCHEMA goedels_poetry; CREATE TABLE goedels_poetry.card(id int)",
        "CREATE SCHEMA goedels_poetry; CREATE TABLE goedels_poetry.format(version int)",
        "UPDATE goedels_poetry.format SET version = 0",
        "UPDATE goedels_poetry.format SET version = 2",
        "DELETE FROM goedels_poetry.format",
    ],
)
def test_tables_of_others_are_left_as_they_are_and_named(laid_out: str, tmp_path: Path, change: str) -> None:
    import psycopg

    with psycopg.connect(laid_out, autocommit=True) as db:
        db.execute("ALTER SCHEMA goedels_poetry RENAME TO kept")
        try:
            if not change.startswith("CREATE"):
                with contextlib.closing(Runs(tmp_path, laid_out)) as runs:
                    runs.count()
            db.execute(change)
            with contextlib.closing(Runs(tmp_path, laid_out)) as runs, pytest.raises(StoreError) as told:
                runs.count()
            assert "not those of this version" in str(told.value) and "GOEDELS_POETRY__STORE_URL" in str(told.value)
        finally:
            db.execute("DROP SCHEMA goedels_poetry CASCADE")
            db.execute("ALTER SCHEMA kept RENAME TO goedels_poetry")


def test_a_run_that_was_reserved_and_never_begun_is_in_no_list(runs: Runs) -> None:
    before = runs.count()
    reserved = runs.new("af")
    assert runs.count() == before
    reserved.write_card(started=1.0, name="begun")
    assert runs.count() == before + 1


def test_what_a_url_says_of_a_session_holds_beside_what_we_need(laid_out: str) -> None:
    url = f"{laid_out}?options=-c%20work_mem%3D4321kB&connect_timeout=9"
    with contextlib.closing(pg_connection.Connection(url)) as db:
        assert db.execute("SELECT current_setting('work_mem'), current_setting('lock_timeout')").fetchone() == (
            "4321kB",
            "5s",
        )
    assert pg_connection.options_for(url)["connect_timeout"] == "9"


def test_a_session_that_is_not_ours_alone_is_refused(laid_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pooler that passes over what a session is opened with: another run's rows could be written there."""
    monkeypatch.setitem(pg_connection.OPTIONS, "options", "")
    with pytest.raises(StoreError, match=r"a pooler such as PgBouncer answers there .*name the server itself"):
        pg_connection.Connection(laid_out)
