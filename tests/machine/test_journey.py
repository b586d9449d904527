"""What is drawn of how goals travel is what they do, and what agents of plug-ins displace is shown."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from journeys import travelled, undeclared
from toy_language import ToyLanguage, generated, theorem
from trees_by_hand import MakeFramework

from goedels_poetry.search.agents.journey import ASKED, DONE, EDGES, END, OPEN, journey_of
from goedels_poetry.search.agents.registry import Registry, agent, load_registry
from goedels_poetry.search.machine.kinds import KINDS
from goedels_poetry.store.state import Queue
from goedels_poetry.trace import machine

HOPELESS: dict[str, Any] = {"proof": None, "exhausted": True}


def sketch(name: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {"strategy": name, "fingerprint": f"fp:{name}", "children": list(children), **more}


GOALS: dict[str, Any] = {
    "T": {
        **HOPELESS,
        "sketches": [
            sketch("false", {"statement": "A", "counterexample": {"x": 3}}),
            sketch("hopeless", "A", deterministic=False),
            sketch("good", "B", "C"),
        ],
    },
    "A": HOPELESS,
    "C": {"refuted": {"x": 1}},
}


@pytest.mark.parametrize("text", [generated(2), theorem(goals=GOALS), theorem(goals={"T": HOPELESS})])
async def test_goals_travel_as_it_is_drawn(framework: MakeFramework, text: str) -> None:
    fw = framework(ToyLanguage())
    result = await fw.arun(text, name="t")
    with fw.open_store(result.run_id) as store:
        steps = list(travelled(store))
        assert {"check_semantics", "prove"} <= {queue for queue, _, _ in steps}
        assert undeclared(store) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_every_queue_of_every_machine_is_drawn_and_leads_somewhere(kind: str) -> None:
    registry = KINDS[kind].registry()
    journey = journey_of(kind)
    assert set(journey) == set(registry.routes)
    for ways in journey.values():
        assert ways
        assert {str(way.to) for way in ways} <= {*registry.routes, DONE, END, OPEN, ASKED}
    assert set(EDGES) == set(KINDS)
    for drawn in (
        machine.picture(registry, kind).mermaid(),
        machine.picture(registry, kind).dot(),
    ):
        assert all(queue in drawn and spec.name in drawn for queue, spec in registry.routes.items())


def test_the_road_of_a_goal_is_in_the_picture() -> None:
    drawn = machine.picture(load_registry()).dot()
    names = {queue: name for name, queue in re.findall(r'(?m)^    (q\d+) \[label="(\w+)', drawn)}
    road = ["check_semantics", "prove", "verify", "decide", "retrieve", "sketch", "verify_sketch", "decompose", "prove"]
    for start, end in pairwise(road):
        assert f"{names[start]} -> {names[end]} " in drawn, f"{start} to {end}"
    assert "supervisor ->" not in drawn, "it is no star"


def test_a_plug_in_that_takes_a_queue_over_is_shown_with_whom_it_displaces() -> None:
    @agent(queue=(Queue.RETRIEVE, "pause"), name="librarian")
    async def librarian(node: Any, deps: Any) -> Any:
        raise NotImplementedError

    ours = load_registry()
    spec = replace(librarian.__agent__, plugin='lib"rary<b>')  # type: ignore[attr-defined]
    routes = {**ours.routes, Queue.RETRIEVE: spec, "pause": spec}
    registry = Registry({**ours.agents, "librarian": spec}, {str(queue): s for queue, s in routes.items()})
    (station,) = [each for each in machine.stations(registry) if each.queue == "retrieve"]
    assert (station.agent, station.displaced) == ("librarian", ("retriever",))
    assert machine.idle(registry) == ["retriever"]
    dot, mermaid = machine.picture(registry).dot(), machine.picture(registry).mermaid()
    assert "style=dashed" in dot and "-.->" in mermaid, "what a plug-in is expected to do, it need not do"
    assert "instead of retriever" in dot and "instead of retriever" in mermaid
    assert "<b>" not in mermaid.replace("<br/>", "")
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=dot, text=True, capture_output=True, timeout=60, check=True)
