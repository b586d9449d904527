"""What holds for every test."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from goedels_poetry.languages.lean.runtime import LeanPool
from goedels_poetry.languages.lean.runtime.embedded import embedded_pool, install

# How long an example takes says more about the machine than about the code.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A shell makes what it starts in the background deaf to Ctrl-C, and all that this starts in turn; the programs that the
# tests interrupt have to hear it wherever the tests run.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The tests start hundreds of processes of this very tree: only the first has to compile it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are processors, as many tests wait for servers and for processes to end.

    At most four, each of which may keep a Lean (1 GB). Tests of single files run in our own process; ``-n NUMBER`` says
    otherwise.
    """
    if any(".py" in argument for argument in config.args):
        return 0
    return min(4, (os.cpu_count() or 1) + 1)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fetch Lean, once for all times, before the clock of any test runs."""
    if any("lean" in getattr(item, "fixturenames", ()) for item in session.items):
        install()


@pytest.fixture(scope="session")
def lean() -> Iterator[LeanPool]:
    """One embedded Lean for all tests of a process: starting it costs a second and 0.6 GB.

    It answers one request at a time, from any event loop. Tests must leave it alive.
    """
    pool = embedded_pool(1)
    yield pool
    asyncio.run(pool.aclose())
