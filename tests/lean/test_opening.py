"""Which Lean is opened."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from goedels_poetry.lean.runtime.driven import LeanUnavailable
from goedels_poetry.lean.runtime.opening import kind_in_use, open_lean
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.settings.declared import LeanSettings


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outside of any project, with nothing in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LEAN_PROJECT_PATH", raising=False)
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.setenv("ELAN_HOME", str(tmp_path / "none"))
    return tmp_path


def test_auto_is_the_embedded_lean_unless_there_is_something_else(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kind_in_use(LeanSettings()) == "embedded"
    assert kind_in_use(LeanSettings(kimina_url="http://localhost:8000")) == "kimina"
    assert kind_in_use(LeanSettings(project=nowhere)) == "native"
    monkeypatch.setenv("LEAN_PROJECT_PATH", str(nowhere))
    assert kind_in_use(LeanSettings()) == "native"
    assert kind_in_use(LeanSettings(kind="embedded")) == "embedded"
    monkeypatch.delenv("LEAN_PROJECT_PATH")
    (nowhere / "lakefile.toml").touch()
    (nowhere / "Mine").mkdir()
    monkeypatch.chdir(nowhere / "Mine")
    assert kind_in_use(LeanSettings()) == "embedded", "there is no lake"
    (lake := nowhere / "lake").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(lake.parent))
    assert kind_in_use(LeanSettings()) == "native", "in a folder of a lake project"


def test_what_is_not_there_is_named_with_what_to_do(nowhere: Path) -> None:
    with pytest.raises(LeanUnavailable, match="kimina_url"):
        open_lean(LeanSettings(kind="kimina"))
    with pytest.raises(LeanUnavailable, match="is no lake project"):
        open_lean(LeanSettings(kind="native", project=nowhere / "missing"))


async def test_a_server_of_others_does_not_decide_about_a_proof() -> None:
    settings = LeanSettings(kimina_url="http://localhost:9", kimina_api_key=SecretStr("key"))
    searching, deciding = open_lean(settings), open_lean(settings, 1, trusted=True)
    try:
        assert (searching.kind, searching.trusted) == ("kimina", False)
        assert (deciding.kind, deciding.trusted) == ("embedded", True)
        assert (await deciding.check(CheckRequest("theorem t : 1 + 1 = 2 := rfl"))).ok
    finally:
        await searching.aclose()
        await deciding.aclose()
