"""What the tests of the server share."""

from collections.abc import Iterator

import pytest
from browser import browser, browser_page  # noqa: F401
from served import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("home")) as server:
        yield server
