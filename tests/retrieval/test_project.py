"""The theorems of a lake project, as text."""

from pathlib import Path

import pytest

from goedels_poetry.search.retrieval.search import theorems_of_project, theorems_of_text

TEXT = """/-! A theorem not_me : in a comment -/
namespace A
-- theorem nor_me : True := trivial
/-- Doubling
twice. -/
@[simp] theorem double (n : Nat) :
    n + n = 2 * n := by omega
section Inner
protected lemma B.fst : True := trivial
end Inner
end A
private theorem hidden : True := trivial
theorem by_cases_on : Nat → True
  | 0 => trivial
  | _ + 1 => trivial
theorem unfinished (a : Nat)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lakefile.toml").write_text('name = "p"\n')
    (tmp_path / "P").mkdir()
    (tmp_path / "P" / "Basic.lean").write_text(TEXT)
    (tmp_path / "Main.lean").write_text("theorem goal : True := sorry\n")
    (tmp_path / ".lake").mkdir()
    (tmp_path / ".lake" / "Other.lean").write_text("theorem of_a_dependency : True := trivial\n")
    return tmp_path


def test_theorems_are_read_with_full_names_docstrings_and_statements() -> None:
    found = {t.name: t for t in theorems_of_text(TEXT, "here")}
    assert list(found) == ["A.double", "A.B.fst", "by_cases_on", "unfinished"]
    assert found["A.double"].statement == "(n : Nat) : n + n = 2 * n"
    assert found["A.double"].docstring == "Doubling twice."
    assert found["by_cases_on"].statement == ": Nat → True"


def test_the_other_files_of_the_project_are_read_and_its_dependencies_are_not(project: Path) -> None:
    found = theorems_of_project(project / "Main.lean")
    assert [t.name for t in found] == ["A.double", "A.B.fst", "by_cases_on", "unfinished"]
    assert {t.source for t in found} == {"project: P/Basic.lean"}


def test_a_file_that_cannot_be_read_is_left_out(project: Path) -> None:
    (project / "P" / "Bad.lean").write_bytes(b"theorem t \xff\xfe")
    (project / "P" / "Folder.lean").mkdir()
    assert len(theorems_of_project(project / "Main.lean")) == 4


def test_a_file_of_no_project_has_no_neighbours(tmp_path: Path) -> None:
    (tmp_path / "Other.lean").write_text("theorem t : True := trivial\n")
    assert theorems_of_project(tmp_path / "Main.lean") == []
