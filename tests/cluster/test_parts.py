"""What goes to a node and comes back, and what is said where there is no cluster: without starting one."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from called import call

from goedels_poetry.cluster.runs import settings_json
from goedels_poetry.cluster.worker import packed, unpack
from goedels_poetry.errors import StoreError
from goedels_poetry.settings.declared import LeanSettings, ModelSettings, ModelsSettings, RetrievalSettings, Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.runs import RunDir
from goedels_poetry.store.state import ROOT, ProofNode

THEOREM = "(assert (not (= 1 1)))\n(check-sat)\n"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("127.0.0.1:{port}", "nothing answers there"),
        ("ray://127.0.0.1:10001", "run the command on a machine of the cluster"),
        ("somewhere", "auto, local, or HOST:PORT"),
        ("127.0.0.1:99999", "auto, local, or HOST:PORT"),
    ],
)
@pytest.mark.parametrize("command", ["prove", "bench"])
def test_where_no_cluster_is_one_line_says_what_to_do(
    command: str,
    where: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delitem(sys.modules, "ray", raising=False)  # what another test has connected is none of this one's
    (tmp_path / "t.smt2").write_text(THEOREM)
    arguments = [command, str(tmp_path / "t.smt2"), "--cluster", where.format(port=free_port())]
    code, out, err = call(arguments, monkeypatch, capsys, {"GOEDELS_POETRY__HOME": str(tmp_path / "home")})
    assert (code, out) == (69, "")
    assert words in err and len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prove", "{file}", "--record", "x.jsonl"], "leave out --cluster"),
        (["bench", "{file}", "--bank"], "leave out --cluster"),
        (["bench", "{file}", "--replay", "x.jsonl"], "leave out --cluster"),
    ],
)
def test_what_is_of_one_machine_is_refused_before_anything_begins(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "t.smt2").write_text(THEOREM)
    (tmp_path / "q.jsonl").write_text('{"question": "Is it?", "answer": true}\n')
    monkeypatch.setattr("goedels_poetry.cluster.seats._check", lambda where: pytest.fail("it was to be connected"))
    given = [part.format(file=tmp_path / "t.smt2") for part in arguments]
    env = {"GOEDELS_POETRY__HOME": str(tmp_path / "home")}
    code, _, err = call([*given, "--cluster", "127.0.0.1:1"], monkeypatch, capsys, env)
    assert code == 2 and words in err


def test_no_secret_and_no_place_of_this_machine_is_sent(tmp_path: Path) -> None:
    keys: dict[str, Any] = {
        "models": ModelsSettings(default=ModelSettings(model="m", api_key="secret-1")),
        "retrieval": RetrievalSettings(leanexplore_api_key="secret-2"),
        "lean": LeanSettings(kimina_api_key="secret-4"),
        "store_url": "postgresql://u:secret-5@h/d",
    }
    sent = settings_json(Settings(home=tmp_path, seed=7, **keys))
    assert "secret" not in sent and "***" not in sent and str(tmp_path) not in sent
    told = Settings(**json.loads(sent), home=tmp_path / "there")
    assert (told.seed, told.models.default.model, told.use_memory) == (7, "m", False)


def test_a_run_comes_back_as_it_went(tmp_path: Path) -> None:
    here, there = RunDir(tmp_path / "here" / "a1"), RunDir(tmp_path / "there" / "a1")
    store = ProofStore(_made(here).proof_db)
    store.commit("init", "test", ROOT, lambda txn: txn.put(ProofNode(id=ROOT, statement="s")).id)
    files = packed(here.path)  # while a log lies beside the database: what is in it goes along
    store.close()
    here.write_card(name="t")
    unpack({**files, **packed(here.path)}, there.path)
    with there.open(read_only=True) as copy:
        assert (copy.seq, copy.get(ROOT).statement) == (1, "s")
    assert there.card()["name"] == "t"
    with there.open() as copy:
        copy.commit("next", "test", ROOT, lambda txn: "tried")
    unpack(packed(there.path), here.path)
    with here.open(read_only=True) as back:
        assert [event.outcome for event in back.events()] == [ROOT, "tried"]


@pytest.mark.parametrize("name", ["../run.json", "/etc/passwd", "a/../../b"])
def test_no_file_of_a_node_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is called"):
        unpack({name: b""}, _made(RunDir(tmp_path / "runs" / "a1")).path)
    assert [path.name for path in tmp_path.rglob("*")] == ["runs", "a1"]


def _made(run: RunDir) -> RunDir:
    run.path.mkdir(parents=True)
    return run
