"""Real certificates, written once for the whole session and copied where a test spoils them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import proofs
import pytest

from goedels_poetry.checker import write_certificate


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished certificate of each proof in `proofs.ALL`. Not to be written to."""
    folder = tmp_path_factory.mktemp("certificates")
    return {
        name: write_certificate(text, proof(), folder / f"{name}.cert") for name, (text, proof) in proofs.ALL.items()
    }


@pytest.fixture
def spoil(certificates: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """``spoil(name)``: a copy of a certificate to do harm to."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(certificates[name], tmp_path / f"{name}.cert"))

    return copy
