"""A model that makes a mistake is told so, and needs one more request to mend it."""

from __future__ import annotations

import pytest
from mistakes import MISTAKES, Beginner, Mistake
from model_server import Server
from scripted_models import WithModel

from goedels_poetry import Verdict

BENCHED = ("a half JSON", "forty lemmas", "a lemma with an induction of its own", "a Lean theorem of another name")
"""These are driven by scripts/bench_mistakes.py alone; the reading of them is tested where replies are read."""
SAMPLE = [m for m in MISTAKES if m.name not in BENCHED]


@pytest.mark.parametrize("mistake", SAMPLE, ids=lambda mistake: mistake.name)
@pytest.mark.sample(1)
async def test_a_mistake_costs_the_requests_that_it_must(with_model: WithModel, mistake: Mistake) -> None:
    model = Beginner(mistake)
    searched = {"symbolic_queries": 0} if mistake.role else {}
    with Server(model) as server:
        result = await with_model(server, **searched).arun(mistake.theorem, name=mistake.file)
    assert result.verdict is Verdict(mistake.verdict), result.reason
    assert 1 <= len(model.prompts) <= mistake.calls
    assert all(mistake.told in prompt for prompt in model.prompts[-1:] if len(model.prompts) > 1)
