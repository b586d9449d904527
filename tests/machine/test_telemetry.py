"""Spans of a run in an application that uses OpenTelemetry, by a collector in memory."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import DOUBLE, every_role

from goedels_poetry import GoedelsPoetryFramework, Settings

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def exporter() -> Any:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    found, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    trace.set_tracer_provider(provider)
    return found


@pytest.fixture
def spans(exporter: Any) -> Iterator[Any]:
    exporter.clear()
    yield exporter.get_finished_spans


def prove(home: Path, url: str, **more: Any) -> Any:
    settings = Settings(home=home, models={"default": {"model": "m", "base_url": url, "retries": 0}}, **more)
    with GoedelsPoetryFramework(settings) as framework:
        return framework.run(DOUBLE, name="double.smt2")


def test_a_run_its_agents_models_and_solvers_are_spans_of_one_trace(tmp_path: Path, spans: Any) -> None:
    from opentelemetry import trace

    with Server(every_role) as server, trace.get_tracer("application").start_as_current_span("mine") as mine:
        result = prove(tmp_path, server.url, symbolic_queries=0)
        calls = server.calls
    assert str(result.verdict) == "proved"
    found = spans()
    assert {span.context.trace_id for span in found} == {mine.get_span_context().trace_id}
    (run,) = [span for span in found if span.name == "goedels-poetry run"]
    assert run.parent.span_id == mine.get_span_context().span_id
    told = {"run_id": result.run_id, "verdict": "proved", "trust_level": "L3", "input": "double.smt2"}
    assert {f"goedels_poetry.{name}": value for name, value in told.items()}.items() <= run.attributes.items()
    steps = [
        (event.attributes["goedels_poetry.agent"], event.attributes["goedels_poetry.outcome"]) for event in run.events
    ]
    assert ("framework", "begun") in steps and ("verifier", "proved") in steps

    by_id = {span.context.span_id: span for span in found}
    agents = [span for span in found if span.name.startswith("invoke_agent ")]
    assert {"prover", "sketcher", "verifier", "decider"} <= {s.attributes["gen_ai.agent.name"] for s in agents}
    assert {by_id[span.parent.span_id].name for span in agents} == {"goedels-poetry run"}

    chats = [span for span in found if span.name == "chat m"]
    assert len(chats) == calls
    for chat in chats:
        about = chat.attributes
        assert (about["gen_ai.operation.name"], about["gen_ai.request.model"]) == ("chat", "m")
        assert about["gen_ai.usage.input_tokens"] > 0 and about["server.address"] == server.url
        assert by_id[chat.parent.span_id].name.startswith("invoke_agent ")
    queries = [span for span in found if span.name == "solver queries"]
    assert queries and all(span.attributes["goedels_poetry.queries"] > 0 for span in queries)
    assert {by_id[span.parent.span_id].name.partition(" ")[0] for span in queries} == {"invoke_agent"}
    assert all(span.start_time <= span.end_time for span in found)
    assert "define-fun" not in "".join(span.to_json() for span in found), "no text of anybody leaves with them"


def test_a_model_that_is_away_is_an_error_and_the_run_has_no_verdict(tmp_path: Path, spans: Any) -> None:
    with Server([Answer(status=503, body="{}")]) as server:
        assert prove(tmp_path, server.url, symbolic_queries=0).away
    chats = [span for span in spans() if span.name == "chat m"]
    assert chats and all(chat.attributes["error.type"] and not chat.status.is_ok for chat in chats)
    (run,) = [span for span in spans() if span.name == "goedels-poetry run"]
    assert "goedels_poetry.verdict" not in run.attributes


def test_without_it_a_run_is_the_same(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None  # as if it were not installed\n"
        "from goedels_poetry import GoedelsPoetryFramework as F, Settings\n"
        f"with F(Settings(home={str(tmp_path)!r})) as f:\n"
        "    print(f.run('(declare-const p Bool)(prove (or p (not p)))', language='smt').verdict)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("proved\n", "")
