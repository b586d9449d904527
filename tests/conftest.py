"""What holds for every test."""

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import remembered
import warm_solvers
from hypothesis import settings

from goedels_poetry.kernel.terms import allow_recursion
from goedels_poetry.lean.runtime.embedded import embedded_pool, prepare
from goedels_poetry.lean.runtime.install import install
from goedels_poetry.lean.runtime.pool import LeanPool

HERE = Path(__file__).parent

# How long an example takes says more about the machine than about the code; half as many as Hypothesis itself would
# make, where a test does not say how many.
settings.register_profile("plain", deadline=None, max_examples=50)
settings.register_profile("whole", deadline=None)
settings.load_profile("plain")

# The first evaluator of a process raises the limit for good, and Hypothesis fails a test in the midst of which that
# happens: which one it is depends on what ran before in the same process.
allow_recursion()

# A shell makes what it starts in the background deaf to Ctrl-C, ``nohup`` to a closed terminal, and so all that this
# starts in turn; the programs that the tests interrupt have to hear it wherever the tests run. The tests themselves
# outlive the terminal as before, for what is listened to is not ignored by those that are started.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda number, frame: None)

# Half a million objects that live as long as the tests are no garbage; to look for some among them, a thousand times
# over, was a fifth of the time of what runs in our own process.
gc.set_threshold(20_000, 10, 10)

# The tests start hundreds of processes of this very tree: only the first has to compile it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes more than there are processors, as many tests wait for servers and for processes to end.

    At most four, each of which may keep a Lean (1 GB). Tests of single files run in our own process; ``-n NUMBER`` says
    otherwise.
    """
    if any(".py" in argument for argument in config.args):
        return 0
    return min(4, (os.cpu_count() or 1) + 2)


def pytest_addoption(parser: pytest.Parser) -> None:
    said = "every test, those marked `sample` and `whole` among them; all examples of Hypothesis"
    parser.addoption("--whole", action="store_true", help=said)
    parser.addoption("--dear", action="store_true", help="those that a plain run leaves out because they take long")


def pytest_configure(config: pytest.Config) -> None:
    """All examples with ``--whole``."""
    if config.option.whole:
        settings.load_profile("whole")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Every process needs all test files with their assertions rewritten, which takes ten seconds and is kept in files.

    So that each of the processes rewrites some and finds the rest, they collect in turns that begin at different ones;
    `pytest_collection_modifyitems` puts the tests into the one order that all processes have to agree on.
    """
    worker = getattr(session.config, "workerinput", None)
    arguments = session.config.args
    if worker is None or any("::" in argument for argument in arguments):
        return
    named = [Path(argument).absolute() for argument in arguments]
    files = sorted(str(file) for place in named for file in (place.rglob("test_*.py") if place.is_dir() else [place]))
    begin = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    session.config.args[:] = files[begin:] + files[:begin]


STARTS_MUCH = ("autoformalizer", "bridge", "docs", "lean", "trace")
"""Folders with a Lean for all their tests, or long ones, which each process starts for itself."""


def place_in_turn(item: pytest.Item) -> int:
    """What needs the browser comes at the very beginning, where no other process takes it over with one of its own."""
    if "browser" in getattr(item, "fixturenames", ()):
        return 0
    return 1 if item.path.relative_to(HERE).parts[0] in STARTS_MUCH else 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What starts much comes first, and so into one process's share; what is dear may be left out."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path)
    items.sort(key=place_in_turn)
    if config.option.whole or any("::" in argument for argument in config.args):
        return
    if without := left_out(items, config.option.dear):
        config.hook.pytest_deselected(items=[item for item in items if item in without])
        items[:] = [item for item in items if item not in without]


LIMIT = 1.0
"""Seconds of a case, as ``dear.json`` has them: about three times those of a quiet machine."""


