"""Logic programs: what both program languages of questions, SMT-LIB 2 and the JSON logic language, are read into."""

from goedels_poetry.kernel.logic.program import LogicGoal, LogicPremise, LogicProgram, Objective, Origin, Place
from goedels_poetry.languages.logic.smt2 import read_smt2

__all__ = ["LogicGoal", "LogicPremise", "LogicProgram", "Objective", "Origin", "Place", "read_smt2"]
