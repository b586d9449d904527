"""Bad days of a PostgreSQL server: limits, rights, locks and tables of others are one line each and cost no attempt."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.errors import StoreError
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
