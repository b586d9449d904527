"""Changes to files of small projects, by nobody or by models behind a real HTTP server with scripted replies."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model_server import Answer, Server

from goedels_poetry import Event, GoedelsPoetryFramework, Settings, languages
from goedels_poetry.protocol.base import Theorem
from goedels_poetry.python.changes import words_of
from goedels_poetry.search.machine.kinds import KINDS, Kind, agents_of
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.store.results import RunResult

KINDS.setdefault(Change.kind, Kind(Change.again, lambda: agents_of(Change.kind)))

STATS = '''"""Small statistics."""


def mean(xs):
    """The mean.

    >>> mean([1, 2])
    1.5
    """
    return sum(xs) / len(xs)


def spread(xs):
    """Largest minus smallest."""
    return max(xs) - min(xs)


def last(xs):
    return xs[-1]
'''
TESTS = """import unittest

from stats import last, mean, spread


class Tests(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(mean([]), 0)

    def test_two(self):
        self.assertEqual(mean([1, 2]), 1.5)

    def test_spread(self):
        self.assertEqual(spread([3, 1, 2]), 2)
"""
MEND = """--- a/stats.py
+++ b/stats.py
@@ -8,3 +8,5 @@
     1.5
     \"\"\"
+    if not xs:
+        return 0
     return sum(xs) / len(xs)
"""
UNITTEST, PYTEST = "python -m unittest -q", "pytest -q"


def change(
    text: str = STATS,
    *,
    file: str = "stats.py",
    files: dict[str, str] | None = None,
    test: str = UNITTEST,
    run: str = "",
    **more: Any,
) -> Change:
    """A change to a file of a project; by default to the mean of nothing."""
    others = {"test_stats.py": TESTS} if files is None else files
    return Change(
        text,
        file=file,
        files=json.dumps(others),
        tests=words_of(test) if test else (),
        run=words_of(run) if run else (),
        **more,
    )


class PlainLanguage:
    """A language that nobody checks: the run ends with what it claims, and no process but those of the sandbox."""

    name = "plain"
    suffixes = (".py",)

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        return Theorem(self.name, text, options)

    async def assemble_answer(self, theorem: Theorem, answer: dict[str, Any]) -> dict[str, Any]:
        return answer

    async def aclose(self) -> None:
        """Nothing was opened."""


@dataclass(frozen=True)
class Done:
    """A run that has ended."""

    result: RunResult
    conversation: list[dict[str, Any]]
    events: list[Event] = field(default_factory=list)

    @property
    def told(self) -> dict[str, Any]:
        assert self.result.answer is not None, self.result.reason
        found: dict[str, Any] = self.result.answer["change"]
        return found

    @property
    def text(self) -> str:
        """The file as it was left."""
        return str(self.told["text"])

    @property
    def claims_tested(self) -> bool:
        """Whether it would be tested, were there a checker."""
        return "claims tested" in self.result.reason

    @property
    def moves(self) -> list[str]:
        """Every decision in order: ``move by whom``."""
        made = [entry for entry in self.conversation if entry["kind"] == "decision"]
        return [f"{entry['move']} by {entry['by']}" for entry in made]


@dataclass
class Scripted:
    """A model: changes and decisions, each in their order, the last one again and again."""

    changes: list[str]
    decisions: list[str] = field(default_factory=list)
    asked_for_changes: list[str] = field(default_factory=list)
    asked_for_decisions: list[str] = field(default_factory=list)

    def __call__(self, asked: dict[str, Any]) -> Answer:
        prompt = str(asked["messages"][-1]["content"])
        if "Decide what to do next" in prompt:
            self.asked_for_decisions.append(prompt)
            chosen = self.decisions[min(len(self.asked_for_decisions), len(self.decisions)) - 1]
            return Answer(f'```json\n{{"reason": "so it seems", "decision": "{chosen}"}}\n```')
        self.asked_for_changes.append(prompt)
        return Answer(self.changes[min(len(self.asked_for_changes), len(self.changes)) - 1])


def settings(home: Path, server: Server | None = None) -> Settings:
    """Settings of a place of its own, with one model for all roles."""
    model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0} if server else {}
    return Settings(home=home, models={"default": model} if model else {}, budgets={"wall_seconds": 300})


async def work(
    task: Change, home: Path, server: Server | None = None, *, checked: bool = False, run_id: str = ""
) -> Done:
    """Work on a change, or go on with a run, to its end."""
    events: list[Event] = []
    language = languages.get("python") if checked else PlainLanguage()
    async with GoedelsPoetryFramework(settings(home, server), language=language, checkpoint_all=False) as framework:
        if run_id:
            result = await framework.aresume(run_id, on_event=events.append)
        else:
            result = await framework.arun_task(task, language, {}, on_event=events.append)
        return Done(result, framework.conversation(result.run_id) if result.run_id else [], events)
