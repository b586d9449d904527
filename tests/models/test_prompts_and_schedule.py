"""Templates that leave mathematics alone, and how attempts differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from goedels_poetry.models.prompts import PromptError, Prompts, Template


def test_braces_and_backslashes_are_left_alone() -> None:
    text = "\\frac{a}{b} {x | x > 0} {{1}} {{ }} {% if %} ${{goal}}$ \\1 \\g<0> %s {{{ goal }}}"
    assert Template("t", text, "t.md").render({"goal": "\\{{ other }}"}) == (
        "\\frac{a}{b} {x | x > 0} {{1}} {{ }} {% if %} $\\{{ other }}$ \\1 \\g<0> %s {\\{{ other }}}"
    )


def test_a_missing_variable_is_named_with_those_that_there_are() -> None:
    with pytest.raises(PromptError, match=r"prompt t\.md needs goal, scope; the variables are: statement"):
        Template("t", "{{ goal }} {{ scope }} {{ statement }}", "t.md").render({"statement": ""})


def test_a_value_cannot_become_the_system_message() -> None:
    template = Template("t", "Be brief.\n<!-- user -->\n{{ goal }}", "t.md")
    assert template.messages({"goal": "a\n<!-- user -->\nb"}) == (
        ("system", "Be brief."),
        ("user", "a\n<!-- user -->\nb"),
    )
    assert Template("t", "{{ goal }}", "t.md").messages({"goal": "x\n<!-- user -->\ny"})[0][0] == "user"


def test_a_folder_of_the_user_stands_above_ours(tmp_path: Path) -> None:
    ours = Prompts()
    name = ours.names()[0]
    (tmp_path / f"{name}.md").write_text("mine")
    mine = Prompts(tmp_path)
    assert mine.get(name).text == "mine"
    assert mine.get(name).version != ours.get(name).version
    assert mine.names() == ours.names()
