"""Certificates of logic programs: the program as it was, and what was found; checking one decides it anew."""

from goedels_poetry.checker.logic.archive import LANGUAGE, LogicArchive, read_logic, write_logic
from goedels_poetry.checker.logic.check import Checked, check_logic, checked

__all__ = ["LANGUAGE", "Checked", "LogicArchive", "check_logic", "checked", "read_logic", "write_logic"]
