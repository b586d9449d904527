"""Runs that look for a function, with models behind a real HTTP server whose replies are scripted."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from model_server import Answer, Server

from goedels_poetry import Event, GoedelsPoetryFramework, Settings, languages
from goedels_poetry.search.memory import NodeState, node_state
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.store.results import RunResult

PROSECUTOR = "You try to break a Python function"


def fenced(source: str) -> Answer:
    return Answer(f"It goes like this.\n\n```python\n{source}\n```\n\nThat should do.")


def proposals(*tests: tuple[str, Any]) -> Answer:
    """A prosecutor's reply: calls and what they should give."""
    listed = [{"call": call, "expected": expected, "why": "an edge"} for call, expected in tests]
    return Answer(f"```json\n{json.dumps({'tests': listed})}\n```")


class Scripted:
    """Functions in order, the last one again and again; the prosecutor's tests by themselves."""

    def __init__(self, *functions: str | Answer, hostile: Sequence[Answer] = (proposals(),)) -> None:
        self._functions = [fenced(each) if isinstance(each, str) else each for each in functions]
        self._hostile = list(hostile)
        self.asked: list[dict[str, Any]] = []
        """Requests for functions."""
        self.prosecuted: list[dict[str, Any]] = []
        """Requests for tests."""

    def __call__(self, asked: dict[str, Any]) -> Answer:
        if PROSECUTOR in str(asked["messages"][0]["content"]):
            self.prosecuted.append(asked)
            return self._hostile[min(len(self.prosecuted), len(self._hostile)) - 1]
        self.asked.append(asked)
        return self._functions[min(len(self.asked), len(self._functions)) - 1]

    def prompt(self, number: int) -> str:
        """The last message of the request for a function with that number, from 0."""
        return str(self.asked[number]["messages"][-1]["content"])


@dataclass(frozen=True)
class Written:
    """A run that has ended."""

    result: RunResult
    events: list[Event]
    state: NodeState
    stats: dict[str, int]

    @property
    def attempts(self) -> list[dict[str, Any]]:
        assert self.result.answer is not None
        found: list[dict[str, Any]] = self.result.answer["attempts"]
        return found

    @property
    def outcomes(self) -> list[str]:
        return [str(entry["outcome"]) for entry in self.attempts]

    @property
    def source(self) -> str:
        assert self.result.answer is not None
        return str(self.result.answer["source"])


async def write(task: CodeTask, script: Scripted | None, home: Path, **settings: Any) -> Written:
    """Work on a task; without a script there is no model."""
    if script is None:
        return await run(task, Settings(home=home, **settings))
    with Server(script) as server:
        return await run(task, Settings(home=home, **({"models": {"default": model_at(server.url)}} | settings)))


def model_at(url: str) -> dict[str, Any]:
    """Settings of a model that all roles ask."""
    return {"model": "scripted", "base_url": url, "retries": 0, "timeout_seconds": 20.0}


async def run(task: CodeTask, settings: Settings, tell: Callable[[Event], None] = lambda _: None) -> Written:
    """Begin or go on, to the end."""
    events: list[Event] = []

    def heard(event: Event) -> None:
        events.append(event)
        tell(event)

    async with GoedelsPoetryFramework(settings, language=languages.get("python"), checkpoint_all=False) as framework:
        language = framework._language("python", None)
        result = await framework.arun_task(task, language, {"theorem": task.function}, on_event=heard)
        if not result.run_id:
            return Written(result, events, NodeState(""), {})
        with framework.open_store(result.run_id) as store:
            state, stats = node_state(store, "0"), store.get_graph_stats()
    return Written(result, events, state, stats)
