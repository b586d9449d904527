"""What stands where something is to be written is neither followed nor lost, and keeps no proof from another place."""

from pathlib import Path

from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings

THEOREM = "(declare-const p Bool)(prove (or p (not p)))"
FALSE = "(declare-const p Bool)(prove p)"


def test_a_proof_whose_place_was_taken_is_written_elsewhere_later(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with GoedelsPoetryFramework(Settings(home=tmp_path / "home")) as framework:
        for text, verdict in ((THEOREM, Verdict.PROVED), (FALSE, Verdict.REFUTED)):
            for taken in (mine, tmp_path / "link"):
                result = framework.run(text, language="smt", out=taken)
                assert result.verdict is Verdict.UNKNOWN
                assert "exists already" in result.reason
                assert result.certificate is None
            result = framework.run(text, language="smt", out=tmp_path / str(verdict))
            assert (result.verdict, result.certificate) == (verdict, tmp_path / str(verdict))
    assert mine.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