def dear(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests that take longest, as a whole run has measured."""
    seconds: dict[str, dict[str, float]] = json.loads((HERE / "dear.json").read_text("utf-8"))
    without: set[pytest.Item] = set()
    for path, tests in groupby(items, lambda item: item.path):
        costs = seconds.get(path.relative_to(HERE).as_posix(), {})
        of_file = [(costs.get(item.name.partition("[")[0], 0.0), item) for item in tests]
        cheapest = min(cost for cost, _ in of_file)
        left = [item for cost, item in of_file if cost > LIMIT and cost > cheapest]
        without.update(left if cheapest <= LIMIT else [item for _, item in of_file[1:]])
    return without


def left_out(items: list[pytest.Item], only_dear: bool) -> set[pytest.Item]:
    """What is dear and has something cheaper that stands in for it; with ``only_dear`` what is not dear.

    Of a test that is marked ``sample(N)`` run N cases, evenly spread, the first and the last among them; of one that is
    marked ``whole(stand_in)`` none. Nor do tests run whose cases take more than `LIMIT` seconds, but for the cheapest
    one of a file that has no others.
    """
    without = {item for item in items if item.get_closest_marker("whole") is not None}
    families: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item not in without and item.get_closest_marker("sample") is not None:
            families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in families.values():
        (most,) = cases[0].get_closest_marker("sample").args
        last = len(cases) - 1
        taken = {round(place * last / max(most - 1, 1)) for place in range(most)} if most <= last else range(last + 1)
        without.update(case for place, case in enumerate(cases) if place not in taken)
    rest = [item for item in items if item not in without]
    long = dear(rest)
    return without | (set(rest) - long if only_dear else long)


def look_for_constants(session: pytest.Session) -> None:
    """Take turns likewise with the constants that Hypothesis looks for in all modules: five seconds."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    with contextlib.suppress(ImportError):  # none of its faces: without, each process looks through all of them
        from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

        modules = [module for _, module in sorted(sys.modules.items()) if is_local_module_file(_file_of(module))]
        begin = len(modules) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        for module in modules[begin:] + modules[:begin]:
            constants_from_module(module)


def _file_of(module: ModuleType) -> str:
    return getattr(module, "__file__", None) or ""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fetch Lean, once for all times, before the clock of any test runs; no search for garbage among the tests."""
    look_for_constants(session)
    gc.freeze()
    if any("lean" in getattr(item, "fixturenames", ()) for item in session.items):
        prepare(install())
    # No test asks anybody beyond this machine, and every client of a scripted server would read the certificates of all
    # authorities that the system trusts, which takes longer than most replies: a folder without any takes no time.
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = str(HERE)


COLD = (
    "solvers",
    "test_kill.py",
    "test_limits.py",
    "test_lost_processes.py",
    "test_walks_end.py",
)
"""Folders and files whose tests are about how processes start, die and end: there each is started as by a user."""


@pytest.fixture(autouse=True)
def warm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere solvers and workers of the tests' own process start in a hundredth of a second; see `warm_solvers`."""
    cold = sys.platform != "linux" or any(part in COLD for part in request.path.relative_to(HERE).parts)
    warm_solvers.keep_workers_parent(not cold)
    if not cold:
        warm_solvers.use(monkeypatch)


OWN_HOMES = ("autoformalizer", "machine", "model_loop", "models", "reasoning")
"""Folders each of whose tests has a data directory of its own, where no replies of another's server are."""


@pytest.fixture(autouse=True)
def no_settings_from_outside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks the services of the person who runs it."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    if request.path.relative_to(HERE).parts[0] in OWN_HOMES:
        monkeypatch.setenv("GOEDELS_POETRY__HOME", str(request.getfixturevalue("tmp_path") / "home"))


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The parents of solvers and workers end with the tests; what is remembered is so by all processes of a run."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        remembered.share(tmp_path_factory.getbasetemp().parent / "remembered")
    yield
    warm_solvers.keep_workers_parent(False)


@pytest.fixture(scope="session")
def lean() -> Iterator[LeanPool]:
    """One embedded Lean for all tests of a process: starting it costs a second and 0.6 GB.

    It answers one request at a time, from any event loop. Tests must leave it alive.
    """
    pool = embedded_pool(1)
    yield pool
    asyncio.run(pool.aclose())


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server for all tests of a process; tests that stop it start it again."""
    import postgres_server

    if postgres_server.programs() is None:
        pytest.skip("there is no PostgreSQL server here: apt-get install postgresql")
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    server = postgres_server.Server()
    yield server
    server.close()


@pytest.fixture
def database(postgres: Any) -> Iterator[Any]:
    """Runs in that server."""
    from goedels_poetry.store.postgres import Database

    database = Database(postgres.url())
    yield database
    database.close()
