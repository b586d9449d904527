"""The help says what the input is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from goedels_poetry.cli.app import COMMANDS


@pytest.mark.parametrize("name", [*COMMANDS, "lean"])
def test_every_command_has_help_and_its_flags_have_no_opposites_unless_they_say_so(cli: Any, name: str) -> None:
    ran = cli(name, "--help")
    assert ran.code == 0
    assert {*re.findall(r"--\S+ / --no-\S+", ran.out)} <= {"--proof / --no-proof", "--confirm / --no-confirm"}
