"""One search in several places, without barriers."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Event, GoedelsPoetryFramework, RunResult, Verdict
from goedels_poetry.search.machine.background import Closed


@pytest.fixture
def fw() -> Iterator[GoedelsPoetryFramework]:
    with GoedelsPoetryFramework(language=ToyLanguage()) as made:
        yield made


def slow(depth: int = 2) -> str:
    """A theorem that takes a second or more, for whoever wants to interrupt it."""
    return generated(depth, latency=0.05)


def stopping_at(seq: int, number: int = signal.SIGINT) -> object:
    """A listener that has the process interrupted after a commit."""

    def listen(event: Event) -> None:
        if event.seq == seq:
            os.kill(os.getpid(), number)

    return listen


# -- where it runs -------------------------------------------------------------------------------------------------
def test_four_threads_run_at_once(fw: GoedelsPoetryFramework) -> None:
    together = threading.Barrier(4)

    def one(number: int) -> RunResult:
        together.wait(60)
        return fw.run(theorem(f"T{number}"), name=f"{number}.toy")

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(one, range(4)))
    assert [result.verdict for result in results] == [Verdict.PROVED] * 4
    assert len({result.run_id for result in results}) == 4


def test_the_same_theorem_in_two_threads_is_proved_once(fw: GoedelsPoetryFramework) -> None:
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(lambda name: fw.run(generated(1), name=name), ("a", "b"))
    assert one.run_id == other.run_id


async def test_it_runs_where_a_loop_is_running_as_in_a_notebook_and_mixes_with_coroutines(
    fw: GoedelsPoetryFramework,
) -> None:
    assert fw.run(theorem("A"), name="t").verdict is Verdict.PROVED
    assert (await fw.arun(theorem("B"), name="t")).verdict is Verdict.PROVED
    assert fw.run(theorem("C"), name="t").verdict is Verdict.PROVED
    *events, result = fw.stream(theorem("D"), name="t")
    assert isinstance(result, RunResult) and all(isinstance(event, Event) for event in events)
    fw.close()
    fw.close()


# -- how it stops --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_cleanly_and_leaves_the_handlers_as_they_were(fw: GoedelsPoetryFramework, number: int) -> None:
    before = signal.getsignal(number)
    result = fw.run(slow(), name="t", on_event=stopping_at(6, number))
    assert (result.verdict, "interrupted by SIG" in result.reason) == (Verdict.OUT_OF_BUDGET, True)
    assert signal.getsignal(number) is before


def test_a_second_interrupt_ends_the_waiting_and_the_run_can_begin_again_at_once(fw: GoedelsPoetryFramework) -> None:
    handled = threading.Event()
    waiting = threading.main_thread().ident
    assert waiting is not None
    handler = signal.default_int_handler
    before = signal.signal(signal.SIGINT, handler)  # a shell has its background jobs ignore the signal

    def listen(event: Event) -> None:
        if event.seq == 6 and not handled.is_set():
            signal.pthread_kill(waiting, signal.SIGINT)
            for _ in range(6000):  # the first has been taken when the usual handler is back
                if signal.getsignal(signal.SIGINT) is handler:
                    break
                handled.wait(0.01)
            handled.set()
            signal.pthread_kill(waiting, signal.SIGINT)

    try:
        with pytest.raises(KeyboardInterrupt):
            fw.run(slow(), name="t", on_event=listen)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [run.status for run in fw.runs()] == ["stopped"]
    again = fw.run(slow(), name="t")
    assert again.verdict is Verdict.PROVED, again.reason


# -- how it ends ---------------------------------------------------------------------------------------------------
def test_after_close_it_says_so(fw: GoedelsPoetryFramework) -> None:
    fw.run(theorem(), name="t")
    fw.close()
    fw.close()
    for begin in (fw.run, lambda text: list(fw.stream(text)), fw.resume):
        with pytest.raises(Closed, match="this GoedelsPoetryFramework is closed"):
            begin(theorem())
    with pytest.raises(Closed):
        asyncio.run(fw.arun(theorem()))


# -- what it takes -------------------------------------------------------------------------------------------------
def test_a_path_is_read_and_is_the_name(fw: GoedelsPoetryFramework, tmp_path: Path) -> None:
    file = tmp_path / "a.toy"
    file.write_text(theorem())
    result = fw.run(file)
    assert (result.verdict, result.input) == (Verdict.PROVED, str(file))
    file.write_bytes(b"\xff\xfe")
    assert "not text in UTF-8" in fw.run(file).reason
    with pytest.raises(FileNotFoundError):
        fw.run(tmp_path / "gone.toy")


HOPELESS: dict[str, Any] = {"proof": None, "exhausted": True}
MANY = [f"goal {n}" for n in range(40)]
TREE = {
    "T": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["slow", "A", "B", *MANY]}]},
    "A": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["A1", "A2"]}]},
    "A1": {"proof": 2},
    "B": {"correctable": True, "proof": 5},
}


class OneSlowReply(ToyLanguage):
    """The reply for one goal comes when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if (what, statement) == ("prove", "slow"):
            await self.let_go.wait()
        await super()._work(what, statement, attempt, spec)


async def test_a_slow_reply_delays_no_other_goal(framework: MakeFramework) -> None:
    language = OneSlowReply()
    fw = framework(language, max_concurrency=3)
    proved: list[str] = []

    def heard(event: Event) -> None:
        if event.outcome == "proved":
            proved.append(event.node)
        if len(proved) == 2 + 1 + len(MANY):  # A1, A2, B and the many: all but the slow one
            language.let_go.set()

    # Were there a barrier anywhere, the reply would never be let go.
    result = await asyncio.wait_for(fw.arun(theorem(goals=TREE), name="t", on_event=heard), 100)
    assert result.verdict is Verdict.PROVED
    with fw.open_store(result.run_id) as store:
        assert store.get(proved[-1]).statement == "slow"


class WaitForSketch(ToyLanguage):
    """From some goal on replies come when the other one has been sketched."""

    def __init__(self) -> None:
        super().__init__()
        self.sketched = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if what == "prove" and statement in MANY[10:]:
            await self.sketched.wait()
        if (what, statement) == ("sketch", "A"):
            self.sketched.set()
        await super()._work(what, statement, attempt, spec)


async def test_a_goal_that_must_be_decomposed_need_not_wait_until_all_others_were_tried(
    framework: MakeFramework,
) -> None:
    tree = TREE | {"T": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["A", *MANY]}]}}
    fw = framework(WaitForSketch(), max_concurrency=4)
    # If the many, which are more than the places, had them all, no sketch would ever be asked for.
    result = await asyncio.wait_for(fw.arun(theorem(goals=tree), name="t"), 100)
    assert result.verdict is Verdict.PROVED


class WaitForCheck(ToyLanguage):
    """The reply for one goal comes at once, those for all others when the first one's has been checked."""

    def __init__(self) -> None:
        super().__init__()
        self.checked = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if what == "prove" and statement in MANY[1:]:
            await self.checked.wait()
        if (what, statement) == ("verify", MANY[0]):
            self.checked.set()
        await super()._work(what, statement, attempt, spec)


async def test_what_is_found_is_checked_while_every_place_waits_for_a_reply(framework: MakeFramework) -> None:
    tree = {"T": {**HOPELESS, "sketches": [{"strategy": "s", "children": MANY}]}}
    fw = framework(WaitForCheck(), max_concurrency=2)
    # The second place is given away while the first result is written: the check finds none that is free.
    result = await asyncio.wait_for(fw.arun(theorem(goals=tree), name="t"), 100)
    assert result.verdict is Verdict.PROVED
